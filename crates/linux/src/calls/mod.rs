//! System calls on files and memory, one file per family.

pub(crate) mod attributes;
pub(crate) mod control;
pub(crate) mod directory;
pub(crate) mod io;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod offset;
pub(crate) mod open;
pub(crate) mod poll;
pub(crate) mod status;
