//! What a driver makes up, and what a test says about it.
//!
//! A member that the driver sets by hand may have a value that the library never gives it. An error that depends on
//! one happens *if* the member has this value; so the driver lists its inputs, with the members that lie in them, and the
//! bytes that decided a path are told in the user's words (`parser->state = 17`).

use crate::said::Said;
use crate::types::{Description, Field, FloatKind, Type, TypeId};
use serde::{Deserialize, Serialize};

/// Elements of an array of structures that are told apart.
const MAX_ELEMENTS: u64 = 16;
/// Parts of one input that are listed; of bytes in no part it is said that they decide.
const MAX_PARTS: usize = 256;
/// Characters of a text that are shown.
const MAX_TEXT: usize = 24;

/// All that a driver makes up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invented {
    /// Its inputs.
    pub inputs: Vec<MadeUp>,
    /// Pointers that constructors were given as null, as conditions in words.
    pub nulls: Vec<String>,
    /// The function under test.
    pub entry: String,
    /// What its declaration and the comment above say of its parameters.
    #[serde(default)]
    pub said: Said,
    /// Functions that the driver calls before it: constructors, and others that change what these made.
    pub before: Vec<String>,
}

/// An input of the driver whose value no caller has given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeUp {
    /// The name of the symbolic object.
    pub input: String,
    /// Its size, if that is made up, too: "p->data has 4 bytes".
    pub room: Option<Room>,
    /// Its content is the caller's, so that reads beyond its end are errors; only for writes its size is made up.
    pub is_input: bool,
    /// What its bytes mean.
    pub parts: Vec<InputPart>,
    /// Any value of it may be one that the library never makes. Otherwise only that a pointer is null, or leads to
    /// an object that another one leads to, too.
    pub is_content: bool,
}

/// The size of an input that was made up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Room {
    /// In words.
    Said(String),
    /// Elements behind a pointer.
    Elements {
        /// The C expression of the user.
        path: String,
        /// Bytes of an element.
        size: u64,
    },
}

/// Some bits of an input that have a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPart {
    /// The C expression of the user.
    pub path: String,
    /// Its first bit in the input.
    pub first: u64,
    /// Bits of an element.
    pub bits: u64,
    /// Elements of an array; `None` for a single value.
    pub elements: Option<u64>,
    /// The meaning of the bits.
    pub value: PartValue,
}

/// How the bits of a part are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartValue {
    /// A whole number.
    Number {
        /// Whether values are signed.
        signed: bool,
    },
    /// Plain characters.
    Characters,
    /// `float` or `double`.
    Float,
    /// A pointer chosen by its lowest byte.
    Pointer {
        /// It may be null.
        null: bool,
        /// Earlier objects, chosen from 2 on.
        earlier: Vec<String>,
    },
    /// Whether objects were made in a certain way, if it is not zero.
    Way {
        /// That they were, in words.
        made: String,
    },
    /// Nothing that could be said in a few characters.
    Unknown,
}

impl Invented {
    /// A parameter that may be null, or lead to what these pointers lead to.
    pub(crate) fn choose(&mut self, path: &str, null: bool, earlier: Vec<String>) {
        let value = PartValue::Pointer { null, earlier };
        self.inputs.push(MadeUp {
            input: format!("{path}.choice"),
            room: None,
            is_input: false,
            parts: vec![InputPart {
                value,
                ..InputPart::number(path)
            }],
            is_content: false,
        });
    }

    /// A pointer in an input may lead to what these pointers lead to.
    pub(crate) fn may_lead_to(&mut self, path: &str, others: &[String]) {
        let parts = self.inputs.iter_mut().rev().flat_map(|i| &mut i.parts);
        for part in parts.filter(|p| p.path == path) {
            if let PartValue::Pointer { earlier, .. } = &mut part.value {
                *earlier = others.to_vec();
                return;
            }
        }
    }
}

