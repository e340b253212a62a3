//! Classes as a kind of label, and what every kind of classes says of its belief, with or without a scale.

use std::path::Path;

use ndarray::Axis;

use super::carried::{self, added, starts_elsewhere};
use super::config::{self, ClassKind, JudgeKind};
use super::judge::{ONLY_VARIANT, answer_of, answers, confidence_of};
use super::reports::{self, ClassFindings, ClassFit};
use crate::belief_file::file::BeliefFile;
use crate::belief_file::kind::{InputColumns, RowAnswer, Wrong, wrong};
use crate::input::check::Check;
use crate::input::config::StudyConfig;
use crate::input::labels::Labels;
use crate::input::read::KindFacts;
use crate::model::carried::CarriedMap;
use crate::model::kind::{CameBack, Decomposition, Kind, Study};
use crate::results::parts::EvidenceReport;
use crate::results::parts::PartAverages;
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, BeliefTable, ClassBelief, ClassBeliefs, Dirichlet, FittedBelief, Unfit, mean_place,
};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_evaluation::{CountPool, Nominal};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::judge::{JudgeAnswers, Predictions};
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// Columns of the counts of labels where a study has none of its own.
const LABELS: &str = "n_{class}";

/// Labels that are one of several classes: `classes = ["yes", "no"]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classes;

impl ClassKind for Classes {
    const OWN_FACTS: KindFacts = KindFacts {
        key: "classes",
        on_scale: false,
        name: "classes",
        labels: "classes",
        ranked_by: |row| row.classes,
        limits_trust: true,
        reference: Rule::JudgeEntropy,
    };

    type Scale = Vec<String>;
    type OnScale = Nominal;

    fn classes(scale: &Vec<String>) -> &[String] {
        scale
    }

    fn on_scale(_: &Vec<String>) -> Nominal {
        Nominal
    }

    fn parts(decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        let part = |name: &str, unit: &'static str, meaning: &str, of: fn(Dirichlet<'_>) -> f64| {
            OutputColumn::numbers(name, unit, meaning, decomposition.map(of))
        };
        vec![
            part(
                "total",
                "nats, 0 to ln K",
                "Total uncertainty about a fresh label: entropy of the posterior mean = aleatoric + epistemic",
                |b| b.total(),
            ),
            part("aleatoric", "nats", "Aleatoric part: disagreement that labels cannot reduce", |b| b.aleatoric()),
            part(
                "epistemic",
                "nats",
                "Epistemic part: what one further label tells about the label distribution",
                |b| b.epistemic(),
            ),
            part("v", "0 to 1", "Posterior spread: expected squared error of the posterior mean", |b| b.spread()),
            part("delta", "0 to 1", "One-label value Delta: how much one label is expected to lower v", |b| {
                b.label_value()
            }),
        ]
    }
}

impl<K: ClassKind> Kind for K {
    type Pool = CountPool<K::OnScale>;
    type FitReport = ClassFit;
    type Findings = ClassFindings;
    type Kept = Option<CarriedMap>;
    type CarriedMap = CarriedMap;

    fn check(config: &StudyConfig<K>, check: &Check<'_>) -> Result<()> {
        K::check_scale(&config.scale, check)?;
        config::check(config, check)
    }

    fn fill(config: &mut StudyConfig<K>) {
        config.judge.floor = Some(config.judge.floor(K::classes(&config.scale).len()));
    }

    fn confidence_range(config: &StudyConfig<K>) -> Option<(f64, f64)> {
        config.judge.confidence_range
    }

    fn is_as_stated(fit: &FittedBelief) -> bool {
        fit.mapped().is_none_or(|mapped| mapped.map.is_as_stated())
    }

    fn carried_map(study: &Study<K>, path: &Path, belief: BeliefFile<K>) -> Result<Option<CarriedMap>> {
        carried::read(study, path, belief)
    }

    fn pool_under(
        study: &Study<K>,
        labels: &Labels,
        kept: &[usize],
        (model, groups): (BeliefModel, Vec<usize>),
        of_fit: Option<&Option<CarriedMap>>,
    ) -> Self::Pool {
        let (judge, config) = (&study.judge, &study.file.config);
        let counts = labels.counts.select(Axis(0), kept);
        let some = |values: &[Option<f64>]| kept.iter().map(|&i| values[i]).collect();
        let (q, spread, confidence) =
            (judge.predictions.select(Axis(0), kept), some(&judge.spread), some(&judge.confidence));
        let pool =
            CountPool::on_scale(counts.view(), Predictions { q, spread, confidence }, K::on_scale(&config.scale))
                .with_belief(model, groups)
                .with_prior(config.trust.prior);
        if !config.trust.belief.reads_variants() {
            return pool;
        }
        let floor = config.judge.floor(counts.ncols());
        let variants = answers(study).by_variant(kept, floor);
        let variants = variants.expect("the answers were aggregated with this floor before");
        let carried = of_fit.map_or(study.carried_map.as_ref(), Option::as_ref);
        let carried = carried.map(|carried| added(carried, study, kept));
        pool.with_variants(variants).with_twins(study.items.twins(kept)).with_carried(carried)
    }

