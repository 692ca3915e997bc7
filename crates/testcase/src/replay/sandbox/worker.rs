//! The process that starts the programs. It ends, with everything that it started, when the link to Polypath does.

use super::job::{self, Job, Ready, Reply, Setup};
use super::{Fence, Scratch, child, namespaces, rules};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// Where tests have their directories, in the private `/tmp`.
const PLACE: &str = "/tmp/polypath-replay";

/// Runs jobs from the link, which is standard input, until it ends; then the process ends.
pub fn main() -> ! {
    // SAFETY: nobody else uses descriptor 0 here.
    let mut link = unsafe { UnixStream::from_raw_fd(0) };
    let done = job::receive(&mut link)
        .and_then(|setup: Setup| in_namespaces(&link, &setup).map(|lacking| (setup, lacking)))
        .and_then(|(setup, lacking)| match lacking {
            None => Ok(()),
            Some(why) => in_child(|| by_rules(link, setup, why)),
        });
    // SAFETY: ends the process.
    unsafe { libc::_exit(i32::from(done.is_err())) }
}

/// Serves behind namespaces until the link ends; what is lacking if they are not allowed here.
fn in_namespaces(link: &UnixStream, setup: &Setup) -> io::Result<Option<String>> {
    let (mut reader, mut writer) = io::pipe()?;
    let mut own = link.try_clone()?;
    let child = fork(|| match namespaces::enter(setup) {
        Ok(()) => in_child(|| in_private(own)),
        Err(namespaces::Failure::Broken(why)) => job::send(&mut own, &Ready::Err(why)),
        Err(namespaces::Failure::Lacking(why)) => writer.write_all(why.as_bytes()),
    })?;
    // (The child keeps its end open for as long as it serves.)
    drop(writer);
    let mut lacking = String::new();
    reader.read_to_string(&mut lacking)?;
    wait_for(child);
    Ok((!lacking.is_empty()).then_some(lacking))
}

/// The first process of the new process numbers.
fn in_private(mut link: UnixStream) -> io::Result<()> {
    let sees_processes = match namespaces::show_processes() {
        Ok(sees) => sees,
        Err(e) => return job::send(&mut link, &Ready::Err(format!("/proc: {e}"))),
    };
    std::fs::create_dir(PLACE)?;
    let around = child::Around {
        place: PLACE.into(),
        all_processes: true,
        sees_processes,
        link: link.as_raw_fd(),
    };
    serve(link, Fence::Namespaces, &around)
}

fn by_rules(mut link: UnixStream, setup: Setup, why: String) -> io::Result<()> {
    let scratch = Scratch::new("replay")?;
    let place = scratch.path().to_owned();
    let mut writable: Vec<PathBuf> = setup.writable;
    writable.push(place.clone());
    let fence = match rules::enter(&writable) {
        Ok(true) => Fence::Rules(why),
        Ok(false) => Fence::None(format!("{why}, no Landlock")),
        Err(why) => return job::send(&mut link, &Ready::Err(why)),
    };
    // SAFETY: numbers only. What a program leaves behind becomes our child, to be ended.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    let around = child::Around {
        place,
        all_processes: false,
        sees_processes: false,
        link: link.as_raw_fd(),
    };
    serve(link, fence, &around)
}

/// Forks; the child runs `work`, ends, and dies with its parent at the latest.
fn fork(work: impl FnOnce() -> io::Result<()>) -> io::Result<libc::pid_t> {
    // SAFETY: the child goes on alone, in a program that has (but in tests) one thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            // SAFETY: numbers only.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
            let failed = work().is_err();
            // SAFETY: ends the process.
            unsafe { libc::_exit(i32::from(failed)) }
        }
        pid => Ok(pid),
    }
}

fn wait_for(pid: libc::pid_t) {
    let mut status = 0;
    // SAFETY: fills the status.
    while unsafe { libc::waitpid(pid, &mut status, 0) } < 0
        && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
    {}
}

/// Lets a child do the rest.
fn in_child(work: impl FnOnce() -> io::Result<()>) -> ! {
    let child = fork(work);
    let failed = child.is_err();
    if let Ok(child) = child {
        wait_for(child);
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(i32::from(failed)) }
}

fn serve(mut link: UnixStream, fence: Fence, around: &child::Around) -> io::Result<()> {
    child::wait_by_signal()?;
    job::send(&mut link, &Ready::Ok(fence))?;
    loop {
        let job: Job = match job::receive(&mut link) {
            Ok(job) => job,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(e) => return Err(e),
        };
        let reply: Reply = child::run(&job, around).map_err(|e| e.to_string());
        job::send(&mut link, &reply)?;
    }
}
