//! Shares of the time that are learned: who has found more lately, for the work that it took, gets more of it.
//!
//! This is a bandit with few arms whose yields fall as the run goes on. Each arm's gain and work fade, so that what it found at
//! first does not count for ever, and each arm's rate is drawn towards the rate of all, so that one find after little work is no proof. Each
//! arm keeps a twentieth of the time at least: what an arm would find now is only known of one that works.

/// Least share of an arm, as long as there are few of them.
const LEAST: f64 = 0.05;
/// The work that an arm is taken to have done beside its own, at the rate of all.
const DOUBT: f64 = 300e6;
/// An arm's gain and work fade to half while it works so much, or a quarter of all the work so far.
const HALF_LIFE: f64 = 1e9;
const HALF_LIFE_PART: f64 = 0.25;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Bandit {
    arms: Vec<Arm>,
    /// All work, which does not fade.
    total: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    gain: f64,
    work: f64,
}

impl Bandit {
    /// So many arms, of which nothing is known.
    pub fn new(arms: usize) -> Bandit {
        Bandit {
            arms: vec![Arm::default(); arms],
            total: 0.0,
        }
    }

    /// An arm has worked so much.
    pub fn spent(&mut self, arm: usize, work: u64) {
        let work = work as f64;
        self.total += work;
        let half_life = HALF_LIFE.max(self.total * HALF_LIFE_PART);
        let faded = (-work / half_life).exp2();
        let arm = &mut self.arms[arm];
        arm.gain *= faded;
        arm.work = arm.work * faded + work;
    }

    /// An arm has found something worth so much.
    pub fn gained(&mut self, arm: usize, worth: f64) {
        self.arms[arm].gain += worth;
    }

    /// The share of each arm; together they are 1.
    pub fn shares(&self) -> Vec<f64> {
        let n = self.arms.len() as f64;
        let all = self.arms.iter().fold(Arm::default(), |all, arm| Arm {
            gain: all.gain + arm.gain,
            work: all.work + arm.work,
        });
        // Without any gain all are alike.
        let usual = all.gain.max(1e-9) / all.work.max(1.0);
        let rate = |arm: &Arm| (arm.gain + usual * DOUBT) / (arm.work + DOUBT);
        let rates: f64 = self.arms.iter().map(rate).sum();
        let least = LEAST.min(0.5 / n);
        let free = 1.0 - least * n;
        let share = |arm: &Arm| least + free * rate(arm) / rates;
        self.arms.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLICE: u64 = 1_000_000;

    /// Lets arms work by their shares; of each an event comes with this chance in a slice. Returns the part of the work of each.
    fn play(bandit: &mut Bandit, chance: &[f64], slices: usize) -> Vec<f64> {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut worked = vec![0.0; chance.len()];
        for _ in 0..slices {
            let mut r = rng.f64();
            let shares = bandit.shares();
            let arm = shares.iter().position(|share| {
                r -= share;
                r < 0.0
            });
            let arm = arm.unwrap_or(0);
            bandit.spent(arm, SLICE);
            worked[arm] += 1.0 / slices as f64;
            if rng.f64() < chance[arm] {
                bandit.gained(arm, 1.0);
            }
        }
        worked
    }

    #[test]
    fn shares_are_a_distribution_with_a_floor() {
        let mut bandit = Bandit::new(4);
        let even = bandit.shares();
        assert!(even.iter().all(|s| (s - 0.25).abs() < 1e-9), "{even:?}");
        for _ in 0..10_000 {
            bandit.spent(1, SLICE);
            bandit.spent(2, SLICE);
            bandit.gained(1, 1.0);
        }
        let shares = bandit.shares();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(shares.iter().all(|&s| s >= 0.05), "{shares:?}");
        assert!(shares[1] > shares[0] && shares[0] > shares[2], "{shares:?}");
        assert!((Bandit::new(40).shares()[0] - 0.025).abs() < 1e-9);
    }

    #[test]
    fn who_finds_more_works_more_until_another_does() {
        let mut bandit = Bandit::new(3);
        let first = play(&mut bandit, &[0.001, 0.05, 0.001], 20_000);
        assert!(first[1] > 0.6, "{first:?}");
        let then = play(&mut bandit, &[0.05, 0.001, 0.001], 40_000);
        assert!(then[0] > 0.5, "{then:?}");
        assert!(then[2] > 0.04, "{then:?}");
    }
}
