//! Guesses which integer is the length of an array, by the names that C programmers give them.
//!
//! The same rules serve the parameters of a function and the members of a structure:
//!
//! 1. An integer whose name is a length word joined to a stem (`xsize`, `buf_len`, `n_items`, `nattrs`) belongs to the
//!    pointers whose name begins with the stem, if there are such; `avail_in` to `next_in`. Of pointers to structures it
//!    counts only those that are named as several (`num_attrs`: `attrs`), but it counts nothing else then.
//! 2. Any other length belongs to the pointers that stand in a row before it, or, if there is none, behind
//!    it. Of strings only the one next to it counts: `f(const char *name, int *a, size_t n)`. A length with a stem of its
//!    own is not that of a text (`char *name; int num_attrs;`), and no length of a neighbor is that of a *member* with a name
//!    for texts: `name`, `key`, `text`, … A parameter with a word for room (`room`, `capacity`) belongs to the pointer right before it,
//!    if that has no length yet.
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
    /// Pointer to a structure that has a pointer to its kind: a single one, unless a length has its name.
    Linked,
    /// Anything else.
    Other,
}

/// The place where names stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// In a list of parameters.
    Parameters,
    /// In a structure.
    Members,
}

const WORDS: &[&str] = &[
    "n", "len", "length", "size", "count", "num", "cnt", "sz", "nmemb", "nelem", "nelems", "elems",
    "nbytes", "bytes", "dim", "argc",
];
/// Of [`WORDS`], those that also join without an underscore.
const SUFFIXES: &[&str] = &["len", "length", "size", "count"];

/// Last words of names of parameters that say how much room there is at the pointer before them.
const ROOMS: &[&str] = &["room", "cap", "capacity", "avail", "space"];

/// Names of texts that end with a zero byte.
const TEXTS: &[&str] = &[
    "name",
    "text",
    "key",
    "path",
    "file",
    "filename",
    "url",
    "uri",
    "host",
    "hostname",
    "title",
    "label",
    "message",
    "msg",
    "comment",
    "description",
    "prefix",
    "suffix",
    "str",
    "string",
];

/// Whether a name is one for texts (`name`, `user_name`, `filename`).
fn is_text_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit('_').next().unwrap_or(&name);
    TEXTS.contains(&last)
}

/// Whether a pointer's name is that of several `stem`s: `attrs`, `attr_list`, `children` of `child`.
fn is_several(name: &str, stem: &str) -> bool {
    let several = ["s", "es", "ies", "ren", "_list", "_array", "_table", "_vec"];
    let singular = stem.strip_suffix('s').unwrap_or(stem);
    let begins = |stem: &str| name.strip_prefix(stem).map(str::to_string);
    match begins(stem).or_else(|| begins(singular)) {
        Some(rest) if rest.is_empty() => stem.ends_with('s') || stem == "children",
        Some(rest) => several.contains(&&rest[..]),
        None => stem
            .strip_suffix('y')
            .and_then(begins)
            .is_some_and(|r| r == "ies"),
    }
}

