//! Constitutive models: map a trial deformation to a stress, one particle at a time, in plain `f32`.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// The trial deformation of a particle in a step.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Trial {
    /// Trial elastic deformation gradient `(I + dt grad v) F` [-].
    pub f: Mat3,
    /// Velocity gradient on the grid [1/s].
    pub grad_v: Mat3,
    /// Internal scalar variable from the last step; the constitutive model defines its meaning and initial value.
    pub memory: f32,
    /// Time step [s].
    pub dt: f32,
}

/// Response of a constitutive model.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
pub struct Response {
    /// Elastic deformation gradient after plastic flow [-].
    pub f: Mat3,
    /// Kirchhoff stress `J sigma` [Pa].
    pub tau: Sym3,
    /// Internal scalar variable, updated.
    pub memory: f32,
    /// Current modulus of the fastest wave [Pa]; with the rest density it bounds the time step.
    pub modulus: f32,
}

/// A constitutive model. Implementations should avoid branches that skip work, so that the compiler can vectorize over particles. Mark the methods
/// `#[inline(always)]`.
///
/// Use models from outside this crate through [`Material::custom`](crate::Material::custom).
pub trait Law: Copy + Send + Sync {
    /// Computes plastic flow (return mapping) and stress for a trial deformation.
    fn respond(&self, trial: &Trial) -> Response;
    /// Computes the elastic energy per rest volume, without plastic flow or viscous stress [J/m^3]. The implicit integrator minimizes it, with the
    /// internal variable from the last step. The energy must stay finite and keep increasing where a particle is crushed or inverted.
    fn energy(&self, f: &Mat3, memory: f32) -> f32;
    /// Initial value of the internal scalar variable.
    fn initial_memory(&self) -> f32 {
        0.0
    }
    /// Computes current volume over rest volume [-].
    fn volume_ratio(&self, f: &Mat3, _memory: f32) -> f32 {
        f.det()
    }
    /// Viscosity that is not part of the elastic energy and bounds explicit steps [Pa s].
    fn explicit_viscosity(&self) -> f32 {
        0.0
    }
}

/// Derivatives of a constitutive model's energy, which implicit steps need.
pub trait ImplicitLaw: Law {
    /// Computes the derivative of [`Law::energy`] with respect to `f`: the first Piola-Kirchhoff stress [Pa].
    fn piola(&self, f: &Mat3, memory: f32) -> Mat3;
    /// Computes the derivative of [`ImplicitLaw::piola`] in the direction `change`: a Hessian-vector product, symmetric [Pa].
    fn piola_change(&self, f: &Mat3, memory: f32, change: &Mat3) -> Mat3;
}

/// Response of a constitutive model with oriented grains.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
pub struct AlignedResponse {
    /// Response of the material.
    pub response: Response,
    /// Eigenvalues of the grains' orientation tensor, updated [-].
    pub alignment: Diag3,
}

/// A constitutive model with oriented grains: takes the eigenvalues of the grains' orientation tensor [-] in addition to a trial
/// deformation, and updates them. As with [`Law`], avoid branches that skip work.
pub trait AlignedLaw: Copy + Send + Sync {
    /// Computes plastic flow, stress and the new alignment.
    fn respond(&self, trial: &Trial, alignment: &Diag3) -> AlignedResponse;
}

/// Contact of curves and surfaces with themselves and with other objects; the choices are those of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContactModel {
    /// Elastic contact with Coulomb friction and free separation: the full model.
    #[default]
    Frictional,
    /// Elastic contact without plastic flow: sticks.
    Elastic,
    /// No contact: only the mesh's own elasticity.
    Absent,
}

impl ContactModel {
    /// Whether contact uses plastic flow.
    #[inline(always)]
    pub fn flows(self) -> bool {
        self == ContactModel::Frictional
    }

    /// Whether there is no contact.
    #[inline(always)]
    pub fn is_absent(self) -> bool {
        self == ContactModel::Absent
    }
}

