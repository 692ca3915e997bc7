//! Symbolic paths, contents and attributes: which questions a call asks, and what follows.

use crate::common::{BASE, Mock, answer, call, concrete_world};
use polypath_linux::abi::*;
use polypath_linux::*;

const OPEN: u64 = 2;
const READ: u64 = 0;
const WRITE: u64 = 1;
const FSTAT: u64 = 5;
const LSEEK: u64 = 8;
const STAT: u64 = 4;
const MKDIR: u64 = 83;
const FADVISE: u64 = 221;

fn parse(text: &str) -> ProgramInput {
    let args: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    parse_program_args(&args).unwrap()
}

/// A world of the first start of an input, with its objects bound to symbols that are all zero.
fn world_of(text: &str, mock: &mut Mock) -> (World, Start, Vec<Bytes>) {
    let config = WorldConfig::default();
    let start = parse(text).starts(&config).remove(0);
    let objects = mock.bind(&start);
    let world = World::new(&config, &start, &objects, &mut mock.pool);
    (world, start, objects)
}

/// Gives a bound object the bytes of a value.
fn assign(mock: &mut Mock, object: &Bytes, offset: usize, value: &[u8]) {
    for (i, &b) in value.iter().enumerate() {
        if let Byte::Symbolic(term) = object.get(offset + i) {
            let symbol = mock
                .pool
                .as_symbol(term)
                .expect("an object's byte is a symbol");
            mock.witness.set(symbol, b as u64);
        }
    }
}

fn index(start: &Start, name: &str) -> usize {
    start.objects.iter().position(|o| o.name == name).unwrap()
}

/// Opens a symbolic path whose witness is `text` in a directory with A and B.
fn open_symbolic(text: &str, len: usize, flags: u64) -> (i64, usize) {
    let mut mock = Mock::new();
    let (mut world, start, objects) = world_of("--sym-files 2 4", &mut mock);
    for name in ["A_data_stat", "B_data_stat"] {
        assign(&mut mock, &objects[index(&start, name)], 24, &[0xa4, 0x81]);
    }
    let path = mock.symbolic_string("path", text, len);
    let addr = mock.place(0, &path);
    let result = call(&mut world, &mut mock, OPEN, &[addr, flags, 0o644]);
    (result, mock.decided.len())
}

#[test]
fn a_symbolic_path_asks_about_outcomes_not_about_characters() {
    // Nothing of that name: one question for all such strings.
    assert_eq!(open_symbolic("zzz", 10, 0), (-(ENOENT as i64), 1));
    // The empty string is one of them.
    assert_eq!(open_symbolic("", 10, 0), (-(ENOENT as i64), 1));
    // A: it reaches something; it is an entry; not "."; not ".."; it is A; and A may be read.
    let (fd, asked) = open_symbolic("A", 10, 0);
    assert_eq!(fd, 3);
    assert!(asked <= 6, "{asked} questions");
}

#[test]
fn symbolic_paths_are_resolved_like_concrete_ones() {
    assert_eq!(open_symbolic(".", 3, 0).0, 3);
    assert_eq!(open_symbolic("/", 3, 0).0, 3);
    assert_eq!(open_symbolic("//", 3, 0).0, 3);
    assert_eq!(open_symbolic("./B", 5, 0).0, 3);
    assert_eq!(open_symbolic("../user/A", 9, 0).0, 3);
    assert_eq!(open_symbolic("/dev/null", 9, 0).0, 3);
    assert_eq!(open_symbolic("A/", 3, 0).0, -(ENOTDIR as i64));
    assert_eq!(open_symbolic("A/x", 3, 0).0, -(ENOTDIR as i64));
    assert_eq!(open_symbolic("x/y", 3, 0).0, -(ENOENT as i64));
    assert_eq!(open_symbolic("A", 3, O_WRONLY as u64).0, 3);
    assert_eq!(open_symbolic(".", 3, O_WRONLY as u64).0, -(EISDIR as i64));
}

