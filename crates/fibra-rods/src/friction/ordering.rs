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
        let coupled = graph.eliminate(group);
        // Elimination changes the couplings of the group's neighbors. Minimum fill also depends on the couplings among
        // the neighbors of a group, so the neighbors of neighbors change, too.
        let mut changed = graph.empty_set();
        coupled.iter().for_each(|&other| {
            insert(&mut changed, other);
            if fill {
                changed.iter_mut().zip(&graph.rows[other]).for_each(|(all, row)| *all |= row);
            }
        });
        members(&changed).for_each(|other| scores[other] = graph.score(other, fill));
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

    fn empty_set(&self) -> Vec<u64> {
        vec![0; self.weights.len().div_ceil(64)]
    }

    fn connect(&mut self, a: usize, b: usize) {
        if a != b {
            insert(&mut self.rows[a], b);
            insert(&mut self.rows[b], a);
        }
    }

    /// Couples the neighbors of a group with each other, removes the group, and returns the neighbors.
    fn eliminate(&mut self, group: usize) -> Vec<usize> {
        let row = std::mem::take(&mut self.rows[group]);
        let coupled: Vec<usize> = members(&row).collect();
        for &other in &coupled {
            let mine = &mut self.rows[other];
            mine.iter_mut().zip(&row).for_each(|(mine, row)| *mine |= row);
            mine[other / 64] &= !(1 << (other % 64));
            mine[group / 64] &= !(1 << (group % 64));
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

    #[test]
    fn an_empty_pattern_has_no_groups() {
        assert_eq!(eliminate(&[]), Elimination::default());
    }
}
