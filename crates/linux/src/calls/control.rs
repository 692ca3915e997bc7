//! fcntl, ioctl, flock.

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::inode::{Ino, InodeKind, StreamKind};
use crate::locks::{OFFSET_MAX, Owner, Range};
use crate::state::{CallAnswer, Met};

const TCGETS: u32 = 0x5401;
const TCSETS: u32 = 0x5402;
const TCSETSF: u32 = 0x5404;
const TIOCGPGRP: u32 = 0x540f;
const TIOCGWINSZ: u32 = 0x5413;
const TIOCSWINSZ: u32 = 0x5414;
const FIONREAD: u32 = 0x541b;
const FIONBIO: u32 = 0x5421;
const FIONCLEX: u32 = 0x5450;
const FIOCLEX: u32 = 0x5451;
/// Sharing of blocks between files, which this file system does not do.
const FICLONE: u32 = 0x4004_9409;
const FICLONERANGE: u32 = 0x4020_940d;
/// Requests that only terminals (and serial lines) know.
const TERMINAL: std::ops::RangeInclusive<u32> = 0x5401..=0x544f;
const O_ASYNC: u32 = 0x2000;

pub(crate) fn fcntl(call: &mut Call<'_>) -> CallResult {
    let (fd, command) = (
        call.int(0, "a descriptor"),
        call.flags(1, "a command of fcntl"),
    );
    let description = call.world().descriptors.get_any(fd)?;
    let (ino, flags) = (description.ino, description.flags);
    let path_only = flags & O_PATH != 0;
    match command {
        F_DUPFD | F_DUPFD_CLOEXEC => {
            let least = call.arg(2, "a descriptor") as i32;
            if least < 0 || least as usize >= call.world().process.descriptor_limit() {
                return Err(EINVAL.into());
            }
            let new = call.free_descriptor(least as usize)?;
            call.change()
                .descriptors
                .duplicate(fd, new, command == F_DUPFD_CLOEXEC);
            Ok((new as u64).into())
        }
        F_GETFD => Ok((call.world().descriptors.close_on_exec(fd)? as u64).into()),
        F_SETFD => {
            let on = call.arg(2, "descriptor flags") & 1 != 0;
            call.change().descriptors.set_close_on_exec(fd, on);
            Ok(0.into())
        }
        F_GETFL => Ok((flags as u64).into()),
        _ if path_only => Err(EBADF.into()),
        F_SETFL => {
            const SETTABLE: u32 = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;
            let wanted = call.flags(2, "status flags");
            if wanted & O_ASYNC != 0 {
                call.note_unmodelled("O_ASYNC (a signal when there is input)");
            }
            if wanted & !flags & O_DIRECT != 0 {
                call.refuse_direct(ino)?;
            }
            call.change().descriptors.get_mut(fd).flags = flags & !SETTABLE | wanted & SETTABLE;
            Ok(0.into())
        }
        F_GETLK | F_OFD_GETLK => get_lock(call, fd, command == F_OFD_GETLK),
        F_SETLK | F_OFD_SETLK => set_lock(call, fd, command == F_OFD_SETLK, false),
        F_SETLKW | F_OFD_SETLKW => set_lock(call, fd, command == F_OFD_SETLKW, true),
        F_SETOWN => {
            let who = call.int(2, "a process number");
            let (kind, id) = if who < 0 {
                (OWNER_GROUP, who.checked_neg().ok_or(EINVAL)?)
            } else {
                (OWNER_PROCESS, who)
            };
            set_owner(call, fd, kind, id)
        }
        F_GETOWN => Ok(match description.signals_to {
            (OWNER_GROUP, id) => (-id as i64 as u64).into(),
            (_, id) => (id as u64).into(),
        }),
        F_SETOWN_EX => {
            let addr = call.arg(2, "an address");
            let kind = call.read_int(addr, 4, "the kind of an owner")? as i32;
            let id = call.read_int(addr + 4, 4, "a process number")? as i32;
            if !(0..=OWNER_GROUP).contains(&kind) {
                return Err(EINVAL.into());
            }
            set_owner(call, fd, kind, id)
        }
        F_GETOWN_EX => {
            let (kind, id) = description.signals_to;
            let addr = call.arg(2, "an address");
            let mut record = Bytes::zeros(8);
            // A description without an owner has one of no process.
            let kind = if id == 0 { OWNER_THREAD } else { kind };
            record.put_int(0, 4, kind as u64);
            record.put_int(4, 4, id as u64);
            call.cx.write(addr, &record)?;
            Ok(0.into())
        }
        F_SETPIPE_SZ if call.arg(2, "the size of a pipe") != PIPE_CAPACITY as u64 => {
            call.note_unmodelled("fcntl F_SETPIPE_SZ to another size than the usual one");
            Err(EBUSY.into())
        }
        F_GETPIPE_SZ | F_SETPIPE_SZ => match call.world().fs.get(ino).kind {
            InodeKind::Pipe(_) => Ok((PIPE_CAPACITY as u64).into()),
            _ => Err(EBADF.into()),
        },
        _ => {
            call.note_unmodelled(&format!("fcntl command {command}"));
            Err(EINVAL.into())
        }
    }
}

