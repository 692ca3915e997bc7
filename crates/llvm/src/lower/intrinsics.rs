//! `llvm.*` intrinsics: one row for each, with what it stands for and what it leaves out.
//!
//! How to add one: a row in `TABLE`; `tests/intrinsics.rs` of crate `cli` compares each row with native code, and
//! fails for a row without a case. An intrinsic without a row ends the path with its name (`unsupported`).

use super::constrained;
use super::function::{FnLower, Refused, is_float};
use crate::ffi::Value;
use crate::types::Shape;
use ir::bits::mask;
use ir::{BinOp, CmpOp, ConvOp, FloatBinOp, FloatFormat, FloatUnOp, Inst, UnOp};
use llvm_sys::LLVMTypeKind;

/// The reason of `llvm.ubsantrap` for the end of a function without a return (clang's `SanitizerHandler`).
const MISSING_RETURN: u64 = 11;

/// Bytes of a `va_list`.
const VA_LIST: u64 = 24;

/// A use of an intrinsic.
#[derive(Clone, Copy)]
struct Use<'a> {
    v: Value,
    /// Its name without `llvm.`.
    name: &'a str,
    shape: &'a Shape,
}

/// An intrinsic, or several of one name with different types.
pub struct IntrinsicRow {
    /// The name without `llvm.` and types.
    pub name: &'static str,
    /// Its meaning.
    pub means: &'static str,
    /// The part of its meaning that is left out, and how that is reported; empty if there is none.
    pub left_out: &'static str,
    lower: fn(&mut FnLower<'_>, Use<'_>) -> Result<(), Refused>,
}

const fn row(
    name: &'static str,
    means: &'static str,
    left_out: &'static str,
    lower: fn(&mut FnLower<'_>, Use<'_>) -> Result<(), Refused>,
) -> IntrinsicRow {
    IntrinsicRow {
        name,
        means,
        left_out,
        lower,
    }
}

/// All intrinsics that have a meaning here.
pub fn table() -> impl Iterator<Item = &'static IntrinsicRow> {
    TABLE.iter()
}

