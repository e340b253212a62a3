//! An audited table as the files of a study that every other command continues from.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use judge_uncertainty_system::{Staged, csv_text};

use super::Labelled;
use super::columns::{Mapping, ROLES, Role};
use super::rows::AuditRows;
use super::table::CellTable;
use crate::findings::condition::Condition;
use crate::from_log::{StudyFiles, quote};
use crate::input::question::Criterion;
use crate::input::scale::Scale;
use crate::input::spelling::number;

/// Column of the ids in the study's tables; a column of the user's that has the name keeps it under another.
const ID: &str = "id";

/// The tables and the commented `study.toml`.
pub fn study_files(
    title: &str,
    cells: &CellTable,
    (mapping, rows): (&Mapping, &AuditRows),
    (labelled, at_least): (&Labelled, &[Condition]),
) -> Staged {
    let mut staged = Staged::default();
    staged.put("items.csv", csv_text(items(cells, mapping, rows)));
    staged.put("judge.csv", csv_text(judge(rows)));
    if !rows.labelled().is_empty() {
        staged.put("labels.csv", csv_text(labels(rows)));
    }
    let config = configuration((title, cells.criterion.as_ref()), mapping, rows, labelled);
    staged.put("study.toml", config + &trust(at_least));
    staged
}

/// Columns of the user's that items keep: all but the answers.
fn kept_columns(cells: &CellTable, mapping: &Mapping) -> Vec<usize> {
    let answers = [Role::Verdict, Role::Score, Role::Probability, Role::Confidence, Role::Human].map(|r| mapping.of(r));
    let answers: HashSet<&str> = answers.into_iter().flatten().collect();
    let id = mapping.one(Role::Id);
    (0..cells.names.len())
        .filter(|&k| !answers.contains(cells.names[k].as_str()) && Some(cells.names[k].as_str()) != id)
        .collect()
}

/// The name of a user's column in the items.
fn named(name: &str) -> String {
    if [ID, "about"].contains(&name) { format!("column_{name}") } else { name.to_owned() }
}

fn items<'c>(cells: &'c CellTable, mapping: &Mapping, rows: &'c AuditRows) -> impl Iterator<Item = Vec<Cow<'c, str>>> {
    let columns = kept_columns(cells, mapping);
    let about = repeats_things(rows);
    let numbers: HashSet<&str> = mapping.of(Role::Number).into_iter().collect();
    let numbers: Vec<bool> = columns.iter().map(|&k| numbers.contains(cells.names[k].as_str())).collect();
    let cell = |cell: &'c str, is_number: bool| match number(cell)
        .filter(|_| is_number && cell.trim().parse::<f64>().is_err())
    {
        Some(number) => Cow::Owned(number.to_string()),
        None => Cow::Borrowed(cell),
    };
    let mut header = vec![Cow::Borrowed(ID)];
    header.extend(about.then_some(Cow::Borrowed("about")));
    header.extend(columns.iter().map(|&k| named(&cells.names[k]).into()));
    let row = move |i: usize| {
        let mut row = vec![Cow::Borrowed(&rows.ids[i])];
        row.extend(about.then(|| format!("thing {}", rows.things[i] + 1).into()));
        row.extend(columns.iter().zip(&numbers).map(|(&k, &is)| cell(cells.cell(rows.kept[i], k), is)));
        row
    };
    std::iter::once(header).chain((0..rows.len()).map(row))
}

/// Whether some rows form a cluster.
fn repeats_things(rows: &AuditRows) -> bool {
    rows.things.iter().max().is_some_and(|last| last + 1 < rows.len())
}

