//! Which column holds what: recognised by names and values, corrected by the user.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::answers::MOST_CLASSES;
use super::criteria::USUAL;
use super::shares;
use super::table::{CellTable, present};
use crate::input::scale::Given;
use crate::input::spelling::{folded, number, polarity};

/// What a column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Names the item that a row is about.
    Id,
    /// An answer of the judge; several columns are repeated answers.
    Verdict,
    /// A number that the judge gave.
    Score,
    /// A probability that the judge gave: of the positive answer, or in columns `p_ANSWER` of each.
    Probability,
    /// How sure the judge says it is.
    Confidence,
    /// An answer of a person; one column for each person.
    Human,
    /// The group of a row, such as its topic.
    Group,
    /// What rows share that makes them alike, such as a conversation or a document.
    Cluster,
    /// The system that is judged.
    System,
    /// What people read.
    Text,
    /// What the judge wrote beside its answer.
    Transcript,
    /// A number that the judge's error may depend on.
    Number,
    /// Of two answers, which was shown first.
    Order,
    /// What a row is judged by, where tables have several criteria below each other.
    Criterion,
    /// Who gave the label of a row.
    Annotator,
    /// No column: the list of a JSON document that holds the rows.
    Rows,
}

/// The roles with their names, in the order in which a mapping is printed.
pub const ROLES: [(Role, &str); 16] = [
    (Role::Id, "id"),
    (Role::Verdict, "verdict"),
    (Role::Score, "score"),
    (Role::Probability, "probability"),
    (Role::Confidence, "confidence"),
    (Role::Human, "human"),
    (Role::Group, "group"),
    (Role::Cluster, "cluster"),
    (Role::System, "system"),
    (Role::Text, "text"),
    (Role::Transcript, "transcript"),
    (Role::Number, "number"),
    (Role::Order, "order"),
    (Role::Criterion, "criterion"),
    (Role::Annotator, "annotator"),
    (Role::Rows, "rows"),
];

/// Roles of columns with answers of the judge.
pub(super) const OF_JUDGE: [Role; 3] = [Role::Verdict, Role::Score, Role::Probability];

fn has_any(roles: &[Option<Role>], any: &[Role]) -> bool {
    any.iter().any(|role| roles.contains(&Some(*role)))
}

impl Role {
    /// Its name, as `--columns` takes it.
    pub fn name(self) -> &'static str {
        ROLES.iter().find(|(role, _)| *role == self).map_or("", |(_, name)| name)
    }

    /// Whether one column alone can have it.
    fn is_single(self) -> bool {
        !matches!(self, Self::Verdict | Self::Probability | Self::Human | Self::Text | Self::Number)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of a column before its name and values are looked at: `role=column`, or `role=` for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The role.
    pub role: Role,
    /// The column; `None` takes the role from whatever was recognised.
    pub column: Option<String>,
    /// Who says so: the user, or what the program made the column of.
    pub by: RecognisedBy,
}

impl FromStr for Correction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || ROLES.map(|(_, name)| name).join(", ");
        let (role, column) =
            text.split_once('=').ok_or_else(|| format!("{text:?} is not ROLE=COLUMN; the roles are {}", names()))?;
        let found = ROLES.iter().find(|(_, name)| *name == role.trim());
        let (role, _) = found.ok_or_else(|| format!("{role:?} is not a role; the roles are {}", names()))?;
        let column = column.trim();
        let column = (!column.is_empty()).then(|| column.to_owned());
        Ok(Self { role: *role, column, by: RecognisedBy::Given })
    }
}

/// A column of a table, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadColumn {
    /// Its name.
    pub column: String,
    /// What it holds; `None` where it is not used.
    pub role: Option<String>,
    /// What that was recognised by; `None` where it is not used.
    pub by: Option<RecognisedBy>,
    /// Rows in which it has a value.
    pub filled: usize,
}

/// What the role of a column was recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecognisedBy {
    /// The user.
    Given,
    /// The rows that name the rater whose answers the program put into it.
    Rows,
    /// The cells of several labels from which the program made it.
    Cells,
    /// Its name, with values that fit.
    Name,
    /// Its values.
    Values,
}

/// The columns of each role, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping(BTreeMap<Role, Vec<String>>);

