//! Tests as the files that other tools take: a corpus for fuzzers, crash files, KLEE's files, a dictionary.
//!
//! The file of a test is the input that its program reads: file A, else standard input, else the bytes of the parameter of a function
//! that takes some ([`harness::RawInput`]). A corpus has each content once.

use crate::kind::ErrorKind;
use crate::klee;
use crate::model::{ErrorRecord, RunInfo, TestCase, test_name};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use vocab::counted;

/// Bytes of a token in a dictionary, at least and at most.
const TOKEN: std::ops::RangeInclusive<usize> = 2..=64;
/// Tokens of a dictionary at most.
const TOKENS: usize = 2000;

/// The form in which tests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusForm {
    /// `corpus/test000001`, and `crashes/KIND-FILE-LINE-test000002`.
    Raw,
    /// As AFL++ has them: `default/queue/id:000000,…` and `default/crashes/id:000000,…`.
    Afl,
    /// `test000001.ktest`.
    Ktest,
}

/// A directory to which tests are written in one form.
pub struct CorpusWriter {
    dir: PathBuf,
    form: CorpusForm,
    /// The inputs that are there, with the kind and place of their errors.
    met: BTreeSet<(Vec<u8>, String)>,
    queue: usize,
    crashes: usize,
    same: usize,
    without: usize,
    /// Tests whose file is a part of their input.
    parts: usize,
}

impl CorpusWriter {
    /// Begins one in this directory, which is made.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(dir: &Path, form: CorpusForm) -> Result<CorpusWriter> {
        let corpus = CorpusWriter {
            dir: dir.to_owned(),
            form,
            met: BTreeSet::new(),
            queue: 0,
            crashes: 0,
            same: 0,
            without: 0,
            parts: 0,
        };
        for folder in corpus.folders() {
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        Ok(corpus)
    }

    fn folders(&self) -> [PathBuf; 2] {
        let names = match self.form {
            CorpusForm::Raw => ["corpus", "crashes"],
            CorpusForm::Afl => ["default/queue", "default/crashes"],
            CorpusForm::Ktest => ["", ""],
        };
        names.map(|name| self.dir.join(name))
    }

    /// Writes a test of this run.
    ///
    /// # Errors
    /// Its file cannot be written, or is there already.
    pub fn add(&mut self, test: &TestCase, info: Option<&RunInfo>) -> Result<()> {
        if self.form == CorpusForm::Ktest {
            self.queue += 1;
            let name = format!("{}.ktest", test_name(test.id));
            return write_new(&self.dir.join(name), &klee::to_ktest(test).ktest.to_bytes());
        }
        let Some(bytes) = input(test, info) else {
            self.without += 1;
            return Ok(());
        };
        let is_crash = test.error.is_some();
        let error = test.error.as_ref().map_or_else(String::new, place);
        // Errors of different kinds and places may have one file, and differ in their arguments.
        if !self.met.insert((bytes.clone(), error)) {
            self.same += 1;
            return Ok(());
        }
        self.parts += usize::from(has_more(test));
        let [queue, crashes] = self.folders();
        let (folder, number) = if is_crash {
            (crashes, &mut self.crashes)
        } else {
            (queue, &mut self.queue)
        };
        let name = match (self.form, &test.error) {
            (CorpusForm::Raw, Some(error)) => format!("{}-{}", place(error), test_name(test.id)),
            (CorpusForm::Raw | CorpusForm::Ktest, _) => test_name(test.id),
            (CorpusForm::Afl, error) => afl_name(*number, test, error.as_ref()),
        };
        *number += 1;
        write_new(&folder.join(name), &bytes)
    }

    /// How many inputs without an error there are, and how many with one.
    pub fn counts(&self) -> (usize, usize) {
        (self.queue, self.crashes)
    }

    /// What was written, in words.
    pub fn told(&self) -> String {
        let dir = self.dir.display();
        let mut text = match self.form {
            CorpusForm::Ktest => format!("{} in {dir}", counted(self.queue, "test")),
            CorpusForm::Raw | CorpusForm::Afl => {
                let [queue, crashes] = self.folders().map(|f| f.display().to_string());
                let inputs = counted(self.queue, "input");
                format!(
                    "{inputs} in {queue}, {} with an error in {crashes}",
                    self.crashes
                )
            }
        };
        if self.same > 0 {
            text += &format!(
                "; input that is there already: {}",
                counted(self.same, "test")
            );
        }
        if self.without > 0 {
            let why = "without a symbolic file or standard input";
            text += &format!("; {} {why}", counted(self.without, "test"));
        }
        if self.parts > 0 {
            let why = "of a test with arguments or other files, too (--to has all)";
            text += &format!("; {} {why}", counted(self.parts, "input"));
        }
        text
    }
}

