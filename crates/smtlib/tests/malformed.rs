//! The reader on broken text: every script ends, every error has a place in the text and a
//! message, and what was read before and after an error is read as without it.

use polypath_smtlib::{Command, Error, Reader};
use std::path::Path;
use term::Pool;

/// All commands and errors of a script.
fn read(text: &[u8]) -> (Vec<Command>, Vec<Error>) {
    let mut pool = Pool::new();
    let mut reader = Reader::new(text);
    let (mut commands, mut errors) = (vec![], vec![]);
    for _ in 0..=text.len() + 1 {
        match reader.next(&mut pool) {
            Ok(Some(command)) => commands.push(command),
            Ok(None) => return (commands, errors),
            Err(error) => errors.push(error),
        }
    }
    panic!("more commands than bytes");
}

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/smt2");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "smt2"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn check_errors(text: &[u8]) {
    let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    for error in read(text).1 {
        let (line, column) = (error.at.line as usize, error.at.column as usize);
        assert!(line >= 1 && line <= lines.len(), "{error}");
        assert!(
            column >= 1 && column <= lines[line - 1].len() + 1,
            "{error}"
        );
        assert!(
            error.to_string().len() > "line 1 column 1: ".len(),
            "{error}"
        );
    }
}

#[test]
fn every_prefix_of_a_script_ends_with_at_most_one_more_error() {
    for script in corpus() {
        let whole = read(&script).1.len();
        for end in (0..script.len()).step_by(7) {
            check_errors(&script[..end]);
            assert!(read(&script[..end]).1.len() <= whole + 1);
        }
    }
}

#[test]
fn mutations_give_errors_with_places() {
    let scripts = corpus();
    let mut random = testkit::Random::new(3);
    for _ in 0..3000 {
        let mut text = scripts[random.index(scripts.len())].clone();
        for _ in 0..1 + random.index(5) {
            let at = random.index(text.len());
            match random.index(4) {
                0 => text[at] = random.index(256) as u8,
                1 => drop(text.remove(at)),
                2 => text.insert(at, b"()|\"#:;_!0x1"[random.index(12)]),
                _ => {
                    let other = &scripts[random.index(scripts.len())];
                    let from = random.index(other.len());
                    let part = other[from..(from + random.index(60)).min(other.len())].to_vec();
                    text.splice(at..at, part);
                }
            }
        }
        check_errors(&text);
    }
}

#[test]
fn a_broken_command_leaves_no_trace() {
    let text = b"(declare-const p Bool)\n(assert (! (let ((q p)) (and q (! p :named n) r)) :named m))\n\
        (assert q)(assert n)(assert m)(declare-const n Bool)(declare-const q Bool) (assert (and n q))";
    let (commands, errors) = read(text);
    let messages: Vec<String> = errors.iter().map(Error::to_string).collect();
    assert_eq!(
        messages,
        [
            "line 2 column 47: 'r' is not declared",
            "line 3 column 9: 'q' is not declared",
            "line 3 column 19: 'n' is not declared",
            "line 3 column 29: 'm' is not declared",
        ]
    );
    assert_eq!(commands.len(), 4);
}

#[test]
fn nesting_needs_no_stack() {
    let run = || {
        const DEPTH: usize = 100_000;
        for (open, middle, close) in [
            ("(not ", "p", ")"),
            ("(let ((p p)) ", "p", ")"),
            ("(! ", "p", " :x y)"),
            ("(ite p p ", "p", ")"),
            ("(let ((q ", "p", ")) q)"),
            ("((_ rotate_left 1) ", "p", ")"),
            ("(! p :pattern (", "p", "))"),
        ] {
            let mut text = String::from("(declare-const p Bool)(assert ");
            text.push_str(&open.repeat(DEPTH));
            text.push_str(middle);
            text.push_str(&close.repeat(DEPTH));
            text.push(')');
            let (commands, errors) = read(text.as_bytes());
            assert!(commands.len() + errors.len() == 2, "{open}: {errors:?}");
        }
        let deep = format!("(declare-const a {}", "(Array Bool ".repeat(DEPTH));
        assert!(read(deep.as_bytes()).1[0].to_string().contains("too deep"));
        let (_, errors) = read("(".repeat(DEPTH).as_bytes());
        assert_eq!(errors.len(), 1);
    };
    let small = std::thread::Builder::new().stack_size(512 << 10);
    small.spawn(run).unwrap().join().unwrap();
}

/// Many commands from a source that gives a few bytes at a time.
#[test]
fn scripts_stream() {
    struct Source {
        line: usize,
        rest: Vec<u8>,
    }
    impl std::io::Read for Source {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if self.rest.is_empty() && self.line < 200_000 {
                self.line += 1;
                self.rest =
                    format!("(assert (bvult x #x{:04x})) ; a comment\n", self.line % 500).into();
            }
            let count = self.rest.len().min(out.len()).min(11);
            out[..count].copy_from_slice(&self.rest[..count]);
            self.rest.drain(..count);
            Ok(count)
        }
    }
    let mut pool = Pool::new();
    let rest = b"(declare-const x (_ BitVec 16))".to_vec();
    let mut reader = Reader::new(Source { line: 0, rest });
    let mut count = 0;
    while reader.next(&mut pool).unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 200_001);
    assert!(pool.len() < 2000, "terms are shared and text is not kept");
}
