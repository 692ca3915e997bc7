//! Circuits of sums over bits: addition by columns (three bits of one weight become one of it and
//! one of the next), comparison with 0, and division by a constant.
//!
//! The sum of two vectors comes out as the ripple adder that `bvadd` is, gate by gate, so that the
//! graph sees that they are the same.

use super::sum::Sum;
use linear::Rational;
use solver::aig::Aig;
use solver::circuits::Bits;
use solver::sat::Lit;

/// Digits of all weights together; longer sums are left to the simplex.
const MAX_DIGITS: usize = 50_000;
/// Bits of a dividend whose divisor is no power of two.
const MAX_DIVIDEND: usize = 128;

/// The binary digits of a non-negative integer, lowest first.
fn binary(number: &Rational) -> Vec<bool> {
    let (_, limbs) = number.to_limbs().unwrap_or_default();
    let mut digits: Vec<bool> = limbs
        .iter()
        .flat_map(|limb| (0..64).map(move |i| limb >> i & 1 == 1))
        .collect();
    while digits.last() == Some(&false) {
        digits.pop();
    }
    digits
}

/// The exponent, if it is a power of two.
pub(super) fn logarithm(number: &Rational) -> Option<usize> {
    let digits = binary(number);
    let ones = digits.iter().filter(|&&d| d).count();
    (number.is_positive() && ones == 1).then(|| digits.len() - 1)
}

fn constant(number: &Rational, width: usize) -> Bits {
    let mut bits: Bits = binary(number).into_iter().map(Lit::from).collect();
    bits.resize(width, Lit::FALSE);
    bits
}

/// Is a circuit of the sum small enough?
pub(super) fn is_short(sum: &Sum) -> bool {
    let ones = |weight: &Rational| binary(weight).iter().filter(|&&d| d).count();
    let (_, weights) = sum.weights();
    weights.iter().map(|(_, w)| ones(w)).sum::<usize>() <= MAX_DIGITS
}

/// The low bits of `constant + Σ weight·[literal]`; nothing is negative.
fn add_up(aig: &mut Aig, weights: &[(Lit, Rational)], base: &Rational, width: usize) -> Bits {
    let mut columns: Vec<Bits> = vec![Bits::new(); width];
    let whole = [(Lit::TRUE, base.clone())];
    for (lit, weight) in weights.iter().chain(&whole) {
        for (column, digit) in columns.iter_mut().zip(binary(weight)) {
            if digit {
                column.push(*lit);
            }
        }
    }
    let mut total = Bits::with_capacity(width);
    for i in 0..width {
        let mut column = std::mem::take(&mut columns[i]);
        let mut done = 0;
        while let [a, b, rest @ ..] = &column[done..] {
            let c = rest.first().copied();
            let (sum, carry) = aig.full_add(*a, *b, c.unwrap_or(Lit::FALSE));
            done += 2 + c.is_some() as usize;
            column.push(sum);
            if carry != Lit::FALSE
                && let Some(next) = columns.get_mut(i + 1)
            {
                next.push(carry);
            }
        }
        total.push(column.get(done).copied().unwrap_or(Lit::FALSE));
    }
    total
}

fn most(weights: &[(Lit, Rational)]) -> Rational {
    let mut most = Rational::ZERO;
    weights.iter().for_each(|(_, w)| most += w);
    most
}

/// The low bits of a sum over bits, in two's complement.
pub(super) fn low_bits(aig: &mut Aig, sum: &Sum, width: usize) -> Bits {
    let (least, weights) = sum.weights();
    let modulus = Rational::power_of_two(width as u32);
    let rest = &least - &(&(&least / &modulus).floor() * &modulus);
    add_up(aig, &weights, &rest, width)
}

/// `sum <= 0` for a sum over bits.
pub(super) fn at_most_zero(aig: &mut Aig, sum: &Sum) -> Lit {
    compare(aig, sum, |aig, total, bound| aig.less(total, bound, true))
}

/// `sum = 0` for a sum over bits.
pub(super) fn equals_zero(aig: &mut Aig, sum: &Sum) -> Lit {
    let (least, weights) = sum.weights();
    if -&least > most(&weights) {
        Lit::FALSE
    } else {
        compare(aig, sum, Aig::equal)
    }
}

/// Compares `Σ weight·[literal]` with the number that makes the sum 0; more than all together is
/// never reached.
fn compare(aig: &mut Aig, sum: &Sum, by: fn(&mut Aig, &[Lit], &[Lit]) -> Lit) -> Lit {
    let (least, weights) = sum.weights();
    let (bound, most) = (-&least, most(&weights));
    if bound.is_negative() {
        return Lit::FALSE;
    }
    if bound > most {
        return Lit::TRUE;
    }
    let width = binary(&most).len();
    let total = add_up(aig, &weights, &Rational::ZERO, width);
    by(aig, &total, &constant(&bound, width))
}

