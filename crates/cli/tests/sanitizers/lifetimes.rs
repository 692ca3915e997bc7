//! Objects that are used, or given back, when they are gone: AddressSanitizer knows.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "lifetimes",
    sanitizer: &["-fsanitize=address,null"],
    checks: "memory,scope",
    errors: &[
        "use_after_free",
        "double_free",
        "invalid_free",
        "null",
        "out_of_bounds",
    ],
    lines: Lines::Same,
    after: After::Ends,
    make: lifetime,
};

/// Something ends for some inputs, and is used for some.
fn lifetime(n: usize, random: &mut Random) -> Case {
    let when = |random: &mut Random| {
        random
            .pick(&["x & 1", "x > 3", "x == 2", "x != 5", "x % 3 == 1", "1"])
            .to_string()
    };
    let (ends, uses) = (when(random), when(random));
    let usage = random.pick(&[
        "r = *p;",
        "*p = 3;",
        "*p;",
        "r = p[0] == p[0];",
        "(*p)++;",
        "memcpy(&r, p, sizeof r);",
        "memset(p, 0, sizeof *p);",
    ]);
    let usage = match random.below(4) {
        0 => format!("r = get_{n}(p);"),
        1 => format!("r = inline_{n}(p);"),
        _ => usage.to_string(),
    };
    let body = match random.below(20) {
        0 => format!("int *p = malloc(8); *p = 1; if ({ends}) free(p); if ({uses}) {{ {usage} }}"),
        1 => format!("int *p = malloc(8); *p = 1; if ({ends}) free(p); if ({uses}) free(p);"),
        2 => format!(
            "int *p = malloc(8); *p = 1; int *q = p; if ({ends}) q = realloc(p, 80); if ({uses}) {{ {usage} }} r += q != 0;"
        ),
        3 => format!("int *p = malloc(16); *p = 1; if ({ends}) p += x & 1; if ({uses}) free(p);"),
        4 => format!(
            "int local = 1, *p = &local; if (!({ends})) p = malloc(4); if ({uses}) free(p);"
        ),
        5 => format!(
            "int other = 1, *p = &other; {{ int local = 2; if ({ends}) p = &local; }} if ({uses}) {{ {usage} }}"
        ),
        6 => format!(
            "int other = 1, *p = &other; if ({ends}) p = dead_{n}(); if ({uses}) {{ {usage} }}"
        ),
        7 => format!(
            "int other = 1, *p = &other; for (int k = 0; k < 3; k++) {{ int local = k; if (k == 1 && ({ends})) p = &local; if (k == 2 && ({uses})) {{ {usage} }} }}"
        ),
        8 => format!(
            "int *p = malloc(4); *p = 1; if ({ends}) drop_{n}(p); if ({uses}) {{ {usage} }}"
        ),
        9 => format!("int *p = malloc(4); *p = 1; if ({ends}) p = 0; if ({uses}) {{ {usage} }}"),
        10 => format!(
            "int *p = malloc(40); p[0] = 1; p[5] = 2; if ({ends}) p = realloc(p, 20); if ({uses}) r = p[5];"
        ),
        11 => format!(
            "int *p = malloc(8); *p = 1; if ({ends}) free(p); if ({uses}) p = realloc(p, 80);"
        ),
        12 => format!(
            "static int object; int *p = &object; if (!({ends})) p = malloc(4); if ({uses}) free(p);"
        ),
        13 => format!("char *p = \"text\"; if (!({ends})) p = malloc(4); if ({uses}) free(p);"),
        14 => format!(
            "int *p = malloc(8); *p = 1; for (int k = 0; k < 3; k++) {{ if (k == 1 && ({ends})) free(p); if (k == 2 && ({uses})) {{ {usage} }} }}"
        ),
        15 => format!(
            "int other = 1, *p = &other; {{ struct {{ int a, b; }} local = {{2, 3}}; if ({ends}) p = &local.b; }} if ({uses}) {{ {usage} }}"
        ),
        16 => format!(
            "int other = 1, *p = &other; if (x < 100) {{ int list[4] = {{2, 3}}; if ({ends}) p = list + x % 4; }} if ({uses}) {{ {usage} }}"
        ),
        17 => format!(
            "int other = 1, *p = &other; if ({ends}) p = parameter_{n}(x); if ({uses}) {{ {usage} }}"
        ),
        // AddressSanitizer does not see the end of a variable array.
        18 => format!(
            "int other = 1, *p = &other; {{ volatile int size = 2; int list[size]; list[1] = 3; if ({ends}) p = list + 1; }} if ({uses}) {{ FAILS_IF({ends}) r = *p; }}"
        ),
        _ => format!(
            "struct node {{ int value; struct node *next; }} *first = malloc(sizeof *first); first->value = 1; first->next = malloc(sizeof *first); \
             first->next->value = 2; first->next->next = 0; if ({ends}) free(first->next); int *p = &first->next->value; if ({uses}) {{ {usage} }}"
        ),
    };
    Case::new(&format!(
        "__attribute__((noinline)) int *dead_{n}(void) {{ int gone = 4; int *volatile p = &gone; return p; }}
__attribute__((noinline)) int *parameter_{n}(int gone) {{ int *volatile p = &gone; return p; }}
__attribute__((noinline)) void drop_{n}(void *p) {{ free(p); }}
__attribute__((noinline)) int get_{n}(int *p) {{ return *p; }}
static inline int inline_{n}(int *p) {{ return *p; }}
__attribute__((noinline)) int case_{n}(unsigned char x) {{ int r = 0; {body} return r & 1; }}\n"
    ))
}
