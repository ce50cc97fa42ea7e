//! Implicit steps: derivatives of the energy against finite differences, and whole steps.

mod contacts;
mod forces;
mod scene;
mod steps;
