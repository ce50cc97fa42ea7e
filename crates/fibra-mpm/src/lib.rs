//! The material point method.
pub mod diagnostics;
pub mod g2p;
pub mod grid_update;
pub mod law;
pub mod materials;
pub mod p2g;
pub mod params;
mod simd;
pub mod sort;
pub mod state;
pub mod state_file;
pub mod step;
pub mod tile;
pub mod timestep;
pub mod workspace;
