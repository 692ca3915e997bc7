//! Objects that the library makes itself.
//!
//! What only the library's private sources define cannot be made up: any bytes in it are fiction. Where the
//! library has a constructor, a function that returns the object or fills one, the driver calls it, with
//! symbolic arguments; paths on which it fails are not explored further. Where it has none, the object is made up
//! as others are, and the driver remembers so (`invented`): what is found through it may only say that
//! nobody can call the function so.

use crate::convention;
use crate::made_up::{InputPart, MadeUp};
use crate::pointers::PointerChoice;
use crate::types::{Function, How, Type, TypeId};
use crate::writer::{Object, Writer};

/// Constructors that call each other's objects.
const MAX_NESTED: u32 = 2;
/// The greatest length that a constructor gets: more than any `sizeof` that it may expect.
const MAX_LENGTH: u64 = 4096;

impl Writer<'_> {
    /// The name by which a constructor or the library's privacy knows a type.
    fn tag(&self, id: TypeId) -> Option<&str> {
        match self.d.ty(id) {
            Type::Record { name, .. } | Type::Opaque(name) if !name.is_empty() => Some(name),
            _ => None,
        }
    }

    /// The constructor of a type, unless it is the function under test.
    pub(crate) fn maker(&self, to: TypeId) -> Option<usize> {
        if self.making >= MAX_NESTED {
            return None;
        }
        let tag = self.tag(to)?;
        let fits = |m: &crate::types::Maker| {
            m.of == tag
                && m.function.symbol != self.d.entry.symbol
                && (m.how == How::Returns || self.d.size(to) > 0)
        };
        self.d.makers.iter().position(fits)
    }

    /// Says that an object is made up whose content only the library knows.
    pub(crate) fn tell_without_maker(&mut self, to: TypeId, path: &str) {
        let Some(name) = self.tag(to).map(str::to_string) else {
            return;
        };
        let is_known = matches!(self.d.ty(to), Type::Record { .. });
        if is_known && self.making < MAX_NESTED && self.d.private.contains(&name) {
            self.note(format!(
                "no constructor of struct {name} was found: {path} is made up"
            ));
        }
    }

    /// Calls a constructor: the variable that points to the object.
    pub(crate) fn make(&mut self, index: usize, to: TypeId, path: &str) -> String {
        let maker = self.d.makers[index].clone();
        let f = &maker.function;
        self.note(format!("{path} is made by {}", f.name));
        self.made += 1;
        self.making += 1;
        let fills = maker.how != How::Returns;
        let object = self.variable("object");
        let text = self.declarations.declare(to, &format!("*{object}"));
        let mut args = Vec::new();
        if fills {
            self.line(&format!("{text} = pp_zeroed(sizeof *{object});"));
            args.push(object.clone());
        }
        for (i, p) in f.params.iter().enumerate().skip(usize::from(fills)) {
            let name = if p.name.is_empty() {
                format!("{path}.arg{}", i + 1)
            } else {
                format!("{path}.{}", p.name)
            };
            args.push(self.argument(p.ty, &p.name, &name));
        }
        let call = format!("pp_make_{}({})", index + 1, args.join(", "));
        match maker.how {
            How::Returns => {
                self.line(&format!("{text} = (void *){call};"));
                self.line(&format!("if (!{object}) klee_silent_exit(0);"));
            }
            How::Fills { success: None } => self.line(&format!("{call};")),
            How::Fills {
                success: Some(value),
            } => self.line(&format!("if ({call} != {value}) klee_silent_exit(0);")),
        }
        self.making -= 1;
        self.used_makers.insert(index);
        self.objects.push(Object {
            path: path.to_string(),
            variable: object.clone(),
            ty: TypeId::MAX,
        });
        if fills {
            self.buffers(to, &object, path);
        }
        object
    }

    /// One argument of a constructor: numbers and strings are symbolic, other pointers null.
    fn argument(&mut self, ty: TypeId, plain: &str, name: &str) -> String {
        let variable = self.variable("part");
        let text = self.declarations.declare(ty, &variable);
        if let Type::Pointer(to) = *self.d.ty(ty) {
            let string = matches!(
                self.d.ty(to),
                Type::Int {
                    character: true,
                    ..
                }
            );
            if !string && self.maker(to).is_none() {
                self.line(&format!("{text} = 0;"));
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
                self.invented
                    .nulls
                    .push(format!("{name} is null, an argument of the constructor"));
        ));
        if self.d.is_integer(ty) && convention::is_length_name(plain) {
            self.line(&format!(
                "klee_assume((unsigned long){variable} <= {MAX_LENGTH});"
            ));
        }
        self.repair(&variable, ty, name, 0);
        variable
    }

    /// The members of a filled object that the caller sets: buffers with their lengths.
    fn buffers(&mut self, to: TypeId, object: &str, path: &str) {
        let Type::Record {
            fields,
            union: false,
            ..
        } = self.d.ty(to)
        else {
            return;
        };
        let items: Vec<(&str, TypeId)> = fields.iter().map(|f| (f.name.as_str(), f.ty)).collect();
        let Ok(lengths) = self.lengths(&items, "") else {
            return;
        };
        let max = self.options.array_max;
        for ((name, ty), length) in items.iter().zip(lengths) {
            let (Type::Pointer(of), Some(length)) = (self.d.ty(*ty), length) else {
                continue;
            };
            // One member says how long it is, and the buffer is one of numbers.
            let [count] = &length.names[..] else { continue };
            let numbers = matches!(self.d.ty(*of), Type::Int { .. } | Type::Void);
            let member = items
                .iter()
                .find(|(n, t)| n == count && self.d.is_integer(*t));
            if !numbers || member.is_none() || length.text != *count {
                continue;
            }
            let (place, shown) = (format!("{object}->{name}"), format!("{path}->{name}"));
            self.line(&format!("{place} = pp_new({max}, \"{shown}\");"));
            let n = self.variable("n");
            self.line(&format!(
                "unsigned char {n} = pp_choice(\"{path}->{count}\");"
            ));
            self.line(&format!("if ({n} > {max}) klee_silent_exit(0);"));
            // What is counted stands at the end: one more is too many.
            self.line(&format!(
                "{place} = (void *)((char *){place} + ({max} - {n}));"
            ));
            self.line(&format!("{object}->{count} = {n};"));
        }
    }

    /// Declarations of the constructors that are called.
    pub(crate) fn maker_prototypes(&self) -> Vec<(String, &Function)> {
        let of = |i: &usize| (format!("pp_make_{}", i + 1), &self.d.makers[*i].function);
        self.used_makers.iter().map(of).collect()
    }
}
