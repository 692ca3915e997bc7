//! Recording: a run records its decisions on symbolic values, and the explorer that chooses the next input asks for
//! their other sides.

use crate::state::State;
use dse::{Conditions, Decision};
use ir::{Module, Pc, SiteId};
use memory::Tlb;
use search::{Distances, Near};
use solver::Origin;
use term::Term;

/// Sites that are listed of one run; 256 MiB.
const SITES_LISTED: usize = 1 << 26;

/// The record of a run.
pub(crate) struct Record {
    /// The decisions, in order.
    decisions: Vec<Decision>,
    conditions: Conditions,
    /// The state before its first decision.
    checkpoint: Option<Box<State>>,
    wants_checkpoint: bool,
    /// Distances from the sides of decisions to uncovered sites.
    distances: Distances,
    /// The sites passed, in order, where they are asked for.
    sites: Option<Vec<SiteId>>,
}

impl Record {
    pub fn new(module: &Module) -> Record {
        Record {
            decisions: Vec::new(),
            conditions: Conditions::default(),
            checkpoint: None,
            wants_checkpoint: false,
            distances: Distances::new(module),
            sites: None,
        }
    }

    /// A run begins. Its state before the first decision is kept if it is wanted.
    pub fn begin(&mut self, wants_checkpoint: bool) {
        self.decisions.clear();
        self.conditions = Conditions::default();
        self.wants_checkpoint = wants_checkpoint;
    }

    /// Takes the record of the run: its decisions, its conditions, and its state before the first one.
    pub fn take(&mut self) -> (Vec<Decision>, Conditions, Option<Box<State>>) {
        (
            std::mem::take(&mut self.decisions),
            std::mem::take(&mut self.conditions),
            self.checkpoint.take(),
        )
    }

    /// Sites are listed from now on.
    pub fn list_sites(&mut self) {
        self.sites = Some(Vec::new());
    }

    /// The sites that were listed; no further ones are.
    pub fn take_sites(&mut self) -> Vec<SiteId> {
        self.sites.take().unwrap_or_default()
    }

    /// A site was passed that no path has covered before. Is it only listed?
    pub fn lists(&mut self, site: SiteId) -> bool {
        let Some(list) = &mut self.sites else {
            return false;
        };
        if list.len() < SITES_LISTED {
            list.push(site);
        }
        true
    }

    /// These were covered, here or elsewhere.
    pub fn covered(&mut self, sites: &[SiteId]) {
        for &site in sites {
            self.distances.mark_covered(site);
        }
    }

    /// Records a decision: the condition that was taken, and its negation.
    pub(super) fn note(
        &mut self,
        tlb: &mut Tlb,
        s: &State,
        (taken, other): (Term, Term),
        origin: Origin,
    ) {
        if self.wants_checkpoint {
            self.wants_checkpoint = false;
            // The instruction is executed again from there, under another witness, and counts once.
            let mut before = Box::new(s.fork(tlb));
            before.progress.instructions -= 1;
            self.checkpoint = Some(before);
            // Runs from there begin like that, and this one goes on as they do.
            tlb.begin_run();
        }
        let near = self.near(s, s.hot.pc);
        self.conditions.note(&s.path);
        self.decisions.push(Decision {
            site: u64::from(s.hot.pc),
            taken,
            other,
            before: s.path.len(),
            origin,
            step: s.progress.instructions,
            near,
            is_known: false,
            can_wait: false,
        });
    }

    /// Records a decision whose other side is never asked for.
    pub(super) fn note_known(
        &mut self,
        tlb: &mut Tlb,
        s: &State,
        sides: (Term, Term),
        origin: Origin,
    ) {
        self.note(tlb, s, sides, origin);
        if let Some(last) = self.decisions.last_mut() {
            last.is_known = true;
        }
    }

    /// The other side of the decision just noted continues at `pc`.
    pub(super) fn other_side_leads_to(&mut self, s: &State, pc: Pc) {
        if self.decisions.is_empty() {
            return;
        }
        let near = self.near(s, pc);
        let last = self.decisions.last_mut();
        if let Some(last) = last.filter(|d| d.site == u64::from(s.hot.pc)) {
            last.near = near;
        }
    }

    fn near(&self, s: &State, pc: Pc) -> Near {
        let callers = s.frames().iter().rev().map(|f| f.return_pc);
        self.distances.of(pc, callers)
    }
}
