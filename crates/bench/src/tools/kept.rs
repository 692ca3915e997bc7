//! Results that outlive a run: a line of JSON for each, written as soon as it is there, so that a run that was
//! killed goes on where it was.

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Results by key. A key says all that the result depends on.
pub struct ResultStore<T> {
    file: File,
    found: BTreeMap<String, T>,
}

impl<T: Clone + Serialize + DeserializeOwned> ResultStore<T> {
    /// The results in a file, which need not be there.
    pub fn open(path: &Path) -> Result<ResultStore<T>> {
        let failed = || format!("cannot use {}", path.display());
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(e).with_context(failed),
        };
        let mut found = BTreeMap::new();
        let mut whole = 0;
        for line in text.split_inclusive('\n') {
            // The last line of a run that was killed may lack its end.
            if !line.ends_with('\n') {
                break;
            }
            let (key, value): (String, T) = serde_json::from_str(line).with_context(failed)?;
            found.insert(key, value);
            whole += line.len();
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(failed)?;
        file.set_len(whole as u64).with_context(failed)?;
        Ok(ResultStore { file, found })
    }

    /// The result of that key.
    pub fn find(&self, key: &str) -> Option<T> {
        self.found.get(key).cloned()
    }

    /// Keeps a result.
    pub fn put(&mut self, key: &str, value: T) -> Result<()> {
        let line = serde_json::to_string(&(key, &value))?;
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.found.insert(key.into(), value);
        Ok(())
    }

    /// The result of that key; what is not there is made and kept.
    pub fn get(&mut self, key: &str, make: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(value) = self.find(key) {
            return Ok(value);
        }
        let value = make()?;
        self.put(key, value.clone())?;
        Ok(value)
    }
}

/// The same for runs at the same time ([`super::Context::each`]).
pub struct SharedStore<T>(Mutex<ResultStore<T>>);

impl<T: Clone + Serialize + DeserializeOwned> SharedStore<T> {
    /// The results in a file, which need not be there.
    pub fn open(path: &Path) -> Result<SharedStore<T>> {
        Ok(SharedStore(Mutex::new(ResultStore::open(path)?)))
    }

    /// The result of that key; what is not there is made, while others make theirs, and kept.
    pub fn get(&self, key: &str, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let store = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = store().find(key) {
            return Ok(value);
        }
        let value = make()?;
        store().put(key, value.clone())?;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_made_once_and_a_torn_line_is_made_again() {
        let path = std::env::temp_dir().join(format!("polypath-kept-{}", std::process::id()));
        let mut kept: ResultStore<u64> = ResultStore::open(&path).unwrap();
        assert_eq!(kept.get("a", || Ok(1)).unwrap(), 1);
        assert_eq!(kept.get("b", || Ok(2)).unwrap(), 2);
        assert!(kept.get("c", || anyhow::bail!("no")).is_err());
        drop(kept);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 2]).unwrap();
        let mut kept: ResultStore<u64> = ResultStore::open(&path).unwrap();
        assert_eq!(kept.get("a", || Ok(7)).unwrap(), 1);
        assert_eq!(kept.get("b", || Ok(7)).unwrap(), 7);
        drop(kept);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(text, "[\"a\",1]\n[\"b\",7]\n");
    }
}
