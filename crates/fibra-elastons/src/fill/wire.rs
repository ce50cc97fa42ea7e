//! Wires: curves with a cross-section.

use super::{FillError, MAX_POINTS, OVERLAP, positive};
use crate::cloud::{Cloud, outer};
use fibra_core::geometry::CurveMesh;
use fibra_core::geometry::generate::WireSection;
use glam::{DMat3, DVec3};

fn check(section: &WireSection) -> Result<(), FillError> {
    match *section {
        WireSection::Round { radius } => positive("the radius of a section", radius).map(drop),
        WireSection::Rectangle { width, height, up } => {
            positive("the width of a section", width)?;
            positive("the height of a section", height)?;
            if up.is_finite() && up != DVec3::ZERO { Ok(()) } else { Err(FillError::BadUp { up }) }
        }
    }
}

/// Second moment per area [m^2] of a cross-section of a wire with unit tangent `tangent`. `previous_up` is the up direction of the previous
/// segment, used where `up` is parallel to the tangent.
fn spread(section: &WireSection, tangent: DVec3, previous_up: &mut DVec3) -> DMat3 {
    match *section {
        // A disk has r^2 / 4 along each of its axes.
        WireSection::Round { radius } => (DMat3::IDENTITY - outer(tangent)) * (0.25 * radius * radius),
        WireSection::Rectangle { width, height, up } => {
            let across = |direction: DVec3| {
                let rest = direction - direction.dot(tangent) * tangent;
                (rest.length() > 1e-6 * direction.length()).then(|| rest.normalize())
            };
            let up_direction =
                across(up).or_else(|| across(*previous_up)).unwrap_or_else(|| tangent.any_orthonormal_vector());
            *previous_up = up_direction;
            (outer(up_direction) * (height * height) + outer(tangent.cross(up_direction)) * (width * width))
                * (1.0 / 12.0)
        }
    }
}

/// Divides curves, given as polylines [m], into material points of equal length, about `spacing` [m].
///
/// A material point at a corner has the center and second moment of all its straight parts, so that the totals are exact.
pub fn wires(curves: &[Vec<DVec3>], section: &WireSection, spacing: f64) -> Result<Cloud, FillError> {
    check(section)?;
    positive("the spacing", spacing)?;
    let length = |curve: &[DVec3]| curve.windows(2).map(|ends| ends[0].distance(ends[1])).sum::<f64>();
    let lengths: Vec<f64> = curves.iter().map(|curve| length(curve)).collect();
    if let Some(wire) = lengths.iter().position(|&length| !(length > 0.0 && length.is_finite())) {
        return Err(FillError::NoWire { wire });
    }
    let estimate: f64 = lengths.iter().map(|length| (length / spacing).round().max(1.0)).sum();
    if estimate > MAX_POINTS {
        return Err(FillError::TooMany { estimate });
    }
    let mut cloud = Cloud::default();
    for (curve, length) in curves.iter().zip(lengths) {
        add_wire(&mut cloud, curve, length, section, (length / spacing).round().max(1.0));
    }
    Ok(cloud)
}

/// Like [`wires`], along the strands of a curve mesh. If three or more segments meet at any vertex, each segment
/// becomes a separate wire.
pub fn curves(mesh: &CurveMesh, section: &WireSection, spacing: f64) -> Result<Cloud, FillError> {
    let points = mesh.points();
    let curves = match mesh.strands() {
        Ok(strands) => {
            let curve = |strand: fibra_core::geometry::Strand| {
                let again = strand.closed.then(|| strand.points[0]);
                strand.points.iter().copied().chain(again).map(|i| points[i as usize]).collect()
            };
            strands.into_iter().map(curve).collect()
        }
        Err(_) => (0..mesh.segments().len()).map(|segment| mesh.ends(segment).to_vec()).collect::<Vec<_>>(),
    };
    wires(&curves, section, spacing)
}

/// Sums over the straight parts of a material point: length [m], and the integrals of position and second moment, relative to the start of
/// the curve.
#[derive(Clone, Copy, Default)]
struct PointSums {
    length: f64,
    position: DVec3,
    moment: DMat3,
}

