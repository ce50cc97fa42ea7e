//! Checkpoints: the state of hair as named tensors, bitwise exact.

use crate::group::GroupState;
use crate::lanes::{Lanes, Lanes3};
use crate::sim::HairSim;
use fibra_core::geometry::RigidPose;
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use glam::{DQuat, DVec3};

/// Name of the tensor of the simulated time. The grid has a separate time, a sum of rounded steps.
const CLOCK: &str = "clock";

/// Returns the whole state as tensors.
///
/// | tensor | shape | content |
/// |---|---|---|
/// | `clock` | `[1]` | simulated time [s] |
/// | `head` | `[7]` | translation of the head [m], and its rotation, a unit quaternion |
/// | `strands` | `[n]` | group by group: positions [m], velocities [m/s], tangents, directors, spins [rad/s], twists [rad], largest stretch so far, largest correction so far [m] |
///
/// The tensors of the grid are listed in [`fibra_mpm::internals::state_file`].
pub(crate) fn save(hair: &HairSim) -> TensorFile<'_> {
    let state = hair.state();
    let mut file = fibra_mpm::internals::state_file::save(&state.grid);
    let RigidPose { translation, rotation } = state.strands.head;
    let head: Vec<f64> = translation.to_array().into_iter().chain(rotation.to_array()).collect();
    let mut numbers: Vec<f32> = Vec::new();
    for group in &state.strands.groups {
        for field in [&group.position, &group.velocity, &group.tangent, &group.director] {
            numbers.extend(field.iter().flatten().flat_map(|lanes| lanes.0));
        }
        for field in [&group.spin, &group.twist] {
            numbers.extend(field.iter().flat_map(|lanes| lanes.0));
        }
        numbers.extend([group.stretch, group.correction].iter().flat_map(|lanes| lanes.0));
    }
    file.tensors.insert(CLOCK.to_owned(), Tensor::values([state.time]));
    file.tensors.insert("head".to_owned(), Tensor::values(head));
    file.tensors.insert("strands".to_owned(), Tensor::values(numbers));
    file
}

/// Restores a saved state of the same strands. After an error the state is invalid. Collider poses are not saved.
pub(crate) fn load(file: &TensorFile, hair: &mut HairSim) -> Result<(), TensorFault> {
    let time = file.time(CLOCK)?;
    file.expect_rows("head", 7)?;
    file.expect_finite("head")?;
    file.expect_finite("strands")?;
    let head = file.values::<f64>("head")?;
    let rotation = DQuat::from_slice(&head[3..]);
    if !rotation.is_normalized() {
        return Err(TensorFault::element("head", 3, "the quaternion is not normalized"));
    }
    let grid = fibra_mpm::internals::state_file::load(file, &hair.grid, hair.strands().vertex_count())?;
    let wanted: usize = hair
        .state
        .strands
        .groups
        .iter_mut()
        .map(|group| lanes_of(group).map(|lanes| lanes.0.len()).sum::<usize>())
        .sum();
    file.expect_rows("strands", wanted)?;
    let mut numbers = file.values::<f32>("strands")?;
    for lanes in hair.state.strands.groups.iter_mut().flat_map(lanes_of) {
        let (mine, rest) = numbers.split_at(lanes.0.len());
        lanes.0.copy_from_slice(mine);
        numbers = rest;
    }
    hair.state.strands.head = RigidPose { translation: DVec3::from_slice(head), rotation };
    hair.state.time = time;
    hair.set_grid_state(grid);
    Ok(())
}

/// Returns all saved fields of a group, in file order.
fn lanes_of(group: &mut GroupState) -> impl Iterator<Item = &mut Lanes> {
    let GroupState { position, velocity, tangent, director, spin, twist, stretch, correction } = group;
    let vectors = [position, velocity, tangent, director]
        .into_iter()
        .flat_map(|field: &mut Vec<Lanes3>| field.iter_mut().flatten());
    vectors.chain([spin, twist].into_iter().flatten()).chain([stretch, correction])
}
