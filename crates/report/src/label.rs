//! The page on which experts label a queue: one file that needs no network.

use std::path::Path;

use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use tera::{Delimiters, Tera};

use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_page::html::base64;
use judge_uncertainty_page::templates::{self, Error};
use judge_uncertainty_study::input::question::Asked;
use judge_uncertainty_study::input::scale::Scale;
use judge_uncertainty_system::built_in;

const BUILT_IN: [(&str, &str); 5] =
    built_in!["": "report/style.css", "report/cell.js", "label/label.css", "label/label.js", "label/page.html"];

/// An item to label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelItem {
    /// The id of its task, which travels with the label.
    pub id: String,
    /// What is read.
    pub text: String,
}

/// Whether a file is such a page, by the templates of this program or by others that keep its two marks: the generator
/// and the queue.
pub fn is_page(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file);
    ["<meta name=\"generator\" content=\"judge-uncertainty", "id=\"queue\">"].iter().all(|mark| text.contains(mark))
}

/// The page of a queue as HTML, by the templates in `folder/label`, in `templates` if that exists here, or those built
/// in: what is read and what is asked, and nothing of what the judge or the study believes.
///
/// # Errors
/// A template that is missing or malformed.
pub fn page(title: &str, asked: Asked, items: &[LabelItem], folder: Option<&Path>) -> Result<String, Error> {
    let mut tera = Tera::new();
    tera.autoescape_on(vec![".html"]);
    templates::add(&mut tera, Delimiters::default(), folder, &BUILT_IN)?;
    let script = templates::render(&tera, "label/label.js", &json!({}))?;
    let script_sha256 = base64(&Sha256::digest(&script));
    let question = match asked.scale {
        Scale::Scores(low, high) => json!({"score": {"low": low, "high": high}}),
        scale => json!({"classes": scale.classes()}),
    };
    let mut queue = json!({"question": question, "items": items});
    // Labels that a browser keeps belong to these items under this criterion.
    if let Some(criterion) = asked.criterion {
        queue["criterion"] = json!(criterion);
    }
    queue["digest"] = json!(sha256_hex(queue.to_string().as_bytes()));
    let queue = queue.to_string();
    let view = json!({
        "title": title,
        "instruction": asked.instruction,
        "criterion": asked.criterion,
        "items": items.len(),
        "minutes": items.len().div_ceil(2),
        "version": env!("CARGO_PKG_VERSION"),
        // Within an element a text could end it, and begin another.
        "queue": queue.replace('<', "\\u003c"),
        "script": script,
        "script_sha256": script_sha256,
    });
    templates::render(&tera, "label/page.html", &view)
}
