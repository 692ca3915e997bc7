//! SMT-LIB text of a generated problem over arrays of one sort.

pub use crate::tools::script::Problem;
use crate::tools::script::shuffle;
use oracle::random::Random;
use std::ops::{Deref, DerefMut};

/// A script in the making.
pub struct ScriptBuilder {
    text: crate::tools::script::ScriptBuilder,
    /// Bits of an index.
    index: u32,
    /// Bits of an element.
    element: u32,
}

impl Deref for ScriptBuilder {
    type Target = crate::tools::script::ScriptBuilder;

    fn deref(&self) -> &Self::Target {
        &self.text
    }
}

impl DerefMut for ScriptBuilder {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.text
    }
}

impl ScriptBuilder {
    /// Over arrays with indices and elements of so many bits.
    pub fn new(index: u32, element: u32) -> ScriptBuilder {
        ScriptBuilder {
            text: crate::tools::script::ScriptBuilder::new("QF_AUFBV"),
            index,
            element,
        }
    }

    /// The same with widths of these lists.
    pub fn of_widths(random: &mut Random, indices: &[u32], elements: &[u32]) -> ScriptBuilder {
        ScriptBuilder::new(*random.one_of(indices), *random.one_of(elements))
    }

    /// The sort of the arrays.
    pub fn sort(&self) -> String {
        format!("(Array {} {})", bits(self.index), bits(self.element))
    }

    pub fn array(&mut self, name: impl Into<String>) -> String {
        let sort = self.sort();
        self.declare(name, &sort)
    }

    pub fn index(&mut self, name: impl Into<String>) -> String {
        let sort = bits(self.index);
        self.declare(name, &sort)
    }

    pub fn element(&mut self, name: impl Into<String>) -> String {
        let sort = bits(self.element);
        self.declare(name, &sort)
    }

    /// So many arrays with a common prefix.
    pub fn arrays(&mut self, prefix: &str, count: usize) -> Vec<String> {
        let sort = self.sort();
        self.declare_all(prefix, count, &sort)
    }

    pub fn indices(&mut self, prefix: &str, count: usize) -> Vec<String> {
        let sort = bits(self.index);
        self.declare_all(prefix, count, &sort)
    }

    pub fn elements(&mut self, prefix: &str, count: usize) -> Vec<String> {
        let sort = bits(self.element);
        self.declare_all(prefix, count, &sort)
    }

    /// A name for an array.
    pub fn define(&mut self, name: impl Into<String>, array: &str) -> String {
        let (name, sort) = (name.into(), self.sort());
        self.line(format!("(define-fun {name} () {sort} {array})"));
        name
    }

    /// With its question.
    pub fn finish(self) -> Problem {
        self.text.problem(None)
    }
}

/// The sort of so many bits.
fn bits(width: u32) -> String {
    format!("(_ BitVec {width})")
}

pub fn store(array: &str, index: &str, value: &str) -> String {
    format!("(store {array} {index} {value})")
}

pub fn select(array: &str, index: &str) -> String {
    format!("(select {array} {index})")
}

pub fn equal(a: &str, b: &str) -> String {
    format!("(= {a} {b})")
}

pub fn not(condition: &str) -> String {
    format!("(not {condition})")
}

/// All of them are different.
pub fn distinct(terms: &[String]) -> String {
    match terms {
        [] | [_] => "true".into(),
        _ => format!("(distinct {})", terms.join(" ")),
    }
}

/// `index` and a number.
pub fn plus(index: &str, number: usize, width: u32) -> String {
    format!("(bvadd {index} (_ bv{number} {width}))")
}

/// True in so many of a hundred cases.
pub fn chance(random: &mut Random, percent: u32) -> bool {
    random.below(100) < percent
}

/// A list in another order.
pub fn shuffled<T: Clone>(random: &mut Random, list: &[T]) -> Vec<T> {
    let mut list = list.to_vec();
    shuffle(random, &mut list);
    list
}
