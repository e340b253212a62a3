//! What readers see: that of the committed results is committed beside them, that of invented ones held by snapshots.

use std::collections::BTreeSet;

use insta::{Settings, assert_snapshot};
use judge_uncertainty::artifact;
use judge_uncertainty::cli::claims_table;
use judge_uncertainty::report::claims::Claims;
use judge_uncertainty::report::latex::Templates;
use judge_uncertainty::report::page;
use judge_uncertainty::report::paper::stage;
use judge_uncertainty::report::verdicts::Verdicts;
use judge_uncertainty::system::{MANIFEST, to_json};

use crate::support::{assert_committed, committed, fixture_claims, fixture_verdicts, repository};

/// Snapshots in `snapshots/`, by their names alone.
pub(crate) fn with_settings(f: impl FnOnce()) {
    let mut settings = Settings::new();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(f);
}

/// Figures are compared in `figures.rs`, results are the input, and the manifest has the durations of a run.
#[test]
fn what_is_committed_is_rendered_from_the_committed_results() {
    let (results, manifest) = committed();
    let claims = Claims::load(&repository("data/paper/claims.toml")).unwrap();
    let verdicts = Verdicts::judge(&claims, &results, &manifest).unwrap();
    let templates = repository("templates");
    let latex = Templates::load(Some(&templates)).unwrap();
    let html = page::PageTemplates::load(Some(&templates)).unwrap();
    let staged = stage(&results, &manifest, &verdicts, (&latex, &html)).unwrap();
    let texts: Vec<String> = staged.names().into_iter().filter(|name| !name.contains("/figures/")).collect();
    assert_eq!(texts.len(), 14);
    for name in &texts {
        assert_committed(name, staged.text(name).unwrap().as_bytes());
    }
    let frozen = artifact::frozen(&repository("artifact")).unwrap().names();
    let all = staged.names().into_iter().chain(frozen).chain([MANIFEST.to_owned()]).collect::<BTreeSet<String>>();
    assert_eq!(all, manifest.files.iter().cloned().collect());
}

/// The closing table of the invented claims.
fn closing_table(aligned: bool) -> String {
    let claims = fixture_claims();
    let mut out = Vec::new();
    claims_table::write(&mut out, &fixture_verdicts(&claims), aligned).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_closing_table() {
    let coloured = closing_table(true);
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    for line in plain.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= 80, "{width} columns: {line}");
    }
    let lines = closing_table(false);
    assert!(!lines.contains('\x1b'));
    assert_eq!(lines.lines().filter(|line| line.split('\t').count() == 6).count(), 6 + 2);
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
