//! Displacements of first order lock: they are far too stiff in bending, as in [Martin2010, Fig. 3].

use super::Check;
use super::bending::{Plate, RATIO, rod_sag};
use fibra_elastons::internals::gmls::Order;

pub fn locking() -> Result<Vec<Check>, String> {
    let plate = |order| Plate { side: 10, ratio: RATIO as f64, poisson: 0.0, all_edges: false, order }.sag(|_| {});
    let lost = |sag: f64| (sag - 1.0).abs();
    let mut checks = Vec::new();
    for samples in [8, 16, 32] {
        // Ten times the error of second order, and still getting better.
        let [first, second] = [rod_sag(samples, Order::First)?, rod_sag(samples, Order::Second)?];
        checks.push(Check::above(&format!("elaston-locking-rod-{samples}"), lost(first), 10.0 * lost(second)));
    }
    let [coarse, fine] = [lost(rod_sag(8, Order::First)?), lost(rod_sag(32, Order::First)?)];
    checks.push(Check::above("elaston-locking-rod-lessens", coarse, fine));
    let [first, second] = [lost(plate(Order::First)?), lost(plate(Order::Second)?)];
    checks.push(Check::above("elaston-locking-plate", first, 10.0 * second));
    Ok(checks)
}
