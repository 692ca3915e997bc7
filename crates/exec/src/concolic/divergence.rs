//! Messages about runs that left the path they were predicted to take.

use crate::machine::Machine;
use dse::Divergence;
use ir::Pc;

impl Machine {
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
                self.reason.pool.display(met),
                self.reason.pool.display(predicted)
            ),
            Divergence::Side { site } => {
                format!(
                    "it did not take the side at {} for which it was made",
                    place(Some(site))
                )
            }
            Divergence::Again { predicted, met } => {
                format!("it ran before, and this time made only {met} of its {predicted} decisions")
            }
        };
        format!("a run left its predicted path: {said}")
    }
}
