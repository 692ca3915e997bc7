//! Places of the program: what the numbers in the records mean. A JVM numbers them as its classes are woven, so the
//! numbers of two JVMs differ; here a place has one number for the whole run.

use rustc_hash::FxHashMap;

/// A place in a method.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Class, name and description, as the class file has them.
    pub method: String,
    /// The instruction, counted with labels and lines.
    pub instruction: u32,
    /// What it is: a block, a branch, a call.
    pub what: String,
}

/// What is known of a place.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    pub place: Place,
    /// Line of the source, 0 if unknown.
    pub line: u32,
    /// Keys of a switch.
    pub keys: Vec<i32>,
    /// Instructions of a block.
    pub instructions: u32,
    pub covered: bool,
}

/// All places.
#[derive(Default)]
pub(crate) struct Places {
    /// By our number.
    all: Vec<Info>,
    numbers: FxHashMap<Place, u32>,
    /// Ours by that of the JVM.
    current: Vec<u32>,
}

impl Places {
    /// A new JVM numbers anew.
    pub fn forget_numbers(&mut self) {
        self.current.clear();
    }

    /// Hears of a place: number, method, instruction, and what it is with its line.
    pub fn hear(&mut self, text: &str) -> Result<(), String> {
        let bad = || format!("a place that is none: {text}");
        let mut parts = text.split('\t');
        let mut next = || parts.next().ok_or_else(bad);
        let number: usize = next()?.parse().map_err(|_| bad())?;
        let method = next()?.to_string();
        let instruction = next()?.parse().map_err(|_| bad())?;
        let words: Vec<&str> = next()?.split(' ').collect();
        let line = words.last().and_then(|w| w.parse().ok()).unwrap_or(0);
        let what = words[0].to_string();
        let mut keys = Vec::new();
        let mut instructions = 0;
        match (what.as_str(), words.get(1)) {
            ("switch", Some(list)) if !list.is_empty() => {
                for key in list.split(',') {
                    keys.push(key.parse().map_err(|_| bad())?);
                }
            }
            ("block", Some(n)) => instructions = n.parse().map_err(|_| bad())?,
            _ => {}
        }
        let place = Place {
            method,
            instruction,
            what,
        };
        let ours = match self.numbers.get(&place) {
            Some(&n) => n,
            None => {
                let n = self.all.len() as u32;
                self.numbers.insert(place.clone(), n);
                self.all.push(Info {
                    place,
                    line,
                    keys,
                    instructions,
                    covered: false,
                });
                n
            }
        };
        if self.current.len() <= number {
            self.current.resize(number + 1, u32::MAX);
        }
        self.current[number] = ours;
        Ok(())
    }

    /// Our number for one of the JVM's; those that it has not explained (the driver's own) are beyond all others.
    pub fn number(&self, site: u32) -> u32 {
        self.current.get(site as usize).copied().unwrap_or(u32::MAX)
    }

    pub fn info(&self, number: u32) -> Option<&Info> {
        self.all.get(number as usize)
    }

    /// Marks a block; whether it is covered for the first time.
    pub fn cover(&mut self, number: u32) -> bool {
        match self.all.get_mut(number as usize) {
            Some(info) => !std::mem::replace(&mut info.covered, true),
            None => false,
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

    /// Lines with blocks: covered, and all that were loaded.
    pub fn lines(&self) -> Vec<(&str, u32, bool)> {
        let blocks = self.all.iter().filter(|i| i.instructions > 0 && i.line > 0);
        blocks
            .map(|i| {
                let class = i.place.method.split('.').next().unwrap_or_default();
                (class, i.line, i.covered)
            })
            .collect()
    }
}
