//! Showing the world's terms to the collector of the term pool.
//!
//! States share most of their world by `Rc`, and the collector must see each handle exactly once
//! per pass (it rewrites what it is shown). So a pass carries one `Seen` over all states, keyed by
//! the addresses of the shared parts.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use term::Term;

use crate::bytes::Chunk;

/// The shared parts that a pass of the collector has already visited. Use one per pass over *all*
/// worlds, and do not change a world during the pass.
#[derive(Default, Debug)]
pub struct Seen(FxHashSet<*const ()>);

pub(crate) struct Tracer<'a> {
    pub(crate) seen: &'a mut Seen,
    pub(crate) visit: &'a mut dyn FnMut(&mut Term),
}

impl Tracer<'_> {
    /// Whether this shared part has not been visited in this pass; marks it.
    pub(crate) fn first_visit<T: ?Sized>(&mut self, shared: &Rc<T>) -> bool {
        self.seen.0.insert(Rc::as_ptr(shared) as *const ())
    }

    pub(crate) fn chunk(&mut self, chunk: &Rc<Chunk>) {
        if self.first_visit(chunk) {
            chunk.trace(self.visit);
        }
    }
}
