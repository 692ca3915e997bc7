//! Accesses at indices that the input decides, to objects of each kind and size: AddressSanitizer knows which leave
//! their object.
//!
//! The object is alone in its function, and no index is more than two elements before it or past its end, so that what
//! lies there is the sanitizer's red zone. Where it has none (variables of a thread, objects without elements), the case
//! says itself what fails.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "objects",
    sanitizer: &["-fsanitize=address"],
    checks: "memory",
    errors: &["out_of_bounds"],
    lines: Lines::Same,
    after: After::Ends,
    make: object,
};

/// Where an object is, and what it may be used for.
struct Place {
    /// Before the function.
    before: String,
    /// In the function: the object with elements of type `T`, and a pointer `a` to its first element.
    declared: String,
    is_constant: bool,
    /// Whether what lies before it and behind it is a red zone.
    is_guarded: bool,
    /// Whether something without a red zone lies before the first element, as of the same object.
    has_head: bool,
    /// A parameter by value is declared so in the caller.
    by_value: Option<String>,
}

impl Place {
    fn inside(declared: String) -> Place {
        Place {
            before: String::new(),
            declared,
            is_constant: false,
            is_guarded: true,
            has_head: false,
            by_value: None,
        }
    }

    fn outside(n: usize, before: String, is_constant: bool) -> Place {
        let constant = if is_constant { "const " } else { "" };
        Place {
            before,
            is_constant,
            ..Place::inside(format!("{constant}T *a = object_{n};"))
        }
    }

    fn with_head(self) -> Place {
        Place {
            has_head: true,
            ..self
        }
    }

    fn unguarded(self) -> Place {
        Place {
            is_guarded: false,
            ..self
        }
    }
}

fn place(n: usize, ty: &str, count: usize, random: &mut Random) -> Place {
    let value = match ty {
        _ if ty.starts_with("struct") => "{1, 2}",
        _ => random.pick(&["0", "7"]),
    };
    let values = vec![value; count].join(", ");
    let inside = Place::inside;
    // AddressSanitizer does not know variables without a size, and has a byte behind each object of malloc.
    let sized = |place: Place| if count == 0 { place.unguarded() } else { place };
    match random.below(22) {
        0 => sized(inside(format!("T object[{count}] = {{{values}}}; T *a = object;"))),
        1 => sized(inside(format!(
            "static T object[{count}] = {{{values}}}; T *a = object;"
        ))),
        2 => sized(Place::outside(
            n,
            format!("static {ty} object_{n}[{count}] = {{{values}}};\n"),
            false,
        )),
        // It may be the first of its section.
        3 => sized(Place::outside(n, format!("{ty} object_{n}[{count}];\n"), false)).with_head(),
        4 | 5 => sized(Place::outside(
            n,
            format!("static const {ty} object_{n}[{count}] = {{{values}}};\n"),
            true,
        )),
        6 => sized(inside(format!(
            "T *a = malloc({count} * sizeof *a); memset(a, 1, {count} * sizeof *a);"
        ))),
        7 => sized(inside(format!("T *a = calloc({count}, sizeof *a);"))),
        8 if count > 0 => inside(format!(
            "T *a = calloc(1, 1); a = realloc(a, {count} * sizeof *a); memset(a, 1, {count} * sizeof *a);"
        )),
        9 => {
            // A variable array has an element.
            let count = count.max(1);
            inside(format!(
                "volatile unsigned size = {count}; T object[size]; memset(object, 1, sizeof object); T *a = object;"
            ))
        }
        10 => sized(inside(format!("T *a = (T[{count}]){{{values}}};"))),
        11 => inside(format!(
            "struct {{ long head; T list[{count}]; }} object = {{0}}; T *a = object.list;"
        ))
        .with_head(),
        12 if count > 0 => inside(format!(
            "union {{ T list[{count}]; char bytes[1]; }} object; memset(&object, 0, sizeof object); T *a = object.list;"
        )),
        13 => inside(format!(
            "struct flexible {{ long head; T list[]; }} *object = malloc(sizeof *object + {count} * sizeof(T)); \
             memset(object, 1, sizeof *object + {count} * sizeof(T)); T *a = object->list;"
        ))
        .with_head(),
        14 => sized(inside(format!(
            "T object[3][{count}]; memset(object, 1, sizeof object); T *a = object[2];"
        )))
        .with_head(),
        15 => sized(inside(format!(
            "volatile T object[{count}] = {{{values}}}; T *a = (T *)object;"
        ))),
        16 => sized(inside(format!(
            "T *a = __builtin_alloca({count} * sizeof(T)); memset(a, 1, {count} * sizeof(T));"
        )))
        .unguarded(),
        17 => inside(format!("static _Thread_local T object[{count}]; T *a = object;")).unguarded(),
        18 => Place {
            before: format!("extern _Thread_local {ty} object_{n}[];\n_Thread_local {ty} object_{n}[{count}];\n"),
            ..inside(format!("T *a = object_{n};")).unguarded()
        },
        19 if count > 0 => Place {
            by_value: Some(format!("struct list_{n} object = {{{{{values}}}}};")),
            ..inside("T *a = object.list;".to_string())
        },
        20 if ty == "char" => Place {
            is_constant: true,
            ..inside(format!("const char *a = \"{}\";", "1".repeat(count.max(1) - 1)))
        },
        _ => sized(inside(format!(
            "T object[{count}] = {{{values}}}; T *a = keep_{n}(object);"
        ))),
    }
}

