//! Values of conditions at many points at once: a list of assignments of a few symbols, all of which are looked at.
//!
//! The list begins with a single point ([`Points::one`]), is multiplied by the values of one symbol after the other
//! ([`Points::times`]), and is reduced to those points where something holds ([`Points::retain`]). Along a path, terms grow at their
//! root, so the values of large terms near a condition's root are kept, and go along when the list is multiplied or reduced.

use crate::assignment::Assignment;
use crate::collect::Relocation;
use crate::columns::{
    self, Columns, KEPT_FROM, KEPT_SIZE, KnownColumn, KnownColumns, MOST_STEPS, POINTS,
};
use crate::node::{Symbol, Term};
use crate::pool::Pool;
use crate::tape::{Scratch, Tape};
use crate::work;
use rustc_hash::FxHashMap;

/// Bytes of values that one list keeps in each of two generations.
const KEPT_BYTES: usize = 4 << 20;
/// Work of one operation at 256 points.
const STEP_WORK: u64 = 64;
/// Work of making 256 points, for each symbol.
const MAKING_WORK: u64 = 256;

/// Values at each point, and, up to a multiple of 256, some more.
type Column = Box<[u64]>;
/// The same for a symbol.
type Short = Box<[u16]>;

/// A list of assignments of some symbols.
#[derive(Default)]
pub struct Points {
    len: usize,
    symbols: Vec<(Symbol, Short)>,
    young: FxHashMap<Term, Column>,
    old: FxHashMap<Term, Column>,
}

/// 256 points of a list, from `first` on.
struct PointChunk<'a> {
    points: &'a Points,
    first: usize,
}

impl KnownColumns for PointChunk<'_> {
    fn has(&mut self, pool: &Pool, t: Term) -> bool {
        let points = self.points;
        match pool.as_symbol(t) {
            Some(symbol) => points.symbols.iter().any(|(s, _)| *s == symbol),
            None => pool.size_hint(t) >= KEPT_SIZE && points.kept(t).is_some(),
        }
    }

    fn column(&self, pool: &Pool, t: Term) -> KnownColumn<'_> {
        let points = self.points;
        let whole = "it was there when the steps were planned, and ends with a whole chunk";
        let range = self.first..self.first + POINTS;
        match pool.as_symbol(t) {
            Some(symbol) => {
                let mut all = points.symbols.iter();
                let (_, column) = all.find(|(s, _)| *s == symbol).expect(whole);
                KnownColumn::Short(column[range].try_into().expect(whole))
            }
            None => {
                let column = points.kept(t).expect(whole);
                KnownColumn::Long(column[range].try_into().expect(whole))
            }
        }
    }
}

impl Points {
    /// One point, which assigns no symbol.
    pub fn one() -> Points {
        Points {
            len: 1,
            ..Points::default()
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no point?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The assigned symbols with their values at a point.
    pub fn at(&self, point: usize) -> impl Iterator<Item = (Symbol, u64)> + '_ {
        self.symbols
            .iter()
            .map(move |(s, column)| (*s, column[point].into()))
    }

    /// The assigned symbols.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.symbols.iter().map(|(s, _)| *s)
    }

    /// Bytes that the list takes.
    pub fn bytes(&self) -> usize {
        let kept = self.young.len() + self.old.len();
        padded(self.len) * (2 * self.symbols.len() + 8 * kept)
    }

    /// Work of making so many points that assign so many symbols.
    pub fn making(points: usize, symbols: usize) -> u64 {
        MAKING_WORK * (padded(points) / POINTS * symbols.max(1)) as u64
    }

    fn kept(&self, t: Term) -> Option<&Column> {
        self.young.get(&t).or_else(|| self.old.get(&t))
    }

    /// Each point with each of the values of one more symbol, of at most 16 bits.
    pub fn times(&self, symbol: Symbol, values: &[u16]) -> Points {
        let len = self.len * values.len();
        work::spend(Points::making(len, self.symbols.len() + 1));
        let mut symbols: Vec<(Symbol, Short)> = self
            .symbols
            .iter()
            .map(|(s, c)| (*s, self.repeat(c, values.len())))
            .collect();
        let own = values
            .iter()
            .flat_map(|&v| std::iter::repeat_n(v, self.len));
        symbols.push((symbol, fill(len, own)));
        let mut points = Points {
            len,
            symbols,
            ..Points::default()
        };
        let kept = self.young.iter().take(points.most_kept());
        points.young = kept
            .map(|(t, c)| (*t, self.repeat(c, values.len())))
            .collect();
        points
    }

    fn repeat<T: Copy + Default>(&self, column: &[T], times: usize) -> Box<[T]> {
        let whole = (0..times).flat_map(|_| &column[..self.len]);
        fill(self.len * times, whole.copied())
    }

    /// The points whose bits are set.
    pub fn retain(&self, live: &[u64]) -> Points {
        let is_live = |&k: &usize| live[k / 64] >> (k % 64) & 1 != 0;
        let chosen: Vec<usize> = (0..self.len).filter(is_live).collect();
        let long = |from: &FxHashMap<Term, Column>| {
            from.iter().map(|(t, c)| (*t, choose(c, &chosen))).collect()
        };
        Points {
            len: chosen.len(),
            symbols: self
                .symbols
                .iter()
                .map(|(s, c)| (*s, choose(c, &chosen)))
                .collect(),
            young: long(&self.young),
            old: long(&self.old),
        }
    }

    /// Columns that one generation may have.
    fn most_kept(&self) -> usize {
        KEPT_BYTES / size_of::<u64>() / padded(self.len)
    }

