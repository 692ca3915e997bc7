//! The parts of a query's effort that the members of a combined method get: by what each has decided for what it spent.
//!
//! A bandit without chance: shares follow the rates of decided queries per step of work, a member is never without a
//! share, so its rate is always measured, and older queries count less and less, since a run comes to other parts of the program.

/// The least share of a member.
const LEAST: f64 = 1.0 / 32.0;
/// What members are taken to have spent for one decided query before they have answered any.
const FIRST: f64 = (1u64 << 22) as f64;
/// Queries after which older ones count half.
const MEMORY: u32 = 64;

/// What a member did.
#[derive(Clone, Copy)]
struct Yield {
    decided: f64,
    spent: f64,
}

/// The members' shares.
pub(super) struct Shares<const N: usize> {
    members: [Yield; N],
    noted: u32,
}

impl<const N: usize> Default for Shares<N> {
    fn default() -> Shares<N> {
        Shares {
            members: [Yield {
                decided: 1.0,
                spent: FIRST,
            }; N],
            noted: 0,
        }
    }
}

impl<const N: usize> Shares<N> {
    /// The part of an effort for a member.
    pub fn of(&self, member: usize, effort: u64) -> u64 {
        let rate = |member: &Yield| member.decided / member.spent;
        let all: f64 = self.members.iter().map(rate).sum();
        let share = rate(&self.members[member]) / all;
        (effort as f64 * share.max(LEAST)) as u64
    }

    /// A member was asked a query and has spent this.
    pub fn note(&mut self, member: usize, decided: bool, spent: u64) {
        self.members[member].decided += f64::from(u8::from(decided));
        self.members[member].spent += spent as f64;
        self.noted += 1;
        if self.noted == MEMORY {
            self.noted = 0;
            for member in &mut self.members {
                // No rate becomes 0.
                member.decided = (member.decided / 2.0).max(0.5);
                member.spent = (member.spent / 2.0).max(FIRST / 2.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_begin_alike_and_end_with_what_they_earn() {
        let mut shares: Shares<3> = Shares::default();
        for member in 0..3 {
            assert_eq!(shares.of(member, 3000), 1000);
        }
        for _ in 0..20 {
            shares.note(0, true, 1 << 20);
            shares.note(1, true, 1 << 16);
            shares.note(2, false, 1 << 22);
        }
        let of = |shares: &Shares<3>, member| shares.of(member, 32_000);
        assert!(of(&shares, 1) > of(&shares, 0) && of(&shares, 0) > of(&shares, 2));
        assert_eq!(of(&shares, 2), 1000, "never without a share");
        // The program becomes another one.
        for _ in 0..200 {
            shares.note(1, false, 1 << 22);
            shares.note(2, true, 1 << 16);
        }
        assert!(of(&shares, 2) > 20_000, "{}", of(&shares, 2));
        assert_eq!(of(&shares, 1), 1000);
    }
}