#[test]
fn symbolic_paths_agree_with_concrete_ones_for_all_short_strings() {
    let alphabet = ["", "/", ".", "A", "x"];
    let mut texts: Vec<String> = vec![String::new()];
    for _ in 0..4 {
        texts = texts
            .iter()
            .flat_map(|t| alphabet.iter().map(move |c| format!("{t}{c}")))
            .collect();
        texts.sort();
        texts.dedup();
    }
    for flags in [0, O_WRONLY | O_CREAT, O_DIRECTORY] {
        for text in &texts {
            let mut mock = Mock::new();
            let (mut world, start, objects) = world_of("--sym-files 1 4", &mut mock);
            assign(
                &mut mock,
                &objects[index(&start, "A_data_stat")],
                24,
                &[0xa4, 0x81],
            );
            let addr = mock.string(0, text);
            let concrete = call(&mut world, &mut mock, OPEN, &[addr, flags as u64, 0o644]);
            assert_eq!(
                open_symbolic_one(text, flags),
                concrete,
                "open({text:?}, {flags:#o})"
            );
        }
    }
}

fn open_symbolic_one(text: &str, flags: u32) -> i64 {
    let mut mock = Mock::new();
    let (mut world, start, objects) = world_of("--sym-files 1 4", &mut mock);
    assign(
        &mut mock,
        &objects[index(&start, "A_data_stat")],
        24,
        &[0xa4, 0x81],
    );
    let path = mock.symbolic_string("path", text, 5);
    let addr = mock.place(0, &path);
    call(&mut world, &mut mock, OPEN, &[addr, flags as u64, 0o644])
}

#[test]
fn a_file_with_a_symbolic_name_is_found_again() {
    let mut mock = Mock::new();
    let mut world = concrete_world(&mut mock, &WorldConfig::default());
    let name = mock.symbolic_string("name", "xy", 4);
    let addr = mock.place(0, &name);
    assert_eq!(call(&mut world, &mut mock, MKDIR, &[addr, 0o755]), 0);
    assert_eq!(
        call(&mut world, &mut mock, MKDIR, &[addr, 0o755]),
        -(EEXIST as i64)
    );
    // By another string of the same value, symbolic or not.
    let plain = mock.string(100, "xy");
    assert_eq!(call(&mut world, &mut mock, STAT, &[plain, BASE + 1000]), 0);
    let other = mock.string(100, "xz");
    assert_eq!(
        call(&mut world, &mut mock, STAT, &[other, BASE + 1000]),
        -(ENOENT as i64)
    );
    let inside = mock.string(200, "xy/f");
    assert_eq!(
        call(
            &mut world,
            &mut mock,
            OPEN,
            &[inside, (O_CREAT | O_RDWR) as u64, 0o644]
        ),
        3
    );
    // Its length has been decided, and its name stays symbolic: nothing was made concrete.
    assert!(mock.concretized.is_empty());
    // rmdir after unlink works through the symbolic name too.
    assert_eq!(call(&mut world, &mut mock, 87, &[inside]), 0);
    assert_eq!(call(&mut world, &mut mock, 84, &[addr]), 0);
    assert_eq!(
        call(&mut world, &mut mock, STAT, &[plain, BASE + 1000]),
        -(ENOENT as i64)
    );
}

#[test]
fn an_unreadable_file_is_a_question() {
    let mut mock = Mock::new();
    let (mut world, start, objects) = world_of("--sym-files 1 4 --sym-stat", &mut mock);
    let stat = &objects[index(&start, "A_data_stat")];
    let path = mock.string(0, "A");
    assign(&mut mock, stat, 24, &[0x80, 0x80]);
    assert_eq!(
        call(&mut world, &mut mock, OPEN, &[path, 0, 0]),
        -(EACCES as i64)
    );
    assert_eq!(mock.decided.len(), 1);
    assign(&mut mock, stat, 24, &[0x80, 0x81]);
    assert_eq!(call(&mut world, &mut mock, OPEN, &[path, 0, 0]), 3);
    assert_eq!(call(&mut world, &mut mock, OPEN, &[path, 1, 0]), 4);
}

