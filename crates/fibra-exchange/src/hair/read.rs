//! Reading of the `.hair` format.

use super::{
    ALL_ARRAYS, COLORS, HairFile, HairLooks, INFORMATION, MAX_SEGMENTS, POINTS, PerPoint, SEGMENTS, Segments,
    THICKNESS, TRANSPARENCY,
};
use crate::bytes::{Bytes, TRUNCATED_REMEDY, triple};
use crate::error::Fault;

/// Parses a whole file.
pub(super) fn parse(bytes: &[u8]) -> Result<HairFile, Fault> {
    let mut file = Bytes::new(bytes);
    let header = |name: &str| format!("header, {name}");
    if file.array(|| header("signature"))? != *b"HAIR" {
        let problem = "this is not a .hair file: its first four bytes are not `HAIR`".to_string();
        let remedy = "supported formats are .hair (Cem Yuksel's format) and USD curves (.usd, .usda or .usdc)";
        return Err(Fault::new(header("signature"), problem, remedy));
    }
    let mut word = |name| Ok(u32::from_le_bytes(file.array(|| header(name))?));
    let (strands, points) = (word("strand count")?, word("point count")?);
    let (arrays, default_segments) = (word("arrays")?, word("default segments")?);
    let thickness = number(&file.array(|| header("default thickness"))?);
    let transparency = number(&file.array(|| header("default transparency"))?);
    let color = triple(&file.array(|| header("default color"))?);
    let information: [u8; INFORMATION] = file.array(|| header("information"))?;
    if arrays & !ALL_ARRAYS != 0 {
        let problem = format!("the bit mask is {arrays}");
        let remedy = "it must be a sum of 1 (segments), 2 (points), 4 (thickness), 8 (transparency) and 16 (colors)";
        return Err(Fault::new(header("arrays"), problem, remedy));
    }
    if arrays & POINTS == 0 {
        let problem = "the file has no points".to_string();
        return Err(Fault::new(header("arrays"), problem, "write it with its points"));
    }

    // Allocations below depend on the bytes that are present, never on the counts in the header.
    let own_segments = match arrays & SEGMENTS {
        0 => None,
        _ => Some(file.take(2 * u64::from(strands), || "strand segments".to_string())?),
    };
    let positions = file.take(12 * u64::from(points), || "points".to_string())?;
    let mut looks = |name: &str, bit, size| match arrays & bit {
        0 => Ok(None),
        _ => file.take(size * u64::from(points), || name.to_string()).map(Some),
    };
    let own_thickness = looks("thickness", THICKNESS, 4)?;
    let own_transparency = looks("transparency", TRANSPARENCY, 4)?;
    let own_colors = looks("colors", COLORS, 12)?;
    file.finish()?;

    let own_counts = own_segments.map(|counts| counts.as_chunks().0.iter().map(|&n| u16::from_le_bytes(n)).collect());
    let segments = Segments { strands, default: default_segments, own: own_counts };
    check_counts(&segments, points)?;
    let numbers = |bytes: &[u8]| bytes.as_chunks().0.iter().map(number).collect();
    let triples = |bytes: &[u8]| bytes.as_chunks().0.iter().map(triple).collect();
    let looks = HairLooks {
        thickness: PerPoint { default: thickness, own: own_thickness.map(numbers) },
        transparency: PerPoint { default: transparency, own: own_transparency.map(numbers) },
        color: PerPoint { default: color, own: own_colors.map(triples) },
    };
    Ok(HairFile { segments, points: triples(positions), looks, information })
}

/// Rejects strands whose point counts do not add up to the number of points.
fn check_counts(segments: &Segments, points: u32) -> Result<(), Fault> {
    if segments.own.is_none() && segments.default > MAX_SEGMENTS {
        let problem = format!("{} segments per strand", segments.default);
        return Err(Fault::new("header, default segments", problem, "at most 65535 are allowed"));
    }
    let mut needed = 0;
    for (strand, count) in segments.counts().enumerate() {
        needed += u64::from(count);
        if needed > u64::from(points) {
            let problem = format!("the header declares {points} points, but strands up to {strand} need {needed}");
            return Err(Fault::new("header, point count", problem, TRUNCATED_REMEDY));
        }
    }
    if needed != u64::from(points) {
        let problem = format!("the header declares {points} points, but the strands use {needed}");
        return Err(Fault::new("header, point count", problem, TRUNCATED_REMEDY));
    }
    Ok(())
}

fn number(bytes: &[u8; 4]) -> f32 {
    f32::from_le_bytes(*bytes)
}
