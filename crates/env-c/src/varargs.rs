//! Variable arguments as the System V calling convention for x86-64 lays them out (psABI 3.5.7).
//!
//! The caller's `...` becomes one stack object of the callee: the register save area, as a prologue would have filled
//! it, and the overflow area behind it. `va_start` points a `va_list` into it past the fixed parameters. So the
//! branches that clang emits for `va_arg` are taken as natively. Bytes that hold no argument cannot be read if that is
//! an error.

use super::Table;
use super::formats::reads_what_it_needs;
use exec::Bulk;
use exec::Machine;
use exec::Termination;
use exec::{Call, Done};
use exec::{Frame, State};
use ir::{ArgClass, FixedRegisters, VarArg};
use memory::Value;
use smallvec::SmallVec;
use vocab::Check;

pub const TABLE: Table = &[("__polypath_va_start", va_start)];

/// Bytes of the six general registers in the save area.
const GENERAL_END: u64 = 48;
/// End of the eight vector registers behind them, where our overflow area begins.
const SAVE_AREA: u64 = 176;

/// Where the next argument of each class goes.
struct Room {
    general: u64,
    vector: u64,
    stack: u64,
}

impl Room {
    fn after(fixed: FixedRegisters) -> Room {
        Room {
            general: 8 * u64::from(fixed.general),
            vector: GENERAL_END + 16 * u64::from(fixed.vector),
            stack: SAVE_AREA,
        }
    }

    /// Offset of the argument in the object.
    fn place(&mut self, a: &VarArg) -> u64 {
        let bytes = u64::from(a.bytes).next_multiple_of(8);
        let registers = match a.class {
            ArgClass::General => Some((&mut self.general, GENERAL_END, bytes)),
            ArgClass::Vector => Some((&mut self.vector, SAVE_AREA, 16)),
            ArgClass::Stack => None,
        };
        if let Some((next, end, step)) = registers
            && *next + step <= end
        {
            let at = *next;
            *next += step;
            return at;
        }
        let at = self.stack.next_multiple_of(u64::from(a.align.max(8)));
        self.stack = at + bytes;
        at
    }
}

/// Writes what is passed through `...` into a stack object of the callee, and returns its address.
pub fn lay_out(
    m: &mut Machine,
    s: &mut State,
    fixed: FixedRegisters,
    list: &[VarArg],
    callee: &ir::Function,
) -> Result<u64, Termination> {
    let mut room = Room::after(fixed);
    let offsets: SmallVec<[u64; 8]> = list.iter().map(|a| room.place(a)).collect();
    let size = room.stack.max(SAVE_AREA + 8);
    let align = list.iter().map(|a| a.align).fold(16, u32::max);
    let at = s
        .memory
        .stack_alloc(&mut m.tlb, size, align.into(), Frame::VARARGS)
        .map_err(|_| m.stack_overflow(s, Value::concrete(size)))?;
    for (a, offset) in list.iter().zip(offsets.iter().copied()) {
        let to = Value::concrete(at + offset);
        if a.by_value {
            let from = m.get(s, a.value);
            m.copy_bytes(
                s,
                Bulk::MEMMOVE,
                to,
                from,
                Value::concrete(u64::from(a.bytes)),
            )?;
            continue;
        }
        for i in 0..a.bytes.div_ceil(8) {
            let mut v = m.get(s, a.value.limb(i));
            if v.term.is_some() {
                v.term = m.reason.pool.zext(64, v.term);
            }
            m.store(s, Value::concrete(at + offset + 8 * u64::from(i)), 8, v)?;
        }
    }
    if m.options.checks.has(Check::Varargs) && reads_what_it_needs(callee) {
        if m.options.checks.has(Check::Pedantic) {
            for (a, &offset) in list.iter().zip(&offsets) {
                let bytes = u64::from(a.bytes);
                if a.class == ArgClass::General && bytes < 8 {
                    s.memory.hide(&mut m.tlb, at + offset + bytes, 8 - bytes);
                }
            }
        }
        let unused = [
            (room.general, GENERAL_END),
            (room.vector, SAVE_AREA),
            (room.stack, size),
        ];
        for (from, to) in unused {
            s.memory.hide(&mut m.tlb, at + from, to - from);
        }
    }
    Ok(at)
}

/// Fills the `va_list` at an address with the frame's variable arguments.
fn va_start(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let list = m.concrete_address(s, c.arg(0));
    let frame = s.frame();
    let area = frame.varargs;
    let fixed = m.module.functions[frame.function as usize].variadic;
    let room = Room::after(fixed.unwrap_or_default());
    let fields = [
        (0, 4, room.general),
        (4, 4, room.vector),
        (8, 8, area + SAVE_AREA),
        (16, 8, area),
    ];
    for (offset, bytes, value) in fields {
        let at = Value::concrete(list + offset);
        m.store(s, at, bytes, Value::concrete(value))?;
    }
    Ok(Done::Next)
}
