//! Tests of Java programs as Java source: JUnit classes that need no Polypath ([`junit`]), and the calls that replay
//! makes on a plain JVM ([`replay`]).
//!
//! Arguments come as source already: the driver on the woven JVM, which makes the objects, writes the expressions that
//! make them.

pub mod junit;
mod names;
pub mod replay;
pub mod witness;

use crate::model::TestCase;
use serde::{Deserialize, Serialize};

/// The method under test, as source that calls it has to know it. All of it comes from the driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Method {
    /// The package of its class; empty for the unnamed one.
    pub package: String,
    /// The name of its class, as a JVM has it.
    pub class: String,
    /// The name of the class that declares it: this one, or one above; empty if that is not known.
    pub declares: String,
    /// An expression that is the class object.
    #[serde(rename = "type")]
    pub class_object: String,
    /// Its name.
    #[serde(rename = "method")]
    pub name: String,
    /// The name of the class in source of the same package; empty if that may not call it.
    pub source: String,
    /// Class objects of its parameters, with commas between.
    pub types: String,
    /// The type of its result, in Java's words.
    pub returns: String,
    /// Present if it reads standard input that a test gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// The names of its files of input, with spaces between, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Present if it is called without an object.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    pub is_static: Option<String>,
}

/// What a test says at the end of an exception that left the code of another thread, while the entry point came to its end.
pub const IN_THREAD: &str = "\nin another thread";

/// How the second line of a result begins that has no source, before what its method `toString` says of it (`Said.java`).
pub(crate) const SAYS: &str = "toString ";

/// Stands for an argument for which the driver has no expression.
const UNKNOWN: &str = "?";

impl Method {
    /// The object of a test's call, unless the method is static, and the arguments; `Err`: the reason why no source can make them.
    fn arguments<'a>(
        &self,
        test: &'a TestCase,
    ) -> Result<(Option<&'a str>, Vec<&'a str>), &'static str> {
        // Behind the arguments stands what the program asked for itself.
        let args = test.args.len() - inside(test).len().min(test.args.len());
        let mut args: Vec<&str> = test.args[..args].iter().skip(1).map(|a| utf8(a)).collect();
        if args.contains(&UNKNOWN) {
            return Err("have an argument that source cannot make");
        }
        if self.is_static.is_some() {
            return Ok((None, args));
        }
        if args.is_empty() {
            return Err("ended before the call");
        }
        let receiver = args.remove(0);
        Ok((Some(receiver), args))
    }

    /// A call with the arguments of a test; `Err`: the reason why no source can make it.
    fn call(&self, test: &TestCase) -> Result<String, &'static str> {
        let (receiver, args) = self.arguments(test)?;
        let args = args.join(", ");
        let name = &self.name;
        if !self.source.is_empty() {
            let on = receiver.unwrap_or(&self.source);
            return Ok(format!("{on}.{name}({args})"));
        }
        let on = receiver.unwrap_or("null");
        let (class, types) = (&self.class_object, &self.types);
        Ok(format!(
            "call({class}, \"{name}\", new Class<?>[] {{{types}}}, {on}, new Object[] {{{args}}})"
        ))
    }

    /// The call of a test, as source of the same package; `None` if none can make it.
    pub fn expression(&self, test: &TestCase) -> Option<String> {
        self.call(test).ok()
    }

    /// A call whose result has this type, in Java's words: without a cast where source sees it.
    fn typed(&self, call: &str, result: &str) -> String {
        if self.returns == result && !self.source.is_empty() {
            call.to_string()
        } else {
            format!("({}) {call}", result.replace('$', "."))
        }
    }

    /// A statement to come before the call of a test; empty for none.
    fn before(&self, test: &TestCase) -> String {
        let array = |bytes| format!("java.util.HexFormat.of().parseHex(\"{}\")", digits(bytes));
        let mut all = match (&self.stdin, &test.stdin) {
            (Some(_), Some(bytes)) => {
                let bytes = array(bytes);
                format!("System.setIn(new java.io.ByteArrayInputStream({bytes}));")
            }
            _ => String::new(),
        };
        for name in self.files.iter().flat_map(|names| names.split(' ')) {
            if let Some((_, bytes)) = test.objects.iter().find(|(n, _)| n == name) {
                let bytes = array(bytes);
                let path = format!("java.nio.file.Path.of(\"{name}\")");
                all += &format!("java.nio.file.Files.write({path}, {bytes});");
            }
        }
        all
    }

    /// Is it that of a whole program?
    fn is_main(&self) -> bool {
        let is_named = self.name == "main" && self.types == "String[].class";
        is_named && self.is_static.is_some() && self.returns == "void"
    }

    /// The helper methods for a call by reflection, if calls are made so.
    fn helper(&self) -> &'static str {
        if self.source.is_empty() { HELPER } else { "" }
    }

    fn package_line(&self) -> String {
        if self.package.is_empty() {
            String::new()
        } else {
            format!("package {};\n\n", self.package)
        }
    }

    /// The folder of its package.
    fn folder(&self) -> String {
        self.package.replace('.', "/")
    }

    /// "AccountWithdraw": class and method as a part of a class name.
    fn camel(&self) -> String {
        let class = self.class.rsplit('.').next().unwrap_or_default();
        let class: String = class.chars().filter(|c| *c != '$').collect();
        let mut chars = self.name.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string());
        class + &first.unwrap_or_default() + chars.as_str()
    }
}

