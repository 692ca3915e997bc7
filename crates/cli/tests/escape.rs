//! Programs that try to get out: each attempt of `tests/escape/escape.c` and `tests/java/fence/Escapes.java` fails, and leaves nothing, in
//! each way in which a program under test is started, and in each kind of surroundings. Compared with the host: its files, processes, sockets and
//! messages. That the attempts are real is seen where there is no fence.

use serde_json::Value;
use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use testkit::java;

/// Where Polypath runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Surroundings {
    /// As the user `nobody`, if the test is root's.
    ordinary: bool,
    /// `unshare` is refused, as in most containers.
    no_namespaces: bool,
    /// There is no Landlock, as in some.
    no_landlock: bool,
}

const HOST: Surroundings = Surroundings {
    ordinary: false,
    no_namespaces: false,
    no_landlock: false,
};
const CONTAINER: Surroundings = Surroundings {
    no_namespaces: true,
    ..HOST
};
const BARE: Surroundings = Surroundings {
    no_landlock: true,
    ..CONTAINER
};

const NOBODY: u32 = 65534;

impl Surroundings {
    /// Puts a command there.
    fn around(self, command: &mut Command) {
        let enter = move || -> io::Result<()> {
            if self.no_namespaces {
                refuse(libc::SYS_unshare, libc::EPERM)?;
            }
            if self.no_landlock {
                refuse(libc::SYS_landlock_create_ruleset, libc::ENOSYS)?;
            }
            // SAFETY: numbers.
            let done = unsafe {
                !self.ordinary
                    || (libc::setgroups(0, std::ptr::null()) == 0
                        && libc::setgid(NOBODY) == 0
                        && libc::setuid(NOBODY) == 0)
            };
            if done {
                Ok(())
            } else {
                Err(io::Error::last_os_error())
            }
        };
        // SAFETY: system calls only.
        unsafe { command.pre_exec(enter) };
    }
}

