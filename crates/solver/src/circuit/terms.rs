//! The bits of terms whose operator has a circuit over the bits of the operands.
//!
//! To add an operator: one arm in [`Circuit::lower`]. Operators without a circuit end the
//! query with a named reason; they are never approximated.

use super::Lowered;
use super::aig::Aig;
use super::circuits::{Bits, constant};
use crate::query::Why;
use crate::sat::Lit;
use linear::Deadline;
use rustc_hash::FxHashMap;
use term::{Op, Pool, Relocation, Sort, Symbol, Term};

/// Bits of all terms of one circuit, for each gate that it may have.
const BITS_PER_GATE: usize = 16;
/// Steps between two looks at the clock.
const STEPS: u32 = 256;

/// Limits of the circuit.
pub(crate) struct CircuitLimits {
    /// More gates than this end a query as too large.
    pub max_gates: usize,
    /// Gates beyond which nothing more is built for the question at hand.
    pub gates: usize,
    /// When the question at hand ends.
    pub deadline: Option<Deadline>,
}

/// Gates, and the terms whose bits they are.
pub(crate) struct Circuit {
    pub aig: Aig,
    pub limits: CircuitLimits,
    /// Estimated cost of all terms lowered; see [`cost`].
    pub cost: u64,
    bits: FxHashMap<Term, Range>,
    arena: Vec<Lit>,
    symbols: FxHashMap<Symbol, Range>,
    steps: u32,
}

/// Bits that a circuit keeps: where they start and how many there are.
pub(crate) type Range = (u32, u32);

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

impl Circuit {
    /// No gates yet.
    pub fn new(max_gates: usize) -> Circuit {
        Circuit {
            aig: Aig::default(),
            limits: CircuitLimits {
                max_gates,
                gates: usize::MAX,
                deadline: None,
            },
            cost: 0,
            bits: FxHashMap::default(),
            arena: Vec::new(),
            symbols: FxHashMap::default(),
            steps: 0,
        }
    }

    /// Number of gates.
    pub fn gates(&self) -> usize {
        self.aig.len()
    }

