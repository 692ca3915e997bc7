//! Conditions decided by fuzzing, as JFS does (Liew, Cadar, Donaldson, Stinnett: "Just fuzz it", FSE 2019): the query is a program
//! that reads an input, leaves at the first condition that is false, and has found a solution where it reaches its end.
//! Inputs that cover something new are kept and mutated. Instead of a compiled program there is a tape ([`program`]), which
//! runs several inputs at a time; an input is a list of numbers ([`crate::numbers`]).
//!
//! Fuzzing never says that there is no solution. All its choices come from a seed, and it is limited by a count.

mod corpus;
mod layer;
mod mutate;
mod program;
#[cfg(test)]
mod tests;

pub(super) use layer::Fuzz;

use crate::model::Model;
use corpus::Corpus;
use fastrand::Rng;
use linear::Deadline;
use mutate::Mutator;
use program::CompiledQuery;
use term::{LANES, Pool, Term};

/// The deadline is looked at whenever 2^LOOK operations were evaluated.
const LOOK: u32 = 16;

/// One search.
pub(crate) struct Fuzzer {
    program: CompiledQuery,
    mutator: Mutator,
    corpus: Corpus,
    rng: Rng,
    /// Operations that may still be evaluated.
    ticks: u64,
    deadline: Option<Deadline>,
    /// Inputs of the next run.
    inputs: [Vec<u128>; LANES],
    /// By condition: has an input that violates it first been shown?
    shown: Vec<bool>,
    /// Inputs that were run.
    pub executions: u64,
}

impl Fuzzer {
    /// A search over the assignments of these conditions that may evaluate `ticks` operations and has a deadline.
    /// `witness` is one of the first inputs, and gives values to symbols that are no numbers.
    pub fn new(
        pool: &Pool,
        conditions: &[Term],
        witness: &Model,
        seed: u64,
        ticks: u64,
        deadline: Option<Deadline>,
    ) -> Fuzzer {
        let program = CompiledQuery::new(pool, conditions, witness);
        let mutator = Mutator::new(pool, conditions, &program.variables);
        Fuzzer {
            corpus: Corpus::default(),
            rng: Rng::with_seed(seed),
            ticks,
            deadline,
            inputs: std::array::from_fn(|_| vec![0; program.variables.len()]),
            shown: vec![false; program.conditions()],
            executions: 0,
            program,
            mutator,
        }
    }

    /// Is there anything to mutate?
    pub fn can_move(&self) -> bool {
        !self.program.variables.is_empty()
    }

    /// Fuzzes until a solution is found or the limits are reached. `violates` is shown the first input for each condition
    /// that is the first one violated by it.
    pub fn run(&mut self, violates: &mut dyn FnMut(&Model)) -> Option<Model> {
        let mut seeds = self.mutator.seeds(self.program.witness());
        while let Some(input) = seeds.next() {
            self.inputs[0].copy_from_slice(&input);
            for lane in 1..LANES {
                match seeds.next() {
                    Some(input) => self.inputs[lane].copy_from_slice(&input),
                    None => self.inputs[lane].copy_from_slice(&input),
                }
            }
            if let Some(model) = self.execute(violates) {
                return Some(model);
            }
        }
        while self.ticks > 0 && self.can_move() {
            for input in &mut self.inputs {
                let other = self.corpus.choose(&mut self.rng);
                input.copy_from_slice(self.corpus.choose(&mut self.rng));
                self.mutator.mutate(input, other, &mut self.rng);
            }
            if let Some(model) = self.execute(violates) {
                return Some(model);
            }
        }
        None
    }

    /// Runs the inputs; keeps those that cover something new.
    fn execute(&mut self, violates: &mut dyn FnMut(&Model)) -> Option<Model> {
        let before = self.ticks;
        let run = self.program.run(&self.inputs);
        self.executions += LANES as u64;
        self.ticks = self.ticks.saturating_sub(run.cost);
        if before >> LOOK != self.ticks >> LOOK && self.deadline.is_some_and(|end| end.is_past()) {
            self.ticks = 0;
        }
        for (lane, input) in self.inputs.iter().enumerate() {
            let passed = run.passed[lane];
            if passed == self.shown.len() {
                return Some(self.program.model(input));
            }
            if !std::mem::replace(&mut self.shown[passed], true) {
                violates(&self.program.model(input));
            }
            if run.is_new[lane] {
                self.corpus.add(input, passed, &mut self.rng);
            }
        }
        None
    }
}
