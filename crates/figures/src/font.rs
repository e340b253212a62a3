//! The typeface of the figures, which is part of the program, and the width of text set in it.

use std::sync::LazyLock;

use ttf_parser::Face;

/// Regular, for everything but headings.
pub const REGULAR: &[u8] = include_bytes!("../../../data/fonts/source-sans-pro/SourceSansPro-Regular.ttf");
/// Semibold, for headings of panels.
pub const SEMIBOLD: &[u8] = include_bytes!("../../../data/fonts/source-sans-pro/SourceSansPro-Semibold.ttf");
/// Families for a page, best first; text keeps its measured width in any of them.
pub const FAMILIES: &str = "'Source Sans Pro', 'Source Sans 3', 'Helvetica Neue', Arial, sans-serif";

/// Height of a text above its baseline, as a share of its size: capitals and digits.
pub const RISE: f64 = 0.66;

/// Weight of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Everything but headings.
    Regular,
    /// Headings.
    Semibold,
}

fn face(weight: Weight) -> &'static Face<'static> {
    static FACES: LazyLock<[Face<'static>; 2]> =
        LazyLock::new(|| [REGULAR, SEMIBOLD].map(|data| Face::parse(data, 0).expect("the bundled fonts are whole")));
    &FACES[usize::from(weight == Weight::Semibold)]
}

/// Width of a text in points at a size in points, without kerning. A character that the font lacks counts as half an
/// em.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let face = face(weight);
    let advance = |c: char| {
        let glyph = face.glyph_index(c).and_then(|glyph| face.glyph_hor_advance(glyph));
        glyph.map_or(0.5, |units| f64::from(units) / f64::from(face.units_per_em()))
    };
    size * text.chars().map(advance).sum::<f64>()
}

/// The first character of a text that the font has no glyph for.
pub fn missing(text: &str, weight: Weight) -> Option<char> {
    text.chars().find(|c| face(weight).glyph_index(*c).is_none())
}

/// A name as a figure shows it: characters that the font lacks by their code (`[U+4E2D]`), and so much of its middle as
/// is wider than `most` points replaced by dots, for names that are alike often begin or end alike.
pub fn fitted(name: &str, size: f64, most: f64) -> String {
    let shown: String = name
        .chars()
        .map(|c| match face(Weight::Regular).glyph_index(c) {
            Some(_) => c.to_string(),
            None => format!("[U+{:04X}]", u32::from(c)),
        })
        .collect();
    if width(&shown, size, Weight::Regular) <= most {
        return shown;
    }
    let letters: Vec<char> = shown.chars().collect();
    let cut = |kept: usize| -> String {
        let (start, end) = (&letters[..kept.div_ceil(2)], &letters[letters.len() - kept / 2..]);
        start.iter().chain(&['…']).chain(end).collect()
    };
    let fits = |kept: &usize| width(&cut(*kept), size, Weight::Regular) <= most;
    cut((2..letters.len()).rev().find(fits).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_have_what_figures_say() {
        for weight in [Weight::Regular, Weight::Semibold] {
            assert_eq!(missing("ABCxyz 0123456789 +−×≥≤–—%()[]/,.:;'\"ΔγλρηµÄéß½°…", weight), None);
            assert_eq!(missing("a漢b", weight), Some('漢'));
        }
    }

    #[test]
    fn long_names_lose_their_middle_and_strange_letters_show_their_code() {
        assert_eq!(fitted("short", 7.5, 60.0), "short");
        assert_eq!(fitted("a漢b", 7.5, 60.0), "a[U+6F22]b");
        for most in [20.0, 60.0, 99.0] {
            let cut = fitted("colour_of_the_cover=dark_blue_with_stripes", 7.5, most);
            assert!(
                width(&cut, 7.5, Weight::Regular) <= most && width(&cut, 7.5, Weight::Regular) > most - 8.0,
                "{cut}"
            );
            assert!(cut.starts_with('c') && cut.ends_with('s') && cut.contains('…'), "{cut}");
        }
    }

    /// Advance widths of Source Sans Pro Regular in thousandths of an em, read off the font's hmtx table: 0 has 497, x
    /// 446.
    #[test]
    fn width_is_the_sum_of_advances() {
        assert!((width("0x", 10.0, Weight::Regular) - 9.43).abs() < 1e-9, "{}", width("0x", 10.0, Weight::Regular));
        assert!(width("0x", 10.0, Weight::Semibold) > 9.43);
    }
}
