//! Prefixes on their way to another process.
//!
//! A [`Prefix`] contains numbers of symbols and terms, which have a meaning in one machine only. In its portable form
//! an input is given by the names of the symbolic objects, and conditions are lists of nodes ([`PortableTerms`]).

use crate::errors::Termination;
use crate::floats::PortableFloats;
use crate::lease::Lease;
use crate::machine::Machine;
pub use crate::named::{Contents, PortableConditions};
use crate::prefix::Prefix;
use crate::state::{PathProgress, State};
use crate::steps::Steps;
use crate::trail::{Choice, Trail};
use dse::Undecided;
use ir::{Pc, SiteId};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use solver::{Conjunct, Origin};
use std::collections::{HashMap, HashSet};
use term::{Assignment, PackedAssignment, PortableTerms, Symbol, Term};

/// An input in numbers of a machine's symbols, as others know it.
pub(crate) fn contents(m: &Machine, input: &PackedAssignment) -> Contents {
    contents_of(m, input.bytes())
}

/// The same of an input given by the values of its symbols in ascending order, of those that are not 0.
pub(crate) fn contents_of(m: &Machine, input: impl Iterator<Item = (Symbol, u8)>) -> Contents {
    let mut objects: Vec<(&str, ByteBuf)> = Vec::new();
    // The symbols of the latest object: those of one object follow each other.
    let mut known = 0..0;
    for (symbol, value) in input {
        if !known.contains(&symbol.0) {
            let Some((name, len, at)) = m.owner(symbol) else {
                continue;
            };
            let first = symbol.0 - at as u32;
            known = first..first + len as u32;
            objects.push((name, vec![0; len].into()));
        }
        if let Some((_, bytes)) = objects.last_mut() {
            bytes[(symbol.0 - known.start) as usize] = value;
        }
    }
    objects.sort_by(|a, b| (a.0, a.1.len()).cmp(&(b.0, b.1.len())));
    let named = objects.into_iter();
    named.map(|(name, bytes)| (name.into(), bytes)).collect()
}

/// The same for a machine.
///
/// # Errors
/// In words: the run has to end.
pub(crate) fn input(m: &mut Machine, contents: &Contents) -> Result<Assignment, String> {
    let mut input = Assignment::new();
    for (name, bytes) in contents {
        let symbols = m.symbols_of(name, bytes.len()).map_err(must_end)?;
        for (&symbol, &byte) in symbols.iter().zip(bytes.iter()) {
            input.set(symbol, u64::from(byte));
        }
    }
    Ok(input)
}

fn must_end(_: Termination) -> String {
    "the run has to end".into()
}

impl PortableConditions {
    /// These terms of a machine.
    pub fn of(m: &Machine, terms: &[Term]) -> PortableConditions {
        if terms.is_empty() {
            return PortableConditions::default();
        }
        let mut asked = HashSet::new();
        for &term in terms {
            for symbol in m.reason.pool.set_iter(m.reason.pool.symbols(term)) {
                let owner = m.owner(symbol);
                asked.extend(owner.map(|(name, len, _)| (name.to_string(), len as u64)));
            }
        }
        PortableConditions {
            terms: PortableTerms::of(&m.reason.pool, terms),
            asked: asked.into_iter().collect(),
        }
    }

    /// The same for a machine, in their order.
    ///
    /// # Errors
    /// In words: they make no sense, or the run has to end.
    pub fn rebuild(&self, m: &mut Machine) -> Result<Vec<Term>, String> {
        let mut known: HashMap<String, Symbol> = HashMap::new();
        for (name, len) in &self.asked {
            let symbols = m.symbols_of(name, *len as usize).map_err(must_end)?;
            let named = symbols.iter().enumerate();
            known.extend(named.map(|(i, &symbol)| (format!("{name}[{i}]"), symbol)));
        }
        let known = |name: &str| known.get(name).copied();
        self.terms.rebuild(&mut m.reason.pool, &known)
    }
}

