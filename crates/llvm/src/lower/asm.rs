//! Inline assembly: the few strings that real C code leaves when built for plain x86-64.
//!
//! Each pattern is compared after white space is normalized; byte swaps and rotations are in `raise`. Everything else
//! ends the path with the string as its name.

use super::function::{Elems, FnLower, Refused};
use crate::ffi::{Value, take_message};
use ir::{BinOp, CmpOp, Inst, UnOp, Val};
use llvm_sys::core::{LLVMGetInlineAsmAsmString, LLVMGetInlineAsmConstraintString};

fn inline_text(asm: Value) -> (String, String) {
    // The strings belong to the assembly value; only their length is given, so they are copied.
    let get = |f: unsafe extern "C" fn(
        llvm_sys::prelude::LLVMValueRef,
        *mut usize,
    ) -> *const std::ffi::c_char| {
        let mut len = 0;
        // SAFETY: LLVM gives pointer and length of a live string.
        unsafe {
            let p = f(asm.0, &mut len);
            if p.is_null() {
                return take_message(std::ptr::null_mut());
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(p.cast::<u8>(), len)).into_owned()
        }
    };
    (
        get(LLVMGetInlineAsmAsmString),
        get(LLVMGetInlineAsmConstraintString),
    )
}

/// The text of an assembly string, in one line.
pub fn shown(asm: Value) -> String {
    normalize(&inline_text(asm).0)
}

/// Does an assembly string ask what the processor can do?
pub fn asks_processor(asm: Value) -> bool {
    normalize(&inline_text(asm).0).contains("cpuid")
}

