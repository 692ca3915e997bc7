//! Tagged unions: another member of the structure, the tag, tells which member of the union is set.
//!
//! C has no word for it, but code shows it: it looks at a member of the union only where comparisons have left the tag few values.
//! What these are in each function that speaks of such a structure is known by a data flow (`flow`). A member that is read where nothing is
//! known of the tag (a function was asked for it, say) may be set under each of its values, and under values with which no member was looked at each may be
//! set. Of several members that may be the tag, it is the one that is known wherever another one is, and says most; if there is none, nothing is said.

mod flow;

use super::granted;
use crate::ffi::{Block, Module, Type as Shape, Value};
use flow::{Flow, TagFacts, TagValues};
use harness::Description;
use harness::types::{FloatKind, Tagged, Type, TypeId};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// TagValues of a tag; one with more is none.
const MAX_VALUES: usize = 64;
/// Calls through which the use of a pointer is followed.
const MAX_CALLS: u32 = 3;

/// The unions that code in the modules looks at by a tag.
pub fn tagged(modules: &[Module], d: &Description) -> Vec<Tagged> {
    let records = candidates(d);
    let Some(first) = modules.first().filter(|_| !records.is_empty()) else {
        return Vec::new();
    };
    let mut look = Look {
        d,
        flow: Flow::new(*first),
        modules,
        records,
        known: FxHashMap::default(),
        claims: BTreeMap::new(),
        accesses: 0,
    };
    for f in modules.iter().flat_map(|m| m.functions()) {
        if !f.is_declaration() {
            look.function(f);
        }
    }
    look.conclude()
}

/// Structures with a union that has pointers and with integers beside it, by their names.
fn candidates(d: &Description) -> FxHashMap<&str, TypeId> {
    let mut found = FxHashMap::default();
    for (id, ty) in d.types.iter().enumerate() {
        let Type::Record {
            name,
            union: false,
            fields,
            ..
        } = ty
        else {
            continue;
        };
        let is_union = |f: &&harness::types::Field| has_choice(d, f.ty);
        let unions = fields.iter().filter(is_union).count();
        if unions > 0 && !name.is_empty() && (0..fields.len()).any(|i| is_tag(d, ty, i)) {
            found.entry(name.as_str()).or_insert(id);
        }
    }
    found
}

/// Is it a union of which the driver chooses the member?
fn has_choice(d: &Description, ty: TypeId) -> bool {
    matches!(d.ty(ty), Type::Record { union: true, .. }) && d.has_pointer(ty)
}

/// May this member of a structure say what another one is?
fn is_tag(d: &Description, record: &Type, field: usize) -> bool {
    let Type::Record { fields, .. } = record else {
        return false;
    };
    let field = &fields[field];
    let is_integer = matches!(
        d.ty(field.ty),
        Type::Int { bits: 8..=64, .. } | Type::Enum { .. } | Type::Bool
    );
    is_integer && field.bits.is_none()
}

/// A structure's union and the member that may tell of it, by their numbers.
type Pair = (TypeId, usize, usize);

struct Look<'a> {
    d: &'a Description,
    flow: Flow,
    modules: &'a [Module],
    /// Candidates by name.
    records: FxHashMap<&'a str, TypeId>,
    /// LLVM's structures that are candidates.
    known: FxHashMap<Shape, Option<TypeId>>,
    /// Under which values of the tag which members were looked at.
    claims: BTreeMap<Pair, Evidence>,
    /// Accesses so far.
    accesses: u32,
}

/// What accesses to a union say, with one of the other members as its tag.
#[derive(Debug, Default)]
struct Evidence {
    claims: Claims,
    /// The accesses at which that member was known, by their numbers.
    accesses: BTreeSet<u32>,
    /// Members that were read where it was not.
    open: BTreeSet<usize>,
}

/// What was looked at, by the values of a tag.
type Claims = BTreeMap<i64, Claim>;

/// Members that were looked at under one value of the tag.
#[derive(Debug, Default)]
struct Claim {
    sure: BTreeSet<usize>,
    /// Pointers, one of which was looked at: what is done with it does not tell which. They count if no pointer is sure.
    some_pointer: BTreeSet<usize>,
}