/// The row of an intrinsic, by its name without `llvm.`: the longest name that it begins with, up to a dot.
fn find(name: &str) -> Option<&'static IntrinsicRow> {
    let fits = |row: &&IntrinsicRow| {
        let rest = name.strip_prefix(row.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    TABLE.iter().filter(fits).max_by_key(|row| row.name.len())
}

const AS_AT_O0: &str = "the answer is the one of a build without optimization";

#[rustfmt::skip]
const TABLE: &[IntrinsicRow] = &[
    // --- what a program without an optimizer does not see ---
    row("dbg.declare", "where a variable is", "", nothing),
    row("dbg.value", "what a variable is", "", nothing),
    row("dbg.assign", "what a variable is", "", nothing),
    row("dbg.label", "where a label is", "", nothing),
    row("assume", "a promise to the optimizer", "", nothing),
    row("donothing", "nothing", "", nothing),
    row("sideeffect", "a loop that may not end", "", nothing),
    row("prefetch", "a hint", "", nothing),
    row("pseudoprobe", "a place for profiles", "", nothing),
    row("instrprof.increment", "a counter of clang's coverage", "the profile is not written", nothing),
    row("instrprof.cover", "a mark of clang's coverage", "the profile is not written", nothing),
    row("experimental.noalias.scope.decl", "a promise to the optimizer", "", nothing),
    row("clear_cache", "makes code visible that was written", "code that the program writes is not run: calling it is an error", nothing),
    row("var.annotation", "a note", "", nothing),
    row("invariant.start", "a promise to the optimizer", "", zero),
    row("invariant.end", "a promise to the optimizer", "", nothing),
    row("expect", "the first operand", "", first),
    row("expect.with.probability", "the first operand", "", first),
    row("launder.invariant.group", "the operand", "", first),
    row("strip.invariant.group", "the operand", "", first),
    row("ssa.copy", "the operand", "", first),
    row("arithmetic.fence", "the operand", "", first),
    row("annotation", "the first operand", "", first),
    row("ptr.annotation", "the first operand", "", first),
    row("threadlocal.address", "the variable's address", "", first),
    row("is.constant", "false", AS_AT_O0, |f, u| f.literal(u.v, 0)),
    row("objectsize", "unknown: the largest size, or 0 if the least is asked for", AS_AT_O0, |f, u| {
        let minimum = f.val(u.v.arg(1))?;
        let unknown = if f.as_constant(minimum) == Some(1) { 0 } else { mask(u.v.ty().int_width().min(64)) };
        f.literal(u.v, unknown)
    }),
    row("allow.runtime.check", "true", AS_AT_O0, |f, u| f.literal(u.v, 1)),
    row("allow.ubsan.check", "true", AS_AT_O0, |f, u| f.literal(u.v, 1)),
    row("experimental.widenable.condition", "true", AS_AT_O0, |f, u| f.literal(u.v, 1)),
    row("lifetime.start", "a variable's scope begins", "scopes of variables larger than 8 MiB, and of functions that call setjmp", |f, u| {
        f.lifetime(u.v, true);
        Ok(())
    }),
    row("lifetime.end", "a variable's scope ends", "as its beginning", |f, u| {
        f.lifetime(u.v, false);
        Ok(())
    }),
    // --- memory ---
    row("memcpy", "copies bytes that do not overlap", "", |f, u| f.copy(u.v, true)),
    row("memcpy.inline", "copies bytes that do not overlap", "", |f, u| f.copy(u.v, true)),
    row("memmove", "copies bytes", "", |f, u| f.copy(u.v, false)),
    row("memset", "fills bytes", "", fill),
    row("memset.inline", "fills bytes", "", fill),
    row("masked.load", "loads the lanes of a mask", "a mask that is not constant: unsupported", |f, u| f.masked(u.v, u.name, u.shape)),
    row("masked.store", "stores the lanes of a mask", "a mask that is not constant: unsupported", |f, u| f.masked(u.v, u.name, u.shape)),
    row("load.relative", "a pointer from a table of distances", "", load_relative),
    row("ptrmask", "clears bits of a pointer", "", |f, u| {
        let (a, b) = (f.elems(u.v.arg(0))?, f.elems(u.v.arg(1))?);
        let width = f.shape(u.v.arg(1).ty()).scalars[0].width;
        f.map_scalars(u.v, u.shape, |f, i, s| {
            let m = f.zext(width, s.width, b[i]);
            Ok(f.int_bin(BinOp::And, s.width, a[i], m))
        })
    }),
    row("stacksave", "where the stack ends", "", stack_end),
    row("stackrestore", "gives stack back", "", |f, u| {
        let mark = f.val(u.v.arg(0))?;
        f.emit(Inst::StackRestore { mark });
        Ok(())
    }),
    row("frameaddress", "where the stack ends: an address that goes down with each call, behind which nothing is", "frames of callers: unsupported", |f, u| {
        own_frame(f, u)?;
        stack_end(f, u)
    }),
    row("returnaddress", "an address in the function, behind which nothing is", "those of callers: unsupported", |f, u| {
        own_frame(f, u)?;
        let at = f.p.address_of(f.function)? + 1;
        f.literal(u.v, at)
    }),
    row("thread.pointer", "the thread pointer", "", |f, u| {
        f.call_by_name("__polypath_thread_pointer", u.v, &[], &[], u.shape);
        Ok(())
    }),
    row("eh.typeid.for", "the selector of a type that a landing pad catches", "", |f, u| {
        let ty = f.val(u.v.arg(0))?;
        let ty = f.as_constant(ty).ok_or("the selector of a type that is no constant")?;
        let selector = f.p.selector(ty);
        f.literal(u.v, u64::from(selector))
    }),
    // --- variable arguments ---
    row("va_start", "the list of variable arguments", "", |f, u| {
        let list = f.val(u.v.arg(0))?;
        f.call_by_name("__polypath_va_start", u.v, &[list], &[64], u.shape);
        Ok(())
    }),
    row("va_copy", "copies a list", "", |f, u| {
        let (dst, src) = (f.val(u.v.arg(0))?, f.val(u.v.arg(1))?);
        let len = f.constant(VA_LIST);
        f.emit(Inst::MemMove { dst, src, len });
        Ok(())
    }),
    row("va_end", "nothing", "", nothing),
    // --- the end ---
    row("trap", "ends the program", "SIGILL and its handler: reported as an error", trap),
    row("debugtrap", "ends the program", "SIGTRAP and its handler: reported as an error", trap),
    row("ubsantrap", "ends the program, or is the end of a function that has to return a value", "SIGILL and its handler: reported as an error", |f, u| {
        if u.v.arg(0).zext_value() == MISSING_RETURN {
            f.emit(Inst::Unreachable);
            return Ok(());
        }
        trap(f, u)
    }),
    row("eh", "exceptions", "unsupported, as all of them", |_, _| Err("exception handling".into())),
    // --- integers ---
    row("sadd.with.overflow", "sum and whether it overflows", "", |f, u| f.overflow(u.v, BinOp::Add, true, u.shape)),
    row("uadd.with.overflow", "sum and carry", "", |f, u| f.overflow(u.v, BinOp::Add, false, u.shape)),
    row("ssub.with.overflow", "difference and whether it overflows", "", |f, u| f.overflow(u.v, BinOp::Sub, true, u.shape)),
    row("usub.with.overflow", "difference and borrow", "", |f, u| f.overflow(u.v, BinOp::Sub, false, u.shape)),
    row("smul.with.overflow", "product and whether it overflows", "", |f, u| f.overflow(u.v, BinOp::Mul, true, u.shape)),
    row("umul.with.overflow", "product and whether it overflows", "", |f, u| f.overflow(u.v, BinOp::Mul, false, u.shape)),
    row("sadd.sat", "sum, or the nearest number", "", |f, u| f.saturating(u.v, BinOp::Add, true, u.shape)),
    row("uadd.sat", "sum, or the nearest number", "", |f, u| f.saturating(u.v, BinOp::Add, false, u.shape)),
    row("ssub.sat", "difference, or the nearest number", "", |f, u| f.saturating(u.v, BinOp::Sub, true, u.shape)),
    row("usub.sat", "difference, or the nearest number", "", |f, u| f.saturating(u.v, BinOp::Sub, false, u.shape)),
    row("sshl.sat", "shift, or the nearest number", "", |f, u| f.saturating(u.v, BinOp::Shl, true, u.shape)),
    row("ushl.sat", "shift, or the nearest number", "", |f, u| f.saturating(u.v, BinOp::Shl, false, u.shape)),
    row("umin", "minimum", "", |f, u| f.choose(u.v, CmpOp::Ult, false, u.shape)),
    row("umax", "maximum", "", |f, u| f.choose(u.v, CmpOp::Ult, true, u.shape)),
    row("smin", "minimum", "", |f, u| f.choose(u.v, CmpOp::Slt, false, u.shape)),
    row("smax", "maximum", "", |f, u| f.choose(u.v, CmpOp::Slt, true, u.shape)),
    row("ucmp", "-1, 0 or 1", "", |f, u| f.three_way(u.v, false, u.shape)),
    row("scmp", "-1, 0 or 1", "", |f, u| f.three_way(u.v, true, u.shape)),
    row("abs", "magnitude; of the lowest number itself", "", |f, u| {
        let a = f.elems(u.v.arg(0))?;
        f.map_scalars(u.v, u.shape, |f, i, s| {
            let zero = f.zero(s.width);
            let negated = f.int_bin(BinOp::Sub, s.width, zero, a[i]);
            let negative = f.int_compare(CmpOp::Slt, s.width, a[i], zero);
            Ok(f.select_scalar(s.width, negative, negated, a[i]))
        })
    }),
    row("ctlz", "zeros above; of zero the width", "", |f, u| f.unary(u.v, UnOp::Ctlz, u.shape)),
    row("cttz", "zeros below; of zero the width", "", |f, u| f.unary(u.v, UnOp::Cttz, u.shape)),
    row("ctpop", "ones", "", |f, u| f.unary(u.v, UnOp::Ctpop, u.shape)),
    row("bswap", "bytes turned around", "", |f, u| f.unary(u.v, UnOp::Bswap, u.shape)),
    row("bitreverse", "bits turned around", "", |f, u| f.unary(u.v, UnOp::Bitreverse, u.shape)),
    row("fshl", "two numbers as one, shifted; the upper half", "", |f, u| f.funnel(u.v, true, u.shape)),
    row("fshr", "two numbers as one, shifted; the lower half", "", |f, u| f.funnel(u.v, false, u.shape)),
    // --- vectors ---
    row("vector.reduce.add", "sum", "", reduce),
    row("vector.reduce.mul", "product", "", reduce),
    row("vector.reduce.and", "and", "", reduce),
    row("vector.reduce.or", "or", "", reduce),
    row("vector.reduce.xor", "exclusive or", "", reduce),
    row("vector.reduce.umin", "minimum", "", reduce),
    row("vector.reduce.umax", "maximum", "", reduce),
    row("vector.reduce.smin", "minimum", "", reduce),
    row("vector.reduce.smax", "maximum", "", reduce),
    row("vector.reduce.fadd", "sum from left to right", "", reduce),
    row("vector.reduce.fmul", "product from left to right", "", reduce),
    row("vector.reduce.fmin", "minimum that is no NaN", "", reduce),
    row("vector.reduce.fmax", "maximum that is no NaN", "", reduce),
    row("vector.reverse", "lanes turned around", "", |f, u| {
        let mut elems = f.elems(u.v.arg(0))?;
        elems.reverse();
        f.set(u.v, elems);
        Ok(())
    }),
    row("vector.insert", "lanes replaced by those of another vector", "", |f, u| f.sub_vector(u.v, true, u.shape)),
    row("vector.extract", "some lanes", "", |f, u| f.sub_vector(u.v, false, u.shape)),
    // --- floats ---
    row("fabs", "magnitude", "", |f, u| f.float_unary(u.v, FloatUnOp::Abs, u.shape)),
    row("sqrt", "square root", "errno: the instruction sets none", |f, u| f.float_unary(u.v, FloatUnOp::Sqrt, u.shape)),
    row("floor", "rounded down", "", |f, u| f.float_unary(u.v, FloatUnOp::Floor, u.shape)),
    row("ceil", "rounded up", "", |f, u| f.float_unary(u.v, FloatUnOp::Ceil, u.shape)),
    row("trunc", "rounded to zero", "", |f, u| f.float_unary(u.v, FloatUnOp::Trunc, u.shape)),
    row("roundeven", "to the nearest, ties to even", "", |f, u| f.float_unary(u.v, FloatUnOp::RoundEven, u.shape)),
    row("round", "to the nearest, ties away from zero", "", |f, u| f.float_unary(u.v, FloatUnOp::RoundAway, u.shape)),
    row("rint", "rounded in the current direction", "", rint),
    row("nearbyint", "rounded in the current direction", "raises inexact, as rint does", rint),
    row("copysign", "the first operand with the sign of the second", "", |f, u| f.float_binary(u.v, FloatBinOp::CopySign, u.shape)),
    row("minnum", "minimum that is no NaN; of unlike zeros either", "", |f, u| f.float_binary(u.v, FloatBinOp::Min, u.shape)),
    row("maxnum", "maximum that is no NaN; of unlike zeros either", "", |f, u| f.float_binary(u.v, FloatBinOp::Max, u.shape)),
    row("minimum", "minimum; NaN wins, -0 is below 0", "", |f, u| f.nan_minimum(u.v, true, u.shape)),
    row("maximum", "maximum; NaN wins, -0 is below 0", "", |f, u| f.nan_minimum(u.v, false, u.shape)),
    row("fma", "product and sum, rounded once", "", |f, u| multiply_add(f, u, true)),
    row("fmuladd", "product and sum, rounded twice; once in functions for processors with FMA (-mfma)", "", |f, u| {
        let fused = f.function.has_feature("+fma");
        multiply_add(f, u, fused)
    }),
    row("lrint", "to an integer in the current direction", "", |f, u| to_nearest(f, u, false)),
    row("llrint", "to an integer in the current direction", "", |f, u| to_nearest(f, u, false)),
    row("lround", "to the nearest integer, ties away from zero", "", |f, u| to_nearest(f, u, true)),
    row("llround", "to the nearest integer, ties away from zero", "", |f, u| to_nearest(f, u, true)),
    row("fptosi.sat", "to the nearest integer that there is, NaN to 0", "more than 128 bits: unsupported", |f, u| saturated(f, u, ConvOp::FloatToSigned)),
    row("fptoui.sat", "to the nearest integer that there is, NaN to 0", "more than 128 bits: unsupported", |f, u| saturated(f, u, ConvOp::FloatToUnsigned)),
    row("is.fpclass", "is it of one of these classes?", "long double: unsupported", |f, u| f.float_class(u.v)),
    row("powi", "power, as the compiler's run time computes it", "an exponent that is not constant, and vectors: unsupported", |f, u| f.power(u.v, u.shape)),
    row("get.rounding", "the rounding mode", "", |f, u| {
        f.call_by_name("__polypath_flt_rounds", u.v, &[], &[], u.shape);
        Ok(())
    }),
    row("sin", LIBM, VECTORS, libm),
    row("cos", LIBM, VECTORS, libm),
    row("tan", LIBM, VECTORS, libm),
    row("asin", LIBM, VECTORS, libm),
    row("acos", LIBM, VECTORS, libm),
    row("atan", LIBM, VECTORS, libm),
    row("sinh", LIBM, VECTORS, libm),
    row("cosh", LIBM, VECTORS, libm),
    row("tanh", LIBM, VECTORS, libm),
    row("exp", LIBM, VECTORS, libm),
    row("exp2", LIBM, VECTORS, libm),
    row("exp10", LIBM, VECTORS, libm),
    row("log", LIBM, VECTORS, libm),
    row("log2", LIBM, VECTORS, libm),
    row("log10", LIBM, VECTORS, libm),
    row("pow", LIBM, VECTORS, libm),
    row("ldexp", LIBM, VECTORS, libm),
];

const LIBM: &str = "the function of libm";
const VECTORS: &str = "vectors and other formats than float, double, long double: unsupported";

fn nothing(_: &mut FnLower<'_>, _: Use<'_>) -> Result<(), Refused> {
    Ok(())
}

fn zero(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    f.literal(u.v, 0)
}

fn first(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let elems = f.elems(u.v.arg(0))?;
    f.set(u.v, elems);
    Ok(())
}

fn fill(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    f.is_flat(u.v.arg(0))?;
    let (dst, byte) = (f.val(u.v.arg(0))?, f.val(u.v.arg(1))?);
    let len = f.length(u.v.arg(2))?;
    if f.as_constant(len) != Some(0) {
        f.emit(Inst::MemSet { dst, byte, len });
    }
    Ok(())
}

fn load_relative(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let base = f.val(u.v.arg(0))?;
    let w = u.v.arg(1).ty().int_width();
    let index = f.val(u.v.arg(1))?;
    let index = f.sext(w, 64, index);
    let at = f.int_bin(BinOp::Add, 64, base, index);
    let dst = f.body.fresh(32);
    f.emit(Inst::Load {
        bytes: 4,
        dst,
        address: at,
    });
    let relative = f.sext(32, 64, dst.into());
    let result = f.int_bin(BinOp::Add, 64, base, relative);
    f.set1(u.v, result);
    Ok(())
}

fn stack_end(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let dst = f.body.fresh(64);
    f.emit(Inst::StackSave { dst });
    f.set1(u.v, dst.into());
    Ok(())
}

/// Something of the function itself, and not of one that called it.
fn own_frame(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let level = f.val(u.v.arg(0))?;
    match f.as_constant(level) {
        Some(0) => Ok(()),
        _ => Err(format!("intrinsic llvm.{} of a caller", u.name)),
    }
}

fn trap(f: &mut FnLower<'_>, _: Use<'_>) -> Result<(), Refused> {
    f.emit(Inst::Trap);
    Ok(())
}

fn reduce(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let op = u.name.split('.').nth(2).unwrap_or("");
    f.reduce(u.v, op, u.shape)
}

fn rint(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let a = f.elems(u.v.arg(0))?;
    f.map_scalars(u.v, u.shape, |f, i, s| {
        let format = f.float_format(s)?;
        Ok(f.rint(format, a[i]))
    })
}

fn multiply_add(f: &mut FnLower<'_>, u: Use<'_>, fused: bool) -> Result<(), Refused> {
    let (a, b, c) = (
        f.elems(u.v.arg(0))?,
        f.elems(u.v.arg(1))?,
        f.elems(u.v.arg(2))?,
    );
    f.map_scalars(u.v, u.shape, |f, i, s| {
        let format = f.float_format(s)?;
        if fused {
            return Ok(f.float_fma(format, a[i], b[i], c[i]));
        }
        // The choice is the compiler's: x86-64 rounds twice, and once if it has an instruction for it.
        let product = f.float_bin(FloatBinOp::Mul, format, a[i], b[i]);
        Ok(f.float_bin(FloatBinOp::Add, format, product, c[i]))
    })
}

fn to_nearest(f: &mut FnLower<'_>, u: Use<'_>, away: bool) -> Result<(), Refused> {
    let from = f.shape(u.v.arg(0).ty());
    let a = f.elems(u.v.arg(0))?;
    f.map_scalars(u.v, u.shape, |f, i, s| {
        let format = f.float_format(from.scalars[i])?;
        let rounded = if away {
            f.float_un(FloatUnOp::RoundAway, format, a[i])
        } else {
            f.rint(format, a[i])
        };
        let op = ConvOp::FloatToSigned;
        f.float_to_int(op, false, from.scalars[i], s.width, rounded)
    })
}

fn saturated(f: &mut FnLower<'_>, u: Use<'_>, op: ConvOp) -> Result<(), Refused> {
    let from = f.shape(u.v.arg(0).ty());
    let a = f.elems(u.v.arg(0))?;
    f.map_scalars(u.v, u.shape, |f, i, s| {
        f.float_to_int(op, true, from.scalars[i], s.width, a[i])
    })
}

/// A function of libm behind an intrinsic, by format.
fn libm_name(base: &str, format: FloatFormat) -> Option<String> {
    match format {
        FloatFormat::SINGLE => Some(format!("{base}f")),
        FloatFormat::DOUBLE => Some(base.to_string()),
        FloatFormat::X87 => Some(format!("{base}l")),
        _ => None,
    }
}

fn libm(f: &mut FnLower<'_>, u: Use<'_>) -> Result<(), Refused> {
    let base = u.name.split('.').next().unwrap_or(u.name);
    let name = match u.shape.scalars[..] {
        [s] => is_float(s).and_then(|format| libm_name(base, format)),
        _ => None,
    };
    let Some(name) = name else {
        return Err(format!("intrinsic llvm.{}", u.name));
    };
    let (mut args, mut widths) = (Vec::new(), Vec::new());
    // Constrained ones have metadata behind their operands.
    let is_operand = |&i: &u32| u.v.arg(i).ty().kind() != LLVMTypeKind::LLVMMetadataTypeKind;
    for i in (0..u.v.arg_count()).filter(is_operand) {
        let s = f.shape(u.v.arg(i).ty());
        let e = f.val(u.v.arg(i))?;
        for (n, w) in s.slot_widths().iter().enumerate() {
            args.push(e.limb(n as u32));
            widths.push(*w);
        }
    }
    f.call_by_name(&name, u.v, &args, &widths, u.shape);
    Ok(())
}

/// The libm functions that intrinsics of a module may need, for the linker.
pub fn libm_for_intrinsic(name: &str) -> Option<String> {
    let rest = name.strip_prefix("llvm.")?;
    let rest = rest.strip_prefix(constrained::PREFIX).unwrap_or(rest);
    let row = find(rest).filter(|row| row.means == LIBM)?;
    // The result's type; the type of an exponent follows it.
    let format = match rest[row.name.len()..].split('.').nth(1)? {
        "f32" => FloatFormat::SINGLE,
        "f64" => FloatFormat::DOUBLE,
        "f80" => FloatFormat::X87,
        _ => return None,
    };
    libm_name(row.name, format)
}

impl FnLower<'_> {
    /// Lowers a call of an intrinsic.
    pub fn intrinsic(&mut self, v: Value, name: &str) -> Result<(), Refused> {
        let rest = name.strip_prefix("llvm.").unwrap_or(name);
        let shape = self.shape(v.ty());
        if let Some(word) = rest.strip_prefix(constrained::PREFIX) {
            return self.constrained(v, word, &shape);
        }
        match find(rest) {
            Some(row) => {
                let shape = &shape;
                let name = rest;
                (row.lower)(self, Use { v, name, shape })
            }
            None => Err(format!("intrinsic {name}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_is_the_row() {
        let found = |name: &str| find(name).map(|row| row.name);
        assert_eq!(found("memcpy.p0.p0.i64"), Some("memcpy"));
        assert_eq!(found("memcpy.inline.p0.p0.i64"), Some("memcpy.inline"));
        assert_eq!(
            found("expect.with.probability.i1"),
            Some("expect.with.probability")
        );
        assert_eq!(found("vector.reduce.fmaximum.v4f32"), None);
        assert_eq!(found("memory.of.another.kind"), None);
        assert_eq!(found("readcyclecounter"), None);
        let mut names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }

    #[test]
    fn what_the_linker_has_to_keep() {
        let needs = |name: &str| libm_for_intrinsic(name);
        assert_eq!(needs("llvm.sin.f32").as_deref(), Some("sinf"));
        assert_eq!(needs("llvm.ldexp.f64.i32").as_deref(), Some("ldexp"));
        assert_eq!(
            needs("llvm.experimental.constrained.pow.f80").as_deref(),
            Some("powl")
        );
        assert_eq!(needs("llvm.floor.f64"), None);
        assert_eq!(needs("llvm.sin.v2f64"), None);
    }
}
