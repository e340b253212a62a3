//! The files of a study that every other command continues from, whatever it is made from.

use std::collections::HashSet;
use std::fmt::Write;

use judge_uncertainty_formats::batches::Bad;
use judge_uncertainty_system::{Staged, csv_rows};
use toml::Value;

use super::columns::{Mapping, Role};
use super::rows::AuditRows;
use super::table::CellTable;
use super::{Audited, Labelled};
use crate::findings::condition::Condition;
use crate::input::config::TableReading;
use crate::input::question::Criterion;
use crate::input::scale::Scale;
use crate::input::spelling::number;

/// Column of the ids in the study's tables; a column of the user's that has the name keeps it under another.
const ID: &str = "id";

/// Lines of a `study.toml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines(String);

impl Lines {
    /// Sets a key, perhaps with what it is for; nothing without a value.
    pub(crate) fn set<V: Into<Value>>(&mut self, key: &str, value: Option<V>, note: &str) {
        if let Some(value) = value {
            let gap = if note.is_empty() { "" } else { "   # " };
            self.0 += &format!("{key} = {}{gap}{note}\n", value.into());
        }
    }

    /// Adds a comment.
    pub(crate) fn note(&mut self, text: &str) {
        self.0 += &format!("# {text}\n");
    }

    /// What items are judged by, with `missing` in place of a rubric.
    pub(crate) fn set_criterion(&mut self, criterion: Option<&Criterion>, missing: &str) {
        let Some(Criterion { name, rubric }) = criterion else { return };
        self.0 += "\n[criterion]\n";
        self.set("name", Some(name.as_str()), "");
        match rubric {
            Some(rubric) => self.set("rubric", Some(rubric.as_str()), ""),
            None => self.note(missing),
        }
    }

    /// The column of the group, by which trust may differ.
    pub(crate) fn set_group(&mut self, group: Option<&str>) {
        self.set("group", group, "reported by group");
        self.set("categories", group.map(|group| vec![group]), "the judge may be better in some groups than in others");
    }

    /// What columns of the judge's table hold, beside its ids.
    pub(crate) fn of_judge(scale: &Scale, by_probability: bool, several: bool) -> Self {
        let mut lines = Self::default();
        lines.set("mean", scale.is_numbers().then_some("label"), "");
        let kind = if by_probability { "probabilities" } else { "labels" };
        lines.set("kind", (!scale.is_numbers()).then_some(kind), "");
        lines.set("columns", (!scale.is_numbers() && by_probability).then_some("p_{class}"), "");
        lines.set("variant", several.then_some("variant"), "repeated answers");
        lines
    }

    /// How a table was read, behind all that is said of the judge.
    pub(crate) fn set_reading(&mut self, reading: &TableReading) {
        if *reading != TableReading::default() {
            self.0 += "\n# How the answers were read; `apply` reads further ones alike.\n[audited]\n";
            let columns = Some(&reading.columns).filter(|columns| !columns.is_empty());
            self.set("columns", columns.and_then(|columns| Value::try_from(columns).ok()), "");
            self.set("letters", reading.letters.and_then(|letters| Value::try_from(letters).ok()), "");
            self.set("first", reading.first.as_deref(), "");
            self.set("scores", reading.scores.map(|(low, high)| vec![low, high]), "");
        }
    }
}

/// A study that was made and is not written yet.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeStudy {
    /// What it was made of, and how that was read.
    pub audited: Audited,
    /// The criterion; `None` where none is named.
    pub criterion: Option<String>,
    /// Its folder within that of all; `None` of the only study.
    pub folder: Option<String>,
    /// What it is called.
    pub title: String,
    /// What answers can be.
    pub scale: Scale,
    /// What stands above `[items]` in its `study.toml`.
    pub head: Lines,
    /// Its `[items]`, beside the file.
    pub items: Lines,
    /// Its `[judge]`, beside the file, and what stands between that and `[labels]`.
    pub judge: Lines,
    /// Whether `labels.csv` counts how many people gave each answer to an item.
    pub is_counted: bool,
    /// The other files, by name; `labels.csv` where there are labels.
    pub files: Vec<(&'static str, Vec<u8>)>,
    /// The line of each item in the file of a table; none of a log.
    pub lines: Vec<u64>,
    /// Rows that can't be used, of a table whose scale was known.
    pub bad: Vec<Bad>,
}

