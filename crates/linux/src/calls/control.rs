//! fcntl, ioctl, flock.

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::inode::{Ino, Kind, StreamKind};

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
            call.change().descriptors.get_mut(fd).flags = flags & !SETTABLE | wanted & SETTABLE;
            Ok(0.into())
        }
        // Locks: nobody else holds any.
        F_GETLK | F_OFD_GETLK => {
            let addr = call.arg(2, "an address");
            lock_type(call, fd, addr)?;
            call.write_int(addr, 2, 2)?;
            Ok(0.into())
        }
        F_SETLK | F_SETLKW | F_OFD_SETLK | F_OFD_SETLKW => {
            let addr = call.arg(2, "an address");
            let kind = lock_type(call, fd, addr)?;
            let description = call.world().descriptors.get(fd)?;
            if (kind == 0 && !description.readable()) || (kind == 1 && !description.writable()) {
                return Err(EBADF.into());
            }
            Ok(0.into())
        }
        F_SETOWN => Ok(0.into()),
        F_GETOWN => Ok(0.into()),
        F_SETPIPE_SZ if call.arg(2, "the size of a pipe") != PIPE_CAPACITY as u64 => {
            call.note_unmodelled("fcntl F_SETPIPE_SZ to another size than the usual one");
            Err(EBUSY.into())
        }
        F_GETPIPE_SZ | F_SETPIPE_SZ => match call.world().fs.get(ino).kind {
            Kind::Pipe(_) => Ok((PIPE_CAPACITY as u64).into()),
            _ => Err(EBADF.into()),
        },
        _ => {
            call.note_unmodelled(&format!("fcntl command {command}"));
            Err(EINVAL.into())
        }
    }
}

/// The `l_type` of a `struct flock`, checked.
fn lock_type(call: &mut Call<'_>, fd: i32, addr: u64) -> Result<u64, EarlyReturn> {
    call.world().descriptors.get(fd)?;
    match call.read_int(addr, 2, "a lock")? {
        kind @ 0..=2 => Ok(kind),
        _ => Err(EINVAL.into()),
    }
}

pub(crate) fn flock(call: &mut Call<'_>) -> CallResult {
    let (fd, operation) = (
        call.int(0, "a descriptor"),
        call.flags(1, "a lock operation"),
    );
    call.world().descriptors.get(fd)?;
    match operation & !4 {
        1 | 2 | 8 => Ok(0.into()),
        _ => Err(EINVAL.into()),
    }
}

fn is_terminal(call: &Call<'_>, ino: Ino) -> bool {
    matches!(&call.world().fs.get(ino).kind, Kind::Stream(stream) if stream.kind == StreamKind::Terminal)
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
            let available = match &call.world().fs.get(ino).kind {
                Kind::File(content) => content.size().wrapping_sub(description_offset(call, fd)?),
                Kind::Pipe(pipe) => pipe.len() as u64,
                Kind::Stream(stream) => stream.content.size().saturating_sub(stream.consumed),
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
