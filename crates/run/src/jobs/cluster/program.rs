//! A program's IR on its way to a node, which keeps it for the next run.

use crate::frontend;
use anyhow::{Context, bail, ensure};
use fleet::frame;
use fleet::net::Connection;
use fleet::net::message::{FromNode, ToNode};

/// Bytes that go in one message.
const PART: usize = 1 << 20;
/// Bytes of a program at most.
const LONGEST: usize = 1 << 30;

/// Sends it.
pub fn send(ir: &[u8], connection: &mut Connection) -> Result<(), frame::FrameError> {
    for part in ir.chunks(PART).chain([&[][..]]) {
        frame::write(&mut connection.to, &ToNode::Program(part.to_vec().into()))?;
    }
    Ok(())
}

/// The program with this hash: the kept copy, or the one that the run sends.
pub fn fetch(hash: &str, connection: &mut Connection) -> anyhow::Result<Vec<u8>> {
    let is_it = |ir: &[u8]| ir::file::checksum(ir).map(frontend::hash).as_deref() == Some(hash);
    let cache = toolchain::cache::root().map(|dir| dir.join("ir"));
    if let Ok(dir) = &cache
        && let Some(ir) = llvm_client::kept(dir, hash)
        && is_it(&ir)
    {
        return Ok(ir);
    }
    frame::write(&mut connection.to, &FromNode::WantsProgram)?;
    let mut ir = Vec::new();
    loop {
        match frame::read(&mut connection.from).context("the program did not arrive")? {
            ToNode::Program(part) if part.is_empty() => break,
            ToNode::Program(part) => ir.extend_from_slice(&part),
            ToNode::Refused(why) => bail!("the run refuses this machine: {why}"),
            _ => bail!("the run sent something else than its program"),
        }
        ensure!(ir.len() <= LONGEST, "the program is too large");
    }
    ensure!(is_it(&ir), "the run sent another program than it announced");
    if let Ok(dir) = &cache {
        // Where it cannot be kept it is sent again the next time.
        let _ = llvm_client::keep(dir, hash, &ir);
    }
    Ok(ir)
}
