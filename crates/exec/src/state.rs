//! One path under exploration: registers, memory, path condition and a witness for it, and its environment's part.

use crate::float_control::FloatControl;
use crate::floats::Floats;
use crate::lease::Lease;
use crate::objects::Objects;
use crate::seeds::Seeds;
use crate::trail::{Choice, ChoiceKind, Trail};
use ir::{FuncId, Pc, Reg, SiteId, Val};
use memory::{Mark, Memory, Tlb, Value};
use search::homi::BitSet;
use serde::{Deserialize, Serialize};
use solver::{Conjunct, Model, PathCondition};
use std::any::Any;
use std::rc::Rc;
use term::Term;

/// A call frame. Registers of all frames lie in one stack; `base` is where this frame's begin.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function that runs in it.
    pub function: FuncId,
    /// Index of its first register.
    pub base: u32,
    /// One past this frame's registers.
    pub top: u32,
    /// The address at which the caller continues.
    pub return_pc: Pc,
    /// First register, in the caller's frame, of the result.
    pub dst: Reg,
    /// The call site, if it expects other results than this function gives; else [`Frame::MATCHED`].
    pub mismatched: u32,
    /// Stack objects above this mark belong to this frame.
    pub mark: Mark,
    /// Bytes of the stack that this frame and those of its callers take in addition to their objects.
    pub taken: u64,
    /// Some register of this frame may hold a term. While false, the frame's part of
    /// `State::terms` has no meaning and is not written.
    pub symbolic: bool,
    /// Address of the variable arguments, 0 if there are none; see [`Environment`](crate::Environment).
    pub varargs: u64,
    /// A number that the environment gives the frame, 0 if it does not.
    pub tag: u32,
}

impl Frame {
    /// `mismatched` of a call whose caller expects what the callee returns.
    pub const MATCHED: u32 = u32::MAX;
    /// Stands for the name of a stack object with variable arguments.
    pub const VARARGS: u32 = u32::MAX;
}

/// Counters that a searcher may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathProgress {
    /// Forks on the way from the entry.
    pub depth: u32,
    /// Instructions executed since the entry.
    pub instructions: u64,
    /// Value of `instructions` when this path last covered something new to the whole run.
    pub last_new: u64,
    /// This path covered something new since it was forked.
    pub covered_new: bool,
    /// Seconds that queries of this path took.
    pub query_cost_s: f64,
}

/// Registers that are allocated when the frames need those up to `top`.
fn room_for(top: usize) -> usize {
    top.next_power_of_two().max(64)
}

/// Makes room in a state's registers for those up to `top`.
pub(crate) fn reserve(regs: &mut Vec<u64>, terms: &mut Vec<Term>, top: usize) {
    if regs.len() < top {
        let len = room_for(top);
        regs.resize(len, 0);
        terms.resize(len, Term::NONE);
    }
}

/// The part of a path that the inner loop writes at each block, and nothing else. Together with registers and memory
/// it is everything that another inner loop, such as compiled code, has to know: hence the fixed layout.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hot {
    /// The next instruction, of the thread that runs.
    pub pc: Pc,
    /// The coverage site passed last, `u32::MAX` before the first.
    pub site: SiteId,
    /// Hash of the coverage sites passed, see `ir::trace`.
    pub hash: u64,
}

/// One thread of a path: its calls and their registers.
#[derive(Default)]
pub struct Thread {
    /// The calls in progress, the outermost first.
    pub(crate) frames: Vec<Frame>,
    /// Registers of all frames; without meaning where a term stands in `terms`.
    pub(crate) regs: Vec<u64>,
    /// Terms of registers in frames that may hold some; `Term::NONE` for concrete values.
    pub(crate) terms: Vec<Term>,
}

impl Thread {
    /// A copy. Only registers in use are copied, with room for the next calls.
    fn fork(&self, top: usize) -> Thread {
        let mut regs = Vec::with_capacity(room_for(top));
        regs.extend_from_slice(&self.regs[..top]);
        let mut terms = Vec::with_capacity(room_for(top));
        terms.extend_from_slice(&self.terms[..top]);
        Thread {
            frames: self.frames.clone(),
            regs,
            terms,
        }
    }

    /// Shows the collector every term in a register.
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        for f in self.frames.iter().filter(|f| f.symbolic) {
            let terms = &mut self.terms[f.base as usize..f.top as usize];
            terms
                .iter_mut()
                .filter(|t| t.is_some())
                .for_each(&mut *visit);
        }
    }
}

