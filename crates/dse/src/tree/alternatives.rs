//! The alternatives of a node. Of millions of nodes most have one for good: it lies in the node itself.

use super::Alternative;
use std::ops::{Deref, DerefMut};

/// A list with room for one in itself.
#[derive(Default)]
pub(super) enum Alternatives {
    /// None yet.
    #[default]
    None,
    One(Alternative),
    Many(Vec<Alternative>),
}

impl Alternatives {
    /// Adds the last one.
    pub fn push(&mut self, next: Alternative) {
        *self = match std::mem::take(self) {
            Alternatives::None => Alternatives::One(next),
            Alternatives::One(first) => {
                // A branch has two: no room is kept for more.
                Alternatives::Many(vec![first, next])
            }
            Alternatives::Many(mut all) => {
                all.push(next);
                Alternatives::Many(all)
            }
        };
    }
}

impl Deref for Alternatives {
    type Target = [Alternative];

    fn deref(&self) -> &[Alternative] {
        match self {
            Alternatives::None => &[],
            Alternatives::One(one) => std::slice::from_ref(one),
            Alternatives::Many(all) => all,
        }
    }
}

impl DerefMut for Alternatives {
    fn deref_mut(&mut self) -> &mut [Alternative] {
        match self {
            Alternatives::None => &mut [],
            Alternatives::One(one) => std::slice::from_mut(one),
            Alternatives::Many(all) => all,
        }
    }
}
