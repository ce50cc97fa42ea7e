//! What a constitutive law is: from a trial deformation to a stress, one particle at a time, in plain `f32`.

#[cfg(feature = "gpu")]
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};

/// What a step proposes to a particle's material.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType))]
pub struct Trial {
    /// Trial elastic deformation gradient `(I + dt grad v) F` [-].
    pub f: Mat3,
    /// Velocity gradient on the grid [1/s].
    pub grad_v: Mat3,
    /// The law's own scalar from the last step; its meaning and start value are the law's.
    pub memory: f32,
    /// Step [s].
    pub dt: f32,
}

/// What the material answers.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
pub struct Response {
    /// Elastic deformation gradient after plastic flow [-].
    pub f: Mat3,
    /// Kirchhoff stress `J sigma` [Pa].
    pub tau: Sym3,
    /// The law's scalar, updated.
    pub memory: f32,
    /// Stiffness of the fastest wave now [Pa]; with the rest density it bounds the time step.
    pub modulus: f32,
}

/// A constitutive law. Implementations avoid branches that skip work, so that the compiler can run them on several
/// particles per instruction; mark the methods `#[inline(always)]`.
///
/// Laws outside this crate are simulated through [`Material::custom`](crate::Material::custom).
pub trait Law: Copy + Send + Sync {
    /// Plastic flow and stress for a trial deformation.
    fn respond(&self, trial: &Trial) -> Response;
    /// Elastic energy per rest volume, without flow or viscous stress [J/m^3]: what the implicit integrator minimizes, with
    /// the law's scalar as it was after the last step. Finite, and rising, also where a particle is crushed or inverted.
    fn energy(&self, f: &Mat3, memory: f32) -> f32;
    /// Start value of the law's scalar.
    fn initial_memory(&self) -> f32 {
        0.0
    }
    /// Present volume over rest volume [-].
    fn volume_ratio(&self, f: &Mat3, _memory: f32) -> f32 {
        f.det()
    }
    /// Viscosity that is no part of the elastic energy, and bounds explicit steps [Pa s].
    fn explicit_viscosity(&self) -> f32 {
        0.0
    }
}

/// The derivatives of a law's energy, which implicit steps need.
pub trait ImplicitLaw: Law {
    /// Derivative of [`Law::energy`] by `f` [Pa].
    fn piola(&self, f: &Mat3, memory: f32) -> Mat3;
    /// Derivative of [`ImplicitLaw::piola`] in the direction `change`: the Hessian's product, symmetric [Pa].
    fn piola_change(&self, f: &Mat3, memory: f32, change: &Mat3) -> Mat3;
}

/// What a law of grains answers.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
pub struct AlignedResponse {
    /// What the material answers.
    pub response: Response,
    /// Eigenvalues of the grains' orientation tensor, updated [-].
    pub alignment: Diag3,
}

/// A law of grains: besides a trial deformation it is given the eigenvalues of the grains' orientation tensor [-], and answers
/// with new ones. As with [`Law`], no branches that skip work.
pub trait AlignedLaw: Copy + Send + Sync {
    /// Plastic flow, stress, and the new alignment.
    fn respond(&self, trial: &Trial, alignment: &Diag3) -> AlignedResponse;
}

/// How a curve or a surface meets others and itself; the choices are those of [Jiang2017, Fig. 10].
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
    /// Whether contact is a plastic flow.
    #[inline(always)]
    pub fn flows(self) -> bool {
        self == ContactModel::Frictional
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_absent(self) -> bool {
        self == ContactModel::Absent
    }
}

/// On a graphics card the model of contact is known when a kernel is compiled.
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

/// What an element's law answers to deformed material directions.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "gpu", derive(CubeType, CubeTypeMut))]
pub struct ElementResponse {
    /// Deformed material directions after plastic flow: the in-manifold columns are never changed [-].
    pub d: Mat3,
    /// Kirchhoff stress [Pa]; equals `piola * d^T`.
    pub tau: Sym3,
    /// Derivative of the energy density by `d`, column by column [Pa].
    pub piola: Mat3,
    /// Stiffness of the fastest wave now [Pa].
    pub modulus: f32,
}

