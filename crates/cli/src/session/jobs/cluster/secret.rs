//! The secret that a run and its nodes share: in a file or a variable, never on a command line, which every user of a machine
//! can read.

use crate::exit::UsageError;
use anyhow::Context;
use fleet::net::handshake::Secret;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The variable that has it where no file is named.
pub const VARIABLE: &str = "POLYPATH_SECRET";

/// The secret in a file, or in the variable.
///
/// # Errors
/// There is none, or it is too short.
pub fn read(file: Option<&Path>) -> anyhow::Result<Secret> {
    let usage = |place: &dyn std::fmt::Display, why: String| UsageError(format!("{place}: {why}"));
    if let Some(file) = file {
        let place = file.display();
        let bytes = std::fs::read(file).with_context(|| place.to_string());
        let bytes = bytes.map_err(|e| UsageError(format!("--secret-file {e:#}")))?;
        return Ok(Secret::new(&bytes).map_err(|why| usage(&place, why))?);
    }
    let Some(value) = std::env::var_os(VARIABLE) else {
        let words = format!(
            "who may work for a run? Give both the same secret: --secret-file FILE or the variable {VARIABLE} \
             (to make one: head -c 32 /dev/urandom | base64 > FILE)"
        );
        return Err(UsageError(words).into());
    };
    Ok(Secret::new(value.as_bytes()).map_err(|why| usage(&VARIABLE, why))?)
}