/// A prefix that another process can follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortablePrefix {
    /// Which of the first states it began as.
    pub start: u32,
    /// An input that takes the path.
    pub objects: Contents,
    /// The choices made on the way.
    steps: Steps,
    /// Hash of the sites that it passed.
    pub hash: u64,
    pc: Pc,
    progress: PathProgress,
    /// Conditions of the instruction that waits to be executed again, with their origins.
    pending: PortableConditions,
    origins: Vec<Origin>,
    retries: u32,
    floats: PortableFloats,
    recent_branches: u64,
    site: SiteId,
    callers: Vec<Pc>,
    concretized: bool,
    waits: bool,
    pub(crate) undecided: Option<Undecided>,
    pub(crate) pruned: Pruned,
}

/// What learned pruning did with a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pruned {
    /// Nothing, since it ran last.
    #[default]
    Not,
    /// It left a test where it stands.
    HasTest,
    /// The same, and it waits to be taken up again.
    Waits,
}

impl PortablePrefix {
    /// The portable form of a prefix of this machine. `undecided` says more if it is that of a parked side.
    pub(crate) fn of(m: &Machine, prefix: &Prefix, undecided: Option<Undecided>) -> PortablePrefix {
        let pending: Vec<Term> = prefix.pending.iter().map(|c| c.term).collect();
        PortablePrefix {
            start: prefix.start,
            objects: contents(m, &prefix.witness),
            steps: Steps::of(&prefix.trail),
            hash: prefix.hash,
            pc: prefix.pc,
            progress: prefix.progress,
            pending: PortableConditions::of(m, &pending),
            origins: prefix.pending.iter().map(|c| c.origin).collect(),
            retries: prefix.retries,
            floats: PortableFloats::of(&prefix.floats),
            recent_branches: prefix.recent_branches,
            site: prefix.site,
            callers: prefix.callers.to_vec(),
            concretized: prefix.concretized,
            waits: prefix.waits,
            undecided,
            pruned: Pruned::Not,
        }
    }

    /// The portable form of a live state's prefix, without a copy of it between. A run that records its frontier makes thousands a
    /// second.
    pub(crate) fn of_state(m: &Machine, s: &State, undecided: Option<Undecided>) -> PortablePrefix {
        let pending: Vec<Term> = s.pending_conditions().map(|c| c.term).collect();
        PortablePrefix {
            start: s.start,
            objects: contents_of(m, s.witness.bytes()),
            steps: Steps::of(&s.trail),
            hash: s.hot.hash,
            pc: s.hot.pc,
            progress: s.progress,
            pending: PortableConditions::of(m, &pending),
            origins: s.pending_conditions().map(|c| c.origin).collect(),
            retries: s.retries,
            floats: PortableFloats::of(&s.floats),
            recent_branches: s.recent_branches,
            site: s.hot.site,
            callers: s.callers().collect(),
            concretized: s.concretized,
            waits: s.is_deferred,
            undecided,
            pruned: Pruned::Not,
        }
    }

    /// The same, of a state with which learned pruning did this.
    pub(crate) fn pruned(mut self, pruned: Pruned) -> PortablePrefix {
        self.pruned = pruned;
        self
    }

    /// The same prefix for a machine, as the lease of this number.
    ///
    /// # Errors
    /// In words: it contradicts itself, or the run has to end.
    pub(crate) fn prefix(self, m: &mut Machine, lease: u64) -> Result<Prefix, String> {
        let witness = input(m, &self.objects)?;
        let terms = self.pending.rebuild(m)?;
        if terms.len() != self.origins.len() {
            return Err("a condition without an origin".into());
        }
        let pending = terms.into_iter().zip(self.origins.iter().copied());
        let pending = pending.map(|(term, origin)| Conjunct { term, origin });
        Ok(Prefix {
            start: self.start,
            witness: witness.pack(),
            trail: Trail::of(self.choices()?),
            hash: self.hash,
            pc: self.pc,
            progress: self.progress,
            pending: pending.collect(),
            retries: self.retries,
            floats: self.floats.floats(),
            recent_branches: self.recent_branches,
            site: self.site,
            callers: self.callers.into(),
            concretized: self.concretized,
            waits: self.waits,
            lease: Lease::adopted(lease),
        })
    }

    /// The choices made on the way, oldest first.
    ///
    /// # Errors
    /// In words: they make no sense.
    pub fn choices(&self) -> Result<Vec<Choice>, String> {
        self.steps.choices()
    }

