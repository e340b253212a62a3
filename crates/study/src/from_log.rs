//! A study made from logs of a judge: items, answers, labels where people gave some, and a `study.toml`.

use std::collections::BTreeMap;

use super::input::source::Source;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::logs::{Logs, Prediction, Rows, tokens};
use judge_uncertainty_formats::table::Table;

/// What labels of the study can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// One of several classes.
    Classes(Vec<String>),
    /// Steps of a scale, ascending.
    Places(Vec<String>),
    /// A number between two ends.
    Scores(f64, f64),
}

/// How logs become a study.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Field that holds the ids of the items, in place of those of the log.
    pub id: Option<String>,
    /// The only criterion to keep.
    pub criterion: Option<String>,
    /// Whether criteria are variants of one question.
    pub criteria_are_variants: bool,
    /// What labels can be; by default as the judge's answers are.
    pub scale: Option<Scale>,
    /// Field with a label of each item, such as a reference answer that people gave.
    pub labels_from: Option<String>,
}

/// The files of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Files {
    /// Name and content of each; the configuration comes last.
    pub files: Vec<(&'static str, String)>,
    /// Numbers of items, answers and labels.
    pub found: Found,
}

/// What a log held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Items, one for each criterion.
    pub items: usize,
    /// Answers of the judge, failed ones included.
    pub answers: usize,
    /// Answers that can't be read.
    pub failed: usize,
    /// Labels that people gave.
    pub labels: usize,
}

/// Fields that annotators don't see: what is right is theirs to say.
const HIDDEN: [&str; 8] =
    ["target", "reference", "gold", "label", "expected_output", "answer", "ideal", "reference_contexts"];
/// More classes than this are no classes.
const MOST_CLASSES: usize = 20;

fn unfit(reason: String, remedy: &str) -> Error {
    Error::refused(Place::default(), Problem::Unfit { reason, remedy: remedy.to_owned() })
}

fn no_answer() -> Error {
    let remedy = "add the file with the judge's answers: --from takes several";
    unfit("the logs hold no answer of the judge".to_owned(), remedy)
}

/// Makes a study of logs.
///
/// # Errors
/// Logs that tell one item in two ways, answers that don't show what labels can be, a criterion or field that is not
/// there.
pub fn study(mut logs: Logs, source: &Source, options: &Options) -> Result<Files> {
    if let Some(criterion) = &options.criterion {
        logs.only(criterion)?;
    }
    if options.criteria_are_variants {
        logs.criteria_are_variants();
    }
    let id = options.id.as_deref();
    let scale = match &options.scale {
        Some(scale) => scale.clone(),
        None => scale_of(&logs)?,
    };
    let items = logs.table(Rows::Items, id)?;
    // One id twice would only be seen when the study is read.
    items.ids()?;
    let judge = logs.table(Rows::Judge(scale.classes()), id)?;
    let labels = labels(&logs, options, id, &items)?;
    let shares =
        logs.records().any(|record| matches!(record.prediction, Some(Prediction::Tokens(_) | Prediction::Shares(_))));
    let columns = scale.columns(shares);
    let pairs = logs.records().any(|record| record.swapped.is_some());
    let several = pairs || logs.variants().len() > 1;
    let kept = |name: &str| match name {
        "id" => true,
        "variant" => several,
        "swapped" => pairs,
        other => columns.iter().any(|column| column == other),
    };
    let judge_rows = csv(&judge, kept)?;
    let failed = {
        let of_answer: Vec<_> = columns.iter().map(|name| judge.column(name)).collect::<Result<_>>()?;
        judge.rows().filter(|row| of_answer.iter().all(|column| row.cell(*column).is_empty())).count()
    };
    let criteria = logs.criteria().len() > 1;
    let found = Found {
        items: items.rows().len(),
        answers: judge.rows().len(),
        failed,
        labels: labels.lines().count().saturating_sub(1),
    };
    if found.answers == 0 {
        return Err(no_answer());
    }
    let noted = serde_json::to_string_pretty(&source.logs("".as_ref())).expect("names and texts are plain data") + "\n";
    let config = configuration(&items, &scale, Layout { shares, several, pairs, criteria }, source);
    let item_columns = |name: &str| criteria || !["item", "criterion"].contains(&name);
    let files = vec![
        ("items.csv", csv(&items, item_columns)?),
        ("judge.csv", judge_rows),
        ("labels.csv", labels),
        ("log.json", noted),
        ("study.toml", config),
    ];
    Ok(Files { files, found })
}