#[test]
fn contents_pass_through_as_they_are() {
    let mut mock = Mock::new();
    let (mut world, start, objects) =
        world_of("--sym-files 1 4 --sym-stdin 6 --sym-exact", &mut mock);
    assign(
        &mut mock,
        &objects[index(&start, "A_data_stat")],
        24,
        &[0xa4, 0x81],
    );
    let path = mock.string(0, "A");
    assert_eq!(call(&mut world, &mut mock, OPEN, &[path, 2, 0]), 3);
    assert_eq!(call(&mut world, &mut mock, READ, &[3, BASE + 100, 10]), 4);
    assert_eq!(mock.at(100, 4), objects[index(&start, "A_data")]);
    assert_eq!(call(&mut world, &mut mock, READ, &[3, BASE + 100, 10]), 0);
    // stdin in two reads, written into the file and read back.
    assert_eq!(call(&mut world, &mut mock, READ, &[0, BASE + 200, 2]), 2);
    assert_eq!(call(&mut world, &mut mock, READ, &[0, BASE + 202, 100]), 4);
    assert_eq!(call(&mut world, &mut mock, READ, &[0, BASE + 300, 100]), 0);
    assert_eq!(call(&mut world, &mut mock, WRITE, &[3, BASE + 200, 6]), 6);
    assert_eq!(call(&mut world, &mut mock, LSEEK, &[3, 2, 0]), 2);
    assert_eq!(call(&mut world, &mut mock, READ, &[3, BASE + 400, 100]), 8);
    assert_eq!(mock.at(402, 6), objects[index(&start, "stdin")]);
    assert!(mock.concretized.is_empty());
}

#[test]
fn fstat_of_a_standard_stream_does_not_ask_but_lseek_does() {
    for (high, seek) in [(0x81, 0), (0x11, -(ESPIPE as i64))] {
        let mut mock = Mock::new();
        let (mut world, start, objects) = world_of(
            "--sym-stdin 4 --sym-stdout --sym-stat --sym-exact",
            &mut mock,
        );
        for name in ["stdin_stat", "stdout_stat"] {
            let object = objects[index(&start, name)].clone();
            assign(&mut mock, &object, 25, &[high]);
        }
        assert_eq!(call(&mut world, &mut mock, FSTAT, &[0, BASE]), 0);
        assert!(!mock.at(24, 4).is_concrete());
        assert_eq!(call(&mut world, &mut mock, FADVISE, &[0, 0, 0, 2]), seek);
        assert_eq!(call(&mut world, &mut mock, WRITE, &[1, BASE + 500, 7]), 7);
        assert_eq!(mock.decided.len(), 0);
        let size = mock
            .at(48, 8)
            .word(&mut mock.pool, 0, 8)
            .term(&mut mock.pool);
        assert_eq!(mock.eval(size), if high == 0x81 { 4 } else { 0 });

        assert_eq!(call(&mut world, &mut mock, LSEEK, &[0, 0, 1]), seek);
        assert_eq!(mock.decided.len(), 1);
        assert_eq!(call(&mut world, &mut mock, LSEEK, &[0, 0, 1]), seek);
        assert_eq!(mock.decided.len(), 1, "what is settled is not asked again");
        // A seek back on a stdout that is a file overwrites.
        let seek = call(&mut world, &mut mock, LSEEK, &[1, 0, 0]);
        mock.place(600, &Bytes::concrete(*b"xyz"));
        assert_eq!(call(&mut world, &mut mock, WRITE, &[1, BASE + 600, 3]), 3);
        let expected = if seek == 0 { 7 } else { 10 };
        assert_eq!(world.stdout_content().len(), expected);
        assert_eq!(world.output_len(), 10);
    }
}

