//! Order of elimination for a symmetric block pattern. Contacts that are coupled with the same contacts, as all
//! contacts between two rods are, form a group and are eliminated together. Groups are ordered by minimum fill
//! [Davis2006, Sec. 7.1].

use std::collections::BTreeMap;

/// Largest number of groups that are ordered by minimum fill. The cost of the ordering grows faster than the number of
/// groups; larger patterns are ordered by minimum degree.
const MAX_FILL_GROUPS: usize = 1500;

/// Groups of contacts in elimination order, and the later groups that each is coupled with when it is eliminated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elimination {
    /// Contacts of each group.
    pub groups: Vec<Vec<usize>>,
    /// Later groups that each group is coupled with, sorted.
    pub later: Vec<Vec<usize>>,
}

/// Orders the contacts of a symmetric pattern. `neighbors` lists, sorted, the contacts that each contact is coupled with, including
/// itself.
pub fn eliminate(neighbors: &[Vec<usize>]) -> Elimination {
    let mut by_neighbors: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for (contact, list) in neighbors.iter().enumerate() {
        by_neighbors.entry(list).or_default().push(contact);
    }
    let mut groups: Vec<Vec<usize>> = by_neighbors.into_values().collect();
    groups.sort_by_key(|group| group[0]);
    let mut group_of = vec![0; neighbors.len()];
    for (index, group) in groups.iter().enumerate() {
        group.iter().for_each(|&contact| group_of[contact] = index);
    }
    let mut graph = Graph::new(groups.iter().map(|group| group.len() as u64).collect());
    for (index, group) in groups.iter().enumerate() {
        neighbors[group[0]].iter().for_each(|&contact| graph.connect(index, group_of[contact]));
    }

    let fill = groups.len() <= MAX_FILL_GROUPS;
    let mut scores: Vec<u64> = (0..groups.len()).map(|group| graph.score(group, fill)).collect();
    let mut waiting: Vec<usize> = (0..groups.len()).collect();
    let (mut order, mut later) = (Vec::new(), Vec::new());
    while !waiting.is_empty() {
        // The first of equal scores, for reproducible results.
        let best = (0..waiting.len()).min_by_key(|&at| (scores[waiting[at]], waiting[at])).unwrap_or(0);
        let group = waiting.swap_remove(best);
        let coupled = graph.eliminate(group, &mut scores, fill);
        coupled.iter().for_each(|&other| scores[other] = graph.score(other, fill));
        order.push(group);
        later.push(coupled);
    }

    let mut place = vec![0; groups.len()];
    order.iter().enumerate().for_each(|(at, &group)| place[group] = at);
    for list in &mut later {
        list.iter_mut().for_each(|group| *group = place[*group]);
        list.sort_unstable();
    }
    Elimination { groups: order.iter().map(|&group| std::mem::take(&mut groups[group])).collect(), later }
}

/// A graph of groups, with each row a set of bits.
struct Graph {
    weights: Vec<u64>,
    rows: Vec<Vec<u64>>,
}

impl Graph {
    fn new(weights: Vec<u64>) -> Graph {
        let words = weights.len().div_ceil(64);
        Graph { rows: vec![vec![0; words]; weights.len()], weights }
    }

    fn connect(&mut self, a: usize, b: usize) {
        if a != b {
            insert(&mut self.rows[a], b);
            insert(&mut self.rows[b], a);
        }
    }

    /// Couples the neighbors of a group with each other, removes the group, and returns the neighbors. Updates the scores of
    /// other groups that have both ends of a new coupling as neighbors.
    fn eliminate(&mut self, group: usize, scores: &mut [u64], fill: bool) -> Vec<usize> {
        let row = std::mem::take(&mut self.rows[group]);
        let coupled: Vec<usize> = members(&row).collect();
        for &a in &coupled {
            self.rows[a][group / 64] &= !(1 << (group % 64));
            let missing: Vec<u64> = row.iter().zip(&self.rows[a]).map(|(row, a)| row & !a).collect();
            for b in members(&missing).filter(|&b| b > a) {
                if fill {
                    let common = self.rows[a].iter().zip(&self.rows[b]).zip(&row);
                    let others: Vec<u64> = common.map(|((a, b), row)| a & b & !row).collect();
                    members(&others).for_each(|other| scores[other] -= 2 * self.weights[a] * self.weights[b]);
                }
                self.connect(a, b);
            }
        }
        coupled
    }

