//! Making, removing and moving names: link, symlink, unlink, rmdir, mkdir, mknod, rename.

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Byte, Bytes, Chunk};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::content::Content;
use crate::fs::ROOT;
use crate::inode::{Directory, Ino, InodeKind, Pipe};
use crate::path::{Last, Resolved};

/// A path argument whose error, if any, comes after other checks.
type LatePath = Result<Bytes, EarlyReturn>;

/// Checks that an entry can be made where a path leads, and returns its name.
fn new_entry(call: &mut Call<'_>, found: &Resolved, directory: bool) -> Result<Bytes, EarlyReturn> {
    let name = free_name(call, found, directory)?;
    call.require_entry_change(found.dir)?;
    Ok(name)
}

/// The name of an entry that is not there yet.
fn free_name(call: &mut Call<'_>, found: &Resolved, directory: bool) -> Result<Bytes, EarlyReturn> {
    if found.ino.is_some() || !matches!(found.last, Last::Name(_) | Last::Open(_)) {
        return Err(EEXIST.into());
    }
    if found.slash && !directory {
        return Err(found.missing().into());
    }
    call.new_name(&found.last)
}

/// Permission to remove an entry: write permission, and with the sticky bit ownership.
fn require_removal(call: &mut Call<'_>, dir: Ino, ino: Ino) -> Result<(), EarlyReturn> {
    call.require_entry_change(dir)?;
    let world = call.world();
    let uid = world.process.uid.effective;
    let (parent, inode) = (world.fs.get(dir), world.fs.get(ino));
    let sticky = parent.mode_bits().is_some_and(|m| m & 0o1000 != 0);
    if sticky && uid != 0 && inode.uid != uid && parent.uid != uid {
        Err(EPERM.into())
    } else {
        Ok(())
    }
}

fn name(found: &Resolved) -> &Bytes {
    match &found.last {
        Last::Name(name) => name,
        _ => unreachable!("an entry that was found has a name"),
    }
}

fn make_directory(call: &mut Call<'_>, dirfd: i32, path: &Bytes, mode: u32) -> CallResult {
    let found = call.lookup_entry(dirfd, path)?;
    let name = new_entry(call, &found, true)?;
    let kind = InodeKind::Directory(Directory::new(found.dir));
    call.add_file(found.dir, &name, kind, S_IFDIR | mode & 0o1777);
    Ok(0.into())
}

pub(crate) fn mkdir(call: &mut Call<'_>) -> CallResult {
    let (path, mode) = (call.path(0)?, call.flags(1, "a file mode"));
    make_directory(call, AT_FDCWD, &path, mode)
}

pub(crate) fn mkdirat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let (path, mode) = (call.path(1)?, call.flags(2, "a file mode"));
    make_directory(call, dirfd, &path, mode)
}

fn make_node(call: &mut Call<'_>, dirfd: i32, path: LatePath, mode: u32) -> CallResult {
    let kind = match mode & S_IFMT {
        0 | S_IFREG => InodeKind::File(Content::default()),
        S_IFIFO => InodeKind::Pipe(Pipe::default()),
        S_IFCHR | S_IFBLK => InodeKind::Gone,
        S_IFSOCK => {
            call.note_unmodelled("mknod of a socket");
            return Err(EOPNOTSUPP.into());
        }
        S_IFDIR => return Err(EPERM.into()),
        _ => return Err(EINVAL.into()),
    };
    let found = call.lookup_entry(dirfd, &path?)?;
    let name = new_entry(call, &found, false)?;
    if matches!(kind, InodeKind::Gone) {
        if call.world().process.uid.effective == 0 {
            call.note_unmodelled("mknod of a device");
        }
        return Err(EPERM.into());
    }
    let file_type = if mode & S_IFMT == S_IFIFO {
        S_IFIFO
    } else {
        S_IFREG
    };
    call.add_file(found.dir, &name, kind, file_type | mode & 0o7777);
    Ok(0.into())
}

pub(crate) fn mknod(call: &mut Call<'_>) -> CallResult {
    let (path, mode) = (call.path(0), call.flags(1, "a file mode"));
    make_node(call, AT_FDCWD, path, mode)
}

pub(crate) fn mknodat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let (path, mode) = (call.path(1), call.flags(2, "a file mode"));
    make_node(call, dirfd, path, mode)
}

