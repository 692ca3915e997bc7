//! A finding: the test of a path, and the error with which it ended. It can be sent to another process.

use crate::contract::{self, Doubt};
use crate::plan::Tests;
use crate::raw_input::{FittedInput, fitted};
use explore::{
    Bound, Ended, Ending, InDoubt, Keep, ObjectEnd, Output, PathEnd, PathInput, PathOutcome,
    StackEntry, Totals,
};
use harness::{Invented, RawInput};
use linux::{Start, WorldConfig};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use testcase::pack::PlainTest;
use testcase::{ByteRanges, ErrorRecord, ExitKind, Expected, FileSpec, StackFrame, TestCase};
use vocab::ErrorKind;

/// See the module. Many wait to be written, and few show something new: large and rare parts are behind a pointer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The test, if the path gets one; without a number.
    pub test: Option<Box<TestCase>>,
    /// The test of a path that shows nothing new, in place of `test`.
    plain: Option<PlainTest>,
    /// The bytes that decided it: a test that is sent does not contain them.
    relevant: Vec<ByteRanges>,
    /// The error, if the path ended in one.
    pub error: Option<Box<ErrorRecord>>,
    /// An error that no earlier path of the same worker has shown.
    pub is_new: bool,
    /// It was the first path to cover something.
    pub covered_new: bool,
    /// The symbolic objects on whose content the error depends, if a driver made it up; for its own worker only.
    #[serde(skip)]
    depends_on: Vec<String>,
    /// The exploration comes to this path later, or to another one that shows the same.
    pub is_provisional: bool,
    /// Its path was run ahead of the exploration, which is still to count it.
    pub is_ahead: bool,
}

impl Finding {
    /// Is there nothing to write?
    pub fn is_nothing(&self) -> bool {
        self.test.is_none() && self.plain.is_none() && self.error.is_none()
    }

    /// Has it shown something that no earlier path of the same worker did?
    pub fn is_news(&self) -> bool {
        self.is_new || self.covered_new
    }

    /// Does it show an error of the program that was not known?
    pub fn shows_new_error(&self) -> bool {
        let kind = self.error.as_ref().map(|e| e.kind);
        self.is_new && kind.is_some_and(ErrorKind::is_program_error)
    }

    /// The doubt about an error that was not known, if it depends on what a driver made up.
    pub fn doubt(&self) -> Option<InDoubt> {
        let error = self.error.as_ref().filter(|_| self.is_new);
        let made_up = self.depends_on.clone();
        error?.precondition.as_ref().map(|_| InDoubt { made_up })
    }

    /// The same, to be sent: a test that shows nothing new need not be unpacked.
    pub fn packed(mut self) -> Finding {
        if !self.is_news() && self.error.is_none() {
            self.plain = self.test.take().map(|test| PlainTest::of(*test));
        }
        self
    }

    /// Bytes that it takes in a queue, about. The overhead of the allocator and of a queue that grows is as much as a
    /// small finding.
    pub fn size(&self) -> usize {
        let plain = self.plain.as_ref().map_or(0, PlainTest::size);
        let error = self.error.as_ref().map_or(0, |_| size_of::<ErrorRecord>());
        2 * (size_of::<Finding>() + plain) + error + self.test.as_ref().map_or(0, |t| size(t))
    }

    /// The test that shows nothing new.
    pub fn take_plain(&mut self) -> Option<PlainTest> {
        self.plain.take()
    }

    /// The test under its number.
    pub fn take_test(&mut self, id: u32) -> Option<TestCase> {
        let mut test = *self.test.take()?;
        test.id = id;
        test.relevant = std::mem::take(&mut self.relevant);
        Some(test)
    }
}

/// Bytes that a test takes, about.
fn size(test: &TestCase) -> usize {
    let objects = test.objects.iter();
    let objects: usize = objects.map(|(name, bytes)| name.len() + bytes.len()).sum();
    let files = test.files.iter();
    let files: usize = files.map(|f| f.path.len() + f.bytes.len()).sum();
    let output = test.expected.stdout.len() + test.expected.stderr.len();
    size_of::<TestCase>() + objects + files + output + 8 * test.prefix.len()
}

