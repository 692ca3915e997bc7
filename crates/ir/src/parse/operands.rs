//! Operands: registers, numbers of any width, addresses by name.

use super::cursor::Cursor;
use super::{Parsed, Parser};
use crate::operands::slots;
use crate::{Reg, Val};

/// A width that no operand has: wide instructions have 16 bits for it.
const MAX_WIDTH: u32 = 0xffff;

impl<'t> Parser<'t> {
    pub(super) fn is_register(word: &str) -> bool {
        let digits = word.strip_prefix('r').unwrap_or_default();
        digits.bytes().next().is_some_and(|b| b.is_ascii_digit())
    }

    /// A register, or the first and the last one of several.
    pub(super) fn registers(c: &mut Cursor<'t>) -> Parsed<(Reg, Reg)> {
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
    pub(super) fn group(c: &Cursor<'t>, (first, last): (Reg, Reg), width: u32) -> Parsed<Reg> {
        let count = slots(width).max(1);
        if last != first && u64::from(last.0) + 1 != u64::from(first.0) + u64::from(count) {
            return c.wrong(format!("{count} registers"));
        }
        Ok(first)
    }

    pub(super) fn value(&mut self, c: &mut Cursor<'t>, width: u32) -> Parsed<Val> {
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
