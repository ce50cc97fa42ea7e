//! Hair on any device, behind a trait object.

use crate::gpu::device_grid::GpuHairGridError;
use crate::gpu::sim::{DeviceHair, GpuHairError};
use crate::sim::HairSim;
use cubecl::Runtime;
use fibra_core::StepsTaken;
use fibra_core::geometry::{GuidedStrands, RigidPose};
use fibra_gpu::{DeviceError, DeviceSim};
use glam::Quat;

/// Error of uploading or advancing hair on a device.
pub type HairDeviceError = GpuHairError<GpuHairGridError>;

/// Hair on any device: extends [`DeviceSim`]. The caller prescribes the pose of the head at the end of the call.
pub trait HairDevice: DeviceSim<Host = HairSim, Drive = RigidPose, Error = HairDeviceError> {
    /// See [`DeviceHair::step`].
    fn step(&mut self, host: &mut HairSim, head: &RigidPose, until: f64) -> Result<f64, HairDeviceError>;
    /// See [`DeviceHair::add_render_strands`].
    fn add_render_strands(&mut self, strands: &GuidedStrands, first: usize);
    /// See [`DeviceHair::place_render_strands`].
    fn place_render_strands(&mut self, turn: Quat);
}

impl<R: Runtime> DeviceSim for DeviceHair<R> {
    type Host = HairSim;
    type Drive = RigidPose;
    type Error = HairDeviceError;

    fn upload(&mut self, host: &HairSim) {
        DeviceHair::upload(self, host);
    }

    fn advance(&mut self, host: &mut HairSim, head: &RigidPose, until: f64) -> Result<StepsTaken, HairDeviceError> {
        let taken = DeviceHair::advance(self, host, head, until - host.time())?;
        // Summing step lengths would add a rounding error.
        host.state.time = until;
        Ok(taken)
    }

    fn download(&mut self, host: &mut HairSim) -> Result<(), HairDeviceError> {
        DeviceHair::download(self, host)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.gpu().wait()
    }
}

impl<R: Runtime> HairDevice for DeviceHair<R> {
    fn step(&mut self, host: &mut HairSim, head: &RigidPose, until: f64) -> Result<f64, HairDeviceError> {
        DeviceHair::step(self, host, head, until)
    }

    fn add_render_strands(&mut self, strands: &GuidedStrands, first: usize) {
        DeviceHair::add_render_strands(self, strands, first);
    }

    fn place_render_strands(&mut self, turn: Quat) {
        DeviceHair::place_render_strands(self, turn);
    }
}
