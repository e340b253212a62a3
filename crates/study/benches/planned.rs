//! Whether intervals come out as wide as `study plan` says.
//!
//! `cargo bench -p judge-uncertainty-study --bench planned -- [STUDIES [FIRST_SEED]]` plans from labelled rows, or whole
//! conversations, of worlds of the bench `audit`, then labels 100 or 200 further rows at random. It prints mean planned and mean
//! realised half widths and their ratio.

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
    let rows = World { topics: 2, conversation: 20, answers: WORLDS[1].answers, ..WORLDS[3] };
    let whole = World { chosen: Chosen::Conversations, ..rows };
    let single = [
        WORLDS[1],
        WORLDS[3],
        World { name: "rows of conversations of 20, not alike", alike: 0.0, ..rows },
        World { name: "rows of conversations of 20, very alike", alike: 5.0, ..rows },
    ];
    let conversations = [
        World { name: "conversations of 20, not alike", alike: 0.0, ..whole },
        World { name: "conversations of 20, very alike", alike: 5.0, ..whole },
        World { name: "conversations of 5, not alike", alike: 0.0, conversation: 5, ..whole },
        World { name: "conversations of 5, very alike", alike: 5.0, conversation: 5, ..whole },
    ];
    let single = single.into_iter().flat_map(|world| {
        [(10, 100), (60, 100), (60, 200), (200, 200)].map(|(labelled, further)| (world, labelled, further))
    });
    let conversations =
        conversations.into_iter().flat_map(|world| [10, 30].map(|number| (world, number * world.conversation, 100)));
    for (world, labelled, further) in single.chain(conversations) {
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
