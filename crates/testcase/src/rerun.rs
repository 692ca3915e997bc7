//! What a user does with a test: its input as a command or as text, to be pasted into a shell, and the command that replays it.
//!
//! A command does natively what the test did in the run. Short input stands in it as text; longer input is taken from the test's
//! files, if it has files. A test that a shell cannot start (of a method of Java, say) has its input as text only.

use crate::java::Method;
use crate::model::{FileSpec, TestCase, test_name};
use crate::testdir::is_inside;
use crate::{bytes, shell};
use std::path::PathBuf;

/// Bytes of standard input, or of all files, that a command has as text, at most.
const INLINE: usize = 300;
/// Files that a command writes one by one.
const FILES: usize = 4;
/// Objects that are listed, and bytes of each.
const OBJECTS: usize = 8;
const OBJECT_BYTES: usize = 64;
/// The environment of programs, if the user asks for no other one: what a shell has does no harm beside it.
const USUAL: &[u8] = b"LC_ALL=C";
/// The bits of a mode that are a file's type.
const FILE_TYPE: u32 = 0o170_000;

/// How the programs of a run's tests are started outside of Polypath.
#[derive(Clone, Debug, Default)]
pub enum Start {
    /// A native binary.
    Binary {
        /// The file, absolute.
        file: PathBuf,
        /// The same as the user named it, if that means this file here.
        named: Option<PathBuf>,
    },
    /// A source, which has to be compiled first.
    Source {
        /// `cc` or `c++`.
        command: &'static str,
        /// The flags for the compiler.
        flags: Vec<String>,
        /// The source, as the flags relative to the directory where the command is to run.
        file: PathBuf,
        /// Where that is, if it is not here.
        directory: Option<PathBuf>,
    },
    /// A Java program with a method main.
    Main {
        /// Its classes, absolute.
        class_path: Vec<PathBuf>,
        /// The class of the method.
        class: String,
    },
    /// Any other method of Java.
    Method(Box<Method>),
    /// By Polypath only.
    #[default]
    Unknown,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Rerun {
    /// How its program is started.
    pub start: Start,
    /// The directory of the tests, absolute.
    pub tests: PathBuf,
}

/// Steps of a command, each of which has to succeed before the next one.
#[derive(Default)]
struct Steps {
    list: Vec<String>,
    /// They change the directory or a variable, which must not be the caller's.
    is_aside: bool,
}

impl Steps {
    fn add(&mut self, step: String) {
        self.list.push(step);
    }

    /// From here on in a directory of its own.
    fn enter_new(&mut self) {
        if !std::mem::replace(&mut self.is_aside, true) {
            self.add("cd \"$(mktemp -d)\"".into());
        }
    }

    fn command(self) -> String {
        let command = self.list.join(" && ");
        if self.is_aside {
            format!("({command})")
        } else {
            command
        }
    }
}

impl Rerun {
    /// All lines about a test: its input, and the command that replays it.
    pub fn lines(&self, test: &TestCase) -> Vec<String> {
        let mut lines = self.input(test);
        lines.push(self.replay(test));
        lines
    }

    /// The command that replays exactly this test.
    pub fn replay(&self, test: &TestCase) -> String {
        let name = test_name(test.id);
        let path = self.tests.join(name);
        let path = shell::word(path.as_os_str().as_encoded_bytes());
        format!("polypath replay {path}")
    }

    /// The input of a test: a command that runs the program on it, behind what a shell takes for comments, which is about objects.
    pub fn input(&self, test: &TestCase) -> Vec<String> {
        let mut lines = Vec::new();
        let own = own_objects(test);
        for (name, bytes) in own.iter().take(OBJECTS) {
            lines.push(format!("# {name} = {}", shown(bytes, OBJECT_BYTES)));
        }
        if let more @ 1.. = own.len().saturating_sub(OBJECTS) {
            lines.push(format!("# and {more} more objects"));
        }
        lines.extend(self.command(test));
        lines
    }

    /// A command or an expression that has the test's input. `None` if there is none that does not need Polypath.
    pub fn command(&self, test: &TestCase) -> Option<String> {
        match &self.start {
            Start::Binary { file, named } => {
                let mut steps = Steps::default();
                self.put_files(test, &mut steps)?;
                let named = named.as_ref().filter(|_| !steps.is_aside);
                let program = named.unwrap_or(file).as_os_str().as_encoded_bytes();
                let program = if program.contains(&b'/') {
                    program.to_vec()
                } else {
                    [b"./", program].concat()
                };
                self.run(test, program, &mut steps)?;
                Some(steps.command())
            }
            Start::Source {
                command,
                flags,
                file,
                directory,
            } => {
                let mut steps = Steps::default();
                if let Some(directory) = directory {
                    let directory = directory.as_os_str().as_encoded_bytes();
                    steps.add(format!("cd {}", shell::word(directory)));
                }
                steps.is_aside = true;
                steps.add("d=$(mktemp -d)".into());
                let mut words = vec![b"polypath".to_vec(), command.as_bytes().to_vec()];
                words.extend(flags.iter().map(|f| f.as_bytes().to_vec()));
                words.push(file.as_os_str().as_encoded_bytes().to_vec());
                let compile = shell::command(&words);
                steps.add(format!("{compile} -o \"$d/program\""));
                steps.add("cd \"$d\"".into());
                self.put_files(test, &mut steps)?;
                self.run(test, b"./program".to_vec(), &mut steps)?;
                Some(steps.command())
            }
            Start::Main { class_path, class } => self.main(test, class_path, class),
            Start::Method(method) => method.expression(test),
            Start::Unknown => None,
        }
    }

