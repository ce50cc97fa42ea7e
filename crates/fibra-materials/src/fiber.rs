//! Fibers: elastic curves. Contact and friction between fibers is plastic flow of their cross-section [Jiang2017].

use super::model::{Finish, Look, MaterialModel, MaterialParams, MeshProperties};
use super::parameters::ParameterCheck;
use super::thin_params::{Deformation, SelfContact, check_thin};
use super::{
    Lame,
    hencky::{SMALLEST_STRETCH, clamped_stretch, log_stretch, over_gap},
    plane::{Curvature, Mat2, RotationReflection, Vec2},
};
use crate::law::{ContactModel, ElementLaw, ElementResponse, kirchhoff};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{Qr, qr};
use fibra_core::elementary::{exp, pick};
use fibra_core::mat3::{Diag3, Mat3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Yarns, hairs, threads. Deformations are given as the deformed material directions `d = [d1 d2 d3]`, `d1` along the fiber.
///
/// With `d = Q R`, `R` upper triangular [Jiang2017, Sec. 3.3.1]: `psi = k/2 (r11 - 1)^2 + gamma/2 (r12^2 + r13^2) +
/// mu (e1^2 + e2^2) + lambda/2 (e1 + e2)^2`, where `e` are the logarithms of the singular values of the cross-section
/// `[r22 r23; 0 r33]`. Below 0.05 the logarithm is continued by its tangent.
///
/// If the fiber is crushed (`r11` below 0.05), the forces that rotate its cross-section with the mesh are clamped. They are then
/// not exactly the energy's derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Fiber {
    /// Stiffness against stretching, `k` [Pa].
    pub stiffness: f32,
    /// Stiffness against shearing along the fiber, `gamma` [Pa].
    pub shear_stiffness: f32,
    /// Elasticity of the cross-section, which determines the contact between fibers.
    pub lame: Lame,
    /// Friction across the fiber, `alpha` [-].
    pub friction_across: f32,
    /// Friction along the fiber, `beta` [-].
    pub friction_along: f32,
    /// How contact is modeled.
    #[cfg_attr(feature = "gpu", cube(comptime))]
    pub contact: ContactModel,
}

/// `d` in the fiber's frame: `Q^T d = [r11 r12 r13; 0 section]`. Any `Q` with `q1` along the fiber gives the same energy, so the
/// section need not be triangular.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Shape {
    /// `r11`: stretch of the fiber.
    stretch: f32,
    /// `r12, r13`: shear of the section along the fiber.
    lean: Vec2,
    /// The cross-section.
    section: Mat2,
}

#[cfg_attr(feature = "gpu", cube)]
impl Shape {
    #[inline(always)]
    fn of(r: &Mat3) -> Shape {
        Shape {
            stretch: r.xx,
            lean: Vec2 { x: r.xy, y: r.xz },
            section: Mat2 { xx: r.yy, xy: r.yz, yx: 0.0, yy: r.zz },
        }
    }
}

/// Singular values of the section, the larger first, and their logarithms.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Section {
    sigma: Vec2,
    strain: Vec2,
}

#[cfg_attr(feature = "gpu", cube)]
impl Section {
    /// Computes the section's singular values and their logarithms.
    #[inline(always)]
    fn of(section: &Mat2, parts: &RotationReflection) -> Section {
        let sigma = singular_values(section, parts);
        Section { sigma, strain: Vec2 { x: log_stretch(sigma.x), y: log_stretch(sigma.y) } }
    }

    /// Returns the derivatives of the energy with respect to the logarithms [Pa]. These are the principal Kirchhoff stresses, except where
    /// the logarithm is continued by its tangent.
    #[inline(always)]
    fn stress(&self, lame: &Lame) -> Vec2 {
        let Vec2 { x: e1, y: e2 } = self.strain;
        let mean = lame.lambda * (e1 + e2);
        Vec2 { x: 2.0 * lame.mu * e1 + mean, y: 2.0 * lame.mu * e2 + mean }
    }
}

