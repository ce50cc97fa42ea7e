//! Plastic flow as a correction of the deformation gradient.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3};

/// `F + U diag(change) U^T F`: scales the principal stretches of `F` by `1 + change`.
///
/// The same as `U diag(new stretch) V^T`, but an error of rounding in `U` counts only as far as something changes: what
/// does not flow keeps its bits, and thousands of steps of slow flow do not drift in volume. It needs no `V` either.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn flow(f: &Mat3, u: &Mat3, change: &Diag3) -> Mat3 {
    f.add(&u.conjugate_diag(change).to_mat3().mul(f))
}
