//! What tests of single functions share: a library, runs of its functions, and their replays.

use std::collections::BTreeSet;
use testkit::{Place, engine};

const LIBRARY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE = 9 };
struct node { int value; struct node *next; enum color color; _Bool flag; };
typedef struct { double *b; size_t n; int (*cmp)(double, const struct node *); } state_t;
union either { int *p; long l; };
struct mixed { unsigned a : 3, b : 6; short s; union either e; long double x; } __attribute__((packed));

/* A cycle needs an alias. */
static int cycle(struct node *p)
{
    if (!p) return 0;
    if (p->color != RED && p->color != GREEN && p->color != BLUE) abort();
    if (*(unsigned char *)&p->flag > 1) abort();
    if (p->next == p && p->value == 7) abort();
    return p->next ? 1 : 2;
}

int last(const int *a, size_t n) { return a[n - 1] == 42 ? a[n] : 0; }

int word(const char *s)
{
    if (s && !strcmp(s, "abc")) return s[20];
    return 0;
}

static int call(void *opaque, int x)
{
    const state_t *st = opaque;
    if (st && st->cmp && st->cmp(x, 0) == 77) abort();
    return 0;
}

int mixed(struct mixed m)
{
    if (m.a == 5 && m.b == 33 && m.s == -2) abort();
    return 0;
}

int stream(FILE *f)
{
    if (f && getc(f) == 'P' && getc(f) == '5') abort();
    return 0;
}

int divide(int a, int b) { return a / b; }
int positive(int a, int b) { return b > 0; }
int variadic(int n, ...) { return n; }
int list_behind(int n, __builtin_va_list *v) { return n + __builtin_va_arg(*v, int); }
int listed(int n, __builtin_va_list v) { return n + __builtin_va_arg(v, int); }
int main(int argc, char **argv) { return argc > 2 && argv[1] && argv[1][0] == 'x' ? cycle(0) : call(0, argc); }
"#;

pub struct Bench {
    pub dir: Place,
}

impl Bench {
    /// `None` where the tools are missing.
    pub fn new(name: &str) -> Option<Bench> {
        let dir = engine!(name)?;
        dir.write("lib.c", LIBRARY);
        Some(Bench { dir })
    }

    pub fn polypath(&self, args: &[&str]) -> (Option<i32>, String) {
        let ran = self.dir.polypath(args);
        (Some(ran.code), ran.text())
    }

    /// What has to hold for each of the errors, in the order of their kinds.
    pub fn preconditions(&self, function: &str) -> Vec<Option<String>> {
        let errors = self.dir.json(&format!("out-{function}/errors.json"));
        let mut errors = errors.as_array().expect("a list").clone();
        errors.sort_by_key(|e| e["kind"].to_string());
        let of = |e: &serde_json::Value| e["precondition"].as_str().map(str::to_string);
        errors.iter().map(of).collect()
    }

    /// Runs a function and replays its tests: the kinds of the errors, all of which must be confirmed.
    #[track_caller]
    pub fn errors(&self, library: &str, function: &str, options: &[&str]) -> Vec<String> {
        let out = format!("out-{}", function.replace(':', "-"));
        let mut args = vec![
            "run", library, "--entry", function, "--out", &out, "--time", "300", "-q",
        ];
        args.extend(options);
        let (status, text) = self.polypath(&args);
        let errors = self.dir.json(&format!("{out}/errors.json"));
        let errors = errors.as_array().expect("a list");
        assert_eq!(status, Some(i32::from(!errors.is_empty())), "{text}");
        let (status, text) = self.polypath(&["replay", &out]);
        assert_eq!(status, Some(i32::from(!errors.is_empty())), "{text}");
        for word in ["diverge", "contradicted", "different"] {
            assert!(!text.contains(word), "{function}: {text}");
        }
        // "confirmed: by what", or "happens if …, natively too" where what the driver made up decides.
        let sure = text.matches(": confirmed: ").count();
        let marked = text.matches(", natively too (").count();
        let mut places = BTreeSet::new();
        for e in errors {
            let place = ["kind", "file", "line", "column"].map(|key| e[key].to_string());
            places.insert((place, e["precondition"].is_string()));
        }
        let of_made_up = places.iter().filter(|(_, is_marked)| *is_marked).count();
        assert_eq!(
            (sure, marked),
            (places.len() - of_made_up, of_made_up),
            "{text}"
        );
        let kind = |e: &serde_json::Value| e["kind"].as_str().unwrap_or_default().to_string();
        let mut kinds: Vec<String> = errors.iter().map(kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }
}
