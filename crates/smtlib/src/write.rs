//! Symbols, strings and values as SMT-LIB text.

use crate::sort::{Scalar, Sort, Sorts};
use std::fmt::Write;
use term::{ArrayValue, BigInt, BitValue};

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
pub enum Value {
    /// Of a plain sort.
    Bits(BitValue),
    /// An integer.
    Int(BigInt),
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
    }
}

fn bits(width: u32, value: &BitValue) -> String {
    let (prefix, per) = if width.is_multiple_of(4) {
        ("#x", 4)
    } else {
        ("#b", 1)
    };
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

/// A value as text: arrays are stores over a constant array.
pub fn value(sorts: &Sorts, sort: Sort, value: &Value) -> String {
    match (sort, value) {
        (Sort::Scalar(sort), Value::Bits(value)) => scalar(sorts, sort, value),
        (Sort::Int, Value::Int(value)) => int(value),
        (Sort::Array { index, elem }, Value::Array(value)) => {
            let mut text = "(store ".repeat(value.entries.len());
            let default = scalar(sorts, elem, &value.default);
            let _ = write!(text, "((as const {}) {default})", sorts.name(sort));
            for (at, element) in &value.entries {
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
    for (at, element) in &interpretation.entries {
        // The first argument stands highest.
        let mut tests = Vec::new();
        let mut low = 0;
        for (k, &param) in params.iter().enumerate().rev() {
            let value = slice(at, low, param.width());
            low += param.width();
            tests.push(format!("(= x!{k} {})", scalar(sorts, param, &value)));
        }
        tests.reverse();
        let test = match &tests[..] {
            [test] => test.clone(),
            _ => format!("(and {})", tests.join(" ")),
        };
        let _ = write!(text, "(ite {test} {} ", scalar(sorts, result, element));
    }
    text.push_str(&scalar(sorts, result, &interpretation.default));
    text.push_str(&")".repeat(interpretation.entries.len() + 1));
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
        let sort = Sort::Array {
            index: Scalar::BitVec(4),
            elem: Scalar::BitVec(8),
        };
        assert_eq!(
            value(&sorts, sort, &Value::Array(array.clone())),
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
        assert_eq!(slice(&wide, 4, 64), BitValue::from(0x1000_0000_0000_000a));
        assert_eq!(symbol("x y"), "|x y|");
        assert_eq!(string("a\"b"), "\"a\"\"b\"");
    }
}