/// The inputs of a language's programs, for tests.
pub trait Given {
    /// The inputs of the program on this path: objects, arguments, files, standard input and environment of the test.
    fn test(&self, path: &PathEnd, input: &PathInput) -> TestCase;
    /// The objects that decided a path, in words.
    fn decided_by(&self, objects: &[ObjectEnd]) -> Vec<String>;
    /// The condition on what the driver made up, if the path's error may depend on it.
    fn doubt(&self, _: &PathEnd, _: &[StackFrame]) -> Option<Doubt> {
        None
    }
    /// The path of the source of a call, if the call does not say it.
    fn source(&mut self, _: &StackEntry) -> Option<String> {
        None
    }
    /// Adds the counts that only this language has to `stats.json`.
    fn count(&self, _: &Totals, _: &mut BTreeMap<String, serde_json::Value>) {}
    /// The limits of the claim that only this language has, among those that were met: subject and number.
    fn limits(&self, _: &BTreeMap<Bound, BTreeMap<String, u64>>) -> BTreeMap<Bound, String> {
        BTreeMap::new()
    }
    /// What the driver of a function made up.
    fn invented(&self) -> Invented {
        Invented::default()
    }
    /// A file's bytes as an input of the program, if it takes such.
    fn input_of(&self, _: &[u8]) -> Option<FittedInput> {
        None
    }
}

/// What programs in tests are given that have no input.
#[cfg(test)]
pub struct Nothing;

#[cfg(test)]
impl Given for Nothing {
    fn test(&self, _: &PathEnd, _: &PathInput) -> TestCase {
        TestCase::default()
    }

    fn decided_by(&self, _: &[ObjectEnd]) -> Vec<String> {
        Vec::new()
    }
}

/// Makes findings of the ends of paths.
pub struct Cases {
    /// Which paths get a test.
    pub tests: Tests,
    pub given: Box<dyn Given>,
}

impl Cases {
    /// Does a path that ends so get a test?
    pub fn wants(&self, end: Ended) -> bool {
        let new = end.covered_new || end.is_new;
        match (self.tests, end.ending.keep()) {
            // Without it nobody could say what happened.
            _ if end.ending == Ending::Internal => true,
            (Tests::None, _) | (_, Keep::Never) => false,
            (Tests::Errors, _) => end.is_new,
            (Tests::Live, Keep::New) if ends_with_run(end.ending) => true,
            (Tests::All | Tests::Live, Keep::Always) => true,
            (Tests::New, _) | (Tests::All | Tests::Live, Keep::New) => new,
        }
    }

    /// The finding of a path that ended after so many seconds.
    pub fn finding(&mut self, mut path: PathEnd, time_s: f64) -> Finding {
        let mut error = self.error_record(&mut path);
        let mut depends_on = Vec::new();
        if let (true, Some(e)) = (path.is_new, &mut error) {
            e.input = self.given.decided_by(&path.objects);
            let doubt = self.given.doubt(&path, &e.stack);
            e.made_up = doubt.as_ref().and_then(|d| d.made_up.clone());
            if let Some(doubt) = doubt {
                e.precondition = Some(doubt.precondition);
                depends_on = doubt.objects;
            }
        }
        let relevant = if path.has_news() {
            path.objects.iter().map(relevant).collect()
        } else {
            Vec::new()
        };
        let (is_new, covered_new) = (path.is_new, path.covered_new);
        let is_ahead = path.is_ahead;
        let test = path.input.take().map(|input| {
            let given = self.given.test(&path, &input);
            Box::new(TestCase {
                input_objects: input.input_objects,
                expected: expected(&path.outcome, input.output, (input.hash, input.unsteady)),
                prefix: input.prefix,
                error: error.clone(),
                covered_new,
                time_s,
                instructions: path.instructions,
                objects: (path.objects.into_iter())
                    .map(|o| (o.name, o.bytes))
                    .collect(),
                ..given
            })
        });
        Finding {
            test,
            plain: None,
            relevant,
            error: error.map(Box::new),
            is_new,
            covered_new,
            depends_on,
            is_provisional: false,
            is_ahead,
        }
    }

