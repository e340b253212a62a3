//! Whether a judge that states more confidence errs less.

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::stats::{Summary, mean};

/// Groups that the items are divided into, unless ties make them fewer.
const GROUPS: usize = 10;

/// Items of similar stated confidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceGroup {
    /// Items.
    pub items: usize,
    /// Lowest stated confidence, 0 to 100.
    pub lowest: f64,
    /// Highest.
    pub highest: f64,
    /// Mean.
    pub confidence: f64,
    /// Manhattan error of the judge's prediction, 0 to 2, over the items of the group.
    pub error: Summary,
}

/// Divides the items that have a confidence into about ten groups of rising confidence and equal size.
///
/// Items of equal confidence stay together: a group is full when it holds at least a tenth of the items and the next
/// item states more. A last group of less than half a tenth joins the one before it.
pub fn calibration(confidence: &[Option<f64>], errors: &[f64]) -> Vec<ConfidenceGroup> {
    let mut stated: Vec<(f64, f64)> = confidence.iter().zip(errors).filter_map(|(c, e)| c.map(|c| (c, *e))).collect();
    stated.sort_by(|a, b| a.0.total_cmp(&b.0));
    let full = stated.len().div_ceil(GROUPS);
    let mut groups: Vec<Vec<(f64, f64)>> = vec![];
    for item in stated {
        match groups.last_mut() {
            Some(group) if group.len() < full || group[group.len() - 1].0 == item.0 => group.push(item),
            _ => groups.push(vec![item]),
        }
    }
    if groups.len() > 1 && groups[groups.len() - 1].len() * 2 < full {
        let rest = groups.pop().unwrap_or_default();
        groups.last_mut().expect("a group is left").extend(rest);
    }
    groups.iter().map(|group| ConfidenceGroup::new(group)).collect()
}

impl ConfidenceGroup {
    fn new(group: &[(f64, f64)]) -> Self {
        let (confidence, errors): (Vec<f64>, Vec<f64>) = group.iter().copied().unzip();
        Self {
            items: group.len(),
            lowest: confidence[0],
            highest: confidence[confidence.len() - 1],
            confidence: mean(&confidence),
            error: Summary::new(&errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(confidence: &[Option<f64>]) -> Vec<(usize, f64, f64)> {
        let errors = vec![0.5; confidence.len()];
        calibration(confidence, &errors).iter().map(|g| (g.items, g.lowest, g.highest)).collect()
    }

    #[test]
    fn ties_stay_together_and_missing_confidence_is_left_out() {
        assert!(groups(&[None, None]).is_empty());
        let distinct: Vec<Option<f64>> = (0..40).rev().map(|c| Some(f64::from(c))).collect();
        let found = groups(&distinct);
        assert_eq!((found.len(), found[0], found[9]), (10, (4, 0.0, 3.0), (4, 36.0, 39.0)));
        // Twelve items: a tenth is two. Seven at 0 stay one group, and half of two is enough for the last.
        let tied: Vec<Option<f64>> = [0, 0, 0, 0, 0, 0, 0, 50, 50, 60, 70, 90].map(|c| Some(f64::from(c))).into();
        assert_eq!(groups(&tied), [(7, 0.0, 0.0), (2, 50.0, 50.0), (2, 60.0, 70.0), (1, 90.0, 90.0)]);
        let mut sparse = vec![Some(1.0); 30];
        sparse.push(Some(2.0));
        assert_eq!(groups(&sparse), [(31, 1.0, 2.0)]);
    }

    #[test]
    fn a_group_summarises_its_errors() {
        let found = calibration(&[Some(3.0), Some(1.0), Some(3.0), None], &[0.4, 1.0, 0.2, 9.0]);
        assert_eq!((found.len(), found[1].items), (2, 2));
        assert!((found[1].error.mean - 0.3).abs() < 1e-15 && found[0].error.mean == 1.0);
    }
}
