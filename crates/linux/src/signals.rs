//! Signals: actions, the mask, what is pending, and delivery.
//!
//! There is one thread, so a signal reaches the program only at the end of a system call (its own
//! `raise`, an unblocking, a timer that has run out) or by an instruction's fault. Delivery is the
//! machine's: it gets the handler's address and calls it; `World::handler_returned` stands for
//! `rt_sigreturn`, and `World::next_delivery` for a handler that is entered before another one has begun.
//!
//! As in the kernel, a signal is pending for the thread or for the process, once in each if it is an ordinary one; real-time
//! signals are queued. Those of the thread come first, of these the ones that stand for faults, then the lowest number.

use std::rc::Rc;

use crate::abi::*;
use crate::bytes::{Bytes, Word};
use crate::call::{Call, CallResult, EarlyReturn};
use crate::state::CallAnswer;

/// The action for one signal, as `rt_sigaction` sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Action {
    handler: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

/// Whom a signal is sent to, in the order of delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Recipient {
    Thread,
    Process,
}

/// A pending signal and its origin.
#[derive(Clone, Copy, Debug)]
struct Pending {
    signal: i32,
    target: Recipient,
    code: i32,
    value: u64,
}

impl Pending {
    /// The order in which the kernel takes pending signals; equal ones in the order in which they were sent.
    fn order(&self) -> (Recipient, bool, i32) {
        (
            self.target,
            SYNCHRONOUS & bit(self.signal) == 0,
            self.signal,
        )
    }

    /// The `siginfo_t`, with the number and the user of the sender.
    fn info(&self, sender: (u32, u32)) -> [u8; 128] {
        let mut info = [0; 128];
        info[0..4].copy_from_slice(&self.signal.to_le_bytes());
        info[8..12].copy_from_slice(&self.code.to_le_bytes());
        if self.code > 0 && self.code != SI_KERNEL {
            info[16..24].copy_from_slice(&self.value.to_le_bytes());
        } else if self.code <= 0 {
            info[16..20].copy_from_slice(&sender.0.to_le_bytes());
            info[20..24].copy_from_slice(&sender.1.to_le_bytes());
        }
        info
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Signals {
    actions: Rc<[Action; NSIG as usize + 1]>,
    mask: u64,
    /// In the order in which they were sent.
    pending: Vec<Pending>,
    /// The signals that `sigtimedwait` waits for: they end a wait although they are blocked.
    awaited: u64,
    alternate_stack: (u64, u32, u64),
    /// The sender of every signal: the program itself.
    sender: (u32, u32),
}

/// A handler to call.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// First argument of the handler.
    pub signal: i32,
    /// Its address.
    pub handler: u64,
    /// SA_* flags of the action.
    pub flags: u64,
    /// The mask to restore when the handler returns.
    pub saved_mask: u64,
    /// Result of the call that was interrupted.
    pub result: Word,
    /// `si_code`.
    pub code: i32,
    /// `si_addr` of a fault.
    pub value: u64,
    sender: (u32, u32),
}

impl Delivery {
    /// The `siginfo_t` that an SA_SIGINFO handler's second argument points at.
    pub fn siginfo(&self) -> [u8; 128] {
        let pending = Pending {
            signal: self.signal,
            target: Recipient::Thread,
            code: self.code,
            value: self.value,
        };
        pending.info(self.sender)
    }
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Signals that stand for faults, also where somebody sends them.
const SYNCHRONOUS: u64 = 1 << (SIGSEGV - 1)
    | 1 << (SIGBUS - 1)
    | 1 << (SIGILL - 1)
    | 1 << (SIGTRAP - 1)
    | 1 << (SIGFPE - 1)
    | 1 << (SIGSYS - 1);
/// The first signal that is queued.
const REAL_TIME: i32 = 32;
const UNMASKABLE: u64 = 1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1);

/// The effect of a signal without a handler.
enum Default {
    Ignore,
    Stop,
    End { core: bool },
}

fn default_action(signal: i32) -> Default {
    match signal {
        SIGCHLD | SIGURG | SIGWINCH | SIGCONT => Default::Ignore,
        SIGSTOP | SIGTSTP | SIGTTIN | SIGTTOU => Default::Stop,
        SIGQUIT | SIGILL | SIGTRAP | SIGABRT | SIGBUS | SIGFPE | SIGSEGV | SIGXCPU | SIGXFSZ
        | SIGSYS => Default::End { core: true },
        _ => Default::End { core: false },
    }
}

impl Signals {
    pub(crate) fn new(pid: u32, uid: u32) -> Signals {
        Signals {
            actions: Rc::new([Action::default(); NSIG as usize + 1]),
            mask: 0,
            pending: Vec::new(),
            awaited: 0,
            alternate_stack: (0, 2, 0),
            sender: (pid, uid),
        }
    }

