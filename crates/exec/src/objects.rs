//! The named symbolic objects of a path, whose bytes a test case must supply.
//!
//! Persistent, since paths share them: a fork copies two pointers, and a new object costs the same whether it is
//! the first or the forty thousandth.

use solver::PVec;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use term::Symbol;

/// A named symbolic object.
#[derive(Clone, Debug)]
pub struct SymbolicObject {
    /// The name under which it was made symbolic.
    pub name: Rc<str>,
    /// One for each byte.
    pub symbols: Rc<[Symbol]>,
    /// The address at which they were put first; 0 for input that is no object of memory.
    pub place: u64,
}

/// The objects of a path, in the order in which they were made.
#[derive(Clone, Default)]
pub struct Objects {
    items: PVec<Option<SymbolicObject>>,
    len: usize,
    /// By the number of a name in [`Names`]: 0 if no object of this path has it, else the first number that may
    /// distinguish another object of this name.
    used: PVec<u32>,
}

/// Names of symbolic objects of all paths, numbered.
#[derive(Default)]
pub(crate) struct Names(HashMap<Rc<str>, u32>);

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> (Rc<str>, usize) {
        if let Some((known, &number)) = self.0.get_key_value(name) {
            return (known.clone(), number as usize);
        }
        let (name, number): (Rc<str>, u32) = (name.into(), self.0.len() as u32);
        self.0.insert(name.clone(), number);
        (name, number as usize)
    }
}

/// The names of symbolic input, which all paths share.
#[derive(Default)]
pub(crate) struct Naming {
    pub numbers: Names,
    /// Symbols of objects by the number of their name and their size, so that equal inputs of sibling states are the same symbols.
    pub symbols: HashMap<(usize, usize), Rc<[Symbol]>>,
    /// Name and size of each object by its first symbol; the others follow it.
    pub owners: BTreeMap<Symbol, (Rc<str>, usize)>,
}

impl Objects {
    /// Number of objects.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The object that was made as number `index`.
    pub fn get(&self, index: usize) -> Option<&SymbolicObject> {
        self.items.get(index)?.as_ref()
    }

    /// The objects, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &SymbolicObject> {
        (0..self.len).filter_map(|i| self.items.get(i)?.as_ref())
    }

    fn next_number(&self, name: usize) -> u32 {
        self.used.get(name).copied().unwrap_or(0)
    }

    /// Adds one. The name need not be new.
    pub(crate) fn push(&mut self, names: &mut Names, name: &str, symbols: Rc<[Symbol]>) {
        let (name, number) = names.number(name);
        let next = self.used.get_mut(number);
        *next = (*next).max(1);
        *self.items.get_mut(self.len) = Some(SymbolicObject {
            name,
            symbols,
            place: 0,
        });
        self.len += 1;
    }

    /// Says where the newest object was put.
    pub fn put(&mut self, place: u64) {
        let newest = self.len.checked_sub(1);
        if let Some(object) = newest.and_then(|at| self.items.get_mut(at).as_mut()) {
            object.place = place;
        }
    }

    /// The object at an address, if there is one, lies at another one from now on.
    pub fn moved(&mut self, from: u64, to: u64) {
        if let Some(object) = self
            .index_at(from)
            .and_then(|at| self.items.get_mut(at).as_mut())
        {
            object.place = to;
        }
    }

    /// The newest object that was put at an address.
    pub fn at(&self, place: u64) -> Option<&SymbolicObject> {
        self.get(self.index_at(place)?)
    }

    /// The same, by its index.
    pub fn index_at(&self, place: u64) -> Option<usize> {
        let is_there = |i: &usize| self.get(*i).is_some_and(|o| o.place == place);
        (0..self.len).rev().find(is_there).filter(|_| place != 0)
    }

    /// A name that no object has, made from this one as KLEE does: `x`, `x_1`, `x_2`, …
    pub(crate) fn unique(&mut self, names: &mut Names, name: &str) -> String {
        let (_, base) = names.number(name);
        let mut next = self.next_number(base);
        let mut unique = name.to_string();
        while next > 0 {
            unique = format!("{name}_{next}");
            next += 1;
            let (_, number) = names.number(&unique);
            if self.next_number(number) == 0 {
                break;
            }
        }
        *self.used.get_mut(base) = next.max(1);
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_as_klee_does() {
        let (mut names, mut objects) = (Names::default(), Objects::default());
        let mut made = |objects: &mut Objects, name: &str| {
            let unique = objects.unique(&mut names, name);
            objects.push(&mut names, &unique, [].into());
            unique
        };
        assert_eq!(made(&mut objects, "x"), "x");
        assert_eq!(made(&mut objects, "x_2"), "x_2");
        assert_eq!(made(&mut objects, "x"), "x_1");
        let mut other = objects.clone();
        assert_eq!(made(&mut objects, "x"), "x_3");
        assert_eq!(made(&mut other, "y"), "y");
        assert_eq!(made(&mut other, "x"), "x_3");
        assert_eq!(made(&mut other, "x_1"), "x_1_1");
        let names: Vec<&str> = objects.iter().map(|o| &*o.name).collect();
        assert_eq!(names, ["x", "x_2", "x_1", "x_3"]);
        assert_eq!(other.len(), 6);
    }

    #[test]
    fn an_object_is_known_by_its_place() {
        let (mut names, mut objects) = (Names::default(), Objects::default());
        for (name, place) in [("x", 0), ("y", 8), ("z", 8), ("w", 16)] {
            objects.push(&mut names, name, [].into());
            objects.put(place);
        }
        // The storage at 8 was given twice: what is there now is the newer one.
        let at = |place| objects.at(place).map(|o| &*o.name);
        assert_eq!((at(8), at(16)), (Some("z"), Some("w")));
        assert_eq!((at(0), at(12)), (None, None));
        objects.moved(8, 24);
        let at = |place| objects.at(place).map(|o| &*o.name);
        assert_eq!((at(8), at(24)), (Some("y"), Some("z")));
    }
}
