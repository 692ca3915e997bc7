//! Reads a module from text, as `print` writes it or as somebody wrote it by hand.
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

use crate::builder::{Builder, Label};
use crate::cursor::{Cursor, ParseError};
use crate::fields::{Fields, Number};
use crate::operands::slots;
use crate::ops::Word;
use crate::{
    ArgClass, Branch, CallSite, FixedRegisters, FuncId, Function, Global, Inst, Location, Module,
    Pc, Reg, SharedBlock, Site, SiteId, SoftOp, StrId, Target, Val, VarArg, layout,
};
use std::collections::HashMap;
use std::ops::RangeInclusive;

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

/// A width that no operand has: wide instructions have 16 bits for it.
const MAX_WIDTH: u32 = 0xffff;

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
                let address = match c.eat_word("at") {
                    true => c.number("an address")?,
                    false => 0,
                };
                let own = c.eat_word("own");
                let init = match c.is_done() {
                    true => Vec::new(),
                    false => c.quoted("the initial bytes")?,
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
        let registers = match c.eat_word("registers") {
            true => c.number("a number of registers")?,
            false => params.len() as u32,
        };
        let variadic = match c.eat_word("variadic") {
            true => Some(FixedRegisters {
                general: c.number("a number of general registers")?,
                vector: c.number("a number of vector registers")?,
            }),
            false => None,
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
        let text = match c.eat_word("type") {
            true => c.string("a type in quotation marks")?,
            false => String::new(),
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
                    "start" => self.b.module.entry.libc_start = Some(self.callee(&mut c)?),
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
                let outcome = match c.eat_word("outcome") {
                    true => Some((c.number("a branch")?, c.number("an outcome")?)),
                    false => None,
                };
                let lines = match c.eat_word("lines") {
                    true => Self::numbers(&mut c, "a line")?,
                    false => Vec::new(),
                };
                let instructions = match c.eat_word("instructions") {
                    true => c.number("a number of instructions")?,
                    false => 0,
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

    // --- code ---

    /// Third pass: labels and instructions.
    fn code(&mut self, mut c: Cursor<'t>) -> Parsed<()> {
        if c.is_done() || Self::keyword(&mut c, &REFERENCES).is_some() {
            return Ok(());
        }
        match Self::keyword(&mut c, &DECLARATIONS) {
            Some("function") => {
                self.end_function()?;
                self.b.select(self.begun as FuncId);
                self.begun += 1;
                return Ok(());
            }
            Some(_) => return Ok(()),
            None if self.begun == 0 => return c.wrong("a declaration"),
            None => {}
        }
        let mut behind = c.clone();
        let word = behind.word("a label or an instruction")?;
        if behind.eat(b':') {
            let label = self.label_named(word, None);
            if self.b.is_bound(label) {
                return c.wrong("a label of another name");
            }
            self.b.bind(label);
            return behind.end();
        }
        self.instruction(c)
    }

    fn end_function(&mut self) -> Parsed<()> {
        let open = self.labels.drain().filter_map(|(_, (label, used))| {
            let used = used.filter(|_| !self.b.is_bound(label))?;
            Some((used.place(), used))
        });
        match open.min_by_key(|(place, _)| *place) {
            Some((_, used)) => used.wrong("a label of this function"),
            None => Ok(()),
        }
    }

    fn label_named(&mut self, name: &'t str, used: Option<Cursor<'t>>) -> Label {
        let entry = self.labels.entry(name);
        entry.or_insert_with(|| (self.b.label(), used)).0
    }

    fn label(&mut self, c: &mut Cursor<'t>) -> Parsed<Label> {
        let before = c.clone();
        let name = c.word("a label")?;
        Ok(self.label_named(name, Some(before)))
    }

    fn instruction(&mut self, mut c: Cursor<'t>) -> Parsed<()> {
        let dst = match Self::is_register(c.peek_word()) {
            true => {
                let before = c.clone();
                let (first, last) = Self::registers(&mut c)?;
                c.expect(b'=')?;
                Some((first, last, before))
            }
            false => None,
        };
        let before = c.clone();
        let mut suffixes = c.word("an instruction")?.split('.');
        let name = suffixes.next().unwrap_or_default();
        let Some(mut inst) = Inst::blank(name) else {
            return before.wrong("an instruction");
        };
        let in_table = matches!(name, "Call" | "CallSite" | "Ret" | "Switch");
        let mut fields = Walk {
            p: self,
            c: c.clone(),
            before,
            suffixes,
            dst,
            first: true,
        };
        inst.fields(&mut fields)?;
        let Walk {
            c: behind,
            before,
            mut suffixes,
            dst,
            ..
        } = fields;
        c = behind;
        if suffixes.next().is_some() {
            return before.wrong("an instruction with fewer widths or operations");
        }
        let dst = match dst {
            // The others have a place for it only if there is a field.
            Some((first, last, at)) if !matches!(name, "Call" | "CallSite") || first != last => {
                return at.wrong("an instruction with fewer results");
            }
            Some((first, ..)) => first,
            None => Reg(0),
        };
        match inst {
            _ if !in_table => {
                self.place_and_end(&mut c)?;
                self.b.emit(inst);
            }
            Inst::Call { .. } => {
                let callee = self.callee(&mut c)?;
                c.expect(b'(')?;
                let widths = self.b.module.functions[callee as usize].params.clone();
                let args = self.values(&mut c, &widths, Some(b')'))?;
                self.place_and_end(&mut c)?;
                self.b.call(dst, callee, &args);
            }
            Inst::Ret { .. } => {
                let widths = self.b.module.functions[self.begun - 1].results.clone();
                let values = self.values(&mut c, &widths, None)?;
                self.place_and_end(&mut c)?;
                self.b.ret(&values);
            }
            Inst::Switch { w, value, .. } => {
                let mut cases = Vec::new();
                c.expect(b',')?;
                c.expect(b'[')?;
                while !c.eat(b']') {
                    if !cases.is_empty() {
                        c.expect(b',')?;
                    }
                    let case = c.number("a value")?;
                    c.arrow()?;
                    cases.push((case, self.label(&mut c)?));
                }
                c.expect_word("else")?;
                let default = self.label(&mut c)?;
                self.place_and_end(&mut c)?;
                self.b.switch(w, value, &cases, default);
            }
            _ => {
                let site = self.call_site(&mut c, dst)?;
                self.place_and_end(&mut c)?;
                self.b.call_site(site);
            }
        }
        Ok(())
    }

    fn place_and_end(&mut self, c: &mut Cursor<'t>) -> Parsed<()> {
        if let Some(at) = self.place(c)? {
            self.b.at(at);
        }
        c.end()
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
        let id = match c.eat(b'#') {
            true => Some(c.number(expected)?).filter(|id: &u32| (*id as usize) < count),
            false => known.get(&c.name(expected)?).copied(),
        };
        id.map_or_else(|| before.wrong(expected), Ok)
    }

    /// Values of these widths (64 where there is none), up to a closing character or the end of the line.
    fn values(
        &mut self,
        c: &mut Cursor<'t>,
        widths: &[u16],
        close: Option<u8>,
    ) -> Parsed<Vec<Val>> {
        let mut values = Vec::new();
        loop {
            let done = match close {
                Some(close) => c.eat(close),
                None => c.is_done() || c.peek() == Some(b'@'),
            };
            if done {
                return Ok(values);
            }
            if values.len() == usize::from(u16::MAX) {
                return c.wrong("fewer values");
            }
            if !values.is_empty() {
                c.expect(b',')?;
            }
            let width = widths.get(values.len()).copied().unwrap_or(64);
            values.push(self.value(c, u32::from(width))?);
        }
    }

    fn call_site(&mut self, c: &mut Cursor<'t>, dst: Reg) -> Parsed<CallSite> {
        let target = if c.eat(b'*') {
            Target::Pointer(self.value(c, 64)?)
        } else if c.eat_word("extern") {
            let count = self.b.module.externs.len();
            Target::Extern(Self::named(
                c,
                &self.externs,
                count,
                "an external function",
            )?)
        } else {
            Target::Function(self.callee(c)?)
        };
        let mut site = CallSite {
            target,
            ty: 0,
            args: Vec::new(),
            widths: Vec::new(),
            classes: Vec::new(),
            varargs: Vec::new(),
            dst,
            results: Vec::new(),
        };
        c.expect(b'(')?;
        while !c.eat(b')') {
            if !site.args.is_empty() || !site.varargs.is_empty() {
                c.expect(b',')?;
            }
            if c.eat_word("...") {
                let bytes = c.number("a number of bytes")?;
                c.expect_word("align")?;
                let align = c.number("an alignment")?;
                let class = Self::class(c);
                let by_value = c.eat_word("by_value");
                let bits = if by_value {
                    64
                } else {
                    u32::saturating_mul(bytes, 8)
                };
                let value = self.value(c, bits)?;
                site.varargs.push(VarArg {
                    value,
                    bytes,
                    align,
                    by_value,
                    class,
                });
            } else {
                if !site.varargs.is_empty() {
                    return c.wrong("`...`");
                }
                let width = c.number("a width")?;
                site.widths.push(width);
                site.classes.push(Self::class(c));
                site.args.push(self.value(c, u32::from(width))?);
            }
        }
        c.arrow()?;
        site.results = self.widths(c)?;
        site.ty = self.ty(c)?;
        Ok(site)
    }

    fn class(c: &mut Cursor<'t>) -> ArgClass {
        if c.eat_word("vector") {
            ArgClass::Vector
        } else if c.eat_word("stack") {
            ArgClass::Stack
        } else {
            ArgClass::General
        }
    }

    // --- operands ---

    fn is_register(word: &str) -> bool {
        let digits = word.strip_prefix('r').unwrap_or_default();
        digits.bytes().next().is_some_and(|b| b.is_ascii_digit())
    }

    /// A register, or the first and the last one of several.
    fn registers(c: &mut Cursor<'t>) -> Parsed<(Reg, Reg)> {
        let before = c.clone();
        let number = |text: &str| {
            let digits = text.strip_prefix('r')?;
            // The top bit tells constants from registers.
            let number = digits.parse().ok();
            number.filter(|n: &u32| n >> 31 == 0).map(Reg)
        };
        let word = c.word("a register")?;
        let ends = match word.split_once("..") {
            Some((first, last)) => number(first).zip(number(last)),
            None => number(word).map(|r| (r, r)),
        };
        ends.map_or_else(|| before.wrong("a register"), Ok)
    }

    /// As many registers as a value of so many bits takes; all but the first one may be left unsaid.
    fn group(c: &Cursor<'t>, (first, last): (Reg, Reg), width: u32) -> Parsed<Reg> {
        let count = slots(width).max(1);
        if last != first && u64::from(last.0) + 1 != u64::from(first.0) + u64::from(count) {
            return c.wrong(format!("{count} registers"));
        }
        Ok(first)
    }

    fn value(&mut self, c: &mut Cursor<'t>, width: u32) -> Parsed<Val> {
        if Self::is_register(c.peek_word()) {
            let before = c.clone();
            let ends = Self::registers(c)?;
            return Ok(Val::reg(Self::group(&before, ends, width)?));
        }
        if width > MAX_WIDTH {
            return c.wrong("a register: no constant has so many bits");
        }
        let before = c.clone();
        if c.eat(b'&') {
            let name = c.name("the name of a global or a function")?;
            return match self.addresses.get(&name) {
                Some(address) => Ok(self.b.constant(*address)),
                None => before.wrong("the name of a global or a function"),
            };
        }
        let negative = c.eat(b'-');
        let word = c.word("a register or a number")?;
        let count = slots(width).max(1) as usize;
        match limbs(word, negative, width, count) {
            Some(limbs) => Ok(self.b.wide_constant(&limbs)),
            None => before.wrong(format!("a register or a number of {} limbs", count)),
        }
    }
}

/// A number as limbs of 64 bits. A negative one is cut to the width, one that is too large for the limbs is none.
fn limbs(word: &str, negative: bool, width: u32, count: usize) -> Option<Vec<u64>> {
    let mut limbs = Vec::with_capacity(count);
    match word.strip_prefix("0x") {
        Some(digits) => {
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            for part in digits.as_bytes().rchunks(16) {
                let part = std::str::from_utf8(part).ok()?;
                limbs.push(u64::from_str_radix(part, 16).ok()?);
            }
            while limbs.len() > count && limbs.last() == Some(&0) {
                limbs.pop();
            }
        }
        None => limbs.push(word.parse().ok()?),
    }
    if limbs.len() > count {
        return None;
    }
    limbs.resize(count, 0);
    if negative {
        let mut carry = true;
        for limb in &mut limbs {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
        if let (Some(top), 1..) = (limbs.last_mut(), width % 64) {
            *top &= u64::MAX >> (64 - width % 64);
        }
    }
    Some(limbs)
}

/// Fills in the fields of an instruction from text.
struct Walk<'p, 't> {
    p: &'p mut Parser<'t>,
    c: Cursor<'t>,
    /// Where the instruction's name stands.
    before: Cursor<'t>,
    suffixes: std::str::Split<'t, char>,
    dst: Option<(Reg, Reg, Cursor<'t>)>,
    first: bool,
}

impl Walk<'_, '_> {
    fn comma(&mut self) -> Parsed<()> {
        match std::mem::take(&mut self.first) {
            true => Ok(()),
            false => self.c.expect(b','),
        }
    }

    fn suffix<T>(
        &mut self,
        expected: impl Into<String>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Parsed<T> {
        let value = self.suffixes.next().and_then(read);
        value.map_or_else(
            || {
                self.before
                    .wrong(format!("an instruction with {}", expected.into()))
            },
            Ok,
        )
    }
}

impl Fields for Walk<'_, '_> {
    type Error = ParseError;

    fn width(&mut self, width: &mut impl Number, _: RangeInclusive<u32>) -> Parsed<()> {
        *width = self.suffix("a width", |s| Number::of(s.parse().ok()?))?;
        Ok(())
    }

    fn word<W: Word>(&mut self, word: &mut W) -> Parsed<()> {
        let find = |s: &str| W::ALL.iter().find(|w| w.word() == s).copied();
        let names: Vec<&str> = W::ALL.iter().map(|w| w.word()).collect();
        *word = self.suffix(format!("one of {}", names.join(", ")), find)?;
        Ok(())
    }

    fn flag(&mut self, flag: &mut bool, words: [&'static str; 2]) -> Parsed<()> {
        let [yes, no] = words;
        let find = |s: &str| (s == yes || s == no).then_some(s == yes);
        *flag = self.suffix(format!("`{yes}` or `{no}`"), find)?;
        Ok(())
    }

    fn read(&mut self, value: &mut Val, width: u32) -> Parsed<()> {
        self.comma()?;
        *value = self.p.value(&mut self.c, width)?;
        Ok(())
    }

    fn write(&mut self, register: &mut Reg, width: u32, flag: bool) -> Parsed<()> {
        let Some((first, last, at)) = self.dst.take() else {
            return self.before.wrong("a register and `=`");
        };
        let width = if flag { 128 } else { width };
        *register = Parser::group(&at, (first, last), width)?;
        Ok(())
    }

    fn label(&mut self, target: &mut Pc) -> Parsed<()> {
        self.comma()?;
        *target = self.p.label(&mut self.c)?.pc();
        Ok(())
    }

    fn number(&mut self, name: &'static str, number: &mut impl Number) -> Parsed<()> {
        self.comma()?;
        self.c.expect_word(name)?;
        let before = self.c.clone();
        let value = Number::of(self.c.number("a number")?);
        *number = value.map_or_else(|| before.wrong("a smaller number"), Ok)?;
        Ok(())
    }

    fn string(&mut self, string: &mut StrId) -> Parsed<()> {
        self.comma()?;
        let text = self.c.string("a string in quotation marks")?;
        *string = self.p.b.string(&text);
        Ok(())
    }

    fn site(&mut self, site: &mut SiteId) -> Parsed<()> {
        self.number("site", site)
    }
}
