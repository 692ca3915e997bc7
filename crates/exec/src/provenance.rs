//! Which object a symbolic address was derived from.
//!
//! Machine code does not tell. But an address is nearly always the address of an object, plus constants, plus an
//! index: the constant part of the sum lies in the object or near it (`a[i - 1]`), whatever the index is. So the
//! object is the nearest one to the constant part that the address can be in. If the constant part is near none, one
//! summand may be a pointer that the path has not settled (read from a table, or picked by a condition): the path is
//! split by the object that it points to. Without any, the base is a null pointer.
//!
//! An access that can leave its object is an error, even where it would meet another object: natively another one lies
//! there, or none. If no object is found, an access may meet any object, as in KLEE. A correct program cannot be
//! blamed: its address is in one object only, and that one is found or none is. If two are possible, the program is
//! wrong, and at worst the message names the wrong one.

use crate::machine::Machine;
use crate::state::State;
use crate::trail::ChoiceKind;
use ir::layout::GLOBALS;
use memory::Object;
use smallvec::SmallVec;
use solver::{Ask, Bounds, Budget, Outcome};
use term::{Op, Pool, Term};

/// Maximum distance in bytes between an object and the constant part of an address derived from it.
const NEAR: u64 = 4096;
/// Largest number of summands of an address, and of operations looked at within one.
const MAX_STEPS: usize = 128;

/// What is known about the origin of an address.
pub(crate) enum Home {
    /// It was derived from this object.
    Object(Object),
    /// It was derived from this object (from none: a null pointer), and is not in it.
    Left(Option<Object>),
    /// Nothing is found out.
    Unknown,
    /// The solver did not decide whether the address can be in the object that is nearest.
    Undecided,
}

/// An access at a symbolic address.
pub(crate) struct Access {
    pub address: Term,
    /// The address under the witness.
    pub at: u64,
    pub bytes: u32,
    pub write: bool,
}

impl Machine {
    /// The object that the address of an access was derived from; the address is known to be within bounds.
    pub(crate) fn home(&mut self, s: &mut State, access: &Access, bounds: &Bounds) -> Home {
        let &Access { address, bytes, .. } = access;
        let Some(sum) = Sum::of(&self.reason.pool, address) else {
            return Home::Unknown;
        };
        let mut near: Vec<Object> = s
            .memory
            .around(sum.constant)
            .into_iter()
            .flatten()
            .collect();
        near.retain(|o| o.live && o.distance(sum.constant) <= NEAR);
        if !near.is_empty() {
            near.sort_by_key(|o| o.distance(sum.constant));
            // An access does not fit in a short object. What is meant may be the one behind it, unless the index can be 0.
            let short = near
                .iter()
                .find(|o| o.size < u64::from(bytes) && o.start == sum.constant);
            if let Some(&short) = short {
                let there = self.reason.pool.bv(64, sum.constant);
                let there = self.reason.pool.eq(address, there);
                match self.is_possible(s, there) {
                    Some(true) => return Home::Left(Some(short)),
                    Some(false) => {}
                    None => return Home::Undecided,
                }
            }
            return self.nearest(s, access, bounds, &near);
        }
        match sum.pointers[..] {
            [] if sum.constant < GLOBALS => Home::Left(None),
            [pointer] if s.retries < self.options.max_resolutions => {
                let value = self.eval(s, pointer);
                let points_to = |o: &Object| o.live && o.distance(value) == 0;
                let object = s.memory.object_at(value).filter(points_to);
                let (first, last) = match object {
                    Some(o) => (o.start, o.end()),
                    None if value < NEAR => (0, NEAR - 1),
                    // Other runs that come here decide, so this one does, too.
                    None if self.decider.records() => {
                        let (first, last) = s.memory.range_around(value);
                        (first.max(NEAR), last)
                    }
                    None => return Home::Unknown,
                };
                let points_there = self.inside(pointer, first, last);
                if !s.path.contains(&self.reason.pool, points_there) {
                    self.decide(s, points_there, ChoiceKind::Resolve);
                }
                // A pointer may be a distance only (`copy + (p - original)`): the address is never in its object then.
                match object {
                    None if value < NEAR => Home::Left(None),
                    None => Home::Unknown,
                    Some(o) if o.size >= u64::from(bytes) => self.nearest(s, access, bounds, &[o]),
                    Some(short) => {
                        let there = self.reason.pool.eq(address, pointer);
                        match self.is_possible(s, there) {
                            Some(true) => Home::Left(Some(short)),
                            Some(false) => Home::Unknown,
                            None => Home::Undecided,
                        }
                    }
                }
            }
            _ => Home::Unknown,
        }
    }