impl Scale {
    fn classes(&self) -> &[String] {
        match self {
            Self::Classes(names) | Self::Places(names) => names,
            Self::Scores(..) => &[],
        }
    }

    /// The columns that hold an answer of the judge.
    fn columns(&self, shares: bool) -> Vec<String> {
        match self {
            Self::Scores(..) => vec!["mean".to_owned()],
            Self::Classes(names) | Self::Places(names) if shares => {
                names.iter().map(|name| format!("p_{name}")).collect()
            }
            _ => vec!["label".to_owned()],
        }
    }

    fn key(&self) -> String {
        let quoted = |names: &[String]| names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", ");
        match self {
            Self::Classes(names) => format!("classes = [{}]", quoted(names)),
            Self::Places(names) => format!("places = [{}]", names.join(", ")),
            Self::Scores(low, high) => format!("scale = [{low}, {high}]"),
        }
    }
}

fn quote(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// What labels can be, as the answers are: whole numbers are places, other numbers scores, a few words classes.
fn scale_of(logs: &Logs) -> Result<Scale> {
    let given = logs.labels_given();
    if given.is_empty() {
        return Err(no_answer());
    }
    let mut names: Vec<String> = vec![];
    for label in given.keys() {
        // Case and dress alone make no class.
        if tokens::class_of(label, &names).is_none() {
            names.push(label.clone());
        }
    }
    let numbers: Option<Vec<f64>> =
        names.iter().map(|name| name.parse().ok().filter(|n: &f64| n.is_finite())).collect();
    let remedy = "say what labels can be: --classes yes,no or --places 1,2,3,4,5 or --scale 0,1";
    match numbers {
        Some(numbers) if !numbers.is_empty() => {
            let (low, high) = numbers.iter().fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
            if low == high {
                return Err(unfit(format!("every answer of the judge is {low}"), remedy));
            }
            let whole = numbers.iter().all(|n| n.fract() == 0.0);
            if whole && high - low == 1.0 {
                return Ok(Scale::Classes(vec![low.to_string(), high.to_string()]));
            }
            match (low >= 0.0 && high <= 1.0, whole && high - low < MOST_CLASSES as f64) {
                (true, false) => Ok(Scale::Scores(0.0, 1.0)),
                (_, true) => Ok(Scale::Places((low as i64..=high as i64).map(|place| place.to_string()).collect())),
                _ => Ok(Scale::Scores(low, high)),
            }
        }
        _ if (2..=MOST_CLASSES).contains(&names.len()) => Ok(Scale::Classes(names)),
        _ => {
            let shown: Vec<String> = names.iter().take(5).map(|name| format!("{name:?}")).collect();
            let reason =
                format!("{} different answers of the judge are not classes: {}", names.len(), shown.join(", "));
            Err(unfit(reason, remedy))
        }
    }
}

/// The human labels, and those of a field.
fn labels(logs: &Logs, options: &Options, id: Option<&str>, items: &Table) -> Result<String> {
    let mut writer = csv_writer();
    let text = |writer: &mut csv::Writer<Vec<u8>>, row: &[&str]| writer.write_record(row).expect("memory takes all");
    text(&mut writer, &["id", "annotator", "label"]);
    let table = logs.table(Rows::Labels, id)?;
    if table.rows().len() > 0 {
        let [annotator, label] = [table.column("annotator")?, table.column("label")?];
        for row in table.rows() {
            text(&mut writer, &[row.id(), row.cell(annotator), row.cell(label)]);
        }
    }
    if let Some(field) = &options.labels_from {
        let column = items.column(field)?;
        for row in items.rows().filter(|row| !row.cell(column).is_empty()) {
            text(&mut writer, &[row.id(), field, row.cell(column)]);
        }
    }
    Ok(in_words(writer))
}

fn csv_writer() -> csv::Writer<Vec<u8>> {
    csv::Writer::from_writer(vec![])
}

fn in_words(writer: csv::Writer<Vec<u8>>) -> String {
    String::from_utf8(writer.into_inner().expect("memory takes all")).expect("cells are text")
}

fn csv(table: &Table, keep: impl Fn(&str) -> bool) -> Result<String> {
    let kept: Vec<bool> = table.header().iter().map(|name| keep(name)).collect();
    let some = |cells: Vec<&str>| -> Vec<String> {
        cells.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell.to_owned()).collect()
    };
    let mut writer = csv_writer();
    writer.write_record(some(table.header().iter().map(String::as_str).collect())).expect("memory takes all");
    for row in table.rows() {
        writer.write_record(some(row.cells().collect())).expect("memory takes all");
    }
    Ok(in_words(writer))
}

