//! Hair in a game's loop: `cargo run --release -p fibra-hair --example real_time`
//!
//! The game owns the time and the character; each frame it moves the head and the shoulders and renders the hair. Here the character shakes its
//! head for three seconds, and the program prints how long the frames took.

use fibra_core::geometry::generate::{Hairstyle, Head};
use fibra_core::geometry::{RigidPose, Shape};
use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
use glam::{DQuat, DVec3};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::time::Instant;

/// Frames per second [1/s].
const FPS: f64 = 60.0;

/// Where the head is at a time [s]: 1.6 m above the ground, shaken.
fn head(time: f64) -> RigidPose {
    let onset = (time / 0.5).min(1.0);
    let turn = DQuat::from_rotation_y(0.9 * onset * (7.0 * time).sin());
    let nod = DQuat::from_rotation_x(0.3 * onset * (4.0 * time).sin());
    RigidPose { translation: DVec3::new(0.0, 1.6, 0.0), rotation: turn * nod }
}

/// Where the shoulders are: a capsule, which lies along y, turned to lie along x.
fn shoulders(time: f64) -> RigidPose {
    let sway = DVec3::new(0.02 * (7.0 * time).sin(), 1.37, -0.02);
    RigidPose { translation: sway, rotation: DQuat::from_rotation_z(FRAC_PI_2) }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Strands in meters, in the place where the head is at the start. They could come from a `.hair` file: `fibra_exchange::read_strands`.
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
    println!("{} strands of {} vertices", hair.strands().len(), hair.positions().len());

    let (mut total, mut worst) = (0.0, 0.0f64);
    let frames = 3 * FPS as u32;
    for frame in 1..=frames {
        let time = f64::from(frame) / FPS;
        let begun = Instant::now();
        hair.move_collider(torso, shoulders(time))?;
        if let Err(error) = hair.advance(&head(time), 1.0 / FPS) {
            // A game must go on: the hair starts again.
            eprintln!("{error}");
            hair.reset(&head(time));
        }
        let spent = begun.elapsed().as_secs_f64();
        (total, worst) = (total + spent, worst.max(spent));
        // A renderer would copy these to the GPU: vertices in the order of the strands, which `hair.strands().vertices(strand)` numbers.
        let _drawn = hair.positions();
    }
    println!("{:.1} ms per frame, {:.1} ms the worst", 1e3 * total / f64::from(frames), 1e3 * worst);
    for (stage, seconds) in hair.stage_seconds() {
        println!("{stage:>12} {:5.2} ms", 1e3 * seconds / f64::from(frames));
    }
    Ok(())
}
