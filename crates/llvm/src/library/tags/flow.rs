//! What integers in memory can be, at each point of a function: a forward data flow over comparisons with constants.
//!
//! An integer is known by its address, which is a local pointer (or another value) and the offsets that are followed from there.
//! Calls are taken to change none of them, and what is stored behind a pointer to change only what has the same address.

use crate::ffi::{Block, Module, Value};
use crate::types::Types;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::LLVMConstantIntValueKind;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// Pointers in a row that an address is followed through.
const MAX_THROUGH: usize = 6;
/// Integers of which something is known at one point.
const MAX_FACTS: usize = 256;
/// Visits of the blocks of one function, for each of them; a function that needs more tells nothing.
const MAX_VISITS: usize = 16;

/// An address: the value of `root`, and then for each offset what lies there, and at last `offset` bytes behind that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TagPlace {
    root: Value,
    through: Vec<i64>,
    offset: i64,
}

impl TagPlace {
    /// So many bytes behind it.
    pub fn plus(&self, offset: i64) -> TagPlace {
        TagPlace {
            offset: self.offset.wrapping_add(offset),
            ..self.clone()
        }
    }
}

/// What an integer can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagValues {
    /// One of these.
    Only(BTreeSet<i64>),
    /// None of these.
    AllBut(BTreeSet<i64>),
}

impl TagValues {
    fn join(&self, other: &TagValues) -> TagValues {
        use TagValues::{AllBut, Only};
        match (self, other) {
            (Only(a), Only(b)) => Only(a | b),
            (Only(a), AllBut(b)) | (AllBut(b), Only(a)) => AllBut(b - a),
            (AllBut(a), AllBut(b)) => AllBut(a & b),
        }
    }

    fn equal_to(&self, value: i64) -> TagValues {
        let is_possible = match self {
            TagValues::Only(set) => set.contains(&value),
            TagValues::AllBut(set) => !set.contains(&value),
        };
        TagValues::Only(is_possible.then_some(value).into_iter().collect())
    }

    fn other_than(&self, value: i64) -> TagValues {
        let mut new = self.clone();
        match &mut new {
            TagValues::Only(set) => drop(set.remove(&value)),
            TagValues::AllBut(set) => drop(set.insert(value)),
        }
        new
    }
}

/// What is known at a point of a function; of what has no entry nothing is.
pub type TagFacts = FxHashMap<TagPlace, TagValues>;

/// The data flow of a module's functions.
pub struct Flow {
    /// Sizes of LLVM's types.
    pub sizes: Types,
}

impl Flow {
    /// For functions of modules with this one's layout.
    pub fn new(module: Module) -> Flow {
        Flow {
            sizes: Types::new(module),
        }
    }

    /// What is known at the beginning of each block that can be reached.
    pub fn facts(&self, f: Value) -> Vec<(Block, TagFacts)> {
        let blocks: Vec<Block> = f.blocks().collect();
        let mut at: FxHashMap<Block, TagFacts> = FxHashMap::default();
        let mut open: VecDeque<Block> = blocks.first().copied().into_iter().collect();
        let mut visits = 0;
        while let Some(block) = open.pop_front() {
            visits += 1;
            if visits > MAX_VISITS * blocks.len() {
                return Vec::new();
            }
            let mut known = at.entry(block).or_default().clone();
            for inst in block.instructions() {
                self.step(inst, &mut known);
            }
            for (next, known) in self.ways(block.terminator(), &known) {
                let joined = match at.get(&next) {
                    Some(before) => join(before, &known),
                    None => known,
                };
                if at.get(&next) != Some(&joined) {
                    at.insert(next, joined);
                    if !open.contains(&next) {
                        open.push_back(next);
                    }
                }
            }
        }
        let reached = blocks.into_iter();
        reached.filter_map(|b| Some((b, at.remove(&b)?))).collect()
    }

    /// What an instruction changes.
    pub fn step(&self, inst: Value, known: &mut TagFacts) {
        if inst.opcode() != LLVMStore {
            return;
        }
        let (value, place) = (inst.operand(0), self.place(inst.operand(1)));
        if value.ty().is_pointer() {
            // What is known behind the new pointer is known under this name, too, and what lay behind the old one no more.
            let mut through = place.through.clone();
            through.push(place.offset);
            let from = self.place(value);
            let same = known
                .iter()
                .filter_map(|(p, v)| Some((behind(p, &from, place.root, &through)?, v.clone())));
            let same: Vec<(TagPlace, TagValues)> = same.collect();
            known.retain(|p, _| p.root != place.root || !p.through.starts_with(&through));
            if known.len() + same.len() <= MAX_FACTS {
                known.extend(same);
            }
        } else if is_number(value) {
            let only = BTreeSet::from([value.sext_value()]);
            known.insert(place, TagValues::Only(only));
        } else {
            known.remove(&place);
        }
    }

