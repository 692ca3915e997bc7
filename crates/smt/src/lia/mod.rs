//! Quantifier-free linear integer arithmetic beside bit-vectors: CDCL(T) over batsat and the exact
//! integers of `linear`.
//!
//! `encode` turns conditions into circuits, clauses and bounds, `root` looks at what holds before any choice, `theory` runs
//! under the SAT search, `trails` notes what the search tries, `decide` reads the model, `alternate` takes two encodings in turn. Queries without integers are not touched.
//! Incomplete where the integers have no bounds and no equation or cut helps: then the ticks end
//! the query as `unknown`.

mod alternate;
mod decide;
mod digits;
mod encode;
mod layer;
mod numbers;
mod polarity;
mod propagator;
mod ranges;
mod root;
mod sum;
mod theory;
mod trails;

pub(crate) use layer::Lia;

#[cfg(test)]
mod tests;
