//! What no device has room for is an error. In a program of its own: the device is lost afterwards.
#![cfg(feature = "gpu")]

use fibra_gpu::{DeviceError, Runtime, VulkanGpu};

/// More than any memory there is [bytes].
const TOO_MUCH: usize = 1 << 46;

fn ask<R: Runtime>(gpu: &fibra_gpu::Gpu<R>) -> DeviceError {
    let buffer = gpu.empty::<f32>(TOO_MUCH / 4);
    let small = gpu.upload(&[1u32]);
    buffer.read_range(gpu, 0..1).map(|_| ()).and(small.read(gpu).map(|_| ())).expect_err("nobody has so much memory")
}

#[test]
fn what_does_not_fit_is_told() {
    let Ok(gpu) = VulkanGpu::open() else { return };
    let error = ask(&gpu);
    assert!(matches!(error, DeviceError::Full { .. }), "{error:?}");
}
