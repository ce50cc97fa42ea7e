//! Things knitted in stockinette: loops in rows (courses) and columns (wales), each pulled through the one below it.
//!
//! [`stitch`] is the shape of one loop, [`fabric`] repeats and binds it; the other files give it a form.

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
