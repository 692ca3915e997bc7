//! Objects that the library makes itself.
//!
//! What only the library's private sources define cannot be made up: any bytes in it are fiction. Where the
//! library has a constructor, a function that returns the object or fills one, the driver calls it, with
//! symbolic arguments; paths on which it fails are not explored further. What the constructor made is left as it is,
//! except buffers that users of the library set by convention. Where it has none, the object is made up
//! as others are.

use crate::convention;
use crate::made_up::{InputPart, MadeUp, PartValue, Room};
use crate::pointers::PointerChoice;
use crate::types::{Field, Function, How, Type, TypeId};
use crate::writer::{Object, Writer};

/// Constructors that call each other's objects.
const MAX_NESTED: u32 = 2;
/// The input that says how objects with visible members are made.
pub(crate) const BY_HAND: &str = "by hand";
/// The variable of a driver that has this input.
const WAY: &str = "pp_by_hand";
/// What a driver does on paths on which also what only the library knows is made member by member: they come last, and only if no
/// constructor has succeeded.
const AT_LAST: &str = "        /* Only where the constructors have failed on all paths. */
        polypath_defer();
        klee_assume(pp_by_hand == 2);
        if (!polypath_none_made()) klee_silent_exit(0);
";
/// The greatest length that a constructor gets: more than any `sizeof` that it may expect.
const MAX_LENGTH: u64 = 4096;

impl<'a> Writer<'a> {
    /// The name by which a constructor or the library's privacy knows a type.
    fn tag(&self, id: TypeId) -> Option<&str> {
        match self.d.ty(id) {
            Type::Record { name, .. } | Type::Opaque(name) if !name.is_empty() => Some(name),
            _ => None,
        }
    }

    /// The constructor of a type, unless it is the function under test.
    pub(crate) fn maker(&self, to: TypeId) -> Option<usize> {
        if self.making >= MAX_NESTED || self.at_last > 0 {
            return None;
        }
        let tag = self.tag(to)?;
        let is_visible = !self.d.private.iter().any(|p| p == tag);
        if (self.options.by_hand || self.by_hand > 0) && is_visible {
            return None;
        }
        let fits = |m: &crate::types::Maker| {
            m.of == tag
                && m.function.symbol != self.d.entry.symbol
                && (!matches!(m.how, How::Fills { .. }) || self.d.size(to) > 0)
        };
        self.d.makers.iter().position(fits)
    }

    /// Does only the library know what a type contains?
    pub(crate) fn is_private(&self, to: TypeId) -> bool {
        let tag = self.tag(to);
        tag.is_some_and(|tag| self.d.private.iter().any(|p| p == tag))
    }

    /// Says that an object is made up whose content only the library knows.
    pub(crate) fn tell_without_maker(&mut self, to: TypeId, path: &str) {
        let Some(name) = self.tag(to).map(str::to_string) else {
            return;
        };
        let is_known = matches!(self.d.ty(to), Type::Record { .. });
        if is_known
            && self.at_last == 0
            && self.making < MAX_NESTED
            && self.d.private.contains(&name)
        {
            self.note(format!(
                "no constructor of struct {name} was found: {path} is made up"
            ));
        }
    }

    /// Are there several ways to make some object?
    pub(crate) fn has_ways(&self) -> bool {
        self.has_both_ways || self.has_last_way
    }

    /// What `main` does before it makes the parameters.
    pub(crate) fn begin_ways(&self) -> String {
        let mut text = String::new();
        if !self.has_ways() {
            return text;
        }
        text += "    /* Objects that no constructor makes wait as well. */\n";
        text += &format!("    unsigned char {WAY} = pp_choice(\"{BY_HAND}\");\n");
        if self.has_both_ways {
            text += "    if (pp_by_hand) polypath_defer();\n";
        }
        if self.has_last_way {
            let from = if self.has_both_ways { 1 } else { 0 };
            text += &format!("    if (pp_by_hand > {from}) {{\n{AT_LAST}    }}\n");
        }
        text
    }

