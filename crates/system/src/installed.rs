//! Where the program finds the files that belong to it, from whichever folder it is run.

use std::env;
use std::path::{Path, PathBuf};

/// Environment variable that names the folder which holds the program's `data`.
pub const HOME_VARIABLE: &str = "JUDGE_UNCERTAINTY_HOME";

/// Where packages put the program's files, below the folder that also holds `bin`.
const SHARED: &str = "share/judge-uncertainty";

/// The program's own file or folder of a relative name, such as `data/paper/claims.toml`.
///
/// It is looked for below the folder that the environment variable [`HOME_VARIABLE`] names; without one, below the
/// working directory, and then beside the program: in its folder, in those above it, and in their
/// `share/judge-uncertainty`. So it is found in a checkout, in an unpacked archive and in an environment of Python.
/// What is nowhere is returned as it was named, for whoever opens it to say that it is missing.
pub fn installed(name: impl AsRef<Path>) -> PathBuf {
    let name = name.as_ref();
    if let Some(home) = env::var_os(HOME_VARIABLE) {
        return Path::new(&home).join(name);
    }
    let program = env::current_exe().and_then(|program| program.canonicalize()).unwrap_or_default();
    among(Path::new(""), &program, name)
}

/// The first place that has `name`: `here`, or beside `program`.
fn among(here: &Path, program: &Path, name: &Path) -> PathBuf {
    let beside = program.ancestors().skip(1).flat_map(|folder| [folder.to_owned(), folder.join(SHARED)]);
    let places = std::iter::once(here.to_owned()).chain(beside);
    places.map(|place| place.join(name)).find(|path| path.exists()).unwrap_or_else(|| here.join(name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_found_here_then_beside_the_program() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        // The folders above the temporary one are searched as well, and have no such file.
        let name = Path::new("files of this test/claims.toml");
        let here = root.join("here");
        let put = |home: &Path| {
            fs::create_dir_all(home.join("files of this test")).unwrap();
            fs::write(home.join(name), "").unwrap();
            home.join(name)
        };
        // A Python environment, an archive, a checkout whose program lies two folders down.
        for (program, home) in [
            ("environment/bin/program", "environment/share/judge-uncertainty"),
            ("archive/program", "archive"),
            ("checkout/target/release/program", "checkout"),
        ] {
            let program = root.join(program);
            assert_eq!(among(&here, &program, name), here.join(name), "named as it was where it is nowhere");
            let beside = put(&root.join(home));
            assert_eq!(among(&here, &program, name), beside);
        }
        let nearest = put(&here);
        assert_eq!(among(&here, &root.join("archive/program"), name), nearest);
    }
}
