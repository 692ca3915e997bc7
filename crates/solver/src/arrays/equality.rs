//! Equality of whole arrays.
//!
//! `a = b` is a fresh bit `e` with three kinds of axioms:
//!
//! * different: `!e` implies that `a` and `b` differ at a witness index of fresh bits, added for the equalities that a
//!   query may need to be false. If a query only needs them true, `e` may be false although the arrays are equal;
//! * equal at an index: `e` implies `a[i] = b[i]`, added on demand for the indices of the query: those
//!   of its reads, of the stores in `a` and `b`, of constant content, and the witnesses;
//! * equal elsewhere: `e` implies that the *default elements* agree. The default of an array symbol
//!   is fresh; a store keeps its array's, constant arrays and content have theirs. It stands for the
//!   element at an index at which no compared array has a store or content. That there is one is certain while
//!   these are fewer than 2^width; further arrays with narrow indices are instantiated at every index
//!   instead.
//!
//! Complete because the model that takes an array's reads and its default elsewhere satisfies every
//! equality so instantiated (the instantiation argument of Bradley, Manna and Sipma, "What's
//! decidable about arrays?", VMCAI 2006, section 4, without quantifiers).

use super::Arrays;
use super::read::ReadKey;
use crate::circuit::circuits::{Bits, constant};
use crate::circuit::{Circuit, Lowered};
use crate::query::Why;
use crate::sat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// Arrays with indices of at most so many bits are compared at every index where defaults do not serve.
const NARROW: u32 = 10;

/// The indices of one width at which the arrays that are compared by defaults have stores or content.
#[derive(Default)]
pub(crate) struct Written {
    /// Numbers of stores.
    stores: FxHashSet<u32>,
    /// The longest constant content.
    content: u64,
}

/// The bit of an equality, and the axioms that were added about it.
pub(crate) struct Equality {
    pub bit: Lit,
    /// The witness index at which the arrays differ if they do, once that axiom was added; the number of an index
    /// vector.
    pub witness: Option<u32>,
    /// Is it instantiated at every index, instead of by defaults?
    pub everywhere: bool,
    /// Indices at which "equal" was instantiated.
    pub instances: FxHashSet<u32>,
    /// The reads of these instances and of the witness.
    pub keys: Vec<ReadKey>,
}

/// Is it an equality of two arrays?
pub(crate) fn is_array_equality(pool: &Pool, t: Term) -> bool {
    pool.op(t) == Op::Eq && matches!(pool.sort(pool.child(t, 0)), Sort::Array { .. })
}

impl Arrays {
    /// The bit of an equality of arrays; `None` if terms were pushed that it needs first.
    pub(super) fn equality(
        &mut self,
        circuit: &mut Circuit,
        pool: &Pool,
        t: Term,
        work: &mut Vec<Term>,
    ) -> Result<Lowered, Why> {
        let (a, b) = (pool.child(t, 0), pool.child(t, 1));
        let Sort::Array { index, .. } = pool.sort(a) else {
            return Err(Why::Array);
        };
        let waiting = work.len();
        work.extend(parts(pool, &[a, b]).iter().filter(|&&p| !circuit.has(p)));
        if work.len() > waiting {
            return Ok(Lowered::Later);
        }
        let everywhere = !self.has_elsewhere(circuit, pool, index, &[a, b]);
        if everywhere && index > NARROW {
            return Err(Why::TooLarge);
        }
        let bit = circuit.aig.input();
        if !everywhere {
            let (left, right) = (
                self.default_of(circuit, pool, a),
                self.default_of(circuit, pool, b),
            );
            let same = circuit.aig.equal(&left, &right);
            let elsewhere = circuit.aig.or(!bit, same);
            self.pending.push(elsewhere);
        }
        let equality = Equality {
            bit,
            witness: None,
            everywhere,
            instances: FxHashSet::default(),
            keys: Vec::new(),
        };
        self.equalities.insert(t, equality);
        Ok(Lowered::Bits(vec![bit]))
    }

    /// Is there an index of this width where neither these arrays, all of whose parts have bits, nor the others that are compared by
    /// defaults have a store or content?
    fn has_elsewhere(
        &mut self,
        circuit: &Circuit,
        pool: &Pool,
        width: u32,
        arrays: &[Term],
    ) -> bool {
        let (stored, content) = stored_indices(pool, arrays);
        let stored = stored.iter().filter_map(|&i| circuit.get(i));
        let stored: Vec<u32> = stored.map(|bits| self.index(&bits.to_vec())).collect();
        let written = self.written.entry(width).or_default();
        written.stores.extend(stored);
        written.content = written.content.max(content);
        width >= 64 || written.stores.len() as u64 + written.content < 1 << width
    }

