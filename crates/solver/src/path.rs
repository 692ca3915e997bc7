//! The path condition of a state, with the indices that the layers need kept up to date.
//!
//! Everything is persistent: a fork copies four pointers. Three indices grow with each conjunct:
//!
//! * the conjuncts in order, with their origins;
//! * per symbol: the exact set of byte values that all conjuncts *over that byte alone* allow,
//!   and the positions of those conjuncts;
//! * independence: symbols that a conjunct over several of them connects share a *group*; merging
//!   relabels the smaller side, so a symbol is relabelled O(log n) times.
//!
//! Conjuncts over one byte do not join it to a group: the set says all of them.

use crate::domain::{ByteSet, TruthTables};
use crate::model::Model;
use crate::pvec::PVec;
use crate::ranges::PathMark;
use rustc_hash::{FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::hash::Hasher;
use std::rc::Rc;
use term::{Pool, Sort, Symbol, SymbolSet, Term};

/// Why a conjunct is on the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[repr(u8)]
pub enum Origin {
    /// A branch of the program.
    #[default]
    Branch,
    /// A memory access stayed inside its object.
    BoundsCheck,
    /// The program or the harness assumed it.
    Assume,
    /// A value was made concrete.
    Concretized,
    /// An error check passed.
    Check,
    /// A symbolic pointer was resolved to one object.
    Resolve,
}

impl Origin {
    /// May another run take the other side?
    pub fn is_openable(self) -> bool {
        matches!(self, Origin::Branch | Origin::BoundsCheck | Origin::Check)
    }
}

/// A condition on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conjunct {
    /// Width 1.
    pub term: Term,
    /// Why it is there.
    pub origin: Origin,
}

/// A conjunct as stored: the term can be renumbered while the leaf is shared.
#[derive(Clone, Default)]
struct Stored {
    term: Cell<Term>,
    origin: Origin,
}

#[derive(Clone, Default)]
struct SymbolInfo {
    domain: ByteSet,
    /// Positions of the conjuncts over this byte alone.
    unary: Vec<u32>,
    /// The same of a symbol of 9 to 16 bits, which are in its group, too.
    alone: Vec<u32>,
    /// Group label plus one; 0 = in no conjunct with other symbols.
    group: u32,
}

/// Symbols connected by conjuncts over several of them.
#[derive(Clone, Default)]
pub(crate) struct Group {
    pub symbols: Vec<Symbol>,
    /// Positions of the conjuncts over several symbols.
    pub conjuncts: Vec<u32>,
}

/// The leaves already shown in one pass of a collection; one per pass, for all states.
#[derive(Default)]
pub struct TraceSet(FxHashSet<usize>);

impl TraceSet {
    /// An empty set.
    pub fn new() -> TraceSet {
        TraceSet::default()
    }
}

/// The conjuncts of a state; cheap to clone.
#[derive(Clone, Default)]
pub struct PathCondition {
    conjuncts: PVec<Stored>,
    len: u32,
    symbols: PVec<Option<Rc<SymbolInfo>>>,
    groups: PVec<Option<Rc<Group>>>,
    prefix: u64,
    /// Position of a conjunct that is the constant false, plus one.
    contradiction: u32,
    /// Position of the last conjunct that is in a group, plus one.
    joined: u32,
    /// Positions of conjuncts without symbols that no rewrite decided; part of every slice.
    closed: Option<Rc<Vec<u32>>>,
    /// The node that was found for it last in the tree of all paths.
    pub(crate) mark: PathMark,
}

impl PathCondition {
    /// The empty path: true.
    pub fn new() -> PathCondition {
        PathCondition::default()
    }

    /// Number of conjuncts.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The conjunct at a position.
    pub fn get(&self, i: usize) -> Conjunct {
        assert!(i < self.len(), "conjunct {i} of {}", self.len());
        let stored = self.conjuncts.get(i).expect("positions below len exist");
        Conjunct {
            term: stored.term.get(),
            origin: stored.origin,
        }
    }

