//! Quantifier-free linear integer arithmetic beside bit-vectors: CDCL(T) over batsat and the exact
//! integers of `linear`.
//!
//! `encode` turns conditions into circuits, clauses and bounds, `theory` runs under the SAT search,
//! `decide` reads the model. Queries without integers are not touched.
//! Incomplete where the integers have no bounds and no equation or cut helps: then the ticks end
//! the query as `unknown`.

mod decide;
mod digits;
mod encode;
mod numbers;
mod polarity;
mod propagator;
mod ranges;
mod sum;
mod theory;

pub(crate) use decide::decide;