impl Section {
    /// Returns the second derivatives of the section's energy.
    #[inline(always)]
    fn curvature(&self, parts: &RotationReflection, lame: &Lame) -> Curvature {
        let (Vec2 { x: t1, y: t2 }, sigma, strain) = (self.stress(lame), self.sigma, self.strain);
        let (slope1, slope2) = (1.0 / clamped_stretch(sigma.x), 1.0 / clamped_stretch(sigma.y));
        // Second derivative of the logarithm; zero on its tangent.
        let bend = |sigma: f32, slope: f32| if sigma < SMALLEST_STRETCH { 0.0 } else { -slope * slope };
        let h11 = lame.wave_modulus() * slope1 * slope1 + t1 * bend(sigma.x, slope1);
        let h22 = lame.wave_modulus() * slope2 * slope2 + t2 * bend(sigma.y, slope2);
        let h12 = lame.lambda * slope1 * slope2;
        Curvature {
            mean: h11 + 2.0 * h12 + h22,
            mixed: h11 - h22,
            half_gap: h11 - 2.0 * h12 + h22,
            turn: (t1 * slope1 + t2 * slope2) / clamped_stretch(parts.mean),
            mirror: 2.0 * over_gap([sigma.x, sigma.y], [strain.x, strain.y], 0.5 * (t1 + t2), lame.mu),
        }
    }
}

#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
fn singular_values(section: &Mat2, parts: &RotationReflection) -> Vec2 {
    let large = parts.mean + parts.half_gap;
    // The smaller one is computed from the determinant, because the difference mean - half_gap would lose digits.
    Vec2 { x: large, y: section.det() / f32::max(large, f32::MIN_POSITIVE) }
}

