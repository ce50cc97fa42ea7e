//! Conserved quantities and totals: mass, momenta, energies, volume.
//!
//! Sums are computed in `f64` over fixed chunks of particles, then over the chunks in order: bitwise identical for any
//! number of threads.

use crate::bending::elastic_energy;
use crate::params::{Kernel, Params, Transfer};
use crate::state::{Particles, State};
use fibra_core::mat3::Mat3;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Totals over particles, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// Number of particles.
    pub count: usize,
    /// Mass [kg].
    pub mass: f64,
    /// Mass times position [kg m]; divided by the mass it is the center of mass.
    pub mass_moment: DVec3,
    /// Linear momentum [kg m/s].
    pub momentum: DVec3,
    /// Angular momentum about the world's origin, including that of affine velocities [kg m^2/s].
    pub angular_momentum: DVec3,
    /// Kinetic energy, including that of affine velocities [J].
    pub kinetic_energy: f64,
    /// Elastic energy [J].
    pub elastic_energy: f64,
    /// Gravitational potential energy, zero at the world's origin [J].
    pub gravitational_energy: f64,
    /// Current volume [m^3].
    pub volume: f64,
    /// Sum of the ratios of current to rest volume of all particles [-].
    pub volume_ratio_sum: f64,
}

impl Diagnostics {
    /// Returns the center of mass [m]; NaN if there are no particles.
    pub fn center(&self) -> DVec3 {
        self.mass_moment / self.mass
    }

    /// Returns the ratio of current to rest volume, averaged over the particles [-]; NaN if there are no particles.
    pub fn mean_volume_ratio(&self) -> f64 {
        self.volume_ratio_sum / self.count as f64
    }

    fn plus(self, o: Diagnostics) -> Diagnostics {
        Diagnostics {
            count: self.count + o.count,
            mass: self.mass + o.mass,
            mass_moment: self.mass_moment + o.mass_moment,
            momentum: self.momentum + o.momentum,
            angular_momentum: self.angular_momentum + o.angular_momentum,
            kinetic_energy: self.kinetic_energy + o.kinetic_energy,
            elastic_energy: self.elastic_energy + o.elastic_energy,
            gravitational_energy: self.gravitational_energy + o.gravitational_energy,
            volume: self.volume + o.volume,
            volume_ratio_sum: self.volume_ratio_sum + o.volume_ratio_sum,
        }
    }
}

/// Number of particles per chunk. Changing it changes the last bits of the sums.
const CHUNK: usize = 4096;

/// Computes totals over all particles, or over those of one object.
pub fn diagnose(params: &Params, state: &State, object: Option<u32>) -> Diagnostics {
    let p = &state.particles;
    let chunks: Vec<Diagnostics> = (0..p.len().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let particles = chunk * CHUNK..((chunk + 1) * CHUNK).min(p.len());
            particles
                .filter(|&i| object.is_none_or(|object| p.object[i] == object))
                .fold(Diagnostics::default(), |sum, i| sum.plus(of_particle(params, p, i)))
        })
        .collect();
    let mut total = chunks.into_iter().fold(Diagnostics::default(), Diagnostics::plus);
    total.elastic_energy += bending_energy(params, state, object);
    total
}

/// Computes the elastic energy of hinges and joints [J].
fn bending_energy(params: &Params, state: &State, object: Option<u32>) -> f64 {
    let (bending, p) = (&params.meshes.bending, &state.particles);
    if bending.is_empty() {
        return 0.0;
    }
    let mut place = vec![0; p.len()];
    p.id.iter().enumerate().for_each(|(at, &id)| place[id as usize] = at);
    let counts = |id: u32| object.is_none_or(|object| p.object[place[id as usize]] == object);
    elastic_energy(bending, &state.rods, |id| Vec3::from_array(p.x[place[id as usize]]), counts)
}