/// Lines without comments and with single spaces.
fn normalize(text: &str) -> String {
    text.split(['\n', ';'])
        .map(|line| {
            line.split('#')
                .next()
                .unwrap_or("")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(";")
}

impl FnLower<'_> {
    pub fn inline_asm(&mut self, v: Value, asm: Value) -> Result<(), Refused> {
        let (text, constraints) = inline_text(asm);
        let normal = normalize(&text);
        let shape = self.shape(v.ty());
        let mut args = Vec::new();
        for i in 0..v.arg_count() {
            args.push((self.elems(v.arg(i))?, self.shape(v.arg(i).ty())));
        }
        if let Some(value) = self.raise(&normal, &constraints, &args, &shape) {
            self.set1(v, value);
            return Ok(());
        }
        let word = normal.split(' ').next().unwrap_or("");
        let refuse = || Err(format!("inline assembly `{normal}`"));
        let one = |k: usize| {
            args.get(k)
                .and_then(|(e, s)| Some((*e.first()?, s.scalars.first()?.width)))
        };
        match word {
            "" | "nop" | "pause" | "rep"
                if matches!(
                    normal.as_str(),
                    "" | "nop" | "pause" | "rep nop" | "rep; nop"
                ) =>
            {
                self.identity(
                    v,
                    &constraints,
                    &args.iter().map(|(e, _)| e.clone()).collect::<Vec<_>>(),
                )
            }
            "mulq" | "mull" | "mul" if shape.scalars.len() == 2 && args.len() == 2 => {
                // {low "=a", high "=d"} = a * b
                let w = shape.scalars[0].width;
                let (Some((a, _)), Some((b, _))) = (one(0), one(1)) else {
                    return refuse();
                };
                let (wa, wb) = (self.zext(w, 2 * w, a), self.zext(w, 2 * w, b));
                let product = self.int_bin(BinOp::Mul, 2 * w, wa, wb);
                let halves = self.split(2 * w, product, &[w, w]);
                // Which output is the low half is told by the constraints.
                let high_first =
                    constraints.starts_with("={dx}") || constraints.starts_with("=&{dx}");
                let halves = if high_first {
                    halves.into_iter().rev().collect()
                } else {
                    halves
                };
                self.set(v, halves);
                Ok(())
            }
            "addq" | "addl" | "add" | "subq" | "subl" | "sub" => {
                self.carry_pair(v, &normal, &constraints, &args, &shape)
            }
            "bsrq" | "bsrl" | "bsr" | "bsfq" | "bsfl" | "bsf"
                if shape.scalars.len() == 1 && args.len() == 1 =>
            {
                let w = shape.scalars[0].width;
                let Some((a, from)) = one(0) else {
                    return refuse();
                };
                let backward = word.starts_with("bsr");
                let dst = self.body.fresh(from);
                self.emit(Inst::Un {
                    op: if backward { UnOp::Ctlz } else { UnOp::Cttz },
                    w: from as u8,
                    dst,
                    a,
                });
                let mut value = dst.into();
                if backward {
                    let last = self.constant(u64::from(from) - 1);
                    value = self.int_bin(BinOp::Sub, from, last, value);
                }
                let value = if from < w {
                    self.zext(from, w, value)
                } else {
                    self.trunc(from, w, value)
                };
                self.set1(v, value);
                Ok(())
            }
            _ => refuse(),
        }
    }

    /// An empty string: each output is the input tied to it; without one it is undefined, that is zero.
    fn identity(&mut self, v: Value, constraints: &str, args: &[Elems]) -> Result<(), Refused> {
        let shape = self.shape(v.ty());
        let mut outputs: Vec<Option<Val>> = Vec::new();
        let mut input = 0;
        for part in constraints.split(',') {
            if part.starts_with('~') {
                continue;
            }
            if part.starts_with('=') {
                if !part.contains('*') {
                    outputs.push(None);
                } else {
                    input += 1; // an indirect output is a pointer argument; memory stays as it is
                }
            } else {
                if let Ok(tied) = part.parse::<usize>() {
                    let value = args.get(input).and_then(|e| e.first().copied());
                    if let Some(place) = outputs.get_mut(tied) {
                        *place = value;
                    }
                }
                input += 1;
            }
        }
        if outputs.len() != shape.scalars.len() {
            return Err(format!("inline assembly with constraints `{constraints}`"));
        }
        let elems = outputs
            .iter()
            .zip(&shape.scalars)
            .map(|(o, s)| o.unwrap_or_else(|| self.zero(s.width)))
            .collect();
        self.set(v, elems);
        Ok(())
    }

    /// `add low, ..; adc high, ..` and `sub; sbb` of GMP's longlong.h: two words at once.
    fn carry_pair(
        &mut self,
        v: Value,
        normal: &str,
        constraints: &str,
        args: &[(Elems, std::rc::Rc<crate::types::Shape>)],
        shape: &crate::types::Shape,
    ) -> Result<(), Refused> {
        let refuse = || {
            Err(format!(
                "inline assembly `{normal}` with constraints `{constraints}`"
            ))
        };
        let lines: Vec<&str> = normal.split(';').collect();
        let subtract = lines[0].starts_with("sub");
        let second = if subtract { "sbb" } else { "adc" };
        if lines.len() != 2
            || !lines[1].starts_with(second)
            || shape.scalars.len() != 2
            || args.len() != 4
        {
            return refuse();
        }
        // AT&T order `op source, destination`: find the operands of both lines.
        let operands = |line: &str| -> Option<(usize, usize)> {
            let (_, rest) = line.split_once(' ')?;
            let (a, b) = rest.split_once(',')?;
            let number = |t: &str| {
                t.trim()
                    .trim_start_matches("${")
                    .trim_start_matches('$')
                    .split([':', '}'])
                    .next()?
                    .parse()
                    .ok()
            };
            Some((number(a)?, number(b)?))
        };
        let (Some((low_source, low)), Some((high_source, high))) =
            (operands(lines[0]), operands(lines[1]))
        else {
            return refuse();
        };
        // Inputs are numbered behind the two outputs; a tied one is the start value of its output.
        let inputs: Vec<&str> = constraints
            .split(',')
            .filter(|p| !p.starts_with('=') && !p.starts_with('~'))
            .collect();
        let value_of = |operand: usize| -> Option<Val> {
            let index = if operand < 2 {
                inputs
                    .iter()
                    .position(|p| p.trim_start_matches('%') == operand.to_string())?
            } else {
                operand - 2
            };
            args.get(index)?.0.first().copied()
        };
        let (Some(a_low), Some(b_low), Some(a_high), Some(b_high)) = (
            value_of(low),
            value_of(low_source),
            value_of(high),
            value_of(high_source),
        ) else {
            return refuse();
        };
        let w = shape.scalars[0].width;
        let op = if subtract { BinOp::Sub } else { BinOp::Add };
        let low_word = self.int_bin(op, w, a_low, b_low);
        let carry = if subtract {
            self.int_compare(CmpOp::Ult, w, a_low, b_low)
        } else {
            self.int_compare(CmpOp::Ult, w, low_word, a_low)
        };
        let carry = self.zext(1, w, carry);
        let high_word = self.int_bin(op, w, a_high, b_high);
        let high_word = self.int_bin(op, w, high_word, carry);
        let mut result = [low_word, low_word];
        result[low & 1] = low_word;
        result[high & 1] = high_word;
        self.set(v, result.into_iter().collect());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn white_space_and_comments_do_not_count() {
        assert_eq!(
            super::normalize("\taddq\t$5, $1 # low\n\tadcq $3,$0"),
            "addq $5, $1;adcq $3,$0"
        );
        assert_eq!(super::normalize(" \n"), "");
    }
}
