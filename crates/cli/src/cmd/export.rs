//! `polypath export DIR [TEST]... --to DIR`, and the forms of other tools.

use crate::exit::{Exit, UsageError};
use anyhow::{Context, bail};
use run::follow::Follower;
use run::frontend;
use run::plan::Plan;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testcase::corpus::{self, CorpusForm, CorpusWriter, Dictionary};
use testcase::{Bug, Located, Run, TestCase, bug, ctest, read, test_name, testdir};
use vocab::counted;

/// Tests whose inputs run in one machine, until its terms are given back.
const TOGETHER: usize = 200;

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("form").required(true).multiple(true))]
pub struct Args {
    /// The output directory of a run, and tests of it by name or number; without one, all its tests. Or tests by their
    /// paths
    #[arg(required = true, value_name = "DIR [TEST]")]
    what: Vec<PathBuf>,
    /// Write each test as a directory of raw files, with a .ktest beside it, as in DIR/tests. The directory is made; a
    /// test of the same name there is an error
    #[arg(long, value_name = "OUT", group = "form")]
    to: Option<PathBuf>,
    /// Write the file that the program reads: of each test without an error in OUT/corpus, of the others in OUT/crashes by kind and place
    #[arg(long, value_name = "OUT", group = "form")]
    raw: Option<PathBuf>,
    /// The same as AFL++ has it: OUT/default/queue and OUT/default/crashes
    #[arg(long, value_name = "OUT", group = "form")]
    afl: Option<PathBuf>,
    /// Write OUT/testNNNNNN.ktest, in KLEE's format
    #[arg(long, value_name = "OUT", group = "form")]
    ktest: Option<PathBuf>,
    /// Copy the tests as C source of a run with --write-tests c, which CTest runs without Polypath
    #[arg(long, value_name = "OUT", group = "form")]
    c: Option<PathBuf>,
    /// Write the tokens with which the program compares its input, as a dictionary of AFL++ and libFuzzer
    #[arg(long, value_name = "FILE", group = "form")]
    dict: Option<PathBuf>,
    /// Of all tests, only those that covered something new or ended in an error
    #[arg(long)]
    new: bool,
    /// Of these, only as many as are needed to cover what all of them cover, and one for each bug
    #[arg(long)]
    minimal: bool,
}

const EXAMPLES: &str = "\
Examples:
  polypath export polypath-last 24791 --to kept              a test that is in the pack, as files
  polypath export polypath-last --new --to kept              all tests that show something
  polypath export polypath-last --minimal --raw out          a corpus for libFuzzer, out/corpus, and crash files
  polypath export polypath-last --new --afl out --dict d     afl-fuzz -i out/default/queue -x d -o afl -- ./prog @@

The file that a program reads is A of --sym-files, else standard input, else the bytes of the function's parameter (--entry).";

/// The forms that were asked for.
struct Writers<'a> {
    to: Option<&'a Path>,
    corpora: Vec<CorpusWriter>,
    written: usize,
}

