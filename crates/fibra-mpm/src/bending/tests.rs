//! Hinges and joints against finite differences and closed forms.

use super::*;
use crate::bending::forces::BendSystem;
use fibra_core::random::CounterRng;
use glam::{DVec3, Vec3};

/// A plate on a square mesh of right triangles.
fn plate(side: f64, n: u32, place: impl Fn(DVec3) -> DVec3) -> Plate {
    let at = |i: u32| side * (f64::from(i) / f64::from(n) - 0.5);
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(at(i), at(j), 0.0))).map(place).collect();
    let row = n + 1;
    let corner = |i: u32, j: u32| i * row + j;
    let triangles = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
            [[a, b, c], [b, d, c]]
        })
        .collect();
    Plate { first: 0, vertices, triangles, stiffness: STIFFNESS, poisson_ratio: NU, area_density: 1.0 }
}

const STIFFNESS: f64 = 2.0;
const NU: f64 = 0.3;

/// A thread in space, open or closed.
fn rod(n: u32, closed: bool, place: impl Fn(f64) -> DVec3) -> Rod {
    let vertices = (0..n).map(|i| place(f64::from(i) / f64::from(n))).collect();
    let segments = (0..n - u32::from(!closed)).map(|i| [i, (i + 1) % n]).collect();
    Rod { first: 0, vertices, segments, bending: 3.0, twisting: 2.0, line_density: 1.0, section: 1e-4 }
}

struct Scene {
    bending: Bending,
    frames: RodFrames,
    bends: Bends,
    x: Vec<Vec3>,
}

impl Scene {
    fn new(vertices: &[DVec3], build: impl Fn(&mut Bending, &mut RodFrames, &[f32])) -> Scene {
        let (mut bending, mut frames) = (Bending::default(), RodFrames::default());
        build(&mut bending, &mut frames, &vec![1.0; vertices.len()]);
        let mut bends = Bends::default();
        bends.rebuild(&bending, vertices.len(), |id| id);
        Scene { bending, frames, bends, x: vertices.iter().map(|x| x.as_vec3()).collect() }
    }

    fn of_plate(plate: &Plate, pinned: impl Fn(u32) -> bool + Copy) -> Scene {
        Scene::new(&plate.vertices, |bending, _, masses| plate.build(pinned, masses, bending))
    }

    fn of_rod(rod: &Rod) -> Scene {
        Scene::new(&rod.vertices, |bending, frames, masses| rod.build(|_| false, masses, bending, frames))
    }

    fn evaluate(&self, x: &[Vec3]) -> (f64, BendForces) {
        let mut forces = BendForces::default();
        let between = |a: u32, b: u32| x[b as usize] - x[a as usize];
        (self.system().evaluate(between, &mut forces), forces)
    }

    fn system(&self) -> BendSystem<'_> {
        BendSystem { bending: &self.bending, bends: &self.bends, frames: &self.frames }
    }

    /// Compares forces with differences of the energy, in random directions.
    fn check_forces(&self, x: &[Vec3], step: f32, tolerance: f64) {
        let (_, forces) = self.evaluate(x);
        let force: Vec<Vec3> = (0..x.len()).map(|v| self.bends.force_on(&forces, v)).collect();
        let size = force.iter().map(|f| f.length_squared()).sum::<f32>().sqrt();
        let sum: Vec3 = force.iter().sum();
        let torque: Vec3 = force.iter().zip(x).map(|(f, x)| x.cross(*f)).sum();
        assert!(size > 0.0 && sum.length() < 1e-5 * size, "{sum} of {size}");
        // Joints also exert torques on their segments.
        if self.bending.joints.is_empty() {
            assert!(torque.length() < 1e-5 * size, "{torque} of {size}");
        }
        for seed in 0..5 {
            let change = noise(seed, x.len());
            let moved = |by: f32| x.iter().zip(&change).map(|(x, d)| *x + by * *d).collect::<Vec<_>>();
            let difference = (self.evaluate(&moved(step)).0 - self.evaluate(&moved(-step)).0) / f64::from(2.0 * step);
            let exact: f64 = force.iter().zip(&change).map(|(f, d)| f64::from(f.dot(*d))).sum();
            let scale = f64::from(size * change.iter().map(|d| d.length_squared()).sum::<f32>().sqrt());
            assert!((difference + exact).abs() < tolerance * scale, "{seed}: {difference} is not {}", -exact);
        }
    }
}

