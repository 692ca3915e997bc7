//! Conversions between floats and bit-vectors, reals, other formats.

use crate::error::{Checked, refuse, wrong};
use crate::sort::{Scalar, ScriptSort, Sorts};
use crate::table::Typed;
use crate::theory::{Open, RealTerms, bits_of, floats, held, rounding};
use term::{FloatFormat, Pool, Term};

/// `(_ to_fp eb sb)`: of a bit pattern, or under a rounding mode of a float, a real constant or a signed integer.
pub(super) fn to_float(
    pool: &mut Pool,
    sorts: &Sorts,
    reals: &mut RealTerms,
    indices: &[u32],
    args: &[Typed],
) -> Checked<Typed> {
    let format = floats::format(indices[0], indices[1])?;
    let &[mode, value] = args else {
        return of_pattern(pool, sorts, format, args[0]);
    };
    let mode = rounding::mode(sorts, mode)?;
    let term = match value.sort {
        ScriptSort::Scalar(Scalar::Float(_)) => rounding::under(pool, mode, |pool, mode| {
            pool.fp_to_fp_rounded(mode, format, value.term)
        }),
        ScriptSort::Scalar(Scalar::BitVec(_)) => rounding::under(pool, mode, |pool, mode| {
            pool.sint_to_fp_rounded(mode, format, value.term)
        }),
        ScriptSort::Real | ScriptSort::Int => {
            let form = reals.form(pool, sorts, value)?;
            if !form.form.is_zero() {
                check_range(format)?;
            }
            rounding::under(pool, mode, |pool, mode| {
                reals.round(pool, format, mode, &form)
            })
        }
        sort => {
            return wrong(format!(
                "number or bit-vector expected, found {}",
                sorts.name(sort)
            ));
        }
    };
    Ok(floats::float(pool, term))
}

fn of_pattern(pool: &mut Pool, sorts: &Sorts, format: FloatFormat, arg: Typed) -> Checked<Typed> {
    let width = bits_of(sorts, arg)?;
    if width != format.bits() {
        let want = format.bits();
        return wrong(format!("bit-vector of {want} bits expected, not {width}"));
    }
    let term = pool.fp_from_bits(format, arg.term);
    Ok(floats::float(pool, term))
}

/// `(_ to_fp_unsigned eb sb)`.
pub(super) fn of_unsigned(
    pool: &mut Pool,
    sorts: &Sorts,
    indices: &[u32],
    args: &[Typed],
) -> Checked<Typed> {
    let format = floats::format(indices[0], indices[1])?;
    let mode = rounding::mode(sorts, args[0])?;
    bits_of(sorts, args[1])?;
    let term = rounding::under(pool, mode, |pool, mode| {
        pool.uint_to_fp_rounded(mode, format, args[1].term)
    });
    Ok(floats::float(pool, term))
}

/// `fp.to_ubv`, `fp.to_sbv`. What does not fit is left open.
///
/// The conversion has one bit more, so that what terms give for floats that do not fit (the smallest signed integer, the
/// largest unsigned one) is no integer of the width.
pub(super) fn to_integer(
    pool: &mut Pool,
    sorts: &Sorts,
    open: &mut Open,
    width: u32,
    args: &[Typed],
    signed: bool,
) -> Checked<Typed> {
    let mode = rounding::mode(sorts, args[0])?;
    let format = floats::format_of(sorts, args[1])?;
    if width == 0 {
        return wrong("width 0");
    }
    if width > term::Sort::MAX_ELEM {
        return refuse("conversion of floats to integers this wide");
    }
    let value = args[1].term;
    let wide = rounding::under(pool, mode, |pool, mode| {
        if signed {
            pool.fp_to_sint_rounded(mode, width + 1, value)
        } else {
            pool.fp_to_uint_rounded(mode, width + 1, value)
        }
    });
    let beyond = pool.extract(width, width, wide);
    let beyond = if signed {
        let sign = pool.extract(width - 1, width - 1, wide);
        pool.xor(beyond, sign)
    } else {
        beyond
    };
    let integer = pool.extract(width - 1, 0, wide);
    let term = if beyond == Term::FALSE {
        integer
    } else {
        let any = open.integers(pool, format, signed, width);
        let pattern = held::bits(pool, Scalar::Float(format), value);
        let at = pool.concat(mode, pattern);
        let any = pool.select(any, at);
        pool.ite(beyond, any, integer)
    };
    Ok(Typed {
        term,
        sort: ScriptSort::bits(width),
    })
}

/// `fp.to_ieee_bv` of z3: the bit pattern, of NaN always the same.
pub(super) fn to_pattern(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let format = floats::format_of(sorts, args[0])?;
    Ok(Typed {
        term: held::bits(pool, Scalar::Float(format), args[0].term),
        sort: ScriptSort::bits(format.bits()),
    })
}

/// Refuses formats whose numbers have too many bits to be compared with reals.
fn check_range(format: FloatFormat) -> Checked<()> {
    const MOST_BITS: i64 = 1 << 20;
    if format.max_exponent() > MOST_BITS {
        return refuse("reals beside floats with this many bits of exponent");
    }
    Ok(())
}

/// `fp.to_real`.
pub(super) fn to_real(
    pool: &mut Pool,
    sorts: &Sorts,
    reals: &mut RealTerms,
    args: &[Typed],
) -> Checked<Typed> {
    let format = floats::format_of(sorts, args[0])?;
    check_range(format)?;
    Ok(reals.of_float(pool, format, args[0].term))
}
