//! The flags that make every compile end in machine code *and* faithful bitcode.
//!
//! [`Flags`] is the only way to them, for `polypath cc` and for a source given to `polypath run`: the two
//! compile the same program.

use crate::cxx::CxxLibrary;
use crate::fuzz_target;
use crate::gcc;
use crate::libraries::{self, Added};
use crate::sysroot::Sysroot;

/// The flags around the user's flags.
pub struct Flags {
    /// In front of the user's flags.
    pub before: Vec<String>,
    /// Behind the user's flags.
    pub after: Vec<String>,
}

impl Flags {
    /// The flags for a source of C, or of C++ if there is its library, which may use the libraries that were added.
    pub fn new(sysroot: &Sysroot, added: &[Added], cxx: Option<&CxxLibrary>) -> Flags {
        let mut before = defaults(sysroot);
        if let Some(library) = cxx {
            before.extend(CXX.iter().map(|&f| f.into()));
            // Behind the user's directories and in front of the C library's, which its headers include the next of.
            let headers = library.include.display().to_string();
            before.extend(["-stdlib++-isystem".into(), headers]);
        }
        let mut after = libraries::compile_flags(added);
        after.extend(AFTER.iter().map(|&f| f.into()));
        Flags { before, after }
    }
}

/// Defaults that the user may change.
fn defaults(sysroot: &Sysroot) -> Vec<String> {
    let mut flags: Vec<String> = [
        "--target=x86_64-linux-musl",
        // GCC reads <stdc-predef.h> before each source; the rest of what it says clang knows by itself.
        "-D__STDC_ISO_10646__=201706L",
        "-D__STDC_IEC_559__=1",
        "-fno-pic",
        "-fno-pie",
        // Line tables and types: for stack traces and for `--entry`.
        "-g",
        // As Debian's gcc has it: warnings, which configure tests and older projects live with.
        "-Wno-error=implicit-function-declaration",
        "-Wno-error=implicit-int",
        "-Wno-error=int-conversion",
        "-Wno-error=incompatible-function-pointer-types",
    ]
    .map(String::from)
    .into();
    // Nothing of the host's would do: it is made for its C library. Our headers stand behind the user's directories, of
    // which one may have a <stdio.h> that includes the next.
    flags.push(format!("--sysroot={}", sysroot.root.display()));
    flags
}

/// After the user's flags: they hold whatever the user says.
const AFTER: &[&str] = &[
    // Flags of one step are given to all of them.
    "-Wno-unused-command-line-argument",
    // Checks are fixed on unoptimized IR, before any pass deletes what they look for. The passes are off
    // for the machine code too: it must call whatever the bitcode calls, or the linker would leave
    // archive members out that the bitcode needs. optnone would keep us from optimizing later.
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-O0-optnone",
    // Marks where variables begin and end to live, whatever the optimization level.
    "-Xclang",
    "-fsanitize-address-use-after-scope",
    // Plain IEEE arithmetic: no contraction, and libm calls stay calls.
    "-fno-fast-math",
    "-ffp-contract=off",
    "-fmath-errno",
    "-fno-stack-protector",
];

/// For C++.
const CXX: &[&str] = &[
    // The end of a function that has to return a value is told from other traps.
    "-Xclang",
    "-fsanitize=return",
    "-Xclang",
    "-fsanitize-trap=return",
];

/// Puts the bitcode into the object.
pub const EMBED: &[&str] = &["-Xclang", "-fembed-bitcode=bitcode"];

const OWN_CHECKS: &str = "Polypath has its own checks (polypath run --check)";
/// The same where a fuzz target is linked nevertheless.
const OTHER_SANITIZERS: &str =
    "only `fuzzer` is meant here; Polypath has its own checks (polypath run --check)";

/// Flags that the wrapper removes, with the reason if the user should see it.
///
/// Matched whole, or as a prefix if they end in `*`.
pub const DROPPED: &[(&str, Option<&str>)] = &[
    // Objects of only bitcode, without machine code, do not link here.
    ("-flto*", None),
    ("-fno-lto", None),
    ("-ffat-lto-objects", None),
    ("-fuse-linker-plugin", None),
    ("-fwhole-program", None),
    ("-fuse-ld=*", None),
    ("-fembed-bitcode*", None),
    // Everything is static and at a fixed address.
    ("-pie", None),
    ("-static-pie", None),
    ("-static", None),
    ("-rdynamic", None),
    ("-Wl,-Bstatic", None),
    ("-Wl,-Bdynamic", None),
    ("-Wl,-E", None),
    ("-Wl,--export-dynamic", None),
    // The host's processor is not the modelled one.
    ("-march=native", None),
    ("-mtune=native", None),
    // Debug information must stay in the object, and must be there.
    ("-g0", None),
    ("-gsplit-dwarf*", None),
    ("-gz*", None),
    // There is one C++ library.
    ("-stdlib=*", None),
    ("-specs=*", None),
    // The end that a trap is would be another function's.
    (
        "-ftrap-function=*",
        Some("a trap is an error here, and no call"),
    ),
    // Their run-time libraries exist for the host's libc only.
    ("-fsanitize=*", Some(OWN_CHECKS)),
    ("-fsanitize-*", None),
    ("--coverage", Some("polypath replay measures coverage")),
    ("-coverage", Some("polypath replay measures coverage")),
    ("-fprofile-arcs", Some("polypath replay measures coverage")),
    ("-ftest-coverage", Some("polypath replay measures coverage")),
    (
        "-fprofile-*",
        Some("profiles have no run-time library here"),
    ),
    ("-pg", Some("profiles have no run-time library here")),
];

