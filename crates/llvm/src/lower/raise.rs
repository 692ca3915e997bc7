//! Byte swaps and rotations that were written as assembly, raised to arithmetic: what LLVM's x86 back end
//! recognizes (`X86TargetLowering::ExpandInlineAsm`), and any sequence of the same instructions.
//!
//! One register goes in and comes out (`"=r,0"`). The instructions change it or a part of it:
//! `bswap`, `rol` and `ror` by a constant, an operand or `%cl`, and `xchgb` of its two low bytes.

use super::function::{Elems, FnLower};
use crate::types::Shape;
use ir::{Inst, UnOp, Val};
use std::rc::Rc;

/// Some bits of the register: the lowest one, and how many.
type BitField = (u32, u32);

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RaisedStep {
    Swap(BitField),
    Rotate {
        left: bool,
        part: BitField,
        by: Amount,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Constant(u64),
    /// The input of this number.
    Input(usize),
}

/// The sequence as steps on a register of `width` bits, and which input the register begins with.
fn parse(text: &str, constraints: &str, width: u32) -> Option<(Vec<RaisedStep>, usize)> {
    let mut outputs = constraints.split(',').filter(|c| c.starts_with('='));
    let output = outputs.next()?;
    if outputs.next().is_some() || output.contains('*') {
        return None;
    }
    let inputs: Vec<&str> = constraints
        .split(',')
        .filter(|c| !c.starts_with(['=', '~', '!']))
        .collect();
    let start = inputs.iter().position(|c| *c == "0")?;
    let part = |operand: &str, suffix: Option<u32>| part(operand, output, suffix, width);
    let amount = |operand: &str| {
        if let Some(n) = operand.strip_prefix("$$") {
            return Some(Amount::Constant(n.parse().ok()?));
        }
        if operand == "%cl" {
            let there = inputs.iter().position(|c| c.contains("{cx}"))?;
            return Some(Amount::Input(there));
        }
        let (number, _) = numbered(operand)?;
        // Operand 0 is the output.
        let input = number
            .checked_sub(1)
            .filter(|n| *n < inputs.len() && *n != start)?;
        Some(Amount::Input(input))
    };
    let mut steps = Vec::new();
    for line in text.split(';') {
        let (word, operands) = line.trim().split_once(' ')?;
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let (name, suffix) = mnemonic(word)?;
        steps.push(match (name, &operands[..]) {
            ("bswap", [one]) => match part(one, suffix)? {
                whole @ (0, 32 | 64) => RaisedStep::Swap(whole),
                _ => return None,
            },
            ("xchg", [one, other]) => {
                let mut two = [part(one, suffix)?, part(other, suffix)?];
                two.sort_unstable();
                if two != [(0, 8), (8, 8)] {
                    return None;
                }
                RaisedStep::Swap((0, 16))
            }
            ("rol" | "ror", [by, one]) => RaisedStep::Rotate {
                left: name == "rol",
                part: part(one, suffix)?,
                by: amount(by)?,
            },
            ("rol" | "ror", [one]) => RaisedStep::Rotate {
                left: name == "rol",
                part: part(one, suffix)?,
                by: Amount::Constant(1),
            },
            _ => return None,
        });
    }
    (!steps.is_empty()).then_some((steps, start))
}

/// `rorw` as `ror` of 16 bits.
fn mnemonic(word: &str) -> Option<(&str, Option<u32>)> {
    const NAMES: [&str; 4] = ["bswap", "xchg", "rol", "ror"];
    let name = NAMES.into_iter().find(|n| word.starts_with(n))?;
    let bits = match &word[name.len()..] {
        "" => None,
        "b" => Some(8),
        "w" => Some(16),
        "l" => Some(32),
        "q" => Some(64),
        _ => return None,
    };
    Some((name, bits))
}

/// The number and the modifier of `$0` or `${0:w}`.
fn numbered(operand: &str) -> Option<(usize, &str)> {
    let rest = operand.strip_prefix('$')?;
    let inner = rest.strip_prefix('{').and_then(|r| r.strip_suffix('}'));
    let (number, modifier) = inner
        .unwrap_or(rest)
        .split_once(':')
        .unwrap_or((inner.unwrap_or(rest), ""));
    Some((number.parse().ok()?, modifier))
}

/// The part of the register that an operand means.
fn part(operand: &str, output: &str, suffix: Option<u32>, width: u32) -> Option<BitField> {
    let part = match numbered(operand) {
        Some((0, modifier)) => match modifier {
            "" => (0, suffix.unwrap_or(width)),
            "b" => (0, 8),
            "h" => (8, 8),
            "w" => (0, 16),
            "k" => (0, 32),
            "q" => (0, 64),
            _ => return None,
        },
        Some(_) => return None,
        None => {
            // By its name, which the constraint tells: `%ah` of `={ax}`.
            let name = operand.strip_prefix('%')?;
            let letter = name.trim_start_matches(['e', 'r']).chars().next()?;
            if !output.contains(&format!("{{{letter}x}}")) {
                return None;
            }
            match name.len() {
                2 if name.ends_with('l') => (0, 8),
                2 if name.ends_with('h') => (8, 8),
                2 => (0, 16),
                3 if name.starts_with('e') => (0, 32),
                3 if name.starts_with('r') => (0, 64),
                _ => return None,
            }
        }
    };
    let fits = part.0 + part.1 <= width && suffix.is_none_or(|bits| bits == part.1);
    fits.then_some(part)
}

impl FnLower<'_> {
    /// The value of an assembly of byte swaps and rotations; `None` if it is another one.
    pub fn raise(
        &mut self,
        text: &str,
        constraints: &str,
        args: &[(Elems, Rc<Shape>)],
        shape: &Shape,
    ) -> Option<Val> {
        let [result] = shape.scalars.as_slice() else {
            return None;
        };
        let width = result.width;
        if !matches!(width, 8 | 16 | 32 | 64) {
            return None;
        }
        let (steps, start) = parse(text, constraints, width)?;
        let scalar = |k: usize| {
            let (elems, shape) = args.get(k)?;
            Some((*elems.first()?, shape.scalars.first()?.width))
        };
        let (mut value, w) = scalar(start)?;
        let amounts_known = steps.iter().all(|s| match s {
            RaisedStep::Rotate {
                by: Amount::Input(k),
                ..
            } => scalar(*k).is_some_and(|(_, w)| w <= 64),
            _ => true,
        });
        if w != width || !amounts_known {
            return None;
        }
        for step in steps {
            let (low, bits) = match step {
                RaisedStep::Swap(part) | RaisedStep::Rotate { part, .. } => part,
            };
            let old = self.bits(width, value, low, bits);
            let dst = self.body.fresh(bits);
            let inst = match step {
                RaisedStep::Swap(_) => Inst::Un {
                    op: UnOp::Bswap,
                    w: bits as u8,
                    dst,
                    a: old,
                },
                RaisedStep::Rotate { left, by, .. } => {
                    let by = match by {
                        Amount::Constant(n) => self.constant(n % u64::from(bits)),
                        Amount::Input(k) => {
                            let (n, from) = scalar(k)?;
                            if from < bits {
                                self.zext(from, bits, n)
                            } else {
                                self.trunc(from, bits, n)
                            }
                        }
                    };
                    Inst::Funnel {
                        left,
                        w: bits as u8,
                        dst,
                        a: old,
                        b: old,
                        c: by,
                    }
                }
            };
            self.emit(inst);
            value = self.replaced(width, value, (low, bits), dst.into());
        }
        Some(value)
    }

    /// A register whose part is replaced, as x86 does it: writing 32 bits clears those above.
    fn replaced(&mut self, width: u32, value: Val, (low, bits): BitField, new: Val) -> Val {
        if bits == width {
            return new;
        }
        if bits == 32 {
            return self.zext(32, width, new);
        }
        let mut parts = Vec::new();
        if low > 0 {
            parts.push((self.bits(width, value, 0, low), low));
        }
        parts.push((new, bits));
        let above = low + bits;
        if above < width {
            parts.push((self.bits(width, value, above, width - above), width - above));
        }
        self.concat(&parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_real_code_writes() {
        let rotate = |left, part, n| RaisedStep::Rotate {
            left,
            part,
            by: Amount::Constant(n),
        };
        let swap16 = rotate(false, (0, 16), 8);
        let cases: [(&str, &str, u32, Vec<RaisedStep>); 6] = [
            ("rorw $$8, ${0:w}", "=r,0,~{cc}", 16, vec![swap16]),
            (
                "rorw $$8, ${0:w};rorl $$16, $0;rorw $$8, ${0:w}",
                "=r,0,~{cc}",
                32,
                vec![swap16, rotate(false, (0, 32), 16), swap16],
            ),
            ("bswap ${0:q}", "=r,0", 64, vec![RaisedStep::Swap((0, 64))]),
            ("bswapl $0", "=r,0", 32, vec![RaisedStep::Swap((0, 32))]),
            (
                "xchgb ${0:b},${0:h}",
                "=Q,0",
                16,
                vec![RaisedStep::Swap((0, 16))],
            ),
            (
                "xchg %al,%ah",
                "={ax},0",
                32,
                vec![RaisedStep::Swap((0, 16))],
            ),
        ];
        for (text, constraints, width, steps) in cases {
            assert_eq!(parse(text, constraints, width), Some((steps, 0)), "{text}");
        }
        let by_input = |text, constraints| match parse(text, constraints, 32) {
            Some((steps, start)) => match steps[..] {
                [
                    RaisedStep::Rotate {
                        by: Amount::Input(n),
                        ..
                    },
                ] => Some((n, start)),
                _ => None,
            },
            None => None,
        };
        assert_eq!(by_input("roll $1,$0", "=r,I,0"), Some((0, 1)));
        assert_eq!(by_input("roll %cl,$0", "=r,0,{cx}"), Some((1, 0)));
        assert_eq!(by_input("rorl ${1:b},$0", "=r,{cx}I,0"), Some((0, 1)));
    }

    #[test]
    fn what_does_something_else_is_left_alone() {
        let cases = [
            ("bswap $0", "=r,r", 32),
            ("bswapq $0", "=r,0", 32),
            ("bswap ${0:w}", "=r,0", 32),
            ("xchgb ${0:b},${1:b}", "=r,0,r", 32),
            ("xchg %bl,%bh", "={ax},0", 32),
            ("rorw $$8, ${0:w}", "=*m,0", 16),
            ("rcll $$1, $0", "=r,0", 32),
            ("roll $0,$0", "=r,0", 32),
            ("rorw $$8, $0;int3", "=r,0", 16),
        ];
        for (text, constraints, width) in cases {
            assert_eq!(parse(text, constraints, width), None, "{text}");
        }
    }
}
