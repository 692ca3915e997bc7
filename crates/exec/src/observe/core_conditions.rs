//! Core branch conditions: equalities of input bytes with constants, and conjunctions and disjunctions of them.
//!
//! Compilers write them in many ways (`(c & 0xdf) == 'Y'`, `c - '0' < 2`, `((a ^ 'G') | (b ^ 'E')) == 0`). A condition over one byte is
//! known by the values that satisfy it, whatever its form; of those over several bytes, words, masks of words and `memcmp` are read.
//!
//! They are the features by which states are pruned (`search::homi`; section 3.2.2 of the paper). A condition is recognized
//! when it is added to a path and has a number from then on, for the whole run: it is known by its symbols and
//! constants, and not by its term, which a collection moves.

use solver::ByteSet;
use std::collections::HashMap;
use term::{Op, Pool, Symbol, Term};

/// Bytes that a condition may name: those of a word.
const MOST: usize = 8;
/// Conditions that have a number; further ones are no features.
const MOST_CONDITIONS: usize = 1 << 16;

/// A disjunction of conjunctions of bytes with their values, in order. One of the two is trivial: the paper's language
/// has no mixture.
type Condition = Vec<Vec<(Symbol, u8)>>;

/// The conditions seen so far.
#[derive(Default)]
pub(crate) struct CoreConditions {
    numbers: HashMap<Condition, u32>,
    conditions: Vec<Condition>,
}

impl CoreConditions {
    /// The number of a condition, if it is a core condition. `satisfying` says which values satisfy it if it is one over a single byte.
    pub fn number(
        &mut self,
        pool: &Pool,
        condition: Term,
        satisfying: impl FnOnce() -> Option<(Symbol, ByteSet)>,
    ) -> Option<u32> {
        let mut found = match disjunction(pool, condition) {
            Some(found) => found,
            None => values(satisfying()?)?,
        };
        found.iter_mut().for_each(|all| all.sort_unstable());
        found.sort_unstable();
        if let Some(&number) = self.numbers.get(&found) {
            return Some(number);
        }
        if self.conditions.len() >= MOST_CONDITIONS {
            return None;
        }
        let number = self.conditions.len() as u32;
        self.conditions.push(found.clone());
        self.numbers.insert(found, number);
        Some(number)
    }

    /// How many have a number.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.conditions.len()
    }

    /// A condition as the user reads it: `arg00[0] = '-'`.
    pub fn words(&self, pool: &Pool, number: u32) -> String {
        let condition = &self.conditions[number as usize];
        let all = |bytes: &Vec<(Symbol, u8)>| {
            let bytes = bytes.iter().map(|&(symbol, value)| {
                let value = match value {
                    b' '..=b'~' => format!("'{}'", char::from(value)),
                    _ => value.to_string(),
                };
                format!("{} = {value}", pool.symbol_name(symbol))
            });
            bytes.collect::<Vec<_>>().join(" and ")
        };
        condition.iter().map(all).collect::<Vec<_>>().join(" or ")
    }
}

/// A byte that has one of these values; `None` if they are too many: such a condition excludes values rather than naming them.
fn values((symbol, set): (Symbol, ByteSet)) -> Option<Condition> {
    let is_core = (1..=MOST as u32).contains(&set.len());
    is_core.then(|| set.iter().map(|value| vec![(symbol, value)]).collect())
}

/// Reads a disjunction of single equalities, or one conjunction.
fn disjunction(pool: &Pool, t: Term) -> Option<Condition> {
    let (mut open, mut any) = (vec![t], Vec::new());
    while let Some(t) = open.pop() {
        if pool.op(t) == Op::Or {
            open.extend_from_slice(pool.children(t));
            if open.len() + any.len() > MOST {
                return None;
            }
            continue;
        }
        let mut all = Vec::new();
        conjunction(pool, t, &mut all)?;
        any.push(all);
    }
    let is_core = any.len() == 1 || any.iter().all(|all| all.len() == 1);
    is_core.then_some(any)
}

/// Reads a conjunction of equalities.
fn conjunction(pool: &Pool, t: Term, all: &mut Vec<(Symbol, u8)>) -> Option<()> {
    let mut open = vec![t];
    while let Some(t) = open.pop() {
        let [a, b] = *pool.children(t).get(..2)?.first_chunk()?;
        match pool.op(t) {
            Op::And => open.extend([a, b]),
            Op::Eq => match (pool.as_const(a), pool.as_const(b)) {
                (Some(value), None) => bytes(pool, b, value, all)?,
                (None, Some(value)) => bytes(pool, a, value, all)?,
                _ => return None,
            },
            _ => return None,
        }
        if open.len() + all.len() > MOST {
            return None;
        }
    }
    Some(())
}

