//! Functions of libc with requirements on their callers that they do not check themselves, or that do nothing.

/// libc asks by this name whether the engine has operations for conversions between text and numbers. Lowering answers that it
/// has none, where the code of such conversions is to run.
pub const ASKS_FOR_NUMBERS: &str = "__polypath_numbers";

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
    "strncat",
    "wcscpy",
    "wcpcpy",
    "wcsncpy",
    "wcpncpy",
    "wcscat",
    "wcsncat",
    "wmemcpy",
    "wmempcpy",
    "strlcpy",
    "strxfrm",
    "memccpy",
    "swab",
    "mbstowcs",
    "wcstombs",
    "strftime",
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

/// Functions that our C library has by name only: they fail or do nothing where another library does the thing. A call by
/// the program is counted as refused. The names are those of the definitions, of which others are aliases.
pub const STUBS: &[&str] = &[
    "stub_dlopen",
    "dlsym",
    "stub_dladdr",
    "getutxent",
    "getutxid",
    "getutxline",
    "pututxline",
    "updwtmpx",
    "__utmpxname",
    "sched_getparam",
    "sched_getscheduler",
    "sched_setparam",
    "sched_setscheduler",
];

/// Functions that stand in tables of virtual functions where there is none, and are called through the type of the one that is missing.
pub const PLACEHOLDERS: &[&str] = &["__cxa_pure_virtual", "__cxa_deleted_virtual"];

/// Does the machine look at the program's calls of this function of libc?
pub fn is_looked_at(name: &str) -> bool {
    CONTRACTS.contains(&name) || STUBS.contains(&name)
}
