//! Trials of the smaller query as trials of the original one.
//!
//! A conjunct that a pass satisfies by construction would hold in each of them, and so never be the one that a trial
//! is the first to violate. Therefore the first trial is also shown with every symbol that went changed in turn, and
//! what depends on it as it then is (at most [`MAX_OPENED`]).

use solver::Model;
use solver::{Technique, Trials};
use term::{Pool, Scratch, Sort, Symbol, Tape, Term};

/// Symbols that are changed.
const MAX_OPENED: usize = 64;
/// Operations of all values together, which share none here; above that nothing is shown.
const MAX_OPERATIONS: usize = 1 << 20;

/// A symbol that went, and its value.
struct Step {
    symbol: Symbol,
    sort: Sort,
    value: Tape,
    /// The bit that is changed: the highest one that the value fixes, or else the lowest. Of an integer, what is added.
    bit: u64,
}

/// Lifts trials and hands them on.
pub(crate) struct Lifted<'a> {
    steps: Vec<Step>,
    scratch: Scratch,
    inner: &'a mut dyn Trials,
    is_wanted: bool,
    is_open: bool,
}

impl<'a> Lifted<'a> {
    /// For a receiver of the original query's trials. Arrays have no tape: with one among the symbols nothing is shown.
    pub fn new(pool: &Pool, gone: &[(Symbol, Term)], inner: &'a mut dyn Trials) -> Lifted<'a> {
        let mut steps = Vec::new();
        let mut is_wanted = inner.wanted();
        let mut operations = 0;
        for &(symbol, value) in gone.iter().rev() {
            let sort = pool.symbol_sort(symbol);
            is_wanted &= matches!(sort, Sort::BitVec(_) | Sort::Int);
            if !is_wanted {
                break;
            }
            let tape = Tape::compile(pool, &[value]);
            operations += tape.len();
            is_wanted = operations <= MAX_OPERATIONS;
            steps.push(Step {
                symbol,
                sort,
                value: tape,
                bit: bit(pool, value),
            });
        }
        Lifted {
            steps,
            scratch: Scratch::new(),
            inner,
            is_wanted,
            is_open: false,
        }
    }

    /// The assignment of the original symbols; the step `changed` gets another value than it should.
    fn lift(&mut self, a: &Model, changed: Option<usize>) -> Model {
        let mut model = a.clone();
        for (i, step) in self.steps.iter().enumerate() {
            step.value.run(&model, &mut self.scratch);
            let flip = if changed == Some(i) { step.bit } else { 0 };
            if step.sort == Sort::Int {
                let value = step.value.value_int(&self.scratch, 0) + flip;
                model.set_int(step.symbol, value);
            } else if matches!(step.sort, Sort::BitVec(0..=64)) {
                model.set(step.symbol, step.value.value(&self.scratch, 0) ^ flip);
            } else {
                let mut limbs = step.value.value_wide(&self.scratch, 0).to_vec();
                limbs[0] ^= flip;
                model.set_wide(step.symbol, &limbs);
            }
        }
        model
    }
}

/// A bit whose change violates what fixed it, if something did.
fn bit(pool: &Pool, value: Term) -> u64 {
    if !matches!(pool.sort(value), Sort::BitVec(0..=64)) {
        return 1;
    }
    let (zeros, ones) = pool.known_bits(value);
    (zeros | ones).checked_ilog2().map_or(1, |bit| 1 << bit)
}

impl Trials for Lifted<'_> {
    fn tried(&mut self, a: &Model, by: Technique) {
        if !self.is_wanted {
            return;
        }
        let model = self.lift(a, None);
        self.inner.tried(&model, by);
        if !std::mem::replace(&mut self.is_open, true) {
            for changed in 0..self.steps.len().min(MAX_OPENED) {
                let model = self.lift(a, Some(changed));
                self.inner.tried(&model, by);
            }
        }
    }

    fn wanted(&self) -> bool {
        self.is_wanted
    }
}
