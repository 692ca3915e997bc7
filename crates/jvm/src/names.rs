//! The names by which other processes know inputs and conditions of a program.
//!
//! The objects of input appear while runs ask for them, so each message has the names and types of all objects in it.

use crate::input::Inputs;
use crate::target::Java;
use crate::terms;
use dse::Names;
use explore::{ObjectEnd, Output, PathEnd, PathInput, PathOutcome};
use serde::{Deserialize, Serialize};
use solver::Model;
use std::collections::{BTreeSet, HashMap};
use term::{Pool, PortableTerms, Symbol, Term};

/// A part of the frontier on its way to another process.
pub type Part = dse::PortablePart<Contents, PortableConditions>;

/// Name and type of an object.
type Name = (String, char);

/// An input: objects and the bytes of their values, little-endian, without those that are all zero.
pub type Contents = Vec<(Name, Vec<u8>)>;

/// Terms over values of objects, and how many values each object has at least.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortableConditions {
    terms: PortableTerms,
    objects: Vec<(Name, u32)>,
}

impl Inputs {
    /// The symbols of an object, which may be new here.
    fn symbols(
        &mut self,
        pool: &mut Pool,
        (name, kind): &Name,
        count: usize,
    ) -> Result<&[Symbol], String> {
        if !terms::is_kind(*kind) {
            return Err(format!("input '{name}' has no type"));
        }
        let at = self.object(pool, name, *kind, count)?;
        Ok(&self.objects[at].symbols[..count])
    }
}

/// How many open branches a part is.
pub fn open_branches(bytes: &[u8]) -> u64 {
    // One that cannot be read is no less a loss.
    Part::from_bytes(bytes).map_or(1, |part| part.len() as u64)
}

/// The end of paths on which workers crashed, with the known part of their input.
///
/// # Errors
/// In words: these bytes are no part.
pub fn lost(bytes: &[u8]) -> Result<PathEnd, String> {
    let part = Part::from_bytes(bytes)?;
    let objects = part
        .objects
        .into_iter()
        .map(|((name, kind), bytes)| ObjectEnd {
            name,
            kind,
            bytes,
            relevant: Vec::new(),
            decisive: Vec::new(),
        });
    let objects: Vec<ObjectEnd> = objects.collect();
    Ok(PathEnd {
        outcome: PathOutcome::Internal("the processes that explored this path crashed".into()),
        is_new: false,
        covered_new: false,
        is_ahead: false,
        start: part.start,
        instructions: 0,
        stack: None,
        input: Some(PathInput {
            input_objects: objects.len() as u32,
            output: Output::default(),
            hash: None,
            unsteady: Vec::new(),
            arguments: Vec::new(),
            prefix: Vec::new(),
        }),
        objects,
    })
}

impl Names for Java {
    type Contents = Contents;
    type Conditions = PortableConditions;

    fn contents(&self, input: &Model) -> Contents {
        let objects = self.inputs.objects.iter();
        let named = objects.map(|o| {
            let used = o.symbols.iter().rposition(|&s| input.get(s) != 0);
            let count = used.map_or(0, |last| last + 1);
            ((o.name.clone(), o.kind), o.bytes(count, input))
        });
        named.filter(|(_, bytes)| !bytes.is_empty()).collect()
    }

    fn conditions(&self, conditions: &[Term]) -> PortableConditions {
        let mut objects = BTreeSet::new();
        for &term in conditions {
            let symbols = self.reason.pool.set_iter(self.reason.pool.symbols(term));
            objects.extend(symbols.filter_map(|symbol| self.inputs.owner(symbol)));
        }
        let name = |at: usize| {
            let o = &self.inputs.objects[at];
            ((o.name.clone(), o.kind), o.symbols.len() as u32)
        };
        PortableConditions {
            terms: PortableTerms::of(&self.reason.pool, conditions),
            objects: objects.into_iter().map(name).collect(),
        }
    }

    fn input(&mut self, contents: &Contents) -> Result<Model, String> {
        let mut values = Model::new();
        for (name, bytes) in contents {
            let size = terms::size(name.1);
            let all: Vec<&[u8]> = bytes.chunks(size).collect();
            let symbols = self
                .inputs
                .symbols(&mut self.reason.pool, name, all.len())?;
            for (&symbol, bytes) in symbols.iter().zip(all) {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                values.set(symbol, u64::from_le_bytes(wide));
            }
        }
        Ok(values)
    }

    fn rebuild(&mut self, conditions: &PortableConditions) -> Result<Vec<Term>, String> {
        let mut known: HashMap<String, Symbol> = HashMap::new();
        for (name, count) in &conditions.objects {
            let symbols = self
                .inputs
                .symbols(&mut self.reason.pool, name, *count as usize)?;
            let named = symbols.iter().enumerate();
            known.extend(named.map(|(i, &symbol)| (format!("{}[{i}]", name.0), symbol)));
        }
        let known = |name: &str| known.get(name).copied();
        conditions.terms.rebuild(&mut self.reason.pool, &known)
    }
}
