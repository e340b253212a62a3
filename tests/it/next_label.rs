//! What a belief says of the next label is what happens when every next label is tried, whatever the belief of a study.

use std::fs;
use std::path::Path;

use judge_uncertainty::belief::maps::MapName;
use judge_uncertainty::belief::{Gaussian, ItemBeliefs, Ratings};
use judge_uncertainty::escalation::Rule;
use judge_uncertainty::evaluation::InHand;
use judge_uncertainty::evaluation::held_out::Score;
use judge_uncertainty::random::Stream;
use judge_uncertainty::study::{Decomposition, Study};
use judge_uncertainty::system::progress::Silent;

use crate::support::run;

const ITEMS: usize = 40;
/// Labels that lie ahead, at most.
const AHEAD: u32 = 3;

/// Every next label: what each item's is weighed by, and all labels with it.
type Next = Vec<(Vec<f64>, InHand)>;

/// Tries every next label of every item, and holds the mean, what labels are worth, and the rules to it.
fn tried(what: &str, folder: &Path, next: impl Fn(&Decomposition) -> Next) {
    let study = Study::load(folder).unwrap();
    let here = Decomposition::new(&study, &Silent).unwrap();
    let (pool, fitted) = (&here.pool, &here.fitted);
    let next: Vec<(Vec<f64>, ItemBeliefs)> = next(&here)
        .into_iter()
        .map(|(weights, labels)| (weights, pool.beliefs(&fitted.fit, &fitted.design, &labels)))
        .collect();
    // On a scale the first quantity is the mean; without one all are shares.
    let terms = if pool.squared() == Score::Brier { usize::MAX } else { 1 };
    let delta = here.priority(Rule::Delta).unwrap();
    for i in 0..here.len() {
        let belief = here.belief(i);
        let mean = pool.believed(&fitted.beliefs, i);
        let expected = |f: &dyn Fn(&ItemBeliefs) -> f64| -> f64 {
            next.iter().map(|(weights, beliefs)| weights[i] * f(beliefs)).sum()
        };
        let near = |of: &str, got: f64, want: f64| {
            assert!((got / want - 1.0).abs() < 1e-6, "{what}, item {i}: {of} {got} for {want}");
        };
        let moved = |beliefs: &ItemBeliefs| -> f64 {
            let after = pool.believed(beliefs, i);
            after.iter().zip(&mean).take(terms).map(|(after, mean)| (after - mean).powi(2)).sum()
        };
        near("mean", mean[0], expected(&|beliefs| pool.believed(beliefs, i)[0]));
        near("Delta", belief.label_value(), expected(&moved));
        near("rule delta", delta[i], expected(&moved));
        for k in 0..AHEAD {
            near("v", belief.spread_after(k + 1), expected(&|of| of.get(i).spread_after(k)));
        }
    }
}

fn next_class(here: &Decomposition) -> Next {
    let shares: Vec<Vec<f64>> = (0..here.len())
        .map(|i| {
            let believed = here.pool.believed(&here.fitted.beliefs, i);
            believed[believed.len() - 3..].to_vec()
        })
        .collect();
    let label = |y: usize| {
        let mut labels = here.pool.all().of_classes().clone();
        labels.column_mut(y).iter_mut().for_each(|count| *count += 1);
        (shares.iter().map(|shares| shares[y]).collect(), InHand::Classes(labels))
    };
    (0..3).map(label).collect()
}

/// A label at each of many places of its distribution, a Student t: y = mean + scale sinh(x), by the trapezoidal rule.
fn next_rating(here: &Decomposition) -> Next {
    const STEP: f64 = 0.05;
    let beliefs = here.fitted.beliefs.of_ratings();
    let density = |belief: &Gaussian, x: f64| {
        let z = x.sinh();
        (-0.5 * (belief.freedom + 1.0) * (z * z / belief.freedom).ln_1p()).exp() * x.cosh()
    };
    let places: Vec<f64> = (-500..=500).map(|k| STEP * f64::from(k)).collect();
    let all: Vec<f64> = (0..here.len()).map(|i| places.iter().map(|&x| density(&beliefs[i], x)).sum()).collect();
    let label = |&x: &f64| {
        let with = |(i, labels): (usize, Ratings)| {
            let belief = beliefs[i];
            let y = belief.mean + (belief.scale * (1.0 + 1.0 / belief.evidence)).sqrt() * x.sinh();
            let (n, off) = (f64::from(labels.n), y - labels.mean);
            let squares = labels.squares + off * off * n / (n + 1.0);
            Ratings { n: labels.n + 1, mean: labels.mean + off / (n + 1.0), squares }
        };
        let weights = (0..here.len()).map(|i| density(&beliefs[i], x) / all[i]).collect();
        (weights, InHand::Ratings(here.pool.all().of_ratings().iter().copied().enumerate().map(with).collect()))
    };
    places.iter().map(label).collect()
}

