//! A simulation whose steps a graphics card takes.

use super::{MpmError, MpmSim, StepsTaken};
use crate::gpu::sim::{DeviceMpm, DeviceRunError, MpmDevice, Taken};
use crate::params::Params;
use crate::state::State;
use cubecl::Runtime;
use fibra_core::stage_clock::StageClock;
use fibra_core::stages;
use fibra_gpu::Gpu;
use std::time::Instant;

stages! {
    /// What the host waits for.
    enum DeviceStage {
        /// Steps of the particles.
        Device = "device",
        /// Particles back to the host.
        ReadBack = "read back",
    }
}

/// The particles on a device.
pub(super) struct OnDevice {
    device: Box<dyn MpmDevice>,
    clock: StageClock<DeviceStage>,
}

impl OnDevice {
    /// Goes on to `until` [s], and reads the particles back.
    pub(super) fn advance(&mut self, params: &Params, state: &mut State, until: f64) -> Result<StepsTaken, MpmError> {
        let begun = Instant::now();
        let taken = self.device.advance(params, state, until);
        let moved = Instant::now();
        let taken = taken.and_then(|taken| Ok((taken, self.device.download(state)?)));
        self.clock.add(DeviceStage::Device, moved - begun);
        self.clock.add(DeviceStage::ReadBack, moved.elapsed());
        let (Taken { steps: count, shortest, longest, .. }, ()) = taken?;
        Ok(StepsTaken { count, shortest, longest })
    }

    /// Replaces the particles by those of another state.
    pub(super) fn upload(&mut self, params: &Params, state: &State) {
        self.device.upload(params, state);
    }

    /// Replaces the motions of colliders and pins.
    pub(super) fn set_motions(&mut self, params: &Params) {
        self.device.set_motions(params);
    }

    /// Wall time spent in each stage so far [s].
    pub(super) fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.clock.seconds()
    }
}

impl MpmSim {
    /// Lets a graphics card take the steps from now on. Results are read back after each [`MpmSim::advance`].
    pub fn move_to<R: Runtime>(&mut self, gpu: Gpu<R>) -> Result<(), DeviceRunError> {
        let device = Box::new(DeviceMpm::new(gpu, &self.params, &self.state)?);
        self.driving.has_changed = false;
        self.device = Some(OnDevice { device, clock: StageClock::default() });
        Ok(())
    }
}