    /// Says where the sources of its calls lie: who found it may be on another machine, which has none.
    pub fn place(&mut self, finding: &mut Finding) {
        let of_test = finding.test.as_mut().and_then(|test| test.error.as_mut());
        for error in finding.error.as_deref_mut().into_iter().chain(of_test) {
            for frame in error.stack.iter_mut().chain(&mut error.inside) {
                let file = Path::new(&frame.file).file_name().unwrap_or_default();
                let call = StackEntry {
                    file: file.to_string_lossy().into_owned(),
                    function: frame.function.clone(),
                    line: frame.line,
                    column: frame.column,
                    library: frame.library,
                    times: frame.times,
                };
                if let Some(path) = self.given.source(&call) {
                    frame.file = path;
                }
            }
            if let Some(first) = error.stack.first() {
                error.file.clone_from(&first.file);
            }
        }
    }

    /// The error with which a path ended; takes its stack.
    fn error_record(&mut self, path: &mut PathEnd) -> Option<ErrorRecord> {
        let kind = path.outcome.error()?;
        let message = match &path.outcome {
            PathOutcome::Error(e) => e.message.clone(),
            PathOutcome::Thrown(t) => testcase::java::thrown(&t.class, &t.message),
            _ => return None,
        };
        let stack = path.stack.take().unwrap_or_default();
        let mut frames = |entries: Vec<StackEntry>| -> Vec<testcase::StackFrame> {
            let frame = |f: StackEntry| testcase::StackFrame {
                file: self.given.source(&f).unwrap_or(f.file),
                function: f.function,
                line: f.line,
                column: f.column,
                library: f.library,
                times: f.times,
            };
            entries.into_iter().map(frame).collect()
        };
        let (stack_frames, inside) = (frames(stack.frames), frames(stack.inside));
        let at = stack_frames.first().cloned().unwrap_or_default();
        Some(ErrorRecord {
            kind,
            message,
            file: at.file,
            line: at.line,
            column: at.column,
            function: at.function,
            stack: stack_frames,
            inside,
            ..ErrorRecord::default()
        })
    }
}

/// Was such a path alive when the run ended, or cut since it ran ahead for too long?
fn ends_with_run(ending: Ending) -> bool {
    matches!(
        ending,
        Ending::Time | Ending::Interrupted | Ending::NoForks | Ending::Instructions
    )
}

/// The result that a replay is to observe of a path that ended so.
///
/// `hash` and `unsteady` are those of its [`PathInput`].
fn expected(
    outcome: &PathOutcome,
    output: Output,
    (hash, unsteady): (Option<u64>, Vec<String>),
) -> Expected {
    let Output { stdout, mut stderr } = output;
    let exit = match outcome {
        PathOutcome::Exit(status) => ExitKind::Status(*status),
        PathOutcome::Returned(value) => {
            stderr = format!("returned {value}").into_bytes();
            ExitKind::Status(0)
        }
        PathOutcome::Thrown(t) => {
            let what = testcase::java::thrown(&t.class, &t.message);
            let mut words = format!("threw {what}\n{}", t.nameable);
            if t.in_thread {
                words.push_str(testcase::java::IN_THREAD);
            }
            stderr = words.into_bytes();
            t.error.map_or(ExitKind::Status(1), ExitKind::Error)
        }
        PathOutcome::Error(e) => ExitKind::Error(e.kind),
        PathOutcome::Cut(ending) => ExitKind::Killed(ending.name().to_string()),
        PathOutcome::Internal(what) => ExitKind::Killed(format!("internal error: {what}")),
    };
    Expected {
        exit,
        stdout,
        stderr,
        path_hash: hash,
        unsteady,
    }
}

/// The inputs of C programs.
pub struct Starts {
    starts: Vec<Start>,
    config: WorldConfig,
    /// The files that a replay has to find in its working directory, if that is one of the host's and they are few.
    base: Vec<FileSpec>,
    /// What the driver of a function made up.
    pub invented: Invented,
    /// The parameter of a function that a file of bytes is given to.
    pub parameter: Option<RawInput>,
}

impl Starts {
    /// Of a program that begins so, in this world. Problems are reported by `say`.
    pub fn new(starts: Vec<Start>, config: WorldConfig, say: &mut dyn FnMut(&str)) -> Starts {
        let base = shown_files(&config).unwrap_or_else(|why| {
            say(&format!(
                "{}: {why}: tests do not carry these files, and a replay takes them from there",
                config.cwd
            ));
            Vec::new()
        });
        Starts {
            starts,
            config,
            base,
            invented: Invented::default(),
            parameter: None,
        }
    }
}

