//! Signals: random calls about them, and what their handlers do in the real kernel and in the world.

use super::calls::Op;
use super::calls::Val::{Data, Int, Out};
use polypath_linux::{self as linux, CallAnswer};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use testkit::Random as Rng;

/// Signals of the sequences: ordinary ones, one that stands for a fault, ones that are ignored by default, and real-time ones.
pub const SIGNALS: &[i64] = &[1, 2, 8, 10, 12, 15, 17, 18, 31, 34, 35, 40];

/// A set of some of them.
pub fn signal_set(rng: &mut Rng) -> u64 {
    let bits = SIGNALS.iter().map(|&s| 1u64 << (s - 1));
    bits.filter(|_| rng.chance(60)).sum()
}

/// One random call about signals.
pub fn signal_op(rng: &mut Rng) -> Op {
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
pub static BEGUN: [AtomicI32; 256] = [const { AtomicI32::new(0) }; 256];
pub static BEGINNINGS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn handler(signal: i32) {
    let at = BEGINNINGS.fetch_add(1, Ordering::Relaxed);
    BEGUN[at % BEGUN.len()].store(signal, Ordering::Relaxed);
}

/// Sets the real action of a signal: 1 to ignore it, 2 to log it; 0 is the default.
pub fn set_action(signal: i64, what: i64, flags: i64, mask: i64) -> i64 {
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
pub fn forget_signals() {
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
pub fn run_handlers(
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

/// Takes the signals whose handlers have run since the last time.
pub fn take_begun() -> Vec<u8> {
    let count = BEGINNINGS.swap(0, Ordering::Relaxed);
    let begun = BEGUN[..count].iter();
    begun.map(|s| s.load(Ordering::Relaxed) as u8).collect()
}
