//! A worker that explores a part of a run of a Java program.

use super::parts;
use super::plain::tools;
use super::policy::Policy;
use super::sources::Sources;
use crate::exit::Exit;
use crate::jobs::hired::Hired;
use anyhow::{Error, anyhow};
use dse::Concolic;
use jvm::{Java, Kit};
use std::cell::RefCell;
use std::rc::Rc;

/// Explores what the run gives.
///
/// # Errors
/// The program cannot be run.
pub fn run(hired: &Hired) -> anyhow::Result<Exit> {
    let Hired { plan, welcome, .. } = hired;
    let mut of = plan.java().map_err(Error::msg)?.clone();
    let sources = match &welcome.class_path {
        Some(elsewhere) => {
            of.class_path.clone_from(elsewhere);
            Sources::default()
        }
        None => Sources::new(&of.source_path, &of.class_path),
    };
    let of = &of;
    let cases = parts::cases(plan, of, Rc::new(RefCell::new(sources)))?;
    let kit = Kit::ensure(tools()?, &mut |_| {})?;
    let options = parts::options(of, kit, &welcome.results, welcome.seat)?;
    let policy = Policy::new(&of.expect, &of.check)?;
    let (solver, stop) = (parts::solver(plan, true)?, hired.stop());
    let java = Java::new(options, solver, policy.judge(), stop, welcome.memory);
    let mut java = java.map_err(|e| anyhow!("{e}"))?;
    java.put_aside_on(plan.shelf(&welcome.results));
    let link = hired.ready(welcome.program.clone(), cases)?;
    hired.explore(link, |role| {
        java.commons = Some(role.commons.clone());
        let strategy = plan.strategy(role.seed)?;
        let explorer = parts::explorer(
            plan,
            of,
            stop,
            (role.query_s(plan.solver.seconds), role.budget),
        )?;
        Ok(Box::new(Concolic::new(java, strategy, explorer).shared()))
    })
}