impl MadeUp {
    /// Whether a symbolic object is this input; of a name that is used again the engine makes `NAME_1`, `NAME_2`.
    pub fn is(&self, object: &str) -> bool {
        match object.strip_prefix(&self.input[..]) {
            Some("") => true,
            Some(rest) => rest.strip_prefix('_').is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            }),
            None => false,
        }
    }

    /// What these bytes of the input say. `of_null`: what happens is an access to a null pointer.
    pub fn conditions(&self, bytes: &[u8], decisive: &[usize], of_null: bool) -> Conditions {
        let mut strong = Vec::new();
        let mut weak = Vec::new();
        let mut nulls = Vec::new();
        let lies_in = |part: &InputPart, at: usize| {
            let (bit, width) = (8 * at as u64, part.bits * part.elements.unwrap_or(1));
            bit + 8 > part.first && bit < part.first + width
        };
        for part in &self.parts {
            let within = |at: &&usize| lies_in(part, **at);
            let mut inside = decisive.iter().filter(within).peekable();
            if inside.peek().is_none() {
                continue;
            }
            match &part.value {
                PartValue::Pointer { null, earlier } => {
                    let choice = bytes.get(part.first as usize / 8).copied().unwrap_or(0);
                    match earlier.get(usize::from(choice).wrapping_sub(2)) {
                        _ if choice == 1 && *null && (self.is_content || of_null) => {
                            let null = format!("{} is null", part.path);
                            nulls.extend((!self.is_content).then(|| null.clone()));
                            strong.push(null);
                        }
                        Some(other) => strong.push(format!("{} = {other}", part.path)),
                        None if self.is_content && *null => {
                            weak.push(format!("{} is not null", part.path));
                        }
                        None if self.is_content => {
                            weak.push(format!("{} leads to an object of its own", part.path));
                        }
                        None => {}
                    }
                }
                PartValue::Way { made } => {
                    let is_so = bytes.get(part.first as usize / 8).is_some_and(|b| *b != 0);
                    weak.extend(is_so.then(|| made.clone()));
                }
                _ if !self.is_content => {}
                PartValue::Characters if part.elements.is_some() => {
                    let last = inside.next_back().copied().unwrap_or(0);
                    strong.push(format!("{} = {}", part.path, part.text(bytes, last)));
                }
                _ => strong.extend(part.numbers(bytes, inside.copied())),
            }
        }
        let is_unknown = |at: &&usize| !self.parts.iter().any(|part| lies_in(part, **at));
        if self.is_content && decisive.iter().any(|at| is_unknown(&at)) {
            strong.push(format!("{} has certain bytes", self.input));
        }
        let is_by_hand = self.is_content && !strong.is_empty();
        Conditions {
            by_hand: is_by_hand.then(|| self.parameter().to_string()),
            strong,
            weak,
            nulls,
        }
    }

    /// The parameter of which it is a part: `node` of `(*node)->left`.
    fn parameter(&self) -> &str {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = self.input.trim_start_matches(|c| !is_part(c));
        name.split(|c| !is_part(c)).next().unwrap_or(name)
    }
}

/// Conditions in the user's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Those that say what a user has to look at: values, null pointers, pointers that are the same.
    pub strong: Vec<String>,
    /// Those that are worth saying only where no other one is.
    pub weak: Vec<String>,
    /// The strong ones by which a parameter is null.
    pub nulls: Vec<String>,
    /// The parameter whose object was set member by member, if strong ones are about such members.
    pub by_hand: Option<String>,
}

impl Conditions {
    /// Takes in those of another input.
    pub fn extend(&mut self, other: Conditions) {
        self.strong.extend(other.strong);
        self.weak.extend(other.weak);
        self.nulls.extend(other.nulls);
        self.by_hand = self.by_hand.take().or(other.by_hand);
    }

