//! The first states: the program loaded, its arguments, files and environment in place.

use crate::errors::Termination;
use crate::float_start::Floats;
use crate::machine::Machine;
use crate::objects::Objects;
use crate::state::{Frame, Progress, State};
use crate::trail::{Choice, ChoiceKind, Trail};
use ir::{Reg, layout};
use linux::{Byte, Bytes, ProgramInput, StackImage, Start, World, WorldConfig};
use memory::{Checks, Memory, Value};
use solver::{Model, NoTrials, Origin, Outcome, PathCondition};
use std::rc::Rc;
use term::Term;

/// Where the initial image of arguments and environment ends: at the top of the globals' region, whose
/// objects it shares (they live as long as the program).
const IMAGE_TOP: u64 = layout::HEAP - 4096;
/// `AT_PAGESZ`, `AT_RANDOM` and friends: number and value.
const AT_PAGESZ: u64 = 6;
const AT_CLKTCK: u64 = 17;

/// What a byte of symbolic input takes, in all: see `objects::SYMBOL_BYTES`, its specification and its places in files.
const INPUT_BYTE: u64 = 256;

impl Machine {
    /// One state per combination of argument counts, each at its entry.
    ///
    /// # Errors
    /// A module without `main`, input constraints that contradict each other, or more input than there is memory for.
    pub fn first_states(
        &mut self,
        config: &WorldConfig,
        input: &ProgramInput,
        checks: Checks,
    ) -> Result<(Vec<Box<State>>, Vec<Start>), String> {
        room::within_limit(|| {
            room::need(input.symbolic_bytes().saturating_mul(INPUT_BYTE));
            self.make_first_states(config, input, checks)
        })
        .unwrap_or_else(|refused| {
            Err(format!(
                "the program's input is too large for --memory: {refused}"
            ))
        })
    }

    // The engine keeps its states in boxes: they move between lists and are large.
    #[allow(clippy::vec_box)]
    fn make_first_states(
        &mut self,
        config: &WorldConfig,
        input: &ProgramInput,
        checks: Checks,
    ) -> Result<(Vec<Box<State>>, Vec<Start>), String> {
        let mut memory = Memory::new(checks);
        for g in &self.module.globals {
            memory.add_global(
                &mut self.tlb,
                g.address,
                g.size,
                &g.init,
                g.constant,
                &g.name,
            );
        }
        let starts = input.starts(config);
        let mut states = Vec::new();
        for (index, start) in starts.iter().enumerate() {
            let state = self.first_state(config, start, index as u32, &memory)?;
            states.push(Box::new(state));
        }
        Ok((states, starts))
    }

