//! Gauss-Seidel over contacts: each is solved exactly while the others wait. Velocities are kept instead of the matrix between
//! contacts, so that a sweep takes time in proportion to the contacts.

use super::rows::Row;
use glam::DVec3;

/// Goes once over all contacts; impulses and velocities stay consistent.
pub fn sweep(rows: &[Row], r: &mut [DVec3], v: &mut [f64]) {
    for (row, r) in rows.iter().zip(r) {
        let others = row.velocity(v) - row.block * *r;
        // Where rounding leaves no answer, the contact waits for the next sweep.
        let Some(new) = row.alone.solve(others) else { continue };
        row.push(new - *r, v);
        *r = new;
    }
}
