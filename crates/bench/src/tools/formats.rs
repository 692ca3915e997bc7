//! Small valid files of binary formats, made here: what several suites begin with.

/// Two by two pixels of 24 bits.
pub fn bmp() -> Vec<u8> {
    let mut file = b"BM".to_vec();
    for word in [
        70u32,
        0,
        54,
        40,
        2,
        2,
        1 | 24 << 16,
        0,
        16,
        2835,
        2835,
        0,
        0,
    ] {
        file.extend(word.to_le_bytes());
    }
    file.extend([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]);
    file
}

/// One picture of two by two pixels, 24 bits each, not compressed.
pub fn avi() -> Vec<u8> {
    fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let mut all = name.to_vec();
        all.extend((content.len() as u32).to_le_bytes());
        all.extend(content);
        all
    }
    let words = |all: &[u32]| -> Vec<u8> { all.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let list =
        |name: &[u8; 4], parts: &[Vec<u8>]| chunk(b"LIST", &[&name[..], &parts.concat()].concat());
    let film = words(&[40_000, 100, 0, 0x10, 1, 0, 1, 100, 2, 2, 0, 0, 0, 0]);
    let mut stream = b"vidsDIB ".to_vec();
    stream.extend(words(&[
        0,
        0,
        0,
        1,
        25,
        0,
        1,
        100,
        10_000,
        0,
        0,
        2 | 2 << 16,
    ]));
    let picture = words(&[40, 2, 2, 1 | 24 << 16, 0, 16, 0, 0, 0, 0]);
    let pixels: Vec<u8> = (0..16).collect();
    let streams = list(
        b"strl",
        &[chunk(b"strh", &stream), chunk(b"strf", &picture)],
    );
    let head = list(b"hdrl", &[chunk(b"avih", &film), streams]);
    let body = list(b"movi", &[chunk(b"00db", &pixels)]);
    chunk(b"RIFF", &[&b"AVI "[..], &head, &body].concat())
}

/// One pixel, with a graphic control extension.
pub fn gif() -> Vec<u8> {
    let mut file = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    file.extend(b"!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;");
    file
}

/// Two by two pixels in three planes, run lengths in the first row.
pub fn pcx() -> Vec<u8> {
    let mut file = vec![10, 5, 1, 8, 0, 0, 0, 0, 1, 0, 1, 0, 72, 0, 72, 0];
    file.extend([0; 48]);
    file.extend([0, 3, 2, 0, 1, 0]);
    file.resize(128, 0);
    file.extend([0xc2, 5, 0xc2, 6, 0xc2, 7, 1, 2, 3, 4, 5, 6]);
    file
}

/// Two by two grey values.
pub fn pgm() -> Vec<u8> {
    b"P5\n2 2\n255\n\x00\x32\x64\xff".to_vec()
}

/// Four samples of 16 bits.
pub fn wav() -> Vec<u8> {
    let mut file = b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    file.extend(8000u32.to_le_bytes());
    file.extend(16000u32.to_le_bytes());
    file.extend(b"\x02\0\x10\0data\x08\0\0\0\0\x01\x02\x03\x04\x05\x06\x07");
    file
}

/// Two silent frames of MPEG 2, layer III, 8 kbit/s at 24 kHz, one channel.
pub fn mp3() -> Vec<u8> {
    let mut frame = vec![0xff, 0xf3, 0x14, 0xc0];
    frame.resize(24, 0);
    frame.repeat(2)
}

/// `public abstract class A { public abstract void f(); }`
pub fn class_file() -> Vec<u8> {
    let mut file = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 7];
    file.extend(b"\x07\0\x02\x01\0\x01A\x07\0\x04\x01\0\x10java/lang/Object");
    file.extend(b"\x01\0\x01f\x01\0\x03()V");
    for half in [0x421u16, 1, 3, 0, 0, 1, 0x401, 5, 6, 0, 0] {
        file.extend(half.to_be_bytes());
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_as_long_as_their_headers_say() {
        let word =
            |file: &[u8], at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        assert_eq!((bmp().len(), word(&bmp(), 2)), (70, 70));
        assert_eq!(
            (wav().len(), word(&wav(), 4) + 8, word(&wav(), 40)),
            (52, 52, 8)
        );
        assert_eq!((pcx().len(), gif().len(), pgm().len()), (140, 43, 15));
        assert_eq!((mp3().len(), class_file().len()), (48, 71));
    }
}
