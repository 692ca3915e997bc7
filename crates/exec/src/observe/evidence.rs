//! What a path shows about the size of an object that it accesses wrongly.
//!
//! A driver guesses the sizes of arrays: it takes an integer beside a pointer for the length of what that leads to. Two things on
//! the path say that the guess may be wrong. The program reads past the end of an array in which no byte can be zero: it may have looked
//! for the zero that ends a text. And it reads the first byte of an array that has none before it has looked at the number that is said to
//! be the length: where the program does not ask, nothing shows that the number is one.

use crate::errors::WrongAccess;
use crate::machine::Machine;
use crate::state::State;
use explore::AccessedObject;
use solver::Origin;
use term::{Symbol, Term};

impl Machine {
    /// The symbolic object that was accessed wrongly, if it is one.
    pub(crate) fn accessed_object(
        &mut self,
        s: &State,
        access: WrongAccess,
    ) -> Option<AccessedObject> {
        let object = s.objects.at(access.start)?;
        let before = object.symbols.get(..access.before as usize).unwrap_or(&[]);
        Some(AccessedObject {
            name: object.name.to_string(),
            write: access.write,
            is_at_end: access.is_at_end,
            has_no_zero: !access.write && self.has_no_zero(s, before),
            is_unasked: !access.write && access.is_first && self.is_unasked(s, access.start),
        })
    }

    /// Are there bytes, none of which can be zero on the path?
    fn has_no_zero(&mut self, s: &State, bytes: &[Symbol]) -> bool {
        if bytes.is_empty() || bytes.iter().any(|&byte| s.witness.get(byte) == 0) {
            return false;
        }
        let pool = &mut self.reason.pool;
        let (zero, mut any) = (pool.bv(8, 0), Term::FALSE);
        for &byte in bytes {
            let byte = pool.symbol_term(byte);
            let is_zero = pool.eq(byte, zero);
            any = pool.or(any, is_zero);
        }
        self.is_possible(s, any) == Some(false)
    }

    /// Has the object at an address no byte on the path, whose conditions, but for assumptions and the checks of accesses, are not
    /// about its size?
    fn is_unasked(&mut self, s: &State, start: u64) -> bool {
        let bound = s
            .memory
            .object_at(start)
            .and_then(|o| s.memory.bound_of(&o));
        let Some((size, _)) = bound else {
            return false;
        };
        let pool = &mut self.reason.pool;
        let symbols = pool.symbols(size);
        let mut asked = s.path.iter().filter(|c| is_asked(c.origin));
        if asked.any(|c| pool.set_intersects(pool.symbols(c.term), symbols)) {
            return false;
        }
        let none = pool.bv(64, 0);
        let has_some = pool.ne(size, none);
        self.is_possible(s, has_some) == Some(false)
    }
}

/// Does a condition of this origin come from what the program looks at?
fn is_asked(origin: Origin) -> bool {
    match origin {
        Origin::Branch | Origin::Concretized | Origin::Resolve => true,
        Origin::BoundsCheck | Origin::Check | Origin::Assume => false,
    }
}
