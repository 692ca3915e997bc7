//! The program's mathematical library as a shared object: the same code that programs are linked with, for computing
//! values of `sin` and the like in this process.
//!
//! Made of the bitcode in `libc.a` on first use, and kept in the cache under the sysroot's key.

use crate::sysroot::{self, SysrootError, step};
use crate::tools::Tool;
use crate::{cache, libc};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The path of a shared object with these functions, which needs no other one; makes it if need be.
///
/// # Errors
/// As for the sysroot.
pub fn shared_object(
    functions: &[String],
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, SysrootError> {
    let archive = libc::archive(progress)?;
    let key = [sysroot::key()?, functions.join(" ")];
    let name = format!(
        "libm-{:016x}",
        cache::fingerprint(&key.each_ref().map(|part| part.as_bytes()))
    );
    let place = cache::entry(&name, |dir, _| {
        progress("linking the mathematical library (once)");
        let failed = |e: crate::extract::ExtractError| SysrootError::Step("libm", e.to_string());
        let bitcode = dir.join("bitcode");
        std::fs::create_dir(&bitcode)?;
        let mut members = Vec::new();
        for (i, member) in libc::members(&archive)
            .map_err(failed)?
            .into_iter()
            .enumerate()
        {
            let path = bitcode.join(format!("{i}.bc"));
            std::fs::write(&path, member.bitcode)?;
            members.push(path);
        }
        // Only these are visible, so that whatever the linker fetched beside them falls away.
        let mut exported = String::from("{ global:");
        for function in functions {
            let _ = write!(exported, " {function};");
        }
        exported.push_str(" local: *; };");
        let script = dir.join("exported");
        std::fs::write(&script, exported)?;
        let wanted = functions.iter().map(|f| format!("--undefined={f}"));
        step(
            "libm",
            Command::new(Tool::Lld.find()?)
                .args(["-shared", "-Bsymbolic", "--gc-sections", "--lto-O2"])
                // Code that falls away may refer to what is not there.
                .arg("--unresolved-symbols=ignore-all")
                .arg("--version-script")
                .arg(&script)
                .args(wanted)
                .arg("--start-lib")
                .args(&members)
                .arg("--end-lib")
                .arg("-o")
                .arg(dir.join("libm.so")),
        )?;
        std::fs::remove_dir_all(&bitcode)?;
        Ok::<(), SysrootError>(())
    })?;
    Ok(place.join("libm.so"))
}
