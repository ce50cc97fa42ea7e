//! Hair as its users see it.

mod same_bits;
mod sim;
