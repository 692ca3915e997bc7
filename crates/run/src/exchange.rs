//! Inputs that a run and fuzzers give each other while they run (`--sync DIR`).
//!
//! DIR is laid out as AFL++ has it: each instance has a folder of its own, with its inputs in `queue`. The run has `DIR/polypath`, and takes
//! what comes into the others. What another program puts into `DIR/polypath/queue`, such as libFuzzer that has it as its corpus, is taken,
//! too. A DIR that has files itself, and no such folders, is a plain corpus: both read it, and both write to it.
//!
//! Files are looked for by their names, and each is read once. What was read is never written back, and nothing is written twice.

use crate::corpus::Met;
use crate::exit::UsageError;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testcase::{RunInfo, TestCase, corpus};

/// Between two looks at the folders.
const LOOK_EVERY: Duration = Duration::from_millis(400);
/// Inputs that one look gives, at most: the exploration goes on between them.
const MOST: usize = 64;
/// Bytes of one that are read, at most.
const LONGEST: u64 = 1 << 20;
/// A file that was changed less than this time ago may not be whole.
const SETTLES: Duration = Duration::from_millis(50);
/// The name of the run's own folder.
const OURS: &str = "polypath";
const QUEUE: &str = "queue";

/// See the module.
pub struct Exchange {
    dir: PathBuf,
    /// The folder to which the run writes.
    ours: PathBuf,
    /// It is the whole of DIR, too.
    is_plain: bool,
    /// Folders of inputs that crash the program, which are taken, too, once they are there.
    crashes: Vec<PathBuf>,
    /// Files that were read, or written by this run.
    known: HashSet<PathBuf>,
    met: Met,
    next_number: usize,
    next_look: Instant,
    /// It has failed, which was told.
    is_over: bool,
    /// The facts by which a test's file is found.
    info: RunInfo,
    /// Inputs taken, and written.
    pub counts: (u64, u64),
    /// Of those taken, no inputs of the program.
    pub unfit: u64,
    /// Of those taken, longer ones than the program's input, which were cut.
    pub cut: u64,
}