    /// Forks on the path.
    pub(crate) fn depth(&self) -> u32 {
        self.progress.depth
    }

    /// Has the path covered something new that was not reported yet?
    pub(crate) fn is_unsaved(&self) -> bool {
        self.progress.covered_new
    }

    /// Has it an earlier place from which its floats are simulated, and paths that were explored from there on?
    pub(crate) fn has_explored(&self) -> bool {
        self.floats.has_explored()
    }

    /// Instructions on the path.
    pub fn instructions(&self) -> u64 {
        self.progress.instructions
    }

    /// Adds its bytes.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        *to = postcard::to_extend(self, std::mem::take(to)).expect("plain values can be written");
    }

    /// Encodes it, in no more room than it takes: prefixes wait by the hundred thousand.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = postcard::to_stdvec(self).expect("plain values can be written");
        bytes.shrink_to_fit();
        bytes
    }

    /// From bytes.
    ///
    /// # Errors
    /// In words: they are no prefix.
    pub fn from_bytes(bytes: &[u8]) -> Result<PortablePrefix, String> {
        postcard::from_bytes(bytes).map_err(|e| format!("no prefix: {e}"))
    }
}

/// The prefixes of states that have not begun, as bytes: what a run has to explore.
pub fn first_prefixes(m: &Machine, first: &[Box<State>]) -> Vec<Vec<u8>> {
    let prefix = |s: &State| PortablePrefix::of(m, &Prefix::of(s), None);
    first.iter().map(|s| prefix(s).to_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::Why;

    fn prefix(origins: Vec<Origin>, undecided: Option<Undecided>) -> PortablePrefix {
        PortablePrefix {
            start: 0,
            objects: Vec::new(),
            steps: Steps::default(),
            hash: 0,
            pc: 0,
            progress: PathProgress::default(),
            pending: PortableConditions::default(),
            origins,
            retries: 0,
            floats: PortableFloats::Untouched,
            recent_branches: 0,
            site: 0,
            callers: Vec::new(),
            concretized: false,
            waits: false,
            undecided,
            pruned: Pruned::Not,
        }
    }

    /// The only place in which two lists of bytes of one length differ.
    fn difference(a: &[u8], b: &[u8]) -> usize {
        assert_eq!(a.len(), b.len());
        let differing: Vec<usize> = (0..a.len()).filter(|&i| a[i] != b[i]).collect();
        assert_eq!(differing.len(), 1, "{differing:?}");
        differing[0]
    }

    #[test]
    fn an_origin_that_nobody_knows_is_refused() {
        let all = [
            Origin::Branch,
            Origin::BoundsCheck,
            Origin::Assume,
            Origin::Concretized,
            Origin::Check,
            Origin::Resolve,
        ];
        let whole = prefix(all.to_vec(), None);
        assert_eq!(PortablePrefix::from_bytes(&whole.to_bytes()), Ok(whole));
        let mut bytes = prefix(vec![Origin::Branch], None).to_bytes();
        let other = prefix(vec![Origin::Resolve], None).to_bytes();
        let at = difference(&bytes, &other);
        bytes[at] = all.len() as u8;
        assert!(PortablePrefix::from_bytes(&bytes).is_err());
    }

    #[test]
    fn a_reason_that_nobody_knows_is_refused() {
        let of = |why| prefix(Vec::new(), Some(Undecided { why, effort: 9 }));
        for why in [Why::Timeout, Why::Internal, Why::Incomplete] {
            assert_eq!(PortablePrefix::from_bytes(&of(why).to_bytes()), Ok(of(why)));
        }
        let construct = PortablePrefix::from_bytes(&of(Why::Unsupported("x")).to_bytes());
        let why = construct.expect("a prefix").undecided.expect("a side").why;
        assert_eq!(why, Why::Unsupported("a construct"));
        let mut bytes = of(Why::Timeout).to_bytes();
        let at = difference(&bytes, &of(Why::Incomplete).to_bytes());
        bytes[at] += 99;
        assert!(PortablePrefix::from_bytes(&bytes).is_err());
    }
}
