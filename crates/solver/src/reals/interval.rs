//! Intervals of real numbers between doubles, rounded outward.

/// The numbers from `low` to `high`; none if that is less. Ends may be infinite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub const ALL: Interval = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    pub const NONE: Interval = Interval {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    pub fn new(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn is_in(self, other: Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub fn has(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    pub fn meet(self, other: Interval) -> Interval {
        Interval::new(self.low.max(other.low), self.high.min(other.high))
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// With all numbers that are less.
    pub fn down(self) -> Interval {
        Interval::new(f64::NEG_INFINITY, self.high)
    }

    /// With all numbers that are greater.
    pub fn up(self) -> Interval {
        Interval::new(self.low, f64::INFINITY)
    }

    /// Ends that were computed to nearest, moved outward. What an infinity minus itself gave is no end.
    fn outward(low: f64, high: f64) -> Interval {
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        Interval::new(low.next_down(), high.next_up())
    }

    /// The least interval around values at corners.
    fn around(corners: [f64; 4]) -> Interval {
        let low = corners.into_iter().fold(f64::INFINITY, f64::min);
        let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Interval::outward(low, high)
    }

    pub fn negated(self) -> Interval {
        Interval::new(-self.high, -self.low)
    }

    pub fn plus(self, other: Interval) -> Interval {
        Interval::outward(self.low + other.low, self.high + other.high)
    }

    pub fn minus(self, other: Interval) -> Interval {
        self.plus(other.negated())
    }

    pub fn times(self, other: Interval) -> Interval {
        // 0 times an end that is infinite is 0: the end is no number.
        let product = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        Interval::around([
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ])
    }

    /// The quotients by numbers other than 0.
    pub fn over(self, other: Interval) -> Interval {
        if other.low < 0.0 && other.high > 0.0 {
            if self.has(0.0) {
                return Interval::ALL;
            }
            let below = self.over(Interval::new(other.low, -0.0));
            return below.join(self.over(Interval::new(0.0, other.high)));
        }
        if other.low == 0.0 && other.high == 0.0 {
            return Interval::NONE;
        }
        let inverse = Interval::outward(
            1.0 / signed(other.high, other),
            1.0 / signed(other.low, other),
        );
        self.times(inverse)
    }

    /// The squares.
    pub fn square(self) -> Interval {
        let all = self.times(self);
        let low = if self.has(0.0) {
            0.0
        } else {
            let least = self.low.abs().min(self.high.abs());
            (least * least).next_down()
        };
        Interval::new(low.max(0.0), all.high)
    }

    /// The square roots of the numbers that are not negative.
    pub fn root(self) -> Interval {
        if self.high < 0.0 {
            return Interval::NONE;
        }
        let roots = Interval::outward(self.low.max(0.0).sqrt(), self.high.sqrt());
        Interval::new(roots.low.max(0.0), roots.high)
    }

    pub fn absolute(self) -> Interval {
        if self.has(0.0) {
            Interval::new(0.0, self.high.max(-self.low))
        } else if self.low > 0.0 {
            self
        } else {
            self.negated()
        }
    }

    /// Both signs.
    pub fn with_opposites(self) -> Interval {
        self.join(self.negated())
    }

    /// A number in the middle: of the exponents where the interval is wide.
    pub fn middle(self) -> f64 {
        let (low, high) = (self.low.max(-f64::MAX), self.high.min(f64::MAX));
        let is_wide = |near: f64, far: f64| near > 0.0 && far / near > 16.0;
        if low < 0.0 && high > 0.0 {
            // Zero, unless that is an end already.
            0.0
        } else if is_wide(low.abs().min(high.abs()), low.abs().max(high.abs())) {
            (low.abs().sqrt() * high.abs().sqrt()).copysign(low + high)
        } else if low == 0.0 || high == 0.0 {
            let far = low + high;
            if far.abs() > 1.0 {
                1f64.copysign(far)
            } else {
                far / 16.0
            }
        } else {
            low / 2.0 + high / 2.0
        }
    }

    /// Width in relation to the numbers.
    pub fn width(self) -> f64 {
        let far = self.low.abs().max(self.high.abs()).min(f64::MAX);
        if self.low == self.high {
            0.0
        } else if far < f64::MIN_POSITIVE {
            f64::EPSILON
        } else {
            (self.high.min(f64::MAX) / far - self.low.max(-f64::MAX) / far).abs()
        }
    }
}

/// An end of a divisor that may be 0, as the side of 0 that the divisor lies on.
fn signed(end: f64, of: Interval) -> f64 {
    if end != 0.0 {
        end
    } else if of.high > 0.0 {
        0.0
    } else {
        -0.0
    }
}
