//! The hand-shake of a new connection.
//!
//! 1. The listener says its version and a random number.
//! 2. The other side says its version and the first message of the Noise protocol (pattern `NNpsk0`, revision 34 of the
//!    specification): it knows the secret.
//! 3. The listener answers with the second one: it knows the secret, too. Or it sends the reason of its refusal.
//!
//! The random number and both versions are a part of what Noise authenticates (its prologue), so that a recorded hand-shake is
//! worth nothing. All three messages are short, and nothing is allocated for what a stranger sends.

use blake2::{Blake2s256, Digest};
use snow::params::NoiseParams;
use snow::{Builder, StatelessTransportState};
use std::fmt;
use std::io::{self, Read, Write};

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
const MAGIC: [u8; 8] = *b"polypath";
/// The version of this hand-shake and of the later format; another version begins with another number.
const FORM: u8 = 1;
/// Bytes of a message at most.
const LONGEST: usize = 200;
const LONGEST_VERSION: usize = 40;
const RANDOM: usize = 32;
/// Bytes of a secret at least.
const LEAST_SECRET: usize = 16;

/// The secret that only a run and its nodes know.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl Secret {
    /// From the bytes of a file or variable; white space around them does not count.
    ///
    /// # Errors
    /// In words: it is too short to be one.
    pub fn new(bytes: &[u8]) -> Result<Secret, String> {
        let bytes = bytes.trim_ascii();
        if bytes.len() < LEAST_SECRET {
            return Err(format!(
                "a secret has at least {LEAST_SECRET} bytes, this one has {}",
                bytes.len()
            ));
        }
        Ok(Secret(Blake2s256::digest(bytes).into()))
    }
}

/// Why two sides do not work together.
#[derive(Debug)]
pub enum Refusal {
    /// It does not speak as Polypath does.
    Stranger,
    /// It is another version of Polypath: this one.
    Version(String),
    /// It does not know the secret, or repeats a message of another connection.
    Secret,
    /// The other side refuses, in its words.
    Refused(String),
    /// It cannot be reached or heard, or it is too slow.
    Io(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Stranger => write!(f, "it does not speak Polypath's protocol"),
            Refusal::Version(theirs) => write!(f, "it is polypath {theirs}"),
            Refusal::Secret => write!(f, "it does not know the secret"),
            Refusal::Refused(why) => write!(f, "{why}"),
            Refusal::Io(e) if is_slow(e) => write!(f, "it sends nothing"),
            Refusal::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                write!(f, "it closed the connection")
            }
            Refusal::Io(e) => write!(f, "{e}"),
        }
    }
}

fn is_slow(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

impl std::error::Error for Refusal {}

impl From<io::Error> for Refusal {
    fn from(e: io::Error) -> Refusal {
        Refusal::Io(e)
    }
}

/// The first message of a side.
struct Greeting {
    version: String,
    /// The listener's random number, or a message of Noise.
    rest: Vec<u8>,
}

impl Greeting {
    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(FORM);
        bytes.push(self.version.len() as u8);
        bytes.extend_from_slice(self.version.as_bytes());
        bytes.extend_from_slice(&self.rest);
        write(to, &bytes)
    }

    fn read(from: &mut impl Read) -> Result<Greeting, Refusal> {
        let bytes = read(from)?;
        let bytes = bytes.strip_prefix(&MAGIC).ok_or(Refusal::Stranger)?;
        let &[form, length, ref rest @ ..] = bytes else {
            return Err(Refusal::Stranger);
        };
        let parts = rest.split_at_checked(usize::from(length));
        let (version, rest) = parts.ok_or(Refusal::Stranger)?;
        let is_plain = version.iter().all(u8::is_ascii_graphic);
        if version.len() > LONGEST_VERSION || !is_plain {
            return Err(Refusal::Stranger);
        }
        let version = String::from_utf8_lossy(version).into_owned();
        if form != FORM {
            return Err(Refusal::Version(version));
        }
        Ok(Greeting {
            version,
            rest: rest.to_vec(),
        })
    }
}

/// A message of the hand-shake: its length in a byte, and its bytes.
fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut message = vec![bytes.len().min(LONGEST) as u8];
    message.extend_from_slice(&bytes[..bytes.len().min(LONGEST)]);
    to.write_all(&message)?;
    to.flush()
}

