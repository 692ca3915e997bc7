//! Functions as users name them: by symbol, or as C++ writes them.
//!
//! `FILE:FUNCTION` selects one of several static functions. A C++ function may be written with or without its
//! parameters and its outer namespaces: `ns::Class::method(int)`, `Class::method`, `method`.

use cpp_demangle::{DemangleOptions, Symbol};
use rustc_hash::FxHashMap;

/// A function as it was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    pub file: Option<&'a str>,
    pub name: &'a str,
}

impl<'a> Wanted<'a> {
    /// Takes `FILE:` off, which ends at the last single colon in front of the parameters.
    pub fn parse(text: &'a str) -> Wanted<'a> {
        let head = text.find('(').unwrap_or(text.len());
        let bytes = text.as_bytes();
        let single = |i: &usize| {
            bytes[*i] == b':'
                && (*i == 0 || bytes[i - 1] != b':')
                && bytes.get(i + 1) != Some(&b':')
        };
        match (0..head).rev().find(single) {
            Some(i) => Wanted {
                file: Some(&text[..i]),
                name: &text[i + 1..],
            },
            None => Wanted {
                file: None,
                name: text,
            },
        }
    }

    /// The identifier that the function's symbol must hold, mangled or not.
    pub fn identifier(&self) -> &'a str {
        let head = self.name.split('(').next().unwrap_or_default();
        let last = head.rsplit("::").next().unwrap_or_default();
        last.split(['<', '~', ' '])
            .find(|s| !s.is_empty())
            .unwrap_or(last)
    }
}

/// A C++ symbol in words, with or without its parameters; `None` for other symbols.
fn readable(symbol: &str, parameters: bool) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    let mut options = DemangleOptions::new()
        .no_return_type()
        .hide_expression_literal_types();
    if !parameters {
        options = options.no_params();
    }
    Symbol::new(symbol).ok()?.demangle(&options).ok()
}

/// A symbol as the user would write it.
pub fn shown(symbol: &str) -> String {
    readable(symbol, true).unwrap_or_else(|| symbol.to_string())
}

/// A symbol with as many outer names as `wanted` has, without parameters: what spelling is compared with.
pub fn comparable(symbol: &str, wanted: &str) -> String {
    let Some(path) = readable(symbol, false) else {
        return symbol.to_string();
    };
    let wanted = wanted.matches("::").count();
    let starts: Vec<usize> = path.match_indices("::").map(|(i, _)| i + 2).collect();
    match starts.len().checked_sub(wanted + 1) {
        Some(i) => path[starts[i]..].to_string(),
        None => path,
    }
}

/// The symbol that `name` means among these; an error, with the candidates, if there are several;
/// `None` if there is none.
pub fn resolve<'s>(
    name: &str,
    symbols: impl Iterator<Item = &'s str>,
) -> Result<Option<String>, String> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let squeezed = |text: &str| {
        text.chars()
            .filter(|c| !c.is_whitespace())
            .collect::<String>()
    };
    let wanted = squeezed(name);
    // Constness is not part of what has to be written.
    let bare = |text: &str| match text.strip_suffix("const") {
        Some(head) if head.ends_with(')') => head.to_string(),
        _ => text.to_string(),
    };
    let wanted = bare(&wanted);
    let parameters = wanted.contains('(') && !wanted.ends_with("operator()");
    let (mut whole, mut ends) = (FxHashMap::default(), FxHashMap::default());
    for symbol in symbols {
        if symbol == name {
            return Ok(Some(name.to_string()));
        }
        let Some(candidate) = readable(symbol, parameters).map(|t| squeezed(&t)) else {
            continue;
        };
        let candidate = bare(&candidate);
        let known = match candidate.strip_suffix(wanted.as_str()) {
            Some("") => &mut whole,
            Some(outer) if outer.ends_with("::") => &mut ends,
            _ => continue,
        };
        // The complete object's constructor stands for the base object's: C1 sorts before C2.
        let entry = known
            .entry(plain(&shown(symbol)))
            .or_insert_with(|| symbol.to_string());
        if symbol < entry.as_str() {
            *entry = symbol.to_string();
        }
    }
    let found = if whole.is_empty() { ends } else { whole };
    if found.len() > 1 {
        let mut names: Vec<String> = found.into_keys().collect();
        names.sort();
        return Err(format!(
            "several functions have the name {name}; say which: {}",
            names
                .iter()
                .map(|n| format!("'{n}'"))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    Ok(found.into_values().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOLS: &[&str] = &[
        "main",
        "_ZN2ns5Class6methodEi",
        "_ZN2ns5Class6methodEd",
        "_ZNK2ns5Class3getEv",
        "_ZN2ns5ClassC1Ei",
        "_ZN2ns5ClassC2Ei",
        "_ZN5other3getEv",
        "_Z4freePKc",
        "_ZN2ns5ClassclEi",
    ];

    fn found(name: &str) -> Result<Option<String>, String> {
        resolve(name, SYMBOLS.iter().copied())
    }

    #[test]
    fn readable_names_find_their_symbols() {
        for (name, symbol) in [
            ("main", "main"),
            ("ns::Class::method(int)", "_ZN2ns5Class6methodEi"),
            ("Class::method( double )", "_ZN2ns5Class6methodEd"),
            ("ns::Class::get", "_ZNK2ns5Class3getEv"),
            ("Class::get() const", "_ZNK2ns5Class3getEv"),
            ("Class::Class", "_ZN2ns5ClassC1Ei"),
            ("free", "_Z4freePKc"),
            ("free(char const*)", "_Z4freePKc"),
            ("Class::operator()", "_ZN2ns5ClassclEi"),
            ("_ZN5other3getEv", "_ZN5other3getEv"),
        ] {
            assert_eq!(found(name), Ok(Some(symbol.to_string())), "{name}");
        }
        for name in ["lass::get", "ns::Class", "method(float)", ""] {
            assert_eq!(found(name), Ok(None), "{name}");
        }
    }

    #[test]
    fn overloads_are_listed() {
        let error = found("Class::method").expect_err("two");
        assert!(
            error.contains("'ns::Class::method(double)', 'ns::Class::method(int)'"),
            "{error}"
        );
        let error = found("get").expect_err("two");
        assert!(
            error.contains("ns::Class::get") && error.contains("other::get"),
            "{error}"
        );
    }

    #[test]
    fn spelling_is_compared_at_the_same_depth() {
        let symbol = "_ZN2ns5Class6methodEi";
        assert_eq!(comparable(symbol, "mehtod"), "method");
        assert_eq!(comparable(symbol, "Class::mehtod(int)"), "Class::method");
        assert_eq!(comparable(symbol, "a::b::c::d"), "ns::Class::method");
        assert_eq!(comparable("main", "mian"), "main");
    }

    #[test]
    fn files_end_at_a_single_colon() {
        let parse = |text| {
            let w = Wanted::parse(text);
            (w.file, w.name)
        };
        assert_eq!(parse("f"), (None, "f"));
        assert_eq!(parse("a/list.c:f"), (Some("a/list.c"), "f"));
        assert_eq!(parse("ns::f"), (None, "ns::f"));
        assert_eq!(
            parse("x.cpp:ns::f(std::a)"),
            (Some("x.cpp"), "ns::f(std::a)")
        );
        assert_eq!(
            Wanted::parse("ns::Class<int>::~Class(int)").identifier(),
            "Class"
        );
    }
}
