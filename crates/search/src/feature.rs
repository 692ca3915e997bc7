//! The table of features: the data about states that searchers use, and about open branches that strategies use.
//!
//! A new feature is a row here and its value in the crate that owns the states (`exec::features`) or the branches
//! (`dse::explorer`). Code that needs all of them by name (a time line, a training log) iterates over [`Feature::ALL`].

/// Stands for "none" where a feature is a site or a distance.
pub const UNKNOWN: u32 = u32::MAX;

macro_rules! features {
    ($($variant:ident $field:ident: $type:ty = $default:expr, $cost:ident, $unit:literal, $help:literal;)*) => {
        /// A feature of a state.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Feature { $(#[doc = $help] $variant),* }

        impl Feature {
            /// All features, in the order of the table.
            pub const ALL: &[Feature] = &[$(Feature::$variant),*];

            /// Its name in logs.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$variant => stringify!($field)),* }
            }

            /// Its unit.
            pub const fn unit(self) -> &'static str {
                match self { $(Feature::$variant => $unit),* }
            }

            /// Its description.
            pub const fn help(self) -> &'static str {
                match self { $(Feature::$variant => $help),* }
            }

            /// The cost of computing it.
            pub const fn cost(self) -> Cost {
                match self { $(Feature::$variant => Cost::$cost),* }
            }
        }

        /// The features of a state, as they are at one moment.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Metrics { $(#[doc = $help] pub $field: $type),* }

        impl Default for Metrics {
            fn default() -> Metrics {
                Metrics { $($field: $default),* }
            }
        }

        impl Metrics {
            /// A feature as a number; one that was not computed has its default.
            pub fn value(&self, feature: Feature) -> f64 {
                match feature { $(Feature::$variant => FeatureNumber::number(self.$field)),* }
            }
        }
    };
}

/// The cost of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// It is there in any case.
    Free,
    /// It is found out only for a searcher that needs it.
    Asked,
}

#[rustfmt::skip]
features! {
    Depth depth: u32 = 0, Free, "forks", "Forks on the path.";
    Instructions instructions: u64 = 0, Free, "instructions", "Instructions executed on the path.";
    SinceNewCoverage since_new_coverage: u64 = u64::MAX, Free, "instructions",
        "Instructions since the path last covered a site first; `u64::MAX`: it never did.";
    CoveredNew covered_new: bool = false, Free, "yes or no", "The path covered something new since it was last selected.";
    Site site: u32 = UNKNOWN, Free, "site", "The coverage site that the state passed last, or [`UNKNOWN`].";
    RecentBranches recent_branches: u64 = 0, Free, "digest",
        "The outcomes of the last four forks, 16 bits each, the newest lowest: see [`push_branch`].";
    QueryCost query_cost_s: f64 = 0.0, Free, "seconds",
        "Cost of the queries on the path: counted work as seconds, so that runs repeat.";
    Distance min_distance_to_uncovered: u32 = UNKNOWN, Asked, "instructions",
        "Instructions to the nearest uncovered site, see [`Distances`](crate::Distances); [`UNKNOWN`]: none in reach.";
    Nearest nearest_uncovered: u32 = UNKNOWN, Asked, "site", "That site, or [`UNKNOWN`].";
    CallPath call_path_instructions: u64 = 0, Asked, "instructions",
        "Instructions that all states together executed under this state's call stack.";
    Run run: u64 = 0, Free, "runs", "Serial number of the run that found the branch; 0: it is a state.";
    RunCovered run_covered: u64 = 0, Free, "sites", "Sites that this run covered first.";
    PcCount pc_instructions: u64 = 0, Asked, "times", "How often all states together executed the instruction at this state's pc.";
}

trait FeatureNumber {
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($type:ty: $self:ident => $value:expr;)*) => {
        $(impl FeatureNumber for $type { fn number($self) -> f64 { $value } })*
    };
}

numbers! {
    u32: self => f64::from(self);
    u64: self => self as f64;
    f64: self => self;
    bool: self => f64::from(u8::from(self));
}

/// The new value of [`Metrics::recent_branches`] after a fork at `pc` took side `outcome`.
#[inline]
pub const fn push_branch(recent: u64, pc: u32, outcome: u32) -> u64 {
    let h = ((pc as u64) << 8 ^ outcome as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
    // Zero means "no fork yet".
    (recent << 16) | if h == 0 { 1 } else { h }
}

/// Features that a searcher reads beyond those that are [free](Cost::Free).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs(u32);

impl Needs {
    /// Nothing beyond what is free.
    pub const NONE: Needs = Needs(0);

    /// These.
    pub const fn of(features: &[Feature]) -> Needs {
        let (mut bits, mut i) = (0, 0);
        while i < features.len() {
            bits |= 1 << features[i] as u32;
            i += 1;
        }
        Needs(bits)
    }

    /// The union of both.
    pub const fn union(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Whether it is needed.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_unique_names_and_their_values() {
        let names: std::collections::HashSet<&str> =
            Feature::ALL.iter().map(|f| f.name()).collect();
        assert_eq!(names.len(), Feature::ALL.len());
        assert!(Feature::ALL.len() <= 32);
        let m = Metrics {
            depth: 7,
            covered_new: true,
            ..Metrics::default()
        };
        assert_eq!(m.value(Feature::Depth), 7.0);
        assert_eq!(m.value(Feature::CoveredNew), 1.0);
    }

    #[test]
    fn needs_are_a_set() {
        let one = Needs::of(&[Feature::Distance, Feature::Nearest]);
        let both = one.union(Needs::of(&[Feature::PcCount]));
        assert!(both.has(Feature::PcCount) && both.has(Feature::Nearest));
        assert!(!one.has(Feature::PcCount) && !Needs::NONE.has(Feature::Distance));
    }
}