/// Quotient (rounded down) and remainder of a sum over bits; `None` when the circuit is large.
pub(super) fn divide(aig: &mut Aig, sum: &Sum, divisor: &Rational) -> Option<(Sum, Sum)> {
    let (least, weights) = sum.weights();
    let below = (&least / divisor).floor();
    let start = &least - &(&below * divisor);
    let width = binary(&(&most(&weights) + &start)).len();
    let (quotient, rest) = match logarithm(divisor) {
        Some(exponent) => {
            let mut low = add_up(aig, &weights, &start, width);
            let high = low.split_off(exponent.min(width));
            (high, low)
        }
        None if width > MAX_DIVIDEND => return None,
        None => {
            let width = width.max(binary(divisor).len());
            let total = add_up(aig, &weights, &start, width);
            aig.div_rem(&total, &constant(divisor, width))
        }
    };
    let mut whole = Sum::number(&quotient);
    whole.affine.constant += &below;
    Some((whole, Sum::number(&rest)))
}

/// `if c then a else b` for sums over bits, as one number above the smaller of their least values.
pub(super) fn choose(aig: &mut Aig, c: Lit, a: &Sum, b: &Sum) -> Sum {
    let ((least_a, weights_a), (least_b, weights_b)) = (a.weights(), b.weights());
    let base = least_a.clone().min(least_b.clone());
    let (start_a, start_b) = (&least_a - &base, &least_b - &base);
    let top = (&most(&weights_a) + &start_a).max(&most(&weights_b) + &start_b);
    let width = binary(&top).len();
    let a = add_up(aig, &weights_a, &start_a, width);
    let b = add_up(aig, &weights_b, &start_b, width);
    let mut sum = Sum::number(&aig.choose(c, &a, &b));
    sum.affine.constant += &base;
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::aig::Gate;

    /// The value of a graph literal when inputs are given.
    fn value(aig: &Aig, lit: Lit, inputs: &[bool]) -> bool {
        let mut values: Vec<bool> = Vec::new();
        let mut next = inputs.iter();
        for node in 0..aig.len() as u32 {
            let at = |l: Lit| values[l.var() as usize] != l.is_negated();
            let v = match aig.gate(node) {
                Gate::True => true,
                Gate::Input => *next.next().expect("as many as there are inputs"),
                Gate::And(a, b) => at(a) && at(b),
                Gate::Xor(a, b) => at(a) != at(b),
                Gate::Mux(c, t, e) => at(if at(c) { t } else { e }),
            };
            values.push(v);
        }
        values[lit.var() as usize] != lit.is_negated()
    }

    fn number(aig: &Aig, sum: &Sum, inputs: &[bool]) -> i64 {
        let (least, weights) = sum.weights();
        let mut total = least.to_i64().expect("small");
        for (lit, weight) in weights {
            total += weight.to_i64().expect("small") * value(aig, lit, inputs) as i64;
        }
        total
    }

    #[test]
    fn circuits_are_the_arithmetic_of_all_assignments() {
        let sums: &[(i64, [i64; 4])] = &[
            (0, [1, 2, 4, 8]),
            (-3, [1, 2, 4, -8]),
            (5, [-1, -1, -1, -1]),
            (-7, [3, 5, 7, -6]),
            (2, [0, 0, 6, -3]),
        ];
        for (constant, factors) in sums {
            let mut aig = Aig::default();
            let inputs: Vec<Lit> = (0..4).map(|_| aig.input()).collect();
            let mut sum = Sum::constant(Rational::from(*constant));
            for (&lit, &factor) in inputs.iter().zip(factors) {
                sum.add_bit(lit, &Rational::from(factor));
            }
            let other = Sum::number(&inputs[1..3]);
            let chosen = choose(&mut aig, inputs[0], &sum, &other);
            let below = at_most_zero(&mut aig, &sum);
            let equal = equals_zero(&mut aig, &sum);
            let low = low_bits(&mut aig, &sum, 3);
            let divided: Vec<_> = [2, 3, 8, 50]
                .iter()
                .map(|&d| {
                    (
                        d,
                        divide(&mut aig, &sum, &Rational::from(d)).expect("small"),
                    )
                })
                .collect();
            for k in 0..16 {
                let inputs: Vec<bool> = (0..4).map(|i| k >> i & 1 == 1).collect();
                let expected = number(&aig, &sum, &inputs);
                assert_eq!(value(&aig, below, &inputs), expected <= 0);
                assert_eq!(value(&aig, equal, &inputs), expected == 0);
                let bit = |i: usize| (value(&aig, low[i], &inputs) as i64) << i;
                assert_eq!(bit(0) + bit(1) + bit(2), expected.rem_euclid(8));
                for (d, (quotient, rest)) in &divided {
                    assert_eq!(number(&aig, quotient, &inputs), expected.div_euclid(*d));
                    assert_eq!(number(&aig, rest, &inputs), expected.rem_euclid(*d));
                }
                let arm = if inputs[0] { expected } else { k >> 1 & 3 };
                assert_eq!(number(&aig, &chosen, &inputs), arm);
            }
        }
    }

    #[test]
    fn two_vectors_add_up_to_the_ripple_adder() {
        let mut aig = Aig::default();
        let a: Bits = (0..6).map(|_| aig.input()).collect();
        let b: Bits = (0..6).map(|_| aig.input()).collect();
        let adder = aig.add(&a, &b, Lit::FALSE);
        let mut sum = Sum::number(&a);
        sum.add_scaled(&Sum::number(&b), &Rational::ONE);
        assert_eq!(low_bits(&mut aig, &sum, 6), adder);
    }
}
