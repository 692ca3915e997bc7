//! The functions of the theories, one file each.
//!
//! To add a function: a line in [`table`] with its name and arity, an arm in [`apply`], and the
//! function in its theory's file.

pub(crate) mod applied;
pub(crate) mod arrays;
pub(crate) mod bits;
mod conversions;
mod core;
pub(crate) mod floats;
pub(crate) mod held;
mod ints;
mod open;
mod reals;
mod rounding;
mod sizes;

use crate::error::{Checked, Feature, wrong};
use crate::sort::{Scalar, ScriptSort, Sorts};
use crate::table::Typed;
use applied::ApplicationTable;
pub(crate) use open::Open;
pub(crate) use reals::RealTerms;
use reals::{RealOperation, RealOrder};
use sizes::Sizes;
use term::{FloatPredicate, Pool, Term};

/// Any number of arguments from the smallest on.
const MANY: usize = usize::MAX;

macro_rules! table {
    ($($variant:ident $name:literal $indices:literal $least:literal $most:expr;)*) => {
        /// A function of a theory.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Builtin {
            $($variant,)*
        }

        impl Builtin {
            /// The function of that name.
            pub fn of_name(name: &str) -> Option<Builtin> {
                match name {
                    $($name => Some(Builtin::$variant),)*
                    _ => None,
                }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Builtin::$variant => $name,)*
                }
            }

            /// Number of indices; least and most arguments.
            fn arity(self) -> (usize, usize, usize) {
                match self {
                    $(Builtin::$variant => ($indices, $least, $most),)*
                }
            }
        }
    };
}

