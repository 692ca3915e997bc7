//! The driver: C source that makes the parameters of a function symbolic and calls it.
//!
//! Everything is straight-line code, unrolled for this function, with one symbolic object for each
//! parameter and each object behind a pointer, named by the C expression that reaches it (`p`, `p->next`).
//! Numbers are their bytes; values that no program makes are excluded or repaired (a `_Bool` above 1, an
//! enumeration's missing values, x87 numbers without their integer bit).
//!
//! # Pointers
//!
//! A pointer in a structure that was made symbolic *is* its choice: its lowest byte says 1 null, 2, 3, … an
//! earlier object of the same type, anything else a fresh object; a parameter has a byte of its own
//! (`p.choice`). The driver computes the pointer from that by masks (`pp_pick`), so that nothing forks before
//! the function dereferences or compares it. Objects are on the heap, each in an allocation of exactly its
//! size, so that any access beside them is found, and freeing them is allowed. Below the depth, pointers
//! are null.
//!
//! # Arrays
//!
//! Lengths ([`crate::convention`], `--array-len`) that are parameters take one value per path, at most the
//! bound, and the array has exactly that size. Strides and lengths in structures are only bounded, and the array has the
//! greatest size that they allow. Arrays of unknown length have the bound's. Plain characters without a
//! length are strings.

use crate::bounds::BoundsCode;
use crate::declare::{Declarations, identifier};
use crate::expr::Length;
use crate::made_up::Invented;
use crate::preamble;
use crate::raw::RawInput;
use crate::results;
use crate::types::{Description, Function, Type};
use crate::writer::Writer;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Bounds and choices.
#[derive(Clone, Debug)]
pub struct DriverOptions {
    /// Greatest bound of lengths, and most elements behind pointers of unknown length: see [`bounds`](crate::bounds).
    pub array_max: u64,
    /// Characters of a string, without the zero byte.
    pub string_max: u64,
    /// Objects in a row behind a pointer.
    pub depth: u32,
    /// Pointers may be null.
    pub null: bool,
    /// Parameters that the code takes for granted, too.
    pub null_everywhere: bool,
    /// Pointers to structures may point to an earlier object.
    pub alias: bool,
    /// Structures with visible members are made member by member, even if the library has a function that fills them.
    pub by_hand: bool,
    /// Calls of the library's functions between a constructor and the tested call, at most.
    pub prior_calls: u32,
    /// What the call brings about is an input, for tests that compare it.
    pub results: bool,
    /// Arrays with their lengths: (`a` or `v->data`, length).
    pub lengths: Vec<(String, Length)>,
}

impl Default for DriverOptions {
    fn default() -> DriverOptions {
        DriverOptions {
            array_max: 64,
            string_max: 64,
            depth: 3,
            null: true,
            null_everywhere: false,
            alias: true,
            by_hand: false,
            prior_calls: 2,
            results: false,
            lengths: Vec::new(),
        }
    }
}

/// A driver and the notes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The C source.
    pub source: String,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
    /// Inputs that stand for what only the library, or its user, knows how to make.
    pub invented: Invented,
    /// Calls that callers may make and the driver does not; messages.
    pub limits: Vec<String>,
    /// The parameter that a file of bytes is for, if there is one.
    pub raw: Option<RawInput>,
}

/// Writes the driver of a function.
///
/// # Errors
/// In words, when the function cannot be called (variadic, a parameter of an unsupported type) or an
/// option names something that is not there.
pub fn write(d: &Description, options: &DriverOptions) -> Result<Driver, String> {
    let declarations = Declarations::new(d, "");
    let parts = DriverParts::new(d, options, &declarations)?;
    let mut source = header(&d.entry, options);
    source += "#include <klee/klee.h>\n\n";
    source += &format!(
        "const char __polypath_harness[] = \"{}\"; /* code in this file does not count in coverage */\n\n",
        d.entry.name.replace('"', "'")
    );
    source += &declarations.records();
    source += "\n";
    for (name, f) in &parts.functions {
        source += &prototype(&declarations, f, name);
    }
    source += &parts.code("int main(void)");
    Ok(Driver {
        source,
        notes: parts.notes,
        invented: parts.invented,
        limits: parts.limits,
        raw: parts.raw,
    })
}

/// The parts of a driver that all its forms have: what makes the parameters, and calls.
pub(crate) struct DriverParts<'a> {
    /// The names of the parameters.
    pub(crate) names: Vec<String>,
    /// The functions that it calls, each with its name in the driver.
    pub(crate) functions: Vec<(String, &'a Function)>,
    bounds: BoundsCode,
    by_hand: String,
    calls: String,
    /// The lines of the tested call.
    call: Vec<String>,
    body: String,
    stubs: String,
    has_ways: bool,
    has_precondition: bool,
    /// Inputs that choose which functions are called before, and these by their numbers.
    pub(crate) choosing: Vec<(String, Vec<String>)>,
    pub(crate) notes: Vec<String>,
    invented: Invented,
    limits: Vec<String>,
    raw: Option<RawInput>,
}

