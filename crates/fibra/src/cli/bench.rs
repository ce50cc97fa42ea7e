//! `fibra bench`: measures the speed of the methods on this machine.

use super::cases::{print_list, select};
use super::device_parser::device_parser;
use super::{CliError, open_card, print_line, thread_count, use_threads};
use fibra_run::Device;
use fibra_validation::Case;
use fibra_validation::benchmark::{CASES, Record, Timed};

/// Measure the speed of the methods on this machine
#[derive(clap::Args)]
pub struct Args {
    /// Benchmarks or families of benchmarks to run: `mpm-jelly` also runs `mpm-jelly-shuffled` [default: all]
    names: Vec<String>,
    /// Only list the benchmarks
    #[arg(long)]
    list: bool,
    /// Print an array of objects: name, device, threads, items, steps, ns_per_item_step [ns], seconds_per_step [s], and other values
    /// that a benchmark measures
    #[arg(long)]
    json: bool,
    /// Device to measure; GPUs have their own set of benchmarks
    #[arg(long, value_parser = device_parser(), default_value_t = Device::Cpu)]
    device: Device,
    /// Number of worker threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    if args.device != Device::Cpu {
        return run_on_gpu(args);
    }
    let cases = select(CASES, &args.names, "benchmark")?;
    if args.list {
        return print_list(&cases, args.json);
    }
    use_threads(args.threads)?;
    time(args, &cases, "cpu", |run| run())
}

/// Runs benchmarks and prints their results.
fn time<R>(
    args: &Args,
    cases: &[&Case<R>],
    device: &str,
    start: impl Fn(&R) -> Result<Vec<Timed>, String>,
) -> Result<(), CliError> {
    let mut records = Vec::new();
    for case in cases {
        let parts = start(&case.run).map_err(|failure| CliError::failed(format!("{}: {failure}", case.name)))?;
        for timed in parts {
            let record = timed.record(case.name, device);
            if !args.json {
                print_line(&line(&record, &timed.details))?;
            }
            records.push(record);
        }
    }
    if args.json {
        print_line(&serde_json::to_string_pretty(&records).expect("records have only string keys"))?;
    }
    Ok(())
}

/// Runs the GPU benchmarks.
#[cfg(feature = "gpu")]
fn run_on_gpu(args: &Args) -> Result<(), CliError> {
    let cases = select(fibra_validation::benchmark::gpu::CASES, &args.names, "GPU benchmark")?;
    if args.list {
        return print_list(&cases, args.json);
    }
    let card = open_card(args.device)?;
    time(args, &cases, card.name(), |run| run(&card))
}

/// Returns an error with the reason: this program was built without the feature `gpu`.
#[cfg(not(feature = "gpu"))]
fn run_on_gpu(args: &Args) -> Result<(), CliError> {
    open_card(args.device).map(|_| ())
}

/// Formats a result as one line, with its details in their order.
fn line(record: &Record, details: &[(&str, f64)]) -> String {
    let mut line = format!(
        "{:24} {:>9} items {:>4} steps  {:>8.1} ns per item and step  {} threads",
        record.name, record.items, record.steps, record.ns_per_item_step, record.threads
    );
    if let Some(memory) = record.memory {
        let (item, node) = (memory.bytes_per_item, memory.bytes_per_node);
        line += &format!("  {item:.0} bytes per item, {node:.0} per grid node");
    }
    if !details.is_empty() {
        line += &format!("  {:.4} s per step", record.seconds_per_step);
    }
    for (name, value) in details {
        line += &format!(", {} {}", name.replace('_', " "), digits(*value));
    }
    line
}

/// Formats integers in full and other numbers to three digits.
fn digits(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{value}");
    }
    match value.abs() {
        0.01..1.0 => format!("{value:.3}"),
        1.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [4.0, 12_345.0, 0.034_56, 3.456, 34.56, 3456.7, -3.456, 1.234e-5].map(digits);
        assert_eq!(shown, ["4", "12345", "0.035", "3.46", "34.6", "3.46e3", "-3.46", "1.23e-5"]);
    }
}
