//! Time: a deterministic clock that only instructions and sleeping advance.
//!
//! One instruction takes one nanosecond. Sleeping returns at once with the clock advanced. Timers
//! (`alarm`, `setitimer`) run out at the first system call after their time, or while the program
//! sleeps or pauses; a program that spins without any system call never sees its timer.

use crate::abi::*;
use crate::bytes::Bytes;
use crate::call::{Call, CallResult, EarlyReturn};
use crate::process::clock_not_permitted;
use crate::signals::Recipient;

const SECOND: u64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    epoch: i64,
    /// Nanoseconds spent asleep.
    slept: u64,
    timers: [Timer; 3],
}

/// An interval timer; times in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    deadline: Option<u64>,
    interval: u64,
}

const TIMER_SIGNALS: [i32; 3] = [SIGALRM, SIGVTALRM, SIGPROF];

impl Clock {
    pub(crate) fn new(epoch: i64) -> Clock {
        Clock {
            epoch,
            slept: 0,
            timers: [Timer::default(); 3],
        }
    }

    /// Nanoseconds since the program started.
    fn elapsed(&self, instructions: u64) -> u64 {
        instructions.saturating_add(self.slept)
    }

    /// Seconds and nanoseconds since 1970.
    pub(crate) fn real(&self, instructions: u64) -> (i64, u32) {
        let elapsed = self.elapsed(instructions);
        (
            self.epoch.saturating_add((elapsed / SECOND) as i64),
            (elapsed % SECOND) as u32,
        )
    }

    /// What a timer's deadline is compared with: sleeping costs no processor time.
    fn timer_time(&self, which: usize, instructions: u64) -> u64 {
        if which == 0 {
            self.elapsed(instructions)
        } else {
            instructions
        }
    }
}

impl Call<'_> {
    /// Lets time pass, but not beyond the moment when a timer's signal wakes the sleeper. Returns
    /// the nanoseconds that were left.
    pub(crate) fn sleep(&mut self, nanoseconds: u64) -> u64 {
        let now = self.world().clock.elapsed(self.cx.instructions());
        let until_timer = self.world().clock.timers[0]
            .deadline
            .map_or(u64::MAX, |d| d.saturating_sub(now));
        let slept = nanoseconds.min(until_timer);
        let clock = &mut self.change().clock;
        clock.slept = clock.slept.saturating_add(slept);
        self.expire_timers();
        match self.world().signals.any_deliverable() {
            true => nanoseconds - slept,
            // The signal was blocked or ignored: sleep on.
            false if slept < nanoseconds => self.sleep_rest(nanoseconds - slept),
            false => 0,
        }
    }

    fn sleep_rest(&mut self, mut left: u64) -> u64 {
        // Each round passes one expiry of the timer; a periodic one that nobody sees is skipped.
        for _ in 0..1000 {
            let now = self.world().clock.elapsed(self.cx.instructions());
            let until_timer = self.world().clock.timers[0]
                .deadline
                .map_or(u64::MAX, |d| d.saturating_sub(now));
            let slept = left.min(until_timer);
            let clock = &mut self.change().clock;
            clock.slept = clock.slept.saturating_add(slept);
            self.expire_timers();
            left -= slept;
            if left == 0 || self.world().signals.any_deliverable() {
                return left;
            }
        }
        let clock = &mut self.change().clock;
        clock.slept = clock.slept.saturating_add(left);
        0
    }

    /// Sleeps until the real-time timer runs out; false when it is not set.
    pub(crate) fn sleep_to_timer(&mut self) -> bool {
        let now = self.world().clock.elapsed(self.cx.instructions());
        match self.world().clock.timers[0].deadline {
            None => false,
            Some(deadline) => {
                let clock = &mut self.change().clock;
                clock.slept = clock.slept.saturating_add(deadline.saturating_sub(now));
                self.expire_timers();
                true
            }
        }
    }

    /// Sends the signals of timers that have run out.
    pub(crate) fn expire_timers(&mut self) {
        let instructions = self.cx.instructions();
        for (which, signal) in TIMER_SIGNALS.into_iter().enumerate() {
            let clock = &self.world().clock;
            let (timer, now) = (clock.timers[which], clock.timer_time(which, instructions));
            if timer.deadline.is_some_and(|deadline| deadline <= now) {
                let next = (timer.interval > 0).then(|| now + timer.interval);
                let world = self.change();
                world.clock.timers[which].deadline = next;
                world.signals.send(signal, Recipient::Process, SI_KERNEL, 0);
            }
        }
    }

    /// Reads a `timespec` as nanoseconds.
    pub(crate) fn read_duration(&mut self, addr: u64) -> Result<u64, EarlyReturn> {
        let seconds = self.read_int(addr, 8, "a time")? as i64;
        let nanoseconds = self.read_int(addr + 8, 8, "a time")? as i64;
        if seconds < 0 || !(0..SECOND as i64).contains(&nanoseconds) {
            return Err(EINVAL.into());
        }
        Ok((seconds as u64)
            .saturating_mul(SECOND)
            .saturating_add(nanoseconds as u64))
    }

    /// Reads a `timeval` as nanoseconds.
    pub(crate) fn read_timeval(&mut self, addr: u64) -> Result<u64, EarlyReturn> {
        let seconds = self.read_int(addr, 8, "a time")? as i64;
        let microseconds = self.read_int(addr + 8, 8, "a time")? as i64;
        if seconds < 0 || !(0..1_000_000).contains(&microseconds) {
            return Err(EINVAL.into());
        }
        Ok((seconds as u64)
            .saturating_mul(SECOND)
            .saturating_add(microseconds as u64 * 1000))
    }

    fn write_pair(&mut self, addr: u64, first: u64, second: u64) -> Result<(), EarlyReturn> {
        let mut record = Bytes::zeros(16);
        record.put_int(0, 8, first);
        record.put_int(8, 8, second);
        Ok(self.cx.write(addr, &record)?)
    }

    /// Writes nanoseconds as a `timespec`.
    pub(crate) fn write_duration(
        &mut self,
        addr: u64,
        nanoseconds: u64,
    ) -> Result<(), EarlyReturn> {
        self.write_pair(addr, nanoseconds / SECOND, nanoseconds % SECOND)
    }
}

