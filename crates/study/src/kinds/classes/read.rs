//! How studies of classes read judge and labels, with or without a scale.

use super::config::{ClassKind, LabelsConfig};
use super::judge::{self, ClassAnswers, JudgeReport};
use crate::input::config::{StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::labels::LabelColumns;
use crate::input::question::Question;
use crate::input::read::{JudgeFile, Read, StudyJudge};
use crate::input::source::Source;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::judge::JudgeAnswers;

impl<K: ClassKind> Read for K {
    type Answer = JudgeAnswers;
    type Answers = ClassAnswers;
    type JudgeReport = JudgeReport;

    fn question(scale: &K::Scale) -> Question {
        Question::Classes(K::classes(scale).to_vec())
    }

    fn label_columns(config: &LabelsConfig) -> LabelColumns<'_> {
        config.columns()
    }

    fn read_judge(file: &StudyFile<K>, items: &Items, source: &mut Source) -> Result<JudgeFile<K>> {
        judge::read(file, items, source)
    }

    fn judge(
        config: &StudyConfig<K>,
        ids: &ItemIds,
        variants: &[String],
        answers: Vec<JudgeAnswers>,
        report: JudgeReport,
    ) -> Result<StudyJudge<K>> {
        judge::judge(config, ids, variants, answers, report)
    }
}
