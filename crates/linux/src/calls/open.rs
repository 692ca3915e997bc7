//! Opening, closing and duplicating descriptors; pipes.

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Bytes, Chunk};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::content::Content;
use crate::descriptor::Description;
use crate::inode::{Device, Ino, Inode, InodeKind, Pipe};
use crate::path::{Last, Resolved};
use crate::state::CallAnswer;

pub(crate) fn open(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    let flags = call.flags(1, "the flags of open");
    let mode = if flags & O_CREAT != 0 {
        call.flags(2, "a file mode")
    } else {
        0
    };
    open_at(call, AT_FDCWD, &path, flags, mode)
}

pub(crate) fn creat(call: &mut Call<'_>) -> CallResult {
    let path = call.path(0)?;
    let mode = call.flags(1, "a file mode");
    open_at(call, AT_FDCWD, &path, O_CREAT | O_WRONLY | O_TRUNC, mode)
}

pub(crate) fn openat(call: &mut Call<'_>) -> CallResult {
    let dirfd = call.int(0, "a directory descriptor");
    let path = call.path(1)?;
    let flags = call.flags(2, "the flags of open");
    let mode = if flags & O_CREAT != 0 {
        call.flags(3, "a file mode")
    } else {
        0
    };
    open_at(call, dirfd, &path, flags, mode)
}

