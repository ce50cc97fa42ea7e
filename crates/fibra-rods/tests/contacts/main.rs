//! Tests of rods and balls in contact: whole steps, and the contact problems solved in a step.

mod energy;
mod islands;
mod momentum;
mod rest;
mod sim;
mod trial;
mod tunneling;
mod warm_start;
