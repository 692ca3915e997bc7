//! Who is no node of the run is refused by name, and harms nothing.

use polypath_fleet::frame;
use polypath_fleet::net::door::{Door, STRANGERS, Visit};
use polypath_fleet::net::handshake::{self, Refusal, Secret};
use polypath_fleet::net::message::{FromNode, ToNode};
use polypath_fleet::net::{Connection, HANDSHAKE, connect};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};
use testkit::Random;

const VERSION: &str = "1.2.3";

fn secret(text: &str) -> Secret {
    Secret::new(text.as_bytes()).unwrap()
}

fn ours() -> Secret {
    secret("0123456789abcdef")
}

/// A door that lets in who knows our secret.
fn door() -> (SocketAddr, Receiver<Visit>) {
    let door = Door::open("127.0.0.1:0").unwrap();
    let (put, visits) = sync_channel(1000);
    let address = door.address;
    door.watch(ours(), VERSION, move |visit| {
        // The test may have ended.
        let _ = put.send(visit);
    })
    .unwrap();
    (address, visits)
}

fn entered(visits: &Receiver<Visit>) -> Connection {
    match visits.recv().unwrap() {
        Visit::Entered(connection) => *connection,
        Visit::Refused(_, why) => panic!("refused: {why}"),
    }
}

fn refused(visits: &Receiver<Visit>) -> Refusal {
    match visits.recv().unwrap() {
        Visit::Entered(_) => panic!("it was let in"),
        Visit::Refused(_, why) => why,
    }
}

/// The door still lets in who knows the secret.
fn works(address: SocketAddr, visits: &Receiver<Visit>) {
    let mut node = connect(&address.to_string(), &ours(), VERSION).unwrap();
    let mut run = entered(visits);
    frame::write(&mut run.to, &ToNode::Forks(7)).unwrap();
    assert_eq!(
        frame::read::<ToNode>(&mut node.from).unwrap(),
        ToNode::Forks(7)
    );
}

#[test]
fn what_is_said_arrives_in_both_directions() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let mut node = connect(&address.to_string(), &ours(), VERSION).unwrap();
    let mut run = entered(&visits);
    // More than a piece, and than the system holds.
    let part = vec![5; 3 << 20];
    let sent = ToNode::Program(part.into());
    let copy = sent.clone();
    let writer = std::thread::spawn(move || {
        frame::write(&mut run.to, &copy).unwrap();
        frame::write(&mut run.to, &ToNode::Alive).unwrap();
        run
    });
    assert_eq!(frame::read::<ToNode>(&mut node.from).unwrap(), sent);
    assert_eq!(
        frame::read::<ToNode>(&mut node.from).unwrap(),
        ToNode::Alive
    );
    let mut run = writer.join().unwrap();
    frame::write(&mut node.to, &FromNode::Ready { workers: 3 }).unwrap();
    assert_eq!(
        frame::read::<FromNode>(&mut run.from).unwrap(),
        FromNode::Ready { workers: 3 }
    );
    drop(node);
    assert!(matches!(
        frame::read::<FromNode>(&mut run.from),
        Err(frame::FrameError::Closed)
    ));
}

#[test]
fn another_secret_is_refused_on_both_sides() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let other = secret("0123456789abcdeF");
    let said = connect(&address.to_string(), &other, VERSION);
    assert!(matches!(&said, Err(Refusal::Refused(why)) if why.contains("another secret")));
    assert!(matches!(refused(&visits), Refusal::Secret));
    works(address, &visits);
    // A listener that does not know the secret cannot pretend to.
    let fake = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = fake.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = fake.accept().unwrap();
        handshake::accept(&mut stream, &secret("fedcba9876543210"), VERSION).is_err()
    });
    assert!(connect(&address.to_string(), &ours(), VERSION).is_err());
    assert!(thread.join().unwrap());
}

#[test]
fn a_secret_is_not_short_and_has_no_space_around_it() {
    let _limit = testkit::limit();
    assert!(Secret::new(b"too short").is_err());
    assert!(Secret::new(b"too short             \n\n").is_err());
    let (address, visits) = door();
    let with_newline = secret("0123456789abcdef\n");
    assert!(connect(&address.to_string(), &with_newline, VERSION).is_ok());
    entered(&visits);
}

#[test]
fn another_version_is_refused_by_name() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let said = connect(&address.to_string(), &ours(), "1.2.2");
    let words = "the run is polypath 1.2.3, this is 1.2.2";
    assert!(matches!(&said, Err(Refusal::Refused(why)) if why == words));
    assert!(matches!(refused(&visits), Refusal::Version(v) if v == "1.2.2"));
    works(address, &visits);
}

