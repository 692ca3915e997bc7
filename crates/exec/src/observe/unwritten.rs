//! Bytes that were never written and are carried along (`--check uninit`).
//!
//! Most reads of such a byte are errors at once. Some reads are not the program's: to set a bit-field the front end
//! reads the byte around it, and to pass a structure in registers it reads the padding. These are an instruction of
//! their own ([`ir::Inst::LoadRaw`]). A byte that was never written becomes a symbol there, in its place in memory,
//! and values computed from it are terms like any other. An error is the *use* of a value that depends on such a
//! symbol: in a branch, as an address, in a check, as the operand of an engine operation or of the system. Which bits
//! depend is computed as MemorySanitizer does it, with terms for shadows. A value of which no bit depends goes on
//! without the symbols, so that no path condition ever has one.

use crate::errors::{ErrorKind, Termination};
use crate::machine::Machine;
use crate::state::State;
use memory::{Object, Value};
use std::collections::HashMap;
use term::{Op, Pool, Sort, Symbol, SymbolSet, Term};
use vocab::Check;

/// Bytes of one access at a symbolic address that are given symbols.
const MAX_NAMED: u64 = 4096;
/// Runs of such bytes.
const MAX_RUNS: usize = 1024;

/// The symbols of unwritten bytes.
#[derive(Default)]
pub(crate) struct Unwritten {
    /// Symbols by their addresses; equal addresses of several paths share a symbol.
    symbols: HashMap<u64, Symbol>,
    /// All of them.
    all: SymbolSet,
}

impl Unwritten {
    fn symbol(&mut self, pool: &mut Pool, address: u64) -> Term {
        let symbol = *self.symbols.entry(address).or_insert_with(|| {
            let symbol = pool.new_symbol(&format!("unwritten[{address:#x}]"), Sort::BitVec(8));
            let set = pool.set_of(symbol);
            self.all = pool.set_union(self.all, set);
            symbol
        });
        pool.symbol_term(symbol)
    }

    /// Does a value depend on one of them?
    #[inline]
    fn has(&self, pool: &Pool, t: Term) -> bool {
        !self.symbols.is_empty() && pool.set_intersects(pool.symbols(t), self.all)
    }

    /// Sets of symbols have no place in a collection.
    pub(crate) fn collected(&mut self, pool: &mut Pool) {
        self.all = SymbolSet::default();
        for &symbol in self.symbols.values() {
            let set = pool.set_of(symbol);
            self.all = pool.set_union(self.all, set);
        }
    }
}

impl Machine {
    /// Gives the unwritten bytes of an object in start..end their symbols; false if there are too many.
    pub(crate) fn name_unwritten(
        &mut self,
        s: &mut State,
        object: &Object,
        start: u64,
        end: u64,
    ) -> bool {
        if object.initialized || !self.options.checks.has(Check::Uninit) {
            return true;
        }
        // Of an object of symbolic size only what exists for certain.
        let certain = Machine::certain_end(s, object).min(end);
        let (runs, more) = s.memory.unwritten(object, start, certain, MAX_RUNS);
        let bytes: u64 = runs.iter().map(|(first, end)| end - first).sum();
        if more || bytes > MAX_NAMED {
            return false;
        }
        for at in runs.into_iter().flat_map(|(first, end)| first..end) {
            let symbol = self.observers.unwritten.symbol(&mut self.reason.pool, at);
            let named = s.memory.make_symbolic(&mut self.tlb, at, &[symbol]);
            if named.is_err() {
                return false;
            }
        }
        certain == end
    }

    /// The use of a value: an error if it depends on bytes that were never written.
    #[inline]
    pub(crate) fn used(&mut self, s: &mut State, v: Value) -> Result<Value, Termination> {
        if v.term.is_none() || self.observers.unwritten.symbols.is_empty() {
            return Ok(v);
        }
        self.used_or(s, v, |m, s| {
            let text = "a value is used that was never written".to_string();
            m.error(s, ErrorKind::Uninitialized, text)
        })
    }

    /// [`Machine::used`] of a term.
    pub(crate) fn used_term(&mut self, s: &mut State, t: Term) -> Result<Term, Termination> {
        if !self.observers.unwritten.has(&self.reason.pool, t) {
            return Ok(t);
        }
        let width = self.reason.pool.width(t);
        let v = self.used(s, Value { bits: 0, term: t })?;
        Ok(self.term(v, width))
    }

    /// [`Machine::used`] with another error.
    pub(crate) fn used_or(
        &mut self,
        s: &mut State,
        v: Value,
        error: impl Fn(&mut Machine, &State) -> Termination,
    ) -> Result<Value, Termination> {
        if v.term.is_none() || !self.observers.unwritten.has(&self.reason.pool, v.term) {
            return Ok(v);
        }
        let (value, depends) = self.dependence(v.term);
        let independent = self.reason.pool.not(depends);
        self.demand(s, independent, error)?;
        Ok(self.value(value))
    }

    /// A term in which unwritten bytes are zero.
    pub(crate) fn without_unwritten(&mut self, t: Term) -> Term {
        if self.observers.unwritten.has(&self.reason.pool, t) {
            self.dependence(t).0
        } else {
            t
        }
    }

    /// A term in which unwritten bytes are zero, and the condition under which its value depends on them.
    fn dependence(&mut self, t: Term) -> (Term, Term) {
        let Machine {
            reason, observers, ..
        } = self;
        let (pool, unwritten) = (&mut reason.pool, &observers.unwritten);
        let mut done: HashMap<Term, Shadowed> = HashMap::default();
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            if !unwritten.has(pool, top) {
                let shadow = clear(pool, top);
                done.insert(top, Shadowed { value: top, shadow });
                continue;
            }
            let before = stack.len();
            let kids = pool.children(top).iter().copied();
            stack.extend(kids.filter(|kid| !done.contains_key(kid)));
            if stack.len() == before {
                let kids: Vec<Shadowed> = pool.children(top).iter().map(|k| done[k]).collect();
                let shadowed = apply(pool, top, &kids);
                done.insert(top, shadowed);
            }
        }
        let Shadowed { value, shadow } = done[&t];
        (value, any(pool, shadow))
    }
}

