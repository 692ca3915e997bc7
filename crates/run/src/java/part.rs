//! A worker that explores a part of a run of a Java program.

use super::parts;
use super::plain::tools;
use super::policy::Policy;
use super::sources::Sources;
use crate::exit::Exit;
use crate::jobs::hired::Hired;
use anyhow::{Error, anyhow};
use dse::Concolic;
use explore::Exploration as _;
use jvm::{Java, Kit};
use std::cell::RefCell;
use std::rc::Rc;

/// Explores what the run gives.
///
/// # Errors
/// The program cannot be run.
pub fn run(hired: &Hired) -> anyhow::Result<Exit> {
    let Hired { plan, welcome, .. } = hired;
    let of = plan.java().map_err(Error::msg)?;
    let sources = Sources::new(&of.source_path, &of.class_path);
    let cases = parts::cases(plan, of, Rc::new(RefCell::new(sources)))?;
    let kit = Kit::ensure(tools()?, &mut |_| {})?;
    let options = parts::options(of, kit, &welcome.results, welcome.seat)?;
    let policy = Policy::new(&of.expect, &of.check)?;
    let (solver, stop) = (parts::solver(plan, true)?, hired.stop());
    let java = Java::new(options, solver, policy.judge(), stop, welcome.memory);
    let mut java = java.map_err(|e| anyhow!("{e}"))?;
    java.put_aside_on(plan.shelf(&welcome.results));
    java.commons = Some(hired.seat.clone());
    let strategy = parts::strategy(plan, welcome.number)?;
    let explorer = parts::explorer(plan, of, stop)?;
    let mut all = Concolic::new(java, strategy, explorer).shared();
    let mut link = hired.ready(welcome.program.clone(), cases)?;
    let halt = all.run(&mut link);
    link.finish(&mut all, halt);
    // The JVM ends first, so that its time is counted.
    drop(all.into_program());
    Ok(Exit::Nothing)
}
