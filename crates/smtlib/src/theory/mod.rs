//! The functions of the theories, one file each.
//!
//! To add a function: a line in [`table`] with its name and arity, an arm in [`apply`], and the
//! function in its theory's file.

pub(crate) mod arrays;
pub(crate) mod bits;
mod core;
mod ints;

use crate::error::{Checked, Feature, wrong};
use crate::sort::{Scalar, Sort, Sorts};
use crate::table::Typed;
use term::{Pool, Term};

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
        Sort::Scalar(Scalar::BitVec(width)) => Ok(width),
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
            (least, _) => least.to_string(),
        };
        return wrong(format!("'{name}' has {want} arguments, not {have}"));
    }
    match function {
        Not => {
            core::bools(sorts, args)?;
            Ok(Typed::bool(pool.not(args[0].term)))
        }
        And => core::connective(pool, sorts, args, Pool::and),
        Or => core::connective(pool, sorts, args, Pool::or),
        Xor => core::connective(pool, sorts, args, Pool::xor),
        Implies => core::implies(pool, sorts, args),
        Equal => core::equal(pool, sorts, args),
        Distinct => core::distinct(pool, sorts, args),
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
        Plus => ints::add(pool, sorts, args),
        Minus => ints::subtract(pool, sorts, args),
        Times => ints::multiply(pool, sorts, args),
        Div => ints::divide(pool, sorts, args, Pool::int_div),
        Mod => ints::divide(pool, sorts, args, Pool::int_mod),
        Abs => ints::abs(pool, sorts, args),
        Le => ints::compare(pool, sorts, args, Pool::int_le),
        Lt => ints::compare(pool, sorts, args, Pool::int_lt),
        Ge => ints::compare(pool, sorts, args, |pool, a, b| pool.int_le(b, a)),
        Gt => ints::compare(pool, sorts, args, |pool, a, b| pool.int_lt(b, a)),
        Divisible => ints::divisible(pool, sorts, indices[0], args),
    }
}

/// The constants of the theories.
pub(crate) fn constant(name: &str) -> Option<Typed> {
    match name {
        "true" => Some(Typed::bool(Term::TRUE)),
        "false" => Some(Typed::bool(Term::FALSE)),
        _ => None,
    }
}

/// What a name of SMT-LIB belongs to that is refused.
pub(crate) fn refused(name: &str) -> Option<Feature> {
    const FLOAT: &[&str] = &[
        "fp",
        "to_fp",
        "to_fp_unsigned",
        "RNE",
        "RNA",
        "RTP",
        "RTN",
        "RTZ",
        "+oo",
        "-oo",
        "+zero",
        "-zero",
        "NaN",
        "roundNearestTiesToEven",
        "roundNearestTiesToAway",
        "roundTowardPositive",
        "roundTowardNegative",
        "roundTowardZero",
    ];
    let family = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if FLOAT.contains(&name) || family(&["fp."]) {
        return Some(Feature::Float);
    }
    let other = match name {
        "/" | "to_real" | "to_int" | "is_int" => "reals",
        "is" | "match" => "datatypes",
        "forall" | "exists" => "quantifiers",
        "lambda" | "choice" => "higher-order terms",
        _ if family(&["str.", "re."]) => "strings",
        _ if family(&["seq.", "set.", "bag.", "rel."]) => "sequences and sets",
        _ => return None,
    };
    Some(Feature::Other(other))
}

/// What a name of a sort belongs to that is refused.
pub(crate) fn refused_sort(name: &str) -> Option<Feature> {
    Some(match name {
        "FloatingPoint" | "Float16" | "Float32" | "Float64" | "Float128" | "RoundingMode" => {
            Feature::Float
        }
        "Real" => Feature::Other("reals"),
        "String" | "RegLan" => Feature::Other("strings"),
        "Seq" | "Set" | "Bag" | "Relation" | "Tuple" => Feature::Other("sequences and sets"),
        "->" => Feature::Other("higher-order sorts"),
        _ => return None,
    })
}
