//! Which operations have a function that computes them over integers, and how it is entered.

use crate::errors::Termination;
use crate::machine::Machine;
use crate::state::{Frame, State};
use float::RoundingMode;
use ir::{FuncId, Inst, Module, Reg, SoftOp, Val};
use memory::Value;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The functions of a module that simulate float operations.
#[derive(Debug, Default)]
pub(super) struct Functions {
    of: HashMap<SoftOp, FuncId>,
    /// By function: is it one of the simulation's?
    is_soft: Vec<bool>,
}

impl Functions {
    pub fn of(module: &Module) -> Functions {
        if module.soft_floats.is_empty() {
            return Functions::default();
        }
        let mut is_soft = vec![false; module.functions.len()];
        for &(_, f) in &module.soft_floats {
            is_soft[f as usize] = true;
        }
        Functions {
            of: module.soft_floats.iter().copied().collect(),
            is_soft,
        }
    }

    /// Has the module some?
    pub fn are_some(&self) -> bool {
        !self.of.is_empty()
    }

    /// The function is part of the simulation: not a place of the program.
    pub fn contains(&self, f: FuncId) -> bool {
        self.is_soft.get(f as usize).copied().unwrap_or(false)
    }
}

/// The operands of an instruction on floats with their widths, and the register of the result.
fn operands(inst: Inst) -> Option<(SmallVec<[Val; 3]>, Reg)> {
    Some(match inst {
        Inst::FloatBin { dst, a, b, .. } | Inst::FloatCmp { dst, a, b, .. } => {
            (SmallVec::from_slice(&[a, b]), dst)
        }
        Inst::FloatUn { dst, a, .. }
        | Inst::FloatCast { dst, a, .. }
        | Inst::FloatConv { dst, a, .. } => (SmallVec::from_slice(&[a]), dst),
        Inst::FloatFma { dst, a, b, c, .. } => (SmallVec::from_slice(&[a, b, c]), dst),
        _ => return None,
    })
}

impl Machine {
    /// Enters the function that computes the instruction at `s.hot.pc`, some of whose operands are symbolic; `None` if there is
    /// none, or if the path goes on with terms.
    pub(crate) fn simulate(
        &mut self,
        s: &mut State,
        inst: Inst,
    ) -> Option<Result<(), Termination>> {
        let op = SoftOp::of(inst)?;
        let (operands, dst) = operands(inst)?;
        // The functions round to nearest.
        if s.float_control.rounding != RoundingMode::NearestEven {
            return None;
        }
        let &callee = self.observers.simulation.functions.of.get(&op)?;
        if !s.floats.are_simulated() {
            self.keep_float_start(s);
            return None;
        }
        let (widths, _) = op.widths();
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        if let (SoftOp::FromInt { signed, .. }, Inst::FloatConv { w, .. }) = (op, inst) {
            let n = self.get(s, operands[0]);
            args.push(self.extended(n, w, signed));
        } else {
            for (&v, w) in operands.iter().zip(widths) {
                args.extend((0..ir::operands::slots(w)).map(|n| self.get(s, v.limb(n))));
            }
        }
        self.stats.soft_float_calls += 1;
        let mark = s.memory.stack_mark();
        let return_pc = s.hot.pc + 1;
        Some(self.enter(s, callee, &args, dst, Frame::MATCHED, return_pc, 0, mark))
    }

    /// An integer of `w` bits as one of 64.
    fn extended(&mut self, n: Value, w: u8, signed: bool) -> Value {
        if n.term.is_none() {
            return Value::concrete(if signed {
                ir::bits::signed(w, n.bits) as u64
            } else {
                n.bits
            });
        }
        let t = if signed {
            self.reason.pool.sext(64, n.term)
        } else {
            self.reason.pool.zext(64, n.term)
        };
        self.value(t)
    }
}