    /// The default element of an array all of whose parts have bits.
    fn default_of(&mut self, circuit: &mut Circuit, pool: &Pool, root: Term) -> Bits {
        let mut done: FxHashMap<Term, Bits> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&array) = stack.last() {
            let kids = pool.children(array);
            let Sort::Array { elem, .. } = pool.sort(array) else {
                unreachable!("an array")
            };
            let value = match pool.op(array) {
                Op::Store => done.get(&kids[0]).cloned().ok_or(&kids[..1]),
                Op::Ite => match (done.get(&kids[1]), done.get(&kids[2])) {
                    (Some(t), Some(e)) => {
                        let condition = circuit.get(kids[0]).expect("parts have bits")[0];
                        Ok(circuit.aig.choose(condition, t, e))
                    }
                    _ => Err(&kids[1..3]),
                },
                Op::ArrayConst => Ok(circuit.get(kids[0]).expect("parts have bits").to_vec()),
                Op::Symbol => {
                    let symbol = pool.as_symbol(array).expect("a symbol");
                    Ok(match self.defaults.get(&symbol) {
                        Some(bits) => bits.clone(),
                        None => {
                            let bits = circuit.inputs(elem as usize);
                            self.defaults.insert(symbol, bits.clone());
                            bits
                        }
                    })
                }
                // Past the content.
                _ => Ok(constant(elem as usize, 0)),
            };
            match value {
                Ok(bits) => {
                    done.insert(array, bits);
                    stack.pop();
                }
                Err(missing) => {
                    stack.extend(missing.iter().filter(|k| !done.contains_key(*k)));
                }
            }
        }
        done.remove(&root).expect("just computed")
    }
}

/// The equalities of arrays below conditions that shall hold which may have to be false for that: those that do not stand
/// below conjunctions and disjunctions only.
pub(super) fn may_be_false(pool: &Pool, conditions: &[Term]) -> FxHashSet<Term> {
    const ITSELF: u8 = 1;
    const NEGATED: u8 = 2;
    let mut found: FxHashSet<Term> = FxHashSet::default();
    let mut seen: FxHashMap<Term, u8> = FxHashMap::default();
    let mut stack: Vec<(Term, u8)> = conditions.iter().map(|&t| (t, ITSELF)).collect();
    while let Some((t, polarity)) = stack.pop() {
        let before = seen.entry(t).or_default();
        if *before | polarity == *before {
            continue;
        }
        *before |= polarity;
        if polarity & NEGATED != 0 && is_array_equality(pool, t) {
            found.insert(t);
        }
        let is_condition = pool.sort(t) == Sort::BitVec(1);
        let below = match pool.op(t) {
            Op::And | Op::Or if is_condition => polarity,
            Op::Not if is_condition => (polarity & ITSELF) << 1 | (polarity & NEGATED) >> 1,
            _ => ITSELF | NEGATED,
        };
        stack.extend(pool.children(t).iter().map(|&kid| (kid, below)));
    }
    found
}

/// The conditions, indices and elements that arrays are built from.
fn parts(pool: &Pool, arrays: &[Term]) -> Vec<Term> {
    let mut parts = Vec::new();
    walk(pool, arrays, |array| match pool.op(array) {
        Op::Store => parts.extend(&pool.children(array)[1..]),
        Op::Ite | Op::ArrayConst => parts.push(pool.child(array, 0)),
        _ => {}
    });
    parts
}

/// Visits the versions of arrays down to their bases, each once.
fn walk(pool: &Pool, arrays: &[Term], mut visit: impl FnMut(Term)) {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack = arrays.to_vec();
    while let Some(array) = stack.pop() {
        if !seen.insert(array) {
            continue;
        }
        visit(array);
        match pool.op(array) {
            Op::Store => stack.push(pool.child(array, 0)),
            Op::Ite => stack.extend(&pool.children(array)[1..]),
            _ => {}
        }
    }
}

/// Indices of the stores in arrays, and the length of the longest constant content.
pub(crate) fn stored_indices(pool: &Pool, arrays: &[Term]) -> (Vec<Term>, u64) {
    let (mut indices, mut content) = (Vec::new(), 0);
    walk(pool, arrays, |array| match pool.op(array) {
        Op::Store => indices.push(pool.child(array, 1)),
        Op::ArrayBytes => content = content.max(pool.array_content(array).len() as u64),
        _ => {}
    });
    (indices, content)
}
