//! Mutations of inputs: as floats (units in the last place, exponent, sign, special numbers), as integers and bytes,
//! by the query's constants, and by parts of other inputs.

use crate::numbers::{Variable, constants, specials, stored_bits};
use fastrand::Rng;
use term::{Pool, Term};

/// One number of an input.
struct Field {
    width: u32,
    /// The bits of a float below the exponent.
    stored: Option<u32>,
    /// Special numbers and constants.
    known: Vec<u128>,
}

/// Changes inputs of one program.
pub(super) struct Mutator {
    fields: Vec<Field>,
}

impl Mutator {
    pub fn new(pool: &Pool, conditions: &[Term], variables: &[Variable]) -> Mutator {
        let constants = constants(pool, conditions);
        let field = |variable: &Variable| {
            let width = variable.width;
            let sign = 1 << (width - 1);
            let mut known: Vec<u128> = match variable.format {
                Some(format) => {
                    let both = specials(format).map(|magnitude| [magnitude, magnitude | sign]);
                    both.concat()
                }
                None => vec![0, 1, sign, sign - 1, u128::MAX >> (128 - width)],
            };
            known.extend(
                constants
                    .iter()
                    .filter(|(w, _)| *w == width)
                    .map(|&(_, c)| c),
            );
            Field {
                width,
                stored: variable.format.map(stored_bits),
                known,
            }
        };
        Mutator {
            fields: variables.iter().map(field).collect(),
        }
    }

    /// The first inputs: the witness, and (as in JFS) all numbers 0, all bits set, or all the same special number or constant.
    pub fn seeds(&self, witness: Vec<u128>) -> impl Iterator<Item = Vec<u128>> + use<> {
        let mut seeds = vec![witness];
        seeds.push(vec![0; self.fields.len()]);
        let ones = self.fields.iter().map(|f| u128::MAX >> (128 - f.width));
        seeds.push(ones.collect());
        let most = self.fields.iter().map(|f| f.known.len()).max().unwrap_or(0);
        for k in 0..most {
            let same = self.fields.iter().map(|f| f.known[k % f.known.len()]);
            seeds.push(same.collect());
        }
        seeds.into_iter()
    }

    /// Changes an input in one place, or in a few; `other` is one to take parts from.
    #[inline]
    pub fn mutate(&self, input: &mut [u128], other: &[u128], rng: &mut Rng) {
        loop {
            let random = rng.u64(..);
            let place = (((random & 0xffff_ffff) * self.fields.len() as u64) >> 32) as usize;
            let field = &self.fields[place];
            let next = rng.u64(..);
            input[place] = field.mutate(input[place], other[place], random >> 34, next);
            if random >> 32 & 3 != 0 {
                return;
            }
        }
    }
}

impl Field {
    /// The field with other bits; `choice` and `random` are random numbers.
    #[inline]
    fn mutate(&self, bits: u128, other: u128, choice: u64, random: u64) -> u128 {
        let top = self.width - 1;
        let below = |n: u32| (((random & 0xffff_ffff) * u64::from(n)) >> 32) as u32;
        let turn = 1u128 << below(self.width);
        let by = u128::from(random >> 32 & 0xf) + 1;
        let mask = u128::MAX >> (128 - self.width);
        let result = match (choice & 15, self.stored) {
            // Units in the last place; a power of two of them.
            (0 | 1, _) => bits.wrapping_add(by),
            (2 | 3, _) => bits.wrapping_sub(by),
            (4, _) => bits.wrapping_add(turn),
            (5, _) => bits.wrapping_sub(turn),
            (6, _) => bits ^ turn,
            (7, _) => {
                let byte = below(self.width.div_ceil(8)) * 8;
                bits & !(0xff << byte) | u128::from(random >> 56) << byte
            }
            (8 | 9, _) => self.known[below(self.known.len() as u32) as usize],
            (10, _) => other,
            (11, Some(_)) => bits ^ 1 << top,
            (12, Some(stored)) => {
                let step = by << stored;
                let up = random >> 40 & 1 != 0;
                if up {
                    bits.wrapping_add(step)
                } else {
                    bits.wrapping_sub(step)
                }
            }
            // A number of a few digits.
            (13, Some(stored)) => {
                let kept = stored.saturating_sub(random as u32 >> 3 & 15);
                bits >> kept << kept
            }
            (14, Some(stored)) => {
                bits & !((1 << stored) - 1) | u128::from(random) & ((1 << stored) - 1)
            }
            (11 | 12, None) => u128::from(random >> below(64)),
            (13, None) => bits.wrapping_neg(),
            (14, None) => bits << 1 | bits >> top,
            _ => u128::from(random) | u128::from(random.rotate_left(31)) << 64,
        };
        result & mask
    }
}
