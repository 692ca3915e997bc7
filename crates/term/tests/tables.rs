//! Truth and value tables against one evaluation for each byte.

use crate::common::{BINARY, O, Random, build, interesting};
use polypath_term::{Assignment, Evaluator, Pool, Sort, Symbol, Tape, Term};

fn check(pool: &mut Pool, t: Term, symbol: Symbol, evaluator: &mut Evaluator) {
    let values = Tape::value_table(pool, t, symbol);
    let zero = pool.bv(pool.width(t), 0);
    let condition = pool.ne(t, zero);
    let table = Tape::truth_table(pool, condition, symbol);
    let mut assignment = Assignment::new();
    for value in 0..256usize {
        assignment.set(symbol, value as u64);
        let expected = evaluator.eval(pool, t, &assignment);
        assert_eq!(values[value], expected, "{} at {value}", pool.display(t));
        let bit = table[value / 64] >> (value % 64) & 1 == 1;
        assert_eq!(bit, expected != 0, "{} at {value}", pool.display(condition));
    }
}

/// Random terms over one byte, of many widths, with table look-ups.
#[test]
fn tables_agree_with_evaluation() {
    let mut random = Random::new(7);
    let mut evaluator = Evaluator::new();
    for round in 0..40 {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("c", Sort::BitVec(if round % 8 == 7 { 5 } else { 8 }));
        let c = pool.symbol_term(symbol);
        let content: Vec<u8> = (0..300).map(|_| random.next() as u8).collect();
        let array = pool.array_bytes(&content);
        let mut terms = vec![c];
        for _ in 0..60 {
            let a = terms[random.index(terms.len())];
            let width = pool.width(a);
            let t = match random.index(14) {
                0 | 1 => {
                    let to = width.max([8, 16, 32, 64][random.index(4)]);
                    pool.zext(to, a)
                }
                2 => {
                    let to = width.max([8, 16, 32, 64][random.index(4)]);
                    pool.sext(to, a)
                }
                3 => {
                    let hi = random.index(width as usize) as u32;
                    let lo = random.index(hi as usize + 1) as u32;
                    pool.extract(hi, lo, a)
                }
                4 => {
                    let index = pool.zext(64, a);
                    pool.select(array, index)
                }
                5 => build(&mut pool, [O::Not, O::Neg][random.index(2)], &[a]),
                _ => {
                    let same = terms
                        .iter()
                        .copied()
                        .find(|&b| b != a && pool.width(b) == width);
                    let b = match same {
                        Some(b) if random.index(2) == 0 => b,
                        _ => {
                            let value = interesting(width, &mut random);
                            pool.bv_wide(width, &value)
                        }
                    };
                    if random.index(8) == 0 {
                        let zero = pool.bv(width, 0);
                        let test = pool.ult(zero, a);
                        pool.ite(test, b, a)
                    } else {
                        let op = BINARY[random.index(BINARY.len())];
                        build(&mut pool, op, &[a, b])
                    }
                }
            };
            check(&mut pool, t, symbol, &mut evaluator);
            terms.push(t);
        }
    }
}

/// What has no lanes: floats, stores, wide terms.
#[test]
fn slow_terms_have_tables_too() {
    let mut pool = Pool::new();
    let symbol = pool.new_symbol("c", Sort::BitVec(8));
    let c = pool.symbol_term(symbol);
    let mut evaluator = Evaluator::new();
    let float = pool.uint_to_fp(polypath_term::FloatFormat::DOUBLE, c);
    let root = pool.fsqrt(float);
    let back = pool.fp_to_uint(8, root);
    check(&mut pool, back, symbol, &mut evaluator);
    let wide = pool.sext(128, c);
    let square = pool.mul(wide, wide);
    let low = pool.extract(70, 60, square);
    check(&mut pool, low, symbol, &mut evaluator);
    let index = pool.zext(64, c);
    let array = pool.array_bytes(&[3, 1, 4, 1, 5, 9]);
    let five = pool.bv(64, 5);
    let mirrored = pool.sub(five, index);
    let stored = pool.store(array, mirrored, c);
    let read = pool.select(stored, index);
    check(&mut pool, read, symbol, &mut evaluator);
}
