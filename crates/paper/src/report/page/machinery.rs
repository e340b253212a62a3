//! Third reader: how did the numbers come about, and how can they be made again?

use std::collections::BTreeMap;

use super::count;
use crate::artifact::{Manifest, Provenance, Results, SCHEMA, results_file};
use crate::experiments::Experiment;
use crate::report::claims_table::experiment_name;
use judge_uncertainty_page::{Block, Section, Table, Text};
use judge_uncertainty_system::numbers::NumberStyle;

pub(super) fn section(results: &Results, manifest: &Manifest) -> Section {
    let parts = &manifest.deterministic;
    let mut blocks = vec![
        Block::Heading("Commands".to_owned()),
        Block::Prose(Text::marked(
            "Run in the root of the repository, where `judge-uncertainty X` stands for `cargo run --release -- X`. \
             Results do not depend on the number of threads.",
        )),
        Block::Table(commands()),
        Block::Heading("Versions and results".to_owned()),
        Block::Table(versions(parts)),
        Block::Prose(
            Text::plain(
                "Threads, platform and wall time of the run differ from run to run, so this page does not hold \
                 them: they are in ",
            )
            .then(Text::link("results/manifest.json", "../results/manifest.json"))
            .then(Text::marked(" under `run`. Every claim in full precision: "))
            .then(Text::link("results/claims.json", "../results/claims.json"))
            .then(Text::plain(".")),
        ),
        Block::Heading("Inputs".to_owned()),
    ];
    blocks.extend(inputs(parts).map(Block::Table));
    blocks.push(Block::Prose(
        Text::plain(
            "The judge's answers are those published with the paper; where each table comes from and how it was \
             made: ",
        )
        .then(Text::code("data/README.md"))
        .then(Text::plain(". The worlds of the simulations and the dice are drawn anew from their seeds.")),
    ));
    blocks.extend(settings(parts).map(Block::Table));
    blocks.push(Block::Heading("Fits".to_owned()));
    blocks.extend(fits(results).map(Block::Table));
    blocks.push(Block::Heading("Sizes and seeds".to_owned()));
    blocks.push(Block::Table(sizes(parts)));
    blocks.push(Block::Table(seeds(parts)));
    Section { id: "machinery".to_owned(), title: "The machinery".to_owned(), blocks }
}

fn commands() -> Table {
    let rows = [
        ("judge-uncertainty reproduce", "everything, into artifact/"),
        ("judge-uncertainty reproduce --only simulations", "the simulations; other results are kept"),
        ("judge-uncertainty reproduce --only dice", "Experiment 1"),
        ("judge-uncertainty reproduce --only chaosnli", "Experiment 2"),
        ("judge-uncertainty reproduce --quick", "a look in seconds, into artifact-quick/; judges no claim"),
        ("judge-uncertainty verify --recompute", "computes the results again, compares and judges them"),
        ("judge-uncertainty verify", "judges the results on disk again, computes nothing"),
        ("judge-uncertainty compare artifact other", "lists what differs between two such folders"),
    ];
    Table::new(
        "commands",
        "Commands that make each part again",
        "ll",
        &["Command", "Makes"],
        rows.map(|(command, makes)| vec![Text::code(command), Text::plain(makes)]),
    )
}

fn versions(parts: &BTreeMap<Experiment, Provenance>) -> Table {
    let rows = parts.iter().map(|(experiment, facts)| {
        let size = if facts.published_size { "as published" } else { "smaller; claims are not judged" };
        let file = results_file(*experiment);
        vec![
            Text::plain(experiment_name(*experiment)),
            Text::plain(facts.program.as_str()),
            Text::plain(size),
            Text::link(file.as_str(), format!("../{file}")),
            Text::code(facts.results_sha256.as_str()),
        ]
    });
    Table::new(
        "versions",
        "What computed which results",
        "lllll",
        &["Part", "Version of the program", "Size", "Results", "SHA-256 of the results"],
        rows,
    )
    .with_note(Text::marked(&format!(
        "The same inputs and the same version give the same bytes, so the sums can be compared with those of \
         another run. Another platform may move last digits: `compare` allows for that. Layout of the results: \
         schema {SCHEMA}. Built with Rust {} or later.",
        env!("CARGO_PKG_RUST_VERSION"),
    )))
}

