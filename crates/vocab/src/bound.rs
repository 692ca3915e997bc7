//! Limits of the claim that everything was explored: the inputs and the world for which it holds.

use serde::{Deserialize, Serialize};

macro_rules! bounds {
    ($($variant:ident $name:literal $strict:literal $help:literal;)*) => {
        /// A limit of the claim that everything was explored. It is no loss: within these limits the claim holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Bound { $(#[doc = $help] $variant),* }

        impl Bound {
            /// All bounds, in the order of the table.
            pub const ALL: &[Bound] = &[$(Bound::$variant),*];

            /// The name in `stats.json`.
            pub const fn name(self) -> &'static str {
                match self { $(Bound::$variant => $name),* }
            }

            /// Whether `--strict` takes it for something that was left out.
            pub const fn is_strict(self) -> bool {
                match self { $(Bound::$variant => $strict),* }
            }

            /// What it means, and what can be done.
            pub const fn help(self) -> &'static str {
                match self { $(Bound::$variant => $help),* }
            }
        }
    };
}

bounds! {
    NoInput  "no_input"       false "Nothing is symbolic: the program ran on one input. --sym-arg, --sym-files, --sym-stdin and klee_make_symbolic make input symbolic.";
    Missing  "missing_files"  true  "The program looked for files that its world does not have: its behaviour with them is not explored. --fs gives it a directory of the host.";
    Unset    "unset_variables" false "The program looked for variables of the environment that its world does not have: its behaviour with them is not explored. --env sets them.";
    Unsteady "unsteady_world" true  "Java: the program asked for the time, for a random number, for an object's own hash code, or for the order of a table that depends on such. Each run gets other answers, and the behaviour with those is not explored. Give the program a seed or a clock to make its world repeatable.";
    InputEnd "input_ends"     true  "The program read its input to the end: its behaviour with longer input is not explored. --sym-stdin and --sym-files give more, --max-len to a fuzz target.";
    Lengths  "bounded_lengths" true "--entry makes arrays and strings of up to so many elements: the function's behaviour with longer ones is not explored. --array-max and --string-max raise the limits.";
    Optimized "optimized_bitcode" true "The program is bitcode that LLVM's optimizer wrote (clang -O1 and above). Where the source is undefined, the optimizer may have removed the access or the operation that is an error: such errors are not looked for. Bitcode of -O0, or of polypath cc at any level, has them all.";
    Link     "unknown_link" true "The program is a binary that polypath cc did not link: the file does not show how options of the linker (--wrap) changed its names, and the run takes the names of the sources. Link it with polypath cc.";
    Driver   "driver_limits" true "--entry calls the function in the ways that the line names: other calls are not explored. polypath harness writes the driver, which can be edited; --pointer-depth raises a limit.";
}
