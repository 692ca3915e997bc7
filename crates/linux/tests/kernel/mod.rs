//! The world against the real kernel: the same random sequences of system calls, by the same
//! numbers, in a temporary directory and in a `World`; results, errors and buffers must agree.
//!
//! `POLYPATH_KERNEL=SEQUENCES` or `SEQUENCES:FIRST_SEED` says how many (400 if unset). A sequence that
//! disagrees is shrunk before it is shown. What cannot agree is not compared: inode numbers,
//! devices, times that were not set, sizes of directories.
//!
//! As root the test first locks itself up in a directory of its own (`chroot`), so that `/` and
//! `..` can be tried without harm, and it also runs as a user who is not root. Without such a cage
//! paths that lead up are left out.

use crate::common;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

use crate::common::{BASE, Mock, answer, concrete_world};
use polypath_linux::{self as linux, CallAnswer, Word, WorldConfig};
use testkit::Random as Rng;

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
enum Val {
    Int(i64),
    Path(String),
    Data(Vec<u8>),
    /// A buffer that the call fills.
    Out(usize),
    /// Buffers of a readv (lengths only) or writev.
    Vector(Vec<Vec<u8>>),
    Null,
}

use Val::{Data, Int, Null, Out, Vector};

#[derive(Clone, Debug)]
struct Op {
    nr: u64,
    args: Vec<Val>,
}

fn path(text: &str) -> Val {
    Val::Path(text.to_string())
}

/// Paths that sequences use; few, so that they meet.
const PATHS: &[&str] = &[
    "a", "b", "c", "d", "e", "d/a", "d/b", "d/e", "d/e/a", "e/a", "l", "m", "d/l", "./a", "a/",
    "d/", "e/", "l/", "a/b", "nope/x", ".", "./", "d/.", "", "l/a", "m/a", "fifo",
];

/// Paths that lead up, out of the directory that sequences run in.
const UPWARDS: &[&str] = &[
    "..",
    "../work/b",
    "d/..",
    "d/../..",
    "/",
    "//",
    "/base/work/a",
    "../../d",
    "/base",
];

const FLAGS: &[i64] = &[
    0, 0, 1, 2, 2, 0o101, 0o102, 0o102, 0o302, 0o1002, 0o1001, 0o1102, 0o2002, 0o2101, 0o200000,
    0o400000, 0o1000, 0o10000000,
];

fn any_path(rng: &mut Rng) -> Val {
    if rng.chance(1) {
        return path(&"n".repeat(rng.pick(&[255, 256, 5000])));
    }
    if caged() && rng.chance(15) {
        return path(rng.pick(UPWARDS));
    }
    path(rng.pick(PATHS))
}

/// Whether this process is locked up in a root directory of its own.
static CAGED: AtomicBool = AtomicBool::new(false);

fn caged() -> bool {
    CAGED.load(Ordering::Relaxed)
}

fn fd(rng: &mut Rng) -> Val {
    Int(if rng.chance(4) {
        rng.pick(&[-1, 77, 5000])
    } else {
        3 + rng.below(6) as i64
    })
}

fn dirfd(rng: &mut Rng) -> Val {
    if rng.chance(60) { Int(-100) } else { fd(rng) }
}

fn data(rng: &mut Rng) -> Vec<u8> {
    let len = rng.pick(&[0, 1, 3, 10, 10, 100, 5000]);
    (0..len).map(|_| b'a' + rng.below(26) as u8).collect()
}

fn mode(rng: &mut Rng) -> Val {
    Int(rng.pick(&[
        0o644, 0o600, 0o755, 0o700, 0o777, 0o444, 0o200, 0, 0o1777, 0o4755, 0o2775, 0o6711,
    ]))
}

fn size(rng: &mut Rng) -> Val {
    Int(rng.pick(&[0, 1, 5, 10, 100, 4096, 5000, 10000, -1]))
}

