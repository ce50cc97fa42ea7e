//! `fibra bench`: how fast the methods are here.

use super::cases::{chosen, list};
use super::{CliError, Device, say, thread_count, use_threads};
use crate::benchmark::CASES;

/// Measure how fast the methods are on this machine
#[derive(clap::Args)]
pub struct Args {
    /// Benchmarks or families of them to run: `mpm-jelly` also runs `mpm-jelly-shuffled` [default: all]
    names: Vec<String>,
    /// Only list the benchmarks
    #[arg(long)]
    list: bool,
    /// Print an array of objects: name, device, threads, items, steps, ns_per_item_step [ns], seconds_per_step [s]
    #[arg(long)]
    json: bool,
    /// Where to compute
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,
    /// Number of worker threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let cases = chosen(CASES, &args.names, "benchmark", |case| case.name)?;
    if args.list {
        return list(cases.iter().map(|case| (case.name, case.about)), args.json);
    }
    use_threads(args.threads)?;
    let Device::Cpu = args.device;
    let mut records = Vec::new();
    for case in cases {
        let timed = (case.run)().map_err(|failure| CliError::failed(format!("{}: {failure}", case.name)))?;
        let record = timed.record(case.name, "cpu");
        if !args.json {
            let memory = record.memory.map_or(String::new(), |m| {
                format!("  {:.0} bytes per item, {:.0} per grid node", m.bytes_per_item, m.bytes_per_node)
            });
            say(&format!(
                "{:20} {:>9} items {:>4} steps  {:>8.1} ns per item and step  {} threads{memory}",
                record.name, record.items, record.steps, record.ns_per_item_step, record.threads
            ))?;
        }
        records.push(record);
    }
    if args.json {
        say(&serde_json::to_string_pretty(&records).expect("records have only text keys"))?;
    }
    Ok(())
}