/// Computes the contribution of one particle.
fn of_particle(params: &Params, p: &Particles, i: usize) -> Diagnostics {
    let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
    let substance = params.substance_of(p.object[i]);
    let (mass, rest_volume) = (f64::from(p.mass[i]), f64::from(p.volume[i]));
    let x = params.origin + vector(p.x[i]);
    let v = vector(p.v[i]);
    let (spin, affine_energy) = match params.transfer {
        Transfer::Apic { .. } => affine_part(&p.c[i], second_moment(params, p.x[i])),
        _ => (DVec3::ZERO, 0.0),
    };
    let alignment = p.alignment.get(i).copied().unwrap_or([1.0 / 3.0; 3]);
    let volume_ratio = f64::from(substance.material.volume_ratio(&p.f[i], p.memory[i]));
    Diagnostics {
        count: 1,
        mass,
        mass_moment: mass * x,
        momentum: mass * v,
        angular_momentum: mass * (x.cross(v) + spin),
        kinetic_energy: mass * (0.5 * v.length_squared() + affine_energy),
        elastic_energy: rest_volume * f64::from(substance.material.energy(&p.f[i], p.memory[i], alignment)),
        gravitational_energy: -mass * vector(params.gravity).dot(x),
        volume: rest_volume * volume_ratio,
        volume_ratio_sum: volume_ratio,
    }
}

/// Computes the weights' second moment `D = sum_i w_i (x_i - x_p)(x_i - x_p)^T`, which is diagonal [m^2].
fn second_moment(params: &Params, x: [f32; 3]) -> DVec3 {
    let dx = f64::from(params.dx);
    let in_cells = match params.kernel {
        // Two nodes at distances u and 1 - u, with weights 1 - u and u.
        Kernel::Linear => DVec3::from_array(x.map(|x| {
            let u = (f64::from(x) / dx).rem_euclid(1.0);
            u * (1.0 - u)
        })),
        Kernel::Quadratic => DVec3::splat(1.0 / 4.0),
        Kernel::Cubic => DVec3::splat(1.0 / 3.0),
    };
    dx * dx * in_cells
}

