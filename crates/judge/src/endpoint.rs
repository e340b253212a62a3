//! The client of OpenAI-compatible endpoints: address, key, one request.

use std::fmt;
use std::io::Read;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use ureq::http::{HeaderMap, Uri};

use crate::client::{Answer, Judge, Trouble, Unreached};
use crate::parse::Failure;
use crate::reply::{Complaint, failed, read_failed_reply, read_reply};
use crate::request::JudgeRequest;
use crate::{Error, secret};

/// Largest reply that is read, in bytes: a thousand times what the prompts ask for.
const LARGEST_REPLY: usize = 1 << 20;

/// A secret that is never shown.
#[derive(Clone)]
pub struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// The text that replaces a key.
const HIDDEN: &str = "[key]";

impl ApiKey {
    /// The key in an environment variable; spaces around it are dropped.
    ///
    /// # Errors
    /// The variable is not set, empty, or holds what no key can.
    pub fn from_environment(variable: &str) -> Result<Self, Error> {
        let refused = |detail: &str| Error::Key { variable: variable.to_owned(), detail: detail.to_owned() };
        let value = std::env::var(variable).map_err(|_| refused("is not set"))?;
        let value = value.trim();
        if value.len() < 4 || !value.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\')) {
            return Err(refused("holds no key: four or more printable characters, no spaces, quotes or backslashes"));
        }
        Ok(ApiKey(value.to_owned()))
    }
}

/// An OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct Endpoint {
    agent: ureq::Agent,
    url: String,
    host: String,
    key: Option<ApiKey>,
}

impl Endpoint {
    /// The endpoint at a base address, as `https://host/v1`; requests go to `/chat/completions` below it, and an
    /// answer may take as long as `timeout`.
    ///
    /// # Errors
    /// An address that is not a plain http or https address, or that would send a key unencrypted to another machine.
    pub fn new(base: &str, key: Option<ApiKey>, timeout: Duration) -> Result<Self, Error> {
        let (host, local) = check_address(base)?;
        if key.is_some() && !local && !base.starts_with("https://") {
            return Err(Error::Argument(format!(
                "{host} is addressed by http://, which would show the key to the network; use https://"
            )));
        }
        let url = format!("{}/chat/completions", base.trim_end_matches('/'));
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect could carry the prompt, or the key, to somebody else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(timeout))
            .user_agent(concat!("judge-uncertainty/", env!("CARGO_PKG_VERSION")));
        // A proxy can't reach a server on this machine.
        let config = if local { config.proxy(None) } else { config };
        let agent = config.build().new_agent();
        Ok(Endpoint { agent, url, host, key })
    }

    /// The text without the key, however it is written: see [`secret::hide`].
    fn hide(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| secret::hide(&key.0, HIDDEN, text))
    }

    /// Sends the request once; status, headers and text of the reply, cut at [`LARGEST_REPLY`].
    fn send(&self, request: &JudgeRequest) -> Result<(u16, HeaderMap, Vec<u8>), Trouble> {
        let body = request.body().to_string();
        // An endpoint that honours this header does not charge twice for a question whose answer got lost. One that is
        // asked again on purpose is another question.
        let question = match request.on_file {
            0 => request.key.clone(),
            n => format!("{}-{n}", request.key),
        };
        let mut post =
            self.agent.post(&self.url).header("content-type", "application/json").header("idempotency-key", question);
        if let Some(key) = &self.key {
            post = post.header("authorization", format!("Bearer {}", key.0));
        }
        let mut response = post.send(&body).map_err(|e| self.trouble(e))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut bytes = vec![];
        let limit = LARGEST_REPLY as u64 + 1;
        let reader = response.body_mut().with_config().limit(u64::MAX).reader();
        reader.take(limit).read_to_end(&mut bytes).map_err(|e| self.trouble(e.into()))?;
        Ok((status, headers, bytes))
    }

    fn trouble(&self, error: ureq::Error) -> Trouble {
        let kind = match &error {
            ureq::Error::Timeout(_) => Unreached::Timeout,
            ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => Unreached::Timeout,
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::HostNotFound => {
                return Trouble::Fatal(format!("{}: {}", self.host, self.hide(&error.to_string())));
            }
            // What TLS refuses comes so: a certificate that nobody known has signed, or no TLS at all.
            ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::InvalidData => {
                let remedy = "check the address; a certificate must be one that common authorities have signed";
                let reason = self.hide(&e.to_string());
                return Trouble::Fatal(format!("{}: no secure connection: {reason}; {remedy}", self.host));
            }
            _ => Unreached::Connection,
        };
        Trouble::Again { kind, after: None, detail: self.hide(&error.to_string()) }
    }

    fn refusal(&self, status: u16, problem: &Complaint, request: &JudgeRequest) -> String {
        let remedy = match (status, problem.parameter(request.parameters.keys())) {
            (401 | 403, _) => "check the key in the environment".to_owned(),
            (404, _) => "check the address and the model".to_owned(),
            (300..=399, _) => "give the address that it redirects to".to_owned(),
            (_, Some(parameter)) => format!("this model does not accept {parameter}: leave that option out"),
            _ => "check the settings of the run".to_owned(),
        };
        self.hide(&format!("{} refuses the request (status {status}): {}; {remedy}", self.host, problem.message))
    }
}

