//! A run's numbers as charts: energies, contacts, residuals and the rest over time, and how long the stages took.
//!
//! `panels` says what is shown, `layout` where, as lines and letters; these become SVG or pixels.

mod axis;
mod drawing;
mod layout;
mod panels;
mod raster;
mod svg;

pub use panels::{Panel, Series};

use crate::ray_caster::{WriteError, write_png};
use fibra_core::atomic_file::write_bytes_atomic;
use fibra_run::report::RunReport;
use std::path::Path;

/// What a chart is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotFormat {
    /// Pixels.
    Png,
    /// Lines and letters that can be enlarged and edited.
    Svg,
}

impl PlotFormat {
    /// The format that a file's name asks for.
    pub fn of(path: &Path) -> Option<PlotFormat> {
        let extension = path.extension()?.to_ascii_lowercase();
        [("png", PlotFormat::Png), ("svg", PlotFormat::Svg)]
            .into_iter()
            .find_map(|(name, format)| (extension == name).then_some(format))
    }
}

/// Draws all charts of a report on one sheet and writes it. Without numbers, the sheet says so.
pub fn write_plot(path: &Path, format: PlotFormat, report: &RunReport) -> Result<(), WriteError> {
    let sheet = layout::sheet(report, &panels::panels(report));
    match format {
        PlotFormat::Png => write_png(path, &raster::pixels(&sheet)),
        PlotFormat::Svg => Ok(write_bytes_atomic(path, svg::text(&sheet).as_bytes())?),
    }
}
