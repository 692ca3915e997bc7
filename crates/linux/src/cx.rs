//! The machine's interface to the world during one system call.
//!
//! The world never sees a state, a solver or an address space: it asks through this trait. A call
//! must be re-executable from its start, because the machine explores the other side of a decision
//! by running the call again in a fork: every `decide` and `concretize` comes before any change of
//! the world or of the program's memory.

use term::{Pool, Term};

use crate::bytes::{Arg, Byte, Bytes};

/// The address range is not accessible. The machine has reported the details.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Efault;

/// A request for pages, already checked by the world.
#[derive(Clone, Debug)]
pub struct MapRequest {
    /// Preferred address, 0 for none.
    pub hint: u64,
    /// MAP_FIXED: exactly at `hint`, replacing what is there.
    pub fixed: bool,
    /// MAP_FIXED_NOREPLACE: exactly at `hint`, EEXIST when something is there.
    pub no_replace: bool,
    /// Length in bytes; the machine rounds it up to pages.
    pub len: u64,
    /// PROT_* bits.
    pub prot: u32,
    /// The bytes of the file that is mapped, if one is: the rest of its last page is zero, and behind that there is
    /// nothing. Without one, all is zero.
    pub content: Option<Bytes>,
}

/// Why the address space is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapRefusal {
    /// A kernel refuses it, too.
    Errno(i32),
    /// A kernel would execute it; a description.
    Unmodelled(&'static str),
}

/// The machine, as seen from a system call. Error numbers are positive.
pub trait Cx {
    /// The pool that all terms live in.
    fn pool(&mut self) -> &mut Pool;

    /// Reads the program's memory.
    fn read(&mut self, addr: u64, len: u64) -> Result<Bytes, Efault>;

    /// The bytes from `addr` up to and including the first concrete NUL, at most `limit`. Ends
    /// early, without an error, at the end of the object that holds `addr`. Whether a symbolic byte
    /// before that is NUL is the world's question.
    fn read_string(&mut self, addr: u64, limit: u64) -> Result<Bytes, Efault> {
        let mut string = Bytes::new();
        while (string.len() as u64) < limit {
            let byte = self.read(addr + string.len() as u64, 1)?.get(0);
            string.push(byte);
            if byte == Byte::Concrete(0) {
                break;
            }
        }
        Ok(string)
    }

    /// Writes the program's memory.
    fn write(&mut self, addr: u64, bytes: &Bytes) -> Result<(), Efault>;

    /// A value for a symbolic argument: by forking over its values, or by one recorded conjunct.
    fn concretize(&mut self, what: &str, arg: Arg) -> u64;

    /// Which way a symbolic condition (BitVec(1), not a constant) goes on this path.
    fn decide(&mut self, cond: Term) -> bool;

    /// The same of a bound of the input: the path on which the condition does not hold, and the input is longer, waits until the others
    /// bring nothing new.
    fn decide_bound(&mut self, cond: Term) -> bool {
        self.decide(cond)
    }

    /// Maps pages and returns their address.
    fn map_memory(&mut self, request: &MapRequest) -> Result<u64, MapRefusal>;

    /// Unmaps pages.
    fn unmap_memory(&mut self, addr: u64, len: u64) -> Result<(), i32>;

    /// Changes the protection of pages.
    fn protect_memory(&mut self, addr: u64, len: u64, prot: u32) -> Result<(), MapRefusal>;

    /// Do all pages of a range exist, and can they be read if that is asked?
    fn has_pages(&mut self, addr: u64, len: u64, readable: bool) -> bool;

    /// `mremap`: the mapping becomes `new_len` bytes long, at another address if it may.
    fn remap_memory(
        &mut self,
        addr: u64,
        old_len: u64,
        new_len: u64,
        may_move: bool,
    ) -> Result<u64, MapRefusal>;

    /// `brk`: moves the break (0 only asks) and returns where it is now.
    fn grow_break(&mut self, to: u64) -> u64;

    /// Sets the FS base, where thread-local variables live.
    fn set_thread_pointer(&mut self, addr: u64);

    /// The FS base.
    fn thread_pointer(&self) -> u64;

    /// Instructions that this path has executed: one nanosecond each on the modelled clock.
    fn instructions(&self) -> u64;
}
