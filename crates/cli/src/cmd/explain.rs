//! `polypath explain [NAME]`

use crate::exit::{Exit, UsageError};
use std::fmt::Write;
use testcase::explain::paragraph;
use vocab::{Bound, Ending, ErrorKind, Loss};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// A kind of error by its name in errors.json, or a loss by its name in stats.json; without a name, the
    /// list of all
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  polypath explain                    the list of names
  polypath explain out_of_bounds      its meaning, and where to look
  polypath explain parked_sides       a loss, and the remedy";

/// Something that a run can leave out.
struct LeftOut {
    name: &'static str,
    words: &'static str,
    help: &'static str,
}

fn left_out() -> impl Iterator<Item = LeftOut> {
    let endings = Ending::ALL.iter().filter_map(|e| {
        Some(LeftOut {
            name: e.name(),
            words: e.loss()?,
            help: e.help(),
        })
    });
    let losses = Loss::ALL.iter().map(|l| LeftOut {
        name: l.name(),
        words: l.words(),
        help: l.help(),
    });
    endings.chain(losses)
}

/// The limits of the claim that everything was explored.
fn bounds() -> impl Iterator<Item = LeftOut> {
    Bound::ALL.iter().map(|b| LeftOut {
        name: b.name(),
        words: "a limit of the claim",
        help: b.help(),
    })
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let text = match &args.name {
        None => list(),
        Some(name) => match page_of(name) {
            Some(text) => text,
            None => {
                let names = ErrorKind::ALL.iter().map(|k| k.id());
                let near = harness::nearest::nearest(
                    name,
                    names.chain(left_out().chain(bounds()).map(|l| l.name)),
                );
                let near = if near.is_empty() {
                    "`polypath explain` lists them".to_string()
                } else {
                    format!("similar: {}", near.join(", "))
                };
                let problem = format!("{name}: no kind of error, and nothing that is left out");
                return Err(UsageError(format!("{problem}; {near}")).into());
            }
        },
    };
    say::out_part!("{text}");
    Ok(Exit::Nothing)
}

fn list() -> String {
    let mut text = String::from("Errors:\n");
    for &kind in ErrorKind::ALL {
        let _ = writeln!(text, "  {:<20} {}", kind.id(), kind.title());
    }
    text.push_str("\nWhat a run can leave out:\n");
    for row in left_out().chain(bounds()) {
        let _ = writeln!(text, "  {:<20} {}", row.name, row.words);
    }
    text
}

/// The explanation of a name: an error takes precedence over a loss.
fn page_of(name: &str) -> Option<String> {
    if let Some(kind) = ErrorKind::ALL.iter().find(|k| k.id() == name) {
        return Some(one(*kind));
    }
    let row = left_out().chain(bounds()).find(|row| row.name == name)?;
    let (name, words, help) = (row.name, row.words, wrapped(row.help, 100));
    Some(format!("{name}: {words}\n\n{help}\n"))
}

/// Title, place in the catalogue of weaknesses, paragraph.
fn one(kind: ErrorKind) -> String {
    let mut text = format!("{}: {}", kind.id(), kind.title());
    if let Some(cwe) = kind.cwe() {
        let _ = write!(text, " (CWE-{cwe})");
    }
    format!("{text}\n\n{}\n", wrapped(paragraph(kind), 100))
}

/// Lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.len() - 1;
        if !lines[line].is_empty() && lines[line].len() + 1 + word.len() > width {
            lines.push(word.to_string());
            continue;
        }
        if !lines[line].is_empty() {
            lines[line].push(' ');
        }
        lines[line].push_str(word);
    }
    lines.join("\n")
}

/// The page `docs/kinds.md`.
#[cfg(test)]
fn page() -> String {
    let mut text = String::from(
        "# Kinds of errors\n\nThe names in `errors.json` and on the command line; `polypath explain NAME` prints the same. \
         This page is written from the tables (`POLYPATH_BLESS=1 cargo test -p polypath-cli explain`).\n",
    );
    for &kind in ErrorKind::ALL {
        let cwe = kind.cwe().map_or(String::new(), |n| format!(", CWE-{n}"));
        let class = if kind.is_program_error() {
            ""
        } else {
            "; not an error of the program"
        };
        let _ = write!(
            text,
            "\n## `{}`\n\n*{}{cwe}{class}.* {}\n",
            kind.id(),
            kind.title(),
            paragraph(kind)
        );
    }
    text.push_str(
        "\n# What a run can leave out\n\nThe names in `stats.json` (`endings` has those of paths). While one of these numbers is not 0, a run \
         does not say that everything was explored.\n",
    );
    for LeftOut { name, words, help } in left_out() {
        let _ = write!(text, "\n## `{name}`\n\n*{words}.* {help}\n");
    }
    text.push_str("\n# Limits of the claim\n\nWithin these limits everything was explored; [claims.md](claims.md) explains the claim. `bounds` in `stats.json`.\n");
    for LeftOut { name, help, .. } in bounds() {
        let _ = write!(text, "\n## `{name}`\n\n{help}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_errors_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kinds.md");
        if std::env::var_os("POLYPATH_BLESS").is_some() {
            std::fs::write(path, page()).expect("docs can be written");
        }
        let text = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            text == page(),
            "docs/kinds.md is out of date: POLYPATH_BLESS=1 writes it"
        );
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("a bb ccc dddd", 5), "a bb\nccc\ndddd");
        assert!(one(ErrorKind::Null).starts_with("null: Null pointer dereference (CWE-476)\n\n"));
        assert!(list().contains("use_after_free"));
        assert!(page_of("parked_sides").is_some_and(|text| text.contains("--solver-time")));
        assert!(page_of("nothing").is_none());
    }
}
