//! A JVM that serves several runs, one after the other (`polypath java test`).
//!
//! Who has many methods to explore starts a JVM ([`Spare`]) and lends it to a process for each of them, as that process's standard
//! input ([`Borrowed`]). Classes of the program are loaded anew for each; what stays is the JVM itself, warm: the JDK's classes and
//! the code that was compiled. A process that ends in the middle of something leaves a stream behind that nobody can read on, so
//! the lender asks for a word that it has made up, and takes what comes before that for the past ([`Spare::back`]). A JVM that does not answer is
//! ended. So is one in which a run did not end: the process starts one of its own then, which tells how it ended.

use crate::jvm::{Fencing, Options, driver};
use fence::Fence;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The variable that says that standard input is a JVM: its value has the JVM's process and its fence.
const LENT: &str = "POLYPATH_LENT_JVM";
/// In the place of a number of steps: another program follows (`Main.java`).
const NEXT: i64 = -1;
/// How long a run that nobody waits for any more may still take.
const PATIENCE: Duration = Duration::from_millis(500);

/// A JVM to lend.
pub struct Spare {
    child: host::child::Tied,
    fence: Option<Fence>,
    channel: UnixStream,
}

impl Spare {
    /// Starts a JVM that has no program yet: from a thread that lives as long as it is to.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(options: &Options) -> io::Result<Spare> {
        let (mut channel, theirs) = UnixStream::pair()?;
        let theirs = OwnedFd::from(theirs);
        let mut command = driver(options)?;
        command.stdin(theirs.try_clone()?).stdout(theirs);
        let child = host::child::spawn(&mut command)?;
        // Its ends of the channel are the only ones: it is gone when they are.
        drop(command);
        let fence = match options.fence {
            Fencing::Open => None,
            Fencing::Fenced(_) => Some(fence::launch::fence(&mut channel)?),
        };
        child.adopt();
        Ok(Spare {
            child,
            fence,
            channel,
        })
    }

    /// Lends it to a command.
    ///
    /// # Errors
    /// There are no more descriptors.
    pub fn lend(&self, command: &mut Command) -> io::Result<()> {
        command.env(
            LENT,
            serde_json::to_string(&(self.child.pid(), &self.fence))?,
        );
        command.stdin(Stdio::from(OwnedFd::from(self.channel.try_clone()?)));
        Ok(())
    }

    /// The same, to be lent again, if the process to which it was lent has left it so.
    pub fn back(mut self) -> Option<Spare> {
        let word = RandomState::new().build_hasher().finish();
        self.hears(&format!("{word:032x}")).ok()?;
        Some(self)
    }

    fn hears(&mut self, word: &str) -> io::Result<()> {
        let mut request = NEXT.to_be_bytes().to_vec();
        request.extend((word.len() as u16).to_be_bytes());
        request.extend(word.as_bytes());
        self.channel.set_write_timeout(Some(PATIENCE))?;
        self.channel.write_all(&request)?;
        let end = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        let mut bytes = [0; 4096];
        while !seen.ends_with(word.as_bytes()) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.channel.set_read_timeout(Some(left))?;
            match self.channel.read(&mut bytes)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => seen.extend(&bytes[..n]),
            }
            // The word is the last that comes.
            let old = seen.len().saturating_sub(word.len());
            seen.drain(..old);
        }
        // Those who borrow it wait for as long as it takes.
        self.channel.set_read_timeout(None)?;
        self.channel.set_write_timeout(None)
    }
}

/// A JVM that another process has lent to this one.
#[derive(Clone, Debug)]
pub struct Borrowed {
    pub(crate) channel: Arc<OwnedFd>,
    pub(crate) fence: Option<Fence>,
    pid: u32,
    /// The processor time that it had taken before.
    before: Duration,
}

impl Borrowed {
    /// The processor time that it has taken since.
    pub(crate) fn time(&self) -> Duration {
        host::child::time_of_tree(self.pid).saturating_sub(self.before)
    }

    /// The one that this process's standard input is, if it is one.
    ///
    /// # Errors
    /// What the lender says of it is not understood.
    pub fn take() -> io::Result<Option<Borrowed>> {
        let Some(lent) = std::env::var_os(LENT) else {
            return Ok(None);
        };
        let (pid, fence) = serde_json::from_slice(lent.as_encoded_bytes())?;
        let channel = std::io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Some(Borrowed {
            channel: Arc::new(channel),
            fence,
            pid,
            before: host::child::time_of_tree(pid),
        }))
    }
}
