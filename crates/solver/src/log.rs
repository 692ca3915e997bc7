//! The raw query log: every query as asked, before any layer sees it, as one SMT-LIB 2 script.
//!
//! `queries.smt2` (with several workers `queries-N.smt2`, one for each) is the script that the caller would send to an
//! incremental solver: each conjunct of the path on a level of its own, a query's condition on one more. Paths that
//! follow each other share their first conjuncts, so levels are popped to those, and every term is printed once. Any
//! solver with `:global-declarations` executes the script; a single query consists of the assertions on the levels at
//! its `check-sat`, with the definitions that they mention.
//!
//! Two annotations that other solvers ignore make it possible to ask the same query again (`polypath solve --replay`):
//! reads carry what was known of their index (`:polypath-access`), and before a `check-sat` stands the model of the
//! path that the state had (`:polypath-witness`): `NAME=VALUE` for each symbol that is not zero, hexadecimal,
//! separated by tabs. The condition asked about is then on the last level.

use crate::model::Model;
use crate::path::PathCondition;
use crate::slice::limbs;
use crate::stats::SolverStats;
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use term::{Names, Pool, Relocation, Sort, Symbol, Term};

/// The file in the log's directory.
const FILE: &str = "queries.smt2";

/// The attribute with the witness.
pub const WITNESS: &str = ":polypath-witness";

const HEAD: &str = "(set-option :global-declarations true)\n(set-logic ALL)\n";

/// A new file with the first number that is free: those of a run's earlier workers stay.
fn free(dir: &Path) -> std::io::Result<File> {
    let mut number = 1u64;
    loop {
        match File::create_new(dir.join(format!("queries-{number}.smt2"))) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            made => return made,
        }
    }
}

pub(crate) struct QueryLog {
    /// Not buffered: the end of a run does not come back here.
    file: File,
    names: Names,
    /// The condition on each level.
    levels: Vec<String>,
    text: String,
}

impl QueryLog {
    /// A log in this directory; `has_others`: with a name that no other one there has.
    pub fn new(dir: &Path, has_others: bool) -> Result<QueryLog, String> {
        let failed = |what: &Path| {
            let what = what.display().to_string();
            move |e: std::io::Error| format!("cannot make the query log {what}: {e}")
        };
        fs::create_dir_all(dir).map_err(failed(dir))?;
        let file = if has_others {
            free(dir).map_err(failed(dir))?
        } else {
            let path = dir.join(FILE);
            File::create(&path).map_err(failed(&path))?
        };
        Ok(QueryLog {
            file,
            names: Names::new(),
            levels: Vec::new(),
            text: HEAD.into(),
        })
    }

    /// Writes one query. What cannot be written is counted and shown in the statistics; the run
    /// goes on.
    pub fn write(
        &mut self,
        pool: &Pool,
        pc: &PathCondition,
        witness: Option<&Model>,
        cond: Term,
        stats: &mut SolverStats,
    ) {
        let mut definitions = String::new();
        let mut due: Vec<String> = Vec::with_capacity(pc.len() + 1);
        let terms = pc.iter().map(|c| c.term);
        for term in terms.chain((cond != Term::TRUE).then_some(cond)) {
            due.push(self.names.define(pool, term, &mut definitions));
        }
        let known = self.levels.iter().zip(&due);
        let mut common = known.take_while(|(a, b)| a == b).count();
        if definitions.contains("(assert") {
            common = 0; // the pattern of a float holds on all levels
        }
        let text = &mut self.text;
        if common < self.levels.len() {
            let _ = writeln!(text, "(pop {})", self.levels.len() - common);
        }
        text.push_str(&definitions);
        for condition in &due[common..] {
            let _ = writeln!(text, "(push 1)\n(assert {condition})");
        }
        if let Some(witness) = witness {
            let terms: Vec<Term> = pc.iter().map(|c| c.term).chain([cond]).collect();
            write_witness(text, &self.names, pool, &terms, witness);
        }
        text.push_str("(check-sat)\n");
        self.levels = due;
        if self.file.write_all(text.as_bytes()).is_err() {
            stats.log_failures += 1;
        }
        text.clear();
    }

    /// Terms were renumbered.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        self.names.relocate(relocation);
    }
}

/// Writes the values that a witness gives to the symbols of some terms. Where a name cannot be told from
/// what surrounds it nothing is written, and the query is asked again without a witness.
fn write_witness(text: &mut String, names: &Names, pool: &Pool, terms: &[Term], witness: &Model) {
    let symbols: FxHashSet<Symbol> = terms
        .iter()
        .flat_map(|&t| pool.set_iter(pool.symbols(t)))
        .collect();
    let mut symbols: Vec<Symbol> = symbols.into_iter().collect();
    symbols.sort_unstable();
    let mut values: Vec<String> = Vec::new();
    for symbol in symbols {
        let (Sort::BitVec(width), Some(name)) = (pool.symbol_sort(symbol), names.of_symbol(symbol))
        else {
            return;
        };
        if name.contains(['\t', '\n', '"', '=']) {
            return;
        }
        let mut value = String::new();
        for limb in limbs(witness, symbol, width).iter().rev() {
            match value.is_empty() {
                true if *limb == 0 => {}
                true => {
                    let _ = write!(value, "{limb:x}");
                }
                false => {
                    let _ = write!(value, "{limb:016x}");
                }
            }
        }
        if !value.is_empty() {
            values.push(format!("{name}={value}"));
        }
    }
    let _ = writeln!(text, "(set-info {WITNESS} \"{}\")", values.join("\t"));
}

/// Reads a witness; `symbol` gives the symbol of a name (without bars). `None` if it is no witness.
pub fn parse_witness(text: &str, symbol: impl Fn(&str) -> Option<Symbol>) -> Option<Model> {
    let mut model = Model::new();
    for pair in text.trim_matches('"').split('\t').filter(|p| !p.is_empty()) {
        let (name, digits) = pair.rsplit_once('=')?;
        let mut limbs = Vec::new();
        let mut rest = digits;
        while !rest.is_empty() {
            let (high, low) = rest.split_at_checked(rest.len().saturating_sub(16))?;
            limbs.push(u64::from_str_radix(low, 16).ok()?);
            rest = high;
        }
        model.set_wide(symbol(name.trim_matches('|'))?, &limbs);
    }
    Some(model)
}
