//! Functions of the mathematical library as operations (`--libm call`): a concrete call computes what the library's code
//! computes, a call of symbolic numbers is one float term.

use super::Table;
use exec::Machine;
use exec::State;
use exec::Termination;
use exec::{Builtin, Call, Done};
use ir::{FloatFormat, MathFunction};
use memory::Value;
use smallvec::SmallVec;
use term::{RoundingMode, Term};

macro_rules! table {
    ($($function:ident $double:literal $single:literal)*) => {
        /// What `polypath-lower` calls.
        pub const TABLE: Table = &[$(
            ($double, double::<{ MathFunction::$function as usize }> as Builtin),
            ($single, single::<{ MathFunction::$function as usize }> as Builtin),
        )*];
    };
}

#[rustfmt::skip]
table! {
    Sin "__polypath_sin" "__polypath_sinf"
    Cos "__polypath_cos" "__polypath_cosf"
    Tan "__polypath_tan" "__polypath_tanf"
    Asin "__polypath_asin" "__polypath_asinf"
    Acos "__polypath_acos" "__polypath_acosf"
    Atan "__polypath_atan" "__polypath_atanf"
    Atan2 "__polypath_atan2" "__polypath_atan2f"
    Sinh "__polypath_sinh" "__polypath_sinhf"
    Cosh "__polypath_cosh" "__polypath_coshf"
    Tanh "__polypath_tanh" "__polypath_tanhf"
    Asinh "__polypath_asinh" "__polypath_asinhf"
    Acosh "__polypath_acosh" "__polypath_acoshf"
    Atanh "__polypath_atanh" "__polypath_atanhf"
    Exp "__polypath_exp" "__polypath_expf"
    Exp2 "__polypath_exp2" "__polypath_exp2f"
    Expm1 "__polypath_expm1" "__polypath_expm1f"
    Log "__polypath_log" "__polypath_logf"
    Log2 "__polypath_log2" "__polypath_log2f"
    Log10 "__polypath_log10" "__polypath_log10f"
    Log1p "__polypath_log1p" "__polypath_log1pf"
    Pow "__polypath_pow" "__polypath_powf"
    Cbrt "__polypath_cbrt" "__polypath_cbrtf"
    Hypot "__polypath_hypot" "__polypath_hypotf"
}

fn double<const F: usize>(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    apply(m, s, MathFunction::ALL[F], FloatFormat::DOUBLE, c)
}

fn single<const F: usize>(m: &mut Machine, s: &mut State, c: &Call) -> Result<Done, Termination> {
    apply(m, s, MathFunction::ALL[F], FloatFormat::SINGLE, c)
}

fn apply(
    m: &mut Machine,
    s: &State,
    function: MathFunction,
    format: FloatFormat,
    c: &Call,
) -> Result<Done, Termination> {
    if s.float_control.rounding != RoundingMode::NearestEven {
        let name = function.name();
        let what = format!("{name} in another rounding mode than to nearest with --libm call");
        return Err(m.unsupported(s, &what));
    }
    let args: SmallVec<[Value; 2]> = (0..function.arity()).map(|i| c.arg(i)).collect();
    if args.iter().all(|arg| arg.term.is_none()) {
        let bits = |i: usize| args.get(i).map_or(0, |arg| u128::from(arg.bits));
        let value = term::math_value(format, function, [bits(0), bits(1)]);
        return Ok(Done::Value(Value::concrete(value as u64)));
    }
    let args: SmallVec<[Term; 2]> = args
        .into_iter()
        .map(|arg| {
            let bits = m.term(arg, format.bits());
            m.reason.pool.fp_from_bits(format, bits)
        })
        .collect();
    let result = m.reason.pool.fcall(function, &args);
    let bits = m.reason.pool.fp_to_bits(result);
    Ok(Done::Value(m.value(bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_there() {
        let names: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
        for function in MathFunction::ALL {
            for suffix in ["", "f"] {
                let name = format!("__polypath_{}{suffix}", function.name());
                assert!(names.contains(&name.as_str()), "{name}");
            }
        }
        assert_eq!(names.len(), 2 * MathFunction::ALL.len());
    }
}
