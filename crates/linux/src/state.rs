//! The kernel's memory of the program under test, as plain parts: [`crate::World`] is this state with its operations,
//! and system calls ([`crate::call`]) change it.

use std::rc::Rc;

use crate::bytes::{Arg, Word};
use crate::descriptor::Descriptors;
use crate::fs::FileSystem;
use crate::inode::Ino;
use crate::output::Log;
use crate::process::Process;
use crate::signals::{Delivery, Signals};
use crate::time::Clock;

/// A file of the program's input.
#[derive(Clone, Debug)]
pub(crate) struct InputFile {
    pub(crate) ino: Ino,
    pub(crate) name: Rc<str>,
    /// Bytes of it at most.
    pub(crate) length: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Inner {
    pub(crate) fs: FileSystem,
    pub(crate) descriptors: Descriptors,
    pub(crate) file_maps: Rc<Vec<FileMap>>,
    pub(crate) cwd: Ino,
    /// Inodes of stdin, stdout and stderr.
    pub(crate) streams: [Ino; 3],
    pub(crate) log: Log,
    pub(crate) process: Process,
    pub(crate) signals: Signals,
    pub(crate) clock: Clock,
    pub(crate) unmodelled: Rc<Vec<String>>,
    /// Number of refused calls that are not modelled, and the last one.
    pub(crate) refusals: u64,
    pub(crate) last_refused: Rc<str>,
    /// Symbolic files and standard input, with their names.
    pub(crate) inputs: Rc<[InputFile]>,
    /// Remarks about the last system call.
    pub(crate) remarks: Vec<Remark>,
    /// State of the random number generator.
    pub(crate) random: u64,
    /// See [`crate::WorldConfig::max_output`].
    pub(crate) max_output: u64,
    /// At least the size of files and log: overwritten and removed bytes count until they are counted anew.
    pub(crate) stored: u64,
}

/// A limit of the world that a system call met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The program looked for this name, and there is no such file.
    Missing(String),
    /// The program met the size of a symbolic input of this name.
    Input(String, u64, Met),
}

/// How a program meets the size of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// It asked for more, and there was nothing.
    End,
    /// It asked for more than there was, and got that.
    Short,
    /// It asked for the size.
    Size,
}

/// The effect of a system call on the program.
#[derive(Clone, Debug)]
pub enum CallAnswer {
    /// The result register; `-errno` on failure.
    Return(Word),
    /// `exit` or `exit_group`: the exit code is the low 8 bits.
    Exit(Arg),
    /// A signal's default action ends the program.
    Kill {
        /// The signal.
        signal: i32,
        /// Whether its action dumps core.
        core: bool,
    },
    /// Enter a signal handler, then ask [`crate::World::next_delivery`]; when it returns, [`crate::World::handler_returned`].
    Deliver(Delivery),
    /// Ends this path with that name: a limit of ours, not an error of the program.
    Unsupported(String),
    /// The call would wait for ever.
    Block(String),
    /// Ends this path: its files and its output hold too much ([`crate::WorldConfig::max_output`]).
    OutputLimit,
}

impl CallAnswer {
    /// A failed call.
    pub fn errno(errno: i32) -> CallAnswer {
        CallAnswer::Return(Word::Concrete(-(errno as i64) as u64))
    }
}

/// Pages that show a file. They are a copy of it: later writes to the file do not appear in them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileMap {
    pub(crate) ino: Ino,
    pub(crate) addr: u64,
    pub(crate) len: u64,
    /// Offset of the file's byte at the first address.
    pub(crate) offset: u64,
    pub(crate) shared: bool,
}

impl FileMap {
    /// Does it show anything of these addresses?
    pub(crate) fn meets(&self, addr: u64, len: u64) -> bool {
        self.addr < addr.saturating_add(len) && addr < self.addr + self.len
    }
}
