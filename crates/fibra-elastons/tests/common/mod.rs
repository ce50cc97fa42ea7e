//! Shared test bodies.

use fibra_core::geometry::RigidPose;
use fibra_elastons::internals::fill::cuboid;
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::Elasticity;
use fibra_elastons::internals::matter::Body;
use fibra_elastons::internals::world::{ContactLaw, Matter, Params, Section, State, Substance};
use glam::{DQuat, DVec3};

/// A rod, a plate and a cube: sides [m], cells, samples, elastons.
pub const BODIES: [(DVec3, [u32; 3], usize, usize); 3] = [
    (DVec3::new(1.0, 0.02, 0.03), [60, 1, 1], 5, 15),
    (DVec3::new(1.0, 0.02, 0.8), [30, 1, 24], 9, 60),
    (DVec3::new(1.0, 0.9, 0.8), [10, 9, 8], 8, 90),
];

/// A soft material, without holds, colliders or blades.
pub fn params() -> Params {
    Params {
        gravity: DVec3::new(0.0, -9.81, 0.0),
        origin: DVec3::ZERO,
        dt: 0.01,
        order: Order::Second,
        support: 1.5,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        hold_stiffness: 1000.0,
        objects: vec![Substance {
            elasticity: Elasticity { young: 1e5, poisson: 0.3 },
            density: 1000.0,
            plasticity: None,
            samples: 0,
            elastons: 0,
            section: Section::Rectangular,
        }],
        holds: Vec::new(),
        colliders: Vec::new(),
        contact: ContactLaw { stiffness: 1.0, friction: 0.0, between_bodies: false },
        blades: Vec::new(),
        resampling: None,
    }
}

/// One of [`BODIES`], rotated and translated away from the origin.
pub fn body(which: usize, params: &Params) -> State {
    let (size, cells, samples, elastons) = BODIES[which];
    let pose = RigidPose { translation: DVec3::new(0.3, 2.0, -0.4), rotation: DQuat::from_rotation_z(0.3) };
    let cloud = cuboid(size, cells, &pose).unwrap();
    let objects = vec![0; cloud.points.len()];
    let body = Body { cloud, objects, samples, elastons, grading: None };
    State::new(params.order, Matter::sample(&[body], params.support).unwrap())
}