    /// Takes in that these pointers are null.
    pub fn add_nulls(&mut self, nulls: impl IntoIterator<Item = String>) {
        for null in nulls {
            self.nulls.push(null.clone());
            self.strong.push(null);
        }
    }

    /// Leaves out null parameters that have nothing to do with the error.
    pub fn drop_nulls(&mut self, has_nothing_to_do: &dyn Fn(&str) -> bool) {
        self.nulls.retain(|null| {
            let goes = has_nothing_to_do(null);
            if goes {
                self.strong.retain(|strong| strong != null);
            }
            !goes
        });
    }

    /// The conditions that are told.
    pub fn told(self) -> Vec<String> {
        if self.strong.is_empty() {
            self.weak
        } else {
            self.strong
        }
    }
}

impl Room {
    /// The size of an input of so many bytes, in words.
    pub fn told(&self, bytes: u64) -> String {
        match self {
            Room::Said(text) => text.clone(),
            Room::Elements { path, size: 0 | 1 } => format!("{path} has {bytes} bytes"),
            Room::Elements { path, size } if bytes / size <= 1 => {
                format!("{path} leads to a single object")
            }
            Room::Elements { path, size } => format!("{path} has {} elements", bytes / size),
        }
    }
}

impl InputPart {
    /// A byte that is a number.
    pub(crate) fn number(path: &str) -> InputPart {
        InputPart {
            path: path.to_string(),
            first: 0,
            bits: 8,
            elements: None,
            value: PartValue::Number { signed: false },
        }
    }

    /// So many bytes of which no more is told than that they decide.
    pub(crate) fn unknown(path: &str, bytes: u64) -> InputPart {
        InputPart {
            bits: 8 * bytes,
            value: PartValue::Unknown,
            ..InputPart::number(path)
        }
    }

    /// The elements in which these bytes lie, with their values.
    fn numbers(&self, bytes: &[u8], decisive: impl Iterator<Item = usize>) -> Vec<String> {
        let element = |at: usize| (8 * at as u64).saturating_sub(self.first) / self.bits.max(1);
        let mut elements: Vec<u64> = decisive.map(element).collect();
        elements.dedup();
        let name = |i: u64| match self.elements {
            Some(_) => format!("{}[{i}]", self.path),
            None => self.path.clone(),
        };
        let of = |i: u64| match self.shown(bytes, self.first + i * self.bits) {
            Some(value) => format!("{} = {value}", name(i)),
            None => format!("{} has a certain value", name(i)),
        };
        elements.into_iter().map(of).collect()
    }

    /// The value of the bits from `first` on.
    fn shown(&self, bytes: &[u8], first: u64) -> Option<String> {
        if self.bits == 0 || self.bits > 64 || self.value == PartValue::Unknown {
            return None;
        }
        let bit = |i: u64| {
            let byte = bytes.get((i / 8) as usize).copied().unwrap_or(0);
            u64::from(byte >> (i % 8) & 1)
        };
        let raw = (0..self.bits).fold(0, |all, i| all | bit(first + i) << i);
        let unused = 64 - self.bits;
        Some(match (&self.value, self.bits) {
            (PartValue::Number { signed: true }, _) => {
                ((raw << unused).cast_signed() >> unused).to_string()
            }
            // With an exponent where digits would be many.
            (PartValue::Float, 32) => format!("{:?}", f32::from_bits(raw as u32)),
            (PartValue::Float, 64) => format!("{:?}", f64::from_bits(raw)),
            (PartValue::Characters, _) if (0x20..0x7f).contains(&raw) => {
                format!("'{}'", char::from(raw as u8))
            }
            _ => raw.to_string(),
        })
    }

    /// The characters as far as byte `last` of the input.
    fn text(&self, bytes: &[u8], last: usize) -> String {
        let first = (self.first / 8) as usize;
        let all = bytes.get(first..=last).unwrap_or_default();
        let shown = &all[..all.len().min(MAX_TEXT)];
        let more = if shown.len() < all.len() { "…" } else { "" };
        format!("\"{}\"{more}", shown.escape_ascii())
    }
}

