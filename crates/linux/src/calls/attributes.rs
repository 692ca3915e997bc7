//! Changing attributes: chmod, chown, utimensat, truncate; extended attributes, which are not there.

use crate::abi::*;
use crate::bytes::{Bytes, Field, Word};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::calls::io::FILE_MAX;
use crate::inode::{Ino, InodeKind, Stamp, StreamKind};
use crate::signals::Recipient;

const UTIME_NOW: u64 = 0x3fff_ffff;
const UTIME_OMIT: u64 = 0x3fff_fffe;

/// Replaces bits of a mode, which may be symbolic.
fn change_mode(call: &mut Call<'_>, ino: Ino, clear: u32, set: u32) {
    let mode = match call.world().fs.get(ino).mode.get() {
        Word::Concrete(mode) => Word::Concrete(mode & !(clear as u64) | set as u64),
        Word::Symbolic(mode) => {
            let pool = call.cx.pool();
            let (keep, set) = (pool.bv(64, !(clear as u64)), pool.bv(64, set as u64));
            let kept = pool.and(mode, keep);
            let mode = pool.or(kept, set);
            pool.as_const(mode)
                .map_or(Word::Symbolic(mode), Word::Concrete)
        }
    };
    call.change().fs.get_mut(ino).mode = Field::new(mode);
}

impl Call<'_> {
    /// Whether anybody may execute the file's group part, hence whether set-group-id means that.
    fn group_executable(&self, ino: Ino) -> bool {
        self.world()
            .fs
            .get(ino)
            .mode_bits()
            .is_none_or(|m| m & 0o010 != 0)
    }

    /// What a write or a change of owner does to set-user-id and set-group-id.
    pub(crate) fn drop_privilege_bits(&mut self, ino: Ino) {
        let inode = self.world().fs.get(ino);
        let privileged = inode.mode_bits().is_none_or(|m| m & 0o6000 != 0);
        if privileged && self.world().process.uid.effective != 0 {
            let bits = if self.group_executable(ino) {
                0o6000
            } else {
                0o4000
            };
            change_mode(self, ino, bits, 0);
        }
    }
}

fn set_mode(call: &mut Call<'_>, ino: Ino, mode: u32) -> CallResult {
    call.require_owner(ino)?;
    if call.world().fs.get(ino).file_type() == Some(S_IFLNK) {
        return Err(EOPNOTSUPP.into());
    }
    call.apply_settled();
    let process = &call.world().process;
    let foreign_group =
        process.uid.effective != 0 && !process.is_in_group(call.world().fs.get(ino).gid);
    let mode = mode & if foreign_group { 0o5777 } else { 0o7777 };
    change_mode(call, ino, 0o7777, mode);
    call.touch_changed(ino);
    Ok(0.into())
}

pub(crate) fn chmod(call: &mut Call<'_>) -> CallResult {
    let (path, mode) = (call.path(0)?, call.flags(1, "a file mode"));
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    set_mode(call, ino, mode)
}

pub(crate) fn fchmod(call: &mut Call<'_>) -> CallResult {
    let (fd, mode) = (call.int(0, "a descriptor"), call.flags(1, "a file mode"));
    let description = call.world().descriptors.get(fd)?;
    let ino = description.ino;
    set_mode(call, ino, mode)
}

pub(crate) fn fchmodat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let (path, mode) = (call.path(1)?, call.flags(2, "a file mode"));
    let ino = call.resolve(dirfd, &path, true)?;
    set_mode(call, ino, mode)
}

fn set_owner(call: &mut Call<'_>, ino: Ino, uid: u32, gid: u32) -> CallResult {
    let inode = call.world().fs.get(ino);
    let (old_uid, old_gid, directory) = (inode.uid, inode.gid, inode.is_directory());
    let process = &call.world().process;
    let own_uid = process.uid.effective;
    if own_uid != 0 {
        let keeps_owner = uid == u32::MAX || (uid == old_uid && old_uid == own_uid);
        let own_group =
            gid == u32::MAX || (old_uid == own_uid && (process.is_in_group(gid) || gid == old_gid));
        if !keeps_owner || !own_group {
            return Err(EPERM.into());
        }
    }
    call.apply_settled();
    let inode = call.change().fs.get_mut(ino);
    if uid != u32::MAX {
        inode.uid = uid;
    }
    if gid != u32::MAX {
        inode.gid = gid;
    }
    if !directory {
        let bits = if call.group_executable(ino) {
            0o6000
        } else {
            0o4000
        };
        change_mode(call, ino, bits, 0);
    }
    call.touch_changed(ino);
    Ok(0.into())
}

pub(crate) fn chown(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    let (uid, gid) = (call.flags(1, "a user"), call.flags(2, "a group"));
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    set_owner(call, ino, uid, gid)
}

