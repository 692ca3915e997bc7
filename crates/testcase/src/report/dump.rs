//! Bytes as a dump that fits a narrow column: eight to a row, runs of zeros folded, and the bytes that
//! decided the path marked.

use crate::model::ByteRanges;
use maud::{Markup, html};

/// Bytes of a row: offset, bytes and text fit a telephone's width.
const ROW: usize = 8;
/// Rows of zeros in a row from which on they are folded.
const FOLD: usize = 3;

/// A dump, cut at `limit` bytes; `relevant` are the bytes that decided the path, if that is known.
pub fn dump(bytes: &[u8], limit: usize, relevant: Option<&ByteRanges>) -> Markup {
    let none = ByteRanges::default();
    let marked = relevant.unwrap_or(&none);
    if bytes.len() > ROW && bytes.iter().all(|b| *b == 0) {
        let marked = marked.shown();
        return html! {
            span.off {
                (bytes.len()) " bytes, all zero"
                @if !marked.is_empty() {
                    "; " b { (marked) } " mattered"
                }
            }
        };
    }
    let shown = &bytes[..bytes.len().min(limit)];
    let rows: Vec<&[u8]> = shown.chunks(ROW).collect();
    let folds = |i: usize| {
        rows[i].iter().all(|b| *b == 0) && !(0..ROW).any(|k| marked.contains(i * ROW + k))
    };
    let digits = if shown.len() > 1 << 16 { 6 } else { 4 };
    // Each row with the number of its first byte; rows of zeros as one.
    let mut parts: Vec<Markup> = Vec::new();
    let mut i = 0;
    while i < rows.len() {
        let zeros = (i..rows.len()).take_while(|r| folds(*r)).count();
        if zeros >= FOLD {
            let bytes: usize = rows[i..i + zeros].iter().map(|r| r.len()).sum();
            let offset = " ".repeat(digits);
            parts.push(html! { span.off { (offset) "  " (bytes) " zero bytes" } "\n" });
            i += zeros;
            continue;
        }
        let padding = if rows.len() == 1 {
            0
        } else {
            ROW - rows[i].len()
        };
        parts.push(html! {
            span.off { (format_args!("{:01$x}", i * ROW, digits)) } "  "
            (row(i * ROW, rows[i], marked)) ("   ".repeat(padding))
            " " span.txt { (text(i * ROW, rows[i], marked)) } "\n"
        });
        i += 1;
    }
    html! {
        @for part in parts {
            (part)
        }
        @if bytes.len() > limit {
            span.off { "… " (bytes.len()) " bytes in all" } "\n"
        }
    }
}

/// The bytes of a row in hexadecimal.
fn row(at: usize, bytes: &[u8], marked: &ByteRanges) -> Markup {
    html! {
        @for (k, byte) in (at..).zip(bytes) {
            @if marked.contains(k) {
                b { (format_args!("{byte:02x}")) }
            } @else {
                (format_args!("{byte:02x}"))
            }
            " "
        }
    }
}

/// The same as characters.
fn text(at: usize, bytes: &[u8], marked: &ByteRanges) -> Markup {
    let shown = |byte: u8| match byte {
        b' ' | b'!'..=b'~' => byte as char,
        _ => '·',
    };
    html! {
        @for (k, byte) in (at..).zip(bytes) {
            @if marked.contains(k) {
                b { (shown(*byte)) }
            } @else {
                (shown(*byte))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(bytes: &[u8], limit: usize, relevant: Option<&ByteRanges>) -> String {
        super::dump(bytes, limit, relevant).into_string()
    }

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
