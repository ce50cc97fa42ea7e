//! The linear equations of a step or of an equilibrium [Martin2010, Sec. 9.2]. Their matrix is `a M + b K + c H`, with the mass matrix `M`,
//! the stiffness `K` in constant corotated frames, and the stiffness `H` of holds. Products with a vector are sums over elastons,
//! matrix-free. The matrix is assembled only for factorization.

use crate::discretization::Discretization;
use crate::law::{self, add_elastic_loads, strain_changes};
use crate::linear::BlockMatrix;
use crate::local_matrix::{LocalMatrix, add_column};
use crate::table::{FieldValues, MAX_ROWS, Table};
use crate::world::{Matter, Params};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Coefficients of the three matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquationCoefficients {
    /// Coefficient `a` of the mass matrix.
    pub mass: f64,
    /// Coefficient `b` of the stiffness matrix.
    pub stiffness: f64,
    /// Coefficient `c` of the stiffness of holds.
    pub hold: f64,
}

impl EquationCoefficients {
    /// Coefficients of a semi-implicit Euler step of `dt` [s] with unknown velocities.
    pub fn of_step(params: &Params, dt: f64) -> EquationCoefficients {
        EquationCoefficients {
            mass: 1.0 + dt * params.mass_damping,
            stiffness: dt * (dt + params.stiffness_damping),
            hold: dt * dt,
        }
    }
}

/// The matrix of a step as a linear operator.
pub struct Equations<'a> {
    /// User settings.
    pub params: &'a Params,
    /// The rest shape.
    pub matter: &'a Matter,
    /// Tables of the rest shape.
    pub discretization: &'a Discretization,
    /// Corotated frame of each elaston.
    pub frames: &'a [DMat3],
    /// Whether each hold is active.
    pub holding: &'a [bool],
    /// Coefficients of the three matrices.
    pub coefficients: EquationCoefficients,
}

/// Scratch memory for products.
#[derive(Debug, Default)]
pub struct Scratch {
    elastons: Vec<FieldValues>,
    holds: Vec<Vec<FieldValues>>,
}

/// Corotated frames of all elastons.
pub fn frames(matter: &Matter, table: &Table, displacements: &[f64]) -> Vec<DMat3> {
    let frame = |at: usize| law::frame(&table.read(at, displacements), &matter.elastons[at]);
    (0..matter.elastons.len()).into_par_iter().map(frame).collect()
}

impl Equations<'_> {
    /// Generalized forces on an elaston, for given displacement (or velocity) and derivatives at its center.
    fn elaston_loads(&self, at: usize, field: &FieldValues) -> FieldValues {
        let elaston = &self.matter.elastons[at];
        let substance = &self.params.objects[self.discretization.substances[at] as usize];
        let mut loads = [DVec3::ZERO; MAX_ROWS];
        let mass = self.coefficients.mass * substance.density * elaston.volume;
        loads[0] = mass * field[0];
        for axis in 0..3 {
            loads[1 + axis] = mass * elaston.sides[axis] * elaston.sides[axis] / 12.0 * field[1 + axis];
        }
        let frame = &self.frames[at];
        let strains = strain_changes(field, frame);
        add_elastic_loads(&substance.elasticity, elaston, &strains, frame, self.coefficients.stiffness, &mut loads);
        loads
    }

    fn hold_loads(&self, hold: usize, at: usize, field: &FieldValues) -> FieldValues {
        let scale = if self.holding[hold] { self.coefficients.hold } else { 0.0 };
        hold_loads(self.params, self.matter, self.params.holds[hold].pieces[at], scale, field)
    }

    /// `y = (a M + b K + c H) x`.
    pub fn multiply(&self, x: &[f64], y: &mut [f64], scratch: &mut Scratch) {
        let Discretization { elastons, holds, .. } = self.discretization;
        scratch.elastons.resize(elastons.len(), [DVec3::ZERO; MAX_ROWS]);
        scratch.elastons.par_iter_mut().with_min_len(16).enumerate().for_each(|(at, loads)| {
            *loads = self.elaston_loads(at, &elastons.read(at, x));
        });
        scratch.holds.resize(holds.len(), Vec::new());
        for (hold, (table, loads)) in holds.iter().zip(&mut scratch.holds).enumerate() {
            loads.resize(table.len(), [DVec3::ZERO; MAX_ROWS]);
            loads.par_iter_mut().with_min_len(16).enumerate().for_each(|(at, loads)| {
                *loads = self.hold_loads(hold, at, &table.read(at, x));
            });
        }
        gather(self.discretization, &scratch.elastons, &scratch.holds, y);
    }

    /// Assembles the matrix.
    pub fn assemble(&self, matrix: &mut BlockMatrix) {
        let pattern = matrix.pattern().clone();
        let Discretization { elastons, holds, .. } = self.discretization;
        let local_matrices = LocalMatrix::all(elastons, |at, field| self.elaston_loads(at, field));
        let of_holds: Vec<Vec<LocalMatrix>> = holds
            .iter()
            .enumerate()
            .map(|(hold, table)| LocalMatrix::all(table, |at, field| self.hold_loads(hold, at, field)))
            .collect();
        matrix.columns_mut().into_par_iter().enumerate().for_each(|(sample, column)| {
            column.fill(0.0);
            let rows = pattern.column(sample);
            add_column(elastons, &local_matrices, sample, rows, column);
            for (hold, table) in holds.iter().enumerate().filter(|(hold, _)| self.holding[*hold]) {
                add_column(table, &of_holds[hold], sample, rows, column);
            }
        });
    }
}

/// Generalized forces on the displacement and its gradient at a material point of a hold. They result from springs that
/// are distributed over the volume of the material point.
pub fn hold_loads(params: &Params, matter: &Matter, piece: u32, scale: f64, field: &FieldValues) -> FieldValues {
    let piece = piece as usize;
    let spread = matter.cloud.spreads[piece];
    let young = params.objects[matter.objects[piece] as usize].elasticity.young;
    // A cube of side s has the variance s^2 / 12 along each axis.
    let size_squared = 4.0 * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z);
    let stiffness = scale * params.hold_stiffness * young / size_squared * matter.cloud.volumes[piece];
    let mut loads = [DVec3::ZERO; MAX_ROWS];
    loads[0] = stiffness * field[0];
    for axis in 0..3 {
        let spread = spread.col(axis);
        loads[1 + axis] = stiffness * (spread.x * field[1] + spread.y * field[2] + spread.z * field[3]);
    }
    loads
}

/// Sums generalized forces at evaluation points into forces on the unknowns.
pub fn gather(
    discretization: &Discretization,
    elastons: &[FieldValues],
    holds: &[Vec<FieldValues>],
    forces: &mut [f64],
) {
    let size = discretization.unknowns_per_sample();
    forces.par_chunks_exact_mut(size).enumerate().for_each(|(sample, forces)| {
        forces.fill(0.0);
        discretization.elastons.add_forces(sample, elastons, forces);
        for (table, loads) in discretization.holds.iter().zip(holds) {
            table.add_forces(sample, loads, forces);
        }
    });
}
