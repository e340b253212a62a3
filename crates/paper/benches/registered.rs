//! The registered comparisons from as many re-draws as settle them all: the last table of
//! `data/registration/STATUS.md`.
//!
//! `cargo bench -p judge-uncertainty-paper --bench registered -- [CONFIRMATION [TRANSFER]]`: so many re-draws of the
//! labels on the held-out half and in each transfer, of the seeds from 0 on, so that those of `reproduce --extended`
//! are the first of them. It prints Markdown; an end of an interval whose Monte-Carlo error is a tenth of its distance
//! from 0 or more is not settled.

use std::path::Path;

use judge_uncertainty_familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty_formats::{ChaosNliData, DiceData};
use judge_uncertainty_paper::experiments::extended::confirmation::{
    Confirmation, ExtendedRegistration, RegisteredComparison, RegisteredQuantity,
};
use judge_uncertainty_paper::experiments::extended::{self, Sizes};
use judge_uncertainty_system::progress::Silent;

fn row(set: &str, compared: &RegisteredComparison) -> String {
    let name = |belief: &dyn std::fmt::Debug| format!("{belief:?}").to_lowercase();
    let (what, digits) = match compared.quantity {
        RegisteredQuantity::Error { belief } => (format!("{}: error", name(&belief)), 4),
        RegisteredQuantity::ErrorUnlabelled { belief } => {
            (format!("{}: error, items without labels", name(&belief)), 4)
        }
        RegisteredQuantity::Advantage { belief, rule, over, budget } => {
            (format!("{}: {} minus {}, {}%", name(&belief), rule.key(), over.key(), budget.in_percent()), 2)
        }
    };
    let found = &compared.found;
    let [mean, lo, hi] =
        [found.redraws.mean, found.simultaneous_lo, found.simultaneous_hi].map(|x| format!("{x:+.digits$}"));
    let (error, share) =
        compared.monte_carlo.map_or((0.0, 0.0), |chance| (chance.bound_error, chance.bound_error / chance.margin));
    format!("| {set} | {what} | {mean} [{lo}, {hi}], {} | {error:.5} | {share:.3} |", name(&compared.outcome))
}

fn print(set: &str, confirmation: &Confirmation) {
    confirmation.verdicts.iter().for_each(|compared| println!("{}", row(set, compared)));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number =
        |k: usize, default: usize| std::env::args().nth(k).and_then(|text| text.parse().ok()).unwrap_or(default);
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data"));
    let chaosnli = ChaosNliData::load(&data.join("chaosnli"))?;
    let dice = DiceData::load(&data.join("dice"))?;
    let (registration, digest) = ExtendedRegistration::load(&data.join("registration"))?;
    let engine = Exact::new(UnitRows::new(chaosnli.embeddings.view())?);
    let sizes = Sizes { confirmation: number(1, 8_000), transfer: number(2, 16_000), ..Sizes::capped(2) };
    let found = extended::run(&chaosnli, &dice, &engine, (&registration, &digest), &sizes, &Silent)?;
    println!("| items | comparison | found | Monte-Carlo error of the ends | as a share of the distance from 0 |");
    println!("|---|---|---|--:|--:|");
    print("held-out half", &found.confirmation);
    print("SNLI to MNLI", &found.transfer["snli_to_mnli"]);
    print("MNLI to SNLI", &found.transfer["mnli_to_snli"]);
    Ok(())
}