fn judge(rows: &AuditRows) -> impl Iterator<Item = Vec<Cow<'_, str>>> {
    let (stated, several, by_probability) = (has_confidence(rows), several(rows), by_probability(rows));
    let mut header = vec![ID.into()];
    header.extend(several.then_some("variant".into()));
    header.push("label".into());
    header.extend(probability_columns(rows).into_iter().map(Cow::Owned));
    header.extend(stated.then_some("confidence".into()));
    let of = move |i: usize| {
        let answers = if several { &rows.repeats[i] } else { &rows.verdict[i..=i] };
        answers.iter().zip(1..).map(move |(answer, number)| {
            let mut row = vec![Cow::Borrowed(&rows.ids[i])];
            row.extend(several.then(|| format!("answer {number}").into()));
            row.push(rows.answers.scale.text(*answer).into());
            if by_probability {
                let certain = [1.0 - rows.verdict[i], rows.verdict[i]];
                let shares = if rows.shares[i].is_empty() { &certain } else { &rows.shares[i] };
                row.extend(shares.iter().map(|p| p.to_string().into()));
            }
            row.extend(stated.then(|| rows.confidence[i].map(|c| c.to_string()).unwrap_or_default().into()));
            row
        })
    };
    std::iter::once(header).chain((0..rows.len()).flat_map(of))
}

fn labels(rows: &AuditRows) -> impl Iterator<Item = Vec<Cow<'_, str>>> {
    let of = move |i: usize| {
        rows.humans[i].iter().map(move |(who, answer)| {
            vec![
                Cow::Borrowed(&rows.ids[i]),
                rows.annotators[*who].as_str().into(),
                rows.answers.scale.text(*answer).into(),
            ]
        })
    };
    std::iter::once([ID, "annotator", "label"].map(Cow::Borrowed).to_vec()).chain((0..rows.len()).flat_map(of))
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

/// The columns with the judge's probabilities, if it gives any.
fn probability_columns(rows: &AuditRows) -> Vec<String> {
    match by_probability(rows) {
        true => rows.answers.scale.classes().iter().map(|name| format!("p_{name}")).collect(),
        false => vec![],
    }
}

fn configuration(
    (title, criterion): (&str, Option<&Criterion>),
    mapping: &Mapping,
    rows: &AuditRows,
    labelled: &Labelled,
) -> String {
    let mut text = String::from(
        "# Written by `judge-uncertainty audit`; every other command continues from here. Paths are relative to this \
         file.\n# `judge-uncertainty study check` reads it. What is commented out is an alternative.\n\n",
    );
    let mut line = |args: std::fmt::Arguments<'_>| writeln!(text, "{args}").expect("a string takes all");
    let title = criterion.map_or_else(|| title.to_owned(), |one| format!("{}: {title}", one.name));
    line(format_args!("title = {}", quote(&title)));
    line(format_args!("{}", rows.answers.scale.setting()));
    if let Some(Criterion { name, rubric }) = criterion {
        line(format_args!("\n[criterion]\nname = {}", quote(name)));
        match rubric {
            Some(rubric) => line(format_args!("rubric = {}", quote(rubric))),
            None => line(format_args!("# rubric = \"\"   # write here what annotators are to judge by")),
        }
    }
    let texts = mapping.of(Role::Text);
    line(format_args!("\n[items]\nfile = \"items.csv\""));
    if !texts.is_empty() {
        let template = match texts[..] {
            [only] => format!("{{{}}}", named(only)),
            _ => texts.iter().map(|name| format!("{name}: {{{}}}", named(name))).collect::<Vec<_>>().join("\n\n"),
        };
        line(format_args!("text = {}          # what experts read: columns in braces", quote(&template)));
    }
    if repeats_things(rows) {
        line(format_args!("item = \"about\"          # rows about one thing"));
    }
    if let Some(cluster) = mapping.one(Role::Cluster) {
        line(format_args!("cluster = {}   # rows of one are alike: intervals go over these", quote(&named(cluster))));
    }
    if let Some(group) = mapping.one(Role::Group) {
        let group = quote(&named(group));
        line(format_args!("group = {group}          # reported by group"));
        line(format_args!("categories = [{group}]   # the judge may be better in some groups than in others"));
    }
    if let Some(system) = mapping.one(Role::System) {
        line(format_args!("system = {}   # what is judged; the answer compares systems", quote(&named(system))));
    }
    let compared: Vec<String> = mapping.of(Role::Number).into_iter().map(|name| quote(&named(name))).collect();
    if !compared.is_empty() {
        line(format_args!("compare = [{}]   # whether the judge's bias depends on them", compared.join(", ")));
    }
    if let Some(name) = mapping.one(Role::Transcript) {
        line(format_args!("transcript = {}   # what the judge wrote; annotators do not see it", quote(&named(name))));
    }
    let drawn = drawn(labelled, !rows.labelled().is_empty(), named);
    line(format_args!("{drawn}\n[judge]\nfile = \"judge.csv\""));
    match &rows.answers.scale {
        Scale::Scores(..) => line(format_args!("mean = \"label\"")),
        _ if by_probability(rows) => line(format_args!("kind = \"probabilities\"\ncolumns = \"p_{{class}}\"")),
        _ => line(format_args!("kind = \"labels\"")),
    }
    if several(rows) {
        line(format_args!("variant = \"variant\"      # repeated answers"));
    }
    if has_confidence(rows) {
        let percent = rows.confidence.iter().flatten().any(|c| *c > 1.0);
        line(format_args!("confidence = \"confidence\""));
        line(format_args!("confidence_range = [0, {}]", if percent { 100 } else { 1 }));
    }
    let of = |(role, name): (Role, &str)| {
        let columns: Vec<String> = mapping.of(role).into_iter().map(quote).collect();
        (!columns.is_empty()).then(|| format!("{name} = [{}]", columns.join(", ")))
    };
    let columns: Vec<String> = ROLES.into_iter().filter_map(of).collect();
    line(format_args!("\n# How the table was read; `apply` reads further ones alike."));
    line(format_args!("[audited]\ncolumns = {{ {} }}", columns.join(", ")));
    if let Some((low, high)) = rows.ends {
        line(format_args!("scores = [{low:?}, {high:?}]"));
    }
    match (rows.labelled().is_empty(), &rows.answers.scale) {
        (true, _) => line(format_args!("\n# There are no labels yet: `study labels add` brings them.")),
        (false, Scale::Scores(..)) => line(format_args!("\n[labels]\nfile = \"labels.csv\"\nscore = \"label\"")),
        (false, _) => line(format_args!("\n[labels]\nfile = \"labels.csv\"\nform = \"long\"")),
    }
    text
}

