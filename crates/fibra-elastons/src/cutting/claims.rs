//! Who may have elastons for itself: claims on things to be had once, met if that is possible for all of them at once.

use std::collections::VecDeque;

const NOBODY: u32 = u32::MAX;

/// Claimants and what each has.
pub struct Claims {
    /// What each claimant would take.
    wishes: Vec<Vec<u32>>,
    /// Who has each thing.
    holders: Vec<u32>,
    /// The search in which each thing was last looked at, and the thing that it would be given up for.
    seen: Vec<u32>,
    exchanged_for: Vec<u32>,
    searches: u32,
}

impl Claims {
    /// No claims on any of `things` things.
    pub fn new(wishes: Vec<Vec<u32>>, things: usize) -> Self {
        let unseen = vec![0; things];
        Self { wishes, holders: vec![NOBODY; things], seen: unseen.clone(), exchanged_for: unseen, searches: 0 }
    }

    /// Gives a claimant one thing more, if those who have what it wants can be given others; says whether so.
    ///
    /// The shortest chain of exchanges is found by breadth-first search. Claims that are met one after the other, the
    /// most important first, so are the most important that can be met together.
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

    /// Takes all that a claimant has.
    pub fn withdraw(&mut self, claimant: u32) {
        self.holders.iter_mut().filter(|holder| **holder == claimant).for_each(|holder| *holder = NOBODY);
    }

    /// Whoever has the thing that `thing` is exchanged for takes `thing`, and so on back to the claimant.
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
        // 0 has to give up what it has, and 2 too.
        assert!(claims.claim(1));
        assert_eq!(claims.holders, [1, 0, 2]);
        assert!(!claims.claim(3) && !claims.claim(4));
        claims.withdraw(2);
        assert!(claims.claim(3) && !claims.claim(2));
    }
}
