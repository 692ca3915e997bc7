//! The machines that have joined the run: the state of each, and messages to all.

use super::super::cluster::hall::{Line, NodeEvent, Offer};
use super::super::cluster::ray::Launcher;
use super::super::cluster::{Invitation, Wire};
use super::super::member::{Event, Fate, NodeId};
use super::super::{MOST, MOST_OF_ALL};
use super::{Crew, STILLBORN, Seat, Surroundings};
use crate::record::Recorder;
use anyhow::Context;
use explore::Place;
use fleet::net::message::{FromNode, Seen, ToNode};
use fleet::{Death, WorkerId};
use host::Cause;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long it may take at the end to tell all machines of it.
const GOODBYE: Duration = Duration::from_secs(1);
/// Number of refused strangers that are reported to the user.
const TOLD: u32 = 20;

/// The address where machines may join, and the data that they get.
pub struct Cluster {
    pub invitation: Invitation,
    pub offer: Offer,
}

struct Node {
    line: Line,
    /// Its last report.
    seen: Seen,
    /// Forks elsewhere that were reported to it.
    others: u64,
    /// The weight of deaths of its workers before their first message.
    stillborn: u32,
    /// The connection is gone.
    is_lost: bool,
}

/// See the module.
#[derive(Default)]
pub(super) struct Nodes {
    nodes: BTreeMap<NodeId, Node>,
    /// Processor time of those that are gone, in milliseconds.
    spent_ms: u64,
    refused: u32,
    launcher: Option<Launcher>,
}

impl Nodes {
    /// Lets machines join from now on.
    pub fn open(
        cluster: Cluster,
        around: &mut dyn Surroundings,
        recorder: &mut Recorder,
    ) -> anyhow::Result<Nodes> {
        let Invitation { entrance, launcher } = cluster.invitation;
        let address = entrance.door.address;
        let is_open = launcher.is_none();
        let admitted = around.admit(entrance, cluster.offer);
        admitted.context("cannot wait for workers")?;
        if is_open {
            recorder.progress.note(&format!(
                "further machines can join: polypath worker --connect {address}"
            ));
        }
        Ok(Nodes {
            launcher,
            ..Nodes::default()
        })
    }

    /// The connection to a node, if it is there.
    pub fn wire(&self, id: NodeId) -> Option<Wire> {
        let node = self.nodes.get(&id).filter(|node| !node.is_lost);
        node.map(|node| node.line.wire.clone())
    }

