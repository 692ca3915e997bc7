//! Class-uniform search (Bucur, Kinder, Candea: Prototyping symbolic execution engines for
//! interpreted languages, ASPLOS 2014): states are grouped, here by the coverage site that they
//! passed last; a group is drawn uniformly, then a state in it. A site that forks at every turn of
//! a loop so gets one share, however many states wait there.

use crate::{
    Fresh, Metrics, Needs, Searcher, StateId, state_map::StateMap, state_set::StateSet,
    sum_tree::SumTree,
};
use fastrand::Rng;
use rustc_hash::FxHashMap;

/// See the module.
#[derive(Debug)]
pub struct ClassUniform {
    classes: Vec<StateSet>,
    class_of_site: FxHashMap<u32, usize>,
    class_of_state: StateMap<usize>,
    /// 1 for each class with members.
    tree: SumTree,
    rng: Rng,
    operations: u64,
}

impl ClassUniform {
    /// A searcher without states.
    pub fn new(seed: u64) -> ClassUniform {
        ClassUniform {
            classes: Vec::new(),
            class_of_site: FxHashMap::default(),
            class_of_state: StateMap::default(),
            tree: SumTree::default(),
            rng: Rng::with_seed(seed),
            operations: 0,
        }
    }

    fn class(&mut self, site: u32) -> usize {
        *self.class_of_site.entry(site).or_insert_with(|| {
            self.classes.push(StateSet::default());
            self.classes.len() - 1
        })
    }

    fn leave(&mut self, id: StateId) {
        if let Some(class) = self.class_of_state.remove(id) {
            self.classes[class].remove(id);
            if self.classes[class].len() == 0 {
                self.tree.set(class, 0.0);
            }
        }
    }
}

impl Searcher for ClassUniform {
    fn add(&mut self, id: StateId, _parent: Option<StateId>, m: &Metrics) {
        self.operations += 1;
        let class = self.class(m.site);
        if self.class_of_state.get(id) == Some(&class) {
            return;
        }
        self.leave(id);
        self.class_of_state.insert(id, class);
        self.classes[class].insert(id);
        if self.classes[class].len() == 1 {
            self.tree.set(class, 1.0);
        }
    }

    fn update(&mut self, id: StateId, m: &Metrics) {
        if self.class_of_state.contains(id) {
            self.add(id, None, m);
        }
    }

    fn remove(&mut self, id: StateId) {
        self.operations += 1;
        self.leave(id);
    }

    fn select(&mut self, _fresh: Fresh<'_>) -> Option<StateId> {
        let class = self.tree.sample(&mut self.rng)?;
        self.operations += 1;
        self.classes[class].random(&mut self.rng)
    }

    /// From the most crowded sites.
    fn worst(&mut self, n: usize) -> Vec<StateId> {
        let mut all: Vec<_> = self
            .class_of_state
            .iter()
            .map(|(id, c)| (self.classes[*c].len(), *c, id))
            .collect();
        all.sort_unstable_by_key(|(size, class, id)| (std::cmp::Reverse(*size), *class, *id));
        all.into_iter().take(n).map(|(_, _, id)| id).collect()
    }

    fn len(&self) -> usize {
        self.class_of_state.len()
    }

    fn name(&self) -> String {
        "cupa".into()
    }

    fn needs(&self) -> Needs {
        Needs::NONE
    }

    fn operations(&self) -> u64 {
        self.operations + self.tree.operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_site_gets_one_share() {
        let mut s = ClassUniform::new(1);
        let at = |site| Metrics {
            site,
            ..Metrics::default()
        };
        for i in 0..999 {
            s.add(StateId(i), None, &at(7));
        }
        s.add(StateId(999), None, &at(8));
        let fresh = &mut |_: StateId| Metrics::default();
        let hits = (0..1000)
            .filter(|_| s.select(fresh) == Some(StateId(999)))
            .count();
        assert!((430..570).contains(&hits), "{hits}");
        assert!(!s.worst(999).contains(&StateId(999)));
        s.update(StateId(999), &at(7));
        let hits = (0..1000)
            .filter(|_| s.select(fresh) == Some(StateId(999)))
            .count();
        assert!(hits < 20, "{hits}");
    }
}