    fn warnings(study: &Study<K>) -> Vec<String> {
        let mut warnings = vec![];
        if let Some(mass) = study.judge.report.mass.filter(|mass| mass.warned > 0) {
            warnings.push(format!(
                "{} of the judge's answers put less than {} of their probability on the classes (least {:.3}); they \
                 are scaled up, but say little",
                mass.warned, study.file.config.judge.least_mass, mass.least
            ));
        }
        let classes = K::classes(&study.file.config.scale);
        warnings.extend(reports::lifted(study, classes));
        let per_class = study.labels.counts.columns().into_iter().zip(classes);
        let unused: Vec<&str> = per_class.filter(|(n, _)| n.sum() == 0).map(|(_, class)| class.as_str()).collect();
        if !unused.is_empty() && study.labels.counts.iter().any(|n| *n > 0) {
            warnings.push(format!("no label says {}", unused.join(", ")));
        }
        warnings
    }

    fn fit_report(study: &Study<K>, decomposition: &Decomposition<K>) -> ClassFit {
        ClassFit::new(study, decomposition)
    }

    fn findings(_: &Study<K>, decomposition: &Decomposition<K>) -> ClassFindings {
        ClassFindings {
            decomposition: K::OWN_FACTS.on_scale.then(|| PartAverages::new(decomposition, None)),
            evidence: EvidenceReport::new(decomposition).expect("classes are ranked by total uncertainty"),
        }
    }

    fn columns(study: &Study<K>, decomposition: &Decomposition<K>) -> Vec<OutputColumn> {
        let classes = K::classes(&study.file.config.scale);
        let beliefs = &decomposition.fitted.beliefs;
        let mut columns = vec![OutputColumn::new(
            "labels",
            "labels",
            "Human labels in hand",
            ColumnValues::Count(decomposition.numbers.clone()),
        )];
        for (k, class) in classes.iter().enumerate() {
            let counts = ColumnValues::Count(study.labels.counts.column(k).to_vec());
            columns.push(OutputColumn::new(format!("n_{class}"), "labels", format!("Human labels {class:?}"), counts));
        }
        for (k, class) in classes.iter().enumerate() {
            let q = study.judge.predictions.column(k);
            let meaning = format!("The judge's predicted share of {class:?}: mean over variants, floored");
            columns.push(OutputColumn::numbers(format!("q_{class}"), "0 to 1", meaning, q.iter().copied()));
        }
        let meaning = "Trust lambda: how many labels the judge's prediction is worth";
        columns.push(OutputColumn::numbers("trust", "labels", meaning, decomposition.trust.iter().copied()));
        let evidence = (0..beliefs.len()).map(|i| beliefs.of_classes(i).evidence());
        let meaning = "Total evidence alpha_0 = trust + labels";
        columns.push(OutputColumn::numbers("total_evidence", "labels", meaning, evidence));
        for (k, class) in classes.iter().enumerate() {
            let means = (0..beliefs.len())
                .map(|i| beliefs.of_classes(i).classes().alpha()[k] / beliefs.of_classes(i).evidence());
            let meaning = format!("Posterior mean share of {class:?}");
            columns.push(OutputColumn::numbers(format!("mean_{class}"), "0 to 1", meaning, means));
        }
        columns.extend(K::parts(decomposition));
        columns
    }

    fn came_back(study: &Study<K>, before: &Decomposition<K>) -> Vec<Option<CameBack>> {
        let beliefs = &before.fitted.beliefs;
        let added = study.labels.counts_of(|label| label.batch.is_some());
        let Some(places) = <K as ClassKind>::places(&study.file.config.scale) else {
            let gini = |item: usize| beliefs.of_classes(item).classes().gini();
            return reports::came_back(beliefs, &added, gini, reports::squared_error);
        };
        let error = |alpha: &[f64], label: usize| {
            let total: f64 = alpha.iter().sum();
            let mean: Vec<f64> = alpha.iter().map(|a| a / total).collect();
            (places[label] - mean_place(&mean, places)).powi(2)
        };
        reports::came_back(beliefs, &added, |item| beliefs.get(item).total(), error)
    }

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
}
