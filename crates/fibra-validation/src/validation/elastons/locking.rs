//! Locking: first-order displacements are far too stiff in bending, as in [Martin2010, Fig. 3].

use super::Check;
use super::bending::{Plate, RATIO, rod_sag};
use fibra_elastons::internals::gmls::Order;

pub fn locking() -> Result<Vec<Check>, String> {
    let plate = |order| Plate { side: 10, ratio: RATIO as f64, poisson: 0.0, all_edges: false, order }.sag(|_| {});
    let error = |sag: f64| (sag - 1.0).abs();
    let mut checks = Vec::new();
    for samples in [8, 16, 32] {
        // The first-order error must exceed ten times the second-order error. It must also decrease with refinement, as
        // checked below.
        let [first, second] = [rod_sag(samples, Order::First)?, rod_sag(samples, Order::Second)?];
        checks.push(Check::above(&format!("elaston-locking-rod-{samples}"), error(first), 10.0 * error(second)));
    }
    let [coarse, fine] = [error(rod_sag(8, Order::First)?), error(rod_sag(32, Order::First)?)];
    checks.push(Check::above("elaston-locking-rod-lessens", coarse, fine));
    let [first, second] = [error(plate(Order::First)?), error(plate(Order::Second)?)];
    checks.push(Check::above("elaston-locking-plate", first, 10.0 * second));
    Ok(checks)
}
