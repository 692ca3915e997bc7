//! Text that grows: every term is printed once and has a name from then on.
//!
//! For logs of many queries over the same terms, which would otherwise be printed again with each
//! query. Every operator gets a name of its own, since nobody knows what will be shared later.

use super::Printer;
use crate::collect::Relocation;
use crate::node::{Op, Symbol, Term};
use crate::pool::Pool;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names of the terms that were printed so far.
#[derive(Default)]
pub struct Names {
    names: FxHashMap<Term, String>,
    bools: FxHashSet<Term>,
    /// A symbol outlives its term.
    symbols: FxHashMap<Symbol, String>,
    taken: FxHashSet<String>,
    functions: FxHashSet<String>,
    defined: usize,
}

impl Names {
    /// Nothing was printed yet.
    pub fn new() -> Names {
        Names::default()
    }

    /// Appends to `out` the declarations and definitions of what `condition` (of width 1) needs and has
    /// no name yet, and gives its text as a Bool. A line of `out` is one command. Reads are annotated
    /// ([`Printer::with_accesses`]). The pattern of a float needs an assertion: the text
    /// belongs where every later command can see it.
    pub fn define(&mut self, pool: &Pool, condition: Term, out: &mut String) -> String {
        let mut new = self.unnamed(pool, condition);
        new.retain(|&t| !self.is_known_symbol(pool, t));
        let mut printer = Printer::new(pool).with_accesses();
        std::mem::swap(&mut printer.out, out);
        std::mem::swap(&mut printer.names, &mut self.names);
        std::mem::swap(&mut printer.bools, &mut self.bools);
        std::mem::swap(&mut printer.taken, &mut self.taken);
        std::mem::swap(&mut printer.functions, &mut self.functions);
        printer.defined = self.defined;
        printer.is_shared = true;
        printer.declare(&new);
        printer.classify(&new, &[]);
        for &t in &new {
            printer.define(t);
        }
        let begun = printer.out.len();
        printer.expression(vec![super::Truth(condition)]);
        let text = printer.out.split_off(begun);
        self.defined = printer.defined;
        std::mem::swap(&mut printer.functions, &mut self.functions);
        std::mem::swap(&mut printer.taken, &mut self.taken);
        std::mem::swap(&mut printer.bools, &mut self.bools);
        std::mem::swap(&mut printer.names, &mut self.names);
        std::mem::swap(&mut printer.out, out);
        for &t in &new {
            if let Some(symbol) = pool.as_symbol(t) {
                self.symbols.insert(symbol, self.names[&t].clone());
            }
        }
        text
    }

    /// The name that a symbol was declared with, as it is written.
    pub fn of_symbol(&self, symbol: Symbol) -> Option<&str> {
        self.symbols.get(&symbol).map(String::as_str)
    }

    /// A symbol that was declared before gets its name back.
    fn is_known_symbol(&mut self, pool: &Pool, t: Term) -> bool {
        let name = pool.as_symbol(t).and_then(|s| self.symbols.get(&s));
        if let Some(name) = name {
            self.names.insert(t, name.clone());
        }
        name.is_some()
    }

    /// The terms below a root that have no name, operands first.
    fn unnamed(&self, pool: &Pool, root: Term) -> Vec<Term> {
        let mut found: FxHashSet<Term> = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(t) = stack.pop() {
            let is_text = pool.is_const(t) || pool.op(t) == Op::IntConst;
            if is_text || self.names.contains_key(&t) || !found.insert(t) {
                continue;
            }
            stack.extend_from_slice(pool.children(t));
        }
        let mut found: Vec<Term> = found.into_iter().collect();
        found.sort_unstable(); // operands have smaller handles
        found
    }

    /// Terms were renumbered; those that are gone (all, when it is not known which) lose their names,
    /// which are not given again.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        let Some(relocation) = relocation else {
            self.names.clear();
            self.bools.clear();
            return;
        };
        let names = std::mem::take(&mut self.names).into_iter();
        self.names = names
            .filter_map(|(t, name)| Some((relocation.get(t)?, name)))
            .collect();
        let bools = std::mem::take(&mut self.bools).into_iter();
        self.bools = bools.filter_map(|t| relocation.get(t)).collect();
    }
}
