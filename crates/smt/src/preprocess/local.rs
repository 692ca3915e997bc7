//! Pass `local`: an integer that only one conjunction below disjunctions speaks of goes.
//!
//! Such a symbol is existentially quantified in that conjunction as well as outside, as long as the conjunction is nowhere
//! negated (miniscoping). There it is eliminated as by Fourier and Motzkin: each lower bound is at most each upper bound. Over the
//! integers this is exact where the symbol's factors are 1 and -1 (Williams, "Fourier-Motzkin elimination extension to integer
//! programming problems", 1976). The symbol's value is its greatest lower bound, or its least upper one.
//!
//! So what lies between the beginning and the end of a branch is computed once and not in each combination of branches: a chain
//! of diamonds (two ways from each point to the next) is a chain of edges. Only where it makes no more inequalities
//! than there were.

use super::{Pass, PassContext, Preprocess, Substitutions};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{BigInt, Linear, Op, Pool, Sort, Symbol, Term};

/// Literals of one conjunction that are looked at.
const MAX_LITERALS: usize = 256;

/// Occurs as itself.
const ITSELF: u8 = 1;
/// Occurs negated.
const NEGATED: u8 = 2;

/// The pass.
pub(super) struct LocalIntegers;

impl Pass for LocalIntegers {
    fn name(&self) -> &'static str {
        "local"
    }

    fn apply(&self, query: &mut Preprocess, around: &mut PassContext<'_>) -> bool {
        eliminate(query, around.pool, &mut around.stats.local)
    }
}

/// Applies the rule; counts the symbols that went.
fn eliminate(query: &mut Preprocess, pool: &mut Pool, count: &mut u64) -> bool {
    if !query.conjuncts.iter().any(|&t| pool.has_int(t)) {
        return false;
    }
    let cone = pool.cone(&query.conjuncts);
    let edges = query.edges(pool, &cone);
    let signs = signs(pool, &query.conjuncts);
    let uses = uses(pool, &cone);
    let mut inner: FxHashSet<Term> = FxHashSet::default();
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    let roots: FxHashSet<Term> = query.conjuncts.iter().copied().collect();
    // A conjunction comes before its parts.
    for &t in cone.iter().rev() {
        let positive = match (pool.op(t), signs.get(&t)) {
            (Op::And, Some(&ITSELF)) => true,
            (Op::Or, Some(&NEGATED)) => false,
            _ => continue,
        };
        if inner.contains(&t) || roots.contains(&t) || edges.get(&t) != Some(&1) {
            continue;
        }
        let mut conjunction = Conjunction::default();
        if !conjunction.gather(pool, t, positive, &edges, &mut inner) {
            continue;
        }
        let gone = conjunction.eliminate(pool, &uses);
        if gone.is_empty() {
            continue;
        }
        *count += gone.len() as u64;
        query.gone.extend(gone);
        let new = conjunction.term(pool);
        // What is below changes in the next round.
        inner.extend(pool.cone(&[t]));
        places.insert(t, if positive { new } else { pool.not(new) });
    }
    if places.is_empty() {
        return false;
    }
    let kept = std::mem::take(&mut query.conjuncts);
    query.replace(pool, kept, &Substitutions::of_symbols(places), &mut 0);
    true
}

/// How conditions occur below those that hold.
fn signs(pool: &Pool, conditions: &[Term]) -> FxHashMap<Term, u8> {
    let mut signs: FxHashMap<Term, u8> = FxHashMap::default();
    let mut stack: Vec<(Term, u8)> = conditions.iter().map(|&t| (t, ITSELF)).collect();
    while let Some((t, sign)) = stack.pop() {
        let before = signs.entry(t).or_default();
        if *before | sign == *before || pool.sort(t) != Sort::BitVec(1) {
            *before |= sign;
            continue;
        }
        *before |= sign;
        let flipped = (sign & ITSELF) << 1 | (sign & NEGATED) >> 1;
        let kids = pool.children(t);
        match pool.op(t) {
            Op::And | Op::Or => stack.extend(kids.iter().map(|&k| (k, sign))),
            Op::Not => stack.push((kids[0], flipped)),
            Op::Ite => {
                stack.extend([(kids[1], sign), (kids[2], sign)]);
                stack.push((kids[0], ITSELF | NEGATED));
            }
            _ => stack.extend(kids.iter().map(|&k| (k, ITSELF | NEGATED))),
        }
    }
    signs
}