/// Directories of the host's own headers and libraries, which belong to its C library. GCC leaves the former out, too, when
/// they are named.
const HOST: &[(&str, &[&str])] = &[
    (
        "-I -isystem -idirafter -iquote",
        &[
            "/usr/include",
            "/usr/include/x86_64-linux-gnu",
            "/usr/local/include",
        ],
    ),
    (
        "-L",
        &[
            "/usr/lib",
            "/lib",
            "/usr/lib64",
            "/lib64",
            "/usr/local/lib",
            "/usr/lib/x86_64-linux-gnu",
            "/lib/x86_64-linux-gnu",
        ],
    ),
];

/// Whether the flag (with its operand, if that stands apart) names one of the host's own directories.
pub fn names_host(flag: &str, operand: Option<&str>) -> bool {
    HOST.iter().any(|(options, directories)| {
        let directory = options.split(' ').find_map(|option| match operand {
            Some(operand) => (flag == option).then_some(operand),
            None => flag.strip_prefix(option),
        });
        directory.is_some_and(|d| {
            let d = d.trim_end_matches('/');
            directories.contains(&d)
        })
    })
}

/// The treatment of one of the user's flags.
pub enum FlagVerdict {
    /// Pass this on.
    Keep(String),
    /// Leave it out, with a note of the reason unless it is harmless.
    Drop(Option<&'static str>),
}

/// Looks a flag of the user up in [`DROPPED`].
pub fn judge(flag: &str) -> FlagVerdict {
    if gcc::only_gcc_knows(flag) {
        return FlagVerdict::Drop(None);
    }
    if let Some(asked) = fuzz_target::asked(flag) {
        return FlagVerdict::Drop(asked.others.then_some(OTHER_SANITIZERS));
    }
    for &(pattern, reason) in DROPPED {
        let hit = match pattern.strip_suffix('*') {
            Some(prefix) => flag.starts_with(prefix),
            None => flag == pattern,
        };
        if hit {
            return FlagVerdict::Drop(reason);
        }
    }
    let kept = match flag {
        // Fast math would make other results than what we compute.
        "-Ofast" => "-O3",
        // These calls come from a pass, and none of clang's runs; those come from code generation.
        "-finstrument-functions" => "-finstrument-functions-after-inlining",
        _ => flag,
    };
    FlagVerdict::Keep(kept.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on, or nothing.
    fn kept(flag: &str) -> Option<String> {
        match judge(flag) {
            FlagVerdict::Keep(flag) => Some(flag),
            FlagVerdict::Drop(_) => None,
        }
    }

    #[test]
    fn each_flag_of_the_table_is_taken_out_with_its_reason() {
        for &(pattern, reason) in DROPPED {
            let examples = match pattern.strip_suffix('*') {
                Some(prefix) => vec![prefix.to_string(), format!("{prefix}x")],
                None => vec![pattern.to_string()],
            };
            for flag in examples {
                match judge(&flag) {
                    FlagVerdict::Drop(why) => assert_eq!(why, reason, "{flag}"),
                    FlagVerdict::Keep(_) => panic!("{flag} is passed on"),
                }
            }
        }
    }

    #[test]
    fn a_fuzzer_is_no_sanitizer_that_is_missed() {
        for (flag, is_told) in [
            ("-fsanitize=fuzzer", false),
            ("-fsanitize=fuzzer-no-link", false),
            ("-fsanitize=fuzzer,address", true),
            ("-fsanitize=address", true),
        ] {
            match judge(flag) {
                FlagVerdict::Drop(why) => assert_eq!(why.is_some(), is_told, "{flag}"),
                FlagVerdict::Keep(_) => panic!("{flag} is passed on"),
            }
        }
    }

    #[test]
    fn what_a_program_means_is_passed_on_as_it_is() {
        let flags = [
            "-O2",
            "-DX=-flto",
            "-g",
            "-g3",
            "-static-libgcc",
            "-fwrapv",
            "-march=x86-64",
            "-pthread",
            "-Wall",
            "a.c",
            "-piece",
            "-fno-sanitize=x",
            "-I/usr/include/foo",
        ];
        for flag in flags {
            assert_eq!(kept(flag).as_deref(), Some(flag));
        }
        assert_eq!(kept("-Ofast").as_deref(), Some("-O3"));
        assert!(kept("-finstrument-functions").is_some_and(|f| f.ends_with("-after-inlining")));
    }

    #[test]
    fn the_hosts_own_directories_are_known_joined_apart_and_with_a_slash() {
        for (flag, operand, is_host) in [
            ("-I/usr/include", None, true),
            ("-I/usr/include/", None, true),
            ("-isystem", Some("/usr/include/x86_64-linux-gnu"), true),
            ("-idirafter/usr/local/include", None, true),
            ("-L/usr/lib/x86_64-linux-gnu//", None, true),
            ("-L", Some("/lib64"), true),
            // Below them, beside them, and of the other kind.
            ("-I/usr/include/libxml2", None, false),
            ("-I", Some("/usr/included"), false),
            ("-L/usr/include", None, false),
            ("-I/usr/lib", None, false),
            ("-o", Some("/usr/include"), false),
        ] {
            assert_eq!(names_host(flag, operand), is_host, "{flag} {operand:?}");
        }
    }
}
