//! read, write and their relatives; lseek; sendfile and copy_file_range.

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::content::Content;
use crate::inode::{Device, Ino, InodeKind, StreamKind};
use crate::output::Stream;
use crate::process::random_bytes;
use crate::signals::Recipient;
use crate::state::{CallAnswer, Met};

/// The most that one call transfers, as in the kernel.
const TRANSFER_MAX: u64 = 0x7fff_f000;
/// The most that one read of an endless device yields; a program has to cope with fewer bytes.
const DEVICE_READ_MAX: u64 = 1 << 24;
/// The largest file that we keep.
pub(crate) const FILE_MAX: u64 = 1 << 44;

/// The part of the file that a read will take, once the program has its bytes.
pub(crate) enum Take {
    Nothing,
    /// The description's offset moves on.
    Offset,
    /// The front of a pipe goes.
    Pipe,
    /// A stream: offset of the description and position of the stream.
    Stream,
    Random(u64),
}

pub(crate) struct Reading {
    ino: Ino,
    pub(crate) bytes: Bytes,
    take: Take,
}

/// A pipe has no offsets, whichever end it is.
fn require_positions(call: &Call<'_>, fd: i32) -> Result<(), EarlyReturn> {
    let ino = call.world().descriptors.get(fd)?.ino;
    match call.world().fs.get(ino).kind {
        InodeKind::Pipe(_) => Err(ESPIPE.into()),
        _ => Ok(()),
    }
}

/// The result of a read of `len` bytes; `at` is the offset of a pread. Changes nothing yet.
pub(crate) fn fetch(
    call: &mut Call<'_>,
    fd: i32,
    len: u64,
    at: Option<u64>,
) -> Result<Reading, EarlyReturn> {
    let description = call.world().descriptors.get(fd)?;
    if at.is_some() {
        require_positions(call, fd)?;
    }
    if !description.readable() {
        return Err(EBADF.into());
    }
    let (ino, offset, flags) = (description.ino, description.offset, description.flags);
    let len = len.min(TRANSFER_MAX);
    let stream = if at.is_some() {
        call.settle_stream(ino)
    } else {
        None
    };
    let end = if len > 0 { call.settle_size(ino) } else { None };
    let within = |from: u64| end.map_or(len, |end| len.min(end.saturating_sub(from)));
    let inode = call.world().fs.get(ino);
    let (bytes, take) = match &inode.kind {
        InodeKind::Directory(_) | InodeKind::DescriptorDirectory => return Err(EISDIR.into()),
        InodeKind::File(content) => {
            let from = at.unwrap_or(offset);
            let bytes = content.read(from, within(from))?;
            (
                bytes,
                if at.is_some() {
                    Take::Nothing
                } else {
                    Take::Offset
                },
            )
        }
        InodeKind::Stream(s) if s.stream == Stream::Stdin => match at {
            Some(at) if stream == Some(StreamKind::File) => {
                (s.content.read(at, within(at))?, Take::Nothing)
            }
            Some(_) => return Err(ESPIPE.into()),
            None => {
                let from = if s.kind == StreamKind::File {
                    offset
                } else {
                    s.consumed
                };
                (s.content.read(from, within(from))?, Take::Stream)
            }
        },
        InodeKind::Stream(s) => match stream.unwrap_or(s.kind) {
            StreamKind::File => {
                let bytes = s.content.read(at.unwrap_or(offset), len)?;
                (
                    bytes,
                    if at.is_some() {
                        Take::Nothing
                    } else {
                        Take::Offset
                    },
                )
            }
            _ => return Err(EBADF.into()),
        },
        InodeKind::Pipe(_) if at.is_some() => return Err(ESPIPE.into()),
        InodeKind::Pipe(pipe) => {
            let count = (pipe.len() as u64).min(len) as usize;
            if count == 0 && len > 0 && call.world().descriptors.ends(ino, true) > 0 {
                return if flags & O_NONBLOCK != 0 {
                    Err(EAGAIN.into())
                } else {
                    Err(CallAnswer::Block(
                        "read from an empty pipe that only the program itself could fill".into(),
                    )
                    .into())
                };
            }
            (pipe.bytes.bytes(0..count), Take::Pipe)
        }
        InodeKind::Device(device) => match device {
            Device::Null | Device::Tty => (Bytes::new(), Take::Nothing),
            Device::Zero | Device::Full => (
                Bytes::zeros(len.min(DEVICE_READ_MAX) as usize),
                Take::Nothing,
            ),
            Device::Random => {
                let (bytes, state) = random_bytes(call, len.min(DEVICE_READ_MAX) as usize);
                (bytes, Take::Random(state))
            }
        },
        InodeKind::Symlink(_) | InodeKind::Gone => return Err(EBADF.into()),
    };
    if (bytes.len() as u64) < len && !call.world().inputs.is_empty() {
        let met = if bytes.is_empty() {
            Met::End
        } else {
            Met::Short
        };
        call.remark_size(ino, met);
    }
    Ok(Reading { ino, bytes, take })
}

