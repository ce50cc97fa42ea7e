//! Rails: rods with a prescribed motion. A rail has no unknowns; other bodies can touch it.

use crate::error::{RodError, check};
use crate::rod::{Abscissa, End, Momenta, PointMotion, Rod, RodEnergy, RodParams, StepContext, StepSystem};
use fibra_core::geometry::{Motion, RigidState};
use glam::DVec3;

/// A rod with a prescribed motion.
#[derive(Clone, Debug)]
pub struct FixedRod {
    params: RodParams,
    /// One motion for all points, or one per point.
    motions: Vec<Motion>,
    /// Center of rotation of motions that do not set their own [m], in world coordinates.
    pivot: DVec3,
    /// Velocities of the points in the last assembled step [m/s].
    driven: Vec<DVec3>,
    /// Angular velocities at the points at the end of the last assembled step [rad/s].
    turning: Vec<DVec3>,
    // State:
    /// Positions of the points, relative to the run origin [m].
    positions: Vec<DVec3>,
    /// Velocities of the points [m/s].
    velocities: Vec<DVec3>,
}

impl FixedRod {
    /// Builds a rod from one motion for all points, or one per point. The rod rotates about the mean of its points, unless a motion sets another pivot;
    /// `origin` is the run origin [m]. The ends, velocity and natural shape in `params` have no effect.
    pub fn new(params: RodParams, motions: Vec<Motion>, origin: DVec3) -> Result<FixedRod, RodError> {
        check(&params)?;
        if motions.len() != 1 && motions.len() != params.points.len() {
            return Err(RodError::Motions { motions: motions.len(), points: params.points.len() });
        }
        let middle = params.points.iter().sum::<DVec3>() / params.points.len() as f64;
        let positions: Vec<DVec3> = params.points.iter().map(|point| *point - origin).collect();
        let still = vec![DVec3::ZERO; positions.len()];
        let (driven, turning, velocities) = (still.clone(), still.clone(), still);
        let mut rod = FixedRod { driven, turning, velocities, positions, motions: Vec::new(), pivot: middle, params };
        rod.set_motions(motions);
        Ok(rod)
    }

    /// Sets the motions from now on, and records them in the parameters of both ends.
    fn set_motions(&mut self, motions: Vec<Motion>) {
        self.pivot = motions[0].pivot(self.pivot);
        let ends = [&motions[0], &motions[motions.len() - 1]];
        self.params.ends = ends.map(|motion| End { motion: motion.clone().about(self.pivot), ..End::clamped() });
        self.motions = motions;
    }
}

impl Rod for FixedRod {
    fn unknowns(&self) -> usize {
        0
    }

    fn centerline(&self) -> &[DVec3] {
        &self.positions
    }

    fn params(&self) -> &RodParams {
        &self.params
    }

    fn form(&mut self, step: &StepContext, system: &mut StepSystem) {
        system.operator.reset(0, 0);
        system.impulse.clear();
        let pose = |motion: &Motion| (motion.pivot(self.pivot), motion.at(step.time + step.dt));
        let poses: Vec<(DVec3, RigidState)> = self.motions.iter().map(pose).collect();
        let moved = |point: DVec3, (pivot, pose): &(DVec3, RigidState)| {
            *pivot + pose.translation + pose.rotation * (point - *pivot) - step.origin
        };
        self.turning = (0..self.positions.len()).map(|i| poses[i % poses.len()].1.angular_velocity).collect();
        // A single motion moves all points.
        let rows = self.params.points.iter().zip(&self.positions).zip(poses.iter().cycle());
        self.driven = rows.map(|((point, now), pose)| (moved(*point, pose) - *now) / step.dt).collect();
    }

    fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion {
        let next = (at.segment + 1) % self.driven.len();
        let between = |all: &[DVec3]| all[at.segment].lerp(all[next], at.share);
        let drift = between(&self.driven) + between(&self.turning).cross(arm);
        PointMotion { drift, ..PointMotion::default() }
    }

    fn advance(&mut self, _velocities: &[f64], step: &StepContext) {
        self.velocities.copy_from_slice(&self.driven);
        self.positions.iter_mut().zip(&self.velocities).for_each(|(x, v)| *x += step.dt * *v);
    }

    /// Has no effect: the motion is prescribed.
    fn shift(&mut self, _displacements: &[f64]) {}

    fn velocities(&self) -> &[f64] {
        &[]
    }

    fn point_velocities(&self) -> Vec<DVec3> {
        self.velocities.clone()
    }

    fn rigid_rates(&self, _linear: DVec3, _angular: DVec3) -> Option<Vec<f64>> {
        None
    }

    fn masses(&self) -> Option<Vec<f64>> {
        None
    }

    /// Returns zero: the motion is prescribed.
    fn tension(&self) -> f64 {
        0.0
    }

    /// Returns zero: the motion is prescribed.
    fn momenta(&self) -> Momenta {
        Momenta::default()
    }

