//! Integer linear programs for bit-vector queries.
//!
//! Two techniques over one linearization (`linearize`), both before bit-blasting:
//!
//! - the *pre-check* (Alg. 3 of "Type and interval aware array constraint solving for symbolic
//!   execution"): an over-approximation with exact modulo semantics; no integer solution means
//!   unsatisfiable (with a proof that a debug build checks), a solution is a candidate model;
//! - *optimistic* integers (`--theory lia`; section 3.2 of "Multiplex symbolic execution"): as if
//!   nothing wrapped around; a solution counts after its evaluation, "none" only when no wrap-around
//!   was assumed away.
//!
//! Either way every assignment of the simplex before a pivot is shown to the trials, rounded to the
//! nearest integers within the bounds. Programs are small by construction, and ticks bound them.

mod linearize;
mod program;

use crate::cx::Cx;
use crate::model::Model;
use crate::path::PathCondition;
use crate::query::{Outcome, Query, Technique, Why};
use crate::ranges::Ranges;
use crate::shown::Shown;
use linear::{IntegerVerdict, NoObserver, Observer, Rational, Side, Ticks};
use linearize::Linearizer;
use program::{Cache, Solved};
use term::{Pool, Sort, Symbol, Term};

/// Ticks of one program.
const TICKS: u64 = 60_000;
/// Slices with more conjuncts are left to the other layers.
const MAX_CONJUNCTS: usize = 120;

/// Sound bounds of index terms.
pub(crate) struct IndexIntervals {
    /// Inclusive bounds, one pair per index term.
    pub bounds: Vec<(u64, u64)>,
    /// When the conjuncts contradict each other: a core of them.
    pub unsat: Option<Vec<Term>>,
}

/// Bounds index terms (of at most 64 bits) under conjuncts: value ranges first, then the ends of
/// each index over the linearized conjuncts (Alg. 3, lines 3 to 8). When the ticks are used up, the
/// bounds found so far are returned, which are sound.
pub(crate) fn index_intervals(
    cx: &mut Cx<'_>,
    pc: &PathCondition,
    conjuncts: &[Term],
    indices: &[Term],
    ticks: u64,
) -> IndexIntervals {
    let pool: &Pool = cx.pool;
    let ranges = Ranges::new(pool, pc, conjuncts);
    let mut linearizer = Linearizer::new(pool, cx.tables, ranges, false);
    for (i, &c) in conjuncts.iter().enumerate() {
        linearizer.assert(c, i as u32);
    }
    let values: Vec<_> = indices.iter().map(|&t| linearizer.value(t)).collect();
    let core = |rows: &[u32], linearizer: &Linearizer<'_, '_>| -> Vec<Term> {
        let mut core = linearizer.used();
        let tags = rows
            .iter()
            .filter_map(|&r| linearizer.sources.get(r as usize)?.as_ref());
        core.extend(tags.map(|&tag| conjuncts[tag as usize]));
        core.sort_unstable();
        core.dedup();
        core
    };
    let clamp = |value: &Rational, t: Term| {
        let last = match pool.width(t) {
            64 => u64::MAX,
            width => (1 << width) - 1,
        };
        let value = value.to_i128().unwrap_or(i128::MAX).clamp(0, last as i128);
        value as u64
    };
    let mut bounds: Vec<(u64, u64)> = indices
        .iter()
        .zip(&values)
        .map(|(&t, value)| {
            let (low, high) = linearizer.program.extent(&value.form);
            let (low, high) = (&low + &value.constant, &high + &value.constant);
            let (own_low, own_high) = pool.interval(t);
            (clamp(&low, t).max(own_low), clamp(&high, t).min(own_high))
        })
        .collect();
    let mut problem = match linearizer.program.load() {
        Ok(problem) => problem,
        Err(rows) => {
            let unsat = Some(core(&rows, &linearizer));
            return IndexIntervals { bounds, unsat };
        }
    };
    let goals: Vec<_> = values
        .iter()
        .map(|value| match value.form.terms() {
            [] => None,
            [(v, c)] if c.is_one() => Some(*v),
            _ => Some(problem.define(&value.form)),
        })
        .collect();
    let mut ticks = Ticks::until(ticks, cx.deadline);
    let unsat = match problem.check_relaxation(&mut ticks, &mut NoObserver) {
        Err(rows) => Some(core(&rows, &linearizer)),
        Ok(false) => None,
        Ok(true) => {
            for (i, goal) in goals.iter().enumerate() {
                let Some(goal) = *goal else { continue };
                for side in [Side::Lower, Side::Upper] {
                    let Some((end, _)) = problem.extreme(goal, side, &mut ticks) else {
                        continue;
                    };
                    let end = clamp(&(&end + &values[i].constant), indices[i]);
                    let own = &mut bounds[i];
                    match side {
                        Side::Lower => own.0 = own.0.max(end),
                        Side::Upper => own.1 = own.1.min(end),
                    }
                }
            }
            None
        }
    };
    cx.stats.simplex_pivots += problem.simplex().stats.pivots;
    IndexIntervals { bounds, unsat }
}

/// Do conjuncts contradict each other over the integers, within ranges of their terms (Alg. 3, lines 9 and 10)?
pub(crate) fn contradict(
    cx: &mut Cx<'_>,
    ranges: Ranges<'_>,
    conjuncts: &[Term],
    ticks: u64,
) -> bool {
    let mut linearizer = Linearizer::new(cx.pool, cx.tables, ranges, false);
    for (tag, &c) in (0..).zip(conjuncts) {
        linearizer.assert(c, tag);
    }
    if linearizer.is_too_large() {
        return false;
    }
    let Ok(mut problem) = linearizer.program.load() else {
        return true;
    };
    let mut ticks = Ticks::until(ticks, cx.deadline);
    let verdict = problem.solve(&mut ticks, &mut NoObserver);
    cx.stats.simplex_pivots += problem.simplex().stats.pivots;
    matches!(verdict, IntegerVerdict::Unsat(_))
}

