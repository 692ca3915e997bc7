//! C's floating-point environment (`<fenv.h>`), on the rounding mode and flags of a path.
//!
//! Natively these functions are musl's assembly, over MXCSR and x87's words; here one set of flags stands for both. Traps
//! are not modelled: the control words in a `fenv_t` have all exceptions masked, and others are refused by name.

use super::Table;
use exec::ChoiceKind;
use exec::Machine;
use exec::State;
use exec::Termination;
use exec::{Call, Done};
use exec::{FLAG_BITS, FloatControl};
use float::RoundingMode;
use memory::Value;

pub const TABLE: Table = &[
    ("fegetround", get_rounding),
    ("__fesetround", set_rounding),
    ("__polypath_flt_rounds", flt_rounds),
    ("fetestexcept", test),
    ("feclearexcept", clear),
    ("feraiseexcept", raise),
    ("fegetenv", get_environment),
    ("fesetenv", set_environment),
];

/// `FE_TONEAREST`, `FE_DOWNWARD`, `FE_UPWARD`, `FE_TOWARDZERO`: x87's field, in place.
const MODES: [(u64, RoundingMode); 4] = [
    (0, RoundingMode::NearestEven),
    (0x400, RoundingMode::TowardNegative),
    (0x800, RoundingMode::TowardPositive),
    (0xc00, RoundingMode::TowardZero),
];
const MODE_BITS: u64 = 0xc00;
/// From there to its place in MXCSR.
const TO_MXCSR: u32 = 3;
/// `FE_ALL_EXCEPT`.
const FLAGS: u64 = (1 << FLAG_BITS) - 1;
/// All exceptions masked.
const CONTROL: u64 = 0x37f;
const MXCSR: u64 = 0x1f80;
/// What the control word says: masks, precision and rounding.
const CONTROL_BITS: u64 = 0xf3f;
/// Where a `fenv_t` has the control word, the status word and MXCSR, and how long it is.
const AT_CONTROL: u64 = 0;
const AT_STATUS: u64 = 4;
const AT_MXCSR: u64 = 28;
const LENGTH: u64 = 32;

fn code(mode: RoundingMode) -> u64 {
    let row = MODES.iter().find(|(_, m)| *m == mode);
    row.map_or(0, |(code, _)| *code)
}

fn mode(code: u64) -> RoundingMode {
    let row = MODES.iter().find(|(c, _)| *c == code & MODE_BITS);
    row.map_or(RoundingMode::NearestEven, |(_, mode)| *mode)
}

fn get_rounding(_: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    Ok(Done::Value(Value::concrete(code(s.float_control.rounding))))
}

/// A symbolic mode forks. `fesetround` has looked whether it is one.
fn set_rounding(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let wanted = m.concretize(s, c.arg(0), 32);
    s.float_control.rounding = mode(wanted);
    Ok(Done::Next)
}

/// `FLT_ROUNDS`.
fn flt_rounds(_: &mut Machine, s: &mut State, _: &Call) -> Result<Done, Termination> {
    let code = match s.float_control.rounding {
        RoundingMode::TowardZero => 0,
        RoundingMode::NearestEven | RoundingMode::NearestAway => 1,
        RoundingMode::TowardPositive => 2,
        RoundingMode::TowardNegative => 3,
    };
    Ok(Done::Value(Value::concrete(code)))
}

/// Flags and a mask, in 32 bits, as one value.
fn masked(m: &mut Machine, flags: Value, mask: Value, invert: bool) -> Value {
    if flags.term.is_none() && mask.term.is_none() {
        let mask = if invert { !mask.bits } else { mask.bits };
        return Value::concrete(flags.bits & mask & FLAGS);
    }
    let flags = m.term(flags, FLAG_BITS);
    let mask = m.fit(mask, 32);
    let mask = m.term(mask, 32u32);
    let mut mask = m.reason.pool.extract(FLAG_BITS - 1, 0, mask);
    if invert {
        mask = m.reason.pool.not(mask);
    }
    let both = m.reason.pool.and(flags, mask);
    m.value(both)
}

