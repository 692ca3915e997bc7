//! The table of the layers, in the order in which a query meets them: name, position, help, and the meaning of its
//! counter. `registry.rs` has their constructors.

/// The position of a layer. Most are in the chain once, at the place of their row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Before the chain: it decides the query at the door, or makes it smaller there.
    Door,
    /// In the chain, where the table has the row.
    Row,
    /// In the chain before another row, where the options ask for its theory first.
    Before(LayerId),
    /// Around everything in the chain that comes after the row.
    Around,
    /// At the end of the chain.
    End,
}

macro_rules! layer_ids {
    ($($variant:ident $name:literal [$($place:expr),*] $help:literal, $decided:literal;)*) => {
        /// Something that decides queries, or makes them smaller, and that `--solver-layers` can name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LayerId { $(#[doc = $help] $variant),* }

        impl LayerId {
            /// All layers, in the order of the table.
            pub const ALL: &[LayerId] = &[$(LayerId::$variant),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(LayerId::$variant => $name),* }
            }

            /// The layer of that name.
            ///
            /// # Errors
            /// There is none; the message has all names.
            pub fn by_name(name: &str) -> Result<LayerId, String> {
                let found = LayerId::ALL.iter().find(|id| id.name() == name);
                found.copied().ok_or_else(|| {
                    let known: Vec<&str> = LayerId::ALL.iter().map(|id| id.name()).collect();
                    format!("the layers are {}", known.join(", "))
                })
            }

            /// Its description in `--help`.
            pub const fn help(self) -> &'static str {
                match self { $(LayerId::$variant => $help),* }
            }

            /// Its positions.
            pub(crate) const fn places(self) -> &'static [Stand] {
                match self { $(LayerId::$variant => &[$($place),*]),* }
            }

            /// Name of the counter of queries that it decided.
            pub(crate) const fn counter(self) -> &'static str {
                match self { $(LayerId::$variant => concat!("by_", $name)),* }
            }

            /// The meaning of that counter.
            pub(crate) const fn decided(self) -> &'static str {
                match self { $(LayerId::$variant => concat!("decided ", $decided)),* }
            }
        }
    };
}

#[rustfmt::skip]
layer_ids! {
    Rewrite "rewrite" [Stand::Row] "constants, and conditions that are on the path already",
        "as constants or by a conjunct on the path";
    Domains "domains" [Stand::Door, Stand::Row] "the exact set of values of each input byte",
        "by sets of byte values";
    Independence "independence" [Stand::Door] "only the conjuncts that share symbols with the condition",
        "never: it makes queries smaller";
    Cores "cores" [Stand::Row] "answers and unsatisfiable cores of earlier queries",
        "by an earlier answer or core";
    Reuse "reuse" [Stand::Row] "models of earlier queries",
        "by an earlier model";
    Lia "lia" [Stand::Row] "linear integer arithmetic: queries over integers",
        "by linear integer arithmetic";
    Intervals "intervals" [Stand::Row] "value ranges and known bits under the path",
        "by value ranges";
    Facts "facts" [Stand::Row] "value ranges and known bits in both directions, for queries with products",
        "by value ranges in both directions";
    Search "search" [Stand::Row] "a few guided changes of the witness",
        "by local search";
    Enumeration "enumeration" [Stand::Row, Stand::End] "every assignment of up to 16 input bits",
        "by every assignment of a few bits";
    Congruence "congruence" [Stand::Row] "one value for each class of equal terms, tried if trials are wanted",
        "by the classes of the congruence closure";
    FloatIntervals "float-intervals" [Stand::Row] "sets of floats in both directions, and the order of terms",
        "by sets of floats";
    FloatSearch "float-search" [Stand::Row] "descent on the distance to satisfying conditions with floats",
        "by descent on float conditions";
    RealBox "real-box" [Stand::Row] "float conditions over boxes of real numbers, and the floats next to a solution",
        "next to a real solution";
    Fuzz "fuzz" [Stand::Row] "fuzzing of conditions with floats, only with the method of that name",
        "by fuzzing float conditions";
    Synergy "synergy" [Stand::Row] "simple conditions by circuits, then real numbers, then fuzzing, only with the method of that name",
        "by circuits, real numbers and fuzzing in turn";
    SmallFloat "small-float" [Stand::Row] "float conditions at smaller precisions, and a descent from their models",
        "from a solution at a smaller precision";
    Bvfp "bvfp" [Stand::Around] "floating-point conditions as conditions on bit-vectors, for the layers behind this one",
        "never: it makes queries of other ones";
    Ilp "ilp" [Stand::Before(LayerId::Search), Stand::Row] "integer linear programs for the linear part of the query",
        "by an integer linear program";
    Blast "blast" [Stand::Row] "bit-blasting onto a SAT solver",
        "by the SAT solver";
}