/// The length of each item, as an expression over names of other items, where the names tell.
pub fn lengths(items: &[(&str, ParameterKind)], among: Among) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = vec![None; items.len()];
    let is_pointer = |i: usize| {
        matches!(
            items[i].1,
            ParameterKind::Numbers | ParameterKind::Characters | ParameterKind::Records
        ) && !is_length_behind(items[i])
    };
    // `der` with `int *der_len`: its own length is handed over by reference, and no other one is meant.
    let has_own = |p: usize| {
        let name = items[p].0.to_ascii_lowercase();
        let behind = items.iter().filter(|item| is_length_behind(**item));
        let mut stems = behind.filter_map(|(name, _)| stem(name));
        stems.any(|stem| !stem.is_empty() && name.starts_with(&stem))
    };
    let stem_of = |i: usize| match items[i].1 {
        ParameterKind::Integer => stem(items[i].0),
        _ => None,
    };
    // Rule 1.
    let mut used = vec![false; items.len()];
    for i in 0..items.len() {
        let Some(stem) = stem_of(i).filter(|s| !s.is_empty()).or_else(|| {
            let is_integer = items[i].1 == ParameterKind::Integer;
            let joined = joined_stem(items[i].0).filter(|_| is_integer)?;
            // Not every word that begins with an n is a number.
            let is_there = |(name, _): &(&str, _)| is_several(&name.to_ascii_lowercase(), &joined);
            items.iter().any(is_there).then_some(joined)
        }) else {
            continue;
        };
        for p in 0..items.len() {
            let name = items[p].0.to_ascii_lowercase();
            let is_several = is_several(&name, &stem);
            let of_structures =
                matches!(items[p].1, ParameterKind::Records | ParameterKind::Linked);
            if p == i || !name.starts_with(&stem) && !is_several {
                continue;
            }
            if found[p].is_none()
                && (is_pointer(p) && !of_structures || of_structures && is_several)
            {
                found[p] = Some(items[i].0.to_string());
            }
            used[i] |= is_pointer(p) || of_structures;
        }
    }
    for i in 0..items.len() {
        // `avail_in` counts what `next_in` points to.
        if items[i].1 != ParameterKind::Integer {
            continue;
        }
        let behind = |p: usize| counts_buffer(items[i].0, items[p].0);
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
        let has_stem = stem_of(i).is_some_and(|s| !s.is_empty());
        for p in row {
            let adjacent = p.abs_diff(i) == 1;
            let is_text = items[p].1 == ParameterKind::Characters && is_text_name(items[p].0);
            if is_text && (has_stem || among == Among::Members) {
                continue;
            }
            // A size is one in bytes, unless several structures are named: `f(struct parser *p, size_t size)`.
            let is_in_bytes = is_size_name(items[i].0) && !items[p].0.ends_with('s');
            if has_own(p) || items[p].1 == ParameterKind::Records && is_in_bytes {
                continue;
            }
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
    for i in 1..items.len() {
        let is_room = items[i].1 == ParameterKind::Integer && is_room_name(items[i].0);
        if among == Among::Parameters && is_room && is_pointer(i - 1) && found[i - 1].is_none() {
            found[i - 1] = Some(items[i].0.to_string());
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

/// Whether an integer counts the bytes in front of a library at a pointer that its user sets: `avail_in` those at
/// `next_in`, `avail_out` those at `next_out` (zlib, bzip2, liblzma).
pub(crate) fn counts_buffer(integer: &str, pointer: &str) -> bool {
    let ends = |name: &str, stem: &str| name.strip_suffix(stem).is_some_and(|s| s.ends_with('_'));
    match integer.strip_prefix("avail_") {
        Some(stem) => !stem.is_empty() && ends(pointer, stem),
        None => false,
    }
}

fn is_stride((name, kind): (&str, ParameterKind)) -> bool {
    kind == ParameterKind::Integer && is_stride_name(name)
}

/// Whether an integer of this name is a distance between elements.
pub(crate) fn is_stride_name(name: &str) -> bool {
    name.starts_with("stride") || name.ends_with("stride") || name == "tda"
}

/// Whether a pointer to a number is that of a length, which a function hands over by reference (`int *der_len`, `size_t *size`).
fn is_length_behind((name, kind): (&str, ParameterKind)) -> bool {
    let name = name.to_ascii_lowercase();
    let words = SUFFIXES.iter().chain(&["sz", "cnt"]);
    kind == ParameterKind::Numbers && words.clone().any(|word| name.ends_with(word))
}

/// Whether an integer of this name says how much room there is at the pointer before it.
fn is_room_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit('_').next().unwrap_or(&name);
    ROOMS.contains(&last)
}

/// Whether a length of this name is one in bytes.
fn is_size_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["size", "sz", "bytes"]
        .iter()
        .any(|word| name.ends_with(word))
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

/// The rest of a name that begins with a length word without an underscore: `nattrs`, `numattrs`.
fn joined_stem(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let rest = ["num", "n"]
        .iter()
        .find_map(|word| name.strip_prefix(word))?;
    (rest.len() > 2 && rest.bytes().all(|b| b.is_ascii_alphabetic())).then(|| rest.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ParameterKind::*;

    fn check(items: &[(&str, ParameterKind)], expected: &[(&str, &str)]) {
        check_among(Among::Parameters, items, expected);
    }

    fn check_among(among: Among, items: &[(&str, ParameterKind)], expected: &[(&str, &str)]) {
        let found = lengths(items, among);
        let named: Vec<(&str, &str)> = items
            .iter()
            .zip(&found)
            .filter_map(|((name, _), l)| Some((*name, l.as_deref()?)))
            .collect();
        assert_eq!(named, expected);
    }

    #[test]
    fn the_usual_signatures() {
        check(
            &[("s", Characters), ("word", Characters), ("room", Integer)],
            &[("word", "room")],
        );
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
        // Lengths that are handed over by reference are no arrays, and are the lengths of their own pointers.
        check(
            &[
                ("der", Numbers),
                ("der_len", Integer),
                ("ret_len", Numbers),
                ("str", Numbers),
                ("str_size", Integer),
                ("str_len", Numbers),
            ],
            &[("der", "der_len"), ("str", "str_size")],
        );
        check(
            &[("len", Integer), ("der", Numbers), ("der_len", Numbers)],
            &[],
        );
        check(&[("parser", Records), ("size", Integer)], &[]);
        check(&[("p", Records), ("n", Integer)], &[("p", "n")]);
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
    fn a_length_belongs_to_the_pointer_that_has_its_stem() {
        let members = |items: &[_], expected: &[_]| check_among(Among::Members, items, expected);
        members(
            &[
                ("name", Characters),
                ("num_attrs", Integer),
                ("attrs", Records),
            ],
            &[("attrs", "num_attrs")],
        );
        members(
            &[("name", Characters), ("nattrs", Integer), ("attrs", Linked)],
            &[("attrs", "nattrs")],
        );
        members(
            &[
                ("buf", Characters),
                ("num_children", Integer),
                ("children", Linked),
            ],
            &[("children", "num_children")],
        );
        // It counts the members of the list, which is one object: its neighbor it does not count.
        members(
            &[("data", Numbers), ("list_len", Integer), ("list", Linked)],
            &[],
        );
        members(
            &[
                ("data", Characters),
                ("data_len", Integer),
                ("key", Characters),
                ("key_size", Integer),
            ],
            &[("data", "data_len"), ("key", "key_size")],
        );
        members(
            &[("entry_count", Integer), ("entries", Records)],
            &[("entries", "entry_count")],
        );
    }

    #[test]
    fn names_of_texts_are_strings() {
        let members = |items: &[_], expected: &[_]| check_among(Among::Members, items, expected);
        members(&[("name", Characters), ("num_attrs", Integer)], &[]);
        members(&[("name", Characters), ("len", Integer)], &[]);
        members(&[("file_name", Characters), ("size", Integer)], &[]);
        members(
            &[("data", Characters), ("len", Integer)],
            &[("data", "len")],
        );
        // A caller that passes a text with its length need not end it.
        check(
            &[("name", Characters), ("len", Integer)],
            &[("name", "len")],
        );
        check(&[("name", Characters), ("num_attrs", Integer)], &[]);
    }

    #[test]
    fn other_integers_are_no_lengths() {
        check(&[("a", Numbers), ("next", Integer)], &[]);
        check(&[("a", Numbers), ("number", Integer)], &[]);
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
