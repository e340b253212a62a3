//! LaTeX from templates: the template engine set up for it.

use std::path::Path;

use judge_uncertainty_system::latex::breakable;
pub use judge_uncertainty_system::latex::escape;
use tera::{Delimiters, EscapeFn, Tera};

use judge_uncertainty_system::built_in;

use crate::templates;
pub use crate::templates::Error;

/// The templates as they were when the program was built.
const BUILT_IN: &[(&str, &str)] = &built_in!["":
    "iso.tex",
    "esc.tex",
    "conf.tex",
    "isolation.tex",
    "confidence.tex",
    "escalation.tex",
    "numbers.tex",
    "reproduction.tex",
];

/// Those of studies, whose words may be of any length.
const STUDY: &[(&str, &str)] = &built_in!["": "table.tex", "study.tex"];

/// The LaTeX templates, parsed.
///
/// Blocks are `<% %>`, variables `<< >>`, comments `<# #>`; LaTeX uses none of these marks. Variables are escaped
/// unless marked `safe`.
#[derive(Debug)]
pub struct Templates {
    paper: Tera,
    study: Tera,
}

impl Templates {
    /// Templates from a folder; without one, from `templates` if that exists here, else those built in.
    ///
    /// # Errors
    /// A template that is missing or malformed.
    pub fn load(folder: Option<&Path>) -> Result<Self, Error> {
        let engine = |escape: EscapeFn, built_in| {
            let mut tera = Tera::new();
            tera.autoescape_on(vec![".tex"]);
            tera.set_escape_fn(escape);
            templates::add(&mut tera, delimiters(), folder, built_in)?;
            Ok(tera)
        };
        Ok(Self {
            paper: engine(|text, out| out.write_all(escape(text).as_bytes()), BUILT_IN)?,
            study: engine(|text, out| out.write_all(breakable(text).as_bytes()), STUDY)?,
        })
    }

    /// Renders a template.
    ///
    /// # Errors
    /// The template asks for something that the view does not have.
    pub fn render(&self, name: &str, view: &impl serde::Serialize) -> Result<String, Error> {
        let study = STUDY.iter().any(|(known, _)| *known == name);
        templates::render(if study { &self.study } else { &self.paper }, name, view)
    }
}

fn delimiters() -> Delimiters {
    Delimiters {
        block_start: "<%".into(),
        block_end: "%>".into(),
        variable_start: "<<".into(),
        variable_end: ">>".into(),
        comment_start: "<#".into(),
        comment_end: "#>".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_broken_template_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for &(name, text) in BUILT_IN.iter().chain(STUDY) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Templates::load(Some(folder.path())).unwrap();
        fs::write(folder.path().join("conf.tex"), "<% for row in rows %>").unwrap();
        assert!(Templates::load(Some(folder.path())).unwrap_err().to_string().contains("conf.tex"));
        fs::remove_file(folder.path().join("conf.tex")).unwrap();
        assert!(Templates::load(Some(folder.path())).unwrap_err().to_string().contains("conf.tex"));
    }
}
