//! The verdicts on the registered comparisons by the procedure that was registered, before any was judged again.

use crate::experiments::extended::confirmation::RegisteredQuantity;

/// The verdicts as amended before the first evaluation: the items, the comparison, what was found, the verdict.
const AS_REGISTERED: &str = include_str!("../../../../data/registration/as_registered.csv");

/// The verdict on a comparison by the registered procedure, which is the one that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AsRegistered {
    /// Mean, and the ends of the simultaneous interval, as printed then.
    pub(crate) found: [String; 3],
    /// `confirmed`, `not-confirmed` or `refuted`.
    pub(crate) verdict: String,
}

impl AsRegistered {
    /// The verdict on a comparison on a set of items, such as `held-out half`; `None` for one that was not registered.
    pub(crate) fn find(items: &str, quantity: RegisteredQuantity) -> Option<Self> {
        let wanted = named(quantity)?;
        AS_REGISTERED.lines().skip(1).find_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            [set, comparison, mean, lo, hi, verdict] if set == items && comparison == wanted => {
                Some(Self { found: [mean, lo, hi].map(str::to_owned), verdict: verdict.to_owned() })
            }
            _ => None,
        })
    }

    /// What was found, with the verdict: `+0.8 [-0.1, +1.7], not confirmed as registered`.
    pub(crate) fn words(&self) -> String {
        let [mean, lo, hi] = &self.found;
        format!("{mean} [{lo}, {hi}], {} as registered", self.verdict.replace('-', " "))
    }
}

/// The name of a comparison in the table: the values of its fields in order.
fn named(quantity: RegisteredQuantity) -> Option<String> {
    let fields = serde_json::to_value(quantity).ok()?;
    let word = |name: &str| fields.get(name).and_then(|value| value.as_str());
    let words: Vec<&str> = ["kind", "belief", "rule", "over", "budget"].into_iter().filter_map(word).collect();
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::extended::stage::BeliefName;

    #[test]
    fn the_verdicts_as_registered_are_found() {
        assert_eq!(AS_REGISTERED.lines().count(), 1 + 36);
        let error = RegisteredQuantity::Error { belief: BeliefName::Recalibrated };
        let found = AsRegistered::find("held-out half", error).unwrap();
        assert_eq!(found.words(), "-0.058 [-0.067, -0.049], confirmed as registered");
        assert_eq!(AsRegistered::find("no such half", error), None);
        let gain: RegisteredQuantity = serde_json::from_value(serde_json::json!({
            "kind": "advantage", "belief": "recalibrated", "rule": "delta", "over": "fewest_labels", "budget": "b10",
        }))
        .unwrap();
        assert_eq!(
            AsRegistered::find("held-out half", gain).unwrap().words(),
            "+0.8 [-0.1, +1.7], not confirmed as registered"
        );
    }
}
