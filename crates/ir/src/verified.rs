//! Modules that the verifier has accepted: the machine's unchecked inner loop requires one.
//!
//! [`Verified`] can be read, not changed. The one addition that is made behind the verifier, a landing,
//! is here, where it can be seen to keep what was verified.

use crate::verify::{Fault, verify};
use crate::{CallSite, ExternId, Inst, Module, Pc, Reg, StrId, Target};
use std::ops::Deref;

/// A module that passed [`verify`].
#[derive(Clone, Debug)]
pub struct Verified(Module);

/// Code of the engine behind the program's, for calls that the engine makes itself: its instruction
/// calls an engine function, which says where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// Where the called function returns to.
    pub pc: Pc,
    /// The call site there; it expects no results.
    pub site: u32,
}

impl Verified {
    /// Verifies a module.
    ///
    /// # Errors
    /// What the verifier's list (see [`crate::verify`]) does not allow.
    pub fn new(module: Module) -> Result<Verified, Fault> {
        verify(&module)?;
        Ok(Verified(module))
    }

    /// Adds a landing that calls the engine function `name`.
    ///
    /// It belongs to no function and runs in the frame of the interrupted function. That is sound: it
    /// reads and writes no register, and the instruction behind its call ends the block.
    pub fn with_landing(self, name: &str) -> (Verified, Landing) {
        let Verified(mut module) = self;
        let id = module.externs.len() as ExternId;
        module.externs.push(name.to_string());
        let landing = Landing {
            pc: module.code.len() as Pc,
            site: module.call_sites.len() as u32,
        };
        let ty = module.strings.len() as StrId;
        module.strings.push("void ()".to_string());
        module.call_sites.push(CallSite {
            target: Target::Extern(id),
            ty,
            args: Vec::new(),
            widths: Vec::new(),
            classes: Vec::new(),
            varargs: Vec::new(),
            dst: Reg(0),
            results: Vec::new(),
        });
        module.code.push(Inst::CallSite { site: landing.site });
        module.code.push(Inst::Unreachable);
        (Verified(module), landing)
    }
}

impl Deref for Verified {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}
