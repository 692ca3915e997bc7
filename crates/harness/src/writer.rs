//! The body of a driver: parameters, lengths, and values whose bytes need a repair.

use crate::bounds::{self, Bounds};
use crate::convention::{self, Among, ParameterKind};
use crate::declare::{Declarations, member};
use crate::driver::DriverOptions;
use crate::expr::Length;
use crate::made_up::{InputPart, Invented, MadeUp};
use crate::pointers::PointerChoice;
use crate::raw::RawInput;
use crate::said::{Demand, SaidLength};
use crate::types::{Description, FloatKind, Function, Param, Type, TypeId, VA_LIST};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Parameters whose value is fixed on each path because they are lengths.
const MAX_FIXED_LENGTHS: usize = 3;
/// Elements of an array at most.
const MAX_ARRAY: u64 = 1 << 16;
/// Elements of an array inside a record that get pointers; the others are null.
pub(crate) const MAX_ELEMENTS: u64 = 16;

/// An object that was made.
pub(crate) struct Object {
    /// The C expression of the user that points to it.
    pub(crate) path: String,
    /// The variable of the driver that points to it.
    pub(crate) variable: String,
    pub(crate) ty: TypeId,
}

/// Writes the body of a driver.
pub(crate) struct Writer<'a> {
    pub(crate) d: &'a Description,
    pub(crate) options: &'a DriverOptions,
    pub(crate) declarations: &'a Declarations<'a>,
    pub(crate) body: String,
    pub(crate) stubs: String,
    pub(crate) objects: Vec<Object>,
    /// Fields that were bounded already.
    pub(crate) bounded: BTreeSet<String>,
    /// Lengths of arrays whose elements have pointers: their bound does not grow.
    pub(crate) short: BTreeSet<String>,
    /// The bounds that were asked for.
    pub(crate) bounds: Bounds,
    /// Places inside of which visible structures are made member by member.
    pub(crate) by_hand: u32,
    /// Some structure is made by its constructor or member by member, as `pp_by_hand` says.
    pub(crate) has_both_ways: bool,
    /// Some structure that only the library knows is made member by member where its constructor never succeeds.
    pub(crate) has_last_way: bool,
    /// Parameters of the function under test that lead to so many elements as the driver chooses.
    pub(crate) outs: Vec<(String, TypeId)>,
    /// Parameters that are texts although they are no plain characters.
    pub(crate) texts: BTreeSet<String>,
    /// Places inside of which no structure is made by a constructor, since these have failed.
    pub(crate) at_last: u32,
    /// Parameters that the code takes for granted.
    granted: Vec<String>,
    /// Choices of parameters that may be null.
    pub(crate) nullable: Vec<String>,
    pub(crate) used_lengths: BTreeSet<String>,
    /// Parameters whose value is concrete.
    pub(crate) fixed: BTreeSet<String>,
    /// Parameters that are lengths and stay symbolic.
    pub(crate) open: BTreeSet<String>,
    pub(crate) variables: usize,
    /// Objects of the whole driver.
    pub(crate) made: usize,
    /// Pointers to data that may be other than null.
    pub(crate) pointers: usize,
    /// Some pointer leads to data that no other one leads to.
    pub(crate) is_apart: bool,
    pub(crate) stub_count: usize,
    /// Inside a stub: no aliases of objects of other functions.
    pub(crate) stub: bool,
    pub(crate) indent: usize,
    pub(crate) notes: Vec<String>,
    /// Constructors inside of which arguments are made.
    pub(crate) making: u32,
    pub(crate) used_makers: BTreeSet<usize>,
    /// Functions that are called on what a constructor made.
    pub(crate) used_mutators: BTreeSet<usize>,
    /// Inputs that choose which functions are called on an object, and these by their numbers.
    pub(crate) choosing: Vec<(String, Vec<String>)>,
    /// The parameter that a file of bytes is for.
    pub(crate) raw: Option<RawInput>,
    /// Inputs that were made up.
    pub(crate) invented: Invented,
    /// Structures that are made member by member, around the place that is written.
    pub(crate) inside: u32,
    /// How each union's member was chosen, by the union's place.
    pub(crate) chosen: BTreeMap<String, Vec<(usize, String)>>,
    /// Calls that callers may make and the driver does not.
    pub(crate) limits: BTreeSet<String>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        d: &'a Description,
        options: &'a DriverOptions,
        declarations: &'a Declarations<'a>,
    ) -> Writer<'a> {
        Writer {
            d,
            options,
            declarations,
            body: String::new(),
            stubs: String::new(),
            objects: Vec::new(),
            bounded: BTreeSet::new(),
            short: BTreeSet::new(),
            bounds: Bounds::default(),
            by_hand: 0,
            has_both_ways: false,
            has_last_way: false,
            at_last: 0,
            texts: BTreeSet::new(),
            outs: Vec::new(),
            granted: Vec::new(),
            nullable: Vec::new(),
            used_lengths: BTreeSet::new(),
            fixed: BTreeSet::new(),
            open: BTreeSet::new(),
            variables: 0,
            made: 0,
            pointers: 0,
            is_apart: false,
            stub_count: 0,
            stub: false,
            indent: 1,
            notes: d.notes.clone(),
            making: 0,
            used_makers: BTreeSet::new(),
            used_mutators: BTreeSet::new(),
            choosing: Vec::new(),
            raw: None,
            invented: Invented::default(),
            inside: 0,
            chosen: BTreeMap::new(),
            limits: BTreeSet::new(),
        }
    }

    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:1$}{text}", "", 4 * self.indent);
    }

    /// A block of the driver: names made inside are not known behind it.
    pub(crate) fn block(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        let objects = self.objects.len();
        let bounded = self.bounded.clone();
        inside(self);
        self.objects.truncate(objects);
        self.bounded = bounded;
        self.indent -= 1;
        self.line("}");
    }

    pub(crate) fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Records a call that callers may make and the driver does not; a message.
    pub(crate) fn limit(&mut self, text: impl Into<String>) {
        self.limits.insert(text.into());
    }

    /// Does the code take this parameter for granted, and nobody says that it may be null?
    fn is_granted(&self, param: &Param) -> bool {
        let may_be = self.d.said.sentence(&param.name, Demand::MayBeNull);
        param.granted && !self.options.null_everywhere && may_be.is_none()
    }

    /// Limits that no single place of the driver has.
    pub(crate) fn limits_of_all(&mut self) {
        if self.pointers > 1 {
            self.limit("objects are the same or apart");
            if self.is_apart {
                self.limit("arrays, strings and types that are no structures are apart");
            }
        }
        if self.pointers > 0 && !self.options.null {
            self.limit("pointers are not null (--no-null)");
        }
        if self.options.null && !self.granted.is_empty() {
            const SHOWN: usize = 4;
            let mut names = self.granted[..self.granted.len().min(SHOWN)].join(", ");
            if self.granted.len() > SHOWN {
                names += ", …";
            }
            self.limit(format!(
                "pointers that the code uses without a look are not null (--null): {names}"
            ));
        }
        if self.pointers > 1 && !self.options.alias {
            self.limit("pointers differ (--no-alias)");
        }
        if !self.d.state.is_empty() {
            const SHOWN: usize = 3;
            let shown: Vec<&str> = self
                .d
                .state
                .iter()
                .take(SHOWN)
                .map(String::as_str)
                .collect();
            let more = if self.d.state.len() > SHOWN {
                ", …"
            } else {
                ""
            };
            self.limit(format!(
                "static variables begin as initialized ({}{more})",
                shown.join(", ")
            ));
        }
    }

    pub(crate) fn variable(&mut self, stem: &str) -> String {
        self.variables += 1;
        format!("{stem}_{}", self.variables)
    }

    /// Is it a `va_list`, or leads to one? Only a function with variable arguments has one.
    fn is_argument_list(&self, ty: TypeId) -> bool {
        let behind = |ty| match self.d.ty(ty) {
            Type::Pointer(of) | Type::Array { of, .. } => Some(*of),
            _ => None,
        };
        // `va_list *` is a pointer to an array of one record.
        let mut all = std::iter::successors(Some(ty), |ty| behind(*ty)).take(4);
        all.any(|ty| matches!(self.d.ty(ty), Type::Record { name, .. } if name == VA_LIST))
    }

    pub(crate) fn refuse(&self) -> Result<(), String> {
        let f = &self.d.entry;
        if f.variadic || f.params.iter().any(|p| self.is_argument_list(p.ty)) {
            return Err(format!(
                "{} takes a variable number of arguments: write a driver that calls it",
                f.name
            ));
        }
        for (i, p) in f.params.iter().enumerate() {
            let what = match self.d.ty(p.ty) {
                Type::Unsupported(what) => what.clone(),
                Type::Opaque(name) => format!("struct {name}, which is not defined"),
                _ => continue,
            };
            let name = if p.name.is_empty() {
                (i + 1).to_string()
            } else {
                p.name.clone()
            };
            return Err(format!(
                "parameter {name} of {} has the unsupported type {what}: write a driver that calls it",
                f.name
            ));
        }
        if let Some(p) = &self.d.precondition {
            let sizes =
                |f: &Function| -> Vec<u64> { f.params.iter().map(|p| self.d.size(p.ty)).collect() };
            if p.variadic || sizes(p) != sizes(f) {
                return Err(format!(
                    "the precondition {} must have the parameters of {}",
                    p.name, f.name
                ));
            }
            if !self.d.is_integer(p.result) && *self.d.ty(p.result) != Type::Bool {
                return Err(format!("the precondition {} must return int", p.name));
            }
        }
        Ok(())
    }

    /// The parameters of a call, which get these names: plain values first, because lengths are among them. In tests
    /// `owner` comes before their names.
    pub(crate) fn parameters(
        &mut self,
        params: &[Param],
        names: &[String],
        owner: &str,
    ) -> Result<(), String> {
        let items: Vec<(&str, TypeId)> = names
            .iter()
            .map(String::as_str)
            .zip(params.iter().map(|p| p.ty))
            .collect();
        let lengths = self.lengths(&items, "", "")?;
        // Bounds of lengths, and whether each element of their arrays is repaired, for which their number has to be known.
        let mut fixed: Vec<(String, Option<u64>, bool)> = Vec::new();
        for (length, (_, ty)) in lengths.iter().zip(&items) {
            let Some(length) = length else { continue };
            let max = self.fixed_bound(length);
            let is_repaired = match self.d.ty(*ty) {
                Type::Pointer(to) => self.d.needs_repair(*to),
                _ => true,
            };
            for name in &length.names {
                let integer = |(n, t): &(&str, TypeId)| n == name && self.d.is_integer(*t);
                match fixed.iter_mut().find(|(n, ..)| n == name) {
                    Some((_, _, repaired)) => *repaired |= is_repaired,
                    None if items.iter().any(integer) => {
                        fixed.push((name.clone(), max, is_repaired));
                    }
                    None => {}
                }
            }
        }
        for (name, ty) in &items {
            if matches!(self.d.ty(*ty), Type::Pointer(_)) {
                continue;
            }
            let text = self.declarations.declare(*ty, name);
            self.line(&format!("{text};"));
            let path = format!("{owner}{name}");
            self.line(&format!(
                "klee_make_symbolic(&{name}, sizeof {name}, \"{path}\");"
            ));
            if matches!(self.d.ty(*ty), Type::Record { .. }) {
                self.invented.inputs.push(MadeUp {
                    input: path.clone(),
                    room: None,
                    is_input: false,
                    parts: self.d.parts_of_value(*ty, &path, self.options.null),
                    is_content: true,
                });
            }
            let length = fixed.iter().find(|(n, ..)| n == name);
            let stride = convention::is_stride_name(name);
            match length {
                Some((_, max, true)) if self.fixed.len() < MAX_FIXED_LENGTHS && !stride => {
                    self.bound(name, *max);
                    let bound = max.map_or_else(|| self.array_bound().into(), |n| n.to_string());
                    self.line(&format!("{name} = pp_length({name}, {bound});"));
                    self.fixed.insert((*name).to_string());
                }
                Some((_, max, is_repaired)) => {
                    self.bounded.insert((*name).to_string());
                    self.bound(name, *max);
                    if !is_repaired && !stride {
                        self.open.insert((*name).to_string());
                    }
                }
                None => self.repair(name, *ty, &path, 0),
            }
        }
        for (i, (name, ty)) in items.iter().enumerate() {
            let Type::Pointer(to) = *self.d.ty(*ty) else {
                continue;
            };
            let text = self.declarations.declare(*ty, name);
            self.line(&format!("{text};"));
            if self.making == 0 && lengths[i].is_none() {
                self.outs.push(((*name).to_string(), to));
            }
            let is_granted = self.making == 0 && self.is_granted(&params[i]);
            if is_granted {
                self.granted.push((*name).to_string());
            }
            let choice = PointerChoice::Parameter {
                nonnull: params[i].nonnull || is_granted,
            };
            let path = format!("{owner}{name}");
            self.point(name, to, &path, 0, lengths[i].as_ref(), choice);
        }
        Ok(())
    }

    /// The lengths of arrays among parameters or members of the structure `of`. `owner` comes before the names of members in the
    /// user's expressions.
    pub(crate) fn lengths(
        &mut self,
        items: &[(&str, TypeId)],
        owner: &str,
        of: &str,
    ) -> Result<Vec<Option<Length>>, String> {
        let kinds: Vec<(&str, ParameterKind)> =
            items.iter().map(|(n, t)| (*n, self.kind(*t))).collect();
        let mut out = Vec::new();
        let among = match owner {
            "" => Among::Parameters,
            _ => Among::Members,
        };
        for (mut found, (name, ty)) in convention::lengths(&kinds, among).into_iter().zip(items) {
            found = self.said_length(items, (name, *ty), of).or(found);
            found = found.or_else(|| self.called_length(items, (name, *ty), of));
            if found.is_none() {
                self.text_of_calls((name, *ty), of);
            }
            let path = format!("{owner}{name}");
            let given = self.options.lengths.iter().find(|(n, _)| *n == path);
            if given.is_some() {
                self.used_lengths.insert(path);
            }
            out.push(match (given, found) {
                (Some((_, length)), _) => Some(length.clone()),
                (None, Some(text)) => {
                    let length = Length::parse(&text)?;
                    let names = length.replaced(|n| format!("{owner}{n}"));
                    Some(Length::parse(&names)?)
                }
                (None, None) => None,
            });
        }
        for (length, (_, ty)) in out.iter().zip(items) {
            let has_pointers =
                matches!(*self.d.ty(*ty), Type::Pointer(to) if self.d.has_pointer(to));
            if has_pointers && let Some(length) = length {
                self.short.extend(length.names.iter().cloned());
            }
        }
        Ok(out)
    }

    /// The length of an array that a source says, if it is one of these names or a number.
    fn said_length(
        &mut self,
        items: &[(&str, TypeId)],
        array: (&str, TypeId),
        of: &str,
    ) -> Option<String> {
        let d = self.d;
        let all = match of {
            // (Those of the tested function, and not of one that is called before.)
            "" if self.making == 0 => &d.said.lengths,
            "" => return None,
            _ => &d.said.members,
        };
        self.length_in(all, items, array, of)
    }

    /// The length that the library's own calls pass with an array.
    fn called_length(
        &mut self,
        items: &[(&str, TypeId)],
        array: (&str, TypeId),
        of: &str,
    ) -> Option<String> {
        let d = self.d;
        let is_entry = of.is_empty() && self.making == 0;
        let all = if is_entry { &d.said.called[..] } else { &[] };
        self.length_in(all, items, array, of)
    }

    fn length_in(
        &mut self,
        all: &[SaidLength],
        items: &[(&str, TypeId)],
        (name, ty): (&str, TypeId),
        of: &str,
    ) -> Option<String> {
        let Type::Pointer(to) = *self.d.ty(ty) else {
            return None;
        };
        let said = all.iter().find(|l| l.of == of && l.array == name)?;
        let is_number = said.length.parse::<u64>().is_ok();
        let is_there = |(n, t): &(&str, TypeId)| *n == said.length && self.d.is_integer(*t);
        let is_countable = !said.is_in_bytes || self.d.size(to) <= 1;
        if !is_countable || !is_number && !items.iter().any(is_there) {
            return None;
        }
        let (length, place) = (&said.length, &said.place);
        self.note(format!("{name} has {length} elements ({place})"));
        Some(length.clone())
    }

    /// Remembers that a parameter without a length is a text, if the library's own calls pass one.
    fn text_of_calls(&mut self, (name, ty): (&str, TypeId), of: &str) {
        let is_plain = matches!(*self.d.ty(ty), Type::Pointer(to) if matches!(self.d.ty(to), Type::Int { character: true, .. }));
        if !of.is_empty() || self.making > 0 || is_plain {
            return;
        }
        let d = self.d;
        if let Some(text) = d.said.texts.iter().find(|t| t.parameter == name) {
            self.note(format!("{name} is a text ({})", text.place));
            self.texts.insert(name.to_string());
        }
    }

    /// The bound of the lengths in an expression if it does not grow; what grows has the driver's own.
    pub(crate) fn fixed_bound(&self, length: &Length) -> Option<u64> {
        let most = |bound: u64| length.eval(|_| Some(bound)).unwrap_or(bound);
        let short = bounds::of_pointers(self.options);
        match length.max {
            Some(max) => Some(max),
            None if length.names.iter().any(|n| self.short.contains(n)) => Some(short),
            None if most(self.options.array_max) > MAX_ARRAY => Some(short),
            None => None,
        }
    }

    /// The number of elements that an expression allows at most now.
    pub(crate) fn greatest(&mut self, length: Option<&Length>) -> String {
        let bound = self.array_bound();
        match length {
            Some(length) => format!("({})", length.replaced(|_| bound.into())),
            None => bound.into(),
        }
    }

    /// Bounds a length: by this number, or by a bound that grows.
    fn bound(&mut self, place: &str, max: Option<u64>) {
        match max {
            Some(max) => self.line(&format!("klee_assume((unsigned long){place} <= {max});")),
            None => self.bound_length(place),
        }
    }

    fn kind(&self, ty: TypeId) -> ParameterKind {
        match *self.d.ty(ty) {
            Type::Pointer(to) => match self.d.ty(to) {
                Type::Int {
                    character: true, ..
                } => ParameterKind::Characters,
                Type::Int { .. }
                | Type::Float(_)
                | Type::Complex(_)
                | Type::Void
                | Type::Bool
                | Type::Enum { .. } => ParameterKind::Numbers,
                Type::Record { fields, .. } if fields.iter().any(|f| f.ty == ty) => {
                    ParameterKind::Linked
                }
                Type::Record { .. } | Type::Pointer(_) => ParameterKind::Records,
                _ => ParameterKind::Other,
            },
            _ if self.d.is_integer(ty) => ParameterKind::Integer,
            _ => ParameterKind::Other,
        }
    }

    /// The size of the array behind a pointer: an expression of the driver, and its greatest value.
    pub(crate) fn count(&mut self, length: &Length) -> (String, u64) {
        let fixed = self.fixed_bound(length);
        let bound = fixed.unwrap_or(self.options.array_max);
        let most = length.eval(|_| Some(bound)).unwrap_or(bound).min(MAX_ARRAY);
        let is_exact = |n: &String| self.fixed.contains(n) || self.open.contains(n);
        if length.names.iter().all(is_exact) {
            // A constant: its own value. Parameters: what they are on this path.
            let plain = length
                .text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_');
            return if plain {
                (length.text.clone(), most)
            } else {
                (format!("({})", length.text), most)
            };
        }
        for name in &length.names {
            if self.fixed.contains(name) {
                continue;
            }
            match self.place(name) {
                Some(place) if self.bounded.insert(place.clone()) => self.bound(&place, fixed),
                Some(_) => {}
                None => self.note(format!("--array-len: {name} is not known where the array is made; the array has {most} elements")),
            }
        }
        let now = match fixed {
            Some(_) => most.to_string(),
            None => self.greatest(Some(length)),
        };
        (now, most)
    }

    /// The driver's expression for one of the user's (`v->size`).
    fn place(&self, name: &str) -> Option<String> {
        let best = self
            .objects
            .iter()
            .filter(|o| {
                name.strip_prefix(&o.path)
                    .is_some_and(|r| r.starts_with("->"))
            })
            .max_by_key(|o| o.path.len());
        match best {
            Some(o) => Some(format!("{}{}", o.variable, &name[o.path.len()..])),
            None => (!name.contains("->")).then(|| name.to_string()),
        }
    }

    /// Makes the symbolic bytes of `place` a value of its type.
    pub(crate) fn repair(&mut self, place: &str, ty: TypeId, path: &str, depth: u32) {
        match self.d.ty(ty) {
            Type::Bool => self.line(&format!("*(unsigned char *)&{place} &= 1;")),
            Type::Enum { values, .. } => {
                if let Some(condition) = enumeration(values, place) {
                    self.limit("enumerations have their named values");
                    self.line(&format!("klee_assume({condition});"));
                }
            }
            Type::Float(FloatKind::Extended) => self.line(&format!("pp_extended(&{place});")),
            Type::Complex(FloatKind::Extended) => {
                self.line(&format!("pp_extended(&{place});"));
                self.line(&format!("pp_extended((char *)&{place} + 16);"));
            }
            Type::Pointer(to) => {
                let to = *to;
                self.point(place, to, path, depth, None, PointerChoice::InPlace);
            }
            Type::Array { of, count } if self.d.needs_repair(*of) => {
                self.repair_array(place, *of, count.unwrap_or(0), path, depth);
            }
            Type::Record { union, fields, .. } => {
                if !self.d.needs_repair(ty) {
                    return;
                }
                if *union {
                    self.repair_union(place, ty, path, depth)
                } else {
                    let items: Vec<(String, TypeId)> = fields
                        .iter()
                        .enumerate()
                        .map(|(i, f)| (member(&f.name, i), f.ty))
                        .collect();
                    self.repair_fields(place, ty, &items, path, depth);
                }
            }
            _ => {}
        }
    }

    fn repair_fields(
        &mut self,
        place: &str,
        ty: TypeId,
        items: &[(String, TypeId)],
        path: &str,
        depth: u32,
    ) {
        let Type::Record {
            fields, name: of, ..
        } = self.d.ty(ty)
        else {
            return;
        };
        let named: Vec<(&str, TypeId)> = items.iter().map(|(n, t)| (n.as_str(), *t)).collect();
        // `*o` is written `o->`, for the driver's places and the user's paths alike.
        let dotted = |text: &str| match text.strip_prefix('*') {
            Some(pointer) => format!("{pointer}->"),
            None => format!("{text}."),
        };
        let (place, path) = (dotted(place), dotted(path));
        let lengths = self
            .lengths(&named, &path, of)
            .unwrap_or_else(|_| vec![None; items.len()]);
        self.inside += 1;
        for (i, (name, ty)) in items.iter().enumerate() {
            let bit_field = fields.get(i).is_some_and(|f| f.bits.is_some());
            if bit_field || !self.d.needs_repair(*ty) {
                continue;
            }
            let (place, path) = (format!("{place}{name}"), format!("{path}{name}"));
            match *self.d.ty(*ty) {
                Type::Pointer(to) => self.point(
                    &place,
                    to,
                    &path,
                    depth,
                    lengths[i].as_ref(),
                    PointerChoice::InPlace,
                ),
                _ => self.repair(&place, *ty, &path, depth),
            }
        }
        self.inside -= 1;
        self.keep_tags(ty, items, &place);
    }

    /// Assumes that the members of unions are set which the code expects under the values of their tags.
    fn keep_tags(&mut self, record: TypeId, items: &[(String, TypeId)], place: &str) {
        for tagged in self.d.tagged.iter().filter(|t| t.record == record) {
            let (Some((union, _)), Some((tag, _))) =
                (items.get(tagged.union), items.get(tagged.tag))
            else {
                continue;
            };
            let Some(ways) = self.chosen.remove(&format!("{place}{union}")) else {
                continue;
            };
            // Values under which the same members may be set stand together.
            let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (value, members) in &tagged.members {
                let is_allowed = |(member, _): &&(usize, String)| members.contains(member);
                let allowed = ways.iter().filter(is_allowed).map(|(_, way)| way.as_str());
                let allowed: BTreeSet<&str> = allowed.collect();
                let allowed: Vec<&str> = allowed.into_iter().collect();
                let differs = format!("({place}{tag} != {value})");
                values.entry(allowed.join(" | ")).or_default().push(differs);
            }
            for (allowed, differs) in values {
                let differs = match &differs[..] {
                    [one] => one.clone(),
                    several => format!("({})", several.join(" & ")),
                };
                self.line(&format!("klee_assume({differs} | {allowed});"));
            }
        }
    }

    /// Members of a union overlap: if pointers are among them, a choice selects the member.
    fn repair_union(&mut self, place: &str, ty: TypeId, path: &str, depth: u32) {
        let Type::Record { fields, .. } = self.d.ty(ty) else {
            return;
        };
        if !self.d.has_pointer(ty) {
            return;
        }
        let base = match place.strip_prefix('*') {
            Some(pointer) => format!("{pointer}->"),
            None => format!("{place}."),
        };
        let shown = path.trim_start_matches('*');
        let with_pointers: Vec<usize> = (0..fields.len())
            .filter(|i| self.d.has_pointer(fields[*i].ty))
            .collect();
        let is_pointer = |i: &usize| matches!(self.d.ty(fields[*i].ty), Type::Pointer(_));
        if with_pointers.iter().all(is_pointer) {
            self.repair_pointers((ty, place), &with_pointers, &base, shown, depth);
            return;
        }
        let choice = self.variable("member");
        self.line(&format!(
            "unsigned char {choice} = pp_choice(\"{shown}.member\");"
        ));
        self.choose(place, &choice, fields.len(), &with_pointers);
        self.line(&format!("switch ({choice}) {{"));
        self.inside += 1;
        self.note_member(shown);
        for (k, i) in with_pointers.iter().enumerate() {
            let name = member(&fields[*i].name, *i);
            let last = k + 1 == with_pointers.len() && with_pointers.len() == fields.len();
            let head = if last {
                "default:".to_string()
            } else {
                format!("case {k}:")
            };
            let (place, path) = (format!("{base}{name}"), format!("{shown}.{name}"));
            self.block(&head, |w| {
                w.repair(&place, fields[*i].ty, &path, depth);
                w.line("break;");
            });
        }
        self.inside -= 1;
        self.line("}");
    }

    /// Of a union whose pointers are members of it: each is made, and the choice among them is a term, so that no path
    /// forks before the function looks.
    fn repair_pointers(
        &mut self,
        (ty, place): (TypeId, &str),
        pointers: &[usize],
        base: &str,
        shown: &str,
        depth: u32,
    ) {
        let Type::Record { fields, .. } = self.d.ty(ty) else {
            return;
        };
        let first = member(&fields[pointers[0]].name, pointers[0]);
        let raw = format!("*(void **)&{base}{first}");
        let choice = self.variable("member");
        self.note_member(shown);
        self.line(&format!(
            "unsigned char {choice} = pp_choice(\"{shown}.member\");"
        ));
        self.choose(place, &choice, fields.len(), pointers);
        let mut chosen = raw.clone();
        self.inside += 1;
        for (k, i) in pointers.iter().enumerate() {
            let Type::Pointer(to) = *self.d.ty(fields[*i].ty) else {
                continue;
            };
            let name = member(&fields[*i].name, *i);
            let variable = self.variable("part");
            let text = self.declarations.declare(fields[*i].ty, &variable);
            self.line(&format!("{text} = {base}{name};"));
            let path = format!("{shown}.{name}");
            self.point(&variable, to, &path, depth, None, PointerChoice::InPlace);
            let is_last = k + 1 == pointers.len() && pointers.len() == fields.len();
            chosen = if is_last && k == 0 {
                variable
            } else if is_last {
                // Any other choice.
                chosen.replace(&raw, &variable)
            } else {
                format!("pp_pick({choice}, {k}, {variable}, {chosen})")
            };
        }
        self.inside -= 1;
        self.line(&format!("{raw} = {chosen};"));
    }

    /// Remembers under which values of the choice each member of a union is set: those with pointers have numbers, the others share what is left.
    fn choose(&mut self, place: &str, choice: &str, members: usize, with_pointers: &[usize]) {
        let last = with_pointers.len().saturating_sub(1);
        let has_others = with_pointers.len() < members;
        let ways = (0..members).map(|member| {
            let number = with_pointers.iter().position(|m| *m == member);
            let condition = match number {
                Some(k) if k < last || has_others => format!("({choice} == {k})"),
                // The last one, if all have numbers, is set under each other choice, as are members without pointers.
                Some(k) => format!("({choice} >= {k})"),
                None => format!("({choice} > {last})"),
            };
            (member, condition)
        });
        self.chosen.insert(place.to_string(), ways.collect());
    }

    /// Remembers which member of a union is set as an input of the driver's own.
    fn note_member(&mut self, shown: &str) {
        self.invented.inputs.push(MadeUp {
            input: format!("{shown}.member"),
            room: None,
            is_input: false,
            parts: vec![InputPart::number(&format!(
                "the member that is set of {shown}"
            ))],
            is_content: true,
        });
    }

    fn repair_array(&mut self, place: &str, of: TypeId, count: u64, path: &str, depth: u32) {
        if !self.d.has_pointer(of) {
            let i = self.variable("i");
            self.block(&format!("for (int {i} = 0; {i} < {count}; {i}++)"), |w| {
                w.repair(&format!("{place}[{i}]"), of, path, depth);
            });
            return;
        }
        for i in 0..count.min(MAX_ELEMENTS) {
            self.repair(&format!("{place}[{i}]"), of, &format!("{path}[{i}]"), depth);
        }
        if count > MAX_ELEMENTS {
            let rest = format!(
                "__builtin_memset(&{place}[{MAX_ELEMENTS}], 0, sizeof {place} - {MAX_ELEMENTS} * sizeof {place}[0]);"
            );
            self.line(&rest);
            self.note(format!(
                "only the first {MAX_ELEMENTS} elements of {path} have pointers"
            ));
            self.limit(format!(
                "pointers behind the first {MAX_ELEMENTS} elements of an array are null"
            ));
        }
    }
}

/// The condition that an enumeration has one of its values; `None` where it may have others: no values,
/// or flags to be joined by `|`.
fn enumeration(values: &[i64], place: &str) -> Option<String> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    let (first, last) = (*values.first()?, *values.last()?);
    if last.checked_sub(first)? == values.len() as i64 - 1 {
        return Some(format!(
            "(unsigned long)((long){place} - ({first}l)) <= {}ul",
            last - first
        ));
    }
    let powers = values
        .iter()
        .filter(|v| **v > 0 && v.count_ones() == 1)
        .count();
    if powers >= 3 && 2 * powers > values.len() || values.len() > 64 {
        return None;
    }
    let each: Vec<String> = values
        .iter()
        .map(|v| format!("((long){place} == {v}l)"))
        .collect();
    Some(each.join(" | "))
}
