//! Classes as a kind of label, and what every kind of classes says of its belief, with or without a scale.

use std::path::Path;

use super::carried::added;
use super::config::{self, ClassKind, JudgeConfig, LabelsConfig};
use super::diagnostics::JudgeDiagnostics;
use super::reports::{self, ClassFindings, ClassFit, mean_share};
use super::saved;
use super::soft_scores::SoftScores;
use crate::input::check::Check;
use crate::input::config::{Configured, StudyConfig};
use crate::input::labels::Labels;
use crate::input::question::LabelValue;
use crate::model::carried::CarriedMap;
use crate::model::kind::{CameBack, Decomposition, Estimand, Kind, KindFacts, Study};
use crate::registration::hypothesis::Measure;
use crate::results::cards::Profile;
use crate::results::parts::EvidenceReport;
use crate::results::parts::PartAverages;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, BeliefTable, ClassBelief, ClassBeliefs, Mixture, mean_place,
};
use judge_uncertainty_core::escalation::value::label_of;
use judge_uncertainty_core::escalation::{Observed, Rule};
use judge_uncertainty_evaluation::{ClassScale, CountPool, Nominal};
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// Labels that are one of several classes: `classes = ["yes", "no"]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classes;

impl Configured for Classes {
    const KEY: &'static str = "classes";
    type Scale = Vec<String>;
    type JudgeConfig = JudgeConfig;
    type LabelsConfig = LabelsConfig;
}

impl ClassKind for Classes {
    const OWN_FACTS: KindFacts = KindFacts {
        on_scale: false,
        name: "classes",
        labels: "classes",
        ranked_by: |row| row.classes,
        limits_trust: true,
        reference: Rule::JudgeEntropy,
        measures: &[Measure::Value, Measure::SelectiveError, Measure::SelectiveSquaredError],
        agreement: "cohen",
    };

    type OnScale = Nominal;
    type Judged = JudgeDiagnostics;

    fn classes(scale: &Vec<String>) -> &[String] {
        scale
    }

    fn on_scale(_: &Vec<String>) -> Nominal {
        Nominal
    }

