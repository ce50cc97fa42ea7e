//! Bending of thin rods and plates and torsion of rods, compared with the closed forms of beam and plate theory.
//!
//! Rods are held by one material point beyond the free length; plates are held along rows of material points at their
//! edges.

use super::body::{Cuboid, DENSITY};
use super::{Check, series};
use fibra_core::geometry::{Keyframes, Motion};
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::{energy, strain_changes};
use glam::{DQuat, DVec3, UVec3};

/// Free length of rods and sides of plates [m].
const LENGTH: f64 = 1.0;
/// Thickness of rods and plates [m].
const THICKNESS: f64 = 0.01;
/// Young's modulus [Pa].
const YOUNG: f64 = 1e9;
/// Gravity [m/s^2]. It is so small that displacements are far below the thickness.
const GRAVITY: f64 = 0.01;
/// Elastons per sample along each axis of a plate [-].
pub const RATIO: usize = 3;
/// Elastons per sample of a rod [-]. With three, an integration error of up to 0.4 % would hide the convergence.
const ROD_RATIO: usize = 6;

/// A straight rod along x, with one held material point at one end or at both.
fn rod(samples: usize, held_ends: u32, order: Order) -> Cuboid {
    let free = 500;
    let piece = LENGTH / f64::from(free);
    Cuboid {
        sides: DVec3::new(LENGTH + piece * f64::from(held_ends), THICKNESS, THICKNESS),
        cells: UVec3::new(free + held_ends, 1, 1),
        samples,
        elastons: ROD_RATIO * samples,
        young: YOUNG,
        poisson: 0.3,
        gravity: DVec3::NEG_Y * GRAVITY,
        order,
        plasticity: None,
    }
}

/// Sag of the free end, relative to `rho A g L^4 / (8 EI)` [-].
pub fn rod_sag(samples: usize, order: Order) -> Result<f64, String> {
    let rod = rod(samples, 1, order);
    let held = rod.sides.x - LENGTH;
    let mut world = rod.at_rest()?;
    world.hold(|x| x.x < held, Motion::Still, f64::INFINITY);
    let work = world.settle()?;
    let exact = 12.0 * DENSITY * GRAVITY * LENGTH.powi(4) / (8.0 * YOUNG * THICKNESS.powi(2));
    Ok(-world.displacement(&work, DVec3::X * rod.sides.x).y / exact)
}

pub fn rod_bend() -> Result<Vec<Check>, String> {
    let counts = [4, 8, 16];
    let sags = counts.map(|count| rod_sag(count, Order::Second));
    Ok(series("elaston-rod-bend", &counts, &sags.into_iter().collect::<Result<Vec<_>, _>>()?, 1.0, 0.03))
}

/// Torque of a rod twisted by a small angle, relative to `G J / L` times the angle [-]. `J = a^4 / 6` applies to a
/// square cross-section that does not warp.
fn torque(samples: usize) -> Result<f64, String> {
    let angle = 1e-3;
    let rod = Cuboid { gravity: DVec3::ZERO, ..rod(samples, 2, Order::Second) };
    let held = 0.5 * (rod.sides.x - LENGTH);
    let turned = Keyframes::new(vec![0.0], vec![DVec3::ZERO], vec![DQuat::from_rotation_x(angle)]);
    let turned = Motion::Keyframes(turned.map_err(|error| error.to_string())?).about(0.5 * rod.sides);
    let mut world = rod.at_rest()?;
    world.hold(|x| x.x < held, Motion::Still, f64::INFINITY);
    world.hold(|x| x.x > LENGTH + held, turned, f64::INFINITY);
    let work = world.settle()?;
    // The stored energy is half of the torque times the angle.
    let stored = |(at, elaston): (usize, _)| {
        let readings = work.discretization.elastons.read(at, &world.state.displacements);
        energy(&world.params.objects[0].elasticity, elaston, &strain_changes(&readings, &elaston.axes))
    };
    let stored: f64 = world.state.matter.elastons.iter().enumerate().map(stored).sum();
    let exact = world.params.objects[0].elasticity.mu() * THICKNESS.powi(4) / 6.0 / LENGTH * angle;
    Ok(2.0 * stored / angle / exact)
}

pub fn rod_twist() -> Result<Vec<Check>, String> {
    let counts = [4, 8, 16];
    let torques = counts.map(torque).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(series("elaston-rod-twist", &counts, &torques, 1.0, 0.03))
}

/// A square plate that is held along one edge or along all edges.
pub struct Plate {
    /// Samples along a side.
    pub side: usize,
    /// Elastons per sample along an axis [-].
    pub ratio: f64,
    /// Poisson's ratio [-].
    pub poisson: f64,
    /// Whether all four edges are held, or only the edge at x = 0.
    pub all_edges: bool,
    /// Order of the displacement polynomials.
    pub order: Order,
}

impl Plate {
    /// Sag of the center, or of the middle of the free edge, relative to the closed form [-]. `turned` may modify the
    /// elastons before the simulation.
    pub fn sag(&self, turned: impl Fn(&mut [fibra_elastons::internals::elaston::Elaston])) -> Result<f64, String> {
        let cells = 120;
        let piece = LENGTH / f64::from(cells);
        let samples = self.side * self.side;
        let cuboid = Cuboid {
            sides: DVec3::new(LENGTH, THICKNESS, LENGTH),
            cells: UVec3::new(cells, 1, cells),
            samples,
            elastons: (samples as f64 * self.ratio * self.ratio).round() as usize,
            young: YOUNG,
            poisson: self.poisson,
            gravity: DVec3::NEG_Y * GRAVITY,
            order: self.order,
            plasticity: None,
        };
        let mut world = cuboid.at_rest()?;
        turned(&mut world.state.matter.elastons);
        let near = |x: f64| x < piece || x > LENGTH - piece;
        let all_edges = self.all_edges;
        let held = move |x: DVec3| if all_edges { near(x.x) || near(x.z) } else { x.x < piece };
        world.hold(held, Motion::Still, f64::INFINITY);
        let work = world.settle()?;
        let stiffness = YOUNG * THICKNESS.powi(3) / (12.0 * (1.0 - self.poisson * self.poisson));
        let load = DENSITY * THICKNESS * GRAVITY;
        let (place, exact) = if self.all_edges {
            (0.5, 0.001_265_32 * load * (LENGTH - 2.0 * piece).powi(4) / stiffness)
        } else {
            (LENGTH, load * (LENGTH - piece).powi(4) / (8.0 * stiffness))
        };
        Ok(-world.displacement(&work, DVec3::new(place, 0.0, 0.5 * LENGTH)).y / exact)
    }
}

/// A refinement series of plates, with three elastons per sample along each axis.
fn plates(name: &str, counts: &[usize], poisson: f64, all_edges: bool, tolerance: f64) -> Result<Vec<Check>, String> {
    let sag = |&side: &usize| Plate { side, ratio: RATIO as f64, poisson, all_edges, order: Order::Second }.sag(|_| {});
    let sags = counts.iter().map(sag).collect::<Result<Vec<_>, _>>()?;
    Ok(series(name, counts, &sags, 1.0, tolerance))
}

pub fn plate() -> Result<Vec<Check>, String> {
    plates("elaston-plate", &[5, 7, 10, 14], 0.3, true, 0.05)
}

pub fn cantilever_plate() -> Result<Vec<Check>, String> {
    // With Poisson's ratio zero, the plate bends like a beam.
    plates("elaston-cantilever-plate", &[5, 7, 10, 14], 0.0, false, 0.03)
}
