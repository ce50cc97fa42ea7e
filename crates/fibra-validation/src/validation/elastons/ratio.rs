//! Effect of the number of elastons on the sag of a plate, and independence of the sag from the directions of the
//! elastons' tangents [Martin2010, Fig. 2].

use super::Check;
use super::bending::{Plate, RATIO};
use fibra_core::random::CounterRng;
use fibra_elastons::internals::elaston::Elaston;
use fibra_elastons::internals::gmls::Order;
use glam::{DMat3, DQuat};
use std::f64::consts::TAU;

/// Samples along a side of the plates.
const SIDES: [usize; 3] = [5, 7, 10];

fn plate(side: usize, ratio: f64) -> Plate {
    // With Poisson's ratio zero there is a closed form.
    Plate { side, ratio, poisson: 0.0, all_edges: false, order: Order::Second }
}

pub fn ratio() -> Result<Vec<Check>, String> {
    let errors = |ratio: f64| -> Result<Vec<f64>, String> {
        SIDES.iter().map(|&side| plate(side, ratio).sag(|_| {}).map(|sag| (sag - 1.0).abs())).collect()
    };
    let [two, three, four, five] = [errors(2.0)?, errors(3.0)?, errors(4.0)?, errors(5.0)?];
    let sum = |errors: &[f64]| errors.iter().sum::<f64>();
    let gain = |from: &[f64], to: &[f64]| sum(from) - sum(to);
    // Largest distance between two curves. It is small if the curves coincide in a plot.
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    Ok(vec![
        Check::above("elaston-ratio-3-better-than-2", sum(&two), sum(&three)),
        Check::at_most("elaston-ratio-4-gains-less", gain(&three, &four), gain(&two, &three)),
        Check::at_most("elaston-ratio-5-gains-less", gain(&four, &five), gain(&three, &four)),
        Check::at_most("elaston-ratio-3-and-4-apart", apart(&three, &four), 0.005),
        Check::at_most("elaston-ratio-4-and-5-apart", apart(&four, &five), 0.005),
    ])
}

/// Rotates each elaston by a random angle about its normal, after making its tangents equally long. The rotation must
/// not change the result.
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
