//! A part of the frontier on its way to another process: inputs and conditions in a form that does not depend on numbers that hold
//! in one process only.

use crate::part::{Cutoff, OpenSide, Part};
use crate::target::Input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solver::{Model, Why};
use term::Term;

/// The side of a branch that the solver did not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undecided {
    /// The reason.
    pub why: Why,
    /// The effort that was not enough.
    pub effort: u64,
}

/// Knows the names of the symbols in inputs and conditions; implemented by the owner of the terms.
pub trait Names {
    /// An input by names.
    type Contents;
    /// Conditions by names.
    type Conditions;
    /// An input, as others know it.
    fn contents(&self, input: &Model) -> Self::Contents;
    /// Conditions, as others know them.
    fn conditions(&self, terms: &[Term]) -> Self::Conditions;
    /// An input that others sent.
    ///
    /// # Errors
    /// In words: it makes no sense here, or the run has to end.
    fn input(&mut self, contents: &Self::Contents) -> Result<Model, String>;
    /// Conditions that others sent, in their order.
    ///
    /// # Errors
    /// In words: they make no sense here, or the run has to end.
    fn rebuild(&mut self, conditions: &Self::Conditions) -> Result<Vec<Term>, String>;
}

/// The side of a decision that no run took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PortableSide {
    /// The number of the decision.
    at: u32,
    /// How many alternatives others took there.
    others: u32,
    effort: u64,
    undecided: Option<Undecided>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Left<I, C> {
    /// The open sides on the path of an input that was run: the alternatives that were taken with their negations, the
    /// end with the steps of the next attempt if the run was cut, and the number of the instruction that makes the
    /// last of the decisions.
    Path {
        sides: Vec<PortableSide>,
        others: C,
        cutoff: Option<(u32, u64)>,
        step: u64,
    },
    /// All of the input's paths, and further inputs.
    Inputs { more: Vec<I>, is_first: bool },
}

/// See the module. `I` is an input by names, `C` are conditions ([`Names`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortablePart<I, C> {
    /// Which of the target's starts it is for.
    pub start: u32,
    /// An input.
    pub objects: I,
    left: Left<I, C>,
}

impl<I, C> PortablePart<I, C> {
    /// A part of what `names` makes the terms of.
    pub fn of<N>(names: &N, part: &Part) -> PortablePart<I, C>
    where
        N: Names<Contents = I, Conditions = C>,
        I: Default,
    {
        match part {
            Part::Path {
                input,
                sides,
                cutoff,
                step,
            } => {
                let others = sides.iter().flat_map(|side| &side.others);
                let others: Vec<_> = others.flat_map(|&(taken, other)| [taken, other]).collect();
                let open = |side: &OpenSide| PortableSide {
                    at: side.at as u32,
                    others: side.others.len() as u32,
                    effort: side.effort,
                    undecided: side.parked.map(|why| Undecided {
                        why,
                        effort: side.effort,
                    }),
                };
                PortablePart {
                    start: input.start as u32,
                    objects: names.contents(&input.values),
                    left: Left::Path {
                        sides: sides.iter().map(open).collect(),
                        others: names.conditions(&others),
                        cutoff: cutoff.map(|c| (c.at as u32, c.steps)),
                        step: *step,
                    },
                }
            }
            Part::Inputs {
                start,
                inputs,
                is_first,
            } => {
                let mut all = inputs.iter().map(|input| names.contents(input));
                PortablePart {
                    start: *start as u32,
                    objects: all.next().unwrap_or_default(),
                    left: Left::Inputs {
                        more: all.collect(),
                        is_first: *is_first,
                    },
                }
            }
        }
    }

    /// The same part in the terms of `names`.
    ///
    /// # Errors
    /// In words: it contradicts itself, or the run has to end.
    pub fn part<N>(self, names: &mut N) -> Result<Part, String>
    where
        N: Names<Contents = I, Conditions = C>,
    {
        let start = self.start as usize;
        let values = names.input(&self.objects)?;
        match self.left {
            Left::Path {
                sides,
                others,
                cutoff,
                step,
            } => {
                let terms = names.rebuild(&others)?;
                let mut pairs = terms.chunks_exact(2).map(|two| (two[0], two[1]));
                let side = |side: PortableSide| {
                    let others: Vec<_> = pairs.by_ref().take(side.others as usize).collect();
                    if others.len() < side.others as usize {
                        return Err("an alternative is missing".to_string());
                    }
                    Ok(OpenSide {
                        at: side.at as usize,
                        others,
                        effort: side.effort,
                        parked: side.undecided.map(|u| u.why),
                    })
                };
                Ok(Part::Path {
                    input: Input { start, values },
                    sides: sides.into_iter().map(side).collect::<Result<_, String>>()?,
                    cutoff: cutoff.map(|(at, steps)| Cutoff {
                        at: at as usize,
                        steps,
                    }),
                    step,
                })
            }
            Left::Inputs { more, is_first } => {
                let more: Result<Vec<_>, String> =
                    more.iter().map(|one| names.input(one)).collect();
                Ok(Part::Inputs {
                    start,
                    inputs: std::iter::once(values).chain(more?).collect(),
                    is_first,
                })
            }
        }
    }

    /// How many open sides, cut runs or inputs it is.
    pub fn len(&self) -> usize {
        match &self.left {
            Left::Path { sides, cutoff, .. } => sides.len() + usize::from(cutoff.is_some()),
            Left::Inputs { more, .. } => more.len() + 1,
        }
    }

    /// Is it nothing?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Encodes it.
    pub fn to_bytes(&self) -> Vec<u8>
    where
        I: Serialize,
        C: Serialize,
    {
        postcard::to_stdvec(self).expect("plain values can be written")
    }

    /// From bytes.
    ///
    /// # Errors
    /// In words: they are no part.
    pub fn from_bytes(bytes: &[u8]) -> Result<PortablePart<I, C>, String>
    where
        I: DeserializeOwned,
        C: DeserializeOwned,
    {
        postcard::from_bytes(bytes).map_err(|e| format!("no prefix: {e}"))
    }
}
