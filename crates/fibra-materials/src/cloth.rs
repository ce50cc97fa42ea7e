//! Cloth: elastic surfaces. Contact and friction between layers is plastic flow of their normal [Jiang2017].

use super::model::{Finish, Look, MaterialModel, MaterialParams, MeshProperties};
use super::parameters::{BadParameter, ParameterCheck};
use super::thin_params::{Deformation, SelfContact, check_thin};
use super::{
    Lame,
    hencky::clamped_stretch,
    plane::{Curvature, Mat2, RotationReflection, Vec2},
};
use crate::law::{ContactModel, ElementLaw, ElementResponse, kirchhoff};
#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::decompose::{Qr, qr};
use fibra_core::elementary::pick;
use fibra_core::mat3::{Diag3, Mat3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cloth, paper, skin. Deformations are given as the deformed material directions `d = [d1 d2 d3]`, `d3` the normal.
///
/// With `d = Q R`, `R` upper triangular [Jiang2017, Sec. 3.3.2]: `psi = h(R_s) + gamma/2 (r13^2 + r23^2) + f(r33)`. Here
/// `h` is the fixed corotated energy of the in-plane part `R_s = [r11 r12; 0 r22]`. `f` is `k/3 (1 - r33)^3` for `r33 <=
/// 1`, else 0: two layers repel each other when compressed and never attract each other.
///
/// If the surface is crushed (`r11` or `r22` below 0.05), the forces that rotate its normal with the mesh are clamped. They are
/// then not exactly the energy's derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Cloth {
    /// Elasticity within the surface.
    pub lame: Lame,
    /// Stiffness against compression of the normal, `k` [Pa].
    pub normal_stiffness: f32,
    /// Stiffness against shearing of the normal, `gamma` [Pa].
    pub shear_stiffness: f32,
    /// Coefficient of friction `c_F` [-].
    pub friction: f32,
    /// How contact is modeled.
    #[cfg_attr(feature = "gpu", cube(comptime))]
    pub contact: ContactModel,
}

/// `d` in the surface's frame: the parts of `R` in `d = Q R` that appear in the energy.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
struct Shape {
    /// In-plane part `[r11 r12; 0 r22]`.
    surface: Mat2,
    /// `r13, r23`: shear of the normal.
    lean: Vec2,
    /// `r33`: stretch of the normal; negative if it points to the wrong side.
    height: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl Shape {
    #[inline(always)]
    fn of(r: &Mat3) -> Shape {
        Shape { surface: Mat2 { xx: r.xx, xy: r.xy, yx: 0.0, yy: r.yy }, lean: Vec2 { x: r.xz, y: r.yz }, height: r.zz }
    }
}

impl Cloth {
    /// Creates the law from the elasticity of the surface, the stiffness against compression and against shearing of its normal
    /// [Pa], and the friction angle [rad].
    pub fn new(
        lame: Lame,
        normal_stiffness: f32,
        shear_stiffness: f32,
        friction_angle: f64,
        contact: ContactModel,
    ) -> Cloth {
        Cloth { lame, normal_stiffness, shear_stiffness, friction: friction_angle.tan() as f32, contact }
    }
}

#[cfg_attr(feature = "gpu", cube)]
impl Cloth {
    /// Returns the pressure between layers, `-f'(r33)` [Pa].
    #[inline(always)]
    fn push(&self, height: f32) -> f32 {
        let overlap = f32::max(1.0 - height, 0.0);
        self.normal_stiffness * overlap * overlap
    }

    /// Returns the shape after plastic flow of `lean` and `height` [Jiang2017, Sec. 4.5.1]. The return mapping uses the shear traction
    /// `gamma |lean|` and the pressure `-f'`. Both are per deformed area, so the area cancels.
    #[inline(always)]
    fn flow(&self, shape: &Shape) -> Shape {
        let Vec2 { x, y } = shape.lean;
        let height = shape.height;
        let flows = self.contact.flows();
        let drag = self.shear_stiffness * f32::sqrt(x * x + y * y);
        let slide = f32::min(1.0, self.friction * self.push(height) / f32::max(drag, f32::MIN_POSITIVE));
        // Separated layers lose their shear. An inverted normal gets no friction, only the repulsion.
        let apart = (flows && (height > 1.0)) || self.contact.is_absent();
        let free = apart || (flows && (height <= 0.0));
        let keep = pick(free, 0.0, pick(flows, slide, 1.0));
        Shape { surface: shape.surface, lean: Vec2 { x: keep * x, y: keep * y }, height: pick(apart, 1.0, height) }
    }

