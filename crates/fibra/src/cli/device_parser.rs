//! Parser of the argument `--device`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fibra_run::Device;

/// Parses the name of a device, and lists all devices in `--help` and in errors.
pub fn device_parser() -> impl TypedValueParser<Value = Device> {
    let listed = Device::ALL.map(|device| PossibleValue::new(device.name()).help(device.description()));
    PossibleValuesParser::new(listed).try_map(|name| name.parse::<Device>())
}
