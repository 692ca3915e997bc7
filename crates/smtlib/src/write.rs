//! Symbols, strings and values as SMT-LIB text.

use crate::sort::{Scalar, ScriptSort, Sorts};
use num_bigint::BigUint;
use std::fmt::Write;
use term::{ArrayValue, BigInt, BitValue, FloatFormat, RoundingMode};

const RESERVED: &[&str] = &[
    "_",
    "!",
    "as",
    "let",
    "exists",
    "forall",
    "match",
    "par",
    "lambda",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
];

/// A symbol, in bars where it needs them.
pub fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let simple = !name.is_empty()
        && name.chars().all(plain)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !RESERVED.contains(&name);
    if simple {
        name.to_string()
    } else {
        format!("|{name}|")
    }
}

/// A string literal.
pub fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelValue {
    /// Of a plain sort.
    Bits(BitValue),
    /// An integer.
    Int(BigInt),
    /// A real, as numerator and denominator in lowest terms.
    Real(BigInt, BigUint),
    /// An array.
    Array(ArrayValue),
}

/// A value of a plain sort as text.
pub fn scalar(sorts: &Sorts, sort: Scalar, value: &BitValue) -> String {
    match sort {
        Scalar::Bool => if *value == BitValue::ZERO {
            "false"
        } else {
            "true"
        }
        .into(),
        Scalar::BitVec(width) => bits(width, value),
        Scalar::Declared(_) => {
            let name = sorts.scalar_name(sort);
            format!("(as @{}!{} {name})", name.trim_matches('|'), value.low())
        }
        Scalar::Float(format) => float(format, value),
        Scalar::Rounding => {
            let last = RoundingMode::ALL.len() - 1;
            let number = value.as_u64().map_or(last, |n| last.min(n as usize));
            RoundingMode::ALL[number].smt_name().into()
        }
    }
}

/// A float as its three fields, or by name if it is none of the nonzero numbers.
fn float(format: FloatFormat, pattern: &BitValue) -> String {
    let (eb, stored) = (format.exponent_bits(), format.stored_bits());
    let sign = slice(pattern, stored + eb, 1);
    let exponent = slice(pattern, stored, eb);
    let significand = slice(pattern, 0, stored);
    let is_negative = sign != BitValue::ZERO;
    let name = match (is_top(eb, &exponent), significand == BitValue::ZERO) {
        (true, false) => "NaN",
        (true, true) => ["+oo", "-oo"][usize::from(is_negative)],
        (false, true) if exponent == BitValue::ZERO => ["+zero", "-zero"][usize::from(is_negative)],
        _ => {
            let [sign, exponent, significand] = [(1, sign), (eb, exponent), (stored, significand)]
                .map(|(width, field)| digits(width, &field, 1));
            return format!("(fp {sign} {exponent} {significand})");
        }
    };
    format!("(_ {name} {eb} {})", format.precision())
}

/// Are all bits of an exponent set?
fn is_top(eb: u32, exponent: &BitValue) -> bool {
    exponent.as_u64() == Some((1 << eb) - 1)
}

/// Is it the bit-vector that holds a value in models? Arrays have elements at others too, which stand for nothing.
fn is_canonical(sort: Scalar, value: &BitValue) -> bool {
    match sort {
        Scalar::Float(format) => {
            let (eb, stored) = (format.exponent_bits(), format.stored_bits());
            let is_special = is_top(eb, &slice(value, stored, eb));
            let significand = slice(value, 0, stored);
            let has_no_payload = stored == 1 || slice(value, 0, stored - 1) == BitValue::ZERO;
            let is_positive = slice(value, stored + eb, 1) == BitValue::ZERO;
            !is_special || significand == BitValue::ZERO || has_no_payload && is_positive
        }
        Scalar::Rounding => value.low() < RoundingMode::ALL.len() as u64,
        Scalar::Bool | Scalar::BitVec(_) | Scalar::Declared(_) => true,
    }
}

fn bits(width: u32, value: &BitValue) -> String {
    digits(width, value, if width.is_multiple_of(4) { 4 } else { 1 })
}

/// Digits of one bit each, or of four.
fn digits(width: u32, value: &BitValue, per: u32) -> String {
    let prefix = if per == 4 { "#x" } else { "#b" };
    let limbs = value.limbs();
    let mut text = String::with_capacity(2 + (width / per) as usize);
    text.push_str(prefix);
    for digit in (0..width / per).rev() {
        let bit = digit * per;
        let limb = limbs.get((bit / 64) as usize).copied().unwrap_or(0);
        let digit = (limb >> (bit % 64)) as u32 & ((1 << per) - 1);
        text.push(char::from_digit(digit, 16).expect("a digit"));
    }
    text
}

/// An integer as text: a negative one is an application.
pub fn int(value: &BigInt) -> String {
    if value.sign() == (-BigInt::from(1)).sign() {
        format!("(- {})", value.magnitude())
    } else {
        value.to_string()
    }
}

