//! Files of other programs: runs are written as USD and glTF, and meshes, curves and their animations read from them.
//!
//! | module | holds |
//! |---|---|
//! | [`usd_write`] | a run as one USD stage |
//! | [`glb_write`] | a frame as binary glTF |

pub mod glb_write;
mod layout;
mod shapes;
#[cfg(test)]
mod test_run;
pub mod usd_write;
