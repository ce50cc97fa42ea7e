//! A cube that hangs from its top face, compared with finite elements.

use super::body::{Cuboid, DENSITY};
use super::hexahedra::HangingCube;
use super::{Check, series};
use fibra_core::geometry::Motion;
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::Elasticity;
use glam::{DVec3, UVec3};

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;
const GRAVITY: f64 = 0.1;

/// Sag of the center of the bottom face [m].
fn sag(samples: usize) -> Result<f64, String> {
    let cells = 30;
    let piece = 1.0 / f64::from(cells);
    // An extra layer of material points is held.
    let cuboid = Cuboid {
        sides: DVec3::new(1.0, 1.0 + piece, 1.0),
        cells: UVec3::new(cells, cells + 1, cells),
        samples,
        elastons: 15 * samples,
        young: YOUNG,
        poisson: POISSON,
        gravity: DVec3::NEG_Y * GRAVITY,
        order: Order::Second,
        plasticity: None,
    };
    let mut world = cuboid.at_rest()?;
    world.hold(|x| x.y > 1.0, Motion::Still, f64::INFINITY);
    let work = world.settle()?;
    // Mean over the four material points around the center of the bottom face, half a spacing above this face.
    let places = [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]];
    let sink = |[x, z]: [f64; 2]| -world.displacement(&work, DVec3::new(0.5 + x * piece, 0.0, 0.5 + z * piece)).y;
    Ok(places.map(sink).iter().sum::<f64>() / 4.0)
}

pub fn cube() -> Result<Vec<Check>, String> {
    let elasticity = Elasticity { young: YOUNG, poisson: POISSON };
    let by_elements = |elements| HangingCube { elasticity, weight: DENSITY * GRAVITY, elements }.sag();
    let [coarse, middle, fine] = [6, 12, 24].map(by_elements);
    // Limit of the series if errors decrease geometrically (Aitken extrapolation).
    let converged = fine - (fine - middle).powi(2) / ((fine - middle) - (middle - coarse));
    let counts = [8, 27, 64, 216, 343];
    let sags = counts.map(sag).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut checks = series("elaston-cube", &counts, &sags, converged, 0.02);
    checks.push(Check::relative("elaston-cube-reference-24", fine, converged, 0.005));
    Ok(checks)
}
