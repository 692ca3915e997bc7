//! Cuts the tree back: a subtree without open branches is forgotten. A run that comes there again finds that the
//! subtree is not to be explored.

use super::{Alternatives, Child, NodeId, Rest, Slot, Tree};

impl Tree {
    /// Takes out every node below which nothing is open, no run was cut, and none of `wanted` is: inputs are on their way there.
    pub fn prune(&mut self, wanted: impl Iterator<Item = NodeId>) {
        let mut is_kept = vec![false; self.nodes.len()];
        let open = self.branches.iter().map(|(_, branch)| branch.node);
        let cut = self.runs.tails().filter_map(|tail| match tail.slot {
            Slot::Alternative(node, _) => Some(node),
            Slot::Root(_) => None,
        });
        let leaves: Vec<NodeId> = open.chain(cut).chain(wanted).collect();
        for leaf in leaves {
            let mut at = Some(leaf);
            while let Some(node) = at
                && !std::mem::replace(&mut is_kept[node.0 as usize], true)
            {
                at = match self.nodes[node].hangs {
                    Slot::Alternative(above, _) => Some(above),
                    Slot::Root(_) => None,
                };
            }
        }
        self.free
            .iter()
            .for_each(|free| is_kept[free.0 as usize] = true);
        let goes = |child: &Child| matches!(child, Child::BranchPoint(n) if !is_kept[n.0 as usize]);
        let nodes = self.nodes.iter_mut();
        let alternatives = nodes.flat_map(|n| n.alternatives.iter_mut());
        let children = alternatives.map(|a| &mut a.child).chain(&mut self.roots);
        for child in children.filter(|child| goes(child)) {
            *child = Child::Elsewhere;
        }
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if !is_kept[at] {
                node.alternatives = Alternatives::None;
                node.rest = Rest::Closed;
                self.free.push(NodeId(at as u32));
            }
        }
    }
}
