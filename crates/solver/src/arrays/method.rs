//! The configurations of array solving: names and traits. The table of their traits is in `papers`, see
//! [`ArrayMethod::traits`].

use crate::circuit::circuits::Bits;
use crate::circuit::{Circuit, Lowered};
use crate::query::Why;
use term::{Pool, Term};

/// How reads of arrays are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum ArrayMethod {
    /// The configuration that measured best.
    #[default]
    Auto,
    /// KLEE's original encoding.
    Flush,
    /// KLEE's assertion encoding with STP's refinement.
    Assertion,
    /// The same after the pre-check over integers ("Opt 1").
    AssertionPrecheck,
    /// Repeated values of constant arrays merged, after KLEE-Array's value-based transformation.
    ArraySimplify,
    /// KLEE-Array: conditions on one index as ranges of it, other reads as choices between distinct elements.
    KleeArray,
    /// Refinement on demand.
    Cegar,
    /// The same after the pre-check, within its intervals.
    CegarPrecheck,
    /// The same with access types.
    CegarPrecheckTyped,
}

impl ArrayMethod {
    /// Every configuration with its name on the command line and one line of help.
    pub const ALL: &'static [(&'static str, ArrayMethod, &'static str)] = &[
        (
            "auto",
            ArrayMethod::Auto,
            "multiplexers over the window of an index, refinement for free arrays and large windows",
        ),
        (
            "flush",
            ArrayMethod::Flush,
            "constant arrays as a chain of writes, one comparison for each element",
        ),
        (
            "assertion",
            ArrayMethod::Assertion,
            "constant arrays as assertions; violated axioms first, then all",
        ),
        (
            "assertion+precheck",
            ArrayMethod::AssertionPrecheck,
            "assertion after a check over integers",
        ),
        (
            "array-simplify",
            ArrayMethod::ArraySimplify,
            "constant arrays as choices between their distinct values",
        ),
        (
            "klee-array",
            ArrayMethod::KleeArray,
            "conditions on constant arrays at one index as ranges of it; else choices between distinct elements",
        ),
        (
            "cegar",
            ArrayMethod::Cegar,
            "reads abstracted, axioms on demand",
        ),
        (
            "cegar+precheck",
            ArrayMethod::CegarPrecheck,
            "cegar after a check over integers, within the intervals that it finds",
        ),
        (
            "cegar+precheck+typed",
            ArrayMethod::CegarPrecheckTyped,
            "cegar+precheck with only the axioms that access types leave",
        ),
    ];

    /// The configuration of this name.
    ///
    /// # Errors
    /// The list of names, when there is none.
    pub fn by_name(name: &str) -> Result<ArrayMethod, String> {
        let found = ArrayMethod::ALL.iter().find(|(n, ..)| *n == name);
        found.map(|&(_, method, _)| method).ok_or_else(|| {
            let names: Vec<&str> = ArrayMethod::ALL.iter().map(|(n, ..)| *n).collect();
            format!(
                "unknown array method '{name}'; there are {}",
                names.join(", ")
            )
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = ArrayMethod::ALL.iter().find(|(_, m, _)| *m == self);
        found.map_or("", |(name, ..)| name)
    }
}

/// Builds the element of constant content at an index that is not constant, whole: content, index, bits of an element.
pub(crate) type WholeContent = fn(&mut Circuit, &[u8], &Bits, usize) -> Result<Bits, Why>;

/// Builds a term that reads constant content as a whole, if the method has a way to; otherwise its operator's circuit is built.
/// Terms that need bits first go onto the work list.
pub(crate) type WholeTerm = fn(&mut Circuit, &Pool, Term, &mut Vec<Term>) -> Lowered;

/// How constant content is read at an index that is not constant.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// A multiplexer over the index's window; abstract if the window is too wide or its elements too irregular.
    Window,
    /// One circuit, at once.
    Whole(WholeContent),
    /// Abstract, with axioms on demand.
    Abstract,
}

/// The elements of content that a read can need axioms of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Necessary {
    /// All.
    All,
    /// Those in the index's window.
    Window,
    /// Only those that known bits and the access type allow.
    Typed,
}

/// The traits of a configuration.
pub(crate) struct Traits {
    pub content: Content,
    /// Builds terms above reads, in place of their operators' circuits.
    pub whole: Option<WholeTerm>,
    /// Are long update lists abstracted?
    pub is_lazy: bool,
    /// Are elements at `stride * k + offset` read at `k`?
    pub scales: bool,
    /// Are the necessary elements of a read given together?
    pub gives_together: bool,
    /// Is the query checked over integers first?
    pub prechecks: bool,
    /// Are the conjuncts of a path asserted on demand ([`on_demand`](crate::on_demand)), and not at once?
    pub on_demand: bool,
    pub necessary: Necessary,
    /// Are all axioms given in the second round, where the first had only those that were violated?
    pub all_at_once: bool,
}

/// The configuration that measured best.
pub(super) const AUTO: Traits = Traits {
    content: Content::Window,
    whole: None,
    is_lazy: true,
    scales: true,
    gives_together: true,
    prechecks: false,
    on_demand: true,
    necessary: Necessary::Typed,
    all_at_once: false,
};