    /// Returns the law with the stiffnesses used in the forces. Without contact, only the mesh's own elasticity remains.
    #[inline(always)]
    fn effective(&self) -> Cloth {
        let absent = self.contact.is_absent();
        Cloth {
            lame: self.lame,
            normal_stiffness: pick(absent, 0.0, self.normal_stiffness),
            shear_stiffness: pick(absent, 0.0, self.shear_stiffness),
            friction: self.friction,
            contact: self.contact,
        }
    }

    /// Returns `Q^T d psi / d d`. Its upper triangle is the derivative with respect to `R`. The lower left follows from the symmetry of
    /// the Kirchhoff stress, `(d psi / d d) d^T`, without division by `r33`.
    #[inline(always)]
    fn piola_in_frame(&self, shape: &Shape, parts: &RotationReflection) -> Mat3 {
        let Lame { mu, lambda } = self.lame;
        let gamma = self.shear_stiffness;
        let Shape { surface, lean, height } = *shape;
        let Vec2 { x, y } = lean;
        // h = 2 mu ((mean - 1)^2 + half_gap^2) + lambda/2 (J - 1)^2 with J = mean^2 - half_gap^2. Its derivative with respect to the
        // surface is (dh/dmean T + dh/dhalf_gap M) / 2.
        let spread = lambda * (surface.det() - 1.0);
        let h =
            parts.assemble(2.0 * mu * (parts.mean - 1.0) + spread * parts.mean, (2.0 * mu - spread) * parts.half_gap);
        let push = self.push(height);
        // The lower left entries p follow from the rotation of the normal with the mesh: surface * p = (gamma r33 + push) lean. A surface crushed to
        // a line exerts no moment.
        let lever = gamma * height + push;
        let p_y = lever * y / clamped_stretch(surface.yy);
        let p_x = (lever * x - surface.xy * p_y) / clamped_stretch(surface.xx);
        Mat3 { xx: h.xx, xy: h.xy, xz: gamma * x, yx: h.yx, yy: h.yy, yz: gamma * y, zx: p_x, zy: p_y, zz: -push }
    }

    /// Returns an upper bound of the acoustic tensor's eigenvalues. The polarization `a` and the normal `n` of a wave are each split into a
    /// part in the surface and a part along `q3`. The second-order change of the energy under `d -> d + a n^T d` is
    /// a quadratic form in these parts. The bound is the largest of its diagonal coefficients plus the mixed terms:
    ///
    /// - `n` and `a` in the surface: the modulus of in-plane waves, plus `gamma |lean|^2`;
    /// - `n` in the surface, `a` along `q3` (the waves of a drum): the tension, plus `gamma (r33^2 + |lean|^2) + push r33`;
    /// - `n` along `q3`: `gamma r33^2` for `a` in the surface, and `f'' r33^2 = 2 k (1 - r33) r33^2` for `a` along `q3`;
    /// - mixed terms: at most `2 gamma |lean| r33 + gamma r33^2 + push r33`, times `|n_s| |n_3| <= 1/2`.
    ///
    /// Stretches below 1 count as 1 if the element is stiffer at rest, because it may return to rest one step later.
    #[inline(always)]
    fn modulus(&self, shape: &Shape, parts: &RotationReflection) -> f32 {
        let Lame { mu, lambda } = self.lame;
        let Shape { surface, lean, height } = *shape;
        let (gamma, push) = (self.shear_stiffness, self.push(height));
        let stiffening = 2.0 * self.normal_stiffness * f32::max(1.0 - height, 0.0);
        let (lean2, height) = (lean.x * lean.x + lean.y * lean.y, f32::abs(height));
        let (sheared, pushed) = (gamma * f32::max(1.0, height * height), push * height);
        let (stretch, j) = (parts.mean + parts.half_gap, surface.det());
        let own = 2.0 * mu * f32::max(1.0, stretch * stretch) + lambda * f32::max(1.0, j * j) + gamma * lean2;
        let tension = 2.0 * mu * (stretch - 1.0) * stretch + lambda * j * (j - 1.0);
        let drum = f32::max(tension, 0.0) + sheared + gamma * lean2 + pushed;
        let across = f32::max(sheared, stiffening * height * height);
        let mixed = 2.0 * gamma * f32::sqrt(lean2) * height + sheared + pushed;
        f32::max(own, f32::max(drum, across)) + 0.5 * mixed
    }

