//! Operands for the tests: patterns rich in corner cases, of any format of up to 128 bits.

use polypath_float::FloatFormat;
use testkit::Random;

/// From sign, exponent field and fraction; x87's integer bit as the exponent demands.
pub fn float(format: FloatFormat, negative: bool, exponent: u64, fraction: u128) -> u128 {
    let fraction_bits = format.precision() - 1;
    let exponent = u128::from(exponent) & ((1 << format.exponent_bits()) - 1);
    let mut low = fraction & ((1 << fraction_bits) - 1);
    if format.has_integer_bit() && exponent != 0 {
        low |= 1 << fraction_bits;
    }
    u128::from(negative) << (format.bits() - 1) | exponent << format.stored_bits() | low
}

/// Zero, the ends of the subnormal and normal numbers, one and its neighbors, powers around the precision, infinity,
/// quiet and signalling NaNs; both signs; and what only x87 can encode.
pub fn specials(format: FloatFormat) -> Vec<u128> {
    let (bias, precision) = (format.max_exponent() as u64, u64::from(format.precision()));
    let (top, ones) = (2 * bias + 1, u128::MAX);
    let half = 1u128 << (precision - 2);
    let mut all = Vec::new();
    for (exponent, fraction) in [
        (0, 0),
        (0, 1),
        (0, half),
        (0, ones),
        (1, 0),
        (1, 1),
        (1, ones),
        (2, 0),
        (top - 1, 0),
        (top - 1, ones),
        (top, 0),
        (top, 1),
        (top, half),
        (top, half | 5),
        (top, half - 1),
        (top, ones),
        (bias - 1, 0),
        (bias - 1, 1),
        (bias - 1, ones),
        (bias, 0),
        (bias, 1),
        (bias, half),
        (bias + 1, 0),
        (bias + precision - 2, 1),
        (bias + precision, 1),
        (bias.saturating_sub(precision), 0),
        (bias.saturating_sub(precision + 1), 1),
        (bias.min(precision), ones),
    ] {
        all.extend([false, true].map(|negative| float(format, negative, exponent, fraction)));
    }
    for width in [7u64, 8, 15, 16, 31, 32, 63, 64] {
        for negative in [false, true] {
            if width + bias < top {
                all.push(float(format, negative, bias + width, 0));
                all.push(float(format, negative, bias + width - 1, ones));
            }
        }
    }
    if format.has_integer_bit() {
        let integer_bit = 1u128 << (format.precision() - 1);
        for magnitude in [
            u128::from(bias) << 64 | 1 << 62,
            u128::from(bias) << 64,
            u128::from(top) << 64,
            u128::from(top) << 64 | 1 << 62 | 1,
            integer_bit,
            integer_bit | u128::from(u64::MAX),
        ] {
            all.extend([magnitude, magnitude | 1 << 79]);
        }
    }
    all
}

/// A float: often near one, near the ends of the range, or with a regular fraction.
pub fn random(format: FloatFormat, random: &mut Random) -> u128 {
    let (bias, precision) = (format.max_exponent() as u64, u64::from(format.precision()));
    let exponent = match random.below(8) {
        0 => random.next(),
        1 => 0,
        2 => 2 * bias + 1 - random.below(4),
        3 => random.below(4),
        _ => (bias + random.below(2 * precision)).wrapping_sub(precision),
    };
    let all = u128::from(random.next()) << 64 | u128::from(random.next());
    let at = random.below(precision);
    let fraction = match random.below(8) {
        0 => 0,
        1 => 1 << at,
        2 => u128::MAX,
        3 => u128::MAX << at,
        4 => (1 << at) - 1,
        _ => all,
    };
    float(format, random.below(2) == 0, exponent, fraction)
}

/// Three operands, the second one often the first but for its sign or last bit.
pub fn triple(format: FloatFormat, source: &mut Random) -> [u128; 3] {
    let a = random(format, source);
    let sign = 1 << (format.bits() - 1);
    let b = match source.below(8) {
        0 => a,
        1 => a ^ sign,
        2 => a ^ 1,
        3 => a ^ 1 ^ sign,
        _ => random(format, source),
    };
    [a, b, random(format, source)]
}

/// All pairs of special operands with some third one, then `count` random triples.
pub fn operands(format: FloatFormat, seed: u64, count: usize) -> Vec<[u128; 3]> {
    let mut source = Random::new(seed);
    let specials = specials(format);
    let mut all = Vec::new();
    for &a in &specials {
        for &b in &specials {
            let c = specials[source.below(specials.len() as u64) as usize];
            all.push([a, b, c]);
        }
    }
    all.extend((0..count).map(|_| triple(format, &mut source)));
    all
}

/// An integer of any magnitude.
#[allow(dead_code, reason = "not every test converts integers")]
pub fn integer(source: &mut Random) -> u128 {
    let n = (u128::from(source.next()) << 64 | u128::from(source.next())) >> source.below(128);
    if source.below(2) == 0 {
        n
    } else {
        n.wrapping_neg()
    }
}
