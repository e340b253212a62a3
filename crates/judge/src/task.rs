//! What a judge is asked about: items, the labels they may get, prompt variants.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Error;
use judge_uncertainty_formats::dataset::originals::{ORIGINALS, OriginalItem};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_study::input::config::StudyFile;
use judge_uncertainty_study::input::items;
use judge_uncertainty_study::input::label_store::LabelStore;
use judge_uncertainty_study::input::labels::Labels;
use judge_uncertainty_study::input::scale::Scale;
use judge_uncertainty_study::input::source::Source;
use judge_uncertainty_system::read;

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
    pub answers: Scale,
    /// Names of the prompt variants.
    pub variants: Vec<String>,
    /// The items in order; ids are unique.
    pub items: Vec<Item>,
    /// Items beyond a limit, about which the judge is not asked.
    pub left_out: Vec<Item>,
    /// Whether to ask again, once per item that has labels, with these in hand.
    pub self_update: bool,
    /// What is to be said of the study that the items come from.
    pub warnings: Vec<String>,
}

/// One item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its id, letter by letter.
    pub id: String,
    /// Texts that the templates may use, by name. A text that a template must not reveal is not in here.
    pub text: BTreeMap<String, String>,
    /// Labels in hand by class; empty where there are none.
    pub labels: Vec<u32>,
    /// What is true of it, where that is known; no prompt shows it.
    pub truth: Option<Truth>,
}

/// What is true of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Shares of the classes among the labels of all annotators.
    pub shares: Vec<f64>,
    /// How much information its text has, 0 to 1, if that is known.
    pub told: Option<f64>,
}

impl Task {
    /// A task of three prompt variants, with empty defaults for everything else.
    pub fn new(name: String, prompts: &'static str, question: String, answers: Scale, items: Vec<Item>) -> Self {
        let variants = ["neutral", "strict", "intuitive"].map(str::to_owned).to_vec();
        Self {
            name,
            prompts,
            question,
            answers,
            variants,
            items,
            left_out: vec![],
            self_update: false,
            warnings: vec![],
        }
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
    /// A file that is missing or is not a ChaosNLI file; a uid that occurs twice.
    pub fn chaosnli(folder: &Path) -> Result<Self, Error> {
        let mut items = vec![];
        for (name, _) in ORIGINALS {
            let path = folder.join(name);
            let unreadable = |source| judge_uncertainty_formats::Error::Unreadable { file: path.clone(), source };
            let original = read::text(&path).map_err(unreadable)?;
            for (line, text) in (1..).zip(original.lines()).filter(|(_, line)| !line.trim().is_empty()) {
                let refused = |detail: String| Error::Line { path: path.clone(), line, detail };
                let row: OriginalItem =
                    serde_json::from_str(text).map_err(|e| refused(format!("no ChaosNLI item: {e}")))?;
                let total: f64 = row.label_count.iter().sum();
                if row.label_count.len() != NLI.len() || total <= 0.0 {
                    return Err(refused(format!("its label_count is {:?}, not three counts", row.label_count)));
                }
                let truth = Truth { shares: row.label_count.iter().map(|n| n / total).collect(), told: None };
                let text = [("premise", row.example.premise), ("hypothesis", row.example.hypothesis)];
                let text = text.map(|(name, text)| (name.to_owned(), text)).into();
                items.push(Item { id: row.uid, text, labels: vec![], truth: Some(truth) });
            }
        }
        ItemIds::new(items.iter().map(|item| &item.id))?;
        let answers = Scale::Classes(NLI.map(str::to_owned).to_vec());
        Ok(Task::new("chaosnli".to_owned(), "nli", String::new(), answers, items))
    }

    /// The items of a study; `path` is its `study.toml` or the folder that holds it. Its judge's file need not exist,
    /// nor that of its labels; labels that are there are in hand.
    ///
    /// # Errors
    /// A configuration, items or labels that the study would refuse, or items without a text.
    pub fn study(path: &Path, question: String) -> Result<Self, Error> {
        let (mut source, mut warnings) = (Source::default(), vec![]);
        let file = StudyFile::read(path)?;
        let items = items::read(&file, &mut source)?;
        let labelled = file.labels_file().is_some_and(|labels| labels.is_file());
        let answers = file.config.scale.clone();
        let labels = if labelled && !answers.is_numbers() {
            let log = LabelStore::read(&file.folder(), None, &mut source)?;
            warnings.extend(log.warnings.clone());
            Some(Labels::read(&file, &items, &log, &mut source)?)
        } else {
            None
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
            truth: None,
        };
        let folder = file.path.parent().and_then(Path::file_name);
        let name = folder.map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned());
        let items = items.ids.iter().zip(texts).enumerate().map(item).collect();
        Ok(Task { warnings, ..Task::new(name, "study", question, answers, items) })
    }
}
