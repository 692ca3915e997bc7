//! What a function of a library is called with: objects that the library itself makes, and what an error says of those that nobody makes.

use crate::entry_kit::Bench;
use testkit::Random;

const HANDLES_H: &str = r#"
typedef struct parser *parser_t;
parser_t parser_new(int mode);
parser_t parser_copy(parser_t p);
int parser_feed(parser_t p, const char *s);
struct inside;
typedef struct { const unsigned char *next_in; unsigned avail_in; void (*hook)(int); struct inside *state; } stream;
int stream_init(stream *s, int version);
int stream_step(stream *s);
typedef struct thing *thing_t;
int thing_share(thing_t t);
"#;

const HANDLES_C: &str = r#"
#include <stdlib.h>
#include "handles.h"
struct parser { int mode; int *table; unsigned used; };
struct inside { unsigned long magic; int total; };
struct thing { int n; };
parser_t parser_new(int mode)
{
    if (mode < 0 || mode > 3) return 0;
    parser_t p = malloc(sizeof *p);
    if (!p) return 0;
    p->mode = mode;
    p->used = 0;
    p->table = calloc(4, sizeof *p->table);
    return p;
}
int parser_feed(parser_t p, const char *s)
{
    if (p->mode > 3 || p->used > 3) abort(); /* never, of what parser_new makes */
    p->table[p->used++] = s ? *s : 0;
    if (p->mode == 2 && s && s[0] == '!') abort();
    return p->used;
}
int stream_init(stream *s, int version)
{
    if (version != 7) return -1;
    s->state = malloc(sizeof *s->state);
    if (!s->state) return -2;
    s->state->magic = 0xfeed;
    s->state->total = 0;
    return 0;
}
int stream_step(stream *s)
{
    if (s->state->magic != 0xfeed) abort(); /* never, of what stream_init fills */
    if (s->hook) s->hook(1);
    for (unsigned i = 0; i < s->avail_in; i++) s->state->total += s->next_in[i];
    return s->avail_in > 1 ? 10 / (s->next_in[1] - 3) : 0;
}
int thing_share(thing_t t) { return 100 / t->n; }
"#;

/// What only the library can make comes from its constructors; where there is none, findings say on what they rest.
#[test]
fn handles_come_from_their_constructors() {
    let Some(b) = Bench::new("handles") else {
        return;
    };
    std::fs::write(b.dir.join("handles.h"), HANDLES_H).unwrap();
    std::fs::write(b.dir.join("handles.c"), HANDLES_C).unwrap();
    assert_eq!(
        b.errors("handles.c", "parser_feed", &["--no-null"]),
        ["abort"]
    );
    let errors = std::fs::read_to_string(b.dir.join("out-parser_feed/errors.json")).unwrap();
    assert!(errors.contains("\"precondition\": null"), "{errors}");
    // In the tested call, and in one before it.
    let stats = b.dir.json("out-parser_feed/stats.json");
    assert_eq!(stats["bugs"], 1, "{errors}");
    // The input that a user sets is the driver's invention, and so is all that no constructor made.
    assert_eq!(
        b.errors("handles.c", "stream_step", &["--no-null"]),
        ["abort", "div_zero"]
    );
    let why = b.preconditions("stream_step");
    let says = |i: usize, what: &str| why[i].as_ref().is_some_and(|why| why.contains(what));
    assert!(says(0, "s->state->magic = "), "{why:?}");
    assert!(says(1, "s->avail_in = "), "{why:?}");
    let (_, text) = b.polypath(&["harness", "handles.c", "--entry", "stream_step"]);
    assert!(text.contains("is made by stream_init"), "{text}");
    let (status, text) = b.polypath(&[
        "run",
        "handles.c",
        "--entry",
        "thing_share",
        "--null",
        "--out",
        "t",
    ]);
    assert_eq!(status, Some(1), "{text}");
    assert!(
        text.contains("div_zero (precondition likely: happens if t->n = 0)"),
        "{text}"
    );
    assert!(
        text.contains("null (precondition likely: happens if t is null)"),
        "{text}"
    );
    assert!(
        text.contains("no constructor of struct thing was found: t is made up"),
        "{text}"
    );
    let errors = b.dir.json("t/errors.json");
    let of = |e: &serde_json::Value| e["precondition"].as_str().map(str::to_string);
    let mut all: Vec<_> = errors.as_array().expect("a list").iter().map(of).collect();
    all.sort();
    assert_eq!(all, [Some("t is null".into()), Some("t->n = 0".into())]);
}

