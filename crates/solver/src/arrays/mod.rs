//! Arrays: abstraction and refinement, and the other encodings to compare it with.
//!
//! The method is that of Shuai, Chen, Zhang, Sun and Wang, "Type and interval aware array
//! constraint solving for symbolic execution" (ISSTA 2021), Alg. 2-4, on circuits instead of terms:
//!
//! * writes are eliminated by read-over-write while a read is lowered (`bitblast::reads`); a read of
//!   a base, or of a long update list, becomes fresh inputs of the circuit ([`abstraction`]);
//! * after each model of the abstraction, `inspect` evaluates the reads of the query and lists what
//!   is violated: content of a constant array, consistency of two reads, a store, an equality;
//! * `refine` adds axioms for these, as permanent clauses: an axiom holds on every path, so it
//!   serves all later queries of the same SAT context;
//! * equality of arrays is a free bit with a witness index for "different"; "equal" is instantiated
//!   at the indices of the query and at a default element ([`equality`]).
//!
//! Each abstract model is shown to the trials. It is evaluated on the original conditions first: a
//! model that happens to satisfy them ends the loop although its reads were wrong.
//!
//! Where we differ from the paper: a window of an index that the executor knew stands in the term;
//! residues come from known bits of the index, so that they are facts and not guesses, and access
//! sizes are only used where these say nothing; axioms are found by evaluation and not listed
//! beforehand; the second round adds all that a violated read can still need, which bounds the number
//! of rounds. Should the typed filter have left out what is needed, the full
//! set is used and counted.

pub(crate) mod abstraction;
pub(crate) mod encode;
pub(crate) mod equality;
pub(crate) mod inspect;
pub(crate) mod method;
pub(crate) mod precheck;
pub(crate) mod refine;
pub(crate) mod scaled;
pub(crate) mod tables;
pub(crate) mod valuation;

pub use method::ArrayMethod;
