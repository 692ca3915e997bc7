//! The [`Server`] as an executor of LibAFL, and the stage that asks an input for what it compares.

use crate::comparisons;
use crate::figures::Teller;
use crate::part::Pace;
use crate::server::{By, End, Server};
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::inputs::{BytesInput, HasTargetBytes, Input};
use libafl::observers::{CmpValuesMetadata, ObserversTuple};
use libafl::stages::{Restartable, Stage};
use libafl::state::{HasCorpus, HasCurrentTestcase, HasExecutions};
use libafl::{Error, HasMetadata, HasNamedMetadata};
use libafl_bolts::ToSlice;
use libafl_bolts::tuples::RefIndexable;
use std::cell::RefCell;
use std::rc::Rc;

/// What a target returns for an input that is not to be kept (libFuzzer's convention).
const REJECTED: i32 = -1;

/// Runs in a row that may fail to begin, before the fuzzer gives up.
const BROKEN: u64 = 100;

/// See the module.
pub struct Native<'a, OT> {
    server: Server,
    observers: OT,
    by: By,
    teller: Rc<RefCell<Teller>>,
    pace: &'a Pace,
    /// Runs that failed to begin since the last one that did.
    broken: u64,
}

impl<'a, OT> Native<'a, OT> {
    /// Runs inputs in this program, watched by these observers, until the pace ends that.
    pub fn new(
        server: Server,
        observers: OT,
        by: By,
        teller: Rc<RefCell<Teller>>,
        pace: &'a Pace,
    ) -> Native<'a, OT> {
        Native {
            server,
            observers,
            by,
            teller,
            pace,
            broken: 0,
        }
    }

    /// Runs an input; one that crashes runs again, in a new process.
    fn run(&mut self, bytes: &[u8]) -> Result<ExitKind, Error> {
        let failed = |e: std::io::Error| Error::unknown(e.to_string());
        let mut end = self.server.run(bytes).map_err(failed)?;
        if matches!(end, End::Killed(_)) {
            end = self.server.run(bytes).map_err(failed)?;
            if !matches!(end, End::Killed(_)) {
                self.teller.borrow_mut().unsteady += 1;
            }
        }
        self.teller.borrow_mut().restarts = self.server.restarts;
        if end != End::Broken {
            self.broken = 0;
        }
        Ok(match end {
            End::Ended(REJECTED) if self.by == By::Call => {
                self.server.forget();
                ExitKind::Ok
            }
            End::Ended(_) => ExitKind::Ok,
            End::Killed(_) => ExitKind::Crash,
            End::TimedOut => ExitKind::Timeout,
            End::Broken => {
                self.server.forget();
                self.teller.borrow_mut().broken += 1;
                self.broken += 1;
                if self.broken >= BROKEN {
                    return Err(Error::unknown("the program does not start any more"));
                }
                ExitKind::Ok
            }
        })
    }
}

impl<OT> HasObservers for Native<'_, OT> {
    type Observers = OT;

    fn observers(&self) -> RefIndexable<&OT, OT> {
        RefIndexable::from(&self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut OT, OT> {
        RefIndexable::from(&mut self.observers)
    }
}

impl<EM, I, OT, S, Z> Executor<EM, I, S, Z> for Native<'_, OT>
where
    I: Input + HasTargetBytes,
    OT: ObserversTuple<I, S>,
    S: HasExecutions + HasCorpus<I> + HasNamedMetadata,
{
    fn run_target(
        &mut self,
        _: &mut Z,
        state: &mut S,
        _: &mut EM,
        input: &I,
    ) -> Result<ExitKind, Error> {
        if self.pace.has_ended() {
            return Err(Error::shutting_down());
        }
        *state.executions_mut() += 1;
        let kind = self.run(input.target_bytes().to_slice())?;
        let told = self.teller.borrow_mut().look(state);
        told.map_err(|e| Error::unknown(format!("the figures: {e}")))?;
        Ok(kind)
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
    S: HasCurrentTestcase<BytesInput> + HasMetadata,
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