/// What is done where the case says itself what fails.
const UNGUARDED: [&str; 6] = [
    "r = a[i]$;",
    "a[i]$;",
    "r = ((volatile T *)a)[i]$;",
    // Of what is no constant.
    "a[i]$ = 1;",
    "a[i]$ += 2;",
    "memset(a + i, 0, sizeof(T));",
];

/// What is done with the index `i`; `r` may get a result. `$` is the member that is used of a structure.
fn access(n: usize, is_constant: bool, is_structure: bool, random: &mut Random) -> String {
    let both = [
        "r = a[i]$;",
        "a[i]$;",
        "r = ((volatile T *)a)[i]$;",
        "r = (*(a + i))$;",
        "if (a[i]$ == a[i]$) r++;",
        "const T *p = a; p += i; r = (*p)$;",
        "for (int k = 0; k <= i; k++) r += a[k]$;",
        "const T *p = a + i; r = p[0]$;",
        "T t; memcpy(&t, &a[i], sizeof t); r = t$;",
        "T t = a[i]; r = t$;",
        "r = (*(x & 1 ? &a[i] : &a[0]))$;",
        "if (x == 5) r = a[i]$; else if (x < 3) r = a[i]$ + 1;",
        "switch (x) { case 1: r = a[i]$; break; case 4: r = 2 * a[i]$; break; default: r = 3; }",
        "r = a[i]$ && a[0]$;",
        "r = sizeof(a[i]) > 100 ? 0 : a[i]$;",
        "if (x >= 0) r = a[i]$;",
        "char *b = (char *)a; r = b[i * (long)sizeof(T) + sizeof(T) - 1];",
        "char *b = (char *)(a + i); r = b[0];",
    ];
    let ascending = [
        "for (const T *p = a; p <= a + i; p++) r += (*p)$;",
        "T copy[8]; memcpy(copy, a, (i + 1) * sizeof(T)); if (i >= 0) r = copy[0]$;",
        "const T *p = a; do r += (*p)$; while (p++ != a + i);",
    ];
    let writes = [
        "a[i]$ = 1;",
        "a[i]$ += 2;",
        "((volatile T *)a)[i]$ = x;",
        "T *p = a + i; (*p)$ = 3;",
        "T t = {2}; memcpy(&a[i], &t, sizeof t);",
        "T t = {2}; a[i] = t; r = a[i]$;",
        "memmove(a + i, a, sizeof(T));",
        "memset(a + i, 0, sizeof(T));",
        "if (x & 2) a[i]$ = 1;",
        "a[i]$++; a[i]$--;",
    ];
    let writes_ascending = [
        "memset(a, 0, (i + 1) * sizeof(T)); if (i >= 0) r = a[0]$;",
        "for (int k = i; k >= 0; k--) a[k]$ = k;",
    ];
    let text = match random.below(13) {
        0 => format!("r = get_{n}(a, i);"),
        1 => format!("r = inline_{n}(a, i);"),
        2..=4 if !is_constant => random.pick(&writes).to_string(),
        5 if !is_constant => format!("if (i >= 0) {{ {} }}", random.pick(&writes_ascending)),
        6 => format!("if (i >= 0) {{ {} }}", random.pick(&ascending)),
        7 if !is_structure => "r = memcmp(a + i, \"\\1\\2\\3\\4\\5\\6\\7\\10\\1\\2\\3\\4\\5\\6\\7\\10\", sizeof(T)) != 0;".to_string(),
        _ => random.pick(&both).to_string(),
    };
    text.replace('$', if is_structure { ".b" } else { "" })
}

