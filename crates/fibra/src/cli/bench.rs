//! `fibra bench`: how fast the methods are here.

use super::{CliError, Device, say, thread_count, use_threads};
use crate::benchmark::CASES;

/// Measure how fast the methods are on this machine
#[derive(clap::Args)]
pub struct Args {
    /// Benchmarks to run [default: all]
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
            say(&format!(
                "{:24} {:>9} items {:>6} steps  {:>9.1} ns per item and step  {} threads",
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

/// The cases with the given names, or all; an unknown name is an error that lists the known ones.
pub(super) fn chosen<'a, T>(
    cases: &'a [T],
    names: &[String],
    kind: &str,
    name_of: impl Fn(&T) -> &str,
) -> Result<Vec<&'a T>, CliError> {
    if names.is_empty() {
        return Ok(cases.iter().collect());
    }
    let find = |name: &String| {
        cases.iter().find(|case| name_of(case) == name).ok_or_else(|| {
            let known: Vec<&str> = cases.iter().map(&name_of).collect();
            CliError::bad_input(format!("there is no {kind} `{name}`; known are: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// Prints names with what they are about.
pub(super) fn list<'a>(cases: impl Iterator<Item = (&'a str, &'a str)>, json: bool) -> Result<(), CliError> {
    if json {
        let entries: Vec<_> = cases.map(|(name, about)| serde_json::json!({"name": name, "about": about})).collect();
        return say(&serde_json::to_string_pretty(&entries).expect("entries have only text keys"));
    }
    for (name, about) in cases {
        say(&format!("{name:24} {about}"))?;
    }
    Ok(())
}
