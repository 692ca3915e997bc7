//! What the errors of a function depend on that its driver made up, held against enumeration.

use std::fmt::Write;
use testkit::{Place, Random, engine};

/// The errors of a function: kind and precondition.
fn errors(place: &Place, source: &str, entry: &str, options: &[&str]) -> Vec<(String, bool)> {
    let out = format!("out-{entry}");
    let mut words = vec!["run", source, "--entry", entry, "--out", &out, "-q"];
    words.extend(["--jobs", "1", "--time", "300"]);
    words.extend(options);
    let ran = place.polypath(&words);
    assert!(ran.code < 2, "{}", ran.text());
    let errors = place.json(&format!("{out}/errors.json"));
    let of = |e: &serde_json::Value| {
        let kind = e["kind"].as_str().unwrap_or_default().to_string();
        (kind, e["precondition"].is_string())
    };
    errors.as_array().expect("a list").iter().map(of).collect()
}

/// A condition on two bytes that were made up and one of the caller.
#[derive(Clone, Copy)]
enum Condition {
    Below(u8),
    Is(u8),
    SecondAbove(u8),
    Ordered,
    IsCallers,
    CallersAbove(u8),
}

impl Condition {
    fn any(random: &mut Random) -> Condition {
        let value = random.index(8) as u8 * 31;
        match random.index(6) {
            0 => Condition::Below(value),
            1 => Condition::Is(value),
            2 => Condition::SecondAbove(value),
            3 => Condition::Ordered,
            4 => Condition::IsCallers,
            _ => Condition::CallersAbove(value),
        }
    }

    fn c(self) -> String {
        match self {
            Condition::Below(value) => format!("x->a < {value}"),
            Condition::Is(value) => format!("x->a == {value}"),
            Condition::SecondAbove(value) => format!("x->b > {value}"),
            Condition::Ordered => "x->a < x->b".into(),
            Condition::IsCallers => "x->b == k".into(),
            Condition::CallersAbove(value) => format!("k > {value}"),
        }
    }

    fn holds(self, a: u8, b: u8, k: u8) -> bool {
        match self {
            Condition::Below(value) => a < value,
            Condition::Is(value) => a == value,
            Condition::SecondAbove(value) => b > value,
            Condition::Ordered => a < b,
            Condition::IsCallers => b == k,
            Condition::CallersAbove(value) => k > value,
        }
    }
}

/// A function that reads members, and dereferences null for one value of the caller's unless it returned before.
struct Function {
    counted: [Condition; 2],
    returns: Option<Condition>,
    value: u8,
}

impl Function {
    fn any(random: &mut Random) -> Function {
        let counted = [0; 2].map(|_| Condition::any(random));
        let returns = (random.index(2) == 0).then(|| Condition::any(random));
        let value = random.index(256) as u8;
        Function {
            counted,
            returns,
            value,
        }
    }

    fn c(&self, number: usize) -> String {
        let mut text =
            format!("int f{number}(struct in *x, unsigned char k)\n{{\n    int s = 0;\n");
        for (i, condition) in self.counted.iter().enumerate() {
            writeln!(text, "    if ({}) s += {};", condition.c(), i + 1).expect("a text");
        }
        if let Some(condition) = self.returns {
            writeln!(text, "    if ({}) return s;", condition.c()).expect("a text");
        }
        let value = self.value;
        writeln!(
            text,
            "    int *q = k == {value} ? 0 : &s;\n    return *q + s;\n}}"
        )
        .expect("a text");
        text
    }

    /// For how many objects some argument brings the error about.
    fn failing(&self) -> usize {
        let all = (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b)));
        let fails = |&(a, b): &(u8, u8)| !self.returns.is_some_and(|c| c.holds(a, b, self.value));
        all.filter(fails).count()
    }
}

