//! The operands that an execution compared, from the server's record to LibAFL's.

use libafl::observers::{CmpValues, CmplogBytes};

/// Bytes of an operand at most.
const OPERAND: usize = 32;
/// Before the entries: their number, and how many each place has.
const HEAD: usize = 8 + 4096;
/// The place, the size, what kind of operands, and both.
const ENTRY: usize = 8 + 4 + 4 + 2 * OPERAND;

/// Reads a record (`struct log` of `runtime/server.c`); entries that make no sense are left out.
pub fn read(log: &[u8]) -> Vec<CmpValues> {
    let Some((head, entries)) = log.split_at_checked(HEAD) else {
        return Vec::new();
    };
    let count = usize::try_from(number(&head[..8])).unwrap_or(usize::MAX);
    entries
        .chunks_exact(ENTRY)
        .take(count)
        .filter_map(values)
        .collect()
}

fn values(entry: &[u8]) -> Option<CmpValues> {
    let size = number(&entry[8..12]) as usize;
    let is_text = number(&entry[12..16]) != 0;
    let (a, b) = (&entry[16..16 + OPERAND], &entry[16 + OPERAND..]);
    if is_text {
        let bytes = |from: &[u8]| {
            let mut all = [0; OPERAND];
            all.copy_from_slice(from);
            CmplogBytes::from_buf_and_len(all, size as u8)
        };
        return (size <= OPERAND).then(|| CmpValues::Bytes((bytes(a), bytes(b))));
    }
    let (a, b) = (number(&a[..8]), number(&b[..8]));
    match size {
        1 => Some(CmpValues::U8((a as u8, b as u8, false))),
        2 => Some(CmpValues::U16((a as u16, b as u16, false))),
        4 => Some(CmpValues::U32((a as u32, b as u32, false))),
        8 => Some(CmpValues::U64((a, b, false))),
        _ => None,
    }
}

fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_read_and_nonsense_is_left_out() {
        let mut log = vec![0; HEAD];
        log[0] = 3;
        let mut entry = |size: u32, is_text: u32, a: &[u8], b: &[u8]| {
            let mut bytes = vec![0; ENTRY];
            bytes[8..12].copy_from_slice(&size.to_le_bytes());
            bytes[12..16].copy_from_slice(&is_text.to_le_bytes());
            bytes[16..16 + a.len()].copy_from_slice(a);
            bytes[16 + OPERAND..16 + OPERAND + b.len()].copy_from_slice(b);
            log.extend(bytes);
        };
        entry(4, 0, &[1, 2, 0, 0], &[5, 0, 0, 0]);
        entry(3, 0, &[1], &[2]);
        entry(3, 1, b"GIF", b"PNG");
        // Behind the end.
        entry(4, 0, &[9], &[8]);
        let read = read(&log);
        assert_eq!(read.len(), 2);
        assert_eq!(read[0], CmpValues::U32((0x201, 5, false)));
        assert!(matches!(read[1], CmpValues::Bytes(_)));
        assert!(super::read(&log[..100]).is_empty());
    }
}
