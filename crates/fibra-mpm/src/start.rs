//! Prepares a state for its first step.

use crate::elements::elements;
use crate::law::Batch;
use crate::params::Params;
use crate::sort::sort;
use crate::split::Merge;
use crate::state::{Extremes, State, UNSET_ALIGNMENT};
use crate::workspace::Workspace;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_materials::kind::Kind;

/// Computes everything that follows from positions and deformations: stresses, forces, initial values of the models' internal variables, and
/// the bounds on the first step.
pub fn start(params: &Params, state: &mut State) {
    let p = &mut state.particles;
    if params.substances.iter().any(|substance| substance.material.has_grains()) {
        p.alignment.resize(p.x.len(), UNSET_ALIGNMENT);
        for (alignment, &object) in
            p.alignment.iter_mut().zip(&p.object).filter(|(alignment, _)| **alignment == UNSET_ALIGNMENT)
        {
            *alignment = params.substance_of(object).material.initial_alignment();
        }
    }
    let mut batch = Batch::default();
    let mut extremes = Extremes { drifted: true, ..Default::default() };
    for i in 0..p.len() {
        let substance = params.substance_of(p.object[i]);
        let speed = p.v[i].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt() as f32;
        let mut wave_speed = 0.0;
        if p.kind[i] == Kind::Point {
            p.memory[i] = substance.material.initial_memory();
            let f = p.f[i].to_rows();
            for e in 0..9 {
                batch.f[e][0] = f[e];
                batch.grad_v[e][0] = 0.0;
            }
            batch.memory[0] = p.memory[i];
            let alignment = p.alignment.get(i).copied().unwrap_or(UNSET_ALIGNMENT);
            for (to, alignment) in batch.alignment.iter_mut().zip(alignment) {
                to[0] = alignment;
            }
            substance.material.respond(&mut batch, 1, 0.0);
            p.f[i] = Mat3::from_rows(std::array::from_fn(|e| batch.f[e][0]));
            let [xx, yy, zz, yz, xz, xy] = std::array::from_fn(|e| batch.tau[e][0]);
            p.tau[i] = Sym3 { xx, yy, zz, yz, xz, xy };
            p.memory[i] = batch.memory[0];
            wave_speed = (batch.modulus[0] / substance.density).sqrt();
        }
        let broken = !(speed + p.tau[i].to_mat3().to_rows().iter().sum::<f32>()).is_finite();
        extremes = extremes.merge(Extremes { speed, wave_speed, drifted: true, broken });
    }
    state.extremes = extremes;
    if params.meshes.corners.is_empty() {
        return;
    }
    // Elements need the indices of their vertices, which the sort computes. If it fails, the first step reports the error.
    let mut work = Workspace::default();
    if sort(params, state, &mut work).is_ok() {
        let meshed = elements(params, state, &mut work, [0.0, state.time]);
        state.extremes = state.extremes.merge(meshed);
    }
}
