//! Keeps a key out of texts that come from elsewhere, however it is written there.

/// The text with `shown` in place of the key: as it is, with any of its characters escaped as JSON, addresses or HTML
/// do (`\/`, `\u002f`, `%2F`, `&#47;`, `&#x2f;`, escaped again included), or within Base64.
pub(crate) fn hide(key: &str, shown: &str, text: &str) -> String {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some(&first) = rest.first() {
        match spelled(rest, key.as_bytes()) {
            Some(length) => {
                kept.extend(shown.as_bytes());
                rest = &rest[length..];
            }
            None => {
                kept.push(first);
                rest = &rest[1..];
            }
        }
    }
    // What was taken out is ASCII, so that the rest is still text.
    let kept = String::from_utf8_lossy(&kept).into_owned();
    in_base64(key.as_bytes()).iter().fold(kept, |text, form| text.replace(form, shown))
}

/// Length of the key at the start of the bytes; `None` if they start otherwise.
fn spelled(bytes: &[u8], key: &[u8]) -> Option<usize> {
    let mut length = 0;
    for &character in key {
        length += character_at(&bytes[length..], character)?;
    }
    Some(length)
}

/// Length of one character at the start of the bytes in any of its spellings; `None` if they start otherwise.
fn character_at(bytes: &[u8], character: u8) -> Option<usize> {
    if bytes.first() == Some(&character) {
        return Some(1);
    }
    let hexadecimal = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok()?;
        u32::from_str_radix(digits, 16).ok().filter(|code| *code == u32::from(character))
    };
    match bytes.first()? {
        b'\\' => {
            let slashes = bytes.iter().take_while(|byte| **byte == b'\\').count();
            match bytes.get(slashes)? {
                b'u' if bytes.get(slashes + 1..slashes + 5).and_then(hexadecimal).is_some() => Some(slashes + 5),
                b'x' if bytes.get(slashes + 1..slashes + 3).and_then(hexadecimal).is_some() => Some(slashes + 3),
                found => (*found == character).then_some(slashes + 1),
            }
        }
        b'%' => {
            // `%25` is an escaped percent sign.
            let again = bytes[1..].chunks_exact(2).take_while(|chunk| *chunk == b"25").count() * 2;
            bytes.get(1 + again..3 + again).and_then(hexadecimal).map(|_| 3 + again)
        }
        b'&' => {
            let end = bytes.iter().take(12).position(|byte| *byte == b';')?;
            let code = bytes[1..end].strip_prefix(b"#")?;
            let found = match code.strip_prefix(b"x").or_else(|| code.strip_prefix(b"X")) {
                Some(digits) => hexadecimal(digits).is_some(),
                None => std::str::from_utf8(code).is_ok_and(|code| code.parse() == Ok(character)),
            };
            found.then_some(end + 1)
        }
        _ => None,
    }
}

/// What every Base64 of a text with the key holds, for each of the three places where the key can begin, in both
/// alphabets. A short key would be found where it is not.
fn in_base64(key: &[u8]) -> Vec<String> {
    const SHORTEST: usize = 12;
    let alphabets = [b"+/", b"-_"];
    let forms = (0..3).flat_map(|offset| alphabets.map(|last| base64_core(key, offset, last)));
    forms.filter(|form| form.len() >= SHORTEST).collect()
}

/// The digits that depend on the key alone if `offset` bytes precede it.
fn base64_core(key: &[u8], offset: usize, last: &[u8; 2]) -> String {
    let letters: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*last).collect();
    let bits: Vec<u8> = key.iter().flat_map(|byte| (0..8).rev().map(move |k| byte >> k & 1)).collect();
    // Digits begin at every sixth bit of the whole; the first of the key's own bits that begins one:
    let start = (6 - 8 * offset % 6) % 6;
    let digit = |six: &[u8]| char::from(letters[six.iter().fold(0, |value, bit| 2 * value + usize::from(*bit))]);
    bits.get(start..).unwrap_or_default().chunks_exact(6).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-a/b+C_1234567";

    fn hidden(text: &str) -> String {
        hide(KEY, "[key]", text)
    }

    #[test]
    fn a_key_is_hidden_in_every_spelling() {
        let unicode: String = KEY.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect();
        let percent: String = KEY.chars().map(|c| format!("%{:02x}", u32::from(c))).collect();
        let html: String = KEY.chars().map(|c| format!("&#{};", u32::from(c))).collect();
        for spelled in [
            KEY.to_owned(),
            KEY.replace('/', "\\/"),
            KEY.replace('/', "\\\\\\/"),
            KEY.replace('/', "\\u002f"),
            KEY.replace('k', "\\\\u006b"),
            KEY.replace('/', "%2F").replace('+', "%2B"),
            KEY.replace('/', "%252F"),
            KEY.replace('/', "&#x2F;"),
            unicode,
            percent,
            html,
        ] {
            assert_eq!(hidden(&format!("é {spelled} ü")), "é [key] ü", "{spelled}");
        }
        for other in ["sk-a/b+C_123456", "sk-a\\/b", "", "\\", "%", "&#x2F", "%2", "日本 \\u"] {
            assert_eq!(hidden(other), other);
        }
    }

    #[test]
    fn a_key_is_hidden_in_base64() {
        // By `printf '%s' TEXT | base64`, of Bearer, a colon, and two letters before the key.
        for encoded in ["QmVhcmVyIHNrLWEvYitDXzEyMzQ1Njc=", "OnNrLWEvYitDXzEyMzQ1Njc=", "YWJzay1hL2IrQ18xMjM0NTY3"] {
            let shown = hidden(encoded);
            assert!(shown.contains("[key]") && shown.len() < 20, "{encoded}: {shown}");
        }
        assert_eq!(hide("abcd", "[key]", "YWJjZA=="), "YWJjZA==");
    }
}
