//! `polypath run --mode concolic`: its options, and its first inputs.

use crate::exit::UsageError;
use crate::plan::Plan;
use dse::{Input, PartialOptions};
use exec::{Concolic, Machine, ObjectBytes, RunLimits, State, Subject};
use search::Strategy;
use std::path::Path;
use testcase::ktest::KTest;

/// The options of a concolic exploration.
pub struct Begin {
    strategy: Box<dyn Strategy>,
    partial: PartialOptions,
    seeds: Vec<(String, Seed)>,
}

impl Begin {
    /// Reads the seeds that the plan names.
    ///
    /// # Errors
    /// They cannot be read, or the plan has unknown names.
    pub fn new(plan: &Plan) -> anyhow::Result<Begin> {
        Ok(Begin {
            strategy: plan.strategy(plan.search.seed)?,
            partial: plan.partial_options()?,
            seeds: match &plan.search.seed_input {
                // A run that is continued has the rest of them.
                Some(dir) if !plan.goes_on => contents(dir)?,
                _ => Vec::new(),
            },
        })
    }

    /// Gives seeds of mere bytes to the program's first input of any kind: files come before standard input, that before
    /// arguments.
    ///
    /// # Errors
    /// There are such seeds and no such input.
    pub fn fit(
        &mut self,
        first: &[Box<State>],
        start: Option<&linux::Start>,
    ) -> Result<(), UsageError> {
        let objects = || first.iter().flat_map(|s| s.objects.iter());
        let receiver = ["A_data", "stdin", "arg00"].into_iter().find_map(|name| {
            let object = objects().find(|o| *o.name == *name)?;
            Some((name, object.symbols.len()))
        });
        for (name, seed) in &mut self.seeds {
            if let Seed::Raw(bytes) = seed {
                let Some(receiver) = receiver else {
                    return Err(UsageError(format!(
                        "{name}: the program has no symbolic file, input or argument for it"
                    )));
                };
                *seed = Seed::Parts(parts(start, receiver, name, std::mem::take(bytes)));
            }
        }
        Ok(())
    }
}

impl Begin {
    /// The exploration of a program from the inputs on that the plan begins with.
    pub fn begin(
        self,
        machine: Machine,
        first: impl IntoIterator<Item = Box<State>>,
        limits: RunLimits,
    ) -> Concolic {
        let mut subject = Subject::new(machine, first, limits);
        let seeds = inputs(&mut subject, self.seeds);
        let options = subject.explorer_options(self.partial);
        Concolic::new(subject, self.strategy, options).from_inputs(seeds)
    }

    /// All that there is to explore, as bytes.
    pub fn first_prefixes(
        self,
        machine: Machine,
        first: impl IntoIterator<Item = Box<State>>,
    ) -> Vec<Vec<u8>> {
        let mut subject = Subject::new(machine, first, RunLimits::default());
        let seeds = inputs(&mut subject, self.seeds);
        dse::first_prefixes(&subject, seeds)
    }
}

/// A seed as found on disk.
enum Seed {
    /// Bytes of named objects.
    Parts(Vec<ObjectBytes>),
    /// Bytes for the program's first input of any kind.
    Raw(Vec<u8>),
}

/// The seeds of a directory, by name.
fn contents(dir: &Path) -> anyhow::Result<Vec<(String, Seed)>> {
    let unreadable = |e: &dyn std::fmt::Display| UsageError(format!("{}: {e}", dir.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|e| unreadable(&e))? {
        paths.push(entry.map_err(|e| unreadable(&e))?.path());
    }
    paths.sort();
    let mut seeds = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        if path.is_dir() {
            // A test directory beside its .ktest is the same test.
            if path.with_extension("ktest").exists() {
                continue;
            }
            let mut problems = Vec::new();
            let tests = testcase::read::tests(&path, &mut problems)
                .map_err(|e| UsageError(format!("{name}: {e:#}")))?;
            seeds.extend(tests.into_iter().map(|t| (name.clone(), whole(t.objects))));
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|e| UsageError(format!("{name}: {e}")))?;
        let seed = if path.extension().is_some_and(|e| e == "ktest") {
            let test = KTest::parse(&bytes).map_err(|e| UsageError(format!("{name}: {e:#}")))?;
            let text = |(name, bytes): (Vec<u8>, Vec<u8>)| (vocab::text_of(&name), bytes);
            whole(test.objects.into_iter().map(text))
        } else {
            Seed::Raw(bytes)
        };
        seeds.push((name, seed));
    }
    if seeds.is_empty() {
        return Err(UsageError(format!("{}: no seeds in it", dir.display())).into());
    }
    Ok(seeds)
}

/// The contents of whole objects.
fn whole(objects: impl IntoIterator<Item = (String, Vec<u8>)>) -> Seed {
    let part = |(object, bytes)| ObjectBytes {
        object,
        offset: 0,
        bytes,
    };
    Seed::Parts(objects.into_iter().map(part).collect())
}

/// A file's bytes as the content of an object of this length. The rest of a longer object is zero; it does not exist
/// if the object's size is open.
fn parts(
    start: Option<&linux::Start>,
    (object, length): (&str, usize),
    name: &str,
    mut bytes: Vec<u8>,
) -> Vec<ObjectBytes> {
    if bytes.len() > length {
        say::err!(
            "polypath: {name}: only the first {length} of {} bytes fit {object}",
            bytes.len()
        );
    }
    let size = bytes.len().min(length);
    bytes.resize(length, 0);
    let part = |object: &str, offset, bytes| ObjectBytes {
        object: object.to_string(),
        offset,
        bytes,
    };
    let mut parts = vec![part(object, 0, bytes)];
    if let Some((stat, offset)) = start.and_then(|s| s.open_size(object)) {
        parts.push(part(&stat, offset, (size as u32).to_le_bytes().to_vec()));
    }
    parts
}

fn inputs(subject: &mut Subject, seeds: Vec<(String, Seed)>) -> Vec<Input> {
    let mut inputs = Vec::new();
    for (name, seed) in seeds {
        let input = match seed {
            Seed::Parts(parts) => subject.seed(&parts),
            Seed::Raw(_) => None,
        };
        match input {
            Some(input) => inputs.push(input),
            None => say::err!("polypath: {name}: left out, it does not fit the symbolic input"),
        }
    }
    inputs
}