/// From now on this system call fails so, in this process and all that it starts.
fn refuse(number: libc::c_long, error: i32) -> io::Result<()> {
    let step = |code: u32, jt, jf, k| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let refusal = libc::SECCOMP_RET_ERRNO | error as u32;
    let mut steps = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            0,
            1,
            number as u32,
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, refusal),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog {
        len: 4,
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: numbers, and a program that lives during the calls.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                0,
                &program,
            ) == 0
    };
    if done {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// What is attacked.
struct Target {
    dir: PathBuf,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    sockets: Vec<UnixListener>,
    mark: String,
    key: i32,
    segment: i32,
    _open: fs::File,
    number: i32,
}

const CONTENT: &str = "original";

impl Target {
    fn new(dir: &Path, surroundings: Surroundings) -> Target {
        let dir = dir.to_owned();
        let home = dir.join("user");
        for place in [&dir.join("directory"), &home] {
            fs::create_dir_all(place).expect("a directory");
        }
        for name in ["victim", "directory/kept", "user/secret"] {
            fs::write(dir.join(name), CONTENT).expect("a file");
        }
        let mut victim = Command::new("/bin/sleep");
        let stays = Surroundings {
            ordinary: surroundings.ordinary,
            ..HOST
        };
        stays.around(victim.arg("600"));
        let victim = victim.spawn().expect("sleep");
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
        tcp.set_nonblocking(true).expect("a socket");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
        udp.set_nonblocking(true).expect("a socket");
        // Seconds, and a name that nothing else has.
        let mark = format!("{}", 1_000_000_000 + u64::from(victim.id()));
        let hidden = format!("escape-{mark}");
        let hidden_address = SocketAddr::from_abstract_name(&hidden).expect("a name");
        let named = |name: &str| {
            let path = dir.join(name);
            if path.exists() {
                fs::remove_file(&path).expect("it is ours");
            }
            UnixListener::bind(path)
        };
        let sockets = [
            named("socket"),
            named("user/agent"),
            UnixListener::bind_addr(&hidden_address),
        ];
        let sockets: Vec<UnixListener> = sockets.map(|s| s.expect("a socket")).into();
        for socket in &sockets {
            socket.set_nonblocking(true).expect("a socket");
        }
        let key = 0x0050_0000 + 2 * victim.id().cast_signed();
        // SAFETY: numbers only.
        let segment = unsafe { libc::shmget(key, 4096, libc::IPC_CREAT | 0o666) };
        assert!(segment >= 0, "no shared memory");
        let lines = [
            dir.join("victim").display().to_string(),
            dir.join("directory").display().to_string(),
            home.join("secret").display().to_string(),
            dir.join("socket").display().to_string(),
            home.join("agent").display().to_string(),
            hidden,
            mark.clone(),
            victim.id().to_string(),
            tcp.local_addr().expect("an address").port().to_string(),
            udp.local_addr().expect("an address").port().to_string(),
            key.to_string(),
        ];
        fs::write(dir.join("lines"), lines.join("\n") + "\n").expect("a file");
        open_to_all(&dir);
        let open = fs::File::options().append(true).open(dir.join("victim"));
        let open = open.expect("the file");
        // SAFETY: numbers only. What is started from here on inherits it.
        let number = unsafe { libc::fcntl(open.as_raw_fd(), libc::F_DUPFD, 200) };
        assert!(number >= 200);
        Target {
            dir,
            victim,
            tcp,
            udp,
            sockets,
            mark,
            key,
            segment,
            _open: open,
            number,
        }
    }

    /// `polypath` there, with what a user has around: an agent, secrets, a home.
    fn polypath(&self, surroundings: Surroundings, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polypath"));
        let temporary = self.dir.join("temporary");
        fs::create_dir_all(&temporary).expect("a directory");
        open_to_all(&temporary);
        command
            .args(args)
            .current_dir(&self.dir)
            .env("XDG_CACHE_HOME", cache())
            .env("HOME", self.dir.join("user"))
            .env("TMPDIR", temporary)
            .env("POLYPATH_JOBS", "1")
            .env("SSH_AUTH_SOCK", self.dir.join("user/agent"));
        surroundings.around(&mut command);
        command.output().expect("polypath")
    }

    /// Nothing happened to the host, and nothing is left.
    fn is_untouched(&mut self, context: &str) {
        for name in ["victim", "directory/kept", "user/secret"] {
            let content = fs::read_to_string(self.dir.join(name));
            assert_eq!(content.expect("it is there"), CONTENT, "{context}: {name}");
        }
        let count = fs::read_dir(self.dir.join("directory"))
            .expect("it is there")
            .count();
        assert_eq!(count, 1, "{context}: files beside `kept`");
        let lives = self.victim.try_wait().expect("it can be asked").is_none();
        assert!(lives, "{context}: the process was ended");
        assert!(self.tcp.accept().is_err(), "{context}: TCP");
        assert!(self.udp.recv(&mut [0; 8]).is_err(), "{context}: UDP");
        for socket in &self.sockets {
            assert!(socket.accept().is_err(), "{context}: {socket:?}");
        }
        for place in ["/tmp", "/var/tmp", "/dev/shm", "/run", "/"] {
            let path = Path::new(place).join(&self.mark);
            assert!(!path.exists(), "{context}: {} is left", path.display());
        }
        let left = fs::read_dir(self.dir.join("temporary")).expect("a directory");
        let left: Vec<_> = left.map(|e| e.expect("an entry").file_name()).collect();
        assert!(left.is_empty(), "{context}: {left:?} is left");
        // The system ends them a moment after their namespace.
        testkit::until(&format!("{context}: no process stays"), || {
            self.staying() == 0
        });
        // SAFETY: numbers only.
        let made = unsafe { libc::shmget(self.key + 1, 0, 0) };
        assert!(made < 0, "{context}: shared memory is left");
        // SAFETY: the same.
        let made = unsafe { libc::msgget(self.key + 1, 0) };
        assert!(made < 0, "{context}: a queue is left");
    }

    /// Processes that an attempt has left.
    fn staying(&self) -> usize {
        let wanted = format!("sleep\0{}\0", self.mark);
        let all = fs::read_dir("/proc").expect("/proc").flatten();
        all.filter(|e| {
            let line = fs::read(e.path().join("cmdline")).unwrap_or_default();
            line.ends_with(wanted.as_bytes())
        })
        .count()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // One that has ended needs no ending.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        // SAFETY: numbers only; both are ours.
        unsafe {
            libc::shmctl(self.segment, libc::IPC_RMID, std::ptr::null_mut());
            libc::close(self.number);
        }
    }
}

fn open_to_all(path: &Path) {
    let mode = if path.is_dir() { 0o777 } else { 0o666 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a directory").flatten() {
            if !entry.file_type().expect("a kind").is_symlink() && !entry.path().ends_with("escape")
            {
                open_to_all(&entry.path());
            }
        }
    }
}