fn test(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let raised = masked(m, s.float_control.flags, c.arg(0), false);
    if raised.term.is_none() {
        return Ok(Done::Value(raised));
    }
    let wide = m.reason.pool.zext(32, raised.term);
    Ok(Done::Value(m.value(wide)))
}

fn clear(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    s.float_control.flags = masked(m, s.float_control.flags, c.arg(0), true);
    Ok(Done::Next)
}

fn raise(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let raised = masked(m, Value::concrete(FLAGS), c.arg(0), false);
    m.add_flags(s, raised);
    Ok(Done::Next)
}

fn get_environment(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concretize(s, c.arg(0), 64);
    let FloatControl { rounding, flags } = s.float_control;
    let mxcsr = MXCSR | code(rounding) << TO_MXCSR;
    let mxcsr = if flags.term.is_none() {
        Value::concrete(mxcsr | flags.bits)
    } else {
        let upper = m.reason.pool.bv(32 - FLAG_BITS, mxcsr >> FLAG_BITS);
        let word = m.reason.pool.concat(upper, flags.term);
        m.value(word)
    };
    // Everything is asked for before anything is written.
    m.admit(s, at, LENGTH, true)?;
    let writable = s.memory.check_access(at, LENGTH, true);
    writable.map_err(|f| m.fault(s, &f))?;
    let mut store = |at: u64, bytes: u32, value| m.store(s, Value::concrete(at), bytes, value);
    for offset in (0..AT_MXCSR).step_by(4) {
        store(at + offset, 4, Value::concrete(0))?;
    }
    store(
        at + AT_CONTROL,
        4,
        Value::concrete(CONTROL | code(rounding)),
    )?;
    store(at + AT_MXCSR, 4, mxcsr)?;
    Ok(Done::Next)
}

/// Has a word these bits?
fn has_bits(m: &mut Machine, s: &mut State, word: Value, bits: u64, has: u64) -> bool {
    if word.term.is_none() {
        return word.bits & bits == has;
    }
    let (word, bits, has) = (
        word.term,
        m.reason.pool.bv(32, bits),
        m.reason.pool.bv(32, has),
    );
    let said = m.reason.pool.and(word, bits);
    let same = m.reason.pool.eq(said, has);
    m.decide(s, same, ChoiceKind::Inner)
}

fn set_environment(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    let at = m.concretize(s, c.arg(0), 64);
    // `FE_DFL_ENV`
    if at == u64::MAX {
        s.float_control = FloatControl::default();
        return Ok(Done::Next);
    }
    let control = m.load(s, Value::concrete(at + AT_CONTROL), 4)?;
    let status = m.load(s, Value::concrete(at + AT_STATUS), 4)?;
    let mxcsr = m.load(s, Value::concrete(at + AT_MXCSR), 4)?;
    let wanted = concretize_mode(m, s, mxcsr);
    let mode_there = (wanted & MODE_BITS) << TO_MXCSR;
    let words = [
        (control, CONTROL_BITS, CONTROL | wanted & MODE_BITS),
        (mxcsr, !FLAGS & 0xffff, MXCSR | mode_there),
    ];
    for (word, bits, has) in words {
        if !has_bits(m, s, word, bits, has & bits) {
            let what = "fesetenv of an environment with traps, flushing to zero, another precision or two rounding modes";
            return Err(m.unsupported(s, what));
        }
    }
    let low = |m: &mut Machine, word: Value| {
        if word.term.is_none() {
            return Value::concrete(word.bits & FLAGS);
        }
        let flags = m.reason.pool.extract(FLAG_BITS - 1, 0, word.term);
        m.value(flags)
    };
    let (status, flags) = (low(m, status), low(m, mxcsr));
    s.float_control = FloatControl {
        rounding: mode(wanted),
        flags,
    };
    m.add_flags(s, status);
    Ok(Done::Next)
}

/// The rounding mode in an MXCSR, in x87's place; a symbolic one forks.
fn concretize_mode(m: &mut Machine, s: &mut State, mxcsr: Value) -> u64 {
    if mxcsr.term.is_none() {
        return mxcsr.bits >> TO_MXCSR;
    }
    let field = m.reason.pool.extract(14, 13, mxcsr.term);
    let field = m.value(field);
    m.concretize(s, field, 2) << 10
}
