//! Which code computes a claim's number.

use serde::Serialize;

/// A function of the experiments and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct CodeSource {
    /// File, relative to the root of the repository.
    pub file: &'static str,
    /// Function in it.
    pub function: &'static str,
}

impl CodeSource {
    /// Path of the function's module from this crate on, such as `experiments::dice`.
    pub(super) fn module(&self) -> String {
        let path = self.file.trim_start_matches("crates/paper/src/").trim_end_matches(".rs").trim_end_matches("/mod");
        path.replace('/', "::")
    }
}

const SIMULATIONS: &str = "crates/paper/src/experiments/simulations/mod.rs";
const CALIBRATED: &str = "crates/paper/src/experiments/simulations/calibrated.rs";
const MISSPECIFIED: &str = "crates/paper/src/experiments/simulations/misspecified.rs";
const ISOLATION: &str = "crates/paper/src/experiments/isolation.rs";
const DICE: &str = "crates/paper/src/experiments/dice.rs";
const CHAOSNLI: &str = "crates/paper/src/experiments/chaosnli.rs";

/// Beginnings of quantity paths, with what computes them. The longest that fits a quantity counts.
const SOURCES: &[(&str, &str, &str)] = &[
    ("simulations/trust_spread", CALIBRATED, "evaluate"),
    ("simulations/correlation", CALIBRATED, "evaluate"),
    ("simulations/informativeness", CALIBRATED, "evaluate"),
    ("simulations/dose_response", CALIBRATED, "evaluate"),
    ("simulations/criterion", SIMULATIONS, "bootstrap"),
    ("simulations/tracking", SIMULATIONS, "run"),
    ("simulations/null", SIMULATIONS, "null"),
    ("simulations/isolation", ISOLATION, "correlations"),
    ("simulations/misspecified", MISSPECIFIED, "world_outcome"),
    ("simulations/derived", SIMULATIONS, "derive"),
    ("dice", DICE, "run"),
    ("dice/tiers", DICE, "tier_row"),
    ("dice/isolation", ISOLATION, "correlations"),
    ("dice/isolation/judge_entropy_error", DICE, "draw"),
    ("dice/isolation/total_error", DICE, "draw"),
    ("dice/convergence", DICE, "convergence"),
    ("dice/convergence_range", DICE, "convergence"),
    ("dice/low_confidence_minus_random_pp", DICE, "evaluate"),
    ("dice/judge_entropy_minus_delta_pp", DICE, "evaluate"),
    ("dice/self_update", DICE, "self_updating"),
    ("chaosnli", CHAOSNLI, "run"),
    ("chaosnli/judge", CHAOSNLI, "describe_judge"),
    ("chaosnli/full", CHAOSNLI, "replicate"),
    ("chaosnli/derived", CHAOSNLI, "derive"),
];

/// What computes a quantity; `None` for quantities of other programs.
pub(super) fn code_of(quantity: &str) -> Option<CodeSource> {
    let fits = |path: &str| quantity.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let longest = SOURCES.iter().filter(|(path, ..)| fits(path)).max_by_key(|(path, ..)| path.len());
    longest.map(|&(_, file, function)| CodeSource { file, function })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Claims;
    use std::path::Path;

    #[test]
    fn every_claim_leads_to_code_that_exists() {
        let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let claims = Claims::load(&root.join("data/paper/claims.toml")).unwrap();
        let mut used = std::collections::BTreeSet::new();
        assert_eq!(code_of("dice/isolation/judge_entropy_error/mean").unwrap().function, "draw");
        let readings = claims.readings.iter().map(|reading| &reading.literal);
        for claim in claims.claims.iter().chain(readings) {
            let source = code_of(&claim.quantity).unwrap_or_else(|| panic!("{}: no source", claim.quantity));
            used.insert((source.file, source.function));
        }
        for (path, file, function) in SOURCES {
            let code = std::fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{path}: {file}: {e}"));
            assert!(code.contains(&format!("fn {function}(")), "{path}: {file} has no function {function}");
            assert!(used.contains(&(*file, *function)), "{path}: no claim leads to {file}, {function}");
        }
        assert_eq!(code_of("dice/tiers/none/judge_error").unwrap().module(), "experiments::dice");
        assert_eq!(code_of("simulations/null/x").unwrap().module(), "experiments::simulations");
        assert_eq!(code_of("dicey/x"), None);
    }
}
