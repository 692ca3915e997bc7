//! The scout, as the coordinator sees it ([`super::super::scout`]): nothing depends on it, so it may end at any time.

use super::super::local::Local;
use super::super::member::{Event, Fate, Member};
use super::super::{Report, Welcome, link};
use super::{Crew, Heard, TURN};
use crate::cmd::part;
use crate::session::record::Finding;
use anyhow::Context;
use exec::Totals;
use fleet::{Death, ToCoordinator, ToWorker, WorkerId};
use std::time::{Duration, Instant};

/// The number that no worker has.
const ID: WorkerId = WorkerId(0);
/// How long the workers have gone on before it begins: what is soon over needs none.
const LATER: Duration = Duration::from_secs(1);
/// How long it may take to say its last word.
const GOODBYE: Duration = Duration::from_millis(50);

/// See the module.
pub(super) struct Scout {
    /// Bytes that it may take, if there is to be one.
    memory: Option<u64>,
    /// When it is to begin.
    due: Instant,
    /// Its place on the board.
    seat: u32,
    member: Option<Member>,
    /// As of its last commit.
    totals: Totals,
    /// Its findings that nobody had shown before.
    news: u64,
    /// What it has covered, by site.
    pub covered: Vec<bool>,
}

impl Scout {
    pub fn new(memory: Option<u64>, seat: u32, covered: Vec<bool>) -> Scout {
        Scout {
            memory,
            due: Instant::now() + LATER,
            seat,
            member: None,
            totals: Totals::default(),
            news: 0,
            covered,
        }
    }

    /// The number of its process.
    pub fn pid(&self) -> Option<u32> {
        self.member.as_ref().and_then(Member::pid)
    }

    /// What `stats.json` says of it.
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
}

impl Crew<'_> {
    /// Starts the scout when it is time, once.
    pub(super) fn send_scout(&mut self) -> anyhow::Result<()> {
        if Instant::now() < self.scout.due {
            return Ok(());
        }
        let Some(memory) = self.scout.memory.take() else {
            return Ok(());
        };
        let put = self.put.clone();
        let tell = move |event| put.send(Heard::Worker(event)).is_ok();
        let started = Local::start(ID, &[part::NAME], &self.plan.args, tell);
        let process = started.context("the scout cannot be started")?;
        self.pids().push(process.pid());
        let mut member = Member::new(Box::new(process), self.scout.seat, None);
        let welcome = Welcome {
            seat: self.scout.seat,
            number: self.scout.seat,
            memory,
            elapsed: self.recorder.progress.elapsed(),
            is_scout: true,
            spill: None,
            ..self.plan.welcome.clone()
        };
        member.say(ToWorker::Welcome(link::bytes(&welcome).into()));
        self.scout.member = Some(member);
        Ok(())
    }

    /// Hears an event, if it is the scout's; else it is given back.
    pub(super) fn hear_scout(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Said(ID, message) => {
                if let Err(why) = self.scout_said(message) {
                    self.say_of_scout(&format!("is ended: {why}"));
                    self.end_scout();
                }
            }
            Event::Gone(ID, _) => {
                let fate = self.end_scout();
                if let Some(Fate { death, words }) = fate.filter(|_| !self.is_ending) {
                    let how = match death {
                        Death::Crashed => "crashed",
                        Death::Killed => "was killed",
                    };
                    self.say_of_scout(&format!("{how} ({words})"));
                }
            }
            other => return Some(other),
        }
        None
    }

    fn say_of_scout(&mut self, what: &str) {
        let text = format!("the scout {what}; the workers go on without it");
        self.recorder.progress.say(&text);
    }

    fn scout_said(&mut self, message: ToCoordinator) -> Result<(), String> {
        let Some(member) = &mut self.scout.member else {
            return Ok(());
        };
        match message {
            ToCoordinator::Hello { .. } => member.has_joined = true,
            ToCoordinator::Found(found) => member.found.push(found),
            ToCoordinator::New(_) => {}
            ToCoordinator::Commit(commit) => {
                member.has_ended = commit.is_last;
                let (found, parts) = (commit.found, std::mem::take(&mut member.found));
                let read = |e: postcard::Error| format!("what it found cannot be read: {e}");
                let report: Report = postcard::from_bytes(&found).map_err(read)?;
                let mut findings = Vec::new();
                for part in parts {
                    let part: Vec<Finding> = postcard::from_bytes(&part).map_err(read)?;
                    findings.extend(part);
                }
                findings.extend(report.findings);
                self.scouted(&report.sites, findings)?;
                self.held.extend(report.held);
                self.rejected.extend(report.rejected);
                self.scout.totals = report.totals;
            }
            ToCoordinator::Failed(why) => return Err(why),
        }
        Ok(())
    }

    fn scouted(&mut self, sites: &[ir::SiteId], findings: Vec<Finding>) -> Result<(), String> {
        for &site in sites {
            let hit = self.scout.covered.get_mut(site as usize);
            *hit.ok_or("it covered what the program does not have")? = true;
            self.outcomes
                .extend(self.plan.module.sites[site as usize].outcome);
        }
        for mut finding in findings {
            let error = finding.error.as_ref().map(|e| e.kind);
            let shows_error = finding.is_new && error.is_some_and(|kind| kind.is_program_error());
            if shows_error || finding.covered_new {
                self.scout.news += 1;
                finding.is_provisional = true;
                self.await_writing(finding);
            }
        }
        Ok(())
    }

    /// The run ends, as all workers are told. When everything is explored, nobody needs to know what else the scout has found.
    pub(super) fn tell_scout(&mut self, word: &ToWorker) {
        if matches!(word, ToWorker::Finish) {
            self.end_scout();
        } else if let Some(member) = &mut self.scout.member {
            member.say(word.clone());
        }
    }

    /// The workers have ended: the scout says what it found, if it does so soon.
    pub(super) fn part_with_scout(&mut self) -> anyhow::Result<()> {
        let end = Instant::now() + GOODBYE;
        while self.scout.member.is_some() && Instant::now() < end {
            if let Ok(event) = self.events.recv_timeout(TURN) {
                self.hear(event)?;
            }
        }
        self.end_scout();
        Ok(())
    }

    /// Ends the scout. How it ended, if it had not said its last word.
    pub(super) fn end_scout(&mut self) -> Option<Fate> {
        let mut member = self.scout.member.take()?;
        self.pids().retain(|&pid| Some(pid) != member.pid());
        if self.is_ending {
            member.kill();
        }
        let has_ended = member.has_ended;
        let (fate, _) = member.bury();
        (!has_ended).then_some(fate)
    }

    /// Everything was explored: what the scout covered is covered by the workers, or it would not be so.
    pub(super) fn forget_scouted(&mut self) {
        self.scout.covered.fill(false);
        let sites = self.plan.module.sites.iter().zip(&self.covered);
        let covered = sites.filter(|&(_, &hit)| hit);
        self.outcomes = covered.filter_map(|(site, _)| site.outcome).collect();
    }

    /// What workers and scout have covered, by site.
    pub(super) fn all_covered(&self) -> Vec<bool> {
        let both = self.covered.iter().zip(&self.scout.covered);
        both.map(|(&worker, &scout)| worker || scout).collect()
    }
}