    /// A worker of it has begun.
    pub fn works(&mut self, id: NodeId) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.stillborn = 0;
        }
    }

    pub fn is_lost(&self, id: NodeId) -> bool {
        self.nodes.get(&id).is_none_or(|node| node.is_lost)
    }

    /// Tells all nodes the newly covered places.
    pub fn tell_covered(&self, places: Vec<Place>) {
        if places.is_empty() {
            return;
        }
        for node in self.nodes.values() {
            node.line.wire.say(ToNode::Covered(places.clone()));
        }
    }

    /// Bytes of memory of all.
    pub fn memory(&self) -> u64 {
        self.nodes.values().map(|node| node.seen.memory).sum()
    }

    /// Processor time of all, also of those that are gone.
    pub fn cpu_s(&self) -> f64 {
        let live = self.nodes.values().map(|node| node.seen.cpu_ms);
        (live.sum::<u64>() + self.spent_ms) as f64 / 1e3
    }

    /// Tells all nodes that the run has ended.
    pub fn finish(&mut self) {
        let end = Instant::now() + GOODBYE;
        let mut writers = Vec::new();
        for node in std::mem::take(&mut self.nodes).into_values() {
            self.spent_ms += node.seen.cpu_ms;
            node.line.wire.say(ToNode::Finished);
            writers.push(node.line.writer);
        }
        while writers.iter().any(|w| !w.is_finished()) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Crew<'_> {
    pub(super) fn hear_node(&mut self, id: NodeId, event: NodeEvent) -> anyhow::Result<()> {
        match event {
            NodeEvent::Refused(peer, why) => {
                self.nodes.refused += 1;
                let text = match self.nodes.refused {
                    ..TOLD => format!("{peer} is refused: {why}"),
                    TOLD => format!("{peer} is refused: {why} (further refusals are not reported)"),
                    _ => return Ok(()),
                };
                self.recorder.progress.say(&text);
                Ok(())
            }
            NodeEvent::Unfit(peer, why) => {
                let text = format!("{peer} cannot work for this run: {why}");
                self.recorder.progress.say(&text);
                Ok(())
            }
            NodeEvent::Ready { line, workers } => {
                self.arrived(id, line, workers);
                Ok(())
            }
            NodeEvent::Told(said) => self.told(id, said),
            NodeEvent::Gone(why) => self.lost(id, &why),
        }
    }

    /// A machine is there: its workers are started as those of this one.
    fn arrived(&mut self, id: NodeId, line: Line, workers: u32) {
        let peer = line.peer;
        let on_nodes = self.seats.iter().filter(|s| matches!(s, Seat::On(_)));
        let left = MOST_OF_ALL - on_nodes.count() as u32;
        if workers > MOST || workers > left || self.is_ending {
            let why = if self.is_ending {
                "the run is about to end".to_string()
            } else {
                format!(
                    "{workers} workers are too many, there is room for {}",
                    left.min(MOST)
                )
            };
            self.recorder
                .progress
                .say(&format!("{peer} is refused: {why}"));
            line.wire.say(ToNode::Refused(why));
            return;
        }
        let covered = self.covered.iter().copied().collect();
        line.wire.say(ToNode::Covered(covered));
        let mut wanted = workers;
        for seat in self.seats.iter_mut().filter(|s| **s == Seat::Free) {
            if wanted == 0 {
                break;
            }
            *seat = Seat::On(id);
            wanted -= 1;
        }
        for _ in 0..wanted {
            self.seats.push(Seat::On(id));
        }
        self.departed
            .resize_with(self.seats.len(), Default::default);
        self.died.resize(self.seats.len(), 0);
        let node = Node {
            line,
            seen: Seen::default(),
            others: 0,
            stillborn: 0,
            is_lost: false,
        };
        self.nodes.nodes.insert(id, node);
        self.recorder
            .progress
            .note(&format!("{peer} joins with {workers} workers"));
    }

    fn told(&mut self, id: NodeId, said: FromNode) -> anyhow::Result<()> {
        let Some(node) = self.nodes.nodes.get_mut(&id).filter(|node| !node.is_lost) else {
            return Ok(());
        };
        let is_of_node = |worker: u32| {
            let member = self.members.get(&WorkerId(worker));
            member.is_some_and(|m| m.node == Some(id))
        };
        match said {
            FromNode::Said { worker, message } if is_of_node(worker) => {
                self.hear_worker(Event::Said(WorkerId(worker), message))
            }
            FromNode::Ended {
                worker,
                lease,
                crashed,
                how,
            } if is_of_node(worker) => {
                let worker = WorkerId(worker);
                if let Some(member) = self.members.get_mut(&worker) {
                    self.plan.board.see(member.seat, lease, 0);
                    let death = if crashed {
                        Death::Crashed
                    } else {
                        Death::Killed
                    };
                    let words = format!("{how}, on {}", node.line.peer);
                    member.fate = Some(Fate { death, words });
                }
                self.gone(worker)
            }
            FromNode::Seen(seen) => {
                for &(worker, lease, live) in &seen.workers {
                    if let Some(member) = self.members.get(&WorkerId(worker))
                        && member.node == Some(id)
                    {
                        self.plan.board.see(member.seat, lease, live);
                    }
                }
                self.plan
                    .board
                    .add_forks(seen.forks.saturating_sub(node.seen.forks));
                node.seen = seen;
                Ok(())
            }
            // Of a worker that the run has given up.
            FromNode::Said { .. } | FromNode::Ended { .. } => Ok(()),
            FromNode::WantsProgram
            | FromNode::Prepares
            | FromNode::Unfit(_)
            | FromNode::Ready { .. } => self.refuse(id, "it makes no sense"),
        }
    }

    /// The run has no use for a machine.
    pub(super) fn refuse(&mut self, id: NodeId, why: &str) -> anyhow::Result<()> {
        if let Some(wire) = self.nodes.wire(id) {
            wire.say(ToNode::Refused(why.into()));
        }
        self.lost(id, why)
    }

    /// A machine is gone: what its workers had goes to others.
    fn lost(&mut self, id: NodeId, why: &str) -> anyhow::Result<()> {
        let Some(node) = self.nodes.nodes.get_mut(&id).filter(|node| !node.is_lost) else {
            return Ok(());
        };
        node.is_lost = true;
        let peer = node.line.peer;
        for seat in self.seats.iter_mut().filter(|s| **s == Seat::On(id)) {
            *seat = Seat::Free;
        }
        let members = self.members.iter().filter(|(_, m)| m.node == Some(id));
        let workers: Vec<WorkerId> = members.map(|(&worker, _)| worker).collect();
        if !self.is_ending {
            self.recorder.progress.say(&format!(
                "{peer} is lost with {} workers ({why}); their part goes to others",
                workers.len()
            ));
        }
        for worker in workers {
            self.gone(worker)?;
        }
        if let Some(node) = self.nodes.nodes.remove(&id) {
            self.nodes.spent_ms += node.seen.cpu_ms;
        }
        Ok(())
    }

    /// A worker of a machine ended before its first message; if that happens again and again, the machine is useless.
    pub(super) fn stillborn_on(
        &mut self,
        id: NodeId,
        death: Death,
        words: &str,
    ) -> anyhow::Result<()> {
        let Some(node) = self.nodes.nodes.get_mut(&id) else {
            return Ok(());
        };
        node.stillborn += death.weight();
        if node.stillborn < STILLBORN || node.is_lost {
            return Ok(());
        }
        self.refuse(id, &format!("workers end before they begin: {words}"))
    }

    /// Tells machines the number of forks elsewhere, enforces the limit of the processor time of all, and checks
    /// whether the launcher still starts workers.
    pub(super) fn look_at_nodes(&mut self) {
        let failure = self.nodes.launcher.as_ref().and_then(Launcher::failure);
        if let Some(why) = failure {
            self.recorder.progress.say(&format!("Ray: {why}"));
            if self.members.is_empty() {
                self.recorder.progress.say("no worker is left");
                self.plan.stop.set(Cause::Signal);
            }
        }
        let forks = self.plan.board.forks();
        for node in self.nodes.nodes.values_mut() {
            let others = forks - node.seen.forks;
            if others > node.others {
                node.others = others;
                node.line.wire.say(ToNode::Forks(others));
            }
        }
        let most = self.plan.cpu_time;
        if !most.is_zero()
            && self.nodes.cpu_s() > 0.0
            && self.recorder.cpu_s() >= most.as_secs_f64()
        {
            self.plan.stop.set(Cause::CpuTime);
        }
    }
}