fn noise(seed: u64, n: usize) -> Vec<Vec3> {
    let random = CounterRng::new(seed);
    (0..n).map(|i| (2.0 * random.uniform_in_cube([i as u64, 7, 3]).as_vec3()) - Vec3::ONE).collect()
}

fn shaken(x: &[Vec3], by: f32) -> Vec<Vec3> {
    x.iter().zip(noise(99, x.len())).map(|(x, d)| *x + by * d).collect()
}

#[test]
fn forces_are_the_derivative_of_the_energy() {
    // A curved rest shape, strongly deformed.
    let bowl = |x: DVec3| DVec3::new(x.x, x.y, 0.4 * x.x * x.x - 0.2 * x.x * x.y);
    let scene = Scene::of_plate(&plate(1.0, 4, bowl), |v| v < 6);
    assert!(scene.evaluate(&scene.x).0 < 1e-9, "the rest shape has no energy");
    scene.check_forces(&shaken(&scene.x, 0.06), 2e-3, 2e-3);
    let helix = |s: f64| DVec3::new((6.0 * s).cos(), (6.0 * s).sin(), s);
    for closed in [false, true] {
        let scene = Scene::of_rod(&rod(12, closed, helix));
        assert!(scene.evaluate(&scene.x).0 < 1e-9, "the rest shape has no energy");
        // The gradient is exact for frames at their own tangents, and the change of the frames is of second order.
        let mut scene = scene;
        let x = shaken(&scene.x, 0.1);
        let segments = scene.bending.segments.clone();
        let edge = |s: usize| x[segments[s].ends[1] as usize] - x[segments[s].ends[0] as usize];
        scene.frames.spin.iter_mut().enumerate().for_each(|(s, spin)| *spin = (s as f32).sin());
        scene.frames.advance(&scene.bending, &[], [0.3, 0.3], edge);
        scene.check_forces(&x, 5e-3, 2e-3);
    }
}

/// Torques are the derivatives of the energy with respect to rotations of the segments.
#[test]
fn torques_are_the_derivative_of_the_energy() {
    let mut scene = Scene::of_rod(&rod(8, false, |s| DVec3::new(s, 0.3 * s * s, 0.1 * (5.0 * s).sin())));
    let x = shaken(&scene.x, 0.02);
    let segments = scene.bending.segments.clone();
    let edge = |s: usize| x[segments[s].ends[1] as usize] - x[segments[s].ends[0] as usize];
    scene.frames.advance(&scene.bending, &[], [0.0, 0.0], edge);
    let (_, forces) = scene.evaluate(&x);
    let step = 1e-2;
    for s in 0..segments.len() {
        let energy = |by: f32| {
            let mut frames = scene.frames.clone();
            frames.spin[s] = by;
            frames.torque.fill(0.0);
            frames.advance(&scene.bending, &[], [1.0, 1.0], edge);
            let mut out = BendForces::default();
            BendSystem { frames: &frames, ..scene.system() }.evaluate(|a, b| x[b as usize] - x[a as usize], &mut out)
        };
        let difference = (energy(step) - energy(-step)) / f64::from(2.0 * step);
        let torque = forces.torque_on(&scene.bending, s);
        assert!((difference + f64::from(torque)).abs() < 2e-3, "{s}: {difference} is not {}", -torque);
    }
}

