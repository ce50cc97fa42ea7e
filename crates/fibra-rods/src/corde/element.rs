//! Strains of CORDE [Spillmann2007], and the derivatives of the strains with respect to positions and frames. The
//! energies are quadratic in the strains.
//!
//! Rotations are expressed in the axes of the frame that they rotate.

use glam::{DMat3, DQuat, DVec3};

/// Strain of an edge and its frame: stretch, and the angle between the edge and the third axis of the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeStrain {
    /// Length minus natural length [m].
    pub stretch: f64,
    /// Length [m].
    pub length: f64,
    /// Direction of the edge: the derivative of the stretch with respect to the edge.
    pub direction: DVec3,
    /// Direction of the edge minus the third axis of its frame [-].
    pub shear: DVec3,
    /// Derivative of the shear with respect to the edge [1/m].
    pub by_edge: DMat3,
    /// Derivative of the shear with respect to a rotation of the frame [1/rad].
    pub by_rotation: DMat3,
}

impl EdgeStrain {
    /// Computes the strain of an edge of natural length `rest` [m].
    pub fn new(edge: DVec3, rest: f64, frame: DQuat) -> EdgeStrain {
        let rotation = DMat3::from_quat(frame);
        let axis = rotation.z_axis;
        // An edge of zero length has no direction. Use the direction of its frame until the edge grows again.
        let direction = edge.try_normalize().unwrap_or(axis);
        let length = edge.length();
        let normal_projection = DMat3::IDENTITY - outer(direction, direction);
        EdgeStrain {
            stretch: length - rest,
            length,
            direction,
            shear: direction - axis,
            by_edge: normal_projection * (1.0 / length.max(1e-6 * rest)),
            // The derivative of the axis is R (w x e3).
            by_rotation: rotation * cross_matrix(DVec3::Z),
        }
    }
}

/// Strain between two adjacent frames: curvatures and twist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointStrain {
    /// Curvatures and twist [1/m].
    pub curvature: DVec3,
    /// Derivatives of the curvatures and the twist with respect to rotations of the two frames [1/m].
    pub by_rotations: [DMat3; 2],
}

impl JointStrain {
    /// Computes the strain between two frames at a distance of `length` [m]. Before that, the second frame is rotated
    /// by `seam`.
    ///
    /// The paper's curvature, `2 B_k q . q' / |q|^2` [Spillmann2007], uses the mean `q` and the difference `q'` of two
    /// quaternions. It equals `4 tan(angle/4)` times the axis of the rotation between them, divided by the length.
    pub fn new([first, second]: [DQuat; 2], seam: DQuat, length: f64) -> JointStrain {
        let between = first.conjugate() * (second * seam);
        // tan(angle/4) axis = v / (1 + w). This is singular at a joint rotation of 2 pi, hence the lower bound.
        let m = between.xyz() / (1.0 + between.w).max(1e-6);
        let even = (1.0 - m.length_squared()) * DMat3::IDENTITY + 2.0 * outer(m, m);
        let odd = 2.0 * cross_matrix(m);
        let undo_seam = DMat3::from_quat(seam.conjugate());
        JointStrain {
            curvature: m * (4.0 / length),
            by_rotations: [(odd - even) * (1.0 / length), (even + odd) * undo_seam * (1.0 / length)],
        }
    }
}

/// Returns `[v]` with `[v] w = v x w`.
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// Returns `a b^T`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    const H: f64 = 1e-6;

    fn vector(seed: u64, size: f64) -> DVec3 {
        size * (2.0 * CounterRng::new(3).uniform_in_cube([seed, 0, 0]) - DVec3::ONE)
    }

    fn rotated(frame: DQuat, by: DVec3) -> DQuat {
        frame * DQuat::from_scaled_axis(by)
    }

    /// Returns the finite differences of a strain in the three directions, as a matrix.
    fn differences(strain: impl Fn(DVec3) -> DVec3) -> DMat3 {
        let [x, y, z] = DVec3::AXES.map(|axis| (strain(H * axis) - strain(-H * axis)) / (2.0 * H));
        DMat3::from_cols(x, y, z)
    }

    #[test]
    fn edge_strain_derivatives_match_finite_differences() {
        for seed in 0..20 {
            let (edge, frame) = (vector(seed, 1.0), DQuat::from_scaled_axis(vector(100 + seed, 3.0)));
            let strain = EdgeStrain::new(edge, 0.4, frame);
            let by_edge = differences(|d| EdgeStrain::new(edge + d, 0.4, frame).shear);
            let by_rotation = differences(|d| EdgeStrain::new(edge, 0.4, rotated(frame, d)).shear);
            assert!(strain.by_edge.abs_diff_eq(by_edge, 1e-6) && strain.by_rotation.abs_diff_eq(by_rotation, 1e-9));
            let stretch = differences(|d| DVec3::splat(EdgeStrain::new(edge + d, 0.4, frame).stretch));
            assert!(stretch.row(0).abs_diff_eq(strain.direction, 1e-8));
        }
    }

    #[test]
    fn joint_strain_derivatives_match_finite_differences() {
        for seed in 0..20 {
            let first = DQuat::from_scaled_axis(vector(seed, 3.0));
            let seam = DQuat::from_rotation_z(seed as f64);
            let second = rotated(first, vector(200 + seed, 2.0)) * seam.conjugate();
            let strain = JointStrain::new([first, second], seam, 0.3);
            let by_first = differences(|d| JointStrain::new([rotated(first, d), second], seam, 0.3).curvature);
            let by_second = differences(|d| JointStrain::new([first, rotated(second, d)], seam, 0.3).curvature);
            assert!(strain.by_rotations[0].abs_diff_eq(by_first, 1e-7), "{seed}");
            assert!(strain.by_rotations[1].abs_diff_eq(by_second, 1e-7), "{seed}");
        }
    }

    #[test]
    fn small_rotations_are_curvatures() {
        let turn = DVec3::new(0.01, -0.02, 0.03);
        let strain = JointStrain::new([DQuat::IDENTITY, DQuat::from_scaled_axis(turn)], DQuat::IDENTITY, 0.5);
        assert!(strain.curvature.distance(turn / 0.5) < 1e-4 * strain.curvature.length());
    }
}
