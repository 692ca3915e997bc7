//! A log of queries as `polypath run --log-queries` writes it: definitions, levels, checks.
//!
//! Read line by line, since logs are large: all definitions are kept, of the queries a sample of the
//! distinct ones (those whose conditions have the smallest hashes: random, but the same every time) and
//! the first ones in order.

use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// One query after another one.
#[derive(Default)]
pub struct LoggedQuery {
    /// Levels to pop before.
    pub pop: usize,
    /// Conditions to assert, each on a level of its own.
    pub push: Vec<String>,
}

/// What was kept of a log.
#[derive(Default)]
pub struct Log {
    /// Each with the assertion behind it that belongs to it (the pattern of a float).
    definitions: Vec<String>,
    by_name: HashMap<String, usize>,
    /// The sample: conditions by hash.
    sample: BTreeMap<u64, Vec<String>>,
    /// The first queries in order.
    pub steps: Vec<LoggedQuery>,
    /// Queries in the log.
    pub queries: u64,
}

impl Log {
    /// Reads a log; keeps `sample` distinct queries and the first `steps`.
    pub fn read(path: &Path, sample: usize, steps: usize) -> Result<Log> {
        let failed = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(failed)?;
        let mut log = Log::default();
        let mut levels: Vec<String> = Vec::new();
        let mut step = LoggedQuery::default();
        for line in BufReader::with_capacity(1 << 20, file).lines() {
            let line = line.with_context(failed)?;
            if let Some(count) = inside(&line, "(pop ") {
                let count: usize = count.parse().with_context(failed)?;
                levels.truncate(levels.len().saturating_sub(count));
                let taken_back = count.min(step.push.len());
                step.push.truncate(step.push.len() - taken_back);
                step.pop += count - taken_back;
            } else if let Some(condition) = inside(&line, "(assert ")
                && !levels.is_empty()
                && levels.last().is_some_and(String::is_empty)
            {
                step.push.push(condition.into());
                *levels.last_mut().context("a level")? = condition.into();
            } else if line.starts_with("(push 1)") {
                levels.push(String::new());
            } else if line == "(check-sat)" {
                log.queries += 1;
                log.note(&levels, sample);
                let done = std::mem::take(&mut step);
                if log.steps.len() < steps {
                    log.steps.push(done);
                }
            } else if line.starts_with("(assert ") {
                // Below all levels.
                let last = log.definitions.last_mut().with_context(failed)?;
                last.push_str(&format!("\n{line}"));
            } else if !line.starts_with("(set-") {
                log.define(line)?;
            }
        }
        Ok(log)
    }

    fn define(&mut self, line: String) -> Result<()> {
        let mut words = line.splitn(3, ' ');
        let (Some(_), Some(name)) = (words.next(), words.next()) else {
            bail!("not a line of a query log: {line}");
        };
        let name = if name.starts_with('|') {
            // A quoted name may have spaces in it.
            line.split('|').nth(1).map(|n| format!("|{n}|"))
        } else {
            Some(name.to_string())
        };
        self.by_name
            .insert(name.context("a name")?, self.definitions.len());
        self.definitions.push(line);
        Ok(())
    }

    fn note(&mut self, levels: &[String], sample: usize) {
        let mut conditions: Vec<&String> = levels.iter().collect();
        conditions.sort_unstable();
        conditions.dedup();
        let mut hasher = DefaultHasher::new();
        conditions.iter().for_each(|c| hasher.write(c.as_bytes()));
        let hash = hasher.finish();
        let is_small = |(last, _): (&u64, _)| hash < *last;
        if self.sample.len() < sample || self.sample.last_key_value().is_some_and(is_small) {
            self.sample.entry(hash).or_insert_with(|| levels.to_vec());
            if self.sample.len() > sample {
                self.sample.pop_last();
            }
        }
    }

    /// The queries of the sample as scripts.
    pub fn scripts(&self) -> impl Iterator<Item = String> {
        self.sample.values().map(|conditions| {
            let mut text = self.defined(conditions);
            for condition in conditions {
                text.push_str(&format!("(assert {condition})\n"));
            }
            text.push_str("(check-sat)\n");
            text
        })
    }

    /// The definitions that the first queries need.
    pub fn definitions(&self) -> String {
        let conditions: Vec<String> = self.steps.iter().flat_map(|s| s.push.clone()).collect();
        self.defined(&conditions)
    }

