//! Coverage of the program under test, by source line and branch outcome (`coverage.json`).

use crate::origin;
use ir::{Module, SiteId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, btree_map};

/// Coverage of all source files of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Sorted by path.
    pub files: Vec<FileCoverage>,
}

/// Coverage of one source file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileCoverage {
    /// The source's path, as the debug information has it.
    pub path: String,
    /// Lines with code, sorted: (line, was reached).
    pub lines: Vec<(u32, bool)>,
    /// Sorted by position.
    pub branches: Vec<BranchCoverage>,
    /// Sorted by position.
    pub functions: Vec<FunctionCoverage>,
}

/// A branch of the source and which of its outcomes were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BranchCoverage {
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// The function that it is in.
    pub function: String,
    /// For each outcome, whether it was taken.
    pub taken: Vec<bool>,
}

/// A function and whether it was entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionCoverage {
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Its name in the source.
    pub name: String,
    /// Whether it was entered.
    pub reached: bool,
}

/// Covered and total counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines with code: (covered, all).
    pub lines: (u64, u64),
    /// Branch outcomes: (covered, all).
    pub branches: (u64, u64),
    /// Functions: (covered, all).
    pub functions: (u64, u64),
}

impl Coverage {
    /// From the sites that the machine reached. Only the program's own functions count.
    pub fn from_sites(module: &Module, covered: impl Fn(SiteId) -> bool) -> Coverage {
        // By number: names are compared once, at the end. What has no place is in no file.
        let number = |l: ir::Location| if l.line == 0 { u32::MAX } else { l.file };
        let mut numbered: BTreeMap<u32, FileBuilder> = BTreeMap::new();
        let mut taken: Vec<Vec<bool>> = module
            .branches
            .iter()
            .map(|b| vec![false; b.outcomes as usize])
            .collect();
        let mut entered = vec![false; module.functions.len()];
        for (id, site) in module.sites.iter().enumerate() {
            let function = &module.functions[site.function as usize];
            if !function.own {
                continue;
            }
            let hit = covered(id as SiteId);
            entered[site.function as usize] |= hit;
            if let Some((branch, outcome)) = site.outcome {
                taken[branch as usize][outcome as usize] |= hit;
            }
            let file = numbered.entry(number(function.location)).or_default();
            for line in &site.lines {
                *file.lines.entry(*line).or_default() |= hit;
            }
        }
        for (branch, taken) in module.branches.iter().zip(taken) {
            let function = &module.functions[branch.function as usize];
            if function.own {
                let file = numbered.entry(number(branch.location)).or_default();
                file.branches.push(BranchCoverage {
                    line: branch.location.line,
                    column: branch.location.column,
                    function: function.name.clone(),
                    taken,
                });
            }
        }
        for (function, reached) in module.functions.iter().zip(entered) {
            if function.own {
                let file = numbered.entry(number(function.location)).or_default();
                file.functions.push(FunctionCoverage {
                    line: function.location.line,
                    name: function.name.clone(),
                    reached,
                });
            }
        }
        let mut files: BTreeMap<&str, FileBuilder> = BTreeMap::new();
        for (number, file) in numbered {
            let name = module.files.get(number as usize);
            let name = name.map_or(origin::UNKNOWN, String::as_str);
            files.entry(name).or_default().absorb(file);
        }
        Coverage {
            files: files.into_iter().map(|(path, f)| f.build(path)).collect(),
        }
    }

    /// Sums over all files.
    pub fn counts(&self) -> Counts {
        self.files
            .iter()
            .map(FileCoverage::counts)
            .fold(Counts::default(), |a, b| Counts {
                lines: (a.lines.0 + b.lines.0, a.lines.1 + b.lines.1),
                branches: (a.branches.0 + b.branches.0, a.branches.1 + b.branches.1),
                functions: (a.functions.0 + b.functions.0, a.functions.1 + b.functions.1),
            })
    }

    /// Adds what `other` covered: another run of the same program, or of another part of it.
    pub fn merge(&mut self, other: &Coverage) {
        let mut files: BTreeMap<String, FileCoverage> =
            self.files.drain(..).map(|f| (f.path.clone(), f)).collect();
        for file in &other.files {
            match files.entry(file.path.clone()) {
                btree_map::Entry::Vacant(v) => {
                    v.insert(file.clone());
                }
                btree_map::Entry::Occupied(mut o) => o.get_mut().merge(file),
            }
        }
        self.files = files.into_values().collect();
    }
}