table! {
    Not "not" 0 1 1;
    And "and" 0 1 MANY;
    Or "or" 0 1 MANY;
    Xor "xor" 0 2 MANY;
    Implies "=>" 0 2 MANY;
    Equal "=" 0 2 MANY;
    Distinct "distinct" 0 2 MANY;
    Ite "ite" 0 3 3;
    Concat "concat" 0 2 MANY;
    Extract "extract" 2 1 1;
    Repeat "repeat" 1 1 1;
    ZeroExtend "zero_extend" 1 1 1;
    SignExtend "sign_extend" 1 1 1;
    RotateLeft "rotate_left" 1 1 1;
    RotateRight "rotate_right" 1 1 1;
    BvNot "bvnot" 0 1 1;
    BvNeg "bvneg" 0 1 1;
    BvAnd "bvand" 0 2 MANY;
    BvOr "bvor" 0 2 MANY;
    BvXor "bvxor" 0 2 MANY;
    BvNand "bvnand" 0 2 2;
    BvNor "bvnor" 0 2 2;
    BvXnor "bvxnor" 0 2 MANY;
    BvComp "bvcomp" 0 2 2;
    BvAdd "bvadd" 0 2 MANY;
    BvSub "bvsub" 0 2 2;
    BvMul "bvmul" 0 2 MANY;
    BvUdiv "bvudiv" 0 2 2;
    BvUrem "bvurem" 0 2 2;
    BvSdiv "bvsdiv" 0 2 2;
    BvSrem "bvsrem" 0 2 2;
    BvSmod "bvsmod" 0 2 2;
    BvShl "bvshl" 0 2 2;
    BvLshr "bvlshr" 0 2 2;
    BvAshr "bvashr" 0 2 2;
    BvUlt "bvult" 0 2 2;
    BvUle "bvule" 0 2 2;
    BvUgt "bvugt" 0 2 2;
    BvUge "bvuge" 0 2 2;
    BvSlt "bvslt" 0 2 2;
    BvSle "bvsle" 0 2 2;
    BvSgt "bvsgt" 0 2 2;
    BvSge "bvsge" 0 2 2;
    BvNego "bvnego" 0 1 1;
    BvUaddo "bvuaddo" 0 2 2;
    BvSaddo "bvsaddo" 0 2 2;
    BvUmulo "bvumulo" 0 2 2;
    BvSmulo "bvsmulo" 0 2 2;
    BvUsubo "bvusubo" 0 2 2;
    BvSsubo "bvssubo" 0 2 2;
    BvSdivo "bvsdivo" 0 2 2;
    UbvToInt "ubv_to_int" 0 1 1;
    SbvToInt "sbv_to_int" 0 1 1;
    Bv2nat "bv2nat" 0 1 1;
    IntToBv "int_to_bv" 1 1 1;
    Int2bv "int2bv" 1 1 1;
    Select "select" 0 2 2;
    Store "store" 0 3 3;
    Plus "+" 0 1 MANY;
    Minus "-" 0 1 MANY;
    Times "*" 0 1 MANY;
    Div "div" 0 2 MANY;
    Mod "mod" 0 2 2;
    Abs "abs" 0 1 1;
    Le "<=" 0 2 MANY;
    Lt "<" 0 2 MANY;
    Ge ">=" 0 2 MANY;
    Gt ">" 0 2 MANY;
    Divisible "divisible" 1 1 1;
    Quotient "/" 0 2 MANY;
    ToReal "to_real" 0 1 1;
    Fp "fp" 0 3 3;
    FpAbs "fp.abs" 0 1 1;
    FpNeg "fp.neg" 0 1 1;
    FpAdd "fp.add" 0 3 3;
    FpSub "fp.sub" 0 3 3;
    FpMul "fp.mul" 0 3 3;
    FpDiv "fp.div" 0 3 3;
    FpFma "fp.fma" 0 4 4;
    FpSqrt "fp.sqrt" 0 2 2;
    FpRem "fp.rem" 0 2 2;
    FpRoundToIntegral "fp.roundToIntegral" 0 2 2;
    FpMin "fp.min" 0 2 2;
    FpMax "fp.max" 0 2 2;
    FpLeq "fp.leq" 0 2 MANY;
    FpLt "fp.lt" 0 2 MANY;
    FpGeq "fp.geq" 0 2 MANY;
    FpGt "fp.gt" 0 2 MANY;
    FpEq "fp.eq" 0 2 MANY;
    FpIsNormal "fp.isNormal" 0 1 1;
    FpIsSubnormal "fp.isSubnormal" 0 1 1;
    FpIsZero "fp.isZero" 0 1 1;
    FpIsInfinite "fp.isInfinite" 0 1 1;
    FpIsNan "fp.isNaN" 0 1 1;
    FpIsNegative "fp.isNegative" 0 1 1;
    FpIsPositive "fp.isPositive" 0 1 1;
    ToFp "to_fp" 2 1 2;
    ToFpUnsigned "to_fp_unsigned" 2 2 2;
    FpToUbv "fp.to_ubv" 1 2 2;
    FpToSbv "fp.to_sbv" 1 2 2;
    FpToReal "fp.to_real" 0 1 1;
    FpToIeeeBv "fp.to_ieee_bv" 0 1 1;
}

/// The data of the theories about a script, apart from its terms.
#[derive(Default)]
pub(crate) struct Tables {
    /// Choices that the theories leave open.
    pub open: Open,
    /// Applications of functions over integers, and products.
    pub applications: ApplicationTable,
    /// Linear forms over reals.
    pub reals: RealTerms,
    /// Whether sizes of sorts matter.
    pub sizes: Sizes,
}

pub(crate) fn same_sort(sorts: &Sorts, args: &[Typed]) -> Checked<()> {
    match args.iter().find(|arg| arg.sort != args[0].sort) {
        Some(arg) => {
            let (first, other) = (sorts.name(args[0].sort), sorts.name(arg.sort));
            wrong(format!("arguments of sorts {first} and {other}"))
        }
        None => Ok(()),
    }
}

