//! The objects behind names and descriptors: files, directories, symbolic links, pipes, devices and the program's
//! three standard streams.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Bytes, Chunk, Field, Word};
use crate::content::Content;
use crate::output::Stream;
use crate::sizes::Sizes;
use crate::trace::Tracer;

/// Index of an inode; also its `st_ino`.
pub(crate) type Ino = u32;

/// A point in time on the modelled clock.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) sec: Field,
    pub(crate) nsec: u32,
}

impl Stamp {
    pub(crate) fn new(sec: i64, nsec: u32) -> Stamp {
        Stamp {
            sec: (sec as u64).into(),
            nsec,
        }
    }
}

/// A file of any type with its attributes.
#[derive(Clone, Debug)]
pub(crate) struct Inode {
    pub(crate) kind: InodeKind,
    /// Type and permission bits, as in `st_mode`.
    pub(crate) mode: Field,
    pub(crate) nlink: Field,
    /// The size when it is open (without `--sym-exact`): at most that of the content; symbolic until a
    /// call needs to know, then 0.
    pub(crate) open_size: Field,
    /// The sizes that an open one may be.
    pub(crate) sizes: Sizes,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) rdev: u64,
    pub(crate) atime: Stamp,
    pub(crate) mtime: Stamp,
    pub(crate) ctime: Stamp,
}

#[derive(Clone, Debug)]
pub(crate) enum InodeKind {
    File(Content),
    Directory(Directory),
    Symlink(Rc<Chunk>),
    /// An anonymous pipe or a FIFO.
    Pipe(Pipe),
    Device(Device),
    Stream(StreamFile),
    /// `/proc/self/fd`: its entries are the open descriptors.
    DescriptorDirectory,
    /// Removed and closed; only its number is left.
    Gone,
}

/// Entries of a directory; `.` and `..` are implied.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub(crate) parent: Ino,
    pub(crate) entries: BTreeMap<Rc<[u8]>, Entry>,
    /// Entries whose names hold symbolic bytes; pairwise different, and different from `entries`,
    /// on every path that reaches this state.
    pub(crate) symbolic: Vec<(Rc<Chunk>, Ino)>,
    /// The host directory that has not been listed yet.
    pub(crate) unread: Option<Rc<PathBuf>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Inode(Ino),
    /// Seen in a host directory, not looked at yet.
    Host(Rc<PathBuf>),
}

impl Directory {
    pub(crate) fn new(parent: Ino) -> Directory {
        Directory {
            parent,
            entries: BTreeMap::new(),
            symbolic: Vec::new(),
            unread: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.symbolic.is_empty() && self.unread.is_none()
    }
}

/// The queue of a pipe; the front of `bytes` is read next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    pub(crate) bytes: Rc<Chunk>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Device {
    Null,
    Zero,
    Full,
    Random,
    /// The controlling terminal; the program has none, so it cannot be opened.
    Tty,
}

/// The kind of a standard stream of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum StreamKind {
    /// A regular file.
    File,
    /// A pipe.
    Pipe,
    /// A terminal (raw: bytes pass unchanged).
    Terminal,
    /// `/dev/null`.
    Null,
    /// A file or a pipe: `st_mode` is symbolic, and the path forks only when the program looks.
    Any,
}

impl StreamKind {
    /// The `st_mode` of such a stream; `None` when it is symbolic.
    pub(crate) fn mode(self) -> Option<u32> {
        match self {
            StreamKind::File => Some(S_IFREG | 0o644),
            StreamKind::Pipe => Some(S_IFIFO | 0o600),
            StreamKind::Terminal => Some(S_IFCHR | 0o620),
            StreamKind::Null => Some(S_IFCHR | 0o666),
            StreamKind::Any => None,
        }
    }
}

/// One of the standard streams.
#[derive(Clone, Debug)]
pub(crate) struct StreamFile {
    pub(crate) stream: Stream,
    pub(crate) kind: StreamKind,
    /// Input: all of it. Output: what was written, kept once the stream is known to be a file.
    pub(crate) content: Content,
    /// How much of the input a pipe's or terminal's reader has consumed.
    pub(crate) consumed: u64,
}

impl Inode {
    /// A new inode with one link and all times `now`.
    pub(crate) fn new(kind: InodeKind, mode: u32, owner: (u32, u32), now: (i64, u32)) -> Inode {
        let stamp = Stamp::new(now.0, now.1);
        Inode {
            kind,
            mode: (mode as u64).into(),
            nlink: 1.into(),
            open_size: 0.into(),
            sizes: Sizes::Full,
            uid: owner.0,
            gid: owner.1,
            rdev: 0,
            atime: stamp.clone(),
            mtime: stamp.clone(),
            ctime: stamp,
        }
    }

    /// Takes the times and the link count of a host file.
    pub(crate) fn show(&mut self, meta: &Metadata) {
        self.atime = Stamp::new(meta.atime(), meta.atime_nsec() as u32);
        self.mtime = Stamp::new(meta.mtime(), meta.mtime_nsec() as u32);
        self.ctime = Stamp::new(meta.ctime(), meta.ctime_nsec() as u32);
        self.nlink = meta.nlink().into();
    }

    /// The S_IF* bits, or `None` for a stream whose type is symbolic.
    pub(crate) fn file_type(&self) -> Option<u32> {
        Some(match &self.kind {
            InodeKind::File(_) => S_IFREG,
            InodeKind::Directory(_) | InodeKind::DescriptorDirectory => S_IFDIR,
            InodeKind::Symlink(_) => S_IFLNK,
            InodeKind::Pipe(_) => S_IFIFO,
            InodeKind::Device(_) => S_IFCHR,
            InodeKind::Stream(s) => s.kind.mode()? & S_IFMT,
            InodeKind::Gone => S_IFREG,
        })
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(
            self.kind,
            InodeKind::Directory(_) | InodeKind::DescriptorDirectory
        )
    }

    /// `st_size`.
    pub(crate) fn size(&self) -> u64 {
        match &self.kind {
            InodeKind::File(content) => content.size(),
            InodeKind::Symlink(target) => target.len() as u64,
            InodeKind::Directory(_) => 4096,
            InodeKind::Stream(s) if s.kind == StreamKind::File => s.content.size(),
            _ => 0,
        }
    }

    pub(crate) fn mode_bits(&self) -> Option<u32> {
        match self.mode.get() {
            Word::Concrete(mode) => Some(mode as u32),
            Word::Symbolic(_) => None,
        }
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        for field in [
            &self.mode,
            &self.nlink,
            &self.open_size,
            &self.atime.sec,
            &self.mtime.sec,
            &self.ctime.sec,
        ] {
            field.trace(tracer.visit);
        }
        match &self.kind {
            InodeKind::File(content) => content.trace(tracer),
            InodeKind::Symlink(target) => tracer.chunk(target),
            InodeKind::Pipe(pipe) => tracer.chunk(&pipe.bytes),
            InodeKind::Stream(stream) => stream.content.trace(tracer),
            InodeKind::Directory(directory) => directory
                .symbolic
                .iter()
                .for_each(|(name, _)| tracer.chunk(name)),
            InodeKind::Device(_) | InodeKind::DescriptorDirectory | InodeKind::Gone => {}
        }
    }
}

impl Pipe {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn append(&mut self, bytes: &Bytes) {
        let mut queue = self.bytes.to_bytes();
        queue.extend(bytes);
        self.bytes = Rc::new(Chunk::new(&queue));
    }

    /// Removes the first `count` bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        self.bytes = Rc::new(Chunk::new(&self.bytes.bytes(count..self.len())));
    }
}
