//! The file of findings, read and checked, and filled from results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::error::FindingsError;
use super::finding::{Finding, FindingStatus};
use super::place::{Conditions, FigurePlace, Lost, Scope};
use super::template::{SentencePart, SentenceParts, SentenceTemplate};
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::Judgement;
use judge_uncertainty_system::TextPosition;

/// The file within the repository, and as it was when the program was built.
const FILE: &str = "data/paper/findings.toml";
const BUILT_IN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/paper/findings.toml"));

/// The file as typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedFile {
    planning: TypedPlanning,
    #[serde(default)]
    part: BTreeMap<String, TypedPart>,
    finding: Vec<TypedFinding>,
}

/// Figures that were expected before anything was run, with where they come from.
#[derive(Deserialize)]
struct TypedPlanning {
    source: String,
    #[serde(flatten)]
    figures: BTreeMap<String, BTreeMap<String, f64>>,
}

/// A finding as typed; the position of its id locates every complaint about it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedFinding {
    id: toml::Spanned<String>,
    status: TypedStatus,
    #[serde(default, rename = "where")]
    names: BTreeMap<String, String>,
    #[serde(default)]
    needs: Vec<String>,
    sentence: String,
    evidence: String,
    #[serde(default)]
    part: BTreeMap<String, TypedPart>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TypedStatus {
    Verdict(OfVerdict),
    Fixed(FindingStatus),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfVerdict {
    verdict: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedPart {
    of: Option<String>,
    only: Option<String>,
    except: Option<String>,
    highest: Option<String>,
    #[serde(default)]
    before: String,
    each: String,
    #[serde(default)]
    join: String,
    #[serde(default)]
    none: String,
}

/// All findings, checked, in the order in which a reader meets them.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    planning: Value,
    findings: Vec<Typed>,
}

/// A finding, checked.
#[derive(Debug, Clone, PartialEq)]
struct Typed {
    id: String,
    status: StatusOf,
    names: BTreeMap<String, FigurePlace>,
    /// The finding is left out unless something stands there.
    needs: Vec<FigurePlace>,
    sentence: SentenceTemplate,
    evidence: FigurePlace,
    /// Its own parts, and those that it shares with others.
    parts: SentenceParts,
}

#[derive(Debug, Clone, PartialEq)]
enum StatusOf {
    Fixed(FindingStatus),
    /// That of the registered comparison there.
    Verdict(FigurePlace),
}

impl Findings {
    /// The findings of `data/paper/findings.toml`, as it was when the program was built.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn built_in() -> Result<Self, FindingsError> {
        Self::parse(BUILT_IN, Path::new(FILE))
    }

    /// Findings from the text of a file; `path` only appears in errors.
    ///
    /// # Errors
    /// The text is not TOML of that form, or a finding contradicts itself or another: an id that is used twice, a place,
    /// placeholder or style that can't be read, a part that is not there or tells itself, a name, part or planning
    /// figure that nothing uses.
    pub fn parse(text: &str, path: &Path) -> Result<Self, FindingsError> {
        let file: TypedFile = toml::from_str(text)
            .map_err(|source| FindingsError::Parse { path: path.to_owned(), source: Box::new(source) })?;
        let whole = |problem: String| FindingsError::File { path: path.to_owned(), problem };
        if file.planning.source.trim().is_empty() {
            return Err(whole("the planning figures have no source".to_owned()));
        }
        let shared = parts(file.part).map_err(whole)?;
        let (mut ids, mut findings) = (BTreeSet::new(), vec![]);
        for typed in file.finding {
            let line = TextPosition::new(text, typed.id.span().start).line;
            let id = typed.id.get_ref().clone();
            let checked = if ids.insert(id.clone()) {
                Typed::of(typed, &shared)
            } else {
                Err("the id is used by an earlier finding".to_owned())
            };
            findings.push(checked.map_err(|problem| FindingsError::Finding {
                path: path.to_owned(),
                line,
                id,
                problem,
            })?);
        }
        if let Some(name) = shared.keys().find(|name| !findings.iter().any(|f: &Typed| f.parts.contains_key(*name))) {
            return Err(whole(format!("no finding tells the part `{name}`")));
        }
        let cited: BTreeSet<&str> = findings.iter().flat_map(Typed::places).filter_map(FigurePlace::planning).collect();
        let typed = file
            .planning
            .figures
            .iter()
            .flat_map(|(group, figures)| figures.keys().map(move |figure| format!("{group}/{figure}")));
        if let Some(figure) = typed.into_iter().find(|figure| !cited.contains(figure.as_str())) {
            return Err(whole(format!("no finding cites the planning figure `{figure}`")));
        }
        let planning = serde_json::to_value(file.planning.figures).expect("numbers by name are plain data");
        Ok(Self { planning, findings })
    }

    /// The findings with the figures of results, none without results; one whose needs are not met is left out.
    ///
    /// # Errors
    /// Results that lack a figure.
    pub fn of(&self, results: Option<&ExtendedResults>) -> Result<Vec<Finding>, FindingsError> {
        let json = |results| serde_json::to_value(results).expect("results are plain data with string keys");
        results.map_or_else(|| Ok(vec![]), |results: &ExtendedResults| self.of_json(&json(results)))
    }

    fn of_json(&self, results: &Value) -> Result<Vec<Finding>, FindingsError> {
        let told = self.findings.iter().filter_map(|finding| {
            let scope = Scope { results, planning: &self.planning, names: &finding.names, element: None };
            let lost = |Lost { wanted, at, found }| FindingsError::Figure {
                id: finding.id.clone(),
                wanted,
                at,
                found: found.to_owned(),
            };
            finding.tell(&scope).map_err(lost).transpose()
        });
        told.collect()
    }
}

