//! Lengths of arrays as users write them: `n`, `n+1`, `2*v->size*v->stride`, each with a bound.

/// A length: an expression of whole numbers over integer parameters and fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Length {
    /// As written, without blanks.
    pub text: String,
    /// The parameters and fields in it, without repetition.
    pub names: Vec<String>,
    /// The bound of each of them, if it was given.
    pub max: Option<u64>,
}

impl Length {
    /// Reads `EXPR` or `EXPR:MAX`.
    ///
    /// # Errors
    /// What is wrong with the text, in words.
    pub fn parse(text: &str) -> Result<Length, String> {
        let (text, max) = match text.rsplit_once(':') {
            Some((text, max)) => {
                let max = max
                    .trim()
                    .parse()
                    .map_err(|_| format!("`{max}` is not a number"))?;
                (text, Some(max))
            }
            None => (text, None),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let joins = |w: &[&str]| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            w[0].ends_with(word) && w[1].starts_with(word)
        };
        if words.windows(2).any(joins) {
            return Err(format!("`{text}` is not a length"));
        }
        let text = words.concat();
        let mut names = Vec::new();
        let mut parser = Parser {
            rest: &text,
            value_of: &mut |name| {
                if !names.iter().any(|n| n == name) {
                    names.push(name.to_string());
                }
                Some(1)
            },
        };
        parser
            .whole()
            .ok_or_else(|| format!("`{text}` is not a length (examples: n, n+1, 4, 2*v->size)"))?;
        Ok(Length { text, names, max })
    }

    /// The length when `value_of` gives the value of each name; `None` without one or on overflow.
    pub fn eval(&self, value_of: impl Fn(&str) -> Option<u64>) -> Option<u64> {
        Parser {
            rest: &self.text,
            value_of: &mut |name| value_of(name),
        }
        .whole()
    }

    /// The expression with each name replaced.
    pub fn replaced(&self, with: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        let mut rest = &self.text[..];
        while !rest.is_empty() {
            match name_at(rest) {
                Some(name) => {
                    out += &with(name);
                    rest = &rest[name.len()..];
                }
                None => {
                    let end = rest.chars().next().map_or(1, char::len_utf8);
                    out += &rest[..end];
                    rest = &rest[end..];
                }
            }
        }
        out
    }
}

/// An identifier with field accesses at the beginning of `text`; what a pointer to a pointer leads to stands in parentheses:
/// `(*p)->size`.
fn name_at(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if let Some(pointer) = text.strip_prefix("(*") {
        let name = name_at(pointer.trim_start_matches('*'))?;
        let end = text.len() - pointer.trim_start_matches('*').len() + name.len();
        let rest = text[end..].strip_prefix(')')?;
        let member = rest.strip_prefix("->").or_else(|| rest.strip_prefix('.'))?;
        let sign = rest.len() - member.len();
        return Some(&text[..end + 1 + sign + name_at(member)?.len()]);
    }
    let letter = |i: usize| {
        bytes
            .get(i)
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
    };
    if !letter(0) {
        return None;
    }
    let mut at = 0;
    loop {
        while bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        {
            at += 1;
        }
        match bytes.get(at) {
            Some(b'.') if letter(at + 1) => at += 1,
            Some(b'-') if bytes.get(at + 1) == Some(&b'>') && letter(at + 2) => at += 2,
            _ => return Some(&text[..at]),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    value_of: &'a mut dyn FnMut(&str) -> Option<u64>,
}

impl Parser<'_> {
    fn whole(&mut self) -> Option<u64> {
        let value = self.sum(0)?;
        self.rest.is_empty().then_some(value)
    }

    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// `depth` bounds the nesting of parentheses.
    fn sum(&mut self, depth: u32) -> Option<u64> {
        let mut value = self.product(depth)?;
        loop {
            if self.take('+') {
                value = value.checked_add(self.product(depth)?)?;
            } else if self.take('-') {
                value = value.saturating_sub(self.product(depth)?);
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self, depth: u32) -> Option<u64> {
        let mut value = self.atom(depth)?;
        while self.take('*') {
            value = value.checked_mul(self.atom(depth)?)?;
        }
        Some(value)
    }

    fn atom(&mut self, depth: u32) -> Option<u64> {
        if let Some(name) = name_at(self.rest) {
            self.rest = &self.rest[name.len()..];
            return (self.value_of)(name);
        }
        if depth < 16 && self.take('(') {
            let value = self.sum(depth + 1)?;
            return self.take(')').then_some(value);
        }
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let value = self.rest[..digits].parse().ok()?;
        self.rest = &self.rest[digits..];
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_evaluated_and_rewritten() {
        let l = Length::parse("2 * v->size * (m.k + 1):3").unwrap();
        assert_eq!(l.names, ["v->size", "m.k"]);
        assert_eq!(l.max, Some(3));
        assert_eq!(l.eval(|n| Some(if n == "m.k" { 4 } else { 3 })), Some(30));
        assert_eq!(l.replaced(|n| format!("<{n}>")), "2*<v->size>*(<m.k>+1)");
        let l = Length::parse("(*node)->children.size+1").unwrap();
        assert_eq!(l.names, ["(*node)->children.size"]);
        assert_eq!(Length::parse("4").unwrap().eval(|_| None), Some(4));
        assert_eq!(Length::parse("n-1").unwrap().eval(|_| Some(0)), Some(0));
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in [
            "",
            "n+",
            "n m",
            "a[1]",
            "n:x",
            "2**3",
            "((((((((((((((((((1))))))))))))))))))",
        ] {
            assert!(Length::parse(text).is_err(), "{text}");
        }
    }
}