    /// May one more step be taken?
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn check(&mut self) -> Result<(), Why> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(STEPS) && self.limits.deadline.is_some_and(|end| end.is_past())
        {
            return Err(Why::Timeout);
        }
        if self.aig.len() > self.limits.max_gates {
            return Err(Why::TooLarge);
        }
        if self.aig.len() > self.limits.gates {
            return Err(Why::Budget);
        }
        Ok(())
    }

    /// Is there room for so many more gates, and for so many bits of a term?
    ///
    /// # Errors
    /// The circuit would be too large.
    pub fn room(&self, gates: u64, bits: usize) -> Result<(), Why> {
        let max = self.limits.max_gates;
        if self.aig.len() as u64 + gates > max as u64
            || self.arena.len() + bits > max.saturating_mul(BITS_PER_GATE)
        {
            return Err(Why::TooLarge);
        }
        Ok(())
    }

    /// Has the term bits already?
    pub fn has(&self, t: Term) -> bool {
        self.bits.contains_key(&t)
    }

    /// The bits of an input symbol, if any term with bits mentions it.
    pub fn symbol(&self, symbol: Symbol) -> Option<&[Lit]> {
        self.symbols.get(&symbol).map(|&r| self.range(r))
    }

    /// Renumbers the terms after a collection; the gates of terms that are gone stay.
    pub fn relocate(&mut self, relocation: &Relocation) {
        let bits = std::mem::take(&mut self.bits);
        self.bits = bits
            .into_iter()
            .filter_map(|(t, range)| Some((relocation.get(t)?, range)))
            .collect();
    }

    /// Gives a term bits that come from outside: conditions over integers are no circuits.
    pub fn provide(&mut self, t: Term, bits: &[Lit]) {
        let range = self.store(bits);
        self.bits.insert(t, range);
    }

    /// Gives a term its circuit's bits.
    pub fn set(&mut self, pool: &Pool, t: Term, bits: &[Lit]) {
        debug_assert_eq!(bits.len() as u32, pool.width(t));
        self.provide(t, bits);
        self.cost += cost(pool, t);
    }

    /// The bits of a term, if it has them.
    pub fn get(&self, t: Term) -> Option<&[Lit]> {
        self.bits.get(&t).map(|&r| self.range(r))
    }

    /// The range of the bits of a term, if it has them.
    pub fn kept(&self, t: Term) -> Option<Range> {
        self.bits.get(&t).copied()
    }

    /// The bits of a term; if it has none yet, it goes onto the work list.
    pub fn wanted(&self, t: Term, work: &mut Vec<Term>) -> Option<Bits> {
        let bits = self.get(t).map(<[Lit]>::to_vec);
        if bits.is_none() {
            work.push(t);
        }
        bits
    }

    /// Bits that were stored.
    pub fn range(&self, (start, len): Range) -> &[Lit] {
        &self.arena[start as usize..(start + len) as usize]
    }

    /// Keeps bits.
    pub fn store(&mut self, bits: &[Lit]) -> Range {
        let start = self.arena.len() as u32;
        self.arena.extend_from_slice(bits);
        (start, bits.len() as u32)
    }

    /// Fresh inputs.
    pub fn inputs(&mut self, count: usize) -> Bits {
        (0..count).map(|_| self.aig.input()).collect()
    }

    /// The bits of a term by the circuit of its operator.
    ///
    /// # Errors
    /// The circuit would be too large.
    pub fn lower(&mut self, pool: &Pool, t: Term, work: &mut Vec<Term>) -> Result<Lowered, Why> {
        let Sort::BitVec(width) = pool.sort(t) else {
            return Ok(Lowered::Unknown);
        };
        let (op, width, operands) = (pool.op(t), width as usize, pool.children(t));
        if operands.iter().any(|&c| !is_bits(pool, c)) {
            return Ok(Lowered::Unknown);
        }
        let waiting = work.len();
        work.extend(operands.iter().filter(|&&c| !self.has(c)));
        if work.len() > waiting {
            return Ok(Lowered::Later);
        }
        if matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem) {
            return Ok(Lowered::Unknown); // large, so that it may be better not to build them
        }
        self.room(cost(pool, t), width)?;
        let kids: Vec<Bits> = operands
            .iter()
            .map(|&c| self.get(c).expect("operands first").to_vec())
            .collect();
        let aig = &mut self.aig;
        let zip = |aig: &mut Aig, f: fn(&mut Aig, Lit, Lit) -> Lit| -> Bits {
            kids[0]
                .iter()
                .zip(&kids[1])
                .map(|(&a, &b)| f(aig, a, b))
                .collect()
        };
        Ok(Lowered::Bits(match op {
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
            _ => return Ok(Lowered::Unknown),
        }))
    }
}

/// Why a term has no circuit.
pub(crate) fn refusal(pool: &Pool, t: Term) -> Why {
    let has = |is: fn(Sort) -> bool| {
        is(pool.sort(t)) || pool.children(t).iter().any(|&c| is(pool.sort(c)))
    };
    if pool.op(t).is_float() || has(|s| matches!(s, Sort::Float(_))) {
        Why::Float
    } else if has(|s| matches!(s, Sort::Int | Sort::Real)) {
        Why::Unsupported("integers")
    } else if has(|s| matches!(s, Sort::Array { .. })) {
        Why::Array
    } else {
        Why::Unsupported("an operator")
    }
}

fn operand_width(pool: &Pool, t: Term) -> u64 {
    match pool.sort(pool.child(t, 0)) {
        Sort::BitVec(w) => w as u64,
        _ => 1,
    }
}

fn is_bits(pool: &Pool, t: Term) -> bool {
    matches!(pool.sort(t), Sort::BitVec(_))
}

fn extended(bits: &[Lit], width: usize, fill: Lit) -> Bits {
    let mut bits = bits.to_vec();
    bits.resize(width, fill);
    bits
}
