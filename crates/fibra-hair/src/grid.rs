//! Contact between strands: their vertices are particles on an MPM grid, and the medium between strands is sand or a fluid [Huang2023, Sec. 3.2].
//!
//! The initial density of the hair is its rest density. The medium resists compression and has no tension.

use crate::error::StrandError;
use crate::strands::Strands;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::mesh::Meshes;
use fibra_mpm::internals::params::{Integrator, Kernel, Object, Params, StepLimits, Substance, Transfer};
use fibra_mpm::internals::state::{Particles, State};
use fibra_mpm::internals::step::start;
use fibra_mpm::materials::{Fluid, Lame, Material, Sand};
use glam::{DVec3, Vec3};

/// Exponent of the fluid's equation of state [-].
const GAMMA: f32 = 7.0;

/// Maximum number of cells that the fastest wave may cross per step [-]. Explicit integration is unstable above one.
const MAX_CELLS_PER_STEP: f32 = 0.8;

/// Parameters of contact between strands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSettings {
    /// Cell size [m].
    pub cell: f32,
    /// Young's modulus: resistance of the hair to compression [Pa].
    pub young_modulus: f32,
    /// Poisson's ratio [-].
    pub poisson_ratio: f32,
    /// Medium between strands.
    pub between: Between,
    /// Fraction of FLIP in the FLIP/PIC blend of a vertex's velocity [-].
    pub flip_ratio: f32,
    /// Fraction of the FLIP velocity correction that also moves the vertex: where hair is compressed, and where it separates [-].
    pub trap_breaking: [f32; 2],
}

/// Medium between strands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Between {
    /// Frictional, like sand.
    Sand {
        /// Friction angle [rad].
        friction_angle: f32,
    },
    /// Frictionless.
    Fluid,
}

impl Default for GridSettings {
    /// The values of [Huang2023, Table 2].
    fn default() -> Self {
        GridSettings {
            cell: 0.01,
            young_modulus: 1.2e3,
            poisson_ratio: 0.3,
            between: Between::Sand { friction_angle: 20f32.to_radians() },
            flip_ratio: 0.3,
            trap_breaking: [0.05, 0.2],
        }
    }
}

impl GridSettings {
    /// Rejects values out of range.
    pub fn check(&self) -> Result<(), StrandError> {
        let require = |holds: bool, what, value, allowed| {
            if holds { Ok(()) } else { Err(StrandError::OutOfRange { what, value, allowed }) }
        };
        let positive = |value: f32| value > 0.0 && value.is_finite();
        let share = |value: f32| (0.0..=1.0).contains(&value);
        require(positive(self.cell), "cell size", self.cell, "positive and finite")?;
        require(
            positive(self.young_modulus),
            "Young's modulus of the hair",
            self.young_modulus,
            "positive and finite",
        )?;
        let ratio = self.poisson_ratio;
        require((0.0..0.5).contains(&ratio), "Poisson's ratio of the hair", ratio, "from 0 to below 0.5")?;
        if let Between::Sand { friction_angle } = self.between {
            let holds = (0.0..std::f32::consts::FRAC_PI_2).contains(&friction_angle);
            require(holds, "friction angle", friction_angle, "from 0 to below a right angle, in rad")?;
        }
        require(share(self.flip_ratio), "flip ratio", self.flip_ratio, "from 0 to 1")?;
        for ratio in self.trap_breaking {
            require(share(ratio), "trap breaking ratio", ratio, "from 0 to 1")?;
        }
        Ok(())
    }

    /// Returns the maximum stable step [s] for hair of a density [kg/m^3].
    pub fn longest_step(&self, density: f32) -> f32 {
        MAX_CELLS_PER_STEP * self.cell / (self.wave_modulus() / density).sqrt()
    }

    fn lame(&self) -> Lame {
        Lame::new(self.young_modulus.into(), self.poisson_ratio.into())
    }

    fn bulk_modulus(&self) -> f32 {
        self.young_modulus / (3.0 * (1.0 - 2.0 * self.poisson_ratio))
    }

    fn wave_modulus(&self) -> f32 {
        match self.between {
            Between::Sand { .. } => self.lame().wave_modulus(),
            Between::Fluid => self.bulk_modulus(),
        }
    }

    fn material(&self) -> Material {
        match self.between {
            Between::Sand { friction_angle } => {
                Material::Sand(Sand::new(self.lame(), friction_angle.into(), 0.0, true))
            }
            Between::Fluid => {
                Material::Fluid(Fluid { bulk_modulus: self.bulk_modulus(), gamma: GAMMA, viscosity: 0.0 })
            }
        }
    }

    /// Returns the parameters of the grid, without gravity: the strand solve applies it.
    pub fn params(&self, density: f32) -> Params {
        Params {
            dx: self.cell,
            kernel: Kernel::Quadratic,
            transfer: Transfer::Sflip { ratio: self.flip_ratio, trap_breaking: self.trap_breaking },
            gravity: [0.0; 3],
            integrator: Integrator::Explicit,
            // The step length is fixed.
            limits: StepLimits { cfl: 1.0, sound_cfl: 1.0, max_dt: f64::INFINITY, min_dt: 0.0 },
            objects: vec![Object { name: "hair".to_owned(), material: 0 }],
            substances: vec![Substance { material: self.material(), density }],
            meshes: Meshes::default(),
            grains: Vec::new(),
            colliders: Vec::new(),
            origin: DVec3::ZERO,
        }
    }
}

/// Returns the strand vertices as particles at rest.
pub fn particles(params: &Params, strands: &Strands, positions: &[Vec3]) -> State {
    let n = strands.vertex_count();
    let density = params.substances[0].density;
    let mut state = State {
        particles: Particles {
            x: positions.iter().map(|x| x.to_array()).collect(),
            v: vec![[0.0; 3]; n],
            c: vec![Mat3::default(); n],
            f: vec![Mat3::IDENTITY; n],
            tau: vec![Sym3::default(); n],
            pull: Vec::new(),
            memory: vec![0.0; n],
            alignment: Vec::new(),
            mass: strands.masses().to_vec(),
            volume: strands.masses().iter().map(|mass| mass / density).collect(),
            kind: vec![Kind::Point; n],
            object: vec![0; n],
            id: (0..n as u32).collect(),
        },
        ..State::default()
    };
    start(params, &mut state);
    state
}

/// Rotates the deformation gradients and stresses of the particles of strands on the head when these are rotated rigidly.
pub fn rotate_history(strands: &Strands, state: &mut State, turn: glam::Mat3) {
    let turn = Mat3::from_rows(turn.transpose().to_cols_array());
    let p = &mut state.particles;
    let particles = p.f.iter_mut().zip(&mut p.tau).zip(&p.id);
    for ((f, tau), _) in particles.filter(|(_, id)| strands.is_on_head(**id as usize)) {
        *f = turn.mul(f);
        *tau = turn.mul(&tau.to_mat3()).mul_transpose(&turn).symmetric_part();
    }
}
