//! The pool: interning, symbols, constants, and queries about terms.

use crate::info::{HAS_ARRAY, HAS_FLOAT, HAS_INT, Info};
use crate::node::{Node, Op, Symbol, Term};
use crate::rules::Rule;
use crate::semantics::mask;
use crate::sort::Sort;
use crate::symset::SymbolSets;
use crate::table::NodeTable;
use crate::wide;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct SymbolData {
    pub name: Box<str>,
    pub sort: Sort,
    /// The symbol's term, or NONE until someone asks for it (and after a collection without it).
    pub term: Term,
}

/// Interned sequences (limbs of wide constants, contents of arrays), named by dense numbers.
pub(crate) struct Sequences<T> {
    pub items: Vec<Box<[T]>>,
    table: HashTable<u32>,
}

impl<T: Copy + Eq + Into<u64>> Sequences<T> {
    pub fn new() -> Self {
        Sequences {
            items: Vec::new(),
            table: HashTable::new(),
        }
    }

    fn hash(items: &[T]) -> u64 {
        let mut hasher = FxHasher::default();
        for &item in items {
            hasher.write_u64(item.into());
        }
        hasher.write_usize(items.len());
        hasher.finish()
    }

    pub fn intern(&mut self, sequence: &[T]) -> u32 {
        let hash = Self::hash(sequence);
        let items = &self.items;
        if let Some(&id) = self
            .table
            .find(hash, |&id| *items[id as usize] == *sequence)
        {
            return id;
        }
        let id = self.items.len() as u32;
        self.items.push(sequence.into());
        let items = &self.items;
        self.table
            .insert_unique(hash, id, |&id| Self::hash(&items[id as usize]));
        id
    }
}

/// Places for constants made lately.
pub(crate) const RECENT: usize = 512;

/// Nodes from which on they grow by a half instead of doubling.
const MANY: usize = 1 << 20;

/// Constructors that may be at work inside one another.
const DEEPEST: u32 = 40;

/// Hash-consed terms of one worker: no locks, no reference counts. Children have smaller handles
/// than their parents, so ascending handles are a topological order, before and after
/// [`Pool::collect`](crate::Pool::collect).
pub struct Pool {
    pub(crate) nodes: Vec<Node>,
    pub(crate) info: Vec<Info>,
    pub(crate) table: NodeTable,
    pub(crate) sets: SymbolSets,
    pub(crate) symbols: Vec<SymbolData>,
    pub(crate) wide: Sequences<u64>,
    pub(crate) contents: Sequences<u8>,
    pub(crate) fired: [u64; Rule::COUNT],
    /// Distinct for each pool and between its collections: handles of one epoch keep their meaning.
    pub(crate) epoch: u64,
    /// Constants made lately, by a cheap hash: the table's line of a constant is rarely cached.
    pub(crate) recent: Box<[(u64, u32, Term); RECENT]>,
    /// The node behind the one that was interned last.
    pub(crate) next: u32,
    /// How many constructors are at work inside one another; see [`Pool::may_rewrite`].
    pub(crate) nesting: u32,
}

static EPOCHS: AtomicU64 = AtomicU64::new(1);

pub(crate) fn next_epoch() -> u64 {
    EPOCHS.fetch_add(1, Ordering::Relaxed)
}

impl Default for Pool {
    fn default() -> Self {
        Pool::new()
    }
}

impl Pool {
    /// A pool with the two constants of width 1.
    pub fn new() -> Pool {
        let mut pool = Pool {
            nodes: Vec::new(),
            info: Vec::new(),
            table: NodeTable::new(),
            sets: SymbolSets::new(),
            symbols: Vec::new(),
            wide: Sequences::new(),
            contents: Sequences::new(),
            fired: [0; Rule::COUNT],
            epoch: next_epoch(),
            recent: Box::new([(0, 0, Term::NONE); RECENT]),
            next: 0,
            nesting: 0,
        };
        pool.install_fixed_nodes();
        pool
    }

    pub(crate) fn install_fixed_nodes(&mut self) {
        self.nodes.push(Node::new(Op::None, 0, &[]));
        self.info.push(Info::ANYTHING);
        let constants = [self.bv(1, 0), self.bv(1, 1)];
        debug_assert_eq!(constants, [Term::FALSE, Term::TRUE]);
    }

