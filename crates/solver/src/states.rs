//! Reads of tables at an index that another table gave: scanners, decoders and automata of all kinds.
//!
//! `next[base[state] + class[c]]`: the state that a table gave for the characters before is one of few values, but as a term it grows by a
//! table a character, and each question is about all characters so far. The values of a character fall into classes by the state that follows
//! (flex computes some of them itself). The path is split by these classes before a state meets the next character: then each state is
//! a constant, and every condition is about one character alone.
//!
//! A part of an address is such a state if it reads a table, depends on one symbol (of 8 to 16 bits), and meets others in the address; and
//! if its values are few beside those of the symbol. (The values of a checksum's table are as many as its bytes: there nothing is split.)
//! All of that is a function of the path, so that each process and each run that is taken up again splits alike.

use crate::path::PathCondition;
use crate::solver::Solver;
use crate::wide_values::ValueCounts;
use smallvec::SmallVec;
use term::{Op, Pool, Sort, Substitution, Term, substitute};

/// Operations of an address that are looked at.
const MAX_STEPS: usize = 64;
/// States that follow each other in one address at most.
const MAX_ROUNDS: usize = 8;
/// So few classes are worth it always, and more only if they have two values each.
const FEW: usize = 4;
/// ValueCounts of a symbol by which a path is split at most.
const MOST: usize = 32;

/// A path at work, which can be split.
pub trait Splits {
    /// The terms, the solver, and the conditions so far.
    fn parts(&mut self) -> (&mut Pool, &mut Solver, &PathCondition);
    /// The value of a term on this path, under its witness.
    fn eval(&mut self, t: Term) -> u64;
    /// Continues where this condition, which the witness fulfils, holds; the rest is another path.
    fn split(&mut self, condition: Term);
}

/// The address of a load, after the path was split by the classes of what it reads from tables.
pub fn by_states(path: &mut dyn Splits, address: Term) -> Term {
    let mut address = address;
    for _ in 0..MAX_ROUNDS {
        let reads = reads_beside_others(path.parts().0, address);
        if reads.is_empty() {
            break;
        }
        let mut known = Substitution::default();
        for read in reads {
            if let Some(value) = settle(path, read) {
                known.insert(read, value);
            }
        }
        if known.is_empty() {
            break;
        }
        address = substitute(path.parts().0, address, &known);
    }
    address
}

/// A condition in which each read of a table that has one value on the path is that value.
pub fn with_settled(
    pool: &mut Pool,
    solver: &mut Solver,
    path: &PathCondition,
    condition: Term,
) -> Term {
    let mut known = Substitution::default();
    for read in reads_beside_others(pool, condition) {
        let left = solver.classes_left(pool, path, read);
        if let Some([(value, _)]) = left.as_deref() {
            let width = pool.width(read);
            known.insert(read, pool.bv(width, *value));
        }
    }
    if known.is_empty() {
        return condition;
    }
    substitute(pool, condition, &known)
}

/// The value of a read on this path, if it has one or is worth a split.
fn settle(path: &mut dyn Splits, read: Term) -> Option<Term> {
    let left = classes_left(path, read)?;
    let values: usize = left.iter().map(|class| class.1 as usize).sum();
    let classes = left.len();
    if classes > 1 {
        if classes > FEW && (classes > MOST || 2 * classes > values) {
            return None;
        }
        let state = same_classes_within(path, read, classes);
        let value = path.eval(state);
        let pool = path.parts().0;
        let value = pool.bv(pool.width(state), value);
        let same = pool.eq(state, value);
        path.split(same);
    }
    let value = path.eval(read);
    let pool = path.parts().0;
    Some(pool.bv(pool.width(read), value))
}

fn classes_left(path: &mut dyn Splits, read: Term) -> Option<ValueCounts> {
    let (pool, solver, path) = path.parts();
    solver.classes_left(pool, path, read)
}

/// The innermost table read within a read that tells as many classes: not what is computed of the state, but the state.
fn same_classes_within(path: &mut dyn Splits, read: Term, classes: usize) -> Term {
    let mut state = read;
    let mut at = read;
    for _ in 0..MAX_STEPS {
        let pool = path.parts().0;
        let index = match pool.op(at) {
            Op::Select => Some(pool.child(at, 1)),
            _ => {
                let mut kids = pool.children(at).iter();
                kids.find(|&&kid| pool.has_array(kid)).copied()
            }
        };
        let Some(inner) = index.filter(|&t| pool.has_array(t)) else {
            break;
        };
        let as_many = |left: ValueCounts| left.len() == classes;
        if !classes_left(path, inner).is_some_and(as_many) {
            break;
        }
        state = inner;
        at = inner;
    }
    state
}

/// The largest parts of a term over several symbols that depend on one symbol and read a table.
fn reads_beside_others(pool: &Pool, t: Term) -> SmallVec<[Term; 4]> {
    let mut found = SmallVec::new();
    if !pool.has_array(t) || pool.single_symbol(t).is_some() {
        return found;
    }
    let mut seen: SmallVec<[Term; 16]> = SmallVec::new();
    let mut open: SmallVec<[Term; 16]> = SmallVec::from_slice(&[t]);
    while let Some(part) = open.pop() {
        if seen.len() == MAX_STEPS {
            return SmallVec::new();
        }
        if seen.contains(&part) || !pool.has_array(part) {
            continue;
        }
        seen.push(part);
        let is_value = matches!(pool.sort(part), Sort::BitVec(..=64));
        if is_value && pool.single_symbol(part).is_some() {
            found.push(part);
            continue;
        }
        let kids = pool.children(part);
        open.extend(kids.iter().copied());
    }
    found
}
