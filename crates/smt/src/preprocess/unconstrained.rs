//! Pass `unconstrained`: an operator that can be made to give anything, because an operand occurs nowhere else, is a
//! new symbol.
//!
//! Bruttomesso, "RTL verification: from SAT to SMT(BV)" (2008), 4.2.2, and Brummayer, "Efficient SMT solving
//! for bit-vectors and the extensional theory of arrays" (2009), ch. 3: a symbol with one occurrence is
//! unconstrained; so is an operator with one occurrence that such an operand can drive to every value. `lift` gives the
//! operand the value that makes the operator right. Comparisons with one open side become a new
//! condition that holds only where the other side allows it (integers always allow it); an even factor leaves its low zeros.
//! So sums of which each is the one before it and one integer more are integers of their own.
//! One pass over the terms, operands first; what became free by that is found in the next round.

use super::{Pass, PassContext, Preprocess};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// The replacement of an operator.
struct Inversion {
    /// The new symbol.
    symbol: Term,
    /// The operator in terms of it.
    place: Term,
    /// Operands that go, with their values.
    values: Vec<(Term, Term)>,
}

/// The values of operands, given the symbol that takes the operator's place.
type Inversions<'a> = &'a dyn Fn(&mut Pool, Term) -> Vec<(Term, Term)>;

/// The pass.
pub(super) struct Unconstrained;

impl Pass for Unconstrained {
    fn name(&self) -> &'static str {
        "unconstrained"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        eliminate(query, around.pool, &mut around.stats.unconstrained)
    }
}

/// Applies the rule; counts the operators that became symbols.
pub(super) fn eliminate(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    let cone = pool.cone(&query.conjuncts);
    let edges = query.edges(pool, &cone);
    let is_single = |t: Term| edges.get(&t) == Some(&1);
    let mut rebuilt: FxHashMap<Term, Term> = FxHashMap::default();
    let mut open: FxHashSet<Term> = FxHashSet::default();
    let mut found = 0;
    for t in cone {
        if pool.as_symbol(t).is_some() {
            if is_single(t) && can_be_free(pool.sort(t)) {
                open.insert(t);
            }
            rebuilt.insert(t, t);
            continue;
        }
        let old: Vec<Term> = pool.children(t).to_vec();
        let new: Vec<Term> = old.iter().map(|k| rebuilt[k]).collect();
        let is_open: Vec<bool> = old.iter().map(|k| open.contains(k)).collect();
        let inversion = if is_open.contains(&true) {
            invert(pool, t, &new, &is_open)
        } else {
            None
        };
        let own = match inversion {
            Some(inversion) => {
                for (operand, value) in inversion.values {
                    query
                        .gone
                        .extend(pool.as_symbol(operand).map(|s| (s, value)));
                }
                if inversion.place == inversion.symbol && is_single(t) {
                    open.insert(t);
                }
                found += 1;
                inversion.place
            }
            None if new == old => t,
            None => pool.rebuild(t, &new),
        };
        rebuilt.insert(t, own);
    }
    if found > 0 {
        query.conjuncts = query.conjuncts.iter().map(|t| rebuilt[t]).collect();
        query.flatten(pool);
    }
    *count += found;
    found > 0
}

/// Are there rules for this sort?
fn can_be_free(sort: Sort) -> bool {
    matches!(sort, Sort::BitVec(_) | Sort::Array { .. } | Sort::Int)
}

