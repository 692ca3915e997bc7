//! New symbolic objects, and the symbols of their bytes: equal names and sizes have the same symbols on all paths.

use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::State;
use std::rc::Rc;
use term::{Symbol, Term};

/// Bytes that a symbolic byte takes: its name, its term, its set of symbols, its place in a page.
const SYMBOL_BYTES: u64 = 200;

impl Machine {
    /// A new symbolic object with a name like this one, which no other object of the path has.
    pub fn new_object(
        &mut self,
        s: &mut State,
        name: &str,
        len: usize,
    ) -> Result<Vec<Term>, Termination> {
        let name = if name.is_empty() { "unnamed" } else { name };
        let unique = s.objects.unique(&mut self.names.numbers, name);
        self.symbolic_object(s, &unique, len)
    }

    /// Adds a symbolic object to the path. Sibling paths that add an object of the same name and size
    /// share its symbols.
    pub fn symbolic_object(
        &mut self,
        s: &mut State,
        name: &str,
        len: usize,
    ) -> Result<Vec<Term>, Termination> {
        let symbols = self.symbols_of(name, len)?;
        let pool = &mut self.reason.pool;
        let terms = symbols.iter().map(|&x| pool.symbol_term(x)).collect();
        s.objects.push(&mut self.names.numbers, name, symbols);
        self.stats.symbolic_objects += 1;
        Ok(terms)
    }

    /// The symbols of objects of a name and size. An error only if the run has to end before they are made.
    pub fn symbols_of(&mut self, name: &str, len: usize) -> Result<Rc<[Symbol]>, Termination> {
        let (name, number) = self.names.numbers.number(name);
        if let Some(known) = self.names.symbols.get(&(number, len)) {
            return Ok(known.clone());
        }
        room::need((len as u64).saturating_mul(SYMBOL_BYTES));
        let mut symbols = Vec::new();
        for i in 0..len {
            if i % 4096 == 0 {
                self.may_go_on()?;
            }
            let byte = format!("{name}[{i}]");
            symbols.push(self.reason.pool.new_symbol(&byte, term::Sort::BitVec(8)));
        }
        if let Some(first) = symbols.first() {
            self.names.owners.insert(*first, (name, len));
        }
        let symbols: Rc<[Symbol]> = symbols.into();
        self.names.symbols.insert((number, len), symbols.clone());
        Ok(symbols)
    }

    /// The object that a symbol is a byte of: its name, its size, and which byte. Not every symbol is of an object.
    pub(crate) fn owner(&self, symbol: Symbol) -> Option<(&str, usize, usize)> {
        let (first, (name, len)) = self.names.owners.range(..=symbol).next_back()?;
        let at = (symbol.0 - first.0) as usize;
        (at < *len).then_some((name, *len, at))
    }
}