/// What a clock with a negative number is.
const OTHER_CLOCK: &str = "the clock of a process or a device, by its number";

pub(crate) fn clock_gettime(call: &mut Call<'_>) -> CallResult {
    let (id, addr) = (call.int(0, "a clock"), call.arg(1, "an address"));
    let instructions = call.cx.instructions();
    let clock = &call.world().clock;
    let (seconds, nanoseconds) = match id {
        // Real time, coarse, TAI.
        0 | 5 | 8 | 11 => clock.real(instructions),
        // Processor time of the process and the thread.
        2 | 3 => (
            (instructions / SECOND) as i64,
            (instructions % SECOND) as u32,
        ),
        // Monotonic, raw, coarse, boot time: the machine has been up for an hour.
        1 | 4 | 6 | 7 | 9 => {
            let elapsed = clock.elapsed(instructions) + 3600 * SECOND;
            ((elapsed / SECOND) as i64, (elapsed % SECOND) as u32)
        }
        ..0 => {
            call.note_unmodelled(OTHER_CLOCK);
            return Err(EINVAL.into());
        }
        _ => return Err(EINVAL.into()),
    };
    call.write_pair(addr, seconds as u64, nanoseconds as u64)?;
    Ok(0.into())
}

pub(crate) fn clock_getres(call: &mut Call<'_>) -> CallResult {
    let (id, addr) = (call.int(0, "a clock"), call.arg(1, "an address"));
    if id < 0 {
        call.note_unmodelled(OTHER_CLOCK);
    }
    if !(0..=11).contains(&id) || id == 10 {
        return Err(EINVAL.into());
    }
    if addr != 0 {
        call.write_pair(addr, 0, if id == 5 || id == 6 { 4_000_000 } else { 1 })?;
    }
    Ok(0.into())
}

/// Nobody sets the clock; a clock that cannot be set, and a time that is none, are other errors.
pub(crate) fn clock_settime(call: &mut Call<'_>) -> CallResult {
    let (id, addr) = (call.int(0, "a clock"), call.arg(1, "an address"));
    if id != 0 {
        if id < 0 {
            call.note_unmodelled(OTHER_CLOCK);
        }
        // Those of processor time are set by nobody.
        return Err(if matches!(id, 2 | 3) { EPERM } else { EINVAL }.into());
    }
    call.read_duration(addr)?;
    clock_not_permitted(call)
}

pub(crate) fn settimeofday(call: &mut Call<'_>) -> CallResult {
    let (addr, zone) = (call.arg(0, "an address"), call.arg(1, "an address"));
    if addr != 0 {
        call.read_timeval(addr)?;
    }
    if zone != 0 {
        call.cx.read(zone, 8)?;
    }
    clock_not_permitted(call)
}

pub(crate) fn gettimeofday(call: &mut Call<'_>) -> CallResult {
    let (addr, zone) = (call.arg(0, "an address"), call.arg(1, "an address"));
    let (seconds, nanoseconds) = call.now();
    if addr != 0 {
        call.write_pair(addr, seconds as u64, nanoseconds as u64 / 1000)?;
    }
    if zone != 0 {
        call.cx.write(zone, &Bytes::zeros(8))?;
    }
    Ok(0.into())
}

pub(crate) fn time(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(0, "an address");
    let seconds = call.now().0 as u64;
    if addr != 0 {
        call.write_int(addr, 8, seconds)?;
    }
    Ok(seconds.into())
}