impl Writers<'_> {
    fn write(&mut self, test: &TestCase, run: Option<&Run>) -> anyhow::Result<()> {
        if let Some(to) = self.to {
            let path = to.join(test_name(test.id));
            if path.exists() {
                let why = format!("{}: there is a test of this name", path.display());
                return Err(UsageError(why).into());
            }
            testdir::store(to, test).with_context(|| format!("cannot write {}", path.display()))?;
        }
        for corpus in &mut self.corpora {
            corpus.add(test, run.and_then(|r| r.info.as_ref()))?;
        }
        self.written += 1;
        Ok(())
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let located = Located::all(&args.what)?;
    let names_tests = located.iter().any(|l| l.test.is_some());
    if args.minimal && names_tests {
        let why = "--minimal chooses among all tests of a run";
        return Err(UsageError(why.into()).into());
    }
    if (args.dict.is_some() || args.c.is_some()) && names_tests {
        let why = "--dict and --c are about all tests of a run";
        return Err(UsageError(why.into()).into());
    }
    if located.len() > 1 && !names_tests {
        let why = "the tests of several runs have the same names: one run at a time";
        return Err(UsageError(why.into()).into());
    }
    for out in [&args.raw, &args.afl, &args.ktest].into_iter().flatten() {
        let is_empty = |mut entries: std::fs::ReadDir| entries.next().is_none();
        if !std::fs::read_dir(out).map_or(true, is_empty) {
            let why = format!("{} is not empty", out.display());
            return Err(UsageError(why).into());
        }
    }
    let forms = [
        (&args.raw, CorpusForm::Raw),
        (&args.afl, CorpusForm::Afl),
        (&args.ktest, CorpusForm::Ktest),
    ];
    let named = forms
        .iter()
        .filter_map(|(dir, form)| dir.as_deref().map(|d| (d, *form)));
    let mut writers = Writers {
        to: args.to.as_deref(),
        corpora: named
            .map(|(dir, form)| CorpusWriter::create(dir, form))
            .collect::<anyhow::Result<_>>()?,
        written: 0,
    };
    if let Some(to) = writers.to {
        std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    }
    let mut problems = Vec::new();
    let mut dictionary = Dictionary::default();
    for of in &located {
        if of.test.is_some() {
            let test = of.read().map_err(|e| UsageError(format!("{e:#}")))?;
            let run = Run::without_tests(&of.run).ok();
            writers.write(&test.context("a test was named")?, run.as_ref())?;
        } else if !names_tests {
            let run = Run::without_tests(&of.run)?;
            let mut export = Export {
                args,
                run: &run,
                problems: &mut problems,
                dictionary: &mut dictionary,
            };
            export.all(&mut writers)?;
            if let Some(to) = &args.c {
                copy_c(&run, to)?;
            }
        }
    }
    for problem in &problems {
        say::err!("polypath: {problem}");
    }
    tell(args, &writers, &dictionary)?;
    Ok(if problems.is_empty() {
        Exit::Nothing
    } else {
        Exit::Failed
    })
}

fn tell(args: &Args, writers: &Writers<'_>, dictionary: &Dictionary) -> anyhow::Result<()> {
    if let Some(to) = writers.to {
        say::out!(
            "{} written to {}",
            counted(writers.written, "test"),
            to.display()
        );
    }
    for corpus in &writers.corpora {
        say::out!("{}", corpus.told());
    }
    if let Some(to) = &args.c {
        say::out!("tests as C written to {}", to.display());
    }
    if let Some(file) = &args.dict {
        std::fs::write(file, dictionary.text())
            .with_context(|| format!("cannot write {}", file.display()))?;
        say::out!(
            "{} written to {}",
            counted(dictionary.len(), "token"),
            file.display()
        );
    }
    Ok(())
}

/// All tests of a run.
struct Export<'a> {
    args: &'a Args,
    run: &'a Run,
    problems: &'a mut Vec<String>,
    dictionary: &'a mut Dictionary,
}

