//! The targets of pointers: objects, arrays, strings, streams, functions.

use crate::bounds;
use crate::expr::Length;
use crate::made_up::{MadeUp, Room};
use crate::raw::RawInput;
use crate::types::{Type, TypeId};
use crate::writer::{MAX_ELEMENTS, Object, Writer};
use std::fmt::Write;

/// Bytes of an object of unknown size.
const OPAQUE_BYTES: u64 = 64;
/// Objects of one driver; further pointers are null.
const MAX_OBJECTS: usize = 256;
/// Earlier objects that a pointer may point to.
const MAX_ALIASES: usize = 3;

/// The input that chooses among the values of a pointer.
pub(crate) enum PointerChoice {
    /// A separate symbolic byte.
    Parameter { nonnull: bool },
    /// The symbolic bytes in its place.
    InPlace,
}

impl Writer<'_> {
    /// Gives the pointer at `place` its target.
    pub(crate) fn point(
        &mut self,
        place: &str,
        to: TypeId,
        path: &str,
        depth: u32,
        length: Option<&Length>,
        choice: PointerChoice,
    ) {
        if depth >= self.options.depth || self.made >= MAX_OBJECTS {
            if self.made >= MAX_OBJECTS {
                self.note(format!(
                    "more than {MAX_OBJECTS} objects: further pointers are null"
                ));
                self.limit(format!("there are {MAX_OBJECTS} objects"));
            } else if self.stub {
                self.limit("nothing lies behind what passed functions return");
            } else {
                self.limit(format!(
                    "pointers lead to {} objects in a row (--pointer-depth)",
                    self.options.depth
                ));
            }
            self.line(&format!("{place} = 0;"));
            return;
        }
        if !matches!(self.d.ty(to), Type::Function { .. }) {
            self.pointers += 1;
        }
        let length = length.cloned();
        // Who says how long the arrays in it are has it made by hand.
        let inside = |(array, _): &(String, _)| {
            let member = array.strip_prefix(path);
            member.is_some_and(|m| m.starts_with("->"))
        };
        let is_described = self.options.lengths.iter().any(inside);
        let by_maker = length.is_none() && !self.stub && !is_described;
        let maker = self.maker(to).filter(|_| by_maker);
        if maker.is_none() {
            self.tell_without_maker(to, path);
        }
        let (fresh, aliases) = match self.d.ty(to) {
            _ if maker.is_some() => {
                let maker = maker.unwrap_or_default();
                let by_hand = self.other_way(to);
                if self.is_private(to) || by_hand.is_none() {
                    self.limit("opaque objects are as their constructors make them");
                }
                let object = match by_hand {
                    Some(by_hand) => self.make_both_ways(maker, by_hand, (to, path), depth),
                    None => self.make(maker, to, path),
                };
                (object, Vec::new())
            }
            Type::Function { .. } => (self.stub(to, path), Vec::new()),
            Type::Opaque(name) if name == "_IO_FILE" => {
                let bound = self.string_bound();
                self.has_size_of(bound);
                (format!("pp_stream({bound}, \"{path}\")"), Vec::new())
            }
            Type::Opaque(name) => {
                let name = name.clone();
                self.make_up(path, to, OPAQUE_BYTES, None);
                self.note(format!(
                    "struct {name} is nowhere defined: {path} points to {OPAQUE_BYTES} bytes"
                ));
                self.limit(format!("struct {name} has {OPAQUE_BYTES} bytes"));
                (format!("pp_new({OPAQUE_BYTES}, \"{path}\")"), Vec::new())
            }
            Type::Unsupported(what) => {
                let what = what.clone();
                self.make_up(path, to, OPAQUE_BYTES, None);
                self.note(format!(
                    "{path} points to an unsupported type ({what}): {OPAQUE_BYTES} bytes"
                ));
                self.limit(format!("{path} points to {OPAQUE_BYTES} bytes"));
                (format!("pp_new({OPAQUE_BYTES}, \"{path}\")"), Vec::new())
            }
            Type::Int {
                character, bits: 8, ..
            } if length.is_none() && (*character || self.is_text(path)) => {
                let is_character = *character;
                if self.inside > 0 {
                    self.make_up(path, to, self.options.string_max + 1, None);
                } else {
                    self.invented.inputs.push(MadeUp {
                        input: path.to_string(),
                        room: Some(Room::Said(format!("{path} has room for its text only"))),
                        is_input: true,
                        ..MadeUp::default()
                    });
                }
                if self.is_parameter(path) && self.raw.is_none() {
                    self.raw = Some(RawInput::text(path, bounds::of_strings(self.options)));
                }
                let bound = self.string_bound();
                let of_other = if is_character { "" } else { "(void *)" };
                (
                    format!("{of_other}pp_string({bound}, \"{path}\")"),
                    Vec::new(),
                )
            }
            _ => self.object(to, path, depth, length.as_ref()),
        };
        let is_record = matches!(self.d.ty(to), Type::Record { .. }) && length.is_none();
        self.is_apart |= !is_record && !matches!(self.d.ty(to), Type::Function { .. });
        let mut chosen = fresh;
        let aliases = if self.options.alias {
            aliases
        } else {
            Vec::new()
        };
        let null =
            self.options.null && !matches!(choice, PointerChoice::Parameter { nonnull: true });
        if null || !aliases.is_empty() {
            let variable = self.variable("choice");
            let paths: Vec<String> = aliases.iter().map(|(_, path)| path.clone()).collect();
            let byte = match choice {
                PointerChoice::Parameter { .. } => {
                    self.invented.choose(path, null, paths);
                    format!("pp_choice(\"{path}.choice\")")
                }
                PointerChoice::InPlace => {
                    self.invented.may_lead_to(path, &paths);
                    format!("*(unsigned char *)&{place}")
                }
            };
            self.line(&format!("unsigned char {variable} = {byte};"));
            let is_parameter = self.indent == 1 && !self.stub;
            if null && is_parameter && matches!(choice, PointerChoice::Parameter { .. }) {
                self.nullable.push(variable.clone());
            }
            for (i, (alias, _)) in aliases.iter().enumerate() {
                chosen = format!("pp_pick({variable}, {}, {alias}, {chosen})", i + 2);
            }
            if null {
                chosen = format!("pp_pick({variable}, 1, 0, {chosen})");
            }
        }
        self.line(&format!("{place} = {chosen};"));
    }

    /// Is it a parameter of the function under test itself?
    fn is_parameter(&self, path: &str) -> bool {
        let is_outside = self.making == 0 && !self.stub && self.inside == 0;
        is_outside && self.d.entry.params.iter().any(|p| p.name == path)
    }

    /// An array is made: is it the one that a file of bytes is for?
    fn takes_bytes(&mut self, to: TypeId, path: &str, length: Option<&Length>) {
        let is_first = self.raw.is_none() && self.is_parameter(path) && self.d.size(to) == 1;
        let Some(length) = length.filter(|_| is_first) else {
            return;
        };
        let mut params = self.d.entry.params.iter();
        let is_plain = length.max.is_none() && length.names.len() == 1;
        let count = params.find(|p| is_plain && p.name == length.text);
        if let Some(count) = count {
            let width = self.d.size(count.ty);
            self.raw = Some(RawInput::array(
                path,
                (&length.text, width),
                bounds::of_arrays(self.options),
            ));
        }
    }

    /// Is it a parameter that is a text although it is no plain characters?
    fn is_text(&self, path: &str) -> bool {
        self.making == 0 && !self.stub && self.texts.contains(path)
    }

    /// A fresh object or array behind `path`: the variable that points to it, and earlier objects of its type, each with
    /// its own path.
    pub(crate) fn object(
        &mut self,
        to: TypeId,
        path: &str,
        depth: u32,
        length: Option<&Length>,
    ) -> (String, Vec<(String, String)>) {
        let scalar = !matches!(
            self.d.ty(to),
            Type::Record { .. } | Type::Pointer(_) | Type::Array { .. }
        );
        let (count, most) = match length {
            Some(length) => self.count(length),
            None if scalar => {
                let bound = self.array_bound();
                self.has_size_of(bound);
                (bound.to_string(), self.options.array_max)
            }
            None => ("1".to_string(), 1),
        };
        // What a pointer to a pointer leads to: `(*p)->next`, and not `*p->next`.
        let path = &if path.starts_with('*') {
            format!("({path})")
        } else {
            path.to_string()
        };
        let variable = self.variable("object");
        // Of what has no size (void) bytes are made.
        let text = match self.d.size(to) {
            0 => format!("unsigned char *{variable}"),
            _ => match self.d.ty(to) {
                Type::Array { .. } => self.declarations.declare(to, &format!("(*{variable})")),
                _ => self.declarations.declare(to, &format!("*{variable}")),
            },
        };
        let size = match &count[..] {
            "1" => format!("sizeof *{variable}"),
            _ => format!("{count} * sizeof *{variable}"),
        };
        let is_open = length.is_some_and(|l| l.names.iter().any(|n| self.open.contains(n)));
        let made = if is_open && count != most.to_string() {
            let most = match length.map(|l| self.fixed_bound(l)) {
                Some(None) => self.greatest(length),
                _ => most.to_string(),
            };
            self.takes_bytes(to, path, length);
            let room = format!("{most} * sizeof *{variable}");
            format!("pp_array({size}, {room}, \"{path}\")")
        } else {
            format!("pp_new({size}, \"{path}\")")
        };
        self.line(&format!("{text} = {made};"));
        let mut aliases = Vec::new();
        let single = most == 1 && length.is_none();
        if single && matches!(self.d.ty(to), Type::Record { .. }) {
            let of_type = |o: &&Object| o.ty == to && !self.stub;
            let earlier = self.objects.iter().rev().filter(of_type);
            aliases = earlier
                .map(|o| (o.variable.clone(), o.path.clone()))
                .collect();
            if aliases.len() > MAX_ALIASES {
                aliases.truncate(MAX_ALIASES);
                self.limit(format!(
                    "a pointer leads to one of the last {MAX_ALIASES} objects of its type or to its own"
                ));
            }
        }
        self.make_up(path, to, most, length);
        self.made += 1;
        self.objects.push(Object {
            path: path.to_string(),
            variable: variable.clone(),
            ty: if single { to } else { TypeId::MAX },
        });
        if self.d.needs_repair(to) {
            self.elements(&variable, to, path, depth + 1, &count, most);
        }
        (variable, aliases)
    }

    /// Remembers that the driver makes `count` elements behind `path`, and which of their values are its own invention:
    /// those of structures and of what members lead to. A length that was found is the caller's contract.
    fn make_up(&mut self, path: &str, to: TypeId, count: u64, length: Option<&Length>) {
        let is_known = self.d.size(to) > 0 || *self.d.ty(to) == Type::Void;
        let is_record = matches!(self.d.ty(to), Type::Record { .. });
        let room = Room::Elements {
            path: path.to_string(),
            size: self.d.size(to).max(1),
        };
        let parts = self.d.parts(to, path, count, self.options.null);
        self.invented.inputs.push(MadeUp {
            input: path.to_string(),
            room: (length.is_none() || self.inside > 0).then_some(room),
            is_input: false,
            parts,
            is_content: is_record || self.inside > 0 || !is_known,
        });
    }

    fn elements(
        &mut self,
        variable: &str,
        to: TypeId,
        path: &str,
        depth: u32,
        count: &str,
        most: u64,
    ) {
        if most == 1 && count == "1" {
            self.repair(&format!("*{variable}"), to, &format!("*{path}"), depth);
            return;
        }
        if !self.d.has_pointer(to) {
            let i = self.variable("i");
            let head = format!("for (unsigned long {i} = 0; {i} < {count}; {i}++)");
            self.block(&head, |w| {
                w.repair(&format!("{variable}[{i}]"), to, path, depth);
            });
            return;
        }
        let argv = count == "(argc+1)";
        for i in 0..most.min(MAX_ELEMENTS) {
            let condition = if argv {
                format!("{i} < argc")
            } else {
                format!("{i} < {count}")
            };
            let (place, path) = (format!("{variable}[{i}]"), format!("{path}[{i}]"));
            self.block(&format!("if ({condition})"), |w| {
                w.repair(&place, to, &path, depth);
            });
        }
        if argv {
            self.line(&format!("{variable}[argc] = 0;"));
        }
    }

    /// A function that returns a symbolic value of its type; gives its name.
    pub(crate) fn stub(&mut self, to: TypeId, path: &str) -> String {
        let Type::Function {
            params,
            result,
            variadic,
        } = self.d.ty(to)
        else {
            return "0".into();
        };
        self.stub_count += 1;
        self.limit("passed functions write nothing");
        let name = format!("pp_stub_{}", self.stub_count);
        let mut list: Vec<String> = params
            .iter()
            .enumerate()
            .map(|(i, p)| self.declarations.declare(*p, &format!("a{i}")))
            .collect();
        match (*variadic, list.is_empty()) {
            (true, _) => list.push("...".into()),
            (false, true) => list.push("void".into()),
            (false, false) => {}
        }
        let head = self
            .declarations
            .declare(*result, &format!("{name}({})", list.join(", ")));
        let result = *result;
        let mut body = String::new();
        if *self.d.ty(result) != Type::Void {
            // The body is written as the driver's is, with its own objects.
            let outer = std::mem::take(&mut self.body);
            let (indent, objects, stub) = (
                std::mem::replace(&mut self.indent, 1),
                std::mem::take(&mut self.objects),
                std::mem::replace(&mut self.stub, true),
            );
            let value = self.declarations.declare(result, "value");
            self.line(&format!("{value};"));
            let shown = format!("{path}()");
            match *self.d.ty(result) {
                Type::Pointer(target) => {
                    // One object behind the result, and nothing behind that.
                    let depth = self.options.depth.saturating_sub(1);
                    self.point(
                        "value",
                        target,
                        &shown,
                        depth,
                        None,
                        PointerChoice::Parameter { nonnull: false },
                    );
                }
                _ => {
                    self.line(&format!(
                        "klee_make_symbolic(&value, sizeof value, \"{shown}\");"
                    ));
                    self.repair("value", result, &shown, self.options.depth);
                }
            }
            self.line("return value;");
            body = std::mem::replace(&mut self.body, outer);
            (self.indent, self.objects, self.stub) = (indent, objects, stub);
        }
        let _ = writeln!(
            self.stubs,
            "\n/* What {path} points to. */\nstatic {head}\n{{\n{body}}}"
        );
        name
    }
}