    fn defined(&self, conditions: &[String]) -> String {
        let mut text = String::new();
        for at in self.cone(conditions) {
            text.push_str(&self.definitions[at]);
            text.push('\n');
        }
        let logic = if has_floats(&text) {
            "QF_ABVFP"
        } else {
            "QF_AUFBV"
        };
        format!("(set-logic {logic})\n{text}")
    }

    /// Numbers of the definitions below conditions, in order.
    fn cone(&self, conditions: &[String]) -> Vec<usize> {
        let mut found: HashSet<usize> = HashSet::new();
        let mut stack: Vec<usize> = Vec::new();
        let mut visit = |text: &str, own: usize, stack: &mut Vec<usize>| {
            for name in names(text) {
                if let Some(&at) = self.by_name.get(name)
                    && at != own
                    && found.insert(at)
                {
                    stack.push(at);
                }
            }
        };
        for condition in conditions {
            visit(condition, usize::MAX, &mut stack);
        }
        while let Some(at) = stack.pop() {
            visit(&self.definitions[at], at, &mut stack);
        }
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// Whether a script is about floats.
pub fn has_floats(script: &str) -> bool {
    script.contains("FloatingPoint")
}

/// The script with its symbols and definitions numbered in their order: queries of the same structure have the same
/// text.
pub fn structure(script: &str) -> String {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut out = String::with_capacity(script.len());
    for line in script.lines() {
        let declared = ["(declare-const ", "(define-fun "];
        let declared = declared.iter().find_map(|head| line.strip_prefix(head));
        if let Some(name) = declared.and_then(|rest| names(rest).next()) {
            let number = numbers.len();
            numbers.entry(name).or_insert(number);
        }
        for name in names(line) {
            match numbers.get(name) {
                Some(number) => out.push_str(&format!("!{number} ")),
                None => out.push_str(&format!("{name} ")),
            }
        }
        out.push('\n');
    }
    out
}

/// What stands between a command's head and its closing parenthesis.
fn inside<'a>(line: &'a str, head: &str) -> Option<&'a str> {
    line.strip_prefix(head)?.strip_suffix(')')
}

/// The symbols in a text, quoted ones in their bars.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '(', ')', '\n']);
        if rest.is_empty() || rest.starts_with(';') {
            return None;
        }
        let end = match rest.strip_prefix('|') {
            Some(quoted) => quoted.find('|').map(|at| at + 2),
            None => rest.find([' ', '(', ')', '\n']),
        };
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "(set-option :global-declarations true)
(set-logic ALL)
(declare-const |a b| (_ BitVec 8))
(define-fun ?1 () Bool (= #x05 |a b|)) ; index 0 to ?9
(push 1)
(assert ?1)
(check-sat)
(pop 1)
(define-fun ?2 () Bool (bvult |a b| #x05))
(push 1)
(assert ?2)
(push 1)
(assert (not ?1))
(check-sat)
(pop 2)
(push 1)
(assert ?1)
(check-sat)
";

    #[test]
    fn queries_come_with_what_they_mention_and_equal_ones_once() {
        let path = std::env::temp_dir().join(format!("polypath-log-{}", std::process::id()));
        std::fs::write(&path, LOG).unwrap();
        let log = Log::read(&path, 10, 10).unwrap();
        let least = Log::read(&path, 1, 2).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut scripts: Vec<String> = log.scripts().collect();
        scripts.sort_by_key(String::len);
        assert_eq!((log.queries, scripts.len()), (3, 2));
        assert!(!scripts[0].contains("?2") && scripts[0].contains("(declare-const |a b|"));
        assert!(scripts[1].ends_with("(assert ?2)\n(assert (not ?1))\n(check-sat)\n"));
        let renamed = scripts[0].replace("?1", "?7").replace("|a b|", "x");
        assert_eq!(structure(&scripts[0]), structure(&renamed));
        assert_ne!(structure(&scripts[0]), structure(&scripts[1]));
        let steps: Vec<(usize, usize)> = log.steps.iter().map(|s| (s.pop, s.push.len())).collect();
        assert_eq!(steps, [(0, 1), (1, 2), (2, 1)]);
        assert_eq!((least.scripts().count(), least.steps.len()), (1, 2));
    }
}