/// Width of a bit-vector.
pub(crate) fn bits_of(sorts: &Sorts, arg: Typed) -> Checked<u32> {
    match arg.sort {
        ScriptSort::Scalar(Scalar::BitVec(width)) => Ok(width),
        sort => wrong(format!("bit-vector expected, found {}", sorts.name(sort))),
    }
}

/// Are these indices right for the function?
pub(crate) fn check_indices(function: Builtin, indices: &[u32]) -> Checked<()> {
    let (want, ..) = function.arity();
    if indices.len() == want {
        return Ok(());
    }
    let (name, have) = (function.name(), indices.len());
    wrong(format!("'{name}' has {want} indices, not {have}"))
}

/// The function of some arguments; `indices` were checked.
pub(crate) fn apply(
    pool: &mut Pool,
    sorts: &Sorts,
    tables: &mut Tables,
    function: Builtin,
    indices: &[u32],
    args: &[Typed],
) -> Checked<Typed> {
    use Builtin::*;
    let (_, least, most) = function.arity();
    if args.len() < least || args.len() > most {
        let (name, have) = (function.name(), args.len());
        let want = match (least, most) {
            (least, MANY) => format!("at least {least}"),
            (least, most) if least < most => format!("{least} to {most}"),
            (least, _) => least.to_string(),
        };
        return wrong(format!("'{name}' has {want} arguments, not {have}"));
    }
    let Tables {
        open,
        applications,
        reals,
        ..
    } = tables;
    let has_reals = reals::among(args);
    match function {
        Not => {
            core::bools(sorts, args)?;
            Ok(Typed::bool(pool.not(args[0].term)))
        }
        And => core::connective(pool, sorts, args, Pool::and),
        Or => core::connective(pool, sorts, args, Pool::or),
        Xor => core::connective(pool, sorts, args, Pool::xor),
        Implies => core::implies(pool, sorts, args),
        Equal if has_reals => reals.compare(pool, sorts, args, RealOrder::Equal),
        Equal => core::equal(pool, sorts, open, args),
        Distinct if has_reals => reals.distinct(pool, sorts, args),
        Distinct => core::distinct(pool, sorts, open, args),
        Ite if has_reals => reals.choose(pool, sorts, args),
        Ite => core::ite(pool, sorts, args),
        Concat => bits::concat(pool, sorts, args),
        Extract => bits::extract(pool, sorts, indices[0], indices[1], args),
        Repeat => bits::repeat(pool, sorts, indices[0], args),
        ZeroExtend => bits::extend(pool, sorts, indices[0], args, Pool::zext),
        SignExtend => bits::extend(pool, sorts, indices[0], args, Pool::sext),
        RotateLeft => bits::rotate_left(pool, sorts, indices[0], args),
        RotateRight => bits::rotate_right(pool, sorts, indices[0], args),
        BvNot => bits::unary(pool, sorts, args, Pool::not),
        BvNeg => bits::unary(pool, sorts, args, Pool::neg),
        BvAnd => bits::fold(pool, sorts, args, Pool::and),
        BvOr => bits::fold(pool, sorts, args, Pool::or),
        BvXor => bits::fold(pool, sorts, args, Pool::xor),
        BvNand => bits::fold(pool, sorts, args, bits::nand),
        BvNor => bits::fold(pool, sorts, args, bits::nor),
        BvXnor => bits::fold(pool, sorts, args, bits::xnor),
        BvComp => bits::comp(pool, sorts, args),
        BvAdd => bits::fold(pool, sorts, args, Pool::add),
        BvSub => bits::fold(pool, sorts, args, Pool::sub),
        BvMul => bits::fold(pool, sorts, args, Pool::mul),
        BvUdiv => bits::fold(pool, sorts, args, Pool::udiv),
        BvUrem => bits::fold(pool, sorts, args, Pool::urem),
        BvSdiv => bits::fold(pool, sorts, args, Pool::sdiv),
        BvSrem => bits::fold(pool, sorts, args, Pool::srem),
        BvSmod => bits::fold(pool, sorts, args, bits::smod),
        BvShl => bits::fold(pool, sorts, args, Pool::shl),
        BvLshr => bits::fold(pool, sorts, args, Pool::lshr),
        BvAshr => bits::fold(pool, sorts, args, Pool::ashr),
        BvUlt | BvUsubo => bits::compare(pool, sorts, args, Pool::ult),
        BvUle => bits::compare(pool, sorts, args, Pool::ule),
        BvUgt => bits::compare(pool, sorts, args, Pool::ugt),
        BvUge => bits::compare(pool, sorts, args, Pool::uge),
        BvSlt => bits::compare(pool, sorts, args, Pool::slt),
        BvSle => bits::compare(pool, sorts, args, Pool::sle),
        BvSgt => bits::compare(pool, sorts, args, Pool::sgt),
        BvSge => bits::compare(pool, sorts, args, Pool::sge),
        BvNego => bits::test(pool, sorts, args, bits::neg_overflows),
        BvUaddo => bits::compare(pool, sorts, args, bits::unsigned_add_overflows),
        BvSaddo => bits::compare(pool, sorts, args, bits::signed_add_overflows),
        BvUmulo => bits::compare_double(pool, sorts, args, bits::unsigned_mul_overflows),
        BvSmulo => bits::compare_double(pool, sorts, args, bits::signed_mul_overflows),
        BvSsubo => bits::compare(pool, sorts, args, bits::signed_sub_overflows),
        BvSdivo => bits::compare(pool, sorts, args, bits::signed_div_overflows),
        UbvToInt | Bv2nat => ints::of_bits(pool, sorts, false, args),
        SbvToInt => ints::of_bits(pool, sorts, true, args),
        IntToBv | Int2bv => ints::to_bits(pool, sorts, indices[0], args),
        Select => arrays::select(pool, sorts, args),
        Store => arrays::store(pool, sorts, args),
        Plus if has_reals => reals.fold(pool, sorts, RealOperation::Add, args),
        Minus if has_reals => reals.fold(pool, sorts, RealOperation::Subtract, args),
        Times if has_reals => reals.fold(pool, sorts, RealOperation::Multiply, args),
        Quotient => reals.fold(pool, sorts, RealOperation::Divide, args),
        ToReal => reals.of_number(pool, sorts, args[0]),
        Le if has_reals => reals.compare(pool, sorts, args, RealOrder::Le),
        Lt if has_reals => reals.compare(pool, sorts, args, RealOrder::Lt),
        Ge if has_reals => reals.compare(pool, sorts, args, RealOrder::Ge),
        Gt if has_reals => reals.compare(pool, sorts, args, RealOrder::Gt),
        Plus => ints::add(pool, sorts, args),
        Minus => ints::subtract(pool, sorts, args),
        Times => ints::multiply(pool, sorts, applications, args),
        Div => ints::divide(pool, sorts, args, (open, applications), false),
        Mod => ints::divide(pool, sorts, args, (open, applications), true),
        Abs => ints::abs(pool, sorts, args),
        Le => ints::compare(pool, sorts, args, Pool::int_le),
        Lt => ints::compare(pool, sorts, args, Pool::int_lt),
        Ge => ints::compare(pool, sorts, args, |pool, a, b| pool.int_le(b, a)),
        Gt => ints::compare(pool, sorts, args, |pool, a, b| pool.int_lt(b, a)),
        Divisible => ints::divisible(pool, sorts, indices[0], args),
        Fp => floats::of_parts(pool, sorts, args),
        FpAbs => floats::unary(pool, sorts, args, Pool::fabs),
        FpNeg => floats::unary(pool, sorts, args, Pool::fneg),
        FpAdd => floats::rounded(pool, sorts, args, |p, rm, x| p.fadd_rounded(rm, x[0], x[1])),
        FpSub => floats::rounded(pool, sorts, args, |p, rm, x| p.fsub_rounded(rm, x[0], x[1])),
        FpMul => floats::rounded(pool, sorts, args, |p, rm, x| p.fmul_rounded(rm, x[0], x[1])),
        FpDiv => floats::rounded(pool, sorts, args, |p, rm, x| p.fdiv_rounded(rm, x[0], x[1])),
        FpFma => floats::rounded(pool, sorts, args, |p, rm, x| {
            p.fma_rounded(rm, x[0], x[1], x[2])
        }),
        FpSqrt => floats::rounded(pool, sorts, args, |p, rm, x| p.fsqrt_rounded(rm, x[0])),
        FpRem => floats::remainder(pool, sorts, args),
        FpRoundToIntegral => {
            floats::rounded(pool, sorts, args, |p, rm, x| p.fround_to_integral(rm, x[0]))
        }
        FpMin => floats::min_max(pool, sorts, open, args, true),
        FpMax => floats::min_max(pool, sorts, open, args, false),
        FpLeq => floats::compare(pool, sorts, args, FloatPredicate::Ole),
        FpLt => floats::compare(pool, sorts, args, FloatPredicate::Olt),
        FpGeq => floats::compare(pool, sorts, args, FloatPredicate::Oge),
        FpGt => floats::compare(pool, sorts, args, FloatPredicate::Ogt),
        FpEq => floats::compare(pool, sorts, args, FloatPredicate::Oeq),
        FpIsNormal => floats::test(pool, sorts, args, floats::is_normal),
        FpIsSubnormal => floats::test(pool, sorts, args, floats::is_subnormal),
        FpIsZero => floats::test(pool, sorts, args, floats::is_zero),
        FpIsInfinite => floats::test(pool, sorts, args, floats::is_infinite),
        FpIsNan => floats::test(pool, sorts, args, held::is_nan),
        FpIsNegative => floats::test(pool, sorts, args, floats::is_negative),
        FpIsPositive => floats::test(pool, sorts, args, floats::is_positive),
        ToFp => conversions::to_float(pool, sorts, reals, indices, args),
        ToFpUnsigned => conversions::of_unsigned(pool, sorts, indices, args),
        FpToUbv => conversions::to_integer(pool, sorts, open, indices[0], args, false),
        FpToSbv => conversions::to_integer(pool, sorts, open, indices[0], args, true),
        FpToReal => conversions::to_real(pool, sorts, reals, args),
        FpToIeeeBv => conversions::to_pattern(pool, sorts, args),
    }
}