fn object(n: usize, random: &mut Random) -> Case {
    let is_structure = random.chance(20);
    let name = format!("struct pair_{n}");
    let members = random.pick(&[
        "unsigned a : 3, b : 7;",
        "int a; short b;",
        "unsigned char a : 4; unsigned b : 20;",
        "char a[3]; char b;",
        "double a; float b;",
    ]);
    let types = [
        "char",
        "unsigned char",
        "short",
        "int",
        "unsigned",
        "long",
        "double",
        "float",
        "_Bool",
    ];
    let ty = if is_structure {
        &name
    } else {
        random.pick(&types)
    };
    let count = random.range(0, 5) as usize;
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
    let is_signed = !index.starts_with("unsigned") && index != "size_t";
    let from = match random.below(7) {
        0 => format!("x % {most}"),
        1 => format!("(x * 3 + 1) % {most}"),
        2 => format!("x >= {most} ? 0 : x"),
        3 => format!("x & 1 ? x % {most} : 0"),
        4 if is_signed && !place.has_head => format!("x % {} - 2", most + 2),
        5 if is_signed && !place.has_head => "x < 6 ? 0 : -1".to_string(),
        _ => format!("{most} - 1 - x % {most}"),
    };
    let access = if place.is_guarded {
        access(n, place.is_constant, is_structure, random)
    } else {
        let reads = 3;
        let access = random.pick(if place.is_constant {
            &UNGUARDED[..reads]
        } else {
            &UNGUARDED
        });
        let access = access.replace('$', if is_structure { ".b" } else { "" });
        format!("FAILS_IF(i < 0 || i >= {count}) {access}")
    };
    let answer = random.pick(&["return (int)r;", "return 0;", "return r != 0;"]);
    let (r, member) = if is_structure {
        ("long", ".b")
    } else {
        ("T", "")
    };
    // The object is declared here, or in a caller that passes it.
    let (passed, caller) = match &place.by_value {
        None => (String::new(), String::new()),
        Some(object) => (
            format!(", struct list_{n} object"),
            format!(
                "__attribute__((noinline)) int case_{n}(unsigned char x) {{ {object} return inner_{n}(x, object); }}\n"
            ),
        ),
    };
    let name = if caller.is_empty() { "case" } else { "inner" };
    Case::new(&format!(
        "struct pair_{n} {{ {members} }}; {}
struct list_{n} {{ {ty} list[{}]; }};
__attribute__((noinline)) long get_{n}(const {ty} *p, long i) {{ return p[i]{member}; }}
static inline long inline_{n}(const {ty} *p, int i) {{ return p[i]{member}; }}
__attribute__((noinline)) {ty} *keep_{n}({ty} *p) {{ return p; }}
__attribute__((noinline)) int {name}_{n}(unsigned char x{passed}) {{ typedef {ty} T; {r} r = 0; {index} i = {from};
    {} {access}
    {answer} }}\n{caller}",
        place.before,
        count.max(1),
        place.declared
    ))
}
