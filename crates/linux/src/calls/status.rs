//! Looking at files: the stat family, access, readlink, statfs.

use crate::abi::*;
use crate::bytes::{Byte, Bytes, Word};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::inode::{Ino, Inode, InodeKind, StreamKind};
use crate::input::{DEVICE, STAT_SIZE, stat};
use crate::output::Stream;
use crate::state::Met;

/// `st_dev` of pipes and standard streams that are pipes.
const PIPE_DEVICE: u64 = 0xe;
/// `st_blksize`.
const BLOCK_SIZE: u64 = 4096;

/// Does `st_size` tell how long the content is? Of a pipe it is 0.
fn has_size(inode: &Inode) -> bool {
    !matches!(&inode.kind, InodeKind::Stream(s) if s.kind == StreamKind::Pipe)
}

/// `st_size` and `st_blocks`. They depend on the type of a stream of kind `Any` and on a size that is open;
/// both stay open here. That the program asks for a size is remarked.
fn size_and_blocks(call: &mut Call<'_>, ino: Ino) -> (Word, Word) {
    let has_size = has_size(call.world().fs.get(ino));
    if has_size {
        call.remark_size(ino, Met::Size);
    }
    let inode = call.world().fs.get(ino);
    let mode = inode.mode.get();
    let open_size = if has_size {
        inode.open_size.get()
    } else {
        Word::Concrete(0)
    };
    let (size, blocks, any) = match &inode.kind {
        InodeKind::File(content) => (content.size(), content.blocks(), false),
        InodeKind::Directory(_) => (inode.size(), 8, false),
        InodeKind::Stream(s) => {
            let any = s.kind == StreamKind::Any;
            let size = match s.stream {
                Stream::Stdin => s.content.size(),
                which if any => call.world().log.stream(which).len() as u64,
                _ => s.content.size(),
            };
            if any || s.kind == StreamKind::File {
                (size, size.div_ceil(4096) * 8, any)
            } else {
                (0, 0, false)
            }
        }
        _ => (inode.size(), 0, false),
    };
    let mut present = call.cx.pool().bool(true);
    if let (true, Word::Symbolic(mode)) = (any, mode) {
        present = call.is_regular(mode);
    }
    let pool = call.cx.pool();
    let mut values = [size, blocks].map(|value| pool.bv(64, value));
    if let Word::Symbolic(size) = open_size {
        // Blocks of 4096 bytes, counted in 512.
        let [last, twelve, three] = [4095, 12, 3].map(|k| pool.bv(64, k));
        let blocks = pool.add(size, last);
        let blocks = pool.lshr(blocks, twelve);
        values = [size, pool.shl(blocks, three)];
    }
    let none = pool.bv(64, 0);
    let [size, blocks] = values.map(|value| {
        let value = pool.ite(present, value, none);
        pool.as_const(value)
            .map_or(Word::Symbolic(value), Word::Concrete)
    });
    (size, blocks)
}

fn device(call: &Call<'_>, ino: Ino) -> u64 {
    if matches!(call.world().fs.get(ino).kind, InodeKind::Pipe(_)) {
        PIPE_DEVICE
    } else {
        DEVICE
    }
}

fn write_stat(call: &mut Call<'_>, ino: Ino, addr: u64) -> CallResult {
    let (size, blocks) = size_and_blocks(call, ino);
    let device = device(call, ino);
    let inode = call.world().fs.get(ino);
    let (uid, gid, rdev) = (inode.uid, inode.gid, inode.rdev);
    let (nlink, mode) = (inode.nlink.get(), inode.mode.get());
    let times = [
        (stat::ATIME, inode.atime.sec.get(), inode.atime.nsec),
        (stat::MTIME, inode.mtime.sec.get(), inode.mtime.nsec),
        (stat::CTIME, inode.ctime.sec.get(), inode.ctime.nsec),
    ];
    let pool = call.cx.pool();
    let mut record = Bytes::zeros(STAT_SIZE);
    record.put_int(stat::DEV, 8, device);
    record.put_int(stat::INO, 8, ino as u64);
    record.put_word(pool, stat::NLINK, 8, nlink);
    record.put_word(pool, stat::MODE, 4, mode);
    record.put_int(stat::UID, 4, uid as u64);
    record.put_int(stat::GID, 4, gid as u64);
    record.put_int(stat::RDEV, 8, rdev);
    record.put_word(pool, stat::SIZE, 8, size);
    record.put_int(stat::BLKSIZE, 8, BLOCK_SIZE);
    record.put_word(pool, stat::BLOCKS, 8, blocks);
    for (offset, seconds, nanoseconds) in times {
        record.put_word(pool, offset, 8, seconds);
        record.put_int(offset + 8, 8, nanoseconds as u64);
    }
    call.cx.write(addr, &record)?;
    Ok(0.into())
}

