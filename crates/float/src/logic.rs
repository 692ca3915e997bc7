//! The logic that operations are written over.

/// A logic of truth values and bit-vectors, in which every operation of the crate is a straight line: numbers, terms
/// of a solver, or gates of a circuit. Widths are at least 1 and known while the operation is built; choices are
/// selections.
///
/// To add a logic: implement the required methods, and run the tests of an existing one over it.
pub trait Logic {
    /// A truth value.
    type Bool: Clone;
    /// A bit-vector.
    type Bits: Clone;

    /// A constant truth value.
    fn truth(&self, value: bool) -> Self::Bool;
    /// Negation.
    fn not(&self, a: &Self::Bool) -> Self::Bool;
    /// Conjunction.
    fn and(&self, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;
    /// Disjunction.
    fn or(&self, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;
    /// Exclusive disjunction.
    fn xor(&self, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;
    /// Selection: `a` where the condition holds, else `b`.
    fn choose_bool(&self, condition: &Self::Bool, a: &Self::Bool, b: &Self::Bool) -> Self::Bool;

    /// The width of a bit-vector.
    fn width(&self, a: &Self::Bits) -> u32;
    /// The low `width` bits of a constant in two's complement.
    fn constant(&self, width: u32, value: i64) -> Self::Bits;
    /// One bit: 1 for true.
    fn bit_of(&self, a: &Self::Bool) -> Self::Bits;
    /// Selection between bit-vectors of one width.
    fn choose(&self, condition: &Self::Bool, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Are two bit-vectors of one width equal?
    fn equal(&self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool;
    /// Is `a`, without sign, below `b` of the same width?
    fn less(&self, a: &Self::Bits, b: &Self::Bits) -> Self::Bool;
    /// Bits `high` down to `low`.
    fn extract(&self, high: u32, low: u32, a: &Self::Bits) -> Self::Bits;
    /// `high` above `low`.
    fn concat(&self, high: &Self::Bits, low: &Self::Bits) -> Self::Bits;
    /// Sign extension to `width` bits.
    fn sign_extend(&self, width: u32, a: &Self::Bits) -> Self::Bits;
    /// Sum of two bit-vectors of one width, modulo 2^width.
    fn add(&self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Difference of two bit-vectors of one width, modulo 2^width.
    fn subtract(&self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// Product of two bit-vectors of one width, modulo 2^width.
    fn multiply(&self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// `a` shifted left by an amount of any width; 0 when that is the width of `a` or more.
    fn shift_left(&self, a: &Self::Bits, by: &Self::Bits) -> Self::Bits;
    /// `a` shifted right by an amount of any width, zeros coming in.
    fn shift_right(&self, a: &Self::Bits, by: &Self::Bits) -> Self::Bits;
    /// `a` shifted left until its top bit is set, and by how many places: its width for 0.
    /// The count has as many bits as the number `width` has.
    fn normalize(&self, a: &Self::Bits) -> (Self::Bits, Self::Bits);
    /// The quotient, rounded down, of `a` with `zeros` bits 0 appended by `b` of the same width as `a`; and is it
    /// inexact? The quotient has `zeros` + 1 bits. Where it does not fit, or `b` is 0, the result is any bits.
    fn divide(&self, a: &Self::Bits, zeros: u32, b: &Self::Bits) -> (Self::Bits, Self::Bool);
    /// `a` modulo `b`, whose width the result has; any bits where `b` is 0.
    fn modulo(&self, a: &Self::Bits, b: &Self::Bits) -> Self::Bits;
    /// The square root, rounded down, of `a` with `zeros` bits 0 appended; and is it inexact? The radicand's width
    /// must be even; the root has half of it.
    fn square_root(&self, a: &Self::Bits, zeros: u32) -> (Self::Bits, Self::Bool);

    /// All bits 0.
    #[inline]
    fn zeros(&self, width: u32) -> Self::Bits {
        self.constant(width, 0)
    }
    /// All bits 1.
    #[inline]
    fn ones(&self, width: u32) -> Self::Bits {
        self.constant(width, -1)
    }
    /// One bit.
    #[inline]
    fn bit(&self, at: u32, a: &Self::Bits) -> Self::Bool {
        let bit = self.extract(at, at, a);
        self.equal(&bit, &self.constant(1, 1))
    }
    /// The sign of a number in two's complement.
    #[inline]
    fn is_negative(&self, a: &Self::Bits) -> Self::Bool {
        self.bit(self.width(a) - 1, a)
    }
    /// Are all bits 0?
    #[inline]
    fn is_zero(&self, a: &Self::Bits) -> Self::Bool {
        self.equal(a, &self.zeros(self.width(a)))
    }
    /// Is some bit 1?
    #[inline]
    fn is_nonzero(&self, a: &Self::Bits) -> Self::Bool {
        self.not(&self.is_zero(a))
    }
    /// Is a number of at most 64 bits in two's complement below a constant? The constant must fit the width.
    #[inline]
    fn is_below(&self, a: &Self::Bits, limit: i64) -> Self::Bool {
        let width = self.width(a);
        debug_assert!(width <= 64);
        let top = self.constant(width, 1i64.wrapping_shl(width - 1));
        self.less(
            &self.add(a, &top),
            &self.add(&self.constant(width, limit), &top),
        )
    }
    /// Zero extension to `width` bits.
    #[inline]
    fn extend(&self, width: u32, a: &Self::Bits) -> Self::Bits {
        match width - self.width(a) {
            0 => a.clone(),
            more => self.concat(&self.zeros(more), a),
        }
    }
    /// `count` bits 0 appended.
    #[inline]
    fn append_zeros(&self, a: &Self::Bits, count: u32) -> Self::Bits {
        match count {
            0 => a.clone(),
            _ => self.concat(a, &self.zeros(count)),
        }
    }
    /// The `count` low bits.
    #[inline]
    fn low(&self, count: u32, a: &Self::Bits) -> Self::Bits {
        self.extract(count - 1, 0, a)
    }
    /// `a` shifted right; what falls out is joined into the last bit, which so tells whether the result is exact.
    #[inline]
    fn shift_right_sticky(&self, a: &Self::Bits, by: &Self::Bits) -> Self::Bits {
        let shifted = self.shift_right(a, by);
        let lost = self.not(&self.equal(&self.shift_left(&shifted, by), a));
        self.join_last(&shifted, &lost)
    }
    /// `a` with its last bit set where the condition holds.
    #[inline]
    fn join_last(&self, a: &Self::Bits, condition: &Self::Bool) -> Self::Bits {
        let last = self.bit_of(&self.or(&self.bit(0, a), condition));
        match self.width(a) {
            1 => last,
            width => self.concat(&self.extract(width - 1, 1, a), &last),
        }
    }
}
