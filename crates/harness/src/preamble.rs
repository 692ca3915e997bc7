//! The helpers that drivers call, each written only where it is used.

use std::fmt::Write;

/// How a driver declares `malloc`; tests as C have a function of this name instead.
pub const MALLOC: &str = "void *pp_malloc(size_t) __asm__(\"malloc\");\n";

/// How a driver learns what the call brought about; tests as C have a function of this name instead, which compares.
pub const EXPECT: &str = r#"
/* An input that has the bytes which are there: what tests compare. */
static void pp_expect(const void *actual, size_t size, char kind, const char *name)
{
    const unsigned char *there = actual;
    unsigned char expected[size], is_same = 1;
    (void)kind;
    if (klee_is_replay()) return;
    klee_make_symbolic(expected, size, name);
    for (size_t i = 0; i < size; i++) is_same &= expected[i] == there[i];
    klee_assume(is_same);
}
"#;

/// (what the text of a driver mentions, the helper's definition), those that others need last.
const HELPERS: &[(&str, &str)] = &[
    ("pp_expect(", EXPECT),
    (
        "pp_array(",
        r#"
/* An array of `size` bytes, at most room; no path forks for its size before the function asks for it. What has no
   byte is an object, too: realloc may say null. */
void *pp_realloc(void *, size_t) __asm__("realloc");
static void *pp_array(size_t size, size_t room, const char *name)
{
    void *none = pp_malloc(0), *some = pp_realloc(pp_new(room, name), size);
    return pp_pick(some == 0, 1, none, some);
}
"#,
    ),
    (
        "pp_stream(",
        r#"
/* A stream with symbolic content, for reading and writing. */
struct _IO_FILE;
struct _IO_FILE *pp_tmpfile(void) __asm__("tmpfile");
size_t pp_fwrite(const void *, size_t, size_t, struct _IO_FILE *) __asm__("fwrite");
void pp_rewind(struct _IO_FILE *) __asm__("rewind");
static void *pp_stream(size_t size, const char *name)
{
    struct _IO_FILE *stream = pp_tmpfile();
    if (stream) {
        pp_fwrite(pp_new(size, name), 1, size, stream);
        pp_rewind(stream);
    }
    return stream;
}
"#,
    ),
    (
        "pp_extended(",
        r#"
/* An 80-bit number has its integer bit unless its exponent is 0. */
static void pp_extended(void *number)
{
    unsigned long *mantissa = number;
    unsigned short *exponent = (unsigned short *)(mantissa + 1);
    *mantissa = (*mantissa & ~(1ul << 63)) | ((unsigned long)((*exponent & 0x7fff) != 0) << 63);
}
"#,
    ),
    (
        "pp_pick(",
        r#"
/* yes if choice is k, else no; without a branch, so that nothing forks before the pointer is used. */
static void *pp_pick(unsigned char choice, unsigned char k, const void *yes, const void *no)
{
    uintptr_t mask = -(uintptr_t)(choice == k);
    return (void *)(((uintptr_t)yes & mask) | ((uintptr_t)no & ~mask));
}
"#,
    ),
    (
        "pp_choice(",
        r#"
static unsigned char pp_choice(const char *name)
{
    unsigned char choice;
    klee_make_symbolic(&choice, sizeof choice, name);
    return choice;
}
"#,
    ),
    (
        "pp_length(",
        r#"
/* A length up to max: one value per path. */
static unsigned long pp_length(unsigned long length, unsigned long max)
{
    unsigned long n = 0;
    while (n < max && n != length) n++;
    klee_assume(n == length);
    return n;
}
"#,
    ),
    (
        "pp_string(",
        r#"
/* A string of at most max characters, which ends at its zero. */
static char *pp_string(size_t max, const char *name)
{
    char *text = pp_new(max + 1, name);
    unsigned char is_longer = 1;
    text[max] = 0;
    for (size_t i = 0; i <= pp_strings_before; i++) is_longer &= text[i] != 0;
    if (pp_strings_before) pp_is_longer |= is_longer;
    return polypath_text(text);
}
"#,
    ),
    (
        "pp_zeroed(",
        r#"
/* An object for the library to fill. */
void *pp_calloc(size_t, size_t) __asm__("calloc");
static void *pp_zeroed(size_t size)
{
    return pp_calloc(1, size);
}
"#,
    ),
    (
        "pp_new(",
        r#"
/* An object of its own with symbolic content. */
void *pp_malloc(size_t) __asm__("malloc");
static void *pp_new(size_t size, const char *name)
{
    void *object = pp_malloc(size);
    if (size) klee_make_symbolic(object, size, name);
    return object;
}
"#,
    ),
];

/// The helpers that `text` needs, and those that they need.
pub fn helpers(text: &str) -> String {
    let mut needed: Vec<&str> = Vec::new();
    for (name, definition) in HELPERS {
        if text.contains(name) || needed.iter().any(|d| d.contains(name)) {
            needed.push(definition);
        }
    }
    let mut out = String::new();
    for definition in needed.iter().rev() {
        let _ = write!(out, "{definition}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_bring_their_own_helpers_first() {
        let text = helpers("x = pp_string(3, \"s\");");
        let at = |name: &str| text.find(name);
        assert!(at("static void *pp_new") < at("static char *pp_string"));
        assert!(at("pp_new").is_some() && at("pp_pick").is_none());
        let text = helpers("a = pp_array(n, 4, \"a\");");
        let at = |name: &str| text.find(name);
        assert!(at("static void *pp_new") < at("static void *pp_array"));
        assert!(at("static void *pp_pick") < at("static void *pp_array"));
        assert!(helpers("int x;").is_empty());
    }
}
