//! The distance of assignments from satisfying conditions.
//!
//! For a comparison it is a [`Metric`]'s distance of its sides; "and" adds, "or" takes the smaller one (the branch
//! distances of search-based testing: Korel 1990, Tracey et al. 1998).

use super::metric::{Compare, FAR, Metric};
use super::values::value_of;
use crate::model::Model;
use crate::numbers::Variable;
use rustc_hash::FxHashMap;
use term::{FloatFormat, FloatPredicate, LANES, Lanes, Op, Pool, Sort, Tape, Term};

/// One part of the conditions; operands are numbers of parts before it, or of roots of the tape.
enum BoolOp {
    Compare(Compare, u32, u32),
    /// Any other truth value.
    Opaque(u32),
    And(u32, u32),
    Or(u32, u32),
    Not(u32),
    Same(u32, u32),
    Ite(u32, u32, u32),
}

/// A comparison of floats that must hold or must not, whatever else holds.
#[derive(Clone, Copy)]
pub(super) struct Demand {
    part: u32,
    pub predicate: FloatPredicate,
    pub format: FloatFormat,
    sides: [u32; 2],
}

/// For each part, the distances to its truth and to its falsehood, in all lanes.
type Both = [[f64; LANES]; 2];

/// Conditions, compiled.
pub(super) struct Distance {
    metric: Metric,
    tape: Tape,
    parts: Vec<BoolOp>,
    /// The part that each condition is.
    conditions: Vec<u32>,
    demands: Vec<Demand>,
    lanes: Lanes,
    both: Vec<Both>,
    /// Values of the symbols that do not move.
    others: Model,
}

impl Distance {
    /// The inputs are these variables; other symbols have their values of `others`.
    pub fn new(
        pool: &Pool,
        conditions: &[Term],
        variables: &[Variable],
        others: &Model,
        metric: Metric,
    ) -> Distance {
        let mut compiler = Compiler {
            pool,
            roots: Vec::new(),
            parts: Vec::new(),
            known: FxHashMap::default(),
        };
        let numbers: Vec<u32> = conditions.iter().map(|&c| compiler.part(c)).collect();
        let inputs: Vec<Term> = variables.iter().map(|v| v.term).collect();
        let mut distance = Distance {
            metric,
            tape: Tape::over(pool, &compiler.roots, &inputs),
            both: vec![[[0.0; LANES]; 2]; compiler.parts.len()],
            parts: compiler.parts,
            conditions: numbers,
            demands: Vec::new(),
            lanes: Lanes::new(),
            others: others.clone(),
        };
        distance.demands = distance.find_demands();
        distance
    }

    /// How many conditions there are.
    pub fn conditions(&self) -> usize {
        self.conditions.len()
    }

    /// The cost of one run in all lanes: lanes share the reading of operations.
    pub fn cost(&self) -> u64 {
        (LANES / 2 * (self.tape.len() + self.parts.len() + 1)) as u64
    }

    /// Sets a variable in a lane.
    pub fn set(&mut self, lane: usize, variable: usize, bits: u128) {
        self.tape.set_lane(&mut self.lanes, lane, variable, bits);
    }

    /// Computes the distances in all lanes.
    pub fn run(&mut self) {
        self.tape.run_lanes(&self.others, &mut self.lanes);
        for k in 0..self.parts.len() {
            self.both[k] = self.part(k);
        }
    }

    /// The distances to a condition in the lanes of the last run.
    pub fn of(&self, condition: usize) -> &[f64; LANES] {
        &self.both[self.conditions[condition] as usize][0]
    }

    /// The comparisons of floats that must hold.
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// Does a demand hold in a lane of the last run?
    pub fn holds(&self, demand: &Demand, lane: usize) -> bool {
        let [a, b] = self.sides(demand, lane);
        demand.predicate.holds(a.partial_cmp(&b))
    }

    /// The sides of a comparison in a lane of the last run.
    pub fn sides(&self, demand: &Demand, lane: usize) -> [f64; 2] {
        demand.sides.map(|root| {
            let bits = self.tape.values(&self.lanes, root as usize)[lane];
            value_of(demand.format, bits).unwrap_or(f64::NAN)
        })
    }

    /// Comparisons of formats that are exact as `f64`, under conjunctions and negations.
    fn find_demands(&self) -> Vec<Demand> {
        let mut found = Vec::new();
        let mut pending: Vec<(u32, bool)> = self.conditions.iter().map(|&c| (c, true)).collect();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some((k, truth)) = pending.pop() {
            if !seen.insert((k, truth)) {
                continue;
            }
            match self.parts[k as usize] {
                BoolOp::Not(a) => pending.push((a, !truth)),
                BoolOp::And(a, b) if truth => pending.extend([(a, true), (b, true)]),
                BoolOp::Or(a, b) if !truth => pending.extend([(a, false), (b, false)]),
                BoolOp::Compare(Compare::Float(predicate, format), a, b)
                    if value_of(format, 0).is_some() =>
                {
                    found.push(Demand {
                        part: k,
                        predicate: if truth {
                            predicate
                        } else {
                            predicate.negated()
                        },
                        format,
                        sides: [a, b],
                    });
                }
                _ => {}
            }
        }
        found.sort_by_key(|demand| demand.part);
        found
    }