    /// Returns zero energies: the motion is prescribed, so its energy does not depend on the simulation.
    fn energy(&self, _gravity: DVec3) -> RodEnergy {
        RodEnergy::default()
    }

    /// Moves the whole rod with the end.
    fn set_end_motion(&mut self, end: usize, motion: Motion) {
        let at = if end == 0 { 0 } else { self.params.points.len() - 1 };
        self.set_motions(vec![motion.about(self.params.points[at])]);
    }

    /// Has no effect: the motion is prescribed.
    fn set_end_force(&mut self, _end: usize, _force: DVec3) {}

    fn save(&self) -> Vec<f64> {
        self.positions.iter().chain(&self.velocities).flat_map(|x| x.to_array()).collect()
    }

    fn load(&mut self, saved: &[f64]) -> bool {
        let fits = saved.len() == 6 * self.positions.len();
        if fits {
            let (x, v) = saved.split_at(saved.len() / 2);
            self.positions = x.chunks_exact(3).map(DVec3::from_slice).collect();
            self.velocities = v.chunks_exact(3).map(DVec3::from_slice).collect();
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ball::Ball;
    use crate::body::Body;
    use crate::contact::detection::Surface;
    use crate::rod::RodMaterial;
    use crate::settings::RodSettings;
    use crate::world::{Params, State, Workspace};
    use fibra_core::geometry::Spin;
    use glam::DQuat;

    fn rail(points: Vec<DVec3>) -> RodParams {
        let material = RodMaterial {
            radius: 0.01,
            density: 1000.0,
            youngs_modulus: 1e9,
            poisson_ratio: 0.3,
            drag: 0.0,
            internal_damping: 0.0,
            ..RodMaterial::default()
        };
        let ends = [End::default(), End::default()];
        RodParams { material, points, natural: None, closed: false, velocity: DVec3::ZERO, ends }
    }

    #[test]
    fn follows_its_motion_and_restores_saved_state() {
        let origin = DVec3::new(100.0, 0.0, 0.0);
        let spin = Spin::new(DVec3::Y, 2.0, Some(origin)).unwrap().moving(DVec3::X).unwrap();
        let points = vec![origin, origin + DVec3::Z];
        let mut rod = FixedRod::new(rail(points), vec![Motion::Spin(spin)], origin).unwrap();
        let mut system = StepSystem::default();
        for i in 0..10 {
            let step = StepContext { time: 0.1 * f64::from(i), dt: 0.1, gravity: DVec3::ZERO, origin };
            rod.form(&step, &mut system);
            rod.advance(&[], &step);
        }
        let expected = DVec3::X + DQuat::from_rotation_y(2.0) * DVec3::Z;
        assert!(rod.centerline()[1].distance(expected) < 1e-12, "{}", rod.centerline()[1]);
        let mut other = FixedRod::new(rod.params.clone(), rod.motions.clone(), origin).unwrap();
        assert!(other.load(&rod.save()) && !other.load(&[0.0]));
        assert_eq!(other.save(), rod.save());
    }

    /// Two crossing rails do not touch each other. A ball rests on two rails, wedged between them by its weight.
    #[test]
    fn a_ball_rests_on_rails() {
        let line = |z: f64| vec![DVec3::new(-1.0, 0.0, z), DVec3::new(1.0, 0.0, z)];
        let crossing = vec![DVec3::new(0.9, 0.0, -1.0), DVec3::new(0.9, 0.0, 1.0)];
        let rails = [line(-0.03), line(0.03), crossing];
        let body = |points| Body::Rod(Box::new(FixedRod::new(rail(points), vec![Motion::Still], DVec3::ZERO).unwrap()));
        let mut bodies: Vec<Body> = rails.into_iter().map(body).collect();
        // Radii of 0.01 and 0.04 put the center 0.04 above the rails.
        let ball = Ball {
            radius: 0.04,
            mass: 2.0,
            drag: 0.0,
            center: DVec3::new(0.0, 0.04, 0.0),
            rotation: DQuat::IDENTITY,
            velocity: [0.0; 6],
        };
        bodies.push(Body::Ball(ball));
        let params = Params {
            settings: RodSettings::default(),
            surfaces: vec![Surface { friction: 0.3, restitution: 0.0 }; 4],
            ..Params::default()
        };
        let mut state = State { bodies, ..State::default() };
        let mut workspace = Workspace::default();
        for _ in 0..100 {
            crate::step::step(&params, &mut state, &mut workspace, 1.0).unwrap();
        }
        assert_eq!((workspace.last.contacts, state.statistics.unsolved_steps), (2, 0));
        assert!(state.bodies[3].points()[0].distance(DVec3::new(0.0, 0.04, 0.0)) < 1e-4);
        let lift: f64 = state.contacts.iter().map(|touch| touch.force.y.abs()).sum();
        assert!((lift - 2.0 * 9.81).abs() < 1e-3, "{lift}");
    }
}
