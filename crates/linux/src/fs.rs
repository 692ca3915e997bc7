//! The private file system: a table of inodes, of which the directories make a tree.
//!
//! A fork shares the table; a change copies the table of pointers and the one inode. Host
//! directories are listed, and their entries looked at, when a path first leads through them;
//! that fills in what was there from the start, and is no change that a program could observe.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Bytes, Chunk};
use crate::content::{Content, HostFile};
use crate::inode::{Device, Directory, Entry, Ino, Inode, InodeKind, Pipe};
use crate::trace::Tracer;

/// The root directory.
pub(crate) const ROOT: Ino = 1;

#[derive(Clone, Debug)]
pub(crate) struct FileSystem {
    inodes: Rc<Vec<Rc<Inode>>>,
    /// Owner of what the host view shows.
    owner: (u32, u32),
    /// Host files with several names that were looked at: device and number there → ours.
    linked: Rc<BTreeMap<(u64, u64), Ino>>,
}

impl FileSystem {
    /// An empty root directory. It belongs to root, like the ones made by `make_directories`.
    pub(crate) fn new(owner: (u32, u32), now: (i64, u32)) -> FileSystem {
        let unused = Rc::new(Inode::new(InodeKind::Gone, 0, (0, 0), now));
        let mut root = Inode::new(
            InodeKind::Directory(Directory::new(ROOT)),
            S_IFDIR | 0o755,
            (0, 0),
            now,
        );
        root.nlink = 2.into();
        FileSystem {
            inodes: Rc::new(vec![unused, Rc::new(root)]),
            owner,
            linked: Rc::default(),
        }
    }

    pub(crate) fn get(&self, ino: Ino) -> &Inode {
        &self.inodes[ino as usize]
    }

    pub(crate) fn get_mut(&mut self, ino: Ino) -> &mut Inode {
        Rc::make_mut(&mut Rc::make_mut(&mut self.inodes)[ino as usize])
    }

    /// Adds an inode that no directory names yet.
    pub(crate) fn add(&mut self, inode: Inode) -> Ino {
        let inodes = Rc::make_mut(&mut self.inodes);
        inodes.push(Rc::new(inode));
        inodes.len() as Ino - 1
    }

    /// Bytes that are kept for files.
    pub(crate) fn stored(&self) -> u64 {
        let content = |inode: &Rc<Inode>| match &inode.kind {
            InodeKind::File(content) => content.stored(),
            InodeKind::Stream(stream) => stream.content.stored(),
            _ => 0,
        };
        self.inodes.iter().map(content).sum()
    }

    pub(crate) fn directory(&self, ino: Ino) -> Result<&Directory, i32> {
        match &self.get(ino).kind {
            InodeKind::Directory(directory) => Ok(directory),
            _ => Err(ENOTDIR),
        }
    }

    pub(crate) fn directory_mut(&mut self, ino: Ino) -> &mut Directory {
        match &mut self.get_mut(ino).kind {
            InodeKind::Directory(directory) => directory,
            _ => unreachable!("only directories have entries"),
        }
    }

    /// Enters `child` under `name`; link counts are the caller's.
    pub(crate) fn enter(&mut self, dir: Ino, name: &Bytes, child: Ino) {
        let directory = self.directory_mut(dir);
        match name.as_concrete() {
            Some(bits) => {
                directory.entries.insert(bits.into(), Entry::Inode(child));
            }
            None => directory.symbolic.push((Rc::new(Chunk::new(name)), child)),
        }
        self.reparent(child, dir);
    }

    fn reparent(&mut self, child: Ino, dir: Ino) {
        if matches!(&self.get(child).kind, InodeKind::Directory(d) if d.parent != dir) {
            self.directory_mut(child).parent = dir;
        }
    }

    /// Removes the entry `name`, which leads to `child`.
    pub(crate) fn remove(&mut self, dir: Ino, name: &Bytes, child: Ino) {
        let directory = self.directory_mut(dir);
        // The name that was found is the entry's own, so it is equal byte by byte.
        if name
            .as_concrete()
            .is_some_and(|bits| directory.entries.remove(bits).is_some())
        {
        } else {
            directory
                .symbolic
                .retain(|(n, ino)| *ino != child || n.to_bytes() != *name)
        }
    }

    /// The entry of this exact concrete name.
    pub(crate) fn find(&mut self, dir: Ino, name: &[u8]) -> Result<Option<Ino>, i32> {
        self.load(dir)?;
        match self.directory(dir)?.entries.get(name) {
            None => Ok(None),
            Some(Entry::Inode(ino)) => Ok(Some(*ino)),
            Some(Entry::Host(path)) => {
                let path = path.clone();
                self.look_at(dir, name, &path)
            }
        }
    }

    /// Lists a host directory, if that has not been done.
    pub(crate) fn load(&mut self, dir: Ino) -> Result<(), i32> {
        let InodeKind::Directory(Directory {
            unread: Some(path), ..
        }) = &self.get(dir).kind
        else {
            return Ok(());
        };
        let path = path.clone();
        let listing = std::fs::read_dir(&*path).map_err(|_| EIO)?;
        let directory = self.directory_mut(dir);
        directory.unread = None;
        for item in listing {
            let item = item.map_err(|_| EIO)?;
            let name: Rc<[u8]> = item.file_name().as_bytes().into();
            let visible = item
                .file_type()
                .is_ok_and(|t| t.is_file() || t.is_dir() || t.is_symlink() || t.is_fifo());
            if visible {
                directory
                    .entries
                    .entry(name)
                    .or_insert_with(|| Entry::Host(Rc::new(item.path())));
            }
        }
        Ok(())
    }