fn inputs(parts: &BTreeMap<Experiment, Provenance>) -> Option<Table> {
    let files = parts.values().flat_map(|facts| &facts.inputs);
    let rows: Vec<_> = files
        .map(|(file, sum)| {
            let path = format!("data/{file}");
            vec![Text::code(path.as_str()), Text::code(sum.as_str())]
        })
        .collect();
    (!rows.is_empty()).then(|| {
        Table::new("inputs", "Input files", "ll", &["File", "SHA-256"], rows).with_note(Text::marked(
            "The sum stands for the exact content of a file: `sha256sum FILE` prints it. A file that does not match \
             its sum is refused before anything is computed.",
        ))
    })
}

fn settings(parts: &BTreeMap<Experiment, Provenance>) -> Option<Table> {
    let all = parts.iter().flat_map(|(e, facts)| facts.settings.iter().map(|(key, value)| (*e, key, value)));
    let rows: Vec<_> = all.map(|(e, key, value)| [key.as_str(), experiment_name(e), value.as_str()]).collect();
    (!rows.is_empty()).then(|| {
        Table::new("settings", "Embeddings, neighbours and other settings", "lll", &["Setting", "Part", "Value"], rows)
            .with_note(
            Text::plain(
                "The committed matrix was made by all-MiniLM-L6-v2 from texts that are not in this repository: ",
            )
            .then(Text::code("data/chaosnli/README.md"))
            .then(Text::plain(
                ". An exact search finds all nearest neighbours, so its recall is 1; a graph index states the recall \
                 that was measured.",
            )),
        )
    })
}

fn fits(results: &Results) -> Option<Table> {
    let mut rows = Vec::new();
    if let Some(dice) = &results.dice {
        let fits = dice.draws * dice.coefficients.len();
        let (fits, unconverged) = (count(fits), count(dice.unconverged_fits));
        let name = experiment_name(Experiment::Dice);
        rows.push([name, "both feature sets", &fits, &unconverged, "not kept", "not kept"].map(str::to_owned));
    }
    if let Some(chaosnli) = &results.chaosnli {
        for (features, run) in [("all features", &chaosnli.full), ("label counts alone", &chaosnli.counts_only)] {
            rows.push([
                experiment_name(Experiment::ChaosNli).to_owned(),
                features.to_owned(),
                count(chaosnli.replicates),
                count(run.unconverged_fits),
                count(run.most_iterations),
                NumberStyle::plain(1).format(run.labels_worth),
            ]);
        }
    }
    (!rows.is_empty()).then(|| {
        Table::new(
            "fits",
            "Convergence of the trust regression",
            "llrrrr",
            &["Part", "Features", "Fits", "Gradient not zero", "Most Newton steps", "A prediction is worth (labels)"],
            rows,
        )
        .with_note(
            "A fit counts as converged when the gradient of the log-likelihood vanishes. Where a trust reaches the \
             limit of the search the likelihood has a corner, at which the gradient need not vanish: such fits are \
             counted, not hidden. What a prediction is worth: the typical fitted trust, in labels. The results of the \
             simulations do not count their fits.",
        )
    })
}

fn sizes(parts: &BTreeMap<Experiment, Provenance>) -> Table {
    let all = parts.iter().flat_map(|(e, facts)| facts.replicates.iter().map(|(what, n)| (*e, what, *n)));
    Table::new(
        "sizes",
        "Replicates",
        "llr",
        &["Replicates of", "Part", "Number"],
        all.map(|(e, what, n)| [what.clone(), experiment_name(e).to_owned(), count(n)]),
    )
}

fn seeds(parts: &BTreeMap<Experiment, Provenance>) -> Table {
    let all = parts.iter().flat_map(|(e, facts)| facts.seeds.iter().map(|(stream, seed)| (*e, stream, seed)));
    Table::new(
        "seeds",
        "Seeds of the random streams",
        "lll",
        &["Stream", "Part", "Seed"],
        all.map(|(e, stream, seed)| [stream.as_str(), experiment_name(e), seed.as_str()]),
    )
    .with_note(
        "Every random draw comes from a named stream that reproduces NumPy's default_rng bit for bit; r and s \
         count replicates and worlds from 0.",
    )
}
