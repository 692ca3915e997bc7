//! A program on its way to a node, which keeps it for the next run.

use super::{Form, classes};
use crate::frontend;
use anyhow::{Context, anyhow, bail, ensure};
use fleet::frame;
use fleet::net::message::{FromNode, ToNode};
use fleet::net::{ALIVE, Connection};
use jvm::{Kit, Tools};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use testcase::replay::sandbox::Scratch;

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Bytes that go in one message.
const PART: usize = 1 << 20;
/// Bytes of a program at most.
const LONGEST: usize = 1 << 30;

/// Sends it.
pub fn send(program: &[u8], connection: &mut Connection) -> Result<(), frame::FrameError> {
    for part in program.chunks(PART).chain([&[][..]]) {
        frame::write(&mut connection.to, &ToNode::Program(part.to_vec().into()))?;
    }
    Ok(())
}

/// The program with this hash: the kept copy, or the one that the run sends.
pub fn fetch(form: &Form, hash: &str, connection: &mut Connection) -> anyhow::Result<Vec<u8>> {
    let is_it = |bytes: &[u8]| match form {
        Form::Ir => ir::file::checksum(bytes).map(frontend::hash).as_deref() == Some(hash),
        Form::Java { .. } => classes::hash(bytes) == hash,
    };
    let cache = toolchain::cache::root().map(|dir| dir.join("ir"));
    if let Ok(dir) = &cache
        && let Some(program) = llvm_client::kept(dir, hash)
        && is_it(&program)
    {
        return Ok(program);
    }
    frame::write(&mut connection.to, &FromNode::WantsProgram)?;
    let mut program = Vec::new();
    loop {
        match connection
            .from
            .message()
            .context("the program did not arrive")?
        {
            ToNode::Program(part) if part.is_empty() => break,
            ToNode::Program(part) => program.extend_from_slice(&part),
            ToNode::Refused(why) => bail!("the run refuses this machine: {why}"),
            _ => bail!("the run sent something else than its program"),
        }
        ensure!(program.len() <= LONGEST, "the program is too large");
    }
    ensure!(
        is_it(&program),
        "the run sent another program than it announced"
    );
    if let Ok(dir) = &cache {
        // Where it cannot be kept it is sent again the next time.
        let _ = llvm_client::keep(dir, hash, &program);
    }
    Ok(program)
}

/// Makes ready what a program of this form needs on this machine, in a directory of its own if it needs one.
///
/// # Errors
/// What is missing.
pub fn prepare(
    form: &Form,
    program: &[u8],
    connection: &mut Connection,
) -> anyhow::Result<Option<Unpacked>> {
    let Form::Java { version } = form else {
        return Ok(None);
    };
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let tools = Tools::find(home.as_deref())?;
    ensure!(
        tools.version == *version,
        "Java {version} is needed, as the run has it; this machine has Java {}",
        tools.version
    );
    // The first time it takes a minute.
    let kit =
        std::thread::spawn(move || Kit::ensure(tools, &mut |text| say::err!("polypath: {text}")));
    while !kit.is_finished() {
        frame::write(&mut connection.to, &FromNode::Prepares)?;
        let end = Instant::now() + ALIVE;
        while !kit.is_finished() && Instant::now() < end {
            std::thread::sleep(LOOK_EVERY);
        }
    }
    kit.join().map_err(|_| anyhow!("the kit for Java"))??;
    let place = Scratch::new("node").context("no room for the program's classes")?;
    let dir = place.path().join("classes");
    std::fs::create_dir(&dir)?;
    let class_path = classes::unpack(program, &dir)?;
    Ok(Some(Unpacked { place, class_path }))
}

/// What was made for a program, for as long as somebody has this.
pub struct Unpacked {
    /// Where its workers may put files, too.
    pub place: Scratch,
    pub class_path: Vec<PathBuf>,
}
