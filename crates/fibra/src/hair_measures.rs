//! Measures of hair: see [`fibra_hair::measures`].

pub use fibra_hair::measures::{
    Totals, deep_inside, free_points, inside, occupied_volume, segment_lengths, stretches, totals, vertices, volume,
};