/// One random call.
fn op(rng: &mut Rng) -> Op {
    let mut list: Vec<(u64, u64, Vec<Val>)> = Vec::new();
    let mut add = |weight: u64, nr: u64, args: Vec<Val>| list.push((weight, nr, args));
    let r = rng;
    add(14, 2, vec![any_path(r), Int(r.pick(FLAGS)), mode(r)]);
    add(
        4,
        257,
        vec![dirfd(r), any_path(r), Int(r.pick(FLAGS)), mode(r)],
    );
    let len = r.pick(&[0, 1, 4, 10, 100, 6000]);
    add(6, 0, vec![fd(r), Out(len), Int(len as i64)]);
    add(3, 17, vec![fd(r), Out(len), Int(len as i64), size(r)]);
    let bytes = data(r);
    let count = Int(bytes.len() as i64);
    add(8, 1, vec![fd(r), Data(bytes.clone()), count.clone()]);
    add(3, 18, vec![fd(r), Data(bytes), count, size(r)]);
    let parts: Vec<Vec<u8>> = (0..r.below(4)).map(|_| data(r)).collect();
    let parts_len = Int(parts.len() as i64);
    add(2, 20, vec![fd(r), Vector(parts.clone()), parts_len.clone()]);
    add(2, 19, vec![fd(r), Vector(parts), parts_len]);
    add(
        5,
        8,
        vec![
            fd(r),
            Int(r.pick(&[0, 1, 5, -1, -5, 100, 5000])),
            Int(r.pick(&[0, 0, 1, 2, 2, 7])),
        ],
    );
    add(3, 77, vec![fd(r), size(r)]);
    add(2, 76, vec![any_path(r), size(r)]);
    add(3, 32, vec![fd(r)]);
    add(2, 33, vec![fd(r), fd(r)]);
    add(2, 292, vec![fd(r), fd(r), Int(r.pick(&[0, 0o2000000, 1]))]);
    add(7, 3, vec![fd(r)]);
    add(
        2,
        72,
        vec![
            fd(r),
            Int(r.pick(&[0, 1030])),
            Int(r.pick(&[0, 3, 6, -1, 99999])),
        ],
    );
    add(2, 72, vec![fd(r), Int(r.pick(&[1, 3]))]);
    add(1, 72, vec![fd(r), Int(2), Int(r.pick(&[0, 1]))]);
    add(
        2,
        72,
        vec![fd(r), Int(4), Int(r.pick(&[0, 0o2000, 0o4000, 0o6000]))],
    );
    add(6, 83, vec![any_path(r), mode(r)]);
    add(2, 258, vec![dirfd(r), any_path(r), mode(r)]);
    add(3, 84, vec![any_path(r)]);
    add(4, 87, vec![any_path(r)]);
    add(
        2,
        263,
        vec![dirfd(r), any_path(r), Int(r.pick(&[0, 0x200, 1]))],
    );
    add(5, 82, vec![any_path(r), any_path(r)]);
    add(
        3,
        316,
        vec![
            dirfd(r),
            any_path(r),
            dirfd(r),
            any_path(r),
            Int(r.pick(&[0, 1, 2, 2, 3])),
        ],
    );
    add(4, 86, vec![any_path(r), any_path(r)]);
    add(
        1,
        265,
        vec![
            dirfd(r),
            any_path(r),
            dirfd(r),
            any_path(r),
            Int(r.pick(&[0, 0x400, 0x100])),
        ],
    );
    add(5, 88, vec![any_path(r), any_path(r)]);
    add(
        4,
        89,
        vec![any_path(r), Out(40), Int(r.pick(&[40, 40, 3, 0]))],
    );
    add(1, 267, vec![dirfd(r), any_path(r), Out(40), Int(40)]);
    add(6, 4, vec![any_path(r), Out(144)]);
    add(4, 6, vec![any_path(r), Out(144)]);
    add(4, 5, vec![fd(r), Out(144)]);
    add(
        3,
        262,
        vec![
            dirfd(r),
            any_path(r),
            Out(144),
            Int(r.pick(&[0, 0x100, 0x1000, 0x2])),
        ],
    );
    add(4, 90, vec![any_path(r), mode(r)]);
    add(1, 91, vec![fd(r), mode(r)]);
    add(1, 268, vec![dirfd(r), any_path(r), mode(r)]);
    add(3, 80, vec![any_path(r)]);
    add(1, 81, vec![fd(r)]);
    add(
        4,
        21,
        vec![any_path(r), Int(r.pick(&[0, 4, 2, 1, 6, 7, 8]))],
    );
    add(
        1,
        439,
        vec![
            dirfd(r),
            any_path(r),
            Int(r.pick(&[0, 4, 2])),
            Int(r.pick(&[0, 0x200, 0x100])),
        ],
    );
    add(3, 217, vec![fd(r), Out(2000), Int(2000)]);
    add(2, 79, vec![Out(200), Int(r.pick(&[200, 200, 4]))]);
    add(2, 22, vec![Out(8)]);
    add(1, 293, vec![Out(8), Int(r.pick(&[0o4000, 0o2000000, 1]))]);
    add(1, 95, vec![mode(r)]);
    add(
        2,
        133,
        vec![
            any_path(r),
            Int(r.pick(&[0o644, 0o100600, 0o010644, 0o010644, 0o040755])),
            Int(0),
        ],
    );
    add(
        2,
        280,
        vec![dirfd(r), any_path(r), times(r), Int(r.pick(&[0, 0x100]))],
    );
    add(1, 280, vec![fd(r), Null, times(r), Int(0)]);
    add(
        2,
        94,
        vec![
            any_path(r),
            Int(r.pick(&[-1, 0, 1000])),
            Int(r.pick(&[-1, 0, 1000])),
        ],
    );
    add(1, 93, vec![fd(r), Int(r.pick(&[-1, 1000])), Int(-1)]);
    add(1, r.pick(&[74, 75, 306]), vec![fd(r)]);
    let operation = Int(r.pick(&[1, 2, 5, 6, 6, 8, 12, 3]));
    // Nobody would end a wait.
    let operation = if let Int(n @ (1 | 2)) = operation {
        Int(n | 4)
    } else {
        operation
    };
    add(5, 73, vec![fd(r), operation]);
    let command = r.pick(&[5, 6, 6, 36, 37, 37]);
    add(6, 72, vec![fd(r), Int(command), lock(r, command)]);
    let pid = std::process::id() as i64;
    let owner = r.pick(&[0, pid, 1 << 30, -(1 << 30)]);
    add(1, 72, vec![fd(r), Int(8), Int(owner)]);
    let kind = r.pick(&[0u32, 1, 2, 3]).to_le_bytes();
    let record = [kind, (owner as u32).to_le_bytes()].concat();
    add(1, 72, vec![fd(r), Int(15), Data(record)]);
    add(1, 72, vec![fd(r), Int(9)]);
    add(1, 72, vec![fd(r), Int(16), Out(8)]);
    add(1, 187, vec![fd(r), Int(0), size(r)]);
    add(
        1,
        277,
        vec![fd(r), size(r), size(r), Int(r.pick(&[0, 2, 7, 8]))],
    );
    let groups = r.pick(&[&[][..], &[7], &[1000, 3], &[5, 0, 1000]]);
    let record: Vec<u8> = groups.iter().flat_map(|g: &u32| g.to_le_bytes()).collect();
    add(1, 116, vec![Int(groups.len() as i64), Data(record)]);
    add(1, 115, vec![Int(r.pick(&[0, 1, 2, 10, -1])), Out(40)]);
    add(2, 7, vec![polls(r), Int(2), Int(0)]);
    add(1, 40, vec![fd(r), fd(r), Null, Int(r.pick(&[0, 5, 1000]))]);
    add(
        1,
        285,
        vec![
            fd(r),
            Int(0),
            Int(r.pick(&[0, 100])),
            Int(r.pick(&[0, 1, 5000])),
        ],
    );
    add(
        1,
        221,
        vec![fd(r), size(r), size(r), Int(r.pick(&[0, 2, 9]))],
    );
    add(1, 16, vec![fd(r), Int(0x5413), Out(8)]);
    add(1, 16, vec![fd(r), Int(0x541b), Out(4)]);
    let total: u64 = list.iter().map(|(weight, ..)| weight).sum();
    let mut at = r.below(total);
    for (weight, nr, args) in list {
        if at < weight {
            return Op { nr, args };
        }
        at -= weight;
    }
    unreachable!()
}

