//! Front ends: from a program's file to its IR and its environment.
//!
//! How to add one: a file here with a type that implements [`Frontend`], its line in [`FRONT_ENDS`], and the
//! [`exec::Environment`] of its programs, beside `env_c`.

pub mod c;

use super::plan::CProgram;
use crate::exit::UsageError;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A kind of programs.
pub(crate) trait Frontend {
    /// Its name between the processes of a run.
    fn name(&self) -> &'static str;

    /// Is the file one of its programs, as far as name and first bytes tell?
    ///
    /// # Errors
    /// Why it is not.
    fn accepts(&self, program: &Path) -> anyhow::Result<()>;

    /// Builds things that are needed once and belong to no run, such as the language's library.
    ///
    /// # Errors
    /// They cannot be built.
    fn install(&self, program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<()>;

    /// Translates the program.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn load(&self, program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<Loaded>;

    /// Makes what stands around a program that is translated already.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn around(
        &self,
        program: &CProgram,
        module: &ir::Module,
        say: &mut dyn FnMut(&str),
    ) -> anyhow::Result<Around>;
}

/// The environment and the first states of a program.
pub struct Around {
    /// The environment.
    pub environment: Rc<dyn exec::Environment>,
    /// Some of its input is symbolic, or may become so.
    pub symbolic: bool,
}

/// A program, ready to run.
pub struct Loaded {
    /// The name of its front end.
    pub frontend: &'static str,
    /// Its code.
    pub module: ir::Verified,
    /// Hash of the IR.
    pub hash: String,
    /// Its environment.
    pub around: Around,
    /// The binary on which its tests replay natively, if the program is one.
    pub native: Option<PathBuf>,
    /// The bitcode that it was translated from, if there is any.
    pub bitcode: Option<PathBuf>,
}

/// All of them. The first that accepts a program loads it.
const FRONT_ENDS: &[&dyn Frontend] = &[&c::C];

/// Builds the things that the program needs and that belong to no run.
///
/// # Errors
/// They cannot be built.
pub(crate) fn install(program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    // A library for --entry need not be a program; its driver is one of C.
    let frontend = choose(FRONT_ENDS, &program.file).unwrap_or(&c::C);
    frontend.install(program, say)
}

/// Loads the program.
///
/// # Errors
/// The reason why it cannot be run. If no front end accepts it, the reasons of all of them.
pub fn load(program: &CProgram, say: &mut dyn FnMut(&str)) -> anyhow::Result<Loaded> {
    choose(FRONT_ENDS, &program.file)?.load(program, say)
}

/// The program as another process translated it, with the front end of this name.
///
/// # Errors
/// The bytes are no IR of this version, or there is no such front end.
pub(crate) fn reload(name: &str, program: &CProgram, ir: &[u8]) -> anyhow::Result<Loaded> {
    let frontend = FRONT_ENDS.iter().find(|f| f.name() == name);
    let frontend = frontend.with_context(|| format!("no front end {name}"))?;
    let module = ir::file::from_bytes(ir)?;
    Ok(Loaded {
        frontend: frontend.name(),
        hash: hash(ir::file::checksum(ir).context("no IR")?),
        around: frontend.around(program, &module, &mut |_| {})?,
        module,
        native: None,
        bitcode: None,
    })
}

/// The hash of a program, in words.
pub(crate) fn hash(checksum: u64) -> String {
    format!("{checksum:016x}")
}

fn choose<'a>(frontends: &[&'a dyn Frontend], program: &Path) -> anyhow::Result<&'a dyn Frontend> {
    let mut reasons = Vec::new();
    for &frontend in frontends {
        match frontend.accepts(program) {
            Ok(()) => return Ok(frontend),
            Err(why) => reasons.push(format!("{why:#}")),
        }
    }
    Err(UsageError(reasons.join("; ")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accepts files whose name ends so.
    struct Named(&'static str);

    impl Frontend for Named {
        fn name(&self) -> &'static str {
            self.0
        }

        fn accepts(&self, program: &Path) -> anyhow::Result<()> {
            let fits = program.extension().is_some_and(|e| e == self.0);
            anyhow::ensure!(fits, "no .{} file", self.0);
            Ok(())
        }

        fn install(&self, _: &CProgram, _: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
            anyhow::bail!("{}", self.0)
        }

        fn load(&self, _: &CProgram, _: &mut dyn FnMut(&str)) -> anyhow::Result<Loaded> {
            anyhow::bail!("{}", self.0)
        }

        fn around(
            &self,
            _: &CProgram,
            _: &ir::Module,
            _: &mut dyn FnMut(&str),
        ) -> anyhow::Result<Around> {
            anyhow::bail!("{}", self.0)
        }
    }

    #[test]
    fn the_first_that_accepts_a_program_loads_it() {
        let frontends: [&dyn Frontend; 3] = [&Named("jar"), &Named("class"), &c::C];
        let loads = |name: &str| {
            let chosen = choose(&frontends, Path::new(name));
            chosen.map(|f| f.accepts(Path::new("x.class")).is_ok())
        };
        assert!(loads("x.class").unwrap());
        assert!(!loads("x.jar").unwrap());
        assert!(!loads("x.c").unwrap());
        let refused = loads("no/such/file").unwrap_err().to_string();
        assert!(
            refused.starts_with("no .jar file; no .class file; no/such/file: "),
            "{refused}"
        );
    }
}
