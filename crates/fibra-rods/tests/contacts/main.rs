//! Rods and balls in contact: whole steps, and the problems they pose.

mod front_door;
mod islands;
mod momentum;
mod rest;
mod trial;
mod tunnelling;
mod warm_start;
