//! Dispatch: decides which worker explores which prefixes.

use crate::coordinator::{Death, Order, SetAside, Unreadable, WorkerId};
use crate::message::{Commit, Key, New};
use host::shelf::Piece;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The pieces that have come to a frontier and those that have gone since somebody asked last. What came and went meanwhile is in
/// neither.
#[derive(Debug, Default)]
pub struct FrontierChanges {
    /// By their ids.
    pub new: BTreeMap<u64, Arc<Piece>>,
    /// Ids.
    pub gone: Vec<u64>,
}

impl FrontierChanges {
    /// The piece belongs to the frontier from now on.
    pub(crate) fn add(&mut self, piece: &Arc<Piece>) {
        self.new.insert(piece.id(), piece.clone());
    }

    /// It does not any more.
    pub(crate) fn remove(&mut self, piece: &Piece) {
        if self.new.remove(&piece.id()).is_none() {
            self.gone.push(piece.id());
        }
    }
}

/// The bookkeeping of a divided exploration: which worker has what.
///
/// [`Coordinator`](crate::Coordinator) keeps all workers busy; [`Rounds`](crate::Rounds) gives out what does not depend on
/// how many there are.
pub trait Dispatch {
    /// Announces so many workers, so that the first one does not get everything.
    fn expect(&mut self, workers: usize);

    /// A worker is ready, and has nothing to do.
    fn join(&mut self, worker: WorkerId);

    /// A worker has so many live states now.
    fn load(&mut self, worker: WorkerId, states: u64);

    /// Takes prefixes that count with the worker's next commit.
    fn ahead(&mut self, worker: WorkerId, new: Vec<New>);

    /// A worker is gone. What it had goes back to the queue, but for a prefix that has had this end too often: `ran` names
    /// the one that it ran, if it ran one.
    fn died(&mut self, worker: WorkerId, ran: Option<Key>, how: Death) -> Option<SetAside>;

    /// A worker has ended because it has no more to do, or because the run has to end. What it had is left for a later run.
    fn leave(&mut self, worker: WorkerId);

    /// The orders to send now. Each order counts as carried out.
    fn orders(&mut self) -> Vec<(WorkerId, Order)>;

    /// Is everything explored?
    fn is_done(&self) -> bool;

    /// Has this worker something to explore?
    fn has_work(&self, worker: WorkerId) -> bool;

    /// Does this worker wait?
    fn is_idle(&self, worker: WorkerId) -> bool;

    /// Prefixes that wait for a worker.
    fn queued(&self) -> usize;

    /// Prefixes that could not be read again since the last call: no worker explores them.
    fn unreadable(&mut self) -> Option<Unreadable>;

    /// Prefixes that no worker has finished: those that wait, and those of workers that have not ended.
    fn abandoned(&self) -> Vec<Arc<Piece>>;

    /// The whole frontier, as far as the workers have reported it. It is shared: another thread may write it.
    fn frontier(&self) -> Vec<Arc<Piece>>;

    /// The changes of the frontier since the last call, or since the exploration began. `None`: only the whole frontier is known.
    fn changes(&mut self) -> Option<FrontierChanges>;
}

/// When what workers found counts, which the bookkeeping decides, too. `Found` is what one commit found.
pub trait Settle<Found>: Dispatch {
    /// Takes a worker's report on its prefixes. Returns the findings that count from now on, in their order.
    ///
    /// # Errors
    /// It contradicts itself, in words: the worker cannot be believed.
    fn commit(
        &mut self,
        worker: WorkerId,
        commit: Commit,
        found: Found,
    ) -> Result<Vec<Found>, String>;

    /// The run has to end. Returns what counts although something before it is missing.
    fn close(&mut self) -> Vec<Found>;
}
