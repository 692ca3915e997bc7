//! A sequence of calls in both, from the same beginning.

use super::cage::{caged, clean, remove};
use super::calls::Val::Int;
use super::calls::{Op, shown};
use super::run::{Seen, normalize, run_model, run_real};
use super::signals::forget_signals;
use crate::common::{self, Mock, concrete_world};
use polypath_linux::{self as linux, WorldConfig};
use std::path::{Path, PathBuf};

pub struct Bench {
    pub dir: PathBuf,
    pub config: WorldConfig,
    pub count_links: bool,
}

impl Bench {
    /// A fresh directory, entered, with only the standard descriptors open.
    pub fn enter(&self) {
        std::env::set_current_dir("/").unwrap();
        // SAFETY: changes this process alone.
        unsafe { libc::umask(0o022) };
        if caged() {
            clean(Path::new("/"));
            std::fs::create_dir_all("/base").unwrap();
            clean(Path::new("/base"));
        }
        remove(&self.dir);
        std::fs::create_dir(&self.dir).unwrap();
        std::os::unix::fs::chown(&self.dir, Some(self.config.uid), Some(self.config.gid)).unwrap();
        std::env::set_current_dir(&self.dir).unwrap();
    }

    /// Runs a sequence in both; where they first disagree.
    pub fn run(&self, ops: &[Op]) -> Result<usize, (usize, Seen, Seen)> {
        self.enter();
        let mut mock = Mock::new();
        let mut world = concrete_world(&mut mock, &self.config);
        // This process ignores SIGPIPE, as Rust programs do.
        let ignore = mock.place(
            0,
            &linux::Bytes::concrete([1u64, 0, 0, 0].map(u64::to_le_bytes).concat()),
        );
        assert_eq!(
            common::call(&mut world, &mut mock, 13, &[13, ignore, 0, 8]),
            0
        );
        // SAFETY: asks for an identity.
        let is_superuser = unsafe { libc::geteuid() } == 0;
        if is_superuser {
            // SAFETY: gives this process the groups that the world has.
            unsafe { libc::setgroups(1, &self.config.gid) };
        }
        // SAFETY: asks for an identity.
        let root = self.config.uid == 0 || unsafe { libc::geteuid() } != 0;
        if !root {
            // SAFETY: this process has one thread; the saved identity stays root.
            unsafe {
                assert_eq!(libc::setresgid(self.config.gid, self.config.gid, 0), 0);
                assert_eq!(libc::setresuid(self.config.uid, self.config.uid, 0), 0);
            }
        }
        let mut outcome = Ok(0);
        for (index, op) in ops.iter().enumerate() {
            let Some(mut model) = run_model(&mut world, &mut mock, op) else {
                continue;
            };
            let mut real = run_real(op);
            normalize(op, &mut model, self.count_links);
            normalize(op, &mut real, self.count_links);
            // The end of a directory is the file system's own.
            if op.nr == 8 && op.args[2] == Int(2) && model.result == -22 && real.result >= 0 {
                break;
            }
            if model != real {
                outcome = Err((index, model, real));
                break;
            }
            outcome = outcome.map(|n| n + 1);
        }
        forget_signals();
        // SAFETY: as above; closes what the sequence left open.
        unsafe {
            for fd in 3..2000 {
                libc::close(fd);
            }
            if !root {
                assert_eq!(libc::setresuid(0, 0, 0), 0);
                assert_eq!(libc::setresgid(0, 0, 0), 0);
            }
        }
        outcome
    }

    /// Shows a sequence that disagrees.
    pub fn explain(&self, seed: u64, ops: &[Op]) {
        println!("seed {seed} as user {} disagrees:", self.config.uid);
        for op in ops {
            println!("  {} {}", linux::syscall_name(op.nr), shown(&op.args));
        }
        if let Err((_, model, real)) = self.run(ops) {
            let text = |seen: &Seen| {
                let buffers: Vec<_> = seen
                    .buffers
                    .iter()
                    .map(|b| b[..b.len().min(64)].escape_ascii().to_string())
                    .collect();
                format!("{} {buffers:?} handlers {:?}", seen.result, seen.begun)
            };
            println!("  model {}\n  real  {}", text(&model), text(&real));
        }
    }

    /// Takes out calls as long as the sequence still disagrees.
    pub fn shrink(&self, mut ops: Vec<Op>) -> Vec<Op> {
        loop {
            let before = ops.len();
            let mut index = ops.len();
            while index > 0 {
                index -= 1;
                let mut fewer = ops.clone();
                fewer.remove(index);
                if self.run(&fewer).is_err() {
                    ops = fewer;
                }
            }
            if ops.len() == before {
                return ops;
            }
        }
    }
}
