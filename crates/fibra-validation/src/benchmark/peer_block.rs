//! Workload of a published comparison of simulators: a block of jelly or sand that falls in a box. The method
//! is MLS-MPM with quadratic splines, APIC and a fixed step of 1e-4 s.

use super::Timed;
use super::mpm_steps::time_steps;
use super::pcg64::Pcg64;
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::{Particles, State};
use fibra_mpm::materials::{FixedCorotated, Lame, Material, Sand};
use glam::{DVec3, Vec3};

/// Node spacing [m].
pub const DX: f64 = 1.0 / 128.0;
/// Time step [s].
pub const DT: f64 = 1e-4;
/// Number of particles along each axis in the published comparison.
pub const PEER_COUNTS: [usize; 3] = [60, 58, 58];

/// Material of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// Fixed corotated, E = 1e5 Pa, nu = 0.3.
    Jelly,
    /// Hencky and Drucker-Prager with volume correction, E = 3.5e5 Pa, nu = 0.3, friction angle 35 degrees.
    Sand,
}

impl Matter {
    fn material(self) -> Material {
        match self {
            Matter::Jelly => Material::FixedCorotated(FixedCorotated { lame: Lame::new(1e5, 0.3) }),
            Matter::Sand => Material::Sand(Sand::new(Lame::new(3.5e5, 0.3), 35f64.to_radians(), 0.0, true)),
        }
    }
}

/// Initial order of the particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Lattice order, with z varying fastest.
    Lattice,
    /// Random order.
    Shuffled,
}

/// A block with `counts` particles along the axes, three cells above the floor of a box. Particles are half a cell
/// apart and jittered.
pub fn block(matter: Matter, counts: [usize; 3], order: Order) -> (Params, State) {
    block_of(matter.material(), counts, order, DX)
}

/// The block of the published comparison, at the same size, on a grid that is `finer` times as fine. Time steps are
/// shorter by the same factor.
#[cfg(feature = "gpu")]
pub(super) fn fine_block(matter: Matter, finer: f64, order: Order) -> (Params, State) {
    let counts = PEER_COUNTS.map(|count| (finer * count as f64).round() as usize);
    block_of(matter.material(), counts, order, DX / finer)
}

/// The block, made of any solid material, on a grid of spacing `dx` [m].
pub(super) fn block_of(material: Material, counts: [usize; 3], order: Order, dx: f64) -> (Params, State) {
    let [nx, ny, nz] = counts;
    let spacing = dx / 2.0;
    let mut rng = Pcg64::seed_zero();
    let corner = [0.38, 3.25 * dx, 0.38];
    let mut x = Vec::with_capacity(nx * ny * nz);
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let cell = [i, j, k];
                x.push(std::array::from_fn(|a| {
                    ((cell[a] as f64 + 0.5 + rng.uniform(-0.25, 0.25)) * spacing + corner[a]) as f32
                }));
            }
        }
    }
    if order == Order::Shuffled {
        for i in (1..x.len()).rev() {
            x.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
        }
    }
    let n = x.len();
    let (density, volume) = (1000.0f32, spacing.powi(3) as f32);
    let particles = Particles {
        x,
        v: vec![[0.0, -1.0, 0.0]; n],
        c: vec![Mat3::ZERO; n],
        f: vec![Mat3::IDENTITY; n],
        tau: vec![Sym3::ZERO; n],
        pull: Vec::new(),
        memory: vec![0.0; n],
        alignment: Vec::new(),
        mass: vec![density * volume; n],
        volume: vec![volume; n],
        kind: vec![Kind::Point; n],
        object: vec![0; n],
        id: (0..n as u32).collect(),
    };
    // The box is the unit cube, or larger if the block would not fit. Nodes closer than three cells to a face stop
    // material that moves toward this face.
    let size = counts.map(|n| (n as f64 * spacing + 1.0).ceil().max(1.0));
    let walls = (0..6).map(|w| {
        let (axis, upper) = (w % 3, w >= 3);
        let mut normal = DVec3::ZERO;
        normal[axis] = if upper { -1.0 } else { 1.0 };
        let mut point = DVec3::ZERO;
        point[axis] = if upper { size[axis] - 2.5 * dx } else { 2.5 * dx };
        Collider {
            name: format!("wall {w}"),
            shape: Shape::plane(Vec3::ZERO, normal.as_vec3()).expect("a unit normal"),
            rest: RigidPose::at(point),
            motion: Motion::Still,
            contact: Contact::Separating,
            friction: 0.0,
        }
    });
    let params = Params {
        dx: dx as f32,
        kernel: Kernel::Quadratic,
        transfer: Transfer::Apic { damping: 0.0 },
        gravity: [0.0, -9.81, 0.0],
        integrator: Integrator::Explicit,
        meshes: Meshes::default(),
        limits: StepLimits { cfl: 0.9, sound_cfl: 0.9, max_dt: DT * dx / DX, min_dt: 1e-9 },
        objects: vec![Object { name: "block".into(), material: 0 }],
        substances: vec![Substance { material, density }],
        grains: Vec::new(),
        colliders: walls.collect(),
        origin: DVec3::ZERO,
    };
    let mut state = State { particles, ..State::default() };
    fibra_mpm::internals::step::start(&params, &mut state);
    (params, state)
}

/// Times the fall. The result is the best of 5 repeats of 60 steps after 20 warm-up steps. Above 500,000 particles, all
/// three numbers are smaller.
pub fn time(matter: Matter, counts: [usize; 3], order: Order) -> Result<Timed, String> {
    let (params, mut state) = block(matter, counts, order);
    let plan = if state.particles.len() > 500_000 { [4, 3, 6] } else { [20, 5, 60] };
    time_steps(&params, &mut state, plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_match_the_published_comparison() {
        let (_, state) = block(Matter::Jelly, PEER_COUNTS, Order::Lattice);
        let x = &state.particles.x;
        assert_eq!(x.len(), 201_840);
        assert_eq!(x[0], [0.38222063, 0.026894115, 0.38105658]);
        assert_eq!(x[x.len() - 1], [0.6116341, 0.24937558, 0.60488516]);
        assert_eq!(x.iter().flatten().fold(0, |h, x| h ^ x.to_bits()), 0x22f_ef55);
    }
}
