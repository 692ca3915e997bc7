//! Predicates of comparisons.

use serde::{Deserialize, Serialize};

/// Predicates of a floating-point comparison, as LLVM names them: `O…` is false when an operand
/// is NaN, `U…` is true then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum FloatPredicate {
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
}

impl FloatPredicate {
    /// Every predicate, in the order of its discriminant.
    pub const ALL: [FloatPredicate; 14] = {
        use FloatPredicate::*;
        [
            Oeq, Ogt, Oge, Olt, Ole, One, Ord, Ueq, Ugt, Uge, Ult, Ule, Une, Uno,
        ]
    };

    /// The predicate's name, as the variant is written.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 14] = [
            "Oeq", "Ogt", "Oge", "Olt", "Ole", "One", "Ord", "Ueq", "Ugt", "Uge", "Ult", "Ule",
            "Une", "Uno",
        ];
        NAMES[self as usize]
    }

    /// The truth of the predicate for the outcome of a comparison (`None`: unordered).
    #[inline]
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        use FloatPredicate::*;
        use std::cmp::Ordering::*;
        match order {
            None => matches!(self, Ueq | Ugt | Uge | Ult | Ule | Une | Uno),
            Some(Less) => matches!(self, Olt | Ole | One | Ord | Ult | Ule | Une),
            Some(Equal) => matches!(self, Oeq | Oge | Ole | Ord | Ueq | Uge | Ule),
            Some(Greater) => matches!(self, Ogt | Oge | One | Ord | Ugt | Uge | Une),
        }
    }

    /// The predicate that holds exactly when this one does not.
    pub fn negated(self) -> FloatPredicate {
        use FloatPredicate::*;
        match self {
            Oeq => Une,
            Ogt => Ule,
            Oge => Ult,
            Olt => Uge,
            Ole => Ugt,
            One => Ueq,
            Ord => Uno,
            Ueq => One,
            Ugt => Ole,
            Uge => Olt,
            Ult => Oge,
            Ule => Ogt,
            Une => Oeq,
            Uno => Ord,
        }
    }

    /// The predicate that holds of (b, a) exactly when this one holds of (a, b).
    pub fn swapped(self) -> FloatPredicate {
        use FloatPredicate::*;
        match self {
            Ogt => Olt,
            Oge => Ole,
            Olt => Ogt,
            Ole => Oge,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Oeq | One | Ord | Ueq | Une | Uno => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_negate_and_swap() {
        use std::cmp::Ordering::*;
        for predicate in FloatPredicate::ALL {
            assert_eq!(predicate.name(), format!("{predicate:?}"));
            for order in [None, Some(Less), Some(Equal), Some(Greater)] {
                assert_eq!(predicate.holds(order), !predicate.negated().holds(order));
                let reversed = order.map(std::cmp::Ordering::reverse);
                assert_eq!(predicate.holds(order), predicate.swapped().holds(reversed));
            }
        }
    }
}