impl<'a> DriverParts<'a> {
    /// The parts of the driver of a function, whose records are declared so.
    pub(crate) fn new(
        d: &'a Description,
        options: &'a DriverOptions,
        declarations: &'a Declarations<'a>,
    ) -> Result<DriverParts<'a>, String> {
        let mut names = parameter_names(&d.entry);
        let unique: BTreeSet<&String> = names.iter().collect();
        if unique.len() != names.len() {
            names = (0..names.len()).map(|i| format!("arg{i}")).collect();
        }
        let mut w = Writer::new(d, options, declarations);
        w.refuse()?;
        w.parameters(&d.entry.params, &names, "")?;
        for (name, _) in &options.lengths {
            if !w.used_lengths.contains(name) {
                let known = known_arrays(&w, &names);
                return Err(format!(
                    "--array-len {name}: no such array in the driver of {} (there are: {known})",
                    d.entry.name
                ));
            }
        }
        let others = w.others();
        w.limits_of_all();
        let bounds = w.bounds.code(options);
        let (has_ways, by_hand) = (w.has_ways(), w.begin_ways());
        if w.has_both_ways {
            // What null parameters lead to is seen on the other paths, if there are any.
            for choice in std::mem::take(&mut w.nullable) {
                w.line(&format!("if (pp_by_hand == 1) klee_assume({choice} != 1);"));
            }
        }
        if w.has_last_way {
            w.line("if (pp_by_hand < 2) polypath_made();");
        }
        let calls = w.begin_calls();
        let call = results::call(d, options, declarations, &names, &w.outs);
        w.invented.entry.clone_from(&d.entry.name);
        w.invented.said.clone_from(&d.said);
        w.invented.before = others.iter().map(|(_, f)| f.name.clone()).collect();
        let precondition = d.precondition.as_ref();
        let mut functions = vec![("pp_entry".to_string(), &d.entry)];
        functions.extend(precondition.map(|f| ("pp_precondition".to_string(), f)));
        functions.extend(others);
        Ok(DriverParts {
            names,
            functions,
            bounds,
            by_hand,
            calls,
            call,
            body: w.body,
            stubs: w.stubs,
            has_ways,
            has_precondition: precondition.is_some(),
            choosing: w.choosing,
            notes: w.notes,
            invented: w.invented,
            limits: w.limits.into_iter().collect(),
            raw: w.raw,
        })
    }

    /// Is this parameter a text, which ends with its zero?
    pub(crate) fn is_text(&self, parameter: &str) -> bool {
        let made = format!("pp_string(pp_strings, \"{parameter}\")");
        self.body.contains(&made)
    }

    /// The code behind the declarations: helpers, stubs, and the function with this head that does it all.
    pub(crate) fn code(&self, head: &str) -> String {
        let DriverParts {
            bounds,
            by_hand,
            calls,
            call,
            body,
            stubs,
            ..
        } = self;
        let mut source = bounds.variables.clone();
        source += &preamble::helpers(&format!(
            "{}{by_hand}{calls}{body}{}{stubs}",
            bounds.function,
            call.concat()
        ));
        source += &bounds.function;
        source += stubs;
        source += &format!("\n{head}\n{{\n");
        // What grows waits behind all other ways to make the parameters.
        source += by_hand;
        source += calls;
        source += &bounds.begin;
        source += body;
        source += &bounds.end;
        if self.has_precondition {
            let arguments = self.names.join(", ");
            let _ = writeln!(
                source,
                "    klee_assume(pp_precondition({arguments}) != 0);"
            );
        }
        if self.has_ways {
            source += "    if (pp_by_hand) {\n        /* A call of its own: what is found by it is told apart. */\n";
            for line in call {
                let _ = writeln!(source, "        {line}");
            }
            source += "        return 0;\n    }\n";
        }
        for line in call {
            let _ = writeln!(source, "    {line}");
        }
        source += "    return 0;\n}\n";
        source
    }
}

fn known_arrays(w: &Writer, names: &[String]) -> String {
    let pointers = names.iter().zip(&w.d.entry.params);
    let mut all: Vec<String> = pointers
        .filter(|(_, p)| matches!(w.d.ty(p.ty), Type::Pointer(_)))
        .map(|(n, _)| n.clone())
        .collect();
    for o in &w.objects {
        if let Type::Record { fields, .. } = w.d.ty(o.ty) {
            let pointers = fields
                .iter()
                .filter(|f| matches!(w.d.ty(f.ty), Type::Pointer(_)));
            all.extend(pointers.map(|f| format!("{}->{}", o.path, f.name)));
        }
    }
    all.truncate(20);
    all.join(", ")
}

fn parameter_names(f: &Function) -> Vec<String> {
    let name = |(i, p): (usize, &crate::types::Param)| {
        if p.name.is_empty() {
            format!("arg{}", i + 1)
        } else {
            identifier(&p.name)
        }
    };
    f.params.iter().enumerate().map(name).collect()
}

fn header(f: &Function, options: &DriverOptions) -> String {
    let place = if f.file.is_empty() {
        String::new()
    } else {
        format!(" ({}:{})", f.file.replace("*/", "* /"), f.line)
    };
    let null = if options.null { ", 1 null" } else { "" };
    format!(
        "/* Driver of {}{place}: its parameters are symbolic, by their types.\n *\n \
         * Written by `polypath harness`. Edit it and explore it with `polypath run LIBRARY --entry {} --harness\n \
         * THIS-FILE`; klee_assume says what holds of the parameters. Pointers are chosen by the lowest byte of\n \
         * NAME.choice or of their place in a structure: 0 a fresh object{null}, 2 and above an earlier object of\n \
         * the same type. Lengths are at most {}, strings have at most {} characters. */\n",
        f.name, f.name, options.array_max, options.string_max
    )
}

/// A declaration of a function of the library under another name.
pub(crate) fn prototype(c: &Declarations, f: &Function, name: &str) -> String {
    let types: Vec<String> = f.params.iter().map(|p| c.declare(p.ty, "")).collect();
    let text = c.declare(f.result, &format!("{name}({})", listed(types)));
    format!("{text} __asm__(\"{}\");\n", f.symbol)
}

/// A list of parameters as C has it.
pub(crate) fn listed(parameters: Vec<String>) -> String {
    if parameters.is_empty() {
        return "void".into();
    }
    parameters.join(", ")
}
