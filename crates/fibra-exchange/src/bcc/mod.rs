//! The `.bcc` format (binary curve collection): open and closed splines, used for yarns. Files are read, not written.
//!
//! A 64-byte header is followed by the curves. Each curve consists of its point count, which is negative
//! for closed curves, and its points.

use crate::ImportError;
use crate::bytes::{Bytes, TRUNCATED_REMEDY, position};
use crate::curve_import::{CurveImport, cut_splines};
use crate::error::Fault;
use fibra_core::geometry::{CurveLine, CurveMesh, Spline};

/// Code in the header for four-byte integers and floats.
const FOUR_BYTE_NUMBERS: u8 = 0x44;

/// Size of the free text at the end of the header [bytes].
const INFORMATION: u64 = 40;

/// Parses the curves of a file and resamples them evenly.
pub(crate) fn parse_curves(bytes: &[u8], import: &CurveImport, file: &str) -> Result<CurveMesh, ImportError> {
    import.check(file)?;
    let (spline, controls) = parse(bytes).map_err(|fault| fault.named(file))?;
    cut_splines(spline, &controls, import, file)
}

/// Parses the spline type and the control points.
fn parse(bytes: &[u8]) -> Result<(Spline, Vec<CurveLine>), Fault> {
    let mut file = Bytes::new(bytes);
    let header = |name: &str| format!("header, {name}");
    let reject = |name: &str, problem: String, remedy: &str| Err(Fault::new(header(name), problem, remedy));
    if file.array(|| header("signature"))? != *b"BCC" {
        return reject(
            "signature",
            "this is not a .bcc file: its first three bytes are not `BCC`".into(),
            "use a .bcc file",
        );
    }
    let [sizes] = file.array(|| header("number sizes"))?;
    if sizes != FOUR_BYTE_NUMBERS {
        let problem = format!("the code is {sizes:#04x}");
        return reject("number sizes", problem, "only 0x44 (four-byte numbers) is supported");
    }
    let kind = file.array(|| header("curve type"))?;
    let Some(spline) = spline_of(kind) else {
        let problem = format!("unknown type `{}`", kind.escape_ascii());
        return reject(
            "curve type",
            problem,
            "allowed types are C0, C5, C1 (Catmull-Rom), BS (B-spline), BZ (Bezier) and PL (polyline)",
        );
    };
    let [dimensions, _up] = file.array(|| header("dimensions"))?;
    if dimensions != 3 {
        return reject(
            "dimensions",
            format!("the curves have {dimensions} dimensions"),
            "only 3 dimensions are supported",
        );
    }
    let curve_count = u64::from_le_bytes(file.array(|| header("curve count"))?);
    let point_count = u64::from_le_bytes(file.array(|| header("point count"))?);
    file.take(INFORMATION, || header("information"))?;
    // A curve takes at least 16 bytes: a count and one point.
    if curve_count > file.left() / 16 {
        let problem = format!("{curve_count} curves do not fit into the remaining {} bytes", file.left());
        return reject("curve count", problem, TRUNCATED_REMEDY);
    }

    let mut curves = Vec::new();
    let mut read = 0;
    for curve in 0..curve_count {
        let field = || format!("curve {curve}");
        let signed_count = i32::from_le_bytes(file.array(field)?);
        let (count, closed) = (signed_count.unsigned_abs(), signed_count < 0);
        if !spline.accepts(count, closed) {
            let problem = format!(
                "{} of this type cannot have {count} points",
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
        let problem = format!("the header declares {point_count} points, but the curves have {read}");
        return reject("point count", problem, TRUNCATED_REMEDY);
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

    /// Encodes curves as a `.bcc` file.
    fn encode(kind: [u8; 2], curves: &[CurveLine]) -> Vec<u8> {
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
        fn encoded_curves_round_trip(
            (kind, curves) in proptest::sample::select(&KINDS[..])
                .prop_flat_map(|kind| (Just(kind), proptest::collection::vec(curve(kind), 0..5)))
        ) {
            let (spline, read) = parse(&encode(kind, &curves)).unwrap();
            prop_assert_eq!(spline, spline_of(kind).unwrap());
            prop_assert_eq!(read, curves);
        }
    }
}