#[cfg_attr(feature = "gpu", cube)]
impl ElementResponse {
    /// The same for a particle that belongs to no mesh, with its scalar.
    #[inline(always)]
    pub fn of_point(&self, memory: f32) -> Response {
        Response { f: self.d, tau: self.tau, memory, modulus: self.modulus }
    }
}

/// The Kirchhoff stress `piola * d^T` of an element, of which symmetry lets one half do.
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

/// The law of a curve's or a surface's elements, on the deformed material directions `d = F^E D` (`D` orthonormal).
/// As with [`Law`], no branches that skip work.
pub trait ElementLaw: Copy + Send + Sync {
    /// Plastic flow, then stress.
    fn respond(&self, d: &Mat3) -> ElementResponse;
    /// Elastic energy per rest volume, without flow [J/m^3].
    fn energy(&self, d: &Mat3) -> f32;
    /// Derivative of the energy by `d`, without flow [Pa].
    fn piola(&self, d: &Mat3) -> Mat3;
    /// Derivative of [`ElementLaw::piola`] in the direction `change`: the Hessian's product [Pa].
    fn piola_change(&self, d: &Mat3, change: &Mat3) -> Mat3;
}

/// An element's law for a particle that belongs to no mesh: all three directions move with the grid, as the deformation
/// gradient of any other particle does. This is the plain MPM of [Jiang2017, Fig. 10].
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

/// Particles handed to a law together.
pub const LANES: usize = 32;

/// Up to [`LANES`] particles in transposed form: one array per component.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Batch {
    /// Velocity gradients, row after row [1/s].
    pub grad_v: [[f32; LANES]; 9],
    /// Deformation gradients, row after row; replaced by the response's.
    pub f: [[f32; LANES]; 9],
    /// Kirchhoff stresses in the order of [`Sym3`]'s fields, out [Pa].
    pub tau: [[f32; LANES]; 6],
    /// The law's scalars; replaced by the response's.
    pub memory: [f32; LANES],
    /// Eigenvalues of the grains' orientation tensors, where a material has such; replaced by new ones.
    pub alignment: [[f32; LANES]; 3],
    /// Derivatives of the energy by the deformed material directions, row after row, out; of elements only [Pa].
    pub piola: [[f32; LANES]; 9],
    /// Wave stiffness, out [Pa].
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

/// Lanes to compute for `n` particles: whole vectors, so that the loop over them needs no remainder.
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

    /// As [`Batch::respond`], with the alignment of the particles' grains.
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
    /// Deformation gradients, or an element's deformed material directions, row after row [-].
    pub f: [[f32; LANES]; 9],
    /// The law's scalars.
    pub memory: [f32; LANES],
    /// Direction in which [`ElasticBatch::piola_change`] differentiates, row after row [-].
    pub change: [[f32; LANES]; 9],
    /// Energy per rest volume, out [J/m^3].
    pub energy: [f32; LANES],
    /// Derivative of the energy by `f`, or that derivative's change, row after row, out [Pa].
    pub piola: [[f32; LANES]; 9],
}

impl Default for ElasticBatch {
    fn default() -> Self {
        let Batch { f, memory, .. } = Batch::default();
        ElasticBatch { f, memory, change: [[0.0; LANES]; 9], energy: [0.0; LANES], piola: [[0.0; LANES]; 9] }
    }
}

impl ElasticBatch {
    /// Fills `energy` for the first `n` particles (rounded up to whole vectors).
    #[inline(always)]
    pub fn energy<L: Law>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            self.energy[l] = law.energy(&lane(&self.f, l), self.memory[l]);
        }
    }

    /// Fills `piola` with the derivatives by `f`, for the first `n` particles (rounded up to whole vectors).
    #[inline(always)]
    pub fn piola<L: ImplicitLaw>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            let piola = law.piola(&lane(&self.f, l), self.memory[l]);
            set_lane(&mut self.piola, l, &piola);
        }
    }

    /// Fills `piola` with the derivatives' changes along `change`, for the first `n` particles (rounded up to whole
    /// vectors).
    #[inline(always)]
    pub fn piola_change<L: ImplicitLaw>(&mut self, law: L, n: usize) {
        for l in 0..whole_vectors(n) {
            let piola = law.piola_change(&lane(&self.f, l), self.memory[l], &lane(&self.change, l));
            set_lane(&mut self.piola, l, &piola);
        }
    }
}