/// The Gauss-Newton product is the exact derivative of the forces at rest.
#[test]
fn products_are_the_derivative_of_the_forces_at_rest() {
    let scenes = [
        Scene::of_plate(&plate(1.0, 4, |x| x), |v| v < 5),
        Scene::of_rod(&rod(8, false, |s| DVec3::new(s, 0.2 * s * s, 0.0))),
    ];
    for scene in scenes {
        let change = noise(3, scene.x.len());
        let step = 1e-3;
        let between = |a: u32, b: u32| scene.x[b as usize] - scene.x[a as usize];
        let moved = |a: u32, b: u32| change[b as usize] - change[a as usize];
        let mut product = BendForces::default();
        let along = scene.system().differentiate(between, moved, &mut product);
        let at =
            |by: f32| scene.evaluate(&scene.x.iter().zip(&change).map(|(x, d)| *x + by * *d).collect::<Vec<_>>()).1;
        let (ahead, behind) = (at(step), at(-step));
        let (mut error, mut size, mut dot) = (0.0f32, 0.0f32, 0.0f64);
        for v in 0..scene.x.len() {
            let exact = scene.bends.force_on(&product, v);
            let force = |forces: &BendForces| scene.bends.force_on(forces, v);
            error = error.max(((force(&ahead) - force(&behind)) / (2.0 * step) - exact).length());
            size = size.max(exact.length());
            dot -= f64::from(exact.dot(change[v]));
        }
        assert!(error < 5e-3 * size, "{error} of {size}");
        assert!((dot - along).abs() < 1e-4 * dot, "{along} is not {dot}");
    }
}

/// In a plate with the curvature `kappa a a^T`, the moment tensor is `m = D kappa ((1 - nu) a a^T + nu I)`, and the moment about an edge of length `l`
/// with the normal `n` is `l n . m n`, whatever the direction of the mesh.
#[test]
fn moments_of_constant_curvature_do_not_depend_on_the_mesh() {
    let (n, kappa) = (8, 0.05);
    for (angle, shear) in [(0.0f64, 0.0), (0.7, 0.0), (std::f64::consts::FRAC_PI_4, 0.0), (-0.9, 0.4), (2.0, -0.7)] {
        let flat = plate(1.0, n, |x| DVec3::new(x.x + shear * x.y, x.y, 0.0));
        let scene = Scene::of_plate(&flat, |_| false);
        let a = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let bent: Vec<Vec3> =
            flat.vertices.iter().map(|&x| (x + 0.5 * kappa * a.dot(x).powi(2) * DVec3::Z).as_vec3()).collect();
        let (_, forces) = scene.evaluate(&bent);
        let inside = |v: u32| [v / (n + 1), v % (n + 1)].iter().all(|k| (2..=n - 2).contains(k));
        let mut checked = 0;
        for hinge in scene.bending.hinges.iter().filter(|hinge| hinge.vertices.iter().all(|&v| inside(v))) {
            let [start, end] = [0, 1].map(|k| flat.vertices[hinge.vertices[k] as usize]);
            let edge = end - start;
            let normal = DVec3::Z.cross(edge).normalize();
            let of_normal = (1.0 - NU) * normal.dot(a).powi(2) + NU;
            let expected = edge.length() * STIFFNESS * kappa * of_normal;
            let moment = f64::from(hinge.moment(&forces.angles));
            assert!((moment - expected).abs() < 2e-3 * edge.length() * STIFFNESS * kappa, "{moment} is not {expected}");
            checked += 1;
        }
        assert!(checked > 20);
    }
}

/// A plate that is bent to a constant curvature from its clamped edge on has the energy `D/2 kappa^2` up to this edge. At the free end, where a moment
/// would be needed to keep the curvature, it lacks half a row of triangles.
#[test]
fn clamped_edges_are_exact() {
    let n = 10;
    let flat = Plate { poisson_ratio: 0.0, ..plate(1.0, n, |x| x) };
    // The first two rows of vertices lie in the plane x <= -0.4.
    let scene = Scene::of_plate(&flat, |v| v / (n + 1) <= 1);
    let kappa = 0.1;
    let bend = |x: &Vec3| Vec3::new(x.x, x.y, 0.5 * kappa * (x.x + 0.4).max(0.0).powi(2));
    let bent: Vec<Vec3> = scene.x.iter().map(bend).collect();
    let expected = 0.5 * STIFFNESS * 0.85 * f64::from(kappa).powi(2);
    let energy = scene.evaluate(&bent).0;
    assert!((energy - expected).abs() < 0.01 * expected, "{energy} is not {expected}");
}
