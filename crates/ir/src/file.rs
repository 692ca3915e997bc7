//! The file form of a module: a header, then the module in postcard's encoding.
//!
//! ```text
//! 0   8  magic "PPIR\r\n\x1a\n"
//! 8   4  format version
//! 12  4  zero
//! 16  8  length of the rest
//! 24  8  hash of the rest
//! 32     postcard
//! ```

use crate::verify::Fault;
use crate::{Module, Verified};

const MAGIC: [u8; 8] = *b"PPIR\r\n\x1a\n";
/// Grows with every change of the IR's types.
pub const VERSION: u32 = 10;
const HEADER: usize = 32;

/// Why bytes are not a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It does not begin as a file of this kind does.
    NotIr,
    /// It was written in this version of the format.
    Version(u32),
    /// Its content contradicts itself; what is wrong.
    Damaged(&'static str),
    /// Decodable, but the verifier refuses it.
    Invalid(Fault),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileError::NotIr => write!(f, "not a file of Polypath's IR"),
            FileError::Version(v) => write!(
                f,
                "IR of format version {v}; this build reads version {VERSION}"
            ),
            FileError::Damaged(what) => write!(f, "damaged IR file: {what}"),
            FileError::Invalid(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for FileError {}

/// The file's bytes.
pub fn to_bytes(module: &Module) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    // Encoding into memory fails only for types that postcard cannot hold; the IR has none.
    bytes = postcard::to_extend(module, bytes).expect("the IR is encodable");
    let length = (bytes.len() - HEADER) as u64;
    let hash = content_hash(&[&bytes[HEADER..]])[0];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    bytes[24..32].copy_from_slice(&hash.to_le_bytes());
    bytes
}

/// The checksum that a file's header states: equal for equal modules.
pub fn checksum(bytes: &[u8]) -> Option<u64> {
    let stated = bytes.starts_with(&MAGIC).then(|| bytes.get(24..32))??;
    Some(u64::from_le_bytes(stated.try_into().expect("eight bytes")))
}

/// The module in a file's bytes, verified: its checksum says only that it is what somebody wrote.
pub fn from_bytes(bytes: &[u8]) -> Result<Verified, FileError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(FileError::NotIr);
    }
    let word = |at: usize| {
        bytes
            .get(at..at + 8)
            .map(|b| u64::from_le_bytes(b.try_into().expect("eight bytes")))
    };
    let (Some(version), Some(length), Some(hash)) = (word(8), word(16), word(24)) else {
        return Err(FileError::Damaged("truncated header"));
    };
    if version as u32 != VERSION {
        return Err(FileError::Version(version as u32));
    }
    let payload = &bytes[HEADER..];
    if payload.len() as u64 != length {
        return Err(FileError::Damaged("truncated"));
    }
    if content_hash(&[payload])[0] != hash {
        return Err(FileError::Damaged("wrong checksum"));
    }
    let module: Module =
        postcard::from_bytes(payload).map_err(|_| FileError::Damaged("not decodable"))?;
    Verified::new(module).map_err(FileError::Invalid)
}

/// A 128-bit hash of byte strings (each delimited by its length) for caches and checksums: two
/// lanes of multiply-and-fold, eight bytes a step. Not against adversaries.
pub fn content_hash(parts: &[&[u8]]) -> [u64; 2] {
    fn fold(a: u64, b: u64) -> u64 {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ (wide >> 64) as u64
    }
    const A: u64 = 0x9E37_79B9_7F4A_7C15;
    const B: u64 = 0xD6E8_FEB8_6659_FD93;
    let mut lanes = [0x243F_6A88_85A3_08D3u64, 0x1319_8A2E_0370_7344];
    let mut step = |word: u64| {
        lanes[0] = fold(lanes[0] ^ word, A);
        lanes[1] = fold(lanes[1].rotate_left(29) ^ word, B) ^ lanes[1];
    };
    for part in parts {
        let words = part.chunks_exact(8);
        let rest = words.remainder();
        for w in words {
            step(u64::from_le_bytes(w.try_into().expect("eight bytes")));
        }
        let mut tail = [0; 8];
        tail[..rest.len()].copy_from_slice(rest);
        step(u64::from_le_bytes(tail));
        step(part.len() as u64);
    }
    [fold(lanes[0], B), fold(lanes[1], A)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inst, Reg, Val};

    fn program(operand: Val) -> Module {
        let mut m = Module::default();
        m.code.push(Inst::Add {
            w: 32,
            dst: Reg(1),
            a: operand,
            b: Val::reg(Reg(0)),
        });
        m.code.push(Inst::Unreachable);
        m.functions.push(crate::Function {
            name: "f".into(),
            ty: 0,
            entry: 0,
            end: 2,
            params: vec![32],
            results: Vec::new(),
            registers: 2,
            frame: crate::layout::FRAME,
            variadic: None,
            own: true,
            location: crate::Location::default(),
        });
        m.consts.push(u64::from(u32::MAX));
        m.externs.push("malloc".into());
        m.strings.push("void (i32)".into());
        m
    }

    #[test]
    fn what_the_verifier_refuses_is_not_read() {
        let bytes = to_bytes(&program(Val::reg(Reg(7))));
        assert!(matches!(from_bytes(&bytes), Err(FileError::Invalid(_))));
    }

    #[test]
    fn a_module_comes_back() {
        let m = program(Val::constant(0));
        let back = from_bytes(&to_bytes(&m)).unwrap();
        assert_eq!(
            (&back.code, &back.consts, &back.externs),
            (&m.code, &m.consts, &m.externs)
        );
    }

    #[test]
    fn damage_is_named() {
        let bytes = to_bytes(&Module::default());
        assert_eq!(from_bytes(b"hello").unwrap_err(), FileError::NotIr);
        assert_eq!(
            from_bytes(&bytes[..20]).unwrap_err(),
            FileError::Damaged("truncated header")
        );
        assert_eq!(
            from_bytes(&bytes[..bytes.len() - 1]).unwrap_err(),
            FileError::Damaged("truncated")
        );
        let mut old = bytes.clone();
        old[8] = 1;
        assert_eq!(from_bytes(&old).unwrap_err(), FileError::Version(1));
        let mut broken = bytes.clone();
        *broken.last_mut().unwrap() ^= 1;
        assert_eq!(
            from_bytes(&broken).unwrap_err(),
            FileError::Damaged("wrong checksum")
        );
    }

    #[test]
    fn hashes_tell_parts_apart() {
        assert_ne!(content_hash(&[b"ab", b"c"]), content_hash(&[b"a", b"bc"]));
        assert_ne!(content_hash(&[b"a\0"]), content_hash(&[b"a"]));
        assert_ne!(content_hash(&[b"", b""]), content_hash(&[b""]));
    }
}
