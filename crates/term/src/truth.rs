//! Truth tables of conditions over one byte.

use crate::assignment::Assignment;
use crate::node::{Symbol, Term};
use crate::pool::Pool;
use crate::tape::{Scratch, Tape};

impl Tape {
    /// The values of `condition`, of width 1, for all 256 values of its only free symbol `symbol`:
    /// bit v of the result (bit v % 64 of word v / 64) is its value when the symbol is v.
    pub fn truth_table(pool: &Pool, condition: Term, symbol: Symbol) -> [u64; 4] {
        debug_assert_eq!(pool.width(condition), 1);
        let tape = Tape::compile(pool, &[condition]);
        let (mut scratch, mut assignment) = (Scratch::new(), Assignment::new());
        let mut table = [0; 4];
        for value in 0..256 {
            assignment.set(symbol, value);
            tape.run(&assignment, &mut scratch);
            table[value as usize / 64] |= tape.value(&scratch, 0) << (value % 64);
        }
        table
    }
}