    /// The first one of the objects that the address can be in; the parts of a mapping are one.
    fn nearest(&mut self, s: &State, access: &Access, bounds: &Bounds, objects: &[Object]) -> Home {
        let &Access {
            address, at, bytes, ..
        } = access;
        let wholes = objects.iter().map(|o| s.memory.whole(o));
        let wholes: SmallVec<[Object; 2]> = wholes.collect();
        for o in wholes.into_iter().filter(|o| o.size >= u64::from(bytes)) {
            let last = o.end() - u64::from(bytes);
            if (o.start..=last).contains(&at) {
                return Home::Object(o);
            }
            if bounds.hi < o.start || bounds.lo > last {
                continue;
            }
            let inside = self.inside(address, o.start, last);
            let outside = self.reason.pool.not(inside);
            if s.path.contains(&self.reason.pool, outside) {
                return Home::Left(Some(o));
            }
            match self.is_possible(s, inside) {
                Some(true) => return Home::Object(o),
                Some(false) => {}
                None => return Home::Undecided,
            }
        }
        Home::Unknown
    }

    /// Is a condition possible on the path? `None` if the solver does not decide it.
    pub(crate) fn is_possible(&mut self, s: &State, condition: Term) -> Option<bool> {
        let budget = Budget {
            effort: self.options.first_effort,
            ..self.options.budget
        };
        let outcome = self.reason.solver.feasible(
            &mut self.reason.pool,
            condition,
            Ask::new(&s.path, &s.witness, &budget),
        );
        match outcome {
            Outcome::Sat(_) => Some(true),
            Outcome::Unsat(_) => Some(false),
            Outcome::Unknown(_) => None,
        }
    }
}

/// An address as a sum.
pub(crate) struct Sum {
    /// The constants.
    pub constant: u64,
    /// Summands that may be pointers; the others are indices.
    pointers: Vec<Term>,
}

impl Sum {
    /// `None` for one too long to read.
    pub fn of(pool: &Pool, address: Term) -> Option<Sum> {
        let mut sum = Sum {
            constant: 0,
            pointers: Vec::new(),
        };
        let mut open = vec![(address, 0u32, false)]; // term, shift to the left, negated
        for _ in 0..MAX_STEPS {
            let Some((t, shift, negated)) = open.pop() else {
                return Some(sum);
            };
            if let Some(value) = pool.as_const(t) {
                let value = value.checked_shl(shift).unwrap_or(0);
                sum.constant = if negated {
                    sum.constant.wrapping_sub(value)
                } else {
                    sum.constant.wrapping_add(value)
                };
                continue;
            }
            match pool.op(t) {
                Op::Add | Op::Sub => {
                    let turned = negated != (pool.op(t) == Op::Sub);
                    open.push((pool.child(t, 0), shift, negated));
                    open.push((pool.child(t, 1), shift, turned));
                }
                // The high part of a base whose low part is the index.
                Op::Concat if pool.is_const(pool.child(t, 0)) => {
                    let low = pool.child(t, 1);
                    open.push((pool.child(t, 0), shift + pool.width(low), negated));
                    open.push((low, shift, negated));
                }
                _ if !may_be_pointer(pool, t) => {}
                _ if shift == 0 && !negated && pool.width(t) == 64 => sum.pointers.push(t),
                _ => return None,
            }
        }
        None
    }
}

