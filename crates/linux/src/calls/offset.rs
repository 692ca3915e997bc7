//! Offsets and copies: lseek, sendfile, copy_file_range, and advice about a file's use.

use crate::abi::*;
use crate::bytes::Word;
use crate::call::{Call, CallResult};
use crate::calls::io::{FILE_MAX, commit, fetch, store, writable};
use crate::content::Content;
use crate::inode::{Device, Ino, InodeKind, StreamKind};
use crate::output::Stream;
use crate::signals::Recipient;
use crate::state::Met;

/// The target of a seek, or the reason why there is none.
fn seek_target(content: &Content, current: u64, offset: i64, whence: u64) -> Result<u64, i32> {
    let base = match whence {
        SEEK_SET => 0,
        SEEK_CUR => current as i64,
        SEEK_END => content.size() as i64,
        SEEK_DATA | SEEK_HOLE if offset < 0 => return Err(ENXIO),
        SEEK_DATA | SEEK_HOLE => {
            return content
                .seek_extent(offset as u64, whence == SEEK_HOLE)
                .ok_or(ENXIO);
        }
        _ => return Err(EINVAL),
    };
    match base.checked_add(offset) {
        Some(target) if target >= 0 && target as u64 <= FILE_MAX => Ok(target as u64),
        None if whence != SEEK_SET => Err(EOVERFLOW),
        _ => Err(EINVAL),
    }
}

pub(crate) fn lseek(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    let (offset, whence) = (
        call.arg(1, "a file offset") as i64,
        call.arg(2, "the base of a seek") & 0xffff_ffff,
    );
    let description = call.world().descriptors.get(fd)?;
    let (ino, current) = (description.ino, description.offset);
    if whence > SEEK_HOLE {
        return Err(EINVAL.into());
    }
    let stream = call.settle_stream(ino);
    let settled = if whence > SEEK_CUR {
        call.remark_size(ino, Met::Size);
        call.settle_size(ino)
    } else {
        None
    };
    let cut = |content: &Content, end: u64| {
        let mut content = content.clone();
        content.resize(end);
        content
    };
    let target = match &call.world().fs.get(ino).kind {
        InodeKind::File(content) => match settled {
            Some(end) => seek_target(&cut(content, end), current, offset, whence)?,
            None => seek_target(content, current, offset, whence)?,
        },
        InodeKind::Stream(s) if stream == Some(StreamKind::File) => {
            // The content of an output stream is only kept from now on; until now it is the log.
            let written = call.world().log.stream(s.stream);
            let so_far = Content::from_bytes(&written);
            let content = if s.kind == StreamKind::File || s.stream == Stream::Stdin {
                &s.content
            } else {
                &so_far
            };
            match settled {
                Some(end) => seek_target(&cut(content, end), current, offset, whence)?,
                None => seek_target(content, current, offset, whence)?,
            }
        }
        InodeKind::Stream(_) | InodeKind::Pipe(_) => return Err(ESPIPE.into()),
        InodeKind::Device(Device::Tty) => return Err(ESPIPE.into()),
        InodeKind::Device(_) => return Ok(0.into()),
        // Offsets of directories mean something to listings only.
        InodeKind::Directory(_) | InodeKind::DescriptorDirectory if whence <= SEEK_CUR => {
            seek_target(&Content::default(), current, offset, whence)?
        }
        InodeKind::Directory(_) | InodeKind::DescriptorDirectory => return Err(EINVAL.into()),
        InodeKind::Symlink(_) | InodeKind::Gone => return Err(EBADF.into()),
    };
    call.apply_settled();
    if target != current {
        call.change().descriptors.get_mut(fd).offset = target;
    }
    if target == 0 && call.world().descriptors.get(fd)?.listing.is_some() {
        call.change().descriptors.get_mut(fd).listing = None;
    }
    Ok(target.into())
}

/// Copies between descriptors inside the world.
pub(crate) fn sendfile(call: &mut Call<'_>) -> CallResult {
    let (out, input) = (call.int(0, "a descriptor"), call.int(1, "a descriptor"));
    let (offset_addr, len) = (call.arg(2, "an address"), call.arg(3, "a number of bytes"));
    let at = match offset_addr {
        0 => None,
        addr => Some(call.read_int(addr, 8, "a file offset")?),
    };
    let from = call.world().descriptors.get(input)?;
    let source = from.ino;
    if !from.readable() {
        return Err(EBADF.into());
    }
    writable(call, out)?;
    let target = call.world().descriptors.get(out)?;
    let (append, target) = (target.flags & O_APPEND != 0, target.ino);
    let into_pipe = matches!(call.world().fs.get(target).kind, InodeKind::Pipe(_));
    if !into_pipe && (append || matches!(call.world().fs.get(source).kind, InodeKind::Pipe(_))) {
        return Err(EINVAL.into());
    }
    if into_pipe && call.world().descriptors.ends(target, false) == 0 {
        call.change()
            .signals
            .send(SIGPIPE, Recipient::Thread, SI_USER, 0);
        return Err(EPIPE.into());
    }
    if len == 0 {
        return Ok(0.into());
    }
    // The source has to be a file that can be mapped.
    if !matches!(call.world().fs.get(source).kind, InodeKind::File(_)) {
        return Err(EINVAL.into());
    }
    if at.is_some_and(|at| (at as i64) < 0) {
        return Err(EINVAL.into());
    }
    let mut reading = fetch(call, input, len, at)?;
    let bytes = std::mem::take(&mut reading.bytes);
    let outcome = store(call, out, &bytes, None)?;
    let crate::Word::Concrete(count) = outcome else {
        return Ok(outcome);
    };
    reading.bytes = bytes.slice(0..count as usize);
    match at {
        Some(at) => call.write_int(offset_addr, 8, at + count)?,
        None => commit(call, input, &reading),
    }
    Ok(count.into())
}