impl FileCoverage {
    /// Covered and total counts of this file.
    pub fn counts(&self) -> Counts {
        let count = |hits: &mut dyn Iterator<Item = bool>| {
            hits.fold((0, 0), |(c, t), hit| (c + u64::from(hit), t + 1))
        };
        Counts {
            lines: count(&mut self.lines.iter().map(|l| l.1)),
            branches: count(&mut self.branches.iter().flat_map(|b| b.taken.iter().copied())),
            functions: count(&mut self.functions.iter().map(|f| f.reached)),
        }
    }

    fn merge(&mut self, other: &FileCoverage) {
        let mut lines: BTreeMap<u32, bool> = self.lines.iter().copied().collect();
        for (line, hit) in &other.lines {
            *lines.entry(*line).or_default() |= hit;
        }
        self.lines = lines.into_iter().collect();
        // Several branches stand at one place where a macro does; they have an order there.
        let place = |b: &BranchCoverage| (b.function.clone(), b.line, b.column, b.taken.len());
        let mut there: BTreeMap<_, Vec<&BranchCoverage>> = BTreeMap::new();
        for branch in &other.branches {
            there.entry(place(branch)).or_default().push(branch);
        }
        for mine in &mut self.branches {
            let same = there.get_mut(&place(mine));
            let Some(same) = same.filter(|same| !same.is_empty()) else {
                continue;
            };
            for (a, b) in mine.taken.iter_mut().zip(&same.remove(0).taken) {
                *a |= b;
            }
        }
        self.branches.extend(there.into_values().flatten().cloned());
        self.branches.sort_by(|a, b| {
            let of = |b: &BranchCoverage| (b.line, b.column);
            of(a).cmp(&of(b)).then_with(|| a.function.cmp(&b.function))
        });
        for theirs in &other.functions {
            let is_it =
                |f: &&mut FunctionCoverage| (f.line, &f.name) == (theirs.line, &theirs.name);
            match self.functions.iter_mut().find(is_it) {
                Some(mine) => mine.reached |= theirs.reached,
                None => self.functions.push(theirs.clone()),
            }
        }
        self.functions
            .sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    }
}

#[derive(Default)]
struct FileBuilder {
    lines: BTreeMap<u32, bool>,
    branches: Vec<BranchCoverage>,
    functions: Vec<FunctionCoverage>,
}

impl FileBuilder {
    fn absorb(&mut self, other: FileBuilder) {
        for (line, hit) in other.lines {
            *self.lines.entry(line).or_default() |= hit;
        }
        self.branches.extend(other.branches);
        self.functions.extend(other.functions);
    }

    fn build(mut self, path: &str) -> FileCoverage {
        self.branches.sort();
        self.functions.sort();
        FileCoverage {
            path: path.to_owned(),
            lines: self.lines.into_iter().collect(),
            branches: self.branches,
            functions: self.functions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(functions: &[(&str, u32, [bool; 2])]) -> Coverage {
        let line = |line: u32| line + 1;
        let mut reached: BTreeMap<&str, FunctionCoverage> = BTreeMap::new();
        for (name, line, taken) in functions {
            let function = reached.entry(name).or_default();
            function.name = (*name).into();
            function.line = *line;
            function.reached |= taken.contains(&true);
        }
        Coverage {
            files: vec![FileCoverage {
                path: "a.c".into(),
                lines: functions.iter().map(|(_, l, t)| (line(*l), t[0])).collect(),
                branches: functions
                    .iter()
                    .map(|(name, l, taken)| BranchCoverage {
                        line: line(*l),
                        column: 3,
                        function: (*name).into(),
                        taken: taken.to_vec(),
                    })
                    .collect(),
                functions: reached.into_values().collect(),
            }],
        }
    }

    #[test]
    fn parts_of_a_program_are_merged_by_function_and_place() {
        // Two runs of parts that share `g`, where two branches stand at one place.
        let mut all = file(&[
            ("f", 1, [true, false]),
            ("g", 9, [true, false]),
            ("g", 9, [false, false]),
        ]);
        let other = file(&[
            ("g", 9, [false, true]),
            ("g", 9, [true, false]),
            ("h", 20, [false, true]),
        ]);
        all.merge(&other);
        let counts = all.counts();
        assert_eq!(counts.branches, (5, 8), "{all:?}");
        assert_eq!(counts.functions, (3, 3));
        let before = all.clone();
        all.merge(&other);
        assert_eq!(all, before);
    }
}
