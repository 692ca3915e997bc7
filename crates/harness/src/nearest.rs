//! The names that a user may have meant.

/// Up to five of `names` that resemble `wanted`, best first.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const SHOWN: usize = 5;
    let limit = (wanted.chars().count() / 3).max(2);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let contains = wanted.len() >= 3
            && (name.contains(wanted) || wanted.contains(name) && name.len() >= 3);
        let distance = distance(wanted, name);
        if distance <= limit {
            found.push((distance, name));
        } else if contains {
            found.push((limit + 1 + name.len().abs_diff(wanted.len()), name));
        }
    }
    found.sort();
    found.dedup();
    found
        .into_iter()
        .take(SHOWN)
        .map(|(_, name)| name)
        .collect()
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first_and_far_ones_never() {
        let names = ["list_sum", "list_sun", "parse", "sum", "main"];
        assert_eq!(nearest("list_sum2", names), ["list_sum", "list_sun", "sum"]);
        assert!(nearest("zebra", names).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