/// In GPU kernels the contact model is a compile-time constant.
#[cfg(feature = "gpu")]
impl ContactModel {
    /// [`ContactModel::flows`] within a kernel.
    pub fn __expand_flows_method(self, _scope: &mut Scope) -> NativeExpand<bool> {
        self.flows().into()
    }

    /// [`ContactModel::is_absent`] within a kernel.
    pub fn __expand_is_absent_method(self, _scope: &mut Scope) -> NativeExpand<bool> {
        self.is_absent().into()
    }
}

/// Response of an element's constitutive model to deformed material directions.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
pub struct ElementResponse {
    /// Deformed material directions after plastic flow; the in-manifold columns never change [-].
    pub d: Mat3,
    /// Kirchhoff stress [Pa]; equals `piola * d^T`.
    pub tau: Sym3,
    /// Derivative of the energy density with respect to `d`, column by column [Pa].
    pub piola: Mat3,
    /// Current modulus of the fastest wave [Pa].
    pub modulus: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl ElementResponse {
    /// Converts to the response of a particle without a mesh, with its internal variable.
    #[inline(always)]
    pub fn of_point(&self, memory: f32) -> Response {
        Response { f: self.d, tau: self.tau, memory, modulus: self.modulus }
    }
}

/// Computes the Kirchhoff stress `piola * d^T` of an element. Only one triangle of the matrix is computed, because it is symmetric.
#[cfg_attr(feature = "gpu", cube)]
#[inline(always)]
pub fn kirchhoff(piola: &Mat3, d: &Mat3) -> Sym3 {
    Sym3 {
        xx: piola.xx * d.xx + piola.xy * d.xy + piola.xz * d.xz,
        yy: piola.yx * d.yx + piola.yy * d.yy + piola.yz * d.yz,
        zz: piola.zx * d.zx + piola.zy * d.zy + piola.zz * d.zz,
        yz: piola.yx * d.zx + piola.yy * d.zy + piola.yz * d.zz,
        xz: piola.xx * d.zx + piola.xy * d.zy + piola.xz * d.zz,
        xy: piola.xx * d.yx + piola.xy * d.yy + piola.xz * d.yz,
    }
}

/// A constitutive model for the elements of a curve or surface, on the deformed material directions `d = F^E D` (`D` orthonormal).
/// As with [`Law`], avoid branches that skip work.
pub trait ElementLaw: Copy + Send + Sync {
    /// Computes plastic flow, then stress.
    fn respond(&self, d: &Mat3) -> ElementResponse;
    /// Computes the elastic energy per rest volume, without plastic flow [J/m^3].
    fn energy(&self, d: &Mat3) -> f32;
    /// Computes the derivative of the energy with respect to `d`, without plastic flow [Pa].
    fn piola(&self, d: &Mat3) -> Mat3;
    /// Computes the derivative of [`ElementLaw::piola`] in the direction `change`: a Hessian-vector product [Pa].
    fn piola_change(&self, d: &Mat3, change: &Mat3) -> Mat3;
}

/// Uses an element's model for a particle without a mesh: all three directions move with the grid, like the deformation
/// gradient of any other particle. This is the plain MPM of [Jiang2017, Fig. 10].
impl<E: ElementLaw> Law for E {
    #[inline(always)]
    fn respond(&self, trial: &Trial) -> Response {
        ElementLaw::respond(self, &trial.f).of_point(trial.memory)
    }

    #[inline(always)]
    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        ElementLaw::energy(self, f)
    }

    fn volume_ratio(&self, f: &Mat3, _memory: f32) -> f32 {
        f.det().abs()
    }
}

impl<E: ElementLaw> ImplicitLaw for E {
    #[inline(always)]
    fn piola(&self, f: &Mat3, _memory: f32) -> Mat3 {
        ElementLaw::piola(self, f)
    }

