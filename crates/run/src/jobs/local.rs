//! A worker's process on this machine.

use super::member::{Carrier, Event, Fate};
use fleet::{Death, ToWorker, WorkerId, frame};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a message to a worker may take: its side reads whatever it does, unless it is stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// See the module.
pub struct Local {
    child: Child,
    socket: UnixStream,
}

impl Local {
    /// Starts a worker, which waits for its first message. `tell` gets its messages, and returns whether anybody
    /// receives them. Call this from the thread that waits for the workers.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(
        id: WorkerId,
        tell: impl Fn(Event) -> bool + Send + 'static,
    ) -> std::io::Result<Local> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_write_timeout(Some(PATIENCE))?;
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(super::PART)
            .stdin(Stdio::from(OwnedFd::from(theirs)));
        host::child::tie_worker(&mut command);
        let child = command.spawn()?;
        // The command holds their end of the connection.
        drop(command);
        let mut from = socket.try_clone()?;
        std::thread::Builder::new()
            .name(format!("worker {}", id.0))
            .spawn(move || {
                let why = loop {
                    match frame::read(&mut from) {
                        Ok(message) => {
                            if !tell(Event::Said(id, message)) {
                                return;
                            }
                        }
                        Err(frame::FrameError::Closed | frame::FrameError::Io(_)) => break None,
                        Err(other) => break Some(other.to_string()),
                    }
                };
                tell(Event::Gone(id, why));
            })?;
        Ok(Local { child, socket })
    }

    /// The number of its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Carrier for Local {
    fn say(&mut self, message: ToWorker) {
        if frame::write(&mut self.socket, &message).is_err() {
            self.kill();
        }
    }

    fn kill(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
    }

    fn pid(&self) -> Option<u32> {
        Some(self.child.id())
    }

    fn bury(&mut self, has_ended: bool) -> Fate {
        // It has closed its connection: it is about to end, or can do nothing any more.
        if !has_ended {
            std::thread::sleep(Duration::from_millis(5));
            if !matches!(self.child.try_wait(), Ok(Some(_))) {
                self.kill();
            }
        }
        match self.child.wait() {
            Ok(status) => {
                let asked = [libc::SIGKILL, libc::SIGTERM, libc::SIGINT, libc::SIGHUP];
                let is_killed = status.signal().is_some_and(|s| asked.contains(&s));
                let death = if is_killed {
                    Death::Killed
                } else {
                    Death::Crashed
                };
                Fate {
                    death,
                    words: status.to_string(),
                }
            }
            Err(e) => Fate {
                death: Death::Crashed,
                words: e.to_string(),
            },
        }
    }
}
