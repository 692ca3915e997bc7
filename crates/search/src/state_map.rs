//! A map from states to values as a plain vector: ids are small and reused.

use crate::StateId;

#[derive(Clone, Debug)]
pub(crate) struct StateMap<T> {
    values: Vec<Option<T>>,
    len: usize,
}

impl<T> Default for StateMap<T> {
    fn default() -> Self {
        StateMap {
            values: Vec::new(),
            len: 0,
        }
    }
}

impl<T> StateMap<T> {
    pub fn get(&self, id: StateId) -> Option<&T> {
        self.values.get(id.0 as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, id: StateId) -> Option<&mut T> {
        self.values.get_mut(id.0 as usize)?.as_mut()
    }

    pub fn contains(&self, id: StateId) -> bool {
        self.get(id).is_some()
    }

    pub fn insert(&mut self, id: StateId, value: T) -> Option<T> {
        let at = id.0 as usize;
        if at >= self.values.len() {
            self.values.resize_with(at + 1, || None);
        }
        let old = self.values[at].replace(value);
        self.len += usize::from(old.is_none());
        old
    }

    pub fn remove(&mut self, id: StateId) -> Option<T> {
        let old = self.values.get_mut(id.0 as usize)?.take();
        self.len -= usize::from(old.is_some());
        old
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// By id.
    pub fn iter(&self) -> impl Iterator<Item = (StateId, &T)> + '_ {
        let values = self.values.iter().enumerate();
        values.filter_map(|(i, v)| Some((StateId(i as u32), v.as_ref()?)))
    }
}
