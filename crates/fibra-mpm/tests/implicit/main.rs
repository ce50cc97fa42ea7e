//! Implicit steps: the energy's derivatives against finite differences, and whole steps against what they must do.

mod contacts;
mod forces;
mod scene;
mod steps;
