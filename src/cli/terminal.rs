//! The one way to the terminal.
//!
//! Much of the output is text from files: ids, texts, names of classes, paths of a `study.toml`. Control characters in
//! it could change the window's title, hide lines, or reverse their order. So they are escaped in all that is written
//! to standard output and standard error: `ESC` becomes `\u001b`, as JSON writes it, so that JSON stays what it was.

use std::io::{self, IsTerminal, StdoutLock, Write};

use super::Error;
use crate::report::study::Line;
use crate::report::study::lines::{WIDEST, wrapped};

/// Columns of a line in the narrowest terminal that is minded.
const NARROWEST: usize = 40;

/// Prints lines, each wrapped; rows are indented below what introduces them. Where there are colours, leads are bold
/// and warnings yellow.
///
/// # Errors
/// Standard output is closed.
pub(in crate::cli) fn print(lines: &[Line]) -> Result<(), Error> {
    let mut stdout = coloured();
    for line in lines {
        let colour = match line {
            Line::Row(text) if text.starts_with("Warning: ") => "33",
            Line::Lead(_) => "1",
            Line::Row(_) | Line::Sentence(_) => "0",
        };
        for text in wrapped(std::slice::from_ref(line), width()) {
            writeln!(stdout, "\u{1b}[{colour}m{}\u{1b}[0m", plain(&text))?;
        }
    }
    Ok(())
}

/// Prints lines in full, wrapped only where there is a terminal.
///
/// # Errors
/// Standard output is closed.
pub(in crate::cli) fn print_all(lines: &[Line]) -> Result<(), Error> {
    if std::io::IsTerminal::is_terminal(&std::io::stdout()) {
        return print(lines);
    }
    let mut stdout = stdout();
    lines.iter().try_for_each(|line| writeln!(stdout, "{}", line.text()))?;
    Ok(())
}

/// Columns of the terminal, within the limits of the layout; [`WIDEST`] if the output is not a terminal.
pub(in crate::cli) fn width() -> usize {
    terminal_size::terminal_size().map_or(WIDEST, |(width, _)| usize::from(width.0)).clamp(NARROWEST, WIDEST)
}

/// Standard output for sentences and JSON.
pub(crate) fn stdout() -> Escaped<StdoutLock<'static>> {
    Escaped::new(io::stdout().lock())
}

/// Standard output for a table whose cells must be what they are: escaped on a terminal alone.
pub(crate) fn table() -> Box<dyn Write> {
    let stdout = io::stdout().lock();
    if stdout.is_terminal() { Box::new(Escaped::new(stdout)) } else { Box::new(stdout) }
}

/// Standard output for a table with colours of its own; text from files goes through [`plain`] first.
pub(crate) fn coloured() -> anstream::AutoStream<StdoutLock<'static>> {
    anstream::stdout().lock()
}

/// A text with what could steer a terminal escaped.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match steers(letter) {
            true => plain.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => plain.push(letter),
        }
    }
    plain
}

/// Writes a message to standard error; a message is dropped if standard error is closed or full.
pub(crate) fn say(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(Escaped::new(io::stderr().lock()), "{text}");
}

/// Escapes what could steer a terminal in the text that is written to it.
#[derive(Debug)]
pub(crate) struct Escaped<W> {
    to: W,
    /// The start of a character whose other bytes are still to come.
    begun: Vec<u8>,
}

impl<W: Write> Escaped<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, begun: vec![] }
    }
}

/// Whether a character controls the terminal instead of being shown: controls except for the tab and the end of a line,
/// and characters that change the direction of the text around them.
fn steers(letter: char) -> bool {
    let shown = matches!(letter, '\n' | '\t');
    letter.is_control() && !shown || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined = [self.begun.as_slice(), bytes].concat();
        // At most three bytes may wait for the rest of their character.
        let whole = match std::str::from_utf8(&joined) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => joined.len(),
        };
        self.to.write_all(plain(&String::from_utf8_lossy(&joined[..whole])).as_bytes())?;
        self.begun = joined[whole..].to_vec();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&[u8]]) -> String {
        let mut to = Escaped::new(vec![]);
        parts.iter().for_each(|part| to.write_all(part).unwrap());
        String::from_utf8(to.to).unwrap()
    }

    #[test]
    fn what_steers_a_terminal_is_escaped_and_all_else_is_as_it_was() {
        assert_eq!(shown(&["a\tß — \u{200f}עברית\n".as_bytes()]), "a\tß — \u{200f}עברית\n");
        assert_eq!(shown(&[b"\x1b]0;x\x07\r\x7f"]), "\\u001b]0;x\\u0007\\u000d\\u007f");
        assert_eq!(shown(&["\u{9b}31m\u{202e}\u{2066}".as_bytes()]), "\\u009b31m\\u202e\\u2066");
        let bytes = "é\u{9b}\u{202e}€".as_bytes();
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(shown(&single), "é\\u009b\\u202e€");
        assert_eq!(shown(&[b"\xff\x9b"]), "\u{fffd}\u{fffd}");
        let json = serde_json::to_string("\u{9b}\u{202e}").unwrap();
        assert_eq!(serde_json::from_str::<String>(&shown(&[json.as_bytes()])).unwrap(), "\u{9b}\u{202e}");
    }
}
