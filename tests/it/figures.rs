//! Figures: what they say, what they look like, and that no text is lost on the way.

use std::collections::BTreeSet;
use std::process::Command;

use insta::assert_snapshot;
use judge_uncertainty::artifact::Results;
use judge_uncertainty::report::figures::font::{self, Weight};
use judge_uncertainty::report::figures::scene::TextMark;
use judge_uncertainty::report::figures::{self, Axis, Figure, Panel, Point, Series, Shape, Width, layout, look};
use judge_uncertainty::report::page::PageTemplates;
use judge_uncertainty::stats::Interval;

use crate::fixture;
use crate::snapshots::with_settings;
use crate::support::{assert_committed, committed, repository, skipped};

const NAMES: [&str; 10] = [
    "convergence",
    "trust-spread",
    "corruption",
    "budget",
    "advantage",
    "components",
    "coefficients",
    "calibration",
    "phase",
    "overlap",
];

fn all(results: &Results) -> Vec<Figure> {
    figures::all(results, &PageTemplates::load(Some(&repository("templates"))).unwrap()).unwrap()
}

#[test]
fn each_figure_of_the_fixture() {
    let figures = all(&fixture::results());
    assert_eq!(figures.iter().map(|figure| figure.name.as_str()).collect::<Vec<_>>(), NAMES);
    with_settings(|| {
        for figure in &figures {
            assert_snapshot!(format!("figures-{}", figure.name), figure.svg());
        }
        assert_snapshot!("figures-advantage-csv", figures[4].csv());
    });
}

#[test]
fn figures_need_their_experiment_only() {
    let names = |results: &Results| all(results).iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    assert!(names(&Results::default()).is_empty());
    let dice = Results { dice: fixture::results().dice, ..Results::default() };
    assert_eq!(names(&dice), ["convergence", "coefficients", "calibration"]);
    let simulations = Results { simulations: fixture::results().simulations, ..Results::default() };
    assert_eq!(names(&simulations), ["trust-spread", "corruption", "phase"]);
}

#[test]
fn the_committed_figures_are_those_of_the_committed_results() {
    let figures = all(&committed().0);
    assert_eq!(figures.len(), NAMES.len());
    for figure in &figures {
        let contents =
            [("svg", figure.svg().into_bytes()), ("pdf", figure.pdf().unwrap()), ("csv", figure.csv().into_bytes())];
        for (kind, content) in contents {
            let file = format!("paper/figures/{}.{kind}", figure.name);
            assert_committed(&file, &content);
            assert!(kind == "csv" || content.len() < 100_000, "{file}: {} bytes", content.len());
        }
    }
}

/// Left, upper, right and lower edge of a text.
fn edges(text: &TextMark) -> [f64; 4] {
    let wide = font::width(&text.text, text.size, text.weight);
    let (before, rise, fall) = (text.anchor.share() * wide, 0.7 * text.size, 0.2 * text.size);
    match text.upwards {
        false => [text.x - before, text.y - rise, text.x - before + wide, text.y + fall],
        true => [text.x - rise, text.y + before - wide, text.x + fall, text.y + before],
    }
}

/// No text is cut or meets another.
pub(crate) fn assert_texts_are_whole(figures: &[Figure]) {
    for figure in figures {
        let scene = layout::scene(figure);
        let texts: Vec<&TextMark> = scene.texts().filter(|t| !t.text.is_empty()).collect();
        for (k, text) in texts.iter().enumerate() {
            let [left, top, right, bottom] = edges(text);
            let inside = left >= 0.0 && top >= 0.0 && right <= scene.width && bottom <= scene.height;
            assert!(inside, "{}: \"{}\" is cut: {:?}", figure.name, text.text, edges(text));
            for other in &texts[..k] {
                let [l, t, r, b] = edges(other);
                let apart = right <= l || r <= left || bottom <= t || b <= top;
                assert!(apart, "{}: \"{}\" meets \"{}\"", figure.name, text.text, other.text);
            }
        }
    }
}

#[test]
fn no_text_is_cut_or_meets_another() {
    for results in [committed().0, fixture::results()] {
        assert_texts_are_whole(&all(&results));
    }
}

#[test]
fn alt_texts_are_sentences_with_numbers() {
    for figure in all(&committed().0) {
        assert!(figure.alt.ends_with('.') && figure.alt.len() > 100, "{}", figure.alt);
        assert!(figure.alt.chars().any(|c| c.is_ascii_digit()) && !figure.alt.contains("NaN"), "{}", figure.alt);
        assert!(figure.note.ends_with('.'), "{}", figure.note);
    }
}

/// A figure of nobody's results, with a given class name.
fn small(class: &str) -> Figure {
    let points =
        vec![Point::bare(0.0, 1.0), Point { at: 1.0, value: 2.5, interval: Some(Interval { lo: 2.0, hi: 3.25 }) }];
    Figure {
        name: "small".to_owned(),
        title: format!("About {class}"),
        alt: "Two points.".to_owned(),
        note: "Read it.".to_owned(),
        width: Width::Half,
        height: 120.0,
        panels: vec![Panel {
            title: None,
            x: Axis::names("class", [class, "b"]),
            y: Axis::numbers("size (m)", &[0.0]),
            series: vec![Series::new("sizes, by hand", look::PLAIN, Shape::Columns { points, shift: 0.0 })],
        }],
    }
}