/// The number of comparisons in which each integer symbol stands by itself; none if it stands elsewhere, too.
fn uses(pool: &Pool, cone: &[Term]) -> FxHashMap<Symbol, usize> {
    let mut uses: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut elsewhere: FxHashSet<Symbol> = FxHashSet::default();
    for &t in cone {
        if let Some(sum) = pool.linear_atom(t) {
            for (atom, _) in sum.monomials {
                match pool.as_symbol(atom) {
                    Some(symbol) => *uses.entry(symbol).or_default() += 1,
                    None => elsewhere.extend(pool.set_iter(pool.symbols(atom))),
                }
            }
        } else if pool.sort(t) != Sort::Int {
            let integers = pool.children(t).iter();
            let integers = integers.filter(|&&k| pool.sort(k) == Sort::Int);
            elsewhere.extend(integers.flat_map(|&k| pool.set_iter(pool.symbols(k))));
        }
    }
    uses.retain(|symbol, _| !elsewhere.contains(symbol));
    uses
}

/// A literal of a conjunction.
enum Literal {
    /// A sum that is at most 0.
    AtMost(Linear),
    /// A sum that is 0.
    Zero(Linear),
    /// Anything else.
    Other(Term),
}

#[derive(Default)]
struct Conjunction(Vec<Literal>);

impl Conjunction {
    /// Gathers the literals below a conjunction (or negated disjunction) whose parts occur once each; `false` if they are
    /// too many.
    fn gather(
        &mut self,
        pool: &mut Pool,
        root: Term,
        positive: bool,
        edges: &FxHashMap<Term, u32>,
        inner: &mut FxHashSet<Term>,
    ) -> bool {
        let mut stack = vec![(root, positive)];
        while let Some((t, positive)) = stack.pop() {
            if self.0.len() > MAX_LITERALS {
                return false;
            }
            let op = pool.op(t);
            let is_single = edges.get(&t) == Some(&1);
            if is_single && op == if positive { Op::And } else { Op::Or } {
                inner.insert(t);
                stack.extend([1, 0].map(|k| (pool.child(t, k), positive)));
                continue;
            }
            if is_single && op == Op::Not {
                stack.push((pool.child(t, 0), !positive));
                continue;
            }
            let sum = pool.linear_atom(t).filter(|_| is_single);
            self.0.push(match (sum, op, positive) {
                (Some(sum), Op::Eq, true) => Literal::Zero(sum),
                (Some(sum), Op::IntLe, true) => Literal::AtMost(sum),
                (Some(sum), Op::IntLe, false) => Literal::AtMost(opposite(&sum)),
                _ if positive => Literal::Other(t),
                _ => Literal::Other(pool.not(t)),
            });
        }
        true
    }

    /// Eliminates the symbols that nothing else speaks of; gives them with their values, each after those in whose values it is.
    fn eliminate(
        &mut self,
        pool: &mut Pool,
        uses: &FxHashMap<Symbol, usize>,
    ) -> Vec<(Symbol, Term)> {
        let mut own: FxHashMap<Symbol, usize> = FxHashMap::default();
        for literal in &self.0 {
            if let Literal::AtMost(sum) | Literal::Zero(sum) = literal {
                let symbols = sum.monomials.iter();
                for symbol in symbols.filter_map(|(atom, _)| pool.as_symbol(*atom)) {
                    *own.entry(symbol).or_default() += 1;
                }
            }
        }
        let mut symbols: Vec<Symbol> = own
            .into_iter()
            .filter(|(symbol, count)| uses.get(symbol) == Some(count))
            .map(|(symbol, _)| symbol)
            .collect();
        symbols.sort_unstable();
        let found = symbols.into_iter();
        found
            .filter_map(|symbol| Some((symbol, self.without(pool, symbol)?)))
            .collect()
    }