/// Computes angular momentum `sum_i w_i r_i x C r_i` [m^2/s] and kinetic energy `1/2 sum_i w_i |C r_i|^2` [m^2/s^2] per mass of
/// the velocity field that a particle transfers to the grid [Jiang2015].
fn affine_part(c: &Mat3, d: DVec3) -> (DVec3, f64) {
    let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = c.to_rows().map(f64::from);
    let spin = DVec3::new(zy * d.y - yz * d.z, xz * d.z - zx * d.x, yx * d.x - xy * d.y);
    let columns = DVec3::new(xx * xx + yx * yx + zx * zx, xy * xy + yy * yy + zy * zy, xz * xz + yz * yz + zz * zz);
    (spin, 0.5 * columns.dot(d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::materials::{FixedCorotated, Lame, Material};
    use crate::mesh::Meshes;
    use crate::params::Integrator;
    use crate::params::{Object, StepLimits, Substance};
    use crate::step::{start, step};
    use crate::workspace::Workspace;
    use approx::assert_relative_eq;
    use fibra_core::mat3::Sym3;
    use fibra_materials::kind::Kind;

    const SPIN: f64 = 3.0;

    fn params(kernel: Kernel, gravity: [f32; 3]) -> Params {
        let jelly = Material::FixedCorotated(FixedCorotated { lame: Lame::new(1e4, 0.3) });
        Params {
            dx: 0.1,
            kernel,
            transfer: Transfer::Apic { damping: 0.0 },
            gravity,
            integrator: Integrator::Explicit,
            meshes: Meshes::default(),
            limits: StepLimits { cfl: 0.4, sound_cfl: 0.4, max_dt: 1e-3, min_dt: 1e-7 },
            objects: vec![Object { name: "cube".into(), material: 0 }, Object { name: "other".into(), material: 0 }],
            substances: vec![Substance { material: jelly, density: 1000.0 }],
            grains: Vec::new(),
            colliders: vec![],
            origin: DVec3::new(10.0, 20.0, 30.0),
        }
    }

    /// A cube of side 1 centered at the run origin, rotating about z.
    fn spinning_cube(params: &Params) -> State {
        let (mut state, n, w) = (State::default(), 20, SPIN as f32);
        let p = &mut state.particles;
        for i in 0..n * n * n {
            let [x, y, z] = [i / n / n, i / n % n, i % n].map(|k| (k as f32 + 0.5) / n as f32 - 0.5);
            p.x.push([x, y, z]);
            p.v.push([-w * y, w * x, 0.0]);
            p.c.push(Mat3 { xy: -w, yx: w, ..Mat3::ZERO });
            p.f.push(Mat3::IDENTITY);
            p.tau.push(Sym3::default());
            p.memory.push(0.0);
            p.kind.push(Kind::Point);
            p.mass.push(1000.0 / (n * n * n) as f32);
            p.volume.push(1.0 / (n * n * n) as f32);
            p.object.push((2 * i / (n * n * n)) as u32);
            p.id.push(i as u32);
        }
        start(params, &mut state);
        state
    }

    /// A rigid cube of side a rotating about its center has L = m a^2 omega / 6. The affine velocities
    /// add `2 m D omega`, where `D` is the kernel's second moment along an axis.
    #[test]
    fn totals_of_a_rotating_cube() {
        for (kernel, moment) in [(Kernel::Quadratic, 0.01 / 4.0), (Kernel::Cubic, 0.01 / 3.0)] {
            let params = params(kernel, [0.0, -10.0, 0.0]);
            let state = spinning_cube(&params);
            let all = diagnose(&params, &state, None);
            assert_eq!(all.count, 8000);
            assert_relative_eq!(all.mass, 1000.0, max_relative = 1e-6);
            assert_relative_eq!(all.volume, 1.0, max_relative = 1e-6);
            assert_relative_eq!(all.mean_volume_ratio(), 1.0, max_relative = 1e-6);
            assert!(all.center().distance(params.origin) < 1e-5);
            assert!(all.momentum.length() < 1e-3);
            // Points at spacing h instead of a solid reduce the inertia by h^2 / 6; the affine velocities add 2 D.
            let inertia = 1000.0 * (1.0 / 6.0 - 0.05f64.powi(2) / 6.0 + 2.0 * moment);
            assert_relative_eq!(all.angular_momentum.z, SPIN * inertia, max_relative = 1e-5);
            assert_relative_eq!(all.kinetic_energy, 0.5 * SPIN * SPIN * inertia, max_relative = 1e-5);
            assert_relative_eq!(all.gravitational_energy, 1000.0 * 10.0 * 20.0, max_relative = 1e-5);
            assert!(all.elastic_energy.abs() < 1e-6);
            let halves = [0, 1].map(|object| diagnose(&params, &state, Some(object)));
            assert_eq!(halves[0].count + halves[1].count, 8000);
            assert_relative_eq!(halves[0].mass, 500.0, max_relative = 1e-6);
        }
    }

    #[test]
    fn free_flight_conserves_momentum_and_nearly_conserves_energy() {
        let params = params(Kernel::Quadratic, [0.0; 3]);
        let mut state = spinning_cube(&params);
        let before = diagnose(&params, &state, None);
        let mut work = Workspace::default();
        for _ in 0..50 {
            step(&params, &mut state, &mut work, 1.0).unwrap();
        }
        let after = diagnose(&params, &state, None);
        let scale = before.angular_momentum.z;
        assert!((after.angular_momentum - before.angular_momentum).length() < 1e-4 * scale, "{after:?}");
        assert!(after.elastic_energy > 0.0);
        let energy = |d: &Diagnostics| d.kinetic_energy + d.elastic_energy;
        assert!(energy(&after) < 1.001 * energy(&before) && energy(&after) > 0.9 * energy(&before), "{after:?}");
    }

    #[test]
    fn totals_do_not_depend_on_the_number_of_threads() {
        let params = params(Kernel::Quadratic, [0.0, -10.0, 0.0]);
        let state = spinning_cube(&params);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| diagnose(&params, &state, None))
        };
        assert_eq!(with(1), with(3));
    }
}
