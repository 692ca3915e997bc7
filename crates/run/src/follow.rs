//! Runs the inputs of tests again in the machine, one after the other, to see what each passes: the sites where a native binary leaves the
//! machine's path, the tests that a minimal corpus needs, the tokens that a program compares its input with.

use crate::plan::CProgram;
use exec::{ErrorKind, Machine, MachineOptions, ObjectBytes, Passed, Policy, RunLimits, Subject};
use explore::{Ended, InDoubt, PathEnd, PathOutcome, Sink};
use solver::{Solver, SolverOptions};
use std::rc::Rc;
use std::time::Duration;
use testcase::TestCase;

/// For one run of the machine.
const STEPS: u64 = 1 << 28;
const GRACE: Duration = Duration::from_secs(1);

/// See the module.
pub struct Follower(Subject);

/// The machine's run of a test's input.
pub struct Followed {
    /// What it passed.
    pub passed: Passed,
    /// It read memory that was never written: where.
    pub uninitialized: Option<String>,
}

impl Follower {
    /// For the tests of this program.
    ///
    /// # Errors
    /// The program has no first state.
    pub fn new(
        program: &CProgram,
        module: ir::Verified,
        checks: memory::Checks,
    ) -> Result<Follower, String> {
        let linux = env_c::Linux {
            config: program.world(),
            input: linux::ProgramInput {
                max_fail: 0,
                ..program.input.clone()
            },
            echo: false,
            formats: env_c::Formats::default(),
        };
        let options = MachineOptions {
            policy: Policy::Record,
            ..MachineOptions::default()
        };
        let solver = Solver::new(SolverOptions::default());
        let mut machine = Machine::new(module, Rc::new(linux), solver, options);
        let entries = machine.first_states(checks)?;
        let limits = RunLimits {
            grace: GRACE,
            ..RunLimits::default()
        };
        Ok(Follower(Subject::new(machine, entries, limits)))
    }

    /// Runs the input of a test; `None`: the program has no such input.
    pub fn follow(&mut self, test: &TestCase) -> Option<Followed> {
        let object = |(name, bytes): &(String, Vec<u8>)| ObjectBytes {
            object: name.clone(),
            offset: 0,
            bytes: bytes.clone(),
        };
        let parts: Vec<ObjectBytes> = test.objects.iter().map(object).collect();
        let input = self.0.seed(&parts)?;
        let mut last = Last::default();
        let passed = self.0.follow(&input, STEPS, &mut last);
        Some(Followed {
            passed,
            uninitialized: last.uninitialized,
        })
    }
}

/// Remembers how a path ended.
#[derive(Default)]
struct Last {
    uninitialized: Option<String>,
}

impl Sink for Last {
    fn wants_input(&mut self, _: Ended) -> bool {
        false
    }

    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        if let (PathOutcome::Error(e), Some(stack)) = (path.outcome, path.stack)
            && e.kind == ErrorKind::Uninitialized
        {
            let at = stack.frames.first().or(stack.inside.first());
            self.uninitialized = at.map(|f| format!("in {f}"));
        }
        None
    }
}
