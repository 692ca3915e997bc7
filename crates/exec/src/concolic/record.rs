//! What a run under [`Policy::Record`](crate::Policy) notes: its decisions on symbolic values.

use crate::machine::Machine;
use crate::state::State;
use dse::{Decision, Divergence};
use ir::Pc;
use search::Near;
use solver::Origin;
use term::Term;

impl Machine {
    /// Notes a decision; see [`crate::Policy::Record`].
    pub(crate) fn record(&mut self, s: &State, taken: Term, other: Term, origin: Origin) {
        if self.wants_checkpoint {
            self.wants_checkpoint = false;
            // The instruction is executed again from there, under another witness, and counts once.
            let mut before = Box::new(s.fork(&mut self.tlb));
            before.progress.instructions -= 1;
            self.checkpoint = Some(before);
            // Runs from there begin like that, and this one goes on as they do.
            self.tlb.begin_run();
        }
        let near = self.near(s, s.pc);
        self.conditions.note(&s.path);
        self.recorded.push(Decision {
            site: u64::from(s.pc),
            taken,
            other,
            before: s.path.len(),
            origin,
            step: s.progress.instructions,
            near,
            is_known: false,
        });
    }

    /// Notes a check whose error is known, or a value that was made concrete: it is a decision like any other, so that all runs
    /// with the same input so far decide the same, but nobody asks for its other side.
    pub(crate) fn record_known(&mut self, s: &State, taken: Term, other: Term, origin: Origin) {
        self.record(s, taken, other, origin);
        if let Some(last) = self.recorded.last_mut() {
            last.is_known = true;
        }
    }

    /// The side of the branch just recorded that was not taken continues at `pc`.
    pub(crate) fn other_side_leads_to(&mut self, s: &State, pc: Pc) {
        if self.recorded.is_empty() {
            return;
        }
        let near = self.near(s, pc);
        if let Some(last) = self
            .recorded
            .last_mut()
            .filter(|d| d.site == u64::from(s.pc))
        {
            last.near = near;
        }
    }

    /// A divergence in words.
    pub(super) fn said_of(&self, how: Divergence) -> String {
        let place = |site: Option<u64>| {
            let Some(site) = site else {
                return "its end".to_string();
            };
            let pc = site as Pc;
            let at = self.module.location_at(pc);
            format!("{}:{} ({pc})", self.module.file_name(at), at.line)
        };
        let said = match how {
            Divergence::Place { predicted, met } => format!(
                "{} was met where {} was predicted",
                place(met),
                place(predicted)
            ),
            Divergence::Condition {
                site,
                predicted,
                met,
            } => format!(
                "at {} it decided on {} where {} was predicted",
                place(Some(site)),
                self.pool.display(met),
                self.pool.display(predicted)
            ),
            Divergence::Side { site } => {
                format!(
                    "it did not take the side at {} that it was made for",
                    place(Some(site))
                )
            }
            Divergence::Again { predicted, met } => {
                format!("it ran before, and of its {predicted} decisions it came to {met} again")
            }
        };
        format!("a run left its predicted path: {said}")
    }

    fn near(&self, s: &State, pc: Pc) -> Near {
        self.distances.as_ref().map_or(Near::NONE, |d| {
            d.of(pc, s.frames.iter().rev().map(|f| f.return_pc))
        })
    }
}
