//! Labels and instructions: the third pass.

use super::cursor::{Cursor, ParseError};
use super::{DECLARATIONS, Parsed, Parser, REFERENCES};
use crate::builder::Label;
use crate::fields::{Fields, IntegerField};
use crate::ops::Word;
use crate::{
    ArgClass, CallSite, Clause, FuncId, Inst, LandingPad, Pc, Reg, SiteId, StrId, Target, Val,
    VarArg,
};
use std::ops::RangeInclusive;

impl<'t> Parser<'t> {
    /// Third pass: labels and instructions.
    pub(super) fn code(&mut self, mut c: Cursor<'t>) -> Parsed<()> {
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

    pub(super) fn end_function(&mut self) -> Parsed<()> {
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
        let dst = if Self::is_register(c.peek_word()) {
            let before = c.clone();
            let (first, last) = Self::registers(&mut c)?;
            c.expect(b'=')?;
            Some((first, last, before))
        } else {
            None
        };
        let before = c.clone();
        let mut suffixes = c.word("an instruction")?.split('.');
        let name = suffixes.next().unwrap_or_default();
        let Some(mut inst) = Inst::blank(name) else {
            return before.wrong("an instruction");
        };
        let in_table = matches!(name, "Call" | "CallSite" | "Ret" | "Switch" | "Invoked");
        let mut fields = FieldParser {
            p: self,
            c: c.clone(),
            before,
            suffixes,
            dst,
            first: true,
        };
        inst.fields(&mut fields)?;
        let FieldParser {
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
            Inst::Invoked { target, pad, .. } => {
                let entered_for = Self::landing_pad(&mut c)?;
                self.place_and_end(&mut c)?;
                let clauses = self.b.landing_pad(entered_for);
                self.b.emit(Inst::Invoked {
                    target,
                    pad,
                    clauses,
                });
            }
            _ => {
                let site = self.call_site(&mut c, dst)?;
                self.place_and_end(&mut c)?;
                self.b.call_site(site);
            }
        }
        Ok(())
    }

    fn landing_pad(c: &mut Cursor<'t>) -> Parsed<LandingPad> {
        let mut pad = LandingPad::default();
        c.expect(b'[')?;
        pad.cleanup = c.eat_word("cleanup");
        pad.terminates = c.eat_word("terminates");
        while !c.eat(b']') {
            if c.eat_word("catch") {
                let selector = c.number("a selector")?;
                let ty = c.number("an address")?;
                pad.clauses.push(Clause::Catch { selector, ty });
                continue;
            }
            c.expect_word("filter")?;
            let count: u32 = c.number("a number of types")?;
            let types: Parsed<Vec<u64>> = (0..count).map(|_| c.number("an address")).collect();
            pad.clauses.push(Clause::Filter(types?));
        }
        Ok(pad)
    }

    fn place_and_end(&mut self, c: &mut Cursor<'t>) -> Parsed<()> {
        if let Some(at) = self.place(c)? {
            self.b.at(at);
        }
        c.end()
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
}

/// Fills in the fields of an instruction from text.
struct FieldParser<'p, 't> {
    p: &'p mut Parser<'t>,
    c: Cursor<'t>,
    /// Where the instruction's name stands.
    before: Cursor<'t>,
    suffixes: std::str::Split<'t, char>,
    dst: Option<(Reg, Reg, Cursor<'t>)>,
    first: bool,
}

impl FieldParser<'_, '_> {
    fn comma(&mut self) -> Parsed<()> {
        if std::mem::take(&mut self.first) {
            Ok(())
        } else {
            self.c.expect(b',')
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

impl Fields for FieldParser<'_, '_> {
    type Error = ParseError;

    fn width(&mut self, width: &mut impl IntegerField, _: RangeInclusive<u32>) -> Parsed<()> {
        *width = self.suffix("a width", |s| IntegerField::of(s.parse().ok()?))?;
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

    fn number(&mut self, name: &'static str, number: &mut impl IntegerField) -> Parsed<()> {
        self.comma()?;
        self.c.expect_word(name)?;
        let before = self.c.clone();
        let value = IntegerField::of(self.c.number("a number")?);
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
