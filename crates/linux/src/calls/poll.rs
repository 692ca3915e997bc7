//! Waiting for descriptors: poll, ppoll, select, pselect6.
//!
//! Files, devices and the standard streams are always ready; a pipe by its state. When nothing is
//! ready, only time or a timer's signal can end the wait.

use crate::abi::*;
use crate::bytes::{Bytes, Word};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::inode::{InodeKind, StreamFile, StreamKind};
use crate::output::Stream;
use crate::signals::interrupted_under_mask;
use crate::state::CallAnswer;

const POLLIN: u16 = 1;
const POLLOUT: u16 = 4;
const POLLERR: u16 = 8;
const POLLHUP: u16 = 16;
const POLLNVAL: u16 = 32;
const READ: u16 = POLLIN | 0x40;
const WRITE: u16 = POLLOUT | 0x100;

/// Whether one of these descriptors is a standard input that is a pipe with nothing left in it; asks where its size is open.
fn is_drained(call: &mut Call<'_>, mut fds: impl Iterator<Item = i32>) -> bool {
    let world = call.world();
    let found = fds.find_map(|fd| {
        let inode = world.fs.get(world.descriptors.get(fd).ok()?.ino);
        match &inode.kind {
            InodeKind::Stream(s) if is_piped_input(s) => {
                Some((inode.open_size.get(), s.consumed >= s.content.size()))
            }
            _ => None,
        }
    });
    match found {
        // What was read from would have a size.
        Some((Word::Symbolic(size), _)) => {
            let pool = call.cx.pool();
            let none = pool.bv(64, 0);
            let is_empty = pool.eq(size, none);
            call.ask(is_empty)
        }
        Some((Word::Concrete(_), is_at_end)) => is_at_end,
        None => false,
    }
}

fn is_piped_input(stream: &StreamFile) -> bool {
    stream.stream == Stream::Stdin && stream.kind == StreamKind::Pipe
}

/// The events that hold for a descriptor now. `is_drained`: nothing is left of a standard input that is a pipe.
fn ready(call: &Call<'_>, fd: i32, is_drained: bool) -> u16 {
    let world = call.world();
    let Ok(description) = world.descriptors.get(fd) else {
        return POLLNVAL;
    };
    let ends = |writers| world.descriptors.ends(description.ino, writers);
    match &world.fs.get(description.ino).kind {
        InodeKind::Pipe(pipe) => {
            let mut events = 0;
            if description.readable() {
                events |= if pipe.len() > 0 { READ } else { 0 };
                events |= if ends(true) == 0 { POLLHUP } else { 0 };
            }
            if description.writable() {
                events |= if PIPE_CAPACITY - pipe.len() >= PIPE_BUF {
                    WRITE
                } else {
                    0
                };
                events |= if ends(false) == 0 { POLLERR } else { 0 };
            }
            events
        }
        // Who has written to it is gone.
        InodeKind::Stream(stream) if is_piped_input(stream) => {
            POLLHUP | if is_drained { 0 } else { READ }
        }
        InodeKind::Stream(stream) if stream.stream == Stream::Stdin => READ,
        InodeKind::Stream(_) => WRITE,
        _ => READ | WRITE,
    }
}

/// Waits until `count` gives more than zero or the time is over; the last count.
fn wait(
    call: &mut Call<'_>,
    timeout: Option<u64>,
    name: &str,
    count: impl Fn(&Call<'_>) -> u64,
) -> Result<u64, EarlyReturn> {
    let number = count(call);
    if number > 0 {
        return Ok(number);
    }
    if call.world().signals.any_deliverable() {
        return Err(EINTR.into());
    }
    if timeout == Some(0) {
        return Ok(0);
    }
    match timeout {
        Some(nanoseconds) => {
            call.sleep(nanoseconds);
        }
        None if call.sleep_to_timer() => {}
        None => {
            return Err(CallAnswer::Block(format!("{name} waits for what never happens")).into());
        }
    }
    if call.world().signals.any_deliverable() {
        return Err(EINTR.into());
    }
    match timeout {
        Some(_) => Ok(0),
        None => Err(CallAnswer::Block(format!("{name} waits for what never happens")).into()),
    }
}

fn poll_for(call: &mut Call<'_>, timeout: Option<u64>) -> CallResult {
    let (addr, count) = (
        call.arg(0, "an address"),
        call.arg(1, "a number of descriptors") & 0xffff_ffff,
    );
    if count > call.world().process.descriptor_limit() as u64 {
        return Err(EINVAL.into());
    }
    let mut entries = Vec::new();
    for i in 0..count {
        let fd = call.read_int(addr + 8 * i, 4, "a descriptor")? as i32;
        let events = call.read_int(addr + 8 * i + 4, 2, "the events of a poll")? as u16;
        entries.push((fd, events | POLLERR | POLLHUP | POLLNVAL));
    }
    let is_drained = is_drained(call, entries.iter().map(|&(fd, _)| fd));
    let found = |call: &Call<'_>, (fd, events): (i32, u16)| {
        if fd < 0 {
            0
        } else {
            ready(call, fd, is_drained) & events
        }
    };
    let all = entries.clone();
    let number = wait(call, timeout, "poll", |call| {
        all.iter().filter(|&&entry| found(call, entry) != 0).count() as u64
    })?;
    for (i, &entry) in entries.iter().enumerate() {
        let events = found(call, entry) as u64;
        call.write_int(addr + 8 * i as u64 + 6, 2, events)?;
    }
    Ok(number.into())
}

