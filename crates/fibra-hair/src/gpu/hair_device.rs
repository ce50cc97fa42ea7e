//! Hair on whichever device, beside hair on the processor of which more can be asked.

use crate::gpu::device_grid::{GpuHairGrid, GpuHairGridError};
use crate::gpu::interpolation::GpuGuidedStrands;
use crate::gpu::sim::{GpuHairError, GpuHairSim};
use crate::sim::HairSim;
use cubecl::Runtime;
use fibra_core::geometry::{GuidedStrands, RigidPose};
use fibra_gpu::{DeviceError, Gpu};
use glam::Quat;

/// Why hair cannot be on a device, or no longer.
pub type HairDeviceError = GpuHairError<GpuHairGridError>;

/// What a program needs of hair on a device.
pub trait HairDevice: Send {
    /// Moves the hair on the device on by `dt` [s] past the bodies of `hair`, which stays where it is. Does not wait.
    fn advance(&mut self, hair: &mut HairSim, head: &RigidPose, dt: f32) -> Result<(), HairDeviceError>;
    /// Brings `hair` to where the device is.
    fn write_back(&mut self, hair: &mut HairSim) -> Result<(), HairDeviceError>;
    /// Goes on from where `hair` is.
    fn take_up(&mut self, hair: &HairSim);
    /// Brings strands to the device that are only drawn, whose guides begin with vertex `first`.
    fn add_drawn(&mut self, strands: &GuidedStrands, first: usize);
    /// Places all strands that are only drawn, while the head has turned by `turn` since the start. Does not wait.
    fn place_drawn(&mut self, turn: Quat);
    /// Waits for the device.
    fn wait(&self) -> Result<(), DeviceError>;
}

/// Hair on a device, with the strands that are only drawn.
struct OnDevice<R: Runtime> {
    sim: GpuHairSim<R, GpuHairGrid>,
    drawn: Vec<(GpuGuidedStrands, usize)>,
}

/// Takes hair to a device.
pub fn put_on<R: Runtime>(gpu: &Gpu<R>, hair: &HairSim) -> Result<Box<dyn HairDevice>, HairDeviceError> {
    Ok(Box::new(OnDevice { sim: GpuHairSim::from_host(gpu.clone(), hair)?, drawn: Vec::new() }))
}

impl<R: Runtime> HairDevice for OnDevice<R> {
    fn advance(&mut self, hair: &mut HairSim, head: &RigidPose, dt: f32) -> Result<(), HairDeviceError> {
        self.sim.advance_past(hair, head, dt)
    }

    fn write_back(&mut self, hair: &mut HairSim) -> Result<(), HairDeviceError> {
        self.sim.write_back(hair)
    }

    fn take_up(&mut self, hair: &HairSim) {
        self.sim.take_up(hair);
    }

    fn add_drawn(&mut self, strands: &GuidedStrands, first: usize) {
        self.drawn.push((GpuGuidedStrands::upload(self.sim.gpu(), strands), first));
    }

    fn place_drawn(&mut self, turn: Quat) {
        for (strands, first) in &self.drawn {
            strands.place(self.sim.gpu(), self.sim.on_device(), *first, turn);
        }
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.sim.gpu().wait()
    }
}