    // ---- interning -------------------------------------------------------------------------

    /// The handle of `node`, which gets stored unless an equal one is. A node whose value follows
    /// from the facts about its children becomes a constant.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        // Who computes the same once more meets the same nodes in the same order, and the next one is in the cache by then.
        if self.nodes.get(self.next as usize) == Some(&node) {
            self.next += 1;
            return Term(self.next - 1);
        }
        let term = self.look_up(node);
        if self.op(term) != Op::Const {
            self.next = term.0 + 1;
        }
        term
    }

    fn look_up(&mut self, node: Node) -> Term {
        let hash = node.hash();
        let nodes = &self.nodes;
        let at = match self.table.find(hash, |i| nodes[i as usize] == node) {
            Ok(found) => return Term(found),
            Err(at) => at,
        };
        let info = self.facts(&node);
        if info.lo == info.hi && node.arity > 0 && node.sort <= 64 {
            self.fire(Rule::Decided);
            return self.bv(node.sort, info.lo);
        }
        self.insert(at, hash, node, info)
    }

    #[inline]
    fn insert(&mut self, at: usize, hash: u64, node: Node, info: Info) -> Term {
        if self.nodes.len() == self.nodes.capacity() {
            self.make_room();
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        self.info.push(info);
        self.table.insert(at, hash, id);
        Term(id)
    }

    /// Lets the nodes grow, in smaller steps when they are many.
    #[cold]
    fn make_room(&mut self) {
        let has = self.nodes.capacity();
        let more = if has < MANY { has.max(1024) } else { has / 2 };
        // While they move, the old ones are still there.
        room::need(((has + more) * (size_of::<Node>() + size_of::<Info>())) as u64);
        self.nodes.reserve_exact(more);
        self.info.reserve_exact(more);
    }

    /// Whoever was at work here was interrupted by a panic, or because memory was refused.
    pub fn recover(&mut self) {
        self.nesting = 0;
    }

    fn facts(&mut self, node: &Node) -> Info {
        let [a, b, c] = node.kids;
        let (x, y, z) = match node.arity {
            0 => (Info::ANYTHING, Info::ANYTHING, Info::ANYTHING),
            1 => (self.info[a.at()], Info::ANYTHING, Info::ANYTHING),
            2 => (self.info[a.at()], self.info[b.at()], Info::ANYTHING),
            _ => (self.info[a.at()], self.info[b.at()], self.info[c.at()]),
        };
        let mut info = match node.op {
            Op::Const => Info::constant(node.sort, node.value()),
            Op::Select => self.select_facts(node),
            _ if node.op >= Op::ArrayBytes => {
                let mut info = Info::ANYTHING;
                if node.sort <= 64 {
                    info.hi = mask(node.sort);
                }
                info
            }
            Op::Symbol => {
                let mut info = Info::ANYTHING;
                if node.sort <= 64 {
                    info.hi = mask(node.sort);
                }
                info.symbols = self.sets.singleton(Symbol(node.aux));
                info
            }
            _ => Info::of_value(node, &x, &y, &z),
        };
        if node.arity > 0 {
            let set = self.sets.union(x.symbols, y.symbols);
            info.symbols = self.sets.union(set, z.symbols);
        }
        let flags = match Sort::decode(node.sort) {
            Sort::Float(_) => HAS_FLOAT,
            Sort::Array { .. } => HAS_ARRAY,
            Sort::Int => HAS_INT,
            _ => 0,
        };
        info.combine_meta(flags, [x.meta, y.meta, z.meta]);
        info
    }

    #[inline]
    pub(crate) fn fire(&mut self, rule: Rule) {
        self.fired[rule as usize] += 1;
    }

    /// May a constructor rewrite below its operands? Rules call constructors; the bound keeps
    /// that from recursing along a chain of terms. At the bound a term is interned as it is.
    #[inline]
    pub(crate) fn may_rewrite(&mut self) -> bool {
        if self.nesting >= DEEPEST {
            self.fire(Rule::DepthLimit);
        }
        self.nesting < DEEPEST
    }

    /// The same for rules that call several constructors, which could take exponential time.
    #[inline]
    pub(crate) fn may_branch(&self) -> bool {
        self.nesting < DEEPEST / 4
    }

    /// Runs a constructor, counted against [`Pool::may_rewrite`].
    #[inline]
    pub(crate) fn nested<R>(&mut self, step: impl FnOnce(&mut Pool) -> R) -> R {
        self.nesting += 1;
        let result = step(self);
        self.nesting -= 1;
        result
    }

    // ---- symbols and constants -------------------------------------------------------------

    /// Makes a new free variable. Names need not be distinct for the pool, but are for a printer.
    ///
    /// # Panics
    /// For [`Sort::Real`], which no operator takes yet.
    pub fn new_symbol(&mut self, name: &str, sort: Sort) -> Symbol {
        match sort {
            Sort::BitVec(width) => assert!((1..=Sort::MAX_WIDTH).contains(&width), "width {width}"),
            Sort::Float(_) => {}
            Sort::Array { index, elem } => {
                assert!(
                    (1..=Sort::MAX_INDEX).contains(&index) && (1..=Sort::MAX_ELEM).contains(&elem),
                    "{sort:?}"
                );
            }
            Sort::Int => {}
            Sort::Real => panic!("no operator takes a symbol of sort {sort:?}"),
        }
        self.symbols.push(SymbolData {
            name: name.into(),
            sort,
            term: Term::NONE,
        });
        Symbol(self.symbols.len() as u32 - 1)
    }

    /// The term of a symbol.
    pub fn symbol_term(&mut self, symbol: Symbol) -> Term {
        let data = &self.symbols[symbol.0 as usize];
        if data.term.is_some() {
            return data.term;
        }
        let node = Node::new(Op::Symbol, data.sort.encode(), &[]).with_aux(symbol.0);
        let term = self.intern(node);
        self.symbols[symbol.0 as usize].term = term;
        term
    }

    /// The symbol's name.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.0 as usize].name
    }

    /// The symbol's sort.
    pub fn symbol_sort(&self, symbol: Symbol) -> Sort {
        self.symbols[symbol.0 as usize].sort
    }

    /// Number of symbols; their indices are below it.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// The constant `value`, cut to `width` bits. A `width` above 64 makes a wide constant.
    #[inline]
    pub fn bv(&mut self, width: u32, value: u64) -> Term {
        if width > 64 {
            return self.bv_wide(width, &[value]);
        }
        debug_assert!(width > 0);
        let value = value & mask(width);
        let place = (value ^ (value >> 8) ^ (width as u64) << 3) as usize % RECENT;
        let recent = self.recent[place];
        if recent.0 == value && recent.1 == width {
            return recent.2;
        }
        let node = Node::constant(width, value);
        let hash = node.hash();
        let nodes = &self.nodes;
        let term = match self.table.find(hash, |i| nodes[i as usize] == node) {
            Ok(found) => Term(found),
            Err(at) => self.insert(at, hash, node, Info::constant(width, value)),
        };
        self.recent[place] = (value, width, term);
        term
    }

    /// The constant with the given little-endian limbs, zero-extended or cut to `width` bits.
    pub fn bv_wide(&mut self, width: u32, limbs: &[u64]) -> Term {
        assert!((1..=Sort::MAX_WIDTH).contains(&width), "width {width}");
        if width <= 64 {
            return self.bv(width, limbs.first().copied().unwrap_or(0));
        }
        let mut value = vec![0; wide::limbs(width)];
        let count = limbs.len().min(value.len());
        value[..count].copy_from_slice(&limbs[..count]);
        wide::trim(&mut value, width);
        let id = self.wide.intern(&value);
        self.intern(Node::new(Op::ConstWide, width, &[]).with_aux(id))
    }

    /// True: the constant 1 of width 1.
    #[inline]
    pub fn tru(&mut self) -> Term {
        Term::TRUE
    }

    /// False: the constant 0 of width 1.
    #[inline]
    pub fn fls(&mut self) -> Term {
        Term::FALSE
    }

    /// A truth value as a term.
    #[inline]
    pub fn bool(&mut self, value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }
}
