//! Initial alignment of the grains of anisotropic materials.

use super::axes::{Field, each, read};
use crate::model::alignment::{LinearAlignment, RadialAlignment};
use crate::{Alignment, LoadedScene, SceneError};
use fibra_core::random::CounterRng;
use fibra_mpm::internals::builder::Builder;
use glam::DVec3;

/// Random number stream of the initial alignments. It must differ from the other streams of an object.
const ALIGNMENT: u64 = 2;

/// Sets the initial alignment of an object's particles, numbered from `first`, if its material has grains.
pub(super) fn align(
    loaded: &LoadedScene,
    index: usize,
    points: &[DVec3],
    first: u32,
    builder: &mut Builder,
) -> Result<(), SceneError> {
    let anisotropy = loaded.scene.objects[index].anisotropy.as_ref();
    let Some(grains) = anisotropy.and_then(|anisotropy| anisotropy.orientation.as_ref()) else { return Ok(()) };
    let shares = field(loaded, index, &grains.alignment)?;
    each(points, first, &*shares, |number, shares| builder.align(number..number + 1, normalized(shares)));
    Ok(())
}

/// Returns the fractions of grains along axes 1, 2, 3 as a field over the particles.
fn field(loaded: &LoadedScene, index: usize, alignment: &Alignment) -> Result<Field<DVec3>, SceneError> {
    Ok(match alignment {
        Alignment::Uniform(shares) => {
            let shares = DVec3::from_array(*shares);
            Box::new(move |_, _| shares)
        }
        Alignment::Linear(line) => {
            let line = line.clone();
            Box::new(move |_, place| linear(&line, place))
        }
        Alignment::Radial(around) => {
            let around = around.clone();
            Box::new(move |_, place| radial(&around, place))
        }
        Alignment::File(file) => {
            let path = format!("object.{index}.anisotropy.orientation.alignment.file.file");
            let directions = read(loaded, &path, &file.file)?;
            if !directions.has_alignment() {
                return Err(loaded.error_at(
                    &path,
                    "the file named by `{}` has no column `alignment`",
                    "the first line must be `x,y,z,u,v,w,alignment`, and each further line must have seven numbers",
                ));
            }
            Box::new(move |_, place| mostly_third(directions.alignment(place).unwrap_or(1.0 / 3.0)))
        }
        Alignment::Random(random) => {
            let rng = CounterRng::new(CounterRng::new(loaded.scene.seed()).bits(&[index as u64, ALIGNMENT]));
            let (least, width) = (random.least, random.most - random.least);
            Box::new(move |particle, _| mostly_third(least + width * rng.uniform(&[particle as u64])))
        }
    })
}

/// Returns fractions with `share` along axis 3 and the remainder split equally between axes 1 and 2.
fn mostly_third(share: f64) -> DVec3 {
    let rest = 0.5 * (1.0 - share);
    DVec3::new(rest, rest, share)
}

/// Normalizes fractions to the sum 1. Scenes give fractions with few digits, so the sum may be slightly off.
fn normalized(shares: DVec3) -> [f64; 3] {
    (shares / shares.element_sum()).to_array()
}

fn linear(line: &LinearAlignment, place: DVec3) -> DVec3 {
    let [from, to, start, end] = [line.from, line.to, line.start, line.end].map(DVec3::from_array);
    let along = to - from;
    let way = ((place - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    start.lerp(end, way)
}

fn radial(around: &RadialAlignment, place: DVec3) -> DVec3 {
    let [center, axis, inner, outer] = [around.center, around.axis, around.inner, around.outer].map(DVec3::from_array);
    let distance = (place - center).reject_from_normalized(axis.normalize_or(DVec3::Y)).length();
    inner.lerp(outer, (distance / around.radius).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONG: [f64; 3] = [0.0, 0.0, 1.0];
    const ACROSS: [f64; 3] = [0.5, 0.5, 0.0];

    #[test]
    fn fractions_vary_along_a_line_and_with_the_distance_from_it() {
        let line = LinearAlignment { from: [1.0, 0.0, 0.0], to: [3.0, 0.0, 0.0], start: ALONG, end: ACROSS };
        for (x, share) in [(-5.0, 1.0), (1.0, 1.0), (1.5, 0.75), (2.0, 0.5), (3.0, 0.0), (9.0, 0.0)] {
            let shares = linear(&line, DVec3::new(x, 7.0, -2.0));
            assert!((shares - mostly_third(share)).length() < 1e-12, "{shares} at {x}");
        }
        let around = RadialAlignment {
            center: [1.0, 1.0, 0.0],
            axis: [0.0, 0.0, -3.0],
            radius: 2.0,
            inner: ACROSS,
            outer: ALONG,
        };
        for (x, share) in [(1.0, 0.0), (2.0, 0.5), (0.5, 0.25), (3.0, 1.0), (30.0, 1.0)] {
            let shares = radial(&around, DVec3::new(x, 1.0, 8.0));
            assert!((shares - mostly_third(share)).length() < 1e-12, "{shares} at {x}");
        }
    }

    #[test]
    fn fractions_are_normalized() {
        let shares = normalized(DVec3::new(0.333, 0.333, 0.333));
        assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-12));
    }
}