    fn part(&self, k: usize) -> Both {
        let of = |part: u32| &self.both[part as usize];
        let each = |of: &dyn Fn(usize) -> (f64, f64)| {
            let mut both = [[0.0; LANES]; 2];
            let [truths, falsehoods] = &mut both;
            for (lane, places) in truths.iter_mut().zip(falsehoods).enumerate() {
                (*places.0, *places.1) = of(lane);
            }
            both
        };
        let either = |a, b| self.metric.either(a, b);
        match self.parts[k] {
            BoolOp::Compare(compare, a, b) => {
                let [low_a, low_b] = [a, b].map(|r| self.tape.values(&self.lanes, r as usize));
                if compare.is_narrow() {
                    return self.metric.narrow(compare, low_a, low_b);
                }
                let [high_a, high_b] =
                    [a, b].map(|r| self.tape.high_values(&self.lanes, r as usize));
                let whole = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
                each(&|k| {
                    let a = whole(low_a[k], high_a[k]);
                    self.metric.of(compare, a, whole(low_b[k], high_b[k]))
                })
            }
            BoolOp::Opaque(root) => {
                let values = self.tape.values(&self.lanes, root as usize);
                each(&|k| match values[k] & 1 {
                    0 => (FAR, 0.0),
                    _ => (0.0, FAR),
                })
            }
            BoolOp::Not(a) => [of(a)[1], of(a)[0]],
            BoolOp::And(a, b) => {
                let ([a1, a0], [b1, b0]) = (of(a), of(b));
                each(&|k| (a1[k] + b1[k], either(a0[k], b0[k])))
            }
            BoolOp::Or(a, b) => {
                let ([a1, a0], [b1, b0]) = (of(a), of(b));
                each(&|k| (either(a1[k], b1[k]), a0[k] + b0[k]))
            }
            BoolOp::Same(a, b) => {
                let ([a1, a0], [b1, b0]) = (of(a), of(b));
                each(&|k| {
                    (
                        either(a1[k] + b1[k], a0[k] + b0[k]),
                        either(a1[k] + b0[k], a0[k] + b1[k]),
                    )
                })
            }
            BoolOp::Ite(c, a, b) => {
                let ([c1, c0], [a1, a0], [b1, b0]) = (of(c), of(a), of(b));
                each(&|k| {
                    (
                        either(c1[k] + a1[k], c0[k] + b1[k]),
                        either(c1[k] + a0[k], c0[k] + b0[k]),
                    )
                })
            }
        }
    }
}

struct Compiler<'a> {
    pool: &'a Pool,
    roots: Vec<Term>,
    parts: Vec<BoolOp>,
    known: FxHashMap<Term, u32>,
}

impl Compiler<'_> {
    fn root(&mut self, t: Term) -> u32 {
        self.roots.push(t);
        self.roots.len() as u32 - 1
    }

    /// The part that a truth value is. Deep nests are walked without recursion.
    fn part(&mut self, t: Term) -> u32 {
        let mut pending = vec![t];
        while let Some(&t) = pending.last() {
            if self.known.contains_key(&t) {
                pending.pop();
                continue;
            }
            let kids = self.truths(t);
            let unknown: Vec<Term> = kids
                .iter()
                .copied()
                .filter(|kid| !self.known.contains_key(kid))
                .collect();
            if !unknown.is_empty() {
                pending.extend(unknown);
                continue;
            }
            let kids: Vec<u32> = kids.iter().map(|kid| self.known[kid]).collect();
            let part = self.make(t, &kids);
            self.parts.push(part);
            self.known.insert(t, self.parts.len() as u32 - 1);
            pending.pop();
        }
        self.known[&t]
    }

    /// The operands that are truth values themselves, where the distance is made of theirs.
    fn truths(&self, t: Term) -> Vec<Term> {
        let kids = self.pool.children(t);
        let of_truths = match self.pool.op(t) {
            Op::And | Op::Or | Op::Xor | Op::Not => true,
            Op::Eq => self.pool.sort(kids[0]) == Sort::BitVec(1),
            Op::Ite => true,
            _ => false,
        };
        if of_truths { kids.to_vec() } else { Vec::new() }
    }

    fn make(&mut self, t: Term, kids: &[u32]) -> BoolOp {
        let pool = self.pool;
        match (pool.op(t), kids) {
            (Op::Not, [a]) => BoolOp::Not(*a),
            (Op::And, [a, b]) => BoolOp::And(*a, *b),
            (Op::Or, [a, b]) => BoolOp::Or(*a, *b),
            (Op::Eq, [a, b]) => BoolOp::Same(*a, *b),
            (Op::Xor, [a, b]) => {
                self.parts.push(BoolOp::Same(*a, *b));
                BoolOp::Not(self.parts.len() as u32 - 1)
            }
            (Op::Ite, [c, a, b]) => BoolOp::Ite(*c, *a, *b),
            (op, _) => {
                let operands = pool.children(t).to_vec();
                let is_number = |sort| matches!(sort, Sort::BitVec(width) if width <= 128);
                let compare = match op {
                    Op::FCmp if pool.width(operands[0]) <= 128 => {
                        let format = pool.float_format(operands[0]);
                        Some(Compare::Float(pool.predicate(t), format))
                    }
                    Op::Eq if is_number(pool.sort(operands[0])) => {
                        Some(Compare::Equal(pool.width(operands[0])))
                    }
                    Op::Ult if is_number(pool.sort(operands[0])) => {
                        Some(Compare::Below(pool.width(operands[0])))
                    }
                    Op::Slt if is_number(pool.sort(operands[0])) => {
                        Some(Compare::Less(pool.width(operands[0])))
                    }
                    _ => None,
                };
                match compare {
                    Some(compare) => {
                        let [a, b] = [0, 1].map(|k| self.root(operands[k]));
                        BoolOp::Compare(compare, a, b)
                    }
                    None => BoolOp::Opaque(self.root(t)),
                }
            }
        }
    }
}
