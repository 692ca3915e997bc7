//! The layers past the byte domains' fast path, one file each.
//!
//! A layer answers, or says `Unknown(Why::Incomplete)` to hand the query on; any other `Unknown` is remembered as the
//! reason in case no layer answers. Where more effort might help it says `Unknown(Why::Budget)` ([`allowance`]). After a query is decided, every layer may learn from it. To add a layer: a file
//! here, its `mod` line, its row in `layer_id.rs`, whose order is that of the chain, and its arm in
//! [`crate::registry`].

pub(crate) mod allowance;
pub(crate) mod blast;
pub(crate) mod cores;
pub(crate) mod domains;
pub(crate) mod enumeration;
pub(crate) mod facts;
pub(crate) mod float_intervals;
pub(crate) mod float_search;
pub(crate) mod ilp;
pub(crate) mod intervals;
pub(crate) mod real_box;
pub(crate) mod record;
pub(crate) mod reuse;
pub(crate) mod rewrite;
pub(crate) mod search;
pub(crate) mod small_float;
pub(crate) mod without_floats;

pub(crate) use allowance::{Allowance, Searched};
pub(crate) use blast::Blast;
pub(crate) use float_search::{FloatSearch, SearchLimits};