    /// Computes [`ElementLaw::respond`]; an inherent method, so that GPU kernels can call it.
    #[inline(always)]
    pub fn evaluate(&self, d: &Mat3) -> ElementResponse {
        let Qr { q, r } = qr(d);
        let trial = Shape::of(&r);
        let parts = RotationReflection::of(&trial.surface);
        let shape = self.flow(&trial);
        // Increments are added to d3, so that d is bitwise unchanged without flow.
        let change = q.apply(&Diag3 {
            x: shape.lean.x - trial.lean.x,
            y: shape.lean.y - trial.lean.y,
            z: shape.height - trial.height,
        });
        let d = Mat3 {
            xx: d.xx,
            xy: d.xy,
            xz: d.xz + change.x,
            yx: d.yx,
            yy: d.yy,
            yz: d.yz + change.y,
            zx: d.zx,
            zy: d.zy,
            zz: d.zz + change.z,
        };
        let effective = self.effective();
        let piola = q.mul(&effective.piola_in_frame(&shape, &parts));
        ElementResponse { d, tau: kirchhoff(&piola, &d), piola, modulus: effective.modulus(&shape, &parts) }
    }
}

impl ElementLaw for Cloth {
    #[inline(always)]
    fn respond(&self, d: &Mat3) -> ElementResponse {
        self.evaluate(d)
    }

    #[inline(always)]
    fn energy(&self, d: &Mat3) -> f32 {
        let law = self.effective();
        let Lame { mu, lambda } = law.lame;
        let shape = Shape::of(&qr(d).r);
        let RotationReflection { mean, half_gap, .. } = RotationReflection::of(&shape.surface);
        let (growth, Vec2 { x, y }) = (shape.surface.det() - 1.0, shape.lean);
        2.0 * mu * ((mean - 1.0) * (mean - 1.0) + half_gap * half_gap)
            + 0.5 * lambda * growth * growth
            + 0.5 * law.shear_stiffness * (x * x + y * y)
            + law.push(shape.height) * f32::max(1.0 - shape.height, 0.0) / 3.0
    }

    #[inline(always)]
    fn piola(&self, d: &Mat3) -> Mat3 {
        let Qr { q, r } = qr(d);
        let shape = Shape::of(&r);
        q.mul(&self.effective().piola_in_frame(&shape, &RotationReflection::of(&shape.surface)))
    }

    #[inline(always)]
    fn piola_change(&self, d: &Mat3, change: &Mat3) -> Mat3 {
        let law = self.effective();
        let Lame { mu, lambda } = law.lame;
        let gamma = law.shear_stiffness;
        let Qr { q, r } = qr(d);
        let shape = Shape::of(&r);
        let Shape { surface, lean, height } = shape;
        let parts = RotationReflection::of(&surface);
        let p = law.piola_in_frame(&shape, &parts);
        let x = q.transpose().mul(change);

        // The frame rotates with the surface's normal, dQ = Q [0 -w; w^T 0], w^T surface = (x31, x32), but not within the surface.
        let (r11, r22) = (clamped_stretch(surface.xx), clamped_stretch(surface.yy));
        let w_x = x.zx / r11;
        let w_y = (x.zy - surface.xy * w_x) / r22;
        let surface_change = Mat2 { xx: x.xx, xy: x.xy, yx: x.yx, yy: x.yy };
        let lean_change = Vec2 { x: x.xz + w_x * height, y: x.yz + w_y * height };
        let height_change = x.zz - w_x * lean.x - w_y * lean.y;

        let (mean, half_gap, j) = (parts.mean, parts.half_gap, surface.det());
        let spread = 2.0 * lambda * (j - 1.0);
        let curvature = Curvature {
            mean: 4.0 * mu + spread + 4.0 * lambda * mean * mean,
            mixed: -4.0 * lambda * mean * half_gap,
            half_gap: 4.0 * mu - spread + 4.0 * lambda * half_gap * half_gap,
            turn: 4.0 * mu * (mean - 1.0) / clamped_stretch(mean) + spread,
            mirror: 4.0 * mu - spread,
        };
        let h = parts.gradient_change(&curvature, &surface_change);
        let overlap = f32::max(1.0 - height, 0.0);
        let push = law.normal_stiffness * overlap * overlap;
        let push_change = -2.0 * law.normal_stiffness * overlap * height_change;
        // The derivative of surface * p = lever lean.
        let (lever, lever_change) = (gamma * height + push, gamma * height_change + push_change);
        let turned = surface_change.apply(&Vec2 { x: p.zx, y: p.zy });
        let p_y = (lever_change * lean.y + lever * lean_change.y - turned.y) / r22;
        let p_x = (lever_change * lean.x + lever * lean_change.x - turned.x - surface.xy * p_y) / r11;
        q.mul(&Mat3 {
            xx: h.xx - w_x * p.zx,
            xy: h.xy - w_x * p.zy,
            xz: gamma * lean_change.x - w_x * p.zz,
            yx: h.yx - w_y * p.zx,
            yy: h.yy - w_y * p.zy,
            yz: gamma * lean_change.y - w_y * p.zz,
            zx: p_x + w_x * p.xx + w_y * p.yx,
            zy: p_y + w_x * p.xy + w_y * p.yy,
            zz: w_x * p.xz + w_y * p.yz - push_change,
        })
    }
}

/// Parameters of cloth after [Jiang2017].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename = "Cloth")]
pub struct ClothParams {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 400.
    pub density: f64,
    /// Thickness at rest, above 0; with the density it gives the mass per area [m]. Default: 0.0005.
    pub thickness: f64,
    /// Young's modulus within the surface, above 0 [Pa]. Default: 8e4.
    pub youngs_modulus: f64,
    /// Poisson's ratio within the surface, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Stiffness against compression of layers pressed together, `k` of the paper, above 0 [Pa]. Default: 1.6e5.
    pub normal_stiffness: f64,
    /// Stiffness against shear between layers pressed together, `gamma` of the paper, 0 or above [Pa]. Default: 4e4.
    pub shear_stiffness: f64,
    /// Angle of friction, 0 or above and below 90 [deg]. Default: 20.
    pub friction_angle: f64,
    /// Contact of the cloth with itself and with other objects. Default: `frictional`.
    pub contact: SelfContact,
    /// Source of the deformation: mesh or grid. Default: `hybrid`.
    pub deformation: Deformation,
    /// Bending stiffness of the surface, 0 or above [N m]; that of a solid plate is `E h^3 / (12 (1 - nu^2))`. Default: 0, no
    /// bending resistance.
    pub bending_stiffness: f64,
}

impl Default for ClothParams {
    fn default() -> Self {
        ClothParams {
            density: 400.0,
            thickness: 5e-4,
            youngs_modulus: 8e4,
            poisson_ratio: 0.3,
            normal_stiffness: 1.6e5,
            shear_stiffness: 4e4,
            friction_angle: 20.0,
            contact: SelfContact::Frictional,
            deformation: Deformation::Hybrid,
            bending_stiffness: 0.0,
        }
    }
}

impl MaterialParams for ClothParams {
    fn density(&self) -> f64 {
        self.density
    }

