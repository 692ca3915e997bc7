//! Starts workers, on this machine and on others.

use super::super::cluster::Remote;
use super::super::member::Member;
use super::super::{Welcome, link};
use super::{Crew, Seat};
use anyhow::Context;
use fleet::net::message::ToNode;
use fleet::{ToWorker, WorkerId};
use std::collections::HashSet;

impl Crew<'_> {
    /// Starts workers on free seats.
    pub(super) fn hire(&mut self) -> anyhow::Result<()> {
        let free = self.seats.iter().filter(|&&seat| seat == Seat::Free);
        if self.members.len() + free.count() == self.seats.len() || self.begins_no_more() {
            return Ok(());
        }
        let taken: HashSet<u32> = self.members.values().map(|m| m.seat).collect();
        for seat in (0..self.seats.len() as u32).filter(|seat| !taken.contains(seat)) {
            let id = WorkerId(self.born + 1);
            // Other machines have memory of their own.
            let memory = match self.seats[seat as usize] {
                Seat::Here => self.part_of_new(),
                Seat::Free | Seat::On(_) => self.plan.welcome.memory,
            };
            let welcome = Welcome {
                seat,
                number: seat,
                memory,
                elapsed: self.recorder.progress.elapsed(),
                ..self.plan.welcome.clone()
            };
            let welcome = link::bytes(&welcome).into();
            let member = match self.seats[seat as usize] {
                Seat::Free => continue,
                Seat::Here => {
                    let started = self.around.start(id);
                    let process = started.context("a worker cannot be started")?;
                    self.pids().extend(process.pid());
                    let mut member = Member::new(process, seat, None);
                    member.memory = memory;
                    member.say(ToWorker::Welcome(welcome));
                    member
                }
                Seat::On(node) => {
                    let Some(wire) = self.nodes.wire(node) else {
                        continue;
                    };
                    let worker = id.0;
                    wire.say(ToNode::Start { worker, welcome });
                    let carrier = Remote { worker, wire };
                    Member::new(Box::new(carrier), seat, Some(node))
                }
            };
            self.born += 1;
            self.members.insert(id, member);
        }
        Ok(())
    }
}
