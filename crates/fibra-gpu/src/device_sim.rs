//! The interface of simulations on a device, common to all methods.
//!
//! A simulation is built on the host first. `new` copies its state to a device, which then runs the steps. The host keeps
//! parameters, time and colliders; it downloads the rest on demand:
//!
//! | call | does | waits for the device |
//! |---|---|---|
//! | `new(gpu, host)` | allocates on the device and uploads | no |
//! | [`upload`](DeviceSim::upload) | replaces the state on the device by the host's state, after a checkpoint or a reset | no |
//! | [`advance`](DeviceSim::advance) | advances the state on the device, and time and colliders on the host, but not the host's particles or strands | depends on the method |
//! | [`download`](DeviceSim::download) | copies the state on the device to the host; reports errors of earlier kernels | yes |
//! | [`wait`](DeviceSim::wait) | waits for all kernels that were started | yes |
//!
//! Programs measure *device time* as [`DeviceStage::Advance`], and the time of downloads as [`DeviceStage::Download`].

use crate::DeviceError;
use fibra_core::StepsTaken;

/// A simulation on a device.
pub trait DeviceSim: Send {
    /// The simulation on the host.
    type Host;
    /// Motion that the caller prescribes for one call of `advance`; `()` if the host simulation holds all motion.
    type Drive;
    /// Error of the simulation on the device.
    type Error: From<DeviceError>;

    /// Replaces the state on the device by that of the host, which must have the same objects.
    fn upload(&mut self, host: &Self::Host);

    /// Advances the state on the device exactly to the time `until` [s].
    fn advance(&mut self, host: &mut Self::Host, drive: &Self::Drive, until: f64) -> Result<StepsTaken, Self::Error>;

    /// Waits for the device and copies its state to the host. Returns errors of kernels that were started before.
    fn download(&mut self, host: &mut Self::Host) -> Result<(), Self::Error>;

    /// Waits for all kernels launched before.
    fn wait(&self) -> Result<(), DeviceError>;
}

fibra_core::stages! {
    /// Stages of a step on a device, as measured on the host.
    pub enum DeviceStage {
        /// Kernel launches, and waits where the method requires them.
        Advance = "device",
        /// Copying the state to the host.
        Download = "read back",
    }
}