/// Whom an owner of F_SETOWN_EX stands for.
const OWNER_THREAD: i32 = 0;
const OWNER_PROCESS: i32 = 1;
const OWNER_GROUP: i32 = 2;

/// Keeps the receiver of a description's signals: none is ever sent, since O_ASYNC is refused.
fn set_owner(call: &mut Call<'_>, fd: i32, kind: i32, id: i32) -> CallResult {
    let own = call.world().process.pid as i32;
    let exists = [0, own].contains(&id) || (kind == OWNER_PROCESS && [1, own - 1].contains(&id));
    if !exists {
        return Err(ESRCH.into());
    }
    call.change().descriptors.get_mut(fd).signals_to = (kind, id);
    Ok(0.into())
}

/// F_RDLCK, F_WRLCK and F_UNLCK.
const LOCK_READ: i16 = 0;
const LOCK_WRITE: i16 = 1;
const LOCK_NONE: i16 = 2;

/// A `struct flock`: its type, the bytes that it means, and the number of a process.
fn read_lock(
    call: &mut Call<'_>,
    fd: i32,
    is_question: bool,
) -> Result<(i16, Range, i32), EarlyReturn> {
    let addr = call.arg(2, "an address");
    call.cx.read(addr, 32)?;
    let kind = call.read_int(addr, 2, "a lock")? as i16;
    if is_question && !(LOCK_READ..=LOCK_WRITE).contains(&kind) {
        return Err(EINVAL.into());
    }
    let whence = call.read_int(addr + 2, 2, "a lock")? as i16;
    let start = call.read_int(addr + 8, 8, "a lock")? as i64;
    let len = call.read_int(addr + 16, 8, "a lock")? as i64;
    let pid = call.read_int(addr + 24, 4, "a lock")? as i32;
    let description = call.world().descriptors.get(fd)?;
    let (ino, offset) = (description.ino, description.offset);
    let base = match whence {
        0 => 0,
        1 => offset as i64,
        2 => {
            let size = call.settle_size(ino);
            size.unwrap_or_else(|| call.world().fs.get(ino).size()) as i64
        }
        _ => return Err(EINVAL.into()),
    };
    let start = base.checked_add(start).ok_or(EOVERFLOW)?;
    if start < 0 {
        return Err(EINVAL.into());
    }
    let (start, end) = match len {
        0 => (start, OFFSET_MAX as i64),
        1.. => (start, start.checked_add(len - 1).ok_or(EOVERFLOW)?),
        _ if start + len < 0 => return Err(EINVAL.into()),
        _ => (start + len, start - 1),
    };
    if !(LOCK_READ..=LOCK_NONE).contains(&kind) {
        return Err(EINVAL.into());
    }
    let range = Range {
        start: start as u64,
        end: end as u64,
        exclusive: kind == LOCK_WRITE,
    };
    Ok((kind, range, pid))
}

