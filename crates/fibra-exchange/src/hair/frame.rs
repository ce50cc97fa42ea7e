//! Export of the curves of a frame as strands, in meters. A strand starts at the end of its curve with the lower point index. Coordinates
//! have 32 bits and lose precision far from the origin.

use super::{HairFile, HairFlaw, PerPoint};
use fibra_core::frame::{Frame, WIDTH};
use fibra_core::geometry::polylines;

/// Thickness of curves without a known width [m].
const THICKNESS: f32 = 1e-4;

/// Encodes a frame as a file; `None` without curves.
pub(crate) fn encode(frame: &Frame) -> Result<Option<Vec<u8>>, HairFlaw> {
    let curves = polylines(&frame.segments);
    if curves.is_empty() {
        return Ok(None);
    }
    let counts: Vec<u32> = curves.iter().map(|curve| curve.len() as u32).collect();
    let position = |&point: &u32| frame.world_point(point as usize).map(|x| x as f32);
    let mut file = HairFile::new(curves.iter().flatten().map(position).collect(), &counts)?;
    let widths = frame.attributes.iter().find(|attribute| attribute.name == WIDTH);
    let width = |point: &u32| widths.map_or(f32::NAN, |widths| widths.values[*point as usize]);
    let known = |width: f32| if width.is_nan() { THICKNESS } else { width };
    file.looks.thickness = PerPoint::from_values(curves.iter().flatten().map(|point| known(width(point))).collect());
    let about = format!("fibra {}, frame {}, t = {:.6} s, meters", env!("CARGO_PKG_VERSION"), frame.index, frame.time);
    file.information.iter_mut().zip(about.bytes()).for_each(|(to, from)| *to = from);
    let mut bytes = Vec::new();
    file.write(&mut bytes).expect("writing to a vector cannot fail");
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hair::parse_strands;
    use crate::test_frames::{sample, woven};
    use fibra_core::frame::Attribute;
    use glam::DVec3;

    #[test]
    fn curves_round_trip_as_strands() {
        let mut frame = woven();
        frame.segments.extend([[0, 1], [1, 3]]);
        let bytes = encode(&frame).unwrap().unwrap();
        let (strands, repairs) = parse_strands(&bytes, 1.0, "x").unwrap();
        assert!(repairs.is_empty());
        let points = |of: &[u32]| of.iter().map(|&k| DVec3::new(f64::from(k), 0.25, -0.5)).collect::<Vec<_>>();
        assert_eq!(strands.iter().collect::<Vec<_>>(), [points(&[0, 1, 3]), points(&[5, 6, 7])]);
        let file = HairFile::parse(&bytes, "x").unwrap();
        assert!(file.information.starts_with(b"fibra ") && file.looks.thickness.own.is_none());
    }

    #[test]
    fn widths_become_thickness() {
        let mut frame = woven();
        let widths = |of: &dyn Fn(usize) -> f32| Attribute {
            name: WIDTH.to_owned(),
            unit: "m".to_owned(),
            values: (0..frame.points.len()).map(of).collect(),
        };
        let (uniform, varied) = (widths(&|_| 2e-4), widths(&|point| 1e-4 * point as f32));
        let thickness = |frame: &Frame| HairFile::parse(&encode(frame).unwrap().unwrap(), "x").unwrap().looks.thickness;
        frame.attributes = vec![uniform];
        assert_eq!(thickness(&frame), PerPoint::new(2e-4));
        frame.attributes = vec![varied];
        assert_eq!(thickness(&frame).own.unwrap()[..3], [5.0f32, 6.0, 7.0].map(|point| 1e-4 * point));
    }

    #[test]
    fn points_are_in_world_coordinates() {
        let frame = Frame { origin: [100.0, 0.0, -50.0], ..woven() };
        let (strands, _) = parse_strands(&encode(&frame).unwrap().unwrap(), 1.0, "x").unwrap();
        assert_eq!(strands.strand(0)[0], DVec3::new(105.0, 0.25, -50.5));
    }

    #[test]
    fn without_curves_there_is_no_file() {
        assert_eq!(encode(&sample([0.0; 3])).unwrap(), None);
    }

    #[test]
    fn curves_with_too_many_points_are_rejected() {
        let count = 65_537u32;
        let points = (0..count).map(|k| [k as f32, 0.0, 0.0]).collect();
        let segments = (0..count - 1).map(|k| [k, k + 1]).collect();
        let flaw = encode(&Frame { points, segments, ..Frame::default() }).unwrap_err();
        assert_eq!(flaw, HairFlaw::StrandPoints { strand: 0, points: count });
    }
}
