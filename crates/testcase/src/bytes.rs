//! Bytes in JSON: text where they are UTF-8, otherwise `{"hex": "…"}`; nothing is lost or guessed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Repr {
    Text(String),
    Hex { hex: String },
}

impl Repr {
    fn new(bytes: &[u8]) -> Repr {
        match std::str::from_utf8(bytes) {
            Ok(text) => Repr::Text(text.to_owned()),
            Err(_) => Repr::Hex { hex: to_hex(bytes) },
        }
    }

    fn into_bytes(self) -> Result<Vec<u8>, &'static str> {
        match self {
            Repr::Text(text) => Ok(text.into_bytes()),
            Repr::Hex { hex } => from_hex(&hex).ok_or("bad hexadecimal string"),
        }
    }
}

/// Lower-case hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for b in bytes {
        out.push(DIGITS[usize::from(b >> 4)] as char);
        out.push(DIGITS[usize::from(b & 15)] as char);
    }
    out
}

/// The inverse of [`to_hex`]; `None` for anything else.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks(2)
        .map(|pair| {
            let high = (pair[0] as char).to_digit(16)?;
            let low = (pair[1] as char).to_digit(16)?;
            Some((high * 16 + low) as u8)
        })
        .collect()
}

/// The number that these bytes are in memory, with and without a sign, if they are as long as an integer.
pub fn integers(bytes: &[u8]) -> Option<(i64, u64)> {
    if !matches!(bytes.len(), 1 | 2 | 4 | 8) {
        return None;
    }
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let unused = 64 - 8 * bytes.len() as u32;
    Some(((unsigned << unused) as i64 >> unused, unsigned))
}

/// For `#[serde(with = "bytes::list")]` on a `Vec<Vec<u8>>`.
pub mod list {
    use super::*;

    /// Each element as bytes of a test are written.
    pub fn serialize<S: Serializer>(list: &[Vec<u8>], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(list.iter().map(|b| Repr::new(b)))
    }

    /// The reverse of [`serialize`].
    ///
    /// # Errors
    /// What the deserializer says, or an element that is no such text.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Vec<u8>>, D::Error> {
        Vec::<Repr>::deserialize(d)?
            .into_iter()
            .map(|r| r.into_bytes().map_err(serde::de::Error::custom))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_width_of_their_bytes() {
        assert_eq!(integers(b"\xff"), Some((-1, 255)));
        assert_eq!(integers(b"\x00\x80"), Some((-32768, 32768)));
        assert_eq!(integers(&70_000i32.to_le_bytes()), Some((70_000, 70_000)));
        assert_eq!(integers(&i64::MIN.to_le_bytes()), Some((i64::MIN, 1 << 63)));
        assert_eq!(integers(b"abc"), None);
    }
}
