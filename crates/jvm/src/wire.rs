//! The stream of records that woven code writes: words of 32 bits, the first of which has the operation in its low byte.
//! Operations below 200 are opcodes of the JVM; the others stand here and in `java/runtime/polypath/Wire.java`, which a
//! test compares.

use std::io::{self, Read};

macro_rules! words {
    ($($name:ident $value:expr;)*) => {
        $(pub const $name: u32 = $value;)*
        /// All of them, for the comparison with the Java source.
        #[cfg(test)]
        pub const ALL: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

words! {
    FIRST_CONSTANT 1 << 8;
    SECOND_CONSTANT 1 << 9;
    HOLDS 1 << 10;
    CAN_WAIT 1 << 11;
    SYMBOL 210;
    ARRAY 211;
    SELECT 212;
    STORE 213;
    BOUNDS 214;
    VALUE 215;
    ASSUME 216;
    CHECK 217;
    COVER 218;
    LOSS 219;
    META 220;
    END 221;
    ANSWER 222;
    RANGE 223;
    OUTPUT 224;
    AT 250;
    ALL_EQUAL 251;
    ALL_WITHIN 252;
    JDK 1 << 24;
    FIRST 225;
    SQRT 200;
    FLOOR 201;
    CEIL 202;
    RINT 203;
    FLOAT_ABS 204;
    ABS 205;
    DECIMAL 206;
    MIN 226;
    MAX 230;
    FUNCTION 234;
    ATAN2 248;
    POWER 249;
}

/// The opcodes of the JVM that are recorded.
#[allow(missing_docs)]
pub mod opcode {
    pub const IADD: u32 = 96;
    pub const DREM: u32 = 115;
    pub const INEG: u32 = 116;
    pub const DNEG: u32 = 119;
    pub const ISHL: u32 = 120;
    pub const LUSHR: u32 = 125;
    pub const IAND: u32 = 126;
    pub const LXOR: u32 = 131;
    pub const I2L: u32 = 133;
    pub const I2S: u32 = 147;
    pub const LCMP: u32 = 148;
    pub const FCMPL: u32 = 149;
    pub const DCMPL: u32 = 151;
    pub const DCMPG: u32 = 152;
    pub const IFEQ: u32 = 153;
    pub const IFLE: u32 = 158;
    pub const IF_ICMPEQ: u32 = 159;
    pub const IF_ICMPLE: u32 = 164;
    pub const LOOKUPSWITCH: u32 = 171;
}

/// Reads words.
pub struct Words<R> {
    from: R,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
}

impl<R: Read> Words<R> {
    pub fn new(from: R) -> Words<R> {
        Words {
            from,
            buffer: vec![0; 1 << 18].into_boxed_slice(),
            at: 0,
            end: 0,
        }
    }

    /// The next word. `UnexpectedEof` when the stream is over.
    #[inline]
    pub fn word(&mut self) -> io::Result<u32> {
        if self.end - self.at < 4 {
            self.fill()?;
        }
        let bytes = &self.buffer[self.at..self.at + 4];
        self.at += 4;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    #[cold]
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        while self.end < 4 {
            match self.from.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Two words.
    pub fn wide(&mut self) -> io::Result<u64> {
        let low = self.word()?;
        Ok(u64::from(low) | u64::from(self.word()?) << 32)
    }

    /// Text: its length in bytes, and the bytes in whole words.
    pub fn text(&mut self) -> io::Result<String> {
        let length = self.word()? as usize;
        let mut bytes = Vec::new();
        while bytes.len() < length {
            bytes.extend(self.word()?.to_le_bytes());
        }
        bytes.truncate(length);
        String::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_give_the_words_the_same_numbers() {
        let (_, java) = crate::kit::SOURCES
            .iter()
            .find(|(name, _)| name.ends_with("/Wire.java"))
            .unwrap();
        for (name, value) in ALL {
            let declared = java
                .lines()
                .find_map(|l| {
                    l.trim()
                        .strip_prefix(&format!("public static final int {name} = "))
                })
                .unwrap_or_else(|| panic!("Wire.java has no {name}"));
            let declared = declared.trim_end_matches(';');
            let number: u32 = match declared.split_once(" << ") {
                Some((one, shift)) => one.parse::<u32>().unwrap() << shift.parse::<u32>().unwrap(),
                None => declared.parse().unwrap(),
            };
            assert_eq!(number, *value, "{name}");
        }
    }

    #[test]
    fn words_and_text_come_as_they_were_written() {
        let mut bytes = Vec::new();
        for word in [
            7u32,
            5,
            u32::from_le_bytes(*b"hell"),
            u32::from_le_bytes(*b"o\0\0\0"),
            9,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        let mut words = Words::new(&bytes[..]);
        assert_eq!(words.word().unwrap(), 7);
        assert_eq!(words.text().unwrap(), "hello");
        assert_eq!(words.word().unwrap(), 9);
        let end = words.word().unwrap_err();
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }
}
