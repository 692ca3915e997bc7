//! What is likely to pay: functions that read input first, trivial ones last.

/// The likely yield of a function, best first: the order of the variants, then what stands in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pay {
    /// It reads text, bytes, arrays or streams, and decides by them.
    Data,
    /// It decides something.
    Decisions,
    /// Accessors and the like: it decides nothing.
    Nothing,
}

impl Pay {
    /// Of a function of C, which has so many ways out of branches that it reaches.
    pub fn of_c(takes_data: bool, reach: u64) -> Pay {
        match (takes_data, reach) {
            (_, 0) => Pay::Nothing,
            (true, _) => Pay::Data,
            (false, _) => Pay::Decisions,
        }
    }

    /// Of a method of Java as it is named, `pkg.Class.method(TYPES)`. (Its code is not looked at.)
    pub fn of_java(method: &str) -> Pay {
        let (path, types) = method.split_once('(').unwrap_or((method, ""));
        let types = types.trim_end_matches(')');
        let name = path.rsplit('.').next().unwrap_or(path);
        let is_accessor = |prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()))
        };
        let is_setter = ["set", "with"].iter().any(|p| is_accessor(p)) && !types.contains(',');
        let is_of_object = ["equals", "hashCode", "toString", "compareTo"].contains(&name);
        if types.is_empty() || is_setter || is_of_object {
            return Pay::Nothing;
        }
        let reads = [
            "String",
            "CharSequence",
            "[]",
            "...",
            "Reader",
            "Stream",
            "Buffer",
            "File",
            "Path",
        ];
        if reads.iter().any(|word| types.contains(word)) {
            Pay::Data
        } else {
            Pay::Decisions
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pay;

    #[test]
    fn readers_come_first_and_accessors_last() {
        let mut methods = [
            "a.B.getName()",
            "a.B.setName(java.lang.String)",
            "a.B.equals(java.lang.Object)",
            "a.B.add(int,int)",
            "a.B.parse(java.lang.String)",
            "a.B.settle(byte[])",
        ];
        methods.sort_by_key(|m| Pay::of_java(m));
        assert_eq!(
            methods[..3],
            [
                "a.B.parse(java.lang.String)",
                "a.B.settle(byte[])",
                "a.B.add(int,int)"
            ]
        );
        assert!(Pay::of_c(true, 2) < Pay::of_c(false, 90));
        assert!(Pay::of_c(false, 2) < Pay::of_c(true, 0));
    }
}
