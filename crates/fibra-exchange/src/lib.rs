//! Files of other programs: runs are written as USD and glTF, and meshes, curves and their animations read from them.
//!
//! | module | holds |
//! |---|---|
//! | [`usd_write`] | a run as one USD stage |

mod layout;
mod shapes;
pub mod usd_write;
