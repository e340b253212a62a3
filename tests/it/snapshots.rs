//! What readers see, rendered from the committed results and held by snapshots of formatted text.

use insta::{Settings, assert_snapshot};
use judge_uncertainty::artifact::{Manifest, Results};
use judge_uncertainty::cli::claims_table::{self, Layout};
use judge_uncertainty::output::{Staged, to_json};
use judge_uncertainty::report::claims::Claims;
use judge_uncertainty::report::latex::Templates;
use judge_uncertainty::report::paper::bundle;
use judge_uncertainty::report::verdicts::Verdicts;

use crate::support::{fixture_claims, fixture_verdicts, repository};

/// Snapshots in `snapshots/`, by their names alone.
pub fn with_settings(f: impl FnOnce()) {
    let mut settings = Settings::new();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(f);
}

/// The committed results with their manifest.
pub fn committed() -> (Results, Manifest) {
    let folder = repository("artifact");
    let manifest = Manifest::load(&folder).unwrap();
    (Results::load(&folder, &manifest).unwrap(), manifest)
}

#[test]
fn the_tables_and_the_document_of_the_committed_results() {
    let (results, manifest) = committed();
    let claims = Claims::load(&repository("data/paper/claims.toml")).unwrap();
    let verdicts = Verdicts::judge(&claims, &results, &manifest).unwrap();
    let mut staged = Staged::default();
    let templates = Templates::load(Some(&repository("templates"))).unwrap();
    bundle::render(&templates, &results, &verdicts, &mut staged).unwrap();
    // Figures are looked at elsewhere.
    let names: Vec<String> = staged.names().into_iter().filter(|name| !name.contains("/figures/")).collect();
    assert_eq!(names.len(), 18);
    with_settings(|| {
        for name in names {
            let text = staged.text(&name).unwrap();
            let committed = std::fs::read_to_string(repository("artifact").join(&name)).unwrap();
            assert_eq!(text, committed, "{name}: the committed text is stale; run `judge-uncertainty render`");
            let (stem, _) = name.rsplit_once('.').unwrap();
            let inside = stem.split_once('/').unwrap().1;
            let snapshot = inside.replace('/', "-");
            assert_snapshot!(snapshot, text);
        }
    });
}

/// The closing table of the invented claims.
fn closing_table(layout: Layout) -> String {
    let claims = fixture_claims();
    let mut out = Vec::new();
    claims_table::write(&mut out, &fixture_verdicts(&claims), layout).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_closing_table() {
    let coloured = closing_table(Layout::Columns);
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    for line in plain.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= 80, "{width} columns: {line}");
    }
    let lines = closing_table(Layout::Lines);
    assert!(!lines.contains('\x1b'));
    assert_eq!(lines.lines().filter(|line| line.split('\t').count() == 6).count(), 6);
    assert!(lines.lines().all(|line| [1, 6].contains(&line.split('\t').count())), "{lines}");
    with_settings(|| {
        assert_snapshot!("terminal", plain);
        assert_snapshot!("terminal-piped", lines);
    });
}

#[test]
fn the_verdicts_for_machines() {
    let claims = fixture_claims();
    with_settings(|| assert_snapshot!("claims-json", to_json(&fixture_verdicts(&claims).to_json())));
}
