//! What is said about a study, in the lines of a terminal.

pub use judge_uncertainty_page::prose::Line;

/// Most columns of a line, for a wider terminal or output that is not a terminal.
pub const WIDEST: usize = 100;

/// Lines of at most `width` columns.
pub fn wrapped(lines: &[Line], width: usize) -> Vec<String> {
    let of = |line: &Line| match line {
        // A command is copied as it stands, however long its paths are.
        Line::Lead(text) if text.trim_start_matches("Next: ").trim_start().starts_with("judge-uncertainty ") => {
            vec![text.clone()]
        }
        // A row that fits stands as it is, for rows below one another may be aligned.
        Line::Row(text) if text.starts_with("  ") && text.chars().count() <= width => vec![text.clone()],
        Line::Row(text) => wrap(text.trim_start(), width, "  ", "    "),
        Line::Sentence(text) | Line::Lead(text) => {
            let indent = text.len() - text.trim_start().len();
            wrap(text.trim_start(), width, &" ".repeat(indent), "  ")
        }
    };
    lines.iter().flat_map(of).collect()
}

/// Words of a text in lines; the first begins with `first`, the others with `rest`. A word that is too long has a line
/// of its own, and so has a command at the end, which is copied as it stands.
pub(crate) fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    let (mut lines, mut line, mut filled) = (Vec::new(), first.to_owned(), false);
    let command = text.find(": judge-uncertainty ").map_or(text.len(), |at| at + 1);
    let (text, command) = (&text[..command], text[command..].trim());
    for word in text.split_whitespace().chain(Some(command).filter(|command| !command.is_empty())) {
        if filled && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            filled = false;
        }
        if filled {
            line.push(' ');
        }
        line.push_str(word);
        filled = true;
    }
    lines.push(line);
    lines
}

/// Lines that a command's result fills at most; the report has the rest. An audit says in two to four more how it read its
/// file.
pub const MOST_LINES: usize = 23;

/// Lines that fill at most `most` lines of a terminal: of those with a number above 0 the highest are left out first.
pub fn within(most: usize, mut lines: Vec<(u8, Line)>) -> Vec<Line> {
    let rows = |lines: &[(u8, Line)]| {
        lines.iter().map(|(_, line)| wrapped(std::slice::from_ref(line), WIDEST).len()).sum::<usize>()
    };
    while rows(&lines) > most {
        let Some(last) = lines.iter().map(|(rank, _)| *rank).max().filter(|rank| *rank > 0) else { break };
        let place = lines.iter().rposition(|(rank, _)| *rank == last);
        place.into_iter().for_each(|place| drop(lines.remove(place)));
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked() {
        let lines = [Line::Lead("one two three four".to_owned()), Line::Row("five six seven".to_owned())];
        assert_eq!(wrapped(&lines, 10), ["one two", "  three", "  four", "  five six", "    seven"]);
        assert_eq!(wrapped(&lines, 100), ["one two three four", "  five six seven"]);
        let command = "Next: judge-uncertainty study run a-long-name".to_owned();
        assert_eq!(wrapped(&[Line::Lead(command.clone())], 10), [command]);
        let row = Line::Row("All of one: judge-uncertainty audit 'a b'".to_owned());
        assert_eq!(wrapped(&[row], 14), ["  All of one:", "    judge-uncertainty audit 'a b'"]);
    }

    #[test]
    fn what_matters_least_is_left_out_first() {
        let line = |rank: u8| (rank, Line::Lead(rank.to_string()));
        let left = within(2, vec![line(0), line(3), line(1), line(2)]);
        assert_eq!(left, [Line::Lead("0".to_owned()), Line::Lead("1".to_owned())]);
    }
}