const OPAQUE_H: &str = r#"
typedef struct box box_t;
int box_open(int kind, box_t **out);
int box_share(box_t *b);
typedef struct lock lock_t;
typedef struct config config_t;
lock_t *lock_new(config_t *c);
int lock_turn(lock_t *l);
"#;

const OPAQUE_C: &str = r#"
#include <stdlib.h>
#include "opaque.h"
struct box { int kind; };
struct config { int version; };
struct lock { int turns; config_t *config; };
int box_open(int kind, box_t **out)
{
    if (kind < 0) return -1;
    box_t *b = malloc(sizeof *b);
    if (!b) return -2;
    b->kind = kind & 3;
    *out = b;
    return 0;
}
int box_share(box_t *b)
{
    if (b->kind > 3) abort(); /* never, of what box_open makes */
    return 12 / b->kind;
}
lock_t *lock_new(config_t *c)
{
    if (!c) return 0;
    lock_t *l = malloc(sizeof *l);
    if (l) l->config = c;
    return l;
}
int lock_turn(lock_t *l)
{
    if (l->turns == 5) abort();
    return ++l->turns;
}
"#;

/// A constructor hands its object over by a parameter; where constructors never succeed, objects are made by hand, and that is said.
#[test]
fn constructors_with_out_parameters_and_those_that_fail() {
    let Some(b) = Bench::new("opaque") else {
        return;
    };
    b.dir
        .write("opaque.h", OPAQUE_H)
        .write("opaque.c", OPAQUE_C);
    assert_eq!(
        b.errors("opaque.c", "box_share", &["--no-null"]),
        ["div_zero"]
    );
    assert_eq!(b.preconditions("box_share"), [None]);
    assert_eq!(b.errors("opaque.c", "lock_turn", &["--no-null"]), ["abort"]);
    let why = b.preconditions("lock_turn");
    assert_eq!(why, [Some("l->turns = 5".to_string())]);
}

const CALLED: &str = r#"
#include "called.h"
int sum_of(const int *cells, unsigned upto)
{
    int sum = 0;
    for (unsigned i = 0; i <= upto; i++) sum ^= cells[i]; /* one too many */
    return sum;
}
unsigned hash_of(const unsigned char *key)
{
    unsigned hash = 0;
    while (*key) hash += *key++;
    return hash;
}
/* `upto` is the index of the last one. */
int last_of(const int *cells, unsigned upto) { return cells[upto]; }
int called(void)
{
    int cells[5] = {0};
    return sum_of(cells, 5) + hash_of((const unsigned char *)"text") + last_of(cells, 4);
}
"#;

const CALLED_H: &str = "\
/* The sum of all; `cells` must not be NULL. */
int sum_of(const int *cells, unsigned upto);
";

/// Lengths and texts are read off the library's own calls, and its comments are quoted.
#[test]
fn the_library_itself_says_how_it_is_called() {
    let Some(b) = Bench::new("called") else {
        return;
    };
    b.dir.write("called.c", CALLED).write("called.h", CALLED_H);
    let found = ["null", "out_of_bounds"];
    assert_eq!(b.errors("called.c", "sum_of", &["--null"]), found);
    let null = "cells is null (called.h:1: \"The sum of all; `cells` must not be NULL.\")";
    let null = null.replace("The sum of all; ", "");
    assert_eq!(b.preconditions("sum_of"), [Some(null), None]);
    assert_eq!(b.errors("called.c", "hash_of", &["--null"]), ["null"]);
    let (_, text) = b.polypath(&["harness", "called.c", "--entry", "hash_of"]);
    assert!(
        text.contains("key is a text (called.c:20, a call)"),
        "{text}"
    );
    // Nothing says how many there are.
    b.errors("called.c", "last_of", &["--no-null"]);
    let why = b.preconditions("last_of");
    assert_eq!(why, [Some("cells has 4 elements".to_string())]);
}