impl Fiber {
    /// Creates the law from the stiffness against stretching and against shearing [Pa], the elasticity of the cross-section, and
    /// the friction angle [rad].
    pub fn new(stiffness: f32, shear_stiffness: f32, lame: Lame, friction_angle: f64, contact: ContactModel) -> Fiber {
        let sin = friction_angle.sin();
        Fiber {
            stiffness,
            shear_stiffness,
            lame,
            friction_across: ((2.0f64 / 3.0).sqrt() * 2.0 * sin / (3.0 - sin)) as f32,
            friction_along: friction_angle.tan() as f32,
            contact,
        }
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Fiber {
    /// Computes plastic flow [Jiang2017, Sec. 4.5.2]. First the cross-section returns, at constant area, to
    /// `|s2 - s3| + alpha/2 (s2 + s3) <= 0` (principal stresses). Then the shear along the fiber returns to
    /// `|(s12, s13)| + beta/2 (s22 + s33) <= 0`. A section whose area has grown is separated and is reset.
    #[inline(always)]
    fn flow(&self, shape: &Shape, parts: &RotationReflection) -> (Shape, Section) {
        let Lame { mu, lambda } = self.lame;
        let flows = self.contact.flows();
        let sigma = singular_values(&shape.section, parts);
        // A crushed section is raised to the clamping value of the logarithm; an inverted one is reflected, because a fiber has no side.
        let clamped1 = pick(flows, clamped_stretch(f32::abs(sigma.x)), sigma.x);
        let clamped2 = pick(flows, clamped_stretch(f32::abs(sigma.y)), sigma.y);
        let (e1, e2) = (log_stretch(clamped1), log_stretch(clamped2));
        let free = (flows && (e1 + e2 >= 0.0)) || self.contact.is_absent();
        // 2 mu (e1 - e2) + alpha/2 (2 mu + 2 lambda) (e1 + e2) in units of 4 mu.
        let excess = 0.5 * (e1 - e2) + self.friction_across * (lambda + mu) / (4.0 * mu) * (e1 + e2);
        let slip = pick(flows && (excess > 0.0), excess, 0.0);
        let narrowing = exp(-slip);
        let section = Section {
            sigma: Vec2 { x: pick(free, 1.0, clamped1 * narrowing), y: pick(free, 1.0, clamped2 / narrowing) },
            strain: Vec2 { x: pick(free, 0.0, e1 - slip), y: pick(free, 0.0, e2 + slip) },
        };
        let (large, small) = (section.sigma.x - sigma.x, section.sigma.y - sigma.y);
        let change = parts.assemble(0.5 * (large + small), 0.5 * (large - small));
        let new = shape.section.add(&change);

        let Vec2 { x: drag_x, y: drag_y } = new.apply(&shape.lean);
        let drag = self.shear_stiffness * f32::sqrt(drag_x * drag_x + drag_y * drag_y);
        let grip = -self.friction_along * (lambda + mu) * (e1 + e2);
        let slide = pick(flows, f32::min(1.0, grip / f32::max(drag, f32::MIN_POSITIVE)), 1.0);
        // Inverted sections get no friction.
        let keep = pick(free || (flows && (sigma.y < 0.0)), 0.0, slide);
        let lean = Vec2 { x: keep * shape.lean.x, y: keep * shape.lean.y };
        (Shape { stretch: shape.stretch, lean, section: new }, section)
    }

    /// Returns the law with the stiffnesses used in the forces. Without contact, only the mesh's own elasticity remains.
    #[inline(always)]
    fn effective(&self) -> Fiber {
        let absent = self.contact.is_absent();
        Fiber {
            stiffness: self.stiffness,
            shear_stiffness: pick(absent, 0.0, self.shear_stiffness),
            lame: Lame { mu: pick(absent, 0.0, self.lame.mu), lambda: pick(absent, 0.0, self.lame.lambda) },
            friction_across: self.friction_across,
            friction_along: self.friction_along,
            contact: self.contact,
        }
    }

    /// Returns `Q^T d psi / d d`. The first row and the section's block are the derivatives with respect to `r11, r12, r13` and the
    /// section. The rest of the first column follows from the symmetry of the Kirchhoff stress, `(d psi / d d) d^T`.
    #[inline(always)]
    fn piola_in_frame(&self, shape: &Shape, parts: &RotationReflection, section: &Section) -> Mat3 {
        let gamma = self.shear_stiffness;
        let Vec2 { x: t1, y: t2 } = section.stress(&self.lame);
        let (h1, h2) = (t1 / clamped_stretch(section.sigma.x), t2 / clamped_stretch(section.sigma.y));
        let h = parts.assemble(0.5 * (h1 + h2), 0.5 * (h1 - h2));
        let Vec2 { x, y } = shape.lean;
        // The lower left entries p follow from the rotation of the section with the mesh: r11 p = (gamma section - h) lean. A fiber crushed to a
        // point exerts no moment.
        let Vec2 { x: drag_x, y: drag_y } = shape.section.apply(&shape.lean);
        let Vec2 { x: h_x, y: h_y } = h.apply(&shape.lean);
        let lever = 1.0 / clamped_stretch(shape.stretch);
        Mat3 {
            xx: self.stiffness * (shape.stretch - 1.0),
            xy: gamma * x,
            xz: gamma * y,
            yx: (gamma * drag_x - h_x) * lever,
            yy: h.xx,
            yz: h.xy,
            zx: (gamma * drag_y - h_y) * lever,
            zy: h.yx,
            zz: h.yy,
        }
    }

    /// Returns an upper bound of the acoustic tensor's eigenvalues. The polarization `a` and the normal `n` of a wave are each split into a
    /// part along the fiber and a part across. The second-order change of the energy under `d -> d + a n^T d` is a
    /// quadratic form in these parts. The bound is the largest of its diagonal coefficients plus the mixed terms:
    ///
    /// - `n` and `a` along: `k r11^2 + gamma |lean|^2`;
    /// - `n` along, `a` across (the waves of a string): the tension `k (r11 - 1) r11`, plus `gamma (sigma^2 + |lean|^2)`, plus
    ///   the pressure of the section;
    /// - `n` across, `a` along: `gamma sigma^2`;
    /// - `n` and `a` across: the modulus of waves within the cross-section. Pressure waves have `lambda + 2 mu` plus the pressure, shear waves
    ///   `(t1 - t2) sigma1^2 / (sigma1^2 - sigma2^2) <= mu + t1 - t2`, where `t` are the principal stresses;
    /// - mixed terms: at most `gamma sigma^2 + 2 gamma |lean| sigma + |t|`, times `|n_1| |n_across| <= 1/2`.
    ///
    /// Stretches below 1 count as 1, because a compressed element may return to rest, where it is stiffer, one step later.
    #[inline(always)]
    fn modulus(&self, shape: &Shape, section: &Section) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let gamma = self.shear_stiffness;
        let Vec2 { x: t1, y: t2 } = section.stress(&self.lame);
        let (r, lean2) = (shape.stretch, shape.lean.x * shape.lean.x + shape.lean.y * shape.lean.y);
        let sigma = f32::max(1.0, section.sigma.x);
        let (along, tension) = (self.stiffness * f32::max(1.0, r * r), self.stiffness * (r - 1.0) * r);
        let pressure = f32::max(-t2, 0.0);
        let string = f32::max(tension, 0.0) + gamma * (sigma * sigma + lean2) + pressure;
        let across = f32::max(lambda + 2.0 * mu + pressure, mu + t1 - t2);
        let mixed = gamma * sigma * (sigma + 2.0 * f32::sqrt(lean2)) + f32::max(f32::abs(t1), f32::abs(t2));
        f32::max(along + gamma * lean2, f32::max(string, across)) + 0.5 * mixed
    }

    /// Computes [`ElementLaw::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, d: &Mat3) -> ElementResponse {
        let Qr { q, r } = qr(d);
        let trial = Shape::of(&r);
        let parts = RotationReflection::of(&trial.section);
        let (shape, section) = self.flow(&trial, &parts);
        // Increments are added to d2 and d3, so that d is bitwise unchanged without flow.
        let second = q.apply(&Diag3 {
            x: shape.lean.x - trial.lean.x,
            y: shape.section.xx - trial.section.xx,
            z: shape.section.yx - trial.section.yx,
        });
        let third = q.apply(&Diag3 {
            x: shape.lean.y - trial.lean.y,
            y: shape.section.xy - trial.section.xy,
            z: shape.section.yy - trial.section.yy,
        });
        let d = Mat3 {
            xx: d.xx,
            xy: d.xy + second.x,
            xz: d.xz + third.x,
            yx: d.yx,
            yy: d.yy + second.y,
            yz: d.yz + third.y,
            zx: d.zx,
            zy: d.zy + second.z,
            zz: d.zz + third.z,
        };
        let effective = self.effective();
        let piola = q.mul(&effective.piola_in_frame(&shape, &parts, &section));
        ElementResponse { d, tau: kirchhoff(&piola, &d), piola, modulus: effective.modulus(&shape, &section) }
    }
}

