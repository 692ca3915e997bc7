//! Places of the program: what the numbers in the records mean. A JVM numbers them as its classes are woven, so the
//! numbers of two JVMs differ; here a place has one number for the whole run.

use crate::flow::{Flow, Whence};
use crate::wire::JDK;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// A place in a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Class, name and description, as the class file has them.
    pub method: String,
    /// The instruction, counted with labels and lines.
    pub instruction: u32,
    /// What it is: a block, a branch, a call.
    pub what: String,
}

/// What is known of a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// Where it is.
    pub place: Place,
    /// Line of the source, 0 if unknown.
    pub line: u32,
    /// Lines of a block.
    pub lines: Vec<u32>,
    /// Keys of a switch.
    pub keys: Vec<i32>,
    /// Instructions of a block.
    pub instructions: u32,
    /// A run was there.
    pub covered: bool,
}

/// All places.
#[derive(Default)]
pub struct Places {
    /// Those of the JDK, line by line, once one is asked for.
    jdk: Option<Vec<String>>,
    jdk_file: PathBuf,
    jdk_numbers: FxHashMap<u32, u32>,
    /// By our number.
    all: Vec<Info>,
    numbers: FxHashMap<Place, u32>,
    /// Places that others have covered, and that no class here has yet.
    elsewhere: FxHashSet<Place>,
    /// Ours by that of the JVM.
    current: Vec<u32>,
    flow: Flow,
    /// Source files by class.
    sources: BTreeMap<String, String>,
}

/// What was covered of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodCoverage {
    /// Its class, as class files have it.
    pub class: String,
    /// The name of the source file; empty if the class does not say it.
    pub source: String,
    /// Its name.
    pub name: String,
    /// Lines with code, ascending: whether a block with the line was entered.
    pub lines: Vec<(u32, bool)>,
    /// Whether it was entered.
    pub reached: bool,
}

impl Places {
    /// Places of which those in the JDK stand in this file. Others have covered those that are named.
    pub(crate) fn new(jdk_file: PathBuf, covered: impl IntoIterator<Item = Place>) -> Places {
        Places {
            jdk_file,
            elsewhere: covered.into_iter().collect(),
            ..Places::default()
        }
    }

    /// All places in the order of their numbers.
    pub fn all(&self) -> &[Info] {
        &self.all
    }

