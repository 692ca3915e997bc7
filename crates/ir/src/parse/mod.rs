//! Reads a module from text, written by `print` or by hand.
//!
//! ```text
//! entry main main
//! extern abort
//! global table size 8 own "\01\02"          ; `at 0x10000000` if the address matters
//!
//! function main(32, 64, 64) -> (32) own     ; widths of the parameters r0, r1, … and of the results
//!     r3 = Load.1 &table                    ; `&` and a name: its address
//!     CmpBranch.Ult.8 r3, 7, small, large
//! small:
//!     r4 = Add.32 r0, -1
//!     Ret r4
//! large:
//!     CallSite extern abort() -> ()
//!     Unreachable
//! ```
//!
//! An instruction is named with its operation, formats and widths; its fields follow in the order of the table in
//! [`crate::inst`]. Comments begin with `;`. What may be left out: the registers of a function (as many as it uses),
//! types, positions, addresses of globals, the instructions of sites. Negative constants are cut to the operand's width.
//!
//! The parser knows no more than the form: whether the module is valid says [`crate::verify`]. It takes time and
//! memory in proportion to the text.

mod code;
mod cursor;
mod operands;

pub use cursor::ParseError;

use crate::builder::{Builder, Label};
use crate::{
    Branch, FixedRegisters, FuncId, Function, Global, Location, Module, SharedBlock, Site, SoftOp,
    StrId, layout,
};
use cursor::Cursor;
use std::collections::HashMap;

/// The module that the text describes, not verified.
///
/// # Errors
/// The first place at which the text is not of the form.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    let lines = text.lines().enumerate();
    let lines: Vec<Cursor<'_>> = lines.map(|(i, line)| Cursor::new(line, i + 1)).collect();
    let mut p = Parser::default();
    for line in &lines {
        p.declaration(line.clone())?;
    }
    p.know_addresses();
    for line in &lines {
        p.reference(line.clone())?;
    }
    for line in &lines {
        p.code(line.clone())?;
    }
    p.end_function()?;
    p.b.module()
        .or_else(|fault| Cursor::new("", lines.len()).wrong(fault.what))
}

const DECLARATIONS: [&str; 4] = ["function", "extern", "global", "constant"];
const REFERENCES: [&str; 5] = ["entry", "branch", "site", "shared", "soft"];

#[derive(Default)]
struct Parser<'t> {
    b: Builder,
    functions: HashMap<String, FuncId>,
    externs: HashMap<String, u32>,
    globals: HashMap<String, u64>,
    addresses: HashMap<String, u64>,
    /// Functions whose code has begun.
    begun: usize,
    /// Of the current function, with the place of the first use.
    labels: HashMap<&'t str, (Label, Option<Cursor<'t>>)>,
}

type Parsed<T> = Result<T, ParseError>;

impl<'t> Parser<'t> {
    // --- declarations ---

