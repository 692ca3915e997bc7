//! One running system call: its arguments, the world and the machine, and helpers of handlers.

use std::rc::Rc;

use term::Term;

use crate::abi::*;
use crate::bytes::{Arg, Byte, Bytes, Word};
use crate::cx::{Cx, Efault};
use crate::inode::{Ino, InodeKind, StreamKind};
use crate::output::Stream;
use crate::sizes::Sizes;
use crate::state::{CallAnswer, Inner, Met, Remark};

/// Why a handler ends early.
#[derive(Debug)]
pub(crate) enum EarlyReturn {
    Errno(i32),
    Answer(Box<CallAnswer>),
}

pub(crate) type CallResult = Result<Word, EarlyReturn>;

/// Bytes of the first bound of an open size.
const FIRST_SIZE: u64 = 8;

impl From<i32> for EarlyReturn {
    fn from(errno: i32) -> EarlyReturn {
        EarlyReturn::Errno(errno)
    }
}

impl From<Efault> for EarlyReturn {
    fn from(_: Efault) -> EarlyReturn {
        EarlyReturn::Errno(EFAULT)
    }
}

impl From<CallAnswer> for EarlyReturn {
    fn from(answer: CallAnswer) -> EarlyReturn {
        EarlyReturn::Answer(Box::new(answer))
    }
}

pub(crate) struct Call<'a> {
    pub(crate) inner: &'a mut Rc<Inner>,
    pub(crate) args: &'a [Arg; 6],
    pub(crate) cx: &'a mut dyn Cx,
    /// What this call learned about streams of kind `Any`.
    pub(crate) settled: Vec<(Ino, StreamKind)>,
    /// And about files whose size was open.
    pub(crate) sized: Vec<(Ino, u64)>,
}

