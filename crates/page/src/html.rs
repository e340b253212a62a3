//! A page as HTML: templates, and the policy that forbids any request.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tera::{Delimiters, Tera};

use judge_uncertainty_system::built_in;

use crate::description::{Block, FigureBlock, Page};
use crate::prose;
use crate::templates::{self, Error};

/// The templates as they were when the program was built; each may include those before it.
const BUILT_IN: [(&str, &str); 8] = built_in![
    "": "report/style.css", "report/items.css", "report/page.js", "report/cell.js", "report/items.js", "report/claims.html",
    "report/items.html", "report/page.html"
];

/// Those of the paper's running text.
const PROSE: [(&str, &str); 2] = built_in!["": "report/paper.txt", "report/figures.txt"];

/// The templates of the page, parsed. Variables are escaped for HTML unless marked `safe`.
#[derive(Debug)]
pub struct PageTemplates {
    html: Tera,
    prose: Tera,
}

#[derive(Serialize)]
struct HtmlView<'p> {
    page: &'p Page,
    version: &'static str,
    /// Whether it has items to look at, and so their style and script.
    explorer: bool,
    script: String,
    script_sha256: String,
}

impl PageTemplates {
    /// Templates from the folder `report` in a folder; without one, from `templates` if that exists here, else those
    /// built in.
    ///
    /// # Errors
    /// A template that is missing or malformed.
    pub fn load(folder: Option<&Path>) -> Result<Self, Error> {
        let (mut html, mut prose) = (Tera::new(), prose::engine());
        html.autoescape_on(vec![".html"]);
        templates::add(&mut html, Delimiters::default(), folder, &BUILT_IN)?;
        templates::add(&mut prose, Delimiters::default(), folder, &PROSE)?;
        Ok(Self { html, prose })
    }

    /// Blocks that a template of running text describes, from a view; a figure that it places is taken out of
    /// `figures`.
    ///
    /// # Errors
    /// The template asks for something that the view does not have.
    pub fn blocks(
        &self,
        name: &str,
        view: &Value,
        figures: &mut BTreeMap<String, FigureBlock>,
    ) -> Result<Vec<Block>, Error> {
        Ok(prose::blocks(&templates::render(&self.prose, name, view)?, figures))
    }

    /// The page as HTML.
    ///
    /// # Errors
    /// A template that asks for something a page does not have.
    pub fn html(&self, page: &Page) -> Result<String, Error> {
        let explorer = page.sections.iter().flat_map(|s| &s.blocks).any(|block| matches!(block, Block::Items(_)));
        let mut script = templates::render(&self.html, "report/page.js", &serde_json::json!({}))?;
        if explorer {
            script.push_str(&templates::render(&self.html, "report/items.js", &serde_json::json!({}))?);
        }
        let script_sha256 = base64(&Sha256::digest(&script));
        let view = HtmlView { page, version: env!("CARGO_PKG_VERSION"), explorer, script, script_sha256 };
        templates::render(&self.html, "report/page.html", &view)
    }
}

/// Bytes in base 64, as a content security policy names a script.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0, |bits, (i, byte)| bits | u32::from(*byte) << (16 - 8 * i));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn base_64_by_the_standards_own_vectors() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
