//! The directory of a fuzzer, as AFL++ has it: `queue`, `crashes`, `hangs`, `fuzzer_stats`; and what others put beside it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Files that are read from others at most between two looks at the clock.
const BATCH: usize = 64;

/// See the module.
pub struct Queue {
    dir: PathBuf,
    next: [u64; 3],
}

/// The three folders of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// Covered something new.
    Queue,
    /// A signal ended the program.
    Crashes,
    /// It took too long.
    Hangs,
}

const KINDS: [(Folder, &str); 3] = [
    (Folder::Queue, "queue"),
    (Folder::Crashes, "crashes"),
    (Folder::Hangs, "hangs"),
];

impl Queue {
    /// Opens a directory, or makes it. What an earlier fuzzer left in it stays, and numbers go on from there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn open(dir: &Path) -> io::Result<Queue> {
        let mut next = [0; 3];
        for (at, (_, name)) in KINDS.iter().enumerate() {
            let folder = dir.join(name);
            fs::create_dir_all(&folder)?;
            let numbers = files(&folder)?.into_iter().filter_map(|path| number(&path));
            next[at] = numbers.max().map_or(0, |most| most + 1);
        }
        Ok(Queue {
            dir: dir.to_owned(),
            next,
        })
    }

    /// The inputs of one kind that are there.
    ///
    /// # Errors
    /// They cannot be listed.
    pub fn files(&self, kind: Folder) -> io::Result<Vec<PathBuf>> {
        files(&self.dir.join(KINDS[kind as usize].1))
    }

    /// Writes an input, whole or not at all; `about` is what its name says of it, after the number.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&mut self, kind: Folder, bytes: &[u8], about: &str) -> io::Result<()> {
        let number = self.next[kind as usize];
        let folder = self.dir.join(KINDS[kind as usize].1);
        put(&folder.join(format!("id:{number:06},{about}")), bytes)?;
        self.next[kind as usize] += 1;
        Ok(())
    }

    /// How many of a kind there are.
    pub fn count(&self, kind: Folder) -> u64 {
        self.next[kind as usize]
    }

    /// Writes the figures, as AFL++'s tools read them.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn tell(&self, figures: &[(&str, String)]) -> io::Result<()> {
        let lines = figures
            .iter()
            .map(|(name, value)| format!("{name:<18}: {value}\n"));
        put(&self.dir.join(STATS), lines.collect::<String>().as_bytes())
    }
}

/// The file of a fuzzer's figures.
pub const STATS: &str = "fuzzer_stats";

/// Writes a file under another name first: nobody sees half of it.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    let part = path.with_file_name(name);
    let mut file = fs::File::create(&part)?;
    file.write_all(bytes)?;
    drop(file);
    fs::rename(&part, path)
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') && name != "README.txt" && path.is_file() {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// The first bytes of a file, at most so many.
///
/// # Errors
/// It cannot be read.
pub fn read(path: &Path, max_len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(max_len as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("id:")?.get(..6)?.parse().ok()
}

/// What others find: the queues of all directories beside a fuzzer's own (`DIR/*/queue`).
pub struct Others {
    dir: PathBuf,
    own: PathBuf,
    seen: HashSet<PathBuf>,
    waiting: Vec<PathBuf>,
}

impl Others {
    /// Those beside this directory of a fuzzer.
    pub fn of(own: &Path) -> Others {
        Others {
            dir: own.parent().unwrap_or(Path::new(".")).to_owned(),
            own: own.to_owned(),
            seen: HashSet::new(),
            waiting: Vec::new(),
        }
    }

    /// Some of the inputs that have come since, cut to `max_len` bytes. What cannot be read is not there any more.
    pub fn news(&mut self, max_len: usize) -> Vec<Vec<u8>> {
        if self.waiting.is_empty() {
            let Ok(dirs) = fs::read_dir(&self.dir) else {
                return Vec::new();
            };
            for dir in dirs.flatten().map(|entry| entry.path()) {
                if dir != self.own
                    && let Ok(found) = files(&dir.join("queue"))
                {
                    let new = found
                        .into_iter()
                        .filter(|path| self.seen.insert(path.clone()));
                    self.waiting.extend(new);
                }
            }
        }
        let from = self.waiting.len().saturating_sub(BATCH);
        let batch = self.waiting.drain(from..);
        batch.filter_map(|path| read(&path, max_len).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_and_others_are_heard_once() {
        let all = tempfile::tempdir().unwrap();
        let (a, b) = (all.path().join("a"), all.path().join("b"));
        let mut queue = Queue::open(&a).unwrap();
        queue.put(Folder::Queue, b"one", "src:1").unwrap();
        queue.put(Folder::Crashes, b"bad", "sig:11").unwrap();
        drop(queue);
        let mut queue = Queue::open(&a).unwrap();
        queue.put(Folder::Queue, b"two", "src:2").unwrap();
        assert_eq!(
            (queue.count(Folder::Queue), queue.count(Folder::Crashes)),
            (2, 1)
        );
        let names: Vec<_> = queue.files(Folder::Queue).unwrap();
        assert!(names[1].ends_with("queue/id:000001,src:2"));
        Queue::open(&b).unwrap();
        let mut others = Others::of(&b);
        let mut news = others.news(100);
        news.sort();
        assert_eq!(news, [b"one", b"two"]);
        assert!(others.news(100).is_empty());
        queue.put(Folder::Queue, b"three", "src:1").unwrap();
        assert_eq!(others.news(100), [b"three"]);
        queue.put(Folder::Queue, b"a long one", "src:1").unwrap();
        assert_eq!(others.news(3), [b"a l"]);
        assert!(Others::of(&a).news(100).is_empty());
    }
}
