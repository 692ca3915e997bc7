//! Objects that are used, or given back, when they are gone: AddressSanitizer knows.

use crate::{BATCH, Case, Kind, compare};
use testkit::Random;

const LIFETIMES: Kind = Kind {
    name: "lifetimes",
    sanitizer: &["-fsanitize=address"],
    checks: "memory,scope",
    errors: &["use_after_free", "double_free", "invalid_free"],
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
    let body = match random.below(9) {
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
        _ => format!(
            "struct node {{ int value; struct node *next; }} *first = malloc(sizeof *first); first->value = 1; first->next = malloc(sizeof *first); \
             first->next->value = 2; first->next->next = 0; if ({ends}) free(first->next); int *p = &first->next->value; if ({uses}) {{ {usage} }}"
        ),
    };
    let text = format!(
        "__attribute__((noinline)) int *dead_{n}(void) {{ int gone = 4; int *volatile p = &gone; return p; }}
__attribute__((noinline)) int case_{n}(unsigned char x) {{ int r = 0; {body} return r & 1; }}\n"
    );
    Case {
        about: text.clone(),
        text,
    }
}

#[test]
fn objects_that_are_gone() {
    compare(&LIFETIMES, lifetime, BATCH);
}
