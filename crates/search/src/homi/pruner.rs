//! The pruner: keeps the data, plans rounds, and selects the states to prune.

use super::Draw;
use super::bits::BitSet;
use super::data::{Data, Datum};
use super::options::{Clock, Options};
use super::round::{Rank, Round};
use crate::StateId;
use crate::seed::derive;
use fastrand::Rng;

/// The step that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// To ask which states go.
    Pruning,
    /// To begin the next round.
    Round,
}

/// See the module's parent.
pub struct Pruner {
    options: Options,
    rng: Rng,
    data: Data,
    /// All rounds; the last one goes on.
    rounds: Vec<Round>,
    began: Clock,
    pruned: Clock,
    /// The features of this round.
    features: BitSet,
    /// Their weights by number; others have no meaning.
    weights: Vec<f64>,
}

impl Pruner {
    /// Begins with the first round.
    pub fn new(options: Options) -> Pruner {
        let mut pruner = Pruner {
            rng: Rng::with_seed(derive(options.seed, 0x484f_4d49)),
            options,
            data: Data::default(),
            rounds: Vec::new(),
            began: Clock::default(),
            pruned: Clock::default(),
            features: BitSet::default(),
            weights: Vec::new(),
        };
        pruner.next_round(Clock::default());
        pruner
    }

    /// The hyper-parameters.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The round that goes on.
    pub fn round(&self) -> &Round {
        self.rounds.last().expect("the first round is there")
    }

    /// Its number, the first being 1.
    pub fn round_number(&self) -> usize {
        self.rounds.len()
    }

    /// The step that is due now.
    pub fn due(&self, now: Clock) -> Due {
        let round = self.round();
        if round.span(&self.options).is_over(self.began, now) {
            Due::Round
        } else if round.rank != Rank::Keep && self.options.cycle.is_over(self.pruned, now) {
            Due::Pruning
        } else {
            Due::Nothing
        }
    }

    /// The branches that the tests so far cover.
    pub fn branches(&self) -> BitSet {
        self.data.branches()
    }

    /// A test of this round: the core conditions of its path, and the branches that it covers.
    pub fn learn(&mut self, conditions: &BitSet, branches: &BitSet) {
        self.data.add(Datum {
            conditions: conditions.clone(),
            branches: branches.clone(),
            round: self.rounds.len() - 1,
        });
    }

    /// Decides the next round, which begins now.
    pub fn next_round(&mut self, now: Clock) -> &Round {
        let mut draw = Draw {
            options: &self.options,
            data: &self.data,
            rounds: &self.rounds,
            rng: &mut self.rng,
        };
        let round = (self.options.method.plan)(&mut draw);
        self.features = BitSet::default();
        self.weights.clear();
        if let Rank::Weights(weights) = &round.rank {
            self.features = weights.iter().map(|&(feature, _)| feature).collect();
            let numbers = self.features.words().len() * 64;
            self.weights.resize(numbers, 0.0);
            for &(feature, weight) in weights {
                self.weights[feature as usize] = weight;
            }
        }
        (self.began, self.pruned) = (now, now);
        self.rounds.push(round);
        self.round()
    }

    /// How promising a state with these conditions is.
    pub fn score(&self, conditions: &BitSet) -> f64 {
        let words = conditions.words().iter().zip(self.features.words());
        let mut score = 0.0;
        for (at, (c, f)) in words.enumerate() {
            let mut both = c & f;
            while both != 0 {
                score += self.weights[at * 64 + both.trailing_zeros() as usize];
                both &= both - 1;
            }
        }
        score
    }

    /// The states that go now, the least promising ones first.
    pub fn prune<'a>(
        &mut self,
        states: impl Iterator<Item = (StateId, &'a BitSet)>,
        now: Clock,
    ) -> Vec<StateId> {
        self.pruned = now;
        let states: Vec<_> = states.collect();
        let share = self.round().share(&self.options);
        let go = (states.len() as f64 * share) as usize;
        self.worst(states.into_iter(), go).unwrap_or_default()
    }

