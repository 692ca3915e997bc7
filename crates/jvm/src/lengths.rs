//! How long arrays, strings and collections of input are.
//!
//! Of each one the driver chooses a length up to a first bound. Longer ones are a choice of their own, which waits until nothing else brings anything
//! new (`Wire.CAN_WAIT`): lengths up to twice the bound, and so on (`Sizes` in `Inputs.java`). Each bound has its own object of
//! input, whose name says where it begins.

/// The ends of the names of such objects: of arrays and strings, and of collections.
const ENDS: [&str; 2] = [".length", ".size"];
/// Stands before the number where lengths of this object begin, if that is not 0.
const FROM: char = '+';

/// The bounds that a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The fewest elements of an array or characters of a string.
    pub least: u32,
    /// The most at first.
    pub first: u32,
    /// The most of arrays and collections, at last.
    pub arrays: u32,
    /// The most of strings, at last.
    pub strings: u32,
}

impl Lengths {
    /// The bounds one after the other, each with the length behind the one before, up to this last one.
    fn bounds(self, last: u32) -> impl Iterator<Item = (u32, u32)> {
        let first = (self.least, self.first.min(last));
        std::iter::successors(Some(first), move |&(_, to)| {
            (to < last).then(|| (to + 1, (2 * to).clamp(to + 1, last)))
        })
    }

    /// The bound of the lengths that begin here.
    pub fn reached(self, from: u32) -> u32 {
        let all = self.bounds(self.arrays.max(self.strings));
        let found = all.into_iter().find(|bound| bound.0 == from);
        found.map_or(self.first, |bound| bound.1)
    }

    /// How many choices for longer ones lead to this length of a string or array (`last`: its last bound), and where the lengths of its bound
    /// begin. `None` if there is no such length.
    pub fn way(self, length: u32, last: u32) -> Option<(u32, u32)> {
        let mut bounds = (0..).zip(self.bounds(last));
        let holds = |bound: &(u32, (u32, u32))| (bound.1.0..=bound.1.1).contains(&length);
        let (longer, (from, _)) = bounds.find(holds)?;
        Some((longer, from))
    }
}

/// The name of the choice for lengths beyond so many bounds, and that of the object for lengths that begin here.
pub(crate) fn names(of: &str, longer: u32, from: u32) -> (String, String) {
    let end = ENDS[0];
    let behind = if from == 0 {
        String::new()
    } else {
        format!("{FROM}{from}")
    };
    (
        format!("{of}{end}.more{longer}"),
        format!("{of}{end}{behind}"),
    )
}

/// What the object of this name says the length of, and the length that its value adds to. `None` for another object.
pub fn length_of(name: &str) -> Option<(&str, u32)> {
    ENDS.iter().find_map(|end| {
        let (of, behind) = name.rsplit_once(end)?;
        let from = match behind {
            "" => 0,
            _ => behind.strip_prefix(FROM)?.parse().ok()?,
        };
        Some((of, from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_double_up_to_the_last_one() {
        let lengths = Lengths {
            least: 1,
            first: 4,
            arrays: 20,
            strings: 4,
        };
        let all: Vec<(u32, u32)> = lengths.bounds(20).collect();
        assert_eq!(all, [(1, 4), (5, 8), (9, 16), (17, 20)]);
        assert_eq!(lengths.bounds(4).count(), 1);
        assert_eq!(lengths.way(4, 20), Some((0, 1)));
        assert_eq!(lengths.way(9, 20), Some((2, 9)));
        assert_eq!((lengths.way(0, 20), lengths.way(5, 4)), (None, None));
        assert_eq!((lengths.reached(1), lengths.reached(17)), (4, 20));
    }

    #[test]
    fn names_say_where_lengths_begin() {
        assert_eq!(length_of("arg0.length"), Some(("arg0", 0)));
        assert_eq!(length_of("this.0.size+5"), Some(("this.0", 5)));
        assert_eq!(length_of("arg0.length.more1"), None);
        assert_eq!(length_of("arg0.lengths"), None);
        assert_eq!(
            names("arg0", 2, 9),
            ("arg0.length.more2".into(), "arg0.length+9".into())
        );
    }
}
