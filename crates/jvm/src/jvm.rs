//! The process in which the program runs: its start, and the messages to it.

use crate::kit::Kit;
use crate::lend::Borrowed;
use crate::lengths::Lengths;
use crate::wire::{self, Words};
use fence::{Fence, Launcher, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Options of a JVM: the program, and how it runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The JDK and our classes.
    pub kit: Kit,
    /// Directories and archives with the program's classes.
    pub class_path: Vec<PathBuf>,
    /// CLASS.METHOD or CLASS.METHOD(TYPES).
    pub entry: String,
    /// How long an array, a string or a collection is that is a parameter.
    pub lengths: Lengths,
    /// The most characters of a string that the program asks for; `None` for a dozen, which counts as a loss.
    pub string_length: Option<u32>,
    /// The entry point is the method main of a whole program, which gets this.
    pub main: Option<MainInput>,
    /// Heap of the JVM in MiB.
    pub heap_mb: u64,
    /// Wall-clock limit of one run.
    pub run_time: Duration,
    /// Whether each result is compared with its term.
    pub checks: bool,
    /// The file for the JVM's own messages.
    pub log: PathBuf,
    /// The fence between the program and the host.
    pub fence: Fencing,
    /// A JVM of the caller's to begin with.
    pub borrowed: Option<Borrowed>,
}

/// The input of a whole program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MainInput {
    /// Its arguments: `=TEXT` as it stands, or `MIN,MAX,LENGTH` for so many symbolic ones.
    pub arguments: Vec<String>,
    /// Symbolic bytes of standard input.
    pub stdin: Option<u32>,
    /// Files of input.
    pub files: Option<InputFiles>,
}

/// Files in the program's working directory, named A, B and so on, whose bytes are input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InputFiles {
    /// How many, at most 26.
    pub count: u32,
    /// The length of each, in bytes.
    pub length: u32,
}

/// The kind of fence between the program and the host.
#[derive(Clone, Debug)]
pub enum Fencing {
    /// Nothing, for programs of our own.
    Open,
    /// Crate `fence`, which this program sets up ([`fence::launch::MODE`]). Where there is no private `/tmp`, the program works below
    /// this directory, which is made.
    Fenced(PathBuf),
}

/// Why the program cannot be run.
#[derive(Debug)]
pub enum Failure {
    /// The entry point cannot be called, in words for the user.
    Refused(String),
    /// The JVM does not start or does not answer.
    Io(io::Error),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(why) => f.write_str(why),
            Failure::Io(error) => write!(f, "the JVM: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

/// The properties of the world that a program sees, here and when its tests are replayed.
pub const WORLD: [&str; 5] = [
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
    "-Duser.timezone=UTC",
    // Parallel streams work in the thread that they begin in, and what runs asynchronously gets a thread of its own: threads
    // that live longer than a run would know those of earlier ones.
    "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0",
];

/// How the process ends when a run takes longer than it may by the clock.
const HANGS: i32 = 86;

/// Whose process a JVM is.
enum JvmProcess {
    Own(host::child::Tied),
    Borrowed(Borrowed),
}

/// A JVM that is ready for runs.
pub(crate) struct Jvm {
    process: JvmProcess,
    /// Its fence, if it has one.
    pub fence: Option<Fence>,
    to: BufWriter<File>,
    pub records: Words<File>,
    /// The entry point with the types of its parameters.
    pub description: String,
    /// Facts about the entry point that a test in Java needs, by name.
    pub facts: BTreeMap<String, String>,
}

/// The command that starts the JVM, without its arguments.
fn command(options: &Options) -> io::Result<Command> {
    let java = options.kit.java();
    let Fencing::Fenced(place) = &options.fence else {
        return Ok(Command::new(java));
    };
    let paths = options.class_path.iter().filter(|p| p.exists());
    let mut needed: Vec<PathBuf> = paths.map(|p| p.canonicalize()).collect::<io::Result<_>>()?;
    needed.extend(options.kit.files());
    // The JDKs, which can lie in a user's home.
    needed.extend([java.canonicalize()?, options.kit.home()?]);
    let hidden = fence::homes();
    let needed = needed.iter().map(|path| path.canonicalize());
    let view = View {
        user: fence::USER,
        needed: needed.collect::<io::Result<_>>()?,
        hidden,
        writable: Vec::new(),
        place: std::path::absolute(place)?,
        // Those of files of input are set.
        sets_times: true,
        open: false,
    };
    let launcher = Launcher::this_program(fence::launch::MODE);
    let mut command = fence::launch::command(&launcher, &view)?;
    command.arg(java.canonicalize()?);
    Ok(command)
}

/// The command that starts the JVM of the driver, whose own messages go to the log. Standard input and output are still to be set.
pub(crate) fn driver(options: &Options) -> io::Result<Command> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(&options.log)?;
    let mut command = command(options)?;
    command
        .args([
            "-ea",
            "-Xss4m",
            "-XX:+UseSerialGC",
            "-XX:+DisplayVMOutputToStderr",
            // What it says of its own end belongs to its messages.
            "-XX:+ErrorFileToStderr",
            "-XX:-CreateCoredumpOnCrash",
        ])
        // Compiled code would leave traces out that errors are known by.
        .arg("-XX:-OmitStackTraceInFastThrow")
        // The user's locale and zone are no part of the program.
        .args(WORLD)
        .arg(format!("-Xmx{}m", options.heap_mb))
        .args(options.kit.options())
        .arg("polypath.driver.Main")
        .arg(options.kit.stand_ins())
        .arg(options.kit.originals())
        .arg(options.kit.home()?)
        // What the user's shell sets is no part of the program, and would stand in its tests.
        .env_clear()
        .envs(fence::inherit::JAVA_ENVIRONMENT.iter().copied())
        .stderr(log);
    Ok(command)
}

impl Jvm {
    /// Starts a JVM and loads the entry point's class. Its messages about classes meanwhile go to `meta`.
    pub fn start(options: &Options, meta: &mut dyn FnMut(&str)) -> Result<Jvm, Failure> {
        let mut command = driver(options)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = host::child::spawn(&mut command)?;
        let (stdin, mut stdout) = child.pipes()?;
        let fence = match options.fence {
            Fencing::Open => None,
            Fencing::Fenced(_) => Some(fence::launch::fence(&mut stdout)?),
        };
        child.adopt();
        let (to, from) = (OwnedFd::from(stdin).into(), OwnedFd::from(stdout).into());
        Jvm::ready(JvmProcess::Own(child), fence, (to, from), options, meta)
    }