/// A `struct flock`.
fn lock(rng: &mut Rng, command: i64) -> Val {
    let mut record = vec![0; 32];
    let kinds: &[u16] = match command {
        5 => &[0, 1, 3],
        // Kernels of today answer a question about F_UNLCK.
        36 => &[0, 1],
        _ => &[0, 0, 1, 1, 2, 2, 3],
    };
    let kind = kinds[rng.below(kinds.len() as u64) as usize];
    let whence = rng.pick(&[0u16, 0, 0, 1, 2, 3]);
    let start = rng.pick(&[0i64, 0, 5, 10, 20, -5, i64::MAX]);
    let len = rng.pick(&[0i64, 1, 5, 10, 15, -5, i64::MAX]);
    record[0..2].copy_from_slice(&kind.to_le_bytes());
    record[2..4].copy_from_slice(&whence.to_le_bytes());
    record[8..16].copy_from_slice(&start.to_le_bytes());
    record[16..24].copy_from_slice(&len.to_le_bytes());
    record[24] = rng.chance(5) as u8;
    Data(record)
}

/// Signals of the sequences: ordinary ones, one that stands for a fault, ones that are ignored by default, and real-time ones.
const SIGNALS: &[i64] = &[1, 2, 8, 10, 12, 15, 17, 18, 31, 34, 35, 40];

/// A set of some of them.
fn signal_set(rng: &mut Rng) -> u64 {
    let bits = SIGNALS.iter().map(|&s| 1u64 << (s - 1));
    bits.filter(|_| rng.chance(60)).sum()
}

/// One random call about signals.
fn signal_op(rng: &mut Rng) -> Op {
    let set = Data(signal_set(rng).to_le_bytes().to_vec());
    let (signal, pid) = (Int(rng.pick(SIGNALS)), Int(std::process::id() as i64));
    let (nr, args) = match rng.below(20) {
        0..=3 => (14, vec![Int(rng.pick(&[0, 0, 1, 2])), set, Out(8), Int(8)]),
        4..=8 => (200, vec![pid, signal]),
        9..=13 => (62, vec![pid, signal]),
        14 => (234, vec![pid.clone(), pid, signal]),
        15 => (127, vec![Out(8), Int(rng.pick(&[8, 8, 4, 9]))]),
        16..=18 => (128, vec![set, Out(128), Data(vec![0; 16]), Int(8)]),
        _ => {
            let mask = Int((signal_set(rng) & signal_set(rng)) as i64);
            let flags = Int(rng.pick(&[0, 0, 0x4000_0000]));
            (13, vec![signal, Int(rng.pick(&[1, 2, 2, 2])), flags, mask])
        }
    };
    Op { nr, args }
}