fn add_wire(cloud: &mut Cloud, curve: &[DVec3], length: f64, section: &WireSection, count: f64) {
    let origin = curve[0];
    let step = length / count;
    let radius = (OVERLAP * step).max(0.5 * section.thickness());
    let mut pieces = vec![PointSums { moment: DMat3::ZERO, ..PointSums::default() }; count as usize];
    let mut previous_up = DVec3::ZERO;
    let mut start = 0.0;
    for ends in curve.windows(2) {
        let whole = ends[0].distance(ends[1]);
        if whole == 0.0 {
            continue;
        }
        let tangent = (ends[1] - ends[0]) / whole;
        let across = spread(section, tangent, &mut previous_up);
        let last = pieces.len() - 1;
        let (first_piece, last_piece) = ((start / step) as usize, ((start + whole) / step) as usize);
        for at in first_piece.min(last)..=last_piece.min(last) {
            // Part of this segment within the material point. The last material point extends to the end of the curve
            // despite rounding.
            let from = (at as f64 * step - start).max(0.0);
            let to = if at == last { whole } else { ((at + 1) as f64 * step - start).min(whole) };
            let part = (to - from).max(0.0);
            let middle = ends[0] - origin + 0.5 * (from + to) * tangent;
            let own = across + outer(tangent) * (part * part / 12.0) + outer(middle);
            let piece = &mut pieces[at];
            piece.length += part;
            piece.position += part * middle;
            piece.moment += own * part;
        }
        start += whole;
    }
    for piece in pieces {
        let center = piece.position / piece.length;
        cloud.points.push(origin + center);
        cloud.radii.push(radius);
        cloud.volumes.push(section.area() * step);
        cloud.spreads.push(piece.moment * (1.0 / piece.length) - outer(center));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use std::f64::consts::PI;

    #[test]
    fn straight_wires_have_the_moments_of_rods() {
        let line = vec![vec![DVec3::ZERO, DVec3::new(0.0, 0.3, 0.0), DVec3::new(0.0, 1.0, 0.0)]];
        let round = wires(&line, &WireSection::Round { radius: 0.02 }, 0.03).unwrap();
        assert_eq!(round.points.len(), 33);
        assert_relative_eq!(round.volume(), PI * 0.02 * 0.02, max_relative = 1e-12);
        assert_relative_eq!(round.center(), DVec3::new(0.0, 0.5, 0.0), epsilon = 1e-12);
        let exact = DMat3::from_diagonal(DVec3::new(1e-4, 1.0 / 12.0, 1e-4));
        assert_relative_eq!(round.second_moment(), exact, epsilon = 1e-12);

        let flat = WireSection::Rectangle { width: 0.06, height: 0.012, up: DVec3::new(0.0, 5.0, 2.0) };
        let ribbon = wires(&line, &flat, 0.03).unwrap();
        let exact = DMat3::from_diagonal(DVec3::new(0.0036, 1.0, 0.000144) / 12.0);
        assert_relative_eq!(ribbon.second_moment(), exact, epsilon = 1e-12);
        // With `up` parallel to the wire, the section is a rectangle of arbitrary orientation.
        let lost = wires(&line, &WireSection::Rectangle { width: 0.06, height: 0.012, up: DVec3::Y }, 0.03).unwrap();
        let across = lost.second_moment();
        assert_relative_eq!(across.x_axis.x + across.z_axis.z, 0.003744 / 12.0, epsilon = 1e-12);
    }

    #[test]
    fn moments_of_a_square_ring_are_exact_across_corners() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        let ring = CurveMesh::new(corners, vec![[0, 1], [1, 2], [2, 3], [3, 0]]).unwrap();
        let cloud = curves(&ring, &WireSection::Round { radius: 1e-4 }, 0.37).unwrap();
        assert_eq!(cloud.points.len(), 11);
        assert_relative_eq!(cloud.volume(), 4.0 * PI * 1e-8, max_relative = 1e-12);
        assert_relative_eq!(cloud.center(), DVec3::new(0.5, 0.5, 0.0), epsilon = 1e-12);
        // The second moment of a thin square frame of side a, per volume, is a^2 / 6 about each axis in its plane. The
        // radius r of the wire adds r^2 / 4 on half of the sides.
        let exact = DMat3::from_diagonal(DVec3::new(1.0 / 6.0 + 1.25e-9, 1.0 / 6.0 + 1.25e-9, 2.5e-9));
        assert_relative_eq!(cloud.second_moment(), exact, epsilon = 1e-12);
    }

    #[test]
    fn junctions_are_accepted_and_invalid_wires_rejected() {
        let star = CurveMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 1], [0, 2], [0, 3]]);
        let round = WireSection::Round { radius: 0.1 };
        let cloud = curves(&star.unwrap(), &round, 0.1).unwrap();
        assert_relative_eq!(cloud.volume(), 0.03 * PI, max_relative = 1e-12);

        let good = vec![DVec3::ZERO, DVec3::X];
        let bad = [vec![], vec![DVec3::X], vec![DVec3::X, DVec3::X], vec![DVec3::X, DVec3::NAN]];
        for curve in bad {
            assert_eq!(wires(&[good.clone(), curve], &round, 0.1), Err(FillError::NoWire { wire: 1 }));
        }
        let lines = [good];
        assert!(matches!(wires(&lines, &WireSection::Round { radius: 0.0 }, 0.1), Err(FillError::BadLength { .. })));
        assert!(matches!(wires(&lines, &round, 1e-12), Err(FillError::TooMany { .. })));
        let no_up = WireSection::Rectangle { width: 0.1, height: 0.1, up: DVec3::ZERO };
        assert!(matches!(wires(&lines, &no_up, 0.1), Err(FillError::BadUp { .. })));
    }
}
