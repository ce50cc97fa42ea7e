//! Where to compute: the processor, or a graphics card.

use std::fmt;
use std::str::FromStr;

/// What the user asks for. It is written and parsed as its [name](Device::name).
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
    /// The processor.
    Cpu,
    /// A graphics card of NVIDIA, through CUDA.
    Cuda,
    /// Any graphics card that speaks Vulkan (on macOS: Metal).
    Vulkan,
    /// The first of CUDA, Vulkan and the processor that can do it.
    Auto,
}

/// A name that no device has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no device `{0}`: use `cpu`, `cuda`, `vulkan` or `auto`")]
pub struct UnknownDevice(pub String);

impl Device {
    /// All devices, in the order in which they are listed to users.
    pub const ALL: [Device; 4] = [Device::Cpu, Device::Cuda, Device::Vulkan, Device::Auto];

    /// The name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
            Device::Vulkan => "vulkan",
            Device::Auto => "auto",
        }
    }

    /// What it is, for users.
    pub fn description(self) -> &'static str {
        match self {
            Device::Cpu => "The processor",
            Device::Cuda => "A graphics card of NVIDIA, through CUDA",
            Device::Vulkan => "Any graphics card that speaks Vulkan (on macOS: Metal)",
            Device::Auto => "The first of CUDA, Vulkan and the processor that can do it",
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

/// A graphics card that is open. Without the feature `gpu` there is none.
#[derive(Clone, Debug)]
pub enum Card {
    /// Through CUDA.
    #[cfg(feature = "gpu")]
    Cuda(fibra_gpu::CudaGpu),
    /// Through Vulkan or Metal.
    #[cfg(feature = "gpu")]
    Vulkan(fibra_gpu::VulkanGpu),
}

/// Why there is no card.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CardError {
    /// The program knows nothing about graphics cards.
    #[error("this fibra was built without graphics cards: build it with `cargo build --release --features gpu`")]
    NotBuilt,
    /// None can be used.
    #[error("{0}")]
    #[cfg(feature = "gpu")]
    None(String),
}

impl Device {
    /// Opens the card that is asked for; none for the processor. With [`Device::Auto`] the reason why there is none is the second of the pair.
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

    /// What the driver calls it.
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

    /// One that is not the processor in disguise, which does better by itself.
    fn hardware_vulkan() -> Result<Card, CardError> {
        let card = Card::vulkan()?;
        if card.name().contains("llvmpipe") || card.name().contains("SwiftShader") {
            return Err(CardError::None(format!("the only Vulkan device, {}, is the processor", card.name())));
        }
        Ok(card)
    }

    /// What the driver calls it.
    pub fn name(&self) -> &str {
        match self {
            Card::Cuda(gpu) => gpu.name(),
            Card::Vulkan(gpu) => gpu.name(),
        }
    }
}

/// What to do after a device has failed.
#[cfg(feature = "gpu")]
pub const AFTER_A_FAILURE: &str =
    "frames and the last checkpoint are whole: go on with `--resume`, here or with `--device cpu`";
