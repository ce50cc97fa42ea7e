//! `fibra view`: plays a run in the browser.

use super::{CliError, print_line};
use fibra_run::folder::RunFolder;
use fibra_view::Server;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Play a run in the browser, also while it is still running; Ctrl-C stops the server
#[derive(clap::Args)]
pub struct Args {
    /// Run folder
    run: PathBuf,
    /// Port to listen on, on loopback only; 0 selects a free port. To view from another machine: `ssh -L N:127.0.0.1:N`
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Also open the page in the default browser
    #[arg(long)]
    open: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let server = Server::open(RunFolder::open(&args.run)?, args.port)?;
    print_line(&format!(
        "serving {} at {}\n  open the address in a browser; Ctrl-C stops the server",
        args.run.display(),
        server.url()
    ))?;
    if args.open {
        open_browser(&server.url());
    }
    server.serve();
    Ok(())
}

/// Opens a page in the default browser. Prints a note if that fails; the address has been printed already.
fn open_browser(url: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let opened =
        Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if opened.is_err() {
        super::print_note(&format!(
            "note: cannot open a browser: `{program}` was not found; open the address yourself"
        ));
    }
}
