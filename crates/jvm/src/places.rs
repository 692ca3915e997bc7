//! Places of the program: the meaning of the numbers in the records. A JVM numbers them as its classes are woven, so
//! the numbers of two JVMs differ; here a place has one number for the whole run.

use crate::flow::{Flow, Whence};
use crate::wire::JDK;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::PathBuf;

/// A place in a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Class, name and description, as the class file has them.
    pub method: String,
    /// The instruction, counted with labels and lines.
    pub instruction: u32,
    /// Its kind: a block, a branch, a call.
    pub what: String,
}

impl Place {
    /// The number by which all processes of a run know it.
    fn key(&self) -> explore::Place {
        let mut hash = DefaultHasher::new();
        self.hash(&mut hash);
        hash.finish()
    }
}

/// The facts about a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// The place.
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
    numbers: FxHashMap<explore::Place, u32>,
    keys: Vec<explore::Place>,
    /// Numbers of places and source files that were reported.
    told: (usize, usize),
    /// Covered places that were not reported.
    news: Vec<u32>,
    /// Ours by that of the JVM.
    current: Vec<u32>,
    flow: Flow,
    /// Source files by class.
    sources: BTreeMap<String, String>,
}

/// The descriptions of places and source files, as they go to other processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct KnownPlaces {
    places: Vec<Info>,
    sources: BTreeMap<String, String>,
}

/// The coverage of a method.
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
    /// Places of which those in the JDK stand in this file.
    pub(crate) fn new(jdk_file: PathBuf) -> Places {
        Places {
            jdk_file,
            ..Places::default()
        }
    }

    /// All places in the order of their numbers.
    pub fn all(&self) -> &[Info] {
        &self.all
    }

    /// The news about places since the last call.
    pub fn news(&mut self) -> explore::Places {
        let size = (self.all.len(), self.sources.len());
        let (places, sources) = std::mem::replace(&mut self.told, size);
        let has_sources = self.sources.len() > sources;
        let known = KnownPlaces {
            places: self.all[places..].to_vec(),
            sources: if has_sources {
                self.sources.clone()
            } else {
                BTreeMap::default()
            },
        };
        let covered = std::mem::take(&mut self.news).into_iter();
        let covered = covered.map(|n| self.keys[n as usize]);
        told(covered.collect(), &known)
    }

    /// All that is known of places, and those that are covered.
    pub fn everything(&self) -> explore::Places {
        let covered = self
            .all
            .iter()
            .zip(&self.keys)
            .filter(|(info, _)| info.covered);
        let known = KnownPlaces {
            places: self.all.clone(),
            sources: self.sources.clone(),
        };
        told(covered.map(|(_, &key)| key).collect(), &known)
    }

    /// Could another process say that of places?
    ///
    /// # Errors
    /// In words: it could not.
    pub fn check(&self, news: &explore::Places) -> Result<(), String> {
        let known = KnownPlaces::of(news)?;
        let new = known.places.iter().map(|info| info.place.key());
        let new: FxHashSet<explore::Place> = new.collect();
        let mut all = news.covered.iter();
        if all.all(|key| self.numbers.contains_key(key) || new.contains(key)) {
            Ok(())
        } else {
            Err("it covered a place that it has not described".into())
        }
    }

    /// Takes over the news of another process about places. Returns those that are covered for the first time.
    ///
    /// # Errors
    /// In words: the news is impossible.
    pub fn take_in(&mut self, news: &explore::Places) -> Result<Vec<explore::Place>, String> {
        self.check(news)?;
        let known = KnownPlaces::of(news)?;
        for info in known.places {
            if !self.numbers.contains_key(&info.place.key()) {
                let covered = false;
                self.add(Info { covered, ..info });
            }
        }
        self.sources.extend(known.sources);
        let mut new = news.covered.clone();
        new.retain(|key| {
            self.numbers
                .get(key)
                .copied()
                .is_some_and(|n| self.cover(n))
        });
        Ok(new)
    }

    /// Nothing is covered.
    pub fn clear(&mut self) {
        self.all.iter_mut().for_each(|info| info.covered = false);
    }

    fn add(&mut self, info: Info) -> u32 {
        let number = self.all.len() as u32;
        let key = info.place.key();
        self.numbers.insert(key, number);
        self.keys.push(key);
        self.all.push(info);
        number
    }

    /// The number by which all processes know a place.
    pub(crate) fn key(&self, number: u32) -> Option<explore::Place> {
        self.keys.get(number as usize).copied()
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

    /// Takes in the description of a place: number, method, instruction, and its kind with its line. Or of a class:
    /// its source file.
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

    /// The number of a place: method, instruction, and its kind with its line.
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
        if let Some(&n) = self.numbers.get(&place.key()) {
            return Ok(n);
        }
        Ok(self.add(Info {
            place,
            line,
            lines,
            keys,
            instructions,
            covered: false,
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
                self.news.push(number);
                true
            }
            _ => false,
        }
    }

    /// The place that is nearest to the other side of a decision and not covered.
    pub(crate) fn near(&mut self, whence: Whence) -> search::Near {
        self.flow.near(&self.all, whence)
    }

    /// Asks for blocks that are not covered whether other workers have covered them. Returns those: they are no goals
    /// any more.
    pub(crate) fn covered_by_others(
        &mut self,
        is_covered: &mut dyn FnMut(explore::Place) -> bool,
    ) -> Vec<u32> {
        let all = (0..).zip(&self.all);
        let open = all.filter(|(n, i)| {
            i.instructions > 0 && !i.covered && !self.flow.is_covered_elsewhere(*n)
        });
        let new: Vec<u32> = open
            .filter(|(n, _)| is_covered(self.keys[*n as usize]))
            .map(|(n, _)| n)
            .collect();
        new.iter().for_each(|&n| self.flow.cover_elsewhere(n));
        new
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

impl KnownPlaces {
    fn of(news: &explore::Places) -> Result<KnownPlaces, String> {
        if news.known.is_empty() {
            return Ok(KnownPlaces::default());
        }
        postcard::from_bytes(&news.known).map_err(|e| format!("its news about places: {e}"))
    }
}

fn told(covered: Vec<explore::Place>, known: &KnownPlaces) -> explore::Places {
    let is_something = !known.places.is_empty() || !known.sources.is_empty();
    let bytes =
        is_something.then(|| postcard::to_stdvec(known).expect("plain values can be written"));
    explore::Places {
        covered,
        known: bytes.unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_says_another_takes_in() {
        let (mut here, mut there) = (Places::default(), Places::default());
        here.hear("source\tp/A\tA.java").unwrap();
        here.hear("0\tp/A.f(I)V\t3\tblock 4 7,8 7").unwrap();
        let first = here.number(0).unwrap();
        assert!(here.cover(first));
        let news = here.news();
        assert_eq!(there.take_in(&news).unwrap(), news.covered);
        assert!(there.take_in(&news).unwrap().is_empty(), "it is known");
        assert_eq!(there.methods(), here.methods());
        assert_eq!(there.everything(), here.everything());
        assert!(here.news().is_empty());
        // A place that nobody has told of.
        let unknown = explore::Places::of(vec![1]);
        assert!(there.take_in(&unknown).is_err());
        there.clear();
        assert_eq!(there.take_in(&news).unwrap(), news.covered);
    }

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
