//! How many elastons it takes, and that the direction of their tangents does not matter [Martin2010, Fig. 2].

use super::Check;
use super::bending::{Plate, RATIO};
use fibra_core::random::CounterRng;
use fibra_elastons::elaston::Elaston;
use fibra_elastons::gmls::Order;
use glam::{DMat3, DQuat};
use std::f64::consts::TAU;

/// Samples along a side of the plates.
const SIDES: [usize; 3] = [5, 7, 10];

fn plate(side: usize, ratio: f64) -> Plate {
    Plate { side, ratio, poisson: 0.3, all_edges: false, order: Order::Second }
}

pub fn ratio() -> Result<Vec<Check>, String> {
    // Against the plate that is sampled best, since with Poisson's ratio there is no closed form of so wide a plate.
    let finest = plate(16, 3.0).sag(|_| {})?;
    let error = |ratio: f64| -> Result<f64, String> {
        let errors = SIDES.map(|side| plate(side, ratio).sag(|_| {}).map(|sag| (sag / finest - 1.0).abs()));
        errors.into_iter().sum()
    };
    let [two, three, four, five] = [error(2.0)?, error(3.0)?, error(4.0)?, error(5.0)?];
    let gained = two - three;
    Ok(vec![
        Check::above("elaston-ratio-3-better-than-2", two, three),
        Check::at_most("elaston-ratio-4-gains-less", (three - four).abs(), 0.5 * gained),
        Check::at_most("elaston-ratio-5-gains-less", (four - five).abs(), 0.5 * gained),
    ])
}

/// Turns each elaston by some angle about its normal, after making its tangents equally long: then it must not matter.
fn turn_tangents(elastons: &mut [Elaston], turn: bool) {
    let random = CounterRng::new(2);
    for (at, elaston) in elastons.iter_mut().enumerate() {
        // The shortest side is the normal, and comes last.
        let tangent = (elaston.sides.x * elaston.sides.y).sqrt();
        (elaston.sides.x, elaston.sides.y) = (tangent, tangent);
        let angle = if turn { TAU * random.uniform(&[at as u64]) } else { 0.0 };
        let turn = DQuat::from_axis_angle(elaston.axes.z_axis.normalize(), angle);
        elaston.axes = DMat3::from_quat(turn) * elaston.axes;
    }
}

pub fn rotation() -> Result<Vec<Check>, String> {
    let check = |side: usize| {
        let sag = |turn: bool| plate(side, RATIO as f64).sag(|elastons| turn_tangents(elastons, turn));
        Ok(Check::relative(&format!("elaston-rotation-{side}"), sag(true)?, sag(false)?, 1e-6))
    };
    SIDES.into_iter().map(check).collect()
}
