//! One recorded command, as `runtime/record.c` writes it.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// What standard input was connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StdinSource {
    File,
    Pipe,
    Null,
    Closed,
    Terminal,
    Other,
}

impl StdinSource {
    fn parse(word: &str) -> StdinSource {
        match word {
            "file" => StdinSource::File,
            "pipe" => StdinSource::Pipe,
            "null" => StdinSource::Null,
            "closed" => StdinSource::Closed,
            "terminal" => StdinSource::Terminal,
            _ => StdinSource::Other,
        }
    }
}

/// A command of a test.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its record.
    pub dir: PathBuf,
    pub program: String,
    /// The test's directory below `work`.
    pub test: String,
    pub cwd: PathBuf,
    pub umask: u32,
    pub input: StdinSource,
    /// Without argv[0].
    pub args: Vec<Vec<u8>>,
    /// Without what only the tests' own scripts look at.
    pub env: Vec<(String, Vec<u8>)>,
    /// The recorder's reason why it cannot be repeated.
    pub skip: Option<String>,
    /// Equal for commands that do the same.
    pub key: u64,
}

/// Variables for the tests' scripts, not for the programs.
const HARNESS: &[&str] = &[
    "VERSION",
    "LOCALE_FR",
    "LOCALE_FR_UTF8",
    "abs_top_builddir",
    "abs_top_srcdir",
    "abs_srcdir",
    "built_programs",
    "fail",
    "host_os",
    "host_triplet",
    "srcdir",
    "top_srcdir",
    "CONFIG_HEADER",
    "CU_TEST_NAME",
    "CC",
    "AWK",
    "EGREP",
    "EXEEXT",
    "MAKE",
    "PACKAGE_VERSION",
    "PERL",
    "PATH",
    "OLDPWD",
    "SHLVL",
    "_",
];

impl Recorded {
    fn read(dir: &Path) -> Result<Recorded> {
        let strings = |name: &str| -> Result<Vec<Vec<u8>>> {
            let mut all: Vec<Vec<u8>> = std::fs::read(dir.join(name))?
                .split(|b| *b == 0)
                .map(<[u8]>::to_vec)
                .collect();
            all.pop();
            Ok(all)
        };
        let meta = std::fs::read(dir.join("meta"))?;
        let meta = String::from_utf8_lossy(&meta);
        let field = |name: &str| {
            let mut lines = meta.lines().filter_map(|l| l.split_once(' '));
            lines
                .find(|(key, _)| *key == name)
                .map(|(_, v)| v.to_string())
        };
        let program = field("program").context("no program")?;
        let shows_environment = matches!(&program[..], "env" | "printenv");
        let mut env: Vec<(String, Vec<u8>)> = strings("env")?
            .into_iter()
            .filter_map(|entry| {
                let at = entry.iter().position(|b| *b == b'=')?;
                let name = String::from_utf8(entry[..at].to_vec()).ok()?;
                Some((name, entry[at + 1..].to_vec()))
            })
            .filter(|(name, _)| shows_environment || !HARNESS.contains(&&name[..]))
            .collect();
        // The order that the native run gets, see `std::process::Command`.
        env.sort();
        let mut command = Recorded {
            dir: dir.to_path_buf(),
            program,
            test: field("test").unwrap_or_default(),
            cwd: PathBuf::from(field("cwd").unwrap_or_default()),
            umask: field("umask")
                .and_then(|m| u32::from_str_radix(&m, 8).ok())
                .unwrap_or(0o022),
            input: StdinSource::parse(&field("stdin").unwrap_or_default()),
            args: strings("argv")?.into_iter().skip(1).collect(),
            env,
            skip: field("skip"),
            key: 0,
        };
        command.key = command.hash();
        Ok(command)
    }

    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.program, &self.args, &self.env, self.umask, self.input).hash(&mut hasher);
        // Each test runs in a directory of its own name; what counts is what lies there.
        let below: PathBuf = self
            .cwd
            .components()
            .skip_while(|c| c.as_os_str() != &self.test[..])
            .skip(1)
            .collect();
        below.hash(&mut hasher);
        for part in ["stdin", "tree.tar"] {
            std::fs::read(self.dir.join(part))
                .unwrap_or_default()
                .hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Its standard input.
    pub fn stdin(&self) -> PathBuf {
        self.dir.join("stdin")
    }

    /// Its arguments for a `Command`.
    pub fn os_args(&self) -> impl Iterator<Item = OsString> + '_ {
        self.args.iter().map(|a| OsString::from_vec(a.clone()))
    }

    /// The command as a person would write it, with its test and record.
    pub fn line(&self) -> String {
        let args: Vec<_> = self
            .args
            .iter()
            .map(|a| String::from_utf8_lossy(a))
            .collect();
        let mut line = format!("{} {}", self.program, args.join(" "));
        if line.chars().count() > 160 {
            line = line.chars().take(160).chain("…".chars()).collect();
        }
        let record = self.dir.file_name().unwrap_or_default().to_string_lossy();
        format!("[{} {record}] {line}", self.test)
    }
}

/// All records below `top`, in a fixed order: by test, then as they were made.
pub fn read_all(top: &Path) -> Result<Vec<Recorded>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(top.join("records"))? {
        let dir = entry?.path();
        let made = dir.metadata()?.modified()?;
        // A command that was killed while it was recorded has no whole record.
        if let Ok(command) = Recorded::read(&dir) {
            all.push((made, command));
        }
    }
    all.sort_by(|(t, a), (u, b)| (&a.test, t, &a.dir).cmp(&(&b.test, u, &b.dir)));
    Ok(all.into_iter().map(|(_, c)| c).collect())
}
