//! The report: what every page keeps to, and the committed one.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use judge_uncertainty::artifact::{Manifest, Results};
use judge_uncertainty::report::claims::Claims;
use judge_uncertainty::report::figures;
use judge_uncertainty::report::page::{
    Block, Column, FigureBlock, KeyNumber, Note, Page, PageTemplates, Section, Table, Text, Tone,
};
use judge_uncertainty::report::paper;
use judge_uncertainty::report::paper::claims_table::claims_table;
use judge_uncertainty::report::verdicts::Verdicts;

use crate::snapshots::with_settings;
use crate::support::{committed, fixture_claims, fixture_verdicts, repository};

fn templates() -> PageTemplates {
    PageTemplates::load(Some(&repository("templates"))).unwrap()
}

fn paper_claims() -> Claims {
    Claims::load(&repository("data/paper/claims.toml")).unwrap()
}

/// The committed results' page, after a change to them or to their manifest.
fn paper_page(change: impl FnOnce(&mut Results, &mut Manifest)) -> String {
    let (mut results, mut manifest) = committed();
    change(&mut results, &mut manifest);
    let claims = paper_claims();
    let verdicts = Verdicts::judge(&claims, &results, &manifest).unwrap();
    let templates = templates();
    templates.html(&paper::page::page(&results, &verdicts, &manifest, &templates).unwrap()).unwrap()
}

/// Values of an attribute, in order.
fn attributes<'h>(html: &'h str, name: &str) -> Vec<&'h str> {
    let start = format!(" {name}=\"");
    html.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// One block of every kind, with texts that would break a page which does not escape them.
fn every_block(claims: Block) -> Page {
    let hostile = "</script><script>alert(1)</script> \"quoted\" & 'single' `code`";
    let blocks = vec![
        Block::Heading(hostile.to_owned()),
        Block::Prose(Text::marked("see `results/claims.json`, ").then(Text::link("a <link>", "../a&b"))),
        Block::List(vec![Text::plain(hostile), Text::code("x < y")]),
        Block::Numbers(vec![
            KeyNumber { value: "3,113".into(), label: "items".into(), tone: Tone::Good },
            KeyNumber { value: "-0.5".into(), label: "lost & found".into(), tone: Tone::Bad },
        ]),
        Block::Figure(FigureBlock {
            name: "dots".into(),
            title: "Two <dots>".into(),
            svg: "<svg role=\"img\" aria-labelledby=\"dots-title\"><title id=\"dots-title\">Dots</title></svg>".into(),
            width: "190.8pt".into(),
            note: Some(Text::plain("A dot is an item.")),
        }),
        Block::Table(Table {
            id: "small".into(),
            caption: "A <small> table".into(),
            columns: vec![Column::text("Rule"), Column::numbers("Value")],
            rows: vec![vec!["I".into(), "15.1".into()], vec![Text::plain(hostile), "8.2".into()]],
            bars: None,
            shades: vec![],
            folded: true,
            note: None,
        }),
        Block::Note(Note { summary: "How".into(), text: "So.".into() }),
        claims,
    ];
    Page {
        title: hostile.to_owned(),
        lead: Text::plain(hostile),
        sections: vec![Section { id: "all".into(), title: "Every block".into(), folded: true, blocks }],
    }
}

#[test]
fn every_kind_of_block() {
    let claims = fixture_claims();
    let table = claims_table(&fixture_verdicts(&claims), "Invented claims");
    let html = templates().html(&every_block(table)).unwrap();
    assert!(!html.contains("<script>alert"), "a text became code");
    assert_eq!(html.matches("<script>").count(), 1);
    let body = &html[html.find("<body>").unwrap()..html.find("<script>").unwrap()];
    with_settings(|| assert_snapshot!("report-blocks", body));
}

#[test]
fn the_page_of_the_committed_results_stands_alone() {
    let html = paper_page(|_, _| ());
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    // Nothing that a browser would fetch: the policy forbids it, and there is nothing to forbid.
    assert!(html.contains("Content-Security-Policy\" content=\"default-src 'none';"));
    for fetched in ["src", "srcset", "data", "poster", "action", "xlink:href"] {
        assert_eq!(attributes(&html, fetched), [""; 0], "{fetched}");
    }
    assert!(!html.contains("@import") && !html.contains("url(") && !html.contains("<link"));
    let ids: Vec<_> = attributes(&html, "id");
    let unique: BTreeSet<_> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id is used twice");
    for href in attributes(&html, "href") {
        if let Some(anchor) = href.strip_prefix('#') {
            assert!(unique.contains(anchor), "#{anchor} leads nowhere");
        } else if !href.starts_with("https://") {
            assert!(repository("artifact/report").join(href).is_file(), "{href} leads nowhere");
        }
    }
    let claims = std::fs::read_to_string(repository("data/paper/claims.toml")).unwrap().matches("[[claim]]").count();
    assert_eq!(attributes(&html, "data-verdict").len(), claims);
    assert_eq!(attributes(&html, "data-reading").len(), 19);
}

#[test]
fn every_figure_has_its_place() {
    let (results, _) = committed();
    let html = paper_page(|_, _| ());
    let figures = figures::all(&results, &templates()).unwrap();
    assert!(figures.len() >= 9);
    for figure in figures {
        let id = format!("id=\"figure-{}\"", figure.name);
        assert_eq!(html.matches(&id).count(), 1, "{id}");
    }
}

#[test]
fn the_page_holds_nothing_that_differs_from_run_to_run() {
    let html = paper_page(|_, manifest| {
        for run in manifest.run.values_mut() {
            (run.threads, run.seconds, run.platform) = (61, 12345.0, "plan9 mips".to_owned());
        }
    });
    assert!(html == paper_page(|_, _| ()));
}

#[test]
fn an_experiment_that_was_not_run_leaves_no_gap() {
    let dice_only = paper_page(|results, manifest| {
        (results.simulations, results.chaosnli, results.authors) = (None, None, None);
        manifest.deterministic.retain(|_, facts| facts.replicates.contains_key("label re-draws"));
    });
    assert!(dice_only.contains("Labels drain ignorance") && !dice_only.contains("Counting labels does as well"));
    assert!(dice_only.contains("128 belong to experiments that were not run"));
    let none = paper_page(|results, manifest| {
        *results = Results::default();
        manifest.deterministic.clear();
    });
    assert!(none.contains("The verdict") && !none.contains("The story in figures"));
}

#[test]
fn a_smaller_run_is_not_judged() {
    let html = paper_page(|_, manifest| {
        manifest.deterministic.values_mut().for_each(|facts| facts.published_size = false);
    });
    assert!(html.contains("This run was smaller than the paper") && html.contains("smaller; claims are not judged"));
    assert!(!html.contains("published numbers comes out"));
}