pub const BUFFER: &str = r#"
#include <stdlib.h>
struct buf { char *data; unsigned long len, cap; void *(*grow)(void *, unsigned long); };
void buf_init(struct buf *b) { b->data = 0; b->len = b->cap = 0; b->grow = realloc; }
int buf_add(struct buf *b, char c)
{
    if (b->len == b->cap) {
        unsigned long cap = b->cap ? 2 * b->cap : 8;
        char *data = b->grow(b->data, cap);
        if (!data) return -1;
        b->data = data;
        b->cap = cap;
    }
    b->data[b->len++] = c;
    return 0;
}
/* Of the two initializers the one of its own type is meant, and not the one that expects an object that was made. */
struct reader { int kind, state; };
struct reader_settings { int (*on)(int); };
struct filled { int *data; unsigned long size; };
void reader_settings_init(struct reader_settings *s) { s->on = 0; }
void reader_reset(struct reader *r) { r->state = 1; }
void reader_init(struct reader *r, int kind) { r->kind = kind & 3; r->state = 0; }
int reader_step(struct reader *r, struct reader_settings *s)
{
    if (r->kind > 3 || r->state) abort();
    return s->on ? s->on(r->kind) : 10 / (r->kind - 2);
}
int reader_peek(struct reader *r) { if (r->state) abort(); return 100 / (r->kind + 1); }
void filled_init(struct filled *f) { for (unsigned long i = 0; i < f->size; i++) f->data[i] = i; }
int filled_first(struct filled *f) { return f->size > 1 && f->data[0] == 5 ? 1 : 0; }
"#;

/// What a constructor made is left as it is; a structure that everybody can see into has one, too.
#[test]
fn what_a_constructor_made_is_not_overwritten() {
    let Some(b) = Bench::new("made") else { return };
    b.dir.write("buf.c", BUFFER);
    b.errors("buf.c", "buf_add", &["--no-null"]);
    let why = b.preconditions("buf_add");
    assert!(why.iter().all(Option::is_some), "{why:?}");
    // What the constructor's argument brings about needs no excuse.
    assert_eq!(
        b.errors("buf.c", "reader_step", &["--no-null"]),
        ["abort", "div_zero"]
    );
    let why = b.preconditions("reader_step");
    assert!(why[0].is_some() && why[1].is_none(), "{why:?}");
    let (_, text) = b.polypath(&["harness", "buf.c", "--entry", "reader_step"]);
    assert!(text.contains("r is made by reader_init"), "{text}");
    assert!(text.contains("s is made by reader_settings_init"), "{text}");
    // All states of what everybody can see into are there on demand, and say that they are made up.
    let found = b.errors("buf.c", "reader_peek", &["--no-null", "--by-hand"]);
    assert_eq!(found, ["abort", "div_zero"]);
    let errors = b.dir.json("out-reader_peek/errors.json");
    let mut marks = errors
        .as_array()
        .expect("a list")
        .iter()
        .map(|e| &e["precondition"]);
    assert!(marks.all(serde_json::Value::is_string), "{errors}");
    // This one fills the array of an object that another function made.
    let (_, text) = b.polypath(&["harness", "buf.c", "--entry", "filled_first"]);
    assert!(!text.contains("is made by"), "{text}");
}

/// Libraries lay out their types in many ways. Each type here is named in a public header, in one of three ways, and has
/// its body in one of four places; those that users cannot see into are made by their constructors.
#[test]
fn opaque_types_are_known_by_where_their_bodies_are() {
    let Some(b) = Bench::new("opaque") else {
        return;
    };
    let mut random = Random::new(39);
    let (mut public, mut private, mut source, mut user) =
        (String::new(), String::new(), String::new(), String::new());
    let (mut params, mut expected) = (Vec::new(), Vec::new());
    for i in 0..16 {
        let (naming, place) = (i % 4, random.index(3));
        let tag = format!("t{i}_{}", ["s", "st", "tag"][random.index(3)]);
        let body = format!("struct {tag} {{ int a; struct {tag} *next; }};\n");
        let pointer = match naming {
            0 => {
                public += &format!("typedef struct {tag} t{i}_t;\n");
                format!("t{i}_t *")
            }
            1 => {
                public += &format!("typedef struct {tag} *t{i}_p;\n");
                format!("t{i}_p ")
            }
            // Without a typedef only a part of the library that does not see the body shows that others do not, either.
            2 => {
                public += &format!("struct {tag};\n");
                user += &format!("int user{i}(struct {tag} *p) {{ return p != 0; }}\n");
                format!("struct {tag} *")
            }
            _ => format!("struct {tag} *"),
        };
        // Everybody sees the body of the last kind.
        match (naming, place) {
            (3, _) => public += &body,
            (_, 0) => private += &body,
            _ => source += &body,
        }
        public += &format!("{pointer}t{i}_new(int a);\n");
        source += &format!(
            "{pointer}t{i}_new(int a) {{ struct {tag} *p = malloc(sizeof *p); if (p) p->a = a & 7, p->next = 0; return p; }}\n"
        );
        params.push(format!("{pointer}p{i}"));
        expected.push((i, naming != 3));
    }
    b.dir.write("types.h", public);
    std::fs::create_dir(b.dir.join("internal")).expect("a directory");
    b.dir.write("internal/types-private.h", private);
    let list = params.join(", ");
    b.dir.write("types.c", format!(
        "#include <stdlib.h>\n#include \"types.h\"\n#include \"internal/types-private.h\"\n{source}int all({list}) {{ return {}; }}\n",
        (0..16).map(|i| format!("p{i}->a")).collect::<Vec<_>>().join(" + "),
    ));
    b.dir
        .write("user.c", format!("#include \"types.h\"\n{user}"));
    let (status, text) = b.polypath(&["harness", "types.c", "--entry", "all", "--with", "user.c"]);
    assert_eq!(status, Some(0), "{text}");
    for (i, is_opaque) in expected {
        let is_made = text.contains(&format!("p{i} is made by t{i}_new"));
        assert_eq!(
            is_made,
            is_opaque,
            "type {i} in {}\n{text}",
            b.dir.text("types.h")
        );
    }
}

