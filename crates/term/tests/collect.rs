//! Compaction: with random holders, what they hold means the same afterwards, and the pool works
//! on as if nothing had happened.

use crate::common::{BINARY, O, Random, build, interesting};
use polypath_term::{Assignment, Evaluator, Op, Pool, Sort, Symbol, Term, Trace};

/// Some holder with handles in places of several kinds.
#[derive(Default)]
struct Holder {
    stack: Vec<Term>,
    maybe: Option<Term>,
    pair: (Term, Term),
    boxed: Box<[Term]>,
}

impl Trace for Holder {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.stack.trace(visit);
        self.maybe.trace(visit);
        self.pair.trace(visit);
        self.boxed.trace(visit);
    }
}

impl Holder {
    fn all(&self) -> Vec<Term> {
        let mut terms = self.stack.clone();
        terms.extend(self.maybe);
        terms.extend([self.pair.0, self.pair.1]);
        terms.extend(self.boxed.iter());
        terms
    }
}

/// Grows `terms` by random operators over bit-vectors, arrays and floats.
fn grow(pool: &mut Pool, terms: &mut Vec<Term>, steps: usize, random: &mut Random) {
    for _ in 0..steps {
        let a = terms[random.index(terms.len())];
        let width = pool.width(a);
        let t = match random.index(12) {
            0 => build(pool, O::Not, &[a]),
            1 => pool.zext(width + 70, a),
            2 => {
                let low = pool.extract(width / 2, 0, a);
                pool.sext(8.max(width / 2 + 1), low)
            }
            3 => {
                let index = if width >= 64 {
                    pool.extract(63, 0, a)
                } else {
                    pool.zext(64, a)
                };
                let content: Vec<u8> = (0..random.index(9) + 2)
                    .map(|_| random.next() as u8)
                    .collect();
                let array = pool.array_bytes(&content);
                let value = pool.bv(8, random.next());
                let at = pool.bv(64, random.index(8) as u64);
                let array = pool.store(array, at, value);
                pool.select(array, index)
            }
            4 => {
                let bits = if width >= 64 {
                    pool.extract(63, 0, a)
                } else {
                    pool.zext(64, a)
                };
                let float = pool.fp_from_bits(polypath_term::FloatFormat::DOUBLE, bits);
                let root = pool.fadd(float, float);
                pool.fp_to_bits(root)
            }
            _ => {
                let b = match terms
                    .iter()
                    .copied()
                    .find(|&b| b != a && pool.width(b) == width)
                {
                    Some(b) if random.index(2) == 0 => b,
                    _ => {
                        let value = interesting(width, random);
                        pool.bv_wide(width, &value)
                    }
                };
                build(pool, BINARY[random.index(BINARY.len())], &[a, b])
            }
        };
        if pool.width(t) <= 200 && pool.size_hint(t) < 2000 {
            terms.push(t);
        }
    }
}

#[test]
fn holders_keep_their_terms_and_nothing_else_stays() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut pool = Pool::new();
        let symbols: Vec<Symbol> = (0..6)
            .map(|k| pool.new_symbol(&format!("s{k}"), Sort::BitVec([8, 8, 32, 64, 1, 128][k])))
            .collect();
        let mut assignment = Assignment::new();
        for &symbol in &symbols {
            assignment.set_wide(symbol, &[random.next(), random.next()]);
        }
        let mut evaluator = Evaluator::new();
        let mut holder = Holder::default();
        for _ in 0..4 {
            let mut terms: Vec<Term> = symbols.iter().map(|&s| pool.symbol_term(s)).collect();
            terms.extend(holder.all().iter().filter(|t| t.is_some()));
            grow(&mut pool, &mut terms, 120, &mut random);
            let mut pick = || terms[random.index(terms.len())];
            holder = Holder {
                stack: (0..5).map(|_| pick()).collect(),
                maybe: Some(pick()),
                pair: (pick(), Term::NONE),
                boxed: (0..3).map(|_| pick()).collect(),
            };
            let old = holder.all();
            let live: Vec<Term> = old.iter().copied().filter(|t| t.is_some()).collect();
            let describe = |pool: &Pool, evaluator: &mut Evaluator, t: Term| {
                let set = pool.symbols(t);
                let free: Vec<Symbol> = pool.set_iter(set).collect();
                (
                    pool.display(t).to_string(),
                    evaluator.eval_wide(pool, t, &assignment),
                    (pool.known_bits(t), pool.interval(t), pool.size_hint(t)),
                    (pool.has_float(t), pool.has_array(t), pool.sort(t)),
                    free,
                )
            };
            let before: Vec<_> = live
                .iter()
                .map(|&t| describe(&pool, &mut evaluator, t))
                .collect();
            let cone = pool.cone(&live);
            let garbage = (3..pool.len() as u32).map(Term).find(|t| !cone.contains(t));
            let moved = pool.collect(&mut |visit| holder.trace(visit));
            let new: Vec<Term> = holder.all().into_iter().filter(|t| t.is_some()).collect();
            let after: Vec<_> = new
                .iter()
                .map(|&t| describe(&pool, &mut evaluator, t))
                .collect();
            assert_eq!(before, after);
            // Exactly the cone and the two constants are left, in the old order.
            let extra = [Term::FALSE, Term::TRUE]
                .iter()
                .filter(|t| !cone.contains(t))
                .count();
            assert_eq!(pool.len(), 1 + cone.len() + extra);
            for (&old, &new) in live.iter().zip(&new) {
                assert_eq!(moved.get(old), Some(new));
            }
            assert!(
                cone.windows(2)
                    .all(|pair| moved.get(pair[0]) < moved.get(pair[1]))
            );
            assert_eq!(moved.get(Term::NONE), Some(Term::NONE));
            if let Some(garbage) = garbage {
                assert_eq!(moved.get(garbage), None);
            }
            // Nodes are still interned: rebuilding gives the same handles.
            for &t in &pool.cone(&new) {
                if pool.op(t) == Op::Not {
                    let inner = pool.child(t, 0);
                    assert_eq!(pool.not(inner), t);
                }
                if let Some(value) = pool.as_const(t) {
                    assert_eq!(pool.bv(pool.width(t), value), t);
                }
                if let Some(limbs) = pool.as_const_wide(t).map(<[u64]>::to_vec) {
                    assert_eq!(pool.bv_wide(pool.width(t), &limbs), t);
                }
                if pool.op(t) == Op::ArrayBytes {
                    let content = pool.array_content(t).to_vec();
                    assert_eq!(pool.array_bytes(&content), t);
                }
                if let Some(symbol) = pool.as_symbol(t) {
                    assert_eq!(pool.symbol_term(symbol), t);
                }
            }
        }
    }
}

#[test]
fn an_empty_collection_leaves_the_constants() {
    let mut pool = Pool::new();
    let symbol = pool.new_symbol("x", Sort::BitVec(8));
    let x = pool.symbol_term(symbol);
    let k = pool.bv(8, 3);
    pool.add(x, k);
    pool.collect(&mut |_| {});
    assert_eq!(pool.len(), 3);
    assert_eq!(
        (pool.bool(true), pool.as_const(Term::TRUE)),
        (Term::TRUE, Some(1))
    );
    let x = pool.symbol_term(symbol);
    assert_eq!(
        (pool.symbol_name(symbol), pool.single_symbol(x)),
        ("x", Some(symbol))
    );
}
