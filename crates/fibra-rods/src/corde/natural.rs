//! Changes of the natural shape of a CORDE rod.

use super::Corde;
use glam::DVec3;

impl Corde {
    /// Sets the natural curvatures toward both axes and the natural twist at each point [1/m].
    pub(super) fn change_natural_curvature(&mut self, curvatures: &[DVec3]) {
        let first = self.first();
        for joint in &mut self.joints {
            let at = curvatures[joint.frames[1] - first];
            // A rod that bends toward the first axis rotates about the second.
            let turn = joint.length * DVec3::new(-at.y, at.x, at.z);
            let angle = turn.length();
            // The strain of a rotation by an angle is 4 tan(angle / 4), divided by the length.
            let scale = if angle > 0.0 { 4.0 * (0.25 * angle).tan() / angle } else { 1.0 };
            joint.natural = scale / joint.length * turn;
        }
    }

    /// Sets the rest lengths of the edges [m]. Masses and natural curvatures do not change.
    pub(super) fn change_rest_lengths(&mut self, lengths: &[f64]) {
        self.lengths.copy_from_slice(lengths);
        let edges = lengths.len();
        let first = self.first();
        for joint in &mut self.joints {
            joint.length = match joint.clamp {
                Some(0) => 0.5 * lengths[0],
                Some(_) => 0.5 * lengths[edges - 1],
                None => 0.5 * (lengths[joint.frames[0] - first] + lengths[joint.frames[1] - first]),
            };
        }
    }
}
