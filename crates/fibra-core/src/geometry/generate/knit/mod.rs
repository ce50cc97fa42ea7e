//! Stockinette knits: loops in rows (courses) and columns (wales), each pulled through the one below it.
//!
//! [`stitch`] defines the shape of one loop, [`fabric`] repeats it and binds it off; the other files define garments.

mod fabric;
mod poncho;
mod stitch;
mod swatch;
mod sweater;
mod tube;

pub use poncho::Poncho;
pub use stitch::Yarn;
pub use swatch::KnitSwatch;
pub use sweater::Sweater;
pub use tube::KnitTube;
