//! SMT-LIB text of a generated problem over arrays of one sort.

use oracle::random::Random;

/// A script in the making.
pub struct Script {
    text: String,
    /// Bits of an index.
    index: u32,
    /// Bits of an element.
    element: u32,
}

impl Script {
    /// Over arrays with indices and elements of so many bits.
    pub fn new(index: u32, element: u32) -> Script {
        Script {
            text: "(set-logic QF_AUFBV)\n".into(),
            index,
            element,
        }
    }

    /// The same with widths of these lists.
    pub fn of_widths(random: &mut Random, indices: &[u32], elements: &[u32]) -> Script {
        Script::new(*random.one_of(indices), *random.one_of(elements))
    }

    /// Any line.
    pub fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn declare(&mut self, name: String, sort: &str) -> String {
        self.line(&format!("(declare-const {name} {sort})"));
        name
    }

    /// The sort of the arrays.
    pub fn sort(&self) -> String {
        format!(
            "(Array (_ BitVec {}) (_ BitVec {}))",
            self.index, self.element
        )
    }

    pub fn array(&mut self, name: impl Into<String>) -> String {
        let sort = self.sort();
        self.declare(name.into(), &sort)
    }

    pub fn index(&mut self, name: impl Into<String>) -> String {
        let sort = format!("(_ BitVec {})", self.index);
        self.declare(name.into(), &sort)
    }

    pub fn element(&mut self, name: impl Into<String>) -> String {
        let sort = format!("(_ BitVec {})", self.element);
        self.declare(name.into(), &sort)
    }

    /// So many arrays with a common prefix.
    pub fn arrays(&mut self, prefix: &str, count: usize) -> Vec<String> {
        (0..count)
            .map(|k| self.array(format!("{prefix}{k}")))
            .collect()
    }

    pub fn indices(&mut self, prefix: &str, count: usize) -> Vec<String> {
        (0..count)
            .map(|k| self.index(format!("{prefix}{k}")))
            .collect()
    }

    pub fn elements(&mut self, prefix: &str, count: usize) -> Vec<String> {
        (0..count)
            .map(|k| self.element(format!("{prefix}{k}")))
            .collect()
    }

    /// A name for an array.
    pub fn define(&mut self, name: impl Into<String>, array: &str) -> String {
        let (name, sort) = (name.into(), self.sort());
        self.line(&format!("(define-fun {name} () {sort} {array})"));
        name
    }

    pub fn assert(&mut self, condition: impl AsRef<str>) {
        self.line(&format!("(assert {})", condition.as_ref()));
    }

    pub fn finish(mut self) -> String {
        self.text += "(check-sat)\n";
        self.text
    }
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
    for k in (1..list.len()).rev() {
        list.swap(k, random.below(k as u32 + 1) as usize);
    }
    list
}