/// The content of the file that a test's program reads.
pub fn input(test: &TestCase, info: Option<&RunInfo>) -> Option<Vec<u8>> {
    let has = |name: &str| test.objects.iter().any(|(n, _)| n == name);
    if has("A_data") {
        let file = test.files.iter().find(|f| f.path == "A")?;
        return Some(file.bytes.clone());
    }
    if let Some(parameter) = info.and_then(|i| i.parameter.as_ref()) {
        return parameter.bytes(&test.objects);
    }
    let is_java = info.is_some_and(|i| i.mode == "java");
    let bytes = test.stdin.as_deref();
    if has("stdin") {
        // An empty one may stand for none.
        return Some(bytes.map_or_else(Vec::new, <[u8]>::to_vec));
    }
    bytes.filter(|_| is_java).map(<[u8]>::to_vec)
}

/// Has the test input beside the one file?
fn has_more(test: &TestCase) -> bool {
    let is_attribute = |name: &str| name.ends_with("_stat") || name == "model_version";
    let mut names: Vec<&str> = test.objects.iter().map(|(name, _)| &name[..]).collect();
    names.retain(|name| !is_attribute(name) && !name.starts_with("n_args"));
    let is_stream = |name: &&str| ["A_data", "stdin"].contains(name);
    let is_argument = |name: &&str| name.starts_with("arg");
    let streams = names
        .iter()
        .filter(|n| is_stream(n) || n.ends_with("_data") && **n != "A_data");
    streams.count() > 1 || names.iter().any(is_argument)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let made = fs::File::create_new(path);
    made.and_then(|mut file| io::Write::write_all(&mut file, bytes))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Kind and place of an error, as a part of a file's name.
fn place(error: &ErrorRecord) -> String {
    let file = Path::new(&error.file).file_name().unwrap_or_default();
    let file: String = file
        .to_string_lossy()
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let kind = error.kind.id();
    match &file[..] {
        "" => format!("{kind}-{}", error.line),
        file => format!("{kind}-{file}-{}", error.line),
    }
}

/// A name by which AFL++ knows an input.
pub fn afl_name(number: usize, test: &TestCase, error: Option<&ErrorRecord>) -> String {
    let mut name = format!("id:{number:06}");
    if let Some(error) = error {
        // SIGABRT, SIGFPE and SIGSEGV.
        let signal = match error.kind {
            ErrorKind::Assert | ErrorKind::Abort | ErrorKind::UncaughtException => 6,
            ErrorKind::DivZero => 8,
            _ => 11,
        };
        name += &format!(",sig:{signal:02}");
    }
    name += &format!(
        ",time:{},execs:0,orig:{}",
        (test.time_s * 1000.0) as u64,
        test_name(test.id)
    );
    if error.is_none() && test.covered_new {
        name += ",+cov";
    }
    name
}

/// The inputs of a minimal corpus: by the places that each of these passes and its length, the numbers of those that together pass all,
/// in the order in which they are chosen. The next one passes most that none before it passes; of several the shortest is taken.
pub fn minimal(inputs: &[(BTreeSet<u32>, usize)]) -> Vec<usize> {
    let mut left: BTreeSet<u32> = inputs
        .iter()
        .flat_map(|(places, _)| places)
        .copied()
        .collect();
    let mut chosen = Vec::new();
    // What an input adds never grows, so one whose last known number is too small need not be counted again.
    let mut known: BTreeMap<(usize, std::cmp::Reverse<usize>, std::cmp::Reverse<usize>), usize> =
        inputs
            .iter()
            .enumerate()
            .map(|(i, (places, length))| {
                (
                    (
                        places.len(),
                        std::cmp::Reverse(*length),
                        std::cmp::Reverse(i),
                    ),
                    i,
                )
            })
            .collect();
    while !left.is_empty()
        && let Some(((_, length, order), i)) = known.pop_last()
    {
        let adds = inputs[i].0.intersection(&left).count();
        let is_best = known
            .last_key_value()
            .is_none_or(|(next, _)| (adds, length, order) > *next);
        if adds > 0 && is_best {
            left.retain(|place| !inputs[i].0.contains(place));
            chosen.push(i);
        } else if adds > 0 {
            known.insert((adds, length, order), i);
        }
    }
    chosen
}

/// Tokens with which programs compare their input.
#[derive(Default)]
pub struct Dictionary(BTreeSet<Vec<u8>>);

impl Dictionary {
    /// Adds those of a test: neighbouring bytes of its objects, each of which it compares with a constant and finds equal.
    pub fn add(&mut self, test: &TestCase, fixed: &BTreeMap<String, BTreeSet<usize>>) {
        for (name, bytes) in &test.objects {
            let Some(fixed) = fixed.get(name).filter(|_| !name.ends_with("_stat")) else {
                continue;
            };
            let mut token = Vec::new();
            for (at, &byte) in bytes.iter().enumerate() {
                if fixed.contains(&at) {
                    token.push(byte);
                } else {
                    self.keep(std::mem::take(&mut token));
                }
            }
            self.keep(token);
        }
    }

    fn keep(&mut self, token: Vec<u8>) {
        let is_told = token.iter().any(|&b| b != 0);
        if TOKEN.contains(&token.len()) && is_told && self.0.len() < TOKENS {
            self.0.insert(token);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The file that AFL++ (`-x`) and libFuzzer (`-dict`) read.
    pub fn text(&self) -> String {
        let mut text =
            String::from("# Tokens that the program compares its input with, found by Polypath.\n");
        for token in &self.0 {
            text.push('"');
            for &byte in token {
                match byte {
                    b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                    b' '..=b'~' => text.push(char::from(byte)),
                    _ => text += &format!("\\x{byte:02X}"),
                }
            }
            text += "\"\n";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all subsets: nothing is left out, no chosen input is for nothing, and the greedy choice is within its known bound.
    #[test]
    fn a_minimal_corpus_passes_all_that_the_whole_one_passes() {
        let mut random = testkit::Random::new(7);
        for _ in 0..300 {
            let inputs: Vec<(BTreeSet<u32>, usize)> = (0..1 + random.below(8))
                .map(|_| {
                    let places = (0..random.below(7))
                        .map(|_| random.below(10) as u32)
                        .collect();
                    (places, random.below(5) as usize)
                })
                .collect();
            let all: BTreeSet<u32> = inputs.iter().flat_map(|(p, _)| p.clone()).collect();
            let passed = |chosen: &[usize]| -> BTreeSet<u32> {
                chosen.iter().flat_map(|&i| inputs[i].0.clone()).collect()
            };
            let chosen = minimal(&inputs);
            assert_eq!(passed(&chosen), all, "{inputs:?}");
            let mut before = BTreeSet::new();
            for &i in &chosen {
                let adds = |i: usize| inputs[i].0.difference(&before).count();
                let most = (0..inputs.len()).map(adds).max();
                assert_eq!(Some(adds(i)), most, "{inputs:?} {chosen:?}");
                let shorter = (0..inputs.len()).filter(|&j| Some(adds(j)) == most);
                assert!(shorter.map(|j| inputs[j].1).all(|l| l >= inputs[i].1));
                before.extend(inputs[i].0.iter().copied());
            }
        }
    }

    #[test]
    fn a_dictionary_has_what_neighbouring_bytes_are_compared_with() {
        let test = TestCase {
            objects: vec![
                ("A_data".into(), b"GIF\"\x01z\0\0".to_vec()),
                ("A_data_stat".into(), vec![7; 4]),
            ],
            ..TestCase::default()
        };
        let fixed = |name: &str, at: &[usize]| (name.to_string(), at.iter().copied().collect());
        let mut dictionary = Dictionary::default();
        dictionary.add(&test, &[fixed("A_data", &[0, 1, 2, 3, 4, 6, 7])].into());
        dictionary.add(
            &test,
            &[fixed("A_data", &[5]), fixed("A_data_stat", &[0, 1, 2])].into(),
        );
        let text = dictionary.text();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines, ["\"GIF\\\"\\x01\""]);
    }
}