fn make_symlink(call: &mut Call<'_>, target: &Bytes, dirfd: i32, path: LatePath) -> CallResult {
    if call.ask_byte(target, 0, 0) {
        return Err(ENOENT.into());
    }
    let found = call.lookup_entry(dirfd, &path?)?;
    let name = new_entry(call, &found, false)?;
    let len = (1..target.len())
        .find(|&k| call.ask_byte(target, k, 0))
        .unwrap_or(target.len());
    let kind = InodeKind::Symlink(Rc::new(Chunk::new(&target.slice(0..len))));
    call.add_file(found.dir, &name, kind, S_IFLNK | 0o777);
    Ok(0.into())
}

pub(crate) fn symlink(call: &mut Call<'_>) -> CallResult {
    let (target, path) = (call.path(0)?, call.path(1));
    make_symlink(call, &target, AT_FDCWD, path)
}

pub(crate) fn symlinkat(call: &mut Call<'_>) -> CallResult {
    let (target, dirfd) = (call.path(0)?, call.int(1, "a directory descriptor"));
    let path = call.path(2);
    make_symlink(call, &target, dirfd, path)
}

/// With protected hard links, as systems have them, others' files can only be linked by those who
/// may read and write them.
fn require_link_source(call: &mut Call<'_>, ino: Ino) -> Result<(), EarlyReturn> {
    if call.require_owner(ino).is_ok() {
        return Ok(());
    }
    let inode = call.world().fs.get(ino);
    let privileged = inode
        .mode_bits()
        .is_none_or(|m| m & 0o4000 != 0 || m & 0o2010 == 0o2010);
    let regular = inode.file_type() == Some(S_IFREG);
    if regular && !privileged && call.permitted(ino, 6, false) {
        Ok(())
    } else {
        Err(EPERM.into())
    }
}

fn make_link(
    call: &mut Call<'_>,
    old: (i32, Bytes),
    new: (i32, LatePath),
    flags: u32,
) -> CallResult {
    let ino = call.resolve(old.0, &old.1, flags & AT_SYMLINK_FOLLOW != 0)?;
    let found = call.lookup_entry(new.0, &new.1?)?;
    let name = free_name(call, &found, false)?;
    require_link_source(call, ino)?;
    call.require_entry_change(found.dir)?;
    if call.world().fs.get(ino).is_directory() {
        return Err(EPERM.into());
    }
    if matches!(call.world().fs.get(ino).kind, InodeKind::Stream(_)) {
        return Err(EXDEV.into());
    }
    call.apply_settled();
    call.add_links(ino, 1);
    call.change().fs.enter(found.dir, &name, ino);
    call.touch_changed(ino);
    call.touch_modified(found.dir);
    Ok(0.into())
}

pub(crate) fn link(call: &mut Call<'_>) -> CallResult {
    let (old, new) = (call.path(0)?, call.path(1));
    make_link(call, (AT_FDCWD, old), (AT_FDCWD, new), 0)
}

pub(crate) fn linkat(call: &mut Call<'_>) -> CallResult {
    let flags = call.flags(4, "flags");
    if flags & !(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(EINVAL.into());
    }
    let old = (call.int(0, "a directory descriptor"), call.path(1)?);
    let new = (call.int(2, "a directory descriptor"), call.path(3));
    make_link(call, old, new, flags)
}

fn remove_file(call: &mut Call<'_>, dirfd: i32, path: &Bytes) -> CallResult {
    let found = call.lookup_entry(dirfd, path)?;
    if !matches!(found.last, Last::Name(_) | Last::Open(_)) {
        return Err(EISDIR.into());
    }
    let ino = found.ino.ok_or(found.missing())?;
    let directory = call.world().fs.get(ino).is_directory();
    if found.slash {
        return Err(if directory { EISDIR } else { ENOTDIR }.into());
    }
    require_removal(call, found.dir, ino)?;
    if directory {
        return Err(EISDIR.into());
    }
    call.change().fs.remove(found.dir, name(&found), ino);
    call.add_links(ino, -1);
    call.touch_changed(ino);
    call.touch_modified(found.dir);
    call.release(ino);
    Ok(0.into())
}

