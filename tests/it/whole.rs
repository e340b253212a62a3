//! The artifact as a whole: edits of any kind of file are caught, and the summary fits a screen.

use std::fs;

use crate::support::{copy, repository, run};

/// A file of the artifact with a text in it and what it is changed to.
const EDITS: [(&str, &str, &str); 7] = [
    ("paper/figures/convergence.csv", "0.", "1."),
    ("paper/figures/budget.svg", "<svg", "<svg data-edited=\"\""),
    ("report/index.html", "15.1", "15.0"),
    ("results/findings.json", "\"refuted\"", "\"confirmed\""),
    ("results/manifest.json", "\"label re-draws\": 200", "\"label re-draws\": 2000"),
    ("results/claims.json", "\"differs\"", "\"agrees\""),
    ("paper/tables/esc.tex", "15.1", "15.0"),
];

#[test]
fn an_edit_of_any_kind_of_file_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    let artifact = folder.path().join("artifact");
    copy(&repository("artifact"), &artifact);
    let verify = |status| run(&["verify", "--artifact", artifact.to_str().unwrap()], status);
    let (stdout, _) = verify(0);
    assert!(stdout.contains("found the same to the byte"), "{stdout}");
    for (name, from, to) in EDITS {
        let file = artifact.join(name);
        let text = fs::read_to_string(&file).unwrap();
        let edited = text.replacen(from, to, 1);
        assert_ne!(text, edited, "{name}");
        fs::write(&file, &edited).unwrap();
        let (_, stderr) = verify(2);
        assert!(stderr.contains(name), "{name}: {stderr}");
        fs::write(&file, text).unwrap();
    }
    fs::remove_file(artifact.join("paper/tables/iso.tex")).unwrap();
    let (_, stderr) = verify(2);
    assert!(stderr.contains("iso.tex"), "{stderr}");
}

#[test]
fn the_summary_fits_one_screen_with_failures_last() {
    let (stdout, _) = run(&["verify"], 0);
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines.len() <= 40, "{} lines", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{stdout}");
    let place = |what: &str| stdout.find(what).unwrap_or_else(|| panic!("{what}: {stdout}"));
    assert!(place("CONCLUSIONS OF THE PAPER") < place("NUMBERS") && place("NUMBERS") < place("No claim differs."));
    assert!(place("by the authors' procedure") < place("figures of the authors' record"), "{stdout}");
}

#[test]
fn only_what_was_computed_is_judged_and_what_was_kept_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let artifact = folder.path().join("artifact");
    copy(&repository("artifact"), &artifact);
    let (stdout, _) = run(&["reproduce", "--only", "dice", "--out", artifact.to_str().unwrap()], 0);
    assert!(stdout.contains("Computed now: dice."), "{stdout}");
    assert!(stdout.contains("Kept from an earlier run, not computed now and not judged here:"), "{stdout}");
    assert!(stdout.contains("  all                            57"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
    // The same artifact again, to the byte, but for what differs from run to run.
    run(&["compare", "--tolerance", "0", "artifact", artifact.to_str().unwrap()], 0);
}

#[test]
fn what_only_one_folder_has_is_told_and_is_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let one = folder.path().join("one");
    run(&["reproduce", "--only", "dice", "--out", one.to_str().unwrap()], 0);
    let (stdout, _) = run(&["compare", "--tolerance", "0", "artifact", one.to_str().unwrap()], 0);
    assert!(stdout.contains("Not compared: ") && stdout.contains("chaosnli (only in artifact)"), "{stdout}");
    assert!(stdout.ends_with("\n0 differences\n"), "{stdout}");
}

#[test]
fn a_claim_is_explained_and_shown_to_fail() {
    let (stdout, _) = run(&["explain", "esc-info-value"], 0);
    for part in
        ["15.0", "Table 2", "tolerance", "3 sqrt(2)", "chaosnli.rs", "artifact/results/chaosnli.json", "misprint"]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let (stdout, _) = run(&["explain", "counts-only-refuted"], 0);
    assert!(stdout.contains("holds; yes: lower bound −") && stdout.contains("By the other procedure"), "{stdout}");
    let (stdout, _) = run(&["verify", "--break", "esc-info-value"], 10);
    assert!(stdout.contains("the smallest misprint that it catches: DIFFERS"), "{stdout}");
    let (_, stderr) = run(&["explain", "esc-info"], 2);
    assert!(stderr.contains("no claim that can be shown has the id `esc-info`; ") && stderr.contains("esc-info-value"));
}

#[test]
fn a_comparison_opens_with_claims_and_fits_a_screen() {
    let folder = tempfile::tempdir().unwrap();
    let quick = folder.path().join("quick");
    run(&["reproduce", "--only", "dice", "--replicates", "20", "--out", quick.to_str().unwrap()], 0);
    let compare = |more: &[&str]| run(&[&["compare", "artifact", quick.to_str().unwrap()], more].concat(), 10).0;
    let stdout = compare(&[]);
    assert!(stdout.starts_with("Claims and conclusions with another outcome: "), "{stdout}");
    assert!(stdout.lines().count() <= 40, "{stdout}");
    let all = compare(&["--items"]);
    assert!(all.starts_with("Claims and conclusions with another outcome: ") && all.lines().count() > 100);
    assert!(!all.contains("--items"), "{all}");
}
