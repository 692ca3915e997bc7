//! The scout's process from the side of the coordinator ([`super::super::scout`]): nothing depends on it, so it may
//! end at any time.

use super::super::member::{Event, Fate, Member};
use super::super::scout::Memory;
use super::super::{Report, Scouting, Welcome, link};
use super::{Pids, Plan, Surroundings};
use crate::record::{Finding, Recorder};
use anyhow::Context;
use explore::{Place, Places, Totals};
use fleet::{Death, ToCoordinator, ToWorker, WorkerId};
use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::Duration;

/// The number that no worker has.
const ID: WorkerId = WorkerId(0);
/// How long one that has to end now may take to say its last word.
pub const GOODBYE: Duration = Duration::from_millis(50);

/// See the module.
pub struct Scout {
    /// Its memory, if there is to be one.
    memory: Option<Memory>,
    has_begun: bool,
    /// Its place on the board.
    seat: u32,
    member: Option<Member>,
    /// The totals of its last commit.
    totals: Totals,
    /// Number of its findings that were new to the run.
    news: u64,
    /// The places that it has covered.
    pub covered: HashSet<Place>,
    pids: Pids,
}

/// A report of the scout.
#[derive(Default)]
pub struct Told {
    /// Findings that may be new to the run; provisional.
    pub findings: Vec<Finding>,
    /// Instructions at which an assumption held.
    pub held: Vec<u32>,
    /// Queries that its solver answered with a wrong model.
    pub rejected: Vec<String>,
    /// News about places that it had not reported before.
    pub places: Places,
}

impl Scout {
    /// One that has not begun, of a run with this plan.
    pub fn new(plan: &Plan) -> Scout {
        Scout {
            memory: plan.scout,
            has_begun: false,
            seat: Plan::seats(plan.jobs, plan.cluster.is_some()),
            member: None,
            totals: Totals::default(),
            news: 0,
            covered: HashSet::new(),
            pids: plan.pids.clone(),
        }
    }

    /// Is there to be one that has not begun?
    pub fn is_wanted(&self) -> bool {
        self.memory.is_some() && !self.has_begun
    }

    /// Is it at work?
    pub fn is_there(&self) -> bool {
        self.member.is_some()
    }

    /// The number of its process.
    pub fn pid(&self) -> Option<u32> {
        self.member.as_ref().and_then(Member::pid)
    }

    /// Bytes that it takes beyond those which are kept for it.
    pub fn beyond_kept(&self, around: &dyn Surroundings) -> u64 {
        let used = self.pid().and_then(|pid| around.memory_of(pid));
        let used = used.unwrap_or_default();
        let kept = self.memory.map_or(0, |memory| memory.kept);
        used.saturating_sub(kept)
    }

    /// Its entry in `stats.json`.
    pub fn stats(&self) -> Option<serde_json::Value> {
        let n = &self.totals.counters;
        (n.instructions > 0).then(|| {
            serde_json::json!({
                "runs": n.completed + n.partial,
                "instructions": n.instructions,
                "queries": self.totals.queries,
                "solver_time_s": self.totals.solver_time_s,
                "news": self.news,
            })
        })
    }

    /// Starts it if it is wanted.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(
        &mut self,
        plan: &Plan,
        around: &mut dyn Surroundings,
        elapsed: Duration,
        scouting: Scouting,
    ) -> anyhow::Result<()> {
        let Some(memory) = self.memory.filter(|_| self.is_wanted()) else {
            return Ok(());
        };
        self.has_begun = true;
        let process = around.start(ID).context("the scout cannot be started")?;
        self.with_pids(|pids| pids.extend(process.pid()));
        let mut member = Member::new(process, self.seat, None);
        let welcome = Welcome {
            seat: self.seat,
            number: self.seat,
            memory: memory.most,
            elapsed,
            scouts: Some(scouting),
            spill: None,
            ..plan.welcome.clone()
        };
        member.say(ToWorker::Welcome(link::bytes(&welcome).into()));
        self.member = Some(member);
        Ok(())
    }

    /// Is the event the scout's?
    pub fn has_said(event: &Event) -> bool {
        matches!(event, Event::Said(ID, _) | Event::Gone(ID, _))
    }

    /// Receives an event of the scout. If it is its end and the run continues, the user is told.
    pub fn hear(&mut self, event: Event, is_ending: bool, recorder: &mut Recorder) -> Told {
        let mut say = |what: &str| {
            let text = format!("the scout {what}; the run continues without it");
            recorder.progress.say(&text);
        };
        match event {
            Event::Said(_, message) => self.said(message).unwrap_or_else(|why| {
                say(&format!("is ended: {why}"));
                self.end(is_ending);
                Told::default()
            }),
            Event::Gone(..) => {
                let fate = self.end(is_ending);
                if let Some(Fate { death, words }) = fate.filter(|_| !is_ending) {
                    let how = match death {
                        Death::Crashed => "crashed",
                        Death::Killed => "was killed",
                    };
                    say(&format!("{how} ({words})"));
                }
                Told::default()
            }
        }
    }

    fn said(&mut self, message: ToCoordinator) -> Result<Told, String> {
        let Some(member) = &mut self.member else {
            return Ok(Told::default());
        };
        match message {
            ToCoordinator::Hello { .. } => member.has_joined = true,
            ToCoordinator::Found(found) => member.found.push(found),
            ToCoordinator::New(_) => {}
            ToCoordinator::Commit(commit) => {
                member.has_ended = commit.is_last;
                let (found, parts) = (commit.found, std::mem::take(&mut member.found));
                let read = |e: postcard::Error| format!("its findings cannot be read: {e}");
                let report: Report = postcard::from_bytes(&found).map_err(read)?;
                let mut findings = Vec::new();
                for part in parts {
                    let part: Vec<Finding> = postcard::from_bytes(&part).map_err(read)?;
                    findings.extend(part);
                }
                findings.extend(report.findings);
                self.covered.extend(&report.places.covered);
                findings.retain_mut(|finding| {
                    finding.is_provisional = true;
                    finding.shows_new_error() || finding.covered_new
                });
                self.news += findings.len() as u64;
                self.totals = report.totals;
                return Ok(Told {
                    findings,
                    held: report.held,
                    rejected: report.rejected,
                    places: report.places,
                });
            }
            ToCoordinator::Failed(why) => return Err(why),
        }
        Ok(Told::default())
    }

    /// Sends it a message.
    pub fn say(&mut self, word: ToWorker) {
        if let Some(member) = &mut self.member {
            member.say(word);
        }
    }

    /// Ends it; if the run ends, without waiting for its last message. Returns how it ended, if that was not reported.
    pub fn end(&mut self, is_ending: bool) -> Option<Fate> {
        let mut member = self.member.take()?;
        self.with_pids(|pids| pids.retain(|&pid| Some(pid) != member.pid()));
        if is_ending {
            member.kill();
        }
        let has_ended = member.has_ended;
        let (fate, _) = member.bury();
        (!has_ended).then_some(fate)
    }

    fn with_pids(&self, change: impl FnOnce(&mut Vec<u32>)) {
        change(&mut self.pids.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
