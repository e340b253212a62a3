//! Whether what a study says about its trust is true: coverage of its intervals in worlds whose trust is known.
//!
//! `cargo bench --bench calibration [-- STUDIES [TRUST]]` simulates so many studies (400 by default) of every world and prints the
//! table of docs/calibration.md. In every world the judge is right: features z are standard normal, ln lambda is the logarithm
//! of TRUST (6 by default) plus 0.5 times the sum of an item's z, predictions q are uniform over the simplex, pools are
//! Dir(lambda q), and labels are drawn from them. Studies take the weak prior. An interval counts as covering where it holds
//! the true ln lambda of an item with average features.

use judge_uncertainty::belief::{BeliefModel, Design, FeatureColumn, JudgedItems, TrustPrior};
use judge_uncertainty::random::Stream;
use ndarray::Array2;

/// Typical trust where no other is asked for.
const TRUST: f64 = 6.0;
const SLOPE: f64 = 0.5;

/// How many labels items have.
#[derive(Clone, Copy)]
enum Pattern {
    /// Any number up to this one, with equal chances.
    UpTo(u32),
    /// A quarter of the items have five, the others none.
    Pilot,
}

impl Pattern {
    fn draw(self, stream: &mut Stream) -> u32 {
        match self {
            Self::UpTo(most) => stream.choice(most + 1),
            Self::Pilot => 5 * u32::from(stream.choice(4) == 0),
        }
    }

    fn name(self) -> String {
        match self {
            Self::UpTo(most) => format!("0 to {most}"),
            Self::Pilot => "5 on a quarter".to_owned(),
        }
    }
}

/// What is counted over the studies of a world.
#[derive(Default)]
struct Tally {
    studies: usize,
    determined: usize,
    covered: usize,
    bias: f64,
    covered_of_all: usize,
    unconverged: usize,
    runaway_without_prior: usize,
}

fn dirichlet(stream: &mut Stream, alpha: &[f64]) -> Vec<f64> {
    let drawn: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a).max(1e-300)).collect();
    let sum: f64 = drawn.iter().sum();
    drawn.into_iter().map(|x| x / sum).collect()
}

fn study(
    stream: &mut Stream,
    typical: f64,
    (items, features, classes): (usize, usize, usize),
    pattern: Pattern,
    tally: &mut Tally,
) {
    let z = Array2::from_shape_fn((items, features), |_| stream.standard_normal());
    let mut q = Array2::zeros((items, classes));
    let mut counts = Array2::zeros((items, classes));
    let mut drawn = vec![0; classes];
    for i in 0..items {
        // As judges' answers are read: raised off 0.
        let prediction: Vec<f64> = dirichlet(stream, &vec![1.0; classes])
            .iter()
            .map(|q| (q + 0.005) / (1.0 + 0.005 * classes as f64))
            .collect();
        let trust = typical * (SLOPE * z.row(i).sum()).exp();
        let pool = dirichlet(stream, &prediction.iter().map(|q| trust * q).collect::<Vec<_>>());
        let labels = pattern.draw(stream);
        stream.multinomial(labels, &pool, &mut drawn);
        for j in 0..classes {
            (q[[i, j]], counts[[i, j]]) = (prediction[j], drawn[j]);
        }
    }
    let labelled: Vec<bool> = counts.rows().into_iter().map(|row| row.sum() > 0).collect();
    if !labelled.contains(&true) {
        return;
    }
    let column = |j: usize| FeatureColumn::complete(&format!("x{j}"), z.column(j).iter().copied());
    let columns: Vec<FeatureColumn> = (0..features).map(column).collect();
    let design = Design::over(items, &columns).expect("features are finite").within(&labelled);
    let judged = JudgedItems { design: &design, q: q.view(), groups: &[] };
    let model = BeliefModel::Published;
    let fit = model.fit(&judged, counts.view(), TrustPrior::Weak).expect("there are labels");
    let profile = model
        .typical_log_trust(&judged, counts.view(), TrustPrior::Weak, &fit)
        .expect("there are labels")
        .expect("there is a prior");
    let truth = typical.ln() + SLOPE * z.mean_axis(ndarray::Axis(0)).map_or(0.0, |means| means.sum());
    let covers = usize::from((profile.interval.lo..=profile.interval.hi).contains(&truth));
    tally.studies += 1;
    tally.covered_of_all += covers;
    tally.unconverged += usize::from(!fit.regression().converged);
    if profile.determined() {
        tally.determined += 1;
        tally.covered += covers;
        tally.bias += fit.regression().coefficients[0] - truth;
    }
    let without = model.fit(&judged, counts.view(), TrustPrior::None).expect("there are labels");
    let regression = without.regression();
    let far = (regression.coefficients[0] - truth).abs() > 100.0_f64.ln();
    tally.runaway_without_prior += usize::from(far || !regression.converged);
}

fn main() {
    // cargo bench adds --bench.
    let arguments: Vec<f64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let studies = arguments.first().map_or(400, |studies| *studies as usize);
    let typical = arguments.get(1).copied().unwrap_or(TRUST);
    println!(
        "| classes | features | labels | items | determined | covered, of these | mean error of ln trust | covered, of all | not converged | without a prior: off by 100 or not converged |"
    );
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|");
    let patterns = [Pattern::UpTo(1), Pattern::UpTo(2), Pattern::UpTo(5), Pattern::UpTo(10), Pattern::Pilot];
    let mut number = 0;
    for classes in [2, 3, 7] {
        for features in [0, 2, 4] {
            for pattern in patterns {
                for items in [20, 50, 100, 300, 1000] {
                    number += 1;
                    let mut stream = Stream::from_entropy(&[20_261_122, number]);
                    let mut tally = Tally::default();
                    for _ in 0..studies {
                        study(&mut stream, typical, (items, features, classes), pattern, &mut tally);
                    }
                    print_row((classes, features, pattern, items), &tally);
                }
            }
        }
    }
}

fn print_row((classes, features, pattern, items): (usize, usize, Pattern, usize), tally: &Tally) {
    let of = |part: usize, all: usize| match all {
        0 => "-".to_owned(),
        _ => format!("{:.3}", part as f64 / all as f64),
    };
    let bias = match tally.determined {
        0 => "-".to_owned(),
        n => format!("{:+.2}", tally.bias / n as f64),
    };
    println!(
        "| {classes} | {features} | {} | {items} | {} | {} | {bias} | {} | {} | {} |",
        pattern.name(),
        of(tally.determined, tally.studies),
        of(tally.covered, tally.determined),
        of(tally.covered_of_all, tally.studies),
        of(tally.unconverged, tally.studies),
        of(tally.runaway_without_prior, tally.studies)
    );
}
