//! A part of what is left to explore on its way to another process: inputs by the names of the symbolic objects, and conditions as
//! lists of nodes, as in a [`PortablePrefix`](crate::PortablePrefix).

use crate::machine::Machine;
use crate::portable::{Conditions, Contents, Undecided, contents, input};
use dse::{Cutoff, Input, Part, Side};
use serde::{Deserialize, Serialize};

/// The side of a decision that nobody took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenSide {
    /// The number of the decision.
    at: u32,
    /// How many alternatives others took there.
    others: u32,
    effort: u64,
    undecided: Option<Undecided>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Left {
    /// Of an input that was run: the sides, the alternatives that others took and their negations, where it was cut and with how
    /// many steps it goes on, and the number of the instruction that makes the last of the decisions.
    Path {
        sides: Vec<OpenSide>,
        others: Conditions,
        cutoff: Option<(u32, u64)>,
        step: u64,
    },
    /// All of the input's paths, and further inputs.
    Inputs { more: Vec<Contents>, is_first: bool },
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortablePart {
    /// Which of the first states it begins as.
    pub start: u32,
    /// An input.
    pub objects: Contents,
    left: Left,
}

impl PortablePart {
    /// A part of what this machine has to explore.
    pub(super) fn of(m: &Machine, part: &Part) -> PortablePart {
        match part {
            Part::Path {
                input,
                sides,
                cutoff,
                step,
            } => {
                let others = sides.iter().flat_map(|side| &side.others);
                let others: Vec<_> = others.flat_map(|&(taken, other)| [taken, other]).collect();
                let open = |side: &Side| OpenSide {
                    at: side.at as u32,
                    others: side.others.len() as u32,
                    effort: side.effort,
                    undecided: side.parked.map(|why| Undecided::new(why, side.effort)),
                };
                PortablePart {
                    start: input.start as u32,
                    objects: contents(m, &input.values.pack()),
                    left: Left::Path {
                        sides: sides.iter().map(open).collect(),
                        others: Conditions::of(m, &others),
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
                let mut all = inputs.iter().map(|input| contents(m, &input.pack()));
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

    /// The same part for a machine.
    ///
    /// # Errors
    /// In words: it contradicts itself, or the run has to end.
    pub(super) fn part(self, m: &mut Machine) -> Result<Part, String> {
        let start = self.start as usize;
        let values = input(m, &self.objects)?;
        match self.left {
            Left::Path {
                sides,
                others,
                cutoff,
                step,
            } => {
                let terms = others.rebuild(m)?;
                let mut pairs = terms.chunks_exact(2).map(|two| (two[0], two[1]));
                let side = |side: OpenSide| {
                    let others: Vec<_> = pairs.by_ref().take(side.others as usize).collect();
                    if others.len() < side.others as usize {
                        return Err("an alternative is missing".to_string());
                    }
                    Ok(Side {
                        at: side.at as usize,
                        others,
                        effort: side.effort,
                        parked: side.undecided.map(Undecided::why),
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
                let more: Result<Vec<_>, String> = more.iter().map(|one| input(m, one)).collect();
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

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain values can be written")
    }

    /// From bytes.
    ///
    /// # Errors
    /// In words: they are no part.
    pub fn from_bytes(bytes: &[u8]) -> Result<PortablePart, String> {
        postcard::from_bytes(bytes).map_err(|e| format!("no prefix: {e}"))
    }
}
