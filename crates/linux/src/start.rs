//! The program's start: the world as it is then, the initial stack, and what a real replay lays out.

use std::rc::Rc;

use term::{Pool, Term};

use crate::abi::*;
use crate::bytes::{Bytes, Chunk, Field, Word};
use crate::config::WorldConfig;
use crate::content::Content;
use crate::descriptor::{Description, Descriptors};
use crate::fs::FileSystem;
use crate::inode::{Device, Ino, Inode, Kind, Stamp, StreamFile, StreamKind};
use crate::input::{ArgSource, FIRST_SYMBOLIC_INO, Start, stat};
use crate::output::{Log, Stream};
use crate::process::{Process, random_stream};
use crate::signals::Signals;
use crate::time::Clock;
use crate::world::Inner;

/// The initial stack of the program, as the System V ABI lays it out.
#[derive(Clone, Debug)]
pub struct StackImage {
    /// Where argc stands; a multiple of 16.
    pub stack_pointer: u64,
    /// Address, bytes and name of each part: first the block of argc, argv, envp and auxv, then one
    /// part per string, with gaps between them, so that each can be an object of its own.
    pub parts: Vec<(u64, Bytes, String)>,
    /// Address of argv[0].
    pub argv: u64,
    /// Address of envp[0].
    pub envp: u64,
    /// Address of the auxiliary vector.
    pub auxv: u64,
    /// Lowest address in use.
    pub low: u64,
}

/// What a real replay sets up for one test.
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
    /// What it comes from.
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
    fn object<'a, T>(&self, values: &'a [T], name: &str) -> Option<&'a T> {
        self.objects
            .iter()
            .position(|o| o.name == name)
            .map(|index| &values[index])
    }

    /// What must hold for the objects to exist.
    pub fn constraints(&self, pool: &mut Pool, objects: &[Bytes]) -> Vec<Term> {
        let all = self
            .objects
            .iter()
            .zip(objects)
            .flat_map(|(spec, bytes)| spec.constraints.iter().map(move |c| (c, bytes)));
        all.map(|(constraint, bytes)| constraint.term(pool, bytes))
            .collect()
    }

    /// What a test should look like, if it can: printable arguments, ordinary files.
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
    fn files<'a, T>(&self, values: &'a [T]) -> Vec<(String, &'a T, &'a T)> {
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
        const GAP: u64 = 32;
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
        for (index, arg) in self.argv.iter().enumerate().rev() {
            let bytes = match arg {
                ArgSource::Concrete(bytes) => terminated(bytes),
                ArgSource::Object(object) => objects[*object].clone(),
            };
            argv.push(place(bytes, format!("argv[{}]", index + 1)));
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
            argv: argv_at,
            envp,
            auxv: auxv_at,
            low: stack_pointer,
        }
    }

    /// What a real replay lays out for a test whose objects have these bytes.
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

/// The fields of a bound `struct stat` object that are symbolic. Each is built so that the term
/// itself shows what the object's constraint says (known bits, or a choice between constants):
/// `S_ISREG` of a symbolic file is then a constant, not a query.
struct StatFields<'a> {
    stat: &'a Bytes,
    pool: &'a mut Pool,
}

impl StatFields<'_> {
    fn field(term: Term, pool: &Pool) -> Field {
        Field::new(
            pool.as_const(term)
                .map_or(Word::Symbolic(term), Word::Concrete),
        )
    }

    /// The word under a mask, with bits set.
    fn masked(&mut self, offset: usize, width: usize, mask: u64, set: u64) -> Field {
        let word = self.stat.word(self.pool, offset, width).term(self.pool);
        let (mask, set) = (self.pool.bv(64, mask), self.pool.bv(64, set));
        let kept = self.pool.and(word, mask);
        let term = self.pool.or(kept, set);
        Self::field(term, self.pool)
    }

    /// `first` if the byte has the value `when`, else `second`.
    fn choice(&mut self, offset: usize, when: u64, first: u64, second: u64) -> Field {
        let byte = self.stat.term(self.pool, offset);
        let when = self.pool.bv(8, when);
        let cond = self.pool.eq(byte, when);
        let (first, second) = (self.pool.bv(64, first), self.pool.bv(64, second));
        let term = self.pool.ite(cond, first, second);
        Self::field(term, self.pool)
    }

    fn file_mode(&mut self) -> Field {
        self.masked(stat::MODE, 2, 0o7777, S_IFREG as u64)
    }

    fn stream_mode(&mut self) -> Field {
        let (file, pipe) = (S_IFREG | 0o600, S_IFIFO | 0o600);
        self.choice(stat::MODE + 1, file as u64 >> 8, file as u64, pipe as u64)
    }

    fn links(&mut self) -> Field {
        self.choice(stat::NLINK, 2, 2, 1)
    }

    /// Whether the size is zero, when that is open.
    fn empty(&mut self) -> Field {
        match self.stat.word(self.pool, stat::SIZE, 4) {
            Word::Concrete(_) => 0.into(),
            Word::Symbolic(size) => {
                let zero = self.pool.bv(64, 0);
                let empty = self.pool.eq(size, zero);
                let empty = self.pool.zext(64, empty);
                Self::field(empty, self.pool)
            }
        }
    }

    fn time(&mut self, offset: usize) -> Stamp {
        Stamp {
            sec: self.masked(offset, 4, 0x7fff_ffff, 0),
            nsec: 0,
        }
    }
}