/// A bit-vector's value; numbers outside its width are reduced to it.
fn set_bits(model: &mut Model, symbol: Symbol, value: &Rational) {
    if let Some((negative, limbs)) = value.to_limbs() {
        debug_assert!(!negative, "symbols have ranges");
        model.set_wide(symbol, &limbs);
    }
}

/// Decides queries by integer programs.
pub(crate) struct Programs {
    optimistic: bool,
    cache: Cache,
}

impl Programs {
    /// With modulo semantics, or as if nothing wrapped around.
    pub fn new(optimistic: bool) -> Programs {
        Programs {
            optimistic,
            cache: Cache::default(),
        }
    }

    /// Is the query within the size and the sorts of a program?
    pub fn fits(pool: &Pool, query: &Query<'_>) -> bool {
        let is_bits = !pool.has_float(query.cond) && !pool.has_int(query.cond);
        is_bits && query.slice.terms.len() <= MAX_CONJUNCTS
    }

    /// Looks for a solution; `Unknown(TooLarge)` when the program would be.
    pub fn decide(&mut self, cx: &mut Cx<'_>, query: &Query<'_>) -> Outcome {
        let open = Outcome::Unknown(Why::Incomplete);
        let conditions = query.conditions();
        let ranges = Ranges::new(cx.pool, query.pc, &conditions);
        let mut linearizer = Linearizer::new(cx.pool, cx.tables, ranges, self.optimistic);
        // The path alone has a model: without a row from the condition there is nothing to find.
        linearizer.assert(query.cond, 0);
        if query.witness_holds && !linearizer.sources.contains(&Some(0)) {
            return open;
        }
        for (i, &c) in conditions.iter().enumerate().skip(1) {
            linearizer.assert(c, i as u32);
        }
        if linearizer.is_too_large() {
            return Outcome::Unknown(Why::TooLarge);
        }
        cx.stats.ilp_programs += 1;
        cx.stats.ilp_excluded += linearizer.excluded as u64;
        let (used, assumed) = (linearizer.used(), linearizer.assumed);
        let Linearizer {
            program,
            sources,
            symbols,
            ..
        } = linearizer;
        let cached = self.cache.get(&program).cloned();
        cx.stats.ilp_cached += cached.is_some() as u64;
        let solved = cached.unwrap_or_else(|| {
            let mut ticks = Ticks::until(TICKS, cx.deadline);
            let mut shown = Shown::new(cx.trials, query.witness, symbols.clone(), set_bits);
            let observer: &mut dyn Observer = if shown.is_wanted() {
                &mut shown
            } else {
                &mut NoObserver
            };
            let (solved, pivots) = program.solve(&mut ticks, observer);
            cx.stats.simplex_pivots += pivots;
            self.cache.put(program, solved.clone());
            solved
        });
        match solved {
            Solved::Open => open,
            Solved::Contradiction(_) if assumed => {
                cx.stats.ilp_untrusted += 1;
                open
            }
            Solved::Contradiction(rows) => {
                let mut core = used;
                let tags = rows
                    .iter()
                    .filter_map(|&r| sources.get(r as usize)?.as_ref());
                core.extend(tags.map(|&tag| conditions[tag as usize]));
                core.sort_unstable();
                core.dedup();
                query.refuted(core)
            }
            Solved::Values(values) => {
                let mut model = query.witness.clone();
                for &(symbol, v) in &symbols {
                    if matches!(cx.pool.symbol_sort(symbol), Sort::BitVec(_)) {
                        set_bits(&mut model, symbol, &values[v.at()]);
                    }
                }
                if cx.trials.wanted() {
                    cx.trials.tried(&model, Technique::Simplex);
                }
                if cx.satisfies(query, &model) {
                    Outcome::Sat(model)
                } else {
                    open
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cx::Rejected;
    use crate::domain::TruthTables;
    use crate::query::{Budget, NoTrials};
    use crate::ranges::PathRanges;
    use crate::stats::SolverStats;
    use term::Evaluator;

    #[test]
    fn ends_of_indices_over_the_linearized_path() {
        // 0 <= i, j <= 3 and i + j > 4 leave [2, 3] for both (the paper's example).
        let mut pool = Pool::new();
        let symbols = ["i", "j"].map(|n| pool.new_symbol(n, Sort::BitVec(8)));
        let bytes = symbols.map(|s| pool.symbol_term(s));
        let [three, four] = [pool.bv(8, 3), pool.bv(32, 4)];
        let wide = bytes.map(|b| pool.zext(32, b));
        let sum = pool.add(wide[0], wide[1]);
        let conjuncts = [
            pool.ule(bytes[0], three),
            pool.ule(bytes[1], three),
            pool.ugt(sum, four),
        ];
        let (mut tables, mut evaluator) = (TruthTables::default(), Evaluator::new());
        let mut stats = SolverStats::default();
        let mut cx = Cx {
            pool: &mut pool,
            tables: &mut tables,
            ranges: &mut PathRanges::default(),
            evaluator: &mut evaluator,
            stats: &mut stats,
            budget: Budget::default(),
            deadline: None,
            trials: &mut NoTrials,
            rejected: &mut Rejected::default(),
            decided_by: None,
            float_sets: Vec::new(),
        };
        let pc = PathCondition::new();
        let found = index_intervals(&mut cx, &pc, &conjuncts, &wide, 10_000);
        assert_eq!(found.bounds, [(2, 3), (2, 3)]);
        assert!(found.unsat.is_none());
    }
}
