//! Constitutive law: linear elasticity of membrane and bending strains in corotated frames [Martin2010, Eqs. 5, 6, 11, 20].

use crate::elaston::Elaston;
use crate::gmls::pair;
use crate::table::FieldValues;
use fibra_core::decompose::polar;
use fibra_core::mat3::Mat3;
use glam::{DMat3, DVec3};
use std::cmp::Ordering;

/// Isotropic elastic constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-].
    pub poisson: f64,
}

impl Elasticity {
    /// First Lame parameter [Pa].
    pub fn lambda(&self) -> f64 {
        self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
    }

    /// Shear modulus [Pa].
    pub fn mu(&self) -> f64 {
        0.5 * self.young / (1.0 + self.poisson)
    }

    /// Stress for a given strain [Pa].
    pub fn stress(&self, strain: &DMat3) -> DMat3 {
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        *strain * (2.0 * self.mu()) + DMat3::from_diagonal(DVec3::splat(self.lambda() * trace))
    }
}

/// Strains of an elaston along its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strains {
    /// Membrane strain: stretch and shear [-].
    pub membrane: DMat3,
    /// Bending strain: the derivative of strain along each axis, which measures bending and twist [1/m].
    pub bending: [DMat3; 3],
}

impl Strains {
    /// Zero strain.
    pub const ZERO: Strains = Strains { membrane: DMat3::ZERO, bending: [DMat3::ZERO; 3] };
}

impl std::ops::Add for Strains {
    type Output = Strains;

    fn add(self, other: Strains) -> Strains {
        Strains {
            membrane: self.membrane + other.membrane,
            bending: std::array::from_fn(|k| self.bending[k] + other.bending[k]),
        }
    }
}

impl std::ops::Sub for Strains {
    type Output = Strains;

    fn sub(self, other: Strains) -> Strains {
        Strains {
            membrane: self.membrane - other.membrane,
            bending: std::array::from_fn(|k| self.bending[k] - other.bending[k]),
        }
    }
}

/// Strains from displacement derivatives along an elaston's axes. The columns of `frame` are its corotated axes.
pub fn strains(field: &FieldValues, elaston: &Elaston, frame: &DMat3) -> Strains {
    let back = frame.transpose();
    let deformed = |axis: usize| back * (elaston.axes.col(axis) + field[1 + axis]);
    let membrane = DMat3::from_cols(deformed(0), deformed(1), deformed(2));
    Strains { membrane: symmetric(&membrane) - DMat3::IDENTITY, bending: bending(field, &back) }
}

/// Linear change of the strains for given displacement derivatives, in a constant frame.
pub fn strain_changes(field: &FieldValues, frame: &DMat3) -> Strains {
    let back = frame.transpose();
    let membrane = DMat3::from_cols(back * field[1], back * field[2], back * field[3]);
    Strains { membrane: symmetric(&membrane), bending: bending(field, &back) }
}

fn bending(field: &FieldValues, back: &DMat3) -> [DMat3; 3] {
    let second: [DVec3; 6] = std::array::from_fn(|at| *back * field[4 + at]);
    std::array::from_fn(|k| symmetric(&DMat3::from_cols(second[pair(k, 0)], second[pair(k, 1)], second[pair(k, 2)])))
}

fn symmetric(matrix: &DMat3) -> DMat3 {
    (*matrix + matrix.transpose()) * 0.5
}

/// Adds the gradient of the elastic energy with respect to the displacement derivatives, times `scale`, to `generalized_forces`.
pub fn add_elastic_loads(
    elasticity: &Elasticity,
    elaston: &Elaston,
    strains: &Strains,
    frame: &DMat3,
    scale: f64,
    generalized_forces: &mut FieldValues,
) {
    let volume = scale * elaston.volume;
    let membrane = *frame * elasticity.stress(&strains.membrane);
    for axis in 0..3 {
        generalized_forces[1 + axis] += volume * membrane.col(axis);
    }
    for k in 0..3 {
        let moment = volume * elaston.sides[k] * elaston.sides[k] / 12.0;
        let bending = *frame * elasticity.stress(&strains.bending[k]);
        for l in 0..3 {
            generalized_forces[4 + pair(k, l)] += moment * bending.col(l);
        }
    }
}

/// Elastic energy for given strains [J].
pub fn energy(elasticity: &Elasticity, elaston: &Elaston, strains: &Strains) -> f64 {
    let density = |strain: &DMat3| {
        let stress = elasticity.stress(strain);
        0.5 * (0..3).map(|axis| stress.col(axis).dot(strain.col(axis))).sum::<f64>()
    };
    let bending = |k: usize| elaston.sides[k] * elaston.sides[k] / 12.0 * density(&strains.bending[k]);
    elaston.volume * (density(&strains.membrane) + (0..3).map(bending).sum::<f64>())
}

/// Corotated frame: an elaston's axes times the rotation of the deformation gradient (polar decomposition).
pub fn frame(field: &FieldValues, elaston: &Elaston) -> DMat3 {
    let deformed = |axis: usize| elaston.axes.col(axis) + field[1 + axis];
    // The columns are F A with the axes A. The rotation of this matrix is R A.
    rotation(&DMat3::from_cols(deformed(0), deformed(1), deformed(2)))
}

/// Rotation nearest to a matrix. For inverted or degenerate matrices, the nearest proper rotation.
pub fn rotation(matrix: &DMat3) -> DMat3 {
    let size = matrix.x_axis.length_squared() + matrix.y_axis.length_squared() + matrix.z_axis.length_squared();
    let mut x = *matrix * (3.0 / size.max(f64::MIN_POSITIVE)).sqrt();
    if x.determinant().partial_cmp(&1e-3) != Some(Ordering::Greater) {
        return degenerate_rotation(matrix);
    }
    // Newton's iteration for the polar factor converges quadratically: ten iterations suffice for determinants above 1e-3.
    for _ in 0..20 {
        let next = (x + x.inverse().transpose()) * 0.5;
        let change = (0..3).map(|axis| (next.col(axis) - x.col(axis)).length_squared()).sum::<f64>();
        x = next;
        if change < 1e-24 {
            break;
        }
    }
    x
}

/// Rotation of a near-singular or inverted matrix, for which Newton's iteration fails. It is computed from the singular
/// value decomposition in `f32` and then orthonormalized in `f64`.
fn degenerate_rotation(matrix: &DMat3) -> DMat3 {
    let size = matrix.to_cols_array().iter().fold(f64::MIN_POSITIVE, |largest, entry| largest.max(entry.abs()));
    let rows = matrix.transpose().to_cols_array().map(|entry| (entry / size) as f32);
    let rough = polar(&Mat3::from_rows(rows)).r.to_rows().map(f64::from);
    let mut x = DMat3::from_cols_array(&rough).transpose();
    for _ in 0..2 {
        x = (x + x.inverse().transpose()) * 0.5;
    }
    x
}
