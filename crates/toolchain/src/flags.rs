//! The flags that make every compile end in machine code *and* faithful bitcode.

use crate::sysroot::Sysroot;

/// Before the user's flags: defaults that he may change.
pub fn before(sysroot: &Sysroot) -> Vec<String> {
    let mut flags: Vec<String> = [
        "--target=x86_64-linux-musl",
        // clang has no own headers for libc and would look into the host's.
        "-nostdlibinc",
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
    flags.extend(["-isystem".into(), sysroot.include.display().to_string()]);
    flags
}

/// After the user's flags: what must hold whatever he says.
pub const AFTER: &[&str] = &[
    // Flags of one step are given to all of them.
    "-Wno-unused-command-line-argument",
    // Checks are fixed on unoptimised IR, before any pass deletes what they look for. The passes are off
    // for the machine code too: it must call whatever the bitcode calls, or the linker would leave
    // archive members out that the bitcode needs. optnone would keep us from optimising later.
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-O0-optnone",
    // Plain IEEE arithmetic: no constrained intrinsics, no contraction, and libm calls stay calls.
    "-fno-fast-math",
    "-fno-rounding-math",
    "-ffp-contract=off",
    "-fmath-errno",
    "-fno-stack-protector",
];

/// For C++: no exceptions and no host's standard library; our own headers name what is missing.
pub const CXX: &[&str] = &["-nostdinc++", "-fno-exceptions", "-fno-rtti"];

/// Puts the bitcode into the object.
pub const EMBED: &[&str] = &["-Xclang", "-fembed-bitcode=bitcode"];

/// Flags that the wrapper takes out, with the reason if the user should hear of it.
///
/// Matched whole, or as a prefix where they end in `*`.
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
    ("-specs=*", None),
    // Their run-time libraries exist for the host's libc only.
    (
        "-fsanitize=*",
        Some("Polypath has its own checks (polypath run --check)"),
    ),
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

/// What becomes of one of the user's flags.
pub enum Verdict {
    Keep,
    Drop(Option<&'static str>),
}

/// Looks a flag up in [`DROPPED`].
pub fn judge(flag: &str) -> Verdict {
    for &(pattern, reason) in DROPPED {
        let hit = match pattern.strip_suffix('*') {
            Some(prefix) => flag.starts_with(prefix),
            None => flag == pattern,
        };
        if hit {
            return Verdict::Drop(reason);
        }
    }
    Verdict::Keep
}
