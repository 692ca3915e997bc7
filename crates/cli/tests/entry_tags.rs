//! Tagged unions: which member is set is what the code expects under the tag's value. Structures and functions are generated, so what each
//! tag means is known.

use std::fmt::Write;
use testkit::{Place, Random, engine};

/// The members of the generated unions, and an expression that reads each.
const MEMBERS: [(&str, &str); 5] = [
    ("long number", "(int)@number"),
    ("double real", "@real > 1.5"),
    ("char *text", "(int)strlen(@text)"),
    ("struct pair *pair", "sum(@pair)"),
    (
        "struct link *link",
        "@link->n + (@link->next ? @link->next->n : 0)",
    ),
];

/// Types of tags.
const TAGS: [&str; 4] = ["int", "short", "unsigned char", "enum kind"];

/// A structure: the member that each value of the tag means.
struct Tagged {
    tag: &'static str,
    meaning: Vec<(i32, usize)>,
}

impl Tagged {
    fn any(random: &mut Random) -> Tagged {
        let tag = TAGS[random.index(TAGS.len())];
        let mut values: Vec<i32> = Vec::new();
        while values.len() < 4 {
            let value = random.index(100) as i32;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        // Two different pointers at least, and perhaps two values of one meaning.
        let mut meaning = vec![2, 3 + random.index(2)];
        meaning.extend([0; 2].map(|_| random.index(MEMBERS.len())));
        Tagged {
            tag,
            meaning: values.into_iter().zip(meaning).collect(),
        }
    }

    fn types(&self) -> String {
        let mut text = String::from("#include <string.h>\nenum kind {");
        for (value, _) in &self.meaning {
            write!(text, " K{value} = {value},").expect("a text");
        }
        text += " };\nstruct pair { int a, b; };\nstruct link { int n; struct link *next; };\n";
        let tag = self.tag;
        write!(text, "struct box {{ int weight; {tag} kind; union {{ ").expect("a text");
        for (member, _) in MEMBERS {
            write!(text, "{member}; ").expect("a text");
        }
        text += "} u; };\nstruct shelf { long n; struct box *box; };\n";
        text + "static int sum(const struct pair *p) { return p->a + p->b; }\n"
    }

    /// A function in one of five forms that reads what is set, or under the first value of the tag something else.
    fn function(&self, name: &str, form: usize, wrong: Option<usize>) -> String {
        let (of, parameter) = match form {
            3 => ("s->box->", "struct shelf *s"),
            _ => ("b->", "struct box *b"),
        };
        let read = |i: usize| {
            let member = wrong.filter(|_| i == 0).unwrap_or(self.meaning[i].1);
            let place = format!("{of}u.");
            MEMBERS[member].1.replace('@', &place)
        };
        let mut text = format!("int {name}({parameter})\n{{\n    int r = 0;\n");
        let mut line = |words: String| writeln!(text, "    {words}").expect("a text");
        if form == 3 {
            line("if (!s->box) return 0;".into());
        }
        let ways = self.meaning.iter().enumerate();
        match form {
            0 => {
                line(format!("switch ({of}kind) {{"));
                for (i, (value, _)) in ways {
                    line(format!("case {value}: r = {}; break;", read(i)));
                }
                line("}".into());
            }
            1 | 3 => {
                for (i, (value, _)) in ways {
                    line(format!("if ({of}kind == {value}) return {};", read(i)));
                }
            }
            2 => {
                for (i, (value, _)) in ways {
                    line(format!("if ({of}kind != {value}) goto n{i};"));
                    line(format!("r += {}; n{i}:;", read(i)));
                }
            }
            _ => {
                // The first one alone, behind a return for all others; all values of that meaning are let through.
                let meant = self.meaning[0].1;
                let same = self.meaning.iter().filter(|(_, m)| *m == meant);
                let others: Vec<String> = same.map(|(v, _)| format!("{of}kind != {v}")).collect();
                line(format!("if ({}) return 0;", others.join(" && ")));
                line("struct box *c = b;".into());
                line(format!("r = {};", read(0).replace("b->", "c->")));
            }
        }
        text + "    return r;\n}\n"
    }
}

/// The errors of a function: (kind, has it a mark?).
fn errors(place: &Place, file: &str, entry: &str) -> Vec<(String, bool)> {
    let out = format!("out-{file}-{entry}");
    let mut words = vec!["run", file, "--entry", entry, "--out", &out, "-q"];
    words.extend([
        "--jobs",
        "1",
        "--time",
        "300",
        "--no-alias",
        "--array-max",
        "4",
    ]);
    words.extend(["--string-max", "4", "--pointer-depth", "3"]);
    let ran = place.polypath(&words);
    assert!(ran.code < 2 || ran.code == 4, "{}", ran.text());
    let errors = place.json(&format!("{out}/errors.json"));
    let of = |e: &serde_json::Value| {
        let kind = e["kind"].as_str().unwrap_or_default().to_string();
        (kind, e["precondition"].is_string())
    };
    errors.as_array().expect("a list").iter().map(of).collect()
}

/// Who reads what is set has no error but pointers that may be null, and who reads something else has others, too.
#[test]
fn the_member_that_is_set_fits_the_tag() {
    let Some(place) = engine!("entry-tags") else {
        return;
    };
    let mut random = Random::new(11);
    for number in 0..4 {
        let tagged = Tagged::any(&mut random);
        let file = format!("b{number}.c");
        let forms = [number, 4];
        // A text, four bytes and a zero at most, is read as a structure of 16 bytes, or of 8.
        let wrong = 7 - tagged.meaning[1].1;
        let mut source = tagged.types();
        for form in forms {
            source += &tagged.function(&format!("good{form}"), form, None);
        }
        let good = source.clone();
        source += &tagged.function("bad", 1, Some(wrong));
        let clean = format!("g{number}.c");
        place.write(&clean, &good);
        place.write(&file, &source);
        for form in forms {
            let found = errors(&place, &clean, &format!("good{form}"));
            let others = found.iter().filter(|(kind, _)| kind != "null");
            assert_eq!(others.count(), 0, "{found:?}\n{good}");
        }
        let found = errors(&place, &file, "bad");
        let others = found
            .iter()
            .filter(|(kind, is_marked)| kind != "null" && *is_marked);
        assert!(others.count() > 0, "{found:?}\n{source}");
    }
}

/// Sources in which one function reads a member that others do not, and the error that users of `f` come to: kind and where it is.
const UNTOLD: [(&str, &str); 3] = [
    // A function was asked for the tag; another one takes it for something else.
    (
        "struct pair { int x, y; };
        struct value { int type; union { struct pair *p; struct value *sub; double *d; } u; };
        static int is_sub(const struct value *v) { return v->type == 2; }
        static int a[3];
        int f(const struct value *v) {
            if (!is_sub(v) || !v->u.sub) return 0;
            const struct value *c = v->u.sub;
            return c->type == 1 && c->u.p && c->u.p->y == 4 ? a[c->u.p->y] : 0;
        }
        double g(const struct value *v) { return v->type == 2 && v->u.d ? v->u.d[0] : 0; }",
        "of the global `a`",
    ),
    // Two unions and their tags, which code looks at together: the nearer one says less.
    (
        "struct pair { int x, y; }; struct big { long a[9]; };
        struct two { int ta; union { struct pair *p; struct big *b; } a; int tb; union { struct big *b; struct pair *p; char *s; } b; };
        int g(const struct two *v) {
            if (v->ta == 1 && v->tb == 1) return (v->a.p ? v->a.p->y : 0) + (v->b.b ? (int)v->b.b->a[8] : 0);
            if (v->ta == 2 && v->tb == 1) return (v->a.b ? (int)v->a.b->a[8] : 0) + (v->b.b ? (int)v->b.b->a[8] : 0);
            if (v->ta == 1 && v->tb == 2) return (v->a.p ? v->a.p->y : 0) + (v->b.p ? v->b.p->y : 0);
            if (v->ta == 2 && v->tb == 3) return (v->a.b ? (int)v->a.b->a[8] : 0) + (v->b.s ? v->b.s[0] : 0);
            return 0;
        }
        static int arr[2];
        static int is_two(int t) { return t == 2; }
        int f(const struct two *v) {
            return is_two(v->ta) && is_two(v->tb) && v->a.b && v->a.b->a[8] == 1000 ? arr[v->ta] : 0;
        }",
        "of the global `arr`",
    ),
    // The tag is compared as another type than it has.
    (
        "struct pair { int x, y; }; struct big { long a[9]; };
        struct value { unsigned char type; union { struct pair *p; struct big *b; } u; };
        static int arr[2];
        int f(const struct value *v) {
            if ((signed char)v->type == -56) return v->u.b && v->u.b->a[8] == 3 ? arr[v->u.b->a[8]] : 0;
            return v->type == 7 && v->u.p ? v->u.p->y : 0;
        }",
        "of the global `arr`",
    ),
];

/// No state is excluded that the code handles: what one function says of a tag does not bind those that found it otherwise.
#[test]
fn what_the_code_does_not_tell_excludes_nothing() {
    let Some(place) = engine!("entry-tags-untold") else {
        return;
    };
    for (number, (source, wanted)) in UNTOLD.iter().enumerate() {
        let file = format!("u{number}.c");
        place.write(&file, *source);
        let out = format!("out-{number}");
        let words = [
            "run",
            &file,
            "--entry",
            "f",
            "--out",
            &out,
            "--no-alias",
            "-q",
        ];
        let ran = place.polypath(words.iter().chain(&[
            "--jobs",
            "1",
            "--time",
            "300",
            "--array-max",
            "4",
        ]));
        assert!(ran.text().contains(wanted), "{}", ran.text());
    }
    // The last one has no false error beside.
    let errors = place.json("out-2/errors.json");
    assert_eq!(errors.as_array().map(Vec::len), Some(1), "{errors}");
}
