//! What a queue answers, in few lines.

use super::lines::{Line, MOST_LINES, within};
use super::prose::ranked;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::queue::{Order, QueueRecord};
use judge_uncertainty_system::shell_word;
use tera::context;

/// A queue that was written, as the user asked for it.
#[derive(Debug)]
pub struct QueueAnswer<'q> {
    /// Its record.
    pub record: &'q QueueRecord,
    /// The ids that come first.
    pub first: Vec<String>,
    /// Its folder, as the user names it.
    pub folder: &'q str,
    /// The study's, as the user names it.
    pub study: &'q str,
    /// Items that were asked for.
    pub asked: usize,
}

/// What a queue answers.
///
/// # Errors
/// A template that does not fit.
pub fn queue_answer(queued: &QueueAnswer<'_>) -> Result<Vec<Line>, Error> {
    let QueueAnswer { record, folder, study, .. } = queued;
    let order = record.rule.parse::<Order>();
    let place = match *folder == format!("{study}/queue") {
        true => String::new(),
        false => format!(" --queue {}", shell_word(folder)),
    };
    let view = context! {
        of => record,
        asked => &queued.asked,
        first => &queued.first,
        folder => folder,
        study => &shell_word(study),
        place => &place,
        ranked => &order.map_or_else(|_| "Ranked".to_owned(), ranked_by),
    };
    Ok(within(MOST_LINES, ranked("queue.txt", &view)?))
}

/// What ranks a queue, in words.
fn ranked_by(order: Order) -> String {
    match order {
        Order::By(Rule::Random) => "Drawn at random".to_owned(),
        order => format!("Ranked by {}", order.words()),
    }
}
