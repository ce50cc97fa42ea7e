//! Charts of a run (energies, contacts, residuals and other quantities over time, and the time per stage) and of validation checks.
//!
//! `panels` collects the data of a run and `layout` arranges it as a drawing; `checks` draws validation checks. `svg` and `raster` write a drawing, `table` writes
//! the data of a run as text.

mod axis;
mod checks;
mod drawing;
mod layout;
mod panels;
mod raster;
mod svg;
mod table;

pub use checks::CheckRow;
pub use panels::{Panel, Series};

use crate::ray_caster::{WriteError, write_png};
use drawing::Drawing;
use fibra_core::atomic_file::write_bytes_atomic;
use fibra_run::report::RunReport;
use std::path::Path;

/// File format of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotFormat {
    /// A raster image.
    Png,
    /// A vector image, which can be scaled and edited.
    Svg,
    /// A table of all quantities, one row per frame.
    Csv,
}

impl PlotFormat {
    /// Returns the format for the extension of a file name.
    pub fn of(path: &Path) -> Option<PlotFormat> {
        let extension = path.extension()?.to_ascii_lowercase();
        [("png", PlotFormat::Png), ("svg", PlotFormat::Svg), ("csv", PlotFormat::Csv)]
            .into_iter()
            .find_map(|(name, format)| (extension == name).then_some(format))
    }
}

/// Writes a sheet with all charts of a report, or a table of its quantities. Without quantities, the sheet contains a note.
pub fn write_plot(path: &Path, format: PlotFormat, report: &RunReport) -> Result<(), WriteError> {
    write(path, format, || layout::sheet(report, &panels::panels(report)), || table::csv(report))
}

/// Writes a chart or a table of validation checks.
pub fn write_checks(path: &Path, format: PlotFormat, title: &str, rows: &[CheckRow]) -> Result<(), WriteError> {
    write(path, format, || checks::sheet(title, rows), || checks::csv(rows))
}

fn write(
    path: &Path,
    format: PlotFormat,
    drawing: impl FnOnce() -> Drawing,
    table: impl FnOnce() -> String,
) -> Result<(), WriteError> {
    match format {
        PlotFormat::Png => write_png(path, &raster::pixels(&drawing())),
        PlotFormat::Svg => Ok(write_bytes_atomic(path, svg::text(&drawing()).as_bytes())?),
        PlotFormat::Csv => Ok(write_bytes_atomic(path, table().as_bytes())?),
    }
}
