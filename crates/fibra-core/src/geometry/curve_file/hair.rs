//! The `.hair` format: a 128-byte header, then whole arrays over strands and points.

use super::Fault;
use super::bytes::{Bytes, TRUNCATED_REMEDY, position};
use super::spline::ControlCurve;

const SEGMENTS: u32 = 1;
const POINTS: u32 = 2;

/// Bytes of the header that say how the hair looks and who made it.
const DEFAULTS_AND_INFORMATION: u64 = 4 + 4 + 12 + 88;

/// Arrays that may follow the points, with the bit that says so and the bytes for each point. They are passed over.
const PASSED_OVER: [(&str, u32, u64); 3] = [("thickness", 4, 4), ("transparency", 8, 4), ("colours", 16, 12)];

/// Reads the strands.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<ControlCurve>, Fault> {
    let mut file = Bytes::new(bytes);
    let header = |name: &str| format!("header, {name}");
    if file.array(|| header("signature"))? != *b"HAIR" {
        let problem = "the file does not begin with `HAIR`".to_string();
        return Err(Fault { field: header("signature"), problem, remedy: "give a .hair file" });
    }
    let mut word = |name| Ok(u32::from_le_bytes(file.array(|| header(name))?));
    let (strands, points) = (word("strand count")?, word("point count")?);
    let (arrays, default_segments) = (word("arrays")?, word("default segments")?);
    file.take(DEFAULTS_AND_INFORMATION, || header("defaults and information"))?;
    if arrays & POINTS == 0 {
        let problem = "the file holds no points".to_string();
        return Err(Fault { field: header("arrays"), problem, remedy: "write it with its points" });
    }

    // Everything below is sized by bytes that are there, never by what the header promises.
    let own_counts = match arrays & SEGMENTS {
        0 => None,
        _ => Some(file.take(2 * u64::from(strands), || "strand segments".to_string())?),
    };
    let positions = file.take(12 * u64::from(points), || "points".to_string())?;
    for (name, bit, size) in PASSED_OVER {
        if arrays & bit != 0 {
            file.take(size * u64::from(points), || name.to_string())?;
        }
    }
    file.finish()?;

    let mut positions = positions.as_chunks().0.iter().map(position);
    let mut curves = Vec::new();
    let mut read = 0;
    for strand in 0..strands {
        let segments = match own_counts.map(|counts| counts.as_chunks().0) {
            Some(counts) => u32::from(u16::from_le_bytes(counts[strand as usize])),
            None => default_segments,
        };
        if segments == 0 {
            let problem = "it has no segments".to_string();
            let remedy = "remove the strand, or give it a second point";
            return Err(Fault { field: format!("strand {strand}"), problem, remedy });
        }
        if u64::from(segments) + 1 > u64::from(points) - read {
            let problem =
                format!("{points} points, but strands up to {strand} need {}", read + u64::from(segments) + 1);
            return Err(Fault { field: header("point count"), problem, remedy: TRUNCATED_REMEDY });
        }
        read += u64::from(segments) + 1;
        let points = positions.by_ref().take(segments as usize + 1).collect();
        curves.push(ControlCurve { points, closed: false });
    }
    if read != u64::from(points) {
        let problem = format!("{points} points, but the strands use {read}");
        return Err(Fault { field: header("point count"), problem, remedy: TRUNCATED_REMEDY });
    }
    Ok(curves)
}