/// Clock ticks of 1/100 s.
pub(crate) fn times(call: &mut Call<'_>) -> CallResult {
    let addr = call.arg(0, "an address");
    let instructions = call.cx.instructions();
    if addr != 0 {
        let mut record = Bytes::zeros(32);
        record.put_int(0, 8, instructions / 10_000_000);
        call.cx.write(addr, &record)?;
    }
    Ok((call.world().clock.elapsed(instructions) / 10_000_000 + 360_000).into())
}

fn sleep_for(call: &mut Call<'_>, nanoseconds: u64, remaining: u64) -> CallResult {
    let left = call.sleep(nanoseconds);
    if left == 0 && !call.world().signals.any_deliverable() {
        return Ok(0.into());
    }
    if remaining != 0 {
        call.write_duration(remaining, left)?;
    }
    Err(EINTR.into())
}

pub(crate) fn nanosleep(call: &mut Call<'_>) -> CallResult {
    let (request, remaining) = (call.arg(0, "an address"), call.arg(1, "an address"));
    let nanoseconds = call.read_duration(request)?;
    sleep_for(call, nanoseconds, remaining)
}

pub(crate) fn clock_nanosleep(call: &mut Call<'_>) -> CallResult {
    let (id, flags) = (call.int(0, "a clock"), call.flags(1, "flags"));
    let (request, remaining) = (call.arg(2, "an address"), call.arg(3, "an address"));
    match id {
        0 | 1 | 2 | 7 | 8 | 9 | 11 => {}
        3..=6 => return Err(EOPNOTSUPP.into()),
        _ => return Err(EINVAL.into()),
    }
    let mut nanoseconds = call.read_duration(request)?;
    if flags & 1 != 0 {
        let elapsed = call.world().clock.elapsed(call.cx.instructions());
        let now = match id {
            1 | 7 | 9 => elapsed + 3600 * SECOND,
            _ => (call.world().clock.epoch as u64)
                .saturating_mul(SECOND)
                .saturating_add(elapsed),
        };
        nanoseconds = nanoseconds.saturating_sub(now);
        return sleep_for(call, nanoseconds, 0);
    }
    sleep_for(call, nanoseconds, remaining)
}

/// Sets timer 0 and returns the seconds that were left, rounded as the kernel does.
pub(crate) fn alarm(call: &mut Call<'_>) -> CallResult {
    let seconds = call.flags(0, "a number of seconds") as u64;
    let now = call.world().clock.elapsed(call.cx.instructions());
    let left = call.world().clock.timers[0]
        .deadline
        .map_or(0, |d| d.saturating_sub(now).max(1));
    let deadline = (seconds > 0).then(|| now + seconds * SECOND);
    call.change().clock.timers[0] = Timer {
        deadline,
        interval: 0,
    };
    let (whole, part) = (left / SECOND, left % SECOND);
    Ok((whole + (part >= SECOND / 2 || (whole == 0 && part > 0)) as u64).into())
}

fn timer_index(call: &mut Call<'_>) -> Result<usize, EarlyReturn> {
    match call.int(0, "a timer") {
        which @ 0..=2 => Ok(which as usize),
        _ => Err(EINVAL.into()),
    }
}

fn write_timer(call: &mut Call<'_>, which: usize, addr: u64) -> Result<(), EarlyReturn> {
    let clock = &call.world().clock;
    let now = clock.timer_time(which, call.cx.instructions());
    let timer = clock.timers[which];
    let left = timer
        .deadline
        .map_or(0, |d| d.saturating_sub(now).max(1000));
    let mut record = Bytes::zeros(32);
    for (i, nanoseconds) in [timer.interval, left].into_iter().enumerate() {
        record.put_int(16 * i, 8, nanoseconds / SECOND);
        record.put_int(16 * i + 8, 8, nanoseconds % SECOND / 1000);
    }
    Ok(call.cx.write(addr, &record)?)
}

pub(crate) fn getitimer(call: &mut Call<'_>) -> CallResult {
    let which = timer_index(call)?;
    let addr = call.arg(1, "an address");
    write_timer(call, which, addr)?;
    Ok(0.into())
}

pub(crate) fn setitimer(call: &mut Call<'_>) -> CallResult {
    let which = timer_index(call)?;
    let (new, old) = (call.arg(1, "an address"), call.arg(2, "an address"));
    let (mut interval, mut value) = (0, 0);
    if new != 0 {
        interval = call.read_timeval(new)?;
        value = call.read_timeval(new + 16)?;
    }
    if old != 0 {
        write_timer(call, which, old)?;
    }
    let now = call.world().clock.timer_time(which, call.cx.instructions());
    let deadline = (value > 0).then(|| now.saturating_add(value));
    call.change().clock.timers[which] = Timer { deadline, interval };
    Ok(0.into())
}
