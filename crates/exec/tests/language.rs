//! A second language, without C: words on a stack, compiled to IR, with an environment of its own.
//!
//! What it proves is that the machine needs nothing of C: any use of a C program's part of a state panics here, which
//! ends a path as an internal error. The paths are held against the program written in Rust, on all inputs.

use explore::{Ended, Ending, Exploration, InDoubt, Output, PathEnd, PathOutcome, Sink};
use ir::{Builder, Entry, Inst, Label, Location, Reg, Val, Verified};
use memory::{Checks, Memory, Value};
use polypath_exec::{
    Builtin, Call, Done, Engine, EnvState, Environment, ErrorKind, Machine, MachineOptions,
    RunLimits, State, Termination,
};
use solver::{Model, Solver, SolverOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use term::Term;

/// Two bytes of input, three ways to go wrong, a loop, an output and a status that depend on the input.
const PROGRAM: &str = "
    input a !  input b !
    a 10 < if  a b + 20 = if error sum then  then
    a 200 = if  0 c !  begin  c print  c 1 + c !  c 3 = until  then
    b 7 = if error seven then
    a b / print
    b exit";

/// The same in Rust: the decisions, and how it ends with what output.
fn by_hand(a: u64, b: u64) -> (Vec<bool>, (String, Vec<u8>)) {
    let (mut decisions, mut written) = (Vec::new(), Vec::new());
    let mut decide = |c: bool| {
        decisions.push(c);
        c
    };
    let end = if decide(a < 10) && decide(a + b == 20) {
        "sum".to_string()
    } else {
        if decide(a == 200) {
            written.extend([0, 1, 2]);
        }
        if decide(b == 7) {
            "seven".to_string()
        } else if decide(b == 0) {
            "division by zero".to_string()
        } else {
            written.push((a / b) as u8);
            format!("exit {b}")
        }
    };
    (decisions, (end, written))
}

/// Compiles a program. Its stack is the compiler's: at run time there are registers only.
fn compile(text: &str) -> Verified {
    let mut b = Builder::new();
    let main = b.function("main", &[], &[64]);
    let imports = ["input", "print", "error", "exit"].map(|name| b.import(name));
    let mut variables: BTreeMap<&str, Reg> = BTreeMap::new();
    let mut stack: Vec<Val> = Vec::new();
    let mut labels: Vec<Label> = Vec::new();
    let file = b.file("program");
    let mut words = text.split_whitespace().zip(1..);
    while let Some((word, line)) = words.next() {
        b.at(Location {
            file,
            line,
            column: 1,
        });
        let mut pop = || stack.pop().expect("the word has its operands");
        let dst = b.reg();
        match word {
            "+" | "/" | "<" | "=" => {
                let (w, y, x) = (64, pop(), pop());
                b.emit(match word {
                    "+" => Inst::Add { w, dst, a: x, b: y },
                    "/" => Inst::UDiv { w, dst, a: x, b: y },
                    "<" => Inst::Ult { w, dst, a: x, b: y },
                    _ => Inst::Eq { w, dst, a: x, b: y },
                });
                stack.push(dst.into());
            }
            "!" => {
                let (to, a) = (pop(), pop());
                b.emit(Inst::Copy {
                    w: 64,
                    dst: Reg(to.index() as u32),
                    a,
                });
            }
            "if" | "until" => {
                let (c, other) = (pop(), b.label());
                let back = if word == "if" {
                    b.label()
                } else {
                    labels.pop().expect("begin")
                };
                let (then, other) = if word == "if" {
                    (back, other)
                } else {
                    (other, back)
                };
                b.emit(Inst::Branch {
                    c,
                    then: then.pc(),
                    other: other.pc(),
                });
                b.bind(then);
                labels.extend((word == "if").then_some(other));
            }
            "begin" | "then" => {
                let to = if word == "then" {
                    labels.pop().expect("if")
                } else {
                    b.label()
                };
                b.emit(Inst::Jump { target: to.pc() });
                b.bind(to);
                labels.extend((word == "begin").then_some(to));
            }
            "input" => {
                b.call_import(dst, imports[0], &[], &[64]);
                stack.push(dst.into());
            }
            "print" => b.call_import(dst, imports[1], &[pop()], &[]),
            "error" => {
                let name = b.string(words.next().expect("a name").0);
                let name = b.constant(u64::from(name));
                b.call_import(dst, imports[2], &[name], &[]);
            }
            "exit" => b.call_import(dst, imports[3], &[pop()], &[]),
            _ => stack.push(match word.parse() {
                Ok(number) => b.constant(number),
                Err(_) => (*variables.entry(word).or_insert(dst)).into(),
            }),
        }
    }
    b.emit(Inst::Unreachable);
    b.entry(Entry {
        main: Some(main),
        start: None,
    });
    b.finish().expect("valid IR")
}

/// What the language has around it.
struct Desk;

/// What a path has printed.
#[derive(Clone, Default)]
struct Paper(Vec<Value>);

impl EnvState for Paper {
    fn fork(&self) -> Box<dyn EnvState> {
        Box::new(self.clone())
    }
}

impl Environment for Desk {
    fn builtin(&self, name: &str) -> Option<Builtin> {
        Some(match name {
            "input" => |m: &mut Machine, s: &mut State, _: &Call| {
                let byte = m.new_object(s, "input", 1)?[0];
                Ok(Done::Value(Value::symbolic(byte)))
            },
            "print" => |_, s, c| {
                s.env.get_mut::<Paper>().0.push(c.arg(0));
                Ok(Done::Next)
            },
            "error" => |m, s, c| {
                let name = m.module.strings[c.arg(0).bits as usize].clone();
                Err(m.error(s, ErrorKind::User, name))
            },
            "exit" => |_, _, c| Err(Termination::Exit(c.arg(0))),
            _ => return None,
        })
    }

    fn first_states(&self, m: &mut Machine, memory: &Memory) -> Result<Vec<Box<State>>, String> {
        let mut s = m.new_state(0, memory, Box::new(Paper::default()));
        let main = m.module.entry.main.ok_or("no main")?;
        m.begin(&mut s, main, &[]).map_err(|t| format!("{t:?}"))?;
        Ok(vec![Box::new(s)])
    }

    fn trace(
        &self,
        parts: &mut dyn Iterator<Item = &mut dyn EnvState>,
        visit: &mut dyn FnMut(&mut Term),
    ) {
        for part in parts {
            let printed = part.get_mut::<Paper>().0.iter_mut();
            printed
                .filter(|v| v.term.is_some())
                .for_each(|v| visit(&mut v.term));
        }
    }

    fn output(&self, m: &mut Machine, s: &State, model: &Model) -> Output {
        let byte = |v: &Value| match v.term {
            Term::NONE => v.bits as u8,
            term => m.reason.evaluator.eval(&m.reason.pool, term, model) as u8,
        };
        let stdout = s.env.get::<Paper>().0.iter().map(byte).collect();
        Output {
            stdout,
            stderr: Vec::new(),
        }
    }
}

#[derive(Default)]
struct Heard(Vec<PathEnd>);

impl Sink for Heard {
    fn wants_input(&mut self, _: Ended) -> bool {
        true
    }
    fn ended(&mut self, path: PathEnd) -> Option<InDoubt> {
        self.0.push(path);
        None
    }
}

#[test]
fn another_language_runs_in_an_environment_of_its_own() {
    let solver = Solver::new(SolverOptions::default());
    // Each path is also followed from its start: a prefix needs nothing of C either.
    let options = MachineOptions {
        check_prefixes: true,
        ..MachineOptions::default()
    };
    let mut machine = Machine::new(compile(PROGRAM), Rc::new(Desk), solver, options);
    let first = machine
        .first_states(Checks::default())
        .expect("a beginning");
    let searcher = search::parse("bfs", &search::SearchOptions::default()).expect("a searcher");
    let mut engine = Engine::new(machine, searcher, first, RunLimits::default());
    let mut heard = Heard::default();
    assert_eq!(engine.run(&mut heard), None);
    assert_eq!(engine.worker.counters.endings.of(Ending::Internal), 0);
    assert_eq!(engine.worker.counters.followed, heard.0.len() as u64);
    for path in &heard.0 {
        let byte = |i: usize| path.objects.get(i).map_or(0, |o| u64::from(o.bytes[0]));
        let end = match &path.outcome {
            PathOutcome::Exit(status) => format!("exit {status}"),
            PathOutcome::Error(e) => e.message.clone(),
            other => panic!("{other:?}"),
        };
        let input = path.input.as_ref().expect("it was wanted");
        assert_eq!(
            by_hand(byte(0), byte(1)).1,
            (end, input.output.stdout.clone())
        );
    }
    let inputs = (0..1 << 16).map(|n| by_hand(n & 0xff, n >> 8).0);
    assert_eq!(heard.0.len(), inputs.collect::<BTreeSet<_>>().len());
}
