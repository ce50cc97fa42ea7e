//! An allocation that exceeds the device memory is an error. The test has its own process, because the device is lost afterward.
#![cfg(feature = "gpu")]

use fibra_gpu::{DeviceError, Runtime, VulkanGpu};

/// More than the memory of any device [bytes].
const TOO_MUCH: usize = 1 << 46;

fn read_too_much<R: Runtime>(gpu: &fibra_gpu::Gpu<R>) -> DeviceError {
    let buffer = gpu.empty::<f32>(TOO_MUCH / 4);
    let small = gpu.upload(&[1u32]);
    buffer
        .read_range(gpu, 0..1)
        .map(|_| ())
        .and(small.read(gpu).map(|_| ()))
        .expect_err("no device has this much memory")
}

#[test]
fn failed_allocation_is_reported() {
    let Ok(gpu) = VulkanGpu::open() else { return };
    let error = read_too_much(&gpu);
    assert!(matches!(error, DeviceError::Full { .. }), "{error:?}");
}