#[test]
fn a_file_that_may_be_empty_forks_at_its_first_read() {
    for empty in [true, false] {
        let mut mock = Mock::new();
        let (mut world, start, objects) =
            world_of("--sym-files 1 4 --sym-stdin 4 --sym-empty", &mut mock);
        for name in ["A_data_stat", "stdin_stat"] {
            let stat = objects[index(&start, name)].clone();
            assign(&mut mock, &stat, 24, &[0xa4, 0x81]);
            assign(&mut mock, &stat, 48, &[if empty { 0 } else { 4 }]);
        }
        let length = if empty { 0 } else { 4 };
        let path = mock.string(500, "A");
        assert_eq!(call(&mut world, &mut mock, OPEN, &[path, 2, 0]), 3);
        let before = mock.decided.len();
        assert_eq!(call(&mut world, &mut mock, FSTAT, &[3, BASE]), 0);
        assert_eq!(mock.decided.len(), before);
        let size = mock
            .at(48, 8)
            .word(&mut mock.pool, 0, 8)
            .term(&mut mock.pool);
        assert_eq!(mock.eval(size), length);
        assert_eq!(
            call(&mut world, &mut mock, READ, &[3, BASE, 10]),
            length as i64
        );
        assert_eq!(mock.decided.len(), before + 1);
        assert_eq!(call(&mut world, &mut mock, READ, &[3, BASE, 10]), 0);
        assert_eq!(
            call(&mut world, &mut mock, LSEEK, &[3, 0, 2]),
            length as i64
        );
        assert_eq!(call(&mut world, &mut mock, WRITE, &[3, BASE, 3]), 3);
        assert_eq!(
            call(&mut world, &mut mock, LSEEK, &[3, 0, 2]),
            length as i64 + 3
        );
        assert_eq!(mock.decided.len(), before + 1);
        assert_eq!(
            call(&mut world, &mut mock, READ, &[0, BASE, 10]),
            length as i64
        );
        assert_eq!(call(&mut world, &mut mock, READ, &[0, BASE, 10]), 0);
        assert_eq!(mock.decided.len(), before + 2);
        // Only all or nothing.
        let stat = start
            .objects
            .iter()
            .find(|o| o.name == "A_data_stat")
            .unwrap();
        let mut value: Vec<u8> = stat.bytes.iter().map(|b| b.unwrap_or(0)).collect();
        value[16] = 1;
        value[25] = 0x81;
        for (size, fine) in [(0, true), (4, true), (3, false)] {
            value[48] = size;
            assert_eq!(stat.constraints.iter().all(|c| c.holds(&value)), fine);
        }
    }
}

#[test]
fn an_open_size_is_settled_by_halves_at_the_first_read() {
    for size in 0..=20u8 {
        let mut mock = Mock::new();
        let (mut world, start, objects) =
            world_of("--sym-files 1 20 --sym-stdin 20 --sym-size", &mut mock);
        for name in ["A_data", "stdin"] {
            let stat = objects[index(&start, &format!("{name}_stat"))].clone();
            assign(&mut mock, &stat, 24, &[0xa4, 0x81]);
            assign(&mut mock, &stat, 48, &[size]);
            let stat = &start.objects[index(&start, &format!("{name}_stat"))];
            assert_eq!(stat.open_size(), Some(48));
        }
        let path = mock.string(500, "A");
        assert_eq!(call(&mut world, &mut mock, OPEN, &[path, 2, 0]), 3);
        let before = mock.decided.len();
        assert_eq!(call(&mut world, &mut mock, FSTAT, &[3, BASE]), 0);
        assert_eq!(mock.decided.len(), before);
        for (offset, value) in [(48, u64::from(size)), (64, 8 * u64::from(size > 0))] {
            let word = mock.at(offset, 8).word(&mut mock.pool, 0, 8);
            let term = word.term(&mut mock.pool);
            assert_eq!(mock.eval(term), value);
        }
        let size = i64::from(size);
        let first = call(&mut world, &mut mock, READ, &[3, BASE, 6]);
        assert_eq!(first, size.min(6));
        assert!(mock.decided.len() <= before + 7, "{}", mock.decided.len());
        let asked = mock.decided.len();
        let second = call(&mut world, &mut mock, READ, &[3, BASE, 100]);
        assert_eq!(first + second, size);
        assert_eq!(call(&mut world, &mut mock, LSEEK, &[3, 0, 2]), size);
        assert_eq!(mock.decided.len(), asked);
        assert_eq!(call(&mut world, &mut mock, READ, &[0, BASE, 100]), size);
        assert_eq!(call(&mut world, &mut mock, READ, &[0, BASE, 100]), 0);
    }
}