    pub(crate) fn mask(&self) -> u64 {
        self.mask
    }

    /// Is there a stack for handlers?
    pub(crate) fn has_stack(&self) -> bool {
        self.alternate_stack.2 != 0
    }

    pub(crate) fn set_mask(&mut self, mask: u64) {
        self.mask = mask & !UNMASKABLE;
    }

    pub(crate) fn has_handler(&self, signal: i32) -> bool {
        (1..=NSIG).contains(&signal) && self.actions[signal as usize].handler > SIG_IGN
    }

    /// Makes a signal pending, unless it would be ignored anyway.
    pub(crate) fn send(&mut self, signal: i32, target: Recipient, code: i32, value: u64) {
        let stops = |signal| matches!(default_action(signal), Default::Stop);
        if signal == SIGCONT {
            self.pending.retain(|p| !stops(p.signal));
        } else if stops(signal) {
            self.pending.retain(|p| p.signal != SIGCONT);
        }
        if self.mask & bit(signal) == 0 && self.ignored(signal) {
            return;
        }
        let is_there = |p: &Pending| p.signal == signal && p.target == target;
        if signal >= REAL_TIME || !self.pending.iter().any(is_there) {
            self.pending.push(Pending {
                signal,
                target,
                code,
                value,
            });
        }
    }

    /// The place of the pending signal of a set that is next.
    fn next(&self, set: u64) -> Option<usize> {
        let ready = self.pending.iter().enumerate();
        let ready = ready.filter(|(_, p)| set & bit(p.signal) != 0);
        ready.min_by_key(|(_, p)| p.order()).map(|(i, _)| i)
    }

    fn ignored(&self, signal: i32) -> bool {
        match self.actions[signal as usize].handler {
            SIG_IGN => true,
            SIG_DFL => matches!(default_action(signal), Default::Ignore),
            _ => false,
        }
    }

    /// A fault: it cannot wait, so a blocked or ignored signal falls back to its default action.
    pub(crate) fn force(&mut self, signal: i32, code: i32, value: u64) {
        if self.mask & bit(signal) != 0 || self.actions[signal as usize].handler == SIG_IGN {
            self.mask &= !bit(signal);
            Rc::make_mut(&mut self.actions)[signal as usize].handler = SIG_DFL;
        }
        self.pending.retain(|p| p.signal != signal);
        self.pending.insert(
            0,
            Pending {
                signal,
                target: Recipient::Thread,
                code,
                value,
            },
        );
    }

    /// Does a signal end a wait? One that became pending while it was blocked, and is ignored, does not.
    pub(crate) fn any_deliverable(&self) -> bool {
        let ends = |p: &Pending| {
            self.awaited & bit(p.signal) != 0
                || (self.mask & bit(p.signal) == 0 && !self.ignored(p.signal))
        };
        self.pending.iter().any(ends)
    }

    /// Is any signal pending that is not blocked?
    pub(crate) fn any_unblocked(&self) -> bool {
        self.next(!self.mask).is_some()
    }