#[test]
fn names_of_users_are_escaped_in_every_format() {
    let figure = small(r#"<a&"b"> 5% \_{}"#);
    let svg = figure.svg();
    assert!(svg.contains("&lt;a&amp;&quot;b&quot;&gt; 5% \\_{}</text>") && !svg.contains("<a&"), "{svg}");
    assert_eq!(
        figure.csv(),
        "panel,series,x,y,lo,hi,value\n1,\"sizes, by hand\",\"<a&\"\"b\"\"> 5% \\_{}\",1,,,\n1,\"sizes, by \
         hand\",b,2.5,2,3.25,\n"
    );
    assert!(figure.pdf().is_ok());
}

#[test]
fn a_character_without_a_glyph_is_refused_not_dropped() {
    let error = small("矛盾").pdf().unwrap_err().to_string();
    assert!(error.contains("small") && error.contains("矛") && error.contains("U+77DB"), "{error}");
    assert!(small("矛盾").svg().contains("矛盾</text>"));
}

/// Streams of a PDF, unpacked.
fn streams(pdf: &[u8]) -> Vec<Vec<u8>> {
    let find = |from: usize, what: &[u8]| pdf[from..].windows(what.len()).position(|w| w == what).map(|k| from + k);
    let (mut streams, mut at) = (vec![], 0);
    while let Some(begin) = find(at, b"\nstream\n") {
        let begin = begin + b"\nstream\n".len();
        let end = find(begin, b"\nendstream").unwrap();
        if let Ok(bytes) = miniz_oxide::inflate::decompress_to_vec_zlib(&pdf[begin..end]) {
            streams.push(bytes);
        }
        at = end;
    }
    streams
}

/// The characters that a PDF's fonts say they show, and how many shown strings its pages hold.
///
/// A converter that lacks a font writes neither. Read from the ToUnicode tables (`<glyph> <UTF-16>`) and from the
/// text-showing operators.
fn shown(pdf: &[u8]) -> (BTreeSet<char>, usize) {
    let (mut characters, mut strings) = (BTreeSet::new(), 0);
    for stream in streams(pdf) {
        let text = String::from_utf8_lossy(&stream);
        if text.contains("beginbfchar") {
            for line in text.lines() {
                let fields: Vec<&str> = line.split(&['<', '>', ' '][..]).filter(|f| !f.is_empty()).collect();
                if let [glyph, unicode] = fields.as_slice()
                    && glyph.len() == 4
                    && u16::from_str_radix(glyph, 16).is_ok()
                {
                    let units: Vec<u16> = (0..unicode.len() / 4)
                        .filter_map(|k| u16::from_str_radix(&unicode[4 * k..4 * k + 4], 16).ok())
                        .collect();
                    characters.extend(String::from_utf16_lossy(&units).chars());
                }
            }
        } else {
            strings += text.lines().filter(|line| line.ends_with("Tj") || line.ends_with("TJ")).count();
        }
    }
    (characters, strings)
}

#[test]
fn the_text_is_in_the_pdf() {
    for figure in all(&fixture::results()) {
        let pdf = figure.pdf().unwrap();
        assert!(pdf == figure.pdf().unwrap(), "{}: other bytes the second time", figure.name);
        let scene = layout::scene(&figure);
        let wanted: BTreeSet<char> = scene.texts().flat_map(|t| t.text.chars()).filter(|c| *c != ' ').collect();
        let (characters, strings) = shown(&pdf);
        let lost: Vec<_> = wanted.difference(&characters).collect();
        assert!(lost.is_empty(), "{}: {lost:?} lost", figure.name);
        assert!(strings >= scene.texts().filter(|t| !t.text.is_empty()).count(), "{}: {strings}", figure.name);
    }
}

#[test]
fn another_program_reads_the_text_of_the_pdf() {
    let folder = tempfile::tempdir().unwrap();
    for figure in all(&fixture::results()) {
        let file = folder.path().join("figure.pdf");
        std::fs::write(&file, figure.pdf().unwrap()).unwrap();
        let Ok(output) = Command::new("pdftotext").arg("-layout").arg(&file).arg("-").output() else {
            skipped("pdftotext is missing, so no other program has read the PDFs");
            return;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        let scene = layout::scene(&figure);
        for word in scene.texts().filter(|t| !t.upwards).flat_map(|t| t.text.split_whitespace()) {
            assert!(text.contains(word), "{}: `{word}` is missing from\n{text}", figure.name);
        }
    }
}

#[test]
fn every_heading_is_semibold_and_every_label_regular() {
    for figure in all(&fixture::results()) {
        let scene = layout::scene(&figure);
        let headings: Vec<&str> =
            scene.texts().filter(|t| t.weight == Weight::Semibold).map(|t| t.text.as_str()).collect();
        let titles: Vec<&str> = figure.panels.iter().filter_map(|p| p.title.as_deref()).collect();
        assert_eq!(headings, titles);
    }
}
