//! Inputs to begin with, in the machine: see [`crate::seeds`].

use crate::machine::Machine;
use crate::state::State;
use dse::Input;
use explore::ObjectBytes;
use solver::Model;
use std::rc::Rc;
use term::Term;

impl Machine {
    /// The input that gives these bytes to these objects, if one of these starts has them. Bytes that are not named
    /// keep their values; bytes beyond an object's end are left out. Objects that the start does not have stand for
    /// the objects of the same name and size that the program will make symbolic.
    pub(crate) fn seed(&mut self, entries: &[&State], parts: &[ObjectBytes]) -> Option<Input> {
        for (start, entry) in entries.iter().enumerate() {
            let mut values = entry.witness.clone();
            for part in parts {
                let symbols = match entry.objects.iter().find(|o| *o.name == *part.object) {
                    Some(object) => object.symbols.clone(),
                    None => self.symbols_of(&part.object, part.bytes.len()).ok()?,
                };
                let symbols = symbols.iter().skip(part.offset);
                for (&symbol, &byte) in symbols.zip(&part.bytes) {
                    values.set(symbol, u64::from(byte));
                }
            }
            let path: Vec<Term> = entry.path.iter().map(|c| c.term).collect();
            // What is fixed is part of the start: the number of arguments among others.
            let fixed = |name: &str| name.starts_with("n_args");
            let same = entry.objects.iter().filter(|o| fixed(&o.name)).all(|o| {
                o.symbols
                    .iter()
                    .all(|&x| values.get(x) == entry.witness.get(x))
            });
            let reason = &mut self.reason;
            let evaluator = &mut reason.evaluator;
            if same
                && evaluator
                    .first_false(&reason.pool, &path, &values)
                    .is_none()
            {
                return Some(Input { start, values });
            }
        }
        None
    }

    /// Takes the seeds out of a state that do not fulfil a condition.
    pub(crate) fn part_seeds(&mut self, s: &mut State, cond: Term) -> Vec<Rc<Model>> {
        if s.seeds.others.is_empty() {
            return Vec::new();
        }
        let all = std::mem::take(&mut s.seeds.others);
        let (stay, leave) = all
            .into_iter()
            .partition(|seed| self.reason.eval(cond, seed) != 0);
        s.seeds.others = stay;
        leave
    }

    /// Tells that a seed has left the path of a state, and no other state takes it.
    pub(crate) fn tell_lost_seeds(&mut self) {
        let text = "some seeds do not run to their end as they are given: another value was chosen for one that was made concrete, they break an assumption, or no fork was allowed";
        self.warn_once(text.into());
    }

    /// A seed of a state that fulfils a condition which its witness does not: it becomes the witness.
    pub(crate) fn seed_for(&mut self, s: &mut State, cond: Term) -> bool {
        let mut seeds = s.seeds.others.iter();
        let Some(at) = seeds.position(|seed| self.reason.eval(cond, seed) != 0) else {
            return false;
        };
        s.witness = Model::clone(&s.seeds.others.swap_remove(at));
        s.has_run_ahead = false;
        true
    }
}
