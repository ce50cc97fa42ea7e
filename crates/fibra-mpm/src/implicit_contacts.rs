//! Contact with colliders and Coulomb friction in an implicit step: constrained directions of grid nodes.
//!
//! A node that moves into a collider is constrained in the normal direction; a sticking node is constrained in all directions. The contact
//! impulse is the residual of the step's equation in these directions, `r = m (v - v_free) + dPhi/dv`. A contact that would have to pull is
//! released. A node sticks as long as `|r_t| <= mu r_n` (Coulomb). A sliding node gets the friction impulse `mu r_n` against its motion, taken
//! from an earlier iterate so that the system stays symmetric.

use crate::grid_update::for_each_hit;
use crate::tile::Node;
use crate::workspace::Block;
use fibra_core::block_key::{BLOCK_NODES, BlockKey};
use fibra_core::geometry::{Contact, Hit, PlacedCollider};
use glam::Vec3;
use rayon::prelude::*;

/// The nodes in contact.
#[derive(Debug, Default)]
pub struct Contacts {
    touching: Vec<Touching>,
}

/// One node in contact.
#[derive(Clone, Copy, Debug)]
struct Touching {
    block: u32,
    node: u32,
    /// Outward normal of the collider [-].
    normal: Vec3,
    /// The collider's velocity at the node [m/s].
    body: Vec3,
    friction: f32,
    /// Whether the collider can only push.
    separates: bool,
    grip: Grip,
}

/// Directions in which a collider constrains a node.
#[derive(Clone, Copy, Debug)]
enum Grip {
    /// All directions, regardless of the forces.
    Fixed,
    /// All directions, while the friction bound holds.
    Stuck,
    /// The normal direction, with this friction impulse [kg m/s].
    Sliding(Vec3),
    /// All directions except that of the edge between two colliders.
    Edge(Vec3),
    /// No direction: the collider would have to pull.
    Free,
}

/// Returns the vector of a node.
fn vector(node: &Node) -> Vec3 {
    Vec3::new(node[0], node[1], node[2])
}

fn set(node: &mut Node, v: Vec3) {
    *node = [v.x, v.y, v.z, node[3]];
}

impl Contacts {
    /// Finds the nodes that move into colliders, and projects their velocities to the constraints.
    pub fn find(&mut self, dx: f32, colliders: &[PlacedCollider], keys: &[BlockKey], nodes: &mut [Block]) {
        self.touching.clear();
        if colliders.is_empty() {
            return;
        }
        let blocks = nodes.par_iter_mut().zip(keys).enumerate().with_min_len(16);
        self.touching.par_extend(blocks.flat_map_iter(|(block, (nodes, &key))| {
            let mut found: [Option<Touching>; BLOCK_NODES] = [None; BLOCK_NODES];
            for_each_hit(dx, colliders, key, nodes, |n, node, collider, hit| {
                found[n] = match found[n] {
                    None => Touching::new((block, n), node, collider, hit),
                    Some(before) => Some(before.and(node, collider, hit)),
                };
            });
            for touching in found.iter().flatten() {
                let node = &mut nodes[touching.node as usize];
                let v = vector(node);
                set(node, touching.body + touching.project(v - touching.body));
            }
            found.into_iter().flatten()
        }));
    }

    /// Updates which contacts release and which slide, from the residuals `r`.
    pub fn update(&mut self, residual: &[Block], velocity: &[Block]) {
        for touching in &mut self.touching {
            let r = vector(&residual[touching.block as usize][touching.node as usize]);
            let v = vector(&velocity[touching.block as usize][touching.node as usize]);
            touching.update(r, v - touching.body);
        }
    }

    /// Removes the friction impulses and the constrained directions from the residuals.
    pub fn hold(&self, residual: &mut [Block]) {
        for touching in &self.touching {
            let r = &mut residual[touching.block as usize][touching.node as usize];
            let left = touching.project(vector(r) - touching.friction_impulse());
            set(r, left);
        }
    }

    /// Removes the constrained directions from a product.
    pub fn project(&self, product: &mut [Block]) {
        for touching in &self.touching {
            let node = &mut product[touching.block as usize][touching.node as usize];
            let left = touching.project(vector(node));
            set(node, left);
        }
    }

    /// Computes the work of the friction impulses along `velocity`, over the step [J].
    pub fn friction_work(&self, velocity: &[Block]) -> f64 {
        let work = |touching: &Touching| {
            let v = vector(&velocity[touching.block as usize][touching.node as usize]);
            f64::from(touching.friction_impulse().dot(v))
        };
        self.touching.iter().map(work).sum()
    }

