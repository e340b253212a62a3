//! What a judge is asked about: items, the labels they may get, prompt variants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Error;
use judge_uncertainty_formats::dataset::originals::{ORIGINALS, OriginalItem};
use judge_uncertainty_formats::error::{Error as DataError, Place};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_study::input::config::{FileFormat, StudyFile};
use judge_uncertainty_study::input::items;
use judge_uncertainty_study::input::labels::Labels;
use judge_uncertainty_study::input::log::LabelLog;
use judge_uncertainty_study::input::source::{Source, format_of, read_table};
use judge_uncertainty_study::queue::Question;
use judge_uncertainty_study::{Kind, with_kind};

/// Labels of the ChaosNLI items: entailment, neutral, contradiction.
const NLI: [&str; 3] = ["e", "n", "c"];

/// Items to ask about.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Name of the experiment or study, for the summary and the default output folder.
    pub name: String,
    /// First part of the names of its prompt templates: `dice`, `nli` or `study`.
    pub prompts: &'static str,
    /// What annotators are asked, for the templates of a study.
    pub question: String,
    /// What they answer with.
    pub answers: AnswerScale,
    /// Names of the prompt variants.
    pub variants: Vec<String>,
    /// The items in order; ids are unique.
    pub items: Vec<Item>,
    /// Items beyond a limit, which nobody is asked about.
    pub left_out: Vec<Item>,
    /// What is to be said of the study that the items come from.
    pub warnings: Vec<String>,
    /// The truth about every item, then about those left out, where it is known; no prompt shows it.
    pub truth: Option<Vec<Truth>>,
}

/// What annotators answer with.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerScale {
    /// One of these classes, two or more.
    Classes(Vec<String>),
    /// A real-valued score, on a scale if one is given.
    Score {
        /// Lowest and highest score.
        scale: Option<(f64, f64)>,
    },
}

/// One item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its id, letter by letter.
    pub id: String,
    /// What the templates may say of it, by name. What a template must not tell is not in here.
    pub text: BTreeMap<String, String>,
    /// Labels in hand by class; empty where there are none.
    pub labels: Vec<u32>,
}

/// What is true of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Shares of the classes among the labels of all annotators.
    pub shares: Vec<f64>,
    /// How much its text tells, 0 to 1, where that is known.
    pub told: Option<f64>,
}

impl AnswerScale {
    /// The classes, none for scores.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Classes(classes) => classes,
            Self::Score { .. } => &[],
        }
    }
}

impl Task {
    /// A task of three prompt variants, of which nothing else is known.
    pub fn new(name: String, prompts: &'static str, question: String, answers: AnswerScale, items: Vec<Item>) -> Self {
        let variants = ["neutral", "strict", "intuitive"].map(str::to_owned).to_vec();
        Self { name, prompts, question, answers, variants, items, left_out: vec![], warnings: vec![], truth: None }
    }

    /// The classes, none for scores.
    pub fn classes(&self) -> &[String] {
        self.answers.classes()
    }

    /// Asks about the first items only.
    pub fn limit(&mut self, items: usize) {
        let rest = self.items.split_off(items.min(self.items.len()));
        self.left_out.splice(..0, rest);
    }

    /// The items of Experiment 2, from the folder that holds ChaosNLI's original files (SNLI, then MNLI matched).
    ///
    /// # Errors
    /// A file that is missing or is no ChaosNLI file; a uid that comes twice.
    pub fn chaosnli(folder: &Path) -> Result<Self, Error> {
        let (mut items, mut truth) = (vec![], vec![]);
        for (name, _) in ORIGINALS {
            let path = folder.join(name);
            for (line, text) in crate::lines_of(&crate::text_of(&path)?) {
                let refused = |detail: String| Error::Line { path: path.clone(), line, detail };
                let row: OriginalItem =
                    serde_json::from_str(text).map_err(|e| refused(format!("no ChaosNLI item: {e}")))?;
                let total: f64 = row.label_count.iter().sum();
                if row.label_count.len() != NLI.len() || total <= 0.0 {
                    return Err(refused(format!("its label_count is {:?}, not three counts", row.label_count)));
                }
                truth.push(Truth { shares: row.label_count.iter().map(|n| n / total).collect(), told: None });
                let text = [("premise", row.example.premise), ("hypothesis", row.example.hypothesis)];
                items.push(Item {
                    id: row.uid,
                    text: text.map(|(name, text)| (name.to_owned(), text)).into(),
                    labels: vec![],
                });
            }
        }
        unique_ids(&items)?;
        let answers = AnswerScale::Classes(NLI.map(str::to_owned).to_vec());
        Ok(Task { truth: Some(truth), ..Task::new("chaosnli".to_owned(), "nli", String::new(), answers, items) })
    }

    /// The items of a study; `path` is its `study.toml` or the folder that holds it. Its judge's file need not exist,
    /// nor that of its labels; labels that are there are in hand.
    ///
    /// # Errors
    /// A configuration, items or labels that the study would refuse, or items without a text.
    pub fn study(path: &Path, question: String) -> Result<Self, Error> {
        with_kind!(path, K => Self::of_study::<K>(path, question))
    }

