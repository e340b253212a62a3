//! The dice of Experiment 1, as a judge is asked about them.

use std::collections::BTreeMap;

use crate::experiments::dice::{DiceWorld, Tier};
use crate::experiments::steps::Published;
use crate::judge::task::{AnswerScale, Item, Task, Truth};

/// Faces of the dice, in the order of their biases.
const FACES: [&str; 3] = ["red", "green", "blue"];

/// The 500 dice: description tiers, biases and revealed rolls as the paper's streams draw them. A die's text reveals no
/// more than its tier allows.
pub(super) fn dice() -> Task {
    let world = DiceWorld::draw(&Published);
    let item = |i: usize| {
        let p: Vec<f64> = world.p.row(i).to_vec();
        let tier = Tier::from_die(i);
        let (name, told) = match tier {
            Tier::None => ("none", 0.0),
            Tier::Weak => ("weak", 0.2),
            Tier::Directional => ("directional", 0.6),
            Tier::Strong => ("strong", 1.0),
        };
        let mut text = BTreeMap::from([("tier".to_owned(), name.to_owned())]);
        match tier {
            Tier::None | Tier::Weak => {}
            Tier::Directional => {
                let favoured = (1..FACES.len()).fold(0, |best, j| if p[j] > p[best] { j } else { best });
                text.insert("favoured".to_owned(), FACES[favoured].to_owned());
            }
            Tier::Strong => {
                let shares = FACES.iter().zip(&p).map(|(face, p)| format!("{face} {:.1}% of the time", 100.0 * p));
                text.insert("shares".to_owned(), shares.collect::<Vec<_>>().join(", "));
            }
        }
        let labels = world.counts.row(i).to_vec();
        (Item { id: i.to_string(), text, labels }, Truth { shares: p, told: Some(told) })
    };
    let (items, truth) = (0..world.numbers.len()).map(item).unzip();
    let answers = AnswerScale::Classes(FACES.map(str::to_owned).to_vec());
    let variants = ["neutral", "sceptical", "literal"].map(str::to_owned).to_vec();
    Task {
        variants,
        truth: Some(truth),
        self_update: true,
        ..Task::new("dice".to_owned(), "dice", String::new(), answers, items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::prompts::{Ask, Prompts};

    #[test]
    fn a_die_tells_what_its_tier_may_tell() {
        let (task, prompts) = (dice(), Prompts::load(None, "dice").unwrap());
        let text = |i: usize, ask, variant| prompts.render(&task, &task.items[i], ask, variant).unwrap();
        let none = text(0, Ask::Distribution, "neutral");
        assert!(none.contains("Nothing else is known") && !none.contains('%'), "{none}");
        assert!(none.ends_with("{\"red\": ..., \"green\": ..., \"blue\": ...}"), "{none}");
        let weak = text(1, Ask::Distribution, "neutral");
        assert!(weak.contains("is not known") && !weak.contains('%'), "{weak}");
        // The protocol's world by NumPy: die 2 is (0.877, 0.062, 0.062), die 3 is (0.0547, 0.0547, 0.8906).
        let directional = text(2, Ask::Distribution, "neutral");
        assert!(directional.contains("lands on red more often") && !directional.contains('%'), "{directional}");
        let strong = text(3, Ask::Confidence, "literal");
        assert!(strong.contains("red 5.5% of the time, green 5.5% of the time, blue 89.1% of the time"), "{strong}");
        assert!(text(3, Ask::Label, "sceptical").contains("sceptical"));
    }
}
