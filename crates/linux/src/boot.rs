//! The world at the start of the program: its root directory, devices, streams and symbolic files.

use std::rc::Rc;

use term::{Pool, Term};

use crate::abi::*;
use crate::bytes::{Bytes, Chunk, Field, Word};
use crate::config::WorldConfig;
use crate::content::Content;
use crate::descriptor::{Description, Descriptors};
use crate::fs::FileSystem;
use crate::inode::{Device, Ino, Inode, InodeKind, Stamp, StreamFile, StreamKind};
use crate::input::{FIRST_SYMBOLIC_INO, Start, stat};
use crate::output::{Log, Stream};
use crate::process::Process;
use crate::signals::Signals;
use crate::state::{Inner, InputFile};
use crate::time::Clock;

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

    /// The kind of a stream, where its mode tells it.
    fn stream_kind(&mut self) -> StreamKind {
        match self.stream_mode().get() {
            Word::Concrete(mode) if mode as u32 & S_IFMT == S_IFREG => StreamKind::File,
            Word::Concrete(_) => StreamKind::Pipe,
            Word::Symbolic(_) => StreamKind::Any,
        }
    }

    fn links(&mut self) -> Field {
        self.choice(stat::NLINK, 2, 2, 1)
    }

    /// The size, when that is open.
    fn open_size(&mut self) -> Field {
        match self.stat.word(self.pool, stat::SIZE, 4) {
            Word::Concrete(_) => 0.into(),
            Word::Symbolic(size) => Self::field(size, self.pool),
        }
    }

    /// The content behind data: cut where the size is known to end it (when a test is replayed).
    fn content(&mut self, data: &Bytes) -> Content {
        let mut content = Content::from_bytes(data);
        if let Word::Concrete(size) = self.stat.word(self.pool, stat::SIZE, 8) {
            content.resize(size.min(content.size()));
        }
        content
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
        let mut fields = StatFields { stat, pool };
        let content = InodeKind::File(fields.content(data));
        let mut inode = Inode::new(content, S_IFREG | 0o644, owner, now);
        inode.mode = fields.file_mode();
        inode.nlink = fields.links();
        inode.open_size = fields.open_size();
        inode.sizes = start.sizes;
        inode.atime = fields.time(stat::ATIME);
        inode.mtime = fields.time(stat::MTIME);
        symbolic.push((name, fs.add(inode)));
    }
    debug_assert!(
        symbolic
            .first()
            .is_none_or(|(_, ino)| *ino == FIRST_SYMBOLIC_INO)
    );
    let input = match (
        start.object(objects, "stdin"),
        start.object(objects, "stdin_stat"),
    ) {
        (Some(data), Some(stat)) => StatFields { stat, pool }.content(data),
        _ => Content::from_bytes(&Bytes::concrete(config.stdin.clone())),
    };
    let mut stream = |stream: Stream, kind: StreamKind, content: Content, stat: Option<&Bytes>| {
        // The object with what it is connected to, if the world leaves that open.
        let open = stat.filter(|_| kind == StreamKind::Any);
        let kind = match (kind, open) {
            (StreamKind::Any, None) => StreamKind::Pipe,
            (_, Some(stat)) => StatFields { stat, pool }.stream_kind(),
            (kind, None) => kind,
        };
        let file = StreamFile {
            stream,
            kind,
            content,
            consumed: 0,
        };
        let mut inode = Inode::new(
            InodeKind::Stream(file),
            kind.mode().unwrap_or(S_IFIFO | 0o600),
            owner,
            now,
        );
        if let Some(stat) = open {
            inode.mode = StatFields { stat, pool }.stream_mode();
        }
        if let (Stream::Stdin, Some(stat)) = (stream, stat) {
            inode.open_size = StatFields { stat, pool }.open_size();
            inode.sizes = start.sizes;
        }
        if kind == StreamKind::Null {
            inode.rdev = 1 << 8 | 3;
        }
        if kind == StreamKind::Terminal {
            inode.rdev = 136 << 8;
        }
        fs.add(inode)
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
    for view in &config.views {
        fs.mount(&view.at, &view.host, now);
    }
    // What the host shows comes before our own.
    for (name, text) in [("passwd", users), ("group", groups)] {
        if !matches!(fs.find(etc, name.as_bytes()), Ok(Some(_))) {
            add_file(&mut fs, etc, name, text.as_bytes(), 0o644, (0, 0), now);
        }
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
    let length = |fs: &FileSystem, ino: Ino| match &fs.get(ino).kind {
        InodeKind::File(content) => content.size(),
        InodeKind::Stream(stream) => stream.content.size(),
        _ => 0,
    };
    let input = |fs: &FileSystem, ino: Ino, name: &str| InputFile {
        ino,
        name: Rc::from(name),
        length: length(fs, ino),
    };
    let inputs: Vec<InputFile> = symbolic
        .iter()
        .map(|(name, ino)| input(&fs, *ino, name))
        .collect();
    for (name, ino) in symbolic {
        fs.enter(cwd, &Bytes::concrete(name), ino);
    }
    proc_directory(&mut fs, config, now);

    let mut descriptors = Descriptors::default();
    for (fd, ino) in streams.into_iter().enumerate() {
        let terminal =
            matches!(&fs.get(ino).kind, InodeKind::Stream(s) if s.kind == StreamKind::Terminal);
        let access = if terminal {
            O_RDWR
        } else if fd == 0 {
            O_RDONLY
        } else {
            O_WRONLY
        };
        descriptors.open(fd as i32, Description::new(ino, access), false);
    }
    let mut inputs = inputs;
    // A program without standard input meets its end like one with some.
    if start.object(objects, "stdin").is_some() || config.stdin.is_empty() {
        inputs.push(input(&fs, streams[0], "stdin"));
    }
    Inner {
        fs,
        descriptors,
        file_maps: Rc::default(),
        cwd,
        streams,
        log: Log::default(),
        process: Process::new(config),
        signals: Signals::new(config.pid, config.uid),
        clock: Clock::new(config.epoch),
        unmodelled: Rc::default(),
        refusals: 0,
        last_refused: Rc::from(""),
        inputs: inputs.into(),
        remarks: Vec::new(),
        random: config.random_seed,
        max_output: config.max_output,
        stored: 0,
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
        InodeKind::File(content),
        S_IFREG | mode & 0o7777,
        owner,
        now,
    ));
    fs.enter(dir, &Bytes::concrete(name), ino);
}

fn add_link(fs: &mut FileSystem, dir: Ino, name: &str, target: &str, now: (i64, u32)) {
    let kind = InodeKind::Symlink(Rc::new(Chunk::new(&Bytes::concrete(target))));
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
        InodeKind::DescriptorDirectory,
        S_IFDIR | 0o555,
        (config.uid, config.gid),
        now,
    ));
    fs.enter(process, &Bytes::concrete(*b"fd"), directory);
}
