//! Numbers of things in words.

/// "1 seed", "2 seeds", of a word that has an `s` in the plural.
pub fn counted(number: impl TryInto<u64>, word: &str) -> String {
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {word}"),
        number => format!("{number} {word}s"),
    }
}

/// The verb that goes with so many.
pub fn are(number: impl TryInto<u64>) -> &'static str {
    match number.try_into().unwrap_or(u64::MAX) {
        1 => "is",
        _ => "are",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one() {
        let words = [0_u64, 1, 2].map(|n| format!("{} {}", counted(n, "seed"), are(n)));
        assert_eq!(words, ["0 seeds are", "1 seed is", "2 seeds are"]);
    }
}
