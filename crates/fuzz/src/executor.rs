//! The [`Server`] as an executor of LibAFL, and the stage that asks an input for what it compares.

use crate::comparisons;
use crate::server::{End, Server};
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::inputs::{HasTargetBytes, Input};
use libafl::observers::{CmpValuesMetadata, ObserversTuple};
use libafl::stages::{Restartable, Stage};
use libafl::state::{HasCurrentTestcase, HasExecutions};
use libafl::{Error, HasMetadata};
use libafl_bolts::ToSlice;
use libafl_bolts::tuples::RefIndexable;

/// What a target returns for an input that is not to be kept (libFuzzer's convention).
const REJECTED: i32 = -1;

/// See the module.
pub struct Native<OT> {
    /// The program.
    pub server: Server,
    observers: OT,
    /// A target that may reject inputs.
    may_reject: bool,
}

impl<OT> Native<OT> {
    /// Runs inputs in this program, watched by these observers.
    pub fn new(server: Server, observers: OT, may_reject: bool) -> Native<OT> {
        Native {
            server,
            observers,
            may_reject,
        }
    }
}

impl<OT> HasObservers for Native<OT> {
    type Observers = OT;

    fn observers(&self) -> RefIndexable<&OT, OT> {
        RefIndexable::from(&self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut OT, OT> {
        RefIndexable::from(&mut self.observers)
    }
}

impl<EM, I, OT, S, Z> Executor<EM, I, S, Z> for Native<OT>
where
    I: Input + HasTargetBytes,
    OT: ObserversTuple<I, S>,
    S: HasExecutions,
{
    fn run_target(
        &mut self,
        _: &mut Z,
        state: &mut S,
        _: &mut EM,
        input: &I,
    ) -> Result<ExitKind, Error> {
        *state.executions_mut() += 1;
        let end = self.server.run(input.target_bytes().to_slice());
        Ok(match end.map_err(|e| Error::unknown(e.to_string()))? {
            End::Ended(REJECTED) if self.may_reject => {
                self.server.counters().fill(0);
                ExitKind::Ok
            }
            End::Ended(_) => ExitKind::Ok,
            End::Killed(_) => ExitKind::Crash,
            End::TimedOut => ExitKind::Timeout,
        })
    }
}

/// Runs an input in the program that reports comparisons, and mutates it by what that says, before its first mutations and after
/// ever more of them.
pub struct Comparing<S> {
    traced: Server,
    then: S,
}

impl<S> Comparing<S> {
    /// The program that reports, and the stage that comes after.
    pub fn new(traced: Server, then: S) -> Comparing<S> {
        Comparing { traced, then }
    }
}

impl<E, EM, S, T, Z> Stage<E, EM, S, Z> for Comparing<T>
where
    S: HasCurrentTestcase<libafl::inputs::BytesInput> + HasMetadata,
    T: Stage<E, EM, S, Z>,
{
    fn perform(
        &mut self,
        fuzzer: &mut Z,
        executor: &mut E,
        state: &mut S,
        manager: &mut EM,
    ) -> Result<(), Error> {
        let input = {
            let testcase = state.current_testcase()?;
            // At first, and again after twice as many times.
            let times = testcase.scheduled_count();
            if times > 0 && !times.is_power_of_two() {
                return Ok(());
            }
            testcase.input().clone()
        };
        let Some(input) = input else { return Ok(()) };
        let end = self.traced.run(input.target_bytes().to_slice());
        end.map_err(|e| Error::unknown(e.to_string()))?;
        let list = comparisons::read(self.traced.log());
        if list.is_empty() {
            return Ok(());
        }
        let known = state.metadata_or_insert_with(CmpValuesMetadata::new);
        known.list = list;
        self.then.perform(fuzzer, executor, state, manager)
    }
}

impl<S, T> Restartable<S> for Comparing<T> {
    fn should_restart(&mut self, _: &mut S) -> Result<bool, Error> {
        Ok(true)
    }

    fn clear_progress(&mut self, _: &mut S) -> Result<(), Error> {
        Ok(())
    }
}
