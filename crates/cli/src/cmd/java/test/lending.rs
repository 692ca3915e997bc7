//! The JVM that one worker lends to the runs of its methods, one after the other.

use super::TestArgs;
use crate::options::HEAP_OF_JAVA;
use jvm::{Kit, Options, Spare};
use run::java::{WARNING, place_of, spare};
use std::io;
use std::path::PathBuf;

/// Options of a run that are about its own JVM, or count its time: such a run starts one.
const OWN: [&str; 3] = ["--heap", "--cpu-time", "--jobs"];

/// What a worker has to lend.
pub struct Lending {
    /// `None`: each run starts its own JVM.
    options: Option<Options>,
    jvm: Option<Spare>,
    /// Where programs work if the JVM's fence has no place of its own.
    place: PathBuf,
}

impl Lending {
    /// For the worker of this number, and programs on this class path.
    pub fn new(args: &TestArgs, kit: &Kit, class_path: &[PathBuf], worker: u32) -> Lending {
        let is_own = |o: &String| OWN.iter().any(|own| o.starts_with(own));
        let has_own = args.options.iter().any(is_own);
        let heap_mb = HEAP_OF_JAVA.parse().ok().filter(|_| !has_own);
        let options = heap_mb.map(|heap_mb| {
            spare(
                kit.clone(),
                class_path.to_vec(),
                heap_mb,
                (&args.out, worker),
            )
        });
        Lending {
            options,
            jvm: None,
            place: place_of(&args.out, worker),
        }
    }

    /// A JVM that no run has. Where there can be none, runs start their own.
    pub fn jvm(&mut self) -> Option<&Spare> {
        if let (None, Some(options)) = (&self.jvm, &self.options) {
            match Spare::start(options) {
                Ok(jvm) => self.jvm = Some(jvm),
                Err(e) => {
                    say::err!("{WARNING}each method has a JVM of its own: {e}");
                    self.options = None;
                }
            }
        }
        self.jvm.as_ref()
    }

    /// The run is over.
    pub fn take_back(&mut self) {
        self.jvm = self.jvm.take().and_then(Spare::back);
    }
}

impl Drop for Lending {
    fn drop(&mut self) {
        self.jvm = None;
        match std::fs::remove_dir_all(&self.place) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                say::err!("polypath: cannot remove {}: {e}", self.place.display());
            }
            _ => {}
        }
    }
}
