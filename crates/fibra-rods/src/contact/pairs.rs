//! Friction and restitution of a pair of surfaces.
//!
//! By default, a pair has the smaller of both values: the smoother surface determines the friction. A collider has no restitution of its own, so the
//! value of the body applies. Values that are set for a pair replace this rule ([`Pairs::set`]).

use super::detection::Surface;
use crate::error::RodError;
use rustc_hash::FxHashMap;

/// Values of certain pairs. Bodies and colliders belong to groups, so that one entry covers all pairs of two groups.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    bodies: Vec<u32>,
    colliders: Vec<u32>,
    values: FxHashMap<[u32; 2], PairValues>,
}

/// Friction and restitution of a pair.
///
/// ```
/// use fibra_rods::PairValues;
///
/// let rubber_on_steel = PairValues { friction: 0.8, restitution: None };
/// assert!(rubber_on_steel.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairValues {
    /// Coulomb's coefficient of friction [-].
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1 [-]. `None`: the smaller value of both sides.
    pub restitution: Option<f64>,
}

impl PairValues {
    /// Validates the coefficients.
    pub fn check(&self) -> Result<(), RodError> {
        Surface { friction: self.friction, restitution: self.restitution.unwrap_or(0.0) }.check()
    }
}

/// A side of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// A body, by its index.
    Body(usize),
    /// A collider, by its index.
    Collider(usize),
}

impl Pairs {
    /// Assigns a body or a collider to a group. Without this call it belongs to group 0.
    pub fn assign(&mut self, member: Member, group: u32) {
        let (groups, index) = match member {
            Member::Body(index) => (&mut self.bodies, index),
            Member::Collider(index) => (&mut self.colliders, index),
        };
        if groups.len() <= index {
            groups.resize(index + 1, 0);
        }
        groups[index] = group;
    }

    /// Sets the values of all pairs of two groups. Both may be the same.
    pub fn set(&mut self, [a, b]: [u32; 2], values: PairValues) {
        self.values.insert([a.min(b), a.max(b)], values);
    }

    /// Returns the values of a pair, from the values of its sides. A collider has no restitution.
    pub fn of(&self, [a, b]: [(Member, Surface); 2]) -> Surface {
        let (group_a, group_b) = (self.group(a.0), self.group(b.0));
        let set = self.values.get(&[group_a.min(group_b), group_a.max(group_b)]);
        Surface {
            friction: set.map_or(a.1.friction.min(b.1.friction), |values| values.friction),
            restitution: set.and_then(|values| values.restitution).unwrap_or(a.1.restitution.min(b.1.restitution)),
        }
    }

    fn group(&self, member: Member) -> u32 {
        let (groups, index) = match member {
            Member::Body(index) => (&self.bodies, index),
            Member::Collider(index) => (&self.colliders, index),
        };
        groups.get(index).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_the_smaller_values_unless_they_are_set() {
        let surface = |friction, restitution| Surface { friction, restitution };
        let sides = [(Member::Body(3), surface(0.2, 0.9)), (Member::Collider(0), surface(0.5, f64::INFINITY))];
        let mut pairs = Pairs::default();
        assert_eq!(pairs.of(sides), surface(0.2, 0.9));
        pairs.assign(Member::Body(3), 1);
        pairs.assign(Member::Collider(0), 7);
        pairs.set([7, 1], PairValues { friction: 0.6, restitution: None });
        assert_eq!(pairs.of(sides), surface(0.6, 0.9));
        assert_eq!(pairs.of([sides[1], sides[0]]), surface(0.6, 0.9));
        pairs.set([1, 7], PairValues { friction: 0.7, restitution: Some(0.1) });
        assert_eq!(pairs.of(sides), surface(0.7, 0.1));
        // Another body of group 0 is not affected.
        assert_eq!(pairs.of([(Member::Body(0), surface(0.1, 0.0)), sides[1]]), surface(0.1, 0.0));
    }
}