/// Signals in the order in which their handlers began, in the real kernel.
static BEGUN: [AtomicI32; 256] = [const { AtomicI32::new(0) }; 256];
static BEGINNINGS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn handler(signal: i32) {
    let at = BEGINNINGS.fetch_add(1, Ordering::Relaxed);
    BEGUN[at % BEGUN.len()].store(signal, Ordering::Relaxed);
}

/// Sets the real action of a signal: 1 to ignore it, 2 to log it; 0 is the default.
fn set_action(signal: i64, what: i64, flags: i64, mask: i64) -> i64 {
    let action = match what {
        2 => handler as *const () as usize,
        what => what as usize,
    };
    // SAFETY: a valid action of a signal of this process, whose handler only stores to atomic variables.
    unsafe {
        let mut record: libc::sigaction = std::mem::zeroed();
        record.sa_sigaction = action;
        record.sa_flags = flags as i32;
        for signal in 1..=64 {
            if mask >> (signal - 1) & 1 != 0 {
                libc::sigaddset(&mut record.sa_mask, signal);
            }
        }
        libc::sigaction(signal as i32, &record, std::ptr::null_mut()) as i64
    }
}

/// Brings the signals of this process back: none is pending, blocked or handled.
fn forget_signals() {
    // Rust programs ignore it.
    const SIGPIPE: i64 = 13;
    _ = set_action(SIGPIPE, 1, 0, 0);
    SIGNALS.iter().for_each(|&s| _ = set_action(s, 1, 0, 0));
    let all = SIGNALS.iter().chain(&[SIGPIPE]);
    let all = all.fold(0u64, |set, s| set | 1 << (s - 1));
    // SAFETY: unblocks signals that are ignored.
    unsafe { libc::syscall(14, 1, &all, 0, 8) };
    SIGNALS.iter().for_each(|&s| _ = set_action(s, 0, 0, 0));
    BEGINNINGS.store(0, Ordering::Relaxed);
}

/// Runs the handlers that a model's answer asks for, as the machine does.
fn run_handlers(
    world: &mut linux::World,
    mut answer: CallAnswer,
    begun: &mut Vec<u8>,
) -> CallAnswer {
    let mut entered: Vec<linux::Delivery> = Vec::new();
    let mut result = None;
    loop {
        answer = match answer {
            CallAnswer::Deliver(delivery) => {
                result.get_or_insert(delivery.result);
                entered.push(delivery);
                world.next_delivery()
            }
            CallAnswer::Return(word) => match entered.pop() {
                Some(delivery) => {
                    begun.push(delivery.signal as u8);
                    world.handler_returned(&delivery)
                }
                None => return CallAnswer::Return(result.unwrap_or(word)),
            },
            other => return other,
        }
    }
}

fn times(rng: &mut Rng) -> Val {
    let mut record = Vec::new();
    for _ in 0..2 {
        let nanoseconds = rng.pick(&[0u64, 5, 0x3fff_fffe, 2_000_000_000]);
        record.extend((1000 + rng.below(1000)).to_le_bytes());
        record.extend(nanoseconds.to_le_bytes());
    }
    if rng.chance(20) { Null } else { Data(record) }
}

/// Two `struct pollfd`.
fn polls(rng: &mut Rng) -> Val {
    let mut record = Vec::new();
    for _ in 0..2 {
        record.extend((3 + rng.below(6) as i32).to_le_bytes());
        record.extend((rng.pick(&[1u16, 4, 5])).to_le_bytes());
        record.extend([0, 0]);
    }
    Data(record)
}

fn shown(args: &[Val]) -> String {
    let show = |arg: &Val| match arg {
        Int(value) => format!("{value} ({value:#o})"),
        Val::Path(text) if text.len() > 40 => format!("a path of {} bytes", text.len()),
        Val::Path(text) => format!("{text:?}"),
        Data(bytes) => format!(
            "{} bytes {:?}",
            bytes.len(),
            String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        ),
        Out(len) => format!("buffer of {len}"),
        Vector(parts) => format!(
            "vector of {:?}",
            parts.iter().map(Vec::len).collect::<Vec<_>>()
        ),
        Null => "null".to_string(),
    };
    args.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// What a call gave: its result, and the buffers it was passed.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    result: i64,
    buffers: Vec<Vec<u8>>,
    /// The signals whose handlers ran, in the order in which they began.
    begun: Vec<u8>,
}