    /// Delivers the next signal that is not blocked, or returns the call's result.
    pub(crate) fn deliver(&mut self, result: Word) -> CallAnswer {
        loop {
            let Some(index) = self.next(!self.mask) else {
                return CallAnswer::Return(result);
            };
            let Pending {
                signal,
                code,
                value,
                ..
            } = self.pending.remove(index);
            let action = self.actions[signal as usize];
            match action.handler {
                SIG_IGN => continue,
                SIG_DFL => match default_action(signal) {
                    Default::Ignore => continue,
                    Default::Stop => {
                        return CallAnswer::Block(format!("stopped by signal {signal}"));
                    }
                    Default::End { core } => return CallAnswer::Kill { signal, core },
                },
                handler => {
                    let saved_mask = self.mask;
                    let own = if action.flags & SA_NODEFER != 0 {
                        0
                    } else {
                        bit(signal)
                    };
                    self.set_mask(saved_mask | action.mask | own);
                    if action.flags & SA_RESETHAND != 0 {
                        Rc::make_mut(&mut self.actions)[signal as usize].handler = SIG_DFL;
                    }
                    let (flags, sender) = (action.flags, self.sender);
                    return CallAnswer::Deliver(Delivery {
                        signal,
                        handler,
                        flags,
                        saved_mask,
                        result,
                        code,
                        value,
                        sender,
                    });
                }
            }
        }
    }
}

fn check_size(call: &mut Call<'_>, index: usize) -> Result<(), EarlyReturn> {
    if call.arg(index, "the size of a signal set") == 8 {
        Ok(())
    } else {
        Err(EINVAL.into())
    }
}

pub(crate) fn rt_sigaction(call: &mut Call<'_>) -> CallResult {
    let signal = call.int(0, "a signal number");
    let (new, old) = (call.arg(1, "an address"), call.arg(2, "an address"));
    check_size(call, 3)?;
    if !(1..=NSIG).contains(&signal) || (new != 0 && (signal == SIGKILL || signal == SIGSTOP)) {
        return Err(EINVAL.into());
    }
    let mut words = [0; 4];
    if new != 0 {
        for (i, word) in words.iter_mut().enumerate() {
            *word = call.read_int(new + 8 * i as u64, 8, "a signal action")?;
        }
    }
    if old != 0 {
        let action = call.world().signals.actions[signal as usize];
        let mut record = Bytes::zeros(32);
        for (i, word) in [action.handler, action.flags, action.restorer, action.mask]
            .into_iter()
            .enumerate()
        {
            record.put_int(8 * i, 8, word);
        }
        call.cx.write(old, &record)?;
    }
    if new != 0 {
        let [handler, flags, restorer, mask] = words;
        let signals = &mut call.change().signals;
        Rc::make_mut(&mut signals.actions)[signal as usize] = Action {
            handler,
            flags,
            restorer,
            mask: mask & !UNMASKABLE,
        };
        if signals.ignored(signal) {
            signals.pending.retain(|p| p.signal != signal);
        }
    }
    Ok(0.into())
}

pub(crate) fn rt_sigprocmask(call: &mut Call<'_>) -> CallResult {
    let how = call.arg(0, "how to change the signal mask");
    let (new, old) = (call.arg(1, "an address"), call.arg(2, "an address"));
    check_size(call, 3)?;
    let set = if new != 0 {
        call.read_int(new, 8, "a signal set")?
    } else {
        0
    };
    if new != 0 && how > SIG_SETMASK {
        return Err(EINVAL.into());
    }
    let mask = call.world().signals.mask;
    if old != 0 {
        call.write_int(old, 8, mask)?;
    }
    if new != 0 {
        let mask = match how {
            SIG_BLOCK => mask | set,
            SIG_UNBLOCK => mask & !set,
            _ => set,
        };
        call.change().signals.set_mask(mask);
    }
    Ok(0.into())
}

pub(crate) fn rt_sigpending(call: &mut Call<'_>) -> CallResult {
    let (addr, size) = (
        call.arg(0, "an address"),
        call.arg(1, "the size of a signal set"),
    );
    if size > 8 {
        return Err(EINVAL.into());
    }
    let signals = &call.world().signals;
    let set = signals.pending.iter().fold(0, |set, p| set | bit(p.signal)) & signals.mask;
    if size > 0 {
        call.write_int(addr, size as usize, set)?;
    }
    Ok(0.into())
}

pub(crate) fn rt_sigsuspend(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(0, "an address");
    check_size(call, 1)?;
    let mask = call.read_int(addr, 8, "a signal set")?;
    let saved = call.world().signals.mask;
    call.change().signals.set_mask(mask);
    wait_for_signal(call, "sigsuspend")?;
    Err(interrupted_under_mask(call, saved))
}

/// A signal has ended a wait under a temporary mask: the handler runs under that, and the old one returns with it.
pub(crate) fn interrupted_under_mask(call: &mut Call<'_>, saved: u64) -> EarlyReturn {
    let answer = match call
        .change()
        .signals
        .deliver(Word::Concrete(-(EINTR as i64) as u64))
    {
        CallAnswer::Deliver(delivery) => CallAnswer::Deliver(Delivery {
            saved_mask: saved,
            ..delivery
        }),
        answer => answer,
    };
    answer.into()
}

pub(crate) fn pause(call: &mut Call<'_>) -> CallResult {
    wait_for_signal(call, "pause")?;
    Err(EINTR.into())
}

/// Waits until some signal is deliverable: only a timer can bring one.
fn wait_for_signal(call: &mut Call<'_>, name: &str) -> Result<(), EarlyReturn> {
    while !call.world().signals.any_deliverable() {
        if !call.sleep_to_timer() {
            return Err(
                CallAnswer::Block(format!("{name} waits for a signal that is never sent")).into(),
            );
        }
    }
    Ok(())
}

pub(crate) fn rt_sigtimedwait(call: &mut Call<'_>) -> CallResult {
    let (set, info, timeout) = (
        call.arg(0, "an address"),
        call.arg(1, "an address"),
        call.arg(2, "an address"),
    );
    check_size(call, 3)?;
    let set = call.read_int(set, 8, "a signal set")?;
    let set = set & !UNMASKABLE;
    let mut left = match timeout {
        0 => None,
        _ => Some(call.read_duration(timeout)?),
    };
    call.change().signals.awaited = set;
    let found = loop {
        if let Some(index) = call.world().signals.next(set) {
            break Ok(index);
        }
        if call.world().signals.any_deliverable() {
            break Err(EINTR);
        }
        match left {
            Some(0) => break Err(EAGAIN),
            Some(nanoseconds) => left = Some(call.sleep(nanoseconds)),
            None if call.sleep_to_timer() => {}
            None => {
                return Err(CallAnswer::Block(
                    "sigwait waits for a signal that is never sent".into(),
                )
                .into());
            }
        }
    };
    call.change().signals.awaited = 0;
    let index = found?;
    let signals = &call.world().signals;
    let pending = signals.pending[index];
    if info != 0 {
        let record = Bytes::concrete(pending.info(signals.sender));
        call.cx.write(info, &record)?;
    }
    call.change().signals.pending.remove(index);
    Ok((pending.signal as u64).into())
}

pub(crate) fn sigaltstack(call: &mut Call<'_>) -> CallResult {
    const SS_DISABLE: u32 = 2;
    let (new, old) = (call.arg(0, "an address"), call.arg(1, "an address"));
    let mut stack = call.world().signals.alternate_stack;
    if new != 0 {
        stack = (
            call.read_int(new, 8, "a stack")?,
            call.read_int(new + 8, 4, "a stack")? as u32,
            call.read_int(new + 16, 8, "a stack")?,
        );
        match stack.1 & 0x7fff_ffff {
            SS_DISABLE => stack = (0, SS_DISABLE, 0),
            0 | 1 if stack.2 < 2048 => return Err(ENOMEM.into()),
            0 | 1 => stack.1 = 0,
            _ => return Err(EINVAL.into()),
        }
    }
    if old != 0 {
        let (addr, flags, size) = call.world().signals.alternate_stack;
        let mut record = Bytes::zeros(24);
        record.put_int(0, 8, addr);
        record.put_int(8, 4, flags as u64);
        record.put_int(16, 8, size);
        call.cx.write(old, &record)?;
    }
    if new != 0 {
        call.change().signals.alternate_stack = stack;
    }
    Ok(0.into())
}

fn send(call: &mut Call<'_>, signal: i32, target: Recipient, code: i32) -> CallResult {
    if !(0..=NSIG).contains(&signal) {
        return Err(EINVAL.into());
    }
    if signal != 0 {
        call.change().signals.send(signal, target, code, 0);
    }
    Ok(0.into())
}

pub(crate) fn kill(call: &mut Call<'_>) -> CallResult {
    let (pid, signal) = (
        call.int(0, "a process number"),
        call.int(1, "a signal number"),
    );
    let process = &call.world().process;
    let own = process.pid as i32;
    // The process and its group, in which it is alone.
    match pid {
        _ if !(0..=NSIG).contains(&signal) => Err(EINVAL.into()),
        0 => send(call, signal, Recipient::Process, SI_USER),
        _ if pid == own || pid == -own => send(call, signal, Recipient::Process, SI_USER),
        // To all but the caller.
        -1 => Ok(0.into()),
        // The parent and init exist but belong to others, in this world.
        1 => Err(EPERM.into()),
        _ if pid == own - 1 => Ok(0.into()),
        _ => Err(ESRCH.into()),
    }
}

/// The siginfo of the caller is not carried: a handler sees who sent the signal, not with what.
pub(crate) fn rt_sigqueueinfo(call: &mut Call<'_>) -> CallResult {
    call.note_unmodelled("the value of sigqueue");
    kill(call)
}

pub(crate) fn tkill(call: &mut Call<'_>) -> CallResult {
    let (tid, signal) = (
        call.int(0, "a thread number"),
        call.int(1, "a signal number"),
    );
    to_thread(call, tid, tid, signal)
}

pub(crate) fn tgkill(call: &mut Call<'_>) -> CallResult {
    let (group, tid) = (
        call.int(0, "a process number"),
        call.int(1, "a thread number"),
    );
    let signal = call.int(2, "a signal number");
    to_thread(call, group, tid, signal)
}

fn to_thread(call: &mut Call<'_>, group: i32, tid: i32, signal: i32) -> CallResult {
    if group <= 0 || tid <= 0 || !(0..=NSIG).contains(&signal) {
        return Err(EINVAL.into());
    }
    let own = call.world().process.pid as i32;
    if group != own || tid != own {
        return Err(ESRCH.into());
    }
    send(call, signal, Recipient::Thread, SI_TKILL)
}
