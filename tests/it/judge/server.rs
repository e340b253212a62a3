//! A server on this machine that speaks the protocol of chat completions as well or badly as a test wants.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// How many requests with the same idempotency key came before.
    pub repeat: usize,
    /// The idempotency key.
    pub key: String,
    /// Headers by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
    /// When it arrived.
    pub at: Instant,
}

impl Call {
    /// The text of the only message.
    pub(super) fn prompt(&self) -> &str {
        self.body["messages"][0]["content"].as_str().unwrap()
    }

    /// Number of the item that the prompt is about: "text number 7".
    pub(super) fn item(&self) -> usize {
        let rest = self.prompt().split("text number ").nth(1).unwrap();
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    }
}

/// What the server does.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// A reply with a status and headers.
    Full(u16, Vec<(&'static str, String)>, String),
    /// A reply that breaks off in its middle.
    Cut(String),
    /// Nothing at all.
    HangUp,
    /// Waits first.
    Slow(Duration, Box<Reply>),
}

/// The shares that the good answer for an item has, of 100.
pub(super) fn expected(item: usize) -> [u32; 3] {
    let red = (item % 101) as u32;
    [red, 100 - red, 0]
}

/// The text of a good answer.
pub(super) fn good_text(item: usize) -> String {
    let [red, green, blue] = expected(item);
    format!("{{\"red\": {red}, \"green\": {green}, \"blue\": {blue}}}")
}

/// A chat completion with this text.
pub(super) fn completion(text: &str) -> Reply {
    Reply::Full(200, vec![], completion_body(text))
}

pub(super) fn completion_body(text: &str) -> String {
    json!({
        "id": "c", "object": "chat.completion", "model": "test-model-2026-01-01",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 50, "completion_tokens": 20, "total_tokens": 70 },
    })
    .to_string()
}

/// A good answer.
pub(super) fn good(call: &Call) -> Reply {
    completion(&good_text(call.item()))
}

/// An error as endpoints word it.
pub(super) fn refusal(status: u16, code: &str, param: Option<&str>, message: &str) -> Reply {
    Reply::Full(status, vec![], json!({ "error": { "message": message, "code": code, "param": param } }).to_string())
}

/// A running server; its thread ends with the test's process.
pub(super) struct Server {
    address: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Server {
    pub(super) fn start(behaviour: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let calls = Arc::new(Mutex::new(vec![]));
        let (behaviour, log) = (Arc::new(behaviour), Arc::clone(&calls));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (behaviour, log) = (Arc::clone(&behaviour), Arc::clone(&log));
                std::thread::spawn(move || {
                    // A client that was killed breaks its connection: nothing to complain of.
                    let _ = stream.and_then(|stream| serve(stream, behaviour.as_ref(), &log));
                });
            }
        });
        Server { address, calls }
    }

    pub(super) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Requests so far, in the order of their arrival.
    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    behaviour: &(impl Fn(&Call) -> Reply + ?Sized),
    log: &Mutex<Vec<Call>>,
) -> std::io::Result<()> {
    let (mut bytes, mut buffer) = (vec![], [0; 4096]);
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let n = stream.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..n]);
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    lines.next();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    while bytes.len() < head + 4 + length {
        let n = stream.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..n]);
    }
    let body = serde_json::from_slice(&bytes[head + 4..]).unwrap_or_default();
    let key = headers.get("idempotency-key").cloned().unwrap_or_default();
    let call = {
        let mut log = log.lock().unwrap();
        let repeat = log.iter().filter(|call| call.key == key).count();
        log.push(Call { repeat, key, headers, body, at: Instant::now() });
        log[log.len() - 1].clone()
    };
    answer(&mut stream, behaviour(&call))
}

fn answer(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Full(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
            )
        }
        Reply::Cut(body) => {
            let (length, half) = (body.len(), &body[..body.len() / 2]);
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{half}")
        }
        Reply::HangUp => Ok(()),
        Reply::Slow(wait, reply) => {
            std::thread::sleep(wait);
            answer(stream, *reply)
        }
    }
}