#[test]
fn rubbish_is_refused() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let mut random = Random::new(3);
    for n in 0..200_usize {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut bytes: Vec<u8> = (0..1 + n * 7).map(|_| random.below(256) as u8).collect();
        if n % 3 == 0 {
            // It begins well.
            bytes.splice(..0, *b"\x40polypath\x01");
        }
        // It may be refused before all of it is written.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let why = refused(&visits);
        assert!(
            matches!(
                why,
                Refusal::Stranger | Refusal::Version(_) | Refusal::Secret | Refusal::Io(_)
            ),
            "{why}"
        );
    }
    // Who speaks another protocol is told nothing but the version.
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // The connection may be reset: not all that was written was read.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.len() < 100, "{answer:?}");
    assert!(matches!(
        refused(&visits),
        Refusal::Stranger | Refusal::Io(_)
    ));
    works(address, &visits);
}

#[test]
fn who_is_slow_is_sent_away_and_does_not_keep_others_out() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let begun = Instant::now();
    let mut slow = TcpStream::connect(address).unwrap();
    works(address, &visits);
    // A byte now and then is as good as nothing.
    let why = loop {
        // The connection may have ended.
        let _ = slow.write_all(b"\x40");
        match visits.recv_timeout(Duration::from_millis(250)) {
            Ok(Visit::Refused(_, why)) => break why,
            Ok(Visit::Entered(_)) => panic!("it was let in"),
            Err(_) => assert!(begun.elapsed() < 20 * HANDSHAKE, "it is not sent away"),
        }
    };
    assert!(matches!(why, Refusal::Stranger | Refusal::Io(_)), "{why}");
}

#[test]
fn who_says_nothing_is_sent_away_and_as_many_as_may_wait_side_by_side() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let begun = Instant::now();
    let silent: Vec<TcpStream> = (0..3 * STRANGERS)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let mut sent_away = 0;
    while sent_away < STRANGERS {
        refused(&visits);
        sent_away += 1;
    }
    assert!(begun.elapsed() >= HANDSHAKE - Duration::from_millis(100));
    // One after the other they would wait for as many times that.
    let most = HANDSHAKE * (STRANGERS as u32 / 2);
    assert!(begun.elapsed() < most, "{:?}", begun.elapsed());
    works(address, &visits);
    drop(silent);
}

/// Keeps what is written.
struct Recording {
    stream: TcpStream,
    written: Vec<u8>,
}

impl Read for Recording {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.stream.write(bytes)?;
        self.written.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[test]
fn a_hand_shake_that_is_repeated_is_refused() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let mut recording = Recording {
        stream: TcpStream::connect(address).unwrap(),
        written: Vec::new(),
    };
    handshake::connect(&mut recording, &ours(), VERSION).unwrap();
    entered(&visits);
    let mut again = TcpStream::connect(address).unwrap();
    again.write_all(&recording.written).unwrap();
    assert!(matches!(refused(&visits), Refusal::Secret));
    works(address, &visits);
}

#[test]
fn what_is_changed_on_the_way_is_not_believed() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let node = connect(&address.to_string(), &ours(), VERSION).unwrap();
    let mut run = entered(&visits);
    // The socket behind the connection: what is written there is not encrypted.
    drop(node.from);
    let mut raw = node.to.into_inner();
    raw.write_all(&[20, 0]).unwrap();
    raw.write_all(&[7; 20]).unwrap();
    let heard = frame::read::<FromNode>(&mut run.from);
    assert!(
        matches!(&heard, Err(frame::FrameError::Io(e)) if e.to_string().contains("damaged")),
        "{heard:?}"
    );
}

/// The pieces of a recorded side of a connection: each with its length before it.
fn pieces(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let [low, high, rest @ ..] = bytes {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let (piece, _) = bytes.split_at(2 + length);
        all.push(piece.to_vec());
        bytes = &rest[length..];
    }
    all
}

/// Somebody between a node and the run: what the node says after the hand-shake goes on when it has ended, as `change` makes it.
fn between(
    run: SocketAddr,
    change: impl FnOnce(Vec<Vec<u8>>) -> Vec<u8> + Send + 'static,
) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut node, _) = listener.accept().unwrap();
        let mut to_run = TcpStream::connect(run).unwrap();
        let (mut from_run, mut back) = (to_run.try_clone().unwrap(), node.try_clone().unwrap());
        std::thread::spawn(move || io::copy(&mut from_run, &mut back));
        let mut length = [0];
        node.read_exact(&mut length).unwrap();
        let mut greeting = vec![0; usize::from(length[0])];
        node.read_exact(&mut greeting).unwrap();
        to_run
            .write_all(&[&length, &greeting[..]].concat())
            .unwrap();
        let mut said = Vec::new();
        node.read_to_end(&mut said).unwrap();
        // The run may have closed the connection before all has arrived.
        let _ = to_run.write_all(&change(pieces(&said)));
        let _ = to_run.shutdown(Shutdown::Write);
    });
    address
}

