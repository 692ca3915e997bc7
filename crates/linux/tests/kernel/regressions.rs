//! Sequences on which the world and the kernel once disagreed.

use super::calls::Val::{self, Data, Int, Null, Out, Vector};
use super::calls::{Op, path};

/// What random sequences have found, by name.
pub fn regressions() -> Vec<(&'static str, Vec<Op>)> {
    let op = |nr: u64, args: &[Val]| Op {
        nr,
        args: args.to_vec(),
    };
    let own = Int(std::process::id() as i64);
    let set = |signal: u32| Data((1u64 << (signal - 1)).to_le_bytes().to_vec());
    let long = Val::Path("n".repeat(5000));
    let at = Int(-100);
    let bad_times = Data(
        [0u64, 2_000_000_000, 0, 0]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect(),
    );
    vec![
        (
            "a written pipe without a reader sends the thread a signal of its own",
            vec![
                op(13, &[Int(13), Int(2), Int(0), Int(0)]),
                op(14, &[Int(0), set(13), Null, Int(8)]),
                op(22, &[Out(8)]),
                op(3, &[Int(3)]),
                op(1, &[Int(4), Data(b"x".to_vec()), Int(1)]),
                op(62, &[own.clone(), Int(13)]),
                op(128, &[set(13), Out(128), Data(vec![0; 16]), Int(8)]),
                op(128, &[set(13), Out(128), Data(vec![0; 16]), Int(8)]),
                op(14, &[Int(1), set(13), Null, Int(8)]),
                op(13, &[Int(13), Int(1), Int(0), Int(0)]),
            ],
        ),
        (
            "calls that only check",
            [
                (162, vec![]),
                (273, vec![Null, Int(23)]),
                (145, vec![Int(-1)]),
                (145, vec![Int(0)]),
                (145, vec![Int(1 << 30)]),
                (151, vec![Int(0)]),
                (151, vec![Int(4)]),
                (151, vec![Int(8)]),
                (26, vec![Int(1), Int(1), Int(4)]),
                (26, vec![Int(4096), Int(1), Int(5)]),
                (26, vec![Int(4096), Int(1), Int(8)]),
                (26, vec![Int(4096), Int(1), Int(4)]),
                (26, vec![Int(4096), Int(-1), Int(4)]),
                (26, vec![Int(4096), Int(0), Int(4)]),
                (149, vec![Int(4096), Int(1)]),
                (149, vec![Int(4096), Int(-1)]),
                (149, vec![Int(4097), Int(0)]),
                (150, vec![Int(4096), Int(4096)]),
                (325, vec![Int(4096), Int(1), Int(2)]),
                (325, vec![Int(4096), Int(1), Int(1)]),
                (28, vec![Int(4096), Int(1), Int(0)]),
                (28, vec![Int(4096), Int(0), Int(0)]),
                (28, vec![Int(4096), Int(-1), Int(3)]),
                (28, vec![Int(4097), Int(0), Int(0)]),
                (28, vec![Int(4096), Int(0), Int(6)]),
                (61, vec![Int(-1), Null, Int(4), Null]),
                (61, vec![Int(-1), Null, Int(1), Null]),
                (61, vec![Int(i32::MIN as i64), Null, Int(0), Null]),
                (247, vec![Int(0), Int(0), Null, Int(4), Null]),
                (247, vec![Int(0), Int(0), Null, Int(1), Null]),
                (247, vec![Int(1), Int(0), Null, Int(4), Null]),
                (247, vec![Int(9), Int(0), Null, Int(4), Null]),
                (157, vec![Int(4), Int(5), Int(0), Int(0), Int(0)]),
                (157, vec![Int(38), Int(0), Int(0), Int(0), Int(0)]),
                (157, vec![Int(1), Int(65), Int(0), Int(0), Int(0)]),
                (227, vec![Int(1), Data(vec![0; 16])]),
                (227, vec![Int(0), Data(vec![0xff; 16])]),
                (230, vec![Int(3), Int(0), Data(vec![0; 16]), Null]),
                (230, vec![Int(4), Int(0), Data(vec![0; 16]), Null]),
                (166, vec![path("nope"), Int(0)]),
                (166, vec![path("."), Int(1 << 10)]),
                (161, vec![path("nope")]),
                (191, vec![path("nope"), path("user.a"), Null, Int(0)]),
                (193, vec![Int(77), path("user.a"), Null, Int(0)]),
                (326, vec![Int(77), Null, Int(78), Null, Int(1), Int(0)]),
                (62, vec![own.clone(), Int(65)]),
            ]
            .into_iter()
            .map(|(nr, args)| op(nr, &args))
            .collect(),
        ),
        (
            "the errors of a copy between files",
            vec![
                op(2, &[path("."), Int(0), Int(0)]),
                op(2, &[path("a"), Int(0o101), Int(0o644)]),
                op(22, &[Out(8)]),
                op(326, &[Int(3), Null, Int(4), Null, Int(1), Int(0)]),
                op(326, &[Int(5), Null, Int(4), Null, Int(1), Int(0)]),
                op(326, &[Int(4), Null, Int(4), Null, Int(1), Int(0)]),
                op(326, &[Int(4), Null, Int(4), Null, Int(1), Int(1)]),
            ],
        ),
        (
            "times are checked after the path",
            vec![op(280, &[at.clone(), path("nope"), bad_times, Int(0)])],
        ),
        (
            "F_GETFL tells O_LARGEFILE of what was opened, not of a pipe",
            vec![
                op(22, &[Out(8)]),
                op(2, &[path("."), Int(0), Int(0)]),
                op(72, &[Int(3), Int(3)]),
                op(72, &[Int(5), Int(3)]),
            ],
        ),
        (
            "a pipe has no offsets, whichever end",
            vec![
                op(22, &[Out(8)]),
                op(17, &[Int(4), Out(10), Int(10), Int(0)]),
                op(18, &[Int(3), Data(b"x".to_vec()), Int(1), Int(0)]),
                op(8, &[Int(3), Int(0), Int(7)]),
            ],
        ),
        (
            "O_CREAT and O_EXCL on a dot",
            vec![op(257, &[at.clone(), path("./"), Int(0o302), Int(0o777)])],
        ),
        (
            "an O_PATH descriptor is no open file",
            vec![
                op(2, &[path("."), Int(0o10000000), Int(0)]),
                op(74, &[Int(3)]),
                op(5, &[Int(3), Out(144)]),
                op(81, &[Int(3)]),
                op(77, &[Int(3), Int(0)]),
            ],
        ),
        (
            "errors of the second path come late",
            vec![
                op(82, &[path("nope/x"), long.clone()]),
                op(88, &[path(""), long.clone()]),
                op(
                    265,
                    &[at.clone(), long.clone(), at.clone(), path("a"), Int(0x100)],
                ),
                op(133, &[long.clone(), Int(0o040755), Int(0)]),
                op(21, &[long, Int(8)]),
            ],
        ),
        (
            "mkdir does not follow a link, slash or not",
            vec![
                op(88, &[path("e"), path("a")]),
                op(83, &[path("a/"), Int(0o777)]),
            ],
        ),
        (
            "open that may create rejects a slash, also one that a link brings",
            vec![
                op(88, &[path("a/"), path("a")]),
                op(2, &[path("a"), Int(0o101), Int(0o644)]),
                op(2, &[path("b/"), Int(0o101), Int(0o644)]),
            ],
        ),
        (
            "readlinkat of a descriptor",
            vec![
                op(267, &[Int(7), path(""), Out(40), Int(40)]),
                op(267, &[at.clone(), path(""), Out(40), Int(40)]),
            ],
        ),
        (
            "an empty readv on a directory",
            vec![
                op(2, &[path("."), Int(0), Int(0)]),
                op(19, &[Int(3), Vector(Vec::new()), Int(0)]),
            ],
        ),
        (
            "sendfile into a pipe that nobody reads",
            vec![
                op(22, &[Out(8)]),
                op(2, &[path("a"), Int(0o102), Int(0o644)]),
                op(3, &[Int(3)]),
                op(40, &[Int(4), Int(5), Null, Int(5)]),
                op(40, &[Int(4), Int(5), Null, Int(0)]),
            ],
        ),
    ]
}
