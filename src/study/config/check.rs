//! What a configuration may hold, and where in its file a value stands that it may not.

use std::path::Path;

use super::{
    EvaluationConfig, Format, ItemsConfig, JudgeConfig, JudgeKind, LabelsConfig, MOST_CLASSES, OWN_FEATURES,
    StudyConfig,
};
use crate::belief::BeliefModel;
use crate::belief::recalibration::Recalibration;
use crate::dataset::error::{Error, Place, Problem, Result};
use crate::escalation::Budget;
use crate::output::TextPosition;

/// Line and column of a byte.
pub(super) fn place(path: &Path, text: &str, offset: usize) -> Place {
    let TextPosition { line, column } = TextPosition::of(text, offset);
    Place::file(path).at_line(line as u64).at_character(column)
}

/// Checks a configuration against the text that it was read from.
pub(super) struct Check<'t> {
    pub(super) path: &'t Path,
    pub(super) text: &'t str,
}

impl Check<'_> {
    /// Where a setting `table.key` (or `key`, above all tables) stands; the file as a whole where it is not written as
    /// one line of its table.
    fn place_of(&self, setting: &str) -> Place {
        let (table, key) = setting.rsplit_once('.').unwrap_or(("", setting));
        let (mut here, mut offset) = (String::new(), 0);
        for line in self.text.split_inclusive('\n') {
            let trimmed = line.trim();
            if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                here = name.trim().to_owned();
            } else if here == table
                && let Some(rest) = trimmed.strip_prefix(key)
                && rest.trim_start().starts_with('=')
            {
                return place(self.path, self.text, offset + line.len() - line.trim_start().len());
            }
            offset += line.len();
        }
        Place::file(self.path)
    }

    pub(super) fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        let [setting_, value, reason, remedy] = [setting, value, reason, remedy].map(str::to_owned);
        Error::refused(self.place_of(setting), Problem::Setting { setting: setting_, value, reason, remedy })
    }

    fn that(&self, holds: bool, setting: &str, value: &dyn std::fmt::Debug, reason: &str, remedy: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.refuse(setting, &format!("{value:?}"), reason, remedy)) }
    }

    /// Checks every value.
    pub(super) fn all(&self, config: &StudyConfig) -> Result<()> {
        self.that(!config.title.trim().is_empty(), "title", &config.title, "is blank", "name the study")?;
        let classes = config.classes.len();
        self.that(classes >= 2, "classes", &config.classes, "a label needs a choice", "name two or more classes")?;
        self.that(
            classes <= MOST_CLASSES,
            "classes",
            &format!("[... {classes} classes ...]"),
            "a study has at most 1000 classes, because every item gets several columns per class",
            "merge rare classes, or leave out those that neither judge nor annotators use",
        )?;
        self.each_once("classes", &config.classes)?;
        let blank = config.classes.iter().any(|class| class.trim().is_empty());
        self.that(!blank, "classes", &config.classes, "a class is blank", "name every class")?;
        self.judge(&config.judge, config)?;
        self.items(&config.items)?;
        self.multilabel(config)?;
        self.labels(&config.labels)?;
        self.evaluation(&config.evaluation)?;
        if let BeliefModel::Recalibrated(options) = &config.trust.belief {
            let grouped = options.recalibration != Recalibration::ByGroup || config.items.group.is_some();
            let remedy = "name the column of the groups as items.group, or take recalibration = \"shared\"";
            self.that(grouped, "trust.belief", &"by_group", "the items have no groups", remedy)?;
            let positive = options.ridge > 0.0 && options.ridge.is_finite();
            self.that(positive, "trust.belief", &options.ridge, "a penalty is above 0", "give ridge = 1")?;
        }
        if let Some(features) = &config.trust.features {
            self.each_once("trust.features", features)?;
        }
        let neighbours = config.familiarity.as_ref().map_or(1, |familiarity| familiarity.neighbours);
        self.that(
            (1..=1000).contains(&neighbours),
            "familiarity.neighbours",
            &neighbours,
            "is outside 1 to 1000",
            "choose a number such as 10",
        )
    }

    fn each_once(&self, setting: &str, names: &[String]) -> Result<()> {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.refuse(setting, &format!("{:?}", pair[0]), "stands there twice", "name it once")),
            None => Ok(()),
        }
    }

    fn items(&self, items: &ItemsConfig) -> Result<()> {
        let features: Vec<String> = items.numbers.iter().chain(&items.categories).cloned().collect();
        for (setting, names) in [("items.numbers", &items.numbers), ("items.categories", &items.categories)] {
            let own = names.iter().find(|name| OWN_FEATURES.contains(&name.as_str()));
            let remedy = "rename the column in the file and here";
            self.that(own.is_none(), setting, &own, "is the name of a feature that every study has", remedy)?;
        }
        self.each_once("items.categories", &features)
    }

    fn multilabel(&self, config: &StudyConfig) -> Result<()> {
        let (setting, labels) = ("items.multilabel", &config.items.multilabel);
        if labels.is_empty() {
            return Ok(());
        }
        self.each_once(setting, labels)?;
        let blank = labels.iter().any(|label| label.trim().is_empty());
        self.that(!blank, setting, labels, "a label is blank", "name every label")?;
        let lewidi = [config.items.format, config.labels.format] == [Some(Format::LeWiDi); 2];
        let remedy = "set format = \"lewidi\" under [items] and [labels]";
        self.that(lewidi, setting, labels, "only LeWiDi files have several labels in an annotation", remedy)?;
        let answers = config.classes == ["0", "1"];
        let remedy = "write classes = [\"0\", \"1\"]: the label does not apply, or it does";
        self.that(answers, "classes", &config.classes, "every label is a question of its own here", remedy)
    }

    fn judge(&self, judge: &JudgeConfig, config: &StudyConfig) -> Result<()> {
        let classes = config.classes.len() as f64;
        if let Some(floor) = judge.floor {
            let fits = floor > 0.0 && floor * classes < 1.0;
            let remedy = "choose a small positive share, such as 0.005";
            self.that(fits, "judge.floor", &floor, "is outside the open range from 0 to 1/classes", remedy)?;
        }
        let (low, high) = judge.confidence_range;
        let range = low.is_finite() && high.is_finite() && low < high;
        let remedy = "write [lowest, highest], such as [0, 100]";
        self.that(range, "judge.confidence_range", &judge.confidence_range, "is no range", remedy)?;
        let share = (0.0..=1.0).contains(&judge.least_mass);
        self.that(share, "judge.least_mass", &judge.least_mass, "is outside 0 to 1", "write a share such as 0.9")?;
        let pattern = judge.columns.as_deref().unwrap_or("{class}");
        let remedy = "write a name with {class} in it, such as \"p_{class}\"";
        self.that(pattern.contains("{class}"), "judge.columns", &pattern, "does not name the class", remedy)?;
        let (wide, listed) = (pattern.contains("{variant}"), !judge.variants.is_empty());
        let remedy = "put {variant} into columns and name the variants, or neither";
        self.that(wide == listed, "judge.variants", &judge.variants, "does not go with columns", remedy)?;
        self.that(
            !(wide && judge.variant.is_some()),
            "judge.variant",
            &judge.variant,
            "variants stand either side by side or row by row",
            "remove variant, or {variant} from columns",
        )?;
        let sampled = judge.kind == JudgeKind::Labels && judge.columns.is_some();
        let remedy = "remove it: labels stand in the column named by label";
        self.that(!sampled, "judge.columns", &judge.columns, "sampled labels have no columns of classes", remedy)?;
        self.each_once("judge.variants", &judge.variants)?;
        let special = matches!(judge.format, Some(Format::ChaosNli | Format::LeWiDi));
        self.that(!special, "judge.format", &judge.format, "holds no judge", "write \"csv\" or \"jsonl\"")
    }

    fn labels(&self, labels: &LabelsConfig) -> Result<()> {
        let special = matches!(labels.format, Some(Format::ChaosNli | Format::LeWiDi));
        let remedy = "write form = \"counts\" (a row per item) or form = \"long\" (a row per label)";
        self.that(special || labels.form.is_some(), "labels.form", &"", "is not given", remedy)?;
        let remedy = "remove it: the file's layout is known";
        self.that(!(special && labels.form.is_some()), "labels.form", &labels.form, "has no meaning here", remedy)?;
        let pattern = labels.columns.as_deref().unwrap_or("{class}");
        let remedy = "write a name with {class} in it, such as \"n_{class}\"";
        self.that(pattern.contains("{class}"), "labels.columns", &pattern, "does not name the class", remedy)
    }

    pub(super) fn evaluation(&self, evaluation: &EvaluationConfig) -> Result<()> {
        let setting = |key: &str| format!("evaluation.{key}");
        let replicates = evaluation.replicates;
        let fits = replicates == 0 || (2..=100_000).contains(&replicates);
        let remedy = "choose 0 for no evaluation, or 2 to 100000";
        self.that(fits, &setting("replicates"), &replicates, "is no number of replicates", remedy)?;
        let bad = evaluation.budgets.iter().find(|&&percent| Budget::percent(percent).is_none());
        let (key, remedy) = (setting("budgets"), "write whole percentages from 1 to 100, such as [1, 5, 10, 20]");
        self.that(bad.is_none(), &key, &bad, "a budget is a percentage", remedy)?;
        let ascending = evaluation.budgets.is_sorted_by(|a, b| a < b) && !evaluation.budgets.is_empty();
        self.that(ascending, &key, &evaluation.budgets, "budgets are needed in ascending order", remedy)?;
        let reveals = !evaluation.reveal.is_empty() && evaluation.reveal.iter().any(|&n| n > 0);
        let remedy = "write numbers of labels, one of them above 0, such as [0, 1, 2, 5, 10]";
        self.that(reveals, &setting("reveal"), &evaluation.reveal, "no item would have labels", remedy)?;
        let remedy = "write 4 or more: half of the labels are the truth, and its noise needs two";
        self.that(
            evaluation.least_labels >= 4,
            &setting("least_labels"),
            &evaluation.least_labels,
            "is too few to split",
            remedy,
        )
    }
}