pub(crate) fn lchown(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    let (uid, gid) = (call.flags(1, "a user"), call.flags(2, "a group"));
    let ino = call.resolve(AT_FDCWD, &path, false)?;
    set_owner(call, ino, uid, gid)
}

pub(crate) fn fchown(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    let (uid, gid) = (call.flags(1, "a user"), call.flags(2, "a group"));
    let ino = call.world().descriptors.get(fd)?.ino;
    set_owner(call, ino, uid, gid)
}

pub(crate) fn fchownat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let path = call.path(1)?;
    let (uid, gid, flags) = (
        call.flags(2, "a user"),
        call.flags(3, "a group"),
        call.flags(4, "flags"),
    );
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(EINVAL.into());
    }
    let ino = call.resolve_at(dirfd, &path, flags)?;
    set_owner(call, ino, uid, gid)
}

/// One of the two new times: `None` leaves it, `Some(None)` is now. Seconds may stay symbolic.
type NewTime = Option<Option<(Word, u32)>>;

fn set_times(call: &mut Call<'_>, ino: Ino, times: [NewTime; 2]) -> CallResult {
    let all_now = times.iter().all(|t| matches!(t, Some(None)));
    if times.iter().all(Option::is_none) {
        return Ok(0.into());
    }
    if times
        .iter()
        .flatten()
        .flatten()
        .any(|&(_, nsec)| nsec >= 1_000_000_000)
    {
        return Err(EINVAL.into());
    }
    // Setting both to now needs only write permission.
    let owner = call.require_owner(ino);
    if owner.is_err() {
        if all_now {
            call.require(ino, 2)?
        } else {
            owner?
        }
    }
    call.apply_settled();
    let now = call.now();
    let stamp = |time: Option<(Word, u32)>| match time {
        None => Stamp::new(now.0, now.1),
        Some((sec, nsec)) => Stamp {
            sec: Field::new(sec),
            nsec,
        },
    };
    let inode = call.change().fs.get_mut(ino);
    if let Some(time) = times[0] {
        inode.atime = stamp(time);
    }
    if let Some(time) = times[1] {
        inode.mtime = stamp(time);
    }
    call.touch_changed(ino);
    Ok(0.into())
}

fn read_new_time(call: &mut Call<'_>, addr: u64) -> Result<NewTime, EarlyReturn> {
    let record = call.cx.read(addr, 16)?;
    let (seconds, nanoseconds) = (
        record.word(call.cx.pool(), 0, 8),
        record.word(call.cx.pool(), 8, 8),
    );
    match call.word_value(nanoseconds, "the nanoseconds of a file time") {
        UTIME_NOW => Ok(Some(None)),
        UTIME_OMIT => Ok(None),
        nanoseconds => Ok(Some(Some((
            seconds,
            nanoseconds.min(u32::MAX as u64) as u32,
        )))),
    }
}

pub(crate) fn utimensat(call: &mut Call<'_>) -> CallResult {
    let (dirfd, path) = (call.int(0, "a descriptor"), call.arg(1, "an address"));
    let (addr, flags) = (call.arg(2, "an address"), call.flags(3, "flags"));
    let mut times = [Some(None); 2];
    if addr != 0 {
        times = [read_new_time(call, addr)?, read_new_time(call, addr + 16)?];
        if times.iter().all(Option::is_none) {
            return Ok(0.into());
        }
    }
    if flags & !(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(EINVAL.into());
    }
    let ino = if path == 0 && dirfd != AT_FDCWD {
        if flags != 0 {
            return Err(EINVAL.into());
        }
        call.world().descriptors.get(dirfd)?.ino
    } else {
        let path = call.path(1)?;
        call.resolve_at(dirfd, &path, flags)?
    };
    set_times(call, ino, times)
}

/// `utimes` and `futimesat`: microseconds.
fn set_microseconds(call: &mut Call<'_>, dirfd: i32, path: usize) -> CallResult {
    let addr = call.arg(path + 1, "an address");
    let mut times = [Some(None); 2];
    if addr != 0 {
        for (i, time) in times.iter_mut().enumerate() {
            let record = call.cx.read(addr + 16 * i as u64, 16)?;
            let (seconds, micro) = (
                record.word(call.cx.pool(), 0, 8),
                record.word(call.cx.pool(), 8, 8),
            );
            let micro = call.word_value(micro, "the microseconds of a file time");
            if micro >= 1_000_000 {
                return Err(EINVAL.into());
            }
            *time = Some(Some((seconds, micro as u32 * 1000)));
        }
    }
    let path = call.path(path)?;
    let ino = call.resolve(dirfd, &path, true)?;
    set_times(call, ino, times)
}

pub(crate) fn utimes(call: &mut Call<'_>) -> CallResult {
    set_microseconds(call, AT_FDCWD, 0)
}