#[test]
fn the_end_of_an_open_size_is_where_seek_goes() {
    let mut mock = Mock::new();
    let (mut world, start, objects) = world_of("--sym-files 1 20 --sym-size", &mut mock);
    let stat = objects[index(&start, "A_data_stat")].clone();
    assign(&mut mock, &stat, 24, &[0xa4, 0x81]);
    assign(&mut mock, &stat, 48, &[13]);
    let path = mock.string(500, "A");
    assert_eq!(call(&mut world, &mut mock, OPEN, &[path, 2, 0]), 3);
    assert_eq!(
        call(&mut world, &mut mock, LSEEK, &[3, -3i64 as u64, 2]),
        10
    );
    assert_eq!(call(&mut world, &mut mock, READ, &[3, BASE, 100]), 3);
}

#[test]
fn the_type_of_a_symbolic_file_is_no_question() {
    let mut mock = Mock::new();
    let (mut world, ..) = world_of("--sym-files 1 4 --sym-stdin 4 --sym-stat", &mut mock);
    let path = mock.string(500, "A");
    assert_eq!(call(&mut world, &mut mock, STAT, &[path, BASE]), 0);
    let file_type = |mock: &mut Mock, value: u64| {
        let mode = mock
            .at(24, 4)
            .word(&mut mock.pool, 0, 4)
            .term(&mut mock.pool);
        let (mask, value) = (mock.pool.bv(64, S_IFMT as u64), mock.pool.bv(64, value));
        let bits = mock.pool.and(mode, mask);
        let is = mock.pool.eq(bits, value);
        mock.pool.as_const(is)
    };
    assert_eq!(file_type(&mut mock, S_IFREG as u64), Some(1));
    assert_eq!(file_type(&mut mock, S_IFDIR as u64), Some(0));
    assert_eq!(call(&mut world, &mut mock, FSTAT, &[0, BASE]), 0);
    assert_eq!(file_type(&mut mock, S_IFDIR as u64), Some(0));
    assert_eq!(file_type(&mut mock, S_IFCHR as u64), Some(0));
    assert_eq!(file_type(&mut mock, S_IFREG as u64), None);
}

#[test]
fn a_call_that_asks_changes_nothing_before_its_last_question() {
    // The machine re-executes a call from its start in the world as it was; with the opposite
    // answers it must reach the other outcome.
    let mut mock = Mock::new();
    let (world, ..) = world_of("--sym-stdin 4 --sym-stat", &mut mock);
    let mut first = world.clone();
    let mut second = world.clone();
    let results = [(0x81u64, &mut first), (0x11, &mut second)].map(|(high, world)| {
        let symbol = (0..mock.pool.symbol_count() as u32)
            .map(term::Symbol)
            .find(|&s| mock.pool.symbol_name(s) == "stdin_stat[25]")
            .unwrap();
        mock.witness.set(symbol, high);
        call(world, &mut mock, LSEEK, &[0, 3, 0])
    });
    assert_eq!(results, [3, -(ESPIPE as i64)]);
    let mut third = world;
    assert_eq!(
        call(&mut third, &mut mock, LSEEK, &[0, 0, 1]),
        -(ESPIPE as i64)
    );
}