/// A line that ends in an error, and whether that depends on what the driver makes up.
fn random_error(random: &mut Random) -> (String, bool) {
    let member = ["state", "mode", "kind"][random.index(3)];
    let (a, c) = (random.range(1, 9), random.range(10, 99));
    let marked = [
        format!("if (p->{member} * {a} + 1 == {}) abort();", c * a + 1),
        format!("if (p->{member} == {c}) hit = 1; if (hit) abort();"),
        format!("cell[v & 1] = p->{member}; if (cell[v & 1] == {c}) abort();"),
        format!(
            "if (table[p->{member} & 3] == {}) abort();",
            11 * random.range(1, 4)
        ),
        format!("if (twice(p->{member}) == {}) abort();", 2 * c),
        format!("if (p->{member} == v + {c}) abort();"),
        format!("if (p->{member} > {c}) if (v == {a}) abort();"),
        format!("return {c} / p->{member};"),
        format!("return table[p->{member}];"),
        "if (p->weight > 1.5) abort();".to_string(),
        "if (p->label && p->label[0] == 'x') abort();".to_string(),
        "if (p->next == p) abort();".to_string(),
        format!("if (p->next && p->next->{member} == {c}) abort();"),
        "return *p->cell;".to_string(),
        "return p->cell ? p->cell[7] : 0;".to_string(),
        format!("return p[{a}].{member};"),
        format!("if (p->bits == {}) abort();", random.range(1, 7)),
    ];
    let sure = [
        format!("if (v * {a} + 1 == {}) abort();", c * a + 1),
        format!("if (v == {c}) hit = 1; if (hit) abort();"),
        format!("cell[p->{member} & 1] = v; sink = p->{member}; if (v == {c}) abort();"),
        format!(
            "if (text && text[0] == '{}') abort();",
            char::from(b'a' + a as u8)
        ),
        format!("return {c} / (v - {a});"),
        "return table[v];".to_string(),
        format!("p->{member} = v; if (p->{member} == {c}) abort();"),
        "if (x > 1.5) abort();".to_string(),
    ];
    let i = random.index(marked.len() + sure.len());
    match marked.get(i) {
        Some(line) => (line.clone(), true),
        None => (sure[i - marked.len()].clone(), false),
    }
}

/// An error is marked if and only if a made-up member decides it: through data, control, memory, indices, pointers or the
/// size of an object.
#[test]
fn what_depends_on_made_up_members_is_marked() {
    let Some(b) = Bench::new("marks") else { return };
    let mut random = Random::new(3);
    let mut source = String::from(
        "#include <stdlib.h>\n\
         struct item { int state, mode, kind; unsigned bits : 3; double weight; struct item *next; char *label; int *cell; };\n\
         static int table[4] = {11, 22, 33, 44}, cell[2], sink;\n\
         static int twice(int n) { return 2 * n; }\n\
         int f(int which, struct item *p, int v, double x, const char *text)\n{\n    int hit = 0;\n    if (!p) return 0;\n    switch (which) {\n",
    );
    let first = source.lines().count() as u64 + 1;
    let mut expected = Vec::new();
    for i in 0..40 {
        let (line, is_marked) = random_error(&mut random);
        source += &format!("    case {i}: {line} break;\n");
        expected.push((line, is_marked));
    }
    source += "    }\n    return sink + hit;\n}\n";
    b.dir.write("f.c", &source);
    let (status, text) = b.polypath(&[
        "run", "f.c", "--entry", "f", "--out", "o", "--time", "300", "-q",
    ]);
    assert_eq!(status, Some(1), "{text}");
    let errors = b.dir.json("o/errors.json");
    let errors = errors.as_array().expect("a list");
    let mut complaints = Vec::new();
    for (i, (line, is_marked)) in expected.iter().enumerate() {
        let here = errors.iter().filter(|e| e["line"] == first + i as u64);
        let marks: Vec<&serde_json::Value> = here.map(|e| &e["precondition"]).collect();
        let is_right = |mark: &&serde_json::Value| match mark.as_str() {
            Some(why) => *is_marked && why.contains("p->") | why.contains("p leads to"),
            None => !is_marked,
        };
        if marks.is_empty() || !marks.iter().all(is_right) {
            complaints.push(format!("{line}: {marks:?}, expected a mark: {is_marked}"));
        }
    }
    assert!(complaints.is_empty(), "{}\n{source}", complaints.join("\n"));
}