    /// Makes the inode of a host file.
    fn look_at(&mut self, dir: Ino, name: &[u8], path: &Path) -> Result<Option<Ino>, i32> {
        let meta = std::fs::symlink_metadata(path).map_err(|_| EIO)?;
        let identity = (meta.dev(), meta.ino());
        let has_names = !meta.is_dir() && meta.nlink() > 1;
        if let Some(&ino) = self.linked.get(&identity).filter(|_| has_names) {
            self.directory_mut(dir)
                .entries
                .insert(name.into(), Entry::Inode(ino));
            return Ok(Some(ino));
        }
        let kind = if meta.is_dir() {
            InodeKind::Directory(Directory {
                unread: Some(Rc::new(path.to_path_buf())),
                ..Directory::new(dir)
            })
        } else if meta.is_symlink() {
            let target = std::fs::read_link(path).map_err(|_| EIO)?;
            InodeKind::Symlink(Rc::new(Chunk::new(&Bytes::concrete(
                target.as_os_str().as_bytes(),
            ))))
        } else if meta.file_type().is_fifo() {
            InodeKind::Pipe(Pipe::default())
        } else {
            InodeKind::File(Content::from_host(
                HostFile::new(path.to_path_buf(), meta.blocks()),
                meta.len(),
            ))
        };
        let mut inode = Inode::new(kind, meta.mode(), self.owner, (0, 0));
        inode.show(&meta);
        let ino = self.add(inode);
        if has_names {
            Rc::make_mut(&mut self.linked).insert(identity, ino);
        }
        self.directory_mut(dir)
            .entries
            .insert(name.into(), Entry::Inode(ino));
        Ok(Some(ino))
    }

    /// Puts a host directory into the tree.
    pub(crate) fn mount(&mut self, at: &str, host: &Path, now: (i64, u32)) {
        let dir = self.make_directories(at, now);
        self.directory_mut(dir).unread = Some(Rc::new(PathBuf::from(host)));
        let owner = self.owner;
        let inode = self.get_mut(dir);
        (inode.uid, inode.gid) = owner;
        // One that cannot be looked at cannot be listed either: that is seen, and told, later.
        if let Ok(meta) = std::fs::metadata(host) {
            inode.mode = u64::from(meta.mode()).into();
            inode.show(&meta);
        }
    }

    /// The directory at an absolute path; directories that are missing are made, owned by root.
    pub(crate) fn make_directories(&mut self, path: &str, now: (i64, u32)) -> Ino {
        let mut dir = ROOT;
        for name in path.split('/').filter(|n| !n.is_empty() && *n != ".") {
            dir = match self.find(dir, name.as_bytes()) {
                Ok(Some(child)) if self.get(child).is_directory() => child,
                _ => self.make_directory(dir, name, (0, 0), 0o755, now),
            };
        }
        dir
    }

    pub(crate) fn make_directory(
        &mut self,
        dir: Ino,
        name: &str,
        owner: (u32, u32),
        mode: u32,
        now: (i64, u32),
    ) -> Ino {
        let mut inode = Inode::new(
            InodeKind::Directory(Directory::new(dir)),
            S_IFDIR | mode,
            owner,
            now,
        );
        inode.nlink = 2.into();
        let ino = self.add(inode);
        self.enter(dir, &Bytes::concrete(name), ino);
        self.bump_links(dir, 1);
        ino
    }

    /// Adds a device node.
    pub(crate) fn make_device(
        &mut self,
        dir: Ino,
        name: &str,
        device: Device,
        number: (u64, u64),
        now: (i64, u32),
    ) -> Ino {
        let mut inode = Inode::new(InodeKind::Device(device), S_IFCHR | 0o666, (0, 0), now);
        inode.rdev = number.0 << 8 | number.1;
        let ino = self.add(inode);
        self.enter(dir, &Bytes::concrete(name), ino);
        ino
    }

    /// Changes a link count; a symbolic one (of a symbolic file) is moved as a term by the caller.
    pub(crate) fn bump_links(&mut self, ino: Ino, by: i64) {
        let inode = self.get_mut(ino);
        if let crate::Word::Concrete(count) = inode.nlink.get() {
            inode.nlink = count.wrapping_add_signed(by).into();
        }
    }

    /// Names in listing order with their inodes; host entries are looked at.
    pub(crate) fn list(&mut self, dir: Ino) -> Result<Vec<(Bytes, Ino)>, i32> {
        self.load(dir)?;
        let names: Vec<Rc<[u8]>> = self.directory(dir)?.entries.keys().cloned().collect();
        let mut listing = Vec::with_capacity(names.len());
        for name in names {
            if let Some(ino) = self.find(dir, &name)? {
                listing.push((Bytes::concrete(&name[..]), ino));
            }
        }
        listing.extend(
            self.directory(dir)?
                .symbolic
                .iter()
                .map(|(name, ino)| (name.to_bytes(), *ino)),
        );
        Ok(listing)
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer<'_>) {
        if tracer.first_visit(&self.inodes) {
            for inode in self.inodes.iter() {
                if tracer.first_visit(inode) {
                    inode.trace(tracer);
                }
            }
        }
    }
}
