//! Positions, strains, volumes and parts of elastons, as [`fibra_elastons`] computes them.

pub use fibra_elastons::body_measures::Measures;