    /// The conjuncts, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Conjunct> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// A hash of the sequence of conjuncts; the same for states that share them all.
    pub fn prefix_id(&self) -> u64 {
        self.prefix
    }

    /// Is this very term one of the conjuncts? Looks only where it would stand.
    pub fn contains(&self, pool: &Pool, c: Term) -> bool {
        let Some(first) = pool.set_iter(pool.symbols(c)).next() else {
            return false;
        };
        let Some(info) = self.info(first) else {
            return false;
        };
        let holds = |positions: &[u32]| positions.iter().any(|&p| self.term_at(p) == c);
        match pool.single_symbol(c) {
            Some(_) if holds(&info.unary) => true,
            _ => info.group != 0 && holds(&self.group(info.group - 1).conjuncts),
        }
    }

    /// The values left for a byte by the conjuncts over it alone.
    pub fn domain(&self, symbol: Symbol) -> ByteSet {
        self.info(symbol).map_or(ByteSet::FULL, |info| info.domain)
    }

    /// A byte whose value the conjuncts over it alone do not allow; evaluates no term. Looks at `first` before the others: what one path refuses
    /// an assignment for, similar paths mostly refuse similar assignments for.
    pub fn refusing(&self, a: &Model, first: Option<Symbol>) -> Option<Symbol> {
        let refuses = |symbol: Symbol, info: &SymbolInfo| {
            !info.unary.is_empty() && !info.domain.contains(a.get(symbol) as u8)
        };
        if let Some(symbol) = first
            && self.info(symbol).is_some_and(|info| refuses(symbol, info))
        {
            return first;
        }
        let mut found = None;
        self.symbols.all(|symbol, info| {
            let symbol = Symbol(symbol as u32);
            found = info
                .as_deref()
                .and_then(|info| refuses(symbol, info).then_some(symbol));
            found.is_none()
        });
        found
    }

    /// Shows the terms to the collector; see [`TraceSet`].
    pub fn trace_shared(&mut self, seen: &mut TraceSet, visit: &mut dyn FnMut(&mut Term)) {
        self.conjuncts.visit_leaves(&mut seen.0, &mut |stored| {
            let mut term = stored.term.get();
            if term.is_some() {
                visit(&mut term);
                stored.term.set(term);
            }
        });
    }

    fn info(&self, symbol: Symbol) -> Option<&SymbolInfo> {
        self.symbols.get(symbol.0 as usize)?.as_deref()
    }

    fn info_mut(&mut self, symbol: Symbol) -> &mut SymbolInfo {
        Rc::make_mut(
            self.symbols
                .get_mut(symbol.0 as usize)
                .get_or_insert_default(),
        )
    }

    pub(crate) fn term_at(&self, position: u32) -> Term {
        self.conjuncts
            .get(position as usize)
            .expect("positions below len exist")
            .term
            .get()
    }

    /// Positions of the conjuncts over this byte alone.
    pub(crate) fn unary(&self, symbol: Symbol) -> &[u32] {
        self.info(symbol).map_or(&[], |info| &info.unary)
    }

    /// Positions of the conjuncts over this symbol of 9 to 16 bits alone.
    pub(crate) fn alone(&self, symbol: Symbol) -> &[u32] {
        self.info(symbol).map_or(&[], |info| &info.alone)
    }

    /// Does a conjunct connect this symbol with others?
    pub(crate) fn is_connected(&self, symbol: Symbol) -> bool {
        let label = self.group_of(symbol);
        label.is_some_and(|label| self.group(label).symbols.len() > 1)
    }

    /// The group of a symbol, by label.
    pub(crate) fn group_of(&self, symbol: Symbol) -> Option<u32> {
        let label = self.info(symbol)?.group;
        (label != 0).then(|| label - 1)
    }

    pub(crate) fn group(&self, label: u32) -> &Group {
        self.groups
            .get(label as usize)
            .and_then(|g| g.as_deref())
            .expect("labels name groups")
    }

