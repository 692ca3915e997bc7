//! The port at which a run listens for nodes. Strangers may connect as they like: each has a few seconds, only some
//! are served at the same time, and nothing is kept of them.

use super::handshake::{self, Refusal, Secret};
use super::{Connection, Timed};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

/// Connections at most that have not proved yet that they know the secret; a further one is closed at once.
pub const STRANGERS: usize = 64;
/// When the system has no further connection to give (too many files are open, say).
const PAUSE: Duration = Duration::from_millis(100);

/// A visitor.
pub enum Visit {
    /// It knows the secret.
    Entered(Box<Connection>),
    /// It was sent away.
    Refused(SocketAddr, Refusal),
}

/// The address at which a run listens.
pub struct Door {
    listener: TcpListener,
    /// Its address.
    pub address: SocketAddr,
}

impl Door {
    /// Takes the address; with port 0 the system chooses a free one.
    ///
    /// # Errors
    /// It is no address of this machine, or another process has it.
    pub fn open(address: &str) -> io::Result<Door> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        Ok(Door { listener, address })
    }

    /// Lets in visitors that know the secret, as long as the process lives, and reports each of them. `tell` may wait.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn watch(
        self,
        secret: Secret,
        version: &'static str,
        tell: impl Fn(Visit) + Send + Sync + 'static,
    ) -> io::Result<()> {
        let tell = Arc::new(tell);
        let strangers = Arc::new(AtomicUsize::new(0));
        let attend = move || {
            loop {
                let Ok((stream, peer)) = self.listener.accept() else {
                    std::thread::sleep(PAUSE);
                    continue;
                };
                if strangers.load(SeqCst) >= STRANGERS {
                    continue;
                }
                strangers.fetch_add(1, SeqCst);
                let (secret, tell, count) = (secret.clone(), tell.clone(), strangers.clone());
                let hear = move || {
                    let heard = handshake::accept(&mut Timed::new(&stream), &secret, version);
                    let entered = heard.and_then(|t| Ok(Connection::new(stream, t)?));
                    count.fetch_sub(1, SeqCst);
                    tell(match entered {
                        Ok(connection) => Visit::Entered(Box::new(connection)),
                        Err(why) => Visit::Refused(peer, why),
                    });
                };
                let thread = std::thread::Builder::new().name("visitor".into());
                if thread.spawn(hear).is_err() {
                    strangers.fetch_sub(1, SeqCst);
                }
            }
        };
        let thread = std::thread::Builder::new().name("door".into());
        thread.spawn(attend).map(drop)
    }
}
