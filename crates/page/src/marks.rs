//! The characters that structure running text, and those that replace them within values.

/// What structures a text. Within values other characters stand for these until that is read: the first of those that
/// Unicode keeps free.
const MARKS: [char; 11] = ['\n', '|', '>', '#', '!', '-', '`', '[', ']', '(', ')'];
const FIRST_FREE: u32 = 0xfdd0;

/// A value without marks.
pub(crate) fn unmarked(value: &str) -> String {
    let free = |mark: usize| char::from_u32(FIRST_FREE + mark as u32);
    value.chars().map(|c| MARKS.iter().position(|mark| *mark == c).and_then(free).unwrap_or(c)).collect()
}

/// A text with its values as they were given.
pub(crate) fn as_given(text: &str) -> String {
    let mark = |c: char| MARKS.get(u32::from(c).checked_sub(FIRST_FREE)? as usize).copied();
    text.chars().map(|c| mark(c).unwrap_or(c)).collect()
}