pub(crate) fn stat(call: &mut Call<'_>) -> CallResult {
    let (path, addr) = (call.path(0)?, call.arg(1, "an address"));
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    write_stat(call, ino, addr)
}

pub(crate) fn lstat(call: &mut Call<'_>) -> CallResult {
    let (path, addr) = (call.path(0)?, call.arg(1, "an address"));
    let ino = call.resolve(AT_FDCWD, &path, false)?;
    write_stat(call, ino, addr)
}

pub(crate) fn fstat(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let ino = call.world().descriptors.get_any(fd)?.ino;
    write_stat(call, ino, addr)
}

impl Call<'_> {
    /// The inode of an *at call: with AT_EMPTY_PATH and an empty path, that of the descriptor.
    pub(crate) fn resolve_at(
        &mut self,
        dirfd: i32,
        path: &Bytes,
        flags: u32,
    ) -> Result<Ino, EarlyReturn> {
        if path.get(0) == Byte::Concrete(0) && flags & AT_EMPTY_PATH != 0 {
            return Ok(match dirfd {
                AT_FDCWD => self.world().cwd,
                _ => self.world().descriptors.get_any(dirfd)?.ino,
            });
        }
        self.resolve(dirfd, path, flags & AT_SYMLINK_NOFOLLOW == 0)
    }
}

pub(crate) fn newfstatat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let flags = call.flags(3, "flags");
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH) != 0 {
        return Err(EINVAL.into());
    }
    let (path, addr) = (call.path(1)?, call.arg(2, "an address"));
    let ino = call.resolve_at(dirfd, &path, flags)?;
    write_stat(call, ino, addr)
}

pub(crate) fn statx(call: &mut Call<'_>) -> CallResult {
    const BASIC_STATS: u64 = 0x7ff;
    let dirfd = call.int(0, "a directory descriptor");
    let (flags, mask) = (call.flags(2, "flags"), call.flags(3, "a mask"));
    if mask >> 31 != 0
        || flags & !(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | 0x6000) != 0
    {
        return Err(EINVAL.into());
    }
    let (path, addr) = (call.path(1)?, call.arg(4, "an address"));
    let ino = call.resolve_at(dirfd, &path, flags)?;
    let (size, blocks) = size_and_blocks(call, ino);
    let device = device(call, ino);
    let inode = call.world().fs.get(ino);
    let (uid, gid, rdev) = (inode.uid, inode.gid, inode.rdev);
    let (nlink, mode) = (inode.nlink.get(), inode.mode.get());
    let times = [
        (0x40, inode.atime.sec.get(), inode.atime.nsec),
        (0x60, inode.ctime.sec.get(), inode.ctime.nsec),
        (0x70, inode.mtime.sec.get(), inode.mtime.nsec),
    ];
    let pool = call.cx.pool();
    let mut record = Bytes::zeros(256);
    record.put_int(0x00, 4, BASIC_STATS);
    record.put_int(0x04, 4, BLOCK_SIZE);
    record.put_word(pool, 0x10, 4, nlink);
    record.put_int(0x14, 4, uid as u64);
    record.put_int(0x18, 4, gid as u64);
    record.put_word(pool, 0x1c, 2, mode);
    record.put_int(0x20, 8, ino as u64);
    record.put_word(pool, 0x28, 8, size);
    record.put_word(pool, 0x30, 8, blocks);
    for (offset, seconds, nanoseconds) in times {
        record.put_word(pool, offset, 8, seconds);
        record.put_int(offset + 8, 4, nanoseconds as u64);
    }
    record.put_int(0x80, 4, rdev >> 8);
    record.put_int(0x84, 4, rdev & 0xff);
    record.put_int(0x88, 4, device >> 8);
    record.put_int(0x8c, 4, device & 0xff);
    call.cx.write(addr, &record)?;
    Ok(0.into())
}