    fn of_study<K: Kind>(path: &Path, question: String) -> Result<Self, Error> {
        let (mut source, mut warnings) = (Source::default(), vec![]);
        let file = StudyFile::<K>::read(path, K::check)?;
        let items = items::read(&file, &mut source)?;
        let labelled = file.labels_file().is_some_and(|labels| labels.is_file());
        let (answers, labels) = match K::question(&file.config.scale) {
            Question::Classes(classes) if labelled => {
                let log = LabelLog::read(&file.folder(), &mut source)?;
                warnings.extend(log.torn.clone());
                (AnswerScale::Classes(classes), Some(Labels::read(&file, &items, &log, &mut source)?))
            }
            Question::Classes(classes) => (AnswerScale::Classes(classes), None),
            Question::Score { low, high } => (AnswerScale::Score { scale: Some((low, high)) }, None),
        };
        let counts = labels.as_ref().map(|labels| &labels.counts);
        let texts = items.texts.as_ref().ok_or_else(|| {
            let remedy = "write what a reader sees, with columns in braces: text = \"{question}\"";
            file.refuse("items.text", "none", "a judge needs a text to read", remedy)
        })?;
        let item = |(i, (id, text)): (usize, (&str, &String))| Item {
            id: id.to_owned(),
            text: [("Item".to_owned(), text.clone())].into(),
            labels: counts.map_or_else(Vec::new, |counts| counts.row(i).to_vec()),
        };
        let folder = file.path.parent().and_then(Path::file_name);
        let name = folder.map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned());
        let items = items.ids.iter().zip(texts).enumerate().map(item).collect();
        Ok(Task { warnings, ..Task::new(name, "study", question, answers, items) })
    }

    /// A list of items: CSV with a column `id`, optional columns `n_<class>` with the labels in hand, and the columns
    /// that the prompt shows.
    ///
    /// # Errors
    /// A table that is refused, no column to show, an id that comes twice, fewer than two classes or one of them twice,
    /// a scale that is no interval.
    pub fn list(path: &Path, answers: AnswerScale, question: String) -> Result<Self, Error> {
        check(&answers)?;
        // A name that does not say its layout is that of CSV.
        let format = format_of(path, None).unwrap_or(FileFormat::Csv);
        let table = read_table(&[path.to_owned()], Some(format), None, LogRows::Items, &mut Source::default())?;
        table.ids()?;
        let classes = answers.classes();
        let counted = classes.iter().map(|class| format!("n_{class}"));
        let counts = counted.clone().filter_map(|name| table.column(&name).ok()).collect::<Vec<_>>();
        if !counts.is_empty() && counts.len() < classes.len() {
            // Names the first that is missing.
            counted.clone().try_for_each(|name| table.column(&name).map(drop))?;
        }
        let counted: BTreeSet<String> = counted.collect();
        let shown = table.header().iter().filter(|name| *name != "id" && !counted.contains(*name));
        let shown = shown.map(|name| Ok((name.clone(), table.column(name)?))).collect::<Result<Vec<_>, DataError>>()?;
        if shown.is_empty() {
            return Err(Error::Argument(format!("{}: has no column that a prompt could show", path.display())));
        }
        let items = table.rows().map(|row| {
            let labels = counts.iter().map(|&column| row.count(column)).collect::<Result<_, _>>()?;
            let text = shown.iter().map(|(name, column)| (name.clone(), row.cell(*column).to_owned())).collect();
            Ok(Item { id: row.id().to_owned(), text, labels })
        });
        let items = items.collect::<Result<_, DataError>>()?;
        let name = path.file_stem().map_or_else(|| "items".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(Task::new(name, "study", question, answers, items))
    }
}

/// Ids of the items, each once.
pub fn unique_ids(items: &[Item]) -> Result<ItemIds, Error> {
    Ok(ItemIds::new(items.iter().map(|item| item.id.clone()).collect())?)
}

/// Two or more distinct classes with a name, or a scale from low to high.
fn check(answers: &AnswerScale) -> Result<(), Error> {
    match answers {
        AnswerScale::Classes(classes) => {
            let distinct: BTreeSet<&String> = classes.iter().collect();
            if distinct.len() < 2 || distinct.len() < classes.len() || classes.iter().any(|c| c.trim().is_empty()) {
                let problem = judge_uncertainty_formats::Problem::Classes { classes: classes.clone() };
                return Err(DataError::refused(Place::default(), problem).into());
            }
        }
        AnswerScale::Score { scale: Some((low, high)) } if !(low < high && low.is_finite() && high.is_finite()) => {
            return Err(Error::Argument(format!("a scale from {low} to {high} is not an interval; give LOW:HIGH")));
        }
        AnswerScale::Score { .. } => {}
    }
    Ok(())
}