    /// Eliminates a symbol and gives its value, if that makes no more inequalities.
    fn without(&mut self, pool: &mut Pool, symbol: Symbol) -> Option<Term> {
        let place = pool.symbol_term(symbol);
        // `rest - symbol <= 0` and `rest + symbol <= 0`, with the literals that they come from.
        let (mut lower, mut upper): (Vec<Bound>, Vec<Bound>) = Default::default();
        let mut literals = 0;
        for (literal, from) in self.0.iter().zip(0..) {
            let (sum, is_equation) = match literal {
                Literal::AtMost(sum) => (sum, false),
                Literal::Zero(sum) => (sum, true),
                Literal::Other(_) => continue,
            };
            let at = sum.monomials.iter().position(|(atom, _)| *atom == place);
            let Some(at) = at else { continue };
            literals += 1;
            let factor = &sum.monomials[at].1;
            if factor.bits() != 1 {
                return None;
            }
            let is_upper = *factor > BigInt::ZERO;
            let mut rest = sum.clone();
            rest.monomials.remove(at);
            let mut sides = vec![(is_upper, rest.clone())];
            if is_equation {
                sides.push((!is_upper, negative(&rest)));
            }
            for (is_upper, rest) in sides {
                let side = if is_upper { &mut upper } else { &mut lower };
                side.push(Bound { rest, from });
            }
        }
        let pairs = lower.iter().flat_map(|l| upper.iter().map(move |u| (l, u)));
        let pairs = pairs.filter(|(l, u)| l.from != u.from);
        let made: Vec<Linear> = pairs.map(|(l, u)| added(&l.rest, &u.rest)).collect();
        if literals == 0 || made.len() > literals {
            return None;
        }
        let value = extreme(pool, &lower, &upper);
        let is_used = |from: usize| lower.iter().chain(&upper).any(|bound| bound.from == from);
        let mut from = 0..;
        self.0.retain(|_| !from.next().is_some_and(is_used));
        self.0.extend(made.into_iter().map(Literal::AtMost));
        Some(value)
    }

    /// The conjunction of what is left.
    fn term(self, pool: &mut Pool) -> Term {
        let mut all = Term::TRUE;
        let zero = pool.int(&BigInt::ZERO);
        for literal in self.0 {
            let one = match literal {
                Literal::AtMost(sum) => {
                    let sum = pool.linear_term(&sum);
                    pool.int_le(sum, zero)
                }
                Literal::Zero(sum) => {
                    let sum = pool.linear_term(&sum);
                    pool.eq(sum, zero)
                }
                Literal::Other(t) => t,
            };
            all = pool.and(all, one);
        }
        all
    }
}

/// What stands beside a symbol in an inequality of a literal.
struct Bound {
    rest: Linear,
    from: usize,
}

fn negative(sum: &Linear) -> Linear {
    let monomials = sum.monomials.iter();
    Linear {
        monomials: monomials.map(|(atom, factor)| (*atom, -factor)).collect(),
        constant: -&sum.constant,
    }
}

/// `sum >= 1` as a sum that is at most 0.
fn opposite(sum: &Linear) -> Linear {
    let mut opposite = negative(sum);
    opposite.constant += 1;
    opposite
}

fn added(a: &Linear, b: &Linear) -> Linear {
    let mut factors: std::collections::BTreeMap<Term, BigInt> = Default::default();
    for (atom, factor) in a.monomials.iter().chain(&b.monomials) {
        *factors.entry(*atom).or_default() += factor;
    }
    factors.retain(|_, factor| *factor != BigInt::ZERO);
    Linear {
        monomials: factors.into_iter().collect(),
        constant: &a.constant + &b.constant,
    }
}

