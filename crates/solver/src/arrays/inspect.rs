//! Finds the array axioms that a model of the abstraction violates, and the values of array symbols that the model
//! stands for.
//!
//! Reads are visited in the order in which they were made, so that whatever an index depends on
//! comes before it. Bits that no clause mentions take the value that makes the read right.

use super::Arrays;
use super::state::{Below, ReadId, Source, Violation};
use crate::circuit::valuation::{Limbs, Valuation, bit_of};
use crate::circuit::{Clauses, Scope};
use crate::model::Model;
use crate::sat::Lit;
use crate::slice::limbs;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{ArrayValue, BitValue, Evaluator, Sort, Symbol, Term};

/// The element of constant content.
fn element(content: &[u8], index: &Limbs) -> u64 {
    let small = index[1..].iter().all(|&limb| limb == 0);
    let byte = usize::try_from(index[0]).ok().and_then(|i| content.get(i));
    match byte {
        Some(&byte) if small => byte as u64,
        _ => 0,
    }
}

/// Makes the free bits of a read right; tells whether the others are.
fn adopt(valuation: &mut Valuation<'_>, bits: &[Lit], expected: &Limbs) -> bool {
    let mut right = true;
    for (i, &bit) in bits.iter().enumerate() {
        let wanted = bit_of(expected, i);
        if valuation.is_free(bit) {
            valuation.set(bit, wanted);
        } else {
            right &= valuation.bit(bit) == wanted;
        }
    }
    right
}

/// Lists what the SAT solver's model violates and gives the array symbols of `model`, which has the
/// other symbols already, their values.
pub(super) fn inspect(
    arrays: &Arrays,
    cx: &mut Clauses<'_>,
    scope: &Scope<'_>,
    model: &mut Model,
    evaluator: &mut Evaluator,
) -> Vec<Violation> {
    let (pool, symbols, relevant) = (scope.pool, scope.symbols, &arrays.relevant);
    let circuit = &*cx.circuit;
    let mut valuation = Valuation::new(&circuit.aig, cx.cnf, cx.sat);
    for &symbol in symbols {
        if let (Sort::BitVec(width), Some(bits)) =
            (pool.symbol_sort(symbol), circuit.symbol(symbol))
        {
            let value = limbs(model, symbol, width);
            for (i, &bit) in bits.iter().enumerate() {
                valuation.set(bit, bit_of(&value, i));
            }
        }
    }
    // An array that is compared as a whole has no elements but those of the abstraction.
    let sets = relevant.equalities.iter().map(|&t| pool.symbols(t));
    let compared: FxHashSet<Symbol> = pool
        .set_elements(sets)
        .into_iter()
        .filter(|&s| matches!(pool.symbol_sort(s), Sort::Array { .. }))
        .collect();
    let mut values: FxHashMap<Symbol, ArrayValue> = FxHashMap::default();
    for &symbol in symbols {
        if !matches!(pool.symbol_sort(symbol), Sort::Array { .. }) {
            continue;
        }
        let value = if compared.contains(&symbol) {
            let default = arrays.defaults.get(&symbol);
            ArrayValue {
                default: default.map_or(BitValue::ZERO, |bits| {
                    BitValue::from_limbs(&valuation.limbs(bits))
                }),
                ..ArrayValue::default()
            }
        } else {
            model.array(symbol).cloned().unwrap_or_default()
        };
        values.insert(symbol, value);
    }
    let mut table: FxHashMap<(Symbol, Limbs), ReadId> = FxHashMap::default();
    let mut violations = Vec::new();
    for &member in &relevant.reads {
        let id = member.id;
        let read = &arrays.reads[id as usize];
        let at = valuation.limbs(&read.index);
        let hit = read
            .updates
            .iter()
            .position(|&(index, _)| valuation.limbs(circuit.range(index)) == at);
        if let Some(k) = hit {
            let expected = valuation.limbs(circuit.range(read.updates[k].1));
            if !adopt(&mut valuation, &read.value, &expected) {
                violations.push(Violation::Store(id, k));
            }
            continue;
        }
        if !read.updates.is_empty()
            && let Some((bits, _)) = &read.base
        {
            // The axiom is there; the base is a read of its own.
            let expected = valuation.limbs(bits);
            adopt(&mut valuation, &read.value, &expected);
            continue;
        }
        match &read.below {
            Below::Value(bits) => {
                let expected = valuation.limbs(bits);
                if !adopt(&mut valuation, &read.value, &expected) {
                    violations.push(Violation::Below(id));
                }
            }
            Below::Older(_) => violations.push(Violation::Below(id)),
            Below::Gone => {}
            Below::Source(Source::Content(content)) => {
                let expected = element(&arrays.contents[*content as usize], &at);
                if !adopt(&mut valuation, &read.value, &vec![expected]) {
                    violations.push(if read.updates.is_empty() {
                        Violation::Element(member, at[0])
                    } else {
                        Violation::Below(id)
                    });
                }
            }
            Below::Source(Source::Free(symbol)) => {
                if !read.updates.is_empty() {
                    violations.push(Violation::Below(id));
                    continue;
                }
                let key = (*symbol, at);
                let value = values.entry(*symbol).or_default();
                if let Some(&first) = table.get(&key) {
                    let expected = valuation.limbs(&arrays.reads[first as usize].value);
                    if !adopt(&mut valuation, &read.value, &expected) {
                        violations.push(Violation::Pair(first, id));
                    }
                } else {
                    let at = BitValue::from_limbs(&key.1);
                    let old = value.get(&at);
                    for (i, &bit) in read.value.iter().enumerate() {
                        if valuation.is_free(bit) {
                            valuation.set(bit, bit_of(old.limbs(), i));
                        }
                    }
                    let element = BitValue::from_limbs(&valuation.limbs(&read.value));
                    value.entries.insert(at, element);
                    table.insert(key, id);
                }
            }
        }
    }
    let mut claims: Vec<(Term, bool)> = Vec::new();
    for &t in &relevant.equalities {
        let bit = arrays.equalities.get(&t).map(|e| e.bit);
        if let Some(bit) = bit.filter(|&bit| !valuation.is_free(bit)) {
            claims.push((t, valuation.bit(bit)));
        }
    }
    for (symbol, value) in values {
        model.set_array(symbol, value);
    }
    for (t, equal) in claims {
        if equal && evaluator.eval(pool, t, model) == 0 {
            violations.push(Violation::Equal(t));
        }
    }
    violations
}
