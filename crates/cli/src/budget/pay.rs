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
}

#[cfg(test)]
mod tests {
    use super::Pay;

    #[test]
    fn readers_come_first_and_accessors_last() {
        assert!(Pay::of_c(true, 2) < Pay::of_c(false, 90));
        assert!(Pay::of_c(false, 2) < Pay::of_c(true, 0));
    }
}