    #[inline(always)]
    fn piola_change(&self, f: &Mat3, _memory: f32, change: &Mat3) -> Mat3 {
        ElementLaw::piola_change(self, f, change)
    }
}

/// Number of particles in a batch.
pub const LANES: usize = 32;

/// Up to [`LANES`] particles in transposed form: one array per component.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Batch {
    /// Velocity gradients, row by row [1/s].
    pub grad_v: [[f32; LANES]; 9],
    /// Deformation gradients, row by row; replaced by those of the response.
    pub f: [[f32; LANES]; 9],
    /// Output: Kirchhoff stresses in the order of [`Sym3`]'s fields [Pa].
    pub tau: [[f32; LANES]; 6],
    /// Internal scalar variables; replaced by those of the response.
    pub memory: [f32; LANES],
    /// Eigenvalues of the grains' orientation tensors, for materials with oriented grains; updated in place.
    pub alignment: [[f32; LANES]; 3],
    /// Output, for elements only: derivatives of the energy with respect to the deformed material directions, row by row [Pa].
    pub piola: [[f32; LANES]; 9],
    /// Output: wave modulus [Pa].
    pub modulus: [f32; LANES],
}

impl Default for Batch {
    fn default() -> Self {
        let mut f = [[0.0; LANES]; 9];
        f[0] = [1.0; LANES];
        f[4] = [1.0; LANES];
        f[8] = [1.0; LANES];
        Batch {
            grad_v: [[0.0; LANES]; 9],
            f,
            tau: [[0.0; LANES]; 6],
            memory: [1.0; LANES],
            alignment: [[1.0 / 3.0; LANES]; 3],
            piola: [[0.0; LANES]; 9],
            modulus: [0.0; LANES],
        }
    }
}

/// Returns the number of lanes to compute for `n` particles: whole vectors, so that the loop needs no remainder.
#[inline(always)]
fn whole_vectors(n: usize) -> usize {
    n.next_multiple_of(16).min(LANES)
}

#[inline(always)]
fn lane(m: &[[f32; LANES]; 9], l: usize) -> Mat3 {
    Mat3::from_rows([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l], m[6][l], m[7][l], m[8][l]])
}

#[inline(always)]
fn set_lane(m: &mut [[f32; LANES]; 9], l: usize, value: &Mat3) {
    let rows = value.to_rows();
    for k in 0..9 {
        m[k][l] = rows[k];
    }
}

impl Batch {
    /// Updates the first `n` particles (rounded up to whole vectors): trial deformation, plastic flow, stress.
    #[inline(always)]
    pub fn respond<L: Law>(&mut self, law: L, n: usize, dt: f32) {
        for l in 0..whole_vectors(n) {
            let (grad_v, f) = (lane(&self.grad_v, l), lane(&self.f, l));
            let trial = Trial { f: f.add(&grad_v.mul(&f).scale(dt)), grad_v, memory: self.memory[l], dt };
            let Response { f, tau, memory, modulus } = law.respond(&trial);
            set_lane(&mut self.f, l, &f);
            self.set_stress(l, &tau, modulus);
            self.memory[l] = memory;
        }
    }

    /// Like [`Batch::respond`], with the alignment of the particles' grains.
    #[inline(always)]
    pub fn respond_aligned<L: AlignedLaw>(&mut self, law: &L, n: usize, dt: f32) {
        for l in 0..whole_vectors(n) {
            let (grad_v, f) = (lane(&self.grad_v, l), lane(&self.f, l));
            let trial = Trial { f: f.add(&grad_v.mul(&f).scale(dt)), grad_v, memory: self.memory[l], dt };
            let alignment = Diag3 { x: self.alignment[0][l], y: self.alignment[1][l], z: self.alignment[2][l] };
            let AlignedResponse { response, alignment } = law.respond(&trial, &alignment);
            let (Response { f, tau, memory, modulus }, Diag3 { x, y, z }) = (response, alignment);
            set_lane(&mut self.f, l, &f);
            self.set_stress(l, &tau, modulus);
            self.memory[l] = memory;
            (self.alignment[0][l], self.alignment[1][l], self.alignment[2][l]) = (x, y, z);
        }
    }

