//! System calls with random arguments.

use super::cage::caged;
use Val::{Data, Int, Null, Out, Vector};
use testkit::Random as Rng;

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Int(i64),
    Path(String),
    Data(Vec<u8>),
    /// A buffer that the call fills.
    Out(usize),
    /// Buffers of a readv (lengths only) or writev.
    Vector(Vec<Vec<u8>>),
    Null,
}

#[derive(Clone, Debug)]
pub struct Op {
    pub nr: u64,
    pub args: Vec<Val>,
}

pub fn path(text: &str) -> Val {
    Val::Path(text.to_string())
}

/// Paths that sequences use; few, so that they meet.
pub const PATHS: &[&str] = &[
    "a", "b", "c", "d", "e", "d/a", "d/b", "d/e", "d/e/a", "e/a", "l", "m", "d/l", "./a", "a/",
    "d/", "e/", "l/", "a/b", "nope/x", ".", "./", "d/.", "", "l/a", "m/a", "fifo",
];

/// Paths that lead up, out of the directory that sequences run in.
pub const UPWARDS: &[&str] = &[
    "..",
    "../work/b",
    "d/..",
    "d/../..",
    "/",
    "//",
    "/base/work/a",
    "../../d",
    "/base",
];

pub const FLAGS: &[i64] = &[
    0, 0, 1, 2, 2, 0o101, 0o102, 0o102, 0o302, 0o1002, 0o1001, 0o1102, 0o2002, 0o2101, 0o200000,
    0o400000, 0o1000, 0o10000000,
];

pub fn any_path(rng: &mut Rng) -> Val {
    if rng.chance(1) {
        return path(&"n".repeat(rng.pick(&[255, 256, 5000])));
    }
    if caged() && rng.chance(15) {
        return path(rng.pick(UPWARDS));
    }
    path(rng.pick(PATHS))
}

pub fn fd(rng: &mut Rng) -> Val {
    Int(if rng.chance(4) {
        rng.pick(&[-1, 77, 5000])
    } else {
        3 + rng.below(6) as i64
    })
}

pub fn dirfd(rng: &mut Rng) -> Val {
    if rng.chance(60) { Int(-100) } else { fd(rng) }
}

pub fn data(rng: &mut Rng) -> Vec<u8> {
    let len = rng.pick(&[0, 1, 3, 10, 10, 100, 5000]);
    (0..len).map(|_| b'a' + rng.below(26) as u8).collect()
}

pub fn mode(rng: &mut Rng) -> Val {
    Int(rng.pick(&[
        0o644, 0o600, 0o755, 0o700, 0o777, 0o444, 0o200, 0, 0o1777, 0o4755, 0o2775, 0o6711,
    ]))
}

pub fn size(rng: &mut Rng) -> Val {
    Int(rng.pick(&[0, 1, 5, 10, 100, 4096, 5000, 10000, -1]))
}

