//! Gauss-Seidel over contacts: each contact is solved exactly with the others fixed. Velocities are stored instead of the matrix that couples the
//! contacts, so the cost of a sweep is linear in the number of contacts.

use super::rows::Row;
use glam::DVec3;

/// Performs one sweep over all contacts; impulses and velocities stay consistent.
pub fn sweep(rows: &[Row], r: &mut [DVec3], v: &mut [f64]) {
    for (row, r) in rows.iter().zip(r) {
        let others = row.velocity(v) - row.block * *r;
        // If rounding errors leave no solution, the contact is skipped until the next sweep.
        let Some(new) = row.local_solver.solve(others) else { continue };
        row.apply_impulse(new - *r, v);
        *r = new;
    }
}
