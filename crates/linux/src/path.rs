//! From a path to an inode, where any byte of the path may be symbolic.
//!
//! A concrete component is looked up as it is. A symbolic one is compared with what the directory
//! holds. To keep the number of questions (each may fork the path) near the number of different
//! outcomes, the first question is whether the rest of the path reaches *anything*: it names an
//! entry, or it has a slash. Its negative answer covers all the strings that name nothing at once.
//! After that, one question per entry that the string can still equal; only a path with a slash is
//! taken apart byte by byte.

use term::Term;

use crate::abi::*;
use crate::bytes::{Byte, Bytes};
use crate::call::{Call, EarlyReturn};
use crate::fs::ROOT;
use crate::inode::{Ino, InodeKind};

/// The last component of a path.
#[derive(Clone, Debug)]
pub(crate) enum Last {
    /// An ordinary name.
    Name(Bytes),
    /// A symbolic name that no entry has; its length is open, a concrete NUL ends the bytes.
    Open(Bytes),
    Dot,
    DotDot,
    Root,
}

/// The target of a path.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The directory that holds (or would hold) the last component.
    pub(crate) dir: Ino,
    pub(crate) last: Last,
    /// A slash follows the last component.
    pub(crate) slash: bool,
    pub(crate) ino: Option<Ino>,
    /// The last component is `/proc/self/fd/N`.
    pub(crate) descriptor: Option<i32>,
}

impl Resolved {
    /// Why nothing was found. A name that is too long is an error only when it is looked at, after
    /// what a call checks before.
    pub(crate) fn missing(&self) -> i32 {
        match &self.last {
            Last::Name(name) if name.len() > NAME_MAX => ENAMETOOLONG,
            _ => ENOENT,
        }
    }
}

enum PathStep {
    /// A leading slash.
    Absolute,
    /// A component `pos..end` of the path, which ends there or goes on with a slash.
    Component { end: usize, last: Last },
    /// The path ends with this component.
    Final { last: Last },
}

