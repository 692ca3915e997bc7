//! Terms to bits, iteratively: a term is visited again once its operands have bits.
//!
//! To add an operator: one arm in [`Lowering::operator`]. Operators without a circuit end the
//! query with a named reason; they are never approximated.

use super::aig::Aig;
use super::circuits::{Bits, constant};
use super::reads::ReadKey;
use crate::arith::{Operations, is_arithmetic};
use crate::arrays::ArrayMethod;
use crate::arrays::abstraction::Abstraction;
use crate::query::Why;
use crate::sat::Lit;
use linear::Deadline;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Relocation, Sort, Symbol, Term};

/// Bits of all terms of one context, for each gate that it may have.
const BITS_PER_GATE: usize = 16;

/// What waits on the work list.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    /// A bit-vector term.
    Bits(Term),
    /// An array read.
    Read(ReadKey),
}

/// How circuits are built.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// How reads of arrays are lowered.
    pub arrays: ArrayMethod,
    /// Products and divisions of at least this many bits are abstract.
    pub abstract_width: u32,
    /// More gates than this in one context end the query as too large.
    pub max_gates: usize,
}

impl Default for Settings {
    /// Whole circuits of a size that fits beside a run.
    fn default() -> Self {
        Settings {
            arrays: ArrayMethod::Auto,
            abstract_width: u32::MAX,
            max_gates: 4_000_000,
        }
    }
}

/// The circuits built so far in one context.
#[derive(Default)]
pub struct Lowering {
    /// Gates beyond which nothing more is built for the question at hand.
    pub(crate) limit: usize,
    /// More gates than this end a query as too large.
    pub(crate) max_gates: usize,
    pub(crate) aig: Aig,
    bits: FxHashMap<Term, (u32, u32)>,
    arena: Vec<Lit>,
    pub(crate) reads: FxHashMap<ReadKey, (u32, u32)>,
    symbols: FxHashMap<Symbol, (u32, u32)>,
    /// Products and divisions that have no circuit yet.
    pub(crate) operations: Operations,
    /// Products and divisions of at least this many bits are abstract.
    pub(crate) min_width: usize,
    /// What stands for arrays.
    pub(crate) arrays: Abstraction,
    /// Estimated cost of all terms lowered; see [`cost`].
    pub cost: u64,
}

/// A rough number of gates for one node of a term.
pub(crate) fn cost(pool: &Pool, t: Term) -> u64 {
    let op = pool.op(t);
    let width = match pool.sort(t) {
        Sort::BitVec(w) => w as u64,
        _ => return 1,
    };
    match op {
        Op::Mul => 2 * width * width,
        Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem => 4 * width * width,
        Op::Shl | Op::Lshr | Op::Ashr => width * 7,
        Op::Add | Op::Sub | Op::Neg => 2 * width,
        Op::Eq | Op::Ult | Op::Slt => 2 * operand_width(pool, t),
        Op::Select => {
            let (lo, hi) = pool.select_bounds(t).unwrap_or((0, 255));
            8 * (hi - lo).saturating_add(1).min(4096)
        }
        Op::And | Op::Or | Op::Xor | Op::Ite => width,
        _ => 1,
    }
}

impl Lowering {
    /// No circuits yet.
    pub(crate) fn new(settings: Settings) -> Lowering {
        Lowering {
            arrays: Abstraction::new(settings.arrays),
            limit: usize::MAX,
            max_gates: settings.max_gates,
            min_width: settings.abstract_width as usize,
            ..Lowering::default()
        }
    }