/// How an operator with open operands becomes a symbol, if it can.
fn invert(pool: &mut Pool, t: Term, kids: &[Term], open: &[bool]) -> Option<Inversion> {
    let sort = pool.sort(t);
    if !can_be_free(sort) {
        return None;
    }
    let fresh = |pool: &mut Pool| {
        let symbol = pool.new_symbol("free", sort);
        pool.symbol_term(symbol)
    };
    // Every value of the operator comes from these values of the operands, given the symbol.
    let whole = |pool: &mut Pool, values: Inversions<'_>| {
        let symbol = fresh(pool);
        Some(Inversion {
            symbol,
            place: symbol,
            values: values(pool, symbol),
        })
    };
    let (x, y) = (kids[0], kids.get(1).copied().unwrap_or(kids[0]));
    let both = open.len() == 2 && open[0] && open[1];
    match pool.op(t) {
        Op::Not => whole(pool, &|p, u| vec![(x, p.not(u))]),
        Op::Neg => whole(pool, &|p, u| vec![(x, p.neg(u))]),
        Op::Add if open[0] => whole(pool, &|p, u| vec![(x, p.sub(u, y))]),
        Op::Add => whole(pool, &|p, u| vec![(y, p.sub(u, x))]),
        Op::Sub if open[0] => whole(pool, &|p, u| vec![(x, p.add(u, y))]),
        Op::Sub => whole(pool, &|p, u| vec![(y, p.sub(x, u))]),
        Op::Xor if open[0] => whole(pool, &|p, u| vec![(x, p.xor(u, y))]),
        Op::Xor => whole(pool, &|p, u| vec![(y, p.xor(u, x))]),
        Op::Mul | Op::Udiv if both => whole(pool, &|p, u| {
            let width = p.width(u);
            vec![(x, u), (y, p.zext(width, Term::TRUE))]
        }),
        Op::Mul => {
            let (x, factor) = if open[0] { (x, y) } else { (y, x) };
            multiple(pool, x, factor)
        }
        // x % 0 = x, and a shift by 0 is none.
        Op::Urem | Op::Shl | Op::Lshr | Op::Ashr | Op::Or if both => whole(pool, &|p, u| {
            let width = p.width(u);
            vec![(x, u), (y, p.zero(width))]
        }),
        Op::And if both => whole(pool, &|p, u| {
            let width = p.width(u);
            vec![(x, u), (y, p.ones(width))]
        }),
        Op::IntAdd if open[0] => whole(pool, &|p, u| vec![(x, p.int_sub(u, y))]),
        Op::IntAdd => whole(pool, &|p, u| vec![(y, p.int_sub(u, x))]),
        Op::IntMul => {
            let factor = pool.as_int(x)?;
            let is_unit = factor.bits() == 1;
            is_unit.then(|| whole(pool, &|p, u| vec![(y, p.int_scale(&factor, u))]))?
        }
        // An integer has a smaller and a greater one, so that the comparison can always hold and fail.
        Op::IntLe => {
            let (operand, other, step) = if open[0] { (x, y, 1) } else { (y, x, -1) };
            whole(pool, &|p, u| {
                let beyond = after(p, other, step);
                vec![(operand, p.ite(u, other, beyond))]
            })
        }
        Op::Concat if both => {
            let low = pool.width(y);
            whole(pool, &|p, u| {
                let high = p.width(u) - 1;
                vec![(x, p.extract(high, low, u)), (y, p.extract(low - 1, 0, u))]
            })
        }
        Op::Extract => {
            let ((high, low), width) = (pool.extract_bounds(t), pool.width(x));
            whole(pool, &|p, u| {
                let mut value = u;
                if low > 0 {
                    let zeros = p.zero(low);
                    value = p.concat(value, zeros);
                }
                debug_assert_eq!(p.width(value), high + 1);
                vec![(x, p.zext(width, value))]
            })
        }
        Op::Ite if open[1] && open[2] => whole(pool, &|_, u| vec![(kids[1], u), (kids[2], u)]),
        Op::Ite if open[0] && (open[1] || open[2]) => {
            let (side, value) = if open[1] {
                (1, Term::TRUE)
            } else {
                (2, Term::FALSE)
            };
            whole(pool, &|_, u| vec![(kids[0], value), (kids[side], u)])
        }
        Op::Select if open[0] => {
            let Sort::Array { index, elem } = pool.sort(x) else {
                return None;
            };
            whole(pool, &|p, u| {
                let zero = p.zero(elem);
                let base = p.array_const(index, elem, zero);
                vec![(x, p.store(base, y, u))]
            })
        }
        Op::Store if open[0] && open[2] => {
            whole(pool, &|p, u| vec![(x, u), (kids[2], p.select(u, y))])
        }
        Op::Eq => {
            let (x, y) = if open[0] { (x, y) } else { (y, x) };
            let symbol = fresh(pool);
            let other = different(pool, y)?;
            let value = pool.ite(symbol, y, other);
            Some(Inversion {
                symbol,
                place: symbol,
                values: vec![(x, value)],
            })
        }
        Op::Ult | Op::Slt => {
            let width = pool.width(x);
            let is_signed = pool.op(t) == Op::Slt;
            let (least, most) = ends(pool, width, is_signed);
            // The end that makes it true, and the one that makes it false; true is
            // impossible when the other side is the latter's.
            let (operand, other, yes, no) = if open[0] {
                (x, y, least, most)
            } else {
                (y, x, most, least)
            };
            let symbol = fresh(pool);
            let possible = pool.ne(other, yes);
            let place = pool.and(symbol, possible);
            let value = pool.ite(symbol, yes, no);
            Some(Inversion {
                symbol,
                place,
                values: vec![(operand, value)],
            })
        }
        _ => None,
    }
}

/// `x * factor` for a constant factor: a symbol for an odd one, shifted for an even one.
fn multiple(pool: &mut Pool, x: Term, factor: Term) -> Option<Inversion> {
    let width = pool.width(x);
    let factor = pool.as_const(factor).filter(|&k| k != 0 && width <= 64)?;
    let zeros = factor.trailing_zeros();
    let symbol = pool.new_symbol("free", Sort::BitVec(width));
    let symbol = pool.symbol_term(symbol);
    let inverse = pool.bv(width, super::linear::inverse(factor >> zeros));
    let value = pool.mul(symbol, inverse);
    let amount = pool.bv(width, zeros as u64);
    let place = pool.shl(symbol, amount);
    Some(Inversion {
        symbol,
        place,
        values: vec![(x, value)],
    })
}

/// A value that differs from a term's.
fn different(pool: &mut Pool, t: Term) -> Option<Term> {
    match pool.sort(t) {
        Sort::BitVec(_) => Some(pool.not(t)),
        Sort::Array { index, .. } => {
            let zero = pool.zero(index);
            let element = pool.select(t, zero);
            let other = pool.not(element);
            Some(pool.store(t, zero, other))
        }
        Sort::Int => Some(after(pool, t, 1)),
        _ => None,
    }
}

/// The integer that is `step` more than another one.
fn after(pool: &mut Pool, t: Term, step: i64) -> Term {
    let step = pool.int(&step.into());
    pool.int_add(t, step)
}

/// The least and the greatest value.
fn ends(pool: &mut Pool, width: u32, is_signed: bool) -> (Term, Term) {
    let (zero, ones) = (pool.zero(width), pool.ones(width));
    if !is_signed {
        return (zero, ones);
    }
    if width == 1 {
        return (ones, zero);
    }
    let (sign, rest) = (pool.ones(1), pool.zero(width - 1));
    let least = pool.concat(sign, rest);
    (least, pool.not(least))
}