/// The threads of a path. There is one. Others would wait here, each with the instruction at which it goes on, and which of them runs
/// is a choice that no input makes ([`ChoiceKind`]); all but this module reach the one that runs through the methods of [`State`].
#[derive(Default)]
pub struct Threads {
    /// The one that runs.
    pub(crate) running: Thread,
}

/// A path.
pub struct State {
    /// The part that the inner loop writes.
    pub hot: Hot,
    /// Calls and registers.
    pub(crate) threads: Threads,
    /// The address space.
    pub memory: Memory,
    /// The environment's part.
    pub env: Box<dyn EnvState>,
    /// The path condition.
    pub path: PathCondition,
    /// Satisfies `path`.
    pub witness: Model,
    /// The symbolic objects, in order.
    pub objects: Objects,
    /// Preferences for the test case (`klee_prefer_cex`), strongest first.
    pub soft: Rc<Vec<Term>>,
    /// Choices so far.
    pub trail: Trail,
    /// Digest of the last forks' outcomes, see `search::push_branch`.
    pub recent_branches: u64,
    /// Counters.
    pub progress: PathProgress,
    /// How often the instruction at `pc` was re-executed by forks that resolve its operands.
    pub retries: u32,
    /// Conditions at the end of `path` that belong to the instruction at `pc`: it was begun, and waits to be executed
    /// again.
    pub pending: u32,
    /// The way in which symbolic floats are computed with.
    pub floats: Floats,
    /// Rounding mode and exception flags.
    pub float_control: FloatControl,
    /// The features for a pruner, if there is one.
    pub marks: Option<Marks>,
    /// The size of its stack in bytes.
    pub stack_size: u64,
    /// Something on this path was made concrete.
    pub concretized: bool,
    /// It asked to wait until the others bring nothing new, and has not run since.
    pub(crate) is_deferred: bool,
    /// The seeds that take its path.
    pub(crate) seeds: Seeds,
    /// Its witness has run on to the end of the program, see `engine::live`.
    pub(crate) has_run_ahead: bool,
    /// Which of the first states the path began as.
    pub start: u32,
    /// How many of the leading `objects` are program input (arguments, files).
    pub input_objects: u32,
    /// Whose exploration it is a part of, if several workers share it.
    pub(crate) lease: Lease,
}

/// The part of a state that belongs to its environment.
pub trait EnvState: Any {
    /// A copy for a path that goes on elsewhere.
    fn fork(&self) -> Box<dyn EnvState>;
}

impl dyn EnvState {
    /// The part as its environment knows it.
    ///
    /// # Panics
    /// If the state is another environment's: a builtin of one was called in a program of the other.
    pub fn get<T: EnvState>(&self) -> &T {
        let part: &dyn Any = self;
        part.downcast_ref().expect("a state of this environment")
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// As [`EnvState::get`](#method.get).
    pub fn get_mut<T: EnvState>(&mut self) -> &mut T {
        let part: &mut dyn Any = self;
        part.downcast_mut().expect("a state of this environment")
    }
}

/// The features of one path for learned pruning, see `marks`.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Numbers of the core conditions on the path.
    pub conditions: BitSet,
    /// Sites that it passed.
    pub passed: BitSet,
}

/// See [`State::identity`].
pub(crate) fn identity(trail: &Trail, progress: &PathProgress) -> u64 {
    trail.identity() ^ progress.instructions.rotate_left(32)
}

impl State {
    /// A path that has not begun: number `start` of the first states, over this memory.
    pub(crate) fn new(start: u32, memory: Memory, env: Box<dyn EnvState>, floats: Floats) -> State {
        let mut trail = Trail::default();
        trail.push(Choice {
            pc: 0,
            kind: ChoiceKind::Arguments,
            choice: start,
            at: 0,
        });
        State {
            hot: Hot {
                pc: 0,
                site: u32::MAX,
                hash: ir::trace::START,
            },
            threads: Threads::default(),
            memory,
            env,
            path: PathCondition::new(),
            witness: Model::new(),
            objects: Objects::default(),
            soft: Rc::default(),
            trail,
            recent_branches: 0,
            progress: PathProgress::default(),
            stack_size: ir::layout::STACK_SIZE,
            retries: 0,
            pending: 0,
            floats,
            float_control: FloatControl::default(),
            marks: None,
            concretized: false,
            is_deferred: false,
            seeds: Seeds::default(),
            has_run_ahead: false,
            start,
            input_objects: 0,
            lease: Lease::default(),
        }
    }

    /// Identifies paths: two states with the same identity are the same.
    pub(crate) fn identity(&self) -> u64 {
        identity(&self.trail, &self.progress)
    }

    /// Bytes of the stack that the frames take in addition to their objects.
    #[inline]
    pub(crate) fn frames_taken(&self) -> u64 {
        self.frames().last().map_or(0, |f| f.taken)
    }

