//! The choices of a path as bytes.
//!
//! Most of a prefix are its choices, and a run reports many prefixes. They are written in one pass over the trail,
//! which begins at the latest choice, so the bytes are made back to front and reversed at the end.

use crate::trail::{Choice, ChoiceKind, Trail};
use ir::Pc;
use serde::{Deserialize, Serialize};

/// For each choice, oldest first: how many instructions it comes after the one before, its instruction, its kind, and what
/// was chosen, as numbers of seven bits a byte, least significant first; all but the last byte of a number are above 127.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Steps(#[serde(with = "serde_bytes")] Vec<u8>);

impl Steps {
    /// The choices of a trail.
    pub fn of(trail: &Trail) -> Steps {
        let mut bytes = Vec::with_capacity(512);
        let mut latest = trail.latest().peekable();
        while let Some(c) = latest.next() {
            let before = latest.peek().map_or(0, |older| older.at);
            for n in [
                u64::from(c.choice),
                c.kind as u64,
                u64::from(c.pc),
                c.at - before,
            ] {
                put_backwards(n, &mut bytes);
            }
        }
        bytes.reverse();
        Steps(bytes)
    }

    /// The choices, oldest first.
    ///
    /// # Errors
    /// In words: these bytes are no choices.
    pub fn choices(&self) -> Result<Vec<Choice>, String> {
        let (mut left, mut at, mut choices) = (&self.0[..], 0u64, Vec::new());
        while !left.is_empty() {
            let broken = || "no choices".to_string();
            let mut next = || take(&mut left).ok_or_else(broken);
            let [after, pc, kind, choice] = [next()?, next()?, next()?, next()?];
            at = at.saturating_add(after);
            let kind = ChoiceKind::ALL.get(kind as usize);
            choices.push(Choice {
                pc: Pc::try_from(pc).map_err(|_| broken())?,
                kind: *kind.ok_or_else(broken)?,
                choice: u32::try_from(choice).map_err(|_| broken())?,
                at,
            });
        }
        Ok(choices)
    }
}

/// Adds the bytes of a number, the last one first.
fn put_backwards(n: u64, bytes: &mut Vec<u8>) {
    let begin = bytes.len();
    let mut left = n;
    while left > 127 {
        bytes.push(left as u8 | 128);
        left >>= 7;
    }
    bytes.push(left as u8);
    if bytes.len() > begin + 1 {
        bytes[begin..].reverse();
    }
}

/// Takes a number.
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut n = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        n |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(n);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_come_back() {
        let numbers = ChoiceKind::ALL.iter().map(|&kind| kind as usize);
        assert!(numbers.eq(0..ChoiceKind::ALL.len()));
        let mut at = 0;
        let choice = |i: usize| {
            at += [0, 1, 127, 128, 70_000, 1 << 40][i % 6];
            Choice {
                pc: [0, 127, 128, u32::MAX][i % 4],
                kind: ChoiceKind::ALL[i % ChoiceKind::ALL.len()],
                choice: [0, 1, 300, u32::MAX][i % 4],
                at,
            }
        };
        let choices: Vec<Choice> = (0..100).map(choice).collect();
        let steps = Steps::of(&Trail::of(choices.iter().copied()));
        assert_eq!(steps.choices().unwrap(), choices);
        assert_eq!(Steps::of(&Trail::default()).choices().unwrap(), []);
        for end in 0..steps.0.len() {
            let torn = Steps(steps.0[..end].to_vec()).choices();
            assert!(torn.is_err() || torn.is_ok_and(|c| c.len() < choices.len()));
        }
        for wrong in [
            &[255; 11][..],
            &[1, 1, 99, 1],
            &[1, 255, 255, 255, 255, 127, 1, 1],
        ] {
            assert!(Steps(wrong.to_vec()).choices().is_err(), "{wrong:?}");
        }
    }
}
