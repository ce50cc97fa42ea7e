//! Bipartite matching of samples with elastons of their own, by augmenting paths.

use std::collections::VecDeque;

const NOBODY: u32 = u32::MAX;

/// A bipartite matching in which a left vertex may have several partners and a right vertex at most one.
pub struct Claims {
    /// Neighbors of each left vertex.
    wishes: Vec<Vec<u32>>,
    /// Partner of each right vertex.
    holders: Vec<u32>,
    /// For each right vertex, the last search that visited it, and the right vertex before it on the search path.
    seen: Vec<u32>,
    exchanged_for: Vec<u32>,
    searches: u32,
}

impl Claims {
    /// An empty matching with `things` right vertices.
    pub fn new(wishes: Vec<Vec<u32>>, things: usize) -> Self {
        let unseen = vec![0; things];
        Self { wishes, holders: vec![NOBODY; things], seen: unseen.clone(), exchanged_for: unseen, searches: 0 }
    }

    /// Adds one partner for a left vertex if an augmenting path exists. Returns whether it does.
    ///
    /// Breadth-first search finds the shortest augmenting path. Vertices that are matched in descending order of priority form the matching
    /// of highest priority.
    pub fn claim(&mut self, claimant: u32) -> bool {
        self.searches += 1;
        let mut waiting = VecDeque::from([(claimant, NOBODY)]);
        while let Some((asking, gives)) = waiting.pop_front() {
            for at in 0..self.wishes[asking as usize].len() {
                let thing = self.wishes[asking as usize][at];
                if self.seen[thing as usize] == self.searches {
                    continue;
                }
                self.seen[thing as usize] = self.searches;
                self.exchanged_for[thing as usize] = gives;
                match self.holders[thing as usize] {
                    NOBODY => {
                        self.exchange(claimant, thing);
                        return true;
                    }
                    holder => waiting.push_back((holder, thing)),
                }
            }
        }
        false
    }

    /// Removes all partners of a left vertex.
    pub fn withdraw(&mut self, claimant: u32) {
        self.holders.iter_mut().filter(|holder| **holder == claimant).for_each(|holder| *holder = NOBODY);
    }

    /// Reassigns partners along the augmenting path, back to the left vertex where it starts.
    fn exchange(&mut self, claimant: u32, mut thing: u32) {
        loop {
            let gives = self.exchanged_for[thing as usize];
            if gives == NOBODY {
                self.holders[thing as usize] = claimant;
                return;
            }
            self.holders[thing as usize] = self.holders[gives as usize];
            thing = gives;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_met_if_they_can_be_by_exchange() {
        let mut claims = Claims::new(vec![vec![0, 1], vec![0], vec![1, 2], vec![0, 1, 2], vec![]], 3);
        assert!(claims.claim(0) && claims.claim(2));
        // The path changes the partners of 0 and 2 as well.
        assert!(claims.claim(1));
        assert_eq!(claims.holders, [1, 0, 2]);
        assert!(!claims.claim(3) && !claims.claim(4));
        claims.withdraw(2);
        assert!(claims.claim(3) && !claims.claim(2));
    }
}
