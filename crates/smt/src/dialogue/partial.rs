//! The lines that `--partial-solutions` prints: trials that the solver's receiver kept.

use smtlib::{Declaration, Meaning, Sorts, write};
use solver::Trial;
use term::Pool;

/// One line of a comment about a trial.
pub(crate) fn line(
    pool: &Pool,
    sorts: &Sorts,
    declarations: &[Declaration],
    of: usize,
    kept: &Trial,
) -> String {
    let mut text = format!(
        "; partial-solution {} prefix {}/{of} time {:.6}",
        kept.technique.name(),
        kept.prefix,
        kept.seconds
    );
    for declaration in declarations {
        // A trial has no values of reals.
        let Meaning::Symbol(symbol) = declaration.meaning else {
            continue;
        };
        let value = super::check::value_of(pool, symbol, &kept.assignment);
        let value = match declaration.params.len() {
            0 => write::value(sorts, declaration.sort, &value),
            _ => super::check::interpretation(sorts, declaration, &value),
        };
        text.push_str(&format!(" ({} {value})", write::symbol(&declaration.name)));
    }
    text
}
