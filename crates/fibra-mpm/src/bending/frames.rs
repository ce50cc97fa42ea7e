//! Material frames of segments: parallel transport with the curve, and spin about it.

use super::Bending;
use crate::mesh::Pin;
use fibra_core::edge_frames::{angle, nearest_turn, rotated, transport};
use glam::Vec3;
use rayon::prelude::*;

/// No joint, or no pin.
pub(crate) const NONE: u32 = u32::MAX;

/// A segment of a curve that bends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Ids of its vertices, along the curve.
    pub ends: [u32; 2],
    /// Moment of inertia about its tangent [kg m^2].
    pub inertia: f32,
    /// Bound on the torque per angle about its tangent [N m].
    pub twisting: f32,
    /// The joints at its first and second vertex; `u32::MAX` if there is none.
    pub joints: [u32; 2],
    /// The pin that holds both vertices, or the first vertex if both are on a deforming surface; `u32::MAX` if there is none.
    pub pin: u32,
}

/// Frames of all segments, and twists of all joints. Part of the state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RodFrames {
    /// Tangents. [segments]
    pub tangent: Vec<[f32; 3]>,
    /// First material directors, unit vectors perpendicular to the tangents. [segments]
    pub director: Vec<[f32; 3]>,
    /// Spin about the tangents [rad/s]. [segments]
    pub spin: Vec<f32>,
    /// Torques about the tangents [N m]. [segments]
    pub torque: Vec<f32>,
    /// Twists [rad]. [joints]
    pub twist: Vec<f32>,
}

/// Smallest length of a segment whose direction is defined [m].
pub(crate) const SHORTEST: f32 = 1e-12;

impl RodFrames {
    /// Turns the frames to the current segments: parallel transport to the new tangent, then rotation by the spin of a step of length `dt` that
    /// ends at `end` [s]. `segment` returns the vector along a segment [m].
    ///
    /// The torque accelerates the spin. Twist waves may be faster than the step allows; the inertia is therefore raised to what makes them stable
    /// in this step. Equilibria do not depend on the inertia.
    pub(crate) fn advance(
        &mut self,
        bending: &Bending,
        pins: &[Pin],
        [dt, end]: [f64; 2],
        segment: impl Fn(usize) -> Vec3 + Sync,
    ) {
        let h = dt as f32;
        let spins: Vec<Vec3> = pins.iter().map(|pin| pin.motion.at(end).angular_velocity.as_vec3()).collect();
        let held = |of: &Segment| of.pin != NONE && pins[of.pin as usize].release > end - dt;
        let RodFrames { tangent, director, spin, torque, twist } = self;
        let rows = tangent.par_iter_mut().zip(director).zip(spin.par_iter_mut()).zip(torque);
        let rows = rows.zip(&bending.segments).enumerate().with_min_len(1024);
        rows.for_each(|(s, ((((tangent, director), spin), torque), of))| {
            let edge = segment(s);
            let t = edge / edge.length().max(SHORTEST);
            let carried = transport(Vec3::from_array(*director), Vec3::from_array(*tangent), t);
            *spin = match held(of) {
                true => spins[of.pin as usize].dot(t),
                false => *spin + h * *torque / (of.inertia + 0.5 * h * h * of.twisting),
            };
            *director = rotated(carried, t, h * *spin).to_array();
            *tangent = t.to_array();
        });
        let (tangent, director, spin) = (&self.tangent, &self.director, &self.spin);
        twist.par_iter_mut().zip(&bending.joints).with_min_len(1024).for_each(|(twist, joint)| {
            let [e, f] = joint.segments.map(|s| s as usize);
            let [te, tf, de, df] = [tangent[e], tangent[f], director[e], director[f]].map(Vec3::from_array);
            let expected = *twist + h * (spin[f] - spin[e]);
            *twist = nearest_turn(angle(transport(de, te, tf), df, tf), expected);
        });
    }
}