    /// Updates the first `n` elements (rounded up to whole vectors), whose `f` holds trial directions: plastic flow, stress.
    #[inline(always)]
    pub fn respond_elements<L: ElementLaw>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            let ElementResponse { d, tau, piola, modulus } = ElementLaw::respond(&law, &lane(&self.f, l));
            set_lane(&mut self.f, l, &d);
            set_lane(&mut self.piola, l, &piola);
            self.set_stress(l, &tau, modulus);
        }
    }

    #[inline(always)]
    fn set_stress(&mut self, l: usize, tau: &Sym3, modulus: f32) {
        self.tau[0][l] = tau.xx;
        self.tau[1][l] = tau.yy;
        self.tau[2][l] = tau.zz;
        self.tau[3][l] = tau.yz;
        self.tau[4][l] = tau.xz;
        self.tau[5][l] = tau.xy;
        self.modulus[l] = modulus;
    }
}

/// Up to [`LANES`] particles whose elastic energy is differentiated, in transposed form: one array per component.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct ElasticBatch {
    /// Deformation gradients, or an element's deformed material directions, row by row [-].
    pub f: [[f32; LANES]; 9],
    /// Internal scalar variables.
    pub memory: [f32; LANES],
    /// Eigenvalues of the grains' orientation tensors, for materials with oriented grains.
    pub alignment: [[f32; LANES]; 3],
    /// Direction in which [`ElasticBatch::piola_change`] differentiates, row by row [-].
    pub change: [[f32; LANES]; 9],
    /// Output: energy per rest volume [J/m^3].
    pub energy: [f32; LANES],
    /// Output: derivative of the energy with respect to `f`, or the change of that derivative, row by row [Pa].
    pub piola: [[f32; LANES]; 9],
}

impl Default for ElasticBatch {
    fn default() -> Self {
        let Batch { f, memory, alignment, .. } = Batch::default();
        ElasticBatch { f, memory, alignment, change: [[0.0; LANES]; 9], energy: [0.0; LANES], piola: [[0.0; LANES]; 9] }
    }
}

impl ElasticBatch {
    /// Returns deformation gradient, internal variable and alignment of particle `l`.
    pub(crate) fn particle(&self, l: usize) -> (Mat3, f32, Diag3) {
        let alignment = Diag3 { x: self.alignment[0][l], y: self.alignment[1][l], z: self.alignment[2][l] };
        (lane(&self.f, l), self.memory[l], alignment)
    }

    /// Returns the direction of differentiation of particle `l`.
    pub(crate) fn change_of(&self, l: usize) -> Mat3 {
        lane(&self.change, l)
    }

    /// Stores the output of particle `l`.
    pub(crate) fn set_piola(&mut self, l: usize, piola: &Mat3) {
        set_lane(&mut self.piola, l, piola);
    }

    /// Fills `energy` for the first `n` particles (rounded up to whole vectors).
    #[inline(always)]
    pub fn energy<L: Law>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            self.energy[l] = law.energy(&lane(&self.f, l), self.memory[l]);
        }
    }

    /// Fills `piola` with the derivatives with respect to `f`, for the first `n` particles (rounded up to whole vectors).
    #[inline(always)]
    pub fn piola<L: ImplicitLaw>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            let piola = law.piola(&lane(&self.f, l), self.memory[l]);
            set_lane(&mut self.piola, l, &piola);
        }
    }

    /// Fills `piola` with the changes of the derivatives along `change`, for the first `n` particles (rounded up to whole
    /// vectors).
    #[inline(always)]
    pub fn piola_change<L: ImplicitLaw>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            let piola = law.piola_change(&lane(&self.f, l), self.memory[l], &lane(&self.change, l));
            set_lane(&mut self.piola, l, &piola);
        }
    }
}
