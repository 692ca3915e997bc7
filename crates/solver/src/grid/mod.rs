//! Decides small queries by enumeration: a slice that depends on few input bits is evaluated at every assignment.
//!
//! A [`Grid`] has all assignments of its symbols that satisfy the conjuncts it assumes. Grids are kept along the path:
//! a query takes the one that assumes part of its own conjuncts and leaves the fewest points, multiplies it by the
//! values of symbols that it lacks, and evaluates the conjuncts that are new, whose values rest on those of the terms
//! below them. If these exclude most points, the rest becomes a new grid, for the queries further along the path.
//!
//! Exact: a query is refuted only when the condition was false at each point that the conjuncts left. Bounded by [`MOST_POINTS`] points (more for
//! queries that read tables, [`wide`]) and by work; a query beyond is not decided here.

mod wide;

use crate::cx::Cx;
use crate::domain::ByteSet;
use crate::model::Model;
use crate::path::PathCondition;
use crate::query::{Core, Outcome, Query, Technique, Trials, Why};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Points, Pool, Relocation, Sort, Symbol, Term};

/// Assignments of one grid: those of 16 bits.
const MOST_POINTS: usize = 1 << 16;
/// Symbols of a query.
const MOST_SYMBOLS: usize = 16;
/// A grid is divided where so many times fewer points are left.
const SMALLER: usize = 2;
/// Grids kept, and bytes that they may take.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 128 << 20;
/// Points among which the nearest to the witness is looked for.
const COMPARED: usize = 1024;
/// Points at which conjuncts that were not looked at before are.
const CANDIDATES: usize = 64;
/// Conjuncts whose other sides a query shows an assignment of.
const SHOWN_CONJUNCTS: usize = 16;

/// One bit for each point.
type Truth = Box<[u64]>;

/// All assignments that satisfy some conjuncts.
struct Grid {
    points: Points,
    /// The conjuncts that excluded an assignment: all points satisfy them.
    assumed: Vec<Term>,
    /// Conjuncts from which it followed which values the bytes can have. Not all points satisfy them.
    narrowed_by: Vec<Term>,
    /// Conjuncts that hold at all points.
    implied: FxHashSet<Term>,
    /// The points at which other conditions hold.
    truths: FxHashMap<Term, Truth>,
}

impl Grid {
    /// The single assignment of no symbol.
    fn one() -> Grid {
        Grid {
            points: Points::one(),
            assumed: Vec::new(),
            narrowed_by: Vec::new(),
            implied: FxHashSet::default(),
            truths: FxHashMap::default(),
        }
    }

    fn bytes(&self) -> usize {
        self.points.bytes() + self.truths.len() * self.points.len() / 8
    }

    fn has(&self, symbol: Symbol) -> bool {
        self.points.symbols().any(|s| s == symbol)
    }

    /// With all values that the path's sets leave of one more symbol; `left` are fewer, if something else is known of it.
    fn times(
        &self,
        pool: &Pool,
        pc: &PathCondition,
        symbol: Symbol,
        left: Option<&ByteSet>,
    ) -> Grid {
        let mut assumed = self.assumed.clone();
        let values: Vec<u16> = match pool.symbol_sort(symbol) {
            Sort::BitVec(8) => {
                assumed.extend(pc.unary(symbol).iter().map(|&p| pc.term_at(p)));
                let domain = pc.domain(symbol);
                left.unwrap_or(&domain).iter().map(u16::from).collect()
            }
            sort => (0..=u16::MAX >> (16 - sort.bits())).collect(),
        };
        Grid {
            points: self.points.times(symbol, &values),
            assumed,
            narrowed_by: self.narrowed_by.clone(),
            implied: self.implied.clone(),
            truths: FxHashMap::default(),
        }
    }

    /// The points at which a condition holds; `None` if that takes too much work.
    fn truth(&mut self, pool: &Pool, t: Term, work: &mut u64) -> Option<&Truth> {
        if !self.truths.contains_key(&t) {
            let truth = self.points.truth(pool, t, work)?;
            self.truths.insert(t, truth);
        }
        self.truths.get(&t)
    }

    /// The points where these conjuncts hold, too.
    fn retain(&self, live: &[u64], excluding: &[Term]) -> Grid {
        Grid {
            points: self.points.retain(live),
            assumed: [&self.assumed, excluding].concat(),
            narrowed_by: self.narrowed_by.clone(),
            implied: self.implied.clone(),
            truths: FxHashMap::default(),
        }
    }
}

/// Grids of the paths that were asked about lately, the latest last.
#[derive(Default)]
pub(crate) struct Grids {
    kept: Vec<Grid>,
}

/// How many values a symbol has on the path; `None` if they are too many to look at.
fn values_left(pool: &Pool, pc: &PathCondition, symbol: Symbol) -> Option<usize> {
    match pool.symbol_sort(symbol) {
        Sort::BitVec(8) => Some(pc.domain(symbol).len() as usize),
        Sort::BitVec(width @ 1..=16) => Some(1 << width),
        _ => None,
    }
}