    /// Loads the entry point's class in a JVM that another process has lent to this one.
    pub fn borrow(
        lent: Borrowed,
        options: &Options,
        meta: &mut dyn FnMut(&str),
    ) -> Result<Jvm, Failure> {
        let one = || lent.channel.try_clone().map(File::from);
        let (ends, fence) = ((one()?, one()?), lent.fence.clone());
        Jvm::ready(JvmProcess::Borrowed(lent), fence, ends, options, meta)
    }

    /// Is it one that another process has lent?
    pub fn is_borrowed(&self) -> bool {
        matches!(self.process, JvmProcess::Borrowed(_))
    }

    /// Of a JVM that reads and writes these.
    fn ready(
        process: JvmProcess,
        fence: Option<Fence>,
        (to, from): (File, File),
        options: &Options,
        meta: &mut dyn FnMut(&str),
    ) -> Result<Jvm, Failure> {
        let mut jvm = Jvm {
            process,
            fence,
            to: BufWriter::new(to),
            records: Words::new(from),
            description: String::new(),
            facts: BTreeMap::new(),
        };
        jvm.open(options)?;
        loop {
            match jvm.records.word()? & 255 {
                wire::META => meta(&jvm.records.text()?),
                wire::ANSWER => break,
                other => return Err(unknown(other).into()),
            }
        }
        let answer = jvm.records.text()?;
        match answer.split_once('\n') {
            Some(("ready", rest)) => {
                let mut lines = rest.lines();
                jvm.description = lines.next().unwrap_or_default().to_string();
                let facts = lines.filter_map(|line| line.split_once('\t'));
                jvm.facts = facts.map(|(k, v)| (k.into(), v.into())).collect();
                Ok(jvm)
            }
            Some(("refused", why)) => Err(Failure::Refused(why.to_string())),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, answer).into()),
        }
    }

    fn open(&mut self, options: &Options) -> io::Result<()> {
        let paths = &options.class_path;
        self.to.write_all(&(paths.len() as i32).to_be_bytes())?;
        for path in paths {
            // Behind the fence it begins in another directory, and links of /tmp are not there.
            let path = path.canonicalize().or_else(|_| std::path::absolute(path))?;
            self.utf(&path.display().to_string())?;
        }
        self.utf(&options.entry)?;
        let of = options.lengths;
        for length in [of.least, of.first, of.arrays, of.strings] {
            self.to.write_all(&(length as i32).to_be_bytes())?;
        }
        let text = options.string_length.map_or(-1, |n| n as i32);
        self.to.write_all(&text.to_be_bytes())?;
        self.to.write_all(&[u8::from(options.checks)])?;
        self.to.write_all(&[u8::from(options.main.is_some())])?;
        if let Some(main) = &options.main {
            let stdin = main.stdin.map_or(-1, |n| n as i32);
            self.to.write_all(&stdin.to_be_bytes())?;
            let (count, length) = main.files.as_ref().map_or((0, 0), |f| (f.count, f.length));
            self.to.write_all(&(count as i32).to_be_bytes())?;
            self.to.write_all(&(length as i32).to_be_bytes())?;
            self.to
                .write_all(&(main.arguments.len() as i32).to_be_bytes())?;
            for form in &main.arguments {
                self.utf(form)?;
            }
        }
        self.to.flush()
    }

    /// Begins a run: its records follow.
    pub fn run<'a>(
        &mut self,
        steps: u64,
        limit: Duration,
        objects: impl ExactSizeIterator<Item = (&'a str, Vec<u64>)>,
    ) -> io::Result<()> {
        let nanoseconds = i64::try_from(limit.as_nanos()).unwrap_or(i64::MAX);
        self.to.write_all(&steps.to_be_bytes())?;
        self.to.write_all(&nanoseconds.to_be_bytes())?;
        self.to.write_all(&(objects.len() as i32).to_be_bytes())?;
        for (name, values) in objects {
            self.utf(name)?;
            self.to.write_all(&(values.len() as i32).to_be_bytes())?;
            for value in values {
                self.to.write_all(&value.to_be_bytes())?;
            }
        }
        self.to.flush()
    }

    /// Java's form of a string: its length in two bytes, and the bytes.
    fn utf(&mut self, text: &str) -> io::Result<()> {
        let bytes = modified_utf8(text);
        let length = u16::try_from(bytes.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a name is too long"))?;
        self.to.write_all(&length.to_be_bytes())?;
        self.to.write_all(&bytes)
    }

    /// The processor time that it has taken for this process.
    pub fn time(&self) -> Duration {
        match &self.process {
            JvmProcess::Own(child) => child.time(),
            JvmProcess::Borrowed(lent) => lent.time(),
        }
    }

    /// Lets it finish its work, and end.
    ///
    /// # Errors
    /// It does not end by itself, or with an error.
    pub fn finish(self) -> io::Result<()> {
        let Jvm {
            process,
            to,
            mut records,
            ..
        } = self;
        drop(to);
        let end = loop {
            if let Err(end) = records.word() {
                break end;
            }
        };
        if end.kind() != io::ErrorKind::UnexpectedEof {
            return Err(end);
        }
        let JvmProcess::Own(child) = process else {
            return Ok(());
        };
        let status = child.wait()?;
        if !status.success() {
            return Err(io::Error::other(format!("it ended: {status}")));
        }
        Ok(())
    }

    /// The process is gone: whether it ended itself because a run hung, or in words how it ended.
    pub fn end(self) -> Result<(), String> {
        let Jvm { process, to, .. } = self;
        drop(to);
        let JvmProcess::Own(child) = process else {
            return Ok(());
        };
        match child.wait() {
            Ok(status) if status.code() == Some(HANGS) => Ok(()),
            Ok(status) => Err(format!("the JVM ended: {status}")),
            Err(e) => Err(format!("the JVM is gone: {e}")),
        }
    }
}

/// A record that no version of ours writes.
pub(crate) fn unknown(op: u32) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the JVM sent a record of the unknown kind {op}"),
    )
}

/// A text in the "modified UTF-8" of `java.io.DataInput`: zero takes two bytes, and each half of a surrogate pair three.
fn modified_utf8(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let (high, middle, low) = (unit >> 12, (unit >> 6) & 0x3f, unit & 0x3f);
        match unit {
            0x1..0x80 => bytes.push(unit as u8),
            0 | 0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | low as u8]),
            _ => bytes.extend([0xe0 | high as u8, 0x80 | middle as u8, 0x80 | low as u8]),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_java_reads_them() {
        assert_eq!(modified_utf8("größe$_1"), "größe$_1".as_bytes());
        assert_eq!(modified_utf8("a\0"), [b'a', 0xc0, 0x80]);
        // U+1D49C is a letter, of which the class file has both halves: D835 DC9C.
        assert_eq!(
            modified_utf8("\u{1d49c}"),
            [0xed, 0xa0, 0xb5, 0xed, 0xb2, 0x9c]
        );
    }
}