impl Description {
    /// The parts of `count` objects of a type that lie one behind the other; `path` points to the first of them.
    pub(crate) fn parts(&self, id: TypeId, path: &str, count: u64, null: bool) -> Vec<InputPart> {
        let mut parts = Vec::new();
        let size = 8 * self.size(id);
        match self.ty(id) {
            Type::Record { .. } | Type::Array { .. } => {
                for i in 0..count.min(MAX_ELEMENTS) {
                    let path = match count {
                        1 => format!("(*{path})"),
                        _ => format!("{path}[{i}]"),
                    };
                    self.parts_of(id, &path, i * size, null, &mut parts);
                }
            }
            _ if count == 1 => self.parts_of(id, &format!("*{path}"), 0, null, &mut parts),
            _ => parts.push(InputPart {
                path: path.to_string(),
                first: 0,
                bits: size.max(8),
                elements: Some(count),
                value: self.value(id, null),
            }),
        }
        for part in &mut parts {
            part.path = arrow(&part.path);
        }
        parts
    }

    /// The parts of one object that is named by an expression.
    pub(crate) fn parts_of_value(&self, id: TypeId, path: &str, null: bool) -> Vec<InputPart> {
        let mut parts = Vec::new();
        self.parts_of(id, path, 0, null, &mut parts);
        parts
    }

    /// Types contain each other without cycles, as deep as the source has it.
    fn parts_of(&self, id: TypeId, path: &str, first: u64, null: bool, parts: &mut Vec<InputPart>) {
        if parts.len() >= MAX_PARTS {
            return;
        }
        match self.ty(id) {
            Type::Record { fields, .. } => {
                for (
                    i,
                    Field {
                        name,
                        ty,
                        offset,
                        bits,
                    },
                ) in fields.iter().enumerate()
                {
                    let name = crate::declare::member(name, i);
                    let path = format!("{path}.{name}");
                    match bits {
                        None => self.parts_of(*ty, &path, first + offset, null, parts),
                        Some(bits) => parts.push(InputPart {
                            path,
                            first: first + offset,
                            bits: u64::from(*bits),
                            elements: None,
                            value: self.value(*ty, null),
                        }),
                    }
                }
            }
            Type::Array { of, count } => {
                let (size, count) = (8 * self.size(*of), count.unwrap_or(0));
                if matches!(
                    self.ty(*of),
                    Type::Record { .. } | Type::Array { .. } | Type::Pointer(_)
                ) {
                    for i in 0..count.min(MAX_ELEMENTS) {
                        let path = format!("{path}[{i}]");
                        self.parts_of(*of, &path, first + i * size, null, parts);
                    }
                    return;
                }
                parts.push(InputPart {
                    path: path.to_string(),
                    first,
                    bits: size,
                    elements: Some(count),
                    value: self.value(*of, null),
                });
            }
            _ => parts.push(InputPart {
                path: path.to_string(),
                first,
                bits: (8 * self.size(id)).max(8),
                elements: None,
                value: self.value(id, null),
            }),
        }
    }

    fn value(&self, id: TypeId, null: bool) -> PartValue {
        match self.ty(id) {
            Type::Int {
                character: true, ..
            } => PartValue::Characters,
            Type::Int { signed, .. } | Type::Enum { signed, .. } => {
                PartValue::Number { signed: *signed }
            }
            Type::Bool | Type::Void => PartValue::Number { signed: false },
            Type::Float(FloatKind::Single | FloatKind::Double) => PartValue::Float,
            Type::Pointer(_) => PartValue::Pointer {
                null,
                earlier: Vec::new(),
            },
            _ => PartValue::Unknown,
        }
    }
}

