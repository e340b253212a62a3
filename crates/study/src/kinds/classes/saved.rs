//! The fitted belief about classes as a file, and how it reads further items.

use std::path::Path;

use super::carried::added;
use super::config::{ClassKind, JudgeKind};
use super::judge::{JudgeReport, ONLY_VARIANT, answer_of, confidence_of};

use crate::belief_file::features::FeatureDefinition;
use crate::belief_file::file::BeliefFile;
use crate::belief_file::kind::InputColumns;
use crate::belief_file::kind::Saved;
use crate::belief_file::kind::{RowAnswer, Wrong, wrong};
use crate::input::config::StudyConfig;
use crate::input::read::StudyJudge;
use crate::model::carried::{CarriedMap, CarriedScale};
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::belief::{FittedBelief, Recalibration, Unfit, entropy};
use judge_uncertainty_evaluation::CountPool;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::judge::JudgeAnswers;

/// Columns of the counts of labels where a study has none of its own.
const LABELS: &str = "n_{class}";
/// Of so many classes the judge's shares are watched for drift.
const MOST_SHARES: usize = 50;

impl<K: ClassKind> Saved for K {
    type Kept = Option<CarriedMap>;

    fn kept(study: &Study<K>, _: &CountPool<K::OnScale>, fit: &FittedBelief) -> Option<CarriedMap> {
        study.carried_map.clone().filter(|_| starts_elsewhere(fit))
    }

    fn check_fit(
        config: &StudyConfig<K>,
        fit: &FittedBelief,
        kept: &Option<CarriedMap>,
        (features, groups): (&[&str], usize),
    ) -> std::result::Result<bool, Unfit> {
        let classes = K::classes(&config.scale).len();
        if let Some(carried) = kept {
            carried.check(classes)?;
        }
        if starts_elsewhere(fit) != kept.is_some() {
            let problem =
                "does not hold the map that the fit starts from, or one that it does not start from".to_owned();
            return Err(Unfit { field: "kept", problem });
        }
        fit.check(features, classes, groups)?;
        Ok(match fit {
            FittedBelief::Published(_) => false,
            FittedBelief::Recalibrated(fit) => fit.recalibration == Recalibration::ByGroup,
            FittedBelief::Mapped(mapped) => mapped.map.is_by_group(),
        })
    }

    fn names(config: &StudyConfig<K>, variants: &[String]) -> InputColumns {
        let judge = &config.judge;
        let alone = variants.iter().all(|variant| variant == ONLY_VARIANT);
        let answers = match &judge.columns {
            Some(columns) if alone || !judge.variants.is_empty() => columns.clone(),
            _ if alone => "p_{class}".to_owned(),
            _ => "p_{variant}_{class}".to_owned(),
        };
        let labels = config.labels.as_ref().and_then(|labels| labels.columns.clone());
        let labels = labels.filter(|columns| *columns != answers);
        let other = if answers == LABELS { "labels_{class}" } else { LABELS };
        let labels = labels.unwrap_or_else(|| other.to_owned());
        let mut names = InputColumns::new(config.items.id.as_deref(), answers, labels, config.items.group.as_deref());
        names.confidence.clone_from(&judge.confidence);
        names
    }

    fn said(judge: &StudyJudge<K>) -> Vec<(String, Vec<Option<f64>>)> {
        let q = &judge.answers.predictions.q;
        let of_item = |row: ndarray::ArrayView1<f64>| Some(entropy(row.as_slice().expect("rows are contiguous")));
        let entropies = q.rows().into_iter().map(of_item).collect();
        let share = |(k, class): (usize, &String)| {
            (format!("q_{class}"), q.column(k).iter().copied().map(Some).collect::<Vec<_>>())
        };
        let shares = judge.answers.variants.classes().iter().enumerate().take(MOST_SHARES).map(share);
        std::iter::once(("judge_entropy".to_owned(), entropies)).chain(shares).collect()
    }

