//! Hair in a game loop: `cargo run --release -p fibra-hair --example real_time`
//!
//! The game controls time and the character. Each frame it moves the head and the shoulders and renders the hair. Here the character shakes its head
//! for three seconds, and the program prints the frame times.

use fibra_core::geometry::generate::{Hairstyle, Head};
use fibra_core::geometry::{RigidPose, Shape};
use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
use glam::{DQuat, DVec3};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::time::Instant;

/// Frames per second [1/s].
const FPS: f64 = 60.0;

/// Returns the pose of the shaking head, 1.6 m above the ground, at a time [s].
fn head(time: f64) -> RigidPose {
    let onset = (time / 0.5).min(1.0);
    let turn = DQuat::from_rotation_y(0.9 * onset * (7.0 * time).sin());
    let nod = DQuat::from_rotation_x(0.3 * onset * (4.0 * time).sin());
    RigidPose { translation: DVec3::new(0.0, 1.6, 0.0), rotation: turn * nod }
}

/// Returns the pose of the shoulders: a capsule along y, rotated to lie along x.
fn shoulders(time: f64) -> RigidPose {
    let sway = DVec3::new(0.02 * (7.0 * time).sin(), 1.37, -0.02);
    RigidPose { translation: sway, rotation: DQuat::from_rotation_z(FRAC_PI_2) }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Strand points in meters, for the initial pose of the head. They could also come from a `.hair` file: `fibra_exchange::read_strands`.
    let style = Hairstyle::short().build()?;
    let strand = |points: &[DVec3]| StrandInput {
        points: points.iter().map(|point| head(0.0).apply(*point).as_vec3()).collect(),
        pinned: 2,
        ..StrandInput::default()
    };
    let mut builder = HairSim::builder(HairSettings::default());
    builder.head(head(0.0));
    style.iter().map(strand).for_each(|strand| {
        builder.add_strand(strand);
    });
    let skull = Shape::ellipsoid(Head::ADULT.half_axes.as_vec3())?;
    builder.add_collider(HairCollider { on_head: true, ..HairCollider::new(skull) });
    let torso = HairCollider { pose: shoulders(0.0), ..HairCollider::new(Shape::capsule(0.15, 0.06)?) };
    let torso = builder.add_collider(torso);
    let mut hair = builder.build()?;
    println!("{} strands with {} vertices in total", hair.strands().len(), hair.positions().len());

    let (mut total, mut worst) = (0.0, 0.0f64);
    let frames = 3 * FPS as u32;
    for frame in 1..=frames {
        let time = f64::from(frame) / FPS;
        let begun = Instant::now();
        hair.move_collider(torso, shoulders(time))?;
        if let Err(error) = hair.advance(&head(time), 1.0 / FPS) {
            // After an error, restart the hair and continue the game.
            eprintln!("{error}");
            hair.reset(&head(time));
        }
        let spent = begun.elapsed().as_secs_f64();
        (total, worst) = (total + spent, worst.max(spent));
        // A renderer would copy these to the GPU. `hair.strands().vertices(strand)` is the index range of a strand.
        let _rendered = hair.positions();
    }
    println!("{:.1} ms per frame on average, {:.1} ms maximum", 1e3 * total / f64::from(frames), 1e3 * worst);
    for (stage, seconds) in hair.stage_seconds() {
        println!("{stage:>12} {:5.2} ms", 1e3 * seconds / f64::from(frames));
    }
    Ok(())
}