/// What a node says in a session.
fn session(random: &mut Random) -> Vec<FromNode> {
    let mut said = vec![FromNode::Ready { workers: 2 }];
    for worker in 0..3 {
        // Some take more than one piece.
        let found = vec![worker as u8; [10, 1000, 150_000][random.below(3) as usize]];
        let message = polypath_fleet::ToCoordinator::Commit(polypath_fleet::Commit {
            found: found.into(),
            ..polypath_fleet::Commit::default()
        });
        said.push(FromNode::Said { worker, message });
        said.push(FromNode::Seen(Default::default()));
    }
    said
}

/// What somebody on the way does to the pieces of a session, and whether the run sees no fault until its end.
fn changed(mut pieces: Vec<Vec<u8>>, older: &[Vec<u8>], random: &mut Random) -> (Vec<u8>, bool) {
    let at = random.below(pieces.len() as u64) as usize;
    let last = pieces.len() - 1;
    let is_whole = match random.below(9) {
        0 => {
            let bit = random.below(8 * pieces[at].len() as u64) as usize;
            pieces[at][bit / 8] ^= 1 << (bit % 8);
            false
        }
        1 => {
            pieces.remove(at);
            at == last
        }
        2 => {
            let other = random.below(pieces.len() as u64) as usize;
            pieces.swap(at, other);
            at == other
        }
        3 => {
            pieces.insert(at, pieces[at].clone());
            false
        }
        4 => {
            pieces.truncate(at + 1);
            let length = pieces[at].len() as u64;
            pieces[at].truncate(random.below(length) as usize);
            pieces[at].is_empty()
        }
        5 => {
            pieces[at][..2].copy_from_slice(&[0xff, 0xff]);
            false
        }
        // Of another session of the same two.
        6 => {
            pieces.insert(at, older[at % older.len()].clone());
            false
        }
        7 => {
            pieces.push(
                (0..2 + random.below(300))
                    .map(|_| random.below(256) as u8)
                    .collect(),
            );
            false
        }
        _ => true,
    };
    (pieces.concat(), is_whole)
}

#[test]
fn sessions_that_are_changed_on_the_way_are_believed_up_to_the_change() {
    let _limit = testkit::limit();
    let (address, visits) = door();
    let mut older: Vec<Vec<u8>> = Vec::new();
    let mut outcomes = std::collections::BTreeMap::<&str, u32>::new();
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let said = session(&mut random);
        let (put, changes) = sync_channel(1);
        let known = older.clone();
        let through = between(address, move |pieces| {
            let first = known.is_empty();
            let (bytes, is_whole) = if first {
                (pieces.concat(), true)
            } else {
                changed(pieces.clone(), &known, &mut random)
            };
            put.send((pieces, is_whole)).unwrap();
            bytes
        });
        let mut node = connect(&through.to_string(), &ours(), VERSION).unwrap();
        for message in &said {
            frame::write(&mut node.to, message).unwrap();
        }
        node.to.into_inner().shutdown(Shutdown::Write).unwrap();
        let mut run = entered(&visits);
        let mut heard: Vec<FromNode> = Vec::new();
        let why = loop {
            match run.from.message() {
                Ok(message) => heard.push(message),
                Err(why) => break why,
            }
        };
        let (pieces, is_whole) = changes.recv().unwrap();
        // Nothing else than what was said, in its order, and no more of it than came before the change.
        assert_eq!(heard, said[..heard.len()], "{seed}");
        let is_end = matches!(why, frame::FrameError::Closed);
        if heard.len() == said.len() && is_whole {
            assert!(is_end, "{seed}: {why}");
        } else {
            assert!(
                heard.len() < said.len() || !is_end || !is_whole,
                "{seed}: {why}"
            );
        }
        *outcomes
            .entry(if is_end { "closed" } else { "damaged" })
            .or_default() += 1;
        if older.is_empty() {
            older = pieces;
        }
    }
    // Both kinds are seen, and often.
    assert!(
        outcomes.values().all(|n| *n > 30) && outcomes.len() == 2,
        "{outcomes:?}"
    );
    works(address, &visits);
}
