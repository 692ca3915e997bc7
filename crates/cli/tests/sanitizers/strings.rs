//! Strings and memory through libc, in buffers of exactly their size: AddressSanitizer knows which calls leave them.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "strings",
    sanitizer: &["-fsanitize=address"],
    checks: "memory,overlap",
    errors: &["out_of_bounds", "overlap"],
    lines: Lines::Same,
    after: After::Ends,
    make: string,
};

/// A buffer of so many bytes.
fn buffer(name: &str, n: usize, size: i64, random: &mut Random) -> (String, String) {
    let before = match random.below(5) {
        0 => {
            return (
                format!("char {name}_{n}[{size}];\n"),
                format!("char *{name} = {name}_{n};"),
            );
        }
        1 => format!("char {name}_local[{size}]; char *{name} = {name}_local;"),
        2 => format!("static char {name}_static[{size}]; char *{name} = {name}_static;"),
        _ => format!("char *{name} = malloc({size});"),
    };
    (String::new(), before)
}

/// Calls that AddressSanitizer knows; `stpcpy`, `strtoul` and `strtod` are none.
///
/// What is done with the source `s`, perhaps without an end, the destination `d`, which is a string, and the number `l`.
const OPERATIONS: &[&str] = &[
    "r = strlen(s);",
    "strcpy(d, s); r = d[0];",
    "strcat(d, s); r = d[1];",
    "strncpy(d, s, l); r = d[0];",
    "strncat(d, s, l); r = d[0];",
    "r = memchr(s, 'c', l) != 0;",
    "r = memchr(s, 'z', l) != 0;",
    "r = strchr(s, 'b') != 0;",
    "r = strchr(s, 'z') != 0;",
    "r = strrchr(s, 'a') != 0;",
    "r = strcmp(s, \"abc\") > 0;",
    "r = strcmp(d, s) != 0;",
    "r = strncmp(s, \"abcdefgh\", l) != 0;",
    "r = memcmp(s, \"abcdefghijkl\", l) != 0;",
    "r = strcasecmp(s, \"ABC\") > 0;",
    "r = strncasecmp(s, \"ABCDEFGH\", l) != 0;",
    "r = strstr(s, \"cd\") != 0;",
    "r = strspn(s, \"abcd\");",
    "r = strcspn(s, \"yz\");",
    "r = strpbrk(s, \"ce\") != 0;",
    "r = snprintf(d, l, \"%d\", 100 * x);",
    "r = sprintf(d, \"%d\", x * x * x);",
    "r = sprintf(d, \"%s\", \"ab\" + x % 3);",
    "r = snprintf(0, 0, \"%s\", s);",
    "char *t = strdup(s); r = t[0];",
    "r = strnlen(s, l);",
    "memcpy(d, s, l); r = d[0];",
    "memmove(d, s, l); r = d[0];",
    "memset(d, 'q', l); r = d[0];",
    "memset(d + l, 0, 1);",
    "memmove(s + 1, s, l); r = s[0];",
    "memcpy(s + l, s, 2); r = s[0];",
    "memcpy(s, s + x, l); r = s[0];",
    "r = atoi(n);",
    "r = strtol(n, 0, 10);",
    "char *e; r = strtol(n, &e, 16) & 0xff; r += e - n;",
    "r = sscanf(\"12 34\", \"%d\", (int *)d);",
    "r = sscanf(\"12 34\", \"%hd\", (short *)(d + l));",
    "r = sscanf(\"12 34\", \"%hhd\", d + l);",
    "r = sscanf(\"abcdef\", \"%3c\", d);",
    "strcpy(d, \"abcd\" + x % 5); r = d[0];",
    "r = wcslen((wchar_t *)L\"abc\");",
    "r = s[strlen(s) - 1];",
    "while (*s) s++; r = s[-1];",
    "for (char *t = d; (*t = *s); t++) s++; r = d[0];",
    "char *t = s; while (t < s + l) r += *t++;",
];

fn string(n: usize, random: &mut Random) -> Case {
    let (s, d, z) = (random.range(1, 6), random.range(1, 8), random.range(1, 4));
    let mut declared = String::new();
    let mut before = String::new();
    for (name, size) in [("s", s), ("d", d), ("n", z)] {
        let (outside, inside) = buffer(name, n, size, random);
        before += &outside;
        declared += &inside;
        declared.push(' ');
    }
    let end = random.pick(&["x", "x / 2", "x & 3", "x == 4 ? 9 : 0", "x + 1"]);
    let long = random.pick(&[
        "x",
        "x / 2",
        "x % 3",
        "x + 1",
        "x == 3 ? -1 : 1",
        "x == 1 ? 7 : 0",
    ]);
    let filled = format!(
        "for (int k = 0; k < {s}; k++) s[k] = 'a' + k; if (end < {s}) s[end] = 0; \
         memset(d, 0, {d}); if ({d} > 1) d[0] = 'a'; \
         for (int k = 0; k < {z}; k++) n[k] = '1' + k; if (x & 1) n[{z} - 1] = ' '; if (x == 2) n[0] = 0;"
    );
    let operation = random.pick(OPERATIONS);
    // The sizes of snprintf that are differences below zero are an error here, which glibc takes for no limit.
    let is_difference = long.contains("-1") && operation.contains("snprintf");
    let long = if is_difference { "1" } else { long };
    let placed = match random.below(4) {
        0 => format!("if (x != 6) {{ {operation} }}"),
        1 => format!("if (x < 100) {{ {operation} }}"),
        _ => operation.to_string(),
    };
    Case::new(&format!(
        "{before}__attribute__((noinline)) int case_{n}(unsigned char x) {{ int r = 0, end = {end}; size_t l = {long};
    {declared} {filled} {placed} return r; }}\n"
    ))
}
