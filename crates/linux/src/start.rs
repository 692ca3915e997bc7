//! The program's start: the initial world, the initial stack, and the files of a real replay.

use term::{Pool, Term};

use crate::abi::*;
use crate::bytes::Bytes;
use crate::config::WorldConfig;
use crate::inode::StreamKind;
use crate::input::{ArgSource, Start, stat};
use crate::process::random_stream;

/// The initial stack of the program, as the System V ABI lays it out.
#[derive(Clone, Debug)]
pub struct StackImage {
    /// Where argc stands; a multiple of 16.
    pub stack_pointer: u64,
    /// Address, bytes and name of each part: first the block of argc, argv, envp and auxv, then one
    /// part per string, with gaps between them, so that each can be an object of its own.
    pub parts: Vec<(u64, Bytes, String)>,
    /// Address and object of each argument that comes from one. Its string ends at the first NUL: natively the next
    /// argument lies behind.
    pub texts: Vec<(u64, usize)>,
    /// Address of argv[0].
    pub argv: u64,
    /// Address of envp[0].
    pub envp: u64,
    /// Address of the auxiliary vector.
    pub auxv: u64,
    /// Lowest address in use.
    pub low: u64,
}

/// The set-up of a real replay of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Arguments after argv[0].
    pub args: Vec<Vec<u8>>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// Current directory in the world; a replay uses an empty directory of its own.
    pub cwd: String,
    /// File mode creation mask.
    pub umask: u32,
    /// User that permissions were checked for.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Standard input.
    pub stdin: StreamSnapshot,
    /// What stdout has to be connected to: `File`, `Pipe`, `Terminal` or `Null`.
    pub stdout: StreamKind,
    /// Files to make.
    pub files: Vec<FileSnapshot>,
}

/// Standard input of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamSnapshot {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Its source.
    pub kind: StreamKind,
}

/// A regular file to make. Set the times last, and the mode after the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSnapshot {
    /// Relative to the current directory unless it starts with a slash.
    pub path: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Permission bits.
    pub mode: u32,
    /// Modification time, seconds.
    pub mtime: i64,
    /// Access time, seconds.
    pub atime: i64,
    /// Hard links; more than one means another name outside the current directory.
    pub links: u32,
}