impl MadeStudy {
    /// Its record, and its files with a `study.toml` that says how the labelled rows were chosen, by a column of the items
    /// perhaps, and what the judge has to reach.
    pub fn staged(self, at_least: &[Condition]) -> (Audited, Staged) {
        let Self { audited, title, scale, head, mut items, judge, is_counted, files, .. } = self;
        let has_labels = files.iter().any(|(name, _)| *name == "labels.csv");
        let drawn = |how| has_labels.then_some(how);
        match &audited.chosen {
            Labelled::Random => items.set("drawn", drawn("random"), "how the labelled rows were chosen"),
            Labelled::Unknown => {
                items.set("drawn", drawn("unknown"), "or \"random\": how the labelled rows were chosen")
            }
            Labelled::Column(name) => {
                items.set("probability", drawn(&named(name)), "with which each row was chosen to be labelled");
            }
        }
        let labels = match (has_labels, scale.is_numbers()) {
            (false, _) => "# There are no labels yet: `study labels add` brings them.",
            (true, true) => "[labels]\nfile = \"labels.csv\"\nscore = \"label\"",
            (true, false) if is_counted => "[labels]\nfile = \"labels.csv\"\nform = \"counts\"",
            (true, false) => "[labels]\nfile = \"labels.csv\"\nform = \"long\"",
        };
        let asked: Vec<String> =
            at_least.iter().map(|one| format!("{} = {}", Value::from(one.finding.as_str()), one.number)).collect();
        let asked = match asked.is_empty() {
            true => "# at_least = { agreement = 0.8 }".to_owned(),
            false => format!("at_least = {{ {} }}", asked.join(", ")),
        };
        let text = format!(
            "# Written by `judge-uncertainty audit`; every other command continues from here. Paths are relative to this \
             file.\n# `judge-uncertainty study check` reads it. What is commented out is an alternative.\n\n\
             title = {}\n# As the answers are; correct it if labels can be something else.\n{}\n{}\n\
             [items]\nfile = \"items.csv\"\n{}\n[judge]\nfile = \"judge.csv\"\n{}\n{labels}\n\n\
             [trust]\nbelief = \"auto\"   # the labels choose how the judge's answers are read\n\
             {asked}   # what the judge has to reach to be relied on\n\n\
             # [evaluation]\n# replicates = 200   # half splits, where items have 20 labels and more\n",
            Value::from(title),
            scale.setting(),
            head.0,
            items.0,
            judge.0,
        );
        let mut staged = Staged::default();
        files.into_iter().for_each(|(name, bytes)| staged.put(name, bytes));
        staged.put("study.toml", text);
        (audited, staged)
    }
}

/// A study of a table, with the user's columns, which was read as `audited` says.
pub(crate) fn of_table(title: &str, cells: &CellTable, audited: Audited, rows: AuditRows) -> MadeStudy {
    let (scale, criterion, mapping) = (&rows.answers.scale, cells.criterion.as_ref(), &audited.columns);
    let mut head = Lines::default();
    head.set_criterion(criterion, RUBRIC);
    let mut of_items = Lines::default();
    let column = |role: Role| mapping.one(role).map(named);
    let texts: Vec<&str> = mapping.of(Role::Text);
    let template = match texts[..] {
        [] => None,
        [only] => Some(format!("{{{}}}", named(only))),
        _ => Some(texts.iter().map(|name| format!("{name}: {{{}}}", named(name))).collect::<Vec<_>>().join("\n\n")),
    };
    of_items.set("text", template, "what experts read: columns in braces");
    of_items.set("item", repeats_items(&rows).then_some("about"), "rows about one item");
    of_items.set("cluster", column(Role::Cluster), "rows of one are alike: intervals go over these");
    of_items.set_group(column(Role::Group).as_deref());
    of_items.set("system", column(Role::System), "what is judged; the answer compares systems");
    let compared: Vec<String> = mapping.of(Role::Number).into_iter().map(named).collect();
    let compared = (!compared.is_empty()).then_some(compared);
    of_items.set("compare", compared, "whether the judge's bias depends on them");
    of_items.set("transcript", column(Role::Transcript), "what the judge wrote; annotators do not see it");
    let mut of_judge = Lines::of_judge(scale, by_probability(&rows), several(&rows));
    if has_confidence(&rows) {
        let percent = rows.confidence.iter().flatten().any(|c| *c > 1.0);
        of_judge.set("confidence", Some("confidence"), "");
        of_judge.set("confidence_range", Some(vec![0, if percent { 100 } else { 1 }]), "");
    }
    of_judge.set_reading(&TableReading { columns: mapping.clone(), scores: rows.ends, ..TableReading::default() });
    let mut files = vec![("items.csv", items(cells, mapping, &rows)), ("judge.csv", judge(&rows))];
    let labels = || if cells.is_counted { counts(&rows) } else { labels(&rows, &mapping.of(Role::Human)) };
    files.extend((!rows.labelled().is_empty()).then(|| ("labels.csv", labels())));
    MadeStudy {
        criterion: criterion.map(|one| one.name.clone()),
        folder: None,
        title: criterion.map_or_else(|| title.to_owned(), |one| format!("{}: {title}", one.name)),
        scale: scale.clone(),
        head,
        items: of_items,
        judge: of_judge,
        is_counted: cells.is_counted,
        files,
        lines: rows.kept.iter().map(|&row| cells.line(row)).collect(),
        bad: rows.faults,
        audited,
    }
}

