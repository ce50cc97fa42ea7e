//! Cross sections of rods: shape, stiffness and orientation.

use crate::error::{RodError, in_range};
use glam::DVec3;
use std::f64::consts::PI;

/// Number of terms of the series of the torsion constant of a rectangle. The terms fall off as `n^-5`.
const TORSION_TERMS: u32 = 40;

/// The cross section of a rod. The default is a circle of the material's radius.
///
/// The axes of the section are the first two axes of the material frame, `m1` and `m2`; the third is the tangent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Section {
    /// Shape of the section.
    pub shape: SectionShape,
    /// Direction of `m1` at the first segment, projected perpendicular to that segment. Zero: any direction.
    pub axis: DVec3,
}

/// Shape of a cross section. Contact always uses a circle of the material's radius.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SectionShape {
    /// A circle of the material's radius.
    #[default]
    Circular,
    /// An ellipse.
    Elliptic {
        /// Full width along `m1` [m].
        width: f64,
        /// Full width along `m2` [m].
        height: f64,
    },
    /// A rectangle.
    Rectangular {
        /// Width along `m1` [m].
        width: f64,
        /// Width along `m2` [m].
        height: f64,
    },
    /// A circle of the material's radius with given stiffnesses.
    Stiffness {
        /// Bending stiffness `EI` for bending toward `m1`, and toward `m2` [N m^2].
        bending: [f64; 2],
        /// Twisting stiffness `GJ` [N m^2].
        twisting: f64,
    },
}

/// Geometric constants of a cross section that is not circular.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SectionConstants {
    /// Area [m^2].
    pub area: f64,
    /// Second moments of area, `integral of x_1^2` and `integral of x_2^2` [m^4].
    pub second: [f64; 2],
    /// Torsion constant `J` of Saint-Venant [m^4].
    pub torsion: f64,
}

impl Section {
    /// A circle of the material's radius.
    pub const CIRCULAR: Section = Section { shape: SectionShape::Circular, axis: DVec3::ZERO };

    /// An elliptic section with the given full widths along `m1` and `m2` [m].
    pub fn elliptic(width: f64, height: f64, axis: DVec3) -> Section {
        Section { shape: SectionShape::Elliptic { width, height }, axis }
    }

    /// A rectangular section with the given widths along `m1` and `m2` [m].
    pub fn rectangular(width: f64, height: f64, axis: DVec3) -> Section {
        Section { shape: SectionShape::Rectangular { width, height }, axis }
    }

    /// Whether bending depends on its direction.
    pub fn is_anisotropic(&self) -> bool {
        match self.shape {
            SectionShape::Circular => false,
            SectionShape::Elliptic { width, height } | SectionShape::Rectangular { width, height } => width != height,
            SectionShape::Stiffness { bending: [first, second], .. } => first != second,
        }
    }

    /// Validates the section.
    pub(crate) fn check(&self) -> Result<(), RodError> {
        if !self.axis.is_finite() {
            return Err(RodError::VectorNotFinite { what: "axis of the section", value: self.axis });
        }
        match self.shape {
            SectionShape::Circular => Ok(()),
            SectionShape::Elliptic { width, height } | SectionShape::Rectangular { width, height } => {
                in_range("width of the section", width, width > 0.0, "positive and finite, in m")?;
                in_range("height of the section", height, height > 0.0, "positive and finite, in m")
            }
            SectionShape::Stiffness { bending, twisting } => {
                let allowed = "positive and finite, in N m^2";
                for value in bending {
                    in_range("bending stiffness of the section", value, value > 0.0, allowed)?;
                }
                in_range("twisting stiffness of the section", twisting, twisting > 0.0, allowed)
            }
        }
    }

    /// Returns the geometric constants of a shape with two widths.
    pub(crate) fn constants(&self) -> Option<SectionConstants> {
        match self.shape {
            SectionShape::Elliptic { width, height } => {
                let (a, b) = (0.5 * width, 0.5 * height);
                let area = PI * a * b;
                let torsion = PI * a.powi(3) * b.powi(3) / (a * a + b * b);
                Some(SectionConstants { area, second: [0.25 * area * a * a, 0.25 * area * b * b], torsion })
            }
            SectionShape::Rectangular { width, height } => {
                let area = width * height;
                let second = [area * width * width / 12.0, area * height * height / 12.0];
                Some(SectionConstants { area, second, torsion: rectangle_torsion(width, height) })
            }
            SectionShape::Circular | SectionShape::Stiffness { .. } => None,
        }
    }
}

/// Returns the torsion constant of a rectangle [m^4], `a b^3 (1/3 - 64 b / (pi^5 a) sum over odd n of tanh(n pi a / (2 b)) / n^5)` with `a >= b`
/// [Timoshenko1970, Sec. 109].
fn rectangle_torsion(width: f64, height: f64) -> f64 {
    let (a, b) = (width.max(height), width.min(height));
    let term = |n: f64| (n * PI * a / (2.0 * b)).tanh() / n.powi(5);
    let sum: f64 = (0..TORSION_TERMS).map(|k| term(f64::from(2 * k + 1))).sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 * b / (PI.powi(5) * a) * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constants of textbooks [Timoshenko1970, Sec. 109]: a square has `J = 0.1406 a^4`, a strip of aspect 10 has `J = 0.312 a b^3`.
    #[test]
    fn torsion_constants_of_rectangles_match_the_textbook() {
        assert!((rectangle_torsion(1.0, 1.0) - 0.140577).abs() < 1e-6);
        assert!((rectangle_torsion(1.0, 10.0) / 10.0 - 0.312).abs() < 5e-4);
        assert_eq!(rectangle_torsion(2.0, 3.0), rectangle_torsion(3.0, 2.0));
    }

    #[test]
    fn an_ellipse_of_equal_widths_is_a_circle() {
        let constants = Section::elliptic(0.4, 0.4, DVec3::ZERO).constants().unwrap();
        let r: f64 = 0.2;
        assert!((constants.area / (PI * r * r) - 1.0).abs() < 1e-14);
        assert!(constants.second.iter().all(|i| (i / (0.25 * PI * r.powi(4)) - 1.0).abs() < 1e-14));
        assert!((constants.torsion / (0.5 * PI * r.powi(4)) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn invalid_sections_are_rejected() {
        let message = |section: Section| section.check().unwrap_err().to_string();
        assert!(message(Section::elliptic(0.0, 1.0, DVec3::Y)).starts_with("the width of the section is 0"));
        assert!(message(Section::rectangular(1.0, -1.0, DVec3::Y)).starts_with("the height of the section is -1"));
        let stiffness = SectionShape::Stiffness { bending: [1.0, 1.0], twisting: f64::NAN };
        assert!(message(Section { shape: stiffness, axis: DVec3::ZERO }).starts_with("the twisting stiffness"));
        assert!(message(Section { axis: DVec3::NAN, ..Section::default() }).starts_with("the axis of the section"));
    }
}