    fn answer(
        config: &StudyConfig<K>,
        _: &FittedBelief,
        row: &RowAnswer<'_>,
    ) -> std::result::Result<JudgeAnswers, Wrong> {
        // Samples are counted, and counts are on any scale.
        let kind = if config.judge.kind == JudgeKind::Labels { JudgeKind::Counts } else { config.judge.kind };
        let answer = |(k, cells): (usize, &Vec<Option<f64>>)| {
            let names = &row.columns.answers[k];
            answer_of(cells, || (row.texts)(k), kind)
                .map_err(|(class, problem)| wrong(class.map(|class| names[class].as_str()), problem))
        };
        let variants: Vec<Option<Vec<f64>>> =
            row.weights.iter().enumerate().map(answer).collect::<std::result::Result<_, _>>()?;
        if variants.iter().all(Option::is_none) {
            return Err(wrong(None, Problem::NoAnswer));
        }
        let (mut sum, mut count) = (0.0, 0_u32);
        for (name, stated) in row.columns.confidence.iter().zip(&row.confidence) {
            if let Some(stated) = stated {
                sum += confidence_of(*stated, config.judge.confidence_range)
                    .map_err(|problem| wrong(Some(name), problem))?;
                count += 1;
            }
        }
        let confidence = (count > 0).then(|| sum / f64::from(count));
        Ok(JudgeAnswers { variants, confidence, ..JudgeAnswers::default() })
    }

    fn report_of_rows(config: &StudyConfig<K>, rows: usize) -> JudgeReport {
        JudgeReport::new(config.judge.kind, rows, config.judge.floor(K::classes(&config.scale).len()))
    }

    fn applied_pool(study: &Study<K>, kept: &Option<CarriedMap>, groups: Vec<usize>) -> CountPool<K::OnScale> {
        let all: Vec<usize> = (0..study.len()).collect();
        K::pool(study, &study.labels, &all)
            .with_belief(study.file.config.trust.belief, groups)
            .with_carried(kept.as_ref().map(|carried| added(carried, study, &all)))
    }
}

/// Whether a fit starts from the map of another study.
fn starts_elsewhere(fit: &FittedBelief) -> bool {
    fit.mapped().is_some_and(|mapped| mapped.map.is_on_a_carried_map())
}

/// The map of another study's belief, as [`crate::model::kind::Kind::carried_map`].
///
/// # Errors
/// No belief, one of other classes, or one that reads variants or features that this study does not have.
pub fn carried_map<K: ClassKind>(study: &Study<K>, path: &Path, bytes: &[u8]) -> Result<Option<CarriedMap>> {
    let belief = BeliefFile::<K>::parse(path, bytes)?;
    let refuse = |reason: String, remedy: &str| Error::unfit(Place::file(path), reason, remedy);
    let FittedBelief::Mapped(mapped) = belief.fit else { return Ok(None) };
    let [there, here] = [&belief.settings, &study.file.config].map(|config| K::classes(&config.scale));
    if there != here {
        let reason = format!("the map is of the classes {}, and those here are {}", there.join(", "), here.join(", "));
        let remedy = "name the same classes in the same order, or leave out trust.carry_from";
        return Err(refuse(reason, remedy));
    }
    if mapped.map.is_on_a_carried_map() {
        let reason = "that study's map itself starts from the map of another".to_owned();
        let remedy = "name the run that it was carried from under trust.carry_from, or run that study without it";
        return Err(refuse(reason, remedy));
    }
    let reads = mapped.map.reads();
    let own = &study.judge.variants;
    if let Some(lacking) = belief.variants.iter().filter(|_| reads.variants > 0).find(|name| !own.contains(name)) {
        let reason = format!("the map reads the judge's variant {lacking:?}, which this study does not have");
        let remedy = "ask the judge under it as well, or carry a map that weighs no variants: `groups`, `temperature`";
        return Err(refuse(reason, remedy));
    }
    let columns = study.feature_columns(&[], &[], None);
    let has = |name: &str| columns.iter().any(|column| column.name() == name);
    if let Some(lacking) = reads.features.iter().find(|name| !has(name)) {
        let reason = format!("the map reads the feature {lacking:?}, which this study does not have");
        let remedy = "give the items that column and list it under trust.features, or carry a map that reads no \
                      features: `matrix`, `groups`, `temperature`";
        return Err(refuse(reason, remedy));
    }
    let scale = |f: &FeatureDefinition| CarriedScale {
        name: f.name.clone(),
        mean: f.mean,
        sd: f.sd,
        limits: f.low.zip(f.high),
    };
    let features = belief.features.iter().map(scale).collect();
    let another_judge = belief.judge.is_other(&study.judge_files);
    let (title, variants, groups) = (belief.settings.title, belief.variants, belief.groups);
    Ok(Some(CarriedMap { study: title, map: mapped.map, variants, groups, features, another_judge }))
}