fn open_at(call: &mut Call<'_>, dirfd: i32, path: &Bytes, flags: u32, mode: u32) -> CallResult {
    if path.get(0) == crate::Byte::Concrete(0) {
        return Err(ENOENT.into());
    }
    // With O_PATH only these count.
    let flags = if flags & O_PATH != 0 {
        flags & (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    } else {
        flags
    };
    if flags & O_TMPFILE_BIT != 0 {
        return Err(EOPNOTSUPP.into());
    }
    let fd = call.free_descriptor(0)?;
    let exclusive = flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL;
    let follow = flags & O_NOFOLLOW == 0 && !exclusive;
    let create_file = flags & O_CREAT != 0;
    let found = call.lookup_to_open(dirfd, path, follow, create_file)?;
    let Some(ino) = found.ino else {
        return create(call, fd, &found, flags, mode);
    };
    if exclusive {
        return Err(EEXIST.into());
    }
    let directory = call.world().fs.get(ino).is_directory();
    let file_type = call.world().fs.get(ino).file_type();
    if flags & O_CREAT != 0 && directory {
        return Err(EISDIR.into());
    }
    if (found.slash || flags & O_DIRECTORY != 0) && !directory {
        return Err(ENOTDIR.into());
    }
    if file_type == Some(S_IFLNK) && flags & O_PATH == 0 {
        return Err(ELOOP.into());
    }
    let writes = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0;
    if directory && writes {
        return Err(EISDIR.into());
    }
    if flags & O_PATH == 0 {
        let want = match flags & O_ACCMODE {
            O_RDONLY => 4,
            O_WRONLY => 2,
            _ => 6,
        };
        call.require(ino, want | if flags & O_TRUNC != 0 { 2 } else { 0 })?;
        check_special(call, ino, flags, &found)?;
    }
    let truncates = flags & O_TRUNC != 0 && file_type == Some(S_IFREG);
    let origin = name_of(&found);
    call.apply_settled();
    if truncates {
        let old = call.world().fs.get(ino).size();
        call.file_changes(ino, 0, old);
        call.resize(ino, 0);
        call.touch_modified(ino);
        call.drop_privilege_bits(ino);
    }
    finish(call, fd, ino, flags, origin)
}

/// FIFOs wait for their other end, a terminal is not there, a stream is opened anew.
fn check_special(
    call: &mut Call<'_>,
    ino: Ino,
    flags: u32,
    found: &Resolved,
) -> Result<(), EarlyReturn> {
    match &call.world().fs.get(ino).kind {
        InodeKind::Device(Device::Tty) => Err(ENXIO.into()),
        InodeKind::Pipe(_) if found.descriptor.is_none() => {
            let access = flags & O_ACCMODE;
            let other_end = call.world().descriptors.ends(ino, access == O_RDONLY) > 0;
            match access {
                O_RDWR => Ok(()),
                _ if other_end => Ok(()),
                O_RDONLY if flags & O_NONBLOCK != 0 => Ok(()),
                _ if flags & O_NONBLOCK != 0 => Err(ENXIO.into()),
                _ => {
                    Err(CallAnswer::Block("open of a FIFO waits for another process".into()).into())
                }
            }
        }
        InodeKind::Stream(_) => {
            call.settle_stream(ino);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn name_of(found: &Resolved) -> Option<(Ino, Rc<Chunk>)> {
    match &found.last {
        Last::Name(name) if found.descriptor.is_none() => {
            Some((found.dir, Rc::new(Chunk::new(name))))
        }
        _ => None,
    }
}

fn create(call: &mut Call<'_>, fd: i32, found: &Resolved, flags: u32, mode: u32) -> CallResult {
    if flags & O_CREAT == 0 {
        return Err(found.missing().into());
    }
    let name = call.new_name(&found.last)?;
    call.require_entry_change(found.dir)?;
    if flags & O_DIRECTORY != 0 {
        return Err(EINVAL.into());
    }
    let ino = call.add_file(
        found.dir,
        &name,
        InodeKind::File(Content::default()),
        S_IFREG | mode & 0o7777,
    );
    finish(
        call,
        fd,
        ino,
        flags,
        Some((found.dir, Rc::new(Chunk::new(&name)))),
    )
}

/// Both bits of it, of which one is O_DSYNC. What is written is there at once.
const O_SYNC: u32 = 0x10_1000;
const O_ASYNC: u32 = 0x2000;

fn finish(
    call: &mut Call<'_>,
    fd: i32,
    ino: Ino,
    flags: u32,
    origin: Option<(Ino, Rc<Chunk>)>,
) -> CallResult {
    if flags & O_ASYNC != 0 {
        call.note_unmodelled("O_ASYNC (a signal when there is input)");
    }
    if flags & O_DIRECT != 0 && flags & O_PATH == 0 {
        call.refuse_direct(ino)?;
    }
    let kept = O_ACCMODE
        | O_SYNC
        | O_APPEND
        | O_NONBLOCK
        | O_DIRECT
        | O_NOATIME
        | O_PATH
        | O_DIRECTORY
        | O_NOFOLLOW;
    let large = if flags & O_PATH == 0 { O_LARGEFILE } else { 0 };
    let mut description = Description::new(ino, flags & kept | large);
    description.origin = origin;
    call.change()
        .descriptors
        .open(fd, description, flags & O_CLOEXEC != 0);
    Ok((fd as u64).into())
}

impl Call<'_> {
    /// O_DIRECT makes a pipe one of packets, which is refused, and lets a file system ask for aligned transfers, which this
    /// one does not: programs that rely on the error see none.
    pub(crate) fn refuse_direct(&mut self, ino: Ino) -> Result<(), EarlyReturn> {
        match self.world().fs.get(ino).kind {
            InodeKind::Pipe(_) => {
                self.note_unmodelled(PACKETS);
                Err(EINVAL.into())
            }
            InodeKind::File(_) | InodeKind::Stream(_) => {
                self.note_unmodelled("O_DIRECT, whose transfers a file system wants aligned");
                Ok(())
            }
            _ => Err(EINVAL.into()),
        }
    }

    /// The lowest free descriptor from `least` on.
    pub(crate) fn free_descriptor(&self, least: usize) -> Result<i32, EarlyReturn> {
        let world = self.world();
        Ok(world
            .descriptors
            .free(least, world.process.descriptor_limit())?)
    }

    /// Adding or removing an entry needs write and search permission; a removed directory takes none.
    pub(crate) fn require_entry_change(&mut self, dir: Ino) -> Result<(), EarlyReturn> {
        if matches!(
            self.world().fs.get(dir).kind,
            InodeKind::DescriptorDirectory
        ) {
            return Err(EPERM.into());
        }
        if self.world().fs.get(dir).nlink.get() == crate::Word::Concrete(0) {
            return Err(ENOENT.into());
        }
        self.require(dir, 3)
    }

    /// Makes a new file in a directory, with the umask and the ids of the caller.
    pub(crate) fn add_file(&mut self, dir: Ino, name: &Bytes, kind: InodeKind, mode: u32) -> Ino {
        let now = self.now();
        let process = &self.world().process;
        let parent = self.world().fs.get(dir);
        let inherits = parent.mode_bits().is_some_and(|m| m & 0o2000 != 0);
        let gid = if inherits {
            parent.gid
        } else {
            process.gid.effective
        };
        let directory = matches!(kind, InodeKind::Directory(_));
        let mode = match mode & S_IFMT {
            S_IFLNK => mode,
            _ => mode & !process.umask | if inherits && directory { 0o2000 } else { 0 },
        };
        let owner = (process.uid.effective, gid);
        let world = self.change();
        let ino = world.fs.add(Inode::new(kind, mode, owner, now));
        world.fs.enter(dir, name, ino);
        if directory {
            world.fs.get_mut(ino).nlink = 2.into();
            world.fs.bump_links(dir, 1);
        }
        self.touch_modified(dir);
        ino
    }

    /// Cuts or extends a regular file or a stream that is one.
    pub(crate) fn resize(&mut self, ino: Ino, size: u64) {
        let inode = self.change().fs.get_mut(ino);
        inode.open_size = 0.into();
        match &mut inode.kind {
            InodeKind::File(content) => content.resize(size),
            InodeKind::Stream(stream) => stream.content.resize(size),
            _ => {}
        }
    }

    /// Closes an open descriptor.
    pub(crate) fn close_descriptor(&mut self, fd: i32) -> Result<(), EarlyReturn> {
        if let Some(ino) = self.change().descriptors.close(fd)? {
            self.release(ino);
        }
        Ok(())
    }
}

pub(crate) fn close(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    call.world().descriptors.get_any(fd)?;
    call.close_descriptor(fd)?;
    Ok(0.into())
}

pub(crate) fn close_range(call: &mut Call<'_>) -> CallResult {
    let (first, last, flags) = (
        call.flags(0, "a descriptor"),
        call.flags(1, "a descriptor"),
        call.flags(2, "flags"),
    );
    if first > last || flags & !6 != 0 {
        return Err(EINVAL.into());
    }
    let fds: Vec<i32> = call
        .world()
        .descriptors
        .open_numbers()
        .filter(|&fd| (first..=last).contains(&(fd as u32)))
        .collect();
    for fd in fds {
        if flags & 4 != 0 {
            call.change().descriptors.set_close_on_exec(fd, true)
        } else {
            call.close_descriptor(fd)?
        }
    }
    Ok(0.into())
}

pub(crate) fn dup(call: &mut Call<'_>) -> CallResult {
    let fd = call.int(0, "a descriptor");
    call.world().descriptors.get_any(fd)?;
    let new = call.free_descriptor(0)?;
    call.change().descriptors.duplicate(fd, new, false);
    Ok((new as u64).into())
}

fn dup_to(call: &mut Call<'_>, fd: i32, new: i32, close_on_exec: bool) -> CallResult {
    if new < 0 || new as usize >= call.world().process.descriptor_limit() {
        return Err(EBADF.into());
    }
    call.world().descriptors.get_any(fd)?;
    // The source is duplicated before the old target goes: it may be its last sibling.
    if call.world().descriptors.get_any(new).is_ok() {
        call.close_descriptor(new)?;
    }
    call.change().descriptors.duplicate(fd, new, close_on_exec);
    Ok((new as u64).into())
}

pub(crate) fn dup2(call: &mut Call<'_>) -> CallResult {
    let (fd, new) = (call.int(0, "a descriptor"), call.int(1, "a descriptor"));
    if fd == new {
        call.world().descriptors.get_any(fd)?;
        return Ok((new as u64).into());
    }
    dup_to(call, fd, new, false)
}

pub(crate) fn dup3(call: &mut Call<'_>) -> CallResult {
    let (fd, new, flags) = (
        call.int(0, "a descriptor"),
        call.int(1, "a descriptor"),
        call.flags(2, "flags"),
    );
    if flags & !O_CLOEXEC != 0 || fd == new {
        return Err(EINVAL.into());
    }
    dup_to(call, fd, new, flags & O_CLOEXEC != 0)
}

/// The mode of a pipe with O_DIRECT.
const PACKETS: &str = "O_DIRECT of a pipe (packets)";

fn make_pipe(call: &mut Call<'_>, addr: u64, flags: u32) -> CallResult {
    if flags & !(O_CLOEXEC | O_NONBLOCK | O_DIRECT) != 0 {
        return Err(EINVAL.into());
    }
    if flags & O_DIRECT != 0 {
        call.note_unmodelled(PACKETS);
        return Err(EINVAL.into());
    }
    let read_end = call.free_descriptor(0)?;
    let write_end = call.free_descriptor(read_end as usize + 1)?;
    let mut record = Bytes::zeros(8);
    record.put_int(0, 4, read_end as u64);
    record.put_int(4, 4, write_end as u64);
    call.cx.write(addr, &record)?;
    let now = call.now();
    let process = &call.world().process;
    let owner = (process.uid.effective, process.gid.effective);
    let world = call.change();
    let mut inode = Inode::new(
        InodeKind::Pipe(Pipe::default()),
        S_IFIFO | 0o600,
        owner,
        now,
    );
    inode.nlink = 1.into();
    let ino = world.fs.add(inode);
    let kept = flags & O_NONBLOCK;
    world.descriptors.open(
        read_end,
        Description::new(ino, O_RDONLY | kept),
        flags & O_CLOEXEC != 0,
    );
    world.descriptors.open(
        write_end,
        Description::new(ino, O_WRONLY | kept),
        flags & O_CLOEXEC != 0,
    );
    Ok(0.into())
}

pub(crate) fn pipe(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(0, "an address");
    make_pipe(call, addr, 0)
}

pub(crate) fn pipe2(call: &mut Call<'_>) -> CallResult {
    let (addr, flags) = (call.arg(0, "an address"), call.flags(1, "flags"));
    make_pipe(call, addr, flags)
}