/// The bytes of an l-value that equals a constant.
fn bytes(pool: &Pool, t: Term, value: u64, all: &mut Vec<(Symbol, u8)>) -> Option<()> {
    let mut open = vec![(t, value)];
    while let Some((t, value)) = open.pop() {
        match pool.op(t) {
            Op::Symbol if pool.width(t) == 8 => {
                all.push((pool.as_symbol(t)?, u8::try_from(value).ok()?));
            }
            Op::Zext => open.push((pool.child(t, 0), value)),
            // What `memcmp` of a few bytes becomes: the differences, all 0.
            Op::Or if value == 0 => {
                open.extend(pool.children(t).iter().map(|&part| (part, 0)));
            }
            Op::Xor => {
                let [a, b] = *pool.children(t).first_chunk()?;
                match (pool.as_const(a), pool.as_const(b)) {
                    (Some(mask), None) => open.push((b, value ^ mask)),
                    (None, Some(mask)) => open.push((a, value ^ mask)),
                    _ => return None,
                }
            }
            Op::Concat => {
                let (high, low) = (pool.child(t, 0), pool.child(t, 1));
                let width = pool.width(low);
                if width >= 64 {
                    return None;
                }
                open.push((high, value >> width));
                open.push((low, value & ((1 << width) - 1)));
            }
            _ => return None,
        }
        if all.len() > MOST {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::{Solver, SolverOptions};
    use term::Sort;

    #[test]
    fn equalities_are_core_conditions_and_nothing_else_is() {
        let mut pool = Pool::new();
        let [x, y] = ["a[0]", "a[1]"].map(|name| pool.new_symbol(name, Sort::BitVec(8)));
        let [x, y] = [x, y].map(|s| pool.symbol_term(s));
        let is = |pool: &mut Pool, t: Term, n: u64| {
            let n = pool.bv(pool.width(t), n);
            pool.eq(t, n)
        };
        let (x3, ydash) = (is(&mut pool, x, 3), is(&mut pool, y, 45));
        let both = pool.and(x3, ydash);
        let either = pool.or(ydash, x3);
        let word = pool.concat(y, x);
        let wide = pool.zext(32, word);
        let same_as_both = is(&mut pool, wide, 45 << 8 | 3);

        let mut core = CoreConditions::default();
        let mut number = |pool: &Pool, t| core.number(pool, t, || None);
        assert_eq!(number(&pool, x3), Some(0));
        assert_eq!(number(&pool, both), Some(1));
        assert_eq!(number(&pool, either), Some(2));
        assert_eq!(number(&pool, same_as_both), Some(1));
        assert_eq!(number(&pool, x3), Some(0));
        let not = pool.not(x3);
        let less = pool.ult(x, y);
        let mixed = {
            let other = is(&mut pool, x, 9);
            pool.or(both, other)
        };
        let equal = pool.eq(x, y);
        for other in [not, less, mixed, equal] {
            assert_eq!(number(&pool, other), None);
        }
        // As compilers write them.
        let differences = [(x, 3), (y, 45)].map(|(byte, value)| {
            let value = pool.bv(8, value);
            let difference = pool.xor(byte, value);
            pool.zext(32, difference)
        });
        let any = pool.or(differences[0], differences[1]);
        let memcmp = is(&mut pool, any, 0);
        assert_eq!(number(&pool, memcmp), Some(1));
        let mut solver = Solver::new(SolverOptions::default());
        let mut by_values = |pool: &Pool, t| core.number(pool, t, || solver.satisfying(pool, t));
        let mask = pool.bv(8, 0xdf);
        let upper = pool.and(x, mask);
        let letter = is(&mut pool, upper, b'Y'.into());
        let [ten, three] = [10, 3].map(|n| pool.bv(8, n));
        let rest = pool.urem(x, ten);
        let many = pool.eq(rest, three);
        assert_eq!(by_values(&pool, letter), Some(3));
        assert_eq!(by_values(&pool, x3), Some(0));
        assert_eq!(by_values(&pool, not), None, "255 values");
        assert_eq!(by_values(&pool, many), None, "26 values");
        assert_eq!(core.words(&pool, 3), "a[0] = 'Y' or a[0] = 'y'");
        assert_eq!(core.words(&pool, 0), "a[0] = 3");
        assert_eq!(core.words(&pool, 1), "a[0] = 3 and a[1] = '-'");
        assert_eq!(core.words(&pool, 2), "a[0] = 3 or a[1] = '-'");
    }
}