/// The owner of a lock by a descriptor: its description (F_OFD_SETLK), or the process.
fn lock_owner(call: &Call<'_>, fd: i32, of_description: bool) -> Result<Owner, EarlyReturn> {
    Ok(if of_description {
        Owner::Description(call.world().descriptors.identity(fd)?)
    } else {
        Owner::Process
    })
}

fn get_lock(call: &mut Call<'_>, fd: i32, of_description: bool) -> CallResult {
    let (_, range, pid) = read_lock(call, fd, true)?;
    if of_description && pid != 0 {
        return Err(EINVAL.into());
    }
    let (addr, owner) = (
        call.arg(2, "an address"),
        lock_owner(call, fd, of_description)?,
    );
    let descriptors = &call.world().descriptors;
    let ino = descriptors.get(fd)?.ino;
    let Some((holder, held)) = descriptors.locks.conflict(ino, owner, &range) else {
        call.write_int(addr, 2, LOCK_NONE as u64)?;
        return Ok(0.into());
    };
    let pid = match holder {
        Owner::Process => call.world().process.pid,
        Owner::Description(_) => u32::MAX,
    };
    let len = if held.end == OFFSET_MAX {
        0
    } else {
        held.end - held.start + 1
    };
    let kind = if held.exclusive {
        LOCK_WRITE
    } else {
        LOCK_READ
    };
    let mut record = Bytes::zeros(28);
    record.put_int(0, 2, kind as u64);
    record.put_int(8, 8, held.start);
    record.put_int(16, 8, len);
    record.put_int(24, 4, pid as u64);
    call.cx.write(addr, &record.slice(0..4))?;
    call.cx.write(addr + 8, &record.slice(8..28))?;
    Ok(0.into())
}

fn set_lock(call: &mut Call<'_>, fd: i32, of_description: bool, wait: bool) -> CallResult {
    let (kind, range, pid) = read_lock(call, fd, false)?;
    let description = call.world().descriptors.get(fd)?;
    let ino = description.ino;
    if (kind == LOCK_READ && !description.readable())
        || (kind == LOCK_WRITE && !description.writable())
    {
        return Err(EBADF.into());
    }
    if of_description && pid != 0 {
        return Err(EINVAL.into());
    }
    let owner = lock_owner(call, fd, of_description)?;
    let (lock, locks) = (kind != LOCK_NONE, &call.world().descriptors.locks);
    if lock && locks.conflict(ino, owner, &range).is_some() {
        return Err(in_the_way(wait));
    }
    let locks = &mut call.change().descriptors.locks;
    locks.set(ino, owner, range, lock);
    Ok(0.into())
}

/// Another lock, which only the program itself can hold, is in the way.
fn in_the_way(wait: bool) -> EarlyReturn {
    if wait {
        CallAnswer::Block("waits for a lock that only the program itself could release".into())
            .into()
    } else {
        EAGAIN.into()
    }
}

pub(crate) fn flock(call: &mut Call<'_>) -> CallResult {
    const SHARED: u32 = 1;
    const EXCLUSIVE: u32 = 2;
    const NO_WAIT: u32 = 4;
    const UNLOCK: u32 = 8;
    let (fd, operation) = (
        call.int(0, "a descriptor"),
        call.flags(1, "a lock operation"),
    );
    let exclusive = match operation & !NO_WAIT {
        SHARED => Some(false),
        EXCLUSIVE => Some(true),
        UNLOCK => None,
        _ => return Err(EINVAL.into()),
    };
    let ino = call.world().descriptors.get(fd)?.ino;
    let descriptors = &mut call.change().descriptors;
    let by = descriptors.identity(fd)?;
    if descriptors.locks.lock_whole(by, ino, exclusive) {
        Ok(0.into())
    } else {
        Err(in_the_way(operation & NO_WAIT == 0))
    }
}

