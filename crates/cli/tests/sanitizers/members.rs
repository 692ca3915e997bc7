//! Arrays that lie in larger objects, rows of matrices among them. AddressSanitizer does not see an index that stays in
//! the object, and UBSan not each one, so that the case says itself what fails.

use super::case::{After, Case, Kind, Lines};
use testkit::Random;

pub const KIND: Kind = Kind {
    name: "members",
    sanitizer: &["-fsanitize=array-bounds", "-fstrict-flex-arrays=0"],
    checks: "memory,bounds",
    errors: &["out_of_bounds"],
    lines: Lines::Same,
    after: After::Ends,
    make: member,
};

fn member(n: usize, random: &mut Random) -> Case {
    let ty = random.pick(&["char", "short", "int", "unsigned", "long", "double"]);
    let count = random.range(1, 4);
    // An array `A` of which the rest of the object is around it.
    let (declared, array) = match random.below(9) {
        0 => (
            format!("struct {{ T before[8]; T list[{count}]; T after[8]; }} o = {{{{1}}}};"),
            "o.list".to_string(),
        ),
        1 => (
            format!("static struct {{ T before[8]; T list[{count}]; T after[8]; }} o = {{{{1}}}};"),
            "o.list".to_string(),
        ),
        2 => (
            format!("T o[5][{count}] = {{{{1}}}}; int row = 1 + x % 3;"),
            "o[row]".to_string(),
        ),
        3 => (
            format!("T o[3][3][{count}] = {{{{{{1}}}}}};"),
            "o[1][1]".to_string(),
        ),
        4 => (
            format!("T o[2][{count}][9] = {{{{{{1}}}}}};"),
            "o[0]".to_string(),
        ),
        5 => (
            format!(
                "struct {{ T before[8]; union {{ T list[{count}]; char byte; }} u; T after[8]; }} o = {{{{1}}}};"
            ),
            "o.u.list".to_string(),
        ),
        6 => (
            format!(
                "struct big {{ T before[8]; T list[{count}]; T after[8]; }} *o = calloc(1, sizeof *o);"
            ),
            "o->list".to_string(),
        ),
        7 => (
            format!(
                "struct {{ T before[8]; struct {{ T list[{count}]; T more[6]; }} s[3]; T after[8]; }} o = {{{{1}}}};"
            ),
            "o.s[x & 1].list".to_string(),
        ),
        _ => (format!("static T o[5][{count}];"), "o[2]".to_string()),
    };
    let element = array == "o[0]";
    let e = |index: &str| format!("{array}[{index}]{}", if element { "[0]" } else { "" });
    let a = e("i");
    let outside = format!("FAILS_IF(i < 0 || i >= {count})");
    let star = if element { "[0]" } else { "" };
    let access = match random.below(14) {
        0 | 1 => format!("{outside} r = {a};"),
        2 | 3 => format!("{outside} {a} = 2;"),
        4 => format!("{outside} {a} += 1;"),
        5 => format!("{outside} {a};"),
        6 => format!("{outside} r = *({array} + i){star};"),
        // One behind the last element is no error of the array yet.
        7 => format!("FAILS_IF(i < 0 || i > {count}) T *p = &{a}; r = *p;"),
        8 => format!("if (x & 2) {{ {outside} r = {a}; }}"),
        9 => format!(
            "for (int k = 0; k <= i; k++) {{ FAILS_IF(k >= {count}) r += {}; }}",
            e("k")
        ),
        10 => format!("FAILS_IF(i < 0 || i > {count}) memcpy(&r, &{a}, sizeof r);"),
        11 => format!("{outside} r = ((volatile T *)&{a})[0];"),
        12 => format!("r = sizeof {a};"),
        // By a pointer to the array, whose type has its size.
        _ if !element => format!("T (*p)[{count}] = &{array}; {outside} r = (*p)[i];"),
        _ => format!("{outside} *({array} + i)[0] = 3;"),
    };
    let index = random.pick(&["int", "long", "short", "signed char"]);
    let from = random.pick(&[
        "x - 1",
        "x - 3",
        "x",
        "x % 4",
        "3 - x",
        "x == 5 ? -1 : 0",
        "x / 2",
    ]);
    Case::new(&format!(
        "__attribute__((noinline)) int case_{n}(unsigned char x) {{ typedef {ty} T; T r = 0; {index} i = {from};
    {declared} {access} return (int)r; }}\n"
    ))
}