    fn first_state(
        &mut self,
        config: &WorldConfig,
        start: &Start,
        index: u32,
        memory: &Memory,
    ) -> Result<State, String> {
        let mut s = State {
            pc: 0,
            frames: Vec::new(),
            regs: Vec::new(),
            terms: Vec::new(),
            memory: memory.fork(&mut self.tlb),
            // Replaced below, once the symbolic objects have their bytes.
            world: World::new(config, start, &placeholder(start), &mut self.pool),
            path: PathCondition::new(),
            witness: Model::new(),
            objects: Objects::default(),
            soft: Rc::default(),
            texts: Rc::default(),
            jumps: Rc::default(),
            interrupted: Rc::default(),
            trail: Trail::default(),
            hash: ir::trace::START,
            site: u32::MAX,
            recent_branches: 0,
            thread_pointer: 0,
            progress: Progress::default(),
            retries: 0,
            pending: 0,
            failing: None,
            failures: 0,
            doubts: Rc::default(),
            floats: Floats::new(self.options.simulate_floats),
            concretized: false,
            start: index,
            input_objects: 0,
        };
        s.trail.push(Choice {
            pc: 0,
            kind: ChoiceKind::Arguments,
            choice: index,
            at: 0,
        });
        let mut objects = Vec::new();
        for spec in &start.objects {
            let free = spec.bytes.iter().any(Option::is_none);
            let terms = if free {
                self.symbolic_object(&mut s, &spec.name, spec.bytes.len())
                    .map_err(unfinished)?
            } else {
                // A fixed object still belongs to the test case.
                let terms = self
                    .symbolic_object(&mut s, &spec.name, spec.bytes.len())
                    .map_err(unfinished)?;
                for (&t, b) in terms.iter().zip(&spec.bytes) {
                    let symbol = self.pool.as_symbol(t).ok_or("an input byte is no symbol")?;
                    s.witness.set(symbol, u64::from(b.unwrap_or(0)));
                }
                terms
            };
            let mut bytes = Bytes::new();
            for (&t, fixed) in terms.iter().zip(&spec.bytes) {
                bytes.push(match fixed {
                    Some(b) => Byte::Concrete(*b),
                    None => Byte::Symbolic(t),
                });
                if let (Some(b), Some(symbol)) = (fixed, self.pool.as_symbol(t)) {
                    s.witness.set(symbol, u64::from(*b));
                }
            }
            objects.push(bytes);
        }
        self.may_go_on().map_err(unfinished)?;
        s.input_objects = s.objects.len() as u32;
        s.world = World::new(config, start, &objects, &mut self.pool);
        let fixed = s.witness.clone();
        for c in start.constraints(&mut self.pool, &objects) {
            self.assume(&mut s, c, Origin::Assume);
        }
        match self
            .solver
            .solve(&mut self.pool, &s.path, &self.options.budget, &mut NoTrials)
        {
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
        s.soft = Rc::new(start.preferences(&mut self.pool, &objects));

        let image = initial_stack(config, start, &objects);
        for (address, bytes, label) in &image.parts {
            let object = image.texts.iter().find(|text| text.0 == *address);
            let (room, size) = match object {
                Some(_) => self.text_size(bytes),
                None => (bytes.len(), Term::NONE),
            };
            let content = &bytes.bits[..room];
            s.memory
                .add_global(&mut self.tlb, *address, room as u64, content, false, label);
            if size.is_some() {
                s.memory.set_bound(&mut self.tlb, *address, size);
            }
            if !bytes.is_concrete() {
                s.memory
                    .make_symbolic(&mut self.tlb, *address, &bytes.terms[..room])
                    .map_err(|f| f.message(&|_| None))?;
            }
        }
        s.texts = Rc::new(image.texts);
        let argc = 1 + start.argv.len() as u64; // the program's name is not part of the list
        self.enter_program(&mut s, argc, image.argv, image.envp)
            .map_err(|t| format!("the entry function could not be called: {t:?}"))?;
        Ok(s)
    }

    /// The largest size that a string of the input may have, its NUL included, and its size if that is open.
    fn text_size(&mut self, bytes: &Bytes) -> (usize, Term) {
        let end = bytes.iter().position(|b| b == Byte::Concrete(0));
        let room = end.map_or(bytes.len(), |at| at + 1);
        let mut size = self.pool.bv(64, room as u64);
        for at in (0..room).rev() {
            if let Byte::Symbolic(byte) = bytes.get(at) {
                let (zero, here) = (self.pool.bv(8, 0), self.pool.bv(64, at as u64 + 1));
                let ends = self.pool.eq(byte, zero);
                size = self.pool.ite(ends, here, size);
            }
        }
        match self.pool.is_const(size) {
            true => (room, Term::NONE),
            false => (room, size),
        }
    }

    fn enter_program(
        &mut self,
        s: &mut State,
        argc: u64,
        argv: u64,
        envp: u64,
    ) -> Result<(), Termination> {
        let entry = self.module.entry;
        let Some(main) = entry.main else {
            return Err(Termination::Internal("the program has no main".into()));
        };
        let mark = s.memory.stack_mark();
        match entry.libc_start {
            Some(start) => {
                let args = [layout::function_address(main), argc, argv].map(Value::concrete);
                self.enter(s, start, &args, Reg(0), Frame::MATCHED, 0, 0, mark)
            }
            None => {
                let args = [argc, argv, envp].map(Value::concrete);
                self.enter(s, main, &args, Reg(0), Frame::MATCHED, 0, 0, mark)
            }
        }
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
