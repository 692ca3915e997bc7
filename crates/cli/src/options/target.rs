//! The input of a fuzz target, and of any program that is fuzzed: a file of up to so many bytes, or standard input, which the user need
//! not ask for.

use super::draft::Draft;
use crate::exit::UsageError;
use linux::{ArgSpec, ProgramInput, Sizes, SymFiles};
use toolchain::fuzz_target;

/// Bytes of an input at most where neither an option nor a corpus says it, as libFuzzer has it.
const MOST: u64 = 4096;

impl Draft {
    /// Gives a fuzz target its input file, and a program that is fuzzed the file that `@@` stands for, or standard input, unless the user
    /// asks for other input. Short inputs come first: the largest is seldom one that
    /// the target is made for.
    ///
    /// # Errors
    /// The program is no fuzz target and `--max-len` is given, or the arguments are those of a fuzzer.
    pub(super) fn settle_target(&mut self, input: &mut ProgramInput) -> anyhow::Result<()> {
        let is_target = self.function.is_none() && fuzz_target::is_one(&self.program)?;
        let is_fuzzed = self.plan.fuzz.is_some() && self.function.is_none();
        if !is_target && !is_fuzzed {
            return match self.max_len {
                Some(_) => Err(self.no_target().into()),
                None => Ok(()),
            };
        }
        if input.is_symbolic() || (is_target && input.has_placeholder()) {
            return match self.max_len {
                Some(_) => {
                    let why = "--max-len: the input is described by other options: --sym-files, --sym-stdin or @@";
                    Err(UsageError(why.into()).into())
                }
                None => Ok(()),
            };
        }
        if is_target && !input.args.is_empty() {
            let advice = crate::words::of_target(&self.program, &self.arguments);
            return Err(UsageError(advice.lines().join("\npolypath: ")).into());
        }
        // What others find later may be longer than what is there.
        let least = (self.plan.search.sync.is_some() || self.plan.fuzz.is_some()).then_some(MOST);
        let longest = self.longest_seed()?.max(least);
        let len = self.max_len.or(longest).unwrap_or(MOST).max(1);
        if is_target {
            self.longest_input = Some(len);
            input.args = vec![ArgSpec::Concrete(b"A".to_vec())];
        }
        if is_target || input.has_placeholder() {
            input.files = Some(SymFiles { count: 1, len });
        } else {
            input.stdin = Some(len);
        }
        if input.sizes == Sizes::Any {
            input.sizes = Sizes::Growing;
        }
        Ok(())
    }

    /// What to do where `--max-len` means nothing.
    fn no_target(&self) -> UsageError {
        let program = self.program.display();
        UsageError(match self.function {
            Some(_) => "--max-len: with --entry, --array-max bounds the lengths".into(),
            None => format!(
                "--max-len: {program} is no fuzz target, which `polypath cc -fsanitize=fuzzer` links; --sym-files N LEN and --sym-stdin LEN say how \
                 long the input of another program is"
            ),
        })
    }
}