impl Mapping {
    /// Whether it names no column.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Recognises the columns of a table, and takes the user's word for some.
    ///
    /// # Errors
    /// A correction that names no column of the table.
    pub fn new(cells: &CellTable, corrections: &[Correction]) -> Result<Self, String> {
        let mut roles: Vec<Option<Role>> = (0..cells.names.len()).map(|column| by_name(cells, column)).collect();
        // One of several columns that share an answer out among them is no answer by itself.
        let shares = one_of_each_row(cells);
        let clear = |roles: &mut Vec<Option<Role>>| {
            shares.iter().for_each(|&k| roles[k] = roles[k].filter(|role| !OF_JUDGE.contains(role)));
        };
        clear(&mut roles);
        let mut human = roles.contains(&Some(Role::Human));
        let judge = has_any(&roles, &[Role::Verdict, Role::Score]);
        // Beside probabilities, a score is no answer of the judge's.
        let prediction = if roles.contains(&Some(Role::Probability)) { PREDICTED } else { PREDICTION };
        // `label` and `score` alone are what is missing of people's and the judge's answers.
        for (k, name) in cells.names.iter().enumerate() {
            let words = words(name);
            let is_label = has_word(&words, LABEL) && !has_word(&words, "eval") && !is_model(name);
            if roles[k].is_none() && !human && is_label {
                (roles[k], human) = (Some(Role::Human), true);
            }
        }
        let of = |k: usize| words(&cells.names[k]);
        let other = "id name type version annotation annotations manual sme";
        let is_predicted = |k: &usize| has_word(&of(*k), prediction) && !has_word(&of(*k), other);
        // Answers before their scores, what is called after a model before both, and what is the same in every row last.
        let last = |k: &usize| {
            let is_score = has_word(&of(*k), PREDICTED) && has_word(&of(*k), "score");
            (cells.distinct(*k).len() < 2, !is_model(&cells.names[*k]), is_score)
        };
        let open = (0..roles.len()).filter(|k| roles[*k].is_none() && !judge && !shares.contains(k));
        let open = open.filter(is_predicted);
        if let Some(k) = open.min_by_key(last) {
            roles[k] = Some(judged(cells, k, &of(k)));
        }
        // A column may be called after the model that judged.
        if !has_any(&roles, &OF_JUDGE) {
            let is_open = |k: &usize| roles[*k].is_none() && is_model(&cells.names[*k]) && has_answers(cells, *k);
            let found: Vec<usize> = (0..roles.len()).filter(is_open).collect();
            found.into_iter().for_each(|k| roles[k] = Some(judged(cells, k, &of(k))));
        }
        // Comments are what people read where they are no notes: long, and one in every row.
        if !roles.contains(&Some(Role::Text)) {
            let is_read = |k: &usize| {
                let (name, values) = (&cells.names[*k], cells.distinct(*k).len());
                has_word(&words(name), TALK) && cells.is_whole(*k) && is_long(cells, *k) && 2 * values > cells.len()
            };
            let read: Vec<usize> = (0..roles.len()).filter(|&k| roles[k].is_none()).filter(is_read).collect();
            read.into_iter().for_each(|k| roles[k] = Some(Role::Text));
        }
        judge_beside_people(cells, &mut roles);
        shares_for_scores(cells, &mut roles);
        beside_verdicts(cells, &mut roles);
        clear(&mut roles);
        of_one_kind(cells, &mut roles, Role::Verdict);
        of_one_kind(cells, &mut roles, Role::Human);
        people_by_content(cells, &mut roles);
        of_one_kind(cells, &mut roles, Role::Human);
        // What several people agreed on is no further person's answer.
        let people: Vec<usize> = (0..roles.len()).filter(|&k| roles[k] == Some(Role::Human)).collect();
        let has = |k: usize, known: &str| has_word(&words(&cells.names[k]), known);
        let filled = |k: usize| cells.number_filled(k);
        let persons: Vec<usize> = people.iter().copied().filter(|&k| !has(k, AGREED) && !has(k, GOLD)).collect();
        // A gold label of a few rows tests the person who answers all.
        let is_gold = |k: usize| persons.len() > 1 || persons.iter().any(|&person| filled(person) > 2 * filled(k));
        let (agreed, own): (Vec<usize>, Vec<usize>) =
            people.into_iter().partition(|&k| has(k, AGREED) || has(k, GOLD) && is_gold(k));
        let fullest = own.iter().map(|&k| filled(k)).max();
        let is_theirs = |k: &usize| {
            own.len() > 1 || fullest.is_some_and(|most| most >= filled(*k)) || follows(cells, &roles, *k, &own)
        };
        if agreed.iter().all(is_theirs) {
            agreed.into_iter().for_each(|k| roles[k] = None);
        }
        for role in ROLES.map(|(role, _)| role).into_iter().filter(|role| role.is_single()) {
            let mut of: Vec<usize> = (0..roles.len()).filter(|&k| roles[k] == Some(role)).collect();
            // A column that is not called after items, as pandas writes its index, is the last resort.
            // The id of a user or a project comes after that of an item.
            // The judge's confidence comes before that of a model that is judged.
            of.sort_by_key(|&k| {
                let words = words(&cells.names[k]);
                match role {
                    Role::Id => {
                        (words == ["index"] || !identifies(&words) && !is_item(&words), has_word(&words, OF_MORE))
                    }
                    Role::Confidence => (!has_word(&words, JUDGE), false),
                    _ => (has_word(&words, BESIDE), false),
                }
            });
            of.drain(..of.len().min(1));
            of.into_iter().for_each(|k| roles[k] = None);
        }
        // A score that the user names is what the judge says.
        let says = |role: Role| corrections.iter().any(|one| one.role == role && one.column.is_some());
        if says(Role::Score) && !says(Role::Verdict) {
            roles.iter_mut().filter(|known| **known == Some(Role::Verdict)).for_each(|known| *known = None);
        }
        for Correction { role, .. } in corrections {
            roles.iter_mut().filter(|known| **known == Some(*role)).for_each(|known| *known = None);
        }
        for Correction { role, column, .. } in corrections {
            let Some(name) = column.as_ref().filter(|_| !matches!(role, Role::Rows | Role::Criterion)) else {
                continue;
            };
            let k = cells.column(name).ok_or_else(|| missing(name, &cells.names))?;
            roles[k] = (*role != Role::Annotator).then_some(*role);
        }
        let named = roles.iter().zip(&cells.names).filter_map(|(role, name)| Some(((*role)?, name.clone())));
        Ok(Self::from_roles(named))
    }

