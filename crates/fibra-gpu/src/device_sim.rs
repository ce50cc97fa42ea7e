//! The contract of simulations on a device, the same for every method.
//!
//! A simulation is built on the host first. `new` copies it to a device, where it is advanced. The host keeps parameters, time and
//! colliders; it downloads the rest on demand:
//!
//! | call | does | waits for the device |
//! |---|---|---|
//! | `new(gpu, host)` | allocates on the device and uploads | no |
//! | `upload(host)` | replaces the state on the device by that of the host, after a checkpoint or a reset | no |
//! | `advance(host, ...)` | advances the state on the device, with the colliders of the host, and the time of the host; the host's particles or strands do not change | depends on the method |
//! | [`download`](DeviceSim::download) | copies the state on the device to the host; reports errors of earlier kernels | yes |
//! | [`wait`](DeviceSim::wait) | waits for all kernels launched before | yes |
//!
//! The other arguments of `upload` and `advance` depend on the method; its own trait declares them (`MpmDevice`, `HairDevice`). Programs
//! measure *device time* as [`DeviceStage::Advance`], and the time of downloads as [`DeviceStage::Download`].

use crate::DeviceError;

/// A simulation on a device: the part common to all methods.
pub trait DeviceSim: Send {
    /// The state on the host.
    type Host;
    /// Why the device cannot continue.
    type Error: From<DeviceError>;

    /// Waits for the device and copies its state to the host. Returns errors of kernels launched before.
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
