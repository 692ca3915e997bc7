//! Operands: all special values, and random ones that meet each other.

use ir::FloatFormat;

/// Bits of the exponent and of what is stored below the leading one.
fn fields(format: FloatFormat) -> (u32, u32) {
    match format {
        FloatFormat::SINGLE => (8, 23),
        FloatFormat::DOUBLE => (11, 52),
        _ => (15, 63),
    }
}

/// From sign, exponent field and fraction.
pub fn float(format: FloatFormat, negative: bool, exponent: u64, fraction: u64) -> u128 {
    let (e, f) = fields(format);
    let exponent = u128::from(exponent & ((1 << e) - 1));
    let fraction = u128::from(fraction) & ((1 << f) - 1);
    let sign = u128::from(negative);
    if format == FloatFormat::X87 {
        let one = u128::from(exponent != 0) << 63;
        return sign << 79 | exponent << 64 | one | fraction;
    }
    sign << (e + f) | exponent << f | fraction
}

/// Zero, the smallest and largest subnormal and normal numbers, one and its neighbours, powers around the
/// precision and the widths of integers, halves, infinity, quiet and signalling NaNs; both signs.
pub fn specials(format: FloatFormat) -> Vec<u128> {
    let (e, f) = fields(format);
    let (max, bias, ones) = ((1u64 << e) - 1, (1u64 << (e - 1)) - 1, (1u64 << f) - 1);
    let f = u64::from(f);
    let half = 1u64 << (f - 1);
    let mut pairs = vec![
        (0, 0),
        (0, 1),
        (0, half),
        (0, ones),
        (1, 0),
        (1, 1),
        (1, ones),
        (2, 0),
        (max - 1, 0),
        (max - 1, ones),
        (max - 1, ones - 1),
        (max, 0),
        (max, 1),
        (max, half),
        (max, half | 5),
        (max, ones),
        (max, half - 1),
        (bias, 0),
        (bias, 1),
        (bias, ones),
        (bias, half),
        (bias - 1, 0),
        (bias - 1, 1),
        (bias - 1, ones),
        (bias - 2, ones),
        (bias + 1, 0),
        (bias + 1, half),
        (bias + 1, half >> 1),
        (bias + f - 1, 1),
        (bias + f, 1),
        (bias + f + 1, 1),
        (bias - f, 0),
        (bias - f - 1, 0),
        (bias - f - 1, 1),
        (bias - f - 2, ones),
    ];
    for w in [7, 8, 15, 16, 31, 32, 63, 64] {
        pairs.extend([(bias + w, 0), (bias + w - 1, ones), (bias + w, 1)]);
    }
    let signs = [false, true];
    pairs
        .iter()
        .flat_map(|&(e, m)| signs.map(|s| float(format, s, e, m)))
        .collect()
}

/// What only x87 can encode: without a leading one where there should be one, and with one where not.
pub fn strange_x87() -> Vec<u128> {
    let mut all = Vec::new();
    for (exponent, significand) in [
        (0x3fffu128, 0x4000_0000_0000_0000u128),
        (0x3fff, 0),
        (0x7fff, 0),
        (0x7fff, 0x4000_0000_0000_0001),
        (0, 0x8000_0000_0000_0000),
        (0, 0xffff_ffff_ffff_ffff),
    ] {
        all.push(exponent << 64 | significand);
        all.push((exponent | 0x8000) << 64 | significand);
    }
    all
}

/// Random operands.
pub struct Random(testkit::Random);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(testkit::Random::new(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.next()
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    /// An integer of any magnitude.
    pub fn integer(&mut self) -> u64 {
        let n = self.next() >> self.below(64);
        if self.below(2) == 0 {
            n
        } else {
            n.wrapping_neg()
        }
    }

    /// A float: often near one, near the ends of the range, or with a regular fraction.
    pub fn float(&mut self, format: FloatFormat) -> u128 {
        let (e, f) = fields(format);
        let (max, bias) = ((1u64 << e) - 1, (1u64 << (e - 1)) - 1);
        let exponent = match self.below(8) {
            0 => self.next(),
            1 => 0,
            2 => max - self.below(4),
            3 => self.below(4),
            _ => bias + self.below(2 * u64::from(f)) - u64::from(f),
        };
        let fraction = match self.below(8) {
            0 => 0,
            1 => 1 << self.below(64),
            2 => u64::MAX,
            3 => u64::MAX << self.below(64),
            4 => (1 << self.below(64)) - 1,
            _ => self.next(),
        };
        float(format, self.below(2) == 0, exponent, fraction)
    }

    /// Two operands: often equal but for the sign or the last bit, or with products that cancel.
    pub fn pair(&mut self, format: FloatFormat) -> [u128; 2] {
        let a = self.float(format);
        let b = match self.below(8) {
            0 => a,
            1 => a ^ 1 << (format.bits() - 1),
            2 => a ^ 1,
            3 => a ^ 1 ^ 1 << (format.bits() - 1),
            _ => self.float(format),
        };
        [a, b]
    }
}
