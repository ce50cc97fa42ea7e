//! `fibra view`: a page in the browser that plays a run.

use super::{CliError, say};
use fibra_run::folder::RunFolder;
use fibra_view::Server;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Play a run in the browser, also while it is still going; Ctrl-C ends it
#[derive(clap::Args)]
pub struct Args {
    /// Folder of a run
    run: PathBuf,
    /// Port to listen on, on this machine only; 0 takes any that is free. To look from another machine: `ssh -L N:127.0.0.1:N`
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Also open the page in the default browser
    #[arg(long)]
    open: bool,
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<(), CliError> {
    let server = Server::open(RunFolder::open(&args.run)?, args.port)?;
    say(&format!("{} plays at {}\n  open it in a browser; Ctrl-C ends it", args.run.display(), server.url()))?;
    if args.open {
        open_browser(&server.url());
    }
    server.serve();
    Ok(())
}

/// Asks the desktop to show a page. Where there is none, the address was printed.
fn open_browser(url: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let quiet = Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if quiet.is_err() {
        super::tell(&format!("note: `{program}` is not here to open a browser; open the address yourself"));
    }
}
