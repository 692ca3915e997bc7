//! The values of variables as numbers, and their initial values.

use crate::numbers::{Variable, specials, stored_bits};
use fastrand::Rng;
use term::FloatFormat;

/// A constant of the query or one near it, a number of ordinary size, a special one, or any bits.
pub(crate) fn random_value(variable: &Variable, constants: &[(u32, u128)], rng: &mut Rng) -> u128 {
    let Variable { width, format, .. } = *variable;
    let mask = u128::MAX >> (128 - width);
    let any = rng.u128(..) & mask;
    let fitting: Vec<u128> = constants
        .iter()
        .filter(|(w, _)| *w == width)
        .map(|&(_, value)| value)
        .collect();
    match (rng.u8(..5), format) {
        (0, _) if !fitting.is_empty() => {
            let value = fitting[rng.usize(..fitting.len())];
            let near = 1i128 << rng.u32(..(width - 1).max(1));
            variable.moved(value, near)
        }
        // A number around 1, up to a square root of the largest.
        (1 | 2, Some(format)) => {
            let stored = stored_bits(format);
            let bias = (1u64 << (format.exponent_bits() - 1)) - 1;
            let room = 1u64 << (1 + rng.u32(..(format.exponent_bits() - 2).max(1)));
            let exponent = (bias + rng.u64(..room)).saturating_sub(room / 2);
            let fraction = any & ((1 << stored) - 1);
            let fraction = fraction | u128::from(format.has_integer_bit()) << (stored - 1);
            let sign = any & 1 << (width - 1);
            sign | u128::from(exponent) << stored | fraction
        }
        (3, Some(_)) => special_value(variable, constants, rng),
        (1 | 2, None) => any >> rng.u32(..width),
        _ => any,
    }
}

/// A number that algorithms treat apart, or a constant of the query.
pub(crate) fn special_value(variable: &Variable, constants: &[(u32, u128)], rng: &mut Rng) -> u128 {
    let sign = u128::from(rng.bool()) << (variable.width - 1);
    let fits = |(width, _): &&(u32, u128)| *width == variable.width;
    let mut known: Vec<u128> = constants.iter().filter(fits).map(|&(_, c)| c).collect();
    match variable.format {
        Some(format) => known.extend(specials(format).map(|magnitude| magnitude | sign)),
        None => known.extend([0, 1, u128::MAX >> (128 - variable.width), sign]),
    }
    known[rng.usize(..known.len())]
}

/// The meaning of a variable's patterns.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Float(FloatFormat),
    /// Two's complement of this width: integers, and floats whose numbers `f64` has not.
    Integer(u32),
}

impl Kind {
    pub fn of(variable: &Variable) -> Kind {
        match variable.format {
            Some(format) if value_of(format, 0).is_some() => Kind::Float(format),
            _ => Kind::Integer(variable.width),
        }
    }

    /// The number that a pattern stands for.
    pub fn value(self, bits: u128) -> Option<f64> {
        match self {
            Kind::Float(format) => value_of(format, bits as u64),
            Kind::Integer(width) => {
                let unused = 128 - width;
                Some((((bits << unused) as i128) >> unused) as f64)
            }
        }
    }

    /// The pattern nearest to a number.
    pub fn pattern(self, value: f64) -> u128 {
        match self {
            Kind::Float(FloatFormat::SINGLE) => (value as f32).to_bits().into(),
            Kind::Float(_) => value.to_bits().into(),
            Kind::Integer(width) => value.round() as i128 as u128 & (u128::MAX >> (128 - width)),
        }
    }
}

/// The number that a pattern is, in formats whose numbers all are `f64`.
pub(crate) fn value_of(format: FloatFormat, bits: u64) -> Option<f64> {
    match format {
        FloatFormat::DOUBLE => Some(f64::from_bits(bits)),
        FloatFormat::SINGLE => Some(f32::from_bits(bits as u32).into()),
        _ => None,
    }
}