pub(crate) fn poll(call: &mut Call<'_>) -> CallResult {
    let timeout = call.int(2, "a timeout");
    poll_for(call, u64::try_from(timeout).ok().map(|ms| ms * 1_000_000))
}

pub(crate) fn ppoll(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(2, "an address");
    let timeout = if addr == 0 {
        None
    } else {
        Some(call.read_duration(addr)?)
    };
    let mask = call.arg(3, "an address");
    if mask != 0 && call.arg(4, "the size of a signal set") != 8 {
        return Err(EINVAL.into());
    }
    under_mask(call, mask, |call| poll_for(call, timeout))
}

/// Waits while the signal mask is another one, if there is one at the address. A handler that ends the wait runs under it,
/// and the old one returns with the handler.
fn under_mask(
    call: &mut Call<'_>,
    addr: u64,
    wait: impl FnOnce(&mut Call<'_>) -> CallResult,
) -> CallResult {
    if addr == 0 {
        return wait(call);
    }
    let mask = call.read_int(addr, 8, "a signal set")?;
    let saved = call.world().signals.mask();
    call.change().signals.set_mask(mask);
    let answer = wait(call);
    if !matches!(answer, Err(EarlyReturn::Errno(EINTR))) {
        call.change().signals.set_mask(saved);
        return answer;
    }
    Err(interrupted_under_mask(call, saved))
}

fn select_for(call: &mut Call<'_>, timeout: Option<u64>) -> CallResult {
    let count = call.int(0, "a number of descriptors");
    if count < 0 {
        return Err(EINVAL.into());
    }
    let count = count.min(DESCRIPTORS_MAX as i32);
    // POLLIN_SET, POLLOUT_SET and POLLEX_SET of the kernel.
    let kinds = [READ | POLLHUP | POLLERR, WRITE | POLLERR, 2];
    let size = (count as u64).div_ceil(64) * 8;
    let mut sets = Vec::new();
    for i in 0..3 {
        let addr = call.arg(i + 1, "an address");
        let mut wanted = Vec::new();
        if addr != 0 {
            for word in 0..size / 8 {
                let bits = call.read_int(addr + 8 * word, 8, "a set of descriptors")?;
                wanted.extend(
                    (0..64)
                        .filter(|b| bits >> b & 1 != 0)
                        .map(|b| (64 * word + b) as i32)
                        .filter(|&fd| fd < count),
                );
            }
        }
        for &fd in &wanted {
            call.world().descriptors.get(fd)?;
        }
        sets.push((addr, wanted));
    }
    let is_drained = is_drained(call, sets.iter().flat_map(|(_, fds)| fds.iter().copied()));
    let hits = |call: &Call<'_>, i: usize, fds: &[i32]| -> Vec<i32> {
        fds.iter()
            .copied()
            .filter(|&fd| ready(call, fd, is_drained) & kinds[i] != 0)
            .collect()
    };
    let number = wait(call, timeout, "select", |call| {
        sets.iter()
            .enumerate()
            .map(|(i, (_, fds))| hits(call, i, fds).len() as u64)
            .sum()
    })?;
    for (i, (addr, fds)) in sets.iter().enumerate() {
        if *addr != 0 && size > 0 {
            let mut set = vec![0u8; size as usize];
            for fd in hits(call, i, fds) {
                set[fd as usize / 8] |= 1 << (fd % 8);
            }
            call.cx.write(*addr, &Bytes::concrete(set))?;
        }
    }
    Ok(number.into())
}

pub(crate) fn select(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(4, "an address");
    let timeout = if addr == 0 {
        None
    } else {
        Some(call.read_timeval(addr)?)
    };
    select_for(call, timeout)
}

pub(crate) fn pselect6(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(4, "an address");
    let timeout = if addr == 0 {
        None
    } else {
        Some(call.read_duration(addr)?)
    };
    let pair = call.arg(5, "an address");
    let mut mask = 0;
    if pair != 0 {
        mask = call.read_int(pair, 8, "an address")?;
        if mask != 0 && call.read_int(pair + 8, 8, "the size of a signal set")? != 8 {
            return Err(EINVAL.into());
        }
    }
    under_mask(call, mask, |call| select_for(call, timeout))
}
