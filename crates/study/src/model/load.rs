//! A study as it is read: everything is refused here that can't be used.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::OnceLock;

use crate::audit::columns_of;
use crate::error::Error;
use crate::findings::ratings::Ratings;
use crate::input::config::{StudyFile, Unmatched};
use crate::input::items;
use crate::input::items::Items;
use crate::input::judge::JudgeFiles;
use crate::input::judge::{JudgeFile, StudyJudge};
use crate::input::label_store::LabelStore;
use crate::input::labels::Labels;
use crate::input::source::Source;
use crate::input::texts::{EmbeddingSource, TextModel};
use crate::model::carried::Carried;
use crate::model::chosen::AnsweredQueue;
use crate::model::study::Study;
use judge_uncertainty_core::belief::{BeliefModel, Feature, TrustPrior};
use judge_uncertainty_familiarity::embedding::{Embeddings, StartEmbedder};
use judge_uncertainty_formats::error::{Error as DataError, Place, Result};
use judge_uncertainty_system::limits::check_items;
use judge_uncertainty_system::progress::Progress;
use judge_uncertainty_system::shell_path;

/// A judge's file that is not there is most often one that is still to be made.
fn unasked(file: &StudyFile, study: &Path, error: DataError) -> DataError {
    let missing = file.resolve(file.config.tables().0.first());
    match error {
        DataError::Unreadable { file, source } if source.kind() == ErrorKind::NotFound && file == missing => {
            let remedy = format!(
                "correct judge.file, or collect them first: `judge-uncertainty judge run {} --out DIR`",
                shell_path(study)
            );
            DataError::unfit(Place::file(&file), "the judge's predictions are not there", remedy)
        }
        other => other,
    }
}