/// Builds the world of the program's start.
pub(crate) fn build(
    config: &WorldConfig,
    start: &Start,
    objects: &[Bytes],
    pool: &mut Pool,
) -> Inner {
    let now = (config.epoch, 0);
    let owner = (config.uid, config.gid);
    let mut fs = FileSystem::new(owner, now);

    // First what has a fixed inode number: the symbolic files, then the streams.
    let mut symbolic = Vec::new();
    for (name, data, stat) in start.files(objects) {
        let mut inode = Inode::new(
            Kind::File(Content::from_bytes(data)),
            S_IFREG | 0o644,
            owner,
            now,
        );
        let mut fields = StatFields { stat, pool };
        inode.mode = fields.file_mode();
        inode.nlink = fields.links();
        inode.empty = fields.empty();
        inode.atime = fields.time(stat::ATIME);
        inode.mtime = fields.time(stat::MTIME);
        symbolic.push((name, fs.add(inode)));
    }
    debug_assert!(
        symbolic
            .first()
            .is_none_or(|(_, ino)| *ino == FIRST_SYMBOLIC_INO)
    );
    let mut stream = |stream: Stream, kind: StreamKind, content: Content, stat: Option<&Bytes>| {
        let kind = match (kind, stat) {
            (StreamKind::Any, None) => StreamKind::Pipe,
            (kind, _) => kind,
        };
        let file = StreamFile {
            stream,
            kind,
            content,
            consumed: 0,
        };
        let mut inode = Inode::new(
            Kind::Stream(file),
            kind.mode().unwrap_or(S_IFIFO | 0o600),
            owner,
            now,
        );
        if let (StreamKind::Any, Some(stat)) = (kind, stat) {
            inode.mode = StatFields { stat, pool }.stream_mode();
        }
        if let (Stream::Stdin, Some(stat)) = (stream, stat) {
            inode.empty = StatFields { stat, pool }.empty();
        }
        if kind == StreamKind::Null {
            inode.rdev = 1 << 8 | 3;
        }
        if kind == StreamKind::Terminal {
            inode.rdev = 136 << 8;
        }
        fs.add(inode)
    };
    let input = match start.object(objects, "stdin") {
        Some(bytes) => Content::from_bytes(bytes),
        None => Content::from_bytes(&Bytes::concrete(config.stdin.clone())),
    };
    let streams: [Ino; 3] = [
        stream(
            Stream::Stdin,
            config.stdin_kind,
            input,
            start.object(objects, "stdin_stat"),
        ),
        stream(
            Stream::Stdout,
            config.stdout_kind,
            Content::default(),
            start.object(objects, "stdout_stat"),
        ),
        stream(Stream::Stderr, config.stderr_kind, Content::default(), None),
    ];

    fs.make_directories("/home", now);
    let tmp = fs.make_directories("/tmp", now);
    fs.get_mut(tmp).mode = ((S_IFDIR | 0o1777) as u64).into();
    devices(&mut fs, now);
    let etc = fs.make_directories("/etc", now);
    let (uid, gid) = owner;
    let users = match uid {
        0 => "root:x:0:0:root:/root:/bin/sh\n".to_string(),
        _ => format!("root:x:0:0:root:/root:/bin/sh\nuser:x:{uid}:{gid}::/home/user:/bin/sh\n"),
    };
    let groups = if gid == 0 {
        "root:x:0:\n".to_string()
    } else {
        format!("root:x:0:\nuser:x:{gid}:\n")
    };
    add_file(&mut fs, etc, "passwd", users.as_bytes(), 0o644, (0, 0), now);
    add_file(&mut fs, etc, "group", groups.as_bytes(), 0o644, (0, 0), now);

    for view in &config.views {
        fs.mount(&view.at, &view.host, now);
    }
    let cwd = fs.make_directories(&config.cwd, now);
    let inode = fs.get_mut(cwd);
    (inode.uid, inode.gid) = owner;
    for (path, bytes, mode) in &config.files {
        let (base, path) = if path.starts_with('/') {
            (String::new(), path.as_str())
        } else {
            (config.cwd.clone(), path.as_str())
        };
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let dir = fs.make_directories(&format!("{base}/{parent}"), now);
        add_file(&mut fs, dir, name, bytes, *mode, owner, now);
    }
    for (name, ino) in symbolic {
        fs.enter(cwd, &Bytes::concrete(name), ino);
    }
    proc_directory(&mut fs, config, now);

    let mut descriptors = Descriptors::default();
    for (fd, ino) in streams.into_iter().enumerate() {
        let terminal =
            matches!(&fs.get(ino).kind, Kind::Stream(s) if s.kind == StreamKind::Terminal);
        let access = if terminal {
            O_RDWR
        } else if fd == 0 {
            O_RDONLY
        } else {
            O_WRONLY
        };
        descriptors.open(fd as i32, Description::new(ino, access), false);
    }
    Inner {
        fs,
        descriptors,
        cwd,
        streams,
        log: Log::default(),
        process: Process::new(config),
        signals: Signals::new(config.pid, config.uid),
        clock: Clock::new(config.epoch),
        unmodelled: Rc::default(),
        random: config.random_seed,
    }
}