fn is_terminal(call: &Call<'_>, ino: Ino) -> bool {
    matches!(&call.world().fs.get(ino).kind, InodeKind::Stream(stream) if stream.kind == StreamKind::Terminal)
}

pub(crate) fn ioctl(call: &mut Call<'_>) -> CallResult {
    let (fd, request) = (
        call.int(0, "a descriptor"),
        call.flags(1, "a request of ioctl"),
    );
    let addr = call.arg(2, "the argument of ioctl");
    let description = call.world().descriptors.get(fd)?;
    let (ino, flags) = (description.ino, description.flags);
    match request {
        FIOCLEX | FIONCLEX => {
            call.change()
                .descriptors
                .set_close_on_exec(fd, request == FIOCLEX);
            return Ok(0.into());
        }
        FIONBIO => {
            let on = call.read_int(addr, 4, "a switch")? != 0;
            let description = call.change().descriptors.get_mut(fd);
            description.flags = flags & !O_NONBLOCK | if on { O_NONBLOCK } else { 0 };
            return Ok(0.into());
        }
        FIONREAD => {
            call.settle_size(ino);
            call.apply_settled();
            call.remark_size(ino, Met::Size);
            let available = match &call.world().fs.get(ino).kind {
                InodeKind::File(content) => {
                    content.size().wrapping_sub(description_offset(call, fd)?)
                }
                InodeKind::Pipe(pipe) => pipe.len() as u64,
                InodeKind::Stream(stream) => stream.content.size().saturating_sub(stream.consumed),
                _ => return Err(ENOTTY.into()),
            };
            call.write_int(addr, 4, available)?;
            return Ok(0.into());
        }
        _ => {}
    }
    if matches!(request, FICLONE | FICLONERANGE) {
        return Err(EOPNOTSUPP.into());
    }
    if !is_terminal(call, ino) {
        if !TERMINAL.contains(&request) {
            call.note_unmodelled(&format!("ioctl request {request:#x}"));
        }
        return Err(ENOTTY.into());
    }
    match request {
        TCGETS => {
            call.cx.write(addr, &raw_terminal())?;
            Ok(0.into())
        }
        TCSETS..=TCSETSF => {
            let raw = raw_terminal();
            let wanted = call.cx.read(addr, raw.len() as u64)?;
            if wanted.as_concrete().is_none() || wanted.as_concrete() != raw.as_concrete() {
                call.note_unmodelled("settings of a terminal, which are not kept");
            }
            Ok(0.into())
        }
        TIOCSWINSZ => {
            call.note_unmodelled("the size of a terminal, which is not kept");
            Ok(0.into())
        }
        TIOCGWINSZ => {
            let mut size = Bytes::zeros(8);
            size.put_int(0, 2, 24);
            size.put_int(2, 2, 80);
            call.cx.write(addr, &size)?;
            Ok(0.into())
        }
        TIOCGPGRP => {
            let pid = call.world().process.pid as u64;
            call.write_int(addr, 4, pid)?;
            Ok(0.into())
        }
        _ => {
            call.note_unmodelled(&format!("ioctl request {request:#x} on a terminal"));
            Err(ENOTTY.into())
        }
    }
}

fn description_offset(call: &Call<'_>, fd: i32) -> Result<u64, EarlyReturn> {
    Ok(call.world().descriptors.get(fd)?.offset)
}

/// `struct termios` of a terminal that passes bytes unchanged.
fn raw_terminal() -> Bytes {
    let mut record = Bytes::zeros(36);
    // c_cflag: 38400 baud, 8 bits, receiver on.
    record.put_int(8, 4, 0xbf);
    record
}
