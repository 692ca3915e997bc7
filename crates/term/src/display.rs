//! Short forms of terms for messages and logs.

use crate::node::{Op, Term};
use crate::pool::Pool;
use std::fmt;

/// Most operators that are shown.
const LIMIT: usize = 200;

/// A term as an S-expression in which everything past a bound is "…".
pub struct Shown<'a> {
    pool: &'a Pool,
    term: Term,
}

impl Pool {
    /// The term as a short text for people; for machines use [`crate::to_smt2`].
    pub fn display(&self, t: Term) -> Shown<'_> {
        Shown {
            pool: self,
            term: t,
        }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pool = self.pool;
        // NONE stands for a closing parenthesis; the flag asks for a space before.
        let mut stack = vec![(self.term, false)];
        let mut shown = 0;
        while let Some((t, space)) = stack.pop() {
            if space {
                f.write_str(" ")?;
            }
            if t.is_none() {
                f.write_str(")")?;
                continue;
            }
            let node = pool.node(t);
            match node.op {
                Op::Const => write!(f, "{:#x}:{}", node.value(), node.sort)?,
                Op::ConstWide => {
                    f.write_str("0x")?;
                    for limb in pool.const_limbs(t).iter().rev() {
                        write!(f, "{limb:016x}")?;
                    }
                    write!(f, ":{}", node.sort)?;
                }
                Op::IntConst => write!(f, "{}", pool.int_value(node))?,
                Op::Symbol => f.write_str(&pool.symbols[node.aux as usize].name)?,
                Op::ArrayBytes => write!(f, "bytes[{}]", pool.array_content(t).len())?,
                _ if shown >= LIMIT => f.write_str("…")?,
                op => {
                    shown += 1;
                    match op {
                        Op::Extract => {
                            let (hi, lo) = pool.extract_bounds(t);
                            write!(f, "(extract[{hi}:{lo}]")?;
                        }
                        Op::Zext | Op::Sext => {
                            write!(f, "({}[{}]", format!("{op:?}").to_lowercase(), node.sort)?;
                        }
                        Op::FCmp => write!(f, "(fcmp.{:?}", pool.predicate(t))?,
                        Op::FCall => write!(f, "({}", pool.math_function(t).name())?,
                        _ => write!(f, "({}", format!("{op:?}").to_lowercase())?,
                    }
                    stack.push((Term::NONE, false));
                    stack.extend(node.children().iter().rev().map(|&kid| (kid, true)));
                }
            }
        }
        Ok(())
    }
}
