//! Accesses at indices that the input decides, to objects of each kind and size: AddressSanitizer knows which leave
//! their object.
//!
//! The object is alone in its function, and no index is more than two elements past its end, so that what lies there is
//! the sanitizer's red zone.

use crate::{BATCH, Case, Kind, compare};
use testkit::Random;

const OBJECTS: Kind = Kind {
    name: "objects",
    sanitizer: &["-fsanitize=address"],
    checks: "memory",
    errors: &["out_of_bounds"],
};

/// Where an object is, and what it may be used for.
struct Place {
    /// Before the function.
    before: String,
    /// In the function: the object with elements of type `T`, and a pointer `a` to its first element.
    declared: String,
    is_constant: bool,
}

fn place(n: usize, ty: &str, count: usize, random: &mut Random) -> Place {
    let list = |value: &str| vec![value; count].join(", ");
    let value = random.pick(&["0", "7"]);
    let values = list(value);
    let inside = |declared: String| Place {
        before: String::new(),
        declared,
        is_constant: false,
    };
    let outside = |before: String, is_constant: bool| Place {
        before,
        declared: format!(
            "{}T *a = object_{n};",
            if is_constant { "const " } else { "" }
        ),
        is_constant,
    };
    match random.below(16) {
        0 => inside(format!("T object[{count}] = {{{values}}}; T *a = object;")),
        1 => inside(format!(
            "static T object[{count}] = {{{values}}}; T *a = object;"
        )),
        2 => outside(
            format!("static {ty} object_{n}[{count}] = {{{values}}};\n"),
            false,
        ),
        3 => outside(format!("{ty} object_{n}[{count}];\n"), false),
        4 | 5 => outside(
            format!("static const {ty} object_{n}[{count}] = {{{values}}};\n"),
            true,
        ),
        6 => inside(format!(
            "T *a = malloc({count} * sizeof *a); memset(a, 1, {count} * sizeof *a);"
        )),
        7 => inside(format!("T *a = calloc({count}, sizeof *a);")),
        8 => inside(format!(
            "volatile unsigned size = {count}; T object[size]; memset(object, 1, sizeof object); T *a = object;"
        )),
        9 => inside(format!("T *a = (T[{count}]){{{values}}};")),
        10 => inside(format!(
            "struct {{ long head; T list[{count}]; }} object = {{0}}; T *a = object.list;"
        )),
        11 => inside(format!(
            "union {{ T list[{count}]; char bytes[1]; }} object = {{0}}; T *a = object.list;"
        )),
        12 => inside(format!(
            "struct flexible {{ long head; T list[]; }} *object = malloc(sizeof *object + {count} * sizeof(T)); \
             memset(object, 1, sizeof *object + {count} * sizeof(T)); T *a = object->list;"
        )),
        13 => inside(format!(
            "T object[3][{count}]; memset(object, 1, sizeof object); T *a = object[2];"
        )),
        14 => inside(format!(
            "volatile T object[{count}] = {{{values}}}; T *a = (T *)object;"
        )),
        _ => inside(format!(
            "T object[{count}] = {{{values}}}; T *a = keep_{n}(object);"
        )),
    }
}

/// What is done with the index `i`; `r` may get a result.
fn access(n: usize, is_constant: bool, random: &mut Random) -> String {
    let reads = [
        "r = a[i];",
        "a[i];",
        "r = ((volatile T *)a)[i];",
        "r = *(a + i);",
        "if (a[i] == a[i]) r++;",
        "const T *p = a; p += i; r = *p;",
        "for (const T *p = a; p <= a + i; p++) r += *p;",
        "for (int k = 0; k <= i; k++) r += a[k];",
        "const T *p = a + i; r = p[0];",
        "T t; memcpy(&t, &a[i], sizeof t); r = t;",
        "r = *(x & 1 ? &a[i] : &a[0]);",
        "if (x == 5) r = a[i]; else if (x < 3) r = a[i] + 1;",
        "switch (x) { case 1: r = a[i]; break; case 4: r = 2 * a[i]; break; default: r = a[0]; }",
        "r = a[i] && a[0];",
        "r = sizeof(a[i]) > 100 ? 0 : a[i];",
        "char *b = (char *)a; r = b[i * sizeof(T) + sizeof(T) - 1];",
        "T copy[8]; memcpy(copy, a, (i + 1) * sizeof(T)); r = copy[0];",
        "r = memcmp(a + i, \"\\1\\2\\3\\4\\5\\6\\7\\10\", sizeof(T));",
    ];
    let writes = [
        "a[i] = 1;",
        "a[i] += 2;",
        "((volatile T *)a)[i] = x;",
        "T *p = a + i; *p = 3;",
        "T t = 2; memcpy(&a[i], &t, sizeof t);",
        "memset(a, 0, (i + 1) * sizeof(T)); r = a[0];",
        "memmove(a + i, a, sizeof(T));",
        "for (int k = i; k >= 0; k--) a[k] = k;",
        "if (x & 2) a[i] = 1;",
        "a[i]++; a[i]--;",
    ];
    match random.below(10) {
        0 => format!("r = get_{n}(a, i);"),
        1 => format!("r = inline_{n}(a, i);"),
        2..=4 if !is_constant => random.pick(&writes).to_string(),
        _ => random.pick(&reads).to_string(),
    }
}

fn object(n: usize, random: &mut Random) -> Case {
    let ty = random.pick(&[
        "char",
        "unsigned char",
        "short",
        "int",
        "unsigned",
        "long",
        "double",
        "float",
    ]);
    let count = random.range(1, 5) as usize;
    let place = place(n, ty, count, random);
    let most = count + random.range(1, 2) as usize;
    let index = random.pick(&[
        "int",
        "unsigned",
        "long",
        "unsigned char",
        "signed char",
        "short",
        "size_t",
    ]);
    let from = match random.below(5) {
        0 => format!("x % {most}"),
        1 => format!("(x * 3 + 1) % {most}"),
        2 => format!("x >= {most} ? 0 : x"),
        3 => format!("x & 1 ? x % {most} : 0"),
        _ => format!("{most} - 1 - x % {most}"),
    };
    let access = access(n, place.is_constant, random);
    let answer = random.pick(&["return (int)r;", "return 0;", "return r != 0;"]);
    let text = format!(
        "{}__attribute__((noinline)) {ty} get_{n}(const {ty} *p, long i) {{ return p[i]; }}
static inline {ty} inline_{n}(const {ty} *p, int i) {{ return p[i]; }}
__attribute__((noinline)) {ty} *keep_{n}({ty} *p) {{ return p; }}
__attribute__((noinline)) int case_{n}(unsigned char x) {{ typedef {ty} T; T r = 0; {index} i = {from};
    {} {access}
    {answer} }}\n",
        place.before, place.declared
    );
    Case {
        about: text.clone(),
        text,
    }
}

#[test]
fn objects_of_each_kind() {
    compare(&OBJECTS, object, 2 * BATCH);
}