impl Call<'_> {
    /// Follows a path to something that exists.
    pub(crate) fn resolve(
        &mut self,
        dirfd: i32,
        path: &Bytes,
        follow: bool,
    ) -> Result<Ino, EarlyReturn> {
        let found = self.lookup(dirfd, path, follow)?;
        self.existing(&found)
    }

    /// The inode, if it exists and may have the trailing slash it has.
    pub(crate) fn existing(&self, found: &Resolved) -> Result<Ino, EarlyReturn> {
        let ino = found.ino.ok_or(found.missing())?;
        if found.slash && !self.world().fs.get(ino).is_directory() {
            Err(ENOTDIR.into())
        } else {
            Ok(ino)
        }
    }

    /// The directory that relative paths start at.
    pub(crate) fn start_directory(&self, dirfd: i32) -> Result<Ino, i32> {
        let ino = match dirfd {
            AT_FDCWD => self.world().cwd,
            _ => self.world().descriptors.get_any(dirfd)?.ino,
        };
        if self.world().fs.get(ino).is_directory() {
            Ok(ino)
        } else {
            Err(ENOTDIR)
        }
    }

    /// Follows a path up to its last component; through that one too when it is a symbolic link
    /// and `follow` is set (or a slash follows it).
    pub(crate) fn lookup(
        &mut self,
        dirfd: i32,
        path: &Bytes,
        follow: bool,
    ) -> Result<Resolved, EarlyReturn> {
        self.lookup_to_open(dirfd, path, follow, false)
    }

    /// A lookup for `open`: one that may create a file does not accept a slash after its name.
    pub(crate) fn lookup_to_open(
        &mut self,
        dirfd: i32,
        path: &Bytes,
        follow: bool,
        create: bool,
    ) -> Result<Resolved, EarlyReturn> {
        if path.get(0) == Byte::Concrete(0) {
            return Err(ENOENT.into());
        }
        let mut here = match self.start_directory(dirfd) {
            Ok(ino) => ino,
            Err(_) if self.ask_byte(path, 0, b'/') => ROOT,
            Err(errno) => return Err(errno.into()),
        };
        let mut rest = path.clone();
        let (mut pos, mut at_start, mut links) = (0, true, 0);
        loop {
            let step = self.step(here, &rest, pos, at_start)?;
            if !matches!(step, PathStep::Absolute) {
                self.require(here, 1)?;
            }
            let (end, last) = match step {
                PathStep::Absolute => {
                    here = ROOT;
                    at_start = false;
                    pos = self.skip_slashes(&rest, pos);
                    if self.ask_byte(&rest, pos, 0) {
                        return Ok(Resolved {
                            dir: ROOT,
                            last: Last::Root,
                            slash: true,
                            ino: Some(ROOT),
                            descriptor: None,
                        });
                    }
                    continue;
                }
                PathStep::Component { end, last } => (end, last),
                PathStep::Final { last } => (rest.len() - 1, last),
            };
            let next = self.skip_slashes(&rest, end);
            let slash = next > end;
            let is_last = self.ask_byte(&rest, next, 0) || next + 1 == rest.len();
            if create && is_last && slash && matches!(last, Last::Name(_) | Last::Open(_)) {
                return Err(EISDIR.into());
            }
            let too_long = matches!(&last, Last::Name(name) if name.len() > NAME_MAX);
            if too_long && !is_last {
                return Err(ENAMETOOLONG.into());
            }
            let (child, descriptor) = if too_long {
                (None, None)
            } else {
                self.child(here, &last)?
            };
            if let Some(child) = child
                && (!is_last || slash || follow)
                && let InodeKind::Symlink(target) = &self.world().fs.get(child).kind
            {
                links += 1;
                if links > LINKS_MAX {
                    return Err(ELOOP.into());
                }
                let mut target = target.to_bytes();
                if slash {
                    target.push(Byte::Concrete(b'/'));
                }
                target.extend(&rest.slice(next..rest.len()));
                (rest, pos, at_start) = (target, 0, true);
                continue;
            }
            if is_last {
                return Ok(Resolved {
                    dir: here,
                    last,
                    slash,
                    ino: child,
                    descriptor,
                });
            }
            here = child.ok_or(ENOENT)?;
            if !self.world().fs.get(here).is_directory() {
                return Err(ENOTDIR.into());
            }
            (pos, at_start) = (next, false);
        }
    }

    fn skip_slashes(&mut self, rest: &Bytes, mut pos: usize) -> usize {
        while pos + 1 < rest.len() && self.ask_byte(rest, pos, b'/') {
            pos += 1;
        }
        pos
    }

    /// The inode that a component leads to from directory `here`.
    fn child(&mut self, here: Ino, last: &Last) -> Result<(Option<Ino>, Option<i32>), EarlyReturn> {
        let name = match last {
            Last::Dot => return Ok((Some(here), None)),
            Last::Root => return Ok((Some(ROOT), None)),
            Last::DotDot => {
                let parent = match &self.world().fs.get(here).kind {
                    InodeKind::Directory(directory) => directory.parent,
                    _ => ROOT,
                };
                return Ok((Some(parent), None));
            }
            Last::Open(_) => return Ok((None, None)),
            Last::Name(name) => name,
        };
        if matches!(
            self.world().fs.get(here).kind,
            InodeKind::DescriptorDirectory
        ) {
            let fd = name
                .as_concrete()
                .and_then(|n| std::str::from_utf8(n).ok())
                .and_then(|n| n.parse::<i32>().ok());
            return Ok(
                match fd.map(|fd| (fd, self.world().descriptors.get_any(fd))) {
                    Some((fd, Ok(open))) => (Some(open.ino), Some(fd)),
                    _ => (None, None),
                },
            );
        }
        if let Some(bits) = name.as_concrete()
            && let Some(ino) = self.find(here, bits)?
        {
            return Ok((Some(ino), None));
        }
        for (entry, ino) in self.symbolic_entries(here) {
            if entry.len() == name.len() {
                let equal = self.equal(&entry, name);
                if self.ask(equal) {
                    return Ok((Some(ino), None));
                }
            }
        }
        Ok((None, None))
    }

    /// `FileSystem::find`, which may have to look at the host for the first time.
    pub(crate) fn find(&mut self, dir: Ino, name: &[u8]) -> Result<Option<Ino>, EarlyReturn> {
        use crate::inode::Entry;
        let directory = self.world().fs.directory(dir)?;
        if directory.unread.is_none() {
            match directory.entries.get(name) {
                None => return Ok(None),
                Some(Entry::Inode(ino)) => return Ok(Some(*ino)),
                Some(Entry::Host(_)) => {}
            }
        }
        Ok(self.change().fs.find(dir, name)?)
    }

    fn symbolic_entries(&self, dir: Ino) -> Vec<(Bytes, Ino)> {
        match &self.world().fs.get(dir).kind {
            InodeKind::Directory(d) => d
                .symbolic
                .iter()
                .map(|(name, ino)| (name.to_bytes(), *ino))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Takes the next component off the path.
    fn step(
        &mut self,
        here: Ino,
        rest: &Bytes,
        pos: usize,
        at_start: bool,
    ) -> Result<PathStep, EarlyReturn> {
        if at_start && rest.get(pos) == Byte::Concrete(b'/') {
            return Ok(PathStep::Absolute);
        }
        let plain = |b: Byte| matches!(b, Byte::Concrete(c) if c != b'/' && c != 0);
        let end = (pos..rest.len())
            .find(|&i| !plain(rest.get(i)))
            .expect("a path ends with NUL");
        match rest.get(end) {
            Byte::Concrete(_) => Ok(PathStep::Component {
                end,
                last: named(rest.slice(pos..end)),
            }),
            Byte::Symbolic(_) => self.symbolic_step(here, rest, pos, at_start),
        }
    }

    fn symbolic_step(
        &mut self,
        here: Ino,
        rest: &Bytes,
        pos: usize,
        at_start: bool,
    ) -> Result<PathStep, EarlyReturn> {
        let tail = rest.slice(pos..rest.len());
        let names: Vec<Bytes> = self
            .names(here)?
            .into_iter()
            .filter(|n| may_start_with(&tail, n))
            .collect();
        let finals: Vec<(Bytes, Term)> = names
            .iter()
            .map(|name| {
                let mut terminated = name.clone();
                terminated.push(Byte::Concrete(0));
                (
                    name.clone(),
                    self.equal(&tail.slice(0..terminated.len()), &terminated),
                )
            })
            .collect();
        let pool = self.cx.pool();
        let any_final = finals
            .iter()
            .fold(pool.bool(false), |any, (_, t)| pool.or(any, *t));
        let slash = self.has_slash(&tail);
        let reaches = self.cx.pool().or(any_final, slash);
        if !self.ask(reaches) {
            return Ok(PathStep::Final {
                last: Last::Open(tail),
            });
        }
        if self.ask(any_final) {
            let name = self.choose(finals);
            return Ok(PathStep::Final { last: named(name) });
        }
        // There is a slash, and nothing but names before it.
        let first = if at_start { 0 } else { 1 };
        let end = (first..tail.len() - 1)
            .find(|&k| self.ask_byte(&tail, k, b'/'))
            .unwrap_or(tail.len() - 1);
        if end == 0 {
            return Ok(PathStep::Absolute);
        }
        let component = tail.slice(0..end);
        let matches: Vec<(Bytes, Term)> = names
            .into_iter()
            .filter(|name| name.len() == end)
            .map(|name| {
                let equal = self.equal(&component, &name);
                (name, equal)
            })
            .collect();
        let pool = self.cx.pool();
        let any = matches
            .iter()
            .fold(pool.bool(false), |any, (_, t)| pool.or(any, *t));
        let last = if self.ask(any) {
            named(self.choose(matches))
        } else {
            // No entry: what the name is does not matter to a lookup, and for mkdir("x/") it does.
            Last::Open({
                let mut name = component;
                name.push(Byte::Concrete(0));
                name
            })
        };
        Ok(PathStep::Component {
            end: pos + end,
            last,
        })
    }

    /// One of several names, one of which is known to match.
    fn choose(&mut self, mut matches: Vec<(Bytes, Term)>) -> Bytes {
        let (fallback, _) = matches.pop().expect("one of them matches");
        for (name, cond) in matches {
            if self.ask(cond) {
                return name;
            }
        }
        fallback
    }

    /// All names in a directory, `.` and `..` first.
    fn names(&mut self, dir: Ino) -> Result<Vec<Bytes>, EarlyReturn> {
        let mut names = vec![Bytes::concrete(*b"."), Bytes::concrete(*b"..")];
        match &self.world().fs.get(dir).kind {
            InodeKind::DescriptorDirectory => {
                names.extend(
                    self.world()
                        .descriptors
                        .open_numbers()
                        .map(|fd| Bytes::concrete(fd.to_string())),
                );
            }
            InodeKind::Directory(directory) => {
                if directory.unread.is_some() {
                    self.change().fs.load(dir)?;
                }
                let directory = self.world().fs.directory(dir)?;
                names.extend(
                    directory
                        .entries
                        .keys()
                        .map(|name| Bytes::concrete(&name[..])),
                );
                names.extend(directory.symbolic.iter().map(|(name, _)| name.to_bytes()));
            }
            _ => return Err(ENOTDIR.into()),
        }
        Ok(names)
    }

    /// The condition that two strings of one length are equal.
    pub(crate) fn equal(&mut self, a: &Bytes, b: &Bytes) -> Term {
        let pool = self.cx.pool();
        let mut all = pool.bool(true);
        for i in 0..a.len() {
            if a.get(i) != b.get(i) {
                let (x, y) = (a.term(pool, i), b.term(pool, i));
                let same = pool.eq(x, y);
                all = pool.and(all, same);
            }
        }
        all
    }

    /// The condition that a slash stands before the first NUL.
    fn has_slash(&mut self, tail: &Bytes) -> Term {
        let pool = self.cx.pool();
        let (slash, nul) = (pool.bv(8, b'/' as u64), pool.bv(8, 0));
        let mut found = pool.bool(false);
        for i in (0..tail.len() - 1).rev() {
            let byte = tail.term(pool, i);
            let (is_slash, is_nul) = (pool.eq(byte, slash), pool.eq(byte, nul));
            let goes_on = pool.not(is_nul);
            let later = pool.and(goes_on, found);
            found = pool.or(is_slash, later);
        }
        found
    }

    /// The name of an entry to be made: settles the length of an open one.
    pub(crate) fn new_name(&mut self, last: &Last) -> Result<Bytes, EarlyReturn> {
        match last {
            Last::Name(name) if name.len() > NAME_MAX => Err(ENAMETOOLONG.into()),
            Last::Name(name) => Ok(name.clone()),
            Last::Open(bytes) => {
                let len = (0..bytes.len())
                    .find(|&k| self.ask_byte(bytes, k, 0))
                    .expect("a path ends with NUL");
                match len {
                    0 => Err(ENOENT.into()),
                    _ if len > NAME_MAX => Err(ENAMETOOLONG.into()),
                    _ => Ok(bytes.slice(0..len)),
                }
            }
            Last::Dot | Last::DotDot | Last::Root => Err(EEXIST.into()),
        }
    }

    /// The absolute path of a directory, or `None` when it has been removed.
    pub(crate) fn directory_path(&self, dir: Ino) -> Option<Bytes> {
        use crate::inode::Entry;
        let fs = &self.world().fs;
        let (mut at, mut names) = (dir, Vec::new());
        while at != ROOT {
            let parent = match &fs.get(at).kind {
                InodeKind::Directory(directory) => directory.parent,
                _ => return None,
            };
            let directory = fs.directory(parent).ok()?;
            let plain = directory
                .entries
                .iter()
                .find(|(_, e)| matches!(e, Entry::Inode(ino) if *ino == at));
            names.push(match plain {
                Some((name, _)) => Bytes::concrete(&name[..]),
                None => directory
                    .symbolic
                    .iter()
                    .find(|(_, ino)| *ino == at)?
                    .0
                    .to_bytes(),
            });
            at = parent;
        }
        let mut path = Bytes::new();
        for name in names.iter().rev() {
            path.push(Byte::Concrete(b'/'));
            path.extend(name);
        }
        Some(if path.is_empty() {
            Bytes::concrete(*b"/")
        } else {
            path
        })
    }
}

fn named(name: Bytes) -> Last {
    match name.as_concrete() {
        Some(b".") => Last::Dot,
        Some(b"..") => Last::DotDot,
        _ => Last::Name(name),
    }
}

/// Whether `tail` (which ends with a concrete NUL) may start with `name`, by its concrete bytes.
fn may_start_with(tail: &Bytes, name: &Bytes) -> bool {
    name.len() < tail.len()
        && (0..name.len()).all(|i| match (tail.get(i), name.get(i)) {
            (Byte::Concrete(a), Byte::Concrete(b)) => a == b,
            _ => true,
        })
}