pub(crate) fn commit(call: &mut Call<'_>, fd: i32, reading: &Reading) {
    let count = reading.bytes.len() as u64;
    if count == 0 {
        return;
    }
    call.apply_settled();
    let world = call.change();
    match reading.take {
        Take::Nothing => {}
        Take::Offset => world.descriptors.get_mut(fd).offset += count,
        Take::Random(state) => world.random = state,
        Take::Pipe => {
            if let InodeKind::Pipe(pipe) = &mut world.fs.get_mut(reading.ino).kind {
                pipe.consume(count as usize);
            }
        }
        Take::Stream => {
            world.descriptors.get_mut(fd).offset += count;
            if let InodeKind::Stream(stream) = &mut world.fs.get_mut(reading.ino).kind {
                stream.consumed += count;
            }
        }
    }
}

fn read_into(call: &mut Call<'_>, fd: i32, addr: u64, len: u64, at: Option<u64>) -> CallResult {
    let reading = fetch(call, fd, len, at)?;
    if !reading.bytes.is_empty() {
        call.cx.write(addr, &reading.bytes)?;
    }
    commit(call, fd, &reading);
    Ok((reading.bytes.len() as u64).into())
}

pub(crate) fn read(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let len = call.arg(2, "the size of a read");
    read_into(call, fd, addr, len, None)
}

/// The offset argument of pread and pwrite.
fn position(call: &mut Call<'_>, index: usize) -> Result<u64, EarlyReturn> {
    let offset = call.arg(index, "a file offset");
    if (offset as i64) < 0 {
        Err(EINVAL.into())
    } else {
        Ok(offset)
    }
}

pub(crate) fn pread64(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let (len, at) = (call.arg(2, "the size of a read"), position(call, 3)?);
    read_into(call, fd, addr, len, Some(at))
}

/// The parts of an `iovec` array.
fn vector(call: &mut Call<'_>) -> Result<Vec<(u64, u64)>, EarlyReturn> {
    let (addr, count) = (
        call.arg(1, "an address"),
        call.int(2, "a number of buffers"),
    );
    if !(0..=1024).contains(&count) {
        return Err(EINVAL.into());
    }
    let mut parts = Vec::with_capacity(count as usize);
    let mut total: u64 = 0;
    for i in 0..count as u64 {
        let base = call.read_int(addr + 16 * i, 8, "the address of a buffer")?;
        let len = call.read_int(addr + 16 * i + 8, 8, "the size of a buffer")?;
        if len as i64 <= -1 {
            return Err(EINVAL.into());
        }
        let len = len.min(TRANSFER_MAX - total);
        total += len;
        parts.push((base, len));
    }
    Ok(parts)
}

fn read_vector(call: &mut Call<'_>, at: Option<u64>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    call.world().descriptors.get(fd)?;
    if at.is_some() {
        require_positions(call, fd)?;
    }
    let parts = vector(call)?;
    let total: u64 = parts.iter().map(|(_, len)| len).sum();
    if total == 0 && call.world().descriptors.get(fd)?.readable() {
        return Ok(0.into());
    }
    let reading = fetch(call, fd, total, at)?;
    let mut done = 0;
    for (base, len) in parts {
        let count = (len as usize).min(reading.bytes.len() - done);
        if count > 0 {
            call.cx
                .write(base, &reading.bytes.slice(done..done + count))?;
        }
        done += count;
    }
    commit(call, fd, &reading);
    Ok((done as u64).into())
}

pub(crate) fn readv(call: &mut Call<'_>) -> CallResult {
    read_vector(call, None)
}

pub(crate) fn preadv(call: &mut Call<'_>) -> CallResult {
    let at = position(call, 3)?;
    read_vector(call, Some(at))
}

