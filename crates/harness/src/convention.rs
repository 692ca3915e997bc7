//! Guesses which integer is the length of an array, by the names that C programmers give them.
//!
//! The same rules serve the parameters of a function and the members of a structure:
//!
//! 1. An integer whose name is a length word joined to a stem (`xsize`, `buf_len`, `n_items`) belongs to the
//!    pointers whose name begins with the stem, if there are such; `avail_in` to `next_in`.
//! 2. Any other length belongs to the pointers that stand in a row before it, or, if there is none, behind
//!    it. Of strings only the one next to it counts: `f(const char *name, int *a, size_t n)`.
//! 3. A `stride` (or `tda`) multiplies the length of the pointers before it, and dimensions (`size1`, `size2`)
//!    multiply each other.
//!
//! `argc` counts the strings of `argv` without the null pointer behind them.

/// The kind of a parameter or member, for these rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// An integer of any width; it may be a length.
    Integer,
    /// Pointer to numbers or to anything.
    Numbers,
    /// Pointer to plain characters.
    Characters,
    /// Pointer to structures or to pointers.
    Records,
    /// Anything else.
    Other,
}

const WORDS: &[&str] = &[
    "n", "len", "length", "size", "count", "num", "cnt", "sz", "nmemb", "nelem", "nelems", "elems",
    "nbytes", "bytes", "dim", "argc",
];
/// Of [`WORDS`], those that also join without an underscore.
const SUFFIXES: &[&str] = &["len", "length", "size", "count"];

/// The length of each item, as an expression over names of other items, where the names tell.
pub fn lengths(items: &[(&str, ParameterKind)]) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = vec![None; items.len()];
    let is_pointer = |i: usize| {
        matches!(
            items[i].1,
            ParameterKind::Numbers | ParameterKind::Characters | ParameterKind::Records
        )
    };
    let stem_of = |i: usize| match items[i].1 {
        ParameterKind::Integer => stem(items[i].0),
        _ => None,
    };
    // Rule 1.
    let mut used = vec![false; items.len()];
    for i in 0..items.len() {
        let Some(stem) = stem_of(i).filter(|s| !s.is_empty()) else {
            continue;
        };
        for p in 0..items.len() {
            let name = items[p].0.to_ascii_lowercase();
            if is_pointer(p)
                && items[p].1 != ParameterKind::Records
                && found[p].is_none()
                && name.starts_with(&stem)
            {
                found[p] = Some(items[i].0.to_string());
                used[i] = true;
            }
        }
    }
    for i in 0..items.len() {
        // `avail_in` counts what `next_in` points to.
        let Some(stem) = items[i]
            .0
            .strip_prefix("avail_")
            .filter(|_| items[i].1 == ParameterKind::Integer)
        else {
            continue;
        };
        let behind = |p: usize| {
            items[p]
                .0
                .strip_suffix(stem)
                .is_some_and(|s| s.ends_with('_'))
        };
        for (p, length) in found.iter_mut().enumerate() {
            if is_pointer(p) && length.is_none() && behind(p) {
                *length = Some(items[i].0.to_string());
                used[i] = true;
            }
        }
    }
    // Rule 2.
    for i in 0..items.len() {
        if used[i] || stem_of(i).is_none() {
            continue;
        }
        let before: Vec<usize> = (0..i)
            .rev()
            .take_while(|&p| is_pointer(p) && found[p].is_none() || is_stride(items[p]))
            .filter(|&p| is_pointer(p))
            .collect();
        let row = if before.is_empty() {
            (i + 1..items.len())
                .skip_while(|&p| stem_of(p).is_some() || is_stride(items[p]))
                .take_while(|&p| is_pointer(p) && (found[p].is_none() || is_numbered(items[i].0)))
                .collect()
        } else {
            before
        };
        for p in row {
            let adjacent = p.abs_diff(i) == 1;
            if items[p].1 == ParameterKind::Numbers || adjacent {
                let name = items[i].0;
                found[p] = Some(match &found[p] {
                    Some(other) => format!("{other}*{name}"),
                    None if name == "argc" => format!("{name}+1"),
                    None => name.to_string(),
                });
            }
        }
    }
    // Rule 3.
    for i in 0..items.len() {
        if is_stride(items[i]) {
            let pointers = |range: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
                range
                    .take_while(|&p| !is_stride(items[p]))
                    .filter(|&p| is_pointer(p))
                    .collect()
            };
            let mut row = pointers(&mut (0..i).rev());
            if row.is_empty() {
                row = pointers(&mut (i + 1..items.len()));
            }
            for p in row {
                if let Some(length) = &mut found[p] {
                    *length = format!("{length}*{}", items[i].0);
                }
            }
        }
    }
    found
}

