//! The first states: the program loaded, its arguments, files and environment in place.

use super::Linux;
use super::process::{Landed, Process, process_mut};
use exec::Machine;
use exec::State;
use exec::Termination;
use ir::layout;
use linux::{Byte, Bytes, Sizes, StackImage, Start, World, WorldConfig};
use memory::{Memory, Value};
use solver::{NoTrials, Origin, Outcome};
use std::rc::Rc;
use term::Term;

/// Where the initial image of arguments and environment ends: at the top of the globals' region, whose
/// objects it shares (they live as long as the program).
const IMAGE_TOP: u64 = layout::HEAP - 4096;
/// `AT_PAGESZ`, `AT_RANDOM` and friends: number and value.
const AT_PAGESZ: u64 = 6;
const AT_CLKTCK: u64 = 17;

/// What a byte of symbolic input takes, in all: see `naming::SYMBOL_BYTES`, its specification and its places in files.
const INPUT_BYTE: u64 = 256;

/// One state per combination of argument counts, each at its entry.
///
/// # Errors
/// A module without `main`, or input constraints that contradict each other.
// The engine keeps its states in boxes.
#[allow(clippy::vec_box)]
pub fn first_states(
    linux: &Linux,
    m: &mut Machine,
    memory: &Memory,
) -> Result<Vec<Box<State>>, String> {
    room::need(linux.input.symbolic_bytes().saturating_mul(INPUT_BYTE));
    let starts = linux.input.starts(&linux.config);
    let states = (0..).zip(&starts);
    states
        .map(|(index, start)| first_state(linux, m, start, index, memory).map(Box::new))
        .collect()
}

fn first_state(
    linux: &Linux,
    m: &mut Machine,
    start: &Start,
    index: u32,
    memory: &Memory,
) -> Result<State, String> {
    let config = &linux.config;
    let process = Process {
        // Replaced below, once the symbolic objects have their bytes.
        world: World::new(config, start, &placeholder(start), &mut m.reason.pool),
        thread_pointer: 0,
        texts: Rc::default(),
        jumps: Rc::default(),
        landed: Landed::default(),
        interrupted: Rc::default(),
        retried: None,
        doubts: Rc::default(),
        failures_left: linux.input.max_fail,
        echo: linux.echo,
    };
    let mut s = m.new_state(index, memory, Box::new(process));
    let mut objects = Vec::new();
    for spec in &start.objects {
        // A fixed object belongs to the test case, too.
        let terms = m
            .symbolic_object(&mut s, &spec.name, spec.bytes.len())
            .map_err(unfinished)?;
        let mut bytes = Bytes::new();
        for (&t, fixed) in terms.iter().zip(&spec.bytes) {
            bytes.push(match fixed {
                Some(b) => Byte::Concrete(*b),
                None => Byte::Symbolic(t),
            });
            if let (Some(b), Some(symbol)) = (fixed, m.reason.pool.as_symbol(t)) {
                s.witness.set(symbol, u64::from(*b));
            }
        }
        objects.push(bytes);
    }
    m.may_go_on().map_err(unfinished)?;
    s.input_objects = s.objects.len() as u32;
    process_mut(&mut s).world = World::new(config, start, &objects, &mut m.reason.pool);
    super::process::size_stack(&mut s);
    let fixed = s.witness.clone();
    for c in start.constraints(&mut m.reason.pool, &objects) {
        m.assume(&mut s, c, Origin::Assume);
    }
    match m.reason.solver.solve(
        &mut m.reason.pool,
        &s.path,
        &m.options.budget,
        &mut NoTrials,
    ) {
        Outcome::Sat(model) => s.witness = model,
        Outcome::Unsat(_) => {
            return Err("the constraints on the input exclude each other".into());
        }
        Outcome::Unknown(why) => return Err(format!("no first input was found: {why}")),
    }
    // The model knows nothing of bytes that no constraint mentions: fixed ones keep their value.
    for (spec, object) in start.objects.iter().zip(s.objects.iter()) {
        for (&symbol, b) in object.symbols.iter().zip(&spec.bytes) {
            if b.is_some() {
                s.witness.set(symbol, fixed.get(symbol));
            }
        }
    }
    // The size that comes first.
    for (spec, object) in start.objects.iter().zip(s.objects.iter()) {
        if let (Sizes::Any, Some(at)) = (start.sizes, spec.open_size()) {
            let usual = spec.usual();
            for at in (at..at + 4).filter(|&at| spec.bytes[at].is_none()) {
                s.witness.set(object.symbols[at], u64::from(usual[at]));
            }
        }
    }
    s.soft = Rc::new(start.preferences(&mut m.reason.pool, &objects));

    let image = initial_stack(config, start, &objects);
    for (address, bytes, label) in &image.parts {
        let object = image.texts.iter().find(|text| text.0 == *address);
        let (room, size) = match object {
            Some(_) => text_size(m, bytes),
            None => (bytes.len(), Term::NONE),
        };
        let content = &bytes.bits[..room];
        s.memory
            .add_global(&mut m.tlb, *address, room as u64, content, false, label);
        if size.is_some() {
            s.memory.set_bound(&mut m.tlb, *address, size);
        }
        if !bytes.is_concrete() {
            s.memory
                .make_symbolic(&mut m.tlb, *address, &bytes.terms[..room])
                .map_err(|f| f.message(&|_| None))?;
        }
    }
    process_mut(&mut s).texts = Rc::new(image.texts);
    let argc = 1 + start.argv.len() as u64; // the program's name is not part of the list
    enter_program(m, &mut s, argc, image.argv, image.envp)
        .map_err(|t| format!("the entry function could not be called: {t:?}"))?;
    Ok(s)
}

/// The largest size that a string of the input may have, its NUL included, and its size if that is open.
fn text_size(m: &mut Machine, bytes: &Bytes) -> (usize, Term) {
    let end = bytes.iter().position(|b| b == Byte::Concrete(0));
    let room = end.map_or(bytes.len(), |at| at + 1);
    let term = |at| match bytes.get(at) {
        Byte::Symbolic(byte) => byte,
        Byte::Concrete(_) => Term::NONE,
    };
    let terms: Vec<Term> = (0..room).map(term).collect();
    let size = super::text::size_to_zero(m, &terms);
    if m.reason.pool.is_const(size) {
        (room, Term::NONE)
    } else {
        (room, size)
    }
}

fn enter_program(
    m: &mut Machine,
    s: &mut State,
    argc: u64,
    argv: u64,
    envp: u64,
) -> Result<(), Termination> {
    let entry = m.module.entry;
    let Some(main) = entry.main else {
        return Err(Termination::Internal("the program has no main".into()));
    };
    match entry.start {
        Some(start) => {
            let args = [layout::function_address(main), argc, argv];
            m.begin(s, start, &args.map(Value::concrete))
        }
        None => m.begin(s, main, &[argc, argv, envp].map(Value::concrete)),
    }
}

/// The only way in which making input fails.
fn unfinished(_: Termination) -> String {
    "the run was stopped while its input was made".into()
}

/// Arguments and environment as they lie in the program's memory when it starts.
pub fn initial_stack(config: &WorldConfig, start: &Start, objects: &[Bytes]) -> StackImage {
    let aux = [(AT_PAGESZ, 4096), (AT_CLKTCK, 100)];
    start.stack_image(config, objects, IMAGE_TOP, &aux)
}

/// Objects of the right sizes, all zero.
fn placeholder(start: &Start) -> Vec<Bytes> {
    start
        .objects
        .iter()
        .map(|o| Bytes::zeros(o.bytes.len()))
        .collect()
}