impl Study {
    /// Reads a study; `path` is its `study.toml` or the folder that holds it.
    ///
    /// # Errors
    /// The first fault in configuration or data that prevents the study, with file, line, column, value and remedy.
    ///
    /// # Examples
    ///
    /// ```
    /// use judge_uncertainty_core::belief::Belief;
    /// use judge_uncertainty_system::progress::Silent;
    /// use judge_uncertainty_study::{Decomposition, Study};
    ///
    /// let study = Study::load("../../examples/starter".as_ref())?;
    /// let decomposition = Decomposition::new(&study, &Silent)?;
    /// let belief = decomposition.belief(0);
    /// assert!((belief.total() - belief.aleatoric() - belief.epistemic()).abs() < 1e-12);
    /// # Ok::<(), judge_uncertainty_study::Error>(())
    /// ```
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::of_file(path, StudyFile::read(path)?)
    }

    /// All that keeps a study from being loaded: what is wrong with its configuration, or the first fault of each of
    /// its tables. Empty where it can be loaded.
    pub fn faults(path: &Path) -> Vec<Error> {
        let first = match Self::load(path) {
            Ok(study) => return study.embedding_source.and_then(|source| source.check().err()).into_iter().collect(),
            Err(first) => first,
        };
        let of_config = StudyFile::faults(path);
        if of_config.len() > 1 {
            return of_config.into_iter().map(Error::from).collect();
        }
        let mut all = vec![first];
        let Ok(file) = StudyFile::read(path) else { return all };
        let inputs = &mut Source::default();
        let mut of_tables: Vec<Option<Error>> = vec![];
        match items::read(&file, inputs) {
            Err(_) => {
                let labels = file.labels_file();
                let files = [Some(file.resolve(file.config.tables().0.first())), labels];
                of_tables.extend(files.into_iter().flatten().map(|file| inputs.read(&file).err().map(Error::from)));
            }
            Ok(items) => {
                let judge = JudgeFile::read(&file, &items, inputs).err();
                of_tables.push(judge.map(|error| unasked(&file, path, error).into()));
                let log = LabelStore::read(&file.folder(), None, inputs);
                of_tables.push(log.and_then(|log| Labels::read(&file, &items, &log, inputs)).err().map(Error::from));
                let all: Vec<usize> = (0..items.len()).collect();
                let embeddings = EmbeddingSource::find(&file, &items.ids, &all, &items, inputs);
                of_tables.push(embeddings.and_then(|found| found.map_or(Ok(()), |found| found.check())).err());
            }
        }
        for fault in of_tables.into_iter().flatten() {
            if all.iter().all(|known| known.to_string() != fault.to_string()) {
                all.push(fault);
            }
        }
        all
    }

    fn of_file(path: &Path, file: StudyFile) -> Result<Self, Error> {
        let mut inputs = Source::default();
        if let Some(noted) = &file.config.made_from {
            inputs.read_made_from(&file.resolve(noted))?;
        }
        let all = items::read(&file, &mut inputs)?;
        let all_ids = all.ids.clone();
        let judge = JudgeFile::read(&file, &all, &mut inputs).map_err(|error| unasked(&file, path, error))?;
        let size = (file.config.scale.width(), all.columns.len());
        let systems = all.pairs.iter().flat_map(|pairs| pairs.as_flattened()).collect::<HashSet<_>>().len();
        let within = |labels: usize, inputs: &Source| {
            check_items((all_ids.len(), labels, systems), size, inputs.bytes()).map_err(|exceeded| {
                let of_systems = if systems > 0 { format!(" about {systems} systems") } else { String::new() };
                let reason = format!("{} items{of_systems} are too many: {}", all_ids.len(), exceeded.reason());
                DataError::unfit(Place::file(&file.path), reason, exceeded.remedy())
            })
        };
        within(0, &inputs)?;
        let (kept, without): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|&i| judge.answers.has(i));
        let left_out: Vec<String> = without.iter().map(|&i| all.ids[i].to_owned()).collect();
        if let Some(first) = left_out.first()
            && (file.config.unmatched == Unmatched::Refuse || kept.is_empty())
        {
            let reason = format!("{} of {} items have no answer of the judge", left_out.len(), all.len());
            let remedy = "add their answers, remove the items, or set unmatched = \"leave_out\" to go on without them";
            let place = Place::file(&file.resolve(file.config.tables().0.first())).of_item(first);
            return Err(DataError::unfit(place, reason, remedy).into());
        }
        let items = if left_out.is_empty() { all } else { all.select(&kept)? };
        let log = LabelStore::read(&file.folder(), None, &mut inputs)?;
        let labels = Labels::read(&file, &items, &log, &mut inputs)?;
        within(labels.rows.len(), &inputs)?;
        let mut warnings = log.warnings;
        let twice = labels.repeated;
        let text = || format!("{twice} added labels were given before by the same annotator; they count once");
        warnings.extend((twice > 0).then(text));
        let embedding_source = EmbeddingSource::find(&file, &all_ids, &kept, &items, &mut inputs)?;
        let answers =
            if left_out.is_empty() { judge.answers } else { judge.answers.select(&kept, &judge.answers.all()) };
        let judge = StudyJudge::new(&file.config, &items.ids, &judge.variants, answers, judge.report)?;
        let features = choose(&file, &items, &judge)?;
        let judge_files = JudgeFiles::from_study(&file, &inputs)?;
        let (columns, notices) =
            if file.config.audited.is_some() { columns_of(&file.folder())? } else { Default::default() };
        let mut study = Self {
            file,
            columns,
            notices,
            judge_files,
            items,
            judge,
            labels,
            embeddings: None,
            embedding_source,
            features,
            left_out,
            warnings,
            carried: None,
            carried_map: None,
            queues: vec![],
            inputs,
            ratings: OnceLock::new(),
        };
        let (folder, added) = (study.file.folder(), study.added());
        let answers = (added.as_slice(), study.labels.batches.as_slice());
        study.queues = AnsweredQueue::read_all(&folder, &study.items, answers, &mut study.inputs)?;
        Carried::start(&mut study)?;
        let trust = &study.file.config.trust;
        let needs_labels = trust.prior == TrustPrior::None && trust.belief() == BeliefModel::Published;
        if needs_labels && study.has_no_labels() {
            let file = study.file.labels_file().unwrap_or_else(|| study.file.path.clone());
            let reason = "no item has a label, so there is nothing to learn the trust from";
            let remedy = "collect labels for some items first, check the ids and names of the columns, or take prior = \
                          \"weak\" in [trust], under which a first queue needs no label";
            return Err(DataError::unfit(Place::file(&file), reason, remedy).into());
        }
        Ok(study)
    }

    /// Reads the file of embeddings, or embeds the texts with the model that `start` starts; returns what was embedded.
    ///
    /// # Errors
    /// Embeddings that can't be used; a model that can't be started or fails, a cache that can't be used.
    pub fn embed(&mut self, start: StartEmbedder, progress: &dyn Progress) -> Result<Option<Embeddings>, Error> {
        let Some(source) = &self.embedding_source else { return Ok(None) };
        if let Some(matrix) = source.read()? {
            self.embeddings = Some(matrix.into_shared());
        }
        let (Some(model), Some(texts)) = (self.text_model(), &self.items.texts) else { return Ok(None) };
        let embedded = model.embed(texts, start, progress)?;
        self.embeddings = Some(embedded.matrix.to_shared());
        Ok(Some(embedded))
    }

    /// The model that embeds the texts, if one does.
    pub fn text_model(&self) -> Option<&TextModel> {
        match self.embedding_source.as_ref()? {
            EmbeddingSource::Texts(model) => Some(model),
            EmbeddingSource::File { .. } => None,
        }
    }

    /// How many texts [`Self::embed`] would have to embed; `None` where it would do nothing.
    ///
    /// # Errors
    /// A model that can't be started, a cache that can't be read.
    pub fn to_embed(&self, start: StartEmbedder) -> Result<Option<usize>, Error> {
        let (Some(model), Some(texts)) = (self.text_model(), &self.items.texts) else { return Ok(None) };
        model.lacking(texts, start).map(Some)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no item has a label yet.
    pub fn has_no_labels(&self) -> bool {
        self.numbers().iter().all(|&n| n == 0)
    }

    /// Number of labels of each item in the user's own files.
    pub fn own_numbers(&self) -> Vec<u32> {
        if self.batches() == 0 { self.numbers() } else { self.labels.without_added().numbers() }
    }

    /// Every answer of judge and people, with its item and rater.
    pub fn ratings(&self) -> &Ratings {
        self.ratings.get_or_init(|| Ratings::from_study(self))
    }

    /// The study as it was before the last batch of labels was added; `None` where none was, or no label was there before.
    pub fn before_last_batch(&self) -> Option<Self> {
        let last = self.batches().checked_sub(1)?;
        let earlier = |queue: &AnsweredQueue| {
            let batches: BTreeSet<usize> = queue.batches.range(..last).copied().collect();
            (!batches.is_empty()).then(|| AnsweredQueue { batches, ..queue.clone() })
        };
        let before = Self {
            labels: self.labels.without_batches_from(last),
            queues: self.queues.iter().filter_map(earlier).collect(),
            ratings: OnceLock::new(),
            ..self.clone()
        };
        (!before.has_no_labels()).then_some(before)
    }

    /// The item and the batch of every added label.
    pub fn added(&self) -> Vec<(usize, usize)> {
        self.labels.rows.iter().filter_map(|label| Some((label.item, label.batch?))).collect()
    }

    /// Batches of added labels that count.
    pub fn batches(&self) -> usize {
        self.labels.batches.len()
    }

    pub(crate) fn feature_names(&self) -> Vec<String> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.relation()
            .feature_columns(&all, &vec![0; self.len()], None)
            .into_iter()
            .map(|column| column.name().to_owned())
            .collect()
    }

    /// What the judge predicts of an item: the mean on a scale, and the shares of the classes.
    pub fn predicted(&self, item: usize) -> Vec<f64> {
        let q = self.judge.predictions.row(item);
        let mean = self.file.config.scale.places().map(|places| places.iter().zip(q).map(|(s, p)| s * p).sum());
        mean.into_iter().chain(q.iter().copied()).collect()
    }

    /// Number of labels of each item.
    pub fn numbers(&self) -> Vec<u32> {
        self.labels.numbers()
    }

    /// Sums of all files read, by path as seen from the folder of the study.
    pub fn relative_inputs(&self) -> BTreeMap<String, String> {
        self.inputs.relative(&self.file.folder())
    }
}

