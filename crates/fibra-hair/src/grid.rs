//! What strands do to each other: their vertices are the particles of a grid, and what is between them is sand or a liquid
//! [Huang2023, Sec. 3.2].
//!
//! How dense the hair is at the start is how dense it wants to be: it resists being pressed together, and does not pull.

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

/// The exponent of the liquid's equation of state [-].
const GAMMA: f32 = 7.0;

/// Cells that the fastest wave may cross in a step [-]. Beyond one, nothing explicit is stable.
const MOST_CELLS: f32 = 0.8;

/// How strands feel each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSettings {
    /// Side of a cell [m].
    pub cell: f32,
    /// Young's modulus: how much the hair resists being pressed together [Pa].
    pub young_modulus: f32,
    /// Poisson's ratio [-].
    pub poisson_ratio: f32,
    /// What is between strands.
    pub between: Between,
    /// How much of its own velocity a vertex keeps beside the grid's [-].
    pub flip_ratio: f32,
    /// How much of what it keeps moves it, too: where hair is pressed together, and where it separates [-].
    pub trap_breaking: [f32; 2],
}

/// What is between strands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Between {
    /// They rub as sand does.
    Sand {
        /// [rad]
        friction_angle: f32,
    },
    /// They slide past each other.
    Fluid,
}

impl Default for GridSettings {
    /// [Huang2023, Table 2]
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
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), StrandError> {
        let require = |holds: bool, what, value, allowed| {
            if holds { Ok(()) } else { Err(StrandError::OutOfRange { what, value, allowed }) }
        };
        let positive = |value: f32| value > 0.0 && value.is_finite();
        let share = |value: f32| (0.0..=1.0).contains(&value);
        require(positive(self.cell), "side of a cell", self.cell, "positive and finite")?;
        require(positive(self.young_modulus), "modulus of the hair", self.young_modulus, "positive and finite")?;
        let ratio = self.poisson_ratio;
        require((0.0..0.5).contains(&ratio), "Poisson's ratio of the hair", ratio, "from 0 to below 0.5")?;
        if let Between::Sand { friction_angle } = self.between {
            let holds = (0.0..std::f32::consts::FRAC_PI_2).contains(&friction_angle);
            require(holds, "angle of friction", friction_angle, "from 0 to below a right angle, in rad")?;
        }
        require(share(self.flip_ratio), "flip ratio", self.flip_ratio, "from 0 to 1")?;
        for ratio in self.trap_breaking {
            require(share(ratio), "trap breaking ratio", ratio, "from 0 to 1")?;
        }
        Ok(())
    }

    /// The longest step [s] that can be stable with hair of a density [kg/m^3].
    pub fn longest_step(&self, density: f32) -> f32 {
        MOST_CELLS * self.cell / (self.wave_modulus() / density).sqrt()
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

    /// The grid's own parameters. Gravity is the strands' affair.
    pub fn params(&self, density: f32) -> Params {
        Params {
            dx: self.cell,
            kernel: Kernel::Quadratic,
            transfer: Transfer::Sflip { ratio: self.flip_ratio, trap_breaking: self.trap_breaking },
            gravity: [0.0; 3],
            integrator: Integrator::Explicit,
            // Steps are fixed.
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

/// The vertices of strands as particles at rest.
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

/// Turns what the particles remember, for hair that is turned as a whole.
pub fn turn_memory(state: &mut State, turn: glam::Mat3) {
    let turn = Mat3::from_rows(turn.transpose().to_cols_array());
    let p = &mut state.particles;
    for (f, tau) in p.f.iter_mut().zip(&mut p.tau) {
        *f = turn.mul(f);
        *tau = turn.mul(&tau.to_mat3()).mul_transpose(&turn).symmetric_part();
    }
}
