//! What this build of `polypath` offers, from its `--help`: a suite can ask for what is not there yet, and name it.

use super::Context;
use anyhow::{Context as _, Result};
use std::process::Command;

/// The long help of a command of `polypath`.
fn text(context: &Context, command: &str) -> Result<String> {
    let output = Command::new(&context.polypath)
        .args([command, "--help"])
        .output()
        .with_context(|| format!("cannot run {}", context.polypath.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the command knows an option.
pub fn knows(context: &Context, command: &str, option: &str) -> Result<bool> {
    Ok(section(&text(context, command)?, option).is_some())
}

/// The values that an option may have, as `--help` lists them; none for an option that is unknown.
pub fn values(context: &Context, command: &str, option: &str) -> Result<Vec<String>> {
    let text = text(context, command)?;
    Ok(section(&text, option).map(listed).unwrap_or_default())
}

/// What the help says about an option: from its name to the next one's.
fn section<'a>(help: &'a str, option: &str) -> Option<&'a str> {
    let names = |line: &str| {
        let mut words = line.split([' ', ',', '=']);
        words.any(|word| word == option)
    };
    let is_head = |line: &str| line.trim_start().starts_with('-') && line.trim_start() != "-";
    let mut begun = None;
    let mut at = 0;
    for line in help.split_inclusive('\n') {
        let head = is_head(line) && !line.trim_start().starts_with("- ");
        match begun {
            None if head && names(line.trim()) => begun = Some(at),
            Some(begin) if head => return Some(&help[begin..at]),
            _ => {}
        }
        at += line.len();
    }
    begun.map(|begin| &help[begin..])
}

/// The values in a section, one a line (`- NAME: what it is`) or in brackets.
fn listed(section: &str) -> Vec<String> {
    if let Some((_, rest)) = section.split_once("[possible values: ")
        && let Some((names, _)) = rest.split_once(']')
    {
        return names
            .split(',')
            .map(|n| n.split_whitespace().collect())
            .collect();
    }
    let items = section.lines().filter_map(|l| l.trim().strip_prefix("- "));
    let name = |item: &str| {
        let end = item.find(": ").unwrap_or(item.len());
        item[..end].trim_end_matches(':').to_string()
    };
    items.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Options:
      --fp-solver <NAME>
          How conditions on floats are decided

          Possible values:
          - auto:         Terms, see --mode
          - search:gosat: The baseline
          - none

  -q, --quiet
          No progress - at all
      --mode <MODE>
          Fork [possible values: fork,
          concolic]
";

    #[test]
    fn options_and_their_values() {
        let of = |option| section(HELP, option).map(listed);
        assert_eq!(of("--fp-solver").unwrap(), ["auto", "search:gosat", "none"]);
        assert_eq!(of("--mode").unwrap(), ["fork", "concolic"]);
        assert_eq!(of("--quiet").unwrap().len(), 0);
        assert!(of("--fp").is_none());
    }
}