fn remove_directory(call: &mut Call<'_>, dirfd: i32, path: &Bytes) -> CallResult {
    let found = call.lookup_entry(dirfd, path)?;
    match found.last {
        Last::DotDot => return Err(ENOTEMPTY.into()),
        Last::Dot => return Err(EINVAL.into()),
        Last::Root => return Err(EBUSY.into()),
        Last::Name(_) | Last::Open(_) => {}
    }
    let ino = found.ino.ok_or(found.missing())?;
    require_removal(call, found.dir, ino)?;
    if !call.world().fs.get(ino).is_directory() {
        return Err(ENOTDIR.into());
    }
    call.require_empty(ino)?;
    call.change().fs.remove(found.dir, name(&found), ino);
    call.detach_directory(found.dir, ino);
    call.touch_modified(found.dir);
    Ok(0.into())
}

impl Call<'_> {
    /// A lookup that does not follow a symbolic link, even when a slash follows it.
    fn lookup_entry(&mut self, dirfd: i32, path: &Bytes) -> Result<Resolved, EarlyReturn> {
        // A concrete trailing slash is taken off here and put back into the answer.
        let mut end = path.len() - 1;
        while end > 1 && path.get(end - 1) == Byte::Concrete(b'/') {
            end -= 1;
        }
        if end == path.len() - 1 || path.get(end - 1) == Byte::Concrete(b'/') {
            return self.lookup(dirfd, path, false);
        }
        let mut plain = path.slice(0..end);
        plain.push(Byte::Concrete(0));
        Ok(Resolved {
            slash: true,
            ..self.lookup(dirfd, &plain, false)?
        })
    }

    fn require_empty(&mut self, ino: Ino) -> Result<(), EarlyReturn> {
        match &self.world().fs.get(ino).kind {
            InodeKind::Directory(directory) => {
                if directory.unread.is_some() {
                    self.change().fs.load(ino)?;
                }
                if self.world().fs.directory(ino)?.is_empty() {
                    Ok(())
                } else {
                    Err(ENOTEMPTY.into())
                }
            }
            _ => Err(EBUSY.into()),
        }
    }

    /// After the entry of a directory in `parent` is gone.
    fn detach_directory(&mut self, parent: Ino, ino: Ino) {
        let world = self.change();
        world.fs.get_mut(ino).nlink = 0.into();
        world.fs.bump_links(parent, -1);
        self.touch_changed(ino);
    }

    /// Whether `ancestor` is `ino` or above it.
    fn is_above(&self, ancestor: Ino, ino: Ino) -> bool {
        let mut at = ino;
        loop {
            if at == ancestor {
                return true;
            }
            match &self.world().fs.get(at).kind {
                InodeKind::Directory(directory) if at != ROOT => at = directory.parent,
                _ => return false,
            }
        }
    }
}

pub(crate) fn unlink(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    remove_file(call, AT_FDCWD, &path)
}

pub(crate) fn rmdir(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    remove_directory(call, AT_FDCWD, &path)
}

pub(crate) fn unlinkat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let flags = call.flags(2, "flags");
    if flags & !AT_REMOVEDIR != 0 {
        return Err(EINVAL.into());
    }
    let path = call.path(1)?;
    if flags & AT_REMOVEDIR != 0 {
        remove_directory(call, dirfd, &path)
    } else {
        remove_file(call, dirfd, &path)
    }
}

