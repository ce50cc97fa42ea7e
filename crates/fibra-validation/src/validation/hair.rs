//! Single strands are compared with closed forms. Whole hair is tested for contact through the grid, collisions and
//! stability.

mod between;
mod buckling;
mod cantilever;
mod dance;
mod solver;
mod stability;
mod transport;

pub use between::{friction, volume};
pub use buckling::run as michell;
pub use cantilever::run as cantilever;
pub use dance::{head, substeps};
pub use solver::run as ldl;
pub use stability::{run as stability, run_long as stability_full};
#[cfg(feature = "gpu")]
pub use stability::{run_long_on_card as stability_full_on_card, run_on_card as stability_on_card};
pub use transport::run as transport;

use fibra_core::geometry::RigidPose;
use fibra_hair::internals::predict::step_alone;
use fibra_hair::internals::strands::{StrandState, StrandWorkspace};
use fibra_hair::{StrandInput, StrandMaterial, StrandParams, Strands};
use glam::Vec3;

/// A nearly inextensible wire.
const WIRE: StrandMaterial =
    StrandMaterial { radius: 2e-3, density: 1000.0, stretching_modulus: 1e8, bending_modulus: 1e8, shear_modulus: 4e7 };

/// Strands on a head at the origin, with parameters, state and workspace.
struct Hair {
    strands: Strands,
    params: StrandParams,
    state: StrandState,
    workspace: StrandWorkspace,
}

impl Hair {
    fn new(material: &StrandMaterial, params: StrandParams, inputs: &[StrandInput]) -> Result<Hair, String> {
        let strands = Strands::new(material, RigidPose::IDENTITY, inputs).map_err(|error| error.to_string())?;
        let (state, workspace) = (strands.initial_state(), strands.workspace());
        Ok(Hair { strands, params, state, workspace })
    }

    /// Advances the strands by `h` [s], while the head moves to `head`.
    fn step(&mut self, head: &RigidPose, h: f32) -> Result<(), String> {
        step_alone(&self.strands, &self.params, &mut self.state, &mut self.workspace, head, h)
            .map_err(|error| error.to_string())
    }

    /// Positions of the vertices [m].
    fn positions(&self) -> Vec<Vec3> {
        let mut x = vec![Vec3::ZERO; self.strands.vertex_count()];
        self.strands.read_positions(&self.state, &mut x);
        x
    }
}

/// Points of a straight strand along x, from the origin [m].
fn straight(segments: usize, length: f32) -> Vec<Vec3> {
    (0..=segments).map(|i| length * i as f32 / segments as f32 * Vec3::X).collect()
}
