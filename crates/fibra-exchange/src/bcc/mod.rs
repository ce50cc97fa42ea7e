//! The `.bcc` format (binary curve collection): open and closed splines, used for yarns. A 64-byte header, then curve by curve a
//! point count, negative for closed curves, and the points. It is read only.

use crate::ImportError;
use crate::bytes::{Bytes, TRUNCATED_REMEDY, position};
use crate::curve_import::{CurveImport, cut_splines};
use crate::error::Fault;
use fibra_core::geometry::{CurveLine, CurveMesh, Spline};

/// Integers and floats of four bytes each.
const FOUR_BYTE_NUMBERS: u8 = 0x44;

/// Bytes at the end of the header for a note.
const INFORMATION: u64 = 40;

/// Curves from the contents of a file, cut evenly.
pub(crate) fn parse_curves(bytes: &[u8], import: &CurveImport, file: &str) -> Result<CurveMesh, ImportError> {
    import.check(file)?;
    let (spline, controls) = parse(bytes).map_err(|fault| fault.named(file))?;
    cut_splines(spline, &controls, import, file)
}

/// Reads the control points, and what kind of spline they control.
fn parse(bytes: &[u8]) -> Result<(Spline, Vec<CurveLine>), Fault> {
    let mut file = Bytes::new(bytes);
    let header = |name: &str| format!("header, {name}");
    let refuse = |name: &str, problem: String, remedy: &str| Err(Fault::new(header(name), problem, remedy));
    if file.array(|| header("signature"))? != *b"BCC" {
        return refuse("signature", "the file does not begin with `BCC`".into(), "give a .bcc file");
    }
    let [sizes] = file.array(|| header("number sizes"))?;
    if sizes != FOUR_BYTE_NUMBERS {
        let problem = format!("the code is {sizes:#04x}");
        return refuse("number sizes", problem, "only 0x44, numbers of four bytes, can be read");
    }
    let kind = file.array(|| header("curve type"))?;
    let Some(spline) = spline_of(kind) else {
        let problem = format!("`{}` is unknown", kind.escape_ascii());
        return refuse(
            "curve type",
            problem,
            "allowed are C0, C5, C1 (Catmull-Rom), BS (B-spline), BZ (Bezier) and PL (polyline)",
        );
    };
    let [dimensions, _up] = file.array(|| header("dimensions"))?;
    if dimensions != 3 {
        return refuse("dimensions", format!("the curves have {dimensions}"), "only curves in three can be read");
    }
    let curve_count = u64::from_le_bytes(file.array(|| header("curve count"))?);
    let point_count = u64::from_le_bytes(file.array(|| header("point count"))?);
    file.take(INFORMATION, || header("information"))?;
    // A curve is at least a count and a point.
    if curve_count > file.left() / 16 {
        let problem = format!("{curve_count} curves do not fit into {} bytes", file.left());
        return refuse("curve count", problem, TRUNCATED_REMEDY);
    }

    let mut curves = Vec::new();
    let mut read = 0;
    for curve in 0..curve_count {
        let field = || format!("curve {curve}");
        let signed_count = i32::from_le_bytes(file.array(field)?);
        let (count, closed) = (signed_count.unsigned_abs(), signed_count < 0);
        if !spline.accepts(count, closed) {
            let problem = format!(
                "{count} points do not make {} of this type",
                if closed { "a closed curve" } else { "a curve" }
            );
            return Err(Fault::new(field(), problem, spline.counts_allowed()));
        }
        let positions = file.take(12 * u64::from(count), field)?;
        let points = positions.as_chunks().0.iter().map(position).collect();
        curves.push(CurveLine { points, closed });
        read += u64::from(count);
    }
    if read != point_count {
        let problem = format!("{point_count} points, but the curves have {read}");
        return refuse("point count", problem, TRUNCATED_REMEDY);
    }
    file.finish()?;
    Ok((spline, curves))
}

fn spline_of(kind: [u8; 2]) -> Option<Spline> {
    match &kind {
        b"C0" => Some(Spline::CatmullRom { exponent: 0.0 }),
        b"C5" => Some(Spline::CatmullRom { exponent: 0.5 }),
        b"C1" => Some(Spline::CatmullRom { exponent: 1.0 }),
        b"BS" => Some(Spline::Basis),
        b"BZ" => Some(Spline::Bezier),
        b"PL" => Some(Spline::Polyline),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use proptest::prelude::*;

    const KINDS: [[u8; 2]; 6] = [*b"C0", *b"C5", *b"C1", *b"BS", *b"BZ", *b"PL"];

    /// The file of some curves.
    fn written(kind: [u8; 2], curves: &[CurveLine]) -> Vec<u8> {
        let points: usize = curves.iter().map(|curve| curve.points.len()).sum();
        let mut bytes = [b"BCC\x44", &kind[..], &[3, 1]].concat();
        bytes.extend([curves.len() as u64, points as u64].iter().flat_map(|count| count.to_le_bytes()));
        bytes.resize(64, 0);
        for CurveLine { points, closed } in curves {
            let count = points.len() as i32;
            bytes.extend((if *closed { -count } else { count }).to_le_bytes());
            bytes.extend(points.iter().flat_map(|point| point.as_vec3().to_array()).flat_map(f32::to_le_bytes));
        }
        bytes
    }

    fn curve(kind: [u8; 2]) -> impl Strategy<Value = CurveLine> {
        let coordinate = || -1e3f32..1e3;
        let point =
            (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()));
        (1..6usize, any::<bool>(), proptest::collection::vec(point, 16)).prop_map(move |(size, closed, mut points)| {
            // Closed Bezier curves have 3 n points, open ones 3 n + 1.
            points.truncate(if &kind == b"BZ" { 3 * size + usize::from(!closed) } else { 2 + size });
            CurveLine { points, closed }
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            (kind, curves) in proptest::sample::select(&KINDS[..])
                .prop_flat_map(|kind| (Just(kind), proptest::collection::vec(curve(kind), 0..5)))
        ) {
            let (spline, read) = parse(&written(kind, &curves)).unwrap();
            prop_assert_eq!(spline, spline_of(kind).unwrap());
            prop_assert_eq!(read, curves);
        }
    }
}