/// Items of two groups with a number each, of which three in four have up to three labels, so many `times`.
fn write(folder: &Path, [scale, columns, labels]: [&str; 3], (trust, times): (&str, usize)) {
    let mut stream = Stream::new(7);
    let (mut items, mut predictions, mut given) =
        ("id,kind,x\n".to_owned(), format!("id,{columns}\n"), format!("id,annotator,{labels}\n"));
    for i in 0..ITEMS {
        items += &format!("i{i},{},{}\n", ["first", "second"][i % 2], stream.standard_normal());
        let gammas = [1.5, 1.0, 0.7].map(|shape| stream.gamma(shape) + 0.05);
        let sum: f64 = gammas.iter().sum();
        let p = gammas.map(|gamma| gamma / sum);
        let at = 50.0 + 8.0 * stream.standard_normal();
        predictions += &match labels {
            "score" => format!("i{i},{at},{}\n", 2.0 + stream.random()),
            _ => format!("i{i},{},{},{}\n", p[0], p[1], 1.0 - p[0] - p[1]),
        };
        for k in 0..i % 4 * times {
            let u = stream.random();
            given += &match labels {
                "score" => format!("i{i},ann{k},{}\n", at + 3.0 + 4.0 * stream.standard_normal()),
                _ => format!("i{i},ann{k},{}\n", ["a", "b", "c"][usize::from(u > 0.5) + usize::from(u > 0.5 + p[1])]),
            };
        }
    }
    let [judge, form] = match labels {
        "score" => ["sd = \"sd\"", ""],
        _ => ["kind = \"probabilities\"", "form = \"long\"\n"],
    };
    let config = format!(
        "title = \"Next\"\n{scale}\n[items]\nfile = \"items.csv\"\nnumbers = [\"x\"]\ngroup = \
         \"kind\"\n[judge]\nfile = \"judge.csv\"\n{judge}\n[labels]\nfile = \"labels.csv\"\n{form}[trust]\nfeatures = [\"x\"]\n{trust}\n"
    );
    for (name, text) in
        [("items.csv", items), ("judge.csv", predictions), ("labels.csv", given), ("study.toml", config)]
    {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn beliefs(maps: impl Iterator<Item = MapName>) -> Vec<String> {
    let named = maps.map(|map| format!("{:?}", map.key()));
    let others = ["\"published\"", "\"auto\""].map(str::to_owned);
    named.chain(others).collect()
}

const CLASSES: [&str; 3] = ["classes = [\"a\", \"b\", \"c\"]", "p_a,p_b,p_c", "label"];
const PLACES: [&str; 3] = ["places = [[\"a\", 0], [\"b\", 1], [\"c\", 2.5]]", "p_a,p_b,p_c", "label"];
const RATINGS: [&str; 3] = ["scale = [0, 100]", "mean,sd", "score"];

#[test]
fn of_classes() {
    let folder = tempfile::tempdir().unwrap();
    for belief in beliefs(MapName::of_classes()) {
        write(folder.path(), CLASSES, (&format!("belief = {belief}"), 1));
        tried(&belief, folder.path(), next_class);
    }
}

#[test]
fn of_classes_on_a_scale() {
    let folder = tempfile::tempdir().unwrap();
    for belief in beliefs(MapName::of_classes()) {
        write(folder.path(), PLACES, (&format!("belief = {belief}"), 1));
        tried(&belief, folder.path(), next_class);
    }
}

#[test]
fn of_ratings() {
    let folder = tempfile::tempdir().unwrap();
    for belief in beliefs([MapName::Identity, MapName::Line, MapName::Groups, MapName::Recalibrated].into_iter()) {
        write(folder.path(), RATINGS, (&format!("belief = {belief}"), 1));
        tried(&belief, folder.path(), next_rating);
    }
}

/// A map of another study, before labels here and with them.
#[test]
fn of_a_carried_map() {
    let [first, second] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    write(first.path(), CLASSES, ("belief = \"groups\"", 4));
    run(&["study", "run", first.path().to_str().unwrap()], 0);
    let carry = format!("carry_from = {:?}", first.path().join("run"));
    for belief in ["\"auto\"", "\"temperature\""] {
        write(second.path(), CLASSES, (&format!("belief = {belief}\n{carry}"), 1));
        tried(&format!("carried, {belief}"), second.path(), next_class);
    }
}

/// Nearly a standard normal draw: the sum of twelve uniform ones.
fn normal(stream: &mut Stream) -> f64 {
    (0..12).map(|_| stream.random()).sum::<f64>() - 6.0
}

/// The judge's mean error in the ranked part of a queue for errors less that of all items without a label, over some studies.
/// True ratings lie from 1 to 5, a third of the items have a person's rating, and `judge` gives the judge's of a true one.
fn larger_in_queues(digits: i32, judge: impl Fn(&mut Stream, f64) -> f64) -> f64 {
    const STUDIES: u64 = 8;
    let gain = |seed: u64| {
        let mut stream = Stream::new(seed);
        let rating = |x: f64| (x.clamp(1.0, 5.0) * 10f64.powi(digits)).round() / 10f64.powi(digits);
        let (mut rows, mut errors) = ("id,topic,judge_score,human\n".to_owned(), vec![]);
        for i in 0..300 {
            let truth = 1.0 + 4.0 * stream.random();
            let said = rating(judge(&mut stream, truth));
            let person = rating(truth + 0.5 * normal(&mut stream));
            let person = if i % 3 == 0 { person.to_string() } else { String::new() };
            rows += &format!("{i},{},{said},{person}\n", ["a", "b", "c", "d"][i * 7 % 4]);
            errors.push((said - truth).abs());
        }
        let folder = tempfile::tempdir().unwrap();
        let (table, study) = (folder.path().join("t.csv"), folder.path().join("s"));
        fs::write(&table, rows).unwrap();
        let [table, study] = [&table, &study].map(|path| path.to_str().unwrap());
        run(&["audit", table, "--labelled", "random", "--out", study], 0);
        run(&["study", "queue", study, "--budget", "40", "--for", "errors", "--force"], 0);
        let queue = fs::read_to_string(folder.path().join("s/queue/queue.jsonl")).unwrap();
        let of_queue: Vec<f64> = queue
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .filter(|row| row["selected_by"] == "rank")
            .map(|row| errors[row["id"].as_str().unwrap().parse::<usize>().unwrap()])
            .collect();
        let open: Vec<f64> = (0..300).filter(|i| i % 3 != 0).map(|i| errors[i]).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        mean(&of_queue) - mean(&open)
    };
    (0..STUDIES).map(gain).sum::<f64>() / STUDIES as f64
}

/// A queue for errors of a rating judge holds larger errors than random items do, and no smaller ones where nothing tells them.
#[test]
fn queues_for_errors_of_ratings_are_no_worse_than_random() {
    for digits in [0, 2] {
        // Nothing tells errors apart, but for the ends of the scale. Over 8 studies the standard error is 0.02 to 0.03.
        let constant = larger_in_queues(digits, |stream, x| x + 0.9 * normal(stream));
        assert!(constant > -0.08, "{digits}: {constant}");
        let compressed = larger_in_queues(digits, |stream, x| 3.0 + 0.3 * (x - 3.0) + 0.3 * normal(stream));
        assert!(compressed > -0.08, "{digits}: {compressed}");
        let sure =
            larger_in_queues(digits, |stream, x| if stream.random() < 0.25 { 5.0 } else { x + 0.4 * normal(stream) });
        assert!(sure > 0.3, "{digits}: {sure}");
    }
}