    /// Where an object that a constructor makes is made member by member: the condition on a path, if there are such paths. What only
    /// the library knows is where no constructor succeeds.
    pub(crate) fn other_way(&self, to: TypeId) -> Option<&'static str> {
        if self.making > 0 || self.stub || !matches!(self.d.ty(to), Type::Record { .. }) {
            return None;
        }
        Some(if self.is_private(to) {
            "pp_by_hand > 1"
        } else {
            WAY
        })
    }

    /// Makes an object by its constructor, and on other paths, which wait, member by member: the variable that points to it.
    pub(crate) fn make_both_ways(
        &mut self,
        maker: usize,
        by_hand: &str,
        (to, path): (TypeId, &str),
        depth: u32,
    ) -> String {
        let is_last = by_hand != WAY;
        let is_new = !self.has_ways();
        self.has_both_ways |= !is_last;
        self.has_last_way |= is_last;
        if is_new {
            self.invented.inputs.push(MadeUp {
                input: BY_HAND.into(),
                room: None,
                is_input: false,
                parts: vec![InputPart {
                    value: PartValue::Way {
                        made: "objects are made member by member".into(),
                    },
                    ..InputPart::number(BY_HAND)
                }],
                is_content: true,
            });
        }
        let object = self.variable("object");
        let text = self.declarations.declare(to, &format!("*{object}"));
        self.line(&format!("{text};"));
        self.block(&format!("if ({by_hand})"), |w| {
            w.by_hand += 1;
            w.at_last += u32::from(is_last);
            let (made, _) = w.object(to, path, depth, None);
            w.at_last -= u32::from(is_last);
            w.by_hand -= 1;
            w.line(&format!("{object} = {made};"));
        });
        self.block("else", |w| {
            let made = w.make(maker, to, path);
            w.line(&format!("{object} = {made};"));
        });
        self.objects.push(Object {
            path: path.to_string(),
            variable: object.clone(),
            ty: TypeId::MAX,
        });
        object
    }

    /// Calls a constructor: the variable that points to the object.
    pub(crate) fn make(&mut self, index: usize, to: TypeId, path: &str) -> String {
        let maker = self.d.makers[index].clone();
        let f = &maker.function;
        let is_visible = !self.d.private.contains(&maker.of);
        let other = if is_visible {
            ", on other paths member by member (--by-hand: only so)"
        } else if self.has_last_way && self.making == 0 {
            ", member by member if that never succeeds"
        } else {
            ""
        };
        self.note(format!("{path} is made by {}{other}", f.name));
        self.made += 1;
        self.making += 1;
        let fills = matches!(maker.how, How::Fills { .. });
        let handed_over = match maker.how {
            How::Out { at, .. } => Some(at),
            How::Returns | How::Fills { .. } => None,
        };
        let object = self.variable("object");
        let text = self.declarations.declare(to, &format!("*{object}"));
        let mut args = Vec::new();
        if fills {
            self.line(&format!("{text} = pp_zeroed(sizeof *{object});"));
            // (Two sources may describe one structure.)
            args.push(format!("(void *){object}"));
        } else if handed_over.is_some() {
            self.line(&format!("{text} = 0;"));
        }
        for (i, p) in f.params.iter().enumerate().skip(usize::from(fills)) {
            let name = if p.name.is_empty() {
                format!("{path}.arg{}", i + 1)
            } else {
                format!("{path}.{}", p.name)
            };
            args.push(if handed_over == Some(i) {
                format!("(void *)&{object}")
            } else {
                self.argument(p.ty, &p.name, &name)
            });
        }
        let call = format!("pp_make_{}({})", index + 1, args.join(", "));
        match maker.how {
            How::Returns => {
                self.line(&format!("{text} = (void *){call};"));
                self.line(&format!("if (!{object}) klee_silent_exit(0);"));
            }
            How::Out { success, .. } => {
                let failed = success.map(|value| format!("{call} != {value} || "));
                if failed.is_none() {
                    self.line(&format!("{call};"));
                }
                let failed = failed.unwrap_or_default();
                self.line(&format!("if ({failed}!{object}) klee_silent_exit(0);"));
            }
            How::Fills { success: None } => self.line(&format!("{call};")),
            How::Fills {
                success: Some(value),
            } => self.line(&format!("if ({call} != {value}) klee_silent_exit(0);")),
        }
        self.used_makers.insert(index);
        self.objects.push(Object {
            path: path.to_string(),
            variable: object.clone(),
            ty: TypeId::MAX,
        });
        if fills {
            self.buffers(to, &object, path);
            self.callbacks(to, &object, path);
        }
        self.making -= 1;
        if self.making == 0 && !self.stub {
            self.prior_calls(&maker.of, &object, path);
        }
        object
    }

    /// One argument of a constructor: numbers and strings are symbolic, other pointers null.
    fn argument(&mut self, ty: TypeId, plain: &str, name: &str) -> String {
        let variable = self.variable("part");
        let text = self.declarations.declare(ty, &variable);
        if let Type::Pointer(to) = *self.d.ty(ty) {
            // Texts of libraries are often of unsigned characters.
            let string = matches!(self.d.ty(to), Type::Int { bits: 8, .. });
            if !string && self.maker(to).is_none() {
                self.line(&format!("{text} = 0;"));
                self.invented
                    .nulls
                    .push(format!("{name} is null, an argument of the constructor"));
                return variable;
            }
            self.line(&format!("{text};"));
            let choice = PointerChoice::Parameter { nonnull: false };
            self.point(&variable, to, name, 0, None, choice);
            return variable;
        }
        self.line(&format!("{text};"));
        self.line(&format!(
            "klee_make_symbolic(&{variable}, sizeof {variable}, \"{name}\");"
        ));
        if self.d.is_integer(ty) && convention::is_length_name(plain) {
            self.line(&format!(
                "klee_assume((unsigned long){variable} <= {MAX_LENGTH});"
            ));
        }
        self.repair(&variable, ty, name, 0);
        variable
    }

    /// The members of a structure; none of a union.
    fn members(&self, to: TypeId) -> &'a [Field] {
        match self.d.ty(to) {
            Type::Record {
                fields,
                union: false,
                ..
            } => fields,
            _ => &[],
        }
    }

    /// The members of a filled object that its user sets where the constructor left them null: what is called back. A caller may leave
    /// it null, too.
    fn callbacks(&mut self, to: TypeId, object: &str, path: &str) {
        let fields = self.members(to);
        for field in fields {
            let Type::Pointer(of) = *self.d.ty(field.ty) else {
                continue;
            };
            if !matches!(self.d.ty(of), Type::Function { .. }) {
                continue;
            }
            let name = &field.name;
            let (place, shown) = (format!("{object}->{name}"), format!("{path}->{name}"));
            let stub = self.stub(of, &shown);
            self.block(&format!("if (!{place})"), |w| {
                let unset = w.variable("unset");
                w.line(&format!(
                    "unsigned char {unset} = pp_choice(\"{shown}.unset\");"
                ));
                w.line(&format!("{place} = pp_pick({unset}, 1, 0, {stub});"));
            });
        }
    }

    /// The members of a filled object that its user sets: buffers in front of the library (`next_in` with `avail_in`), where
    /// the constructor left them null. What it made itself stays as it is.
    fn buffers(&mut self, to: TypeId, object: &str, path: &str) {
        let fields = self.members(to);
        let max = self.options.array_max;
        for field in fields {
            let Type::Pointer(of) = *self.d.ty(field.ty) else {
                continue;
            };
            let count = fields.iter().find(|f| {
                convention::counts_buffer(&f.name, &field.name) && self.d.is_integer(f.ty)
            });
            let numbers = matches!(self.d.ty(of), Type::Int { .. } | Type::Void);
            let Some(count) = count.filter(|_| numbers) else {
                continue;
            };
            let (name, count) = (&field.name, &count.name);
            let (place, shown) = (format!("{object}->{name}"), format!("{path}->{name}"));
            let counted = format!("{path}->{count}");
            self.invented.inputs.push(MadeUp {
                input: shown.clone(),
                room: Some(Room::Said(format!("{counted} bytes are at {shown}"))),
                // Which byte is which depends on how many there are.
                is_input: false,
                parts: vec![InputPart::unknown(&shown, max)],
                is_content: true,
            });
            self.invented.inputs.push(MadeUp {
                input: counted.clone(),
                room: None,
                is_input: false,
                parts: vec![InputPart::number(&counted)],
                is_content: true,
            });
            self.block(&format!("if (!{place})"), |w| {
                let max = w.array_bound();
                w.line(&format!("{place} = pp_new({max}, \"{shown}\");"));
                let n = w.variable("n");
                w.line(&format!("unsigned char {n} = pp_choice(\"{counted}\");"));
                w.bound_length(&n);
                // What is counted stands at the end: one more is too many.
                w.line(&format!(
                    "{place} = (void *)((char *){place} + ({max} - {n}));"
                ));
                w.line(&format!("{object}->{count} = {n};"));
            });
        }
    }

    /// The constructors and other functions that are called before the tested one, each with its name in the driver.
    pub(crate) fn others(&self) -> Vec<(String, &'a Function)> {
        let d = self.d;
        let maker = |i: &usize| (format!("pp_make_{}", i + 1), &d.makers[*i].function);
        let mutator = |i: &usize| (format!("pp_call_{}", i + 1), &d.mutators[*i].function);
        let makers = self.used_makers.iter().map(maker);
        makers
            .chain(self.used_mutators.iter().map(mutator))
            .collect()
    }
}
