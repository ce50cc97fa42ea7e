//! The `fibra` command.

fn main() -> std::process::ExitCode {
    fibra::cli::main()
}