fn read(from: &mut impl Read) -> Result<Vec<u8>, Refusal> {
    let mut length = [0];
    from.read_exact(&mut length)?;
    let length = usize::from(length[0]);
    if length > LONGEST {
        return Err(Refusal::Stranger);
    }
    let mut bytes = [0; LONGEST];
    from.read_exact(&mut bytes[..length])?;
    Ok(bytes[..length].to_vec())
}

fn noise() -> Result<NoiseParams, Refusal> {
    PATTERN.parse().map_err(|_| unsupported())
}

fn unsupported() -> Refusal {
    Refusal::Io(io::Error::other("no randomness or no cipher"))
}

/// The data that both sides have seen before Noise begins.
fn prologue(listener: &Greeting, version: &str) -> Vec<u8> {
    let parts = [
        listener.version.as_bytes(),
        &listener.rest,
        version.as_bytes(),
    ];
    // Each has its length before it, so that no two lists have the same bytes.
    let with_length = |part: &&[u8]| [&[part.len() as u8], *part].concat();
    parts.iter().flat_map(with_length).collect()
}

/// The first byte of the listener's answer.
const WELCOME: u8 = 0;
const REFUSED: u8 = 1;

/// The listener's side.
///
/// # Errors The other side is not let in. It was sent the reason, if it speaks the protocol.
pub fn accept(
    stream: &mut (impl Read + Write),
    secret: &Secret,
    version: &str,
) -> Result<StatelessTransportState, Refusal> {
    let random = Builder::new(noise()?).generate_keypair();
    let random = random.map_err(|_| unsupported())?.public;
    let greeting = Greeting {
        version: version.into(),
        rest: random,
    };
    greeting.write(stream)?;
    let heard = Greeting::read(stream);
    let refuse = |stream: &mut _, why: String, refusal| {
        // Whoever does not hear it sees the connection closed.
        let _ = write(stream, &[&[REFUSED], why.as_bytes()].concat());
        Err(refusal)
    };
    let theirs = match heard {
        Ok(greeting) if greeting.version == version => greeting,
        Ok(Greeting { version: other, .. }) | Err(Refusal::Version(other)) => {
            let why = format!("the run is polypath {version}, this is {other}");
            return refuse(stream, why, Refusal::Version(other));
        }
        Err(other) => return Err(other),
    };
    let prologue = prologue(&greeting, version);
    let state = Builder::new(noise()?).psk(0, &secret.0);
    let state = state.and_then(|b| b.prologue(&prologue)?.build_responder());
    let mut state = state.map_err(|_| unsupported())?;
    if state.read_message(&theirs.rest, &mut []).is_err() {
        let why = "the run has another secret".to_string();
        return refuse(stream, why, Refusal::Secret);
    }
    let mut answer = [WELCOME; LONGEST];
    let length = state.write_message(&[], &mut answer[1..]);
    let length = length.map_err(|_| unsupported())?;
    write(stream, &answer[..=length])?;
    state
        .into_stateless_transport_mode()
        .map_err(|_| unsupported())
}

/// The side that connects.
///
/// # Errors
/// The listener is no run of Polypath, of another version, refuses, or does not know the secret.
pub fn connect(
    stream: &mut (impl Read + Write),
    secret: &Secret,
    version: &str,
) -> Result<StatelessTransportState, Refusal> {
    let greeting = Greeting::read(stream)?;
    if greeting.rest.len() != RANDOM {
        return Err(Refusal::Stranger);
    }
    let prologue = prologue(&greeting, version);
    let state = Builder::new(noise()?).psk(0, &secret.0);
    let state = state.and_then(|b| b.prologue(&prologue)?.build_initiator());
    let mut state = state.map_err(|_| unsupported())?;
    let mut first = [0; LONGEST];
    let length = state.write_message(&[], &mut first);
    let length = length.map_err(|_| unsupported())?;
    Greeting {
        version: version.into(),
        rest: first[..length].to_vec(),
    }
    .write(stream)?;
    let answer = read(stream)?;
    match answer.split_first() {
        Some((&WELCOME, message)) => {
            let read = state.read_message(message, &mut []);
            read.map_err(|_| Refusal::Secret)?;
        }
        Some((&REFUSED, why)) => {
            let why = String::from_utf8_lossy(why);
            return Err(Refusal::Refused(why.escape_debug().to_string()));
        }
        _ => return Err(Refusal::Stranger),
    }
    state
        .into_stateless_transport_mode()
        .map_err(|_| unsupported())
}
