//! Knits: loops in rows (courses) and columns (wales), each pulled through the one below it.
//!
//! [`pattern`] says which loops deviate from stockinette, [`center_line`] defines the shape of a loop, [`stitch`] the threads along it.
//! [`fabric`] places the loops and binds them off; the other files define garments.

mod center_line;
mod fabric;
#[cfg(test)]
mod interlooping;
mod pattern;
mod poncho;
mod stitch;
mod swatch;
mod sweater;
mod tube;

pub use pattern::{Cable, Half, Lace, Motif, Pattern, Rib};
pub use poncho::Poncho;
pub use stitch::Yarn;
pub use swatch::KnitSwatch;
pub use sweater::Sweater;
pub use tube::KnitTube;
