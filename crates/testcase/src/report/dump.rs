//! Bytes as a dump that fits a narrow column: eight to a row, runs of zeros folded, and the bytes that
//! decided the path marked.

use super::text::escape;
use crate::model::ByteRanges;
use std::fmt::Write;

/// Bytes of a row: offset, bytes and text fit a telephone's width.
const ROW: usize = 8;
/// Rows of zeros in a row from which on they are folded.
const FOLD: usize = 3;

/// A dump for HTML, cut at `limit` bytes; `relevant` are the bytes that decided the path, if that is known.
pub fn dump(bytes: &[u8], limit: usize, relevant: Option<&ByteRanges>) -> String {
    let none = ByteRanges::default();
    let marked = relevant.unwrap_or(&none);
    if bytes.len() > ROW && bytes.iter().all(|b| *b == 0) {
        let marked = marked.shown();
        let note = if marked.is_empty() {
            String::new()
        } else {
            format!("; <b>{marked}</b> mattered")
        };
        return format!(
            "<span class=off>{} bytes, all zero{note}</span>",
            bytes.len()
        );
    }
    let shown = &bytes[..bytes.len().min(limit)];
    let rows: Vec<&[u8]> = shown.chunks(ROW).collect();
    let folds = |i: usize| {
        rows[i].iter().all(|b| *b == 0) && !(0..ROW).any(|k| marked.contains(i * ROW + k))
    };
    let digits = if shown.len() > 1 << 16 { 6 } else { 4 };
    let one_row = rows.len() == 1;
    let mut out = String::new();
    let mut i = 0;
    while i < rows.len() {
        let zeros = (i..rows.len()).take_while(|r| folds(*r)).count();
        if zeros >= FOLD {
            let bytes: usize = rows[i..i + zeros].iter().map(|r| r.len()).sum();
            let _ = writeln!(
                out,
                "<span class=off>{:1$}  {bytes} zero bytes</span>",
                "", digits
            );
            i += zeros;
            continue;
        }
        let _ = write!(out, "<span class=off>{:01$x}</span>  ", i * ROW, digits);
        let mut text = String::new();
        for k in 0..if one_row { rows[i].len() } else { ROW } {
            let Some(b) = rows[i].get(k) else {
                out.push_str("   ");
                continue;
            };
            let c = if b.is_ascii_graphic() || *b == b' ' {
                escape(&(*b as char).to_string())
            } else {
                "·".to_string()
            };
            if marked.contains(i * ROW + k) {
                let _ = write!(out, "<b>{b:02x}</b> ");
                let _ = write!(text, "<b>{c}</b>");
            } else {
                let _ = write!(out, "{b:02x} ");
                text.push_str(&c);
            }
        }
        let _ = writeln!(out, " <span class=txt>{text}</span>");
        i += 1;
    }
    if bytes.len() > limit {
        let _ = writeln!(out, "<span class=off>… {} bytes in all</span>", bytes.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(list: &[usize]) -> ByteRanges {
        ByteRanges::of(list.iter().copied())
    }

    #[test]
    fn rows_are_narrow_and_zeros_fold() {
        let widest = |text: &str| {
            let plain: Vec<String> = text
                .lines()
                .map(|l| {
                    let mut inside = false;
                    l.chars()
                        .filter(|c| {
                            inside = (inside || *c == '<') && *c != '>';
                            !inside && *c != '>'
                        })
                        .collect()
                })
                .collect();
            plain.iter().map(|l| l.chars().count()).max().unwrap_or(0)
        };
        assert!(widest(&dump(b"123456789", 64, None)) <= 39);
        assert!(dump(&[0; 40], 64, None).contains("40 bytes, all zero"));
        let mut bytes = vec![0; 80];
        bytes[70] = b'x';
        let text = dump(&bytes, 256, None);
        assert!(
            text.contains("64 zero bytes") && text.contains("0040"),
            "{text}"
        );
        // What mattered is never folded away.
        let text = dump(&bytes, 256, Some(&ranges(&[20])));
        assert!(text.contains("<b>00</b>"), "{text}");
        let text = dump(&[0; 40], 64, Some(&ranges(&[3, 4])));
        assert!(text.contains("<b>3-4</b> mattered"), "{text}");
        assert!(dump(&[1; 300], 256, None).contains("300 bytes in all"));
        assert!(dump(b"<script>", 64, None).contains("&lt;"));
    }
}
