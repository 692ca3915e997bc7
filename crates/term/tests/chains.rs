//! Truth tables along a path whose terms grow at their root.

use polypath_term::{Assignment, Evaluator, Pool, Sort, Tape, Term};

fn step(pool: &mut Pool, x: Term, k: u64) -> Term {
    let (one, three) = (pool.bv(32, 1), pool.bv(32, 3));
    let triple = pool.mul(three, x);
    let up = pool.add(triple, one);
    let down = pool.lshr(x, one);
    let mixed = pool.bv(32, 0x9e37_79b9 ^ k);
    let odd = pool.extract(0, 0, x);
    let next = pool.ite(odd, up, down);
    pool.xor(next, mixed)
}

/// Each table is right, also when pools change and terms are renumbered, and a long chain takes linear work: its
/// conditions took minutes when each one's whole cone was computed anew.
#[test]
fn a_growing_chain_takes_linear_work() {
    for length in [300, 25_000] {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("x", Sort::BitVec(8));
        let byte = pool.symbol_term(symbol);
        let mut x = pool.zext(32, byte);
        let mut evaluator = Evaluator::new();
        let mut limit = pool.bv(32, 0x8000_0000);
        for k in 0..length {
            x = step(&mut pool, x, k);
            // The second time the cone is too large for lanes.
            if k == 500 || k == 24_000 {
                pool.collect(&mut |visit| {
                    visit(&mut x);
                    visit(&mut limit);
                });
            }
            let cond = pool.ult(x, limit);
            let table = Tape::truth_table(&pool, cond, symbol);
            if k < 300 || k % 4999 == 0 || k + 1 == length {
                let mut assignment = Assignment::new();
                for value in [0u64, 1, 27, 128, 255] {
                    assignment.set(symbol, value);
                    let expected = evaluator.eval(&pool, cond, &assignment);
                    let bit = table[value as usize / 64] >> (value % 64) & 1;
                    assert_eq!(bit, expected, "step {k}, value {value}");
                }
            }
        }
    }
}
