//! Estimates the cost of a run of the material point method.

use crate::estimate::{Estimate, MPM_EXPLICIT, MPM_IMPLICIT, counted};
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::params::{Integrator, Params};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step_bounds::{StepBound, strictest_bound, wave_speed};
use fibra_scene::memory;

/// Estimates the cost of a run that begins with this state.
pub(super) fn estimate(params: &Params, state: &State) -> Estimate {
    let threads = rayon::current_num_threads();
    let particles = state.particles.len();
    let (cost, integrator) = match params.integrator {
        Integrator::Explicit => (MPM_EXPLICIT, "explicit step"),
        Integrator::Implicit(_) => (MPM_IMPLICIT, "implicit step"),
    };
    let (bound, length) = strictest_bound(params, state);
    let dt = length.min(params.limits.max_dt);
    Estimate {
        contents: contents(params, state),
        dt,
        limit: if length <= params.limits.max_dt {
            limit(params, state, bound)
        } else {
            "the frame interval or `time.max_dt`".to_owned()
        },
        bytes: bytes(params, state),
        seconds_per_step: particles as f64 * cost * 1e-9 / threads as f64,
        basis: format!("{cost} ns per particle and {integrator}, {}", counted(threads, "thread")),
    }
}

fn contents(params: &Params, state: &State) -> String {
    let of_kind = |kind: Kind| state.particles.kind.iter().filter(|&&own| own == kind).count();
    let kinds = [
        (Kind::Point, "point"),
        (Kind::Vertex, "free vertex"),
        (Kind::Held, "pinned vertex"),
        (Kind::Curve, "segment"),
        (Kind::Surface, "triangle"),
    ];
    let mut text = format!("{} of ", counted(params.objects.len(), "object"));
    text += &counted(state.particles.len(), "particle");
    if of_kind(Kind::Point) < state.particles.len() {
        let parts = kinds.map(|(kind, noun)| (of_kind(kind), noun)).into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            parts.map(|(count, noun)| counted(count, noun).replace("vertexs", "vertices")).collect();
        text += &format!(" ({})", parts.join(", "));
    }
    if !state.grains.is_empty() {
        text += &format!("; {} for display", counted(state.grains.len(), "grain"));
    }
    text
}

fn limit(params: &Params, state: &State, bound: StepBound) -> String {
    match bound {
        StepBound::Motion => format!("the fastest particle, {:.3} m/s (`time.cfl`)", state.extremes.speed),
        StepBound::Viscosity => "the viscosity of the materials".to_owned(),
        StepBound::Bending => "the bending stiffness of cloth and fibers (`bending_stiffness`)".to_owned(),
        StepBound::Sound => {
            let fastest = state.extremes.wave_speed;
            let speeds = (0..params.objects.len()).map(|object| wave_speed(params, state, object as u32));
            let speeds: Vec<Option<f32>> = speeds.collect();
            let stiffest = speeds.iter().position(|speed| speed.is_some_and(|speed| speed >= 0.999 * fastest));
            // Speeds of sound are known only for objects whose particles are points. If none of these objects has the
            // fastest wave, cloth or fibers have it.
            let meshes: Vec<usize> = (0..speeds.len()).filter(|&object| speeds[object].is_none()).collect();
            let of = match (stiffest, meshes.as_slice()) {
                (Some(object), _) | (None, &[object]) => format!("`{}`", params.objects[object].name),
                _ => "cloth or fibers".to_owned(),
            };
            format!("the stiffness of {of}: speed of sound {fastest:.3} m/s (`time.sound_cfl`)")
        }
    }
}

fn bytes(params: &Params, state: &State) -> f64 {
    let p = &state.particles;
    let points = (0..p.len()).filter(|&i| p.kind[i] == Kind::Point);
    let (count, volume) = points.fold((0, 0.0), |(n, v), i| (n + 1, v + f64::from(p.volume[i])));
    let cells = volume / f64::from(params.dx).powi(3);
    let nodes = cells * memory::NODES_PER_CELL + (p.len() - count) as f64 * memory::NODES_PER_MESH_PARTICLE;
    p.len() as f64 * memory::BYTES_PER_PARTICLE
        + nodes * memory::BYTES_PER_NODE
        + state.grains.len() as f64 * memory::BYTES_PER_GRAIN
}