    pub(crate) fn closed(&self) -> &[u32] {
        self.closed.as_deref().map_or(&[], |positions| positions)
    }

    /// Was no conjunct pushed that is the constant false?
    pub fn is_consistent(&self) -> bool {
        self.contradiction == 0
    }

    /// The conjunct that is the constant false, if one was pushed.
    pub(crate) fn contradiction(&self) -> Option<Term> {
        (self.contradiction != 0).then(|| self.term_at(self.contradiction - 1))
    }

    /// Adds a conjunct. `tables` is absent when the byte-domain layer is switched off: then every
    /// symbol lives in a group.
    pub(crate) fn push(
        &mut self,
        pool: &Pool,
        tables: Option<&mut TruthTables>,
        c: Term,
        origin: Origin,
    ) {
        if c == Term::TRUE {
            return;
        }
        let position = self.len;
        *self.conjuncts.get_mut(position as usize) = Stored {
            term: Cell::new(c),
            origin,
        };
        self.len += 1;
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.prefix);
        hasher.write_u64((c.0 as u64) << 8 | origin as u64);
        self.prefix = hasher.finish();
        if c == Term::FALSE {
            self.contradiction = position + 1;
            return;
        }
        if let (Some(symbol), Some(tables)) = (pool.single_symbol(c), tables)
            && pool.symbol_sort(symbol) == Sort::BitVec(8)
        {
            let allowed = tables.get(pool, c, symbol);
            let info = self.info_mut(symbol);
            info.domain = info.domain.intersect(&allowed);
            info.unary.push(position);
            return;
        }
        if let Some(symbol) = pool.single_symbol(c)
            && matches!(pool.symbol_sort(symbol), Sort::BitVec(9..=16))
        {
            self.info_mut(symbol).alone.push(position);
        }
        self.connect(pool, c, position);
    }

    /// Joins the groups of all symbols of a conjunct.
    fn connect(&mut self, pool: &Pool, c: Term, position: u32) {
        let mut labels: Vec<u32> = Vec::new();
        let mut fresh: Vec<Symbol> = Vec::new();
        // What it shares with the conjunct that was joined last is in that one's group: long chains of conjuncts that share
        // nearly all symbols do not cost the sum of their sizes.
        let symbols = pool.symbols(c);
        let last = self.joined.checked_sub(1).map(|p| self.term_at(p));
        let last = last.map_or(SymbolSet::EMPTY, |t| pool.symbols(t));
        let new: Vec<Symbol> = if pool.set_intersects(symbols, last) {
            let first = pool.set_iter(last).next();
            labels.extend(first.and_then(|symbol| self.group_of(symbol)));
            pool.set_difference(symbols, last)
        } else {
            pool.set_iter(symbols).collect()
        };
        for symbol in new {
            match self.group_of(symbol) {
                Some(label) if labels.contains(&label) => {}
                Some(label) => labels.push(label),
                None => fresh.push(symbol),
            }
        }
        let largest = labels
            .iter()
            .copied()
            .max_by_key(|&label| (self.group(label).symbols.len(), std::cmp::Reverse(label)));
        let label = match largest.or_else(|| fresh.first().map(|s| s.0)) {
            Some(label) => label,
            None => {
                Rc::make_mut(self.closed.get_or_insert_default()).push(position);
                return;
            }
        };
        let mut gained: Vec<u32> = Vec::new();
        for &other in labels.iter().filter(|&&l| l != label) {
            let group = self
                .groups
                .get_mut(other as usize)
                .take()
                .expect("labels name groups");
            fresh.extend_from_slice(&group.symbols);
            gained.extend_from_slice(&group.conjuncts);
        }
        for &symbol in &fresh {
            self.info_mut(symbol).group = label + 1;
        }
        let group = Rc::make_mut(self.groups.get_mut(label as usize).get_or_insert_default());
        group.symbols.extend_from_slice(&fresh);
        group.conjuncts.extend_from_slice(&gained);
        group.conjuncts.push(position);
        self.joined = position + 1;
    }
}
