//! The device that computes the steps: the CPU or a GPU.

use std::fmt;
use std::str::FromStr;

/// A device requested by the user. It is printed and parsed as its [name](Device::name).
///
/// ```
/// use fibra_run::Device;
///
/// assert_eq!("vulkan".parse(), Ok(Device::Vulkan));
/// assert_eq!(Device::Cuda.to_string(), "cuda");
/// assert!("abacus".parse::<Device>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU, through CUDA.
    Cuda,
    /// Any GPU with Vulkan (on macOS: Metal).
    Vulkan,
    /// The first of CUDA, Vulkan and the CPU that is available.
    Auto,
}

/// The error for a name that no device has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no device `{0}`: use `cpu`, `cuda`, `vulkan` or `auto`")]
pub struct UnknownDevice(pub String);

impl Device {
    /// All devices, in the order of `--help`.
    pub const ALL: [Device; 4] = [Device::Cpu, Device::Cuda, Device::Vulkan, Device::Auto];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
            Device::Vulkan => "vulkan",
            Device::Auto => "auto",
        }
    }

    /// Returns the description for `--help`.
    pub fn description(self) -> &'static str {
        match self {
            Device::Cpu => "The CPU",
            Device::Cuda => "An NVIDIA GPU, through CUDA",
            Device::Vulkan => "Any GPU with Vulkan (on macOS: Metal)",
            Device::Auto => "The first of CUDA, Vulkan and the CPU that is available",
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Device::ALL.into_iter().find(|device| device.name() == name);
        found.ok_or_else(|| UnknownDevice(name.to_owned()))
    }
}

/// An open GPU. Without the feature `gpu` this type has no values.
#[derive(Clone, Debug)]
pub enum Card {
    /// A GPU used through CUDA.
    #[cfg(feature = "gpu")]
    Cuda(fibra_gpu::CudaGpu),
    /// A GPU used through Vulkan or Metal.
    #[cfg(feature = "gpu")]
    Vulkan(fibra_gpu::VulkanGpu),
}

/// An error from opening a GPU.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CardError {
    /// The program was built without the feature `gpu`.
    #[error("this fibra was built without GPU support: build it with `cargo build --release --features gpu`")]
    NotBuilt,
    /// No usable GPU was found.
    #[error("{0}")]
    #[cfg(feature = "gpu")]
    None(String),
}

impl Device {
    /// Opens the requested GPU; returns `None` for the CPU. With [`Device::Auto`], the second value is the reason why no GPU is used.
    pub fn open(self) -> Result<(Option<Card>, Option<String>), CardError> {
        match self {
            Device::Cpu => Ok((None, None)),
            Device::Cuda => Ok((Some(Card::cuda()?), None)),
            Device::Vulkan => Ok((Some(Card::vulkan()?), None)),
            Device::Auto => Ok(
                match Card::cuda().or_else(|first| {
                    Card::hardware_vulkan().map_err(|second| {
                        if first == second { first.to_string() } else { format!("{first}; {second}") }
                    })
                }) {
                    Ok(card) => (Some(card), None),
                    Err(why) => (None, Some(why)),
                },
            ),
        }
    }
}

#[cfg(not(feature = "gpu"))]
impl Card {
    fn cuda() -> Result<Card, CardError> {
        Err(CardError::NotBuilt)
    }

    fn vulkan() -> Result<Card, CardError> {
        Err(CardError::NotBuilt)
    }

    fn hardware_vulkan() -> Result<Card, CardError> {
        Err(CardError::NotBuilt)
    }

    /// Returns the name that the driver reports.
    pub fn name(&self) -> &str {
        match *self {}
    }
}

#[cfg(feature = "gpu")]
impl Card {
    fn cuda() -> Result<Card, CardError> {
        fibra_gpu::CudaGpu::open().map(Card::Cuda).map_err(|e| CardError::None(e.to_string()))
    }

    fn vulkan() -> Result<Card, CardError> {
        fibra_gpu::VulkanGpu::open().map(Card::Vulkan).map_err(|e| CardError::None(e.to_string()))
    }

    /// Opens a hardware Vulkan device. A software device is an error: it is slower than the CPU code.
    fn hardware_vulkan() -> Result<Card, CardError> {
        let card = Card::vulkan()?;
        if card.name().contains("llvmpipe") || card.name().contains("SwiftShader") {
            return Err(CardError::None(format!(
                "the only Vulkan device, {}, is a software renderer on the CPU",
                card.name()
            )));
        }
        Ok(card)
    }

    /// Returns the name that the driver reports.
    pub fn name(&self) -> &str {
        match self {
            Card::Cuda(gpu) => gpu.name(),
            Card::Vulkan(gpu) => gpu.name(),
        }
    }
}

/// Remedy after a device failure.
#[cfg(feature = "gpu")]
pub const AFTER_A_FAILURE: &str =
    "all frames and the last checkpoint are valid: continue with `--resume`, on this device or with `--device cpu`";