#[test]
fn a_symbolic_count_is_made_concrete_by_name() {
    let mut mock = Mock::new();
    let mut world = concrete_world(&mut mock, &WorldConfig::default());
    let (_, byte) = mock.symbol("n", 3);
    let Byte::Symbolic(byte) = byte else {
        unreachable!()
    };
    let term = mock.pool.zext(64, byte);
    let mut args = [Arg::concrete(0); 6];
    args[0] = Arg::concrete(1);
    args[1] = Arg::concrete(BASE);
    args[2] = Arg { bits: 0, term };
    match world.syscall(WRITE, &args, &mut mock) {
        CallAnswer::Return(Word::Concrete(3)) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(mock.concretized, ["the size of a write"]);
}

#[test]
fn forks_share_and_do_not_disturb_each_other() {
    let mut mock = Mock::new();
    let mut world = concrete_world(&mut mock, &WorldConfig::default());
    let path = mock.string(0, "f");
    assert_eq!(
        call(
            &mut world,
            &mut mock,
            OPEN,
            &[path, (O_CREAT | O_RDWR) as u64, 0o644]
        ),
        3
    );
    mock.place(100, &Bytes::concrete(*b"one"));
    assert_eq!(call(&mut world, &mut mock, WRITE, &[3, BASE + 100, 3]), 3);
    let mut fork = world.clone();
    mock.place(100, &Bytes::concrete(*b"two"));
    assert_eq!(call(&mut fork, &mut mock, WRITE, &[3, BASE + 100, 3]), 3);
    assert_eq!(call(&mut fork, &mut mock, WRITE, &[1, BASE + 100, 3]), 3);
    assert_eq!(call(&mut world, &mut mock, LSEEK, &[3, 0, 2]), 3);
    assert_eq!(call(&mut fork, &mut mock, LSEEK, &[3, 0, 2]), 6);
    assert_eq!((world.output_len(), fork.output_len()), (0, 3));
}

#[test]
fn the_collector_sees_each_shared_term_once() {
    let mut mock = Mock::new();
    let (mut world, ..) = world_of(
        "--sym-files 1 8 --sym-stdin 4 --sym-stdout --sym-stat --sym-exact",
        &mut mock,
    );
    call(&mut world, &mut mock, READ, &[0, BASE, 4]);
    call(&mut world, &mut mock, WRITE, &[1, BASE, 4]);
    let mut fork = world.clone();
    call(&mut fork, &mut mock, WRITE, &[1, BASE, 2]);
    let worlds = [world, fork];
    let mut counts = std::collections::BTreeMap::new();
    let mut seen = Seen::default();
    for world in &worlds {
        world.trace_shared(&mut seen, &mut |term| {
            *counts.entry(*term).or_insert(0) += 1
        });
    }
    // 8 bytes of A; mode, links, two times; stdin 4; two modes; 4 written by both; 2 by one, joined with a copy of
    // the 4 before.
    assert_eq!(counts.values().sum::<i32>(), 8 + 4 + 4 + 2 + 4 + (4 + 2));
    // Terms are rewritten in place, for all worlds that share them.
    let before = worlds[1].stdout_content();
    let mut seen = Seen::default();
    for world in &worlds {
        world.trace_shared(&mut seen, &mut |term| *term = term::Term(term.0 + 1000));
    }
    let after = worlds[1].stdout_content();
    for (old, new) in before.terms.iter().zip(&after.terms) {
        assert_eq!(old.0 + 1000, new.0);
    }
    let mut seen = Seen::default();
    worlds[0].trace_shared(&mut seen, &mut |term| assert!(term.0 >= 1000));
}

#[test]
fn an_unterminated_string_is_an_error_only_if_no_byte_of_it_ends_it() {
    let mut mock = Mock::new();
    let mut world = concrete_world(&mut mock, &WorldConfig::default());
    // The last bytes of memory, without a concrete NUL.
    let end = mock.memory.len();
    for (value, expected) in [(0, 0), (b'x', -(EFAULT as i64))] {
        let (_, byte) = mock.symbol("last", value);
        mock.memory.put(end - 2, Byte::Concrete(b'.'));
        mock.memory.put(end - 1, byte);
        let addr = BASE + end as u64 - 2;
        // The strict default of read_string fails at the end of memory; a machine stops there.
        let mut machine = Stopping(&mut mock);
        let mut args = [Arg::concrete(0); 6];
        args[0] = Arg::concrete(addr);
        match world.syscall(80, &args, &mut machine) {
            CallAnswer::Return(Word::Concrete(result)) => assert_eq!(result as i64, expected),
            other => panic!("{other:?}"),
        }
    }
}

/// A machine whose `read_string` stops at the end of an object, as the contract says.
struct Stopping<'a>(&'a mut Mock);

