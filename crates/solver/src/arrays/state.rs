//! The representation of arrays in the circuits of one SAT context.
//!
//! A read of a base at an index is one vector of fresh inputs, whatever term asked for it; so is a read of a long
//! update list, whose stores become axioms on demand: it covers one block of them, and the array below that is another
//! read, made when a model needs it. `parts` lists the reads that a lowered read depends on, so that a query is
//! refined for its own reads only.

use super::equality::{Equality, Written};
use super::method::ArrayMethod;
use super::read::ReadKey;
use super::relevant::{Member, Relevant};
use super::scaled::Scale;
use super::tables::Progression;
use crate::circuit::circuits::Bits;
use crate::circuit::terms::Range;
use crate::sat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use term::{Pool, Relocation, Symbol, Term};

/// An axiom that a model does not satisfy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Violation {
    /// The read is not the element of the constant content at this index.
    Element(Member, u64),
    /// Two reads of an array symbol at one index differ.
    Pair(ReadId, ReadId),
    /// The read is not the value of this store, whose index it has.
    Store(ReadId, usize),
    /// The read meets no store and differs from the read of the older array.
    Below(ReadId),
    /// The bit is true, but the arrays differ.
    Equal(Term),
}

/// Position in [`Arrays::reads`].
pub(crate) type ReadId = u32;

/// The origin of the elements of a read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Source {
    /// Constant content, by its number in [`Arrays::contents`].
    Content(u32),
    /// An array symbol.
    Free(Symbol),
}

/// The value of a read when none of its updates matches.
#[derive(Clone)]
pub(crate) enum Below {
    Source(Source),
    Value(Bits),
    /// The read of an older array at the same index, which need not exist yet.
    Older(ReadKey),
    /// The same of an array that has been collected: the read is never needed again.
    Gone,
}

/// A read that is fresh inputs.
pub(crate) struct AbstractRead {
    pub index: Bits,
    pub value: Bits,
    /// Index and value of the stores that it looks past, newest first; none for a read of a base.
    pub updates: Vec<(Range, Range)>,
    pub below: Below,
    /// How many blocks of older stores follow when a model next gets past all updates: two to this power.
    pub reach: u32,
    /// Bounds of the index where the read was made.
    pub window: (u64, u64),
    /// The bits of the read below, once an axiom needed them (reads with updates only), and that read.
    pub base: Option<(Bits, Option<ReadId>)>,
    /// Elements of constant content for which there is an axiom.
    pub elements: FxHashSet<u64>,
    /// Is there the axiom that beyond the content all is zero?
    pub beyond: bool,
    /// The indices for which elements were given together, as one table.
    pub table: Option<Progression>,
}

impl AbstractRead {
    /// A read without axioms so far.
    pub fn new(index: Bits, below: Below, window: (u64, u64)) -> AbstractRead {
        AbstractRead {
            index,
            value: Vec::new(),
            updates: Vec::new(),
            below,
            reach: 0,
            window,
            base: None,
            elements: FxHashSet::default(),
            beyond: false,
            table: None,
        }
    }
}

/// The reads and keys that a lowered read depends on.
#[derive(Default, Clone)]
pub(crate) struct ReadDependencies {
    pub reads: Vec<ReadId>,
    pub keys: Vec<ReadKey>,
    /// The reads are at `k` for an index `stride * k + offset`.
    pub scale: Option<Scale>,
}

impl ReadDependencies {
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.keys.is_empty()
    }
}

/// The reads and equalities of one circuit.
#[derive(Default)]
pub(crate) struct Arrays {
    pub method: ArrayMethod,
    /// The bits of reads.
    pub lowered: FxHashMap<ReadKey, Range>,
    /// Reads that wait for terms, by the read that they are part of; the one to go on with is the last.
    pub waiting: FxHashMap<ReadKey, Vec<ReadKey>>,
    pub reads: Vec<AbstractRead>,
    by_source: FxHashMap<(Source, Bits), ReadId>,
    pub parts: FxHashMap<ReadKey, ReadDependencies>,
    /// Arrays all of whose indices, elements and conditions have bits.
    pub ready: FxHashSet<Term>,
    /// The base below all stores of an array.
    pub bases: FxHashMap<Term, Term>,
    pub contents: Vec<Rc<[u8]>>,
    /// Sources for which an element was needed that their access type excludes: they have none from then on.
    pub untyped: FxHashSet<Source>,
    content_ids: FxHashMap<(Term, Scale), u32>,
    /// Are these elements of a content too irregular for a multiplexer tree?
    pub random: FxHashMap<(u32, Progression), bool>,
    /// Index vectors that are no term.
    pub indices: Vec<Bits>,
    index_ids: FxHashMap<Bits, u32>,
    pub equalities: FxHashMap<Term, Equality>,
    /// The element of an array symbol at an index that the compared arrays do not write.
    pub defaults: FxHashMap<Symbol, Bits>,
    /// The indices at which they do, by the width of the index.
    pub written: FxHashMap<u32, Written>,
    /// Pairs of reads of one array symbol with an axiom.
    pub pairs: FxHashSet<(ReadId, ReadId)>,
    /// Axioms to be given to the SAT solver before its next call.
    pub pending: Vec<Lit>,
    /// The reads and equalities that the current query depends on.
    pub relevant: Relevant,
    /// The reads among that when it began.
    pub asked: Vec<Member>,
    /// The violations by its last model.
    pub violations: Vec<Violation>,
    /// Rounds of its refinement.
    pub round: u32,
    /// Conditions on one index that were built as ranges of it since the last query began.
    pub indexed: u64,
}