impl Typed {
    fn of(typed: TypedFinding, shared: &SentenceParts) -> Result<Self, String> {
        let id = typed.id.into_inner();
        let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        if !id.split('-').all(word) {
            return Err("the id is not of lower-case words joined by hyphens".to_owned());
        }
        let read = |(name, place): (String, String)| Ok((name, FigurePlace::read(&place)?));
        let mut all = shared.clone();
        for (name, part) in parts(typed.part)? {
            if all.insert(name.clone(), part).is_some() {
                return Err(format!("the part `{name}` has the name of one that findings share"));
            }
        }
        let sentence = SentenceTemplate::read(&typed.sentence)?;
        let told = told_parts(&sentence, &all)?;
        if let Some(name) = all.keys().find(|name| !told.contains(*name) && !shared.contains_key(*name)) {
            return Err(format!("nothing tells the part `{name}`"));
        }
        all.retain(|name, _| told.contains(name));
        let finding = Self {
            id,
            status: match typed.status {
                TypedStatus::Fixed(status) => StatusOf::Fixed(status),
                TypedStatus::Verdict(of) => StatusOf::Verdict(FigurePlace::read(&of.verdict)?),
            },
            names: typed.names.into_iter().map(read).collect::<Result<_, String>>()?,
            needs: typed.needs.iter().map(|place| FigurePlace::read(place)).collect::<Result<_, _>>()?,
            sentence,
            evidence: FigurePlace::read(&typed.evidence)?,
            parts: all,
        };
        finding.check_names()?;
        Ok(finding)
    }

    /// Every name is used, and leads to a place in the end.
    fn check_names(&self) -> Result<(), String> {
        let in_parts = self.parts.values().flat_map(SentencePart::names);
        let used: BTreeSet<&str> = self.places().into_iter().flat_map(FigurePlace::names).chain(in_parts).collect();
        if let Some(name) = self.names.keys().find(|name| !used.contains(name.as_str())) {
            return Err(format!("nothing uses the name `{name}`"));
        }
        for start in self.names.keys() {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start.as_str()]);
            while let Some(place) = open.pop().and_then(|name| self.names.get(name)) {
                for name in place.names() {
                    if name == start {
                        return Err(format!("the name `{name}` leads to itself"));
                    }
                    if seen.insert(name) {
                        open.push(name);
                    }
                }
            }
        }
        Ok(())
    }

    /// Every place that it names.
    fn places(&self) -> Vec<&FigurePlace> {
        let status = match &self.status {
            StatusOf::Verdict(place) => Some(place),
            StatusOf::Fixed(_) => None,
        };
        let own = self.names.values().chain(&self.needs).chain(status).chain([&self.evidence]);
        own.chain(self.sentence.places()).chain(self.parts.values().flat_map(SentencePart::places)).collect()
    }

    /// The finding; `None` where its needs are not met.
    fn tell(&self, scope: &Scope) -> Result<Option<Finding>, Lost> {
        let is_there = |place: &FigurePlace| place.find(scope).is_ok_and(|found| !found.value.is_null());
        if !self.needs.iter().all(is_there) {
            return Ok(None);
        }
        let status = match &self.status {
            StatusOf::Fixed(status) => *status,
            StatusOf::Verdict(place) => {
                let found = place.find(scope)?;
                let outcome = found.value.get("outcome").and_then(|outcome| Judgement::deserialize(outcome).ok());
                outcome.ok_or_else(|| place.lost(&found.path, "have no registered comparison"))?.into()
            }
        };
        let sentence = self.sentence.tell(scope, &self.parts)?;
        let evidence = self.evidence.find(scope)?.path;
        Ok(Some(Finding { id: self.id.clone(), status, sentence, evidence }))
    }
}