/// A rational number as text: a quotient of two decimals, or one.
pub fn real(numerator: &BigInt, denominator: &BigUint) -> String {
    let mut text = format!("{}.0", numerator.magnitude());
    if *denominator != BigUint::from(1u32) {
        text = format!("(/ {text} {denominator}.0)");
    }
    if numerator.sign() == num_bigint::Sign::Minus {
        text = format!("(- {text})");
    }
    text
}

/// A value as text: arrays are stores over a constant array.
pub fn value(sorts: &Sorts, sort: ScriptSort, value: &ModelValue) -> String {
    match (sort, value) {
        (ScriptSort::Scalar(sort), ModelValue::Bits(value)) => scalar(sorts, sort, value),
        (ScriptSort::Int, ModelValue::Int(value)) => int(value),
        (ScriptSort::Real, ModelValue::Real(numerator, denominator)) => {
            real(numerator, denominator)
        }
        (ScriptSort::Array { index, elem }, ModelValue::Array(value)) => {
            let entries = value.entries.iter();
            let mut entries: Vec<_> = entries.filter(|(at, _)| is_canonical(index, at)).collect();
            let mut default = &value.default;
            // With an element for each mode, the other one is not seen.
            if index == Scalar::Rounding && entries.len() == RoundingMode::ALL.len() {
                default = entries[0].1;
                entries.retain(|(_, element)| *element != default);
            }
            let mut text = "(store ".repeat(entries.len());
            let default = scalar(sorts, elem, default);
            let _ = write!(text, "((as const {}) {default})", sorts.name(sort));
            for (at, element) in entries {
                let at = scalar(sorts, index, at);
                let _ = write!(text, " {at} {})", scalar(sorts, elem, element));
            }
            text
        }
        _ => unreachable!("a value of another sort"),
    }
}

/// A function's interpretation as a `define-fun` over `params`: an if-then-else for each entry of
/// the array that stands for it.
pub fn function(
    sorts: &Sorts,
    name: &str,
    params: &[Scalar],
    result: Scalar,
    interpretation: &ArrayValue,
) -> String {
    let mut text = format!("(define-fun {} (", symbol(name));
    for (k, &param) in params.iter().enumerate() {
        let space = if k == 0 { "" } else { " " };
        let _ = write!(text, "{space}(x!{k} {})", sorts.scalar_name(param));
    }
    let _ = write!(text, ") {} ", sorts.scalar_name(result));
    let mut cases = 0;
    for (at, element) in &interpretation.entries {
        // The first argument stands highest.
        let mut values = Vec::new();
        let mut low = 0;
        for &param in params.iter().rev() {
            values.push(slice(at, low, param.width()));
            low += param.width();
        }
        values.reverse();
        let mut arguments = params.iter().zip(&values);
        if !arguments.all(|(&param, value)| is_canonical(param, value)) {
            continue;
        }
        let arguments = params.iter().zip(&values).enumerate();
        let tests: Vec<String> = arguments
            .map(|(k, (&param, value))| format!("(= x!{k} {})", scalar(sorts, param, value)))
            .collect();
        let test = match &tests[..] {
            [test] => test.clone(),
            _ => format!("(and {})", tests.join(" ")),
        };
        let _ = write!(text, "(ite {test} {} ", scalar(sorts, result, element));
        cases += 1;
    }
    text.push_str(&scalar(sorts, result, &interpretation.default));
    text.push_str(&")".repeat(cases + 1));
    text
}

/// The interpretation of a function over integers as a `define-fun` over `params`: an if-then-else for each application, its arguments
/// and its result; anything elsewhere.
pub fn cases(
    sorts: &Sorts,
    name: &str,
    params: &[ScriptSort],
    result: ScriptSort,
    applications: &[(Vec<ModelValue>, ModelValue)],
) -> String {
    let mut text = format!("(define-fun {} (", symbol(name));
    for (k, &param) in params.iter().enumerate() {
        let space = if k == 0 { "" } else { " " };
        let _ = write!(text, "{space}(x!{k} {})", sorts.name(param));
    }
    let _ = write!(text, ") {} ", sorts.name(result));
    let mut count = 0;
    for (k, (arguments, output)) in applications.iter().enumerate() {
        if applications[..k]
            .iter()
            .any(|(others, _)| others == arguments)
        {
            continue;
        }
        let tests = arguments.iter().zip(params).enumerate();
        let tests: Vec<String> = tests
            .map(|(k, (argument, &param))| format!("(= x!{k} {})", value(sorts, param, argument)))
            .collect();
        let test = match &tests[..] {
            [test] => test.clone(),
            _ => format!("(and {})", tests.join(" ")),
        };
        let _ = write!(text, "(ite {test} {} ", value(sorts, result, output));
        count += 1;
    }
    let elsewhere = match (applications.first(), result) {
        (Some((_, output)), _) => value(sorts, result, output),
        (None, ScriptSort::Scalar(sort)) => scalar(sorts, sort, &BitValue::from(0)),
        (None, _) => "0".to_string(),
    };
    text.push_str(&elsewhere);
    text.push_str(&")".repeat(count + 1));
    text
}