impl Arrays {
    /// Nothing is abstract yet.
    pub fn new(method: ArrayMethod) -> Arrays {
        Arrays {
            method,
            ..Arrays::default()
        }
    }

    /// The number of an array's content.
    pub fn content(&mut self, pool: &Pool, array: Term) -> u32 {
        let next = self.contents.len() as u32;
        let id = *self.content_ids.entry((array, Scale::ONE)).or_insert(next);
        if id == next {
            self.contents.push(pool.array_content(array).into());
        }
        id
    }

    /// The number of the content that an array's elements at `stride * k + offset` are, over `k`.
    pub fn scaled_content(&mut self, pool: &Pool, array: Term, scale: Scale) -> u32 {
        let next = self.contents.len() as u32;
        let id = *self.content_ids.entry((array, scale)).or_insert(next);
        if id == next {
            let all = pool.array_content(array);
            // Where the index would be negative nothing is read.
            let elements = (0..)
                .map(|k| scale.at(k))
                .take_while(|&at| at < all.len() as i128)
                .map(|at| usize::try_from(at).map_or(0, |at| all[at]));
            self.contents.push(elements.collect());
        }
        id
    }

    /// Elements of the constant content that is below a read.
    pub fn length(&self, id: ReadId) -> u64 {
        match self.reads[id as usize].below {
            Below::Source(Source::Content(content)) => self.contents[content as usize].len() as u64,
            _ => 0,
        }
    }

    /// The number of an index vector.
    pub fn index(&mut self, bits: &Bits) -> u32 {
        if let Some(&id) = self.index_ids.get(bits) {
            return id;
        }
        let id = self.indices.len() as u32;
        self.indices.push(bits.clone());
        self.index_ids.insert(bits.clone(), id);
        id
    }

    /// The read of a base at an index, if it exists.
    pub fn find(&self, source: Source, index: &Bits) -> Option<ReadId> {
        self.by_source.get(&(source, index.clone())).copied()
    }

    /// Registers a read.
    pub fn add(&mut self, read: AbstractRead) -> ReadId {
        let id = self.reads.len() as ReadId;
        if let (Below::Source(source), true) = (&read.below, read.updates.is_empty()) {
            self.by_source.insert((*source, read.index.clone()), id);
        }
        self.reads.push(read);
        id
    }

    /// Renumbers the terms after a collection.
    pub fn moved(&mut self, relocation: &Relocation) {
        self.relevant = Relevant::default();
        self.waiting.clear();
        self.ready.clear();
        self.bases.clear();
        for read in &mut self.reads {
            if let Below::Older(key) = read.below {
                read.below = key.moved(relocation).map_or(Below::Gone, Below::Older);
            }
        }
        let lowered = std::mem::take(&mut self.lowered);
        self.lowered = lowered
            .into_iter()
            .filter_map(|(key, range)| Some((key.moved(relocation)?, range)))
            .collect();
        let contents = std::mem::take(&mut self.content_ids);
        self.content_ids = contents
            .into_iter()
            .filter_map(|((t, scale), id)| Some(((relocation.get(t)?, scale), id)))
            .collect();
        let equalities = std::mem::take(&mut self.equalities);
        self.equalities = equalities
            .into_iter()
            .filter_map(|(t, mut equality)| {
                let t = relocation.get(t)?;
                let keys = equality.keys.iter().map(|k| k.moved(relocation));
                equality.keys = keys.collect::<Option<_>>()?;
                Some((t, equality))
            })
            .collect();
        let parts = std::mem::take(&mut self.parts);
        self.parts = parts
            .into_iter()
            .filter_map(|(key, mut parts)| {
                let key = key.moved(relocation)?;
                // Older versions of an array live as long as it does.
                parts.keys = parts
                    .keys
                    .iter()
                    .map(|k| k.moved(relocation))
                    .collect::<Option<_>>()?;
                Some((key, parts))
            })
            .collect();
    }
}
