//! The producer of a bitcode module: the string in its identification block, read without LLVM, because LLVM 19
//! accepts much of newer bitcode and misreads some of it.
//!
//! The block (LLVM's BitCodeFormat, "IDENTIFICATION_BLOCK Contents") stands first and holds one
//! abbreviation and one string record; that is all this reader understands.

const IDENTIFICATION_BLOCK: u64 = 13;

struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn fixed(&mut self, n: usize) -> Option<u64> {
        let mut value = 0;
        for k in 0..n {
            let byte = self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << k;
            self.at += 1;
        }
        Some(value)
    }

    fn vbr(&mut self, n: usize) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let piece = self.fixed(n)?;
            value |= (piece & ((1 << (n - 1)) - 1)) << shift;
            shift += n - 1;
            if piece >> (n - 1) == 0 {
                return Some(value);
            }
            if shift > 57 {
                return None;
            }
        }
    }
}

/// The producer, such as `LLVM19.1.7`; `None` when the module has no such block.
pub fn producer(module: &[u8]) -> Option<String> {
    let mut bits = BitReader {
        bytes: module,
        at: 32,
    };
    // ENTER_SUBBLOCK, block id, width of abbreviation ids, alignment, length.
    if bits.fixed(2)? != 1 || bits.vbr(8)? != IDENTIFICATION_BLOCK {
        return None;
    }
    let width = bits.vbr(4)? as usize;
    bits.at = bits.at.next_multiple_of(32) + 32;
    // DEFINE_ABBREV: literal code 1, array, its element's encoding.
    if bits.fixed(width)? != 2 || bits.vbr(5)? != 3 {
        return None;
    }
    if bits.fixed(1)? != 1 || bits.vbr(8)? != 1 {
        return None;
    }
    if bits.fixed(1)? != 0 || bits.fixed(3)? != 3 || bits.fixed(1)? != 0 {
        return None;
    }
    let element = match bits.fixed(3)? {
        1 => bits.vbr(5)? as usize,
        4 => 0, // char6
        _ => return None,
    };
    // The record has that abbreviation's id, 4, or when a character does not fit none: then its code comes first.
    let plain = match bits.fixed(width)? {
        4 => false,
        3 => bits.vbr(6)? == 1,
        _ => return None,
    };
    let count = bits.vbr(6)?;
    const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let mut text = String::new();
    for _ in 0..count.min(200) {
        let c = match element {
            _ if plain => bits.vbr(6)? as u8,
            0 => CHAR6[bits.fixed(6)? as usize],
            n if n <= 8 => bits.fixed(n)? as u8,
            _ => return None,
        };
        text.push(char::from(c));
    }
    Some(text)
}

/// The major version in a producer's name.
pub fn major_version(producer: &str) -> Option<u32> {
    let digits = producer.strip_prefix("LLVM")?;
    digits
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(major_version("LLVM19.1.7"), Some(19));
        assert_eq!(major_version("LLVM22.1.2-rust-1.95.0-stable"), Some(22));
        assert_eq!(major_version("APPLE_1_1500"), None);
        assert_eq!(producer(b"BC\xc0\xde"), None);
    }
}
