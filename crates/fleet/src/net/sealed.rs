//! Bytes that only the two ends of a connection can read and write: pieces of at most 64 KiB, each with its length before it,
//! encrypted and numbered, so that none can be changed, left out or repeated.

use snow::StatelessTransportState;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Bytes of an encrypted piece at most, and how many of them are not content.
const PIECE: usize = 65535;
const TAG: usize = 16;

/// The two directions of one connection, which may be used by two threads.
pub fn pair<W: Write, R: Read>(
    to: W,
    from: R,
    transport: StatelessTransportState,
) -> (Sealer<W>, Opener<R>) {
    let transport = Arc::new(transport);
    let sealer = Sealer {
        to,
        transport: transport.clone(),
        number: 0,
        piece: vec![0; 2 + PIECE],
    };
    let opener = Opener {
        from,
        transport,
        number: 0,
        sealed: vec![0; PIECE],
        open: vec![0; PIECE],
        at: 0,
        end: 0,
    };
    (sealer, opener)
}

/// Encrypts written bytes.
pub struct Sealer<W> {
    to: W,
    transport: Arc<StatelessTransportState>,
    number: u64,
    piece: Vec<u8>,
}

impl<W> Sealer<W> {
    /// The stream below.
    pub fn into_inner(self) -> W {
        self.to
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = &bytes[..bytes.len().min(PIECE - TAG)];
        let sealed = self
            .transport
            .write_message(self.number, part, &mut self.piece[2..]);
        let length = sealed.map_err(|_| io::Error::other("the connection is used up"))?;
        self.number += 1;
        self.piece[..2].copy_from_slice(&(length as u16).to_le_bytes());
        self.to.write_all(&self.piece[..2 + length])?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Decrypts read bytes.
pub struct Opener<R> {
    from: R,
    transport: Arc<StatelessTransportState>,
    number: u64,
    sealed: Vec<u8>,
    open: Vec<u8>,
    /// What of `open` is still to be read.
    at: usize,
    end: usize,
}

impl<R> Opener<R> {
    /// The stream below.
    pub fn stream(&mut self) -> &mut R {
        &mut self.from
    }
}

impl<R: Read> Opener<R> {
    /// Reads the next piece. Returns whether there is one.
    fn next(&mut self) -> io::Result<bool> {
        let mut length = [0; 2];
        match self.from.read_exact(&mut length) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            done => done?,
        }
        let sealed = &mut self.sealed[..usize::from(u16::from_le_bytes(length))];
        self.from.read_exact(sealed)?;
        let opened = self
            .transport
            .read_message(self.number, sealed, &mut self.open);
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the connection is damaged");
        (self.at, self.end) = (0, opened.map_err(|_| damaged())?);
        self.number += 1;
        Ok(true)
    }
}

impl<R: Read> Read for Opener<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.at == self.end {
            if bytes.is_empty() || !self.next()? {
                return Ok(0);
            }
        }
        let part = &self.open[self.at..self.end];
        let n = part.len().min(bytes.len());
        bytes[..n].copy_from_slice(&part[..n]);
        self.at += n;
        Ok(n)
    }
}