    /// Unused columns that perhaps hold people's answers, where none was read as a person's, or none in the judge's words: every
    /// cell is an answer that the judge gives, too, and not a number, which measures much else unless the names have a word in
    /// common.
    pub(crate) fn perhaps_people<'c>(&self, cells: &'c CellTable) -> Vec<&'c str> {
        let Some(judge) = self.one(Role::Verdict).and_then(|name| cells.column(name)) else { return vec![] };
        let known: BTreeSet<String> = cells.distinct(judge).map(folded).collect();
        let people = self.of(Role::Human).into_iter().filter_map(|name| cells.column(name));
        let in_its_words = people.flat_map(|k| cells.distinct(k)).any(|cell| known.contains(&folded(cell)));
        if in_its_words || !(2..=MOST_CLASSES).contains(&known.len()) {
            return vec![];
        }
        let (used, numbers) = (self.names(), known.iter().all(|cell| number(cell).is_some()));
        let is_open = |k: &usize| {
            let is_free = !used.contains(cells.names[*k].as_str()) && !is_of_machine(&cells.names[*k]);
            is_free && is_like(cells, *k, &known) && (!numbers || have_in_common(cells, [*k, judge]))
        };
        (0..cells.names.len()).filter(is_open).map(|k| cells.names[k].as_str()).collect()
    }

    /// How each column of a table was read, from its mapping and the `corrections` that went into it.
    pub(crate) fn read_columns(&self, cells: &CellTable, corrections: &[Correction]) -> Vec<ReadColumn> {
        let role_of: HashMap<&str, Role> =
            self.0.iter().flat_map(|(role, names)| names.iter().map(|name| (name.as_str(), *role))).collect();
        let of = |(k, name): (usize, &String)| {
            let role = role_of.get(name.as_str()).copied();
            // The user's word comes last.
            let known =
                |role: Role| corrections.iter().rfind(|one| one.role == role && one.column.as_ref() == Some(name));
            let by = role.map(|role| match known(role) {
                Some(known) => known.by,
                None if is_named(role, &words(name)) => RecognisedBy::Name,
                None => RecognisedBy::Values,
            });
            let filled = cells.number_filled(k);
            ReadColumn { column: name.clone(), role: role.map(|role| role.name().to_owned()), by, filled }
        };
        cells.names.iter().enumerate().map(of).collect()
    }

    /// What it says of another table, as corrections: the columns of the judge if that table has all of them, and of each
    /// other role if it has all of the role's. Nothing of a table without the judge's, whose columns are recognised anew.
    /// A column that an audit adds ([`LIKELIEST`]) is added to that table, too.
    pub(crate) fn for_another(&self, names: &[String]) -> Vec<Correction> {
        let is_there = |column: &str| names.iter().any(|name| name == column);
        let of_file = |role: Role| -> Vec<&str> {
            self.of(role).into_iter().filter(|column| *column != LIKELIEST || is_there(column)).collect()
        };
        let has_all = |role: Role| of_file(role).into_iter().all(is_there);
        let of_judge = [Role::Verdict, Role::Score, Role::Probability, Role::Confidence];
        if self.0.is_empty() || !of_judge.into_iter().all(has_all) {
            return vec![];
        }
        let of = |(role, _): (Role, &str)| match of_file(role).as_slice() {
            [] if of_judge.contains(&role) => vec![Correction { role, column: None, by: RecognisedBy::Given }],
            columns if has_all(role) => {
                let column = |name: &&str| Some((*name).to_owned());
                columns.iter().map(|name| Correction { role, column: column(name), by: RecognisedBy::Given }).collect()
            }
            _ => vec![],
        };
        ROLES.into_iter().flat_map(of).collect()
    }

    /// Of columns whose role is known.
    pub(crate) fn from_roles(roles: impl IntoIterator<Item = (Role, String)>) -> Self {
        let mut columns: BTreeMap<Role, Vec<String>> = BTreeMap::new();
        roles.into_iter().for_each(|(role, name)| columns.entry(role).or_default().push(name));
        Self(columns)
    }

    /// The columns of a role.
    pub fn of(&self, role: Role) -> Vec<&str> {
        self.0.get(&role).into_iter().flatten().map(String::as_str).collect()
    }

    /// The columns that have a role.
    pub(crate) fn names(&self) -> HashSet<&str> {
        self.0.values().flatten().map(String::as_str).collect()
    }

    /// Whether a column has answers of the judge.
    pub(crate) fn has_judge(&self) -> bool {
        OF_JUDGE.iter().any(|role| self.0.contains_key(role))
    }

    /// The only column of a role.
    pub fn one(&self, role: Role) -> Option<&str> {
        self.of(role).first().copied()
    }
}

/// A column that is not there, with the name that was perhaps meant.
pub fn missing(name: &str, names: &[String]) -> String {
    let near = judge_uncertainty_formats::error::similar(name, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(", did you mean {near:?}?"));
    format!("the file has no column {name:?}{near} (it has {})", names.join(", "))
}

/// A name in words: lower case, divided at anything but letters and digits, before a capital behind a small letter, and where
/// Latin letters meet Chinese, Japanese or Korean ones.
pub(crate) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let kind = |c: &char| (c.is_alphanumeric(), *c >= '\u{2e80}');
    let runs = letters.chunk_by(|a, b| kind(a) == kind(b) && !(a.is_lowercase() && b.is_uppercase()));
    runs.filter(|run| run[0].is_alphanumeric()).map(|run| run.iter().collect::<String>().to_lowercase()).collect()
}

/// Whether a name of these words has one of the `known` ones, perhaps with a number behind it.
pub(crate) fn has_word(words: &[String], known: &str) -> bool {
    // Where words stand without blanks between them, one is within others.
    let is = |word: &String, known: &str| {
        word == known
            || word.strip_prefix(known).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
            || known >= "\u{2e80}" && word.contains(known)
    };
    known.split(' ').any(|known| words.iter().any(|word| is(word, known)))
}

/// Whether a column of a table is called after the judge or a person.
pub(super) fn names_answers(names: &[String]) -> bool {
    // The first line of JSON Lines is no header.
    !names.iter().any(|name| name.starts_with('{'))
        && names.iter().any(|name| has_word(&words(name), JUDGE) || has_word(&words(name), HUMAN))
}

/// What people's and the judge's answers are called where no name tells whose they are.
const LABEL: &str = "label labels reference true target etiqueta étiquette etichetta";
const PREDICTION: &str = "verdict prediction predictions predicted pred suggestion suggestions eval score rating";
pub(super) const PREDICTED: &str = "verdict prediction predictions predicted pred suggestion suggestions eval";
/// Names of models, perhaps with a number behind.
const MODELS: &str = "judge llm gpt chatgpt claude gemini llama mistral mixtral qwen deepseek command grok gemma vicuna phi sonnet opus haiku o1 o3 \
                      o4 prometheus ai \
                      autorater model machine auto automatic";