/// What stands in place of a rubric that nobody told.
pub(crate) const RUBRIC: &str = "rubric = \"\"   # write here what annotators are to judge by";

/// The name of a user's column in the items.
fn named(name: &str) -> String {
    if [ID, "about"].contains(&name) { format!("column_{name}") } else { name.to_owned() }
}

fn items(cells: &CellTable, mapping: &Mapping, rows: &AuditRows) -> Vec<u8> {
    // All but the answers.
    let answers = [Role::Verdict, Role::Score, Role::Probability, Role::Confidence, Role::Human, Role::Id];
    let answers: HashSet<&str> = answers.into_iter().flat_map(|role| mapping.of(role)).collect();
    let numbers: HashSet<&str> = mapping.of(Role::Number).into_iter().collect();
    let columns = (0..cells.names.len()).filter(|&k| !answers.contains(cells.names[k].as_str()));
    let columns: Vec<(usize, bool)> = columns.map(|k| (k, numbers.contains(cells.names[k].as_str()))).collect();
    let about = repeats_items(rows);
    let mut header = vec![ID.to_owned()];
    header.extend(about.then(|| "about".to_owned()));
    header.extend(columns.iter().map(|(k, _)| named(&cells.names[*k])));
    csv_rows(&header, 0..rows.len(), |i, to| {
        to(&rows.ids[i]);
        about.then(|| to(&format!("item {}", rows.clusters[i] + 1)));
        for &(k, is_number) in &columns {
            let cell = cells.cell(rows.kept[i], k);
            match number(cell).filter(|_| is_number && cell.trim().parse::<f64>().is_err()) {
                Some(number) => to(&number.to_string()),
                None => to(cell),
            }
        }
    })
}

/// Whether some rows form a cluster.
fn repeats_items(rows: &AuditRows) -> bool {
    rows.clusters.iter().max().is_some_and(|last| last + 1 < rows.len())
}

fn judge(rows: &AuditRows) -> Vec<u8> {
    let (stated, several, by_probability) = (has_confidence(rows), several(rows), by_probability(rows));
    let mut header = vec![ID.to_owned()];
    header.extend(several.then(|| "variant".to_owned()));
    header.push("label".to_owned());
    let classes = rows.answers.scale.classes().iter().filter(|_| by_probability);
    header.extend(classes.map(|name| format!("p_{name}")));
    header.extend(stated.then(|| "confidence".to_owned()));
    let answers = (0..rows.len()).flat_map(|i| rows.repeats[i].iter().zip(1..).map(move |answer| (i, answer)));
    let mut text = String::new();
    csv_rows(&header, answers, |(i, (answer, number)), to| {
        to(&rows.ids[i]);
        several.then(|| to(&format!("answer {number}")));
        to(&rows.answers.scale.text(*answer));
        let certain = [1.0 - answer, *answer];
        let shares = if rows.shares[i].is_empty() { &certain } else { &rows.shares[i] };
        for share in shares.iter().filter(|_| by_probability) {
            text.clear();
            write!(text, "{share}").expect("writing to memory does not fail");
            to(&text);
        }
        stated.then(|| to(&rows.confidence[i].map(|c| c.to_string()).unwrap_or_default()));
    })
}

fn labels(rows: &AuditRows, people: &[&str]) -> Vec<u8> {
    let given = (0..rows.len()).flat_map(|i| rows.humans[i].iter().map(move |label| (i, label)));
    csv_rows(&[ID, "annotator", "label"], given, |(i, (who, answer)), to| {
        [&rows.ids[i], people[*who], &rows.answers.scale.text(*answer)].into_iter().for_each(to);
    })
}

/// How many people gave each answer, of the labelled rows.
fn counts(rows: &AuditRows) -> Vec<u8> {
    let classes = rows.answers.scale.classes();
    let header: Vec<String> =
        std::iter::once(ID.to_owned()).chain(classes.iter().map(|class| format!("n_{class}"))).collect();
    csv_rows(&header, rows.labelled(), |i, to| {
        to(&rows.ids[i]);
        let given = |class: usize| rows.humans[i].iter().filter(|(_, answer)| *answer as usize == class).count();
        (0..classes.len()).for_each(|class| to(&given(class).to_string()));
    })
}

fn has_confidence(rows: &AuditRows) -> bool {
    !rows.answers.scale.has_order() && rows.confidence.iter().any(Option::is_some)
}

fn several(rows: &AuditRows) -> bool {
    (0..rows.len()).any(|row| rows.repeats[row].len() > 1)
}

/// Whether the judge says how probable each class is; of three and more it has to say it of every row.
fn by_probability(rows: &AuditRows) -> bool {
    let mut all = (0..rows.len()).map(|row| &rows.shares[row]);
    !several(rows)
        && all.clone().flatten().any(|p| *p > 0.0 && *p < 1.0)
        && (rows.answers.scale.nominal() == Some(2) || all.all(|shares| !shares.is_empty()))
}
