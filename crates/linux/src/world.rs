//! The world of one state: everything that a kernel would remember about the program under test.

use std::rc::Rc;

use term::{Pool, Term, Trace};

use crate::abi::*;
use crate::bytes::{Arg, Bytes, Word};
use crate::call::{Call, EarlyReturn};
use crate::config::WorldConfig;
use crate::cx::Cx;
use crate::dispatch;
use crate::inode::{InodeKind, StreamKind};
use crate::input::Start;
use crate::output::{Stream, WrittenBytes};
use crate::signals::Delivery;
use crate::state::{CallAnswer, Inner, Remark};
use crate::trace::{Seen, Tracer};

/// The world of one state. Cloning is O(1): forks share it until one of them changes it.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) inner: Rc<Inner>,
}

impl World {
    /// The world at the program's start; `objects` are the bytes of `start.objects`.
    pub fn new(config: &WorldConfig, start: &Start, objects: &[Bytes], pool: &mut Pool) -> World {
        World {
            inner: Rc::new(crate::boot::build(config, start, objects, pool)),
        }
    }

    /// The size in bytes to which the program's stack may grow (RLIMIT_STACK).
    pub fn stack_limit(&self) -> u64 {
        self.inner.process.stack_limit()
    }

    /// Runs one system call.
    pub fn syscall(&mut self, nr: u64, args: &[Arg; 6], cx: &mut dyn Cx) -> CallAnswer {
        let mut call = Call {
            inner: &mut self.inner,
            args,
            cx,
            settled: Vec::new(),
            sized: Vec::new(),
        };
        let outcome = dispatch::run(nr, &mut call);
        if matches!(outcome, Err(EarlyReturn::Errno(ENOENT))) {
            call.remark_missing(dispatch::looks_up(nr));
        }
        call.apply_settled();
        call.expire_timers();
        let result = match outcome {
            Ok(word) => word,
            Err(EarlyReturn::Errno(errno)) => Word::Concrete(-(errno as i64) as u64),
            Err(EarlyReturn::Answer(answer)) => return *answer,
        };
        self.deliver_pending(result)
    }

    /// Continues after a signal handler: the result of the interrupted call, or the next signal.
    pub fn handler_returned(&mut self, delivery: &Delivery) -> CallAnswer {
        self.restore_signal_mask(delivery.saved_mask, delivery.result)
    }

    /// A signal that the program causes by an instruction. A blocked or ignored one kills, as the
    /// kernel does when a fault cannot be handled.
    pub fn raise(&mut self, signal: i32, code: i32, value: u64) -> CallAnswer {
        let inner = Rc::make_mut(&mut self.inner);
        inner.signals.force(signal, code, value);
        self.deliver_pending(Word::Concrete(0))
    }

    /// The signals that are blocked, a bit for each from signal 1 on.
    pub fn signal_mask(&self) -> u64 {
        self.inner.signals.mask()
    }

    /// Has the program set a stack of its own for signal handlers (`sigaltstack`)?
    pub fn has_signal_stack(&self) -> bool {
        self.inner.signals.has_stack()
    }

    /// Blocks these signals and no others, as `siglongjmp` does: `Return(result)`, or a signal that waited for it.
    pub fn restore_signal_mask(&mut self, mask: u64, result: Word) -> CallAnswer {
        Rc::make_mut(&mut self.inner).signals.set_mask(mask);
        self.deliver_pending(result)
    }

    /// Whether the program has installed a handler for the signal.
    pub fn has_handler(&self, signal: i32) -> bool {
        self.inner.signals.has_handler(signal)
    }

    /// The next signal whose handler is entered before that of the last delivery has begun, as the kernel does where several
    /// are ready: the handler of the one that is taken last runs first. `Return` if there is none.
    pub fn next_delivery(&mut self) -> CallAnswer {
        self.deliver_pending(Word::Concrete(0))
    }

    fn deliver_pending(&mut self, result: Word) -> CallAnswer {
        if self.inner.signals.any_unblocked() {
            Rc::make_mut(&mut self.inner).signals.deliver(result)
        } else {
            CallAnswer::Return(result)
        }
    }

    /// The error numbers that `--fail-syscalls` explores for this call; none for calls that do not
    /// fail in practice, or whose failure the program cannot tell from an ordinary answer.
    pub fn can_fail(nr: u64, args: &[Arg; 6]) -> &'static [i32] {
        dispatch::failures(nr, args)
    }

    /// Makes this call fail with `errno` instead of running it.
    pub fn fail(&mut self, nr: u64, args: &[Arg; 6], errno: i32) -> CallAnswer {
        // A descriptor is closed even when close reports an error.
        if dispatch::syscall_name(nr) == "close" && args[0].term.is_none() {
            let inner = Rc::make_mut(&mut self.inner);
            if inner.descriptors.close(args[0].bits as i32).is_err() {
                return CallAnswer::errno(EBADF);
            }
        }
        CallAnswer::errno(errno)
    }

    /// Everything written to stdout and stderr, in order.
    pub fn output(&self) -> Vec<WrittenBytes> {
        self.output_since(0)
    }

    /// Bytes written to stdout and stderr so far.
    pub fn output_len(&self) -> u64 {
        self.inner.log.len()
    }

    /// The output after the first `mark` bytes.
    pub fn output_since(&self, mark: u64) -> Vec<WrittenBytes> {
        self.inner.log.since(mark)
    }

    /// The final content of stdout: for a file its content, otherwise all output.
    pub fn stdout_content(&self) -> Bytes {
        self.stream_content(Stream::Stdout)
    }

    /// The final content of stderr.
    pub fn stderr_content(&self) -> Bytes {
        self.stream_content(Stream::Stderr)
    }

    fn stream_content(&self, stream: Stream) -> Bytes {
        match &self.inner.fs.get(self.inner.streams[stream as usize]).kind {
            InodeKind::Stream(s) if s.kind == StreamKind::File => s
                .content
                .read(0, s.content.size())
                .expect("a stream has no base on the host"),
            _ => self.inner.log.stream(stream),
        }
    }

    /// Takes the remarks about system calls since the last time.
    pub fn take_remarks(&mut self) -> Vec<Remark> {
        if self.inner.remarks.is_empty() {
            return Vec::new();
        }
        std::mem::take(&mut Rc::make_mut(&mut self.inner).remarks)
    }

    /// Number of calls that the world refused because they are not modelled.
    pub fn refusals(&self) -> u64 {
        self.inner.refusals
    }

    /// The last refused call.
    pub fn last_refused(&self) -> &str {
        &self.inner.last_refused
    }

    /// Names of what the program asked for and we do not model, each once, in order.
    pub fn unmodelled(&self) -> Vec<String> {
        self.inner.unmodelled.to_vec()
    }

    /// Shows every term to the collector. Use one `seen` for all worlds of a pass.
    pub fn trace_shared(&self, seen: &mut Seen, visit: &mut dyn FnMut(&mut Term)) {
        let mut tracer = Tracer { seen, visit };
        if tracer.first_visit(&self.inner) {
            self.inner.fs.trace(&mut tracer);
            self.inner.descriptors.trace(&mut tracer);
            self.inner.log.trace(&mut tracer);
        }
    }
}

impl Trace for World {
    /// For a world that shares nothing with another one; else use [`World::trace_shared`].
    fn trace(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        self.trace_shared(&mut Seen::default(), visit);
    }
}
