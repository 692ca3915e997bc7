//! Pass `codes`: values that are only compared, chosen, stored and read become codes of few bits.
//!
//! If nothing is computed from some values, it only matters which of them are equal: as many codes are enough as there
//! can be different values (the small domains of Pnueli, Rodeh, Strichman and Siegel, "The small model property: how
//! small can it be?", Information and Computation 178, 2002, with arrays). Terms whose values meet (sides of an
//! equation, branches of a choice, elements of an array, its indices) are one class, and all of a class have codes or
//! none.
//!
//! * How many codes: one for each term of the class; for a class of indices also one for each equation between arrays (an index
//!   where they differ) and one, the *other* code, that stands for all indices that no term names; for a class of elements one for each
//!   index of each array symbol. So a model of the query gives a model over codes: an array has at the other code what it has at
//!   some index that no term names.
//! * Codes of constants are fixed, all others are open, and the code of a smaller number is that number. No index in
//!   the query is the other code, which is said by conjuncts; so a model over codes gives a model of the query, in which arrays have at
//!   all indices without a code what they have at the other code.
//!
//! Elements have codes only in arrays whose indices have, since a model of such an array is finite.

mod classes;

use super::{Pass, PassContext, Preprocess};
use classes::{Class, Classes, INDEX, VALUE};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Symbol, Term};

/// The pass.
pub(super) struct ShortCodes;

impl Pass for ShortCodes {
    fn name(&self) -> &'static str {
        "codes"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        shorten(query, around.pool, &mut around.stats.codes)
    }
}

/// Applies the rule; counts the symbols that have codes from now on.
fn shorten(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let cone = pool.cone(&query.conjuncts);
    let mut classes = Classes::of(&cone);
    let coded = classes.coded(pool, &cone).into_iter();
    let codes: FxHashMap<usize, Codes> = coded
        .map(|(k, class)| (k, Codes::new(pool, &class)))
        .collect();
    let symbols = cone.iter().filter(|&&t| pool.op(t) == Op::Symbol);
    let symbols =
        symbols.filter(|&&t| classes.parts(pool, t).iter().any(|c| codes.contains_key(c)));
    let found = symbols.count() as u64;
    if found == 0 {
        return false;
    }
    let mut coding = Coding {
        classes,
        codes,
        gone: &mut query.gone,
        others: Vec::new(),
        places: FxHashMap::default(),
    };
    for &t in &cone {
        let place = coding.place(pool, t);
        coding.places.insert(t, place);
    }
    let Coding { places, others, .. } = coding;
    query.conjuncts.iter_mut().for_each(|t| *t = places[t]);
    query.conjuncts.extend(others);
    query.flatten(pool);
    *count += found;
    true
}

/// The codes of a class.
struct Codes {
    width: u32,
    bits: u32,
    /// The code of all indices that no term names.
    other: Option<u64>,
    /// Codes of constants that are too large to be their own.
    large: Vec<(u64, Term)>,
}

impl Codes {
    fn new(pool: &Pool, class: &Class) -> Codes {
        let own = |&t: &Term| own_code(pool, t, class.bits);
        let taken: FxHashSet<u64> = class.constants.iter().filter_map(own).collect();
        let mut free = (0..1u64 << class.bits)
            .rev()
            .filter(|code| !taken.contains(code));
        let other = if class.is_index { free.next() } else { None };
        let large = class.constants.iter().copied();
        let large = large.filter(|t| own(t).is_none());
        Codes {
            width: class.width,
            bits: class.bits,
            other,
            large: free.by_ref().zip(large).collect(),
        }
    }

    /// The code of a constant.
    fn of(&self, pool: &mut Pool, constant: Term) -> Term {
        let large = self.large.iter().find(|l| l.1 == constant);
        let code = large.map_or_else(|| own_code(pool, constant, self.bits), |l| Some(l.0));
        let code = code.expect("a constant that is not large is its own code");
        pool.bv(self.bits, code)
    }

    /// The value that a code stands for.
    fn value(&self, pool: &mut Pool, code: Term) -> Term {
        let small = pool.zext(self.width, code);
        self.large.iter().fold(small, |value, &(large, constant)| {
            let large = pool.bv(self.bits, large);
            let is_large = pool.eq(code, large);
            pool.ite(is_large, constant, value)
        })
    }
}