/// The configured features, or all there are but the number of labels: a queue is for items without labels, and what
/// trust goes with having many says nothing about them.
fn choose(file: &StudyFile, items: &Items, judge: &StudyJudge) -> Result<Vec<Feature<usize>>> {
    let of_column = |name: &str| -> Vec<Feature<usize>> {
        let columns = items.columns.iter().enumerate().filter(|(_, column)| column.source == name);
        columns.map(|(i, _)| Feature::Column(i)).collect()
    };
    let lacks = |feature: &Feature<usize>| match feature {
        Feature::Spread if judge.spread.iter().all(Option::is_none) => Some("no item has answers under two variants"),
        Feature::Confidence if judge.confidence.iter().all(Option::is_none) => {
            Some("the judge's file has no confidence, or it is always blank")
        }
        distance if distance.is_distance() && file.config.familiarity.is_none() => {
            Some("there is no [familiarity] table")
        }
        _ => None,
    };
    if let Some(blank) = items.columns.iter().find(|column| column.feature.values.iter().all(Option::is_none)) {
        let setting = if blank.categories.is_empty() { "items.numbers" } else { "items.categories" };
        let value = format!("{:?}", blank.source);
        return Err(file.refuse(setting, &value, "is blank for every item", "remove it, or fill it in"));
    }
    let Some(names) = &file.config.trust.features else {
        let computed = Feature::COMPUTED.into_iter().map(|(_, feature)| feature);
        let own = computed.filter(|feature| *feature != Feature::LogLabels && lacks(feature).is_none());
        return Ok(own.chain((0..items.columns.len()).map(Feature::Column)).collect());
    };
    let mut features = Vec::new();
    for name in names {
        let refuse = |reason: &str| {
            let mut known = Feature::<usize>::COMPUTED.map(|(name, _)| name).to_vec();
            known.extend(items.columns.iter().map(|column| column.source.as_str()));
            known.dedup();
            let remedy = format!("remove it, or choose among {}", known.join(", "));
            file.refuse("trust.features", &format!("{name:?}"), reason, &remedy)
        };
        match Feature::COMPUTED.into_iter().find(|(own, _)| own == name) {
            Some((_, feature)) => match lacks(&feature) {
                Some(reason) => return Err(refuse(reason)),
                None => features.push(feature),
            },
            None => match of_column(name) {
                columns if columns.is_empty() => {
                    return Err(refuse(
                        "is not a feature: a column of the items must be listed under numbers or categories",
                    ));
                }
                columns => features.extend(columns),
            },
        }
    }
    Ok(features)
}
