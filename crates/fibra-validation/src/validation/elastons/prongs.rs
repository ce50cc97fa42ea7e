//! Two prongs on a held base: driving one must not move the other, however near it is and however coarse the samples are.

use super::Check;
use fibra_core::geometry::RigidPose;
use fibra_elastons::{ElasticMaterial, ElastonError, ElastonObject, ElastonSettings, ElastonSim, ObjectId};
use glam::DVec3;

/// Length of the prongs [m].
const LENGTH: f64 = 0.3;
/// Side of their square cross-section, and height of the base [m].
const SIDE: f64 = 0.01;
/// Displacement of the tip of the driven prong [m].
const DRIVE: f64 = 0.05;

/// A base with two prongs, which are separate objects of one body.
struct Fork {
    /// Distance between the facing sides of the prongs [m].
    gap: f64,
    /// Samples per prong.
    samples: usize,
    /// Whether the prongs are wires with one piece across, rather than solids with two.
    wires: bool,
    /// Whether the fork is resampled during the drive.
    resampled: bool,
}

impl Fork {
    /// Largest displacement of the other prong, and displacement of the driven tip [m].
    fn displacements(&self) -> Result<[f64; 2], ElastonError> {
        let spacing = 0.5 * SIDE;
        let material = ElasticMaterial { youngs_modulus: 1e6, poisson_ratio: 0.3, ..ElasticMaterial::default() };
        let resampling = self.resampled.then_some(fibra_elastons::Resampling { interval: 0.1, merge: false });
        let settings = ElastonSettings {
            gravity: DVec3::ZERO,
            dt: 0.01,
            mass_damping: 1.0,
            stiffness_damping: 0.01,
            resampling,
            ..ElastonSettings::default()
        };
        let mut builder = ElastonSim::builder(settings);
        let width = self.gap + 2.0 * SIDE;
        let base = ElastonObject::cuboid(
            DVec3::new(width, SIDE, SIDE),
            RigidPose::at(DVec3::new(0.0, -0.5 * SIDE, 0.0)),
            spacing,
        );
        let base = builder.add(base.material(material).samples(2).elastons(8))?;
        let prong = |sign: f64| {
            let foot = DVec3::new(sign * 0.5 * (self.gap + SIDE), 0.0, 0.0);
            let prong = if self.wires {
                ElastonObject::wire(vec![foot, foot + LENGTH * DVec3::Y], 0.5 * SIDE, spacing)
            } else {
                let pose = RigidPose::at(foot + 0.5 * LENGTH * DVec3::Y);
                ElastonObject::cuboid(DVec3::new(SIDE, LENGTH, SIDE), pose, spacing)
            };
            prong.material(material).samples(self.samples).elastons(5 * self.samples / 2).joined_to(base)
        };
        let driven = builder.add(prong(-1.0))?;
        let other = builder.add(prong(1.0))?;
        builder.hold(base, |_| true)?;
        let tip = builder.hold(driven, |x| x.y > LENGTH - spacing)?;
        let mut sim = builder.build()?;
        let places = |sim: &ElastonSim, object: ObjectId| sim.positions()[sim.pieces(object)].to_vec();
        let moved = |before: &[DVec3], after: &[DVec3]| {
            before.iter().zip(after).map(|(before, after)| before.distance(*after)).fold(0.0, f64::max)
        };
        let before = [other, driven].map(|object| places(&sim, object));
        let start = sim.hold_pose(tip)?.translation;
        for part in [0.5, 1.0] {
            // Away from the other prong, so that the two do not collide.
            sim.move_hold(tip, RigidPose::at(start - part * DRIVE * DVec3::X))?;
            sim.advance(0.1)?;
        }
        sim.advance(0.1)?;
        let after = [other, driven].map(|object| places(&sim, object));
        Ok([moved(&before[0], &after[0]), moved(&before[1], &after[1])])
    }
}

/// Gaps [m] and numbers of samples per prong.
const GAPS: [f64; 4] = [0.008, 0.012, 0.02, 0.04];
const SAMPLES: [usize; 3] = [4, 9, 24];

pub fn prongs() -> Result<Vec<Check>, String> {
    let all = |gaps: &[f64], samples: &[usize]| -> Vec<(f64, usize)> {
        gaps.iter().flat_map(|&gap| samples.iter().map(move |&samples| (gap, samples))).collect()
    };
    let series = [
        ("solids", false, false, all(&GAPS, &SAMPLES)),
        ("solids-resampled", false, true, all(&GAPS[1..2], &SAMPLES)),
        ("wires", true, false, all(&GAPS[..2], &SAMPLES)),
        ("wires-resampled", true, true, all(&GAPS[1..2], &SAMPLES)),
    ];
    let mut checks = Vec::new();
    for (name, wires, resampled, sizes) in series {
        let (mut farthest, mut driven): (f64, f64) = (0.0, f64::INFINITY);
        for (gap, samples) in sizes {
            // A rejected fork fails the check.
            let fork = Fork { gap, samples, wires, resampled };
            let [other, tip] = fork.displacements().unwrap_or([f64::INFINITY, 0.0]);
            farthest = farthest.max(other);
            driven = driven.min(tip);
        }
        checks.push(Check::absolute(&format!("elaston-prongs-{name}"), farthest, 0.0, 1e-6));
        checks.push(Check::relative(&format!("elaston-prongs-{name}-driven"), driven, DRIVE, 0.05));
    }
    Ok(checks)
}