fn is_stride((name, kind): (&str, ParameterKind)) -> bool {
    kind == ParameterKind::Integer && is_stride_name(name)
}

/// Whether an integer of this name is a distance between elements.
pub(crate) fn is_stride_name(name: &str) -> bool {
    name.starts_with("stride") || name.ends_with("stride") || name == "tda"
}

/// `size1`, `n2`: one of several dimensions.
fn is_numbered(name: &str) -> bool {
    name.ends_with(|c: char| c.is_ascii_digit())
}

/// Whether an integer of this name is the length of something.
pub(crate) fn is_length_name(name: &str) -> bool {
    stem(name).is_some()
}

/// The rest of a name next to the length word; `None` if there is no such word.
fn stem(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    if WORDS.contains(&&name[..]) {
        return Some(String::new());
    }
    for word in WORDS {
        if let Some(stem) = name.strip_suffix(word).and_then(|s| s.strip_suffix('_')) {
            return Some(stem.to_string());
        }
        if let Some(stem) = name.strip_prefix(word).and_then(|s| s.strip_prefix('_')) {
            return Some(stem.trim_end_matches('s').to_string());
        }
    }
    // size1, len2: plain lengths with a number.
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if WORDS.contains(&plain) {
        return Some(String::new());
    }
    let stem = SUFFIXES.iter().find_map(|word| name.strip_suffix(word))?;
    Some(stem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ParameterKind::*;

    fn check(items: &[(&str, ParameterKind)], expected: &[(&str, &str)]) {
        let found = lengths(items);
        let named: Vec<(&str, &str)> = items
            .iter()
            .zip(&found)
            .filter_map(|((name, _), l)| Some((*name, l.as_deref()?)))
            .collect();
        assert_eq!(named, expected);
    }

    #[test]
    fn the_usual_signatures() {
        check(&[("a", Numbers), ("n", Integer)], &[("a", "n")]);
        check(
            &[("n", Integer), ("a", Numbers), ("r", Numbers)],
            &[("a", "n"), ("r", "n")],
        );
        check(
            &[
                ("xarr", Numbers),
                ("yarr", Numbers),
                ("z", Numbers),
                ("xsize", Integer),
                ("ysize", Integer),
            ],
            &[("xarr", "xsize"), ("yarr", "ysize")],
        );
        check(
            &[("name", Characters), ("a", Numbers), ("len", Integer)],
            &[("a", "len")],
        );
        check(
            &[("buf", Characters), ("size", Integer)],
            &[("buf", "size")],
        );
        check(
            &[("argc", Integer), ("argv", Records)],
            &[("argv", "argc+1")],
        );
        check(
            &[("data", Numbers), ("stride", Integer), ("n", Integer)],
            &[("data", "n*stride")],
        );
        check(
            &[
                ("size", Integer),
                ("stride", Integer),
                ("data", Numbers),
                ("block", Records),
            ],
            &[("data", "size*stride")],
        );
    }

    #[test]
    fn strides_and_dimensions_multiply() {
        check(
            &[
                ("diag", Numbers),
                ("d_stride", Integer),
                ("b", Numbers),
                ("b_stride", Integer),
                ("N", Integer),
            ],
            &[("diag", "N*d_stride"), ("b", "N*b_stride")],
        );
        check(
            &[
                ("size1", Integer),
                ("size2", Integer),
                ("tda", Integer),
                ("data", Numbers),
            ],
            &[("data", "size1*size2*tda")],
        );
    }

    #[test]
    fn other_integers_are_no_lengths() {
        check(&[("a", Numbers), ("x", Integer)], &[]);
        check(
            &[("p", Records), ("a", Numbers), ("n", Integer)],
            &[("a", "n")],
        );
        check(
            &[("a", Numbers), ("x", Other), ("n", Integer), ("b", Numbers)],
            &[("b", "n")],
        );
    }
}