pub(crate) fn futimesat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    set_microseconds(call, dirfd, 1)
}

pub(crate) fn utime(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(1, "an address");
    let mut times = [Some(None); 2];
    if addr != 0 {
        let record: Bytes = call.cx.read(addr, 16)?;
        for (i, time) in times.iter_mut().enumerate() {
            *time = Some(Some((record.word(call.cx.pool(), 8 * i, 8), 0)));
        }
    }
    let path = call.path(0)?;
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    set_times(call, ino, times)
}

fn check_length(len: u64) -> Result<(), EarlyReturn> {
    match len as i64 {
        ..0 => Err(EINVAL.into()),
        _ if len > FILE_MAX => Err(EFBIG.into()),
        _ => Ok(()),
    }
}

fn set_length(call: &mut Call<'_>, ino: Ino, len: u64) -> CallResult {
    if len > 0 {
        call.settle_size(ino);
    }
    call.apply_settled();
    if len > call.world().process.file_size_limit() && len > call.world().fs.get(ino).size() {
        call.change()
            .signals
            .send(SIGXFSZ, Recipient::Thread, SI_USER, 0);
        return Err(EFBIG.into());
    }
    let old = call.world().fs.get(ino).size();
    call.file_changes(ino, old.min(len), old.max(len));
    call.resize(ino, len);
    call.touch_modified(ino);
    call.drop_privilege_bits(ino);
    Ok(0.into())
}

pub(crate) fn truncate(call: &mut Call<'_>) -> CallResult {
    let len = call.arg(1, "a file size");
    if (len as i64) < 0 {
        return Err(EINVAL.into());
    }
    let path = call.path(0)?;
    let ino = call.resolve(AT_FDCWD, &path, true)?;
    match &call.world().fs.get(ino).kind {
        InodeKind::Directory(_) | InodeKind::DescriptorDirectory => return Err(EISDIR.into()),
        InodeKind::File(content) => content.writable()?,
        _ => return Err(EINVAL.into()),
    }
    call.require(ino, 2)?;
    check_length(len)?;
    set_length(call, ino, len)
}

pub(crate) fn ftruncate(call: &mut Call<'_>) -> CallResult {
    let (fd, len) = (call.int(0, "a descriptor"), call.arg(1, "a file size"));
    if (len as i64) < 0 {
        return Err(EINVAL.into());
    }
    let description = call.world().descriptors.get(fd)?;
    let (ino, writable) = (description.ino, description.writable());
    let stream = call.settle_stream(ino);
    match &call.world().fs.get(ino).kind {
        InodeKind::File(content) => content.writable()?,
        InodeKind::Stream(_) if stream == Some(StreamKind::File) => {}
        _ => return Err(EINVAL.into()),
    }
    if !writable {
        return Err(EINVAL.into());
    }
    check_length(len)?;
    set_length(call, ino, len)
}

/// `fallocate`: only the plain form, which extends the file.
pub(crate) fn fallocate(call: &mut Call<'_>) -> CallResult {
    let (fd, mode) = (
        call.int(0, "a descriptor"),
        call.flags(1, "the mode of fallocate"),
    );
    let (offset, len) = (call.arg(2, "a file offset"), call.arg(3, "a file size"));
    let description = call.world().descriptors.get(fd)?;
    let ino = description.ino;
    if (offset as i64) < 0 || (len as i64) <= 0 {
        return Err(EINVAL.into());
    }
    if mode != 0 {
        return Err(EOPNOTSUPP.into());
    }
    if !description.writable() {
        return Err(EBADF.into());
    }
    call.settle_size(ino);
    call.apply_settled();
    let InodeKind::File(content) = &call.world().fs.get(ino).kind else {
        return Err(if call.world().fs.get(ino).file_type() == Some(S_IFIFO) {
            ESPIPE
        } else {
            ENODEV
        }
        .into());
    };
    content.writable()?;
    let end = offset + len;
    if end > FILE_MAX {
        return Err(EFBIG.into());
    }
    if end > content.size() {
        set_length(call, ino, end)
    } else {
        Ok(0.into())
    }
}

/// The get, set, list and remove calls of extended attributes: this file system has none.
fn no_attributes(call: &mut Call<'_>, follow: bool) -> CallResult {
    let path = call.path(0)?;
    call.resolve(AT_FDCWD, &path, follow)?;
    Err(EOPNOTSUPP.into())
}

pub(crate) fn no_attributes_of_path(call: &mut Call<'_>) -> CallResult {
    no_attributes(call, true)
}

pub(crate) fn no_attributes_of_link(call: &mut Call<'_>) -> CallResult {
    no_attributes(call, false)
}

pub(crate) fn no_attributes_of_descriptor(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    call.world().descriptors.get(fd)?;
    Err(EOPNOTSUPP.into())
}
