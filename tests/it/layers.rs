//! The map of the crates is true: imports between source files run in no circle, and downward only.
//!
//! A file imports another when it names something that is defined there, in a `use` or by a path in its code. Names are
//! followed through `pub use` to the file that defines them, and a `pub use` alone is no import: a `mod.rs` that only
//! declares and re-exports its children depends on none of them. Tests inside files (`#[cfg(test)]`) do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::repository;

/// A module by its path within its crate.
type Module = Vec<String>;

/// What a file says, comments and texts left out.
#[derive(Debug, Default)]
struct Source {
    file: PathBuf,
    children: BTreeSet<String>,
    uses: Vec<Use>,
    /// Paths of two or more names in its code.
    paths: Vec<Vec<String>>,
    /// Every name in its code, declarations and imports left out.
    names: BTreeSet<String>,
}

/// One name that a `use` brings in.
#[derive(Debug, Clone, PartialEq)]
struct Use {
    public: bool,
    path: Vec<String>,
    name: String,
}

/// The files of a crate, by module.
struct Crate {
    sources: BTreeMap<Module, Source>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    /// `::`
    Colons,
    Sign(char),
}

use Token::{Colons, Name, Sign};

/// Names and signs; comments, texts and characters are left out, lifetimes too.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut tokens, mut i) = (vec![], 0);
    while i < chars.len() {
        let rest = |n: usize| chars[i..].iter().take(n).collect::<String>();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if rest(2) == "//" {
            i += chars[i..].iter().take_while(|&&c| c != '\n').count();
        } else if rest(2) == "/*" {
            i = (i + 2..chars.len()).find(|&k| at(k) == '*' && at(k + 1) == '/').map_or(chars.len(), |k| k + 2);
        } else if at(i) == 'r' && (at(i + 1) == '"' || at(i + 1) == '#' && matches!(at(i + 2), '"' | '#')) {
            let hashes = chars[i + 1..].iter().take_while(|&&c| c == '#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            let body: String = chars[i + 2 + hashes..].iter().collect();
            let length = body.find(&end).map_or(body.len(), |byte| body[..byte].chars().count() + end.chars().count());
            i += 2 + hashes + length;
        } else if at(i) == '"' {
            i += 1;
            while i < chars.len() && at(i) != '"' {
                i += if at(i) == '\\' { 2 } else { 1 };
            }
            i += 1;
        } else if at(i) == '\'' {
            let character = at(i + 1) == '\\' || at(i + 2) == '\'';
            let skipped = if at(i + 1) == '\\' { i + 3 } else { i + 1 };
            i = if character { (skipped..chars.len()).find(|&k| at(k) == '\'').unwrap_or(i) + 1 } else { i + 1 };
            // What is left of a lifetime is a name without meaning here.
            i += if character { 0 } else { chars[i..].iter().take_while(|&&c| word(c)).count() };
        } else if word(at(i)) {
            let name: String = chars[i..].iter().take_while(|&&c| word(c)).collect();
            i += name.chars().count();
            tokens.push(Name(name));
        } else if rest(2) == "::" {
            tokens.push(Colons);
            i += 2;
        } else {
            if !at(i).is_whitespace() {
                tokens.push(Sign(at(i)));
            }
            i += 1;
        }
    }
    tokens
}