fn check_access(call: &mut Call<'_>, dirfd: i32, path: usize, mode: u32, flags: u32) -> CallResult {
    if mode & !7 != 0 || flags & !(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(EINVAL.into());
    }
    let path = call.path(path)?;
    let ino = call.resolve_at(dirfd, &path, flags)?;
    if mode == 0 || call.permitted(ino, mode, flags & AT_EACCESS == 0) {
        return Ok(0.into());
    }
    Err(EACCES.into())
}

pub(crate) fn access(call: &mut Call<'_>) -> CallResult {
    let mode = call.flags(1, "an access mode");
    check_access(call, AT_FDCWD, 0, mode, 0)
}

/// This call has no flags: libc emulates them or uses `faccessat2`.
pub(crate) fn faccessat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let mode = call.flags(2, "an access mode");
    check_access(call, dirfd, 1, mode, 0)
}

pub(crate) fn faccessat2(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let (mode, flags) = (call.flags(2, "an access mode"), call.flags(3, "flags"));
    check_access(call, dirfd, 1, mode, flags)
}

/// The path is argument `index`, the buffer and its size follow.
fn read_link(call: &mut Call<'_>, dirfd: i32, index: usize) -> CallResult {
    let (addr, size) = (
        call.arg(index + 1, "an address"),
        call.int(index + 2, "the size of a buffer"),
    );
    if size <= 0 {
        return Err(EINVAL.into());
    }
    let path = call.path(index)?;
    // An empty path means the descriptor, which may stand for a link.
    let empty = path.get(0) == Byte::Concrete(0);
    let (ino, descriptor) = if empty {
        (call.resolve_at(dirfd, &path, AT_EMPTY_PATH)?, None)
    } else {
        let found = call.lookup(dirfd, &path, false)?;
        (call.existing(&found)?, found.descriptor)
    };
    let target = match (descriptor, &call.world().fs.get(ino).kind) {
        (Some(fd), _) => call.descriptor_path(fd)?,
        (None, InodeKind::Symlink(target)) => target.to_bytes(),
        _ if empty => return Err(ENOENT.into()),
        _ => return Err(EINVAL.into()),
    };
    let target = target.slice(0..target.len().min(size as usize));
    call.cx.write(addr, &target)?;
    Ok((target.len() as u64).into())
}

pub(crate) fn readlink(call: &mut Call<'_>) -> CallResult {
    read_link(call, AT_FDCWD, 0)
}

pub(crate) fn readlinkat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    read_link(call, dirfd, 1)
}

impl Call<'_> {
    /// The target of `/proc/self/fd/N`.
    fn descriptor_path(&self, fd: i32) -> Result<Bytes, EarlyReturn> {
        let description = self.world().descriptors.get_any(fd)?;
        let ino = description.ino;
        Ok(
            match (&description.origin, &self.world().fs.get(ino).kind) {
                (_, InodeKind::Directory(_)) => self
                    .directory_path(ino)
                    .unwrap_or_else(|| Bytes::concrete(*b"/ (deleted)")),
                (Some((dir, name)), _) => {
                    let mut path = self.directory_path(*dir).ok_or(ENOENT)?;
                    if path.len() > 1 {
                        path.push(Byte::Concrete(b'/'));
                    }
                    path.extend(&name.to_bytes());
                    path
                }
                _ => Bytes::concrete(format!("pipe:[{ino}]")),
            },
        )
    }
}

/// An ext4 of 64 GiB, half full.
fn write_statfs(call: &mut Call<'_>, addr: u64) -> CallResult {
    let mut record = Bytes::zeros(120);
    let fields: [u64; 11] = [
        0xef53,
        4096,
        16 << 20,
        8 << 20,
        7 << 20,
        4 << 20,
        3 << 20,
        0x0000_0803,
        255,
        4096,
        0x1020,
    ];
    for (i, field) in fields.into_iter().enumerate() {
        record.put_int(8 * i, 8, field);
    }
    call.cx.write(addr, &record)?;
    Ok(0.into())
}

pub(crate) fn statfs(call: &mut Call<'_>) -> CallResult {
    let (path, addr) = (call.path(0)?, call.arg(1, "an address"));
    call.resolve(AT_FDCWD, &path, true)?;
    write_statfs(call, addr)
}

pub(crate) fn fstatfs(call: &mut Call<'_>) -> CallResult {
    let (fd, addr) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    call.world().descriptors.get_any(fd)?;
    write_statfs(call, addr)
}