    /// Stops nodes whose sliding direction friction has reversed. They stick for the rest of the step; otherwise they might
    /// oscillate forever. Returns whether there were any.
    pub fn stop_reversed(&mut self, velocity: &mut [Block]) -> bool {
        let mut stopped = false;
        for touching in &mut self.touching {
            let node = &mut velocity[touching.block as usize][touching.node as usize];
            if let Grip::Sliding(impulse) = touching.grip
                && impulse.dot(vector(node) - touching.body) > 0.0
            {
                touching.grip = Grip::Fixed;
                set(node, touching.body);
                stopped = true;
            }
        }
        stopped
    }
}

impl Touching {
    /// Creates the contact of a node with a collider, unless the node separates. The initial friction impulse is computed from the node's own momentum.
    fn new((block, n): (usize, usize), node: &Node, collider: &PlacedCollider, hit: &Hit) -> Option<Touching> {
        let u = vector(node) - hit.velocity;
        let approach = -u.dot(hit.normal);
        let separates = collider.contact == Contact::Separating;
        if separates && approach <= 0.0 {
            return None;
        }
        let slip = u + approach * hit.normal;
        let grip = match collider.contact {
            Contact::Sticky => Grip::Fixed,
            _ if collider.friction > 0.0 && slip.length() <= collider.friction * approach => Grip::Stuck,
            _ => Grip::Sliding(-slip.normalize_or_zero() * (collider.friction * approach.max(0.0) * node[3])),
        };
        let (block, node, friction) = (block as u32, n as u32, collider.friction);
        Some(Touching { block, node, normal: hit.normal, body: hit.velocity, friction, separates, grip })
    }

    /// Adds another collider at the same node. Two colliders leave only the direction of the edge where they meet, without friction; three
    /// constrain all directions.
    fn and(self, node: &Node, collider: &PlacedCollider, hit: &Hit) -> Touching {
        let Some(other) = Touching::new((self.block as usize, self.node as usize), node, collider, hit) else {
            return self;
        };
        let edge = self.normal.cross(other.normal);
        match (self.grip, other.grip) {
            (Grip::Fixed, _) => self,
            (_, Grip::Fixed) => other,
            (Grip::Edge(along), _) if along.dot(other.normal).abs() > 1e-3 => Touching { grip: Grip::Fixed, ..self },
            (Grip::Edge(_), _) => self,
            // Both colliders constrain the same direction.
            _ if edge.length() < 1e-3 => self,
            _ => {
                // The velocity across the edge that satisfies both contacts: n1 . w = n1 . b1, n2 . w = n2 . b2.
                let (n1, n2) = (self.normal, other.normal);
                let (v1, v2, cos) = (n1.dot(self.body), n2.dot(other.body), n1.dot(n2));
                let body = ((v1 - cos * v2) * n1 + (v2 - cos * v1) * n2) / (1.0 - cos * cos);
                Touching { body, grip: Grip::Edge(edge.normalize()), ..self }
            }
        }
    }

    fn update(&mut self, r: Vec3, u: Vec3) {
        let push = r.dot(self.normal);
        let tangential = r - push * self.normal;
        let strength = self.friction * push.max(0.0);
        match self.grip {
            Grip::Stuck | Grip::Sliding(_) if self.separates && push < 0.0 => self.grip = Grip::Free,
            Grip::Stuck if tangential.length() > strength => {
                self.grip = Grip::Sliding(tangential.normalize_or_zero() * strength);
            }
            Grip::Sliding(before) => {
                let slip = u - u.dot(self.normal) * self.normal;
                let against = if slip == Vec3::ZERO { before } else { -slip };
                self.grip = Grip::Sliding(against.normalize_or_zero() * strength);
            }
            _ => {}
        }
    }

    /// Returns the unconstrained part of a vector.
    fn project(&self, v: Vec3) -> Vec3 {
        match self.grip {
            Grip::Fixed | Grip::Stuck => Vec3::ZERO,
            Grip::Sliding(_) => v - v.dot(self.normal) * self.normal,
            Grip::Edge(along) => v.dot(along) * along,
            Grip::Free => v,
        }
    }

    fn friction_impulse(&self) -> Vec3 {
        match self.grip {
            Grip::Sliding(impulse) => impulse,
            _ => Vec3::ZERO,
        }
    }
}
