//! The coverage of a run: sites and outcomes that some path has passed, and the part of it that other workers know.

use crate::machine::Machine;
use crate::state::State;
use explore::Commons;
use ir::{BranchId, SiteId};
use std::collections::HashSet;
use std::rc::Rc;

/// See the module.
pub(crate) struct Coverage {
    /// Sites that some path has passed.
    pub sites: Vec<bool>,
    /// Outcomes of branches that some path has taken.
    pub outcomes: HashSet<(BranchId, u32)>,
    /// The data that is shared with other workers, if there are any.
    pub(super) commons: Option<Rc<dyn Commons>>,
}

impl Coverage {
    /// The coverage of a program with so many sites.
    pub fn of(sites: usize) -> Coverage {
        Coverage {
            sites: vec![false; sites],
            outcomes: HashSet::new(),
            commons: None,
        }
    }
}

impl Machine {
    /// Shares the coverage with the other workers of the run.
    pub fn share(&mut self, commons: Rc<dyn Commons>) {
        self.observers.coverage.commons = Some(commons);
    }

    /// For each site of the program whether some path has passed it.
    pub fn covered(&self) -> &[bool] {
        &self.observers.coverage.sites
    }

    /// Reports the lease that the machine begins to work on, see [`Commons::works_on`].
    pub(crate) fn works_on(&self, lease: u64) {
        if let Some(commons) = &self.observers.coverage.commons {
            commons.works_on(lease);
        }
    }

    /// Counts a fork.
    pub(crate) fn forked(&mut self) {
        self.stats.forks += 1;
        if let Some(commons) = &self.observers.coverage.commons {
            commons.forked();
        }
    }

    /// Forks in the whole run so far.
    pub(crate) fn forks(&self) -> u64 {
        let commons = self.observers.coverage.commons.as_ref();
        commons.map_or(self.stats.forks, |commons| commons.forks())
    }

    /// Records that a coverage site is passed that no path has covered before.
    pub(crate) fn cover(&mut self, s: &mut State, site: SiteId) {
        // Never marked as covered, a site comes here each time.
        if self.decider.record().is_some_and(|r| r.lists(site)) {
            return;
        }
        self.mark_site(s, site);
        let Coverage {
            sites,
            outcomes,
            commons,
        } = &mut self.observers.coverage;
        if !sites[site as usize] {
            sites[site as usize] = true;
            self.turn.sites.push(site);
            outcomes.extend(self.module.sites[site as usize].outcome);
            let is_first = commons.as_ref().is_none_or(|c| c.claim(site.into()));
            if is_first {
                s.progress.covered_new = true;
                s.progress.last_new = s.progress.instructions;
            }
        }
    }
}