/// Writes bytes that have been read from the program already.
pub(crate) fn store(call: &mut Call<'_>, fd: i32, bytes: &Bytes, at: Option<u64>) -> CallResult {
    let description = call.world().descriptors.get(fd)?;
    if !description.writable() {
        return Err(EBADF.into());
    }
    let (ino, offset, flags) = (description.ino, description.offset, description.flags);
    let stream = if at.is_some() {
        call.settle_stream(ino)
    } else {
        None
    };
    call.settle_size(ino);
    call.apply_settled();
    let append = flags & O_APPEND != 0;
    let inode = call.world().fs.get(ino);
    match &inode.kind {
        InodeKind::File(_) if bytes.is_empty() => Ok(0.into()),
        InodeKind::File(content) => {
            let start = if append {
                content.size()
            } else {
                at.unwrap_or(offset)
            };
            content.writable()?;
            let count = check_growth(call, start, bytes.len() as u64)?;
            call.charge(Content::most_stored(count))?;
            store_file(call, ino, start, bytes, count);
            if at.is_none() {
                call.change().descriptors.get_mut(fd).offset = start + count;
            }
            Ok(count.into())
        }
        InodeKind::Stream(s) => {
            let (which, kind) = (s.stream, stream.unwrap_or(s.kind));
            let start = match kind {
                StreamKind::File if append => s.content.size(),
                StreamKind::File => at.unwrap_or(offset),
                _ if at.is_some() => return Err(ESPIPE.into()),
                _ => offset,
            };
            if which == Stream::Stdin {
                // A pipe's reading end, and a file that was opened for reading, are not writable.
                return Err(EBADF.into());
            }
            call.charge(bytes.len() as u64)?;
            call.apply_settled();
            let world = call.change();
            world.log.append(which, bytes);
            if at.is_none() {
                world.descriptors.get_mut(fd).offset = start + bytes.len() as u64;
            }
            // Only then: looking at an inode to change it copies it.
            if kind == StreamKind::File
                && let InodeKind::Stream(s) = &mut world.fs.get_mut(ino).kind
            {
                s.content.write_unchecked(start, bytes);
            }
            Ok((bytes.len() as u64).into())
        }
        InodeKind::Pipe(_) if at.is_some() => Err(ESPIPE.into()),
        InodeKind::Pipe(pipe) => {
            let room = PIPE_CAPACITY - pipe.len();
            if bytes.is_empty() {
                return Ok(0.into());
            }
            if call.world().descriptors.ends(ino, false) == 0 {
                call.change()
                    .signals
                    .send(SIGPIPE, Recipient::Thread, SI_USER, 0);
                return Err(EPIPE.into());
            }
            // Up to PIPE_BUF bytes go in one piece or not at all.
            let count = if bytes.len() <= room {
                bytes.len()
            } else if bytes.len() <= PIPE_BUF {
                0
            } else {
                room
            };
            if count < bytes.len() && flags & O_NONBLOCK == 0 {
                return Err(CallAnswer::Block(
                    "write to a full pipe that only the program itself could empty".into(),
                )
                .into());
            }
            if count == 0 {
                return Err(EAGAIN.into());
            }
            let part = bytes.slice(0..count);
            if let InodeKind::Pipe(pipe) = &mut call.change().fs.get_mut(ino).kind {
                pipe.append(&part);
            }
            Ok((count as u64).into())
        }
        InodeKind::Device(Device::Full) if !bytes.is_empty() => Err(ENOSPC.into()),
        InodeKind::Device(_) => Ok((bytes.len() as u64).into()),
        InodeKind::Directory(_)
        | InodeKind::DescriptorDirectory
        | InodeKind::Symlink(_)
        | InodeKind::Gone => Err(EBADF.into()),
    }
}

/// How many bytes may be written at `start`: limits of the file's size.
fn check_growth(call: &mut Call<'_>, start: u64, len: u64) -> Result<u64, EarlyReturn> {
    let limit = call.world().process.file_size_limit();
    if start >= limit {
        call.change()
            .signals
            .send(SIGXFSZ, Recipient::Thread, SI_USER, 0);
        return Err(EFBIG.into());
    }
    if start >= FILE_MAX {
        return Err(EFBIG.into());
    }
    Ok(len.min(limit - start).min(FILE_MAX - start))
}

fn store_file(call: &mut Call<'_>, ino: Ino, start: u64, bytes: &Bytes, count: u64) {
    let part = if count == bytes.len() as u64 {
        None
    } else {
        Some(bytes.slice(0..count as usize))
    };
    call.file_changes(ino, start, start + count);
    if let InodeKind::File(content) = &mut call.change().fs.get_mut(ino).kind {
        content.write_unchecked(start, part.as_ref().unwrap_or(bytes));
    }
    call.touch_modified(ino);
    call.drop_privilege_bits(ino);
}

pub(crate) fn writable(call: &Call<'_>, fd: i32) -> Result<(), EarlyReturn> {
    if call.world().descriptors.get(fd)?.writable() {
        Ok(())
    } else {
        Err(EBADF.into())
    }
}

pub(crate) fn write(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let len = call.arg(2, "the size of a write").min(TRANSFER_MAX);
    writable(call, fd)?;
    let bytes = if len == 0 {
        Bytes::new()
    } else {
        call.cx.read(addr, len)?
    };
    store(call, fd, &bytes, None)
}

pub(crate) fn pwrite64(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let (len, at) = (
        call.arg(2, "the size of a write").min(TRANSFER_MAX),
        position(call, 3)?,
    );
    require_positions(call, fd)?;
    writable(call, fd)?;
    let bytes = if len == 0 {
        Bytes::new()
    } else {
        call.cx.read(addr, len)?
    };
    store(call, fd, &bytes, Some(at))
}

fn write_vector(call: &mut Call<'_>, at: Option<u64>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    if at.is_some() {
        require_positions(call, fd)?;
    }
    writable(call, fd)?;
    let mut bytes = Bytes::new();
    for (base, len) in vector(call)? {
        if len > 0 {
            bytes.extend(&call.cx.read(base, len)?);
        }
    }
    store(call, fd, &bytes, at)
}

pub(crate) fn writev(call: &mut Call<'_>) -> CallResult {
    write_vector(call, None)
}

pub(crate) fn pwritev(call: &mut Call<'_>) -> CallResult {
    let at = position(call, 3)?;
    write_vector(call, Some(at))
}
