//! A process that a test begins, disturbs, and waits for.

use crate::wait::{MOST, PAUSE, processor_time};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A process whose words are read while it runs, so that no full pipe stops it. Each wait has a condition and a bound; a test
/// that comes to the bound fails with the words. The process is killed where the value goes before its end.
#[derive(Debug)]
pub struct Attended {
    child: Child,
    said: Option<JoinHandle<String>>,
}

impl Attended {
    /// Begins the command. Its standard output goes nowhere.
    ///
    /// # Panics
    ///
    /// If there is no such program.
    #[track_caller]
    pub fn begin(command: &mut Command) -> Attended {
        Attended::begin_with_output(command.stdout(Stdio::null()))
    }

    /// The same, with a standard output that the command says.
    ///
    /// # Panics
    ///
    /// If there is no such program.
    #[track_caller]
    pub fn begin_with_output(command: &mut Command) -> Attended {
        let command = command.stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let pipe = child.stderr.take();
        let said = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                // What was read before an error is what it said.
                let _ = pipe.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Attended {
            child,
            said: Some(said),
        }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn is_over(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Waits until something holds; false if the process ends before.
    ///
    /// # Panics
    ///
    /// If neither happens within five minutes.
    #[track_caller]
    pub fn until(&mut self, what: &str, mut holds: impl FnMut(u32) -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if holds(self.id()) {
                return true;
            }
            if self.is_over() {
                return false;
            }
            if begun.elapsed() > MOST {
                let said = self.stopped();
                panic!("waited {} s until {what}: {said}", MOST.as_secs());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits until a run that writes its results there is in the midst of its exploration: it has begun (there is an `info.json`),
    /// and its process has worked for 0.4 s since. False if it ends before.
    ///
    /// # Panics
    ///
    /// If neither happens within ten minutes.
    #[track_caller]
    pub fn explores(&mut self, out: &Path) -> bool {
        let info = out.join("info.json");
        let has_begun = self.until("the exploration begins", |_| info.exists());
        let before = processor_time(self.id());
        let midst = before + Duration::from_millis(400);
        has_begun && self.until("it has explored", |id| processor_time(id) > midst)
    }

    /// Sends it a signal by its name, as `kill` takes it (`-INT`).
    pub fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// Waits for its end: the exit status (-1 after a signal), and what it said.
    ///
    /// # Panics
    ///
    /// If it does not end within five minutes.
    #[track_caller]
    pub fn end(mut self) -> (i32, String) {
        self.until("it ends", |_| false);
        let status = self.child.wait().ok().and_then(|s| s.code());
        (status.unwrap_or(-1), self.words())
    }

    /// Kills it; what it said.
    fn stopped(&mut self) -> String {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.words()
    }

    /// What it said; it has ended. A child of its own that lives on holds the pipe, and is not waited for.
    fn words(&mut self) -> String {
        let Some(said) = self.said.take() else {
            return String::new();
        };
        let begun = Instant::now();
        while !said.is_finished() {
            if begun.elapsed() > MOST {
                return "(a child of the process holds its standard error)".into();
            }
            std::thread::sleep(PAUSE);
        }
        said.join().unwrap_or_default()
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if self.said.is_some() {
            // A child of its own may hold the pipe: nobody waits for the words.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends a signal by its name, as `kill` takes it (`-INT`), to a process that may have ended.
///
/// # Panics
///
/// If there is no `kill`: whoever then waits for what the signal does would wait for long.
pub fn signal(process: u32, name: &str) {
    // Its status is of no interest: the process may have ended.
    Command::new("kill")
        .args([name, &process.to_string()])
        .stderr(Stdio::null())
        .status()
        .expect("kill starts (apt-get install procps)");
}
