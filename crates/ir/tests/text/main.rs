//! Modules as text and back: random modules, errors with their places, and text that was damaged.
//!
//! `POLYPATH_IR_MODULES=N` runs N random modules and damaged texts instead of 400.

// Under the name that other crates give it: `normal` is a module of one of their tests, too.
extern crate polypath_ir as ir;

mod normal;
mod random;

use ir::parse::parse;
use ir::print::print;
use ir::verify::verify;
use ir::{Inst, Reg, Val};
use normal::assert_equal;
use random::module;
use testkit::Random;

fn cases() -> u64 {
    let given = std::env::var("POLYPATH_IR_MODULES");
    given.map_or(400, |n| n.parse().expect("a number"))
}

#[test]
fn random_modules_come_back() {
    let mut valid = 0;
    for seed in 0..cases() {
        let m = module(&mut Random::new(seed));
        let text = print(&m);
        let back = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_equal(&m, &back, &format!("seed {seed}\n{text}"));
        assert_eq!(verify(&m).is_ok(), verify(&back).is_ok(), "seed {seed}");
        assert_eq!(text, print(&back), "seed {seed}");
        valid += u64::from(verify(&m).is_ok());
    }
    assert!(valid > cases() / 2, "only {valid} modules are valid");
}

/// Damage: bytes, words and lines deleted, doubled, exchanged and replaced.
fn damaged(random: &mut Random, text: &str) -> String {
    const PIECES: [&str; 24] = [
        "r",
        "\"",
        "\\",
        "@",
        "L",
        ".",
        "..",
        "0x",
        "-",
        "4294967295",
        "18446744073709551615",
        ":",
        ",",
        "(",
        ")",
        "[",
        "]",
        "->",
        "#",
        "&",
        "...",
        "é",
        "\n",
        "function",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let end = (at + 1 + random.below(8) as usize).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len() as u64) as usize];
                bytes.splice(at..end, piece.bytes());
            }
            3 => {
                let piece = PIECES[random.below(PIECES.len() as u64) as usize];
                bytes.splice(at..at, piece.bytes());
            }
            4 => {
                let digit = bytes.iter().skip(at).position(u8::is_ascii_digit);
                if let Some(i) = digit {
                    bytes[at + i] = b'0' + random.below(10) as u8;
                }
            }
            _ => {
                let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
                let (a, b) = (
                    random.below(lines.len() as u64),
                    random.below(lines.len() as u64),
                );
                lines.swap(a as usize, b as usize);
                bytes = lines.join(&b'\n');
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_text_is_refused_or_read_as_what_it_says() {
    let (mut refused, mut read) = (0, 0);
    for seed in 0..cases() {
        let mut random = Random::new(seed);
        let text = print(&module(&mut random));
        for _ in 0..8 {
            let damaged = damaged(&mut random, &text);
            match parse(&damaged) {
                Err(e) => {
                    refused += 1;
                    let lines = damaged.lines().count();
                    assert!(e.line >= 1 && e.line <= lines.max(1), "{e}");
                    let line = damaged.lines().nth(e.line - 1).unwrap_or_default();
                    assert!(e.column <= line.len() + 1, "{e}\n{line}");
                }
                Ok(m) => {
                    read += 1;
                    // Whatever it is now, the verifier looks at it without stumbling; valid modules come back.
                    if verify(&m).is_ok() {
                        let back = parse(&print(&m)).unwrap();
                        assert_equal(&m, &back, &damaged);
                    }
                }
            }
        }
    }
    assert!(refused > 0 && read > 0);
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        (
            "function f() -> ()\n    Frob r1",
            "line 2, column 5: expected an instruction, found `Frob r1`",
        ),
        (
            "function f() -> ()\n    r1 = Add r2, r3",
            "line 2, column 10: expected an instruction with a width, found `Add r2, r3`",
        ),
        (
            "function f() -> ()\n    r1 = Add.32.8 r2, r3",
            "line 2, column 10: expected an instruction with fewer widths or operations, found `Add.32.8 r2, r3`",
        ),
        (
            "function f() -> ()\n    Add.32 r2, r3",
            "line 2, column 5: expected a register and `=`, found `Add.32 r2, r3`",
        ),
        (
            "function f() -> ()\n    r1 = Add.32 r2 r3",
            "line 2, column 20: expected `,`, found `r3`",
        ),
        (
            "function f() -> ()\n    r1 = Add.32 r2, 0x123456789123456789",
            "line 2, column 21: expected a register or a number of 1 limbs, found `0x123456789123456789`",
        ),
        (
            "function f() -> ()\n    r1 = Jump a",
            "line 2, column 5: expected an instruction with fewer results, found `r1 = Jump a`",
        ),
        (
            "function f() -> ()\n    Jump a  ; to nowhere",
            "line 2, column 10: expected a label of this function, found `a  ; to nowhere`",
        ),
        (
            "function f() -> ()\na:\na:",
            "line 3, column 1: expected a label of another name, found `a:`",
        ),
        (
            "function f() -> ()\n    Call g()",
            "line 2, column 10: expected a function, found `g()`",
        ),
        (
            "function f() -> ()\n    r1 = Load.1 &x",
            "line 2, column 17: expected the name of a global or a function, found `&x`",
        ),
        (
            "function f() -> ()\n    r1 = Index r2, r3, offset 3",
            "line 2, column 24: expected `scale`, found `offset 3`",
        ),
        (
            "function f() -> ()\n    r1 = Un.Add.32 r2",
            "line 2, column 10: expected an instruction with one of Ctlz, Cttz, Ctpop, Bswap, Bitreverse, found `Un.Add.32 r2`",
        ),
        (
            "function f() -> ()\n    Unsupported \"a",
            "line 2, column 17: expected a string with an end, found `\"a`",
        ),
        (
            "function f() -> ()\n    Trap Trap",
            "line 2, column 10: expected the end of the line, found `Trap`",
        ),
        (
            "    Trap",
            "line 1, column 5: expected a declaration, found `Trap`",
        ),
        (
            "entry main f",
            "line 1, column 12: expected a function, found `f`",
        ),
        (
            "function f(32) -> 3",
            "line 1, column 19: expected `(`, found `3`",
        ),
        (
            "function f(99999) -> ()",
            "line 1, column 12: expected a width, found `99999) -> ()`",
        ),
        (
            "global g",
            "line 1, column 9: expected `size`, found the end of the line",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn what_is_written_by_hand() {
    let text = "
        ; a comment
        entry main f
        extern abort
        global a size 3
        global b size 4 own \"\\01x\"
        function f(32, 8) -> (32) ; the rest has defaults
            r2 = Add.32 r0, -1
            r3..r4 = WideBin.Add.128 r5..r6, -1
            r7 = Copy.64 &b
            r7 = Copy.64 &g
            r7 = Copy.64 &abort
            CallSite extern abort() -> ()
            r0 = Call g(r7, -2)
            Branch r0, again, again
        again: Ret r0
        function g(64, 8) -> (32)
            Ret 7
    ";
    let error = parse(text).unwrap_err();
    assert_eq!(
        (error.line, error.column),
        (16, 16),
        "a label has a line to itself"
    );
    let m = parse(&text.replace("again: Ret", "again:\n Ret")).unwrap();
    verify(&m).unwrap();
    assert_eq!(m.entry.main, Some(0));
    assert_eq!(m.functions[0].registers, 8);
    let constant = |v: Val, n: usize| &m.consts[v.index()..][..n];
    let Inst::Add {
        dst: Reg(2),
        a: Val(0),
        b,
        w: 32,
    } = m.code[0]
    else {
        panic!()
    };
    assert_eq!(constant(b, 1), [0xffff_ffff]);
    let Inst::WideBin { a: Val(5), b, .. } = m.code[1] else {
        panic!()
    };
    assert_eq!(constant(b, 2), [u64::MAX, u64::MAX]);
    let addresses = [2, 3, 4].map(|pc| match m.code[pc] {
        Inst::Copy { a, .. } => constant(a, 1)[0],
        other => panic!("{other:?}"),
    });
    use ir::layout;
    assert_eq!(
        addresses,
        [
            m.globals[1].address,
            layout::function_address(1),
            layout::extern_address(2, 0)
        ]
    );
    assert!(m.globals[0].address + 3 < m.globals[1].address);
}
