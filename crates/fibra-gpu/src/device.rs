//! Opens devices and reports their errors.

use cubecl::Runtime;
use cubecl::bytes::Bytes;
use cubecl::cuda::{CudaDevice, CudaRuntime};
use cubecl::prelude::ComputeClient;
use cubecl::server::Handle;
use cubecl::wgpu::{WgpuDevice, WgpuRuntime};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

/// Error: a device cannot be used, or can no longer be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// No device was found.
    #[error("no {kind} device: {why}")]
    Absent {
        /// `CUDA` or `Vulkan`.
        kind: &'static str,
        /// What is missing.
        why: String,
    },
    /// A device was found that lacks a required feature.
    #[error("the device {name} cannot be used: {why}")]
    Unusable {
        /// Name of the device, as reported by the driver.
        name: String,
        /// The missing feature and the remedy.
        why: String,
    },
    /// The device memory is full.
    #[error("the memory of the device is full: {why}")]
    Full {
        /// The failed allocation.
        why: String,
    },
    /// The device failed during work; its data is lost.
    #[error("the device was lost: {why}")]
    Lost {
        /// The message of the driver or the kernel compiler.
        why: String,
    },
}

/// An open device.
pub struct Gpu<R: Runtime> {
    /// The client that launches kernels on the device.
    pub client: ComputeClient<R>,
    name: String,
}

impl<R: Runtime> std::fmt::Debug for Gpu<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<R: Runtime> Clone for Gpu<R> {
    fn clone(&self) -> Self {
        Gpu { client: self.client.clone(), name: self.name.clone() }
    }
}

/// An NVIDIA device, through CUDA.
pub type CudaGpu = Gpu<CudaRuntime>;
/// A device with Vulkan, or Metal on macOS.
pub type VulkanGpu = Gpu<WgpuRuntime>;

/// Oldest supported generation of NVIDIA devices (compute capability 7.0, Volta).
const OLDEST_CUDA: i32 = 70;

impl CudaGpu {
    /// Opens the first device.
    pub fn open() -> Result<Self, DeviceError> {
        use cudarc::driver::result as driver;
        use cudarc::driver::sys::CUdevice_attribute as Attribute;
        let absent = |why: &str| DeviceError::Absent { kind: "CUDA", why: why.to_owned() };
        // SAFETY: the call only tests whether the driver's library can be loaded.
        if !unsafe { cudarc::driver::sys::is_culib_present() } {
            return Err(absent("NVIDIA's driver (libcuda) is not installed"));
        }
        // SAFETY: the call only tests whether the compiler's library can be loaded.
        if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
            return Err(absent("NVRTC (libnvrtc), the compiler of CUDA 12 or newer, is not installed"));
        }
        let unavailable = |e: cudarc::driver::DriverError| absent(&format!("the driver reports {e:?}"));
        driver::init().map_err(unavailable)?;
        let device = driver::device::get(0).map_err(unavailable)?;
        let name = driver::device::get_name(device).map_err(unavailable)?;
        let asked = |attribute| {
            // SAFETY: the driver has just returned `device`.
            unsafe { driver::device::get_attribute(device, attribute) }.map_err(unavailable)
        };
        let generation = 10 * asked(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + asked(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        if generation < OLDEST_CUDA {
            let why = format!("its compute capability is {}.{}; 7.0 is needed", generation / 10, generation % 10);
            return Err(DeviceError::Unusable { name, why });
        }
        Gpu::on(&CudaDevice { index: 0 }, name)
    }
}

impl VulkanGpu {
    /// Opens the device that the system prefers.
    pub fn open() -> Result<Self, DeviceError> {
        let backends = if cfg!(target_os = "macos") { wgpu::Backends::METAL } else { wgpu::Backends::VULKAN };
        let descriptor =
            wgpu::InstanceDescriptor { backends, ..wgpu::InstanceDescriptor::new_without_display_handle() };
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let found = catch_unwind(AssertUnwindSafe(|| {
            pollster::block_on(wgpu::Instance::new(descriptor).request_adapter(&options))
        }));
        let why = match found {
            Ok(Ok(adapter)) => return Gpu::on(&WgpuDevice::DefaultDevice, adapter.get_info().name),
            Ok(Err(e)) => e.to_string(),
            Err(_) => "the driver failed during device discovery".to_owned(),
        };
        Err(DeviceError::Absent { kind: "Vulkan", why })
    }
}

impl<R: Runtime> Gpu<R> {
    fn on(device: &R::Device, name: String) -> Result<Self, DeviceError> {
        record_panics();
        let opened = catch_unwind(AssertUnwindSafe(|| R::client(device)));
        let client = opened.map_err(|cause| {
            let why = first_failure().unwrap_or_else(|| message_of(&*cause));
            DeviceError::Unusable { name: name.clone(), why: format!("{why}; a newer driver may help") }
        })?;
        Ok(Gpu { client, name })
    }