/// Runs a call in the world; `None` when it would wait or is not modelled.
fn run_model(world: &mut linux::World, mock: &mut Mock, op: &Op) -> Option<Seen> {
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
fn run_real(op: &Op) -> Seen {
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

/// Takes the signals whose handlers have run since the last time.
fn take_begun() -> Vec<u8> {
    let count = BEGINNINGS.swap(0, Ordering::Relaxed);
    let begun = BEGUN[..count].iter();
    begun.map(|s| s.load(Ordering::Relaxed) as u8).collect()
}

/// Leaves out of a result what cannot agree.
fn normalize(op: &Op, seen: &mut Seen, count_links: bool) {
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

struct Bench {
    dir: PathBuf,
    config: WorldConfig,
    count_links: bool,
}

impl Bench {
    /// A fresh directory, entered, with only the standard descriptors open.
    fn enter(&self) {
        std::env::set_current_dir("/").unwrap();
        // SAFETY: changes this process alone.
        unsafe { libc::umask(0o022) };
        if caged() {
            clean(Path::new("/"));
            std::fs::create_dir_all("/base").unwrap();
            clean(Path::new("/base"));
        }
        remove(&self.dir);
        std::fs::create_dir(&self.dir).unwrap();
        std::os::unix::fs::chown(&self.dir, Some(self.config.uid), Some(self.config.gid)).unwrap();
        std::env::set_current_dir(&self.dir).unwrap();
    }

    /// Runs a sequence in both; where they first disagree.
    fn run(&self, ops: &[Op]) -> Result<usize, (usize, Seen, Seen)> {
        self.enter();
        let mut mock = Mock::new();
        let mut world = concrete_world(&mut mock, &self.config);
        // This process ignores SIGPIPE, as Rust programs do.
        let ignore = mock.place(
            0,
            &linux::Bytes::concrete([1u64, 0, 0, 0].map(u64::to_le_bytes).concat()),
        );
        assert_eq!(
            common::call(&mut world, &mut mock, 13, &[13, ignore, 0, 8]),
            0
        );
        // SAFETY: asks for an identity.
        let is_superuser = unsafe { libc::geteuid() } == 0;
        if is_superuser {
            // SAFETY: gives this process the groups that the world has.
            unsafe { libc::setgroups(1, &self.config.gid) };
        }
        // SAFETY: asks for an identity.
        let root = self.config.uid == 0 || unsafe { libc::geteuid() } != 0;
        if !root {
            // SAFETY: this process has one thread; the saved identity stays root.
            unsafe {
                assert_eq!(libc::setresgid(self.config.gid, self.config.gid, 0), 0);
                assert_eq!(libc::setresuid(self.config.uid, self.config.uid, 0), 0);
            }
        }
        let mut outcome = Ok(0);
        for (index, op) in ops.iter().enumerate() {
            let Some(mut model) = run_model(&mut world, &mut mock, op) else {
                continue;
            };
            let mut real = run_real(op);
            normalize(op, &mut model, self.count_links);
            normalize(op, &mut real, self.count_links);
            // The end of a directory is the file system's own.
            if op.nr == 8 && op.args[2] == Int(2) && model.result == -22 && real.result >= 0 {
                break;
            }
            if model != real {
                outcome = Err((index, model, real));
                break;
            }
            outcome = outcome.map(|n| n + 1);
        }
        forget_signals();
        // SAFETY: as above; closes what the sequence left open.
        unsafe {
            for fd in 3..2000 {
                libc::close(fd);
            }
            if !root {
                assert_eq!(libc::setresuid(0, 0, 0), 0);
                assert_eq!(libc::setresgid(0, 0, 0), 0);
            }
        }
        outcome
    }

    /// Shows a sequence that disagrees.
    fn explain(&self, seed: u64, ops: &[Op]) {
        println!("seed {seed} as user {} disagrees:", self.config.uid);
        for op in ops {
            println!("  {} {}", linux::syscall_name(op.nr), shown(&op.args));
        }
        if let Err((_, model, real)) = self.run(ops) {
            let text = |seen: &Seen| {
                let buffers: Vec<_> = seen
                    .buffers
                    .iter()
                    .map(|b| b[..b.len().min(64)].escape_ascii().to_string())
                    .collect();
                format!("{} {buffers:?} handlers {:?}", seen.result, seen.begun)
            };
            println!("  model {}\n  real  {}", text(&model), text(&real));
        }
    }

    /// Takes out calls as long as the sequence still disagrees.
    fn shrink(&self, mut ops: Vec<Op>) -> Vec<Op> {
        loop {
            let before = ops.len();
            let mut index = ops.len();
            while index > 0 {
                index -= 1;
                let mut fewer = ops.clone();
                fewer.remove(index);
                if self.run(&fewer).is_err() {
                    ops = fewer;
                }
            }
            if ops.len() == before {
                return ops;
            }
        }
    }
}

/// Brings a directory of the cage back to its first state.
fn clean(dir: &Path) {
    use std::os::unix::fs::{PermissionsExt, chown};
    std::fs::set_permissions(dir, PermissionsExt::from_mode(0o755)).unwrap();
    chown(dir, Some(0), Some(0)).unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if !FIXED.iter().any(|name| entry.file_name() == *name) {
            remove(&entry.path());
        }
    }
}

/// The directories of the cage's root.
const FIXED: &[&str] = &["dev", "etc", "home", "proc", "tmp", "base"];

/// Removes a tree whose directories may have lost their permissions.
fn remove(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(entries) = std::fs::symlink_metadata(dir) else {
        return;
    };
    if entries.is_dir() {
        let _ = std::fs::set_permissions(dir, PermissionsExt::from_mode(0o700));
        for entry in std::fs::read_dir(dir).unwrap() {
            remove(&entry.unwrap().path());
        }
        std::fs::remove_dir(dir).unwrap();
    } else {
        std::fs::remove_file(dir).unwrap();
    }
}

/// Whether directories of this file system count their subdirectories as links.
fn counts_links(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::create_dir(dir.join("probe")).unwrap();
    let links = std::fs::metadata(dir).unwrap().nlink();
    std::fs::remove_dir(dir.join("probe")).unwrap();
    links == std::fs::metadata(dir).unwrap().nlink() + 1
}

/// Makes `base` the root directory for good, with the names that the world's root has. Some
/// containers do not allow that even to root.
fn enter_cage(base: &Path) -> bool {
    if std::os::unix::fs::chroot(base).is_err() {
        return false;
    }
    std::env::set_current_dir("/").unwrap();
    for name in FIXED {
        std::fs::create_dir(Path::new("/").join(name)).unwrap();
    }
    CAGED.store(true, Ordering::Relaxed);
    true
}

/// What random sequences have found, by name.
fn regressions() -> Vec<(&'static str, Vec<Op>)> {
    let op = |nr: u64, args: &[Val]| Op {
        nr,
        args: args.to_vec(),
    };
    let own = Int(std::process::id() as i64);
    let set = |signal: u32| Data((1u64 << (signal - 1)).to_le_bytes().to_vec());
    let long = Val::Path("n".repeat(5000));
    let at = Int(-100);
    let bad_times = Data(
        [0u64, 2_000_000_000, 0, 0]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect(),
    );
    vec![
        (
            "a written pipe without a reader sends the thread a signal of its own",
            vec![
                op(13, &[Int(13), Int(2), Int(0), Int(0)]),
                op(14, &[Int(0), set(13), Null, Int(8)]),
                op(22, &[Out(8)]),
                op(3, &[Int(3)]),
                op(1, &[Int(4), Data(b"x".to_vec()), Int(1)]),
                op(62, &[own.clone(), Int(13)]),
                op(128, &[set(13), Out(128), Data(vec![0; 16]), Int(8)]),
                op(128, &[set(13), Out(128), Data(vec![0; 16]), Int(8)]),
                op(14, &[Int(1), set(13), Null, Int(8)]),
                op(13, &[Int(13), Int(1), Int(0), Int(0)]),
            ],
        ),
        (
            "calls that only check",
            [
                (162, vec![]),
                (273, vec![Null, Int(23)]),
                (145, vec![Int(-1)]),
                (145, vec![Int(0)]),
                (145, vec![Int(1 << 30)]),
                (151, vec![Int(0)]),
                (151, vec![Int(4)]),
                (151, vec![Int(8)]),
                (26, vec![Int(1), Int(1), Int(4)]),
                (26, vec![Int(4096), Int(1), Int(5)]),
                (26, vec![Int(4096), Int(1), Int(8)]),
                (26, vec![Int(4096), Int(1), Int(4)]),
                (26, vec![Int(4096), Int(-1), Int(4)]),
                (26, vec![Int(4096), Int(0), Int(4)]),
                (149, vec![Int(4096), Int(1)]),
                (149, vec![Int(4096), Int(-1)]),
                (149, vec![Int(4097), Int(0)]),
                (150, vec![Int(4096), Int(4096)]),
                (325, vec![Int(4096), Int(1), Int(2)]),
                (325, vec![Int(4096), Int(1), Int(1)]),
                (28, vec![Int(4096), Int(1), Int(0)]),
                (28, vec![Int(4096), Int(0), Int(0)]),
                (28, vec![Int(4096), Int(-1), Int(3)]),
                (28, vec![Int(4097), Int(0), Int(0)]),
                (28, vec![Int(4096), Int(0), Int(6)]),
                (61, vec![Int(-1), Null, Int(4), Null]),
                (61, vec![Int(-1), Null, Int(1), Null]),
                (61, vec![Int(i32::MIN as i64), Null, Int(0), Null]),
                (247, vec![Int(0), Int(0), Null, Int(4), Null]),
                (247, vec![Int(0), Int(0), Null, Int(1), Null]),
                (247, vec![Int(1), Int(0), Null, Int(4), Null]),
                (247, vec![Int(9), Int(0), Null, Int(4), Null]),
                (157, vec![Int(4), Int(5), Int(0), Int(0), Int(0)]),
                (157, vec![Int(38), Int(0), Int(0), Int(0), Int(0)]),
                (157, vec![Int(1), Int(65), Int(0), Int(0), Int(0)]),
                (227, vec![Int(1), Data(vec![0; 16])]),
                (227, vec![Int(0), Data(vec![0xff; 16])]),
                (230, vec![Int(3), Int(0), Data(vec![0; 16]), Null]),
                (230, vec![Int(4), Int(0), Data(vec![0; 16]), Null]),
                (166, vec![path("nope"), Int(0)]),
                (166, vec![path("."), Int(1 << 10)]),
                (161, vec![path("nope")]),
                (191, vec![path("nope"), path("user.a"), Null, Int(0)]),
                (193, vec![Int(77), path("user.a"), Null, Int(0)]),
                (326, vec![Int(77), Null, Int(78), Null, Int(1), Int(0)]),
                (62, vec![own.clone(), Int(65)]),
            ]
            .into_iter()
            .map(|(nr, args)| op(nr, &args))
            .collect(),
        ),
        (
            "the errors of a copy between files",
            vec![
                op(2, &[path("."), Int(0), Int(0)]),
                op(2, &[path("a"), Int(0o101), Int(0o644)]),
                op(22, &[Out(8)]),
                op(326, &[Int(3), Null, Int(4), Null, Int(1), Int(0)]),
                op(326, &[Int(5), Null, Int(4), Null, Int(1), Int(0)]),
                op(326, &[Int(4), Null, Int(4), Null, Int(1), Int(0)]),
                op(326, &[Int(4), Null, Int(4), Null, Int(1), Int(1)]),
            ],
        ),
        (
            "times are checked after the path",
            vec![op(280, &[at.clone(), path("nope"), bad_times, Int(0)])],
        ),
        (
            "F_GETFL tells O_LARGEFILE of what was opened, not of a pipe",
            vec![
                op(22, &[Out(8)]),
                op(2, &[path("."), Int(0), Int(0)]),
                op(72, &[Int(3), Int(3)]),
                op(72, &[Int(5), Int(3)]),
            ],
        ),
        (
            "a pipe has no offsets, whichever end",
            vec![
                op(22, &[Out(8)]),
                op(17, &[Int(4), Out(10), Int(10), Int(0)]),
                op(18, &[Int(3), Data(b"x".to_vec()), Int(1), Int(0)]),
                op(8, &[Int(3), Int(0), Int(7)]),
            ],
        ),
        (
            "O_CREAT and O_EXCL on a dot",
            vec![op(257, &[at.clone(), path("./"), Int(0o302), Int(0o777)])],
        ),
        (
            "an O_PATH descriptor is no open file",
            vec![
                op(2, &[path("."), Int(0o10000000), Int(0)]),
                op(74, &[Int(3)]),
                op(5, &[Int(3), Out(144)]),
                op(81, &[Int(3)]),
                op(77, &[Int(3), Int(0)]),
            ],
        ),
        (
            "errors of the second path come late",
            vec![
                op(82, &[path("nope/x"), long.clone()]),
                op(88, &[path(""), long.clone()]),
                op(
                    265,
                    &[at.clone(), long.clone(), at.clone(), path("a"), Int(0x100)],
                ),
                op(133, &[long.clone(), Int(0o040755), Int(0)]),
                op(21, &[long, Int(8)]),
            ],
        ),
        (
            "mkdir does not follow a link, slash or not",
            vec![
                op(88, &[path("e"), path("a")]),
                op(83, &[path("a/"), Int(0o777)]),
            ],
        ),
        (
            "open that may create rejects a slash, also one that a link brings",
            vec![
                op(88, &[path("a/"), path("a")]),
                op(2, &[path("a"), Int(0o101), Int(0o644)]),
                op(2, &[path("b/"), Int(0o101), Int(0o644)]),
            ],
        ),
        (
            "readlinkat of a descriptor",
            vec![
                op(267, &[Int(7), path(""), Out(40), Int(40)]),
                op(267, &[at.clone(), path(""), Out(40), Int(40)]),
            ],
        ),
        (
            "an empty readv on a directory",
            vec![
                op(2, &[path("."), Int(0), Int(0)]),
                op(19, &[Int(3), Vector(Vec::new()), Int(0)]),
            ],
        ),
        (
            "sendfile into a pipe that nobody reads",
            vec![
                op(22, &[Out(8)]),
                op(2, &[path("a"), Int(0o102), Int(0o644)]),
                op(3, &[Int(3)]),
                op(40, &[Int(4), Int(5), Null, Int(5)]),
                op(40, &[Int(4), Int(5), Null, Int(0)]),
            ],
        ),
    ]
}

/// How many sequences, and the first one's seed.
fn extent() -> (u64, u64) {
    let Ok(given) = std::env::var("POLYPATH_KERNEL") else {
        return (400, 1);
    };
    let (count, first) = given.split_once(':').unwrap_or((&given, "1"));
    let number = |text: &str| {
        text.parse().unwrap_or_else(|_| {
            panic!("POLYPATH_KERNEL={given}: SEQUENCES or SEQUENCES:FIRST_SEED")
        })
    };
    (number(count), number(first))
}

/// Names the directory of the process that does the work, in its environment.
const DIRECTORY: &str = "POLYPATH_KERNEL_DIRECTORY";

/// Does the work in a process of one thread: a signal that is sent to the process reaches any thread of it.
fn alone(work: impl FnOnce() -> u8) -> i32 {
    // SAFETY: the harness's other thread waits and holds no lock that the copy needs; the copy ends here.
    unsafe {
        match libc::fork() {
            0 => std::process::exit(work().into()),
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &mut status, 0), child);
                if libc::WIFEXITED(status) {
                    libc::WEXITSTATUS(status)
                } else {
                    1
                }
            }
        }
    }
}

