//! Names of test methods that say what a test shows: the method, what is special about its arguments, and the outcome
//! (`parse_emptyString_throwsIndexOutOfBounds`).

use super::literal;

/// Special arguments that a name has, at most.
const SHOWN: usize = 2;

/// A name for the test of a call. `arguments`: their source; `said`: the expected outcome in the driver's words.
pub fn name(method: &str, arguments: &[&str], said: &str) -> String {
    let special = arguments.iter().filter_map(|a| special(a));
    let special: Vec<String> = special.take(SHOWN).collect();
    let special = lower(&special.join("And"));
    let parts = [identifier(method), special, outcome(said)];
    let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join("_")
}

/// What is special about an argument, with a capital; `None`: nothing.
fn special(source: &str) -> Option<String> {
    if let Some(class) = source.strip_suffix(" null") {
        let class = class.strip_prefix('(')?.strip_suffix(')')?;
        return Some(format!("Null{}", simple(class)));
    }
    if source == "null" {
        return Some("Null".into());
    }
    if source.ends_with(".MIN_VALUE") {
        return Some("MinValue".into());
    }
    if source.starts_with("new ") && source.ends_with("[] {}") {
        return Some("EmptyArray".into());
    }
    if source.starts_with("new ") && source.ends_with("<>()") {
        return Some("EmptyCollection".into());
    }
    let text = source.strip_prefix("new String(").unwrap_or(source);
    if let Some((text, _)) = literal(text) {
        return text.is_empty().then(|| "EmptyString".into());
    }
    // A cast is no part of the number.
    let number = source.rsplit(") ").next().unwrap_or(source);
    let digits = number.trim_end_matches(['L', 'f', 'd']);
    match digits.parse::<f64>() {
        Ok(0.0) => Some("Zero".into()),
        Ok(n) if n < 0.0 => Some("Negative".into()),
        _ => None,
    }
}

fn outcome(said: &str) -> String {
    if let Some(thrown) = said.strip_prefix("threw ") {
        let class = thrown.lines().next().unwrap_or_default();
        let class = simple(class.split(':').next().unwrap_or_default());
        let short = class.strip_suffix("Exception").filter(|s| !s.is_empty());
        return format!("throws{}", short.unwrap_or(&class));
    }
    let Some(value) = said.strip_prefix("returned ") else {
        return String::new();
    };
    let (what, source) = value.split_once('\n').unwrap_or((value, ""));
    let (kind, rest) = what.split_once(' ').unwrap_or((what, ""));
    match (kind, rest) {
        ("V", _) => "completes".into(),
        ("null", _) => "returnsNull".into(),
        ("Z", "0") => "returnsFalse".into(),
        ("Z", _) => "returnsTrue".into(),
        ("B" | "S" | "I" | "J", n) => format!("returns{}", n.replace('-', "Minus")),
        ("C", _) => "returnsCharacter".into(),
        ("F" | "D", _) => "returnsNumber".into(),
        ("L", "java.lang.String") if source == "\"\"" => "returnsEmptyString".into(),
        ("L", class) if class.ends_with("[]") => "returnsArray".into(),
        ("L", class) => format!("returns{}", simple(class)),
        _ => "returns".into(),
    }
}

/// The last part of a class's name, as a part of an identifier.
fn simple(class: &str) -> String {
    let generic = class.split('<').next().unwrap_or_default();
    let last = generic.rsplit(['.', '$']).find(|part| !part.is_empty());
    let is_array = generic.ends_with("[]");
    identifier(last.unwrap_or_default()) + if is_array { "Array" } else { "" }
}

/// Letters and digits alone.
fn identifier(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_arguments_and_outcome() {
        let is = |arguments: &[&str], said, wanted| {
            assert_eq!(name("parse", arguments, said), wanted);
        };
        let thrown =
            "threw java.lang.StringIndexOutOfBoundsException: index 1\nIndexOutOfBoundsException";
        is(
            &["new String(\"\")"],
            thrown,
            "parse_emptyString_throwsStringIndexOutOfBounds",
        );
        is(
            &["(p.Options) null", "new String[] {}", "0L"],
            "returned null",
            "parse_nullOptionsAndEmptyArray_returnsNull",
        );
        is(&["\"a\"", "7"], "returned I -5", "parse_returnsMinus5");
        is(&["(byte) -3"], "returned Z 1", "parse_negative_returnsTrue");
        is(
            &["5.0", "true"],
            "returned L p.Outer$Inner",
            "parse_returnsInner",
        );
        is(
            &[],
            "threw java.lang.Exception\nException",
            "parse_throwsException",
        );
        is(
            &["Integer.MIN_VALUE"],
            "returned V",
            "parse_minValue_completes",
        );
    }
}