impl Export<'_> {
    fn all(&mut self, writers: &mut Writers<'_>) -> anyhow::Result<()> {
        let (is_minimal, run) = (self.args.minimal, self.run);
        let only_new = self.args.new || is_minimal;
        let (mut failed, mut telling) = (None, Vec::new());
        let follows = is_minimal || self.args.dict.is_some();
        read::each_test(&run.dir.join("tests"), self.problems, &mut |test| {
            let is_telling = test.covered_new || test.error.is_some();
            if !is_minimal && (is_telling || !only_new) && failed.is_none() {
                failed = writers.write(&test, Some(run)).err();
            }
            if follows && is_telling {
                telling.push(test);
            }
        })?;
        if let Some(e) = failed {
            return Err(e);
        }
        telling.sort_by_key(|test| test.id);
        let passed = if follows {
            self.follow(&telling)?
        } else {
            Vec::new()
        };
        if is_minimal {
            for test in self.minimal(&telling, passed) {
                writers.write(test, Some(run))?;
            }
        }
        Ok(())
    }

    /// The places that each of these tests passes. What it compares its input with goes into the dictionary.
    fn follow(&mut self, tests: &[TestCase]) -> anyhow::Result<Vec<BTreeSet<u32>>> {
        let info = self.run.info.as_ref();
        let info = info.context("the run has no record of its program (info.json)")?;
        let plan = Plan::of(info).map_err(anyhow::Error::msg)?;
        let program = match plan.c() {
            Ok(c) => &c.program,
            Err(_) => bail!(UsageError(
                "--minimal and --dict: only for programs in LLVM bitcode, not for Java".into()
            )),
        };
        // Relative names mean what they meant in the run.
        let here = std::env::current_dir()?;
        std::env::set_current_dir(&plan.directory)
            .with_context(|| format!("cannot enter {}", plan.directory.display()))?;
        let loaded = frontend::load(program, &mut |text| say::err!("polypath: {text}"));
        std::env::set_current_dir(&here)
            .with_context(|| format!("cannot enter {}", here.display()))?;
        let loaded = loaded?;
        if loaded.hash != info.ir_hash {
            bail!("{} has changed since the run", program.file.display());
        }
        let mut passed = Vec::new();
        let mut left_out = 0;
        for part in tests.chunks(TOGETHER) {
            let checks = memory::Checks::default();
            let follower = Follower::new(program, loaded.module.clone(), checks);
            let mut follower = follower.map_err(anyhow::Error::msg)?;
            for test in part {
                let followed = follower.follow(test);
                left_out += usize::from(followed.is_none());
                let places = followed.map_or_else(BTreeSet::new, |followed| {
                    self.dictionary.add(test, &followed.passed.fixed);
                    followed.passed.sites.into_iter().collect()
                });
                passed.push(places);
            }
        }
        if left_out > 0 {
            let why = "do not fit the program, and are left out";
            self.problems.push(format!("{left_out} tests {why}"));
        }
        Ok(passed)
    }

    /// Tests that pass what all of these pass, and one for each bug.
    fn minimal<'t>(&self, tests: &'t [TestCase], passed: Vec<BTreeSet<u32>>) -> Vec<&'t TestCase> {
        let length = |t: &TestCase| {
            let input = corpus::input(t, self.run.info.as_ref());
            input.map_or_else(|| t.objects.iter().map(|(_, b)| b.len()).sum(), |i| i.len())
        };
        let bugs = bug::bugs(&self.run.errors);
        let shown: BTreeSet<&str> = bugs.iter().map(|b: &Bug<'_>| &b.shown().test[..]).collect();
        let is_shown = |t: &TestCase| shown.contains(&test_name(t.id)[..]);
        let (shown, others): (Vec<_>, Vec<_>) =
            tests.iter().zip(passed).partition(|(t, _)| is_shown(t));
        let (failed, bare): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(t, _)| t.error.is_some());
        // A fuzzer begins with what does not crash; further tests that do add what only they and no bug's test pass.
        let mut covered = BTreeSet::new();
        let mut chosen: Vec<&TestCase> = Vec::new();
        for (part, known) in [(&bare, &Vec::new()), (&failed, &shown)] {
            covered.extend(known.iter().flat_map(|(_, places)| places).copied());
            let inputs: Vec<(BTreeSet<u32>, usize)> = part
                .iter()
                .map(|(t, places)| (places - &covered, length(t)))
                .collect();
            chosen.extend(corpus::minimal(&inputs).into_iter().map(|i| part[i].0));
            covered.extend(part.iter().flat_map(|(_, places)| places).copied());
        }
        chosen.extend(shown.iter().map(|(t, _)| *t));
        chosen
    }
}

/// Copies the tests as C of a run.
fn copy_c(run: &Run, to: &Path) -> anyhow::Result<()> {
    let from = run.dir.join(ctest::FOLDER);
    if !from.is_dir() {
        let why = "the run has no tests as C: polypath run --entry FUNCTION --write-tests c";
        return Err(UsageError(format!("{}: {why}", run.dir.display())).into());
    }
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in std::fs::read_dir(&from)? {
        let path = entry?.path();
        let name = path.file_name().context("a name in a directory")?;
        std::fs::copy(&path, to.join(name))
            .with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(())
}