const HELPER: &str = "
    /** Calls what source may not name. */
    private static Object call(Class<?> c, String name, Class<?>[] types, Object on, Object[] values) throws Throwable {
        java.lang.reflect.Method m = null;
        for (Class<?> k = c; m == null && k != null; k = k.getSuperclass()) {
            try {
                m = k.getDeclaredMethod(name, types);
            } catch (NoSuchMethodException e) {
                // It is inherited.
            }
        }
        m.setAccessible(true);
        try {
            return m.invoke(on, values);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
    }
";

/// The object of a fuzz target of Jazzer.
const PROVIDER: &[u8] = b"new polypath.jazzer.Provider()";

/// Whether the test needs classes of ours on a plain JVM: the program asks for input itself.
fn asks(test: &TestCase) -> bool {
    !inside(test).is_empty() || test.args.iter().any(|a| a == PROVIDER)
}

/// The objects that the program itself asked for.
fn inside(test: &TestCase) -> &[(String, Vec<u8>)] {
    &test.objects[(test.input_objects as usize).min(test.objects.len())..]
}

/// Bytes as hexadecimal digits.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The first line of the expected output of a test that throws.
pub fn thrown(class: &str, message: &str) -> String {
    if message.is_empty() {
        return class.to_string();
    }
    // A message may quote the input.
    let mut words = format!("{class}: ");
    for c in message.chars() {
        if c.is_control() {
            words.extend(c.escape_default());
        } else {
            words.push(c);
        }
    }
    words
}

/// The strings of an array of them, from the driver's source for it. `None` if one is null, or cannot be an argument of a process.
pub fn strings(source: &str) -> Option<Vec<String>> {
    let mut rest = source.strip_prefix("new String[]")?.trim_start();
    rest = rest.strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let is_made = rest.strip_prefix("new String(");
        let (text, behind) = literal(is_made.unwrap_or(rest))?;
        let behind = match is_made {
            Some(_) => behind.strip_prefix(')')?,
            None => behind,
        };
        if text.contains('\0') {
            return None;
        }
        all.push(text);
        rest = match behind.trim_start() {
            "" => "",
            more => more.strip_prefix(',')?.trim_start(),
        };
    }
    Some(all)
}

/// The text of the literal at the front of some source, and what stands behind it.
fn literal(source: &str) -> Option<(String, &str)> {
    let body = source.strip_prefix('"')?;
    let mut units: Vec<u16> = Vec::new();
    let mut at = 0;
    loop {
        let rest = &body[at..];
        let c = rest.chars().next()?;
        at += c.len_utf8();
        match c {
            '"' => return Some((String::from_utf16(&units).ok()?, &body[at..])),
            '\\' => {
                let digits = |radix: u32, most: usize, from: &str| {
                    from.chars()
                        .take(most)
                        .take_while(|c| c.is_digit(radix))
                        .count()
                };
                let escape = body[at..].chars().next()?;
                at += escape.len_utf8();
                let unit = match escape {
                    'u' => {
                        let n = digits(16, 4, &body[at..]);
                        let unit = u16::from_str_radix(&body[at..at + n], 16).ok()?;
                        at += n;
                        unit
                    }
                    '0'..='7' => {
                        let most = if escape <= '3' { 3 } else { 2 };
                        let n = digits(8, most, &body[at - 1..]);
                        let unit = u16::from_str_radix(&body[at - 1..at - 1 + n], 8).ok()?;
                        at += n - 1;
                        unit
                    }
                    'b' => 8,
                    't' => 9,
                    'n' => 10,
                    'f' => 12,
                    'r' => 13,
                    's' => 32,
                    '"' | '\'' | '\\' => escape as u16,
                    _ => return None,
                };
                units.push(unit);
            }
            c => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
        }
    }
}

/// Text that we wrote ourselves; bytes that are none show as nothing.
fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Text inside of a comment: what would end it, or a compiler would take for a character.
fn comment(text: &str) -> String {
    let safe = |c: char| match c {
        '\\' => "&#92;".to_string(),
        '*' => "&#42;".to_string(),
        '<' => "&lt;".to_string(),
        '&' => "&amp;".to_string(),
        '@' => "&#64;".to_string(),
        c if c.is_control() || !c.is_ascii() => "?".to_string(),
        c => c.to_string(),
    };
    text.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_of_strings_is_read_back() {
        let of = |source: &str| strings(source);
        assert_eq!(of("new String[] {}"), Some(vec![]));
        let source = r#"new String[] {new String("-=x"), "a\"b\\,\n\101\477", new String("\u00e9\ud83d\ude00é")}"#;
        let expected = ["-=x", "a\"b\\,\nA'7", "é😀é"];
        assert_eq!(of(source).unwrap(), expected);
        // What replay writes for all of these.
        let all: String = (1..500u32).filter_map(char::from_u32).collect();
        let source = format!("new String[] {{{}}}", replay::text(&all));
        assert_eq!(of(&source), Some(vec![all]));
        for wrong in [
            "null",
            "new String[] {null}",
            "new String[] {\"a\\000\"}",
            "new String[] {\"\\ud800\"}",
            "new String[] {\"a}",
            "new String[] {\"a\" + f()}",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
