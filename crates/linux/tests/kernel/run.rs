//! One call in the world and in the real kernel.

use super::calls::Op;
use super::calls::Val::{self, Data, Int, Null, Out, Vector};
use super::signals::{run_handlers, set_action, take_begun};
use crate::common::{BASE, Mock, answer};
use polypath_linux::{self as linux, CallAnswer, Word};

/// What a call gave: its result, and the buffers it was passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub result: i64,
    pub buffers: Vec<Vec<u8>>,
    /// The signals whose handlers ran, in the order in which they began.
    pub begun: Vec<u8>,
}

/// Runs a call in the world; `None` when it would wait or is not modelled.
pub fn run_model(world: &mut linux::World, mock: &mut Mock, op: &Op) -> Option<Seen> {
    let mut at = 0x1000;
    let mut args = Vec::new();
    let mut buffers: Vec<(usize, usize)> = Vec::new();
    for arg in &op.args {
        let bytes = match arg {
            Int(value) => {
                args.push(*value as u64);
                continue;
            }
            Null => {
                args.push(0);
                continue;
            }
            Val::Path(text) => [text.as_bytes(), &[0]].concat(),
            Data(bytes) => bytes.clone(),
            Out(len) => vec![0; *len],
            Vector(parts) => {
                let mut table = Vec::new();
                for part in parts {
                    mock.place(at, &linux::Bytes::concrete(part.clone()));
                    table.extend((BASE + at as u64).to_le_bytes());
                    table.extend((part.len() as u64).to_le_bytes());
                    buffers.push((at, part.len()));
                    at += 0x4000;
                }
                args.push(mock.place(at, &linux::Bytes::concrete(table)));
                at += 0x4000;
                continue;
            }
        };
        buffers.push((at, bytes.len()));
        args.push(mock.place(at, &linux::Bytes::concrete(bytes)));
        at += 0x4000;
    }
    if let (13, [Int(signal), Int(what), Int(flags), Int(mask)]) = (op.nr, &op.args[..]) {
        let words = [*what as u64, *flags as u64, 0, *mask as u64];
        let action = mock.place(
            0,
            &linux::Bytes::concrete(words.map(u64::to_le_bytes).concat()),
        );
        args = vec![*signal as u64, action, 0, 8];
    }
    let mut begun = Vec::new();
    let first = answer(world, mock, op.nr, &args);
    let result = match run_handlers(world, first, &mut begun) {
        CallAnswer::Return(Word::Concrete(result)) => result as i64,
        CallAnswer::Block(_) | CallAnswer::Unsupported(_) => return None,
        other => panic!("{other:?}"),
    };
    let buffers = buffers
        .iter()
        .map(|&(at, len)| mock.at(at, len).bits)
        .collect();
    Some(Seen {
        result,
        buffers,
        begun,
    })
}

/// Runs a call in the real kernel.
pub fn run_real(op: &Op) -> Seen {
    let mut held: Vec<Vec<u8>> = Vec::new();
    let mut tables: Vec<Vec<u64>> = Vec::new();
    let mut args = [0u64; 6];
    for (index, arg) in op.args.iter().enumerate() {
        let bytes = match arg {
            Int(value) => {
                args[index] = *value as u64;
                continue;
            }
            Null => continue,
            Val::Path(text) => [text.as_bytes(), &[0]].concat(),
            Data(bytes) => bytes.clone(),
            Out(len) => vec![0; *len],
            Vector(parts) => {
                let mut table = Vec::new();
                for part in parts {
                    held.push(part.clone());
                    table.push(held.last_mut().unwrap().as_mut_ptr() as u64);
                    table.push(part.len() as u64);
                }
                args[index] = table.as_ptr() as u64;
                tables.push(table);
                continue;
            }
        };
        held.push(bytes);
        args[index] = held.last_mut().unwrap().as_mut_ptr() as u64;
    }
    if let (13, [Int(signal), Int(what), Int(flags), Int(mask)]) = (op.nr, &op.args[..]) {
        return Seen {
            result: set_action(*signal, *what, *flags, *mask),
            buffers: Vec::new(),
            begun: take_begun(),
        };
    }
    let [a, b, c, d, e, f] = args;
    // SAFETY: the numbers are those of file system calls, and every address points at a buffer held
    // above that is as long as the call is told.
    let result = unsafe { libc::syscall(op.nr as i64, a, b, c, d, e, f) };
    let result = if result == -1 {
        -(std::io::Error::last_os_error().raw_os_error().unwrap() as i64)
    } else {
        result
    };
    Seen {
        result,
        buffers: held,
        begun: take_begun(),
    }
}

/// Leaves out of a result what cannot agree.
pub fn normalize(op: &Op, seen: &mut Seen, count_links: bool) {
    match op.nr {
        4..=6 | 262 => {
            let buffer = seen.buffers.last_mut().unwrap();
            let directory = buffer.len() == 144 && buffer[25] >> 4 == 4;
            for range in [0..16, 48..56, 56..72, 72..88, 88..104, 104..144] {
                if range != (48..56) || directory {
                    buffer[range].fill(0);
                }
            }
            if directory && !count_links {
                buffer[16..24].fill(0);
            }
        }
        217 if seen.result > 0 => {
            let listing = seen.buffers.pop().unwrap();
            let mut names = Vec::new();
            let mut at = 0;
            while at < seen.result as usize {
                let len = u16::from_le_bytes([listing[at + 16], listing[at + 17]]) as usize;
                let name: Vec<u8> = listing[at + 19..at + len]
                    .iter()
                    .copied()
                    .take_while(|&b| b != 0)
                    .collect();
                names.push([&[listing[at + 18]], &name[..]].concat());
                at += len;
            }
            names.sort();
            seen.buffers.extend(names);
            seen.result = 1;
        }
        // The end of a large directory's offsets shows in a read of it.
        0 | 17 | 19 if seen.result == -22 => seen.result = -21,
        _ => {}
    }
}