    /// The bit of a condition, building what is missing.
    pub fn condition(
        &mut self,
        pool: &Pool,
        t: Term,
        deadline: Option<Deadline>,
    ) -> Result<Lit, Why> {
        self.build(pool, Task::Bits(t), deadline)?;
        Ok(self.get(t).expect("just built")[0])
    }

    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.aig.len()
    }

    /// At least as many as there are index vectors.
    pub(crate) fn mentioned(&self) -> usize {
        self.bits.len() + self.reads.len() + self.arrays.indices.len()
    }

    /// Is there a circuit for the term already?
    pub fn has(&self, t: Term) -> bool {
        self.bits.contains_key(&t)
    }

    /// The bits of an input symbol, if any circuit mentions it.
    pub fn symbol(&self, symbol: Symbol) -> Option<&[Lit]> {
        self.symbols.get(&symbol).map(|&r| self.range(r))
    }

    /// Renumbers the terms after a collection; circuits of terms that are gone stay as gates.
    pub fn relocate(&mut self, relocation: &Relocation) {
        let bits = std::mem::take(&mut self.bits);
        self.bits = bits
            .into_iter()
            .filter_map(|(t, range)| Some((relocation.get(t)?, range)))
            .collect();
        let reads = std::mem::take(&mut self.reads);
        self.reads = reads
            .into_iter()
            .filter_map(|(key, range)| Some((key.moved(relocation)?, range)))
            .collect();
        self.arrays.relocate(relocation);
        self.operations.relocate(relocation);
    }

    /// Gives a term its bits from outside: conditions over integers are no circuits.
    pub(crate) fn provide(&mut self, t: Term, bits: &[Lit]) {
        let range = self.store(bits);
        self.bits.insert(t, range);
    }

    pub(crate) fn get(&self, t: Term) -> Option<&[Lit]> {
        self.bits.get(&t).map(|&r| self.range(r))
    }

    pub(crate) fn range(&self, (start, len): (u32, u32)) -> &[Lit] {
        &self.arena[start as usize..(start + len) as usize]
    }

    pub(crate) fn store(&mut self, bits: &[Lit]) -> (u32, u32) {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(bits);
        (start, bits.len() as u32)
    }

    /// Builds what is missing for a term or a read.
    pub(crate) fn build(
        &mut self,
        pool: &Pool,
        root: Task,
        deadline: Option<Deadline>,
    ) -> Result<(), Why> {
        let mut work = vec![root];
        let mut steps = 0u32;
        while let Some(&task) = work.last() {
            steps += 1;
            if steps & 255 == 0 && deadline.is_some_and(|end| end.is_past()) {
                return Err(Why::Timeout);
            }
            if self.aig.len() > self.max_gates {
                return Err(Why::TooLarge);
            }
            if self.aig.len() > self.limit {
                return Err(Why::Budget);
            }
            let before = work.len();
            match task {
                Task::Bits(t) if self.bits.contains_key(&t) => {}
                Task::Bits(t) => {
                    self.require_operands(pool, t, &mut work);
                    if work.len() > before {
                        continue;
                    }
                    let bits = if is_array_equality(pool, t) {
                        match self.equality(pool, t, &mut work)? {
                            Some(bit) => vec![bit],
                            None => continue,
                        }
                    } else {
                        self.operator(pool, t)?
                    };
                    debug_assert_eq!(bits.len() as u32, pool.width(t));
                    let range = self.store(&bits);
                    self.bits.insert(t, range);
                    self.cost += cost(pool, t);
                }
                Task::Read(key) if self.reads.contains_key(&key) => {}
                Task::Read(key) => {
                    if !self.read(pool, key, &mut work)? {
                        continue;
                    }
                }
            }
            work.pop();
        }
        Ok(())
    }

    /// Pushes the operands that have no bits yet. Arrays are not bits: a read asks for what it
    /// needs itself.
    fn require_operands(&mut self, pool: &Pool, t: Term, work: &mut Vec<Task>) {
        if pool.op(t) == Op::Select {
            let key = ReadKey::of(pool, t);
            if !self.reads.contains_key(&key) {
                work.push(Task::Read(key));
            }
            return;
        }
        if pool.op(t).is_float() || pool.children(t).iter().any(|&c| !is_bits(pool, c)) {
            return; // refused by `operator`
        }
        for &child in pool.children(t) {
            if !self.bits.contains_key(&child) {
                work.push(Task::Bits(child));
            }
        }
    }

    fn operator(&mut self, pool: &Pool, t: Term) -> Result<Bits, Why> {
        let op = pool.op(t);
        if op == Op::Select {
            let range = self.reads[&ReadKey::of(pool, t)];
            return Ok(self.range(range).to_vec());
        }
        if op.is_float() {
            return Err(Why::Float);
        }
        if pool.children(t).iter().any(|&c| !is_bits(pool, c)) {
            return Err(match pool.sort(pool.children(t)[0]) {
                Sort::Float(_) => Why::Float,
                Sort::Int | Sort::Real => Why::Unsupported("integers"),
                _ => Why::Array,
            });
        }
        let width = match pool.sort(t) {
            Sort::BitVec(w) => w as usize,
            Sort::Float(_) => return Err(Why::Float),
            Sort::Array { .. } => return Err(Why::Array),
            Sort::Int | Sort::Real => return Err(Why::Unsupported("integers")),
        };
        let kids: Vec<Bits> = pool
            .children(t)
            .iter()
            .map(|&c| self.get(c).expect("operands first").to_vec())
            .collect();
        if (!is_arithmetic(op) && self.aig.len() as u64 + cost(pool, t) > self.max_gates as u64)
            || self.arena.len() + width > self.max_gates.saturating_mul(BITS_PER_GATE)
        {
            return Err(Why::TooLarge);
        }
        let aig = &mut self.aig;
        let zip = |aig: &mut Aig, f: fn(&mut Aig, Lit, Lit) -> Lit| -> Bits {
            kids[0]
                .iter()
                .zip(&kids[1])
                .map(|(&a, &b)| f(aig, a, b))
                .collect()
        };
        Ok(match op {
            Op::Const => constant(width, pool.as_const(t).expect("a constant")),
            Op::ConstWide => {
                let limbs = pool.as_const_wide(t).expect("a wide constant");
                (0..width)
                    .map(|i| Lit::from(limbs[i / 64] >> (i % 64) & 1 != 0))
                    .collect()
            }
            Op::Symbol => {
                let symbol = pool.as_symbol(t).expect("a symbol");
                let bits: Bits = (0..width).map(|_| aig.input()).collect();
                let range = self.store(&bits);
                self.symbols.insert(symbol, range);
                bits
            }
            Op::Not => kids[0].iter().map(|&l| !l).collect(),
            Op::Neg => aig.neg(&kids[0]),
            Op::Add => aig.add(&kids[0], &kids[1], Lit::FALSE),
            Op::Sub => aig.sub(&kids[0], &kids[1]),
            Op::Shl => aig.shl(&kids[0], &kids[1]),
            Op::Lshr => aig.shift_right(&kids[0], &kids[1], Lit::FALSE),
            Op::Ashr => aig.shift_right(&kids[0], &kids[1], kids[0][width - 1]),
            Op::And => zip(aig, Aig::and),
            Op::Or => zip(aig, Aig::or),
            Op::Xor => zip(aig, Aig::xor),
            Op::Concat => kids[1].iter().chain(&kids[0]).copied().collect(),
            Op::Extract => {
                let (hi, lo) = pool.extract_bounds(t);
                kids[0][lo as usize..=hi as usize].to_vec()
            }
            Op::Zext => extended(&kids[0], width, Lit::FALSE),
            Op::Sext => extended(&kids[0], width, kids[0][kids[0].len() - 1]),
            Op::Eq => vec![aig.equal(&kids[0], &kids[1])],
            Op::Ult => vec![aig.less(&kids[0], &kids[1], false)],
            Op::Slt => vec![aig.less_signed(&kids[0], &kids[1], false)],
            Op::Ite => aig.choose(kids[0][0], &kids[1], &kids[2]),
            Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => {
                return self.arithmetic(t, op, &kids[0], &kids[1]);
            }
            Op::None | Op::Select | Op::Store | Op::ArrayBytes | Op::ArrayConst => {
                return Err(Why::Array);
            }
            Op::IntConst | Op::IntAdd | Op::IntMul | Op::IntDiv | Op::IntMod | Op::IntLe => {
                return Err(Why::Unsupported("integers"));
            }
            Op::FpFromBits
            | Op::FpToBits
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FRemainder
            | Op::Fma
            | Op::FSqrt
            | Op::FNeg
            | Op::FAbs
            | Op::FMin
            | Op::FMax
            | Op::FRound
            | Op::FCmp
            | Op::FpToFp
            | Op::FpToSint
            | Op::FpToUint
            | Op::SintToFp
            | Op::UintToFp
            | Op::FCall => return Err(Why::Float),
        })
    }
}

fn operand_width(pool: &Pool, t: Term) -> u64 {
    match pool.sort(pool.child(t, 0)) {
        Sort::BitVec(w) => w as u64,
        _ => 1,
    }
}

/// Is it an equality of two arrays?
pub(crate) fn is_array_equality(pool: &Pool, t: Term) -> bool {
    pool.op(t) == Op::Eq && matches!(pool.sort(pool.child(t, 0)), Sort::Array { .. })
}

fn is_bits(pool: &Pool, t: Term) -> bool {
    matches!(pool.sort(t), Sort::BitVec(_))
}

fn extended(bits: &[Lit], width: usize, fill: Lit) -> Bits {
    let mut bits = bits.to_vec();
    bits.resize(width, fill);
    bits
}
