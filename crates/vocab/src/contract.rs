//! Functions of libc that ask something of their callers which they do not look at themselves.

/// Lowering keeps the program's calls of these where the machine can look at them; crate `exec` says what they ask
/// (`c/contracts.rs`).
pub const CONTRACTS: &[&str] = &[
    "strcpy",
    "stpcpy",
    "__stpcpy",
    "strncpy",
    "stpncpy",
    "__stpncpy",
    "strcat",
    "wmemcpy",
    "imaxabs",
    "exit",
    "quick_exit",
    "snprintf",
    "vsnprintf",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "tolower",
    "toupper",
];
