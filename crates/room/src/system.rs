//! This process's memory, as the system reports it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Bytes of a page.
pub fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

/// The machine's memory in bytes.
pub fn physical() -> u64 {
    let found = rustix::system::sysinfo();
    found.totalram.saturating_mul(found.mem_unit.into())
}

/// Resident memory of this process in bytes; `None` where the system does not say.
pub fn resident() -> Option<u64> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| File::open("/proc/self/statm").ok());
    let mut text = [0; 128];
    let len = file.as_ref()?.read_at(&mut text, 0).ok()?;
    resident_pages(std::str::from_utf8(&text[..len]).ok()?)
}

/// The same of another process.
pub fn resident_of(pid: u32) -> Option<u64> {
    resident_pages(&std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?)
}

fn resident_pages(statm: &str) -> Option<u64> {
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(page_size())
}

/// The most that was ever resident, in bytes; `None` where the system does not say.
pub fn peak_resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1 << 10)
}

/// The most that any child that has ended ever had resident, in bytes.
pub fn peak_of_children() -> u64 {
    // SAFETY: getrusage fills the zeroed structure or fails, and then it stays zero.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    // Linux gives kilobytes.
    u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory() {
        let now = resident().expect("Linux says");
        let peak = peak_resident().expect("Linux says");
        assert!(now > page_size() && peak >= now / 2, "{now} {peak}");
        assert!(resident_of(std::process::id()).expect("Linux says") > now / 2);
        assert!(now < physical());
    }
}