impl Start {
    pub(crate) fn object<'a, T>(&self, values: &'a [T], name: &str) -> Option<&'a T> {
        self.objects
            .iter()
            .position(|o| o.name == name)
            .map(|index| &values[index])
    }

    /// Conditions that must hold for the objects to exist.
    pub fn constraints(&self, pool: &mut Pool, objects: &[Bytes]) -> Vec<Term> {
        let all = self
            .objects
            .iter()
            .zip(objects)
            .flat_map(|(spec, bytes)| spec.constraints.iter().map(move |c| (c, bytes)));
        all.map(|(constraint, bytes)| constraint.term(pool, bytes))
            .collect()
    }

    /// Preferred properties of a test: printable arguments, ordinary files.
    pub fn preferences(&self, pool: &mut Pool, objects: &[Bytes]) -> Vec<Term> {
        let all = self
            .objects
            .iter()
            .zip(objects)
            .flat_map(|(spec, bytes)| spec.preferences.iter().map(move |c| (c, bytes)));
        all.map(|(constraint, bytes)| constraint.term(pool, bytes))
            .collect()
    }

    /// The symbolic files A, B, … with content and `struct stat`.
    pub(crate) fn files<'a, T>(&self, values: &'a [T]) -> Vec<(String, &'a T, &'a T)> {
        let names = (b'A'..=b'Z').map(|c| (c as char).to_string());
        names
            .map_while(|name| {
                let data = self.object(values, &format!("{name}_data"))?;
                let stat = self.object(values, &format!("{name}_data_stat"))?;
                Some((name, data, stat))
            })
            .collect()
    }

    /// The initial stack below `stack_top`. `aux` adds entries to the auxiliary vector (AT_PHDR …),
    /// which come before ours, so that they win.
    pub fn stack_image(
        &self,
        config: &WorldConfig,
        objects: &[Bytes],
        stack_top: u64,
        aux: &[(u64, u64)],
    ) -> StackImage {
        // As between any two objects of the program.
        const GAP: u64 = 4096;
        let mut parts = Vec::new();
        let mut at = stack_top;
        // Strings are placed downwards, last one first.
        let mut place = |bytes: Bytes, label: String| {
            at = (at - GAP - bytes.len() as u64) & !15;
            parts.push((at, bytes, label));
            at
        };
        let terminated = |text: &[u8]| Bytes::concrete([text, &[0]].concat());
        let execfn = place(
            terminated(config.program.as_bytes()),
            "AT_EXECFN".to_string(),
        );
        let random = random_stream(&mut (config.random_seed ^ 0x5eed_5eed), 16);
        let random = place(Bytes::concrete(random), "AT_RANDOM".to_string());
        let platform = place(terminated(b"x86_64"), "AT_PLATFORM".to_string());
        let mut env: Vec<u64> = Vec::new();
        for (name, value) in config.env.iter().rev() {
            env.push(place(
                terminated(format!("{name}={value}").as_bytes()),
                format!("env {name}"),
            ));
        }
        env.reverse();
        let mut argv = Vec::new();
        let mut texts = Vec::new();
        for (index, arg) in self.argv.iter().enumerate().rev() {
            let bytes = match arg {
                ArgSource::Concrete(bytes) => terminated(bytes),
                ArgSource::Object(object) => objects[*object].clone(),
            };
            let at = place(bytes, format!("argv[{}]", index + 1));
            if let ArgSource::Object(object) = arg {
                texts.push((at, *object));
            }
            argv.push(at);
        }
        argv.push(place(
            terminated(config.program.as_bytes()),
            "argv[0]".to_string(),
        ));
        argv.reverse();

        let ids = [
            (11, config.uid),
            (12, config.uid),
            (13, config.gid),
            (14, config.gid),
        ];
        let mut auxv: Vec<(u64, u64)> = aux.to_vec();
        // AT_PAGESZ, AT_CLKTCK, AT_SECURE, AT_RANDOM, AT_EXECFN, AT_PLATFORM
        auxv.extend([
            (6, 4096),
            (17, 100),
            (23, 0),
            (25, random),
            (31, execfn),
            (15, platform),
        ]);
        auxv.extend(ids.map(|(key, id)| (key, id as u64)));
        auxv.push((0, 0));

        let words = 1 + argv.len() + 1 + env.len() + 1 + 2 * auxv.len();
        let stack_pointer = (at - GAP - 8 * words as u64) & !15;
        let mut block = Vec::with_capacity(words);
        block.push(argv.len() as u64);
        block.extend(&argv);
        block.push(0);
        block.extend(&env);
        block.push(0);
        block.extend(auxv.iter().flat_map(|&(key, value)| [key, value]));
        let argv_at = stack_pointer + 8;
        let envp = argv_at + 8 * (argv.len() as u64 + 1);
        let auxv_at = envp + 8 * (env.len() as u64 + 1);
        let block: Vec<u8> = block.iter().flat_map(|word| word.to_le_bytes()).collect();
        parts.push((
            stack_pointer,
            Bytes::concrete(block),
            "argc, argv, envp, auxv".to_string(),
        ));
        parts.reverse();
        StackImage {
            stack_pointer,
            parts,
            texts,
            argv: argv_at,
            envp,
            auxv: auxv_at,
            low: stack_pointer,
        }
    }

    /// The files of a real replay of a test whose objects have these bytes.
    pub fn snapshot(&self, config: &WorldConfig, values: &[Vec<u8>]) -> Snapshot {
        let until_nul = |bytes: &[u8]| {
            bytes
                .iter()
                .copied()
                .take_while(|&b| b != 0)
                .collect::<Vec<u8>>()
        };
        let args = self.argv.iter().map(|arg| match arg {
            ArgSource::Concrete(bytes) => bytes.clone(),
            ArgSource::Object(object) => until_nul(&values[*object]),
        });
        let int = |stat: &[u8], offset: usize, width: usize| {
            stat[offset..offset + width]
                .iter()
                .rev()
                .fold(0u64, |v, &b| v << 8 | b as u64)
        };
        let kind = |name: &str, otherwise: StreamKind| match self.object(values, name) {
            None if otherwise == StreamKind::Any => StreamKind::Pipe,
            None => otherwise,
            Some(_) if otherwise != StreamKind::Any => otherwise,
            Some(stat) if int(stat, stat::MODE, 4) as u32 & S_IFMT == S_IFREG => StreamKind::File,
            Some(_) => StreamKind::Pipe,
        };
        // A file that may be empty has its size in the stat object.
        let sized = |data: &[u8], stat: &[u8]| {
            let size = int(stat, stat::SIZE, 8) as usize;
            data[..data.len().min(size)].to_vec()
        };
        let stdin = match (
            self.object(values, "stdin"),
            self.object(values, "stdin_stat"),
        ) {
            (Some(data), Some(stat)) => sized(data, stat),
            _ => config.stdin.clone(),
        };
        let mut files: Vec<FileSnapshot> = self
            .files(values)
            .into_iter()
            .map(|(path, data, stat)| FileSnapshot {
                path,
                bytes: sized(data, stat),
                mode: int(stat, stat::MODE, 4) as u32 & 0o7777,
                mtime: int(stat, stat::MTIME, 8) as i64,
                atime: int(stat, stat::ATIME, 8) as i64,
                links: int(stat, stat::NLINK, 8) as u32,
            })
            .collect();
        files.extend(config.files.iter().map(|(path, bytes, mode)| FileSnapshot {
            path: path.clone(),
            bytes: bytes.clone(),
            mode: *mode,
            mtime: config.epoch,
            atime: config.epoch,
            links: 1,
        }));
        Snapshot {
            args: args.collect(),
            env: config.env.clone(),
            cwd: config.cwd.clone(),
            umask: config.umask,
            uid: config.uid,
            gid: config.gid,
            stdin: StreamSnapshot {
                bytes: stdin,
                kind: kind("stdin_stat", config.stdin_kind),
            },
            stdout: kind("stdout_stat", config.stdout_kind),
            files,
        }
    }
}