/// One random call.
pub fn op(rng: &mut Rng) -> Op {
    let mut list: Vec<(u64, u64, Vec<Val>)> = Vec::new();
    let mut add = |weight: u64, nr: u64, args: Vec<Val>| list.push((weight, nr, args));
    let r = rng;
    add(14, 2, vec![any_path(r), Int(r.pick(FLAGS)), mode(r)]);
    add(
        4,
        257,
        vec![dirfd(r), any_path(r), Int(r.pick(FLAGS)), mode(r)],
    );
    let len = r.pick(&[0, 1, 4, 10, 100, 6000]);
    add(6, 0, vec![fd(r), Out(len), Int(len as i64)]);
    add(3, 17, vec![fd(r), Out(len), Int(len as i64), size(r)]);
    let bytes = data(r);
    let count = Int(bytes.len() as i64);
    add(8, 1, vec![fd(r), Data(bytes.clone()), count.clone()]);
    add(3, 18, vec![fd(r), Data(bytes), count, size(r)]);
    let parts: Vec<Vec<u8>> = (0..r.below(4)).map(|_| data(r)).collect();
    let parts_len = Int(parts.len() as i64);
    add(2, 20, vec![fd(r), Vector(parts.clone()), parts_len.clone()]);
    add(2, 19, vec![fd(r), Vector(parts), parts_len]);
    add(
        5,
        8,
        vec![
            fd(r),
            Int(r.pick(&[0, 1, 5, -1, -5, 100, 5000])),
            Int(r.pick(&[0, 0, 1, 2, 2, 7])),
        ],
    );
    add(3, 77, vec![fd(r), size(r)]);
    add(2, 76, vec![any_path(r), size(r)]);
    add(3, 32, vec![fd(r)]);
    add(2, 33, vec![fd(r), fd(r)]);
    add(2, 292, vec![fd(r), fd(r), Int(r.pick(&[0, 0o2000000, 1]))]);
    add(7, 3, vec![fd(r)]);
    add(
        2,
        72,
        vec![
            fd(r),
            Int(r.pick(&[0, 1030])),
            Int(r.pick(&[0, 3, 6, -1, 99999])),
        ],
    );
    add(2, 72, vec![fd(r), Int(r.pick(&[1, 3]))]);
    add(1, 72, vec![fd(r), Int(2), Int(r.pick(&[0, 1]))]);
    add(
        2,
        72,
        vec![fd(r), Int(4), Int(r.pick(&[0, 0o2000, 0o4000, 0o6000]))],
    );
    add(6, 83, vec![any_path(r), mode(r)]);
    add(2, 258, vec![dirfd(r), any_path(r), mode(r)]);
    add(3, 84, vec![any_path(r)]);
    add(4, 87, vec![any_path(r)]);
    add(
        2,
        263,
        vec![dirfd(r), any_path(r), Int(r.pick(&[0, 0x200, 1]))],
    );
    add(5, 82, vec![any_path(r), any_path(r)]);
    add(
        3,
        316,
        vec![
            dirfd(r),
            any_path(r),
            dirfd(r),
            any_path(r),
            Int(r.pick(&[0, 1, 2, 2, 3])),
        ],
    );
    add(4, 86, vec![any_path(r), any_path(r)]);
    add(
        1,
        265,
        vec![
            dirfd(r),
            any_path(r),
            dirfd(r),
            any_path(r),
            Int(r.pick(&[0, 0x400, 0x100])),
        ],
    );
    add(5, 88, vec![any_path(r), any_path(r)]);
    add(
        4,
        89,
        vec![any_path(r), Out(40), Int(r.pick(&[40, 40, 3, 0]))],
    );
    add(1, 267, vec![dirfd(r), any_path(r), Out(40), Int(40)]);
    add(6, 4, vec![any_path(r), Out(144)]);
    add(4, 6, vec![any_path(r), Out(144)]);
    add(4, 5, vec![fd(r), Out(144)]);
    add(
        3,
        262,
        vec![
            dirfd(r),
            any_path(r),
            Out(144),
            Int(r.pick(&[0, 0x100, 0x1000, 0x2])),
        ],
    );
    add(4, 90, vec![any_path(r), mode(r)]);
    add(1, 91, vec![fd(r), mode(r)]);
    add(1, 268, vec![dirfd(r), any_path(r), mode(r)]);
    add(3, 80, vec![any_path(r)]);
    add(1, 81, vec![fd(r)]);
    add(
        4,
        21,
        vec![any_path(r), Int(r.pick(&[0, 4, 2, 1, 6, 7, 8]))],
    );
    add(
        1,
        439,
        vec![
            dirfd(r),
            any_path(r),
            Int(r.pick(&[0, 4, 2])),
            Int(r.pick(&[0, 0x200, 0x100])),
        ],
    );
    add(3, 217, vec![fd(r), Out(2000), Int(2000)]);
    add(2, 79, vec![Out(200), Int(r.pick(&[200, 200, 4]))]);
    add(2, 22, vec![Out(8)]);
    add(1, 293, vec![Out(8), Int(r.pick(&[0o4000, 0o2000000, 1]))]);
    add(1, 95, vec![mode(r)]);
    add(
        2,
        133,
        vec![
            any_path(r),
            Int(r.pick(&[0o644, 0o100600, 0o010644, 0o010644, 0o040755])),
            Int(0),
        ],
    );
    add(
        2,
        280,
        vec![dirfd(r), any_path(r), times(r), Int(r.pick(&[0, 0x100]))],
    );
    add(1, 280, vec![fd(r), Null, times(r), Int(0)]);
    add(
        2,
        94,
        vec![
            any_path(r),
            Int(r.pick(&[-1, 0, 1000])),
            Int(r.pick(&[-1, 0, 1000])),
        ],
    );
    add(1, 93, vec![fd(r), Int(r.pick(&[-1, 1000])), Int(-1)]);
    add(1, r.pick(&[74, 75, 306]), vec![fd(r)]);
    let operation = Int(r.pick(&[1, 2, 5, 6, 6, 8, 12, 3]));
    // Nobody would end a wait.
    let operation = if let Int(n @ (1 | 2)) = operation {
        Int(n | 4)
    } else {
        operation
    };
    add(5, 73, vec![fd(r), operation]);
    let command = r.pick(&[5, 6, 6, 36, 37, 37]);
    add(6, 72, vec![fd(r), Int(command), lock(r, command)]);
    let pid = std::process::id() as i64;
    let owner = r.pick(&[0, pid, 1 << 30, -(1 << 30)]);
    add(1, 72, vec![fd(r), Int(8), Int(owner)]);
    let kind = r.pick(&[0u32, 1, 2, 3]).to_le_bytes();
    let record = [kind, (owner as u32).to_le_bytes()].concat();
    add(1, 72, vec![fd(r), Int(15), Data(record)]);
    add(1, 72, vec![fd(r), Int(9)]);
    add(1, 72, vec![fd(r), Int(16), Out(8)]);
    add(1, 187, vec![fd(r), Int(0), size(r)]);
    add(
        1,
        277,
        vec![fd(r), size(r), size(r), Int(r.pick(&[0, 2, 7, 8]))],
    );
    let groups = r.pick(&[&[][..], &[7], &[1000, 3], &[5, 0, 1000]]);
    let record: Vec<u8> = groups.iter().flat_map(|g: &u32| g.to_le_bytes()).collect();
    add(1, 116, vec![Int(groups.len() as i64), Data(record)]);
    add(1, 115, vec![Int(r.pick(&[0, 1, 2, 10, -1])), Out(40)]);
    add(2, 7, vec![polls(r), Int(2), Int(0)]);
    add(1, 40, vec![fd(r), fd(r), Null, Int(r.pick(&[0, 5, 1000]))]);
    add(
        1,
        285,
        vec![
            fd(r),
            Int(0),
            Int(r.pick(&[0, 100])),
            Int(r.pick(&[0, 1, 5000])),
        ],
    );
    add(
        1,
        221,
        vec![fd(r), size(r), size(r), Int(r.pick(&[0, 2, 9]))],
    );
    add(1, 16, vec![fd(r), Int(0x5413), Out(8)]);
    add(1, 16, vec![fd(r), Int(0x541b), Out(4)]);
    let total: u64 = list.iter().map(|(weight, ..)| weight).sum();
    let mut at = r.below(total);
    for (weight, nr, args) in list {
        if at < weight {
            return Op { nr, args };
        }
        at -= weight;
    }
    unreachable!()
}