fn count(bits: &[u64]) -> usize {
    bits.iter().map(|word| word.count_ones() as usize).sum()
}

fn first(mut words: impl Iterator<Item = u64>) -> Option<usize> {
    let mut at = 0;
    words.find_map(|word| {
        at += 64;
        (word != 0).then(|| at - 64 + word.trailing_zeros() as usize)
    })
}

impl Grids {
    /// Decides the query if it is small and that takes no more than `work`, or if it reads tables and takes no more than `wide_work`.
    ///
    /// # Errors
    /// [`Why::Budget`] where it takes more, and [`Why::Incomplete`] where the query is not small.
    pub fn decide(
        &mut self,
        cx: &mut Cx<'_>,
        query: &Query<'_>,
        mut work: u64,
        wide_work: u64,
    ) -> Result<Outcome, Why> {
        let mut grid = self.find(cx.pool, query, &mut work, wide_work)?;
        let mut live = all(grid.points.len());
        let mut excluding: Vec<Term> = Vec::new();
        // Conjuncts that take too much work, or read what is no table: without them a refutation holds all the same.
        let mut unseen: Vec<Term> = Vec::new();
        let known: FxHashSet<Term> = grid.assumed.iter().copied().collect();
        for &t in &query.slice.terms {
            if known.contains(&t) || grid.implied.contains(&t) {
                continue;
            }
            let len = grid.points.len();
            let Some(truth) = grid.truth(cx.pool, t, &mut work) else {
                unseen.push(t);
                continue;
            };
            if count(truth) == len {
                grid.implied.insert(t);
                grid.truths.remove(&t);
                continue;
            }
            live.iter_mut().zip(truth).for_each(|(live, t)| *live &= t);
            excluding.push(t);
            if count(&live) * SMALLER <= len && len > 64 {
                let smaller = grid.retain(&live, &excluding);
                self.keep(grid);
                grid = smaller;
                live = all(grid.points.len());
                excluding.clear();
            }
        }
        let holds = grid.truth(cx.pool, query.cond, &mut work).cloned();
        let outcome = holds.and_then(|holds| {
            let found: Vec<u64> = live.iter().zip(&holds).map(|(a, b)| a & b).collect();
            if cx.trials.wanted() && unseen.is_empty() {
                show(&grid, query, &holds, &excluding, cx.trials);
            }
            let Some(point) = nearest(&grid, query.witness, &found) else {
                return Some(Outcome::Unsat(core(&grid, &excluding)));
            };
            let candidates = std::iter::once(point).chain(set(&found).take(CANDIDATES));
            let mut models = candidates.map(|point| model(&grid, query, point));
            let fits = models.find(|model| unseen.is_empty() || cx.holds_all(&unseen, model));
            fits.map(Outcome::Sat)
        });
        self.keep(grid);
        outcome.ok_or(Why::Budget)
    }

    /// A grid of all symbols of the query that assumes nothing but conjuncts of the query: the one that leaves the fewest points.
    fn find(
        &mut self,
        pool: &mut Pool,
        query: &Query<'_>,
        work: &mut u64,
        wide_work: u64,
    ) -> Result<Grid, Why> {
        let symbols = &query.slice.symbols;
        if symbols.len() > MOST_SYMBOLS {
            return Err(Why::Incomplete);
        }
        let counts: Option<Vec<usize>> = symbols
            .iter()
            .map(|&s| values_left(pool, query.pc, s))
            .collect();
        let counts = counts.ok_or(Why::Incomplete)?;
        let size = |grid: &Grid, counts: &[usize]| {
            let missing = symbols.iter().zip(counts).filter(|(s, _)| !grid.has(**s));
            missing.fold(grid.points.len(), |size, (_, &count)| {
                size.saturating_mul(count)
            })
        };
        let terms: FxHashSet<Term> = query.slice.terms.iter().copied().collect();
        let is_usable = |grid: &Grid| {
            grid.points.symbols().all(|s| symbols.contains(&s))
                && grid.assumed.iter().rev().all(|t| terms.contains(t))
                && grid.narrowed_by.iter().all(|t| terms.contains(t))
        };
        let usable = self
            .kept
            .iter()
            .enumerate()
            .filter(|(_, grid)| is_usable(grid));
        let best = usable.map(|(k, grid)| (size(grid, &counts), k)).min();
        let mut nothing = Grid::one();
        let from_nothing = size(&nothing, &counts);
        let mut from = best.filter(|(points, _)| *points <= from_nothing);
        let mut points = from.map_or(from_nothing, |(points, _)| points);
        let mut left = FxHashMap::default();
        if points > MOST_POINTS {
            if !wide::reads_tables(pool, query) {
                return Err(Why::Incomplete);
            }
            *work = wide_work;
            if points > wide::MOST_POINTS {
                let narrowed = wide::narrowed(pool, query).ok_or(Why::Incomplete)?;
                let count = |(s, count): (&Symbol, &usize)| match narrowed.sets.get(s) {
                    Some(set) => set.len() as usize,
                    None => *count,
                };
                let counts: Vec<usize> = symbols.iter().zip(&counts).map(count).collect();
                nothing.narrowed_by = narrowed.by;
                from = None;
                points = size(&nothing, &counts);
                left = narrowed.sets;
            }
            if points > wide::MOST_POINTS {
                return Err(Why::Incomplete);
            }
        }
        let has_all = |grid: &Grid| symbols.iter().all(|&s| grid.has(s));
        if let Some((_, k)) = from
            && has_all(&self.kept[k])
        {
            return Ok(self.kept.remove(k));
        }
        let making = Points::making(points, symbols.len());
        *work = work.checked_sub(making).ok_or(Why::Budget)?;
        let mut made: Option<Grid> = None;
        for &s in symbols {
            let base = from.map_or(&nothing, |(_, k)| &self.kept[k]);
            let grid = made.as_ref().unwrap_or(base);
            if !grid.has(s) {
                made = Some(grid.times(pool, query.pc, s, left.get(&s)));
            }
        }
        Ok(made.unwrap_or(nothing))
    }

