//! What the project says about itself: one version everywhere, sums and columns of the data as they are, links that
//! lead somewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::repository;

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

#[test]
fn one_version_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")));
    for file in ["codemeta.json", ".zenodo.json"] {
        let described: Value = serde_json::from_str(&read(file)).unwrap();
        assert_eq!(described["version"], version, "{file}");
    }
}

#[test]
fn every_part_of_the_crate_is_described_and_there() {
    let described: Value = serde_json::from_str(&read("ro-crate-metadata.json")).unwrap();
    let entities: BTreeMap<&str, &Value> = described["@graph"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entity| (entity["@id"].as_str().unwrap(), entity))
        .collect();
    assert_eq!(entities["#program"]["version"], env!("CARGO_PKG_VERSION"));
    for part in entities["./"]["hasPart"].as_array().unwrap() {
        let name = part["@id"].as_str().unwrap();
        let there = name.starts_with('#') || repository(name).exists();
        let licensed = name.starts_with('#') || name.ends_with(".json") || entities[name]["license"]["@id"].is_string();
        assert!(entities.contains_key(name) && there && licensed, "{name}");
    }
}

/// The first line of a table.
fn header(path: &str) -> Vec<String> {
    read(path).lines().next().unwrap().split(',').map(str::to_owned).collect()
}

#[test]
fn the_data_are_described_as_they_are() {
    for folder in ["dice", "chaosnli"] {
        let croissant: Value = serde_json::from_str(&read(&format!("data/{folder}/croissant.json"))).unwrap();
        let files = croissant["distribution"].as_array().unwrap();
        let described: BTreeMap<String, String> = files
            .iter()
            .map(|file| (file["@id"].as_str().unwrap().to_owned(), file["sha256"].as_str().unwrap().to_owned()))
            .collect();
        let sums = read(&format!("data/{folder}/SHA256SUMS"));
        let listed: BTreeMap<String, String> = sums
            .lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(sum, name)| (name.into(), sum.into()))
            .collect();
        assert_eq!(described, listed, "{folder}");
        for file in files {
            let name = file["@id"].as_str().unwrap();
            let size = fs::metadata(repository(&format!("data/{folder}/{name}"))).unwrap().len();
            assert_eq!(file["contentSize"], format!("{size} B"), "{folder}/{name}");
        }
        for records in croissant["recordSet"].as_array().unwrap() {
            let fields = records["field"].as_array().unwrap();
            let file = fields[0]["source"]["fileObject"]["@id"].as_str().unwrap();
            let columns: Vec<_> =
                fields.iter().map(|field| field["source"]["extract"]["column"].as_str().unwrap().to_owned()).collect();
            assert_eq!(columns, header(&format!("data/{folder}/{file}")), "{folder}/{file}");
        }
    }
}

/// Every Markdown file of the project but those of tools' own samples.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Where the links of a page lead, without those to other hosts and within the page.
fn links(text: &str) -> Vec<String> {
    let inside = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = inside.map(|(link, _)| link.split('#').next().unwrap_or_default().to_owned());
    files.filter(|link| !link.is_empty() && !link.contains("://") && !link.contains(' ')).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut found = vec![];
    pages(&repository(""), &mut found);
    assert!(found.len() > 10, "{} pages", found.len());
    let lost: Vec<String> = found
        .iter()
        .flat_map(|page| {
            let folder = page.parent().unwrap().to_owned();
            let lost =
                links(&fs::read_to_string(page).unwrap()).into_iter().filter(move |link| !folder.join(link).exists());
            lost.map(move |link| format!("{}: {link}", page.display()))
        })
        .collect();
    assert!(lost.is_empty(), "links to nothing: {lost:#?}");
}

#[test]
fn a_lost_link_is_found() {
    assert_eq!(links("[a](b.md#c), [d](https://e.org) and ![f](g/h.png)"), ["b.md", "g/h.png"]);
}
