//! The declarations of a function in a source, with their attributes and comments.

use super::tokens::{Token, Tokens};
use super::{KnownParameter, SaidLength};

/// A declaration or a definition.
pub(super) struct FoundDeclaration<'a> {
    /// The tokens of each parameter.
    parameters: Vec<Vec<Token<'a>>>,
    /// The tokens before the function's name and behind its parameters.
    around: Vec<Token<'a>>,
    /// The comment above, and one behind it on its last line.
    pub(super) comments: Vec<Token<'a>>,
}

/// Those of a function.
pub(super) fn of<'a>(source: &Tokens<'a>, function: &str) -> Vec<FoundDeclaration<'a>> {
    let all = &source.0;
    let mut found = Vec::new();
    let mut depth = 0_u32;
    // The place behind the end of the last declaration.
    let mut begin = 0;
    let mut at = 0;
    while let Some(token) = all.get(at) {
        match token.text {
            // What `extern "C" {` contains is outside of braces.
            "{" if is_linkage(&all[begin..at]) => begin = at + 1,
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                begin = at + 1;
            }
            ";" => begin = at + 1,
            name if name == function && depth == 0 => {
                if let Some(open) = parameters_behind(all, at) {
                    let (parameters, close) = list(all, open);
                    let end = end(all, close);
                    found.push(FoundDeclaration {
                        parameters,
                        around: [&all[begin..at], &all[close..end]].concat(),
                        comments: comments(all, begin, at, end),
                    });
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn is_linkage(before: &[Token<'_>]) -> bool {
    let mut plain = before.iter().rev().filter(|t| !t.is_comment());
    let ends = [plain.next(), plain.next()].map(|t| t.map_or("", |t| t.text));
    ends[0].starts_with('"') && ends[1] == "extern"
}

/// The parenthesis that opens the parameters behind a name, which may stand in parentheses or in a macro itself (`DECLARE(int, f)(void)`).
fn parameters_behind(all: &[Token<'_>], name: usize) -> Option<usize> {
    let mut next = name + 1;
    if all.get(next).is_some_and(|t| t.text == ")") {
        next += 1;
    }
    all.get(next).is_some_and(|t| t.text == "(").then_some(next)
}

/// The parts between commas inside of the parentheses that open here, and the place behind them.
pub(super) fn list<'a>(all: &[Token<'a>], open: usize) -> (Vec<Vec<Token<'a>>>, usize) {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_u32;
    for (i, token) in all.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        match token.text {
            "(" if i == open => {}
            ")" if depth == 0 => return (parts, i + 1),
            "," if depth == 1 => parts.push(Vec::new()),
            _ if token.is_comment() => {}
            _ => parts.last_mut().into_iter().for_each(|p| p.push(*token)),
        }
    }
    (parts, all.len())
}

/// The end of a declaration behind its parameters.
fn end(all: &[Token<'_>], from: usize) -> usize {
    let ends = |t: &Token<'_>| matches!(t.text, ";" | "{" | "}");
    let behind = all[from..].iter().position(ends);
    behind.map_or(all.len(), |n| from + n)
}

/// The comments of a declaration between these places.
fn comments<'a>(all: &[Token<'a>], begin: usize, name: usize, end: usize) -> Vec<Token<'a>> {
    // One on the line on which the declaration before ends is that one's.
    let line_before = begin.checked_sub(1).map(|last| all[last].line);
    let above = all[begin..name]
        .iter()
        .filter(|t| t.is_comment() && Some(t.line) != line_before);
    let mut chosen: Vec<Token<'a>> = Vec::new();
    for comment in above {
        let goes_on = chosen.last().is_some_and(|last| {
            let are_lines = comment.text.starts_with("//") && last.text.starts_with("//");
            are_lines && comment.line == last.line + 1
        });
        if !goes_on {
            chosen.clear();
        }
        chosen.push(*comment);
    }
    let is_beside = |t: &&Token<'a>| t.is_comment() && t.line == all[end.min(all.len() - 1)].line;
    chosen.extend(all.get(end + 1).filter(is_beside));
    chosen
}

impl<'a> FoundDeclaration<'a> {
    /// Its own names of the parameters, which the definition may call otherwise.
    pub(super) fn names(&self, known: &[KnownParameter<'_>]) -> Vec<String> {
        let named = |i: usize, known: &KnownParameter<'_>| {
            let own = self.parameters.get(i).and_then(|p| declared(p));
            own.unwrap_or(known.name).to_string()
        };
        known.iter().enumerate().map(|(i, k)| named(i, k)).collect()
    }

    /// Lengths that attributes and arrays among the parameters say.
    pub(super) fn lengths(&self, known: &[KnownParameter<'_>], file: &str) -> Vec<SaidLength> {
        if self.parameters.len() != known.len() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut add = |array: usize, length: String, line: u32| {
            if known[array].is_pointer {
                found.push(SaidLength {
                    of: String::new(),
                    array: known[array].name.to_string(),
                    length,
                    is_in_bytes: false,
                    place: format!("{file}:{line}"),
                });
            }
        };
        for (i, token) in self.around.iter().enumerate() {
            if !matches!(token.text, "access" | "__access__") {
                continue;
            }
            if self.around.get(i + 1).is_none_or(|t| t.text != "(") {
                continue;
            }
            let (parts, _) = list(&self.around, i + 1);
            let number = |part: usize| -> Option<usize> {
                let [token] = &parts.get(part)?[..] else {
                    return None;
                };
                let number: usize = token.text.parse().ok()?;
                number.checked_sub(1).filter(|n| *n < known.len())
            };
            if let (Some(array), Some(length)) = (number(1), number(2)) {
                add(array, known[length].name.to_string(), token.line);
            }
        }
        let names = self.names(known);
        for (i, parameter) in self.parameters.iter().enumerate() {
            let Some((length, line)) = dimension(parameter) else {
                continue;
            };
            if let Ok(1..) = length.parse::<u64>() {
                add(i, length.to_string(), line);
            } else if let Some(at) = names.iter().position(|name| name == length) {
                add(i, known[at].name.to_string(), line);
            }
        }
        found
    }
}

/// The name in a parameter: the last word before any bracket.
fn declared<'a>(parameter: &[Token<'a>]) -> Option<&'a str> {
    let plain = parameter.split(|t| t.text == "[").next()?;
    // A type alone has no name.
    let mut words = plain.iter().filter(|t| t.is_word());
    let last = words.next_back().filter(|t| !is_type_word(t.text))?;
    let has_type = words.next().is_some();
    has_type.then_some(last.text)
}

fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "char"
            | "long"
            | "short"
            | "unsigned"
            | "signed"
            | "float"
            | "double"
            | "void"
            | "const"
            | "_Bool"
    )
}

/// The only dimension of an array: `v[n]`, `v[static 4]`.
fn dimension<'a>(parameter: &[Token<'a>]) -> Option<(&'a str, u32)> {
    let open = parameter.iter().position(|t| t.text == "[")?;
    let inside = parameter[open + 1..].split(|t| t.text == "]").next()?;
    let is_only = open + inside.len() + 2 == parameter.len();
    let mut words = inside
        .iter()
        .filter(|t| !matches!(t.text, "static" | "const" | "restrict" | "volatile"));
    let length = words.next()?;
    (is_only && words.next().is_none()).then_some((length.text, length.line))
}