    /// Returns the number of entries that eliminating a group would add, or the number of coupled contacts.
    fn score(&self, group: usize, fill: bool) -> u64 {
        let row = &self.rows[group];
        if !fill {
            return members(row).map(|other| self.weights[other]).sum();
        }
        let missing = |other: usize| {
            let words = row.iter().zip(&self.rows[other]).map(|(row, other)| row & !other);
            let weight = words.enumerate().map(|(word, bits)| self.weight(word, bits)).sum::<u64>();
            self.weights[other] * (weight - self.weights[other])
        };
        members(row).map(missing).sum()
    }

    /// Returns the total weight of the groups of one word of a set.
    fn weight(&self, word: usize, mut bits: u64) -> u64 {
        let mut sum = 0;
        while bits != 0 {
            sum += self.weights[64 * word + bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        sum
    }
}

fn insert(set: &mut [u64], element: usize) {
    set[element / 64] |= 1 << (element % 64);
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        std::iter::successors((bits != 0).then_some(bits), |bits| {
            let rest = bits & (bits - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |bits| 64 * word + bits.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts of a chain of bodies: contact `i` is coupled with `i - 1` and `i + 1`. Elimination from the ends adds no entry.
    #[test]
    fn a_chain_is_eliminated_without_fill() {
        let n = 40usize;
        let neighbors: Vec<Vec<usize>> = (0..n).map(|i| (i.saturating_sub(1)..(i + 2).min(n)).collect()).collect();
        let elimination = eliminate(&neighbors);
        assert_eq!(elimination.groups.iter().map(Vec::len).sum::<usize>(), n);
        // The last two contacts may form a pair of groups with one coupling.
        assert!(elimination.later.iter().all(|later| later.len() <= 1), "{elimination:?}");
    }

    #[test]
    fn contacts_with_the_same_couplings_form_a_group() {
        // Two bodies with three contacts each on the ground, and one contact between the bodies.
        let (a, b) = ([0, 1, 2, 6], [3, 4, 5, 6]);
        let all: Vec<usize> = (0..7).collect();
        let neighbors: Vec<Vec<usize>> = (0..7)
            .map(|i| {
                if i == 6 {
                    all.clone()
                } else if i < 3 {
                    a.to_vec()
                } else {
                    b.to_vec()
                }
            })
            .collect();
        let elimination = eliminate(&neighbors);
        assert_eq!(elimination.groups, [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
        assert_eq!(elimination.later, [vec![2], vec![2], vec![]]);
    }

    /// Updated scores equal recomputed ones: every eliminated group has the least fill of all groups that are left.
    #[test]
    fn every_eliminated_group_has_the_least_fill() {
        let rng = fibra_core::random::CounterRng::new(5);
        let n = 70;
        let mut graph = Graph::new((0..n as u64).map(|i| 1 + i % 3).collect());
        for i in 0..n {
            (0..3).for_each(|k| graph.connect(i, rng.bits(&[i as u64, k]) as usize % n));
        }
        let mut scores: Vec<u64> = (0..n).map(|group| graph.score(group, true)).collect();
        let mut left: Vec<usize> = (0..n).collect();
        while let Some(at) = (0..left.len()).min_by_key(|&at| scores[left[at]]) {
            let group = left.swap_remove(at);
            for other in graph.eliminate(group, &mut scores, true) {
                scores[other] = graph.score(other, true);
            }
            left.iter().for_each(|&other| assert_eq!(scores[other], graph.score(other, true), "{other}"));
        }
    }

    #[test]
    fn an_empty_pattern_has_no_groups() {
        assert_eq!(eliminate(&[]), Elimination::default());
    }
}
