//! Hair on any device, behind a trait object.

use crate::gpu::device_grid::GpuHairGridError;
use crate::gpu::sim::{DeviceHair, GpuHairError};
use crate::sim::HairSim;
use cubecl::Runtime;
use fibra_core::geometry::{GuidedStrands, RigidPose};
use fibra_gpu::{DeviceError, DeviceSim};
use glam::Quat;

/// Error of uploading or advancing hair on a device.
pub type HairDeviceError = GpuHairError<GpuHairGridError>;

/// Hair on any device: see [`fibra_gpu::device_sim`].
pub trait HairDevice: DeviceSim<Host = HairSim, Error = HairDeviceError> {
    /// See [`DeviceHair::upload`].
    fn upload(&mut self, host: &HairSim);
    /// See [`DeviceHair::advance`].
    fn advance(&mut self, host: &mut HairSim, head: &RigidPose, dt: f64) -> Result<(), HairDeviceError>;
    /// See [`DeviceHair::step`].
    fn step(&mut self, host: &mut HairSim, head: &RigidPose, until: f64) -> Result<f64, HairDeviceError>;
    /// See [`DeviceHair::add_render_strands`].
    fn add_render_strands(&mut self, strands: &GuidedStrands, first: usize);
    /// See [`DeviceHair::place_render_strands`].
    fn place_render_strands(&mut self, turn: Quat);
}

impl<R: Runtime> DeviceSim for DeviceHair<R> {
    type Host = HairSim;
    type Error = HairDeviceError;

    fn download(&mut self, host: &mut HairSim) -> Result<(), HairDeviceError> {
        DeviceHair::download(self, host)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.gpu().wait()
    }
}

impl<R: Runtime> HairDevice for DeviceHair<R> {
    fn upload(&mut self, host: &HairSim) {
        DeviceHair::upload(self, host);
    }

    fn advance(&mut self, host: &mut HairSim, head: &RigidPose, dt: f64) -> Result<(), HairDeviceError> {
        DeviceHair::advance(self, host, head, dt)
    }

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