    /// Returns the name of the device, as reported by the driver.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until all kernels launched before have finished.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.guarded(|| pollster::block_on(self.client.sync()).map_err(|e| e.to_string()))
    }

    /// Downloads memory.
    pub(crate) fn read(&self, handle: Handle) -> Result<Bytes, DeviceError> {
        self.guarded(|| self.client.read_one(handle).map_err(|e| e.to_string()))
    }

    /// Runs `work` and converts failures to errors. Device failures appear while the host waits: as an error, as a panic on this thread, or
    /// as a panic on the thread that feeds the device.
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Result<T, DeviceError> {
        let done = catch_unwind(AssertUnwindSafe(work));
        match (done, first_failure()) {
            (Ok(Ok(value)), None) => Ok(value),
            (_, Some(why)) => Err(failed(why)),
            (Ok(Err(why)), None) => Err(failed(why)),
            (Err(cause), None) => Err(failed(message_of(&*cause))),
        }
    }
}

fn failed(why: String) -> DeviceError {
    // Backtraces and lists of causes are only useful to kernel authors.
    let mut lines = why.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Caused by"));
    let message =
        lines.by_ref().take_while(|line| !line.starts_with("Backtrace")).take(4).collect::<Vec<_>>().join(" ");
    let full = [
        "out of memory",
        "OutOfMemory",
        "OUT_OF_MEMORY",
        "BufferTooBig",
        "buffer too big",
        "allocate buffer",
        "OUT_OF_DEVICE_MEMORY",
    ];
    match full.iter().any(|word| why.contains(word)) {
        true => DeviceError::Full { why: message },
        false => DeviceError::Lost { why: message },
    }
}

/// The first failure on a thread that feeds a device. Never cleared: the device is lost.
static FIRST_FAILURE: Mutex<Option<String>> = Mutex::new(None);

fn first_failure() -> Option<String> {
    FIRST_FAILURE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Records panics of the threads that feed devices, which would otherwise be printed and ignored.
fn record_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let feeds_a_device = std::thread::current().name().is_some_and(|name| name.starts_with("DSD-"));
            if !feeds_a_device {
                return others(panic);
            }
            let mut failure = FIRST_FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert_with(|| message_of(panic.payload()));
        }));
    });
}

fn message_of(cause: &(dyn std::any::Any + Send)) -> String {
    let message = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    message.unwrap_or("no reason given").to_owned()
}

/// Runs a test on every available device: `on_every_device!(gpu => { ... })`. Without a device the test passes and prints a note, unless the
/// environment variable `FIBRA_NEEDS_GPU` is set; then the test fails.
#[macro_export]
macro_rules! on_every_device {
    ($gpu:ident => $body:expr) => {{
        let mut tried = 0;
        if let Ok($gpu) = $crate::CudaGpu::open() {
            tried += 1;
            $body
        }
        match $crate::VulkanGpu::open() {
            Ok($gpu) => {
                tried += 1;
                $body
            }
            Err(why) => eprintln!("not tested on Vulkan: {why}"),
        }
        assert!(tried > 0 || std::env::var_os("FIBRA_NEEDS_GPU").is_none(), "there is no device to test on");
    }};
}