    /// The keyword that a line begins with, unless it is a label.
    fn keyword(c: &mut Cursor<'t>, of: &[&'static str]) -> Option<&'static str> {
        let word = c.peek_word();
        let keyword = *of.iter().find(|k| **k == word)?;
        let mut behind = c.clone();
        behind.eat_word(word);
        if behind.peek() == Some(b':') {
            return None;
        }
        *c = behind;
        Some(keyword)
    }

    /// First pass: what can be referred to.
    fn declaration(&mut self, mut c: Cursor<'t>) -> Parsed<()> {
        match Self::keyword(&mut c, &DECLARATIONS) {
            Some("function") => self.function(&mut c)?,
            Some("extern") => {
                let name = c.name("the name of an external function")?;
                let id = self.b.import(&name);
                self.externs.entry(name).or_insert(id);
            }
            Some(kind) => {
                let constant = kind == "constant";
                let name = c.name("the name of a global")?;
                c.expect_word("size")?;
                let size = c.number("a size")?;
                let address = if c.eat_word("at") {
                    c.number("an address")?
                } else {
                    0
                };
                let own = c.eat_word("own");
                let init = if c.is_done() {
                    Vec::new()
                } else {
                    c.quoted("the initial bytes")?
                };
                let address = self.b.global(Global {
                    name: name.clone(),
                    address,
                    size,
                    init,
                    constant,
                    own,
                });
                self.globals.entry(name).or_insert(address);
            }
            None => return Ok(()),
        }
        c.end()
    }

    fn function(&mut self, c: &mut Cursor<'t>) -> Parsed<()> {
        let name = c.name("the name of a function")?;
        let params = self.widths(c)?;
        c.arrow()?;
        let results = self.widths(c)?;
        let registers = if c.eat_word("registers") {
            c.number("a number of registers")?
        } else {
            params.len() as u32
        };
        let frame = if c.eat_word("frame") {
            c.number("a number of bytes")?
        } else {
            crate::layout::FRAME
        };
        let variadic = if c.eat_word("variadic") {
            Some(FixedRegisters {
                general: c.number("a number of general registers")?,
                vector: c.number("a number of vector registers")?,
            })
        } else {
            None
        };
        let own = c.eat_word("own");
        let ty = self.ty(c)?;
        let location = self.place(c)?.unwrap_or_default();
        let id = self.b.declare(Function {
            name: name.clone(),
            entry: 0,
            end: 0,
            params,
            results,
            registers,
            frame,
            ty,
            variadic,
            own,
            location,
        });
        self.functions.entry(name).or_insert(id);
        Ok(())
    }

    fn widths(&mut self, c: &mut Cursor<'t>) -> Parsed<Vec<u16>> {
        let mut widths = Vec::new();
        c.expect(b'(')?;
        while !c.eat(b')') {
            if !widths.is_empty() {
                c.expect(b',')?;
            }
            widths.push(c.number("a width")?);
        }
        Ok(widths)
    }

    fn ty(&mut self, c: &mut Cursor<'t>) -> Parsed<StrId> {
        let text = if c.eat_word("type") {
            c.string("a type in quotation marks")?
        } else {
            String::new()
        };
        Ok(self.b.string(&text))
    }

    /// A source position, if there is one.
    fn place(&mut self, c: &mut Cursor<'t>) -> Parsed<Option<Location>> {
        if !c.eat(b'@') {
            return Ok(None);
        }
        if c.eat(b'?') {
            return Ok(Some(Location::default()));
        }
        let name = c.string("a file name in quotation marks")?;
        let file = self.b.file(&name);
        c.expect(b':')?;
        let line = c.number("a line")?;
        c.expect(b':')?;
        let column = c.number("a column")?;
        Ok(Some(Location { file, line, column }))
    }

    fn know_addresses(&mut self) {
        for (name, id) in &self.functions {
            self.addresses
                .insert(name.clone(), layout::function_address(*id));
        }
        let functions = self.b.module.functions.len();
        for (name, id) in &self.externs {
            let address = layout::extern_address(functions, *id);
            self.addresses.entry(name.clone()).or_insert(address);
        }
        self.addresses.extend(self.globals.drain());
    }

    /// Second pass: what refers to declarations.
    fn reference(&mut self, mut c: Cursor<'t>) -> Parsed<()> {
        match Self::keyword(&mut c, &REFERENCES) {
            Some("entry") => {
                let at = c.clone();
                match c.word("`main` or `start`")? {
                    "main" => self.b.module.entry.main = Some(self.callee(&mut c)?),
                    "start" => self.b.module.entry.start = Some(self.callee(&mut c)?),
                    _ => return at.wrong("`main` or `start`"),
                }
            }
            Some("branch") => {
                c.expect_word("in")?;
                let function = self.callee(&mut c)?;
                c.expect_word("outcomes")?;
                let outcomes = c.number("a number of outcomes")?;
                let location = self.place(&mut c)?.unwrap_or_default();
                self.b.branch(Branch {
                    function,
                    location,
                    outcomes,
                });
            }
            Some("site") => {
                c.expect_word("in")?;
                let function = self.callee(&mut c)?;
                let outcome = if c.eat_word("outcome") {
                    Some((c.number("a branch")?, c.number("an outcome")?))
                } else {
                    None
                };
                let lines = if c.eat_word("lines") {
                    Self::numbers(&mut c, "a line")?
                } else {
                    Vec::new()
                };
                let instructions = if c.eat_word("instructions") {
                    c.number("a number of instructions")?
                } else {
                    0
                };
                let location = self.place(&mut c)?.unwrap_or_default();
                self.b.site(Site {
                    function,
                    location,
                    outcome,
                    lines,
                    instructions,
                });
            }
            Some("shared") => {
                c.expect_word("instructions")?;
                let instructions = c.number("a number of instructions")?;
                c.expect_word("sites")?;
                let sites = Self::numbers(&mut c, "a site")?;
                self.b.module.shared_blocks.push(SharedBlock {
                    instructions,
                    sites,
                });
            }
            Some(_) => {
                let at = c.clone();
                let name = c.word("the name of a float operation")?;
                let Some(op) = SoftOp::all().into_iter().find(|op| op.symbol() == name) else {
                    return at.wrong("the name of a float operation");
                };
                let function = self.callee(&mut c)?;
                self.b.module.soft_floats.push((op, function));
            }
            None => return Ok(()),
        }
        c.end()
    }

    fn numbers(c: &mut Cursor<'t>, expected: &str) -> Parsed<Vec<u32>> {
        let mut numbers = Vec::new();
        while c.peek().is_some_and(|b| b.is_ascii_digit()) {
            numbers.push(c.number(expected)?);
        }
        Ok(numbers)
    }

    /// The function of this name or number.
    fn callee(&mut self, c: &mut Cursor<'t>) -> Parsed<FuncId> {
        let count = self.b.module.functions.len();
        Self::named(c, &self.functions, count, "a function")
    }

    fn named(
        c: &mut Cursor<'t>,
        known: &HashMap<String, u32>,
        count: usize,
        expected: &str,
    ) -> Parsed<u32> {
        let before = c.clone();
        let id = if c.eat(b'#') {
            Some(c.number(expected)?).filter(|id: &u32| (*id as usize) < count)
        } else {
            known.get(&c.name(expected)?).copied()
        };
        id.map_or_else(|| before.wrong(expected), Ok)
    }
}