    /// The names of source files, by class.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        &self.sources
    }

    /// Takes in a place that another process knows. Returns its number here.
    pub fn take_in(&mut self, info: Info) -> u32 {
        if let Some(&number) = self.numbers.get(&info.place) {
            return number;
        }
        let covered = false;
        self.add(Info { covered, ..info })
    }

    /// Takes in names of source files.
    pub fn take_in_sources(&mut self, sources: BTreeMap<String, String>) {
        self.sources.extend(sources);
    }

    fn add(&mut self, info: Info) -> u32 {
        let number = self.all.len() as u32;
        self.numbers.insert(info.place.clone(), number);
        self.all.push(info);
        number
    }

    /// A place of the JDK, which the weaver has numbered once and for all.
    ///
    /// # Errors
    /// The file cannot be read.
    fn of_jdk(&mut self, site: u32) -> io::Result<u32> {
        if let Some(&number) = self.jdk_numbers.get(&site) {
            return Ok(number);
        }
        let lines = match self.jdk.take() {
            Some(lines) => lines,
            None => {
                let text = std::fs::read_to_string(&self.jdk_file)?;
                text.lines().map(str::to_string).collect()
            }
        };
        let bad = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        let line = lines.get((site - JDK) as usize);
        let line = line.ok_or_else(|| bad(format!("there is no place {site}")))?;
        let number = self.intern(line).map_err(bad)?;
        self.jdk = Some(lines);
        self.jdk_numbers.insert(site, number);
        Ok(number)
    }

    /// A new JVM numbers anew.
    pub(crate) fn forget_numbers(&mut self) {
        self.current.clear();
    }

    /// Hears of a place: number, method, instruction, and what it is with its line. Or of a class: its source file.
    pub(crate) fn hear(&mut self, text: &str) -> Result<(), String> {
        if let Some(source) = text.strip_prefix("source\t") {
            let (class, file) = source.split_once('\t').unwrap_or((source, ""));
            self.sources.insert(class.into(), file.into());
            return Ok(());
        }
        if text.starts_with("class\t") || text.starts_with("flow\t") {
            let Places { flow, current, .. } = self;
            let number = |site: u32| current.get(site as usize).copied().unwrap_or(u32::MAX);
            return flow.hear(text, number);
        }
        let bad = || format!("a place that is none: {text}");
        let (number, place) = text.split_once('\t').ok_or_else(bad)?;
        let number: usize = number.parse().map_err(|_| bad())?;
        let ours = self.intern(place)?;
        if self.current.len() <= number {
            self.current.resize(number + 1, u32::MAX);
        }
        self.current[number] = ours;
        Ok(())
    }

    /// The number of a place: method, instruction, and what it is with its line.
    fn intern(&mut self, text: &str) -> Result<u32, String> {
        let bad = || format!("a place that is none: {text}");
        let mut parts = text.split('\t');
        let mut next = || parts.next().ok_or_else(bad);
        let method = next()?.to_string();
        let instruction = next()?.parse().map_err(|_| bad())?;
        let words: Vec<&str> = next()?.split(' ').collect();
        let line = words.last().and_then(|w| w.parse().ok()).unwrap_or(0);
        let what = words[0].to_string();
        let mut keys = Vec::new();
        let mut instructions = 0;
        let mut lines = Vec::new();
        match (what.as_str(), words.get(1)) {
            ("switch", Some(list)) if !list.is_empty() => {
                for key in list.split(',') {
                    keys.push(key.parse().map_err(|_| bad())?);
                }
            }
            ("block", Some(n)) => {
                instructions = n.parse().map_err(|_| bad())?;
                let list = words.get(2).filter(|_| words.len() > 3);
                for line in list
                    .iter()
                    .flat_map(|l| l.split(','))
                    .filter(|l| !l.is_empty())
                {
                    lines.push(line.parse().map_err(|_| bad())?);
                }
            }
            _ => {}
        }
        let place = Place {
            method,
            instruction,
            what,
        };
        if let Some(&n) = self.numbers.get(&place) {
            return Ok(n);
        }
        let covered = self.elsewhere.remove(&place);
        Ok(self.add(Info {
            place,
            line,
            lines,
            keys,
            instructions,
            covered,
        }))
    }

    /// Our number for one of the JVM's; those that it has not explained (the driver's own) are beyond all others.
    ///
    /// # Errors
    /// The file with those of the JDK cannot be read.
    pub(crate) fn number(&mut self, site: u32) -> io::Result<u32> {
        if site >= JDK && site != u32::MAX {
            return self.of_jdk(site);
        }
        Ok(self.current.get(site as usize).copied().unwrap_or(u32::MAX))
    }

    pub(crate) fn info(&self, number: u32) -> Option<&Info> {
        self.all.get(number as usize)
    }

    /// Marks a block; whether it is covered for the first time.
    pub fn cover(&mut self, number: u32) -> bool {
        match self.all.get_mut(number as usize) {
            Some(info) if !info.covered => {
                info.covered = true;
                self.flow.cover(number);
                true
            }
            _ => false,
        }
    }

    /// The place that is nearest to the other side of a decision and not covered.
    pub(crate) fn near(&mut self, whence: Whence) -> search::Near {
        self.flow.near(&self.all, whence)
    }

    /// Others have covered a place. Its number here, if it is known and this is news.
    pub(crate) fn covered_elsewhere(&mut self, place: Place) -> Option<u32> {
        match self.numbers.get(&place) {
            Some(&number) => self.cover(number).then_some(number),
            None => {
                self.elsewhere.insert(place);
                None
            }
        }
    }

    /// Instructions of blocks: covered, and all that were loaded.
    pub fn instructions(&self) -> (u64, u64) {
        let count = |covered_only: bool| {
            let counted = self.all.iter().filter(|i| i.covered || !covered_only);
            counted.map(|i| u64::from(i.instructions)).sum()
        };
        (count(true), count(false))
    }

    /// The methods of the classes that were loaded.
    pub fn methods(&self) -> Vec<MethodCoverage> {
        let mut all: BTreeMap<&str, (BTreeMap<u32, bool>, bool)> = BTreeMap::new();
        for info in self.all.iter().filter(|i| i.instructions > 0) {
            let (lines, reached) = all.entry(&info.place.method).or_default();
            *reached |= info.covered;
            for &line in &info.lines {
                *lines.entry(line).or_default() |= info.covered;
            }
        }
        let method = |(method, (lines, reached)): (&str, (BTreeMap<u32, bool>, bool))| {
            let (class, rest) = method.split_once('.').unwrap_or((method, ""));
            MethodCoverage {
                class: class.into(),
                source: self.sources.get(class).cloned().unwrap_or_default(),
                name: rest.split('(').next().unwrap_or_default().into(),
                lines: lines.into_iter().collect(),
                reached,
            }
        };
        all.into_iter().map(method).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_covered_with_any_block_that_has_it() {
        let mut places = Places::default();
        places.hear("source\tp/A\tA.java").unwrap();
        places.hear("0\tp/A.f(I)V\t3\tblock 4 7,8 7").unwrap();
        places.hear("1\tp/A.f(I)V\t9\tblock 2 8,9 8").unwrap();
        places.hear("2\tp/A.g()V\t1\tblock 1 12 12").unwrap();
        let first = places.number(0).unwrap();
        assert!(places.cover(first) && !places.cover(first));
        let methods = places.methods();
        assert_eq!(methods.len(), 2);
        assert_eq!(methods[0].lines, [(7, true), (8, true), (9, false)]);
        assert_eq!(
            (methods[0].source.as_str(), methods[0].name.as_str()),
            ("A.java", "f")
        );
        assert!(methods[0].reached && !methods[1].reached);
    }
}