impl Look<'_> {
    fn function(&mut self, f: Value) {
        if !f.blocks().any(|b| self.speaks_of_a_union(b)) {
            return;
        }
        for (block, mut known) in self.flow.facts(f) {
            for inst in block.instructions() {
                self.claim(inst, &known);
                self.flow.step(inst, &mut known);
            }
        }
    }

    fn speaks_of_a_union(&mut self, block: Block) -> bool {
        block
            .instructions()
            .any(|inst| inst.opcode() == LLVMGetElementPtr && self.union_of(inst).is_some())
    }

    /// The candidate that a structure of LLVM's is.
    fn record(&mut self, shape: Shape) -> Option<TypeId> {
        if let Some(known) = self.known.get(&shape) {
            return *known;
        }
        let found = self.find_record(shape);
        self.known.insert(shape, found);
        found
    }

    fn find_record(&self, shape: Shape) -> Option<TypeId> {
        if !shape.is_struct() {
            return None;
        }
        let full = shape.struct_name();
        let name = full
            .strip_prefix("struct.")
            .or_else(|| full.strip_prefix("class."))?;
        // Of two structures of one name the second has a number.
        let plain = match name.rsplit_once('.') {
            Some((plain, number)) if number.bytes().all(|b| b.is_ascii_digit()) => plain,
            _ => name,
        };
        let id = *self.records.get(plain)?;
        let size = self.flow.sizes.size(shape);
        matches!(self.d.ty(id), Type::Record { size: s, .. } if *s == size).then_some(id)
    }

    /// The structure and the union whose address this instruction computes.
    fn union_of(&mut self, gep: Value) -> Option<(TypeId, usize)> {
        let id = self.record(gep.gep_source())?;
        if gep.operand_count() != 3 || !gep.operand(1).is_null() {
            return None;
        }
        let offset = 8 * u64::try_from(self.flow.distance(gep)?).ok()?;
        let Type::Record { fields, .. } = self.d.ty(id) else {
            return None;
        };
        let is_it = |f: &harness::types::Field| f.offset == offset && has_choice(self.d, f.ty);
        Some((id, fields.iter().position(is_it)?))
    }

    /// What an access to a union says.
    fn claim(&mut self, inst: Value, known: &TagFacts) {
        let (address, value) = match inst.opcode() {
            LLVMLoad => (inst.operand(0), inst.ty()),
            LLVMStore => (inst.operand(1), inst.operand(0).ty()),
            _ => return,
        };
        // The last step behind the union, which tells of what type its member is.
        let (mut at, mut inner) = (address, None);
        let (gep, record, union) = loop {
            if !at.is_instruction() || at.opcode() != LLVMGetElementPtr {
                return;
            }
            if let Some((record, union)) = self.union_of(at) {
                break (at, record, union);
            }
            inner = Some(at.gep_source());
            at = at.operand(0);
        };
        let Type::Record { fields, .. } = self.d.ty(record) else {
            return;
        };
        let Type::Record {
            fields: members, ..
        } = self.d.ty(fields[union].ty)
        else {
            return;
        };
        let looked_at: Vec<usize> = (0..members.len())
            .filter(|m| match inner {
                Some(shape) => self.is_inside(members[*m].ty, shape),
                None => self.is_value(members[*m].ty, value),
            })
            .collect();
        let is_pointer = inner.is_none() && value.is_pointer();
        let mut to = PointedTo::default();
        if is_pointer && inst.opcode() == LLVMLoad {
            self.follow(inst, 0, &mut to, &mut FxHashSet::default());
        }
        let (looked_at, is_sure) = if is_pointer {
            self.narrowed(members, looked_at, &to)
        } else {
            (looked_at, true)
        };
        let base = self.flow.place(gep.operand(0));
        self.accesses += 1;
        for (tag, field) in fields.iter().enumerate() {
            if !is_tag(self.d, self.d.ty(record), tag) {
                continue;
            }
            let place = base.plus((field.offset / 8) as i64);
            let evidence = self.claims.entry((record, union, tag)).or_default();
            let values = match known.get(&place) {
                Some(TagValues::Only(values)) if values.len() <= MAX_VALUES => values,
                // What is written may be told of afterwards.
                _ if inst.opcode() == LLVMLoad && is_sure => {
                    evidence.open.extend(&looked_at);
                    continue;
                }
                _ => continue,
            };
            evidence.accesses.insert(self.accesses);
            for value in values {
                let claim = evidence.claims.entry(*value).or_default();
                let of = if is_sure {
                    &mut claim.sure
                } else {
                    &mut claim.some_pointer
                };
                if looked_at.is_empty() {
                    of.extend(0..members.len());
                } else {
                    of.extend(&looked_at);
                }
            }
        }
    }

    /// Can a value of this type of LLVM's be the member itself?
    fn is_value(&self, member: TypeId, value: Shape) -> bool {
        match self.d.ty(member) {
            Type::Int { bits, .. } | Type::Enum { bits, .. } => {
                value.is_int() && value.int_width() == *bits
            }
            Type::Bool => value.is_int() && value.int_width() <= 8,
            Type::Pointer(_) => value.is_pointer(),
            Type::Float(kind) => {
                let wanted = match kind {
                    FloatKind::Single => LLVMFloatTypeKind,
                    FloatKind::Double => LLVMDoubleTypeKind,
                    FloatKind::Extended => LLVMX86_FP80TypeKind,
                };
                value.kind() == wanted
            }
            _ => false,
        }
    }

    /// Can this structure or array of LLVM's be the member?
    fn is_inside(&self, member: TypeId, shape: Shape) -> bool {
        match self.d.ty(member) {
            Type::Record { size, union, .. } => {
                shape.is_struct() && !union && self.flow.sizes.size(shape) == *size
            }
            Type::Array { .. } => shape.is_array(),
            _ => false,
        }
    }

    /// The pointers among the members that lead to what was found, and whether the uses tell at all.
    fn narrowed(
        &self,
        members: &[harness::types::Field],
        mut looked_at: Vec<usize>,
        to: &PointedTo,
    ) -> (Vec<usize>, bool) {
        // `None`: it can be anything.
        let leads_there = |m: &usize| {
            let Type::Pointer(target) = self.d.ty(members[*m].ty) else {
                return Some(false);
            };
            match self.d.ty(*target) {
                Type::Record { name, .. } | Type::Opaque(name) => Some(to.records.contains(name)),
                Type::Int { bits: 8, .. } => Some(to.is_bytes),
                Type::Int { bits, .. } | Type::Enum { bits, .. } => Some(to.widths.contains(bits)),
                Type::Float(_) => Some(to.is_float),
                Type::Function { .. } => Some(to.is_function),
                _ => None,
            }
        };
        let is_told = looked_at.iter().any(|m| leads_there(m) == Some(true));
        if is_told {
            looked_at.retain(|m| leads_there(m) != Some(false));
        }
        (looked_at, is_told)
    }

    /// What is done with a pointer that tells to what it leads.
    fn follow(&self, pointer: Value, calls: u32, to: &mut PointedTo, seen: &mut FxHashSet<Value>) {
        if !seen.insert(pointer) {
            return;
        }
        for user in pointer.uses() {
            if !user.is_instruction() {
                continue;
            }
            match user.opcode() {
                LLVMGetElementPtr if user.operand(0) == pointer => {
                    let source = user.gep_source();
                    if source.is_struct() {
                        let full = source.struct_name();
                        let name = full.split_once('.').map_or("", |(_, name)| name);
                        to.records.insert(name.to_string());
                    }
                    to.number(source);
                }
                LLVMLoad => to.number(user.ty()),
                LLVMStore if user.operand(1) == pointer => to.number(user.operand(0).ty()),
                LLVMStore if user.operand(0) == pointer => {
                    for load in granted::variable(user.operand(1)).into_iter().flatten() {
                        self.follow(load, calls, to, seen);
                    }
                }
                LLVMBitCast | LLVMPHI | LLVMSelect => self.follow(user, calls, to, seen),
                LLVMCall | LLVMInvoke => {
                    to.is_function |= user.called_value() == pointer;
                    let Some(callee) = user.callee().filter(|_| calls < MAX_CALLS) else {
                        continue;
                    };
                    let name = callee.name();
                    let passed = (0..user.arg_count()).filter(|i| user.arg(*i) == pointer);
                    for place in passed {
                        to.is_bytes |= granted::follows_bytes(&name, place);
                        let defined = granted::definition(self.modules, callee, &name);
                        if let Some(f) = defined.filter(|f| place < f.param_count()) {
                            self.follow(f.param(place), calls + 1, to, seen);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A value with which a tag was compared, as C reads the tag; `None` if it never has it.
    fn value_of(&self, tag: TypeId, value: i64) -> Option<i64> {
        let (bits, is_signed) = match self.d.ty(tag) {
            Type::Int { bits, signed, .. } | Type::Enum { bits, signed, .. } => (*bits, *signed),
            _ => (8, false),
        };
        if bits >= 64 {
            return Some(value);
        }
        let (least, most) = (-(1_i64 << (bits - 1)), (1_i64 << bits) - 1);
        let low = value & most;
        let read = if is_signed && low >> (bits - 1) != 0 {
            low - (1 << bits)
        } else {
            low
        };
        (least..=most).contains(&value).then_some(read)
    }

    /// For each union the member that tells most, if some does.
    fn conclude(self) -> Vec<Tagged> {
        let mut unions: BTreeMap<(TypeId, usize), Vec<(usize, &Evidence)>> = BTreeMap::new();
        for ((record, union, tag), evidence) in &self.claims {
            let of = unions.entry((*record, *union)).or_default();
            of.push((*tag, evidence));
        }
        let mut found = Vec::new();
        for ((record, union), all) in unions {
            let Some((tag, evidence)) = the_tag(&all) else {
                continue;
            };
            let Type::Record { name, fields, .. } = self.d.ty(record) else {
                continue;
            };
            let Type::Record {
                fields: members, ..
            } = self.d.ty(fields[union].ty)
            else {
                continue;
            };
            let is_pointer = |m: &usize| matches!(self.d.ty(members[*m].ty), Type::Pointer(_));
            let mut values: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
            for (value, claim) in &evidence.claims {
                let Some(value) = self.value_of(fields[tag].ty, *value) else {
                    continue;
                };
                let of = values.entry(value).or_default();
                of.extend(&evidence.open);
                of.extend(&claim.sure);
                if !claim.sure.iter().any(is_pointer) {
                    of.extend(&claim.some_pointer);
                }
            }
            let values: Vec<(i64, Vec<usize>)> = values
                .into_iter()
                .filter(|(_, of)| of.len() < members.len())
                .map(|(value, of)| (value, of.into_iter().collect()))
                .collect();
            if values.is_empty() {
                continue;
            }
            // A structure may be described more than once.
            let same = |ty: &Type| matches!(ty, Type::Record { name: n, union: false, fields: f, .. } if n == name && f.len() == fields.len());
            for record in (0..self.d.types.len()).filter(|id| same(self.d.ty(*id))) {
                found.push(Tagged {
                    record,
                    union,
                    tag,
                    members: values.clone(),
                });
            }
        }
        found
    }
}

/// Of the members that may be the tag the one that is known wherever another one is, and under whose values fewest members were looked at.
fn the_tag<'a>(all: &[(usize, &'a Evidence)]) -> Option<(usize, &'a Evidence)> {
    let looks = |e: &Evidence| -> usize {
        e.claims
            .values()
            .map(|c| (&c.sure | &c.some_pointer).len())
            .sum()
    };
    // Members to a value, on average, are fewer.
    let says_more =
        |a: &Evidence, b: &Evidence| looks(a) * b.claims.len() < looks(b) * a.claims.len();
    let is_it = |of: &&(usize, &Evidence)| {
        let (tag, own) = **of;
        let mut others = all
            .iter()
            .filter(|(t, e)| *t != tag && !e.claims.is_empty());
        !own.claims.is_empty()
            && others.all(|(_, other)| {
                let knows_more = other.accesses.len() < own.accesses.len();
                other.accesses.is_subset(&own.accesses) && (knows_more || says_more(own, other))
            })
    };
    all.iter().find(is_it).copied()
}

/// What the uses of a pointer say of its target.
#[derive(Debug, Default)]
struct PointedTo {
    records: BTreeSet<String>,
    is_bytes: bool,
    /// Widths of integers beyond bytes, in bits.
    widths: BTreeSet<u32>,
    is_float: bool,
    is_function: bool,
}

impl PointedTo {
    /// It leads to a number of this type of LLVM's, if it is one.
    fn number(&mut self, shape: Shape) {
        match shape.kind() {
            LLVMIntegerTypeKind if shape.int_width() == 8 => self.is_bytes = true,
            LLVMIntegerTypeKind => drop(self.widths.insert(shape.int_width())),
            LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMX86_FP80TypeKind => self.is_float = true,
            _ => {}
        }
    }
}