    /// Puts the files of a test into a new directory. `None` if a command cannot do that.
    fn put_files(&self, test: &TestCase, steps: &mut Steps) -> Option<()> {
        if test.files.is_empty() {
            return Some(());
        }
        let is_regular = |f: &FileSpec| matches!(f.mode & FILE_TYPE, 0 | 0o100_000);
        if !test
            .files
            .iter()
            .all(|f| is_regular(f) && is_inside(&f.path))
        {
            return None;
        }
        steps.enter_new();
        let bytes: usize = test.files.iter().map(|f| f.bytes.len()).sum();
        let is_flat = test.files.iter().all(|f| !f.path.contains('/'));
        if test.files.len() > FILES || bytes > INLINE || !is_flat {
            let stored = self.stored(test)?.join("files");
            // Names that are no plain paths stand there under others.
            if !test.files.iter().all(|f| stored.join(&f.path).is_file()) {
                return None;
            }
            let stored = shell::word(stored.as_os_str().as_encoded_bytes());
            steps.add(format!("cp -r {stored}/. ."));
        } else {
            for f in &test.files {
                let (write, name) = (shell::printf(&f.bytes), shell::word(f.path.as_bytes()));
                steps.add(format!("{write} >./{name}"));
            }
        }
        for f in &test.files {
            let mode = f.mode & 0o7777;
            // What the owner may read and write is as the program needs it.
            if f.mode != 0 && mode & 0o600 != 0o600 {
                steps.add(format!(
                    "chmod {mode:o} ./{}",
                    shell::word(f.path.as_bytes())
                ));
            }
        }
        Some(())
    }

    /// Runs a native program on the input of a test.
    fn run(&self, test: &TestCase, program: Vec<u8>, steps: &mut Steps) -> Option<()> {
        let mut words = vec![program];
        words.extend(test.args.iter().skip(1).cloned());
        let mut variables = Vec::new();
        if !own_objects(test).is_empty() {
            let objects = self.stored(test)?.with_extension("ktest");
            let objects = objects.as_os_str().as_encoded_bytes();
            variables.push([b"KTEST_FILE=", objects].concat());
        }
        if test.env.iter().any(|v| v != USUAL) {
            variables = [vec![b"-i".to_vec()], test.env.clone(), variables].concat();
        }
        if !variables.is_empty() {
            let before = [vec![b"env".to_vec()], variables];
            words = [before.concat(), words].concat();
        }
        steps.add(self.with_input(test, &shell::command(&words))?);
        Some(())
    }

    /// A command with the standard input of a test.
    fn with_input(&self, test: &TestCase, command: &str) -> Option<String> {
        let bytes = test.stdin.as_deref().unwrap_or_default();
        if bytes.is_empty() {
            return Some(format!("{command} </dev/null"));
        }
        if bytes.len() <= INLINE {
            return Some(format!("{} | {command}", shell::printf(bytes)));
        }
        let path = self.stored(test)?.join("stdin");
        let path = shell::word(path.as_os_str().as_encoded_bytes());
        Some(format!("{command} <{path}"))
    }

    /// A Java program on the input of a test.
    fn main(&self, test: &TestCase, class_path: &[PathBuf], class: &str) -> Option<String> {
        if !own_objects(test).is_empty() {
            return None;
        }
        let list: Vec<&str> = class_path
            .iter()
            .map(|p| p.to_str())
            .collect::<Option<_>>()?;
        let mut words: Vec<Vec<u8>> = ["java", "-ea", "-cp", &list.join(":"), class]
            .iter()
            .map(|w| w.as_bytes().to_vec())
            .collect();
        let arguments = std::str::from_utf8(test.args.get(1)?).ok()?;
        words.extend(
            crate::java::strings(arguments)?
                .into_iter()
                .map(String::into_bytes),
        );
        let mut steps = Steps::default();
        let files = test
            .objects
            .iter()
            .filter(|(name, _)| matches!(name.as_bytes(), [b'A'..=b'Z']));
        for (i, (name, bytes)) in files.enumerate() {
            if i == 0 {
                steps.enter_new();
            }
            if bytes.len() > INLINE {
                return None;
            }
            steps.add(format!("{} >{name}", shell::printf(bytes)));
        }
        steps.add(self.with_input(test, &shell::command(&words))?);
        Some(steps.command())
    }

    /// The directory of a test that is written as files.
    fn stored(&self, test: &TestCase) -> Option<PathBuf> {
        let path = self.tests.join(test_name(test.id));
        path.is_dir().then_some(path)
    }
}

/// The objects that the program makes itself.
fn own_objects(test: &TestCase) -> &[(String, Vec<u8>)] {
    &test.objects[(test.input_objects as usize).min(test.objects.len())..]
}

/// Bytes as a reader wants to see them: an integer where they may be one, and text.
fn shown(bytes: &[u8], limit: usize) -> String {
    let text = bytes[..bytes.len().min(limit)].escape_ascii();
    let more = match bytes.len().saturating_sub(limit) {
        0 => String::new(),
        more => format!("… and {more} more bytes"),
    };
    match bytes::integers(bytes) {
        Some((number, _)) => format!("{number} (\"{text}\")"),
        None => format!("\"{text}\"{more}"),
    }
}
