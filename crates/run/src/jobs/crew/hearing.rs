//! Receives the messages of workers, and their ends.

use super::super::fits;
use super::super::member::{Event, Fate};
use super::{Crew, STILLBORN};
use anyhow::bail;
use fleet::{Death, ToCoordinator, WorkerId};

impl Crew<'_> {
    pub(super) fn hear_worker(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Said(id, message) => {
                let member = self.members.get_mut(&id);
                let Some(member) = member.filter(|m| !m.is_disbelieved) else {
                    return Ok(());
                };
                match message {
                    ToCoordinator::Hello { version, program } => {
                        if let Err(why) = fits(&version, &program, &self.plan.program) {
                            return self.give_up_on(id, &why);
                        }
                        if std::mem::replace(&mut member.has_joined, true) {
                            return self.disbelieve(id, "it greets again");
                        }
                        match member.node {
                            Some(node) => self.nodes.works(node),
                            None => self.stillborn = 0,
                        }
                        self.dispatch.join(id);
                    }
                    ToCoordinator::Found(found) => member.found.push(found),
                    ToCoordinator::New(new) => self.dispatch.ahead(id, new),
                    ToCoordinator::Commit(commit) => {
                        if let Err(why) = self.take(id, commit) {
                            return self.disbelieve(id, &why);
                        }
                    }
                    ToCoordinator::Failed(why) => {
                        return self.give_up_on(id, &format!("a worker cannot continue: {why}"));
                    }
                }
                Ok(())
            }
            Event::Gone(id, why) => {
                if let Some(why) = why {
                    self.disbelieve(id, &why)?;
                }
                self.gone(id)
            }
        }
    }

    /// With such a worker there is no sense in going on: on this machine with the run, on another one with that machine.
    fn give_up_on(&mut self, id: WorkerId, why: &str) -> anyhow::Result<()> {
        match self.members.get(&id).and_then(|m| m.node) {
            Some(node) => self.refuse(node, why),
            None => bail!("{why}"),
        }
    }

    /// Ends a worker that sent an impossible message; its death is received as an event. Its later messages follow from what was
    /// not taken. One of another machine is lost with its machine: whether that ends it nobody knows, and what it has would wait for ever.
    fn disbelieve(&mut self, id: WorkerId, why: &str) -> anyhow::Result<()> {
        if let Some(node) = self.members.get(&id).and_then(|member| member.node) {
            return self.refuse(node, &format!("a worker of it makes no sense: {why}"));
        }
        let text = format!("a worker is ended, it makes no sense: {why}");
        self.recorder.progress.say(&text);
        if let Some(member) = self.members.get_mut(&id) {
            member.is_disbelieved = true;
            member.kill();
        }
        Ok(())
    }

    /// A worker's process has ended, or is about to.
    pub(super) fn gone(&mut self, id: WorkerId) -> anyhow::Result<()> {
        let Some(member) = self.members.remove(&id) else {
            return Ok(());
        };
        self.pids().retain(|&pid| Some(pid) != member.pid());
        let (seat, has_joined, has_ended) = (member.seat, member.has_joined, member.has_ended);
        let node = member.node;
        self.settled.add(&member.settled);
        let (lease, _) = self.plan.board.seen_of(seat);
        let (Fate { death, words }, totals) = member.bury();
        self.plan.board.leave(seat);
        self.departed[seat as usize].add(&totals);
        // Who has not begun when the run ends is ended by us.
        if has_ended || self.is_ending && !has_joined {
            self.dispatch.leave(id);
            return Ok(());
        }
        self.died[seat as usize] += 1;
        // Nobody has seen what it has just claimed to cover.
        self.plan.board.set_claimed(&self.covered);
        if let (false, Some(node)) = (has_joined, node) {
            return self.stillborn_on(node, death, &words);
        }
        if !has_joined {
            self.stillborn += death.weight();
            if self.stillborn >= STILLBORN {
                bail!("workers end before they begin ({words})");
            }
            return Ok(());
        }
        let ran = (lease != 0).then_some(fleet::Key(lease));
        if let Some(aside) = self.dispatch.died(id, ran, death) {
            self.set_aside(&aside);
        }
        let is_told = node.is_some_and(|node| self.nodes.is_lost(node));
        if !self.is_ending && !is_told {
            let what = match death {
                Death::Crashed => "crashed",
                Death::Killed => "was killed",
            };
            let text = format!("a worker {what} ({words}); its part goes to others");
            self.recorder.progress.say(&text);
        }
        Ok(())
    }
}
