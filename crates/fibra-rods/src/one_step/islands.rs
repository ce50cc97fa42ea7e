//! Islands: connected components of the contact graph, each a separate problem [Bertails2011, Sec. 4.5].

use crate::contact::Contact;

/// One island.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Island {
    /// Bodies of the island, sorted.
    pub bodies: Vec<usize>,
    /// Contacts of the island, sorted, as indices into the contacts of the step.
    pub contacts: Vec<usize>,
}

/// Returns all islands with contacts, sorted by their first body.
pub fn islands(bodies: usize, contacts: &[Contact]) -> Vec<Island> {
    let mut parent: Vec<usize> = (0..bodies).collect();
    for contact in contacts {
        if let Some(b) = contact.b {
            let (a, b) = (root(&mut parent, contact.a.body), root(&mut parent, b.body));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut of_root = vec![usize::MAX; bodies];
    let mut islands: Vec<Island> = Vec::new();
    for (index, contact) in contacts.iter().enumerate() {
        let root = root(&mut parent, contact.a.body);
        if of_root[root] == usize::MAX {
            of_root[root] = islands.len();
            islands.push(Island::default());
        }
        islands[of_root[root]].contacts.push(index);
    }
    for body in 0..bodies {
        let root = root(&mut parent, body);
        if let Some(island) = islands.get_mut(of_root[root]) {
            island.bodies.push(body);
        }
    }
    islands.sort_unstable_by_key(|island| island.bodies[0]);
    islands
}

/// Returns the root of the set that contains the body (union-find with path halving): its smallest body.
fn root(parent: &mut [usize], mut body: usize) -> usize {
    while parent[body] != body {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactKey, Side};
    use crate::rod::Abscissa;
    use glam::DVec3;

    fn contact(a: usize, b: Option<usize>) -> Contact {
        let side = |body| Side { body, at: Abscissa { segment: 0, share: 0.0 }, arm: DVec3::ZERO };
        Contact {
            key: ContactKey { a: [a as u32, 0], b: [b.map_or(ContactKey::COLLIDER, |b| b as u32), 0] },
            a: side(a),
            b: b.map(side),
            normal: DVec3::Y,
            gap: 0.0,
            surface_velocity: DVec3::ZERO,
            friction: 0.3,
            restitution: 0.0,
        }
    }

    #[test]
    fn bodies_in_contact_share_an_island_and_colliders_do_not_connect() {
        let contacts =
            [contact(4, Some(2)), contact(0, None), contact(2, Some(5)), contact(3, None), contact(1, Some(1))];
        let found = islands(6, &contacts);
        let island =
            |bodies: &[usize], contacts: &[usize]| Island { bodies: bodies.to_vec(), contacts: contacts.to_vec() };
        assert_eq!(found, [island(&[0], &[1]), island(&[1], &[4]), island(&[2, 4, 5], &[0, 2]), island(&[3], &[3])]);
        assert!(islands(3, &[]).is_empty());
    }
}
