//! Verdicts of other solvers, through their Python packages `z3-solver` and `bitwuzla`.
//!
//! They stay optional, because no Debian package has both: `./x test` installs them by pip where it can reach the
//! package index, and a test that finds none of them is counted as skipped. `POLYPATH_ORACLE_PYTHON` names the
//! interpreter (default `python3`).

use std::path::Path;
use std::process::Command;

/// Asks each solver that is there about each script of a folder. First line: who is there.
const SCRIPT: &str = r#"
import glob, os, sys
folder, limit, wanted = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
def ask_z3(path):
    import z3
    s = z3.Solver()
    s.set("timeout", limit)
    s.from_file(path)
    return str(s.check())
def ask_bitwuzla(path):
    import bitwuzla
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, limit)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(path, parse_only=True)
    return str(parser.bitwuzla().check_sat()).split(".")[-1].lower()
ask = {"z3": ask_z3, "bitwuzla": ask_bitwuzla}
have = []
for name in wanted:
    try:
        __import__(name); have.append(name)
    except ImportError:
        pass
print(*have)
for path in sorted(glob.glob(folder + "/*.smt2")):
    for name in have:
        try:
            answer = ask[name](path)
        except Exception as error:
            answer = "error: " + str(error).replace("\n", " ")[:300]
        print(os.path.basename(path), name, answer)
"#;

/// What a solver says about a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverVerdict {
    /// The name of the script's file.
    pub file: String,
    /// `z3` or `bitwuzla`.
    pub solver: String,
    /// `sat`, `unsat`, `unknown`, or `error: …`.
    pub answer: String,
}

/// Asks the solvers (`z3`, `bitwuzla`; those of them that are installed) about each `*.smt2` in the folder, for so
/// many milliseconds each. The verdicts are in the order of the files' names. `None`: none is installed, and the test
/// is counted as skipped.
///
/// # Panics
///
/// If the interpreter fails, or not every script is answered.
#[track_caller]
pub fn ask(folder: &Path, solvers: &[&str], milliseconds: u64) -> Option<Vec<SolverVerdict>> {
    let python = std::env::var("POLYPATH_ORACLE_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python)
        .args(["-c", SCRIPT])
        .arg(folder)
        .arg(milliseconds.to_string())
        .args(solvers)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            crate::skip(&format!("{python}: {error}"));
            return None;
        }
    };
    assert!(
        output.status.success(),
        "{python}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let there = lines.next().unwrap_or_default().split_whitespace().count();
    if there == 0 {
        crate::skip(&format!(
            "{python} has no package of {}",
            solvers.join(" and ")
        ));
        return None;
    }
    let verdicts: Vec<SolverVerdict> = lines.map(verdict).collect();
    let scripts = std::fs::read_dir(folder)
        .expect("the folder")
        .filter(|e| {
            let path = e.as_ref().expect("an entry").path();
            path.extension().is_some_and(|e| e == "smt2")
        })
        .count();
    assert_eq!(verdicts.len(), there * scripts, "{text}");
    Some(verdicts)
}

#[track_caller]
fn verdict(line: &str) -> SolverVerdict {
    let mut words = line.splitn(3, ' ').map(String::from);
    let mut word = || words.next().unwrap_or_else(|| panic!("{line}"));
    SolverVerdict {
        file: word(),
        solver: word(),
        answer: word(),
    }
}
