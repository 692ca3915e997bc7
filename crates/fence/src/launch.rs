//! One program behind a separate fence. It has the standard streams of the command, and the first line of its standard
//! output is ours: a description of the fence. The processes between the caller and the program end with either.

use crate::{Fence, HOME, Inside, Launcher, View, behind, child, inherit};
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set, set_no_new_privs};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The argument that makes `polypath` start another program behind a fence ([`main`] with the arguments after it).
pub const MODE: &str = "--fenced";
/// Bytes that a program may write to any one file, as in native replay.
const FILE_SIZE: u64 = 64 << 20;
/// Bytes of the line about the fence at most.
const LINE: usize = 1 << 16;

/// A command that starts a program behind the fence: program and arguments are its further arguments, and have to be absolute,
/// since the program begins in a directory of its own. The program's environment is the command's: whoever starts it clears it.
///
/// # Errors
/// A path of the view is not UTF-8.
pub fn command(launcher: &Launcher, view: &View) -> io::Result<Command> {
    let mut command = Command::new(&launcher.program);
    command.args(&launcher.args);
    command.arg(serde_json::to_string(view)?);
    Ok(command)
}

/// Reads what the fence is from the command's output; what follows is the program's.
///
/// # Errors
/// The fence cannot be built although the kernel could, or the program cannot be started.
pub fn fence(output: &mut impl Read) -> io::Result<Fence> {
    let mut line = Vec::new();
    // One byte at a time: what follows the line is not ours.
    let mut byte = [0];
    while line.len() < LINE && output.read(&mut byte)? == 1 && byte != *b"\n" {
        line.extend(byte);
    }
    if line.is_empty() {
        return Err(io::Error::other("its sandbox ended before it began"));
    }
    let said: Result<Fence, String> = serde_json::from_slice(&line)?;
    said.map_err(|why| io::Error::other(format!("it cannot be fenced in: {why}")))
}

/// What [`command`] starts: the view, and the program with its arguments.
pub fn main(arguments: &[OsString]) -> ! {
    let status = match arguments {
        [view, program, arguments @ ..] => inherit::leave_caller()
            .and_then(|()| Ok(serde_json::from_slice(view.as_encoded_bytes())?))
            .and_then(|view: View| behind(&view, |inside| start(inside, program, arguments))),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    match status {
        Ok(status) => child::end_like(status),
        Err(e) => {
            // A caller that is gone hears nothing.
            drop(greet(&Err(e.to_string())));
            child::end_like(1)
        }
    }
}

/// Becomes the program.
fn start(
    inside: Result<Inside, String>,
    program: &OsString,
    arguments: &[OsString],
) -> io::Result<i32> {
    let done = inside.and_then(|inside| {
        let home = inside.place.join(HOME);
        std::fs::create_dir_all(&home)
            .and_then(|()| std::env::set_current_dir(&home))
            .and_then(|()| confine())
            .and_then(|()| inherit::settle(None))
            .and_then(|()| inside.rules.as_ref().map_or(Ok(()), |rules| rules.enter()))
            .map_err(|e| format!("{}: {e}", home.display()))?;
        Ok(inside.fence)
    });
    greet(&done)?;
    if done.is_err() {
        return Ok(1);
    }
    // (Its first bytes would follow our line; this one comes back with an error only.)
    Err(Command::new(program).args(arguments).exec())
}

fn greet(fence: &Result<Fence, String>) -> io::Result<()> {
    let mut line = serde_json::to_vec(fence)?;
    line.push(b'\n');
    let mut out = io::stdout();
    out.write_all(&line)?;
    out.flush()
}

/// Rights that no program needs, and files that would fill the memory.
fn confine() -> io::Result<()> {
    drop_rights()?;
    let size = Rlimit {
        current: Some(FILE_SIZE),
        maximum: Some(FILE_SIZE),
    };
    Ok(rustix::process::setrlimit(Resource::Fsize, size)?)
}

/// Takes from what this process becomes by `exec` all capabilities for ever: file permissions hold for root, too. Makes system
/// calls only.
///
/// # Errors
/// The kernel refuses.
pub fn drop_rights() -> io::Result<()> {
    // (Capabilities that the kernel does not know are refused, without harm; so is all of it without rights.)
    let all = (0..64).map(|number| CapabilitySet::from_bits_retain(1 << number));
    for capability in all {
        if remove_capability_from_bounding_set(capability).is_err() {
            break;
        }
    }
    inherit::keep_no_capabilities()?;
    Ok(set_no_new_privs(true)?)
}
