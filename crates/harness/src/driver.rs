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

use crate::declare::{Declarations, identifier};
use crate::expr::Length;
use crate::made_up::Invented;
use crate::makers::BY_HAND;
use crate::preamble;
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
    /// Pointers to structures may point to an earlier object.
    pub alias: bool,
    /// Structures with visible members are made member by member, even if the library has a function that fills them.
    pub by_hand: bool,
    /// Calls of the library's functions between a constructor and the tested call, at most.
    pub prior_calls: u32,
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
            alias: true,
            by_hand: false,
            prior_calls: 2,
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
}

/// Writes the driver of a function.
///
/// # Errors
/// In words, when the function cannot be called (variadic, a parameter of an unsupported type) or an
/// option names something that is not there.
pub fn write(d: &Description, options: &DriverOptions) -> Result<Driver, String> {
    let mut names = parameter_names(&d.entry);
    let unique: BTreeSet<&String> = names.iter().collect();
    if unique.len() != names.len() {
        names = (0..names.len()).map(|i| format!("arg{i}")).collect();
    }
    let declarations = Declarations::new(d);
    let mut w = Writer::new(d, options, &declarations);
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
    let mut makers = String::new();
    for (name, f) in w.prototypes() {
        makers += &prototype(&declarations, f, &name);
    }
    w.limits_of_all();
    let bounds = w.bounds.code(options);
    let by_hand = if w.has_both_ways {
        let by = format!("    unsigned char pp_by_hand = pp_choice(\"{BY_HAND}\");\n");
        let wait = "    if (pp_by_hand) polypath_defer();\n";
        format!("    /* Objects that no constructor makes wait as well. */\n{by}{wait}")
    } else {
        String::new()
    };
    if w.has_both_ways {
        // What null parameters lead to is seen on the other paths.
        for choice in std::mem::take(&mut w.nullable) {
            w.line(&format!("if (pp_by_hand) klee_assume({choice} != 1);"));
        }
    }
    let calls = w.begin_calls();
    let has_both_ways = w.has_both_ways;
    w.invented.entry.clone_from(&d.entry.name);
    let before = w.prototypes().into_iter().map(|(_, f)| f.name.clone());
    w.invented.before = before.collect();
    let (body, stubs, notes, invented) = (w.body, w.stubs, w.notes, w.invented);
    let limits = w.limits.into_iter().collect();
    let call = names.join(", ");
    let mut source = header(&d.entry, options);
    source += "#include <klee/klee.h>\n\n";
    source += &format!(
        "const char __polypath_harness[] = \"{}\"; /* code in this file does not count in coverage */\n\n",
        d.entry.name.replace('"', "'")
    );
    source += &declarations.records();
    source += "\n";
    source += &prototype(&declarations, &d.entry, "pp_entry");
    if let Some(p) = &d.precondition {
        source += &prototype(&declarations, p, "pp_precondition");
    }
    source += &makers;
    source += &bounds.variables;
    source += &preamble::helpers(&format!("{}{by_hand}{calls}{body}{stubs}", bounds.function));
    source += &bounds.function;
    source += &stubs;
    source += "\nint main(void)\n{\n";
    source += &bounds.begin;
    source += &by_hand;
    source += &calls;
    source += &body;
    source += &bounds.end;
    if d.precondition.is_some() {
        let _ = writeln!(source, "    klee_assume(pp_precondition({call}) != 0);");
    }
    if has_both_ways {
        source += "    if (pp_by_hand) {\n        /* A call of its own: what is found by it is told apart. */\n";
        let _ = writeln!(
            source,
            "        pp_entry({call});\n        return 0;\n    }}"
        );
    }
    let _ = writeln!(source, "    pp_entry({call});\n    return 0;\n}}");
    Ok(Driver {
        source,
        notes,
        invented,
        limits,
    })
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

fn prototype(c: &Declarations, f: &Function, name: &str) -> String {
    let mut params: Vec<String> = f.params.iter().map(|p| c.declare(p.ty, "")).collect();
    if params.is_empty() {
        params.push("void".into());
    }
    let text = c.declare(f.result, &format!("{name}({})", params.join(", ")));
    format!("{text} __asm__(\"{}\");\n", f.symbol)
}
