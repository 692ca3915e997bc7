//! The inputs with which a run of a program in IR begins (`--seed-input`), as bytes of its symbolic objects.

use crate::corpus::{Corpus, Met, is_raw};
use crate::exit::UsageError;
use crate::plan::Plan;
use crate::raw_input::{fitted, part, spec};
use exec::ObjectBytes;
use harness::RawInput;
use linux::Start;
use std::path::Path;
use testcase::ktest::KTest;
use vocab::{are, counted};

/// See the module.
#[derive(Default)]
pub struct Seeds(Vec<(String, Seed)>);

/// A seed as found on disk.
enum Seed {
    /// Bytes of named objects.
    Parts(Vec<ObjectBytes>),
    /// Bytes for the program's first input of any kind.
    Raw(Vec<u8>),
}

/// What a seed says and the program cannot be given.
#[derive(Default)]
struct Unfit {
    /// Seeds that are longer, and shorter, than the input that is to have their bytes.
    longer: usize,
    shorter: usize,
    /// Seeds whose files have other attributes than the program's.
    attributes: usize,
    /// Seeds of objects that the program has not.
    strange: usize,
}

impl Seeds {
    /// Reads the seeds that the plan names.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn of(plan: &Plan) -> anyhow::Result<Seeds> {
        match &plan.search.seed_input {
            // A run that is continued has the rest of them.
            Some(dir) if !plan.goes_on => Ok(Seeds(contents(dir)?)),
            _ => Ok(Seeds::default()),
        }
    }

    /// Gives seeds of mere bytes to the program's first input of any kind: files come before standard input, that before
    /// arguments; with `--entry` it is the function's first parameter of bytes. Bytes of others that are no input are left out. A program that
    /// `makes_objects` while it runs may come to any object.
    ///
    /// # Errors
    /// There are such seeds and no such input.
    pub fn fit(
        &mut self,
        starts: &[Start],
        parameter: Option<&RawInput>,
        makes_objects: bool,
    ) -> Result<(), UsageError> {
        let mut unfit = Unfit::default();
        let mut met = Met::default();
        self.0.retain(|(_, seed)| match seed {
            Seed::Raw(bytes) => met.is_new(bytes),
            Seed::Parts(_) => true,
        });
        for (name, seed) in &mut self.0 {
            let parts = match seed {
                Seed::Parts(parts) => {
                    let is_known = |p: &ObjectBytes| {
                        spec(starts, &p.object).is_some_and(|s| !s.free_ranges().is_empty())
                    };
                    unfit.strange += usize::from(!makes_objects && !parts.iter().any(is_known));
                    free(starts, std::mem::take(parts), &mut unfit)
                }
                Seed::Raw(bytes) => {
                    let fitted = fitted(starts, parameter, bytes).ok_or_else(|| {
                        let why = "the program has no symbolic file, input or argument for it";
                        UsageError(format!("{name}: {why}"))
                    })?;
                    unfit.longer += usize::from(fitted.is_cut);
                    unfit.shorter += usize::from(fitted.is_filled);
                    fitted.parts
                }
            };
            *seed = Seed::Parts(parts);
        }
        unfit.tell();
        Ok(())
    }

    /// The seeds by name.
    pub fn into_parts(self) -> impl Iterator<Item = (String, Vec<ObjectBytes>)> {
        self.0.into_iter().filter_map(|(name, seed)| match seed {
            Seed::Parts(parts) => Some((name, parts)),
            Seed::Raw(_) => None,
        })
    }
}

/// Tells that a seed is no input of the program.
pub fn left_out(name: &str) {
    say::err!("polypath: {name}: left out, it does not fit the symbolic input");
}

impl Unfit {
    fn tell(&self) {
        for (seeds, what) in [
            (self.longer, "longer than the input; the rest is cut"),
            (self.shorter, "shorter than the input; zeros are added"),
            (
                self.attributes,
                "given to ordinary files and a pipe, whatever their own attributes are (--sym-stat: these are input)",
            ),
            (
                self.strange,
                "of objects that this program has not, and without effect",
            ),
        ] {
            if seeds > 0 {
                say::err!("polypath: {} {} {what}", counted(seeds, "seed"), are(seeds));
            }
        }
    }
}

/// The seeds of a directory, by name.
fn contents(dir: &Path) -> anyhow::Result<Vec<(String, Seed)>> {
    let corpus = Corpus::open(dir)?;
    if let Some(words) = corpus.left_out() {
        say::err!("polypath: {words}");
    }
    let mut seeds = Vec::new();
    for path in corpus.entries()? {
        let name = path.display().to_string();
        if path.is_dir() {
            // A test directory beside its .ktest is the same test.
            if path.with_extension("ktest").exists() {
                continue;
            }
            let mut problems = Vec::new();
            let tests = testcase::read::tests(&path, &mut problems)
                .map_err(|e| UsageError(format!("{name}: {e:#}")))?;
            for problem in problems {
                say::err!("polypath: {problem}");
            }
            if tests.is_empty() {
                say::err!(
                    "polypath: {name}: no tests in it; raw files in a directory of DIR are not read"
                );
            }
            seeds.extend(tests.into_iter().map(|t| (name.clone(), whole(t.objects))));
            continue;
        }
        if !path.is_file() {
            // (Reading a pipe or a device has no end.)
            say::err!("polypath: {name}: left out, it is no ordinary file");
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|e| UsageError(format!("{name}: {e}")))?;
        let seed = if is_raw(&path) {
            Seed::Raw(bytes)
        } else {
            let test = KTest::parse(&bytes).map_err(|e| UsageError(format!("{name}: {e:#}")))?;
            let text = |(name, bytes): (Vec<u8>, Vec<u8>)| (vocab::text_of(&name), bytes);
            whole(test.objects.into_iter().map(text))
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
    let objects = objects.into_iter();
    Seed::Parts(
        objects
            .map(|(object, bytes)| part(object, 0, bytes))
            .collect(),
    )
}

/// The parts of a seed that are input: what is fixed in an object stays as it is. The number of arguments is fixed, too, and
/// chooses the start.
fn free(starts: &[Start], parts: Vec<ObjectBytes>, unfit: &mut Unfit) -> Vec<ObjectBytes> {
    let mut fitting = Vec::new();
    let mut other_attributes = false;
    for given in parts {
        let spec = spec(starts, &given.object);
        let Some(spec) = spec.filter(|s| !s.name.starts_with("n_args")) else {
            fitting.push(given);
            continue;
        };
        let end = given.offset + given.bytes.len();
        other_attributes |= spec.has_other_attributes(given.offset, &given.bytes);
        for (first, length) in spec.free_ranges() {
            let (from, to) = (first.max(given.offset), (first + length).min(end));
            if from < to {
                let bytes = given.bytes[from - given.offset..to - given.offset].to_vec();
                fitting.push(part(given.object.clone(), from, bytes));
            }
        }
    }
    unfit.attributes += usize::from(other_attributes);
    fitting
}