impl Cx for Stopping<'_> {
    fn pool(&mut self) -> &mut term::Pool {
        self.0.pool()
    }
    fn read(&mut self, addr: u64, len: u64) -> Result<Bytes, Efault> {
        self.0.read(addr, len)
    }
    fn read_string(&mut self, addr: u64, limit: u64) -> Result<Bytes, Efault> {
        let mut string = Bytes::new();
        while (string.len() as u64) < limit {
            let Ok(byte) = self.0.read(addr + string.len() as u64, 1) else {
                break;
            };
            string.push(byte.get(0));
            if byte.get(0) == Byte::Concrete(0) {
                break;
            }
        }
        Ok(string)
    }
    fn write(&mut self, addr: u64, bytes: &Bytes) -> Result<(), Efault> {
        self.0.write(addr, bytes)
    }
    fn concretize(&mut self, what: &str, arg: Arg) -> u64 {
        self.0.concretize(what, arg)
    }
    fn decide(&mut self, cond: term::Term) -> bool {
        self.0.decide(cond)
    }
    fn map_memory(&mut self, request: &MapRequest) -> Result<u64, MapRefusal> {
        self.0.map_memory(request)
    }
    fn unmap_memory(&mut self, addr: u64, len: u64) -> Result<(), i32> {
        self.0.unmap_memory(addr, len)
    }
    fn protect_memory(&mut self, addr: u64, len: u64, prot: u32) -> Result<(), MapRefusal> {
        self.0.protect_memory(addr, len, prot)
    }
    fn has_pages(&mut self, addr: u64, len: u64, readable: bool) -> bool {
        self.0.has_pages(addr, len, readable)
    }
    fn remap_memory(
        &mut self,
        addr: u64,
        old: u64,
        new: u64,
        may_move: bool,
    ) -> Result<u64, MapRefusal> {
        self.0.remap_memory(addr, old, new, may_move)
    }
    fn grow_break(&mut self, to: u64) -> u64 {
        self.0.grow_break(to)
    }
    fn set_thread_pointer(&mut self, addr: u64) {
        self.0.set_thread_pointer(addr)
    }
    fn thread_pointer(&self) -> u64 {
        self.0.thread_pointer()
    }
    fn instructions(&self) -> u64 {
        self.0.instructions()
    }
}

#[test]
fn what_is_not_modelled_is_named_once() {
    let mut mock = Mock::new();
    let mut world = concrete_world(&mut mock, &WorldConfig::default());
    for _ in 0..3 {
        assert_eq!(
            call(&mut world, &mut mock, 41, &[2, 1, 0]),
            -(EAFNOSUPPORT as i64)
        );
        assert_eq!(call(&mut world, &mut mock, 999, &[]), -(ENOSYS as i64));
        assert_eq!(call(&mut world, &mut mock, 57, &[]), -(ENOSYS as i64));
    }
    assert_eq!(
        world.unmodelled(),
        [
            "socket",
            "system call 999",
            "fork (starting another process or thread)"
        ]
    );
}

#[test]
fn a_fork_bomb_ends() {
    let mut mock = Mock::new();
    let mut world = concrete_world(&mut mock, &WorldConfig::default());
    let ended = (0..1000).find_map(|_| match answer(&mut world, &mut mock, 57, &[]) {
        CallAnswer::Unsupported(why) => Some(why),
        _ => None,
    });
    assert!(ended.unwrap().contains("fork"));
}