/// `width` bits of a number from bit `low` on.
fn slice(value: &BitValue, low: u32, width: u32) -> BitValue {
    let limbs = value.limbs();
    let (words, shift) = ((low / 64) as usize, low % 64);
    let at = |k: usize| limbs.get(k).copied().unwrap_or(0);
    let shifted: Vec<u64> = (words..words + width.div_ceil(64) as usize)
        .map(|k| {
            let high = if shift == 0 {
                0
            } else {
                at(k + 1) << (64 - shift)
            };
            at(k) >> shift | high
        })
        .collect();
    BitValue::from_limbs(&shifted).truncated(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_their_sorts() {
        let sorts = Sorts {
            names: vec!["U".into()],
        };
        let wide = BitValue::from_limbs(&[0xab, 1]);
        assert_eq!(bits(8, &0xab.into()), "#xab");
        assert_eq!(bits(5, &3.into()), "#b00011");
        assert_eq!(bits(68, &wide), "#x100000000000000ab");
        assert_eq!(
            scalar(&sorts, Scalar::Declared(0), &3.into()),
            "(as @U!3 U)"
        );
        assert_eq!(int(&(-5).into()), "(- 5)");
        let array = ArrayValue {
            default: 0.into(),
            entries: [(1.into(), 2.into())].into(),
        };
        let sort = ScriptSort::Array {
            index: Scalar::BitVec(4),
            elem: Scalar::BitVec(8),
        };
        assert_eq!(
            value(&sorts, sort, &ModelValue::Array(array.clone())),
            "(store ((as const (Array (_ BitVec 4) (_ BitVec 8))) #x00) #x1 #x02)"
        );
        let key = BitValue::from(0b1_01);
        let map = ArrayValue {
            default: 1.into(),
            entries: [(key, 0.into())].into(),
        };
        assert_eq!(
            function(
                &sorts,
                "a f",
                &[Scalar::Bool, Scalar::BitVec(2)],
                Scalar::Bool,
                &map
            ),
            "(define-fun |a f| ((x!0 Bool) (x!1 (_ BitVec 2))) Bool \
             (ite (and (= x!0 true) (= x!1 #b01)) false true))"
        );
        let format = FloatFormat::new(3, 4).expect("a format");
        let texts = [0x00, 0x40, 0x38, 0x78, 0x3c, 0x7b, 0x51].map(|pattern: u64| {
            let text = scalar(&sorts, Scalar::Float(format), &pattern.into());
            (text, is_canonical(Scalar::Float(format), &pattern.into()))
        });
        let expected = [
            ("(_ +zero 3 4)", true),
            ("(_ -zero 3 4)", true),
            ("(_ +oo 3 4)", true),
            ("(_ -oo 3 4)", true),
            ("(_ NaN 3 4)", true),
            ("(_ NaN 3 4)", false),
            ("(fp #b1 #b010 #b001)", true),
        ];
        assert_eq!(texts, expected.map(|(text, is)| (text.to_string(), is)));
        let modes = [1u64, 4, 7].map(|n| scalar(&sorts, Scalar::Rounding, &n.into()));
        assert_eq!(modes, ["RNA", "RTZ", "RTZ"]);
        let all = ArrayValue {
            default: 0.into(),
            entries: (0..5u64).map(|k| (k.into(), (k / 4).into())).collect(),
        };
        let sort = ScriptSort::Array {
            index: Scalar::Rounding,
            elem: Scalar::Bool,
        };
        let all = value(&sorts, sort, &ModelValue::Array(all));
        assert_eq!(
            all,
            "(store ((as const (Array RoundingMode Bool)) false) RTZ true)"
        );
        // What a function gives at bit-vectors that stand for nothing is not said.
        let map = ArrayValue {
            default: 0x3d.into(),
            entries: [(0x3d.into(), 1.into()), (0x3c.into(), 2.into())].into(),
        };
        let (float, bits) = (Scalar::Float(format), Scalar::BitVec(8));
        assert_eq!(
            function(&sorts, "g", &[float], bits, &map),
            "(define-fun g ((x!0 (_ FloatingPoint 3 4))) (_ BitVec 8) \
             (ite (= x!0 (_ NaN 3 4)) #x02 #x3d))"
        );
        assert_eq!(slice(&wide, 4, 64), BitValue::from(0x1000_0000_0000_000a));
        assert_eq!(symbol("x y"), "|x y|");
        assert_eq!(string("a\"b"), "\"a\"\"b\"");
    }
}