/// States that a constructor does not make and the library's other functions do are reached by calls of these: what is found there
/// needs no excuse, unless it is in the other call itself. What no call brings about is marked.
#[test]
fn other_calls_come_before_the_tested_one() {
    let Some(b) = Bench::new("calls") else {
        return;
    };
    let program = r#"
#include <stdlib.h>
struct stack { int items[4]; unsigned used; };
void stack_init(struct stack *s) { s->used = 0; }
int stack_push(struct stack *s, int item)
{
    if (item < 0) abort(); /* its contract */
    if (s->used == 4) return -1;
    s->items[s->used++] = item;
    return 0;
}
void stack_pop(struct stack *s, unsigned n) { s->used = n < s->used ? s->used - n : 0; }
void stack_free(struct stack *s) { s->used = 99; }
/* (Nobody has such a list but a function with variable arguments.) */
void stack_vpush(struct stack *s, __builtin_va_list all) { s->items[0] = __builtin_va_arg(all, int); s->used = 1; }
int stack_top(struct stack *s)
{
    if (s->used > 4) abort(); /* never */
    return s->used == 2 ? 100 / (s->items[1] - 77) : 0;
}
"#;
    b.dir.write("stack.c", program);
    let found = b.errors("stack.c", "stack_top", &["--no-null"]);
    let why = b.preconditions("stack_top");
    let text = format!("{found:?} {why:?}");
    assert_eq!(found, ["abort", "div_zero"], "{text}");
    let says = |what: &str| why.iter().flatten().any(|why| why.contains(what));
    // By hand, and by calls, too.
    assert!(why[2..].contains(&None), "{text}");
    assert!(says("stack_push may be called so"), "{text}");
    assert!(says("s->used = "), "{text}");
    let (_, text) = b.polypath(&["harness", "stack.c", "--entry", "stack_top"]);
    let before = "up to 2 calls of stack_pop, stack_push come before";
    assert!(text.contains(before), "{text}");
    let (_, text) = b.polypath(&["harness", "stack.c", "--entry", "stack_top", "--by-hand"]);
    assert!(!text.contains("come before"), "{text}");
    // One call is not enough.
    let few = [
        "run",
        "stack.c",
        "--entry",
        "stack_top",
        "--prior-calls",
        "1",
        "--out",
        "few",
    ];
    b.polypath(&few);
    let errors = b.dir.json("few/errors.json");
    let errors = errors.as_array().expect("a list").iter();
    let mut divided = errors.filter(|e| e["kind"] == "div_zero");
    assert!(divided.all(|e| e["precondition"].is_string()));
}

/// A text is the caller's as far as its zero, so a read beyond it is an error; how much room there is for a result, the driver has made
/// up.
#[test]
fn room_for_results_is_made_up() {
    let Some(b) = Bench::new("room") else {
        return;
    };
    b.dir.write(
        "r.c",
        "#include <string.h>\n\
         void put(char *out) { strcpy(out, \"a text with more than a few characters, and with more than sixty-four, too\"); }\n\
         int behind(const char *s) { return s[strlen(s) + 1]; }\n",
    );
    let few = ["--no-null", "--string-max", "8"];
    assert_eq!(b.errors("r.c", "put", &few), ["out_of_bounds"]);
    assert_eq!(
        b.preconditions("put"),
        [Some("out has room for its text only".into())]
    );
    assert_eq!(b.errors("r.c", "behind", &few), ["out_of_bounds"]);
    assert_eq!(b.preconditions("behind"), [None]);
}