/// Is it a constant of the theories?
pub(crate) fn is_constant(name: &str) -> bool {
    matches!(name, "true" | "false") || rounding::by_name(name).is_some()
}

/// The constants of the theories.
pub(crate) fn constant(pool: &mut Pool, name: &str) -> Option<Typed> {
    match name {
        "true" => Some(Typed::bool(Term::TRUE)),
        "false" => Some(Typed::bool(Term::FALSE)),
        _ => rounding::by_name(name).map(|mode| rounding::constant(pool, mode)),
    }
}

/// The feature to which a refused name of SMT-LIB belongs.
pub(crate) fn refused(name: &str) -> Option<Feature> {
    let family = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let other = match name {
        "to_int" | "is_int" => "conversions of reals to integers",
        "is" | "match" => "datatypes",
        "forall" | "exists" => "quantifiers",
        "lambda" | "choice" => "higher-order terms",
        _ if family(&["str.", "re."]) => "strings",
        _ if family(&["seq.", "set.", "bag.", "rel."]) => "sequences and sets",
        _ => return None,
    };
    Some(Feature(other))
}

/// The feature to which a refused name of a sort belongs.
pub(crate) fn refused_sort(name: &str) -> Option<Feature> {
    Some(match name {
        "String" | "RegLan" => Feature("strings"),
        "Seq" | "Set" | "Bag" | "Relation" | "Tuple" => Feature("sequences and sets"),
        "->" => Feature("higher-order sorts"),
        _ => return None,
    })
}
