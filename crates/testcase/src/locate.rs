//! What a user names: a run, or one of its tests, whether it lies there as files or in the pack.

use crate::model::{TestCase, test_name, test_number};
use crate::read::{self, NotResults};
use crate::testdir;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The directory of the run; of a test that was copied away from its run, the directory of the test.
    pub run: PathBuf,
    /// The number of the test, if one is named.
    pub test: Option<u32>,
    /// The directory of the test, if it has one.
    files: Option<PathBuf>,
}

fn is_run(dir: &Path) -> bool {
    dir.join("tests").is_dir()
}

impl Located {
    /// What a path names. A test is `DIR/tests/test000012`, also if nothing lies there because the test is in the pack, or the
    /// `.ktest` beside it.
    ///
    /// # Errors
    /// It is neither a run nor a test, or the test cannot be read.
    pub fn of(path: &Path) -> Result<Located> {
        let path = std::path::absolute(path)?;
        if path.join("meta.json").is_file() {
            let test = testdir::read(&path)?;
            let run = path.ancestors().nth(2).filter(|run| is_run(run));
            return Ok(Located {
                run: run.unwrap_or(&path).to_owned(),
                test: Some(test.id),
                files: Some(path),
            });
        }
        if path.is_dir() {
            return Ok(Located {
                run: path,
                test: None,
                files: None,
            });
        }
        let run = path.ancestors().nth(2);
        let is_in_tests = path.parent().is_some_and(|p| p.ends_with("tests"));
        let name = path.file_name().and_then(|name| name.to_str());
        match (run, name.and_then(test_number)) {
            (Some(run), Some(id)) if is_in_tests && is_run(run) => Ok(Located::test_of(run, id)),
            _ => {
                let shown = path.display();
                let why = match path.symlink_metadata() {
                    Ok(_) => format!("{shown} is neither a run's directory nor a test of one"),
                    Err(e) => format!("cannot open {shown}: {e}"),
                };
                Err(NotResults(why).into())
            }
        }
    }

    /// What several words name. A name or a number belongs to the run before it, unless a file is called so.
    ///
    /// # Errors
    /// One of them is neither a run nor a test.
    pub fn all(words: &[PathBuf]) -> Result<Vec<Located>> {
        let mut all: Vec<Located> = Vec::new();
        for word in words {
            let id = word.to_str().and_then(test_number);
            let of_run = all.last().zip(id).filter(|_| !word.exists());
            let located = match of_run {
                Some((before, id)) => Located::test_of(&before.run, id),
                None => Located::of(word)?,
            };
            all.push(located);
        }
        Ok(all)
    }

    /// A test of a run by its number.
    pub fn test_of(run: &Path, id: u32) -> Located {
        let files = run.join("tests").join(test_name(id));
        Located {
            run: run.to_owned(),
            test: Some(id),
            files: files.is_dir().then_some(files),
        }
    }

    /// The test, if one is named.
    ///
    /// # Errors
    /// There is none of this name, or it cannot be read.
    pub fn read(&self) -> Result<Option<TestCase>> {
        match (&self.files, self.test) {
            (Some(dir), _) => testdir::read(dir).map(Some),
            (None, Some(id)) => read::numbered(&self.run, id).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The directory of the run, or that of the test: one that has none gets one below `scratch`.
    ///
    /// # Errors
    /// There is no such test, or its directory cannot be written.
    pub fn directory(&self, scratch: &Path) -> Result<PathBuf> {
        if let Some(dir) = &self.files {
            return Ok(dir.clone());
        }
        let Some(test) = self.read()? else {
            return Ok(self.run.clone());
        };
        testdir::store(scratch, &test)
            .with_context(|| format!("cannot write {}", scratch.display()))?;
        Ok(scratch.join(test_name(test.id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{NAME, PackWriter};
    use std::fs;

    #[test]
    fn a_test_is_found_wherever_it_lies() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        let tests = run.join("tests");
        fs::create_dir_all(&tests).unwrap();
        let test = |id| TestCase {
            id,
            args: vec![b"p".to_vec(), id.to_string().into_bytes()],
            ..TestCase::default()
        };
        testdir::store(&tests, &test(3)).unwrap();
        let mut pack = PackWriter::create(&tests.join(NAME)).unwrap();
        (4..9).for_each(|id| pack.add(&test(id)).unwrap());
        pack.flush().unwrap();
        for (name, id) in [
            ("test000003", 3),
            ("test000003.ktest", 3),
            ("test000007", 7),
            ("7", 7),
        ] {
            let found = Located::of(&tests.join(name)).unwrap();
            assert_eq!((&found.run, found.test), (&run, Some(id)), "{name}");
            assert_eq!(found.read().unwrap(), Some(test(id)), "{name}");
            let scratch = tempfile::tempdir().unwrap();
            let files = found.directory(scratch.path()).unwrap();
            assert_eq!(testdir::read(&files).unwrap(), test(id), "{name}");
        }
        let all = Located::of(&run).unwrap();
        assert_eq!((all.test, all.read().unwrap()), (None, None));
        assert_eq!(all.directory(dir.path()).unwrap(), run);
        // What is not there is told, and nothing else is taken for it.
        let missing = Located::of(&tests.join("test000010")).unwrap();
        let why = missing.read().unwrap_err().to_string();
        assert!(why.contains("there is no test000010"), "{why}");
        for wrong in ["tests/other", "test000003", "nowhere/tests/test000003"] {
            let why = Located::of(&run.join(wrong)).unwrap_err();
            assert!(why.is::<NotResults>(), "{wrong}: {why}");
        }
    }
}