    fn keep(&mut self, grid: Grid) {
        self.kept.push(grid);
        let mut bytes: usize = self.kept.iter().map(Grid::bytes).sum();
        while self.kept.len() > KEPT || bytes > KEPT_BYTES {
            bytes -= self.kept.remove(0).bytes();
        }
    }

    /// Terms were renumbered.
    pub fn relocate(&mut self, relocation: Option<&Relocation>) {
        let kept = std::mem::take(&mut self.kept);
        let Some(relocation) = relocation else { return };
        self.kept = kept
            .into_iter()
            .filter_map(|grid| moved(grid, relocation))
            .collect();
    }
}

/// The grid after a collection; one that assumes a term that is gone will not be asked for.
fn moved(mut grid: Grid, relocation: &Relocation) -> Option<Grid> {
    grid.points.relocate(relocation);
    let all = |terms: &[Term]| terms.iter().map(|&t| relocation.get(t)).collect();
    let (assumed, narrowed_by): (Option<_>, Option<_>) =
        (all(&grid.assumed), all(&grid.narrowed_by));
    Some(Grid {
        assumed: assumed?,
        narrowed_by: narrowed_by?,
        implied: grid
            .implied
            .iter()
            .filter_map(|&t| relocation.get(t))
            .collect(),
        truths: grid
            .truths
            .into_iter()
            .filter_map(|(t, truth)| Some((relocation.get(t)?, truth)))
            .collect(),
        points: grid.points,
    })
}

/// All points.
fn all(len: usize) -> Vec<u64> {
    let mut bits = vec![u64::MAX; len.div_ceil(64)];
    if !len.is_multiple_of(64) {
        bits[len / 64] = (1 << (len % 64)) - 1;
    }
    bits
}

/// The points whose bits are set.
fn set(bits: &[u64]) -> impl Iterator<Item = usize> {
    (0..64 * bits.len()).filter(|k| bits[k / 64] >> (k % 64) & 1 != 0)
}

/// Among the points whose bits are set, one at which the most symbols have the witness's value.
fn nearest(grid: &Grid, witness: &Model, found: &[u64]) -> Option<usize> {
    let changed = |&k: &usize| {
        let values = grid.points.at(k);
        values
            .filter(|&(symbol, value)| witness.get(symbol) != value)
            .count()
    };
    set(found).take(COMPARED).min_by_key(changed)
}

fn model(grid: &Grid, query: &Query<'_>, point: usize) -> Model {
    let mut model = query.witness.clone();
    for (symbol, value) in grid.points.at(point) {
        model.set(symbol, value);
    }
    model
}

/// The conjuncts that leave no point at which the condition holds.
fn core(grid: &Grid, excluding: &[Term]) -> Core {
    let mut core = [&grid.assumed, &grid.narrowed_by, excluding].concat();
    let mut seen = FxHashSet::default();
    core.retain(|t| seen.insert(*t));
    core
}

/// Shows an assignment for each conjunct that satisfies the condition and the conjuncts before, and violates that one.
fn show(
    grid: &Grid,
    query: &Query<'_>,
    holds: &Truth,
    excluding: &[Term],
    trials: &mut dyn Trials,
) {
    let mut left = holds.clone();
    for t in excluding.iter().take(SHOWN_CONJUNCTS) {
        let truth = &grid.truths[t];
        if let Some(point) = first(left.iter().zip(truth).map(|(a, b)| a & !b)) {
            trials.tried(&model(grid, query, point), Technique::Enumeration);
        }
        left.iter_mut().zip(truth).for_each(|(a, b)| *a &= b);
    }
}
