//! Bipartite matching, which assigns samples their own elastons, by augmenting paths.

use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// A bipartite matching in which a left vertex may have several partners and a right vertex at most one.
pub struct Matching {
    /// Neighbors of each left vertex.
    neighbors: Vec<Vec<u32>>,
    /// Partner of each right vertex.
    partners: Vec<u32>,
    /// For each right vertex: the last search that visited it, and the previous right vertex on the path of this
    /// search.
    seen: Vec<u32>,
    previous: Vec<u32>,
    searches: u32,
}

impl Matching {
    /// An empty matching with `right_count` right vertices.
    pub fn new(neighbors: Vec<Vec<u32>>, right_count: usize) -> Self {
        let unseen = vec![0; right_count];
        Self { neighbors, partners: vec![NONE; right_count], seen: unseen.clone(), previous: unseen, searches: 0 }
    }

    /// Adds one partner for a left vertex if an augmenting path exists. Returns whether it exists.
    ///
    /// Breadth-first search finds the shortest augmenting path. If left vertices are matched in descending order of
    /// priority, the resulting matching has the highest possible priority.
    pub fn augment(&mut self, left: u32) -> bool {
        self.searches += 1;
        let mut queue = VecDeque::from([(left, NONE)]);
        while let Some((from, before)) = queue.pop_front() {
            for at in 0..self.neighbors[from as usize].len() {
                let right = self.neighbors[from as usize][at];
                if self.seen[right as usize] == self.searches {
                    continue;
                }
                self.seen[right as usize] = self.searches;
                self.previous[right as usize] = before;
                match self.partners[right as usize] {
                    NONE => {
                        self.flip_path(left, right);
                        return true;
                    }
                    partner => queue.push_back((partner, right)),
                }
            }
        }
        false
    }

    /// Removes all partners of a left vertex.
    pub fn remove(&mut self, left: u32) {
        self.partners.iter_mut().filter(|partner| **partner == left).for_each(|partner| *partner = NONE);
    }

    /// Reassigns partners along the augmenting path, back to the left vertex at its start.
    fn flip_path(&mut self, left: u32, mut right: u32) {
        loop {
            let before = self.previous[right as usize];
            if before == NONE {
                self.partners[right as usize] = left;
                return;
            }
            self.partners[right as usize] = self.partners[before as usize];
            right = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn augmenting_paths_reassign_partners() {
        let mut matching = Matching::new(vec![vec![0, 1], vec![0], vec![1, 2], vec![0, 1, 2], vec![]], 3);
        assert!(matching.augment(0) && matching.augment(2));
        // The path changes the partners of 0 and 2 as well.
        assert!(matching.augment(1));
        assert_eq!(matching.partners, [1, 0, 2]);
        assert!(!matching.augment(3) && !matching.augment(4));
        matching.remove(2);
        assert!(matching.augment(3) && !matching.augment(2));
    }
}
