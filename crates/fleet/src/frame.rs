//! How messages are written: a length of four bytes, least significant first, and the message in postcard's format.
//!
//! A length is checked before anything is allocated for it, so that a peer that writes rubbish costs nothing but the connection.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::io::{self, Read, Write};

/// Bytes of a message at most.
pub const LONGEST: usize = 64 << 20;

/// Why there is no message.
#[derive(Debug)]
pub enum FrameError {
    /// The other side is gone without a further message.
    Closed,
    /// It cannot be read or written.
    Io(io::Error),
    /// The message is longer than [`LONGEST`].
    TooLong(usize),
    /// These bytes are no message.
    Garbage,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::Closed => write!(f, "the connection is closed"),
            FrameError::Io(e) => write!(f, "{e}"),
            FrameError::TooLong(length) => {
                write!(f, "a message of {length} bytes, more than {LONGEST}")
            }
            FrameError::Garbage => write!(f, "the data is no message"),
        }
    }
}

impl std::error::Error for FrameError {}

impl From<io::Error> for FrameError {
    fn from(e: io::Error) -> FrameError {
        FrameError::Io(e)
    }
}

/// Writes a message.
///
/// # Errors
/// It is too long, or cannot be written.
pub fn write(out: &mut impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    let bytes = postcard::to_extend(message, vec![0; 4]).map_err(|_| FrameError::Garbage)?;
    let length = bytes.len() - 4;
    write_bytes(out, bytes, length)
}

fn write_bytes(out: &mut impl Write, mut bytes: Vec<u8>, length: usize) -> Result<(), FrameError> {
    let fits = u32::try_from(length).ok().filter(|_| length <= LONGEST);
    let head = fits.ok_or(FrameError::TooLong(length))?;
    bytes[..4].copy_from_slice(&head.to_le_bytes());
    out.write_all(&bytes)?;
    Ok(out.flush()?)
}

/// Reads a message.
///
/// # Errors
/// There is none, see [`FrameError`].
pub fn read<Message: DeserializeOwned>(from: &mut impl Read) -> Result<Message, FrameError> {
    let mut head = [0; 4];
    match from.read_exact(&mut head) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(FrameError::Closed),
        done => done?,
    }
    let length = u32::from_le_bytes(head) as usize;
    if length > LONGEST {
        return Err(FrameError::TooLong(length));
    }
    // It grows with what really comes.
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Err(FrameError::Closed);
    }
    match postcard::take_from_bytes(&bytes) {
        Ok((message, [])) => Ok(message),
        _ => Err(FrameError::Garbage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Commit, Key, ToCoordinator, ToWorker};

    #[test]
    fn messages_come_back_one_after_the_other() {
        let sent = [
            ToWorker::Work(vec![(Key::leased(3), vec![1, 2, 3].into())]),
            ToWorker::Give(7),
            ToWorker::Finish,
        ];
        let mut wire = Vec::new();
        sent.iter().for_each(|m| write(&mut wire, m).unwrap());
        let mut from = &wire[..];
        for message in sent {
            assert_eq!(read::<ToWorker>(&mut from).unwrap(), message);
        }
        assert!(matches!(
            read::<ToWorker>(&mut from),
            Err(FrameError::Closed)
        ));
    }

    #[test]
    fn rubbish_is_refused() {
        let mut wire = Vec::new();
        let message = ToCoordinator::Commit(Commit {
            found: vec![5; 100].into(),
            ..Commit::default()
        });
        write(&mut wire, &message).unwrap();
        for end in 0..wire.len() {
            let torn = read::<ToCoordinator>(&mut &wire[..end]);
            assert!(matches!(torn, Err(FrameError::Closed)), "{end}: {torn:?}");
        }
        let long = u32::MAX.to_le_bytes();
        assert!(matches!(
            read::<ToCoordinator>(&mut &long[..]),
            Err(FrameError::TooLong(_))
        ));
        let foreign = b"\x03\0\0\0\xff\xff\xff";
        assert!(matches!(
            read::<ToCoordinator>(&mut &foreign[..]),
            Err(FrameError::Garbage)
        ));
        // A byte too many.
        wire.push(0);
        let length = (wire.len() - 4) as u32;
        wire[..4].copy_from_slice(&length.to_le_bytes());
        assert!(matches!(
            read::<ToCoordinator>(&mut &wire[..]),
            Err(FrameError::Garbage)
        ));
    }

    #[test]
    fn a_message_that_is_too_long_is_not_sent() {
        let mut wire = Vec::new();
        let sent = write_bytes(&mut wire, vec![0; 4], LONGEST + 1);
        assert!(matches!(sent, Err(FrameError::TooLong(_))));
        assert!(wire.is_empty());
    }
}