impl Exchange {
    /// Begins one in this directory, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be made or read.
    pub fn open(dir: &Path) -> Result<Exchange, UsageError> {
        let failed = |e: io::Error| UsageError(format!("--sync {}: {e}", dir.display()));
        if dir.join(QUEUE).is_dir() {
            let why = "the folder of one instance of AFL++; the directory above it is meant";
            return Err(UsageError(format!("--sync {}: {why}", dir.display())));
        }
        fs::create_dir_all(dir).map_err(failed)?;
        let is_plain = is_plain(dir).map_err(failed)?;
        let ours = if is_plain {
            dir.to_owned()
        } else {
            dir.join(OURS).join(QUEUE)
        };
        fs::create_dir_all(&ours).map_err(failed)?;
        let mut exchange = Exchange {
            dir: dir.to_owned(),
            ours,
            is_plain,
            crashes: Vec::new(),
            known: HashSet::new(),
            met: Met::default(),
            next_number: 0,
            next_look: Instant::now(),
            is_over: false,
            info: RunInfo::default(),
            counts: (0, 0),
            unfit: 0,
            cut: 0,
        };
        // An earlier run may have written there.
        for entry in fs::read_dir(&exchange.ours).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = number_of(&name.to_string_lossy());
            exchange.next_number = exchange.next_number.max(number.map_or(0, |n| n + 1));
        }
        Ok(exchange)
    }

    /// The same for a run with these facts, by which the file of a test is found.
    #[must_use]
    pub fn of_run(mut self, info: &RunInfo) -> Exchange {
        self.info = info.clone();
        self
    }

    /// The same, and the inputs of these folders are taken, too.
    #[must_use]
    pub fn with_crashes(mut self, folders: Vec<PathBuf>) -> Exchange {
        self.crashes = folders;
        self
    }

    /// The length of the longest input that is there.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn longest(dir: &Path) -> Result<Option<u64>, UsageError> {
        if !dir.is_dir() {
            return Ok(None);
        }
        let failed = |e: io::Error| UsageError(format!("--sync {}: {e}", dir.display()));
        let mut longest = None;
        for folder in folders(dir, is_plain(dir).map_err(failed)?).map_err(failed)? {
            for entry in inputs(&folder).map_err(failed)? {
                let length = entry.metadata().map_err(failed)?.len();
                longest = longest.max(Some(length.min(LONGEST)));
            }
        }
        Ok(longest)
    }

    /// The inputs that have come since the last look, if it is time for one.
    ///
    /// # Errors
    /// In words, once: the directory cannot be read any more. The run goes on without it.
    pub fn news(&mut self) -> Result<Vec<Vec<u8>>, String> {
        if self.is_over || Instant::now() < self.next_look {
            return Ok(Vec::new());
        }
        let news = self.look();
        self.next_look = Instant::now() + LOOK_EVERY;
        news.map_err(|e| self.fail("read", &e))
    }

    fn look(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut news = Vec::new();
        let mut all = folders(&self.dir, self.is_plain)?;
        all.extend(self.crashes.iter().filter(|dir| dir.is_dir()).cloned());
        for folder in all {
            let mut entries = inputs(&folder)?;
            entries.retain(|entry| !self.known.contains(&entry.path()));
            entries.sort_by_key(DirEntry::file_name);
            for entry in entries {
                if news.len() >= MOST {
                    return Ok(news);
                }
                let path = entry.path();
                let Some(bytes) = whole(&path)? else {
                    continue;
                };
                self.known.insert(path);
                if self.met.is_new(&bytes) {
                    news.push(bytes);
                }
            }
        }
        self.counts.0 += news.len() as u64;
        Ok(news)
    }

    /// Gives the input of a test to the others, if it covered something that no path before it did. Tests with errors are not given:
    /// libFuzzer would end with one.
    ///
    /// # Errors
    /// In words, once: the file cannot be written. The run goes on without.
    pub fn offer(&mut self, test: &TestCase) -> Result<(), String> {
        if self.is_over || !test.covered_new || test.error.is_some() {
            return Ok(());
        }
        let Some(bytes) = corpus::input(test, Some(&self.info)) else {
            return Ok(());
        };
        if !self.met.is_new(&bytes) {
            return Ok(());
        }
        let name = corpus::afl_name(self.next_number, test, None);
        let path = self.ours.join(&name);
        // A name that begins with a dot is no input to anybody.
        let temporary = self.ours.join(format!(".{name}"));
        self.known.insert(path.clone());
        let written = fs::write(&temporary, &bytes).and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|e| self.fail("written", &e))?;
        self.next_number += 1;
        self.counts.1 += 1;
        Ok(())
    }

    /// What was exchanged, in words.
    pub fn told(&self) -> String {
        let (taken, given) = self.counts;
        let dir = self.dir.display();
        let what = if self.crashes.is_empty() {
            "--sync"
        } else {
            "exchanged with the fuzzers in"
        };
        let mut text = format!(
            "{what} {dir}: {} taken, {} given",
            vocab::counted(taken, "input"),
            vocab::counted(given, "input")
        );
        for (number, what) in [
            (self.cut, "longer than the program's input and cut"),
            (self.unfit, "none of this program"),
        ] {
            if number > 0 {
                text += &format!("; {number} of the former {} {what}", vocab::are(number));
            }
        }
        text
    }

    fn fail(&mut self, what: &str, why: &io::Error) -> String {
        self.is_over = true;
        let dir = self.dir.display();
        format!("--sync {dir}: it cannot be {what} any more, and the run goes on without it: {why}")
    }
}

/// The number in a name of AFL++.
fn number_of(name: &str) -> Option<usize> {
    let digits = name.strip_prefix("id:")?;
    digits.split(',').next()?.parse().ok()
}

/// Has the directory files itself, and no instance's folder? One that is not there has none.
///
/// # Errors
/// It cannot be read.
pub fn is_plain(dir: &Path) -> io::Result<bool> {
    if !dir.exists() || !folders(dir, false)?.is_empty() {
        return Ok(false);
    }
    Ok(!inputs(dir)?.is_empty())
}

