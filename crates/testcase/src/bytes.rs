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
