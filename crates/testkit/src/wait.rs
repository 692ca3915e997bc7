//! Waiting for a condition, with a bound.

use std::time::{Duration, Instant};

/// Nothing that a test waits for takes longer, on a machine with much other work.
pub const MOST: Duration = Duration::from_secs(300);
/// Between two looks.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// Waits until something holds.
///
/// # Panics
///
/// If it does not within five minutes ([`MOST`]).
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(
            begun.elapsed() <= MOST,
            "waited {} s until {what}",
            MOST.as_secs()
        );
        std::thread::sleep(PAUSE);
    }
}

/// Processor time of a process, user and system, in steps of 10 ms; zero if there is none of this number. A test that wants a
/// process to be in the midst of its work waits until it has had so much of it: that does not depend on how busy the machine is.
pub fn processor_time(process: u32) -> Duration {
    ticks(process, &[11, 12])
}

/// The same, with that of its children that have ended and were waited for.
pub fn family_time(process: u32) -> Duration {
    ticks(process, &[11, 12, 13, 14])
}

/// The sum of fields of `stat` that are times in hundredths of a second, by their places behind the name.
fn ticks(process: u32, fields: &[usize]) -> Duration {
    let Some(all) = stat(process) else {
        return Duration::ZERO;
    };
    let ticks = fields
        .iter()
        .filter_map(|&at| all.get(at)?.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

/// Whether a process has ended: there is none of this number, or it waits to be fetched by its parent.
pub fn is_gone(process: u32) -> bool {
    stat(process)
        .is_none_or(|fields| matches!(fields.first().map(|s| &**s), Some("Z" | "X") | None))
}

/// Whether a process is stopped (by SIGSTOP or SIGTSTP, or in the hands of its tracer).
pub fn is_stopped(process: u32) -> bool {
    stat(process).is_some_and(|fields| matches!(fields.first().map(|s| &**s), Some("T" | "t")))
}

/// The processes below one, however far, that have not ended.
pub fn below(process: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = numbers
        .filter(|&pid| !is_gone(pid))
        .filter_map(|pid| Some((pid, stat(pid)?.get(1)?.parse().ok()?)))
        .collect();
    let (mut found, mut next) = (Vec::new(), vec![process]);
    while let Some(above) = next.pop() {
        let children = parents.iter().filter(|&&(_, parent)| parent == above);
        let known = found.len();
        found.extend(children.map(|&(pid, _)| pid));
        next.extend(&found[known..]);
    }
    found
}

/// Whether a process has a handler for a signal.
pub fn listens(process: u32, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

/// What the system says of a process, behind its name; nothing if there is none.
fn stat(process: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind) = text.rsplit_once(')')?;
    Some(behind.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::{is_gone, listens, processor_time, until};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_process_is_looked_at() {
        let spin = "trap 'exit 3' TERM; while :; do :; done";
        let mut child = Command::new("sh").args(["-c", spin]).spawn().expect("sh");
        let id = child.id();
        until("it works", || {
            processor_time(id) > Duration::from_millis(20)
        });
        until("it listens", || listens(id, 15));
        assert!(!listens(id, 1) && !is_gone(id));
        crate::signal(id, "-TERM");
        // A zombie until it is waited for.
        until("it ends", || is_gone(id));
        assert_eq!(child.wait().expect("its end").code(), Some(3));
        assert!(is_gone(id) && processor_time(id) == Duration::ZERO);
    }
}
