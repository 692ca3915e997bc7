//! Distributions of weights, and of choices among a few values (section 3.2.3).

use fastrand::Rng;

/// Draws from a normal distribution that fall outside of [-1, 1] before the nearest end of the range is taken. At least
/// every third falls inside, since mean and deviation are those of numbers in the range.
const TRIES: u32 = 200;

/// The distribution of a feature's weight, over [-1, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Nothing is known.
    Uniform,
    /// Normal, truncated to the range.
    Normal {
        /// Mean of what it was learned from.
        mean: f64,
        /// Standard deviation of that.
        deviation: f64,
    },
}

/// Uniform in [-1, 1).
pub(super) fn uniform(rng: &mut Rng) -> f64 {
    2.0 * rng.f64() - 1.0
}

impl Weight {
    /// Learned from these weights.
    pub fn learned(weights: &[f64]) -> Weight {
        if weights.is_empty() {
            return Weight::Uniform;
        }
        let n = weights.len() as f64;
        let mean = weights.iter().sum::<f64>() / n;
        let squares = weights.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>();
        Weight::Normal {
            mean,
            deviation: (squares / n).sqrt(),
        }
    }

    pub(super) fn sample(self, rng: &mut Rng) -> f64 {
        let Weight::Normal { mean, deviation } = self else {
            return uniform(rng);
        };
        let mut value = mean;
        for _ in 0..TRIES {
            // Box and Muller.
            let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
            value = mean + deviation * radius * (std::f64::consts::TAU * rng.f64()).cos();
            if (-1.0..=1.0).contains(&value) {
                break;
            }
        }
        value.clamp(-1.0, 1.0)
    }

    /// A value that is unlikely: of so many uniform ones the one farthest from a sample.
    pub(super) fn sample_reversed(self, rng: &mut Rng, draws: u32) -> f64 {
        let likely = self.sample(rng);
        let mut farthest = uniform(rng);
        for _ in 1..draws {
            let next = uniform(rng);
            if (next - likely).abs() > (farthest - likely).abs() {
                farthest = next;
            }
        }
        farthest
    }
}

/// One of the values that were counted, as often as each was; each alike if none was.
pub(super) fn choose(counts: &[u64], rng: &mut Rng) -> usize {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return rng.usize(..counts.len());
    }
    let mut at = rng.usize(..total as usize) as u64;
    for (i, &count) in counts.iter().enumerate() {
        match at.checked_sub(count) {
            Some(rest) => at = rest,
            None => return i,
        }
    }
    unreachable!("a number below the sum of all counts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_the_mean_and_deviation_that_were_learned() {
        let mut rng = Rng::with_seed(1);
        let learned = Weight::learned(&[0.1, 0.2, 0.3, 0.2]);
        let samples: Vec<f64> = (0..20_000).map(|_| learned.sample(&mut rng)).collect();
        assert!(samples.iter().all(|w| (-1.0..=1.0).contains(w)));
        let Weight::Normal { mean, deviation } = Weight::learned(&samples) else {
            panic!("there are samples");
        };
        assert!((mean - 0.2).abs() < 0.01, "{mean}");
        assert!((deviation - 0.005f64.sqrt()).abs() < 0.01, "{deviation}");
        assert_eq!(Weight::learned(&[]), Weight::Uniform);
        assert_eq!(Weight::learned(&[0.5]).sample(&mut rng), 0.5);
    }

    #[test]
    fn truncated_and_reversed_samples_stay_in_range() {
        let mut rng = Rng::with_seed(2);
        let wide = Weight::learned(&[-1.0, 1.0, 1.0, 1.0]);
        let high = Weight::learned(&[0.9, 1.0]);
        for _ in 0..2000 {
            assert!((-1.0..=1.0).contains(&wide.sample(&mut rng)));
            assert!((-1.0..-0.5).contains(&high.sample_reversed(&mut rng, 100)));
        }
    }

    #[test]
    fn choices_follow_the_counts() {
        let mut rng = Rng::with_seed(3);
        let mut drawn = [0u32; 4];
        (0..4000).for_each(|_| drawn[choose(&[0, 3, 1, 0], &mut rng)] += 1);
        assert_eq!((drawn[0], drawn[3]), (0, 0));
        assert!((2800..3200).contains(&drawn[1]), "{drawn:?}");
        (0..4000).for_each(|_| drawn[choose(&[0; 4], &mut rng)] += 1);
        assert!(drawn.iter().all(|&n| n > 800));
    }
}
