//! Loops of templates that are counted, so that a template of nested loops ends.
//!
//! Behind the head of each loop a call is put into the template's text that counts a turn and fails beyond
//! [`limits::LOOP_TURNS`]; it prints nothing.

use std::cell::Cell;

use judge_uncertainty_system::limits;
use tera::{Delimiters, Kwargs, State, Tera, TeraResult};

/// Name of the function that counts.
const FUNCTION: &str = "count_turn_of_loop";

thread_local! {
    static TURNS: Cell<u64> = const { Cell::new(0) };
}

/// Makes the function known to an engine.
pub(crate) fn count_in(tera: &mut Tera) {
    tera.register_function(FUNCTION, |_: Kwargs, _: &State| -> TeraResult<String> {
        let turns = TURNS.get() + 1;
        TURNS.set(turns);
        limits::LOOP_TURNS.check(turns).map_err(|exceeded| tera::Error::message(exceeded.to_string()))?;
        Ok(String::new())
    });
}

/// Begins to count anew: a rendering begins on this thread.
pub(crate) fn begin() {
    TURNS.set(0);
}

/// The text of a template with its loops counted.
pub(crate) fn counted(text: &str, delimiters: &Delimiters) -> String {
    let (mut counted, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((start, kind)) = next(rest, delimiters) {
        let end = match kind {
            Kind::Comment => rest[start..].find(&*delimiters.comment_end).map(|at| start + at + 2),
            Kind::Variable => end_of(rest, start + 2, &delimiters.variable_end),
            Kind::Block => end_of(rest, start + 2, &delimiters.block_end),
        };
        // What does not end is told by the engine.
        let Some(mut end) = end else { break };
        let word = if kind == Kind::Block { first_word(&rest[start + 2..end]) } else { "" };
        if word == "raw" {
            end = end_of_raw(rest, end, delimiters).unwrap_or(rest.len());
        }
        counted.push_str(&rest[..end]);
        if word == "for" {
            let dash = if rest[..end - 2].ends_with('-') { "-" } else { "" };
            let Delimiters { variable_start, variable_end, .. } = delimiters;
            counted.push_str(&format!("{variable_start}{dash} {FUNCTION}() {dash}{variable_end}"));
        }
        rest = &rest[end..];
    }
    counted.push_str(rest);
    counted
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Comment,
    Variable,
    Block,
}

/// What begins first in a text, and where.
fn next(text: &str, delimiters: &Delimiters) -> Option<(usize, Kind)> {
    let starts = [
        (&delimiters.comment_start, Kind::Comment),
        (&delimiters.variable_start, Kind::Variable),
        (&delimiters.block_start, Kind::Block),
    ];
    starts.into_iter().filter_map(|(start, kind)| Some((text.find(&**start)?, kind))).min_by_key(|(at, _)| *at)
}

/// Where what began before `from` ends: behind the delimiter, those in quotes left out.
fn end_of(text: &str, from: usize, delimiter: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text[from..].char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if text[from + at..].starts_with(delimiter) => return Some(from + at + delimiter.len()),
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None => {}
        }
    }
    None
}

fn first_word(tag: &str) -> &str {
    tag.trim_start_matches('-').trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

fn end_of_raw(text: &str, from: usize, delimiters: &Delimiters) -> Option<usize> {
    let start = &*delimiters.block_start;
    let tags = text[from..].match_indices(start).map(|(at, _)| from + at + start.len());
    let end = tags.into_iter().find(|&at| first_word(&text[at..]) == "endraw")?;
    end_of(text, end, &delimiters.block_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str) -> Result<String, String> {
        let mut tera = Tera::new();
        count_in(&mut tera);
        tera.add_raw_template("t", &counted(text, &Delimiters::default())).map_err(|e| e.to_string())?;
        begin();
        tera.render("t", &tera::Context::new()).map_err(|e| {
            let causes = std::iter::successors(std::error::Error::source(&e), |cause| cause.source());
            causes.fold(e.to_string(), |text, cause| format!("{text}: {cause}"))
        })
    }

    #[test]
    fn nested_loops_end() {
        let digits = "[0,1,2,3,4,5,6,7,8,9]";
        let nested = |depth: usize| {
            let heads: String = (0..depth).map(|k| format!("{{% for x{k} in {digits} %}}")).collect();
            heads + &"{% endfor %}".repeat(depth)
        };
        let error = render(&nested(9)).unwrap_err();
        let expected = "it takes 1000001 turns of the loops of a template, and the limit is 1000000; if that is meant, set \
                        JUDGE_UNCERTAINTY_LIMITS=2";
        assert!(error.contains(expected), "{error}");
        // The count begins anew with each rendering, or the third of these would be too much.
        for _ in 0..3 {
            assert_eq!(render(&nested(5)), Ok(String::new()));
        }
    }

    #[test]
    fn what_is_counted_prints_the_same() {
        for (text, printed) in [
            ("{% for x in [1, 2] %} {{ x }}\n{% endfor %}", " 1\n 2\n"),
            ("{%- for x in [1, 2] -%} \n {{ x }} {%- endfor -%} !", "12!"),
            ("{# {% for #}{% raw %}{% for x in y %}{% endraw %}", "{% for x in y %}"),
            ("{{ \"{% for %}\" }}{% if \"%}\" == '%}' %}é{% endif %}", "{% for %}é"),
            ("{% for x in [\"%}\", `{{`] %}{{ x }}{% endfor %}", "%}{{"),
            ("{%for x in [] %}{% else %}none{% endfor %}", "none"),
        ] {
            assert_eq!(render(text).as_deref(), Ok(printed), "{}", counted(text, &Delimiters::default()));
            assert_eq!(
                counted(text, &Delimiters::default()).matches(FUNCTION).count(),
                usize::from(printed != "{% for x in y %}" && !text.starts_with("{{"))
            );
        }
        for broken in ["{% for x in [1] %}", "{% for", "{{ \"", "{# "] {
            assert!(render(broken).is_err(), "{broken}");
        }
    }
}
