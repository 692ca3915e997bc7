//! The driver of a function as the core of a test that is C itself: a file that a developer keeps beside the library, and that is
//! compiled without Polypath.
//!
//! It is the driver of [`crate::driver`], so it asks for the same inputs in the same order, with three differences. Its records have
//! tags of their own, since the library's public header stands in the same file. The functions of the library are called through
//! that header's declarations, where it has them, so that a test which no longer fits the library does not compile. And it is no
//! `main`, which is what runs many tests one after the other.
//!
//! The header stands behind all other code, so that no macro of it changes that.

use crate::declare::{Declarations, identifier};
use crate::driver::{DriverOptions, DriverParts, listed, prototype};
use crate::preamble::{EXPECT, MALLOC};
use crate::types::{Description, Function, Type, TypeId};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The macro with which the file declares the library's functions itself and includes no header of it.
pub const OWN_DECLARATIONS: &str = "POLYPATH_OWN_DECLARATIONS";

/// The function that makes the parameters and calls.
pub const DRIVER: &str = "pp_driver";

/// The input that says whether objects are made member by member although a constructor makes them.
pub const BY_HAND: &str = crate::makers::BY_HAND;

/// What comes before the tags of records.
const PREFIX: &str = "pp_";

/// The source of a driver for tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSource {
    /// Declarations, and [`DRIVER`]. It calls `klee_make_symbolic`, `klee_assume`, `klee_silent_exit`, `polypath_defer`,
    /// `polypath_grows`,
    /// `polypath_made`, `polypath_none_made`, `polypath_text`, and for memory
    /// `pp_malloc`, for results `pp_expect`, all of which the file has.
    pub driver: String,
    /// Definitions that come behind the library's header; empty if it declares no function that is called.
    pub behind_header: String,
    /// Inputs that say in a word what is special about a test.
    pub telling: Vec<TellingInput>,
    /// Inputs that choose which function is called before the tested one, and these by their numbers; any greater number is the
    /// last one.
    pub choosing: Vec<(String, Vec<String>)>,
}

/// An input that says what is special about a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TellingInput {
    /// Its name in tests.
    pub input: String,
    /// What it is about: a parameter.
    pub of: String,
    /// Which values are special.
    pub what: SpecialValues,
}

/// Values that say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpecialValues {
    /// 1 stands for null.
    Choice,
    /// Zero, and what is negative.
    Number {
        /// Whether there are negative ones.
        signed: bool,
    },
    /// The empty text.
    Text,
    /// None: it is shown if it can be read.
    Data,
}

/// What the library's header, with those that it includes, is known to say.
pub trait SeenHeader {
    /// Does it declare this function?
    fn declares(&self, function: &str) -> bool;

    /// Is this file one of them?
    fn has(&self, file: &str) -> bool;
}

/// Writes the driver of a function for tests.
///
/// # Errors
/// As [`crate::driver::write`]; or the function is static, so that no other file can call it.
pub fn write(
    d: &Description,
    options: &DriverOptions,
    header: Option<&dyn SeenHeader>,
) -> Result<TestSource, String> {
    let declarations = Declarations::new(d, PREFIX);
    let parts = DriverParts::new(d, options, &declarations)?;
    let (mut own, mut forward, mut rest) = (String::new(), String::new(), String::new());
    let mut behind_header = String::new();
    for (name, f) in &parts.functions {
        if !f.is_external() {
            return Err(format!("{} is static: no other file can call it", f.name));
        }
        let asked = prototype(&declarations, f, name);
        if is_plain(d, f) && header.is_some_and(|h| h.declares(&f.name)) {
            own += &asked;
            let _ = writeln!(forward, "static {};", declaration(&declarations, f, name));
            behind_header += &wrapper(d, &declarations, f, name);
        } else {
            rest += &asked;
        }
    }
    if let Some(header) = header.filter(|_| !behind_header.is_empty()) {
        behind_header += &same_layouts(d, &declarations, header);
    }
    let mut driver = declarations.records();
    driver += "\n";
    if !forward.is_empty() {
        let _ = write!(
            driver,
            "#ifdef {OWN_DECLARATIONS}\n{own}#else\n/* They are at the end, behind the library's header. */\n{forward}#endif\n"
        );
    }
    driver += &rest;
    let code = parts.code(&format!("static int {DRIVER}(void)"));
    driver += &code.replace(MALLOC, "").replace(EXPECT, "");
    let telling = telling(d, &parts);
    Ok(TestSource {
        driver,
        behind_header,
        telling,
        choosing: parts.choosing,
    })
}

