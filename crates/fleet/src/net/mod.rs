//! Connections between machines: both sides prove that they know the run's secret, and all further data are encrypted.
//! [`handshake`] is the first exchange, [`sealed`] carries bytes afterwards, [`door`] is the listening side, which
//! strangers can neither block nor fill, and [`message`] has the messages between a run and a node.

pub mod door;
pub mod handshake;
pub mod message;
pub mod sealed;

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
    pub from: Opener<TcpStream>,
    /// Messages to it.
    pub to: Sealer<TcpStream>,
}

impl Connection {
    fn new(stream: TcpStream, transport: snow::StatelessTransportState) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let peer = stream.peer_addr()?;
        let (to, from) = sealed::pair(stream.try_clone()?, stream, transport);
        Ok(Connection { peer, from, to })
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
