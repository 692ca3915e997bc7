//! The connection of a worker to the coordinator, in any language.

use explore::{Changes, Counted, Hear};
use fleet::{Change, Key, New, ToCoordinator, ToWorker, frame};
use host::{Cause, Stop};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};

/// Bytes of findings, and of prefixes, that are sent ahead of a commit in one message, about.
pub const AHEAD: usize = 32 << 10;

/// See the module.
pub struct Wire {
    socket: UnixStream,
    inbox: Receiver<ToWorker>,
    /// Something lies in the inbox.
    has_mail: Arc<AtomicBool>,
}

impl Wire {
    /// `socket` leads to the coordinator, which has sent its first message. Its message to stop sets `stop` at once.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(socket: UnixStream, stop: Stop) -> std::io::Result<Wire> {
        let (put, inbox) = channel();
        let has_mail = Arc::new(AtomicBool::new(false));
        let (mut from, flag) = (socket.try_clone()?, has_mail.clone());
        std::thread::Builder::new()
            .name("inbox".into())
            .spawn(move || {
                loop {
                    let Ok(message) = frame::read::<ToWorker>(&mut from) else {
                        // Who started this process is gone: nobody wants to know what it does.
                        std::process::exit(0);
                    };
                    if let ToWorker::Stop(number) = message {
                        stop.set(Cause::of(number).unwrap_or(Cause::Signal));
                    }
                    if put.send(message).is_err() {
                        return;
                    }
                    flag.store(true, Relaxed);
                }
            })?;
        Ok(Wire {
            socket,
            inbox,
            has_mail,
        })
    }

    /// Sends a message. If it cannot be sent, the process has no purpose any more.
    pub fn say(&mut self, message: &ToCoordinator) {
        if let Err(e) = frame::write(&mut self.socket, message) {
            say::err!("polypath: a worker cannot reach the run: {e}");
            say::settle();
            std::process::exit(3);
        }
    }

    /// The first message.
    pub fn greet(&mut self, program: String) {
        self.say(&ToCoordinator::Hello {
            version: env!("CARGO_PKG_VERSION").into(),
            program,
        });
    }

    /// The messages since the last call.
    pub fn mail(&self) -> Vec<ToWorker> {
        if self.has_mail.swap(false, Relaxed) {
            self.inbox.try_iter().collect()
        } else {
            Vec::new()
        }
    }

    /// Waits for the next message; `None`: there will be none.
    pub fn next(&self) -> Option<ToWorker> {
        self.inbox.recv().ok()
    }

    /// Reports the changes of a frontier. `changes` shows the new entries; if they are many, most are sent before the
    /// commit that the rest is for. Returns that commit's part, and the share of the frontier that is counted
    /// elsewhere, too.
    pub fn tell_changes(
        &mut self,
        changes: impl FnOnce(&mut Hear<'_>) -> Option<Changes>,
    ) -> (Change, Counted) {
        let (mut part, mut size) = (Vec::new(), 0);
        let changes = changes(&mut |told| {
            size += told.prefix.len();
            part.push(New {
                key: Key(told.key),
                from: Key(told.from),
                prefix: told.prefix.to_vec().into(),
            });
            if size > AHEAD {
                self.say(&ToCoordinator::New(std::mem::take(&mut part)));
                size = 0;
            }
            true
        });
        let changes = changes.unwrap_or_default();
        let change = Change {
            gone: changes.gone.into_iter().map(Key).collect(),
            new: part,
            given: Vec::new(),
        };
        (change, changes.counted)
    }
}
