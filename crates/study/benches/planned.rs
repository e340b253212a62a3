//! Whether intervals come out as wide as `study plan` says.
//!
//! `cargo bench -p judge-uncertainty-study --bench planned -- [STUDIES [FIRST_SEED]]` plans from 60 and from 120 labelled items
//! of worlds of the bench `audit`, then labels 100, 200 and 400 items more in the same way. It prints a table of `evidence/`: mean
//! planned and mean realised half widths and their ratio.

use std::path::Path;

use judge_uncertainty_core::stats::mean;
use judge_uncertainty_study::findings::plan::LabelPlan;
use judge_uncertainty_study::{Error, Study};
use rayon::prelude::*;

#[expect(dead_code, reason = "the bench `audit` uses all of it")]
mod audit_worlds;

use audit_worlds::{Chosen, WORLDS, World, table, written};

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let (studies, first) = (arguments.first().copied().unwrap_or(100), arguments.get(1).copied().unwrap_or(500));
    println!("world,labelled,further,figure,planned,realised,ratio");
    let single = |world: World| [(10, 100), (60, 100), (60, 200), (200, 200)].map(|(n, more)| (world, n, more));
    let whole = |name, conversation, alike| {
        let world = World { chosen: Chosen::Conversations, conversation, alike, topics: 2, name, ..WORLDS[3] };
        let world = World { answers: WORLDS[0].answers, ..world };
        [10, 30].map(|number| (world, number * conversation, 100))
    };
    let worlds = [WORLDS[1], WORLDS[3]].into_iter().flat_map(single);
    let clustered = [("conversations of 20, very alike", 20, 5.0), ("conversations of 20, not alike", 20, 0.0)];
    let clustered = clustered
        .into_iter()
        .chain([("conversations of 5, very alike", 5, 5.0), ("conversations of 5, not alike", 5, 0.0)]);
    let rows = [0.0, 5.0].map(|alike| World {
        chosen: Chosen::Random,
        alike,
        topics: 2,
        conversation: 20,
        name: "rows of conversations of 20",
        answers: WORLDS[0].answers,
        ..WORLDS[3]
    });
    let worlds = worlds.chain(rows.into_iter().flat_map(single));
    for (world, labelled, further) in worlds.chain(clustered.flat_map(|(name, size, alike)| whole(name, size, alike))) {
        let of = |further: usize| -> Vec<LabelPlan> {
            let world = World { labelled, further, ..world };
            (first..first + studies).into_par_iter().map(|seed| plan_in(world, seed)).collect()
        };
        let (before, after) = (of(0), of(further));
        for k in 0..before[0].figures.len() {
            let at = |plan: &LabelPlan| {
                let width = plan.figures[k].after.iter().find(|width| width.labels == further);
                width.map(|width| width.half)
            };
            let planned = mean(&before.iter().filter_map(at).collect::<Vec<_>>());
            let realised = mean(&after.iter().filter_map(|plan| plan.figures[k].now).collect::<Vec<_>>());
            let name = before[0].figures[k].id.split('.').next().unwrap_or_default();
            let ratio = planned / realised;
            println!("\"{}\",{labelled},{further},{name},{planned:.4},{realised:.4},{ratio:.3}", world.name);
        }
    }
}

/// What is planned in a world of a seed.
fn plan_in(world: World, seed: u64) -> LabelPlan {
    let (_, cells, chosen) = table(world, seed);
    let folder = written(&cells, &[], &chosen).expect("a table that can be audited");
    planned(&folder.path().join("study")).expect("a study")
}

fn planned(place: &Path) -> Result<LabelPlan, Error> {
    Ok(LabelPlan::of_study(&Study::load(place)?, None))
}