impl ElementLaw for Fiber {
    #[inline(always)]
    fn respond(&self, d: &Mat3) -> ElementResponse {
        self.evaluate(d)
    }

    #[inline(always)]
    fn energy(&self, d: &Mat3) -> f32 {
        let law = self.effective();
        let shape = Shape::of(&qr(d).r);
        let section = Section::of(&shape.section, &RotationReflection::of(&shape.section));
        let (Vec2 { x: e1, y: e2 }, Vec2 { x, y }, stretch) = (section.strain, shape.lean, shape.stretch - 1.0);
        0.5 * law.stiffness * stretch * stretch
            + 0.5 * law.shear_stiffness * (x * x + y * y)
            + law.lame.mu * (e1 * e1 + e2 * e2)
            + 0.5 * law.lame.lambda * (e1 + e2) * (e1 + e2)
    }

    #[inline(always)]
    fn piola(&self, d: &Mat3) -> Mat3 {
        let Qr { q, r } = qr(d);
        let shape = Shape::of(&r);
        let parts = RotationReflection::of(&shape.section);
        q.mul(&self.effective().piola_in_frame(&shape, &parts, &Section::of(&shape.section, &parts)))
    }

    #[inline(always)]
    fn piola_change(&self, d: &Mat3, change: &Mat3) -> Mat3 {
        let law = self.effective();
        let gamma = law.shear_stiffness;
        let Qr { q, r } = qr(d);
        let shape = Shape::of(&r);
        let parts = RotationReflection::of(&shape.section);
        let section = Section::of(&shape.section, &parts);
        let p = law.piola_in_frame(&shape, &parts, &section);
        let x = q.transpose().mul(change);

        // The frame rotates with the fiber, dQ = Q [0 -w^T; w 0], w r11 = (x21, x31), and does not twist about it.
        let lever = 1.0 / clamped_stretch(shape.stretch);
        let (w_x, w_y) = (x.yx * lever, x.zx * lever);
        let Vec2 { x: lean_x, y: lean_y } = shape.lean;
        let turned = shape.section.transpose().apply(&Vec2 { x: w_x, y: w_y });
        let lean_change = Vec2 { x: x.xy + turned.x, y: x.xz + turned.y };
        let section_change =
            Mat2 { xx: x.yy - w_x * lean_x, xy: x.yz - w_x * lean_y, yx: x.zy - w_y * lean_x, yy: x.zz - w_y * lean_y };

        let h = Mat2 { xx: p.yy, xy: p.yz, yx: p.zy, yy: p.zz };
        let h_change = parts.gradient_change(&section.curvature(&parts, &law.lame), &section_change);
        // The derivative of r11 p = (gamma section - h) lean.
        let (s1, s2) = (section_change.apply(&shape.lean), shape.section.apply(&lean_change));
        let (h1, h2) = (h_change.apply(&shape.lean), h.apply(&lean_change));
        let p_x = (gamma * (s1.x + s2.x) - h1.x - h2.x - p.yx * x.xx) * lever;
        let p_y = (gamma * (s1.y + s2.y) - h1.y - h2.y - p.zx * x.xx) * lever;
        q.mul(&Mat3 {
            xx: law.stiffness * x.xx - w_x * p.yx - w_y * p.zx,
            xy: gamma * lean_change.x - w_x * p.yy - w_y * p.zy,
            xz: gamma * lean_change.y - w_x * p.yz - w_y * p.zz,
            yx: p_x + w_x * p.xx,
            yy: h_change.xx + w_x * p.xy,
            yz: h_change.xy + w_x * p.xz,
            zx: p_y + w_y * p.xx,
            zy: h_change.yx + w_y * p.xy,
            zz: h_change.yy + w_y * p.xz,
        })
    }
}