/// A term with zero for unwritten bytes, and which of its bits depend on them: a bit-vector of its width, an array of such
/// ones for an array, and one bit for a term of another sort.
#[derive(Clone, Copy)]
struct Shadowed {
    value: Term,
    shadow: Term,
}

/// The shadow of a term that depends on nothing.
fn clear(pool: &mut Pool, t: Term) -> Term {
    match pool.sort(t) {
        Sort::BitVec(width) => pool.zero(width),
        Sort::Array { index, elem } => {
            let zero = pool.zero(elem);
            pool.array_const(index, elem, zero)
        }
        Sort::Float(_) | Sort::Int | Sort::Real => pool.fls(),
    }
}

/// Is a bit of the shadow set? An array's is taken for one that has some.
fn any(pool: &mut Pool, shadow: Term) -> Term {
    match pool.sort(shadow) {
        Sort::BitVec(1) => shadow,
        Sort::BitVec(width) => {
            let zero = pool.zero(width);
            pool.ne(shadow, zero)
        }
        _ => pool.tru(),
    }
}

/// The shadow of `t` all of whose bits depend if `some` holds.
fn all_if(pool: &mut Pool, t: Term, some: Term) -> Term {
    match pool.sort(t) {
        Sort::BitVec(width) if width > 1 => pool.sext(width, some),
        _ => some,
    }
}

/// The operator of `t`, applied to these operands.
fn apply(pool: &mut Pool, t: Term, kids: &[Shadowed]) -> Shadowed {
    let values: Vec<Term> = kids.iter().map(|k| k.value).collect();
    let shadows: Vec<Term> = kids.iter().map(|k| k.shadow).collect();
    let value = match pool.op(t) {
        Op::Symbol => clear(pool, t),
        _ => pool.rebuild(t, &values),
    };
    let is_clear = |pool: &Pool, i: usize| pool.is_zero(shadows[i]);
    let shadow = match pool.op(t) {
        Op::Symbol => {
            let tru = pool.tru();
            all_if(pool, t, tru)
        }
        Op::Not => shadows[0],
        // These move bits.
        Op::Concat | Op::Extract | Op::Zext | Op::Sext | Op::ArrayConst => {
            pool.rebuild(t, &shadows)
        }
        Op::Shl | Op::Lshr | Op::Ashr if is_clear(pool, 1) => {
            pool.rebuild(t, &[shadows[0], values[1]])
        }
        Op::Select if is_clear(pool, 1) => pool.rebuild(t, &[shadows[0], values[1]]),
        Op::Store if is_clear(pool, 1) => pool.rebuild(t, &[shadows[0], values[1], shadows[2]]),
        Op::Xor => pool.or(shadows[0], shadows[1]),
        // A bit that is 0 on one side (of `or`: 1) decides.
        op @ (Op::And | Op::Or) => {
            let sides = [0, 1].map(|i| match op {
                Op::And => values[i],
                _ => pool.not(values[i]),
            });
            let open = [0, 1].map(|i| pool.or(sides[i], shadows[i]));
            let both = [pool.and(shadows[0], open[1]), pool.and(shadows[1], open[0])];
            pool.or(both[0], both[1])
        }
        // A carry goes up.
        Op::Neg | Op::Add | Op::Sub | Op::Mul => {
            let low = match shadows[..] {
                [a, b] => pool.or(a, b),
                _ => shadows[0],
            };
            let up = pool.neg(low);
            pool.or(low, up)
        }
        Op::Ite if matches!(pool.sort(t), Sort::BitVec(_)) => {
            let chosen = pool.ite(values[0], shadows[1], shadows[2]);
            let either = all_if(pool, t, shadows[0]);
            pool.or(chosen, either)
        }
        // Not where bits that are written differ.
        Op::Eq if matches!(pool.sort(values[0]), Sort::BitVec(_)) => {
            let open = pool.or(shadows[0], shadows[1]);
            let difference = pool.xor(values[0], values[1]);
            let written = pool.not(open);
            let decided = pool.and(difference, written);
            let decided = any(pool, decided);
            let open = any(pool, open);
            let undecided = pool.not(decided);
            pool.and(open, undecided)
        }
        // The least and the greatest value of each side decide the same.
        op @ (Op::Ult | Op::Slt) => {
            let width = pool.width(values[0]);
            let [a, b] = [0, 1].map(|i| {
                // Signed numbers are in the order of unsigned ones once their signs are flipped.
                let value = match op {
                    Op::Ult => values[i],
                    _ => {
                        let one = crate::terms::constant(pool, width, 1);
                        let by = crate::terms::constant(pool, width, u64::from(width - 1));
                        let sign = pool.shl(one, by);
                        pool.xor(values[i], sign)
                    }
                };
                let written = pool.not(shadows[i]);
                (pool.and(value, written), pool.or(value, shadows[i]))
            });
            let (most, least) = (pool.ult(a.0, b.1), pool.ult(a.1, b.0));
            pool.xor(most, least)
        }
        _ => {
            let mut some = pool.fls();
            for &shadow in &shadows {
                let set = any(pool, shadow);
                some = pool.or(some, set);
            }
            all_if(pool, t, some)
        }
    };
    Shadowed { value, shadow }
}
