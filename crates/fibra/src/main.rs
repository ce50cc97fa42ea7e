//! The `fibra` command.

mod cli;
mod friction_file;

fn main() -> std::process::ExitCode {
    cli::main()
}