/// Parameters of yarn, hair or thread after [Jiang2017].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Fiber")]
pub struct FiberParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Radius at rest, above 0 [m]. Default: 0.0005.
    pub radius: f64,
    /// Stiffness against stretching, `k` of the paper, above 0 [Pa]. Default: 5e5.
    pub stiffness: f64,
    /// Stiffness against shear between fibers that are pressed together, `gamma` of the paper, 0 or above [Pa].
    /// Default: 2e4.
    pub shear_stiffness: f64,
    /// Young's modulus of the cross-section; it sets the contact stiffness between fibers; above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio of the cross-section, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Angle of friction, 0 or above and below 90 [deg]. Default: 20.
    pub friction_angle: f64,
    /// Contact of fibers with each other and with other objects. Default: `frictional`.
    pub contact: SelfContact,
    /// Source of the deformation: mesh or grid. Default: `hybrid`.
    pub deformation: Deformation,
    /// Bending stiffness `EI`, 0 or above [N m^2]. Default: that of a solid round section, `stiffness * pi radius^4 / 4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_stiffness: Option<f64>,
    /// Twisting stiffness `GJ`, 0 or above [N m^2]. Default: that of a solid round section, `bending_stiffness / (1 + poisson_ratio)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twisting_stiffness: Option<f64>,
}

impl Default for FiberParams {
    fn default() -> Self {
        FiberParams {
            density: 1000.0,
            radius: 5e-4,
            stiffness: 5e5,
            shear_stiffness: 2e4,
            youngs_modulus: 1e5,
            poisson_ratio: 0.3,
            friction_angle: 20.0,
            contact: SelfContact::Frictional,
            deformation: Deformation::Hybrid,
            bending_stiffness: None,
            twisting_stiffness: None,
        }
    }
}

impl MaterialParams for FiberParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
        check.positive("radius", self.radius, "m");
        check.positive("stiffness", self.stiffness, "Pa");
        check_thin(check, self.shear_stiffness, self.friction_angle);
        for (key, value) in
            [("bending_stiffness", self.bending_stiffness), ("twisting_stiffness", self.twisting_stiffness)]
        {
            check.within(key, value.unwrap_or(0.0), 0.0.., "N m^2");
        }
    }
}

impl MaterialModel for Fiber {
    type Params = FiberParams;
    const LOOK: Look = Look { particle_radius: 0.7, finish: Finish::Matte, variation: 0.0 };

    fn from_params(params: &FiberParams) -> Fiber {
        Fiber::new(
            params.stiffness as f32,
            params.shear_stiffness as f32,
            Lame::new(params.youngs_modulus, params.poisson_ratio),
            params.friction_angle.to_radians(),
            params.contact.into(),
        )
    }

    fn mesh(params: &FiberParams) -> MeshProperties {
        let solid = params.stiffness * 0.25 * PI * params.radius.powi(4);
        let bending_stiffness = params.bending_stiffness.unwrap_or(solid);
        MeshProperties {
            section: PI * params.radius.powi(2),
            follows_mesh: params.deformation == Deformation::Hybrid,
            bending_stiffness,
            twisting_stiffness: params.twisting_stiffness.unwrap_or(bending_stiffness / (1.0 + params.poisson_ratio)),
            poisson_ratio: 0.0,
            curve_radius: Some(params.radius),
        }
    }
}

#[cfg(feature = "gpu")]
impl Fiber {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 6;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Fiber::PACKED_LEN] {
        [
            self.lame.mu,
            self.lame.lambda,
            self.stiffness,
            self.shear_stiffness,
            self.friction_across,
            self.friction_along,
        ]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Fiber {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize, #[comptime] contact: ContactModel) -> Fiber {
        Fiber {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            stiffness: table[first + 2],
            shear_stiffness: table[first + 3],
            friction_across: table[first + 4],
            friction_along: table[first + 5],
            contact,
        }
    }
}
