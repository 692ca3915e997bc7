//! The places of a program with their meaning, and the set of covered ones.

use explore::{Place, Places};
use std::collections::HashSet;
use std::rc::Rc;
use testcase::Coverage;

/// See the module. Each language has its own.
pub trait Atlas {
    /// Checks that the news fits this program.
    ///
    /// # Errors
    /// It does not; a message.
    fn check(&self, news: &Places) -> Result<(), String>;
    /// Takes over the news of a process about places. Returns those that are covered for the first time.
    ///
    /// # Errors
    /// It does not fit this program; a message.
    fn take_in(&mut self, news: &Places) -> Result<Vec<Place>, String>;
    /// All that is known of places, and those that are covered.
    fn all(&self) -> Places;
    /// Forgets the coverage.
    fn clear(&mut self);
    /// Outcomes of branches: covered, and all.
    fn branches(&self) -> (u64, u64);
    /// Instructions: covered, and all.
    fn instructions(&self) -> (u64, u64);
    /// Coverage by source.
    fn coverage(&mut self) -> Coverage;
}

/// The coverage sites of a program in IR.
pub struct Sites {
    module: Rc<ir::Verified>,
    covered: Vec<bool>,
    outcomes: HashSet<(ir::BranchId, u32)>,
}

impl Sites {
    pub fn new(module: Rc<ir::Verified>) -> Sites {
        Sites {
            covered: vec![false; module.sites.len()],
            outcomes: HashSet::new(),
            module,
        }
    }
}

impl Atlas for Sites {
    fn check(&self, news: &Places) -> Result<(), String> {
        let sites = self.covered.len() as Place;
        if !news.known.is_empty() || news.covered.iter().any(|&site| site >= sites) {
            return Err("it covered places that the program does not have".into());
        }
        Ok(())
    }

    fn take_in(&mut self, news: &Places) -> Result<Vec<Place>, String> {
        self.check(news)?;
        let mut new = news.covered.clone();
        new.retain(|&site| {
            let outcome = self.module.sites[site as usize].outcome;
            self.outcomes.extend(outcome);
            !std::mem::replace(&mut self.covered[site as usize], true)
        });
        Ok(new)
    }

    fn all(&self) -> Places {
        let sites = (0..).zip(&self.covered).filter(|&(_, &hit)| hit);
        Places::of(sites.map(|(site, _)| site).collect())
    }

    fn clear(&mut self) {
        self.covered.fill(false);
        self.outcomes.clear();
    }

    fn branches(&self) -> (u64, u64) {
        (self.outcomes.len() as u64, self.module.total_outcomes())
    }

    fn instructions(&self) -> (u64, u64) {
        self.module
            .covered_instructions(|site| self.covered[site as usize])
    }

    fn coverage(&mut self) -> Coverage {
        Coverage::from_sites(&self.module, |site| self.covered[site as usize])
    }
}