/// The folders with inputs, in the order of their names.
fn folders(dir: &Path, is_plain: bool) -> io::Result<Vec<PathBuf>> {
    if is_plain {
        return Ok(vec![dir.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let folder = entry?.path().join(QUEUE);
        if folder.is_dir() {
            found.push(folder);
        }
    }
    found.sort();
    Ok(found)
}

/// The files of a folder, but for hidden ones. One that goes while we look is none.
fn inputs(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let is_hidden = |name: &OsString| name.as_encoded_bytes().starts_with(b".");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && !is_hidden(&entry.file_name()) {
            found.push(entry);
        }
    }
    Ok(found)
}

/// The content of a file, cut at the greatest length; `None`: it may not be whole yet, or is gone.
fn whole(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let read = || -> io::Result<Option<Vec<u8>>> {
        let file = File::open(path)?;
        let age = file.metadata()?.modified()?.elapsed();
        // A time to come is another machine's.
        if age.is_ok_and(|age| age < SETTLES) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    };
    match read() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testcase::model::FileSpec;

    /// An empty directory.
    fn place(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("polypath-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn test(id: u32, bytes: &[u8]) -> TestCase {
        TestCase {
            id,
            covered_new: true,
            objects: vec![("A_data".into(), bytes.to_vec())],
            files: vec![FileSpec {
                path: "A".into(),
                bytes: bytes.to_vec(),
                mode: 0o644,
                mtime: 0,
                atime: 0,
            }],
            ..TestCase::default()
        }
    }

    fn all_news(exchange: &mut Exchange) -> BTreeSet<Vec<u8>> {
        let mut all = BTreeSet::new();
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            exchange.next_look = Instant::now();
            let news = exchange.news().unwrap();
            if news.is_empty() && !all.is_empty() {
                break;
            }
            all.extend(news);
            std::thread::sleep(SETTLES);
        }
        all
    }

    /// Against a list kept by hand: each content comes once, in whatever folder, and nothing of ours comes back.
    #[test]
    fn each_input_of_the_others_comes_once() {
        let dir = place("exchange");
        let sync = dir.join("sync");
        for instance in ["one", "two"] {
            fs::create_dir_all(sync.join(instance).join("queue/.state")).unwrap();
        }
        let mut exchange = Exchange::open(&sync).unwrap();
        assert!(!exchange.is_plain);
        let mut expected = BTreeSet::new();
        for n in 0..200_u32 {
            let bytes = (n / 2).to_le_bytes().to_vec();
            let instance = ["one", "two"][n as usize % 2];
            fs::write(sync.join(format!("{instance}/queue/id:{n:06},x")), &bytes).unwrap();
            expected.insert(bytes);
        }
        fs::write(sync.join("one/queue/.hidden"), "no").unwrap();
        fs::write(sync.join("one/fuzzer_stats"), "no").unwrap();
        // Another program has our folder as its corpus.
        fs::write(sync.join("polypath/queue/3f2a"), "theirs").unwrap();
        expected.insert(b"theirs".to_vec());
        exchange.offer(&test(1, b"ours")).unwrap();
        // Known from the others.
        exchange.known.clear();
        assert_eq!(all_news(&mut exchange), expected);
        exchange.offer(&test(2, &7_u32.to_le_bytes())).unwrap();
        exchange.offer(&test(3, b"more")).unwrap();
        exchange.offer(&test(4, b"ours")).unwrap();
        assert_eq!(exchange.counts.1, 2);
        let written: BTreeSet<Vec<u8>> = inputs(&sync.join("polypath/queue"))
            .unwrap()
            .iter()
            .filter(|e| e.file_name().to_string_lossy().starts_with("id:"))
            .map(|e| fs::read(e.path()).unwrap())
            .collect();
        assert_eq!(written, [b"ours".to_vec(), b"more".to_vec()].into());
        // A run that goes on counts on.
        let again = Exchange::open(&sync).unwrap();
        assert_eq!(again.next_number, 2);
        fs::remove_dir_all(&sync).unwrap();
        exchange.next_look = Instant::now();
        assert!(exchange.news().is_err());
        exchange.next_look = Instant::now();
        assert!(exchange.news().unwrap().is_empty());
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_directory_of_files_is_shared_as_it_is() {
        let dir = place("exchange-plain");
        fs::write(dir.join("a"), "first").unwrap();
        let mut exchange = Exchange::open(&dir).unwrap();
        assert!(exchange.is_plain);
        assert_eq!(all_news(&mut exchange), [b"first".to_vec()].into());
        exchange.offer(&test(1, b"second")).unwrap();
        assert!(
            dir.join("id:000000,time:0,execs:0,orig:test000001,+cov")
                .is_file()
        );
        assert_eq!(Exchange::longest(&dir).unwrap(), Some(6));
        assert_eq!(Exchange::longest(&dir.join("none")).unwrap(), None);
        fs::remove_dir_all(&dir).unwrap();
    }
}