/// The work is done by a process of its own, this binary again: it changes the directory, the limits and the descriptors
/// of the whole process, and a cage cannot be left. This one tidies up.
#[test]
fn the_world_and_the_kernel_agree() {
    if let Some(outside) = std::env::var_os(DIRECTORY) {
        std::process::exit(alone(|| compare(Path::new(&outside))));
    }
    let outside = std::env::temp_dir().join(format!("polypath-kernel-{}", std::process::id()));
    std::fs::create_dir(&outside).unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kernel::the_world_and_the_kernel_agree"])
        .args(["--nocapture", "--test-threads=1"])
        .env(DIRECTORY, &outside)
        .output();
    remove(&outside);
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{}: {said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    // Not done by a harness that found no such test.
    assert!(said.contains("agree with the real kernel"), "{said}");
}

/// Compares in a directory, and says what came of it; the exit status.
fn compare(outside: &Path) -> u8 {
    let (sequences, first) = extent();
    // SAFETY: asks for identities.
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    let dir = if uid == 0 && enter_cage(outside) {
        PathBuf::from("/base/work")
    } else {
        outside.join("work")
    };
    let users = match uid {
        0 => vec![(0, 0), (1000, 1000)],
        _ => vec![(uid, gid)],
    };
    let limit = libc::rlimit {
        rlim_cur: 1024,
        rlim_max: 1024,
    };
    // SAFETY: lowers a limit of this process to the world's.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
    // SAFETY: closes what was inherited.
    (3..1024).for_each(|fd| unsafe { _ = libc::close(fd) });
    let count_links = counts_links(dir.parent().unwrap());
    let mut failed = false;
    let mut compared = 0;
    for (uid, gid) in users {
        let cwd = dir.to_str().unwrap().to_string();
        let config = WorldConfig {
            uid,
            gid,
            cwd,
            umask: 0o022,
            pid: std::process::id(),
            ..WorldConfig::default()
        };
        let bench = Bench {
            dir: dir.clone(),
            config,
            count_links,
        };
        for (name, ops) in regressions() {
            if let Err((index, model, real)) = bench.run(&ops) {
                println!(
                    "regression as user {uid}: {name}: call {index}: model {model:?}, real {real:?}"
                );
                failed = true;
            }
        }
        for seed in first..first + sequences {
            let mut rng = Rng::new(seed);
            // Every fifth sequence is about signals.
            let make = if seed % 5 == 0 { signal_op } else { op };
            let mut ops: Vec<Op> = (0..60).map(|_| make(&mut rng)).collect();
            if seed % 5 == 0 {
                let handled = |&s: &i64| {
                    let args = vec![Int(s), Int(2), Int(0), Int(0)];
                    Op { nr: 13, args }
                };
                ops.splice(0..0, SIGNALS.iter().map(handled));
            }
            // Offsets in directories differ: a sequence either seeks or lists.
            let left_out = if seed % 2 == 0 { 8 } else { 217 };
            ops.retain(|op| op.nr != left_out);
            match bench.run(&ops) {
                Ok(count) => compared += count,
                Err((index, ..)) => {
                    bench.explain(seed, &bench.shrink(ops[..=index].to_vec()));
                    failed = true;
                    break;
                }
            }
        }
    }
    if failed {
        println!("kernel: the world and the kernel disagree")
    } else {
        println!("kernel: {compared} calls agree with the real kernel")
    }
    failed.into()
}
