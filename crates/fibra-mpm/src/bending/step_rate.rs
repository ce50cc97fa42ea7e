//! Bounds on the time step from bending.

/// Bounds on the angular frequency of bending vibrations of one object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRate {
    /// Bound from the stiffness and the masses of the mesh alone [1/s]. It holds on any grid, because the grid only averages motion.
    pub vertices: f64,
    /// Speed `sqrt(D / (rho h)) / l` [m/s] for the shortest edge `l`, with which the grid bounds the frequency; see [`StepRate::on_grid`].
    pub grid: f64,
}

/// Frequency bound on the grid, relative to `grid / dx` [-]. The second derivatives of quadratic splines that alternate from node to node are up to
/// `6 / dx^2`; nodes at the rim of an object, with little mass, are stiffer by up to `dx / l`.
const GRID_FACTOR: f64 = 6.0;

impl StepRate {
    /// Returns the bound on a grid of spacing `dx` [m]: the lower of the two [1/s]. A mesh that is finer than the grid cannot vibrate as fast as its
    /// vertices could.
    pub fn on_grid(&self, dx: f64) -> f64 {
        self.vertices.min(GRID_FACTOR * self.grid / dx)
    }
}