/// The end of a configuration.
fn trust(at_least: &[Condition]) -> String {
    let asked: Vec<String> = at_least.iter().map(|one| format!("{} = {}", quote(&one.finding), one.number)).collect();
    let asked = match asked.is_empty() {
        true => "# at_least = { agreement = 0.8 }   # what the judge has to reach to be relied on".to_owned(),
        false => format!("at_least = {{ {} }}   # what the judge has to reach to be relied on", asked.join(", ")),
    };
    format!(
        "\n[trust]\nbelief = \"auto\"          # the labels choose how the judge's answers are read\n{asked}\n\n# \
         [evaluation]\n# replicates = 200        # half splits, where items have 20 labels and more\n"
    )
}

/// The line of the items that says how the labelled ones were chosen, where there are any; `column` names a column of
/// the user's as the items have it.
fn drawn(labelled: &Labelled, has_labels: bool, column: impl Fn(&str) -> String) -> String {
    match labelled {
        _ if !has_labels => String::new(),
        Labelled::Random => "drawn = \"random\"         # how the labelled rows were chosen\n".to_owned(),
        Labelled::Column(name) => {
            let name = quote(&column(name));
            format!("probability = {name}   # with which probability each row was chosen to be labelled\n")
        }
        Labelled::Unknown => {
            "drawn = \"unknown\"        # or \"random\": how the labelled rows were chosen\n".to_owned()
        }
    }
}

/// The files that a criterion of a log becomes, with what a user says of its labels.
pub fn logged_files(study: &StudyFiles, (labelled, at_least): (&Labelled, &[Condition])) -> Staged {
    let mut staged = Staged::default();
    let of_items = "file = \"items.csv\"\n";
    let drawn = drawn(labelled, study.found.labels > 0, str::to_owned);
    for (name, text) in &study.files {
        let text = text.replacen(of_items, &format!("{of_items}{drawn}"), 1);
        staged.put(*name, if *name == "study.toml" { text + &trust(at_least) } else { text });
    }
    staged
}
