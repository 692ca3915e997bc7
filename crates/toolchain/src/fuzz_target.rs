//! Fuzz targets: programs with the function `LLVMFuzzerTestOneInput` instead of `main`, as libFuzzer has them.
//!
//! `-fsanitize=fuzzer` links them with a `main` of ours (`runtime/fuzz/target.c`), which reads an input from a file. So a target is a
//! program with one input file for everything else: exploration, seeds, tests, replay, other fuzzers. A section of the binary marks it.

use crate::extract::ExtractError;
use object::{Object, ObjectSection};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The flag that links `main`; what `LIB_FUZZING_ENGINE` says during a build.
pub const FLAG: &str = "-fsanitize=fuzzer";
/// The library with this `main`, as the linker is told of it.
pub(crate) const LIBRARY: &str = "-lFuzzingEngine";
/// The section of a binary that has it.
const SECTION: &str = "polypath_fuzz_target";

/// The flags that OSS-Fuzz gives to compilers, but for those that ask for instrumentation.
const FLAGS: &str = "-O1 -fno-omit-frame-pointer -g -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION";

/// What a list of sanitizers asks of a fuzzer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FuzzerAsked {
    /// `fuzzer`: the target's `main`.
    main: bool,
    /// The list has others, too.
    pub(crate) others: bool,
}

/// Reads `-fsanitize=LIST`; `None` if the list has no fuzzer, or the flag is another one.
pub(crate) fn asked(flag: &str) -> Option<FuzzerAsked> {
    let list = flag.strip_prefix("-fsanitize=")?;
    let is_fuzzer = |name: &&str| matches!(*name, "fuzzer" | "fuzzer-no-link");
    list.split(',')
        .any(|name| is_fuzzer(&name))
        .then(|| FuzzerAsked {
            main: list.split(',').any(|name| name == "fuzzer"),
            others: !list.split(',').all(|name| is_fuzzer(&name)),
        })
}

/// Do these arguments ask for the target's `main`? The last word counts.
pub(crate) fn is_wanted(arguments: &[String]) -> bool {
    arguments.iter().fold(false, |wanted, argument| {
        if let Some(list) = argument.strip_prefix("-fno-sanitize=") {
            return wanted && !list.split(',').any(|name| matches!(name, "fuzzer" | "all"));
        }
        wanted || asked(argument).is_some_and(|asked| asked.main)
    })
}

/// Is the file a binary with the target's `main`?
///
/// # Errors
/// The file cannot be read, or is damaged.
pub fn is_one(path: &Path) -> Result<bool, ExtractError> {
    let data = std::fs::read(path).map_err(|e| ExtractError::Unreadable(path.to_owned(), e))?;
    if !data.starts_with(b"\x7fELF") {
        return Ok(false);
    }
    let file = object::File::parse(&*data)
        .map_err(|e| ExtractError::Malformed(path.to_owned(), e.to_string()))?;
    let is_program = file.kind() == object::ObjectKind::Executable;
    Ok(is_program && file.section_by_name(SECTION).is_some_and(|s| s.size() > 0))
}

/// Does a source, an object or an archive name the function that a fuzzer calls? A file that cannot be read does not.
pub(crate) fn is_named_in(path: &Path) -> bool {
    let name = vocab::FUZZ_TARGET.as_bytes();
    std::fs::read(path).is_ok_and(|data| data.windows(name.len()).any(|part| part == name))
}

/// The variables that a `build.sh` of OSS-Fuzz finds set, as far as they are not set here already, apart from the compilers'. The
/// directories of `OUT` and `WORK` are made.
///
/// # Errors
/// A directory cannot be made.
pub(crate) fn variables_of_oss_fuzz() -> io::Result<Vec<(&'static str, OsString)>> {
    let here = std::env::current_dir()?;
    let directory = |name: &str, default: PathBuf| {
        let path = std::env::var_os(name).map_or(default, PathBuf::from);
        std::fs::create_dir_all(&path)
            .map_err(|e| io::Error::new(e.kind(), format!("{name}={}: {e}", path.display())))?;
        Ok::<_, io::Error>(path.into_os_string())
    };
    let mut variables = vec![
        ("OUT", directory("OUT", here.join("out"))?),
        ("WORK", directory("WORK", here.join("work"))?),
        ("SRC", here.into_os_string()),
    ];
    for (name, value) in [
        ("CFLAGS", FLAGS),
        ("CXXFLAGS", FLAGS),
        ("FUZZING_ENGINE", "libfuzzer"),
        ("FUZZING_LANGUAGE", "c"),
        ("SANITIZER", "address"),
        ("ARCHITECTURE", "x86_64"),
    ] {
        variables.push((name, value.into()));
    }
    variables.retain(|(name, _)| std::env::var_os(name).is_none());
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_a_fuzzer_counts() {
        for (text, wanted) in [
            ("-fsanitize=fuzzer", true),
            ("-fsanitize=address,fuzzer -g", true),
            ("-fsanitize=fuzzer-no-link", false),
            ("-fsanitize=address", false),
            ("-fsanitize=fuzzer -fno-sanitize=fuzzer", false),
            ("-fsanitize=fuzzer -fno-sanitize=all", false),
            ("-fno-sanitize=fuzzer -fsanitize=fuzzer", true),
            ("-fsanitize=fuzzer -fno-sanitize=vptr", true),
        ] {
            let arguments: Vec<String> = text.split(' ').map(String::from).collect();
            assert_eq!(is_wanted(&arguments), wanted, "{text}");
        }
        assert_eq!(asked("-fsanitize=fuzzer").map(|a| a.others), Some(false));
        assert_eq!(
            asked("-fsanitize=undefined,fuzzer").map(|a| a.others),
            Some(true)
        );
        assert_eq!(asked("-fsanitize=undefined"), None);
    }
}
