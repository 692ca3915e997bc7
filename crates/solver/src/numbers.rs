//! The inputs of conditions as numbers.
//!
//! The machine's symbols are bytes; a program's variables are concatenations of them. Bytes that conditions read as
//! one float or one integer are one number for the methods that guess ([`crate::numeric`], [`crate::fuzz`]).

use crate::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{FloatFormat, Op, Pool, Sort, Symbol, Term};

/// The widest variable, in bits.
const MAX_WIDTH: u32 = 128;

/// An input that moves as one number.
pub(crate) struct Variable {
    /// The bits: a symbol, or a concatenation of symbols.
    pub term: Term,
    /// The symbols that it is made of, the most significant first, with their widths.
    parts: Vec<(Symbol, u32)>,
    pub width: u32,
    /// The format of a float, whose patterns are ordered by value; `None` for an integer.
    pub format: Option<FloatFormat>,
}

impl Variable {
    fn new(pool: &Pool, term: Term, parts: &[Symbol], format: Option<FloatFormat>) -> Variable {
        let width = |&symbol: &Symbol| (symbol, pool.symbol_sort(symbol).bits());
        let parts: Vec<(Symbol, u32)> = parts.iter().map(width).collect();
        Variable {
            term,
            width: parts.iter().map(|(_, width)| width).sum(),
            parts,
            format,
        }
    }

    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    fn sign(&self) -> u128 {
        1 << (self.width - 1)
    }

    /// The bits under an assignment.
    pub fn read(&self, model: &Model) -> u128 {
        let mut bits = 0;
        for &(symbol, width) in &self.parts {
            let value = match width {
                0..=64 => u128::from(model.get(symbol)),
                _ => u128::from(model.limb(symbol, 0)) | u128::from(model.limb(symbol, 1)) << 64,
            };
            bits = if width == 128 {
                value
            } else {
                bits << width | value
            };
        }
        bits
    }

    /// Gives the bits to an assignment.
    pub fn write(&self, bits: u128, model: &mut Model) {
        let mut rest = bits;
        for &(symbol, width) in self.parts.iter().rev() {
            let value = rest & (u128::MAX >> (128 - width));
            if width <= 64 {
                if model.get(symbol) != value as u64 {
                    model.set(symbol, value as u64);
                }
            } else {
                model.set_wide(symbol, &[value as u64, (value >> 64) as u64]);
            }
            rest = rest.checked_shr(width).unwrap_or(0);
        }
    }

    /// The bits `steps` further in the order of values, wrapped around at its ends. Floats are ordered from the NaNs with sign to
    /// those without, integers as bit patterns.
    pub fn moved(&self, bits: u128, steps: i128) -> u128 {
        let turn = |bits: u128| match self.format {
            // An involution: the larger magnitude of the negative numbers is the smaller number.
            Some(_) if bits & self.sign() != 0 => bits ^ (self.mask() >> 1),
            _ => bits,
        };
        turn(turn(bits).wrapping_add(steps as u128) & self.mask())
    }
}

/// The variables of conditions. Floats are found first, then other concatenations of whole symbols, and the other
/// symbols are variables one by one. Arrays and integers of SMT-LIB are no variables.
pub(crate) fn variables(pool: &Pool, conditions: &[Term]) -> Vec<Variable> {
    let cone = pool.cone(conditions);
    let mut found = Vec::new();
    let mut taken: FxHashSet<Symbol> = FxHashSet::default();
    let mut parts: FxHashMap<Term, Option<Vec<Symbol>>> = FxHashMap::default();
    for &t in &cone {
        let whole = match pool.op(t) {
            Op::Symbol => pool.single_symbol(t).map(|symbol| vec![symbol]),
            Op::Concat => {
                let of = |k: usize| parts.get(&pool.child(t, k)).and_then(Option::as_ref);
                match (of(0), of(1)) {
                    (Some(high), Some(low)) => Some([&high[..], &low[..]].concat()),
                    _ => None,
                }
            }
            _ => continue,
        };
        let is_number = matches!(pool.sort(t), Sort::BitVec(width) if width <= MAX_WIDTH);
        parts.insert(t, whole.filter(|_| is_number));
    }
    let mut take = |term, symbols: &[Symbol], format| {
        let mut own = FxHashSet::default();
        // Wide symbols move alone.
        let is_wide = |s: &Symbol| pool.symbol_sort(*s).bits() > 64;
        if symbols.len() > 1 && symbols.iter().any(is_wide) {
            return;
        }
        if symbols.iter().all(|s| own.insert(*s) && !taken.contains(s)) {
            taken.extend(symbols);
            found.push(Variable::new(pool, term, symbols, format));
        }
    };
    for &t in &cone {
        if pool.op(t) == Op::FpFromBits
            && let bits = pool.child(t, 0)
            && let Some(Some(symbols)) = parts.get(&bits)
        {
            take(bits, symbols, Some(pool.float_format(t)));
        }
    }
    // Large ones come after their parts.
    for &t in cone.iter().rev() {
        if pool.op(t) == Op::Concat
            && let Some(Some(symbols)) = parts.get(&t)
        {
            take(t, symbols, None);
        }
    }
    for t in cone {
        if let Some(Some(symbols)) = parts.get(&t)
            && pool.op(t) == Op::Symbol
        {
            take(t, symbols, None);
        }
    }
    found
}

/// Bit patterns of the constants of conditions, by width: values that are worth a try.
pub(crate) fn constants(pool: &Pool, conditions: &[Term]) -> Vec<(u32, u128)> {
    let mut found = Vec::new();
    for t in pool.cone(conditions) {
        let is_constant = matches!(pool.op(t), Op::Const | Op::ConstWide);
        if is_constant && (8..=MAX_WIDTH).contains(&pool.width(t)) {
            let limbs = pool.const_limbs(t);
            let high = limbs.get(1).copied().unwrap_or(0);
            found.push((pool.width(t), u128::from(limbs[0]) | u128::from(high) << 64));
        }
    }
    found
}

/// The pattern of infinity, without its sign.
pub(crate) fn infinity(format: FloatFormat) -> u128 {
    let ones = (1 << format.exponent_bits()) - 1;
    ones << stored_bits(format) | integer_bit(format)
}

/// Patterns without sign that algorithms treat apart: zero, the smallest numbers, one, the largest, infinity, NaN.
pub(crate) fn specials(format: FloatFormat) -> [u128; 7] {
    let (stored, infinity) = (stored_bits(format), infinity(format));
    let bias = (1 << (format.exponent_bits() - 1)) - 1;
    [
        0,
        1,
        1 << stored | integer_bit(format),
        bias << stored | integer_bit(format),
        infinity - 1,
        infinity,
        infinity | 1 << (format.precision() - 2),
    ]
}

/// Bits below the exponent.
pub(crate) fn stored_bits(format: FloatFormat) -> u32 {
    format.bits() - 1 - format.exponent_bits()
}

fn integer_bit(format: FloatFormat) -> u128 {
    u128::from(format.has_integer_bit()) << (stored_bits(format) - 1)
}
