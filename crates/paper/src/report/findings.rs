//! What goes beyond the paper, in sentences that can be quoted.
//!
//! The sentences are data: `data/paper/findings.toml` has them as templates, which take every figure from the results.
//! No figure is typed in this program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tera::{Context, Kwargs, State, Tera, TeraResult, Value};

use super::extended::{interval, judged, scaled};
use super::registered::AsRegistered;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::RegisteredComparison;
use crate::rules::{self, Contender};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_core::stats::{Summary, mean};
use judge_uncertainty_system::TextPosition;
use judge_uncertainty_system::numbers::NumberStyle;

/// File of the findings within an artifact folder.
pub const FILE: &str = "results/findings.json";

/// The templates within the repository, and as they were when the program was built.
const TEMPLATES: &str = "data/paper/findings.toml";
const BUILT_IN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/paper/findings.toml"));

/// How far a finding carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// Registered, and its simultaneous interval lies where it was expected.
    Confirmed,
    /// Registered, and not confirmed.
    #[serde(alias = "suggested", alias = "open", alias = "doubted")]
    NotConfirmed,
    /// Registered, and its simultaneous interval lies on the other side.
    Refuted,
    /// Not registered.
    Exploratory,
    /// About worlds whose truth is known.
    Simulated,
}

impl FindingStatus {
    /// Name for a reader.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::Refuted => "refuted",
            Self::Exploratory => "exploratory",
            Self::Simulated => "known truth",
        }
    }
}

/// One sentence that can be quoted, with where its figures are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Short name.
    pub id: String,
    /// How far it carries.
    pub status: FindingStatus,
    /// The sentence.
    pub sentence: String,
    /// Path of the figures below `results` in `results/extended.json`.
    pub evidence: String,
}

/// Why findings can't be written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum FindingsError {
    #[error("{} is not a file of findings; data/paper/README.md says how a finding is typed", path.display())]
    Parse { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{}, line {line}, finding `{id}`: {problem}; data/paper/README.md says how a finding is \
             typed", path.display())]
    Finding { path: PathBuf, line: usize, id: String, problem: String },
    #[error(
        "finding `{id}`: the extended results (results/extended.json) don't have what it asks for: {problem}; correct \
         the finding, or compute the results again with this version of the program"
    )]
    Figure { id: String, problem: String },
}

/// The file as typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindingsFile {
    planning: Planning,
    #[serde(default)]
    shared: BTreeMap<String, String>,
    finding: Vec<FindingTemplate>,
}

/// Figures that were expected before anything was run, with where they come from.
#[derive(Deserialize)]
struct Planning {
    #[serde(rename = "source")]
    _source: String,
    #[serde(flatten)]
    figures: BTreeMap<String, BTreeMap<String, f64>>,
}

/// A finding as typed; all its texts are templates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindingTemplate {
    id: toml::Spanned<String>,
    status: String,
    /// Names for parts of the results, which the other texts use.
    #[serde(default, rename = "let")]
    names: String,
    /// The finding is left out where this does not hold.
    #[serde(default = "always")]
    needs: String,
    sentence: String,
    evidence: String,
}

fn always() -> String {
    "true".to_owned()
}

/// All findings as templates, in the order in which a reader meets them.
#[derive(Debug)]
pub struct Findings {
    planning: BTreeMap<String, BTreeMap<String, f64>>,
    ids: Vec<String>,
    templates: Tera,
}

impl Findings {
    /// The findings of `data/paper/findings.toml`, as it was when the program was built.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn built_in() -> Result<Self, FindingsError> {
        Self::parse(BUILT_IN, Path::new(TEMPLATES))
    }

    /// Findings from the text of a file; `path` only appears in errors.
    ///
    /// # Errors
    /// The text is not TOML of that form, an id is used twice, or a template can't be read.
    pub fn parse(text: &str, path: &Path) -> Result<Self, FindingsError> {
        let file: FindingsFile = toml::from_str(text)
            .map_err(|source| FindingsError::Parse { path: path.to_owned(), source: Box::new(source) })?;
        let mut templates = Tera::new();
        templates.autoescape_on(Vec::<&str>::new());
        register_filters(&mut templates);
        let mut ids: Vec<String> = vec![];
        let refused = |id: &str, line: usize, problem: String| FindingsError::Finding {
            path: path.to_owned(),
            line,
            id: id.to_owned(),
            problem,
        };
        for (name, text) in &file.shared {
            templates.add_raw_template(name, text).map_err(|e| refused(name, 1, with_causes(&e)))?;
        }
        for finding in &file.finding {
            let id = finding.id.get_ref();
            let line = TextPosition::new(text, finding.id.span().start).line;
            if ids.contains(id) {
                return Err(refused(id, line, "the id is used by an earlier finding".to_owned()));
            }
            let FindingTemplate { names, needs, status, evidence, sentence, .. } = finding;
            let template = format!("{names}{{% if {needs} %}}{status}\n{evidence}\n{sentence}{{% endif %}}");
            templates.add_raw_template(id, &template).map_err(|e| refused(id, line, with_causes(&e)))?;
            ids.push(id.clone());
        }
        Ok(Self { planning: file.planning.figures, ids, templates })
    }

    /// The findings with the figures of results, none without results; one whose needs are not met is left out.
    ///
    /// # Errors
    /// Results that lack a figure.
    pub fn from_results(&self, results: Option<&ExtendedResults>) -> Result<Vec<Finding>, FindingsError> {
        results.map_or_else(|| Ok(vec![]), |results| self.fill(results))
    }

    fn fill(&self, results: &impl Serialize) -> Result<Vec<Finding>, FindingsError> {
        // By way of JSON, where every key is a string.
        let results = serde_json::to_value(results).expect("results are plain data");
        let mut context = Context::from_serialize(&results).expect("results are plain data");
        context.insert("planning", &self.planning);
        let finding = |id: &String| {
            let lacks = |problem: String| FindingsError::Figure { id: id.clone(), problem };
            let text = self.templates.render(id, &context).map_err(|e| lacks(with_causes(&e)))?;
            let mut lines = text.trim_start().splitn(3, '\n').map(str::to_owned);
            let (Some(status), Some(evidence), Some(sentence)) = (lines.next(), lines.next(), lines.next()) else {
                return Ok(None);
            };
            let status = serde_json::from_value(status.clone().into())
                .map_err(|_| lacks(format!("`{status}` is no status of a finding")))?;
            Ok(Some(Finding { id: id.clone(), status, sentence, evidence }))
        };
        self.ids.iter().filter_map(|id| finding(id).transpose()).collect()
    }
}

