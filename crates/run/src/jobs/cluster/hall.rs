//! The run's side of a connection to a node: one thread reads and one writes, so that no machine makes the run wait.

use super::super::member::NodeId;
use super::{Entrance, Job, Parcel, Wire, program};
use fleet::frame;
use fleet::net::door::Visit;
use fleet::net::handshake::Refusal;
use fleet::net::message::{FromNode, ToNode};
use fleet::net::{ALIVE, Connection};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;

/// The data that every node gets.
pub struct Offer {
    pub job: Job,
    pub parcel: Parcel,
}

/// An event at the port or at a node.
pub enum NodeEvent {
    /// A stranger was sent away.
    Refused(SocketAddr, Refusal),
    /// A machine lacks what the program needs.
    Unfit(SocketAddr, String),
    /// A node is ready for so many workers.
    Ready {
        line: Line,
        workers: u32,
    },
    Told(FromNode),
    /// It is gone, for this reason.
    Gone(String),
}

/// The connection to a node.
pub struct Line {
    pub peer: SocketAddr,
    pub wire: Wire,
    /// Ends when everything is written, after the last message was sent or the connection broke.
    pub writer: JoinHandle<()>,
}

/// Lets nodes in as long as the run lives. `tell` gets all events, and returns whether they are still received, which
/// they are not after the end of the run.
///
/// # Errors
/// When the system gives no thread.
pub fn open(
    entrance: Entrance,
    offer: Offer,
    tell: impl Fn(NodeId, NodeEvent) -> bool + Send + Sync + 'static,
) -> std::io::Result<()> {
    let (offer, last) = (Arc::new(offer), AtomicU32::new(0));
    let Entrance { door, secret } = entrance;
    door.watch(secret, env!("CARGO_PKG_VERSION"), move |visit| {
        let id = NodeId(last.fetch_add(1, Relaxed));
        let tell = |event| tell(id, event);
        match visit {
            Visit::Refused(peer, why) => {
                tell(NodeEvent::Refused(peer, why));
            }
            Visit::Entered(connection) => {
                let why = attend(*connection, &offer, &tell);
                tell(NodeEvent::Gone(why));
            }
        }
    })
}

/// Speaks with a node until it is gone: why it is.
fn attend(mut connection: Connection, offer: &Offer, tell: &dyn Fn(NodeEvent) -> bool) -> String {
    let workers = match prepare(&mut connection, offer) {
        Ok(Ok(workers)) => workers,
        Ok(Err(why)) => {
            tell(NodeEvent::Unfit(connection.peer, why.clone()));
            return why;
        }
        Err(why) => return why,
    };
    let Connection { peer, mut from, to } = connection;
    let (put, messages) = channel();
    let writer = std::thread::Builder::new().name(format!("to {peer}"));
    let writer = match writer.spawn(move || write(to, &messages)) {
        Ok(writer) => writer,
        Err(e) => return e.to_string(),
    };
    let line = Line {
        peer,
        wire: Wire::new(put),
        writer,
    };
    if !tell(NodeEvent::Ready { line, workers }) {
        return String::new();
    }
    loop {
        match from.message() {
            Ok(said) => {
                if !tell(NodeEvent::Told(said)) {
                    return String::new();
                }
            }
            Err(why) => return words(&why),
        }
    }
}

/// Why a connection can be used no more.
pub(super) fn words(why: &frame::FrameError) -> String {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    match why {
        frame::FrameError::Io(e) if matches!(e.kind(), WouldBlock | TimedOut) => {
            "it sent nothing for too long".into()
        }
        other => other.to_string(),
    }
}

/// Sends a node the data that it needs before it can start workers. Returns the number of workers that it can have, or why it can have
/// none.
fn prepare(connection: &mut Connection, offer: &Offer) -> Result<Result<u32, String>, String> {
    let said = |e: frame::FrameError| words(&e);
    let job = ToNode::Job {
        program: offer.parcel.hash.clone(),
        job: super::super::link::bytes(&offer.job).into(),
    };
    frame::write(&mut connection.to, &job).map_err(said)?;
    let mut answer = connection.from.message().map_err(said)?;
    loop {
        match answer {
            FromNode::WantsProgram => {
                program::send(&offer.parcel.bytes, connection).map_err(said)?;
            }
            FromNode::Prepares => {}
            _ => break,
        }
        answer = connection.from.message().map_err(said)?;
    }
    match answer {
        FromNode::Ready { workers } if workers > 0 => Ok(Ok(workers)),
        FromNode::Unfit(why) => Ok(Err(why)),
        _ => Err("it makes no sense".into()),
    }
}

/// Writes the run's messages, and a sign of life now and then.
fn write(mut to: fleet::net::sealed::Sealer<std::net::TcpStream>, messages: &Receiver<ToNode>) {
    loop {
        let message = match messages.recv_timeout(ALIVE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => ToNode::Alive,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if frame::write(&mut to, &message).is_err() {
            break;
        }
    }
    // The thread that reads hears of it.
    let _ = to.into_inner().shutdown(Shutdown::Both);
}