/// Index behind the item that begins at `start`: behind its `;` or its block.
fn behind_item(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        match token {
            Sign('{' | '(' | '[') => depth += 1,
            Sign(close @ ('}' | ')' | ']')) => {
                depth -= 1;
                if depth == 0 && *close == '}' {
                    return i + 1;
                }
            }
            Sign(';') if depth == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The tokens without what `#[cfg(test)]` stands before.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let name = |text: &str| Name(text.to_owned());
    let mark = [Sign('#'), Sign('['), name("cfg"), Sign('('), name("test"), Sign(')'), Sign(']')];
    let (mut kept, mut i) = (vec![], 0);
    while i < tokens.len() {
        if tokens[i..].starts_with(&mark) {
            i = behind_item(tokens, i + mark.len());
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

/// The names that a `use` brings in: from behind `use` to before `;`.
fn imported(tokens: &[Token], prefix: &[String], public: bool, uses: &mut Vec<Use>) {
    let (mut path, mut i) = (prefix.to_vec(), 0);
    while i < tokens.len() {
        match &tokens[i] {
            Name(name) if name == "as" => {
                if let Some(Name(alias)) = tokens.get(i + 1) {
                    uses.push(Use { public, path: path.clone(), name: alias.clone() });
                }
                return;
            }
            Name(name) => path.push(name.clone()),
            Sign('*') => path.push("*".to_owned()),
            Sign('{') => {
                let (mut depth, mut from) = (0, i + 1);
                for k in i..tokens.len() {
                    match tokens[k] {
                        Sign('{') => depth += 1,
                        Sign('}') => depth -= 1,
                        _ => {}
                    }
                    let ends = depth == 0 || depth == 1 && tokens[k] == Sign(',');
                    if ends && k > i {
                        if from < k {
                            imported(&tokens[from..k], &path, public, uses);
                        }
                        from = k + 1;
                    }
                }
                return;
            }
            _ => {}
        }
        i += 1;
    }
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = path.last().cloned().unwrap_or_default();
    uses.push(Use { public, path, name });
}

impl Source {
    fn read(file: &Path) -> Self {
        let tokens = without_tests(&tokens(&fs::read_to_string(file).unwrap()));
        let mut source = Source { file: file.to_owned(), ..Source::default() };
        let (mut i, mut public) = (0, false);
        while i < tokens.len() {
            let next = |n: usize| tokens.get(i + n);
            match &tokens[i] {
                Name(name) if name == "pub" => {
                    public = true;
                    // pub(crate), pub(in a::b)
                    i += if next(1) == Some(&Sign('(')) {
                        tokens[i..].iter().take_while(|t| **t != Sign(')')).count() + 1
                    } else {
                        1
                    };
                    continue;
                }
                Name(name) if name == "use" => {
                    let end = i + tokens[i..].iter().take_while(|token| **token != Sign(';')).count();
                    imported(&tokens[i + 1..end], &[], public, &mut source.uses);
                    i = end;
                }
                Name(name) if name == "mod" && next(2) == Some(&Sign(';')) => {
                    if let Some(Name(child)) = next(1) {
                        source.children.insert(child.clone());
                    }
                    i += 3;
                }
                Name(name) => {
                    let mut path = vec![name.clone()];
                    while let (Some(Colons), Some(Name(name))) = (tokens.get(i + 1), tokens.get(i + 2)) {
                        path.push(name.clone());
                        i += 2;
                    }
                    source.names.extend(path.iter().cloned());
                    if path.len() > 1 {
                        source.paths.push(path);
                    }
                    i += 1;
                }
                _ => i += 1,
            }
            public = false;
        }
        source
    }

    fn in_repository(&self) -> String {
        let below = self.file.strip_prefix(repository("")).unwrap();
        below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

impl Crate {
    /// The crate whose `lib.rs` is in the folder.
    fn read(folder: &Path) -> Self {
        let mut sources = BTreeMap::new();
        let mut open = vec![folder.to_owned()];
        while let Some(here) = open.pop() {
            for entry in fs::read_dir(&here).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") && path != folder.join("main.rs") {
                    let below = path.strip_prefix(folder).unwrap().with_extension("");
                    let mut module: Module =
                        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
                        module.pop();
                    }
                    sources.insert(module, Source::read(&path));
                }
            }
        }
        Self { sources }
    }

    /// A path as seen from a file, from the root of the crate; `None` for what comes from other crates or is local.
    fn absolute(&self, from: &Module, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => self.below(from, rest),
            "super" => {
                let above = from[..from.len().checked_sub(1)?].to_vec();
                match rest.first().map(String::as_str) {
                    Some("super") => self.absolute(&above, rest),
                    _ => self.below(&above, rest),
                }
            }
            child if self.sources[from].children.contains(child) => self.below(from, path),
            _ => None,
        }
    }

    fn below(&self, module: &Module, rest: &[String]) -> Option<Vec<String>> {
        Some(module.iter().chain(rest).cloned().collect())
    }

    /// The file that defines what a path from the root names; `None` if it names a module or leaves the crate.
    fn defined_in(&self, path: &[String], seen: &mut BTreeSet<Vec<String>>) -> Option<Module> {
        let depth = (0..=path.len()).rev().find(|&k| self.sources.contains_key(&path[..k]))?;
        let (module, rest) = (path[..depth].to_vec(), &path[depth..]);
        let name = rest.first()?;
        if !seen.insert(path.to_vec()) {
            return None;
        }
        for import in self.sources[&module].uses.iter().filter(|import| import.public) {
            let glob = import.path.last().is_some_and(|last| last == "*");
            if import.name == *name || glob {
                let kept = import.path.len() - usize::from(glob);
                let tail = if glob { rest } else { &rest[1..] };
                // A name from another crate is defined nowhere here.
                let through = self.absolute(&module, &import.path[..kept])?;
                let whole = [through.as_slice(), tail].concat();
                if !glob || self.defined_in(&whole, &mut seen.clone()).is_some_and(|file| file != module) {
                    return self.defined_in(&whole, seen);
                }
            }
        }
        Some(module)
    }

    /// The files that a file imports.
    fn imports(&self, from: &Module) -> BTreeSet<Module> {
        let source = &self.sources[from];
        let mut modules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut named = vec![];
        for import in &source.uses {
            let Some(path) = self.absolute(from, &import.path) else { continue };
            let module = self.sources.contains_key(&path);
            if module {
                modules.insert(&import.name, path.clone());
            }
            let passed_on = import.public && !module && !source.names.contains(&import.name);
            if !passed_on {
                let whole = import.path.last().is_some_and(|last| last == "*");
                named.push(if whole { path[..path.len() - 1].to_vec() } else { path });
            }
        }
        for path in &source.paths {
            let through = modules.get(path[0].as_str()).map(|module| [module.as_slice(), &path[1..]].concat());
            named.extend(through.or_else(|| self.absolute(from, path)));
        }
        let files = named.iter().filter_map(|path| self.defined_in(path, &mut BTreeSet::new()));
        files.filter(|file| file != from).collect()
    }

    /// The imports of every file.
    fn graph(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        self.sources.keys().map(|module| (module.clone(), self.imports(module))).collect()
    }

    fn name(&self, module: &Module) -> String {
        self.sources[module].in_repository()
    }
}

/// Everything that can be reached from each file.
fn reached(graph: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let reach = |start| {
        let (mut found, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(here) = open.pop() {
            open.extend(graph[here].iter().filter(|next| found.insert(*next)));
        }
        found
    };
    graph.keys().map(|start| (start, reach(start))).collect()
}

/// Files that import one another, in any number of steps: each such set once.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<&Module>> {
    let reached = reached(graph);
    let circle = |file: &&Module| -> BTreeSet<&Module> {
        reached[*file].iter().filter(|other| reached[**other].contains(*file)).copied().collect()
    };
    reached.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

/// The folders with a `lib.rs`, the program's first.
fn crates() -> Vec<PathBuf> {
    let mut members: Vec<PathBuf> =
        fs::read_dir(repository("crates")).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    members.sort();
    std::iter::once(repository("src")).chain(members).collect()
}

/// First cells of the tables in the documentation of `lib.rs`, from the top: (in the table of modules, name).
fn map() -> Vec<(bool, String)> {
    let text = fs::read_to_string(repository("src/lib.rs")).unwrap();
    let (mut rows, mut modules) = (vec![], true);
    for (cell, _) in text.lines().filter_map(|line| line.strip_prefix("//! | ")?.split_once(" | ")) {
        match cell {
            "module" | "crate" => modules = cell == "module",
            _ => rows.push((modules, cell.trim_matches(['[', ']', '`']).to_owned())),
        }
    }
    rows
}

#[test]
fn no_file_imports_itself_through_others() {
    let mut found = vec![];
    for folder in crates() {
        let whole = Crate::read(&folder);
        let graph = whole.graph();
        for circle in circles(&graph) {
            let edges = circle.iter().flat_map(|from| {
                let inside = graph[*from].iter().filter(|to| circle.contains(to));
                inside.map(|to| format!("\n    {} imports {}", whole.name(from), whole.name(to)))
            });
            found.push(format!("{} files import one another:{}", circle.len(), edges.collect::<String>()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn imports_point_downward_in_the_map() {
    let rows = map();
    let place = |module: bool, name: &str| rows.iter().position(|row| *row == (module, name.to_owned()));
    let program = Crate::read(&repository("src"));
    let mut found = vec![];
    for (from, imports) in program.graph() {
        let Some(top) = from.first() else { continue };
        let here = place(true, top);
        // A module that hands on what is in a crate stands in the list of the crates.
        if here.or(place(false, top)).is_none() && program.sources.contains_key(&vec![top.clone()]) {
            found.push(format!("the map of src/lib.rs does not list {top}"));
        }
        for to in imports.iter().filter(|to| to.first() != Some(top)) {
            if let (Some(here), Some(there)) = (here, to.first().and_then(|name| place(true, name)))
                && there < here
            {
                found.push(format!("{} imports {}, which stands above it", program.name(&from), program.name(to)));
            }
        }
    }
    for folder in crates().into_iter().skip(1) {
        let member = folder.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned();
        let Some(here) = place(false, &member) else {
            found.push(format!("the map of src/lib.rs does not list crates/{member}"));
            continue;
        };
        for source in Crate::read(&folder).sources.values() {
            let firsts =
                source.uses.iter().map(|import| &import.path[0]).chain(source.paths.iter().map(|path| &path[0]));
            let others: BTreeSet<&str> = firsts.filter_map(|first| first.strip_prefix("judge_uncertainty_")).collect();
            for other in others {
                if place(false, other).is_none_or(|there| there <= here) && other != member {
                    found.push(format!("{} imports the crate {other}, which stands above it", source.in_repository()));
                }
            }
        }
    }
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A crate of three files, written here.
fn example(files: &[(&str, &str)]) -> (tempfile::TempDir, Crate) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let read = Crate::read(folder.path());
    (folder, read)
}

#[test]
fn circles_are_found_and_what_is_none_is_let_be() {
    let lib = ("lib.rs", "pub mod a;\npub mod b;\npub mod c;\npub use a::A;\npub struct T;\n");
    let circles_of = |files: &[(&str, &str)]| {
        let (_folder, whole) = example(&[&[lib], files].concat());
        let graph = whole.graph();
        circles(&graph).into_iter().map(|circle| circle.into_iter().map(|m| m.join("/")).collect::<Vec<_>>()).collect()
    };
    let none: Vec<Vec<String>> = vec![];
    // Through a re-export, a path in code, a module that is imported, and a name of the parent.
    let found: Vec<Vec<String>> = circles_of(&[
        ("a.rs", "pub struct A;\nfn f() { super::b::g() }\n"),
        ("b.rs", "use crate::c;\npub fn g() { c::h::<'_', \"x\">() }\n"),
        ("c.rs", "use crate::{T, A};\npub fn h(_: A) {}\n"),
    ]);
    assert_eq!(found, [["a", "b", "c"]]);
    let found = circles_of(&[
        ("a/mod.rs", "mod x;\npub use x::X;\npub struct Y;\nfn f(_: X) {}\n"),
        ("a/x.rs", "use super::{super::c::{Z, z}, Y};\npub struct X(Y);\n"),
        ("b.rs", ""),
        ("c.rs", ""),
    ]);
    assert_eq!(found, [["a", "a/x"]]);
    // A folder that only declares, comments, texts and tests.
    let found = circles_of(&[
        ("a/mod.rs", "mod x;\nmod y;\npub use x::X;\npub use self::y::*;\n"),
        ("a/x.rs", "use super::Y;\npub struct X(Y);\n"),
        (
            "a/y.rs",
            "pub struct Y; // crate::a::X\nconst T: &str = \"use super::X;\";\n#[cfg(test)]\nmod tests { use super::super::X; }\n",
        ),
        ("b.rs", "use crate::a::{X, Y};\n"),
        ("c.rs", "/* crate::b */ const R: &str = r#\"crate::b::Z\"#;\n"),
    ]);
    assert_eq!(found, none);
}
