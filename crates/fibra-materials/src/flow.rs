//! Plastic flow as an increment of the deformation gradient.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3};

/// `F + U diag(change) U^T F`: scales the principal stretches of `F` by `1 + change`.
///
/// Equals `U diag(new stretch) V^T`, but rounding errors of `U` are scaled by the change. Without flow `F` is bitwise unchanged,
/// and thousands of steps of slow flow do not drift in volume. `V` is not needed.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn flow(f: &Mat3, u: &Mat3, change: &Diag3) -> Mat3 {
    f.add(&u.conjugate_diag(change).to_mat3().mul(f))
}