/// Can the value be an address that the program computed? Input alone makes none: an address is a constant
/// somewhere, or read from memory.
fn may_be_pointer(pool: &Pool, t: Term) -> bool {
    if let (_, 0..GLOBALS) = pool.interval(t) {
        return false;
    }
    let mut open = vec![t];
    for _ in 0..MAX_STEPS {
        let Some(t) = open.pop() else {
            return false;
        };
        match pool.as_const(t) {
            Some(GLOBALS..) => return true,
            Some(_) => continue,
            None if pool.op(t) == Op::Select => return true,
            None => open.extend(pool.children(t)),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;
    use testkit::Random;

    /// The sum of what is built from a symbolic index of 8 bits and one of 64.
    fn sum(build: &dyn Fn(&mut Pool, Term, Term) -> Term) -> (u64, usize) {
        let mut pool = Pool::new();
        let byte = pool.new_symbol("i", Sort::BitVec(8));
        let byte = pool.symbol_term(byte);
        let byte = pool.zext(64, byte);
        let word = pool.new_symbol("n", Sort::BitVec(64));
        let word = pool.symbol_term(word);
        let t = build(&mut pool, byte, word);
        let sum = Sum::of(&pool, t).expect("a short sum");
        (sum.constant, sum.pointers.len())
    }

    #[test]
    fn constants_are_added_up() {
        // Adding to an aligned base joins the parts.
        for base in [GLOBALS, GLOBALS + 0x1234, GLOBALS + 0x10_0000] {
            let plus = |pool: &mut Pool, i: Term, _: Term| {
                let b = pool.bv(64, base);
                pool.add(b, i)
            };
            let less = |pool: &mut Pool, i: Term, n: Term| {
                let b = pool.bv(64, base);
                let eight = pool.bv(64, 8);
                let (at, scaled) = (pool.sub(b, eight), pool.mul(n, eight));
                let at = pool.sub(at, i);
                pool.add(at, scaled)
            };
            assert_eq!(sum(&plus), (base, 0));
            assert_eq!(sum(&less), (base - 8, 0));
        }
    }

    #[test]
    fn a_pointer_is_told_from_an_index() {
        let picked = |pool: &mut Pool, i: Term, n: Term| {
            let three = pool.bv(64, 3);
            let (c, b, null) = (pool.eq(i, three), pool.bv(64, GLOBALS), pool.bv(64, 0));
            let p = pool.ite(c, b, null);
            let eight = pool.bv(64, 8);
            let offset = pool.mul(n, eight);
            pool.add(p, offset)
        };
        assert_eq!(sum(&picked), (0, 1));
        let null = |pool: &mut Pool, i: Term, n: Term| {
            let eight = pool.bv(64, 8);
            let offset = pool.mul(n, eight);
            let at = pool.add(offset, eight);
            pool.add(at, i)
        };
        assert_eq!(sum(&null), (8, 0));
    }

    /// A random sum of a base, constants and indices, and what its constants come to.
    fn random_sum(pool: &mut Pool, random: &mut Random, depth: u32) -> (Term, u64) {
        if depth == 0 || random.chance(15) {
            return match random.below(3) {
                0 => {
                    let base = GLOBALS + random.below(1 << 20);
                    (pool.bv(64, base), base)
                }
                1 => {
                    let byte = pool.new_symbol("i", Sort::BitVec(8));
                    let byte = pool.symbol_term(byte);
                    (pool.zext(64, byte), 0)
                }
                _ => {
                    let word = pool.new_symbol("n", Sort::BitVec(64));
                    let (word, scale) = (pool.symbol_term(word), pool.bv(64, 24));
                    (pool.mul(word, scale), 0)
                }
            };
        }
        let (a, first) = random_sum(pool, random, depth - 1);
        let (b, second) = random_sum(pool, random, depth - 1);
        if random.chance(50) {
            (pool.add(a, b), first.wrapping_add(second))
        } else {
            (pool.sub(a, b), first.wrapping_sub(second))
        }
    }

    /// Compared with the sum of the constants that were put in.
    #[test]
    fn the_constant_part_is_the_sum_of_all_constants_however_terms_are_rewritten() {
        let mut known = 0;
        for seed in 1..=400 {
            let mut random = Random::new(seed);
            let mut pool = Pool::new();
            let (address, constant) = random_sum(&mut pool, &mut random, 5);
            // One that is too long, or has a pointer that is taken away, is not read at all.
            let Some(sum) = Sum::of(&pool, address) else {
                continue;
            };
            if sum.pointers.is_empty() {
                known += 1;
                assert_eq!(sum.constant, constant, "seed {seed}");
            }
        }
        assert!(known > 200, "{known} of 400 sums were read");
    }

    #[test]
    fn a_sum_that_is_too_long_is_not_read() {
        let mut pool = Pool::new();
        let mut address = pool.bv(64, GLOBALS);
        for _ in 0..2 * MAX_STEPS {
            let index = pool.new_symbol("n", Sort::BitVec(64));
            let index = pool.symbol_term(index);
            address = pool.add(address, index);
        }
        assert!(Sum::of(&pool, address).is_none());
    }

    #[test]
    fn input_alone_is_no_pointer_and_an_address_in_it_makes_one() {
        let mut pool = Pool::new();
        let n = pool.new_symbol("n", Sort::BitVec(64));
        let n = pool.symbol_term(n);
        assert!(!may_be_pointer(&pool, n));
        let (eight, base) = (pool.bv(64, 8), pool.bv(64, GLOBALS + 64));
        let scaled = pool.mul(n, eight);
        assert!(!may_be_pointer(&pool, scaled));
        let (is_eight, null) = (pool.eq(n, eight), pool.bv(64, 0));
        let picked = pool.ite(is_eight, base, null);
        assert!(may_be_pointer(&pool, picked));
        // What is below all objects is none, whatever it is made of.
        let few = pool.bv(64, 0xff);
        let low = pool.and(picked, few);
        assert!(!may_be_pointer(&pool, low));
    }
}
