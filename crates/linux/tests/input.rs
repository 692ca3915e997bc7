//! Options for symbolic input, the objects they make, the initial stack, and snapshots for replay.

use crate::common::Mock;
use polypath_linux::*;

fn parse(text: &str) -> Result<ProgramInput, String> {
    let args: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    parse_program_args(&args)
}

#[test]
fn options_stand_at_their_position() {
    let input =
        parse("-n --sym-arg 3 -sym-args 0 2 5 file --sym-files 2 8 --sym-stdin 4 --sym-stdout")
            .unwrap();
    let concrete = |s: &str| ArgSpec::Concrete(s.as_bytes().to_vec());
    let args = [
        concrete("-n"),
        ArgSpec::Symbolic { len: 3 },
        ArgSpec::Several {
            min: 0,
            max: 2,
            len: 5,
        },
        concrete("file"),
    ];
    assert_eq!(input.args, args);
    assert_eq!(input.files, Some(SymFiles { count: 2, len: 8 }));
    assert_eq!(
        (input.stdin, input.stdout, input.is_symbolic()),
        (Some(4), true, true)
    );
    assert!(!parse("a b --other").unwrap().is_symbolic());
    assert_eq!(parse("--fd-fail").unwrap().max_fail, 1);
}

#[test]
fn wrong_options_are_explained() {
    for (text, part) in [
        ("--sym-arg", "needs a length"),
        ("--sym-arg x", "is a number, not 'x'"),
        ("--sym-args 3 1 4", "not a range"),
        ("--sym-args 1 2", "needs a length"),
        ("--sym-files 27 1", "at most 26"),
        ("--sym-files 1 0", "at least 1"),
        ("--sym-stdin 99999999999", "too large"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn one_start_per_combination_of_counts_with_the_names_of_klee() {
    let config = WorldConfig::default();
    let input =
        parse("--sym-args 0 1 10 --sym-args 0 2 2 --sym-files 1 8 --sym-stdin 8 --sym-stdout")
            .unwrap();
    let starts = input.starts(&config);
    let choices: Vec<_> = starts.iter().map(|s| s.choice.clone()).collect();
    assert_eq!(choices, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
    let objects: Vec<_> = starts[5]
        .objects
        .iter()
        .map(|o| (o.name.as_str(), o.bytes.len()))
        .collect();
    let expected = [
        ("n_args", 4),
        ("arg00", 11),
        ("n_args_1", 4),
        ("arg01", 3),
        ("arg02", 3),
        ("A_data", 8),
        ("A_data_stat", 144),
        ("stdin", 8),
        ("stdin_stat", 144),
        ("stdout", 1024),
        ("stdout_stat", 144),
        ("model_version", 4),
    ];
    assert_eq!(objects, expected);
    assert_eq!(
        starts[5].objects[0].bytes,
        [Some(1), Some(0), Some(0), Some(0)]
    );
    assert_eq!(starts[5].objects[1].bytes[9..], [None, Some(0)]);
}

#[test]
fn constraints_hold_for_real_files_only() {
    let config = WorldConfig::default();
    let start = parse("--sym-files 1 4 --sym-stdin 2 --sym-stat")
        .unwrap()
        .starts(&config)
        .remove(0);
    let mut mock = Mock::new();
    let objects = mock.bind(&start);
    let hard = start.constraints(&mut mock.pool, &objects);
    let soft = start.preferences(&mut mock.pool, &objects);
    // The same conditions on bytes and as terms.
    let mut values: Vec<Vec<u8>> = start
        .objects
        .iter()
        .map(|o| o.bytes.iter().map(|b| b.unwrap_or(0)).collect())
        .collect();
    let stat = start
        .objects
        .iter()
        .position(|o| o.name == "A_data_stat")
        .unwrap();
    let stdin = start
        .objects
        .iter()
        .position(|o| o.name == "stdin_stat")
        .unwrap();
    let check = |mock: &mut Mock, values: &[Vec<u8>]| {
        for (object, value) in objects.iter().zip(values) {
            for (i, &b) in value.iter().enumerate() {
                if let Byte::Symbolic(t) = object.get(i) {
                    let symbol = mock.pool.as_symbol(t).unwrap();
                    mock.witness.set(symbol, b as u64);
                }
            }
        }
        let by_terms = hard.iter().all(|&t| mock.eval(t) == 1);
        let by_bytes = start
            .objects
            .iter()
            .zip(values)
            .all(|(o, v)| o.constraints.iter().all(|c| c.holds(v)));
        assert_eq!(by_terms, by_bytes);
        by_terms
    };
    assert!(!check(&mut mock, &values));
    values[stat][24..26].copy_from_slice(&0o100644u16.to_le_bytes());
    values[stat][16] = 1;
    values[stdin][25] = 0x81;
    assert!(check(&mut mock, &values));
    values[stdin][25] = 0x11;
    assert!(check(&mut mock, &values));
    values[stdin][25] = 0x21;
    assert!(!check(&mut mock, &values));
    values[stdin][25] = 0x81;
    values[stat][24..26].copy_from_slice(&0o40755u16.to_le_bytes());
    assert!(!check(&mut mock, &values));
    assert!(!soft.is_empty());
}

#[test]
fn files_are_ordinary_and_stdin_is_a_pipe_unless_attributes_are_input() {
    let config = WorldConfig::default();
    let start = parse("--sym-files 1 4 --sym-stdin 2 --sym-exact")
        .unwrap()
        .starts(&config)
        .remove(0);
    let stats = start.objects.iter().filter(|o| o.name.ends_with("_stat"));
    for stat in stats {
        assert_eq!(stat.free_ranges(), [], "{}", stat.name);
        assert!(stat.constraints.is_empty() && stat.preferences.is_empty());
    }
    let mut mock = Mock::new();
    let objects = mock.bind(&start);
    World::new(&config, &start, &objects, &mut mock.pool);
    let values: Vec<Vec<u8>> = start.objects.iter().map(|o| o.usual()).collect();
    let snapshot = start.snapshot(&config, &values);
    assert_eq!(snapshot.stdin.kind, StreamKind::Pipe);
    let file = &snapshot.files[0];
    assert_eq!(
        (file.mode, file.mtime, file.links),
        (0o644, config.epoch, 1)
    );
}

#[test]
fn the_usual_content_of_an_object_fulfils_what_is_asked_of_it() {
    let config = WorldConfig::default();
    for more in ["", "--sym-stat", "--sym-size", "--sym-stat --sym-empty"] {
        let words = format!("--sym-arg 3 --sym-files 2 300 --sym-stdin 2 --sym-stdout {more}");
        let start = parse(&words).unwrap().starts(&config).remove(0);
        for object in &start.objects {
            let usual = object.usual();
            let asked = object.constraints.iter().chain(&object.preferences);
            for condition in asked.filter(|c| c.width > 1 || object.name.ends_with("_stat")) {
                assert!(
                    condition.holds(&usual),
                    "{more}: {} {condition:?}",
                    object.name
                );
            }
            let fixed = object.bytes.iter().zip(&usual);
            assert!(
                fixed.clone().all(|(b, u)| b.is_none_or(|b| b == *u)),
                "{}",
                object.name
            );
        }
    }
}

#[test]
fn the_stack_is_laid_out_by_the_abi() {
    let config = WorldConfig::default();
    let start = parse("one --sym-arg 3").unwrap().starts(&config).remove(0);
    let mut mock = Mock::new();
    let objects = mock.bind(&start);
    let top = 0x7fff_0000;
    let image = start.stack_image(&config, &objects, top, &[(3, 0x40_0040)]);
    assert_eq!(image.stack_pointer % 16, 0);
    let (address, block, _) = &image.parts[0];
    assert_eq!(*address, image.stack_pointer);
    let word = |addr: u64| {
        let at = (addr - address) as usize;
        u64::from_le_bytes(block.bits[at..at + 8].try_into().unwrap())
    };
    assert_eq!(word(image.stack_pointer), 3);
    let string = |addr: u64| &image.parts.iter().find(|(a, ..)| *a == addr).unwrap().1;
    assert_eq!(string(word(image.argv)).bits, b"program\0");
    assert_eq!(string(word(image.argv + 8)).bits, b"one\0");
    assert_eq!(*string(word(image.argv + 16)), objects[0]);
    assert_eq!(word(image.argv + 24), 0);
    assert_eq!(string(word(image.envp)).bits, b"LC_ALL=C\0");
    assert_eq!(word(image.envp + 8), 0);
    assert_eq!(image.auxv, image.envp + 16);
    assert_eq!((word(image.auxv), word(image.auxv + 8)), (3, 0x40_0040));
    // Parts do not touch, so each can have a red zone.
    for pair in image.parts.windows(2) {
        let end = pair[0].0 + pair[0].1.len() as u64;
        assert!(end + 32 <= pair[1].0, "{} and {}", pair[0].2, pair[1].2);
    }
    assert!(image.parts.last().unwrap().0 < top && image.low == image.stack_pointer);
}

#[test]
fn a_snapshot_tells_a_replay_what_to_lay_out() {
    let config = WorldConfig {
        files: vec![("extra".to_string(), b"x".to_vec(), 0o600)],
        ..WorldConfig::default()
    };
    let start = parse("-v --sym-arg 4 --sym-files 1 3 --sym-stdin 2 --sym-stat")
        .unwrap()
        .starts(&config)
        .remove(0);
    let mut values: Vec<Vec<u8>> = start
        .objects
        .iter()
        .map(|o| o.bytes.iter().map(|b| b.unwrap_or(b'a')).collect())
        .collect();
    values[0] = b"ab\0d\0".to_vec();
    values[2][24..26].copy_from_slice(&0o100640u16.to_le_bytes());
    values[2][16] = 2;
    values[2][88..96].copy_from_slice(&12345u64.to_le_bytes());
    values[4][25] = 0x11;
    let snapshot = start.snapshot(&config, &values);
    assert_eq!(snapshot.args, [b"-v".to_vec(), b"ab".to_vec()]);
    assert_eq!(
        snapshot.stdin,
        StreamSnapshot {
            bytes: b"aa".to_vec(),
            kind: StreamKind::Pipe
        }
    );
    assert_eq!(snapshot.stdout, StreamKind::Pipe);
    let file = &snapshot.files[0];
    assert_eq!(
        (
            file.path.as_str(),
            &file.bytes[..],
            file.mode,
            file.mtime,
            file.links
        ),
        ("A", &b"aaa"[..], 0o640, 12345, 2)
    );
    assert_eq!(snapshot.files[1].path, "extra");
}
