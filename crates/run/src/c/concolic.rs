//! `polypath run --mode concolic`: its options, and its first inputs.

use super::seeds::{self, Seeds};
use crate::plan::Plan;
use dse::{Input, PartialOptions};
use exec::{Concolic, Machine, RunLimits, State, Subject};
use search::Strategy;

/// The options of a concolic exploration.
pub struct Begin {
    strategy: Box<dyn Strategy>,
    partial: PartialOptions,
    /// The inputs to begin with.
    pub seeds: Seeds,
}

impl Begin {
    /// Reads the seeds that the plan names.
    ///
    /// # Errors
    /// They cannot be read, or the plan has unknown names.
    pub fn new(plan: &Plan) -> anyhow::Result<Begin> {
        Ok(Begin {
            strategy: plan.strategy(plan.search.seed)?,
            partial: plan.partial_options()?,
            seeds: Seeds::of(plan)?,
        })
    }

    /// The exploration of a program from the inputs on that the plan begins with.
    pub fn begin(
        self,
        machine: Machine,
        first: impl IntoIterator<Item = Box<State>>,
        limits: RunLimits,
    ) -> Concolic {
        let mut subject = Subject::new(machine, first, limits);
        let seeds = inputs(&mut subject, self.seeds);
        let options = subject.explorer_options(self.partial);
        Concolic::new(subject, self.strategy, options).from_inputs(seeds)
    }

    /// All that there is to explore, as bytes.
    pub fn first_prefixes(
        self,
        machine: Machine,
        first: impl IntoIterator<Item = Box<State>>,
    ) -> Vec<Vec<u8>> {
        let mut subject = Subject::new(machine, first, RunLimits::default());
        let seeds = inputs(&mut subject, self.seeds);
        dse::first_prefixes(&subject, seeds)
    }
}

fn inputs(subject: &mut Subject, seeds: Seeds) -> Vec<Input> {
    let mut inputs = Vec::new();
    for (name, parts) in seeds.into_parts() {
        match subject.seed(&parts) {
            Some(input) => inputs.push(input),
            None => seeds::left_out(&name),
        }
    }
    inputs
}