impl Given for Starts {
    fn input_of(&self, bytes: &[u8]) -> Option<FittedInput> {
        fitted(&self.starts, self.parameter.as_ref(), bytes)
    }

    fn test(&self, path: &PathEnd, _: &PathInput) -> TestCase {
        let start = &self.starts[path.start as usize];
        let given = path.objects.iter().take(start.objects.len());
        let values: Vec<Vec<u8>> = given.map(|o| o.bytes.clone()).collect();
        let shot = start.snapshot(&self.config, &values);
        let mut args = vec![self.config.program.clone().into_bytes()];
        args.extend(shot.args);
        let files = shot.files.into_iter().map(|f| FileSpec {
            path: f.path,
            bytes: f.bytes,
            mode: f.mode,
            mtime: f.mtime,
            atime: f.atime,
        });
        let env = shot.env.into_iter();
        TestCase {
            args,
            stdin: Some(shot.stdin.bytes),
            files: self.base.iter().cloned().chain(files).collect(),
            env: env.map(|(k, v)| format!("{k}={v}").into_bytes()).collect(),
            ..TestCase::default()
        }
    }

    fn decided_by(&self, objects: &[ObjectEnd]) -> Vec<String> {
        decided_by(objects)
    }

    fn doubt(&self, path: &PathEnd, stack: &[StackFrame]) -> Option<Doubt> {
        contract::c::doubt(&self.invented, path, stack)
    }

    fn invented(&self) -> Invented {
        self.invented.clone()
    }
}

/// The bytes of a symbolic object on which its path's conditions depend.
fn relevant(o: &ObjectEnd) -> ByteRanges {
    ByteRanges::of(o.relevant.iter().copied())
}

/// The same of all objects, in words; a few are enough for a line.
fn decided_by(objects: &[ObjectEnd]) -> Vec<String> {
    const SHOWN: usize = 4;
    let of = |o: &ObjectEnd| format!("{}[{}]", o.name, relevant(o).brief());
    let named = objects.iter().filter(|o| !o.relevant.is_empty());
    let mut list: Vec<String> = named.map(of).collect();
    let more = list.len().saturating_sub(SHOWN);
    list.truncate(SHOWN);
    if more > 0 {
        list.push(format!("{more} more objects"));
    }
    list
}

/// The files of the working directory that `--fs` shows, for every test; none if it shows another
/// one.
///
/// # Errors
/// In words: they are too many to be written with each test, or cannot be read.
pub fn shown_files(config: &WorldConfig) -> Result<Vec<FileSpec>, String> {
    const FILES: usize = 100;
    const BYTES: u64 = 256 << 10;
    let root = Path::new(&config.cwd);
    let mut files = Vec::new();
    if !config.views.iter().any(|view| root.starts_with(&view.at)) {
        return Ok(files);
    }
    let mut open = vec![root.to_path_buf()];
    let mut bytes = 0;
    while let Some(dir) = open.pop() {
        let entries = std::fs::read_dir(&dir).map_err(|e| e.to_string())?;
        for entry in entries {
            let path = entry.map_err(|e| e.to_string())?.path();
            let meta = path.symlink_metadata().map_err(|e| e.to_string())?;
            let content = if meta.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if meta.is_symlink() {
                let target = std::fs::read_link(&path).map_err(|e| e.to_string())?;
                target.into_os_string().into_encoded_bytes()
            } else if meta.is_file() {
                bytes += meta.len();
                if bytes > BYTES {
                    return Err(format!("more than {BYTES} bytes"));
                }
                std::fs::read(&path).map_err(|e| e.to_string())?
            } else {
                continue;
            };
            if files.len() == FILES {
                return Err(format!("more than {FILES} files"));
            }
            let name = path.strip_prefix(root).unwrap_or(&path);
            files.push(FileSpec {
                path: name.to_string_lossy().into_owned(),
                bytes: content,
                mode: meta.mode(),
                mtime: meta.mtime(),
                atime: meta.atime(),
            });
        }
    }
    Ok(files)
}
