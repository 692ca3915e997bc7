//! The secret that a run and its nodes share: in a file or a variable, never on a command line, which every user of a machine
//! can read.

use crate::exit::UsageError;
use anyhow::Context;
use fleet::net::handshake::Secret;
use std::io::Read;
use std::path::Path;

/// The variable that has it where no file is named.
pub(crate) const VARIABLE: &str = "POLYPATH_SECRET";

/// A new secret, as text.
///
/// # Errors
/// The system has no random numbers.
pub(crate) fn random() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    let source = std::fs::File::open("/dev/urandom");
    let read = source.and_then(|mut source| source.read_exact(&mut bytes));
    read.context("no random numbers for a secret")?;
    Ok(bytes.map(|b| format!("{b:02x}")).concat())
}

/// The secret in a file, or in the variable, as text.
///
/// # Errors
/// There is none, or it is too short.
pub fn read(file: Option<&Path>) -> anyhow::Result<String> {
    let usage = |place: &str, why: &dyn std::fmt::Display| UsageError(format!("{place}: {why}"));
    let (place, text) = if let Some(file) = file {
        let place = format!("--secret-file {}", file.display());
        let text = std::fs::read_to_string(file).map_err(|e| usage(&place, &e))?;
        (place, text)
    } else if let Some(text) = std::env::var_os(VARIABLE) {
        let text = text.into_string();
        let text = text.map_err(|_| usage(VARIABLE, &"it is no text"))?;
        (VARIABLE.into(), text)
    } else {
        let words = format!(
            "a run and its workers must share a secret: --secret-file FILE or the variable {VARIABLE} \
             (to make one: head -c 32 /dev/urandom | base64 > FILE)"
        );
        return Err(UsageError(words).into());
    };
    Secret::new(text.as_bytes()).map_err(|why| usage(&place, &why))?;
    Ok(text)
}
