//! What a constitutive law is: from a trial deformation to a stress, one particle at a time, in plain `f32`.

use fibra_core::mat3::{Mat3, Sym3};

/// What a step proposes to a particle's material.
#[derive(Clone, Copy, Debug)]
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
/// particles per instruction.
pub trait Law: Copy + Send + Sync {
    /// Plastic flow and stress for a trial deformation.
    fn respond(&self, trial: &Trial) -> Response;
    /// Elastic energy per rest volume [J/m^3].
    fn energy(&self, f: &Mat3, memory: f32) -> f32;
    /// Start value of the law's scalar.
    fn initial_memory(&self) -> f32 {
        0.0
    }
    /// Present volume over rest volume [-].
    fn volume_ratio(&self, f: &Mat3, _memory: f32) -> f32 {
        f.det()
    }
}

/// How a curve or a surface meets others and itself; the choices are those of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactModel {
    /// Elastic contact with Coulomb friction and free separation: the full model.
    #[default]
    Frictional,
    /// Elastic contact without plastic flow: sticks.
    Elastic,
    /// No contact: only the mesh's own elasticity.
    Absent,
}

/// What an element's law answers to deformed material directions.
#[derive(Clone, Copy, Debug)]
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

/// The Kirchhoff stress `piola * d^T` of an element, of which symmetry lets one half do.
#[inline(always)]
pub(crate) fn kirchhoff(piola: &Mat3, d: &Mat3) -> Sym3 {
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
        let ElementResponse { d, tau, modulus, .. } = ElementLaw::respond(self, &trial.f);
        Response { f: d, tau, memory: trial.memory, modulus }
    }

    fn energy(&self, f: &Mat3, _memory: f32) -> f32 {
        ElementLaw::energy(self, f)
    }

    fn volume_ratio(&self, f: &Mat3, _memory: f32) -> f32 {
        f.det().abs()
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
            piola: [[0.0; LANES]; 9],
            modulus: [0.0; LANES],
        }
    }
}

impl Batch {
    /// Updates the first `n` particles (rounded up to whole vectors): trial deformation, plastic flow, stress.
    #[inline(always)]
    pub fn respond<L: Law>(&mut self, law: L, n: usize, dt: f32) {
        let n = n.next_multiple_of(16).min(LANES);
        for l in 0..n {
            let row = |m: &[[f32; LANES]; 9]| {
                Mat3::from_rows([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l], m[6][l], m[7][l], m[8][l]])
            };
            let grad_v = row(&self.grad_v);
            let f = row(&self.f);
            let trial = Trial { f: f.add(&grad_v.mul(&f).scale(dt)), grad_v, memory: self.memory[l], dt };
            let Response { f, tau, memory, modulus } = law.respond(&trial);
            let f = f.to_rows();
            for k in 0..9 {
                self.f[k][l] = f[k];
            }
            self.tau[0][l] = tau.xx;
            self.tau[1][l] = tau.yy;
            self.tau[2][l] = tau.zz;
            self.tau[3][l] = tau.yz;
            self.tau[4][l] = tau.xz;
            self.tau[5][l] = tau.xy;
            self.memory[l] = memory;
            self.modulus[l] = modulus;
        }
    }

    /// Updates the first `n` elements (rounded up to whole vectors), whose `f` holds trial directions: plastic flow, stress.
    #[inline(always)]
    pub fn respond_elements<L: ElementLaw>(&mut self, law: L, n: usize) {
        let n = n.next_multiple_of(16).min(LANES);
        for l in 0..n {
            let m = &self.f;
            let d = Mat3::from_rows([m[0][l], m[1][l], m[2][l], m[3][l], m[4][l], m[5][l], m[6][l], m[7][l], m[8][l]]);
            let ElementResponse { d, tau, piola, modulus } = law.respond(&d);
            let (d, piola) = (d.to_rows(), piola.to_rows());
            for k in 0..9 {
                self.f[k][l] = d[k];
                self.piola[k][l] = piola[k];
            }
            self.tau[0][l] = tau.xx;
            self.tau[1][l] = tau.yy;
            self.tau[2][l] = tau.zz;
            self.tau[3][l] = tau.yz;
            self.tau[4][l] = tau.xz;
            self.tau[5][l] = tau.xy;
            self.modulus[l] = modulus;
        }
    }
}