fn add_file(
    fs: &mut FileSystem,
    dir: Ino,
    name: &str,
    bytes: &[u8],
    mode: u32,
    owner: (u32, u32),
    now: (i64, u32),
) {
    let content = Content::from_bytes(&Bytes::concrete(bytes));
    let ino = fs.add(Inode::new(
        Kind::File(content),
        S_IFREG | mode & 0o7777,
        owner,
        now,
    ));
    fs.enter(dir, &Bytes::concrete(name), ino);
}

fn add_link(fs: &mut FileSystem, dir: Ino, name: &str, target: &str, now: (i64, u32)) {
    let kind = Kind::Symlink(Rc::new(Chunk::new(&Bytes::concrete(target))));
    let ino = fs.add(Inode::new(kind, S_IFLNK | 0o777, (0, 0), now));
    fs.enter(dir, &Bytes::concrete(name), ino);
}

fn devices(fs: &mut FileSystem, now: (i64, u32)) {
    let dev = fs.make_directories("/dev", now);
    fs.make_device(dev, "null", Device::Null, (1, 3), now);
    fs.make_device(dev, "zero", Device::Zero, (1, 5), now);
    fs.make_device(dev, "full", Device::Full, (1, 7), now);
    fs.make_device(dev, "random", Device::Random, (1, 8), now);
    fs.make_device(dev, "urandom", Device::Random, (1, 9), now);
    fs.make_device(dev, "tty", Device::Tty, (5, 0), now);
    add_link(fs, dev, "fd", "/proc/self/fd", now);
    for (fd, name) in ["stdin", "stdout", "stderr"].iter().enumerate() {
        add_link(fs, dev, name, &format!("/proc/self/fd/{fd}"), now);
    }
}

/// `/proc/self` with `exe`, `cwd` and `fd`.
fn proc_directory(fs: &mut FileSystem, config: &WorldConfig, now: (i64, u32)) {
    let process = fs.make_directories(&format!("/proc/{}", config.pid), now);
    let proc = fs.make_directories("/proc", now);
    add_link(fs, proc, "self", &config.pid.to_string(), now);
    let program = if config.program.starts_with('/') {
        config.program.clone()
    } else {
        format!("/usr/bin/{}", config.program)
    };
    add_link(fs, process, "exe", &program, now);
    add_link(fs, process, "cwd", &config.cwd, now);
    add_link(fs, process, "root", "/", now);
    let directory = fs.add(Inode::new(
        Kind::DescriptorDirectory,
        S_IFDIR | 0o555,
        (config.uid, config.gid),
        now,
    ));
    fs.enter(process, &Bytes::concrete(*b"fd"), directory);
}
