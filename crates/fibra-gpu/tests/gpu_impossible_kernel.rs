//! A kernel that cannot be compiled is an error on the next wait, not a panic. The test has its own process, because the device is lost afterward.
#![cfg(feature = "gpu")]

use cubecl::prelude::*;
use fibra_gpu::{DeviceError, VulkanGpu};

#[cube(launch)]
fn impossible(out: &mut Array<u32>, #[comptime] size: u32) {
    let number = comptime!(fail(size));
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = number;
    }
}

fn fail(size: u32) -> u32 {
    assert!(size == 0, "there is no kernel of size {size}");
    size
}

#[test]
fn kernel_compilation_failure_is_reported() {
    let Ok(gpu) = VulkanGpu::open() else { return };
    let out = gpu.upload(&[7u32; 4]);
    let launched = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        impossible::launch::<cubecl::wgpu::WgpuRuntime>(
            &gpu.client,
            CubeCount::Static(1, 1, 1),
            CubeDim::new_1d(4),
            out.arg(),
            3,
        );
    }));
    let read = out.read(&gpu);
    assert!(launched.is_err() || matches!(&read, Err(DeviceError::Lost { why }) if why.contains("size 3")), "{read:?}");
}
