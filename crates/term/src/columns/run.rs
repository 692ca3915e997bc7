//! The loops of [`super::Columns`], for each type of lane.

use super::{ColumnStep, KnownColumn, KnownColumns, POINTS};
use crate::eval::content_at;
use crate::node::{Op, Term};
use crate::pool::Pool;
use crate::semantics::mask;

macro_rules! lanes {
    ($run:ident, $lane:ty, $signed:ty) => {
        /// Computes all steps in lanes of this type.
        pub fn $run(
            pool: &Pool,
            steps: &[ColumnStep],
            known: &impl KnownColumns,
            lanes: &mut Vec<[$lane; POINTS]>,
        ) {
            const BITS: u32 = <$lane>::BITS;
            if lanes.len() < steps.len() {
                lanes.resize(steps.len(), [0; POINTS]);
            }
            for (k, step) in steps.iter().enumerate() {
                let (before, rest) = lanes.split_at_mut(k);
                let out = &mut rest[0];
                // A width beyond the lane's is as good as the lane's, see the head.
                let width = step.width.min(BITS);
                let all = mask(width) as $lane;
                let aux = step.aux;
                macro_rules! unary {
                    (|$x:ident| $body:expr) => {{
                        let a = &before[step.a as usize];
                        for k in 0..POINTS {
                            let $x = a[k];
                            out[k] = $body;
                        }
                    }};
                }
                macro_rules! binary {
                    (|$x:ident, $y:ident| $body:expr) => {{
                        let (a, b) = (&before[step.a as usize], &before[step.b as usize]);
                        for k in 0..POINTS {
                            let ($x, $y) = (a[k], b[k]);
                            out[k] = $body;
                        }
                    }};
                }
                let extend = |x: $lane, from: u32| -> $signed {
                    let shift = BITS.saturating_sub(from);
                    ((x << shift) as $signed) >> shift
                };
                // Is a value of this width signed within the lane?
                let fits = |from: u32| from <= BITS;
                match step.op {
                    Op::None => match known.column(pool, Term(step.aux)) {
                        KnownColumn::Short(values) => {
                            for k in 0..POINTS {
                                out[k] = values[k] as $lane;
                            }
                        }
                        KnownColumn::Long(values) => {
                            for k in 0..POINTS {
                                out[k] = values[k] as $lane;
                            }
                        }
                    },
                    Op::Const => out.fill(step.value as $lane),
                    Op::Symbol => {
                        for k in 0..POINTS {
                            out[k] = k as $lane & mask(step.width) as $lane;
                        }
                    }
                    Op::Select => {
                        let content = pool.array_content(Term(step.a));
                        let index = &before[step.b as usize];
                        for k in 0..POINTS {
                            out[k] = content_at(content, index[k] as u64) as $lane;
                        }
                    }
                    Op::Not => unary!(|x| !x & all),
                    Op::Neg => unary!(|x| x.wrapping_neg() & all),
                    Op::Add => binary!(|x, y| x.wrapping_add(y) & all),
                    Op::Sub => binary!(|x, y| x.wrapping_sub(y) & all),
                    Op::Mul => binary!(|x, y| x.wrapping_mul(y) & all),
                    Op::Udiv => binary!(|x, y| x.checked_div(y).unwrap_or(all)),
                    Op::Urem => binary!(|x, y| x.checked_rem(y).unwrap_or(x)),
                    Op::Sdiv if fits(step.width) => binary!(|x, y| {
                        let (x, y) = (extend(x, width), extend(y, width));
                        let quotient = match y {
                            0 if x < 0 => 1,
                            0 => -1,
                            _ => x.wrapping_div(y),
                        };
                        quotient as $lane & all
                    }),
                    Op::Sdiv => binary!(|x, y| x.checked_div(y).unwrap_or(all)),
                    Op::Srem if fits(step.width) => binary!(|x, y| {
                        let (x, y) = (extend(x, width), extend(y, width));
                        (if y == 0 { x } else { x.wrapping_rem(y) }) as $lane & all
                    }),
                    Op::Srem => binary!(|x, y| x.checked_rem(y).unwrap_or(x)),
                    Op::Shl => binary!(|x, y| {
                        if (y as u64) < width as u64 {
                            x << y & all
                        } else {
                            0
                        }
                    }),
                    Op::Lshr => binary!(|x, y| if (y as u64) < width as u64 { x >> y } else { 0 }),
                    Op::Ashr if fits(step.width) => binary!(|x, y| {
                        let amount = (y as u64).min(width as u64 - 1) as u32;
                        (extend(x, width) >> amount) as $lane & all
                    }),
                    Op::Ashr => binary!(|x, y| if (y as u64) < width as u64 { x >> y } else { 0 }),
                    Op::And => binary!(|x, y| x & y),
                    Op::Or => binary!(|x, y| x | y),
                    Op::Xor => binary!(|x, y| x ^ y),
                    // Beyond the lane the high part is 0.
                    Op::Concat if aux >= BITS => binary!(|_x, y| y),
                    Op::Concat => binary!(|x, y| x << aux | y),
                    Op::Extract if aux >= BITS => out.fill(0),
                    Op::Extract => unary!(|x| x >> aux & all),
                    Op::Zext => unary!(|x| x),
                    Op::Sext if fits(aux) => unary!(|x| extend(x, aux) as $lane & all),
                    Op::Sext => unary!(|x| x),
                    Op::Eq => binary!(|x, y| (x == y) as $lane),
                    Op::Ult => binary!(|x, y| (x < y) as $lane),
                    Op::Slt if fits(aux) => {
                        let flip = 1 << (aux - 1);
                        binary!(|x, y| (x ^ flip < y ^ flip) as $lane)
                    }
                    Op::Slt => binary!(|x, y| (x < y) as $lane),
                    Op::Ite => {
                        let (a, b) = (&before[step.a as usize], &before[step.b as usize]);
                        let c = &before[step.c as usize];
                        for k in 0..POINTS {
                            let chosen = (a[k] as $lane).wrapping_neg();
                            out[k] = b[k] & chosen | c[k] & !chosen;
                        }
                    }
                    op => unreachable!("{op:?} has no lanes"),
                }
            }
        }
    };
}

lanes!(bytes, u8, i8);
lanes!(halves, u16, i16);
lanes!(words, u32, i32);
lanes!(longs, u64, i64);
