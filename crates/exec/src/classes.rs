//! Reads of tables at an index that another table gave: scanners, decoders and automata of all kinds.
//!
//! `next[base[state] + class[c]]`: the state that a table gave for the bytes before is one of few values, but as a term it grows by a
//! table a byte, and each question is about all bytes so far. The values of a byte fall into classes by the state that follows
//! (flex computes some of them itself). The path is split by these classes before a state meets the next byte: then each state is
//! a constant, and every condition is about one byte alone.
//!
//! A part of an address is such a state if it reads a table, depends on one byte, and meets others in the address; and
//! if its values are few beside those of the byte. (The values of a checksum's table are as many as its bytes: there nothing is split.)

use crate::machine::Machine;
use crate::state::State;
use crate::trail::ChoiceKind;
use smallvec::SmallVec;
use solver::{ByteSet, Origin};
use term::{Op, Sort, Substitution, Term, substitute};

/// Operations of an address that are looked at.
const MAX_STEPS: usize = 64;
/// States that follow each other in one address at most.
const MAX_ROUNDS: usize = 8;
/// So few classes are worth it always, and more only if they have two values each.
const FEW: usize = 4;
/// Classes of a byte by which a path is split at most.
const MOST: usize = 32;

impl Machine {
    /// The address of a load, after the path was split by the classes of what it reads from tables.
    pub(crate) fn by_classes(&mut self, s: &mut State, address: Term) -> Term {
        let mut address = address;
        for _ in 0..MAX_ROUNDS {
            let reads = self.reads_beside_others(address);
            if reads.is_empty() {
                break;
            }
            let mut known = Substitution::default();
            for read in reads {
                if let Some(value) = self.settle(s, read) {
                    known.insert(read, value);
                }
            }
            if known.is_empty() {
                break;
            }
            address = substitute(&mut self.reason.pool, address, &known);
        }
        address
    }

    /// A condition in which each read of a table that has one value on the path is that value.
    pub(crate) fn with_settled(&mut self, s: &State, condition: Term) -> Term {
        let mut known = Substitution::default();
        for read in self.reads_beside_others(condition) {
            let left = self.classes_left(s, read);
            if let Some([(value, _)]) = left.as_deref() {
                let width = self.reason.pool.width(read);
                known.insert(read, self.reason.pool.bv(width, *value));
            }
        }
        if known.is_empty() {
            return condition;
        }
        substitute(&mut self.reason.pool, condition, &known)
    }

    /// The value of a read on this path, if it has one or is worth a split.
    fn settle(&mut self, s: &mut State, read: Term) -> Option<Term> {
        let left = self.classes_left(s, read)?;
        let values: usize = left.iter().map(|(_, set)| set.len() as usize).sum();
        let classes = left.len();
        if classes > 1 {
            if classes > FEW && (classes > MOST || 2 * classes > values) {
                return None;
            }
            let state = self.same_classes_within(s, read, classes);
            let value = self.eval(s, state);
            let pool = &mut self.reason.pool;
            let value = pool.bv(pool.width(state), value);
            let same = pool.eq(state, value);
            let (_, child) = self.split(s, same, Origin::Branch, ChoiceKind::Value);
            if let Some(child) = child {
                self.fork_again(child);
            }
        }
        let value = self.eval(s, read);
        let pool = &mut self.reason.pool;
        Some(pool.bv(pool.width(read), value))
    }

    /// What a term over one byte can be on the path, each with the values of the byte for which it is so.
    fn classes_left(&mut self, s: &State, read: Term) -> Option<SmallVec<[(u64, ByteSet); 8]>> {
        let reason = &mut self.reason;
        let (byte, classes) = reason.solver.classes(&reason.pool, read)?;
        let domain = s.path.domain(byte);
        let left = classes
            .iter()
            .map(|(value, set)| (*value, set.intersect(&domain)));
        let left: SmallVec<[_; 8]> = left.filter(|(_, set)| !set.is_empty()).collect();
        (!left.is_empty()).then_some(left)
    }

    /// The innermost table read within a read that tells as many classes: not what is computed of the state, but the state.
    fn same_classes_within(&mut self, s: &State, read: Term, classes: usize) -> Term {
        let mut state = read;
        let mut at = read;
        for _ in 0..MAX_STEPS {
            let index = match self.reason.pool.op(at) {
                Op::Select => Some(self.reason.pool.child(at, 1)),
                _ => {
                    let kids: SmallVec<[Term; 3]> = self.reason.pool.children(at).into();
                    kids.into_iter()
                        .find(|&kid| self.reason.pool.has_array(kid))
                }
            };
            let Some(inner) = index.filter(|&t| self.reason.pool.has_array(t)) else {
                break;
            };
            let as_many = |left: SmallVec<[(u64, ByteSet); 8]>| left.len() == classes;
            if !self.classes_left(s, inner).is_some_and(as_many) {
                break;
            }
            state = inner;
            at = inner;
        }
        state
    }

    /// The largest parts of a term over several bytes that depend on one byte and read a table.
    fn reads_beside_others(&self, t: Term) -> SmallVec<[Term; 4]> {
        let pool = &self.reason.pool;
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
}
