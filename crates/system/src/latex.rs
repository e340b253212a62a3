//! Text inside LaTeX: the one place that escapes it.

/// Letters of a word that always fit in a line.
const WORD: usize = 20;
/// Letters that stay together in a longer one.
const PIECE: usize = 12;

/// Text as LaTeX shows it: every character that LaTeX treats specially is escaped, and pairs that its fonts would join
/// to another character (`--`, `,,`, `''`) are kept apart.
///
/// Letters of European languages stay as they are. Greek letters and the signs that our own texts use become
/// mathematics; any other character, which would stop plain pdflatex, is shown by its code: `[U+4E2D]`.
pub fn escape(text: &str) -> String {
    escaped(text, false)
}

/// A text for LaTeX as by [`escape`], and a word of more than 20 letters may be broken after a sign, or where it has
/// had none for 12.
pub fn breakable(text: &str) -> String {
    escaped(text, true)
}

fn escaped(text: &str, breaks: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let (mut word, mut unbroken) = (0, 0);
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            word = 0;
        } else if word == 0 {
            (word, unbroken) = (text[at..].chars().take_while(|c| !c.is_whitespace()).map(letters).sum(), 0);
        }
        let after_sign = before.is_some_and(|c: char| !c.is_alphanumeric());
        if breaks && word > WORD && unbroken > 0 && (after_sign || unbroken + letters(c) > PIECE) {
            out.push_str("\\allowbreak{}");
            unbroken = 0;
        }
        unbroken += letters(c);
        if before == Some(c) && matches!(c, '-' | ',' | '\'') {
            out.push_str("{}");
        }
        before = Some(c);
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\ensuremath{{\\sim}}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '\n' | '\t' | '\r' => out.push(' '),
            _ if is_shown(c) => out.push(c),
            _ => match mathematics(c) {
                Some(command) => out.push_str(&format!("\\ensuremath{{{command}}}")),
                None => out.push_str(&format!("[U+{:04X}]", u32::from(c))),
            },
        }
    }
    out
}

/// Whether T1 fonts have a character.
fn is_shown(c: char) -> bool {
    match c {
        ' '..='~' | '–' | '—' | '‘' | '’' | '“' | '”' | '…' => true,
        '\u{a1}'..='\u{17f}' => !NOT_IN_T1.contains(c),
        _ => false,
    }
}

/// Letters that a character takes when it is shown: eight by its code.
fn letters(c: char) -> usize {
    if is_shown(c) || mathematics(c).is_some() { 1 } else { 8 }
}

/// Characters up to U+017F that pdflatex refuses in T1 (found by compiling each), or that are signs of mathematics.
const NOT_IN_T1: &str = "ĦħĸĿŀŉŦŧſ\u{ad}±×÷¬";

/// A character as LaTeX's mathematics names it.
fn mathematics(c: char) -> Option<&'static str> {
    Some(match c {
        'α' => "\\alpha",
        'β' => "\\beta",
        'γ' => "\\gamma",
        'δ' => "\\delta",
        'λ' => "\\lambda",
        'μ' => "\\mu",
        'ρ' => "\\rho",
        'σ' => "\\sigma",
        'τ' => "\\tau",
        'Δ' => "\\Delta",
        '−' => "-",
        '±' => "\\pm",
        '×' => "\\times",
        '÷' => "\\div",
        '¬' => "\\neg",
        '≤' => "\\leq",
        '≥' => "\\geq",
        '≈' => "\\approx",
        '→' => "\\to",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_character_is_escaped() {
        assert_eq!(
            escape(r#"a&b%c$d#e_f{g}h~i^j\k"#),
            r"a\&b\%c\$d\#e\_f\{g\}h\ensuremath{{\sim}}i\textasciicircum{}j\textbackslash{}k"
        );
        assert_eq!(escape(r#"k<l>m|n"o"#), r"k\textless{}l\textgreater{}m\textbar{}n\textquotedbl{}o");
        assert_eq!(escape("plain -0.12 [+1.7, ä]"), "plain -0.12 [+1.7, ä]");
        assert_eq!(escape("`a`"), r"\textasciigrave{}a\textasciigrave{}");
    }

    #[test]
    fn what_fonts_would_join_or_lack_is_shown_as_it_is() {
        assert_eq!(escape("--only --- ,,a''"), "-{}-only -{}-{}- ,{},a'{}'");
        assert_eq!(
            escape("Δ ≥ −1 × λ"),
            r"\ensuremath{\Delta} \ensuremath{\geq} \ensuremath{-}1 \ensuremath{\times} \ensuremath{\lambda}"
        );
        assert_eq!(escape("中 a\u{7}b\u{ad}\u{200b}\nc"), "[U+4E2D] a[U+0007]b[U+00AD][U+200B] c");
    }

    #[test]
    fn long_words_may_be_broken() {
        assert_eq!(breakable("the_cover=dark_blue"), r"the\_cover=dark\_blue");
        let broken = breakable("colour_of_the_cover=dark, Donaudampfschifffahrtsgesellschaft");
        assert_eq!(
            broken.replace(r"\allowbreak{}", "|"),
            r"colour\_|of\_|the\_|cover=|dark, Donaudampfsc|hifffahrtsge|sellschaft"
        );
        assert_eq!(breakable("可能性").replace(r"\allowbreak{}", "|"), "[U+53EF]|[U+80FD]|[U+6027]");
    }
}