fn move_entry(
    call: &mut Call<'_>,
    old: (i32, Bytes),
    new: (i32, LatePath),
    flags: u32,
) -> CallResult {
    let exchange = flags & RENAME_EXCHANGE != 0;
    let from = call.lookup_entry(old.0, &old.1)?;
    let to = call.lookup_entry(new.0, &new.1?)?;
    let ordinary = |found: &Resolved| matches!(found.last, Last::Name(_) | Last::Open(_));
    if !ordinary(&from) {
        return Err(EBUSY.into());
    }
    if !ordinary(&to) {
        return Err(if flags & RENAME_NOREPLACE != 0 {
            EEXIST
        } else {
            EBUSY
        }
        .into());
    }
    let source = from.ino.ok_or(from.missing())?;
    if to.ino.is_some() && flags & RENAME_NOREPLACE != 0 {
        return Err(EEXIST.into());
    }
    if to.ino.is_none() && (exchange || to.missing() == ENAMETOOLONG) {
        return Err(to.missing().into());
    }
    let source_directory = call.world().fs.get(source).is_directory();
    if !source_directory && (from.slash || (!exchange && to.slash)) {
        return Err(ENOTDIR.into());
    }
    if exchange
        && to.slash
        && to
            .ino
            .is_some_and(|ino| !call.world().fs.get(ino).is_directory())
    {
        return Err(ENOTDIR.into());
    }
    if source_directory && call.is_above(source, to.dir) {
        return Err(EINVAL.into());
    }
    if let Some(target) = to.ino
        && target != source
        && call.world().fs.get(target).is_directory()
        && call.is_above(target, from.dir)
    {
        return Err(if exchange { EINVAL } else { ENOTEMPTY }.into());
    }
    if to.ino == Some(source) {
        return Ok(0.into());
    }
    let new_name = match to.ino {
        Some(_) => name(&to).clone(),
        None => call.new_name(&to.last)?,
    };
    require_removal(call, from.dir, source)?;
    match to.ino {
        None => call.require_entry_change(to.dir)?,
        Some(target) => {
            require_removal(call, to.dir, target)?;
            let target_directory = call.world().fs.get(target).is_directory();
            if !exchange && source_directory && !target_directory {
                return Err(ENOTDIR.into());
            }
            if !exchange && !source_directory && target_directory {
                return Err(EISDIR.into());
            }
        }
    }
    // A directory that moves gets a new "..".
    if source_directory && from.dir != to.dir {
        call.require(source, 2)?;
    }
    if let Some(target) = to.ino
        && source_directory
        && !exchange
    {
        call.require_empty(target)?;
    }
    call.apply_settled();
    match to.ino {
        Some(target) if exchange => swap(call, &from, source, &to, target),
        replaced => replace(call, &from, source, &to, &new_name, replaced),
    }
    call.touch_changed(source);
    call.touch_modified(from.dir);
    call.touch_modified(to.dir);
    if let Some(target) = to.ino {
        call.release(target);
    }
    Ok(0.into())
}

fn replace(
    call: &mut Call<'_>,
    from: &Resolved,
    source: Ino,
    to: &Resolved,
    new_name: &Bytes,
    replaced: Option<Ino>,
) {
    let directory = call.world().fs.get(source).is_directory();
    if let Some(target) = replaced {
        call.change().fs.remove(to.dir, new_name, target);
        if directory {
            call.detach_directory(to.dir, target)
        } else {
            call.add_links(target, -1);
            call.touch_changed(target);
        }
    }
    let fs = &mut call.change().fs;
    fs.remove(from.dir, name(from), source);
    fs.enter(to.dir, new_name, source);
    if directory {
        fs.bump_links(from.dir, -1);
        fs.bump_links(to.dir, 1);
    }
}

fn swap(call: &mut Call<'_>, from: &Resolved, source: Ino, to: &Resolved, target: Ino) {
    let directories = [source, target].map(|ino| call.world().fs.get(ino).is_directory() as i64);
    let fs = &mut call.change().fs;
    fs.remove(from.dir, name(from), source);
    fs.remove(to.dir, name(to), target);
    fs.enter(to.dir, name(to), source);
    fs.enter(from.dir, name(from), target);
    fs.bump_links(from.dir, directories[1] - directories[0]);
    fs.bump_links(to.dir, directories[0] - directories[1]);
    call.touch_changed(target);
}

pub(crate) fn rename(call: &mut Call<'_>) -> CallResult {
    let (old, new) = (call.path(0)?, call.path(1));
    move_entry(call, (AT_FDCWD, old), (AT_FDCWD, new), 0)
}

pub(crate) fn renameat(call: &mut Call<'_>) -> CallResult {
    let old = (call.int(0, "a directory descriptor"), call.path(1)?);
    let new = (call.int(2, "a directory descriptor"), call.path(3));
    move_entry(call, old, new, 0)
}

pub(crate) fn renameat2(call: &mut Call<'_>) -> CallResult {
    let flags = call.flags(4, "flags");
    if flags & !(RENAME_NOREPLACE | RENAME_EXCHANGE) != 0
        || flags == RENAME_NOREPLACE | RENAME_EXCHANGE
    {
        return Err(EINVAL.into());
    }
    let old = (call.int(0, "a directory descriptor"), call.path(1)?);
    let new = (call.int(2, "a directory descriptor"), call.path(3));
    move_entry(call, old, new, flags)
}
