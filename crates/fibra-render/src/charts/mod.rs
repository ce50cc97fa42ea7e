//! Charts of a run: energies, contacts, residuals and other quantities over time, and the time per stage.
//!
//! `panels` collects the data, `layout` arranges it as a drawing, and `svg` and `raster` write the drawing.

mod axis;
mod drawing;
mod layout;
mod panels;
mod raster;
mod svg;
mod table;

pub use panels::{Panel, Series};

use crate::ray_caster::{WriteError, write_png};
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
    if format == PlotFormat::Csv {
        return Ok(write_bytes_atomic(path, table::csv(report).as_bytes())?);
    }
    let sheet = layout::sheet(report, &panels::panels(report));
    match format {
        PlotFormat::Svg => Ok(write_bytes_atomic(path, svg::text(&sheet).as_bytes())?),
        _ => write_png(path, &raster::pixels(&sheet)),
    }
}
