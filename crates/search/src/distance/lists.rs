//! Lists of edges or blocks by owner, in one array.

/// See the module.
pub(super) struct Lists<T> {
    begin: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    pub fn new(owners: usize, pairs: &[(u32, T)]) -> Lists<T> {
        let mut begin = vec![0; owners + 1];
        pairs
            .iter()
            .for_each(|(owner, _)| begin[*owner as usize + 1] += 1);
        for i in 0..owners {
            begin[i + 1] += begin[i];
        }
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        order.sort_by_key(|i| pairs[*i as usize].0);
        Lists {
            begin,
            items: order.iter().map(|i| pairs[*i as usize].1).collect(),
        }
    }

    pub fn of(&self, owner: u32) -> &[T] {
        match self.begin.get(owner as usize + 1) {
            Some(end) => &self.items[self.begin[owner as usize] as usize..*end as usize],
            None => &[],
        }
    }
}