/// An error that has a call for each object is not marked, however often its path asked for members; one that has none for some is.
#[test]
fn an_error_is_marked_if_some_object_has_none() {
    let Some(place) = engine!("entry-doubts") else {
        return;
    };
    let mut random = Random::new(7);
    let mut all: Vec<Function> = (0..14).map(|_| Function::any(&mut random)).collect();
    // What decides is a relation between both members; and none of what is asked.
    all.push(Function {
        counted: [Condition::Below(9), Condition::Ordered],
        returns: Some(Condition::Ordered),
        value: 42,
    });
    all.push(Function {
        counted: [Condition::Ordered, Condition::SecondAbove(200)],
        returns: None,
        value: 0,
    });
    let mut source = String::from("struct in { unsigned char a, b; };\n");
    for (number, function) in all.iter().enumerate() {
        source += &function.c(number);
    }
    place.write("f.c", &source);
    let mut seen = [0, 0];
    for (number, function) in all.iter().enumerate() {
        let failing = function.failing();
        let found = errors(&place, "f.c", &format!("f{number}"), &[]);
        let wanted = match failing {
            0 => Vec::new(),
            n => vec![("null".to_string(), n < 1 << 16)],
        };
        assert_eq!(found, wanted, "{}", function.c(number));
        if failing > 0 {
            seen[usize::from(failing < 1 << 16)] += 1;
        }
    }
    assert!(seen.iter().all(|n| *n > 2), "one-sided: {seen:?}");
}

const POINTERS: &str = r#"
#include <stddef.h>
#include <string.h>
struct list { int n; struct list *next; };
static struct list *last;
static int helper(const struct list *l) { return l ? l->n : 0; }
static int length(const char *s) { return (int)strlen(s); }
int taken_member(struct list *l) { return l->n; }
int taken_text(const char *s) { return length(s); }
int taken_array(const int *p, size_t n) { int s = 0; for (size_t i = 0; i < n; i++) s += p[i]; return s; }
int taken_function(int (*f)(int), int n) { return f(n); }
int taken_later(struct list *l) { struct list *m = l; m->n = 1; return 0; }
int asked(struct list *l) { if (!l) return 0; return l->n; }
int asked_too_late(struct list *l) { int n = l->n; return l ? n : 0; }
int asked_elsewhere(struct list *l, int k) { return k ? l->n : helper(l); }
int asked_by_a_loop(struct list *l) { int s = 0; for (; l; l = l->next) s++; return s; }
int kept(struct list *l, int k) { last = l; return k ? l->n : 0; }
int taken_and_kept(struct list *l) { int n = l->n; last = l; return n; }
int taken_whole(struct list *l) { memset(l, 0, sizeof *l); return 0; }
int taken_below(struct list *l) { return taken_and_kept(l); }
int given_null(struct list *l) { return l->n; }
int gives_null(void) { return given_null(NULL); }
/* The number; `l` may be null. */
int said(struct list *l) { return l->n; }
int handed_to_others(const char *s, int k) { return k ? s[0] : strcoll(s, "x"); }
"#;

/// A pointer may be null where the code says so; otherwise only if it is asked for.
#[test]
fn a_pointer_is_optional_by_its_use() {
    let Some(place) = engine!("entry-null") else {
        return;
    };
    place.write("p.c", POINTERS);
    let functions = POINTERS.lines().filter_map(|line| {
        let name = line.strip_prefix("int ")?;
        name.split('(').next()
    });
    for function in functions.filter(|f| *f != "gives_null") {
        let driver = |option: &[&str]| {
            let words = ["harness", "p.c", "--entry", function, "--no-alias"];
            let ran = place.polypath(words.iter().chain(option));
            assert_eq!(ran.code, 0, "{}", ran.text());
            ran.text().contains(".choice\"")
        };
        let is_taken = function.starts_with("taken_");
        assert_eq!(driver(&[]), !is_taken, "{function}");
        assert!(driver(&["--null"]), "{function}");
    }
    // The run says what it took for granted.
    let ran = place.polypath(["run", "p.c", "--entry", "taken_member", "--out", "o"]);
    let text = ran.text();
    let said = "pointers that the code uses without a look are not null (--null): l";
    assert!(ran.code == 0 && text.contains(said), "{text}");
}
