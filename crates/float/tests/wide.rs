//! Formats of any width by the definition of rounding: the results of the two directed modes are neighbors with the
//! exact value between them, and the others take the right one of the two. Exact values are rational numbers.

use num_bigint::{BigInt, BigUint};
use polypath_float::pattern::apply_in;
use polypath_float::{FloatFormat, Operation, Reading, RoundingMode, to_rational};
use std::cmp::Ordering;
use testkit::Random;

/// A number as numerator and denominator.
type Ratio = (BigInt, BigInt);

fn value(format: FloatFormat, pattern: &BigUint) -> Ratio {
    let (p, q) = to_rational(format, pattern).expect("finite");
    (p, q.into())
}

fn order(a: &Ratio, b: &Ratio) -> Ordering {
    (&a.0 * &b.1).cmp(&(&b.0 * &a.1))
}

/// How an exact result lies to a number; of a square root, whose square is known, by squares.
fn against(op: Operation, args: &[Ratio], x: &Ratio) -> Ordering {
    let product = |a: &Ratio, b: &Ratio| (&a.0 * &b.0, &a.1 * &b.1);
    let sum = |a: &Ratio, b: &Ratio| (&a.0 * &b.1 + &b.0 * &a.1, &a.1 * &b.1);
    let exact = match op {
        Operation::Add => sum(&args[0], &args[1]),
        Operation::Multiply => product(&args[0], &args[1]),
        Operation::MultiplyAdd => sum(&product(&args[0], &args[1]), &args[2]),
        Operation::Divide => {
            let (p, q) = (&args[0].0 * &args[1].1, &args[0].1 * &args[1].0);
            if q < BigInt::ZERO { (-p, -q) } else { (p, q) }
        }
        Operation::SquareRoot => return order(&args[0], &product(x, x)),
        _ => unreachable!("{op:?} is not checked"),
    };
    order(&exact, x)
}

/// A number near one.
fn operand(format: FloatFormat, random: &mut Random, positive: bool) -> BigUint {
    let stored = format.stored_bits();
    let mut fraction = BigUint::ZERO;
    for _ in 0..=stored / 64 {
        fraction = (fraction << 64) | BigUint::from(random.next());
    }
    if random.below(3) == 0 {
        fraction = (fraction >> random.below(u64::from(stored))) << random.below(u64::from(stored));
    }
    let one = BigUint::from(1u32);
    fraction %= &one << (format.precision() - 1);
    if format.has_integer_bit() {
        fraction |= &one << (stored - 1);
    }
    let exponent = format.max_exponent() as u64 + random.below(40) - 20;
    let negative = !positive && random.below(2) == 0;
    BigUint::from(u8::from(negative)) << (format.bits() - 1)
        | BigUint::from(exponent) << stored
        | fraction
}

#[test]
fn results_are_the_neighbors_that_the_mode_asks_for() {
    let mut random = Random::new(1);
    let wide = |eb, sb| FloatFormat::new(eb, sb).unwrap();
    let formats = [
        wide(8, 11),
        FloatFormat::DOUBLE,
        FloatFormat::X87,
        FloatFormat::QUAD,
        wide(19, 237),
        wide(30, 1023),
        wide(9, 65),
    ];
    for format in formats {
        for op in [
            Operation::Add,
            Operation::Multiply,
            Operation::Divide,
            Operation::MultiplyAdd,
            Operation::SquareRoot,
        ] {
            for _ in 0..if format.bits() > 128 { 50 } else { 1000 } {
                let positive = op == Operation::SquareRoot;
                let args: Vec<BigUint> = (0..op.arity())
                    .map(|_| operand(format, &mut random, positive))
                    .collect();
                let values: Vec<Ratio> = args.iter().map(|arg| value(format, arg)).collect();
                let [even, away, up, down, zero] = RoundingMode::ALL.map(|mode| {
                    let pattern = apply_in(op, format, Reading::SmtLib, mode, &args).0;
                    value(format, &pattern)
                });
                let context = || format!("{format:?} {op:?} {args:x?}");
                assert_ne!(against(op, &values, &down), Ordering::Less, "{}", context());
                assert_ne!(
                    against(op, &values, &up),
                    Ordering::Greater,
                    "{}",
                    context()
                );
                if against(op, &values, &down) == Ordering::Equal {
                    assert!([&even, &away, &up, &zero].iter().all(|x| **x == down));
                    continue;
                }
                let middle = (&down.0 * &up.1 + &up.0 * &down.1, 2 * &down.1 * &up.1);
                let negative = middle.0 < BigInt::ZERO;
                assert_eq!(zero, if negative { up.clone() } else { down.clone() });
                match against(op, &values, &middle) {
                    Ordering::Less => assert_eq!((&even, &away), (&down, &down), "{}", context()),
                    Ordering::Greater => assert_eq!((&even, &away), (&up, &up), "{}", context()),
                    Ordering::Equal => assert_eq!(&away, if negative { &down } else { &up }),
                }
                // Neighbors: no number of the precision lies between, so their distance is one unit in the last place.
                let distance = (&up.0 * &down.1 - &down.0 * &up.1, &up.1 * &down.1);
                let magnitude = |x: &Ratio| (BigInt::from(x.0.magnitude().clone()), x.1.clone());
                let small = if negative {
                    magnitude(&up)
                } else {
                    magnitude(&down)
                };
                let unit = (small.0.clone(), small.1.clone() << (format.precision() - 1));
                assert_ne!(order(&distance, &unit), Ordering::Greater, "{}", context());
            }
        }
    }
}