    /// Where a block leads to, and what is known there.
    fn ways(&self, end: Value, known: &TagFacts) -> Vec<(Block, TagFacts)> {
        let targets = (0..end.successor_count()).map(|i| end.successor(i));
        let same = || targets.clone().map(|t| (t, known.clone())).collect();
        let with = |place: &TagPlace, of: &dyn Fn(&TagValues) -> TagValues| {
            let now = known.get(place).cloned();
            let now = now.unwrap_or_else(|| TagValues::AllBut(BTreeSet::new()));
            let mut new = known.clone();
            new.insert(place.clone(), of(&now));
            new
        };
        match end.opcode() {
            LLVMBr if end.is_conditional() => {
                let Some((place, value, is_equal)) = self.comparison(end.operand(0)) else {
                    return same();
                };
                let (equal, other) = (usize::from(!is_equal), usize::from(is_equal));
                vec![
                    (
                        end.successor(equal as u32),
                        with(&place, &|v| v.equal_to(value)),
                    ),
                    (
                        end.successor(other as u32),
                        with(&place, &|v| v.other_than(value)),
                    ),
                ]
            }
            LLVMSwitch => {
                let Some(place) = self.number(end.operand(0)) else {
                    return same();
                };
                let cases = end.cases();
                let values: Vec<i64> = cases.iter().map(|(v, _)| v.sext_value()).collect();
                let others = |v: &TagValues| values.iter().fold(v.clone(), |v, k| v.other_than(*k));
                let mut all = vec![(end.successor(0), with(&place, &others))];
                for ((_, target), value) in cases.iter().zip(&values) {
                    all.push((*target, with(&place, &|v| v.equal_to(*value))));
                }
                all
            }
            _ => same(),
        }
    }

    /// An integer in memory, a constant, and whether the condition says that they are equal or that they differ.
    fn comparison(&self, condition: Value) -> Option<(TagPlace, i64, bool)> {
        if !condition.is_instruction() || condition.opcode() != LLVMICmp {
            return None;
        }
        // SAFETY: the instruction is an integer comparison.
        let is_equal = match unsafe { llvm_sys::core::LLVMGetICmpPredicate(condition.0) } {
            LLVMIntEQ => true,
            LLVMIntNE => false,
            _ => return None,
        };
        let value = condition.operand(1);
        let place = self
            .number(condition.operand(0))
            .filter(|_| is_number(value))?;
        Some((place, value.sext_value(), is_equal))
    }

    /// Where an integer was read.
    fn number(&self, mut value: Value) -> Option<TagPlace> {
        while value.is_instruction() {
            match value.opcode() {
                LLVMZExt | LLVMSExt | LLVMTrunc => value = value.operand(0),
                LLVMLoad => return Some(self.place(value.operand(0))),
                _ => return None,
            }
        }
        None
    }

    /// What an address is.
    pub fn place(&self, address: Value) -> TagPlace {
        self.place_within(address, 0)
    }

    fn place_within(&self, address: Value, depth: usize) -> TagPlace {
        let (mut at, mut offset) = (address, 0_i64);
        while at.is_instruction() {
            match at.opcode() {
                LLVMGetElementPtr => match self.distance(at) {
                    Some(step) => offset = offset.wrapping_add(step),
                    None => break,
                },
                LLVMBitCast => {}
                LLVMLoad if depth < MAX_THROUGH => {
                    let from = self.place_within(at.operand(0), depth + 1);
                    let mut through = from.through;
                    through.push(from.offset);
                    return TagPlace {
                        root: from.root,
                        through,
                        offset,
                    };
                }
                _ => break,
            }
            at = at.operand(0);
        }
        TagPlace {
            root: at,
            through: Vec::new(),
            offset,
        }
    }

    /// The bytes that an address calculation adds, if that is known.
    pub fn distance(&self, gep: Value) -> Option<i64> {
        let (mut offset, mut ty) = (0_i64, gep.gep_source());
        for i in 1..gep.operand_count() {
            let index = gep.operand(i);
            if !is_number(index) {
                return None;
            }
            let (step, next) = self.sizes.gep_step(ty, i == 1, index.sext_value());
            offset = offset.wrapping_add(step);
            ty = next;
        }
        Some(offset)
    }
}

fn is_number(value: Value) -> bool {
    value.value_kind() == LLVMConstantIntValueKind && value.ty().int_width() <= 64
}

/// What is known on both ways.
fn join(a: &TagFacts, b: &TagFacts) -> TagFacts {
    let both = a.iter().filter_map(|(place, x)| {
        let joined = x.join(b.get(place)?);
        Some((place.clone(), joined))
    });
    both.filter(|(_, v)| !matches!(v, TagValues::AllBut(set) if set.is_empty()))
        .collect()
}

/// A place that is reached by way of the pointer `from`, by way of another place that holds this pointer; `None` if it is not reached so.
fn behind(place: &TagPlace, from: &TagPlace, root: Value, through: &[i64]) -> Option<TagPlace> {
    if place.root != from.root || !place.through.starts_with(&from.through) {
        return None;
    }
    let mut way = through.to_vec();
    let mut offset = place.offset;
    match place.through[from.through.len()..].split_first() {
        // The first step begins where the pointer leads to.
        Some((first, rest)) => {
            way.push(first.wrapping_sub(from.offset));
            way.extend(rest);
        }
        None => offset = offset.wrapping_sub(from.offset),
    }
    (way.len() <= MAX_THROUGH).then_some(TagPlace {
        root,
        through: way,
        offset,
    })
}
