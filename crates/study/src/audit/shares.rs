//! A judge that states a probability for each class, in a column each: `prob_cat`, `prob_dog`, `prob_bird`.

use super::columns::{
    Correction, JUDGE, LIKELIEST, MACHINE, Mapping, PROBABILITY, RecognisedBy, Role, has_word, words,
};
use super::long::Widened;
use super::table::{CellTable, present};
use crate::input::scale::Scale;
use crate::input::spelling::number;
use crate::model::study::largest;

/// Of fewer columns, one tells the other.
const FEWEST: usize = 3;
/// How far from 1 the probabilities of a row may add up, as rounded ones do.
const ROUNDED: f64 = 0.02;

/// The class that a column is about: of those that its name tells, the one in most words.
pub(super) fn told<'c>(name: &str, classes: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let own = words(name);
    let is_told = |class: &&str| {
        let of_class = words(class);
        !of_class.is_empty() && of_class.iter().all(|word| own.contains(word))
    };
    classes.filter(is_told).max_by_key(|class| words(class).len())
}

/// The class of a scale that a column is about, in whatever words its name tells it.
pub(super) fn class_told<'s>(name: &str, scale: &'s Scale) -> Option<&'s str> {
    let respelled: Vec<String> = words(name).iter().filter_map(|word| scale.respelled(word)).collect();
    told(&format!("{name} {}", respelled.join(" ")), scale.classes().iter().map(String::as_str))
}

/// What a column calls its class, where no label says it.
fn called(name: &str) -> String {
    let says = |word: &&str| {
        let word = words(word);
        !word.is_empty() && !has_word(&word, &format!("p {PROBABILITY} {JUDGE} {MACHINE}"))
    };
    name.split(|c: char| !c.is_alphanumeric()).filter(says).collect::<Vec<_>>().join(" ")
}

/// A table whose judge gives no answer but probabilities of three classes or more, or of two that no label names, with the likeliest class of each row as its
/// answer; `None` of another table. `known` are the classes of the belief that it is read for.
pub(super) fn likeliest(cells: &CellTable, mapping: &Mapping, known: &[String]) -> Option<Widened> {
    let [of, people] = [Role::Probability, Role::Human].map(|role| cells.of_role(mapping, role));
    let answers = [Role::Verdict, Role::Score].into_iter().any(|role| !mapping.of(role).is_empty());
    // Labels, too, would tell what two columns are about.
    let fewest = if people.is_empty() && known.is_empty() { 2 } else { FEWEST };
    if answers || of.len() < fewest || cells.column(LIKELIEST).is_some() {
        return None;
    }
    let labels = || people.iter().flat_map(|&k| cells.distinct(k)).chain(known.iter().map(String::as_str));
    // Probabilities of several criteria are of classes that nobody names, or don't add up to 1.
    let named = of.iter().filter(|&&k| told(&cells.names[k], labels()).is_some()).count();
    let is_whole = || (0..cells.len()).all(|row| wrong_sum(cells, &of, row).is_none());
    let are_classes = named > 1 || (named > 0 || labels().next().is_none()) && is_whole();
    if !are_classes {
        return None;
    }
    let class = |&k: &usize| told(&cells.names[k], labels()).map_or_else(|| called(&cells.names[k]), str::to_owned);
    let classes: Vec<String> = of.iter().map(class).collect();
    let row = |row: usize| {
        let likeliest = stated(cells, &of, row).map_or("", |stated| classes[largest(stated.into_iter())].as_str());
        (row, vec![likeliest])
    };
    let mut table = cells.replaced(&[], [LIKELIEST.to_owned()], (0..cells.len()).map(row));
    table
        .notices
        .push(format!("The judge's answer is the class with the highest probability: {}.", classes.join(", ")));
    let verdict = Correction { role: Role::Verdict, column: Some(LIKELIEST.to_owned()), by: RecognisedBy::Values };
    Some((table, vec![verdict]))
}

/// The columns with the probabilities of three classes or more, in the order of the classes; `None` where a class has none.
pub(super) fn columns(cells: &CellTable, of: &[usize], scale: &Scale) -> Option<Vec<usize>> {
    let classes = || scale.classes().iter().map(String::as_str);
    if of.len() < FEWEST || of.len() != classes().len() {
        return None;
    }
    let column = |class: &str| of.iter().copied().find(|&k| told(&cells.names[k], classes()) == Some(class));
    classes().map(column).collect()
}

/// What the probabilities in a row add up to, where that is not 1.
pub(super) fn wrong_sum(cells: &CellTable, columns: &[usize], row: usize) -> Option<f64> {
    let sum: f64 = probabilities(cells, columns, row)?.iter().sum();
    ((sum - 1.0).abs() > ROUNDED).then_some(sum)
}

fn probabilities(cells: &CellTable, columns: &[usize], row: usize) -> Option<Vec<f64>> {
    columns.iter().map(|&k| present(cells.cell(row, k)).and_then(number)).collect()
}

/// The probabilities in a row, which add up to 1 or less; `None` where one is missing.
pub(super) fn stated(cells: &CellTable, columns: &[usize], row: usize) -> Option<Vec<f64>> {
    let mut all = probabilities(cells, columns, row)?;
    let sum: f64 = all.iter().sum();
    if sum > 1.0 {
        all.iter_mut().for_each(|p| *p /= sum);
    }
    Some(all)
}
