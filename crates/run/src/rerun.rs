//! How the programs of a run's tests are started again, without Polypath where that is possible ([`testcase::rerun`]).

use crate::native::NativeProgram;
use crate::plan::{Language, Plan};
use std::path::Path;
use testcase::rerun::Start;
use testcase::{Rerun, RunInfo};
use toolchain::compile::SourceKind;

/// For the tests in a directory of results, which is absolute. `info` has the facts about the program; `is_here`: relative names in
/// the plan mean here what they meant in the run.
pub fn of(plan: &Plan, info: &RunInfo, results: &Path, is_here: bool) -> Rerun {
    Rerun {
        start: start(plan, info, is_here, false),
        tests: results.join("tests"),
    }
}

/// The same of a run that is read from its directory. Without a plan nothing but the input is known.
pub fn read(info: &RunInfo, results: &Path) -> Rerun {
    let start = match Plan::of(info) {
        Ok(plan) => {
            let is_here = std::env::current_dir().is_ok_and(|here| here == plan.directory);
            start(&plan, info, is_here, true)
        }
        Err(_) => Start::Unknown,
    };
    Rerun {
        start,
        tests: results.join("tests"),
    }
}

fn start(plan: &Plan, info: &RunInfo, is_here: bool, is_over: bool) -> Start {
    match &plan.language {
        Language::C(c) => {
            let file = &c.program.file;
            if let Some(native) = &info.native {
                // Of a run that was killed the program may be missing, which a replay makes.
                if is_over && NativeProgram::of(info).is_some_and(|p| !p.is_there()) {
                    return Start::Unknown;
                }
                // The name may be that of a library of which the binary is a driver.
                let named = std::fs::canonicalize(plan.directory.join(file));
                let is_it = named.is_ok_and(|f| f == Path::new(native));
                return Start::Binary {
                    file: native.into(),
                    named: (is_here && is_it).then(|| file.clone()),
                };
            }
            let command = match toolchain::compile::kind(file) {
                Some(SourceKind::C) if c.entry.is_none() => "cc",
                Some(SourceKind::Cxx) if c.entry.is_none() => "c++",
                _ => return Start::Unknown,
            };
            Start::Source {
                command,
                flags: c.program.cc_flags.clone(),
                file: file.clone(),
                directory: (!is_here).then(|| plan.directory.clone()),
            }
        }
        Language::Java(java) => match (&java.whole, &java.method) {
            (Some(_), Some(method)) => Start::Main {
                class_path: java.class_path.clone(),
                class: method.class.clone(),
            },
            (None, Some(method)) => Start::Method(Box::new(method.clone())),
            (_, None) => Start::Unknown,
        },
    }
}
