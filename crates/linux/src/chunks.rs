//! The chunks of a file by number: a map of maps, so that a change of one chunk copies two short lists.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::bytes::Chunk;

/// Chunks of a group.
const GROUP: u64 = 256;

type Group = BTreeMap<u64, Rc<Chunk>>;

/// Chunks by number; a clone shares everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunks {
    groups: Rc<BTreeMap<u64, Rc<Group>>>,
    count: u64,
}

impl Chunks {
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn get(&self, index: u64) -> Option<&Rc<Chunk>> {
        self.groups.get(&(index / GROUP))?.get(&index)
    }

    /// The chunk to change; made by `new` when there is none.
    pub(crate) fn get_or_insert(&mut self, index: u64, new: impl FnOnce() -> Chunk) -> &mut Chunk {
        let groups = Rc::make_mut(&mut self.groups);
        let group = Rc::make_mut(groups.entry(index / GROUP).or_default());
        let count = &mut self.count;
        let chunk = group.entry(index).or_insert_with(|| {
            *count += 1;
            Rc::new(new())
        });
        Rc::make_mut(chunk)
    }

    /// The chunk to change, if it is there.
    pub(crate) fn get_mut(&mut self, index: u64) -> Option<&mut Chunk> {
        self.get(index)?;
        let groups = Rc::make_mut(&mut self.groups);
        let group = Rc::make_mut(groups.get_mut(&(index / GROUP))?);
        group.get_mut(&index).map(Rc::make_mut)
    }

    /// The first chunk at or after `index`.
    pub(crate) fn next(&self, index: u64) -> Option<u64> {
        let mut groups = self.groups.range(index / GROUP..);
        groups.find_map(|(_, group)| group.range(index..).next().map(|(&at, _)| at))
    }

    /// The last chunk.
    pub(crate) fn last(&self) -> Option<u64> {
        let (_, group) = self.groups.last_key_value()?;
        group.last_key_value().map(|(&at, _)| at)
    }

    /// Drops the chunks from `index` on.
    pub(crate) fn cut(&mut self, index: u64) {
        let groups = Rc::make_mut(&mut self.groups);
        groups.split_off(&index.div_ceil(GROUP));
        if let Some(group) = groups.get_mut(&(index / GROUP)) {
            Rc::make_mut(group).split_off(&index);
            if group.is_empty() {
                groups.remove(&(index / GROUP));
            }
        }
        self.count = self.groups.values().map(|group| group.len() as u64).sum();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rc<Chunk>> {
        self.groups.values().flat_map(|group| group.values())
    }

    /// Where the list is: for the collector, which visits a shared one once.
    pub(crate) fn shared(&self) -> &Rc<impl Sized> {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Bytes;

    #[test]
    fn chunks_are_found_and_cut_across_groups() {
        let mut chunks = Chunks::default();
        let wanted = [0, 3, 255, 256, 700, 1000];
        for at in wanted {
            chunks.get_or_insert(at, || Chunk::new(&Bytes::concrete(vec![at as u8])));
        }
        let before = chunks.clone();
        assert_eq!((chunks.len(), chunks.last()), (6, Some(1000)));
        assert_eq!(
            [chunks.next(4), chunks.next(256), chunks.next(1001)],
            [Some(255), Some(256), None]
        );
        chunks.get_mut(700).unwrap().truncate(0);
        assert!(chunks.get_mut(701).is_none());
        chunks.cut(256);
        assert_eq!(
            (chunks.len(), chunks.last(), chunks.next(256)),
            (3, Some(255), None)
        );
        chunks.cut(0);
        assert!(chunks.is_empty() && chunks.last().is_none());
        assert_eq!((before.len(), before.get(700).unwrap().len()), (6, 1));
        assert_eq!(before.iter().count(), 6);
    }
}