    /// Where `condition`, over assigned symbols only, holds: one bit for each point. `None` if that takes more than `limit` of
    /// work, which is reduced by what was done.
    pub fn truth(&mut self, pool: &Pool, condition: Term, limit: &mut u64) -> Option<Box<[u64]>> {
        debug_assert_eq!(pool.width(condition), 1);
        columns::with(|columns| {
            let chunks = padded(self.len) / POINTS;
            let most = *limit / (STEP_WORK * chunks as u64);
            let most = usize::try_from(most).map_or(MOST_STEPS, |most| most.min(MOST_STEPS));
            let mut chunk = PointChunk {
                points: self,
                first: 0,
            };
            let truth = match columns.plan(pool, condition, None, &mut chunk, most) {
                Some(()) => {
                    let work = STEP_WORK * (chunks * columns.len()) as u64;
                    work::spend(work);
                    *limit -= work.min(*limit);
                    self.run(pool, columns)
                }
                None if columns.len() > most => return None,
                None => self.run_slowly(pool, condition, limit)?,
            };
            Some(truth)
        })
    }

    /// What a term of at most 64 bits over assigned symbols only is at each point. `None` if that takes more than `limit` of work, or if terms of its
    /// kinds cannot be looked at together.
    pub fn values(&self, pool: &Pool, t: Term, limit: u64) -> Option<Vec<u64>> {
        debug_assert!(pool.width(t) <= 64);
        columns::with(|columns| {
            let chunks = padded(self.len) / POINTS;
            let most = limit / (STEP_WORK * chunks as u64);
            let most = usize::try_from(most).map_or(MOST_STEPS, |most| most.min(MOST_STEPS));
            let first = |first| PointChunk {
                points: self,
                first,
            };
            columns.plan(pool, t, None, &mut first(0), most)?;
            work::spend(STEP_WORK * (chunks * columns.len()) as u64);
            let last = columns.len().checked_sub(1)?;
            let mut values = Vec::with_capacity(padded(self.len));
            for at in (0..padded(self.len)).step_by(POINTS) {
                columns.run(pool, &first(at));
                columns.append(last, &mut values);
            }
            columns.shrink();
            values.truncate(self.len);
            Some(values)
        })
    }

    /// Runs what was planned at all points, and keeps the values of the large terms that stand last.
    fn run(&mut self, pool: &Pool, columns: &mut Columns) -> Box<[u64]> {
        let chunks = padded(self.len) / POINTS;
        let is_kept = columns.len() >= KEPT_FROM || columns.extends(pool);
        let most_kept = if is_kept { self.most_kept() } else { 0 };
        let from = columns.len() - most_kept.min(columns.len());
        let mut kept: Vec<(usize, Term, Vec<u64>)> = (from..columns.len())
            .filter_map(|at| Some((at, columns.worth_keeping(pool, at)?, Vec::new())))
            .collect();
        let mut truth = Vec::with_capacity(4 * chunks);
        for first in (0..padded(self.len)).step_by(POINTS) {
            columns.run(
                pool,
                &PointChunk {
                    points: self,
                    first,
                },
            );
            truth.extend(columns.truth());
            for (at, _, values) in &mut kept {
                columns.append(*at, values);
            }
        }
        columns.shrink();
        if self.young.len() + kept.len() > self.most_kept() {
            self.old = std::mem::take(&mut self.young);
        }
        self.young
            .extend(kept.into_iter().map(|(_, t, values)| (t, values.into())));
        self.clear_rest(&mut truth);
        truth.into()
    }

    /// For terms without lanes: a tape, run at each point.
    fn run_slowly(&self, pool: &Pool, condition: Term, limit: &mut u64) -> Option<Box<[u64]>> {
        let tape = Tape::compile(pool, &[condition]);
        let work = tape.work().saturating_mul(self.len as u64);
        *limit = limit.checked_sub(work)?; // the runs count it
        let (mut scratch, mut assignment) = (Scratch::new(), Assignment::new());
        let mut truth = vec![0; padded(self.len) / 64];
        for point in 0..self.len {
            for (symbol, value) in self.at(point) {
                assignment.set(symbol, value);
            }
            tape.run(&assignment, &mut scratch);
            truth[point / 64] |= (tape.value(&scratch, 0) & 1) << (point % 64);
        }
        Some(truth.into())
    }

    /// Clears the bits of lanes that are no points.
    fn clear_rest(&self, truth: &mut [u64]) {
        for (k, word) in truth.iter_mut().enumerate().skip(self.len / 64) {
            let bits = self.len.saturating_sub(64 * k).min(63);
            *word &= (1 << bits) - 1;
        }
    }

    /// Translates the kept values after a collection.
    pub fn relocate(&mut self, relocation: &Relocation) {
        for kept in [&mut self.young, &mut self.old] {
            *kept = std::mem::take(kept)
                .into_iter()
                .filter_map(|(t, column)| Some((relocation.get(t)?, column)))
                .collect();
        }
    }
}

/// The length of a column.
fn padded(len: usize) -> usize {
    len.max(1).next_multiple_of(POINTS)
}

/// A column that begins with these values.
fn fill<T: Copy + Default>(len: usize, values: impl Iterator<Item = T>) -> Box<[T]> {
    let mut column = Vec::with_capacity(padded(len));
    column.extend(values);
    column.resize(padded(len), T::default());
    column.into()
}

fn choose<T: Copy + Default>(column: &[T], chosen: &[usize]) -> Box<[T]> {
    fill(chosen.len(), chosen.iter().map(|&k| column[k]))
}
