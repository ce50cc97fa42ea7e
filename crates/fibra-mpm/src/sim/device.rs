//! Runs the steps of a simulation on a GPU.

use super::{MpmError, MpmSim};
use crate::gpu::sim::{DeviceMpm, DeviceRunError};
use cubecl::Runtime;
use fibra_core::StepsTaken;
use fibra_core::stage_clock::StageClock;
use fibra_gpu::{DeviceError, DeviceSim, DeviceStage, Gpu};
use std::time::Instant;

/// The simulation on a device. [`MpmSim`] moves this value out of itself during a call, because the
/// call borrows the simulation.
pub(super) struct OnDevice {
    device: Box<dyn DeviceSim<Host = MpmSim, Drive = (), Error = DeviceRunError>>,
    clock: StageClock<DeviceStage>,
}

impl OnDevice {
    /// Advances to `until` [s] and downloads the particles.
    pub(super) fn advance(&mut self, host: &mut MpmSim, until: f64) -> Result<StepsTaken, MpmError> {
        let begun = Instant::now();
        let taken = self.device.advance(host, &(), until);
        let moved = Instant::now();
        let taken = taken.and_then(|taken| self.device.download(host).map(|()| taken));
        self.clock.add(DeviceStage::Advance, moved - begun);
        self.clock.add(DeviceStage::Download, moved.elapsed());
        Ok(taken?)
    }

    /// Replaces the particles on the device by those of another state.
    pub(super) fn upload(&mut self, host: &MpmSim) {
        self.device.upload(host);
    }

    /// Returns the wall time spent in each stage so far [s].
    pub(super) fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.clock.seconds()
    }
}

impl<R: Runtime> DeviceSim for DeviceMpm<R> {
    type Host = MpmSim;
    type Drive = ();
    type Error = DeviceRunError;

    fn upload(&mut self, host: &MpmSim) {
        DeviceMpm::upload(self, &host.params, &host.state);
    }

    fn advance(&mut self, host: &mut MpmSim, (): &(), until: f64) -> Result<StepsTaken, DeviceRunError> {
        if std::mem::take(&mut host.driving.has_changed) {
            self.set_motions(&host.params);
        }
        Ok(DeviceMpm::advance(self, &host.params, &mut host.state, until)?.steps)
    }

    fn download(&mut self, host: &mut MpmSim) -> Result<(), DeviceRunError> {
        Ok(DeviceMpm::download(self, &mut host.state)?)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.gpu().wait()
    }
}

impl MpmSim {
    /// Runs all further steps on a GPU. Results are downloaded after each [`MpmSim::advance`].
    pub fn move_to<R: Runtime>(&mut self, gpu: Gpu<R>) -> Result<(), DeviceRunError> {
        let device = Box::new(DeviceMpm::new(gpu, &self.params, &self.state)?);
        self.driving.has_changed = false;
        self.device = Some(OnDevice { device, clock: StageClock::default() });
        Ok(())
    }
}
