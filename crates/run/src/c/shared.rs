//! The setup of several workers for a program in IR: they explore from the beginning (`--jobs N`), or continue the
//! frontier that one worker has left.

use super::prepare::Ready;
use crate::jobs::cluster::Invitation;
use crate::jobs::crew::{self, Pids, Prefixes};
use crate::plan::{Mode, Plan};
use exec::{PortablePart, PortablePrefix, State};
use explore::{ObjectEnd, Output, PathEnd, PathInput, PathOutcome};
use host::Stop;
use std::time::Duration;

/// How long there has to have been something to give to others, until others begin.
const RICH: Duration = Duration::from_millis(500);
/// The least work of a task of a run in rounds, about a tenth of a second: to begin one is to read the program.
const LEAST_WORK: u64 = 60_000_000;

/// The setup that several workers need and one does not.
pub struct Shared {
    pids: Pids,
    /// Further machines may join.
    invitation: Option<Invitation>,
    /// The program's IR.
    pub ir: Vec<u8>,
}

impl Shared {
    /// Takes the address at which further machines may join, if they may, and has a cluster's engine start its workers.
    ///
    /// # Errors
    /// The address cannot be had, there is no secret, or the engine does not start.
    pub fn new(plan: &Plan, pids: Pids) -> anyhow::Result<Shared> {
        Ok(Shared {
            pids,
            invitation: Invitation::new(plan)?,
            ir: Vec::new(),
        })
    }

    /// Waits until the engine has answered, if there is one.
    ///
    /// # Errors
    /// There is no such cluster.
    pub fn wait(&self, stop: Stop) -> anyhow::Result<()> {
        self.invitation
            .as_ref()
            .map_or(Ok(()), |invitation| invitation.wait(stop))
    }

    /// Completes it with the facts about the program.
    pub fn of(self, begin: &Begin, mode: Mode) -> crew::Shared {
        let (objects, inputs) = (begin.objects.clone(), begin.inputs.clone());
        crew::Shared {
            program: begin.hash.clone(),
            places: begin.sites,
            ir: self.ir,
            frontend: begin.frontend.into(),
            prefixes: Prefixes {
                lost: Box::new(move |bytes| lost(mode, bytes, &objects, &inputs)),
                open: (mode == Mode::Concolic).then_some(open_branches),
            },
            rich: RICH,
            least_work: LEAST_WORK,
            spills: true,
            invitation: self.invitation,
            parcel: None,
            pids: self.pids,
        }
    }
}

/// The facts about a program that remain when the machine that would run it here is gone.
pub struct Begin {
    sites: usize,
    hash: String,
    frontend: &'static str,
    /// The objects of the first states with their sizes, and how many of them are input.
    objects: Vec<Vec<(String, usize)>>,
    inputs: Vec<u32>,
}

impl Begin {
    /// Of a prepared program.
    pub fn of(ready: &Ready) -> Begin {
        let objects = |s: &State| {
            let sizes = s.objects.iter();
            sizes
                .map(|o| (o.name.to_string(), o.symbols.len()))
                .collect()
        };
        Begin {
            sites: ready.machine.module.sites.len(),
            hash: ready.hash.clone(),
            frontend: ready.frontend,
            objects: ready.first.iter().map(|s| objects(s)).collect(),
            inputs: ready.first.iter().map(|s| s.input_objects).collect(),
        }
    }
}

/// How many open branches a prefix of concolic mode is.
fn open_branches(bytes: &[u8]) -> u64 {
    // One that cannot be read is no less a loss.
    PortablePart::from_bytes(bytes).map_or(1, |part| part.len() as u64)
}

/// The end of a path on which workers crashed, as far as its input is known. `begins` and `inputs` are the objects of
/// the first states and the number of them that are input.
fn lost(
    mode: Mode,
    bytes: &[u8],
    begins: &[Vec<(String, usize)>],
    inputs: &[u32],
) -> Result<PathEnd, String> {
    let (start, mut given, instructions, hash, choices) = match mode {
        Mode::Fork => {
            let prefix = PortablePrefix::from_bytes(bytes)?;
            let (choices, instructions) = (prefix.choices()?, prefix.instructions());
            let PortablePrefix {
                start,
                objects,
                hash,
                ..
            } = prefix;
            (start, objects, instructions, hash, choices)
        }
        Mode::Concolic => {
            let part = PortablePart::from_bytes(bytes)?;
            (part.start, part.objects, 0, 0, Vec::new())
        }
    };
    let begin = begins.get(start as usize);
    let begin = begin.ok_or("the program has no such start")?;
    let mut objects = Vec::new();
    let mut add = |name: String, bytes| {
        objects.push(ObjectEnd {
            name,
            kind: 'B',
            bytes,
            relevant: Vec::new(),
            decisive: Vec::new(),
        });
    };
    for (name, size) in begin {
        let at = given
            .iter()
            .position(|(n, b)| n == name && b.len() == *size);
        let bytes = at.map(|at| given.swap_remove(at).1.into_vec());
        add(name.clone(), bytes.unwrap_or_else(|| vec![0; *size]));
    }
    given
        .drain(..)
        .for_each(|(name, bytes)| add(name, bytes.into_vec()));
    Ok(PathEnd {
        outcome: PathOutcome::Internal("the processes that explored this path crashed".into()),
        is_new: false,
        covered_new: false,
        is_ahead: false,
        start,
        instructions,
        stack: None,
        objects,
        input: Some(PathInput {
            input_objects: inputs.get(start as usize).copied().unwrap_or(0),
            output: Output::default(),
            hash: Some(hash),
            unsteady: Vec::new(),
            arguments: Vec::new(),
            prefix: (choices.into_iter())
                .map(|c| (c.pc, c.kind as u8, c.choice))
                .collect(),
        }),
    })
}
