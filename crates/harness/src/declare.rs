//! Types and declarations in C.
//!
//! Records are declared anew, under their own names made unique, and by layout: where the members as
//! they stand would come to lie elsewhere, the record is packed and padded, and the size is asserted.

use crate::types::{Description, FloatKind, Type, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Names for all records of a description, and the text of their definitions.
pub struct Declarations<'a> {
    d: &'a Description,
    tags: BTreeMap<TypeId, String>,
}

impl<'a> Declarations<'a> {
    /// Gives each record a tag: its name, behind this prefix.
    pub fn new(d: &'a Description, prefix: &str) -> Declarations<'a> {
        let mut taken = BTreeSet::new();
        let mut tags = BTreeMap::new();
        for (id, ty) in d.types.iter().enumerate() {
            let (Type::Record { name, .. } | Type::Opaque(name)) = ty else {
                continue;
            };
            let stem = if name.is_empty() {
                "unnamed".to_string()
            } else {
                identifier(name)
            };
            let stem = format!("{prefix}{stem}");
            let mut tag = stem.clone();
            let mut n = 1;
            while !taken.insert(tag.clone()) {
                n += 1;
                tag = format!("{stem}_{n}");
            }
            tags.insert(id, tag);
        }
        Declarations { d, tags }
    }

    /// A declaration of `name` with the type `id`, without the semicolon; an empty name gives the type's
    /// own spelling.
    pub fn declare(&self, id: TypeId, name: &str) -> String {
        let joined = |base: &str| {
            if name.is_empty() {
                base.to_string()
            } else {
                format!("{base} {name}")
            }
        };
        match self.d.ty(id) {
            Type::Void | Type::Unsupported(_) => joined("void"),
            Type::Bool => joined("_Bool"),
            Type::Int {
                bits,
                signed,
                character,
            } => joined(integer(*bits, *signed, *character)),
            Type::Enum { bits, signed, .. } => joined(integer(*bits, *signed, false)),
            Type::Float(kind) => joined(float(*kind)),
            Type::Complex(kind) => joined(&format!("{} _Complex", float(*kind))),
            Type::Record { union, .. } => {
                let word = if *union { "union" } else { "struct" };
                joined(&format!("{word} {}", self.tag(id)))
            }
            Type::Opaque(_) => joined(&format!("struct {}", self.tag(id))),
            Type::Pointer(to) => match self.d.ty(*to) {
                Type::Array { .. } | Type::Function { .. } => {
                    self.declare(*to, &format!("(*{name})"))
                }
                _ => self.declare(*to, &format!("*{name}")),
            },
            Type::Array { of, count } => {
                let count = count.map_or(String::new(), |n| n.to_string());
                self.declare(*of, &format!("{name}[{count}]"))
            }
            Type::Function {
                params,
                result,
                variadic,
            } => {
                let mut list: Vec<String> = params.iter().map(|p| self.declare(*p, "")).collect();
                if *variadic {
                    list.push("...".into());
                } else if list.is_empty() {
                    list.push("void".into());
                }
                self.declare(*result, &format!("{name}({})", list.join(", ")))
            }
        }
    }

    fn tag(&self, id: TypeId) -> &str {
        self.tags.get(&id).map_or("unnamed", |t| t)
    }

    /// Declarations of all records, those that others contain first.
    pub fn records(&self) -> String {
        let mut out = String::new();
        for id in self.tags.keys() {
            let _ = writeln!(out, "{};", self.declare(*id, ""));
        }
        let mut done = BTreeSet::new();
        for id in self.tags.keys() {
            self.define(*id, &mut done, &mut out);
        }
        out
    }

    /// Defines a record behind those that it contains. Containment has no cycles, and its depth is that of
    /// the source's types.
    fn define(&self, id: TypeId, done: &mut BTreeSet<TypeId>, out: &mut String) {
        match self.d.ty(id) {
            Type::Array { of, .. } => self.define(*of, done, out),
            Type::Record { fields, size, .. } if done.insert(id) => {
                for field in fields {
                    self.define(field.ty, done, out);
                }
                let me = self.declare(id, "");
                let _ = writeln!(out, "\n{me} {{");
                let natural = self.d.is_natural(id);
                self.members(id, natural, out);
                let close = if natural {
                    "};"
                } else {
                    "} __attribute__((packed));"
                };
                let _ = writeln!(out, "{close}");
                let _ = writeln!(
                    out,
                    "_Static_assert(sizeof({me}) == {size}, \"the size of {me}\");"
                );
            }
            _ => {}
        }
    }

    fn members(&self, id: TypeId, natural: bool, out: &mut String) {
        let Type::Record {
            union,
            size,
            fields,
            ..
        } = self.d.ty(id)
        else {
            return;
        };
        let (mut end, mut gaps) = (0, 0);
        let mut gap = |out: &mut String, bits: u64| {
            gaps += 1;
            if bits.is_multiple_of(8) {
                let _ = writeln!(out, "    unsigned char pad_{gaps}[{}];", bits / 8);
            } else {
                let _ = writeln!(out, "    unsigned long pad_{gaps} : {bits};");
            }
        };
        for (i, field) in fields.iter().enumerate() {
            if !natural && !union && field.offset > end {
                gap(out, field.offset - end);
            }
            let mut text = self.declare(field.ty, &member(&field.name, i));
            if let Some(bits) = field.bits {
                let _ = write!(text, " : {bits}");
            }
            let _ = writeln!(out, "    {text};");
            end = end.max(field.offset + self.d.bits(field));
        }
        if !natural && 8 * size > end {
            gap(out, if *union { 8 * size } else { 8 * size - end });
        }
    }
}

/// The name of a record's member in the driver.
pub fn member(name: &str, index: usize) -> String {
    if name.is_empty() {
        format!("member_{index}")
    } else {
        identifier(name)
    }
}

/// A name as a C identifier.
pub fn identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if out.starts_with(|c: char| c.is_ascii_digit()) || is_keyword(&out) {
        out.push('_');
        out.insert(0, '_');
    }
    out
}

/// Keywords of C that are names in C++ or older dialects of C.
fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "inline" | "restrict" | "typeof" | "asm" | "_Bool" | "main"
    )
}

fn integer(bits: u32, signed: bool, character: bool) -> &'static str {
    match (bits, signed) {
        (8, _) if character => "char",
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (128, true) => "__int128",
        (128, false) => "unsigned __int128",
        // The front end of the description lets no others through.
        _ => "unsigned char",
    }
}

fn float(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Single => "float",
        FloatKind::Double => "double",
        FloatKind::Extended => "long double",
    }
}