/// An error of the template engine with its causes, on one line.
fn with_causes(error: &tera::Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let text = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How findings print figures, and how they find elements of lists.
fn register_filters(tera: &mut Tera) {
    tera.register_filter("number", |value: f64, kwargs: Kwargs, _: &State| -> TeraResult<String> {
        Ok(style(&kwargs)?.format(times(&kwargs)? * value))
    });
    tera.register_filter("interval", |value: &Value, kwargs: Kwargs, _: &State| -> TeraResult<String> {
        Ok(interval(&scaled(&typed::<Summary>(value)?, times(&kwargs)?), style(&kwargs)?))
    });
    tera.register_filter("judged", |value: &Value, kwargs: Kwargs, _: &State| -> TeraResult<String> {
        let items = kwargs.must_get::<&str>("on")?;
        Ok(judged(items, &typed::<RegisteredComparison>(value)?, style(&kwargs)?))
    });
    // The verdict of the registered procedure.
    tera.register_filter("registered", |value: &Value, kwargs: Kwargs, _: &State| -> TeraResult<String> {
        let items = kwargs.must_get::<&str>("on")?;
        let quantity = typed::<RegisteredComparison>(value)?.quantity;
        let first = AsRegistered::find(items, quantity);
        first
            .map(|first| first.verdict.replace('-', "_"))
            .ok_or_else(|| tera::Error::message(format!("not registered on the {items}")))
    });
    tera.register_filter("rule", |value: &Value, _: Kwargs, _: &State| -> TeraResult<String> {
        Ok(rules::in_text(typed::<Contender>(value)?).to_owned())
    });
    tera.register_filter("budget", |items: u64, kwargs: Kwargs, _: &State| -> TeraResult<u64> {
        let budget = Budget::try_from(kwargs.must_get::<String>("key")?).map_err(tera::Error::message)?;
        Ok(budget.of(items as usize) as u64)
    });
    tera.register_filter("mean", |list: &[Value], kwargs: Kwargs, _: &State| -> TeraResult<f64> {
        let name = kwargs.must_get::<&str>("of")?;
        let number = |value: &Value| value.get_from_path(name).and_then(Value::as_f64);
        let numbers: Option<Vec<f64>> = list.iter().map(number).collect();
        numbers.map(|x| mean(&x)).ok_or_else(|| tera::Error::message(format!("an element has no number `{name}`")))
    });
    // The first element with these values, in itself or in what it says was measured, and its position in the list.
    tera.register_filter("find", |list: &[Value], kwargs: Kwargs, _: &State| -> TeraResult<Value> {
        let within = |element: &Value, name: &str, wanted: &Value| {
            ["", "quantity.", "measured."]
                .iter()
                .any(|part| element.get_from_path(&format!("{part}{name}")).is_some_and(|found| found == wanted))
        };
        let holds = |e: &Value| kwargs.iter().all(|(name, wanted)| within(e, &name.to_string(), wanted));
        let position = list.iter().position(holds).ok_or_else(|| {
            let asked = kwargs.iter().map(|(name, value)| format!("{name} {value}"));
            tera::Error::message(format!("no element has {}", asked.collect::<Vec<_>>().join(", ")))
        })?;
        let mut found = list[position].clone().into_map().unwrap_or_default();
        found.insert("position".into(), position.into());
        Ok(found.into())
    });
}

/// Digits as `3`, with a sign before positive numbers as `+3`, with thousands set apart as `,0`.
fn style(kwargs: &Kwargs) -> TeraResult<NumberStyle> {
    let text = kwargs.must_get::<&str>("style")?;
    let unsigned = text.trim_start_matches('+');
    let digits = unsigned.trim_start_matches(',');
    let decimals = digits.parse().map_err(|_| tera::Error::message(format!("`{text}` is not a style such as +3")))?;
    let (plus, thousands) = (unsigned != text, digits != unsigned);
    Ok(NumberStyle { plus, thousands, ..NumberStyle::plain(decimals) })
}

/// What a figure is multiplied by before it is printed.
fn times(kwargs: &Kwargs) -> TeraResult<f64> {
    Ok(kwargs.get::<f64>("times")?.unwrap_or(1.0))
}

fn typed<T: DeserializeOwned>(value: &Value) -> TeraResult<T> {
    let json = serde_json::to_value(value).map_err(|e| tera::Error::message(e.to_string()))?;
    serde_json::from_value(json).map_err(|e| tera::Error::message(format!("can't print {value}: {e}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TYPED: &str = r#"
[planning]
source = "a calculation by hand"
gain.b10 = 4.25

[shared]
end = " {{ rule | rule }} ends."

[[finding]]
id = "first"
status = "{{ best.outcome }}"
let = """
{% set rule = asked.rule %}
{% set best = verdicts | find(rule=rule, sure=true) %}
"""
sentence = """
Of {{ items | number(style=',0') }}, {{ items | budget(key='b10') }} gain {{ (a - b) | number(style='+1') }} \
({{ planning.gain.b10 | number(style='+2') }}).{% include 'end' %}"""
evidence = "verdicts/{{ best.position }}"

[[finding]]
id = "second"
needs = "taken"
status = "simulated"
sentence = "{{ list | mean(of='n') | number(style='2') }}, {{ spread | interval(style='+1', times=100) }}."
evidence = "list"
"#;

    fn results() -> serde_json::Value {
        json!({
            "asked": {"rule": "delta"}, "items": 1250, "a": 3.5, "b": 1.25, "taken": true,
            "list": [{"n": 1.0}, {"n": 2.5}],
            "spread": {"mean": 0.5, "se": 0.0, "lo": 0.25, "hi": 0.75},
            "verdicts": [
                {"quantity": {"rule": "info", "sure": true}, "outcome": "refuted"},
                {"quantity": {"rule": "delta", "sure": false}, "outcome": "refuted"},
                {"quantity": {"rule": "delta", "sure": true}, "outcome": "suggested"},
            ],
        })
    }

    fn typed(from: &str, to: &str) -> Result<Findings, FindingsError> {
        assert!(TYPED.contains(from), "{from}");
        Findings::parse(&TYPED.replace(from, to), Path::new("f.toml"))
    }

    #[test]
    fn sentences_are_filled_from_results() {
        let all = typed("", "").unwrap().fill(&results()).unwrap();
        let [first, second] = &all[..] else { panic!("{all:?}") };
        assert_eq!(first.sentence, "Of 1,250, 125 gain +2.2 (+4.25). Delta ends.");
        assert_eq!((first.status, first.evidence.as_str()), (FindingStatus::NotConfirmed, "verdicts/2"));
        assert_eq!(second.sentence, "1.75, +50.0 [+25.0, +75.0].");
        assert_eq!((second.status, second.evidence.as_str()), (FindingStatus::Simulated, "list"));
        let mut without = results();
        without["taken"] = json!(false);
        assert_eq!(typed("", "").unwrap().fill(&without).unwrap().len(), 1);
    }

    #[test]
    fn a_figure_that_is_not_there_is_an_error() {
        for (path, value, message) in [
            ("/a", json!(null), "finding `first`: the extended results (results/extended.json) don't have"),
            ("/verdicts", json!([]), "no element has"),
            ("/spread", json!({"mean": 1.0}), "finding `second`: "),
            ("/verdicts/2/outcome", json!("fine"), "`fine` is no status"),
        ] {
            let mut changed = results();
            *changed.pointer_mut(path).unwrap() = value;
            let error = typed("", "").unwrap().fill(&changed).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn what_is_typed_wrong_is_refused_with_its_place() {
        for (from, to, message) in [
            ("id = \"second\"", "id = \"first\"", "f.toml, line 22, finding `first`: the id is used by an earlier"),
            ("{{ list |", "{{ list", "f.toml, line 22, finding `second`: "),
            ("| interval(", "| intervals(", "intervals"),
            ("'end'", "'ends'", "ends"),
        ] {
            let error = typed(from, to).unwrap_err().to_string();
            assert!(error.contains(message), "{from}: {error}");
        }
        let unknown = TYPED.replacen("[[finding]]\n", "[[finding]]\nkind = 1\n", 1);
        assert!(matches!(Findings::parse(&unknown, Path::new("f.toml")), Err(FindingsError::Parse { .. })));
    }

    #[test]
    fn every_planning_figure_is_cited() {
        let findings = Findings::built_in().unwrap();
        for (group, figures) in &findings.planning {
            for figure in figures.keys() {
                assert!(BUILT_IN.contains(&format!("planning.{group}.{figure} ")), "{group}.{figure}");
            }
        }
        assert!(findings.ids.len() > 20);
    }
}