/// Assertions that the records of the driver, which are declared anew, still are those of the header.
fn same_layouts(d: &Description, c: &Declarations, header: &dyn SeenHeader) -> String {
    let mut text = String::new();
    for (id, ty) in d.types.iter().enumerate() {
        let Type::Record {
            fields,
            spelling: Some(theirs),
            ..
        } = ty
        else {
            continue;
        };
        if !header.has(&theirs.file) {
            continue;
        }
        let (theirs, ours) = (&theirs.text, c.declare(id, ""));
        let why = format!("{theirs} is another one now: let Polypath write the tests anew");
        let _ = writeln!(
            text,
            "_Static_assert(sizeof({theirs}) == sizeof({ours}), \"{why}\");"
        );
        for field in fields {
            let name = &field.name;
            let has_offset = field.bits.is_none() && !name.is_empty();
            if has_offset && identifier(name) == *name {
                let _ = writeln!(
                    text,
                    "_Static_assert(offsetof({theirs}, {name}) == offsetof({ours}, {name}), \"{why}\");"
                );
            }
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("\n/* The driver has the structures as they were. */\n{text}")
}

/// Is it a function of C without structures that are passed by value?
fn is_plain(d: &Description, f: &Function) -> bool {
    let types = f.params.iter().map(|p| p.ty).chain([f.result]);
    let is_record = |ty: TypeId| matches!(d.ty(ty), Type::Record { .. } | Type::Opaque(_));
    identifier(&f.name) == f.name && f.symbol == f.name && !types.into_iter().any(is_record)
}

/// The head of a function of the driver's own; its parameters are `a1`, `a2`, …
fn declaration(c: &Declarations, f: &Function, name: &str) -> String {
    let numbered = (1..).zip(&f.params);
    let parameters = numbered.map(|(i, p)| c.declare(p.ty, &format!("a{i}")));
    let parameters = listed(parameters.collect());
    c.declare(f.result, &format!("{name}({parameters})"))
}

/// A function of the driver's own types that calls the one of the header's.
fn wrapper(d: &Description, c: &Declarations, f: &Function, name: &str) -> String {
    let is_pointer = |ty: TypeId| matches!(d.ty(ty), Type::Pointer(_));
    let any = |ty: TypeId| if is_pointer(ty) { "(void *)" } else { "" };
    let numbered = (1..).zip(&f.params);
    let arguments: Vec<String> = numbered
        .map(|(i, p)| format!("{}a{i}", any(p.ty)))
        .collect();
    let result = match d.ty(f.result) {
        Type::Void => String::new(),
        _ => format!("return {}", any(f.result)),
    };
    // In parentheses a name is no macro with parameters.
    format!(
        "\n{}\n{{\n    {result}({})({});\n}}\n",
        format_args!("static {}", declaration(c, f, name)),
        f.name,
        arguments.join(", ")
    )
}

/// What tells something about a test: the parameters of the function.
fn telling(d: &Description, parts: &DriverParts<'_>) -> Vec<TellingInput> {
    let mut found = Vec::new();
    for (name, parameter) in parts.names.iter().zip(&d.entry.params) {
        let mut add = |input: String, what| {
            found.push(TellingInput {
                input,
                of: name.clone(),
                what,
            });
        };
        match *d.ty(parameter.ty) {
            Type::Pointer(to) => {
                add(format!("{name}.choice"), SpecialValues::Choice);
                if parts.is_text(name) {
                    add(name.clone(), SpecialValues::Text);
                } else if matches!(d.ty(to), Type::Int { bits: 8, .. }) {
                    add(name.clone(), SpecialValues::Data);
                }
            }
            Type::Int { signed, .. } => add(name.clone(), SpecialValues::Number { signed }),
            _ => {}
        }
    }
    found
}