/// The code of a constant that is no larger than codes are.
fn own_code(pool: &Pool, constant: Term, bits: u32) -> Option<u64> {
    let limbs = pool.const_limbs(constant);
    let is_small = limbs[0] < 1 << bits && limbs[1..].iter().all(|&limb| limb == 0);
    is_small.then_some(limbs[0])
}

/// Terms over codes in the places of terms.
struct Coding<'a> {
    classes: Classes,
    codes: FxHashMap<usize, Codes>,
    gone: &'a mut Vec<(Symbol, Term)>,
    /// What says that indices are not the other code.
    others: Vec<Term>,
    places: FxHashMap<Term, Term>,
}

impl Coding<'_> {
    /// What takes the place of a term; its operands have their places.
    fn place(&mut self, pool: &mut Pool, t: Term) -> Term {
        let [value, index] = [VALUE, INDEX].map(|part| self.classes.class(pool, t, part));
        let [value, index] = [value, index].map(|class| self.codes.get(&class?));
        let kids = pool.children(t).to_vec();
        let new: Vec<Term> = kids.iter().map(|k| self.places[k]).collect();
        let place = match (pool.op(t), value, index) {
            (Op::Symbol, None, None) => t,
            (Op::Symbol, value, index) => {
                let symbol = pool.as_symbol(t).expect("a symbol");
                let (place, original) = symbol_of_codes(pool, t, value, index);
                self.gone.push((symbol, original));
                place
            }
            (Op::Const | Op::ConstWide, Some(codes), _) => codes.of(pool, t),
            (Op::ArrayConst, ..) => {
                let (bits, elem) = sizes(pool, t, value, index);
                pool.array_const(bits, elem, new[0])
            }
            _ if new == kids => t,
            _ => pool.rebuild(t, &new),
        };
        if let (Op::Symbol | Op::Select, Some(codes), Sort::BitVec(_)) =
            (pool.op(t), value, pool.sort(t))
            && let Some(other) = codes.other
        {
            let other = pool.bv(codes.bits, other);
            let is_other = pool.eq(place, other);
            self.others.push(pool.not(is_other));
        }
        place
    }
}

/// Bits of the indices and elements of an array over codes.
fn sizes(pool: &Pool, t: Term, value: Option<&Codes>, index: Option<&Codes>) -> (u32, u32) {
    let Sort::Array { index: wide, elem } = pool.sort(t) else {
        unreachable!("an array")
    };
    (
        index.map_or(wide, |codes| codes.bits),
        value.map_or(elem, |codes| codes.bits),
    )
}

/// A new symbol for the codes of another one, and what the latter is by it.
fn symbol_of_codes(
    pool: &mut Pool,
    t: Term,
    value: Option<&Codes>,
    index: Option<&Codes>,
) -> (Term, Term) {
    let decoded = |pool: &mut Pool, code: Term| match value {
        Some(codes) => codes.value(pool, code),
        None => code,
    };
    let Some(indices) = index else {
        let codes = value.expect("a word that has codes");
        let symbol = pool.new_symbol("code", Sort::BitVec(codes.bits));
        let symbol = pool.symbol_term(symbol);
        return (symbol, decoded(pool, symbol));
    };
    let Sort::Array { index: width, elem } = pool.sort(t) else {
        unreachable!("an array has indices")
    };
    let (bits, narrow) = sizes(pool, t, value, index);
    let symbol = pool.new_symbol(
        "codes",
        Sort::Array {
            index: bits,
            elem: narrow,
        },
    );
    let symbol = pool.symbol_term(symbol);
    let other = indices.other.expect("a class of indices has another code");
    let element = |pool: &mut Pool, code: u64| {
        let at = pool.bv(bits, code);
        let code = pool.select(symbol, at);
        (at, decoded(pool, code))
    };
    let (_, elsewhere) = element(pool, other);
    let mut original = pool.array_const(width, elem, elsewhere);
    for code in (0..1u64 << bits).filter(|&code| code != other) {
        let (at, element) = element(pool, code);
        let at = indices.value(pool, at);
        original = pool.store(original, at, element);
    }
    (symbol, original)
}

#[cfg(test)]
mod tests;
