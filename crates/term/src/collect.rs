//! Compaction of a pool.

use crate::node::{Op, Symbol, Term};
use crate::pool::{Pool, Sequences, next_epoch};
use crate::symset::SymbolSets;
use crate::table::NodeTable;

/// Called with each handle that is shown to a collection.
pub type Visit<'a> = dyn FnMut(&mut Term) + 'a;

/// A holder of terms. `trace` shows every handle to `visit`, which may change it.
pub trait Trace {
    /// Shows every handle that is held; [`Term::NONE`] may be shown too.
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term));
}

impl Trace for Term {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        visit(self);
    }
}

impl<T: Trace> Trace for Option<T> {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        if let Some(inner) = self {
            inner.trace(visit);
        }
    }
}

impl<T: Trace> Trace for [T] {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.iter_mut().for_each(|item| item.trace(visit));
    }
}

impl<T: Trace> Trace for Vec<T> {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.as_mut_slice().trace(visit);
    }
}

impl<T: Trace + ?Sized> Trace for Box<T> {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        (**self).trace(visit);
    }
}

impl<A: Trace, B: Trace> Trace for (A, B) {
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.0.trace(visit);
        self.1.trace(visit);
    }
}

/// The new places of terms after a collection, for holders that do not keep their terms alive.
pub struct Relocation {
    moved: Vec<u32>,
}

impl Relocation {
    /// The new handle, `None` when the term is gone.
    #[inline]
    pub fn get(&self, old: Term) -> Option<Term> {
        let new = *self.moved.get(old.at())?;
        (new != 0 || old.is_none()).then_some(Term(new))
    }
}

impl Pool {
    /// Compacts the pool to the terms that `roots` shows, and rewrites every handle it shows.
    /// `roots` is called twice (to mark, then to rewrite) and must show the same handles both
    /// times, each place once. The order of handles is kept; symbols keep their numbers and
    /// names; [`Term::FALSE`] and [`Term::TRUE`] stay. Every other handle to the pool, and every
    /// [`SymbolSet`](crate::SymbolSet), is invalid afterwards.
    /// Weak holders translate theirs by the result.
    pub fn collect(&mut self, roots: &mut dyn FnMut(&mut Visit)) -> Relocation {
        // Children are below their parents: one sweep downwards marks the cone.
        let mut moved = vec![0u32; self.nodes.len()];
        moved[..3].fill(1);
        roots(&mut |term| moved[term.at()] = 1);
        for at in (3..self.nodes.len()).rev() {
            if moved[at] != 0 {
                for kid in self.nodes[at].children() {
                    moved[kid.at()] = 1;
                }
            }
        }
        let mut sets = SymbolSets::new();
        let mut moved_sets = Vec::new();
        let mut wide = Sequences::new();
        let mut contents = Sequences::new();
        for symbol in &mut self.symbols {
            symbol.term = Term::NONE;
        }
        let mut next = 0usize;
        for at in 0..self.nodes.len() {
            if moved[at] == 0 {
                continue;
            }
            let (mut node, mut info) = (self.nodes[at], self.info[at]);
            let arity = node.arity as usize;
            for kid in &mut node.kids[..arity] {
                *kid = Term(moved[kid.at()]);
            }
            match node.op {
                Op::ConstWide | Op::IntConst => {
                    node.aux = wide.intern(&self.wide.items[node.aux as usize]);
                }
                Op::ArrayBytes => {
                    node.aux = contents.intern(&self.contents.items[node.aux as usize]);
                }
                Op::Symbol => {
                    self.symbols[Symbol(node.aux).0 as usize].term = Term(next as u32);
                }
                _ => {}
            }
            info.symbols = self
                .sets
                .copy_into(info.symbols, &mut sets, &mut moved_sets);
            self.nodes[next] = node;
            self.info[next] = info;
            moved[at] = next as u32;
            next += 1;
        }
        self.nodes.truncate(next);
        self.info.truncate(next);
        (self.sets, self.wide, self.contents) = (sets, wide, contents);
        self.epoch = next_epoch();
        self.recent.fill((0, 0, Term::NONE));
        self.table = NodeTable::with_capacity(next);
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            let hash = node.hash();
            if let Err(slot) = self.table.find(hash, |_| false) {
                self.table.insert(slot, hash, at as u32);
            }
        }
        moved[0] = 0;
        roots(&mut |term| *term = Term(moved[term.at()]));
        Relocation { moved }
    }
}