/// `(*p).a` is written `p->a`.
fn arrow(path: &str) -> String {
    let inner = path.strip_prefix("(*").and_then(|p| p.split_once(')'));
    match inner {
        Some((pointer, rest)) if rest.starts_with('.') && !pointer.contains('(') => {
            format!("{pointer}->{}", &rest[1..])
        }
        _ => path.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(path: &str, first: u64, bits: u64, value: PartValue) -> InputPart {
        InputPart {
            path: path.into(),
            first,
            bits,
            elements: None,
            value,
        }
    }

    const SIGNED: PartValue = PartValue::Number { signed: true };

    #[test]
    fn bytes_are_told_by_the_members_in_them() {
        let pointer = PartValue::Pointer {
            null: true,
            earlier: vec!["q".into()],
        };
        let list = InputPart {
            elements: Some(4),
            ..part("p->a", 96, 16, SIGNED)
        };
        let text = InputPart {
            elements: Some(8),
            ..part("p->s", 192, 8, PartValue::Characters)
        };
        let input = MadeUp {
            input: "p".into(),
            room: None,
            is_input: false,
            parts: vec![
                part("p->next", 0, 64, pointer),
                part("p->f", 64, 3, PartValue::Number { signed: false }),
                part("p->g", 67, 6, SIGNED),
                list,
                text,
            ],
            is_content: true,
        };
        let mut bytes = [0; 32];
        bytes[8] = 0b1111_1101;
        bytes[9] = 0b1;
        bytes[14..16].copy_from_slice(&(-2i16).to_le_bytes());
        bytes[24..27].copy_from_slice(b"ab\n");
        let of = |bytes: &[u8], decisive: &[usize]| input.conditions(bytes, decisive, false);
        let says = |bytes: &[u8], decisive: &[usize]| of(bytes, decisive).told();
        assert_eq!(says(&bytes, &[8]), ["p->f = 5", "p->g = -1"]);
        assert_eq!(says(&bytes, &[14]), ["p->a[1] = -2"]);
        assert_eq!(says(&bytes, &[24, 26]), ["p->s = \"ab\\n\""]);
        // That a pointer is not null says least.
        assert_eq!(of(&bytes, &[0, 15]).weak, ["p->next is not null"]);
        assert_eq!(says(&bytes, &[0, 15]), ["p->a[1] = -2"]);
        assert_eq!(says(&bytes, &[0]), ["p->next is not null"]);
        bytes[0] = 1;
        assert_eq!(says(&bytes, &[0]), ["p->next is null"]);
        bytes[0] = 2;
        assert_eq!(says(&bytes, &[0]), ["p->next = q"]);
        assert!(says(&bytes, &[]).is_empty());
        // Padding, and what is too much to be listed.
        assert_eq!(says(&bytes, &[11]), ["p has certain bytes"]);
    }

    #[test]
    fn a_parameter_is_no_content() {
        let pointer = PartValue::Pointer {
            null: true,
            earlier: vec!["p".into()],
        };
        let choice = MadeUp {
            input: "q.choice".into(),
            parts: vec![part("q", 0, 8, pointer)],
            ..MadeUp::default()
        };
        let says = |value: u8, of_null| choice.conditions(&[value], &[0], of_null).told();
        assert!(says(0, true).is_empty());
        // Only an access to a null pointer may be what the caller must not cause.
        assert!(says(1, false).is_empty());
        assert_eq!(says(1, true), ["q is null"]);
        assert_eq!(says(2, false), ["q = p"]);
    }

    #[test]
    fn an_input_is_known_by_its_name_and_number() {
        let input = MadeUp {
            input: "p->a".into(),
            ..MadeUp::default()
        };
        for (object, is) in [
            ("p->a", true),
            ("p->a_2", true),
            ("p->a_", false),
            ("p->a_b", false),
            ("p->ab", false),
            ("p", false),
        ] {
            assert_eq!(input.is(object), is, "{object}");
        }
    }
}