/// The texts that annotators read: all fields that have some, but for what is right.
fn template(items: &Table) -> Option<String> {
    let of = |name: &&String| {
        !HIDDEN.contains(&name.rsplit(['.', '_']).next().unwrap_or(name)) && !HIDDEN.contains(&name.as_str())
    };
    let own = ["id", "item", "criterion"];
    let names = items.header().iter().filter(|name| !own.contains(&name.as_str())).filter(of);
    let lines: Vec<String> = names.map(|name| format!("{name}: {{{name}}}")).collect();
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// What tables of a log have.
#[derive(Clone, Copy)]
struct Layout {
    /// Probabilities of classes.
    shares: bool,
    /// A column of variants.
    several: bool,
    /// A column with the order of two answers.
    pairs: bool,
    /// Several criteria.
    criteria: bool,
}

fn configuration(items: &Table, scale: &Scale, layout: Layout, source: &Source) -> String {
    let logs = source.logs("".as_ref());
    let tools: BTreeMap<String, ()> = logs
        .values()
        .map(|log| {
            let version = log.provenance.version.as_ref().map_or(String::new(), |version| format!(" {version}"));
            (format!("{}{version}", log.provenance.tool), ())
        })
        .collect();
    let tools = tools.into_keys().collect::<Vec<_>>().join(", ");
    let mut text =
        format!("title = {}\n{}\nmade_from = \"log.json\"\n", quote(&format!("Log of {tools}")), scale.key());
    text += "\n[items]\nfile = \"items.csv\"\n";
    if let Some(template) = template(items) {
        text += &format!("text = {}\n", quote(&template));
    }
    if layout.criteria {
        text +=
            "# Every criterion is a question of its own about an item; `study queue` adds up what they are worth.\n";
        text += "item = \"item\"\ngroup = \"criterion\"\ncategories = [\"criterion\"]\n";
    }
    text += "\n[judge]\nfile = \"judge.csv\"\n";
    match scale {
        Scale::Scores(..) => {}
        _ if layout.shares => text += "kind = \"probabilities\"\n",
        _ => text += "kind = \"labels\"\n",
    }
    if layout.several {
        text += "variant = \"variant\"\n";
    }
    if layout.pairs {
        text += "# Verdicts name the same answers in either order.\nswapped = \"swapped\"\n";
    }
    text += "\n[labels]\nfile = \"labels.csv\"\n";
    text += match scale {
        Scale::Scores(..) => "score = \"label\"\n",
        _ => "form = \"long\"\n",
    };
    text
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::queue::{LabelsPerItem, Presentation, Ranked, Request};
    use crate::results::StudyManifest;
    use crate::{Classes, Decomposition, Error as StudyError, InputReport, Kind, Scores, Study};
    use judge_uncertainty_core::escalation::Rule;
    use judge_uncertainty_formats::logs::detect;
    use judge_uncertainty_system::Run;
    use judge_uncertainty_system::progress::Silent;

    fn golden(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/logs").join(name)
    }

    fn made(logs: &[&str], options: &Options) -> Result<Files> {
        let paths: Vec<PathBuf> = logs.iter().map(|name| golden(name)).collect();
        let mut source = Source::default();
        let format = detect(&paths[0], &source.read(&paths[0])?)?;
        study(source.read_logs(&paths, format)?, &source, options)
    }

    fn written(files: &Files) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    fn loaded<K: Kind>(folder: &Path) -> Study<K> {
        Study::<K>::load(folder).map_err(|error: StudyError| error.to_string()).unwrap()
    }

    fn classes(names: &[&str]) -> Option<Scale> {
        Some(Scale::Classes(names.iter().map(|name| (*name).to_owned()).collect()))
    }

    #[test]
    fn a_log_with_edits_becomes_a_study_with_labels() {
        let options = Options { criterion: Some("model_graded_qa".to_owned()), ..Options::default() };
        let files = made(&["inspect-graded.eval"], &options).unwrap();
        assert_eq!(files.found, Found { items: 5, answers: 5, failed: 0, labels: 3 });
        let folder = written(&files);
        let study = loaded::<Classes>(folder.path());
        let report = InputReport::new(&study);
        assert_eq!((report.items, report.labels.number(), report.labels.per_class.clone()), (5, 3, vec![2, 1]));
        // Annotators don't see the reference answer.
        assert_eq!(study.items.texts.as_ref().unwrap()[3], "input: What is 4 + 4?\n\noutput: It is 9.");
        // The manifest of a run has the log: its sum, the tool and its version.
        let manifest = StudyManifest::new(&study, Run::since(std::time::Instant::now()));
        let (name, log) = manifest.logs.iter().next().unwrap();
        assert!(name.ends_with("inspect-graded.eval") && log.sha256.len() == 64, "{name} {log:?}");
        assert_eq!((log.provenance.tool.as_str(), log.provenance.version.as_deref()), ("inspect_ai", Some("0.3.285")));
    }

    #[test]
    fn several_criteria_are_one_study_queued_by_item() {
        let files =
            made(&["ragas.jsonl"], &Options { scale: Some(Scale::Scores(0.0, 5.0)), ..Options::default() }).unwrap();
        let folder = written(&files);
        let labels = "id,annotator,label\n1/helpful,a,1\n1/quality,a,3\n2/quality,a,2\n2/quality,b,4\n4/quality,b,1\n";
        std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
        let toml = folder.path().join("study.toml");
        let text = std::fs::read_to_string(&toml).unwrap();
        std::fs::write(&toml, text.replacen("made_from", "unmatched = \"leave_out\"\nmade_from", 1)).unwrap();
        let study = loaded::<Scores>(folder.path());
        assert_eq!(study.items.groups.as_ref().unwrap()[..2], ["helpful", "quality"]);
        // Row 3 has no scores: its criteria are left out.
        assert_eq!(study.items.about_numbers().unwrap(), [0, 0, 1, 1, 2, 2]);
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let request = Request {
            rule: Rule::Info.into(),
            amount: "2".parse().unwrap(),
            labels_per_item: LabelsPerItem::Fixed(1),
            explore: None,
            seed: 0,
        };
        let ranked = Ranked::new(&study, &decomposition, &request).unwrap();
        let (staged, record) = ranked.send(&request, Presentation::default()).unwrap();
        // Two items, each with both criteria, next to each other.
        assert_eq!((record.queued, record.labels), (4, 4));
        let queue = staged.text("queue.csv").unwrap();
        let mut reader = csv::Reader::from_reader(queue.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
        let found: Vec<(&str, &str)> = rows.iter().map(|row| (&row[0], row[1].split_once('/').unwrap().0)).collect();
        assert!(found[0] == found[1] && found[2] == found[3] && found[0] != found[2], "{found:?}");
    }

    #[test]
    fn logs_are_read_directly_as_well() {
        let options = Options { scale: classes(&["urgent", "soon", "later"]), ..Options::default() };
        let files = made(&["openai-batch-input.jsonl", "openai-batch-output.jsonl"], &options).unwrap();
        assert_eq!(files.found, Found { items: 7, answers: 7, failed: 2, labels: 0 });
        let folder = written(&files);
        let labels = "id,annotator,label\nm1,a,urgent\nm1,b,soon\nm2,a,later\nm3,a,soon\nm4,a,soon\n";
        std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
        let direct = written(&files);
        std::fs::write(direct.path().join("labels.csv"), labels).unwrap();
        for name in ["openai-batch-input.jsonl", "openai-batch-output.jsonl"] {
            std::fs::copy(golden(name), direct.path().join(name)).unwrap();
        }
        let setup = "title = \"direct\"\nclasses = [\"urgent\", \"soon\", \"later\"]\nunmatched = \"leave_out\"\n";
        let tables = "[items]\nfile = \"openai-batch-input.jsonl\"\nformat = \"openai\"\ntext = \"{prompt}\"\n\
                      [judge]\nfile = \"openai-batch-output.jsonl\"\nformat = \"openai\"\nkind = \"probabilities\"\n\
                      [labels]\nfile = \"labels.csv\"\nform = \"long\"\n";
        std::fs::write(direct.path().join("study.toml"), format!("{setup}{tables}")).unwrap();
        let toml = folder.path().join("study.toml");
        let text = std::fs::read_to_string(&toml).unwrap();
        std::fs::write(&toml, text.replacen("made_from", "unmatched = \"leave_out\"\nmade_from", 1)).unwrap();
        let (one, other) = (loaded::<Classes>(folder.path()), loaded::<Classes>(direct.path()));
        assert_eq!(one.judge.answers.predictions.q, other.judge.answers.predictions.q);
        assert_eq!(one.items.ids, other.items.ids);
        // Mass outside the classes is recorded: 1 - 0.8 - 0.01 - 0.15 - 0.02 for m1, and most of m6's.
        let mass = other.judge.report.mass.unwrap();
        assert!((mass.least - 0.25).abs() < 1e-9, "{mass:?}");
        assert_eq!(
            (other.judge.report.failed_answers, other.left_out.as_slice()),
            (2, &["m5".to_owned(), "m7".to_owned()][..])
        );
        let manifest = StudyManifest::new(&other, Run::since(std::time::Instant::now()));
        assert_eq!(manifest.logs["openai-batch-output.jsonl"].provenance.stated["system_fingerprint"], "fp_local");
    }

    #[test]
    fn pairs_become_a_study_with_the_order_as_a_variant() {
        let files = made(&["mt-bench-pairs.jsonl"], &Options::default()).unwrap();
        let folder = written(&files);
        let labels = "id,annotator,label\n81/alpaca-13b:vicuna-13b/1,a,B\n81/claude-v1:vicuna-13b/1,a,A\n";
        std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
        let study = loaded::<Classes>(folder.path());
        assert_eq!(study.judge.variants, ["gpt-4 pair-v2", "gpt-4 pair-v2 (swapped)"]);
        let [bias] = study.judge.report.position_bias.as_slice() else { panic!("one judge") };
        // The verdict on claude and vicuna went to whoever was shown first; the failed answer has no pair.
        assert_eq!((bias.items, bias.flips, bias.to_first, bias.to_second), (2, 1, 1, 0));
        assert_eq!((bias.rate, bias.interval.lo < 0.02, bias.interval.hi > 0.98), (0.5, true, true));
    }

    #[test]
    fn verdicts_of_a_table_are_mirrored() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("items.csv", "id\np\nq\nr\n");
        write(
            "judge.csv",
            "id,order,p_A,p_tie,p_B\np,0,0.7,0.1,0.2\np,1,0.1,0.1,0.8\nq,0,0.6,0.2,0.2\nq,1,0.6,0.2,0.2\nr,0,0.2,0.6,0.2\nr,1,0.4,0.2,0.4\n",
        );
        write("labels.csv", "id,annotator,label\np,a,A\nq,a,tie\nq,b,A\nr,a,B\n");
        let toml = "title = \"pairs\"\nclasses = [\"A\", \"tie\", \"B\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\n\
                    kind = \"probabilities\"\nswapped = \"order\"\nmirror = [\"A\", \"B\"]\n[labels]\nfile = \"labels.csv\"\nform = \"long\"\n";
        write("study.toml", toml);
        let study = loaded::<Classes>(folder.path());
        let answers = study.judge.answers.variants.item(0);
        assert_eq!(answers.variants, [Some(vec![0.7, 0.1, 0.2]), Some(vec![0.8, 0.1, 0.1])]);
        let [bias] = study.judge.report.position_bias.as_slice() else { panic!("one judge") };
        assert_eq!((bias.items, bias.flips, bias.to_first, bias.without_verdict), (2, 1, 1, 1));
        write("study.toml", &toml.replace("[\"A\", \"B\"]", "[\"A\", \"C\"]"));
        let error = Study::<Classes>::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains("judge.mirror = [\"A\", \"C\"]: are not two of the classes"), "{error}");
        write("study.toml", toml);
        write("judge.csv", "id,order,p_A,p_tie,p_B\np,maybe,0.7,0.1,0.2\n");
        let error = Study::<Classes>::load(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("judge.csv:2:2 (column \"order\", item \"p\"): \"maybe\" is not one of 0, 1"),
            "{error}"
        );
    }

    #[test]
    fn what_does_not_make_a_study_is_refused() {
        let message = |logs: &[&str], options: Options| made(logs, &options).unwrap_err().to_string();
        let error =
            message(&["openai-batch-input.jsonl"], Options { scale: classes(&["a", "b"]), ..Options::default() });
        assert!(
            error.contains("the logs hold no answer of the judge; add the file with the judge's answers"),
            "{error}"
        );
        let error =
            message(&["samples_judge_choice.jsonl"], Options { id: Some("doc.uid".to_owned()), ..Options::default() });
        assert!(
            error.contains("the header has no column \"doc.uid\"; the table needs the column doc.uid, and has prompt"),
            "{error}"
        );
        let error = message(&["arena-votes.jsonl"], Options::default());
        assert!(error.contains("the logs hold no answer of the judge"), "{error}");
        // Documents of two tasks with the same numbers are not the same items.
        let error =
            message(&["samples_judge_choice.jsonl", "every-eval-ever-choice_samples.jsonl"], Options::default());
        assert!(error.contains("the document's id is null"), "{error}");
    }

    #[test]
    fn reference_answers_are_labels_on_request() {
        let options =
            Options { id: Some("doc.id".to_owned()), labels_from: Some("doc.gold".to_owned()), ..Options::default() };
        let files = made(&["samples_judge_choice.jsonl"], &options).unwrap();
        assert_eq!(files.found, Found { items: 4, answers: 4, failed: 0, labels: 4 });
        let folder = written(&files);
        let study = loaded::<Classes>(folder.path());
        assert_eq!(study.labels.annotators, ["doc.gold"]);
        assert!(!study.items.texts.as_ref().unwrap()[0].contains("urgent"), "{:?}", study.items.texts);
    }
}