    fn judged(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> JudgeDiagnostics {
        JudgeDiagnostics::new(study, kept, noise_ceiling)
    }

    fn parts(decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        let part = |name: &str, unit: &'static str, meaning: &str, of: fn(Mixture<'_>) -> f64| {
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
    const FACTS: KindFacts = K::OWN_FACTS;

    type Pool = CountPool<K::OnScale>;
    type FitReport = ClassFit;
    type Findings = ClassFindings;
    type Diagnostics = K::Judged;

    fn check(config: &StudyConfig<K>, check: &Check<'_>) -> Result<()> {
        K::check_scale(&config.scale, check)?;
        config::check(config, check)
    }

    fn fill(config: &mut StudyConfig<K>) {
        config.judge.floor = Some(config.judge.floor(K::classes(&config.scale).len()));
    }

    fn carried_map(study: &Study<K>, path: &Path, bytes: &[u8]) -> Result<Option<CarriedMap>> {
        saved::carried_map(study, path, bytes)
    }

    fn pool(study: &Study<K>, labels: &Labels, kept: &[usize]) -> Self::Pool {
        let counts = labels.counts.select(ndarray::Axis(0), kept);
        let answers = &study.judge.answers;
        let scale = K::on_scale(&study.file.config.scale);
        let pool = CountPool::on_scale(counts.view(), answers.predictions.select(kept), scale)
            .with_belief(study.file.config.trust.belief, study.items.groups_of(kept))
            .with_prior(study.file.config.trust.prior);
        if !study.file.config.trust.belief.reads_variants() {
            return pool;
        }
        let floor = study.file.config.judge.floor(answers.variants.classes().len());
        let variants = answers.variants.by_variant(floor).expect("the answers were aggregated with this floor before");
        let variants = variants.iter().map(|q| q.select(ndarray::Axis(0), kept)).collect();
        let carried = study.carried_map.as_ref().map(|carried| added(carried, study, kept));
        pool.with_variants(variants).with_twins(study.items.twins(kept)).with_carried(carried)
    }

    fn with_belief(pool: Self::Pool, model: BeliefModel, groups: Vec<usize>) -> Self::Pool {
        pool.with_belief(model, groups)
    }

    /// Stated confidence ranks only where some item has one, and of classes without a scale the rules beyond the paper
    /// come with the belief beyond it.
    fn rules(study: &Study<K>) -> Vec<Rule> {
        let confidence = study.judge.confidence.iter().any(Option::is_some);
        let beyond = K::FACTS.on_scale || study.file.config.trust.belief.is_beyond_the_paper();
        let mut rules = Rule::those(K::FACTS.ranked_by);
        rules.retain(|rule| (confidence || *rule != Rule::LowConfidence) && (beyond || rule.row().published));
        rules
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

    fn findings(study: &Study<K>, decomposition: &Decomposition<K>) -> ClassFindings {
        let profile = study.file.config.judge.metric_profile;
        ClassFindings {
            decomposition: K::FACTS.on_scale.then(|| PartAverages::new(decomposition, None)),
            evidence: EvidenceReport::new(decomposition).expect("classes are ranked by total uncertainty"),
            soft_scores: profile.map(|profile| SoftScores::new(&study.judge.answers, &study.labels, profile)),
        }
    }

    fn diagnostics(study: &Study<K>, kept: &[usize], noise_ceiling: f64) -> K::Judged {
        K::judged(study, kept, noise_ceiling)
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
            let q = study.judge.answers.predictions.q.column(k);
            let meaning = format!("The judge's predicted share of {class:?}: mean over variants, floored");
            columns.push(OutputColumn::numbers(format!("q_{class}"), "0 to 1", meaning, q.iter().copied()));
        }
        let meaning = "Trust lambda: how many labels the judge's prediction is worth";
        columns.push(OutputColumn::numbers("trust", "labels", meaning, decomposition.trust.iter().copied()));
        let evidence = (0..beliefs.len()).map(|i| beliefs.of_classes(i).evidence());
        let meaning = "Total evidence alpha_0 = trust + labels";
        columns.push(OutputColumn::numbers("total_evidence", "labels", meaning, evidence));
        for (k, class) in classes.iter().enumerate() {
            let means = (0..beliefs.len()).map(|i| mean_share(beliefs, i, k));
            let meaning = format!("Posterior mean share of {class:?}");
            columns.push(OutputColumn::numbers(format!("mean_{class}"), "0 to 1", meaning, means));
        }
        columns.extend(K::parts(decomposition));
        columns
    }

    fn came_back(study: &Study<K>, before: &Decomposition<K>) -> Vec<Option<CameBack>> {
        let beliefs = &before.fitted.beliefs;
        let added = study.labels.counts_of(|label| label.batch.is_some());
        let scale = K::on_scale(&study.file.config.scale);
        let Some(places) = scale.places() else {
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

    fn prediction(study: &Study<K>, item: usize) -> String {
        K::classes(&study.file.config.scale)[reports::likeliest(&study.judge.answers, item)].clone()
    }

    fn against_judge(study: &Study<K>, item: usize, label: LabelValue) -> f64 {
        let answers = &study.judge.answers;
        match (label, K::on_scale(&study.file.config.scale).places()) {
            (label, None) => f64::from(u8::from(label == LabelValue::Class(reports::likeliest(answers, item)))),
            (LabelValue::Class(class), Some(places)) => {
                places[class] - mean_place(row(answers.predictions.q.row(item)), places)
            }
            (LabelValue::Score(_), Some(_)) => f64::NAN,
        }
    }

    fn profile(study: &Study<K>, decomposition: &Decomposition<K>, item: usize) -> Profile {
        let judge = study.judge.answers.predictions.q.row(item).to_vec();
        let beliefs = &decomposition.fitted.beliefs;
        let belief = (0..judge.len()).map(|class| mean_share(beliefs, item, class)).collect();
        Profile::Shares { judge, belief, counts: study.labels.counts.row(item).to_vec() }
    }

    fn fresh_label(study: &Study<K>, decomposition: &Decomposition<K>, item: usize, u: f64) -> Vec<f64> {
        let belief = decomposition.fitted.beliefs.of_classes(item);
        let class = label_of(u, belief.classes().mean());
        let shares: Vec<f64> = (0..belief.classes().classes()).map(|k| f64::from(u8::from(k == class))).collect();
        let scale = K::on_scale(&study.file.config.scale);
        scale.places().map(|places| mean_place(&shares, places)).into_iter().chain(shares).collect()
    }

    fn quantities(scale: &K::Scale) -> Vec<Estimand> {
        let on_scale = K::on_scale(scale);
        let ends = on_scale.places().and_then(|places| Some((*places.first()?, *places.last()?)));
        let place =
            ends.map(|(low, high)| Estimand { name: "mean_place".to_owned(), range: (low, low + (high - low)) });
        let share = |class: &String| Estimand { name: format!("mean_{class}"), range: (0.0, 1.0) };
        place.into_iter().chain(K::classes(scale).iter().map(share)).collect()
    }

    fn observed(study: &Study<K>, labels: &Labels) -> Vec<Vec<Option<Observed>>> {
        let counts = &labels.counts;
        let scale = K::on_scale(&study.file.config.scale);
        let of_places = scale.places().map(|places| {
            let place = |counts: ndarray::ArrayView1<u32>| {
                let n: u32 = counts.sum();
                let sum = |k: i32| counts.iter().zip(places).map(|(&c, s)| f64::from(c) * s.powi(k)).sum::<f64>();
                let mean = sum(1) / f64::from(n);
                (n > 0).then(|| Observed::from_labels(n, mean, (sum(2) - sum(1) * mean).max(0.0)))
            };
            counts.rows().into_iter().map(place).collect()
        });
        of_places.into_iter().chain(reports::added_shares(counts)).collect()
    }
}
