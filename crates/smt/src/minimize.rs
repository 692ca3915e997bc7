//! Cores of refutations that name no conjuncts, found by further queries.
//!
//! The refutation of a preprocessed query is about the result of the passes. To translate it back, each pass would
//! have to record the conjuncts on which each of its steps depends; further queries need none of that, and give
//! smaller cores than such growing sets would. First the whole query is checked without preprocessing, whose
//! refutation has a core. Then groups are left out, by halves, quarters, …, at last one by one (deletion-based
//! extraction with chunks; Marques-Silva, "Minimal unsatisfiability: models, algorithms and applications", ISMVL
//! 2010). Bounded by [`MAX_CHECKS`] and by effort, so the result is a core, and minimal only if the bounds sufficed.

use crate::script::ScriptSolver;
use rustc_hash::FxHashSet;
use solver::{Budget, NoTrials, Origin, Outcome, PathCondition};
use term::{Pool, Term};

/// Questions asked.
const MAX_CHECKS: usize = 96;
/// Effort of one question, and of all.
const EFFORT: (u64, u64) = (400_000_000, 2_000_000_000);
/// Effort of the question without preprocessing, which may be hopeless and only saves others.
const UNPREPROCESSED: u64 = 16_000_000;
/// Conjuncts in all questions together.
const MAX_CONJUNCTS: usize = 100_000;

impl ScriptSolver {
    /// The numbers of groups of conjuncts that are unsatisfiable together with the `fixed` ones, as few as are found
    /// within the bounds and the budget's time; all together must be unsatisfiable.
    pub fn smaller_core(
        &mut self,
        pool: &mut Pool,
        fixed: &[Term],
        groups: &[Vec<Term>],
        budget: &Budget,
    ) -> Vec<usize> {
        let deadline = budget.deadline();
        let effort = self.base.stats().effort;
        let mut kept: Vec<usize> = (0..groups.len()).collect();
        let mut conjuncts = 0;
        let path = self.path_of(pool, fixed, groups, &kept);
        if let Outcome::Unsat(core) = self.base.solve(
            pool,
            &path,
            &question(&budget.rest(deadline), UNPREPROCESSED),
            &mut NoTrials,
        ) {
            let core: FxHashSet<Term> = core.into_iter().collect();
            kept.retain(|&k| groups[k].iter().any(|t| core.contains(t)));
        }
        let mut size = kept.len().div_ceil(2);
        let mut checks = 0;
        while size > 0 && !kept.is_empty() {
            let mut at = 0;
            while at < kept.len() {
                let spent = self.base.stats().effort.saturating_sub(effort);
                if checks == MAX_CHECKS
                    || conjuncts > MAX_CONJUNCTS
                    || deadline.is_some_and(|end| end.is_past())
                    || spent > EFFORT.1
                {
                    return kept;
                }
                checks += 1;
                let mut rest = kept.clone();
                rest.drain(at..(at + size).min(kept.len()));
                let path = self.path_of(pool, fixed, groups, &rest);
                conjuncts += path.len();
                match self.solve_once(
                    pool,
                    &path,
                    &question(&budget.rest(deadline), EFFORT.0),
                    &mut NoTrials,
                ) {
                    Outcome::Unsat(_) => kept = rest,
                    _ => at += size,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        kept
    }

    fn path_of(
        &mut self,
        pool: &mut Pool,
        fixed: &[Term],
        groups: &[Vec<Term>],
        kept: &[usize],
    ) -> PathCondition {
        let mut path = PathCondition::new();
        let kept = kept.iter().flat_map(|&k| &groups[k]);
        for &t in fixed.iter().chain(kept) {
            self.base.push(pool, &mut path, t, Origin::Assume);
        }
        path
    }
}

fn question(rest: &Budget, effort: u64) -> Budget {
    Budget { effort, ..*rest }
}