/// The greatest lower bound, or else the least upper bound.
fn extreme(pool: &mut Pool, lower: &[Bound], upper: &[Bound]) -> Term {
    let is_lower = !lower.is_empty();
    let bounds = if is_lower { lower } else { upper };
    let mut value = None;
    for bound in bounds {
        let next = if is_lower {
            pool.linear_term(&bound.rest)
        } else {
            pool.linear_term(&negative(&bound.rest))
        };
        value = Some(match value {
            None => next,
            Some(best) => {
                let (a, b) = if is_lower { (best, next) } else { (next, best) };
                let is_better = pool.int_le(a, b);
                pool.ite(is_better, next, best)
            }
        });
    }
    value.unwrap_or_else(|| pool.int(&BigInt::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::Model;
    use term::Evaluator;
    use testkit::Random;

    fn query(conjuncts: Vec<Term>) -> Preprocess {
        Preprocess {
            conjuncts,
            gone: Vec::new(),
            changed_by: Vec::new(),
            path: None,
        }
    }

    #[test]
    fn ways_between_two_points_become_edges() {
        let pool = &mut Pool::new();
        let names = ["a", "b", "x", "y"];
        let [a, b, x, y] = names.map(|name| {
            let symbol = pool.new_symbol(name, Sort::Int);
            pool.symbol_term(symbol)
        });
        let two = pool.int(&2.into());
        let way = |pool: &mut Pool, m: Term| {
            let [from, to] = [(m, a), (b, m)].map(|(p, q)| {
                let length = pool.int_sub(p, q);
                pool.int_le(two, length)
            });
            pool.and(from, to)
        };
        let [one, other] = [x, y].map(|m| way(pool, m));
        let either = pool.or(one, other);
        let mut all = query(vec![either]);
        let mut count = 0;
        assert!(eliminate(&mut all, pool, &mut count));
        assert_eq!(count, 2);
        let symbols = all.symbols(pool);
        assert_eq!(symbols.len(), 2, "only the ends are left");

        // A symbol that stands in both ways stays, and so does one that a negated conjunction speaks of.
        let [one, other] = [x, x].map(|m| way(pool, m));
        let more = pool.int_le(x, two);
        let longer = pool.and(other, more);
        let mut both = query(vec![pool.or(one, longer)]);
        assert!(!eliminate(&mut both, pool, &mut count));
        let chosen = pool.new_symbol("c", Sort::BitVec(1));
        let chosen = pool.symbol_term(chosen);
        let only = way(pool, y);
        let mut negated = query(vec![pool.xor(chosen, only)]);
        assert!(!eliminate(&mut negated, pool, &mut count));
    }

    /// A random combination of comparisons.
    fn random_condition(pool: &mut Pool, random: &mut Random, terms: &[Term], depth: u32) -> Term {
        if depth > 0 && random.below(4) > 0 {
            let [a, b] = [(); 2].map(|()| random_condition(pool, random, terms, depth - 1));
            return match random.below(4) {
                0 | 1 => pool.and(a, b),
                2 => pool.or(a, b),
                _ => pool.not(a),
            };
        }
        let mut sum = pool.int(&random.range(-3, 3).into());
        for _ in 0..2 {
            let x = random.pick(terms);
            let scaled = pool.int_scale(&random.range(-1, 1).into(), x);
            sum = pool.int_add(sum, scaled);
        }
        let zero = pool.int(&0.into());
        match random.below(5) {
            0 => pool.eq(sum, zero),
            _ => pool.int_le(sum, zero),
        }
    }

    #[test]
    fn models_of_what_is_left_are_lifted_and_none_is_lost() {
        let mut random = Random::new(5);
        let (mut changed, mut lifted) = (0, 0);
        for _ in 0..600 {
            let pool = &mut Pool::new();
            let symbols = ["x", "y", "z", "u"].map(|name| pool.new_symbol(name, Sort::Int));
            let terms = symbols.map(|s| pool.symbol_term(s));
            let conjuncts: Vec<Term> = (0..2)
                .map(|_| random_condition(pool, &mut random, &terms, 3))
                .collect();
            let mut all = query(conjuncts.clone());
            if !eliminate(&mut all, pool, &mut 0) {
                continue;
            }
            changed += 1;
            let mut evaluator = Evaluator::new();
            for n in 0..7u32.pow(4) {
                let mut model = Model::default();
                for (k, &symbol) in symbols.iter().enumerate() {
                    let value = n / 7u32.pow(k as u32) % 7;
                    model.set_int(symbol, BigInt::from(value) - 3);
                }
                let before = evaluator.first_false(pool, &conjuncts, &model).is_none();
                let after = evaluator
                    .first_false(pool, &all.conjuncts, &model)
                    .is_none();
                assert!(after || !before, "a model is lost");
                if after {
                    all.lift(pool, &mut evaluator, &mut model);
                    assert!(evaluator.first_false(pool, &conjuncts, &model).is_none());
                    lifted += 1;
                }
            }
        }
        assert!(changed > 30 && lifted > 1000, "{changed} {lifted}");
    }
}
