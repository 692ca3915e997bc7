//! The machine as a [`Program`] of crate `dse`: everything but the runs themselves.

use super::subject::ObservedSubject;
use super::{PortablePart, Subject};
use dse::{Input, Part, Program, Target};
use explore::{
    AssumptionNews, Counters, List, Loss, ObjectBytes, Place, Places, Sink, SoFar, Tally, Totals,
    Update,
};
use host::Stop;
use solver::Model;

impl SoFar for Subject {
    fn totals(&mut self) -> Totals {
        self.worker.totals()
    }

    fn news(&mut self) -> Places {
        self.worker.news()
    }
}

impl Program for Subject {
    fn heard_by<'a>(&'a mut self, sink: &'a mut dyn Sink) -> Box<dyn Target + 'a> {
        Box::new(ObservedSubject {
            subject: self,
            sink,
        })
    }

    fn input_of(&mut self, parts: &[ObjectBytes]) -> Option<Input> {
        self.seed(parts)
    }

    fn starts(&self) -> usize {
        self.entries.len()
    }

    fn first_input(&self, start: usize) -> Model {
        self.entries[start].witness.clone()
    }

    fn stop(&self) -> Stop {
        self.worker.machine.stop()
    }

    fn bytes_of(&self, part: &Part) -> Vec<u8> {
        PortablePart::of(&self.worker.machine, part).to_bytes()
    }

    fn part_of(&mut self, bytes: &[u8]) -> Result<Part, String> {
        let part = PortablePart::from_bytes(bytes)?;
        if part.start as usize >= self.entries.len() {
            return Err(format!("the program has no start {}", part.start));
        }
        part.part(&mut self.worker.machine)
    }

    fn list(&mut self) -> &mut Option<List> {
        &mut self.list
    }

    fn aside(&self) -> usize {
        self.aside.branches()
    }

    fn give_aside(&mut self, branches: usize) -> Vec<Vec<u8>> {
        self.aside.give(branches, &mut self.list)
    }

    fn tell_aside(&mut self, list: &mut Update<'_>) {
        self.aside.tell(list);
    }

    fn counts(&mut self) -> (&mut Counters, &mut Tally<Loss>) {
        let worker = &mut self.worker;
        (&mut worker.counters, &mut worker.machine.stats.losses)
    }

    fn rows(&self, has_opened: bool) -> Vec<(String, u64)> {
        // Of several workers each has a first run.
        let first = self.first_covered.filter(|_| has_opened);
        let first = first.map(|n| ("dse_first_instructions".to_string(), n));
        first.into_iter().collect()
    }

    fn wind_up(&mut self, sink: &mut dyn Sink) -> bool {
        let interrupted = self.interrupted.take();
        if let Some((s, why)) = &interrupted {
            self.worker.finish(s, why, sink);
        }
        interrupted.is_some()
    }

    fn tell_unmet(&mut self, sink: &mut dyn Sink) {
        for (s, why) in self.worker.machine.unmet_assumptions() {
            self.worker.finish(&s, &why, sink);
        }
    }

    fn rest(&mut self, sink: &mut dyn Sink) {
        self.worker.rest(sink);
    }

    fn covered_by_others(&mut self, is_covered: &mut dyn FnMut(Place) -> bool) -> Vec<u32> {
        let new = self.worker.covered_by_others(is_covered);
        self.covered(&new);
        new
    }

    fn resize(&mut self, memory: u64) {
        crate::watch::limit_memory(memory);
        self.worker.resize(memory);
        self.aside.resize(memory);
    }

    fn work(&self) -> u64 {
        self.worker.work()
    }

    fn rejected(&self) -> Vec<String> {
        self.worker.machine.reason.solver.rejected().to_vec()
    }

    fn assumptions(&mut self, sink: &mut dyn Sink) -> AssumptionNews {
        self.worker.assumptions(sink)
    }
}
