//! The program's input: named objects, each a number of values of one type.

use crate::terms;
use rustc_hash::FxHashMap;
use solver::Model;
use term::{Pool, Sort, Symbol, Term, sign_extend};

/// How the name of a choice ends that the driver makes for each object which no caller of the entry point can make, behind the name of its
/// class (`Inputs.java`): "this.Version.hidden".
pub const HIDDEN: &str = ".hidden";
/// The same for a stub, when one of its methods is called (`Stubs.java`): "arg0.Visitor.stub".
pub const STUB: &str = ".stub";
/// The same for a collection with elements whose type does not say of which class they are: "arg0.raw".
pub const RAW: &str = ".raw";

/// An object of input, as long as the longest of its kind in any run.
pub(crate) struct Object {
    pub name: String,
    /// Type of its values, as a letter of Java's descriptions.
    pub kind: char,
    pub symbols: Vec<Symbol>,
}

impl Object {
    /// A value as the JVM gets it.
    fn value(&self, at: usize, values: &Model) -> u64 {
        let bits = values.get(self.symbols[at]);
        match self.kind {
            'B' | 'S' | 'I' => sign_extend(bits, terms::width(self.kind)),
            _ => bits,
        }
    }

    /// The first values as bytes, little-endian.
    pub fn bytes(&self, count: usize, values: &Model) -> Vec<u8> {
        let size = terms::size(self.kind);
        let all = self.symbols.iter().take(count);
        all.flat_map(|&s| values.get(s).to_le_bytes().into_iter().take(size))
            .collect()
    }
}

/// All objects that any run has asked for.
#[derive(Default)]
pub(crate) struct Inputs {
    pub objects: Vec<Object>,
    /// The object of each symbol.
    owners: FxHashMap<Symbol, usize>,
    by_name: FxHashMap<String, usize>,
}

impl Inputs {
    /// The object of this name, with at least so many values. An error if it had another type before.
    pub fn object(
        &mut self,
        pool: &mut Pool,
        name: &str,
        kind: char,
        count: usize,
    ) -> Result<usize, String> {
        let at = match self.by_name.get(name) {
            Some(&at) => at,
            None => {
                self.by_name.insert(name.to_string(), self.objects.len());
                self.objects.push(Object {
                    name: name.to_string(),
                    kind,
                    symbols: Vec::new(),
                });
                self.objects.len() - 1
            }
        };
        let object = &mut self.objects[at];
        if object.kind != kind {
            return Err(format!("input '{name}' has two types"));
        }
        let sort = Sort::BitVec(terms::symbol_width(kind));
        for i in object.symbols.len()..count {
            let symbol = pool.new_symbol(&format!("{name}[{i}]"), sort);
            object.symbols.push(symbol);
            self.owners.insert(symbol, at);
        }
        Ok(at)
    }

    /// The object that a symbol is a value of.
    pub fn owner(&self, symbol: Symbol) -> Option<usize> {
        self.owners.get(&symbol).copied()
    }

    /// The term of a value on the operand stack: narrow ones are extended.
    pub fn term(&self, pool: &mut Pool, object: usize, at: usize) -> Term {
        let Object { kind, symbols, .. } = &self.objects[object];
        let symbol = pool.symbol_term(symbols[at]);
        match kind {
            'Z' | 'C' => pool.zext(32, symbol),
            'B' | 'S' => pool.sext(32, symbol),
            _ => symbol,
        }
    }

    /// The values that the JVM gets: each object with its values.
    pub fn values<'a>(
        &'a self,
        values: &'a Model,
    ) -> impl ExactSizeIterator<Item = (&'a str, Vec<u64>)> {
        self.objects.iter().map(move |o| {
            let all = (0..o.symbols.len()).map(|at| o.value(at, values));
            (o.name.as_str(), all.collect())
        })
    }
}