/// Those of them that are no model's.
const ANY_MODEL: &str = "judge llm ai autorater model machine auto automatic";
/// Whether a rater or a column of this name is a model.
pub(super) fn is_model(name: &str) -> bool {
    // `DeepSeek` is one word here.
    let words = [words(name), words(&name.to_lowercase())].concat();
    let is = |word: &String| {
        MODELS
            .split(' ')
            .any(|model| word.strip_prefix(model).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
    };
    words.iter().any(is) && !has_word(&words, HUMAN)
}

/// The family of models that a name names, such as `gpt` for `gpt4o_verdict`.
pub(super) fn family(name: &str) -> Option<&'static str> {
    let words = words(name);
    let is = |family: &&str| {
        words.iter().any(|word| word.strip_prefix(family).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
    };
    MODELS.split_whitespace().filter(|model| !has_word(&[(*model).to_owned()], ANY_MODEL)).find(is)
}

/// The column that an audit adds where the judge states probabilities alone: the class of the highest.
pub(super) const LIKELIEST: &str = "likeliest answer";
/// Words for the chance of a row to be labelled.
pub(super) const CHANCE: &str = "sampling sampled selection inclusion";
/// Words for a probability, beside a `p` in front.
pub(super) const PROBABILITY: &str = "prob probability proba wahrscheinlichkeit probabilité";
const REASONS: &str = "reason reasons reasoning rationale explanation critique transcript";
const TALK: &str = "comment comments note notes kommentar bemerkung bemerkungen commentaire commentaires comentario \
                    comentarios commento 备注 備考";
pub(crate) const JUDGE: &str =
    "judge judges llm grader scorer autorater autograder evaluator judgement judgment verdict juez juiz giudice";
pub(super) const MACHINE: &str = "judge judges llm grader autorater autograder evaluator model";
/// Words in the names of a judge's columns that are not texts.
pub(super) const MACHINE_TOO: &str = "ai ki ia juge auto automated automatic bot urteil modelu yapay модели 模型";
pub(crate) const HUMAN: &str = "human humans expert annotator ann rater reviewer gold golden truth labeler labeller \
                                mensch prüfer gutachter humain humaine humano humana umano umana esperto évaluateur \
                                annotateur relecteur anotador crowd człowieka człowiek ekspert recenzent insan i̇nsan \
                                uzman человека человек эксперт асессор beoordelaar मानव 人工 专家";
/// Words in the names of columns that are like answers and not a person's.
const NO_PERSON: &str = "system arm policy baseline status state previous prev old last";
/// Words of a column that sums up the answers of several people.
const AGREED: &str = "adjudicated adjudication consensus agreed majority final mean average avg median aggregated";
/// Words of a column that may be a person's, and is a sum where several people answered.
const GOLD: &str = "gold golden truth";
const BY_HAND: &str =
    "qa sme manual final review reviewed agreed adjudicated consensus annotation annotations audit audited";
/// Words of a column that compares the judge's answer with a person's, or people's with each other's.
pub(super) const COMPARED: &str = "agreement disagreement agree agrees match matches diff difference iaa";
/// Words of a column that says whether the judge's answer is right.
const RIGHT: &str = "correct right wrong incorrect agree agrees agreed";
/// Words of a column that tells of an answer, beside the one that holds it.
pub(super) const BESIDE: &str = "status retry retries provider temperature threshold weight seed rank duration latency cost tokens flag \
                      valid raw votes round version edited n num count std sd stdev variance batch";
pub(super) const CONFIDENCE: &str =
    "confidence conf certainty konfidenz sicherheit confiance fiducia certeza pewność zekerheid güven уверенность";
/// Words of columns that describe a judge or its answer, and hold no verdict.
const NO_VERDICT: &str = "model name version prompt type kind at date time";
const ABOUT: &str = "id name kind type model age gender sex seconds minutes duration date country education email";
const GROUP: &str =
    "topic category kategorie thema thème tema group domain task subject language lang genre source criterion";
pub(super) const CLUSTER: &str = "conversation conversations dialog dialogue thread session chat document doc";
const SYSTEM: &str = "system model arm policy";
const TEXT: &str = "text question answer prompt response input output context document summary premise hypothesis \
                    article completion query frage antwort eingabe ausgabe réponse instruction message content";
pub(super) const ID: &str =
    "id uid uuid key index idx nr kennung identifier identifiant numero número numéro 序号 编号 番号";
/// What has ids, too, and has several items.
const OF_MORE: &str = "user customer author account project dataset model eval view evaluator annotator rater";
/// Names of items, where each row has another.
pub(super) const ITEM: &str = "item example sample ticket case fall caso";
/// Groups that a column can have.
const MOST_GROUPS: usize = 50;
/// Letters of a cell from which a column is text.
const LONG: usize = 25;

fn judged(cells: &CellTable, column: usize, words: &[String]) -> Role {
    let mut values = cells.distinct(column);
    let answers = || cells.distinct(column).map(folded).collect::<HashSet<_>>();
    let is_text = || !cells.filled(column).all(|cell| cell.starts_with('['));
    if is_long(cells, column) && answers().len() > MOST_CLASSES && is_text() {
        return Role::Transcript;
    }
    match has_word(words, "score scores rating grade mean")
        && values.len() > 2
        && values.all(|value| number(value).is_some())
    {
        true => Role::Score,
        false => Role::Verdict,
    }
}

/// Whether the cells of a column are texts on average.
fn is_long(cells: &CellTable, column: usize) -> bool {
    cells.letters(column) > LONG * cells.number_filled(column)
}

/// Words that two names have in common, but for those that tell who answered.
fn have_in_common(cells: &CellTable, [one, other]: [usize; 2]) -> bool {
    let other = words(&cells.names[other]);
    let of_whom = format!("{JUDGE} {MACHINE} {MACHINE_TOO} {HUMAN} {BY_HAND} {LABEL} of the de del di du");
    let tells = |word: &&String| !has_word(std::slice::from_ref(*word), &of_whom) && number(word).is_none();
    words(&cells.names[one]).iter().filter(tells).any(|word| other.contains(word))
}

/// Where people's answers alone are known, those of the judge are in the columns that are called as theirs but for who answered,
/// with answers like theirs: `outcome` or `model_outcome` beside `human_outcome`.
fn judge_beside_people(cells: &CellTable, roles: &mut [Option<Role>]) {
    if has_any(roles, &OF_JUDGE) {
        return;
    }
    let by_hand = |k: usize| has_word(&words(&cells.names[k]), &format!("{HUMAN} {BY_HAND}"));
    let people: Vec<usize> = (0..roles.len()).filter(|&k| roles[k] == Some(Role::Human) || by_hand(k)).collect();
    let is_like = |k: usize, person: usize| {
        let own: HashSet<String> = cells.distinct(k).map(folded).collect();
        let mut given = cells.distinct(person).map(folded);
        let is_known = given.len() > 1 && given.all(|cell| own.contains(&cell) || number(&cell).is_some());
        is_known && has_answers(cells, k)
    };
    for (k, role) in roles.iter_mut().enumerate() {
        let name = words(&cells.names[k]);
        let open = matches!(role, None | Some(Role::Text | Role::Group | Role::Number | Role::System));
        let open = open && !by_hand(k) && !has_word(&name, NO_PERSON);
        if open && people.iter().any(|&person| have_in_common(cells, [k, person]) && is_like(k, person)) {
            *role = Some(judged(cells, k, &name));
        }
    }
}

/// Numbers of the judge that add up to 1 in every row are the probabilities of its answers.
fn shares_for_scores(cells: &CellTable, roles: &mut [Option<Role>]) {
    let is_share = |cell: &str| number(cell).is_some_and(|p| (0.0..=1.0).contains(&p));
    let is_judge = |k: &usize| matches!(roles[*k], Some(Role::Verdict | Role::Score));
    let judge: Vec<usize> = (0..roles.len()).filter(is_judge).collect();
    let add_up = || (0..cells.len()).all(|row| shares::wrong_sum(cells, &judge, row).is_none());
    if judge.len() > 1 && judge.iter().all(|&k| cells.distinct(k).all(is_share)) && add_up() {
        judge.into_iter().for_each(|k| roles[k] = Some(Role::Probability));
    }
}

/// A score of the judge beside its answer in words is not a second answer.
fn beside_verdicts(cells: &CellTable, roles: &mut [Option<Role>]) {
    let verdicts: Vec<usize> = (0..roles.len()).filter(|&k| roles[k] == Some(Role::Verdict)).collect();
    let in_words = |k: usize| cells.distinct(k).any(|cell| number(cell).is_none());
    let is_score = |k: usize| has_word(&words(&cells.names[k]), "score scores") && !in_words(k);
    // Whether the judge is right, as somebody found for some rows, is no answer of the judge's.
    let says_right = |k: &usize| has_word(&words(&cells.names[*k]), RIGHT);
    let is_criterion = (0..roles.len()).any(|k| roles[k] == Some(Role::Human) && says_right(&k));
    if !is_criterion && verdicts.iter().any(|&k| cells.is_whole(k)) {
        let is_check = |k: &usize| says_right(k) && !cells.is_whole(*k);
        verdicts.iter().copied().filter(is_check).for_each(|k| roles[k] = None);
    }
    // A column `judge` may say which model gave the answer in another one.
    let names_models = |k: &usize| cells.distinct(*k).all(is_model);
    if verdicts.iter().any(|k| !names_models(k)) {
        let system = (!roles.contains(&Some(Role::System))).then_some(Role::System);
        verdicts.iter().filter(|k| names_models(k)).for_each(|&k| roles[k] = system);
    }
    if verdicts.iter().any(|&k| in_words(k)) {
        verdicts.into_iter().filter(|&k| is_score(k)).for_each(|k| roles[k] = None);
    }
}

/// Of columns called after the judge, or after people, keeps those that hold answers. The others tell of these: what such a
/// column is called beside one that is not, as `judge_retries` or `human_votes`; and what lacks the answers of one that has
/// those of the other side, as `judge_category` beside `judge`. Columns whose names differ in a number are of one kind.
fn of_one_kind(cells: &CellTable, roles: &mut [Option<Role>], role: Role) {
    let of = |role: Role| (0..roles.len()).filter(|&k| roles[k] == Some(role)).collect::<Vec<usize>>();
    let (columns, others) = (of(role), of(if role == Role::Human { Role::Verdict } else { Role::Human }));
    let of_others = [others.clone(), if role == Role::Human { of(Role::Score) } else { vec![] }].concat();
    if columns.len() < 2 {
        return;
    }
    let answers = |k: usize| cells.distinct(k).map(folded).collect::<BTreeSet<String>>();
    let other_side: BTreeSet<String> = others.into_iter().flat_map(answers).collect();
    let known_of =
        |k: usize, known: &BTreeSet<String>| cells.filled(k).filter(|cell| known.contains(&folded(cell))).count();
    // Where both sides have a column of that name, or a judge is often asked for it, it is a criterion.
    let is_theirs = |word: &str| of_others.iter().any(|&k| has_word(&words(&cells.names[k]), word));
    let is_beside = |k: usize| {
        let name = words(&cells.names[k]);
        BESIDE.split(' ').any(|word| has_word(&name, word) && !is_theirs(word))
    };
    let is_criterion = |k: usize| has_word(&words(&cells.names[k]), USUAL);
    let is_constant = |k: usize| cells.distinct(k).len() < 2;
    let rank = |&k: &usize| (is_beside(k), 2 * known_of(k, &other_side) < cells.number_filled(k), is_constant(k));
    let Some(&first) = columns.iter().min_by_key(|k| rank(k)) else { return };
    let known: BTreeSet<String> = answers(first).into_iter().chain(other_side.iter().cloned()).collect();
    let unnumbered = |k: usize| cells.names[k].trim_end_matches(|c: char| !c.is_alphabetic());
    let numbers = |k: usize| cells.distinct(k).all(|cell| number(cell).is_some());
    let has_classes = answers(first).len() <= MOST_CLASSES && rank(&first) == (false, false, false);
    for k in columns.into_iter().filter(|&k| k != first && unnumbered(k) != unnumbered(first)) {
        // People may write one answer in several ways, and a judge's columns may hold any numbers where its first one does.
        let is_alike = || role == Role::Human && !numbers(k) || 2 * known_of(k, &known) >= cells.number_filled(k);
        if is_beside(k) && !is_beside(first) || has_classes && !is_criterion(k) && !is_alike() {
            roles[k] = None;
        }
    }
}

/// Takes the columns for people's that hold answers of the judge's kind for some rows only, or have a name that people give
/// to checks by hand, beside a column of the judge's for every row.
fn people_by_content(cells: &CellTable, roles: &mut [Option<Role>]) {
    let answers = |k: usize| -> BTreeSet<String> { cells.distinct(k).map(folded).collect() };
    let is_whole = |k: usize| cells.is_whole(k);
    let is_judge = |k: &usize| matches!(roles[*k], Some(Role::Verdict | Role::Score)) && is_whole(*k);
    let Some(judge) = (0..roles.len()).find(is_judge) else { return };
    let numbers = Given::new(cells.distinct(judge).filter_map(number));
    let numbers = (numbers.number == cells.distinct(judge).len()).then_some(numbers.ends);
    let nobody = !roles.contains(&Some(Role::Human));
    let is_numbered = |k: usize| {
        let within =
            |(low, high): (f64, f64)| cells.distinct(k).all(|cell| number(cell).is_some_and(|x| low <= x && x <= high));
        nobody
            && !has_word(&words(&cells.names[k]), NO_PERSON)
            && have_in_common(cells, [k, judge])
            && numbers.is_some_and(within)
    };
    let has_classes = |k: usize| cells.distinct(k).len() <= MOST_CLASSES;
    let known = if cells.distinct(judge).len() > 1 && has_classes(judge) { answers(judge) } else { BTreeSet::new() };
    let alike =
        |cell: &String| known.contains(cell) || polarity(cell).is_some() && known.iter().all(|k| polarity(k).is_some());
    let is_set = |cell: &str| number(cell).is_some() || ["true", "false"].contains(&folded(cell).as_str());
    for (k, role) in roles.iter_mut().enumerate() {
        let words = words(&cells.names[k]);
        let open = matches!(role, None | Some(Role::Verdict | Role::Group | Role::Number | Role::System | Role::Text));
        // A judge may have failed on some rows.
        let open = open && !has_word(&words, MACHINE) && !has_word(&words, COMPARED) && !is_model(&cells.names[k]);
        // A number or a truth that some rows have and the others don't is a flag.
        let is_flag = || cells.distinct(k).len() < 2 && cells.distinct(k).all(is_set);
        let open = open && k != judge && !is_flag();
        if open && (has_word(&words, BY_HAND) || !is_whole(k)) {
            // A few may say that somebody was not sure.
            let filled = cells.number_filled(k);
            let all_alike = || answers(k).iter().all(alike);
            let mostly = || 5 * cells.filled(k).filter(|cell| alike(&folded(cell))).count() >= 4 * filled;
            // Numbers measure much else.
            let may_be = numbers.is_none() || nobody || has_word(&words, BY_HAND);
            // Beside a judge's numbers, whoever answers by hand may give one of two answers.
            let may_be = may_be && (!known.is_empty() || numbers.is_some() && has_word(&words, BY_HAND));
            if may_be && has_classes(k) && (all_alike() || mostly()) || is_numbered(k) {
                *role = Some(Role::Human);
            }
        }
    }
    if known.is_empty() {
        return;
    }
    // What a number alone tells from a person's answers is another person's.
    let stem = |k: usize| cells.names[k].trim_end_matches(|c: char| c.is_ascii_digit());
    let people: Vec<&str> = (0..roles.len()).filter(|&k| roles[k] == Some(Role::Human)).map(stem).collect();
    let is_further = |k: usize| stem(k) != cells.names[k] && people.contains(&stem(k)) && is_like(cells, k, &known);
    (0..roles.len()).filter(|&k| roles[k].is_none() && is_further(k)).collect::<Vec<_>>().into_iter().for_each(|k| {
        roles[k] = Some(Role::Human);
    });
    // Where nothing else is a person's, so are whole columns that are called after the criterion of the judge's.
    if let Some(criterion) = cells.criterion.as_ref().filter(|_| !has_any(roles, &[Role::Human])) {
        let is_about = |name: &str| words(&criterion.name).iter().all(|word| words(name).contains(word));
        for (k, role) in roles.iter_mut().enumerate().filter(|(_, role)| matches!(role, None | Some(Role::Number))) {
            let name = &cells.names[k];
            if is_about(name) && !is_of_machine(name) && is_like(cells, k, &known) {
                *role = Some(Role::Human);
            }
        }
    }
    // A column called after people that has no such answer, beside one that has, names who answered; or whether, if it has a
    // truth for every row.
    let has_answers = |k: usize| {
        let found = answers(k);
        let is_flag = is_whole(k) && found.is_disjoint(&known) && cells.distinct(k).all(is_set);
        !is_flag && 2 * found.iter().filter(|cell| alike(cell)).count() >= found.len()
    };
    let people: Vec<usize> = (0..roles.len()).filter(|&k| roles[k] == Some(Role::Human)).collect();
    if people.iter().any(|&k| has_answers(k)) {
        people.into_iter().filter(|&k| !has_answers(k)).for_each(|k| roles[k] = None);
    }
}

/// Whether a column has an answer for every row, each of them a known one.
fn is_like(cells: &CellTable, column: usize, known: &BTreeSet<String>) -> bool {
    let answers = || cells.distinct(column).map(folded).collect::<BTreeSet<String>>();
    cells.is_whole(column) && answers().len() > 1 && answers().is_subset(known)
}

/// Whether a column has several numbers, or few different answers.
fn has_answers(cells: &CellTable, column: usize) -> bool {
    let mut values = cells.distinct(column);
    values.len() > 1 && (values.len() <= MOST_CLASSES || values.all(|value| number(value).is_some()))
}

/// Columns whose names begin with one word, three of them or more, of which exactly one is 1 or true in each row where they are
/// filled, and the others 0 or false: `winner_model_a`, `winner_model_b`, `winner_tie`.
fn one_of_each_row(cells: &CellTable) -> Vec<usize> {
    let flag = |cell: &str| match folded(cell).as_str() {
        "1" | "true" => Some(1),
        "0" | "false" => Some(0),
        _ => None,
    };
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (k, name) in cells.names.iter().enumerate() {
        if cells.distinct(k).len() == 2 && cells.distinct(k).all(|cell| flag(cell).is_some()) {
            groups.entry(words(name).into_iter().next().unwrap_or_default()).or_default().push(k);
        }
    }
    let shares_out = |of: &Vec<usize>| {
        let is_one = |row: usize| {
            let given = || of.iter().filter_map(move |&k| flag(cells.cell(row, k)));
            [0, of.len()].contains(&given().count()) && given().sum::<usize>() == usize::from(given().count() > 0)
        };
        of.len() > 2 && (0..cells.len()).all(is_one)
    };
    groups.into_values().filter(shares_out).flatten().collect()
}

/// Whether a column is called after a machine.
fn is_of_machine(name: &str) -> bool {
    is_model(name) || [MACHINE, MACHINE_TOO, NO_PERSON].into_iter().any(|known| has_word(&words(name), known))
}

/// Whether a column says what people say and else what the judge says, so that it holds no further answer: in ten rows and more
/// without theirs, for which the judge has several answers.
fn follows(cells: &CellTable, roles: &[Option<Role>], column: usize, people: &[usize]) -> bool {
    let judge = (0..roles.len()).filter(|&k| matches!(roles[k], Some(Role::Verdict | Role::Score)));
    let at = |k: usize, row: usize| present(cells.cell(row, k)).map(folded);
    let open: Vec<usize> = (0..cells.len())
        .filter(|&row| at(column, row).is_some() && people.iter().all(|&k| at(k, row).is_none()))
        .collect();
    let is_like = |k: usize| open.iter().all(|&row| at(k, row) == at(column, row));
    let varies = |k: usize| open.iter().any(|&row| at(k, row) != at(k, open[0]));
    judge.into_iter().any(|k| open.len() >= 10 && varies(k) && is_like(k))
}

/// Whether so many values of a column tell all rows apart but those that come again cell by cell.
fn tell_apart(cells: &CellTable, values: usize) -> bool {
    let rows = || (0..cells.len()).map(|row| cells.row(row).collect::<Vec<_>>()).collect::<HashSet<_>>();
    values == cells.len() || 2 * values > cells.len() && values == rows().len()
}

fn by_name(cells: &CellTable, column: usize) -> Option<Role> {
    let name = &cells.names[column];
    let words = words(name);
    let filled = cells.number_filled(column);
    let numeric = || cells.distinct(column).all(|cell| number(cell).is_some());
    // `comment_id` and `reason_id` name rows, and say nothing of them.
    let is_key = words.last().is_some_and(|last| ["id", "uid", "key"].contains(&last.as_str()));
    // A mark is a note in German and in French.
    if filled == 0 || has_word(&words, TALK) && !is_key && !has_word(&words, "text") && !numeric() {
        return None;
    }
    // What workers of MTurk and Toloka answered to what they were shown.
    let starts = |name: &str, starts: [&str; 2]| starts.into_iter().any(|start| name.starts_with(start));
    if starts(name, ["Answer.", "OUTPUT:"]) && cells.names.iter().any(|shown| starts(shown, ["Input.", "INPUT:"])) {
        return (cells.distinct(column).len() <= MOST_CLASSES || numeric()).then_some(Role::Human);
    }
    if has_word(&words, REASONS) && !is_key {
        return (!has_word(&words, HUMAN)).then_some(Role::Transcript);
    }
    if has_word(&words, CONFIDENCE) {
        // Behind the name of people's column stands how far they agree.
        let of_label = name.rsplit_once(':').is_some_and(|(of, _)| !is_of_machine(of));
        return (!has_word(&words, HUMAN) && !of_label && numeric()).then_some(Role::Confidence);
    }
    let probability = has_word(&words, PROBABILITY) || words.first().is_some_and(|word| word == "p");
    // With which the row was chosen.
    if probability && has_word(&words, CHANCE) {
        return None;
    }
    if probability && cells.distinct(column).all(|cell| number(cell).is_some_and(|p| (0.0..=1.0).contains(&p))) {
        return (!has_word(&words, HUMAN)).then_some(Role::Probability);
    }
    if has_word(&words, "time count cost tokens latency logprob logprobs") {
        return numeric_covariate(cells, column);
    }
    // Rows of which several have one value; a cell that is long is a text that they share.
    let distinct = || cells.distinct(column);
    let shares = || filled == cells.len() && distinct().len() > 1 && 2 * distinct().len() <= filled;
    let is_cluster =
        has_word(&words, CLUSTER) && !has_word(&words, &format!("{JUDGE} {HUMAN}")) && !is_model(&cells.names[column]);
    if is_cluster && shares() && !is_long(cells, column) {
        return Some(Role::Cluster);
    }
    let is_item = is_item(&words) && tell_apart(cells, distinct().len());
    if identifies(&words) || is_item || words.is_empty() {
        // A few rows may lack theirs where the others are told apart.
        let is_full = filled == cells.len() || 20 * distinct().len() >= 19 * cells.len();
        return (is_full && (distinct().len() > 1 || filled == 1)).then_some(Role::Id);
    }
    // How far people agree with the judge, or with each other, is no answer of either.
    let is_set = || numeric() || distinct().all(|cell| ["true", "false", "yes", "no"].contains(&folded(cell).as_str()));
    let whose = [JUDGE, HUMAN].map(|known| has_word(&words, known));
    if has_word(&words, COMPARED) && (whose[1] && is_set() || whose == [true, true]) {
        return None;
    }
    // `human_verdict` is a person's, and `human_judge` a judge's.
    let of_person = has_word(&words, HUMAN) && !has_word(&words, "judge judges llm autorater model");
    let names_one = || distinct().len() == 1 && distinct().all(is_model);
    if !of_person && has_word(&words, JUDGE) && !has_word(&words, NO_VERDICT) && !names_one() {
        return Some(judged(cells, column, &words));
    }
    // The score that a user gave in LangSmith and its like.
    if has_word(&words, "user") && has_word(&words, "score rating feedback thumb thumbs") {
        return has_answers(cells, column).then_some(Role::Human);
    }
    if has_word(&words, HUMAN) {
        // `annotator_kind` is about a person and no answer of one; Label Studio has a flag, whether a label is the truth.
        let is_flag = has_word(&words, GOLD) && distinct().all(|cell| folded(cell) == "false");
        return (!is_flag && !has_word(&words, ABOUT)).then_some(Role::Human);
    }
    // What Prodigy's annotators did with an item.
    let is_done = || distinct().all(|cell| ["accept", "reject", "ignore"].contains(&cell));
    let is_flag = words.first().is_some_and(|first| ["has", "is", "needs"].contains(&first.as_str()));
    if has_word(&words, TEXT) && !has_word(&words, "type kind version hash label labels") && !is_flag && !is_done() {
        return Some(Role::Text);
    }
    if has_word(&words, MACHINE_TOO) && !has_word(&words, ABOUT) && has_answers(cells, column) {
        return Some(judged(cells, column, &words));
    }
    let several = (2..=MOST_GROUPS).contains(&distinct().len()) && filled == cells.len();
    if several && has_word(&words, GROUP) {
        return Some(Role::Group);
    }
    if several && has_word(&words, SYSTEM) && !has_word(&words, &format!("{LABEL} {PREDICTION} {JUDGE}")) {
        return Some(Role::System);
    }
    if is_long(cells, column) && 2 * distinct().len() > filled {
        return Some(Role::Text);
    }
    if has_word(&words, "label labels reference prediction predicted score rating") {
        return None;
    }
    if counts_rows(cells, column) { Some(Role::Id) } else { numeric_covariate(cells, column) }
}

/// Whether a name of these words is that of ids.
pub(super) fn identifies(words: &[String]) -> bool {
    words.last().is_some_and(|word| ID.split(' ').any(|known| known == word))
}

/// Whether a name of these words is that of items, or of their numbers or addresses.
fn is_item(words: &[String]) -> bool {
    let all_of = |words: &[String], known: &str| words.iter().all(|word| known.split(' ').any(|known| known == word));
    words == ["no"]
        || (1..3).contains(&words.len()) && all_of(&words[..1], ITEM) && all_of(&words[1..], "number no url")
}

/// Whether a column counts the rows, from 0 or 1.
fn counts_rows(cells: &CellTable, column: usize) -> bool {
    let at = |row: usize| cells.cell(row, column).trim().parse::<usize>().ok();
    let first = at(0).filter(|first| *first <= 1 && cells.len() > 1);
    first.is_some_and(|first| (0..cells.len()).all(|row| at(row) == Some(first + row)))
}

/// Whether a name of these words says that a column has a role.
fn is_named(role: Role, words: &[String]) -> bool {
    let has = |known: &str| has_word(words, known);
    match role {
        Role::Number => false,
        Role::Text => has(TEXT),
        Role::Human => has(HUMAN) || has(LABEL) || has(BY_HAND),
        Role::Verdict | Role::Score => has(JUDGE) || has(PREDICTION) || has(MACHINE_TOO) || is_model(&words.join(" ")),
        _ => true,
    }
}

/// A column of numbers with many values.
fn numeric_covariate(cells: &CellTable, column: usize) -> Option<Role> {
    let mut distinct = cells.distinct(column);
    let several = distinct.len() > 10 && 2 * cells.number_filled(column) > cells.len();
    (several && distinct.all(|cell| number(cell).is_some())).then_some(Role::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids are called after what they are of, also where that is a text of its own kind.
    #[test]
    fn ids_of_comments_and_reasons_are_ids() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["comment_id", "note_id", "reason_id", "rationaleKey"] {
            let path = folder.path().join("t.csv");
            std::fs::write(&path, format!("{name},judge,human\na7,yes,yes\nb3,no,no\nc1,no,\n")).unwrap();
            let mapping = Mapping::new(&CellTable::read(&path, None).unwrap(), &[]).unwrap();
            assert_eq!(mapping.one(Role::Id), Some(name));
        }
    }

    /// What stands beside an answer is no further one, whatever its name begins with; answers of the judge alone are repeats.
    #[test]
    fn columns_beside_answers_hold_none() {
        let of = |name: &str, cell: &dyn Fn(usize) -> String| {
            let mut text = format!("id,judge,human_1,human_2,{name}\n");
            for i in 0..40 {
                let [judge, one, two] = [i % 2, i / 2 % 2, i / 3 % 2].map(|k| ["pass", "fail"][k]);
                text += &format!("q{i},{judge},{one},{two},{}\n", cell(i));
            }
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.csv");
            std::fs::write(&path, text).unwrap();
            let mapping = Mapping::new(&CellTable::read(&path, None).unwrap(), &[]).unwrap();
            [Role::Verdict, Role::Human].map(|role| mapping.of(role).len())
        };
        let numbers = |i: usize| format!("{}", i % 3);
        for name in
            ["judge_retries", "judge_temperature", "judge_severity", "human_votes", "human_rank", "annotator_round"]
        {
            assert_eq!(of(name, &numbers), [1, 2], "{name}");
        }
        let flags = |i: usize| format!("{}", i % 2);
        for name in
            ["judge_flag", "judge_valid", "human_flag", "qa_flag", "gpt4_correct", "human_edited", "human_agreement"]
        {
            assert_eq!(of(name, &flags), [1, 2], "{name}");
        }
        let halves = |i: usize| format!("{:.1}", 0.5 + 0.5 * (i % 2) as f64);
        for name in ["human_agreement", "inter_rater_agreement", "human_judge_agreement"] {
            assert_eq!(of(name, &halves), [1, 2], "{name}");
        }
        let words = |i: usize| ["billing", "shipping", "other"][i % 3].to_owned();
        assert_eq!((of("judge_category", &words), of("llm_provider", &words)), ([1, 2], [1, 2]));
        let answers = |i: usize| ["pass", "fail"][i / 5 % 2].to_owned();
        assert_eq!(
            (of("judge_2", &answers), of("llm_again", &answers), of("human_3", &answers)),
            ([2, 2], [2, 2], [1, 3])
        );
    }

    /// A criterion may be called as what stands beside answers is, have a scale of its own, and no labels yet.
    #[test]
    fn criteria_keep_their_columns() {
        let row = |i: usize| {
            let [yes, other] = [i % 2, i / 2 % 2].map(|k| ["yes", "no"][k]);
            format!("q{i},{yes},{other},{other},{yes},{},{},{other}\n", 1 + i % 5, 1 + i / 2 % 5)
        };
        let header = "id,judge_valid,human_valid,judge_correct,human_correct,judge_tone,human_tone,judge_toxicity\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, header.to_owned() + &(0..40).map(row).collect::<String>()).unwrap();
        let cells = CellTable::read(&path, None).unwrap();
        let all = super::super::criteria::split(&cells, &Mapping::new(&cells, &[]).unwrap(), &[]);
        let of = |part: &CellTable| {
            let mapping = Mapping::new(part, &[]).unwrap();
            [Role::Verdict, Role::Human].map(|role| mapping.of(role).join(","))
        };
        let expected = ["valid", "correct", "tone"].map(|name| [format!("judge_{name}"), format!("human_{name}")]);
        let expected = [&expected[..], &[["judge_toxicity".to_owned(), String::new()]]].concat();
        assert_eq!(all.iter().map(of).collect::<Vec<_>>(), expected);
    }

    /// Of people's ratings the mean counts, though no other column holds one.
    #[test]
    fn a_mean_rating_is_people_s_beside_its_spread_and_number() {
        let mut text = "id,judge_score,human_score_mean,human_score_std,human_n\n".to_owned();
        (0..40).for_each(|i| {
            text += &format!("q{i},{},{:.2},{:.2},3\n", 1 + i % 5, 1.0 + 0.1 * i as f64, 0.03 * i as f64)
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let mapping = Mapping::new(&CellTable::read(&path, None).unwrap(), &[]).unwrap();
        assert_eq!(mapping.of(Role::Human), ["human_score_mean"]);
    }

    #[test]
    fn names_are_divided_into_words() {
        for (name, expected) in [
            ("humanVerdict", "human verdict"),
            ("HUMAN_label-2", "human label 2"),
            ("GPT-4标注", "gpt 4 标注"),
            ("scores.Human review", "scores human review"),
        ] {
            assert_eq!(words(name).join(" "), expected);
        }
        assert!(is_model("DeepSeek-R1") && is_model("llmVerdict") && !is_model("humanLlm"));
        assert!(has_word(&words("人工评分"), HUMAN) && !has_word(&words("humanity"), HUMAN));
    }
}
