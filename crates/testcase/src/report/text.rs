//! Text for pages: escaping and numbers.

use maud::{Markup, html};

/// XML text or attribute content; characters that XML forbids become `�`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if forbidden(c) => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// Control characters except those of lines, and code points that are no characters: no page has them.
pub fn forbidden(c: char) -> bool {
    let is_space = matches!(c, '\n' | '\t' | '\r');
    (c.is_control() && !is_space) || ('\u{FFFE}'..='\u{FFFF}').contains(&c)
}

/// Bytes as a C-like string without quotes, cut at `limit` bytes.
pub fn printable(bytes: &[u8], limit: usize) -> Markup {
    // Zeros at the end say nothing but how many there are.
    let filled = bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
    let shown = if bytes.len() - filled >= 4 {
        filled
    } else {
        bytes.len()
    };
    html! {
        (bytes[..shown.min(limit)].escape_ascii().to_string())
        @if shown > limit {
            "… " i { (bytes.len()) " bytes" }
        } @else if shown < bytes.len() {
            i { " " (bytes.len() - shown) " zero bytes" }
        }
    }
}

/// A number with thousands separated, or with a unit prefix from a million on.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude >= 1e9 {
        format!("{:.2} G", value / 1e9)
    } else if magnitude >= 1e6 {
        format!("{:.2} M", value / 1e6)
    } else if magnitude >= 1e4 || value.fract() == 0.0 {
        grouped(value.round() as i64)
    } else if magnitude >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.1}")
    }
}

/// A whole number with narrow no-break spaces between thousands.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::from(if value < 0 { "−" } else { "" });
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202F}');
        }
        out.push(c);
    }
    out
}

/// A time in the largest fitting unit.
pub fn duration(s: f64) -> String {
    let whole = s.max(0.0) as u64;
    match whole {
        0..=9 => format!("{s:.2} s"),
        10..=119 => format!("{s:.0} s"),
        120..=7199 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Share in percent. Nothing has no shares.
pub fn percent((part, whole): (u64, u64)) -> Option<f64> {
    (whole > 0).then(|| part as f64 * 100.0 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_are_counted() {
        let shown = |bytes, limit| printable(bytes, limit).into_string();
        assert_eq!(shown(b"ab\0\0\0\0", 12), "ab<i> 4 zero bytes</i>");
        assert_eq!(shown(b"ab\0", 12), "ab\\x00");
        assert_eq!(shown(b"abcdef", 3), "abc… <i>6 bytes</i>");
    }

    #[test]
    fn nothing_escapes_the_escaping() {
        assert_eq!(
            escape("<a b='\"&\u{1}'>"),
            "&lt;a b=&#39;&quot;&amp;\u{FFFD}&#39;&gt;"
        );
        assert_eq!(grouped(-1234567), "−1\u{202F}234\u{202F}567");
    }
}