impl Judge for Endpoint {
    fn host(&self) -> &str {
        &self.host
    }

    fn ask(&self, request: &JudgeRequest) -> Result<Answer, Trouble> {
        let (status, headers, bytes) = self.send(request)?;
        let too_large = bytes.len() > LARGEST_REPLY;
        let text = self.hide(&String::from_utf8_lossy(&bytes));
        let answer = match status {
            200..=299 if too_large => failed(Failure::TooLarge, &text),
            200..=299 => read_reply(&text, request.ask),
            408 | 409 | 425 | 429 | 500..=599 => {
                let kind = if status == 429 { Unreached::RateLimited } else { Unreached::ServerError };
                let problem = Complaint::read(&text);
                let message = self.hide(&problem.message);
                if problem.code == "insufficient_quota" {
                    return Err(Trouble::Fatal(format!("{} refuses: {message}", self.host)));
                }
                let after = retry_after(&headers, SystemTime::now());
                return Err(Trouble::Again { kind, after, detail: format!("status {status}: {message}") });
            }
            _ => read_failed_reply(&text)
                .ok_or_else(|| Trouble::Fatal(self.refusal(status, &Complaint::read(&text), request)))?,
        };
        Ok(answer.changed(|text| self.hide(text)))
    }
}

/// Checks an address; its host, and whether that is this machine.
fn check_address(base: &str) -> Result<(String, bool), Error> {
    // The address itself is not repeated: somebody may have put a key into it.
    let refused = |detail: &str| Err(Error::Argument(format!("the address of the endpoint {detail}")));
    let Ok(uri) = base.parse::<Uri>() else { return refused("is malformed; give one such as https://host/v1") };
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return refused("must begin with https:// (or http:// for a server of your own)");
    };
    if authority.as_str().contains('@') {
        return refused("must not hold a user name or key; the key is read from the environment");
    }
    if uri.query().is_some() {
        return refused("must not have a query");
    }
    let host = authority.host().trim_matches(['[', ']']).to_owned();
    // A name that merely looks like an address of this machine is that of another.
    let local = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    Ok((host, local))
}

/// How long the endpoint asks to wait: milliseconds, seconds or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    // Nobody waits a year; larger numbers would overflow.
    let seconds = |n: f64| Duration::from_secs_f64(n.min(3.15e7));
    if let Some(milliseconds) = text("retry-after-ms").and_then(number) {
        return Some(seconds(milliseconds / 1000.0));
    }
    let after = text("retry-after")?;
    if let Some(n) = number(after) {
        return Some(seconds(n));
    }
    Some(httpdate::parse_http_date(after).ok()?.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_could_leak_a_key_are_refused() {
        let key = || Some(ApiKey("sk-secret-1234".to_owned()));
        let make = |base: &str, key| Endpoint::new(base, key, Duration::from_secs(1));
        for base in [
            "https://sk-secret-1234@host/v1",
            "https://host/v1?key=sk-secret-1234",
            "http://host.example/v1",
            "http://127.attacker.test/v1",
            "http://127.0.0.1.attacker.test",
            "http://localhost.attacker.test",
            "http://128.0.0.1",
            "http://127.1",
            "http://[::2]",
            "http://0.0.0.0:8080",
            "ftp://host",
            "host",
            "",
            "https://a b",
        ] {
            let error = make(base, key()).unwrap_err().to_string();
            assert!(!error.contains("sk-secret"), "{error}");
        }
        assert_eq!(make("https://host.example/v1/", key()).unwrap().url, "https://host.example/v1/chat/completions");
        for base in
            ["http://127.0.0.1:8080/v1", "http://127.8.9.10", "http://LOCALHOST:80", "https://127.attacker.test"]
        {
            assert!(make(base, key()).is_ok(), "{base}");
        }
        // Without a key there is nothing to show.
        assert!(make("http://host.example/v1", None).is_ok());
        let endpoint = make("http://[::1]:8080", key()).unwrap();
        assert!(!format!("{endpoint:?}").contains("sk-secret"), "{endpoint:?}");
    }

    #[test]
    fn retry_after_comes_in_three_forms() {
        // 2026-08-18 00:00:00 UTC, from `date -u -d 2026-08-18 +%s`.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_787_011_200);
        let headers = |name: &'static str, value: &str| {
            HeaderMap::from_iter([(ureq::http::HeaderName::from_static(name), value.parse().unwrap())])
        };
        let after = |name, value: &str| retry_after(&headers(name, value), now);
        assert_eq!(after("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(after("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(after("retry-after", "Tue, 18 Aug 2026 00:01:30 GMT"), Some(Duration::from_secs(90)));
        assert_eq!(after("retry-after", "Mon, 17 Aug 2026 00:01:30 GMT"), Some(Duration::ZERO));
        for bad in ["-1", "soon", "inf", ""] {
            assert_eq!(after("retry-after", bad), None, "{bad}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
