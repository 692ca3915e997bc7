//! The process that starts the programs. It ends, with everything that it started, when the link to Polypath does.

use super::child;
use super::job::{self, Job, Ready, Reply, Setup};
use fence::{Inside, View};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// Runs jobs from the link, which is standard input, until it ends; then the process ends.
pub fn main() -> ! {
    let left = fence::inherit::leave_caller();
    let link = left.and_then(|()| io::stdin().as_fd().try_clone_to_owned());
    let done = link.map(UnixStream::from).and_then(|mut link| {
        let setup: Setup = job::receive(&mut link)?;
        let place = unused();
        let view = View {
            user: setup.user,
            needed: setup.needed,
            hidden: setup.hidden,
            writable: setup.writable,
            place: place.clone(),
            sets_times: false,
            open: setup.open,
        };
        let done = fence::behind(&view, |inside| serve(link, inside));
        // It is there where there is no private directory.
        super::remove(&place);
        done
    });
    fence::end_now(i32::from(done.is_err()))
}

/// A directory of this process below the system's temporary directory, to be made.
fn unused() -> PathBuf {
    std::env::temp_dir().join(format!("polypath-replay-{}", std::process::id()))
}

/// Behind the fence.
fn serve(mut link: UnixStream, inside: Result<Inside, String>) -> io::Result<i32> {
    let inside = match inside {
        Ok(inside) => inside,
        Err(why) => return job::send(&mut link, &Ready::Err(why)).map(|()| 1),
    };
    child::wait_by_signal()?;
    let around = child::Around {
        place: inside.place,
        all_processes: inside.all_processes,
        sees_processes: inside.sees_processes,
        rules: inside.rules.map(std::sync::Arc::new),
        link: link.try_clone()?,
    };
    job::send(&mut link, &Ready::Ok(inside.fence))?;
    loop {
        let job: Job = match job::receive(&mut link) {
            Ok(job) => job,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
            Err(e) => return Err(e),
        };
        let reply: Reply = child::run(&job, &around).map_err(|e| e.to_string());
        job::send(&mut link, &reply)?;
    }
}
