//! In which order annotators see the two answers of an item, and how the order comes back with their labels.
//!
//! The order is drawn from the queue's seed and the item's id. Labelling tools hand back a task's id with its label, so the id
//! states the order: `ID~CODE`, where `CODE` is the first eight digits of the SHA-256 of the id and the order. Annotators can't
//! tell the two codes of an item apart. Whoever reads the label turns it back: `A` of a task in the other order is `B`.

use judge_uncertainty_formats::checksum::sha256_hex;

/// Between an item's id and the code of the order.
const BEFORE_CODE: char = '~';

/// Whether annotators see the second answer of an item first: for half of all ids, by the seed of their queue.
pub fn is_swapped(seed: u64, id: &str) -> bool {
    sha256_hex(format!("{seed}\n{id}").as_bytes()).ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f'])
}

/// The id of the task in which annotators see the two answers of an item in this order.
pub fn task_id(id: &str, swapped: bool) -> String {
    format!("{id}{BEFORE_CODE}{}", code(id, swapped))
}

/// The item's id in that of a task, and whether its answers are in the other order; `None` for an id without such a code.
///
/// # Examples
///
/// ```
/// use judge_uncertainty_study::input::sides::{of_task, task_id};
///
/// assert_eq!(of_task(&task_id("q1", true)), Some(("q1", true)));
/// assert_eq!(of_task(&task_id("q1", false)), Some(("q1", false)));
/// assert_eq!(of_task("q1~00000000"), None);
/// ```
pub fn of_task(task: &str) -> Option<(&str, bool)> {
    let (id, found) = task.rsplit_once(BEFORE_CODE)?;
    [false, true].into_iter().find(|&swapped| code(id, swapped) == found).map(|swapped| (id, swapped))
}

/// A class as it is named in a task in the other order: that of one side for that of the other, and any other class as it is.
pub fn mirrored<'c>(class: &'c str, sides: &'c [String; 2]) -> &'c str {
    match sides.iter().position(|side| side == class) {
        Some(side) => &sides[1 - side],
        None => class,
    }
}

fn code(id: &str, swapped: bool) -> String {
    let order = if swapped { "second first" } else { "first first" };
    sha256_hex(format!("{id}\n{order}").as_bytes())[..8].to_owned()
}