    fn check(&self, check: &mut ParameterCheck) {
        check.elastic(self.density, self.youngs_modulus, self.poisson_ratio);
        check.positive("thickness", self.thickness, "m");
        check.positive("normal_stiffness", self.normal_stiffness, "Pa");
        check_thin(check, self.shear_stiffness, self.friction_angle);
        check.within("bending_stiffness", self.bending_stiffness, 0.0.., "N m");
        if self.friction_angle > 0.0 && self.shear_stiffness == 0.0 {
            check.fault(BadParameter {
                field: "friction_angle",
                message: "`{}` has no effect without `shear_stiffness`, which transmits friction".to_owned(),
                label: "has no effect".to_owned(),
                remedy: "give `shear_stiffness` a value above 0 [Pa], or make `friction_angle` 0".to_owned(),
            });
        }
    }
}

impl MaterialModel for Cloth {
    type Params = ClothParams;
    const LOOK: Look = Look { particle_radius: 0.7, finish: Finish::Cloth, variation: 0.0 };

    fn from_params(params: &ClothParams) -> Cloth {
        Cloth::new(
            Lame::plane_stress(params.youngs_modulus, params.poisson_ratio),
            params.normal_stiffness as f32,
            params.shear_stiffness as f32,
            params.friction_angle.to_radians(),
            params.contact.into(),
        )
    }

    fn mesh(params: &ClothParams) -> MeshProperties {
        MeshProperties {
            section: params.thickness,
            follows_mesh: params.deformation == Deformation::Hybrid,
            bending_stiffness: params.bending_stiffness,
            twisting_stiffness: 0.0,
            poisson_ratio: params.poisson_ratio,
            curve_radius: None,
        }
    }
}

#[cfg(feature = "gpu")]
impl Cloth {
    /// Number of parameters in the GPU's table of laws.
    pub const PACKED_LEN: usize = 5;

    /// Packs the parameters for the GPU's table of laws.
    pub fn pack(&self) -> [f32; Cloth::PACKED_LEN] {
        [self.lame.mu, self.lame.lambda, self.normal_stiffness, self.shear_stiffness, self.friction]
    }
}

#[cfg(feature = "gpu")]
#[cube]
impl Cloth {
    /// Unpacks the law whose parameters start at `first`.
    pub fn unpack(table: &Array<f32>, first: usize, #[comptime] contact: ContactModel) -> Cloth {
        Cloth {
            lame: Lame { mu: table[first], lambda: table[first + 1] },
            normal_stiffness: table[first + 2],
            shear_stiffness: table[first + 3],
            friction: table[first + 4],
            contact,
        }
    }
}