impl Call<'_> {
    /// The world, to look at.
    pub(crate) fn world(&self) -> &Inner {
        self.inner
    }

    /// The world, to change; copies it when another state shares it.
    pub(crate) fn change(&mut self) -> &mut Inner {
        Rc::make_mut(self.inner)
    }

    /// Argument `index` as a value; `what` names it when it must be made concrete.
    pub(crate) fn arg(&mut self, index: usize, what: &str) -> u64 {
        let arg = self.args[index];
        if arg.term.is_none() {
            return arg.bits;
        }
        match self.cx.pool().as_const(arg.term) {
            Some(value) => value,
            None => self.cx.concretize(what, arg),
        }
    }

    /// Argument `index` as a C `int`.
    pub(crate) fn int(&mut self, index: usize, what: &str) -> i32 {
        self.arg(index, what) as i32
    }

    /// Argument `index` as an `unsigned int` of flags.
    pub(crate) fn flags(&mut self, index: usize, what: &str) -> u32 {
        self.arg(index, what) as u32
    }

    /// Which way a condition goes; asks the machine only when it is symbolic.
    pub(crate) fn ask(&mut self, cond: Term) -> bool {
        match self.cx.pool().as_const(cond) {
            Some(value) => value != 0,
            None => self.cx.decide(cond),
        }
    }

    /// Whether a byte has a value; asks.
    pub(crate) fn ask_byte(&mut self, bytes: &Bytes, index: usize, value: u8) -> bool {
        match bytes.get(index) {
            Byte::Concrete(b) => b == value,
            Byte::Symbolic(t) => {
                let pool = self.cx.pool();
                let value = pool.bv(8, value as u64);
                let cond = pool.eq(t, value);
                self.ask(cond)
            }
        }
    }

    /// Reads a path argument; the result ends with a concrete NUL and may hold symbolic ones before.
    pub(crate) fn path(&mut self, index: usize) -> Result<Bytes, EarlyReturn> {
        let addr = self.arg(index, "the address of a path");
        self.string(addr, PATH_MAX)
    }

    /// Reads a string of at most `limit` bytes, NUL included.
    pub(crate) fn string(&mut self, addr: u64, limit: usize) -> Result<Bytes, EarlyReturn> {
        if addr < 4096 {
            return Err(EFAULT.into());
        }
        let mut seen = None;
        loop {
            let mut string = self.cx.read_string(addr, limit as u64)?;
            if !string.is_empty() && string.get(string.len() - 1) == Byte::Concrete(0) {
                return Ok(string);
            }
            let pool = self.cx.pool();
            let mut ended = pool.bool(false);
            for i in 0..string.len() {
                if let Byte::Symbolic(t) = string.get(i) {
                    let zero = pool.bv(8, 0);
                    let nul = pool.eq(t, zero);
                    ended = pool.or(ended, nul);
                }
            }
            if !self.ask(ended) {
                if string.len() >= limit {
                    return Err(ENAMETOOLONG.into());
                }
                // There may be more where the size of the object was not known before.
                self.cx.read(addr, string.len() as u64 + 1)?;
                if seen.replace(string.len()) == Some(string.len()) {
                    return Err(EFAULT.into());
                }
                continue;
            }
            string.push(Byte::Concrete(0));
            return Ok(string);
        }
    }

    /// Reads a little-endian integer of `width` bytes; a symbolic one is made concrete.
    pub(crate) fn read_int(
        &mut self,
        addr: u64,
        width: usize,
        what: &str,
    ) -> Result<u64, EarlyReturn> {
        let bytes = self.cx.read(addr, width as u64)?;
        let word = bytes.word(self.cx.pool(), 0, width);
        Ok(self.word_value(word, what))
    }

    /// A word as a value; a symbolic one is made concrete.
    pub(crate) fn word_value(&mut self, word: Word, what: &str) -> u64 {
        match word {
            Word::Concrete(value) => value,
            Word::Symbolic(term) => match self.cx.pool().as_const(term) {
                Some(value) => value,
                None => self.cx.concretize(what, Arg { bits: 0, term }),
            },
        }
    }

    /// Writes a little-endian integer.
    pub(crate) fn write_int(
        &mut self,
        addr: u64,
        width: usize,
        value: u64,
    ) -> Result<(), EarlyReturn> {
        Ok(self
            .cx
            .write(addr, &Bytes::concrete(&value.to_le_bytes()[..width]))?)
    }

    /// A call found no file: the name, in the argument with this index, is remarked if it does not depend on input. Files of a
    /// real system under `/proc` and `/sys` count as refused.
    pub(crate) fn remark_missing(&mut self, argument: Option<usize>) {
        let named = argument.map(|i| self.args[i]);
        let named = named.filter(|arg| arg.term.is_none());
        let Some(named) = named else {
            return;
        };
        let Ok(name) = self.cx.read_string(named.bits, PATH_MAX as u64) else {
            return;
        };
        let name = name
            .as_concrete()
            .map(|n| n.strip_suffix(b"\0").unwrap_or(n));
        let Some(name) = name.map(|n| String::from_utf8_lossy(n).into_owned()) else {
            return;
        };
        let base = if name.starts_with('/') {
            String::new()
        } else {
            let cwd = self.world().cwd;
            let path = self.directory_path(cwd);
            let path = path.as_ref().and_then(|p| p.as_concrete());
            path.map_or(String::new(), |p| String::from_utf8_lossy(p).into_owned())
        };
        let whole = format!("{base}/{name}");
        let whole = format!("/{}", whole.trim_start_matches('/'));
        if ["/proc/", "/sys/"].iter().any(|p| whole.starts_with(p)) {
            self.note_unmodelled(&whole);
        } else if !name.is_empty() {
            self.change().remarks.push(Remark::Missing(name));
        }
    }

    /// The size of a file is met: remarked if it is symbolic input.
    pub(crate) fn remark_size(&mut self, ino: Ino, met: Met) {
        let size = match &self.world().fs.get(ino).kind {
            InodeKind::File(content) => content.size(),
            InodeKind::Stream(s) => s.content.size(),
            _ => return,
        };
        // What this call has settled is not applied yet.
        let settled = self.sized.iter().find(|(i, _)| *i == ino);
        let size = settled.map_or(size, |(_, size)| *size);
        // The end of an input that may be longer is no bound.
        let mut inputs = self.world().inputs.iter();
        let input = inputs.find(|input| input.ino == ino && input.length <= size);
        if let Some(name) = input.map(|input| input.name.to_string()) {
            self.change().remarks.push(Remark::Input(name, size, met));
        }
    }

    /// Notes that something is not modelled; each name is kept once.
    pub(crate) fn note_unmodelled(&mut self, name: &str) {
        if !self.world().unmodelled.iter().any(|n| n == name) {
            Rc::make_mut(&mut self.change().unmodelled).push(name.to_string());
        }
        let world = self.change();
        world.refusals += 1;
        world.last_refused = Rc::from(name);
    }

    /// Now on the modelled clock, in seconds and nanoseconds since 1970.
    pub(crate) fn now(&self) -> (i64, u32) {
        self.world().clock.real(self.cx.instructions())
    }

    /// Whether the caller may use an inode in the ways of `want` (4 read, 2 write, 1 execute).
    pub(crate) fn permitted(&mut self, ino: Ino, want: u32, real: bool) -> bool {
        let process = &self.world().process;
        let (uid, gid) = if real {
            (process.uid.real, process.gid.real)
        } else {
            (process.uid.effective, process.gid.effective)
        };
        let groups = &process.groups;
        let inode = self.world().fs.get(ino);
        let shift = match () {
            () if inode.uid == uid => 6,
            () if inode.gid == gid || groups.contains(&inode.gid) => 3,
            () => 0,
        };
        let (mode, directory) = (inode.mode.get(), inode.is_directory());
        // Root may do all, but execute only what somebody may execute.
        let (mask, any) = match uid {
            0 if want & 1 == 0 || directory => return true,
            0 => (0o111, true),
            _ => (want << shift, false),
        };
        match mode {
            Word::Concrete(mode) if any => mode as u32 & mask != 0,
            Word::Concrete(mode) => mode as u32 & mask == mask,
            Word::Symbolic(mode) => {
                let pool = self.cx.pool();
                let mask_term = pool.bv(64, mask as u64);
                let wanted = if any { pool.bv(64, 0) } else { mask_term };
                let bits = pool.and(mode, mask_term);
                let equal = pool.eq(bits, wanted);
                let cond = if any { pool.not(equal) } else { equal };
                self.ask(cond)
            }
        }
    }

    /// EACCES unless permitted to the effective user.
    pub(crate) fn require(&mut self, ino: Ino, want: u32) -> Result<(), EarlyReturn> {
        if self.permitted(ino, want, false) {
            Ok(())
        } else {
            Err(EACCES.into())
        }
    }

    /// EPERM unless the effective user owns the inode or is root.
    pub(crate) fn require_owner(&self, ino: Ino) -> Result<(), EarlyReturn> {
        let uid = self.world().process.uid.effective;
        if uid == 0 || self.world().fs.get(ino).uid == uid {
            Ok(())
        } else {
            Err(EPERM.into())
        }
    }

    /// Settles whether a stream of kind `Any` is a file or a pipe, where the answer matters; the
    /// answer is recorded by `apply_settled`, when no question can follow.
    pub(crate) fn settle_stream(&mut self, ino: Ino) -> Option<StreamKind> {
        let inode = self.world().fs.get(ino);
        let InodeKind::Stream(stream) = &inode.kind else {
            return None;
        };
        if stream.kind != StreamKind::Any {
            return Some(stream.kind);
        }
        if let Some((_, kind)) = self.settled.iter().find(|(i, _)| *i == ino) {
            return Some(*kind);
        }
        let kind = match inode.mode.get() {
            Word::Concrete(mode) if mode as u32 & S_IFMT == S_IFREG => StreamKind::File,
            Word::Concrete(_) => StreamKind::Pipe,
            Word::Symbolic(mode) => {
                let cond = self.is_regular(mode);
                if self.ask(cond) {
                    StreamKind::File
                } else {
                    StreamKind::Pipe
                }
            }
        };
        self.settled.push((ino, kind));
        Some(kind)
    }

    /// Settles the size of a file where it is open: the bytes of its content that count. Recorded like
    /// `settle_stream`.
    pub(crate) fn settle_size(&mut self, ino: Ino) -> Option<u64> {
        let inode = self.world().fs.get(ino);
        let Word::Symbolic(size) = inode.open_size.get() else {
            return None;
        };
        if let Some((_, size)) = self.sized.iter().find(|(i, _)| *i == ino) {
            return Some(*size);
        }
        let sizes = inode.sizes;
        let full = match &inode.kind {
            InodeKind::Stream(stream) => stream.content.size(),
            _ => inode.size(),
        };
        let (mut low, mut high) = (0, full);
        if sizes == Sizes::Any {
            if self.ask_first(size, full) {
                self.sized.push((ino, full));
                return Some(full);
            }
            high = full.saturating_sub(1);
        }
        // Then small ones: each bound is twice the one before.
        let all_or_nothing = sizes == Sizes::FullOrEmpty;
        let mut bound = FIRST_SIZE;
        while !all_or_nothing && bound < high {
            if self.ask_bound(size, bound) {
                high = bound;
                break;
            }
            (low, bound) = (bound + 1, bound.saturating_mul(2));
        }
        // Then the two ends, which matter most to programs, then by halves.
        if self.ask_size(size, high, high) {
            low = high;
        } else if low == 0 && (all_or_nothing || self.ask_size(size, 0, 0)) {
            high = 0;
        } else {
            (low, high) = (low.max(1), high.saturating_sub(1));
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.ask_size(size, low, middle) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        self.sized.push((ino, low));
        Some(low)
    }

    /// Whether a size is within a bound; asks. Larger ones wait.
    fn ask_bound(&mut self, size: Term, bound: u64) -> bool {
        let pool = self.cx.pool();
        let limit = pool.bv(64, bound);
        let cond = pool.ule(size, limit);
        self.ask_now(cond)
    }

    /// Whether a size is this one; asks. Others wait.
    fn ask_first(&mut self, size: Term, first: u64) -> bool {
        let pool = self.cx.pool();
        let first = pool.bv(64, first);
        let cond = pool.eq(size, first);
        self.ask_now(cond)
    }

    /// Whether a condition on a size holds; asks. Paths on which it does not wait.
    fn ask_now(&mut self, cond: Term) -> bool {
        match self.cx.pool().as_const(cond) {
            Some(value) => value != 0,
            None => self.cx.decide_bound(cond),
        }
    }

    /// Whether a size that is at least `low` is at most `high`; asks.
    fn ask_size(&mut self, size: Term, low: u64, high: u64) -> bool {
        let pool = self.cx.pool();
        let limit = pool.bv(64, high);
        let cond = if low == high {
            pool.eq(size, limit)
        } else {
            pool.ule(size, limit)
        };
        self.ask(cond)
    }

    /// The condition that a symbolic mode is that of a regular file.
    pub(crate) fn is_regular(&mut self, mode: Term) -> Term {
        let pool = self.cx.pool();
        let mask = pool.bv(64, S_IFMT as u64);
        let regular = pool.bv(64, S_IFREG as u64);
        let file_type = pool.and(mode, mask);
        pool.eq(file_type, regular)
    }

    /// Records what `settle_stream` learned. From here on the call asks nothing more.
    pub(crate) fn apply_settled(&mut self) {
        for (ino, size) in std::mem::take(&mut self.sized) {
            self.resize(ino, size);
        }
        for (ino, kind) in std::mem::take(&mut self.settled) {
            let world = self.change();
            let InodeKind::Stream(stream) = &mut world.fs.get_mut(ino).kind else {
                continue;
            };
            stream.kind = kind;
            if stream.stream != Stream::Stdin {
                stream
                    .content
                    .write_unchecked(0, &world.log.stream(stream.stream));
            }
        }
    }

    /// Moves a link count, symbolic or not.
    pub(crate) fn add_links(&mut self, ino: Ino, by: i64) {
        match self.world().fs.get(ino).nlink.get() {
            Word::Concrete(_) => self.change().fs.bump_links(ino, by),
            Word::Symbolic(count) => {
                let pool = self.cx.pool();
                let by = pool.bv(64, by as u64);
                let sum = pool.add(count, by);
                self.change().fs.get_mut(ino).nlink = crate::bytes::Field::new(Word::Symbolic(sum));
            }
        }
    }

    /// The inode's content or entries changed now.
    pub(crate) fn touch_modified(&mut self, ino: Ino) {
        let (sec, nsec) = self.now();
        let inode = self.change().fs.get_mut(ino);
        inode.mtime = crate::inode::Stamp::new(sec, nsec);
        inode.ctime = inode.mtime.clone();
    }

    /// The inode's attributes changed now.
    pub(crate) fn touch_changed(&mut self, ino: Ino) {
        let (sec, nsec) = self.now();
        self.change().fs.get_mut(ino).ctime = crate::inode::Stamp::new(sec, nsec);
    }

    /// So many bytes are going to be written to a file or a stream. Ends the path when they are too many.
    pub(crate) fn charge(&mut self, bytes: u64) -> Result<(), EarlyReturn> {
        let world = self.world();
        let mut stored = world.stored.saturating_add(bytes);
        if world.max_output > 0 && stored > world.max_output {
            stored = world.log.len() + world.fs.stored() + bytes;
            if stored > world.max_output {
                return Err(CallAnswer::OutputLimit.into());
            }
        }
        self.change().stored = stored;
        Ok(())
    }

    /// Frees the content of an inode that no name and no descriptor leads to.
    pub(crate) fn release(&mut self, ino: Ino) {
        let world = self.world();
        let unnamed = world.fs.get(ino).nlink.get() == Word::Concrete(0);
        if unnamed && !world.descriptors.is_open(ino) && world.cwd != ino {
            self.change().fs.get_mut(ino).kind = InodeKind::Gone;
        }
    }
}