fn parts(typed: BTreeMap<String, TypedPart>) -> Result<SentenceParts, String> {
    let place = |text: Option<String>| text.map(|text| FigurePlace::read(&text)).transpose();
    let conditions = |text: Option<String>| text.map(|text| Conditions::read(&text)).transpose();
    let part = |(name, part): (String, TypedPart)| {
        let TypedPart { of, only, except, highest, before, each, join, none } = part;
        let part = SentencePart {
            of: place(of)?,
            only: conditions(only)?,
            except: conditions(except)?,
            highest: place(highest)?,
            before,
            each: SentenceTemplate::read(&each)?,
            join,
            none: SentenceTemplate::read(&none)?,
        };
        Ok((name, part))
    };
    typed.into_iter().map(part).collect()
}

/// The parts that a sentence tells, those within parts too.
fn told_parts(sentence: &SentenceTemplate, parts: &SentenceParts) -> Result<BTreeSet<String>, String> {
    fn walk(
        template: &SentenceTemplate,
        parts: &SentenceParts,
        above: &[&str],
        told: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        for name in template.parts() {
            let part = parts.get(name).ok_or_else(|| format!("there is no part `{name}`"))?;
            if above.contains(&name) {
                return Err(format!("the part `{name}` tells itself"));
            }
            told.insert(name.to_owned());
            let above = [above, &[name]].concat();
            part.templates().into_iter().try_for_each(|template| walk(template, parts, &above, told))?;
        }
        Ok(())
    }
    let mut told = BTreeSet::new();
    walk(sentence, parts, &[], &mut told)?;
    Ok(told)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TYPED: &str = r#"
[planning]
source = "a calculation by hand"
gain.b10 = 4.25

[part.end]
each = " {rule|rule} ends."

[[finding]]
id = "first"
status = { verdict = "best" }
where.wanted = "asked/rule"
where.rule = "best/quantity/rule"
where.best = "verdicts/[quantity.rule=$wanted,quantity.sure=true]"
needs = ["best"]
sentence = "Of {items|,0}, {items|budget b10} gain {a - b|+1} ({planning/gain/b10|+2}):{list}.{end}"
evidence = "best/quantity"

[finding.part.list]
of = "groups"
only = "taken=true"
except = "@=c"
before = " groups"
each = " {@|text} {./n|0 x100}{more}"
join = ","
none = "no group"

[finding.part.more]
of = "./more"
each = " and {.|,0 up}"
none = " alone"

[[finding]]
id = "second"
status = "simulated"
sentence = "{most}: {mean groups/*/n|2}, last {list/last/0|1}, {items * (a - b)|0}, {list|count} {spread|interval +1 x100}."
evidence = "groups"

[finding.part.most]
of = "groups"
highest = "./n"
each = "{@|text}"
"#;

    fn results() -> Value {
        json!({
            "asked": {"rule": "delta"}, "items": 1250, "a": 3.5, "b": 1.25, "list": [[1.0], [2.5]],
            "spread": {"mean": 0.5, "se": 0.0, "lo": 0.25, "hi": 0.75},
            "verdicts": [
                {"quantity": {"rule": "info", "sure": true}, "outcome": "refuted"},
                {"quantity": {"rule": "delta", "sure": false}, "outcome": "refuted"},
                {"quantity": {"rule": "delta", "sure": true}, "outcome": "suggested"},
            ],
            "groups": {
                "a": {"n": 0.25, "taken": true, "more": null},
                "b": {"n": 0.5, "taken": true, "more": 1000.25},
                "c": {"n": 0.75, "taken": true, "more": null},
                "d": {"n": 0.5, "taken": false, "more": null},
            },
        })
    }

    fn typed(from: &str, to: &str) -> Result<Findings, FindingsError> {
        assert!(TYPED.contains(from), "{from}");
        Findings::parse(&TYPED.replace(from, to), Path::new("f.toml"))
    }

    #[test]
    fn sentences_are_filled_from_results() {
        let all = typed("", "").unwrap().of_json(&results()).unwrap();
        let [first, second] = &all[..] else { panic!("{all:?}") };
        assert_eq!(first.sentence, "Of 1,250, 125 gain +2.2 (+4.25): groups a 25 alone, b 50 and 1,001. Delta ends.");
        assert_eq!((first.status, first.evidence.as_str()), (FindingStatus::NotConfirmed, "verdicts/2/quantity"));
        assert_eq!(second.sentence, "c: 0.50, last 2.5, 2812, 2 +50.0 [+25.0, +75.0].");
        assert_eq!((second.status, second.evidence.as_str()), (FindingStatus::Simulated, "groups"));
    }

    #[test]
    fn an_unmet_need_leaves_a_finding_out_and_a_figure_that_is_not_there_is_an_error() {
        let findings = typed("", "").unwrap();
        let mut without = results();
        without["verdicts"].as_array_mut().unwrap().pop();
        let told = findings.of_json(&without).unwrap();
        assert_eq!(told.iter().map(|f| f.id.as_str()).collect::<Vec<_>>(), ["second"]);
        for (path, value, message) in [
            (
                "/list",
                json!([]),
                "finding `second`: the extended results (results/extended.json) have nothing at `list/0`",
            ),
            ("/a", Value::Null, "finding `first`: the extended results (results/extended.json) have no number at `a`"),
            ("/groups/a", json!({"n": 1.0, "taken": true}), "have nothing at `./more`"),
        ] {
            let mut changed = results();
            *changed.pointer_mut(path).unwrap() = value;
            let error = findings.of_json(&changed).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn what_is_typed_wrong_is_refused_with_its_place() {
        for (from, to, message) in [
            ("id = \"second\"", "id = \"first\"", "f.toml, line 34, finding `first`: the id is used by an earlier"),
            ("id = \"second\"", "id = \"Second\"", "lower-case words"),
            ("+1 x100}.", "+1 x100.", "a placeholder is not closed"),
            ("{items|,0}", "items|,0}", "a placeholder is not opened"),
            ("{items|,0}", "{items|nice}", "`nice` is not a style"),
            ("{items|,0}", "{items|count 2}", "has decimals that it does not use"),
            ("{items|,0}", "{items|interval}", "does not say how many decimals"),
            ("{items|,0}", "{items//a|0}", "a key is empty"),
            ("{items|,0}", "{items/[a=b|0}", "a bracket is not closed"),
            ("only = \"taken=true\"", "only = \"taken\"", "`taken` is not a condition"),
            ("{list}.{end}", "{list}.{end}{other}", "there is no part `other`"),
            ("{list}.{end}", "{end}", "nothing tells the part `list`"),
            ("each = \" and {.|,0 up}\"", "each = \"{list}\"", "the part `list` tells itself"),
            ("where.wanted = \"asked/rule\"", "where.wanted = \"best/rule\"", "leads to itself"),
            (" {rule|rule} ends.", " It ends.", "nothing uses the name `rule`"),
            (".{end}", ".", "nothing uses the name `rule`"),
            (" ({planning/gain/b10|+2})", "", "no finding cites the planning figure `gain/b10`"),
            ("a calculation by hand", " ", "the planning figures have no source"),
            ("[finding.part.more]", "[finding.part.end]", "the name of one that findings share"),
        ] {
            let error = typed(from, to).unwrap_err().to_string();
            assert!(error.contains(message), "{from}: {error}");
        }
        for unknown in ["[[finding]]\nkind = 1\n", "[part.end]\nsign = 1\n", "[planning]\ngain.b20 = \"x\"\n"] {
            let (before, _) = unknown.split_once('\n').unwrap();
            let error = TYPED.replacen(&format!("{before}\n"), unknown, 1);
            assert!(
                matches!(Findings::parse(&error, Path::new("f.toml")), Err(FindingsError::Parse { .. })),
                "{unknown}"
            );
        }
    }

    #[test]
    fn the_file_that_is_built_in_can_be_read() {
        assert!(Findings::built_in().unwrap().findings.len() > 20);
    }
}