    /// The addresses at which the callers continue, the outermost first.
    pub(crate) fn callers(&self) -> impl Iterator<Item = Pc> + '_ {
        self.frames().iter().map(|f| f.return_pc)
    }

    /// The conditions of the instruction that was begun and waits to be executed again.
    pub(crate) fn pending_conditions(&self) -> impl Iterator<Item = Conjunct> + '_ {
        let pending = self.path.len() - self.pending as usize..self.path.len();
        pending.map(|i| self.path.get(i))
    }

    /// The calls in progress of the thread that runs, the outermost first.
    #[inline]
    pub fn frames(&self) -> &[Frame] {
        &self.threads.running.frames
    }

    /// The same, to enter or leave some.
    #[inline]
    pub fn frames_mut(&mut self) -> &mut Vec<Frame> {
        &mut self.threads.running.frames
    }

    /// The frame that executes.
    #[inline]
    pub fn frame(&self) -> &Frame {
        self.frames().last().expect("a running state has a frame")
    }

    /// The frame that executes, to change it.
    pub fn frame_mut(&mut self) -> &mut Frame {
        let running = &mut self.threads.running;
        running
            .frames
            .last_mut()
            .expect("a running state has a frame")
    }

    /// The instruction is done; the path goes on at `pc`.
    #[inline]
    pub(crate) fn goes_to(&mut self, pc: Pc) {
        self.hot.pc = pc;
        self.retries = 0;
        self.pending = 0;
    }

    /// Reads a register of the current frame.
    #[inline]
    pub fn reg(&self, index: usize) -> Value {
        self.reg_of(self.frame(), index)
    }

    /// Reads a register of one of the [frames](State::frames).
    #[inline]
    pub fn reg_of(&self, f: &Frame, index: usize) -> Value {
        let Thread { regs, terms, .. } = &self.threads.running;
        let i = f.base as usize + index;
        Value {
            bits: regs[i],
            term: if f.symbolic { terms[i] } else { Term::NONE },
        }
    }

    /// Reads an operand.
    pub fn get(&self, consts: &[u64], v: Val) -> Value {
        if v.is_const() {
            Value {
                bits: consts[v.index()],
                term: Term::NONE,
            }
        } else {
            self.reg(v.index())
        }
    }

    /// Writes a register of the current frame.
    pub fn set(&mut self, dst: Reg, value: Value) {
        if value.term.is_some() {
            self.make_symbolic_frame();
        }
        let f = self.frame();
        let i = f.base as usize + dst.0 as usize;
        let symbolic = f.symbolic;
        let Thread { regs, terms, .. } = &mut self.threads.running;
        regs[i] = value.bits;
        if symbolic {
            terms[i] = value.term;
        }
    }

    /// From now on the current frame may hold terms.
    pub fn make_symbolic_frame(&mut self) {
        let f = self.frame_mut();
        if !f.symbolic {
            f.symbolic = true;
            let (base, top) = (f.base as usize, f.top as usize);
            self.threads.running.terms[base..top].fill(Term::NONE);
        }
    }

    /// Makes room for registers up to `top`.
    pub fn reserve_registers(&mut self, top: usize) {
        let Thread { regs, terms, .. } = &mut self.threads.running;
        reserve(regs, terms, top);
    }

    /// A copy that continues on another branch.
    pub fn fork(&self, tlb: &mut Tlb) -> State {
        let top = self.frame().top as usize;
        let running = self.threads.running.fork(top);
        State {
            hot: self.hot,
            threads: Threads { running },
            memory: self.memory.fork(tlb),
            env: self.env.fork(),
            path: self.path.clone(),
            witness: self.witness.clone(),
            objects: self.objects.clone(),
            soft: self.soft.clone(),
            trail: self.trail.clone(),
            recent_branches: self.recent_branches,
            stack_size: self.stack_size,
            progress: PathProgress {
                covered_new: false,
                ..self.progress
            },
            retries: self.retries,
            pending: self.pending,
            floats: self.floats.clone(),
            float_control: self.float_control,
            marks: self.marks.clone(),
            concretized: self.concretized,
            is_deferred: false,
            seeds: Seeds::default(),
            has_run_ahead: false,
            start: self.start,
            input_objects: self.input_objects,
            lease: self.lease.of_child(),
        }
    }

    /// Shows the collector every term in a register or preference.
    pub fn trace_registers(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.threads.running.trace(visit);
        for t in Rc::make_mut(&mut self.soft) {
            visit(t);
        }
        if self.float_control.flags.term.is_some() {
            visit(&mut self.float_control.flags.term);
        }
    }
}