/// A `struct flock`.
pub fn lock(rng: &mut Rng, command: i64) -> Val {
    let mut record = vec![0; 32];
    let kinds: &[u16] = match command {
        5 => &[0, 1, 3],
        // Kernels of today answer a question about F_UNLCK.
        36 => &[0, 1],
        _ => &[0, 0, 1, 1, 2, 2, 3],
    };
    let kind = kinds[rng.below(kinds.len() as u64) as usize];
    let whence = rng.pick(&[0u16, 0, 0, 1, 2, 3]);
    let start = rng.pick(&[0i64, 0, 5, 10, 20, -5, i64::MAX]);
    let len = rng.pick(&[0i64, 1, 5, 10, 15, -5, i64::MAX]);
    record[0..2].copy_from_slice(&kind.to_le_bytes());
    record[2..4].copy_from_slice(&whence.to_le_bytes());
    record[8..16].copy_from_slice(&start.to_le_bytes());
    record[16..24].copy_from_slice(&len.to_le_bytes());
    record[24] = rng.chance(5) as u8;
    Data(record)
}

pub fn times(rng: &mut Rng) -> Val {
    let mut record = Vec::new();
    for _ in 0..2 {
        let nanoseconds = rng.pick(&[0u64, 5, 0x3fff_fffe, 2_000_000_000]);
        record.extend((1000 + rng.below(1000)).to_le_bytes());
        record.extend(nanoseconds.to_le_bytes());
    }
    if rng.chance(20) { Null } else { Data(record) }
}

/// Two `struct pollfd`.
pub fn polls(rng: &mut Rng) -> Val {
    let mut record = Vec::new();
    for _ in 0..2 {
        record.extend((3 + rng.below(6) as i32).to_le_bytes());
        record.extend((rng.pick(&[1u16, 4, 5])).to_le_bytes());
        record.extend([0, 0]);
    }
    Data(record)
}

pub fn shown(args: &[Val]) -> String {
    let show = |arg: &Val| match arg {
        Int(value) => format!("{value} ({value:#o})"),
        Val::Path(text) if text.len() > 40 => format!("a path of {} bytes", text.len()),
        Val::Path(text) => format!("{text:?}"),
        Data(bytes) => format!(
            "{} bytes {:?}",
            bytes.len(),
            String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        ),
        Out(len) => format!("buffer of {len}"),
        Vector(parts) => format!(
            "vector of {:?}",
            parts.iter().map(Vec::len).collect::<Vec<_>>()
        ),
        Null => "null".to_string(),
    };
    args.iter().map(show).collect::<Vec<_>>().join(", ")
}
