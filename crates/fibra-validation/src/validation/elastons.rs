//! Elastons compared with closed forms and independent solutions: rods, plates and cubes simulated by the same code.

mod bending;
mod body;
mod buckling;
mod cube;
mod elastica;
mod friction;
mod hexahedra;
mod locking;
mod parts;
mod plastic;
mod prongs;
mod ratio;
mod rest_height;

pub use bending::{cantilever_plate, plate, rod_bend, rod_twist};
pub use buckling::buckling;
pub use cube::cube;
pub use elastica::elastica;
pub use friction::friction;
pub use locking::locking;
pub use parts::{cut, merge};
pub use plastic::plastic;
pub use prongs::prongs;
pub use ratio::{ratio, rotation};
pub use rest_height::rest_height;

use super::Check;

/// Checks of a refinement series: the finest result is compared with the exact value, and each error with the previous
/// error.
fn series(name: &str, counts: &[usize], measured: &[f64], exact: f64, tolerance: f64) -> Vec<Check> {
    let error = |at: usize| (measured[at] / exact - 1.0).abs();
    let last = counts.len() - 1;
    let finest = Check::relative(&format!("{name}-{}", counts[last]), measured[last], exact, tolerance);
    let finer = |at: usize| Check::at_most(&format!("{name}-error-{}", counts[at]), error(at), error(at - 1));
    std::iter::once(finest).chain((1..=last).map(finer)).collect()
}
