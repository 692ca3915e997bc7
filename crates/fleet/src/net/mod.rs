//! Connections between machines: both sides prove that they know the run's secret, and all further data are encrypted.
//! [`handshake`] is the first exchange, [`sealed`] carries bytes afterwards, [`door`] is the listening side, which
//! strangers can neither block nor fill, and [`message`] has the messages between a run and a node.

pub mod door;
pub mod handshake;
pub mod message;
pub mod sealed;

use crate::frame::FrameError;
use handshake::{Refusal, Secret};
use sealed::{Opener, Sealer};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long a hand-shake may take in all.
pub const HANDSHAKE: Duration = Duration::from_secs(5);
/// A side that was silent for so long is gone. Each sends something every second.
pub const SILENCE: Duration = Duration::from_secs(10);
/// The longest time that a message to a busy side waits.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Between two signs of life, at most.
pub const ALIVE: Duration = Duration::from_secs(1);

/// A connection to a side that has proved that it knows the secret.
pub struct Connection {
    /// The address of the other side.
    pub peer: SocketAddr,
    /// Messages from it.
    pub from: Opener<Paced>,
    /// Messages to it.
    pub to: Sealer<TcpStream>,
}

impl Connection {
    fn new(stream: TcpStream, transport: snow::StatelessTransportState) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let peer = stream.peer_addr()?;
        let (to, from) = sealed::pair(stream.try_clone()?, Paced::new(stream), transport);
        Ok(Connection { peer, from, to })
    }
}

/// The receiving end of a connection, on which a side has to speak: neither may it be silent for longer than [`SILENCE`], nor may one message
/// take longer than [`PATIENCE`], a byte now and then.
pub struct Paced {
    stream: TcpStream,
    /// How long a message may take.
    patience: Duration,
    /// When the message that has begun has to be complete.
    end: Option<Instant>,
}

impl Paced {
    fn new(stream: TcpStream) -> Paced {
        Paced {
            stream,
            patience: PATIENCE,
            end: None,
        }
    }

    /// The message is complete.
    pub fn complete(&mut self) {
        self.end = None;
    }
}

impl Read for Paced {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let now = Instant::now();
        let left = match self.end {
            None => SILENCE,
            Some(end) => end.saturating_duration_since(now).min(SILENCE),
        };
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let read = self.stream.read(bytes)?;
        let patience = self.patience;
        self.end.get_or_insert_with(|| Instant::now() + patience);
        Ok(read)
    }
}

impl Opener<Paced> {
    /// The next message.
    ///
    /// # Errors
    /// There is none, see [`FrameError`].
    pub fn message<M: serde::de::DeserializeOwned>(&mut self) -> Result<M, FrameError> {
        let message = crate::frame::read(self)?;
        // A part of the next one may be here already: its time begins with its next byte.
        self.stream().complete();
        Ok(message)
    }
}

/// Connects to a run of the same version that knows the same secret.
///
/// # Errors
/// No process listens at the address ([`Refusal::Io`]), or the two do not fit.
pub fn connect(address: &str, secret: &Secret, version: &str) -> Result<Connection, Refusal> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, HANDSHAKE) {
            Ok(stream) => {
                let mut timed = Timed::new(&stream);
                let transport = handshake::connect(&mut timed, secret, version)?;
                return Ok(Connection::new(stream, transport)?);
            }
            Err(e) => last = e,
        }
    }
    Err(Refusal::Io(last))
}

/// A socket that is used until one moment only.
struct Timed<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Timed<'_> {
    fn new(stream: &TcpStream) -> Timed<'_> {
        let end = Instant::now() + HANDSHAKE;
        Timed { stream, end }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use std::net::TcpListener;

    #[test]
    fn a_message_that_comes_a_byte_now_and_then_does_not_come_for_ever() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut slow = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut paced = Paced::new(listener.accept().unwrap().0);
        paced.patience = Duration::from_millis(300);
        // Messages in time.
        for number in 0..3_u32 {
            frame::write(&mut slow, &number).unwrap();
            assert_eq!(frame::read::<u32>(&mut paced).unwrap(), number);
            paced.complete();
        }
        let writer = std::thread::spawn(move || {
            // As long as the other side listens, and a bounded number of times.
            slow.write_all(&10_000_u32.to_le_bytes()).unwrap();
            (0..10_000)
                .take_while(|_| {
                    std::thread::sleep(Duration::from_millis(5));
                    slow.write_all(&[0]).is_ok()
                })
                .count()
        });
        let heard = frame::read::<String>(&mut paced);
        assert!(matches!(&heard, Err(FrameError::Io(_))), "{heard:?}");
        drop(paced);
        assert!(writer.join().unwrap() < 10_000);
    }
}
