//! Public API of hair.

mod same_bits;
mod sim;