/// Across file systems this fails, and programs fall back to read and write: so it does here.
pub(crate) fn copy_file_range(call: &mut Call<'_>) -> CallResult {
    let (input, out) = (call.int(0, "a descriptor"), call.int(2, "a descriptor"));
    let flags = call.flags(5, "flags");
    let from = call.world().descriptors.get(input)?;
    let to = call.world().descriptors.get(out)?;
    let usable = from.readable() && to.writable() && to.flags & O_APPEND == 0;
    let inodes = [from.ino, to.ino].map(|ino| call.world().fs.get(ino));
    if flags != 0 {
        return Err(EINVAL.into());
    }
    if inodes.iter().any(|inode| inode.is_directory()) {
        return Err(EISDIR.into());
    }
    if inodes
        .iter()
        .any(|i| matches!(i.kind, InodeKind::Pipe(_) | InodeKind::Device(_)))
    {
        return Err(EINVAL.into());
    }
    if !usable {
        return Err(EBADF.into());
    }
    Err(EXDEV.into())
}

/// An answer that a regular file has, and the error of others; symbolic while it is open whether a stream is a file, so
/// that a program that ignores the answer does not fork.
fn of_regular(call: &mut Call<'_>, ino: Ino, errno: i32) -> CallResult {
    let inode = call.world().fs.get(ino);
    match (&inode.kind, inode.mode.get()) {
        (InodeKind::Stream(s), Word::Symbolic(mode)) if s.kind == StreamKind::Any => {
            let cond = call.is_regular(mode);
            let pool = call.cx.pool();
            let (ok, failed) = (pool.bv(64, 0), pool.bv(64, -(errno as i64) as u64));
            Ok(Word::Symbolic(pool.ite(cond, ok, failed)))
        }
        (InodeKind::Stream(s), _) if s.kind != StreamKind::File => Err(errno.into()),
        (InodeKind::Pipe(_) | InodeKind::Device(_), _) => Err(errno.into()),
        _ => Ok(0.into()),
    }
}

pub(crate) fn fsync(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    let ino = call.world().descriptors.get(fd)?.ino;
    of_regular(call, ino, EINVAL)
}

pub(crate) fn syncfs(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    call.world().descriptors.get(fd)?;
    Ok(0.into())
}

pub(crate) fn sync_file_range(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    let (offset, len) = (
        call.arg(1, "a file offset") as i64,
        call.arg(2, "a number of bytes") as i64,
    );
    let flags = call.flags(3, "flags");
    let ino = call.world().descriptors.get(fd)?.ino;
    let end = offset.wrapping_add(len);
    if flags & !7 != 0 || offset < 0 || end < offset {
        return Err(EINVAL.into());
    }
    of_regular(call, ino, ESPIPE)
}

pub(crate) fn readahead(call: &mut Call<'_>) -> CallResult {
    let (fd, len) = (
        call.int(0, "a descriptor"),
        call.arg(2, "a number of bytes") as i64,
    );
    let description = call.world().descriptors.get(fd)?;
    let ino = description.ino;
    if !description.readable() {
        return Err(EBADF.into());
    }
    if len < 0 || call.world().fs.get(ino).is_directory() {
        return Err(EINVAL.into());
    }
    of_regular(call, ino, EINVAL)
}

pub(crate) fn fadvise64(call: &mut Call<'_>) -> CallResult {
    let (fd, len, advice) = (
        call.int(0, "a descriptor"),
        call.arg(2, "a number of bytes") as i64,
        call.int(3, "a piece of advice"),
    );
    let ino = call.world().descriptors.get(fd)?.ino;
    let is_valid = (0..=5).contains(&advice) && len >= 0;
    match &call.world().fs.get(ino).kind {
        // Devices take advice.
        InodeKind::Device(_) => {}
        InodeKind::Stream(s) if matches!(s.kind, StreamKind::Terminal | StreamKind::Null) => {}
        _ if is_valid => return of_regular(call, ino, ESPIPE),
        _ => {
            let answer = of_regular(call, ino, ESPIPE)?;
            if let Word::Symbolic(_) = answer {
                call.settle_stream(ino);
                of_regular(call, ino, ESPIPE)?;
            }
        }
    }
    if is_valid {
        Ok(0.into())
    } else {
        Err(EINVAL.into())
    }
}
