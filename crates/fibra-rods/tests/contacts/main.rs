//! Rods and balls in contact: whole steps, and the contact problems they solve.

mod islands;
mod momentum;
mod rest;
mod sim;
mod trial;
mod tunneling;
mod warm_start;
