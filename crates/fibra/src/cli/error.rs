//! Errors of commands and their exit codes.

use fibra_core::atomic_file::WriteError;
use fibra_render::picture::PictureError;
use fibra_rods::friction::file::FrictionFileError;
use fibra_run::checkpoint::CheckpointError;
use fibra_run::export::ExportError;
use fibra_run::folder::RunFolderError;
use fibra_run::run_loop::RunError;
use fibra_scene::SceneError;
use fibra_view::ViewError;
use std::fmt::{Display, Formatter};
use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Error or early end of a command: a message and an exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CliError {
    /// Invalid input: exit code 2.
    BadInput(String),
    /// Valid input, but the work failed: exit code 1.
    Failed(String),
    /// Like `Failed`, but everything has been printed already.
    FailedQuietly,
    /// Interrupted by the user: exit code 130. The text explains how to continue.
    Interrupted(String),
    /// The reader of standard output, such as `head`, closed it: exit code 0.
    OutputClosed,
}

impl CliError {
    /// Creates a `BadInput` error from a message.
    pub fn bad_input(message: impl Display) -> CliError {
        CliError::BadInput(format!("error: {message}\n"))
    }

    /// Creates a `Failed` error from a message.
    pub fn failed(message: impl Display) -> CliError {
        CliError::Failed(format!("error: {message}\n"))
    }

    /// Converts an error from writing to standard output.
    pub fn from_output(error: io::Error) -> CliError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => CliError::OutputClosed,
            _ => CliError::failed(format!("cannot write to standard output: {error}")),
        }
    }

    /// Returns the exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            CliError::BadInput(_) => 2,
            CliError::Failed(_) | CliError::FailedQuietly => 1,
            CliError::Interrupted(_) => 130,
            CliError::OutputClosed => 0,
        })
    }
}

/// The text ends with a line break unless it is empty.
impl Display for CliError {
    fn fmt(&self, out: &mut Formatter) -> std::fmt::Result {
        match self {
            CliError::BadInput(text) | CliError::Failed(text) | CliError::Interrupted(text) => out.write_str(text),
            CliError::FailedQuietly | CliError::OutputClosed => Ok(()),
        }
    }
}

impl From<WriteError> for CliError {
    fn from(error: WriteError) -> CliError {
        CliError::failed(error)
    }
}

impl From<RunFolderError> for CliError {
    fn from(error: RunFolderError) -> CliError {
        match error {
            RunFolderError::Write(error) => error.into(),
            error => CliError::bad_input(error),
        }
    }
}

impl From<CheckpointError> for CliError {
    fn from(error: CheckpointError) -> CliError {
        CliError::bad_input(error)
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> CliError {
        match error {
            // The device that the user selected failed.
            RunError::Failed { ref failure, .. } if failure.machine => CliError::bad_input(error),
            RunError::Failed { .. } => CliError::failed(error),
            RunError::Write(error) => error.into(),
            RunError::Checkpoint(error) => error.into(),
            RunError::Folder(error) => error.into(),
        }
    }
}

impl From<ExportError> for CliError {
    fn from(error: ExportError) -> CliError {
        match error {
            ExportError::Write(error) => error.into(),
            ExportError::Folder(error) => error.into(),
            ExportError::Interrupted => CliError::Interrupted(format!("{error}\n")),
            ExportError::Frame(_)
            | ExportError::Misnamed { .. }
            | ExportError::NoFrames(_)
            | ExportError::NoCurves(_)
            | ExportError::NotWritten(_)
            | ExportError::Strands { .. }
            | ExportError::Stage { .. }
            | ExportError::Glb(_)
            | ExportError::Appearance(_) => CliError::bad_input(error),
        }
    }
}

impl From<SceneError> for CliError {
    fn from(error: SceneError) -> CliError {
        CliError::BadInput(error.render(io::stderr().is_terminal()))
    }
}

impl From<FrictionFileError> for CliError {
    fn from(error: FrictionFileError) -> CliError {
        CliError::bad_input(error)
    }
}

impl From<fibra_render::ray_caster::WriteError> for CliError {
    fn from(error: fibra_render::ray_caster::WriteError) -> CliError {
        CliError::failed(error)
    }
}

impl From<PictureError> for CliError {
    fn from(error: PictureError) -> CliError {
        match error {
            PictureError::Write(error) => error.into(),
            error => CliError::bad_input(error),
        }
    }
}

impl From<ViewError> for CliError {
    fn from(error: ViewError) -> CliError {
        CliError::bad_input(error)
    }
}