    /// The least promising of the states, so many of them; `None` if this round has no opinion.
    pub fn worst<'a>(
        &mut self,
        states: impl Iterator<Item = (StateId, &'a BitSet)>,
        n: usize,
    ) -> Option<Vec<StateId>> {
        if self.round().rank == Rank::Keep || self.features.is_empty() && self.has_weights() {
            return None;
        }
        // Equal scores are ordered at random.
        let salt = self.rng.u64(..);
        let ranked = states.map(|(id, conditions)| {
            let tie = derive(salt, u64::from(id.0));
            (self.score(conditions), tie, id)
        });
        let mut ranked: Vec<(f64, u64, StateId)> = ranked.collect();
        let n = n.min(ranked.len());
        let order = |a: &(f64, u64, StateId), b: &(f64, u64, StateId)| {
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        };
        if n < ranked.len() {
            ranked.select_nth_unstable_by(n, order);
            ranked.truncate(n);
        }
        ranked.sort_unstable_by(order);
        Some(ranked.into_iter().map(|(_, _, id)| id).collect())
    }

    /// The states in a random order.
    pub fn shuffled(&mut self, mut states: Vec<StateId>) -> Vec<StateId> {
        self.rng.shuffle(&mut states);
        states
    }

    fn has_weights(&self) -> bool {
        matches!(self.round().rank, Rank::Weights(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::homi::learned::Learned;
    use crate::homi::{How, METHODS, Span, Weight};

    fn options(seed: u64) -> Options {
        Options {
            cycle: Span::Ticks(10),
            round: Span::Ticks(400),
            seed,
            ..Options::default()
        }
    }

    fn at(ticks: u64) -> Clock {
        Clock {
            seconds: 0.0,
            ticks,
        }
    }

    /// A made-up program: features with known weights. A state has some of the features. Of those that survive a pruning
    /// some are run, and each of them whose true score is at least half of the best one covers a new branch.
    struct World {
        truth: Vec<f64>,
        rng: Rng,
        next_branch: u32,
    }

    impl World {
        const STATES: u32 = 60;
        const RUN: usize = 10;

        fn new(seed: u64) -> World {
            let mut rng = Rng::with_seed(seed);
            World {
                truth: [1.0, -1.0]
                    .repeat(3)
                    .iter()
                    .map(|sign| sign * (0.3 + 0.7 * rng.f64()))
                    .collect(),
                rng,
                next_branch: 0,
            }
        }

        fn truth_of(&self, conditions: &BitSet) -> f64 {
            conditions.iter().map(|f| self.truth[f as usize]).sum()
        }

        /// One round: the mean of the true scores of the states that survived.
        fn round(&mut self, pruner: &mut Pruner) -> f64 {
            let state = |rng: &mut Rng| -> BitSet {
                let all = 0..self.truth.len() as u32;
                all.filter(|_| rng.bool()).collect()
            };
            let states: Vec<BitSet> = (0..Self::STATES).map(|_| state(&mut self.rng)).collect();
            let ids = || states.iter().zip(0..).map(|(c, i)| (StateId(i), c));
            let gone = pruner.prune(ids(), at(0));
            let kept = ids().filter(|(id, _)| !gone.contains(id));
            let kept: Vec<&BitSet> = kept.map(|(_, c)| c).collect();
            let high = self.truth.iter().filter(|&&w| w > 0.0).sum::<f64>() / 2.0;
            for _ in 0..Self::RUN {
                let conditions = kept[self.rng.usize(..kept.len())];
                if self.truth_of(conditions) > high {
                    let branch = self.next_branch;
                    self.next_branch += 1;
                    pruner.learn(conditions, &[branch].into_iter().collect());
                }
            }
            pruner.next_round(at(0));
            kept.iter().map(|c| self.truth_of(c)).sum::<f64>() / kept.len() as f64
        }

        /// The cosine between the weights as learned so far and the true ones.
        fn agreement(&self, pruner: &Pruner) -> f64 {
            let learned = Learned::from(&pruner.data.good(), &pruner.rounds, &pruner.options);
            let (mut product, mut squares) = (0.0, 0.0);
            for &(feature, weight) in &learned.weights {
                if let Weight::Normal { mean, .. } = weight {
                    product += mean * self.truth[feature as usize];
                    squares += mean * mean;
                }
            }
            let truth: f64 = self.truth.iter().map(|w| w * w).sum();
            product / (squares * truth).sqrt()
        }
    }

    #[test]
    fn weights_converge_to_what_makes_states_promising() {
        const SEEDS: u64 = 8;
        let mut agreement = [0.0; 3];
        let mut kept = [(0.0, 0); 2];
        for seed in 0..SEEDS {
            let mut world = World::new(seed);
            let mut pruner = Pruner::new(Options {
                explore: 100,
                ..options(seed)
            });
            for round in 1..=160 {
                let how = pruner.round().how;
                let score = world.round(&mut pruner);
                let of = match how {
                    How::Explore => Some(0),
                    How::Exploit => Some(1),
                    _ => None,
                };
                if let Some(of) = of {
                    kept[of] = (kept[of].0 + score, kept[of].1 + 1);
                }
                if let Some(at) = [10, 40, 160].iter().position(|&r| r == round) {
                    agreement[at] += world.agreement(&pruner) / SEEDS as f64;
                }
            }
        }
        // 1 would be the true weights, 0 is what knows nothing.
        assert!(agreement[2] > 0.6, "{agreement:?}");
        assert!(agreement.is_sorted(), "{agreement:?}");
        let [explored, exploited] = kept.map(|(sum, n)| sum / f64::from(n));
        assert!(exploited > explored, "{exploited} {explored}");
    }

    #[test]
    fn the_same_seed_makes_the_same_choices_and_another_one_others() {
        let run = |seed| {
            let (mut world, mut pruner) = (World::new(7), Pruner::new(options(seed)));
            let scores: Vec<f64> = (0..40).map(|_| world.round(&mut pruner)).collect();
            (scores, pruner.rounds)
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1).1, run(2).1);
    }

    #[test]
    fn the_lowest_scores_go_and_no_round_is_without_end() {
        let mut pruner = Pruner::new(options(0));
        assert_eq!(pruner.round().how, How::First);
        let sets: Vec<BitSet> = (0..50u32).map(|i| [i % 5].into_iter().collect()).collect();
        let states = || sets.iter().zip(0..).map(|(c, i)| (StateId(i), c));
        assert_eq!(pruner.due(at(99)), Due::Nothing);
        assert!(
            pruner.prune(states(), at(99)).is_empty(),
            "nothing is known"
        );
        assert_eq!(pruner.due(at(400)), Due::Round);
        for (_, conditions) in states() {
            pruner.learn(conditions, conditions);
        }
        pruner.next_round(at(400));
        assert_eq!(pruner.due(at(409)), Due::Nothing);
        assert_eq!(pruner.due(at(410)), Due::Pruning);
        let share = pruner.round().share(pruner.options());
        let gone = pruner.prune(states(), at(410));
        assert_eq!(gone.len(), (50.0 * share) as usize);
        assert_eq!(pruner.due(at(411)), Due::Nothing);
        let score = |id: &StateId| pruner.score(&sets[id.0 as usize]);
        let highest = gone.iter().map(score).fold(f64::MIN, f64::max);
        let mut kept = (0..50).map(StateId).filter(|id| !gone.contains(id));
        assert!(kept.all(|id| score(&id) >= highest));
    }

    #[test]
    fn each_method_plans_rounds_whose_choices_exist() {
        for method in METHODS {
            let mut pruner = Pruner::new(Options {
                method,
                searchers: 3,
                explore: 2,
                ..options(5)
            });
            for i in 0..30u32 {
                pruner.learn(&[i % 7].into_iter().collect(), &[i].into_iter().collect());
                let round = pruner.next_round(at(0)).clone();
                let share = round.share(pruner.options());
                assert!((0.0..=0.6 + 1e-9).contains(&share), "{share}");
                assert!(round.searcher < 3 && round.length < 4);
                assert_eq!(share == 0.0, round.rank == Rank::Keep);
            }
        }
    }
}
