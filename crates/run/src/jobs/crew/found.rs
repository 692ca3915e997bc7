//! The findings of workers: they are taken with commits, and written.

use super::super::member::without_gauges;
use super::super::{Halted, Report};
use super::Crew;
use crate::record::Finding;
use explore::{Ending, Totals};
use fleet::{SetAside, WorkerId};
use host::Cause;
use std::time::Instant;
use vocab::ErrorKind;

/// A commit of a worker.
pub(super) struct Taken {
    worker: WorkerId,
    seat: u32,
    findings: Vec<Finding>,
    report: Report,
}

impl Crew<'_> {
    /// Takes a commit: all of it, or nothing.
    pub(super) fn take(&mut self, id: WorkerId, commit: fleet::Commit) -> Result<(), String> {
        let Some(member) = self.members.get_mut(&id) else {
            return Ok(());
        };
        let read = |e: postcard::Error| format!("its findings cannot be read: {e}");
        let report: Report = postcard::from_bytes(&commit.found).map_err(read)?;
        let mut findings = Vec::new();
        for part in member.found.drain(..) {
            let part: Vec<Finding> = postcard::from_bytes(&part).map_err(read)?;
            findings.extend(part);
        }
        self.recorder.atlas.check(&report.places)?;
        let (is_last, halted) = (commit.is_last, report.halted);
        let taken = Taken {
            worker: id,
            seat: member.seat,
            findings,
            report,
        };
        let counted = self.dispatch.commit(id, commit, taken)?;
        let leaves_work = is_last && halted.is_none() && self.dispatch.has_work(id);
        member.has_ended = is_last && !leaves_work;
        member.halted = halted;
        if is_last {
            match halted {
                Some(Halted::Forks) => self.no_forks = true,
                Some(Halted::Failed) => self.has_failed = true,
                // Its own part of the memory is full, whatever it did.
                Some(Halted::Stopped(number)) => {
                    self.plan
                        .stop
                        .set(Cause::of(number).unwrap_or(Cause::Signal));
                }
                None => {}
            }
        }
        for taken in counted {
            self.count(taken);
        }
        if leaves_work {
            return Err("it ends without a reason, and has not explored what it has".into());
        }
        Ok(())
    }

    /// Counts the findings of a worker from now on.
    pub(super) fn count(&mut self, taken: Taken) {
        let Taken {
            worker,
            seat,
            findings,
            report,
        } = taken;
        if let Some(rounds) = &mut self.rounds {
            // The worker of a task tells once, and is gone perhaps.
            let totals = without_gauges(report.totals, &report.counted);
            self.settled
                .add(report.before_end.as_ref().unwrap_or(&totals));
            self.departed[seat as usize].add(&totals);
            if let Some(by) = report.swayed {
                rounds.sway(by);
            }
        } else if let Some(member) = self.members.get_mut(&worker) {
            member.counts(report.totals, report.counted);
        }
        self.rejected.extend(report.rejected);
        let known = self.recorder.take_in(&report.places);
        known.expect("they were checked when it was heard of");
        let noted = self.keeper.note(report.places.clone());
        self.note_frontier(noted);
        let mut new = report.places.covered;
        new.retain(|&place| self.covered.insert(place));
        self.nodes.tell_covered(new);
        self.held.extend(report.held);
        for (pc, finding) in report.unmet {
            self.unmet.entry(pc).or_insert(finding);
        }
        let findings = findings.into_iter().chain(report.findings);
        for mut finding in findings {
            self.recorder.cases.place(&mut finding);
            self.await_writing(finding);
        }
    }

    pub(super) fn await_writing(&mut self, finding: Finding) {
        self.unwritten_size += finding.size();
        self.unwritten.push_back(finding);
    }

    /// A prefix that crashed its workers is an error of ours, with its input.
    pub(super) fn set_aside(&mut self, SetAside(prefix): &SetAside) {
        for totals in [&mut self.departed[0], &mut self.settled] {
            totals.counters.endings.add(Ending::Internal, 1);
            totals.counters.partial += 1;
        }
        let end = prefix.as_ref().map_err(String::clone);
        match end.and_then(|prefix| (self.plan.prefixes.lost)(prefix)) {
            Ok(end) => {
                let time_s = self.recorder.progress.elapsed().as_secs_f64();
                let finding = self.recorder.cases.finding(end, time_s);
                self.recorder.write_shared(finding);
            }
            Err(why) => self.recorder.progress.say(&format!(
                "a path that crashed its workers cannot be shown: {why}"
            )),
        }
    }

    /// Assumptions that no path of any worker got past are errors.
    pub(super) fn tell_unmet(&mut self, totals: &mut Totals) {
        for (pc, finding) in std::mem::take(&mut self.unmet) {
            if !self.held.contains(&pc) {
                totals.counters.error(ErrorKind::User);
                self.recorder.write_shared(finding);
            }
        }
    }

    /// Writes findings, up to a moment or until the run has to end.
    pub(super) fn write_until(&mut self, end: Instant) {
        while !self.plan.stop.is_set() && self.around.now() < end {
            let Some(finding) = self.unwritten.pop_front() else {
                break;
            };
            self.unwritten_size -= finding.size();
            self.recorder.write_shared(finding);
        }
    }

    /// The run has to end: findings that show something new are written first, and the others as long as there is
    /// time. Returns how many are not written.
    pub(super) fn write_last(&mut self, end: Instant) -> u64 {
        let (new, old): (Vec<Finding>, Vec<Finding>) =
            self.unwritten.drain(..).partition(Finding::is_news);
        let mut all = new.into_iter().chain(old);
        while self.around.now() < end {
            let Some(finding) = all.next() else { break };
            self.recorder.write_shared(finding);
        }
        self.unwritten = all.collect();
        self.unwritten.len() as u64
    }
}