/// Where Polypath keeps its files.
fn cache() -> PathBuf {
    let given = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    given.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").expect("a home")).join(".cache"))
}

/// A directory that no fence hides by itself.
fn host(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.is_dir() {
        fs::remove_dir_all(&dir).expect("it is ours");
    }
    fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// Of each test: its first byte of input, its verdict, and in words what was different.
fn verdicts(dir: &Path) -> Vec<(u8, String, String)> {
    let run = testcase::Run::read(dir).expect("the run");
    let text = fs::read(dir.join("replay.json")).expect("replay.json");
    let replay: Value = serde_json::from_slice(&text).expect("JSON");
    let tests = replay["tests"].as_array().expect("tests");
    let of = |test: &Value| {
        let id = test["test"].as_str().expect("a name");
        let input = run.tests.iter().find(|t| testcase::test_name(t.id) == id);
        let stdin = input.and_then(|t| t.stdin.clone()).unwrap_or_default();
        let name = test["verdict"].as_str().unwrap_or_default().to_owned();
        (stdin.first().copied().unwrap_or(0), name, test.to_string())
    };
    tests.iter().map(of).collect()
}

/// The letter of the attempt that fills the disk, and the number of attempts.
const FILLS: u8 = b'z';
const ATTEMPTS: usize = 26;

#[test]
fn what_a_program_tries_fails_in_each_way_to_start_it() {
    let _limit = testkit::limit();
    if !testkit::need("clang-19") || !testkit::need("namespaces") {
        return;
    }
    let dir = host("escape-c");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/escape/escape.c");
    let mut target = Target::new(&dir, HOST);
    let compiled = target.polypath(
        HOST,
        &[
            "cc",
            "-g",
            source.to_str().expect("a path in UTF-8"),
            "-o",
            "escape",
        ],
    );
    assert!(compiled.status.success(), "{compiled:?}");
    let lines = format!("ESCAPE={}", dir.join("lines").display());
    let run = target.polypath(
        HOST,
        &[
            "run",
            "--out",
            "out",
            "--env",
            &lines,
            "./escape",
            "--sym-stdin",
            "1",
        ],
    );
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    target.is_untouched("the machine");
    drop(target);
    // SAFETY: takes nothing.
    let is_root = unsafe { libc::geteuid() } == 0;
    let users: &[bool] = if is_root { &[false, true] } else { &[false] };
    for (surroundings, ordinary) in [HOST, CONTAINER]
        .into_iter()
        .flat_map(|s| users.iter().map(move |u| (s, *u)))
    {
        let surroundings = Surroundings {
            ordinary,
            ..surroundings
        };
        let context = format!("{surroundings:?}");
        let mut target = Target::new(&dir, surroundings);
        let mut args = vec!["replay", "out", "--jobs", "2"];
        if ordinary {
            // The C library of builds lies in root's cache.
            args.extend(["--no-confirm", "--no-modelled", "--", "./escape"]);
        }
        let replay = target.polypath(surroundings, &args);
        let said = format!(
            "{context}: {}{}",
            String::from_utf8_lossy(&replay.stdout),
            String::from_utf8_lossy(&replay.stderr)
        );
        assert_eq!(
            said.contains("Landlock"),
            surroundings.no_namespaces,
            "{said}"
        );
        let seen = verdicts(&dir.join("out"));
        let attempts = seen.iter().filter(|(byte, ..)| byte.is_ascii_lowercase());
        assert_eq!(attempts.count(), ATTEMPTS, "{said}");
        for (byte, verdict, words) in &seen {
            if *byte == FILLS && surroundings.no_namespaces {
                // A slow disk is not full before the time is over.
                let is_limited = words.contains("too much space on disk") || verdict == "timed_out";
                assert!(is_limited, "{words}: {said}");
            } else if *byte == b'`' {
                assert!(verdict == "error" || ordinary, "{words}: {said}");
            } else {
                assert_eq!(verdict, "same", "{words}: {said}");
            }
        }
        if !ordinary {
            // The builds with checks are behind the same fence.
            assert!(said.contains("confirmed"), "{said}");
        }
        target.is_untouched(&context);
    }
}

#[test]
fn where_there_is_no_fence_replay_asks() {
    let _limit = testkit::limit();
    if !testkit::need("clang-19") {
        return;
    }
    let dir = host("escape-bare");
    let victim = dir.join("made");
    fs::write(
        dir.join("writes.c"),
        format!(
            "#include <stdio.h>\n#include <unistd.h>\nint main(void) {{\n\
             if (access(\"/usr/bin/env\", X_OK) == 0) {{ FILE *f = fopen(\"{}\", \"w\"); if (f) fclose(f); }}\n\
             return getchar() == 'x';\n}}\n",
            victim.display()
        ),
    )
    .expect("a file");
    let target = Target::new(&dir, HOST);
    let run = target.polypath(
        HOST,
        &["run", "writes.c", "--sym-stdin", "1", "--out", "out"],
    );
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    // Behind a fence the attempt is real and fails.
    if testkit::need("namespaces") {
        let replay = target.polypath(HOST, &["replay", "out"]);
        assert_eq!(replay.status.code(), Some(0), "{replay:?}");
        assert!(!victim.exists());
    }
    let replay = target.polypath(BARE, &["replay", "out"]);
    let said = String::from_utf8_lossy(&replay.stderr).into_owned();
    assert_eq!(replay.status.code(), Some(3), "{said}");
    assert!(
        said.contains("--no-fence") && said.contains("no Landlock"),
        "{said}"
    );
    assert!(!victim.exists());
    for surroundings in [BARE, HOST] {
        let replay = target.polypath(surroundings, &["replay", "out", "--no-fence"]);
        let said = String::from_utf8_lossy(&replay.stderr).into_owned();
        assert_eq!(replay.status.code(), Some(0), "{said}");
        assert!(said.contains("without a fence"), "{said}");
        // What a fence keeps from happening does happen.
        assert!(victim.exists(), "{surroundings:?}: {said}");
        fs::remove_file(&victim).expect("it is there");
    }
}

#[test]
fn what_a_java_program_tries_fails_when_it_is_explored_and_replayed() {
    let _limit = testkit::limit();
    if !testkit::need("java") || !testkit::need("namespaces") {
        return;
    }
    let dir = host("escape-java");
    let classes = testkit::place!("escape-java-classes");
    java::compile(&classes, &[], &[java::source("fence/Escapes.java")]);
    let copied = Command::new("cp")
        .arg("-r")
        .arg(classes.join("classes"))
        .arg(&dir)
        .status();
    assert!(copied.expect("cp").success());
    let lines = dir.join("lines");
    let lines = lines.to_str().expect("a path in UTF-8");
    for surroundings in [HOST, CONTAINER] {
        let context = format!("{surroundings:?}");
        let mut target = Target::new(&dir, surroundings);
        let out = format!("out-{}", surroundings.no_namespaces);
        let run = target.polypath(
            surroundings,
            &[
                "java",
                "run",
                "classes",
                "--sym-stdin",
                "1",
                "--time",
                "120",
                "--out",
                &out,
                "--",
                lines,
            ],
        );
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(0), "{context}: {said}");
        assert_eq!(
            said.contains("Landlock"),
            surroundings.no_namespaces,
            "{said}"
        );
        target.is_untouched(&context);
        let run = testcase::Run::read(&dir.join(&out)).expect("the run");
        assert!(run.tests.len() >= 2, "{said}");
        for test in &run.tests {
            let printed = String::from_utf8_lossy(&test.expected.stdout).into_owned();
            assert!(!printed.contains("worked"), "{context}: {printed}");
            assert_eq!(
                printed.matches("failed").count(),
                12,
                "{context}: {printed}"
            );
        }
        let replay = target.polypath(surroundings, &["replay", &out]);
        let said = String::from_utf8_lossy(&replay.stdout).into_owned();
        assert_eq!(replay.status.code(), Some(0), "{context}: {said}");
        target.is_untouched(&format!("replay, {context}"));
    }
    let target = Target::new(&dir, BARE);
    let replay = target.polypath(BARE, &["replay", "out-false"]);
    let said = String::from_utf8_lossy(&replay.stderr).into_owned();
    assert_eq!(replay.status.code(), Some(3), "{said}");
    assert!(said.contains("--no-fence"), "{said}");
}
