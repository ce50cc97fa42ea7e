//! The contract of simulations on a device, the same for every method.
//!
//! A simulation is built on the host first. `new` copies it to a device, where it is advanced. The host keeps parameters, time and
//! colliders; it downloads the rest on demand:
//!
//! | call | does | waits for the device |
//! |---|---|---|
//! | `new(gpu, host)` | allocates on the device and uploads | no |
//! | [`upload`](DeviceSim::upload) | replaces the state on the device by that of the host: after a checkpoint or a reset | no |
//! | [`advance`](DeviceSim::advance) | advances the state on the device and the time of the host, past the colliders of the host; its particles or strands stay | only as the method needs |
//! | [`download`](DeviceSim::download) | copies the state on the device into the host; reports errors of earlier kernels | yes |
//! | [`wait`](DeviceSim::wait) | waits for all kernels that were started | yes |
//!
//! Programs measure *device time* as [`DeviceStage::Advance`], and the time of downloads as [`DeviceStage::Download`].

use crate::DeviceError;
use fibra_core::StepsTaken;

/// A simulation on a device.
pub trait DeviceSim: Send {
    /// The simulation on the host.
    type Host;
    /// Motion that the caller prescribes for one advance; `()` where the host has it all.
    type Drive;
    /// Why the device cannot go on.
    type Error: From<DeviceError>;

    /// Replaces the state on the device by that of the host, which has the same objects.
    fn upload(&mut self, host: &Self::Host);

    /// Advances the state on the device exactly to the time `until` [s].
    fn advance(&mut self, host: &mut Self::Host, drive: &Self::Drive, until: f64) -> Result<StepsTaken, Self::Error>;

    /// Waits for the device, and copies its state into the host's. Errors of kernels that were started before are returned here.
    fn download(&mut self, host: &mut Self::Host) -> Result<(), Self::Error>;

    /// Waits for all kernels launched before.
    fn wait(&self) -> Result<(), DeviceError>;
}

fibra_core::stages! {
    /// Stages of a step on a device, as measured on the host.
    pub enum DeviceStage {
        /// Kernels are launched, and waited for where the method requires it.
        Advance = "device",
        /// The state is copied to the host.
        Download = "read back",
    }
}
