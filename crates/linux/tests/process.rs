//! Signals, time, identity, pipes and waiting, on concrete calls.

use crate::common::{BASE, Mock, answer, call, concrete_world};
use polypath_linux::abi::*;
use polypath_linux::*;

const SIGACTION: u64 = 13;
const SIGPROCMASK: u64 = 14;
const PAUSE: u64 = 34;
const NANOSLEEP: u64 = 35;
const ALARM: u64 = 37;
const TKILL: u64 = 200;
const CLOCK_GETTIME: u64 = 228;

fn fresh() -> (World, Mock) {
    let mut mock = Mock::new();
    let world = concrete_world(&mut mock, &WorldConfig::default());
    (world, mock)
}

fn words(mock: &mut Mock, offset: usize, words: &[u64]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    mock.place(offset, &Bytes::concrete(bytes))
}

fn handle(world: &mut World, mock: &mut Mock, signal: i32, handler: u64, flags: u64, mask: u64) {
    let addr = words(mock, 0x8000, &[handler, flags, 0, mask]);
    assert_eq!(
        call(world, mock, SIGACTION, &[signal as u64, addr, 0, 8]),
        0
    );
}

#[test]
fn abort_as_libc_does_it_kills_with_sigabrt() {
    let (mut world, mut mock) = fresh();
    // raise: block, tkill, unblock.
    let set = words(&mut mock, 0, &[u64::MAX]);
    assert_eq!(
        call(
            &mut world,
            &mut mock,
            SIGPROCMASK,
            &[SIG_BLOCK, set, BASE + 64, 8]
        ),
        0
    );
    assert_eq!(
        call(&mut world, &mut mock, TKILL, &[1000, SIGABRT as u64]),
        0
    );
    match answer(
        &mut world,
        &mut mock,
        SIGPROCMASK,
        &[SIG_SETMASK, BASE + 64, 0, 8],
    ) {
        CallAnswer::Kill {
            signal: SIGABRT,
            core: true,
        } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_handler_runs_and_its_mask_goes_with_it() {
    let (mut world, mut mock) = fresh();
    handle(
        &mut world,
        &mut mock,
        SIGUSR1,
        0x4000,
        SA_SIGINFO,
        1 << (SIGUSR2 - 1),
    );
    handle(&mut world, &mut mock, SIGUSR2, 0x5000, SA_RESETHAND, 0);
    assert!(world.has_handler(SIGUSR1) && !world.has_handler(SIGTERM));
    let CallAnswer::Deliver(first) = answer(&mut world, &mut mock, 62, &[1000, SIGUSR1 as u64])
    else {
        panic!()
    };
    assert_eq!(
        (first.signal, first.handler, first.code),
        (SIGUSR1, 0x4000, SI_USER)
    );
    assert_eq!(&first.siginfo()[16..24], &[0xe8, 3, 0, 0, 0xe8, 3, 0, 0]);
    // While it runs, both signals wait.
    assert_eq!(call(&mut world, &mut mock, 62, &[1000, SIGUSR2 as u64]), 0);
    assert_eq!(call(&mut world, &mut mock, 62, &[1000, SIGUSR1 as u64]), 0);
    let CallAnswer::Deliver(second) = world.handler_returned(&first) else {
        panic!()
    };
    assert_eq!(second.signal, SIGUSR1);
    let CallAnswer::Deliver(third) = world.handler_returned(&second) else {
        panic!()
    };
    assert_eq!(third.signal, SIGUSR2);
    assert!(matches!(
        world.handler_returned(&third),
        CallAnswer::Return(Word::Concrete(0))
    ));
    // SA_RESETHAND: the next one kills.
    assert!(matches!(
        answer(&mut world, &mut mock, 62, &[1000, SIGUSR2 as u64]),
        CallAnswer::Kill { core: false, .. }
    ));
}

#[test]
fn ignored_and_default_ignored_signals_do_nothing() {
    let (mut world, mut mock) = fresh();
    assert_eq!(call(&mut world, &mut mock, 62, &[1000, SIGCHLD as u64]), 0);
    handle(&mut world, &mut mock, SIGTERM, SIG_IGN, 0, 0);
    assert_eq!(call(&mut world, &mut mock, 62, &[0, SIGTERM as u64]), 0);
    assert_eq!(call(&mut world, &mut mock, 62, &[1000, 0]), 0);
    assert_eq!(call(&mut world, &mut mock, 62, &[4242, 9]), -(ESRCH as i64));
    assert_eq!(
        call(&mut world, &mut mock, 62, &[1000, 65]),
        -(EINVAL as i64)
    );
    assert!(matches!(
        answer(&mut world, &mut mock, 62, &[1000, SIGSTOP as u64]),
        CallAnswer::Block(_)
    ));
    // A fault cannot be ignored.
    handle(&mut world, &mut mock, SIGFPE, SIG_IGN, 0, 0);
    assert!(matches!(
        world.raise(SIGFPE, 1, 0x1234),
        CallAnswer::Kill { signal: SIGFPE, .. }
    ));
}

#[test]
fn sleeping_moves_the_clock_and_alarms_wake() {
    let (mut world, mut mock) = fresh();
    let now = |world: &mut World, mock: &mut Mock| {
        assert_eq!(call(world, mock, CLOCK_GETTIME, &[0, BASE + 0x100]), 0);
        let bytes = mock.at(0x100, 16).bits;
        (
            i64::from_le_bytes(bytes[..8].try_into().unwrap()),
            u64::from_le_bytes(bytes[8..].try_into().unwrap()),
        )
    };
    assert_eq!(now(&mut world, &mut mock), (1_700_000_000, 0));
    mock.instructions = 1500;
    assert_eq!(now(&mut world, &mut mock), (1_700_000_000, 1500));
    let request = words(&mut mock, 0, &[2, 500]);
    assert_eq!(call(&mut world, &mut mock, NANOSLEEP, &[request, 0]), 0);
    assert_eq!(now(&mut world, &mut mock), (1_700_000_002, 2000));
    // An alarm cuts a sleep short.
    handle(&mut world, &mut mock, SIGALRM, 0x4000, 0, 0);
    assert_eq!(call(&mut world, &mut mock, ALARM, &[3]), 0);
    let request = words(&mut mock, 0, &[10, 0]);
    let CallAnswer::Deliver(delivery) =
        answer(&mut world, &mut mock, NANOSLEEP, &[request, BASE + 64])
    else {
        panic!()
    };
    assert_eq!(delivery.result, Word::Concrete(-(EINTR as i64) as u64));
    assert_eq!(mock.at(64, 1).bits, [7]);
    world.handler_returned(&delivery);
    assert_eq!(now(&mut world, &mut mock).0, 1_700_000_005);
    // pause needs a signal to come.
    assert!(matches!(
        answer(&mut world, &mut mock, PAUSE, &[]),
        CallAnswer::Block(_)
    ));
    assert_eq!(call(&mut world, &mut mock, ALARM, &[1]), 0);
    assert_eq!(call(&mut world, &mut mock, ALARM, &[5]), 1);
    assert!(matches!(
        answer(&mut world, &mut mock, PAUSE, &[]),
        CallAnswer::Deliver(_)
    ));
}

#[test]
fn sigsuspend_returns_with_the_old_mask() {
    let (mut world, mut mock) = fresh();
    handle(&mut world, &mut mock, SIGUSR1, 0x4000, 0, 0);
    let set = words(&mut mock, 0, &[1 << (SIGUSR1 - 1)]);
    call(&mut world, &mut mock, SIGPROCMASK, &[SIG_BLOCK, set, 0, 8]);
    assert_eq!(call(&mut world, &mut mock, 62, &[1000, SIGUSR1 as u64]), 0);
    let none = words(&mut mock, 8, &[0]);
    let CallAnswer::Deliver(delivery) = answer(&mut world, &mut mock, 130, &[none, 8]) else {
        panic!()
    };
    assert_eq!(delivery.saved_mask, 1 << (SIGUSR1 - 1));
    world.handler_returned(&delivery);
    assert_eq!(
        call(&mut world, &mut mock, 62, &[1000, SIGUSR1 as u64]),
        0,
        "blocked again"
    );
}

#[test]
fn pipes_carry_bytes_and_end() {
    let (mut world, mut mock) = fresh();
    assert_eq!(call(&mut world, &mut mock, 22, &[BASE]), 0);
    assert!(matches!(
        answer(&mut world, &mut mock, 0, &[3, BASE + 64, 1]),
        CallAnswer::Block(_)
    ));
    mock.place(64, &Bytes::concrete(*b"hello"));
    assert_eq!(call(&mut world, &mut mock, 1, &[4, BASE + 64, 5]), 5);
    assert_eq!(call(&mut world, &mut mock, 0, &[3, BASE + 128, 2]), 2);
    assert_eq!(mock.at(128, 2).bits, b"he");
    assert_eq!(call(&mut world, &mut mock, 3, &[4]), 0);
    assert_eq!(call(&mut world, &mut mock, 0, &[3, BASE + 128, 9]), 3);
    assert_eq!(call(&mut world, &mut mock, 0, &[3, BASE + 128, 9]), 0);
    // Without readers: SIGPIPE.
    assert_eq!(call(&mut world, &mut mock, 22, &[BASE]), 0);
    assert_eq!(call(&mut world, &mut mock, 3, &[4]), 0);
    assert!(matches!(
        answer(&mut world, &mut mock, 1, &[5, BASE, 1]),
        CallAnswer::Kill {
            signal: SIGPIPE,
            ..
        }
    ));
}

#[test]
fn waiting_for_nothing_is_a_deadlock() {
    let (mut world, mut mock) = fresh();
    // futex on a word that has the expected value; poll and select on nothing.
    words(&mut mock, 0, &[7]);
    assert!(matches!(
        answer(&mut world, &mut mock, 202, &[BASE, 0, 7, 0]),
        CallAnswer::Block(_)
    ));
    assert_eq!(
        call(&mut world, &mut mock, 202, &[BASE, 0, 8, 0]),
        -(EAGAIN as i64)
    );
    assert_eq!(call(&mut world, &mut mock, 202, &[BASE, 1, 1]), 0);
    assert!(matches!(
        answer(&mut world, &mut mock, 7, &[BASE, 0, u64::MAX]),
        CallAnswer::Block(_)
    ));
    assert_eq!(call(&mut world, &mut mock, 7, &[BASE, 0, 100]), 0);
    assert!(matches!(
        answer(&mut world, &mut mock, 23, &[0, 0, 0, 0, 0]),
        CallAnswer::Block(_)
    ));
    // stdin is always ready.
    words(&mut mock, 0, &[1]);
    assert_eq!(call(&mut world, &mut mock, 23, &[1, BASE, 0, 0, 0]), 1);
}

#[test]
fn identity_and_limits() {
    let (mut world, mut mock) = fresh();
    assert_eq!(call(&mut world, &mut mock, 102, &[]), 1000);
    assert_eq!(call(&mut world, &mut mock, 105, &[0]), -(EPERM as i64));
    assert_eq!(call(&mut world, &mut mock, 105, &[1000]), 0);
    assert_eq!(call(&mut world, &mut mock, 95, &[0o077]), 0o022);
    assert_eq!(call(&mut world, &mut mock, 95, &[0]), 0o077);
    let limits = words(&mut mock, 0, &[4, 1024]);
    assert_eq!(call(&mut world, &mut mock, 160, &[7, limits]), 0);
    let path = mock.string(64, "/dev/null");
    assert_eq!(call(&mut world, &mut mock, 2, &[path, 0]), 3);
    assert_eq!(call(&mut world, &mut mock, 2, &[path, 0]), -(EMFILE as i64));
    // A file size limit sends SIGXFSZ.
    let limits = words(&mut mock, 0, &[2, 2]);
    assert_eq!(call(&mut world, &mut mock, 160, &[1, limits]), 0);
    assert_eq!(call(&mut world, &mut mock, 3, &[3]), 0);
    let path = mock.string(64, "f");
    assert_eq!(
        call(
            &mut world,
            &mut mock,
            2,
            &[path, (O_CREAT | O_WRONLY) as u64, 0o600]
        ),
        3
    );
    assert_eq!(call(&mut world, &mut mock, 1, &[3, BASE, 5]), 2);
    assert!(matches!(
        answer(&mut world, &mut mock, 1, &[3, BASE, 5]),
        CallAnswer::Kill {
            signal: SIGXFSZ,
            ..
        }
    ));
}

#[test]
fn devices() {
    let (mut world, mut mock) = fresh();
    let open = |world: &mut World, mock: &mut Mock, name: &str| {
        let path = mock.string(0, name);
        call(world, mock, 2, &[path, 2])
    };
    assert_eq!(open(&mut world, &mut mock, "/dev/null"), 3);
    assert_eq!(open(&mut world, &mut mock, "/dev/full"), 4);
    assert_eq!(open(&mut world, &mut mock, "/dev/urandom"), 5);
    assert_eq!(open(&mut world, &mut mock, "/dev/tty"), -(ENXIO as i64));
    assert_eq!(call(&mut world, &mut mock, 0, &[3, BASE, 5]), 0);
    assert_eq!(call(&mut world, &mut mock, 1, &[3, BASE, 5]), 5);
    assert_eq!(
        call(&mut world, &mut mock, 1, &[4, BASE, 5]),
        -(ENOSPC as i64)
    );
    assert_eq!(call(&mut world, &mut mock, 0, &[4, BASE, 5]), 5);
    assert_eq!(call(&mut world, &mut mock, 0, &[5, BASE, 8]), 8);
    let first = mock.at(0, 8);
    assert_eq!(call(&mut world, &mut mock, 0, &[5, BASE, 8]), 8);
    assert_ne!(first, mock.at(0, 8));
    // The same bytes in another run.
    let (mut again, mut other) = fresh();
    let path = other.string(0, "/dev/urandom");
    assert_eq!(call(&mut again, &mut other, 2, &[path, 0]), 3);
    assert_eq!(call(&mut again, &mut other, 0, &[3, BASE, 8]), 8);
    assert_eq!(first, other.at(0, 8));
    // isatty: no.
    assert_eq!(
        call(&mut world, &mut mock, 16, &[1, 0x5413, BASE]),
        -(ENOTTY as i64)
    );
    // A pipe can be opened again by its descriptor.
    assert_eq!(open(&mut world, &mut mock, "/dev/stderr"), 6);
}

#[test]
fn proc_self() {
    let (mut world, mut mock) = fresh();
    let path = mock.string(0, "/dev/zero");
    assert_eq!(call(&mut world, &mut mock, 2, &[path, 0]), 3);
    let link = mock.string(0, "/proc/self/fd/3");
    assert_eq!(call(&mut world, &mut mock, 89, &[link, BASE + 100, 50]), 9);
    assert_eq!(mock.at(100, 9).bits, b"/dev/zero");
    let exe = mock.string(0, "/proc/self/exe");
    assert_eq!(call(&mut world, &mut mock, 89, &[exe, BASE + 100, 50]), 16);
    assert_eq!(mock.at(100, 16).bits, b"/usr/bin/program");
    let missing = mock.string(0, "/proc/self/fd/9");
    assert_eq!(
        call(&mut world, &mut mock, 2, &[missing, 0]),
        -(ENOENT as i64)
    );
}

#[test]
fn running_other_programs_fails_as_it_would() {
    let (mut world, mut mock) = fresh();
    let path = mock.string(0, "/usr/bin/ls");
    assert_eq!(
        call(&mut world, &mut mock, 59, &[path, 0, 0]),
        -(ENOENT as i64)
    );
    let path = mock.string(0, "/etc/passwd");
    assert_eq!(
        call(&mut world, &mut mock, 59, &[path, 0, 0]),
        -(EACCES as i64)
    );
    assert_eq!(
        call(&mut world, &mut mock, 61, &[0, 0, 0, 0]),
        -(ECHILD as i64)
    );
    assert_eq!(world.unmodelled().len(), 1);
}

#[test]
fn mappings() {
    let (mut world, mut mock) = fresh();
    assert_eq!(
        call(&mut world, &mut mock, 9, &[0, 5000, 3, 0x22, u64::MAX, 0]),
        0x7000_0000
    );
    assert_eq!(mock.maps[0].len, 5000);
    assert_eq!(
        call(&mut world, &mut mock, 9, &[0, 0, 3, 0x22, u64::MAX, 0]),
        -(EINVAL as i64)
    );
    assert_eq!(
        call(&mut world, &mut mock, 9, &[0, 4096, 1, 2, 77, 0]),
        -(EBADF as i64)
    );
    let path = mock.string(0, "/etc/group");
    assert_eq!(call(&mut world, &mut mock, 2, &[path, 0]), 3);
    assert_eq!(
        call(&mut world, &mut mock, 9, &[0, 4096, 1, 2, 3, 0]),
        0x7000_0000
    );
    let content = mock.maps[1].content.as_ref().expect("a file");
    assert!(content.bits.starts_with(b"root:x:0:"));
    assert_eq!(
        call(&mut world, &mut mock, 9, &[0, 4096, 3, 1, 3, 0]),
        -(EACCES as i64)
    );
    assert_eq!(
        call(&mut world, &mut mock, 9, &[0, 4096, 3, 2, 1, 0]),
        -(EACCES as i64)
    );
}

#[test]
fn calls_can_be_made_to_fail() {
    let (mut world, mut mock) = fresh();
    let args = [Arg::concrete(0); 6];
    assert_eq!(World::can_fail(0, &args), [EIO]);
    assert!(World::can_fail(39, &args).is_empty());
    assert!(
        matches!(world.fail(0, &args, EIO), CallAnswer::Return(Word::Concrete(v)) if v as i64 == -(EIO as i64))
    );
    // A close that fails has closed all the same.
    world.fail(3, &args, EIO);
    assert_eq!(call(&mut world, &mut mock, 3, &[0]), -(EBADF as i64));
}

#[test]
fn a_host_directory_is_seen_and_never_written() {
    let dir = std::env::temp_dir().join(format!("polypath-view-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("sub")).unwrap();
    std::fs::write(dir.join("data"), "from the host").unwrap();
    std::fs::write(dir.join("sub/inner"), "deep").unwrap();
    std::os::unix::fs::symlink("sub/inner", dir.join("link")).unwrap();
    let mut mock = Mock::new();
    let views = vec![HostView {
        host: dir.clone(),
        at: "/home/user".to_string(),
    }];
    let mut world = concrete_world(
        &mut mock,
        &WorldConfig {
            views,
            ..WorldConfig::default()
        },
    );
    let read = |world: &mut World, mock: &mut Mock, name: &str| {
        let path = mock.string(0, name);
        let fd = call(world, mock, 2, &[path, 0]);
        if fd < 0 {
            return Err(-fd as i32);
        }
        let len = call(world, mock, 0, &[fd as u64, BASE + 100, 100]);
        call(world, mock, 3, &[fd as u64]);
        Ok(String::from_utf8(mock.at(100, len as usize).bits).unwrap())
    };
    assert_eq!(
        read(&mut world, &mut mock, "data").unwrap(),
        "from the host"
    );
    assert_eq!(read(&mut world, &mut mock, "link").unwrap(), "deep");
    assert_eq!(read(&mut world, &mut mock, "nothing"), Err(ENOENT));
    // Copy on write, in the world only.
    let mut fork = world.clone();
    let path = mock.string(0, "data");
    assert_eq!(call(&mut fork, &mut mock, 2, &[path, 1]), 3);
    mock.place(200, &Bytes::concrete(*b"FROM"));
    assert_eq!(call(&mut fork, &mut mock, 1, &[3, BASE + 200, 4]), 4);
    assert_eq!(read(&mut fork, &mut mock, "data").unwrap(), "FROM the host");
    assert_eq!(
        read(&mut world, &mut mock, "data").unwrap(),
        "from the host"
    );
    let path = mock.string(0, "sub/inner");
    assert_eq!(call(&mut fork, &mut mock, 87, &[path]), 0);
    assert_eq!(read(&mut fork, &mut mock, "link"), Err(ENOENT));
    assert_eq!(
        std::fs::read_to_string(dir.join("data")).unwrap(),
        "from the host"
    );
    assert!(dir.join("sub/inner").exists());
    std::fs::remove_dir_all(&dir).unwrap();
}
