//! Initial axes of anisotropic materials.

use crate::builtin;
use crate::model::axes::{RadialAxes, RandomAxes};
use crate::model::extent::rotation_degrees;
use crate::{Axes, Extent, LoadedScene, SceneError};
use fibra_core::geometry::{DirectionField, principal_axes_of_points};
use fibra_core::random::CounterRng;
use fibra_core::random_field::{GaussianField, normal_pair};
use fibra_exchange::parse::parse_directions;
use fibra_exchange::read_directions;
use fibra_mpm::internals::builder::Builder;
use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

/// A value for each particle, as a function of its index in the object and its position [m].
pub(super) type Field<T> = Box<dyn Fn(usize, DVec3) -> T + Sync>;

/// Number of particles whose axes are computed in parallel before they are stored: enough for all threads, little memory.
const CHUNK: usize = 1 << 16;
/// Relative difference of two variances below which two axes count as equally long [-]. The variances of a ball of 2000 particles differ by
/// more than a hundredth by chance.
const LEAST_DIFFERENCE: f64 = 0.05;
/// Random number stream of the initial axes. It must differ from the other streams of an object.
const AXES: u64 = 1;

/// Sets the axes of an object's particles, numbered from `first`, if its material is anisotropic.
pub(super) fn orient(
    loaded: &LoadedScene,
    index: usize,
    points: &[DVec3],
    first: u32,
    builder: &mut Builder,
) -> Result<(), SceneError> {
    let Some(anisotropy) = &loaded.scene.objects[index].anisotropy else { return Ok(()) };
    let axes = field(loaded, index, &anisotropy.axes, points)?;
    each(points, first, &*axes, |number, frame| builder.orient(number..number + 1, |_| frame));
    Ok(())
}

/// Computes a value for each point in parallel, and stores the values sequentially in the order of the points.
pub(super) fn each<T: Send>(
    points: &[DVec3],
    first: u32,
    field: &(dyn Fn(usize, DVec3) -> T + Sync),
    mut keep: impl FnMut(u32, T),
) {
    for (chunk, places) in points.chunks(CHUNK).enumerate() {
        let start = chunk * CHUNK;
        let found: Vec<T> = places.par_iter().enumerate().map(|(i, &place)| field(start + i, place)).collect();
        found.into_iter().enumerate().for_each(|(i, value)| keep(first + (start + i) as u32, value));
    }
}

/// Returns, for each particle, the rotation whose columns are the axes.
fn field(loaded: &LoadedScene, index: usize, axes: &Axes, points: &[DVec3]) -> Result<Field<DMat3>, SceneError> {
    Ok(match axes {
        Axes::Fixed(fixed) => {
            let frame = rotation_degrees(fixed.rotate_degrees);
            Box::new(move |_, _| frame)
        }
        Axes::Direction(direction) => {
            let frame = frame(unit(direction.along), direction.across.map(DVec3::from_array));
            Box::new(move |_, _| frame)
        }
        Axes::Radial(around) => {
            let around = around.clone();
            Box::new(move |_, place| radial(&around, place))
        }
        Axes::Principal(principal) => {
            let frame = along_body(points, principal.third).ok_or_else(|| {
                let name = principal.third.name();
                loaded.error_at(
                    &format!("object.{index}.anisotropy.axes.principal"),
                    &format!("`{{}}`: the object has no unique {name} axis: another axis has the same extent"),
                    "name another axis for `third`, or set the axes with `axes.direction`",
                )
            })?;
            Box::new(move |_, _| frame)
        }
        Axes::File(file) => {
            let directions = read(loaded, &format!("object.{index}.anisotropy.axes.file.file"), &file.file)?;
            let across = file.across.map(DVec3::from_array);
            Box::new(move |_, place| frame(directions.direction(place), across))
        }
        Axes::Random(random) => self::random(random, CounterRng::new(loaded.scene.seed()).bits(&[index as u64, AXES])),
    })
}

/// Reads the directions from `file`, whose name is at `path` in the scene.
pub(super) fn read(loaded: &LoadedScene, path: &str, file: &str) -> Result<DirectionField, SceneError> {
    let built_in = file.strip_prefix(builtin::MESH_PREFIX).and_then(builtin::directions);
    let read = match built_in {
        Some(text) => parse_directions(text.as_bytes(), file),
        None => read_directions(file),
    };
    read.map_err(|error| {
        // The error of the file comes first, so that the last placeholder stands for the path.
        let message = format!("{error}; the file is named by `{{}}`");
        loaded.error_at(path, &message, "repair the file; `fibra schema` describes its format")
    })
}

fn unit(direction: [f64; 3]) -> DVec3 {
    // Scale before normalizing, so that squares neither overflow nor underflow.
    let direction = DVec3::from_array(direction);
    (direction / direction.abs().max_element()).normalize_or(DVec3::Z)
}

/// Returns axes with the given axis 3, a unit vector, and axis 1 as close to `across` as possible. Without `across`, axes 1 and 2 are the images of x and y
/// under the shortest rotation from z to axis 3.
fn frame(third: DVec3, across: Option<DVec3>) -> DMat3 {
    let first = across.map(|across| unit(across.to_array()).reject_from_normalized(third));
    match first.filter(|first| first.length() > 1e-6) {
        Some(first) => {
            let first = first.normalize();
            DMat3::from_cols(first, third.cross(first), third)
        }
        None => DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, third)),
    }
}

/// Returns cylindrical axes: axis 3 along the line, axis 1 radial.
fn radial(around: &RadialAxes, place: DVec3) -> DMat3 {
    let out = place - DVec3::from_array(around.center);
    frame(unit(around.axis), (out != DVec3::ZERO).then_some(out))
}

/// Returns the principal axes of inertia with the selected one as axis 3, or `None` if two axes cannot be distinguished.
fn along_body(points: &[DVec3], third: Extent) -> Option<DMat3> {
    let axes = principal_axes_of_points(points);
    let rank = match third {
        Extent::Longest => 0,
        Extent::Middle => 1,
        Extent::Shortest => 2,
    };
    let others = [0, 1, 2].into_iter().filter(|&other| other != rank);
    let (variance, along) = axes[rank];
    let alike = |other: usize| (axes[other].0 - variance).abs() <= LEAST_DIFFERENCE * axes[other].0.max(variance);
    let longer = others.clone().next()?;
    (!others.into_iter().any(alike)).then(|| frame(along, Some(axes[longer].1)))
}

/// Returns directions of axis 3 that are uniformly distributed over a spherical cap around a direction.
///
/// Two independent normal numbers `g` define a point of the plane. Its polar angle is uniform, and `1 - exp(-|g|^2 / 2)` is uniform between 0 and 1, like the
/// cosine of the polar angle over a spherical cap. A smooth field of such pairs gives a smooth field of directions.
fn random(random: &RandomAxes, seed: u64) -> Field<DMat3> {
    let rng = CounterRng::new(seed);
    let depth = 1.0 - random.spread_degrees.to_radians().cos();
    let middle = frame(unit(random.about), None);
    let smooth = random.length.map(|length| GaussianField::new(rng, length));
    Box::new(move |particle, place| {
        let [a, b] = smooth.map_or_else(|| normal_pair(&rng, &[particle as u64]), |field| field.at(place));
        let square = a * a + b * b;
        let cosine = 1.0 + depth * (-0.5 * square).exp_m1();
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let away = if square > 0.0 { sine / square.sqrt() } else { 0.0 };
        middle * frame(DVec3::new(away * a, away * b, cosine), None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_rotation(m: &DMat3) {
        let off = (m.transpose() * *m - DMat3::IDENTITY).to_cols_array();
        assert!(off.iter().all(|entry| entry.abs() < 1e-9), "{m}");
        assert!((m.determinant() - 1.0).abs() < 1e-9, "{m}");
    }

    fn places() -> Vec<DVec3> {
        (0..2000).map(|i| CounterRng::new(1).uniform_in_cube([i, 0, 0]) - DVec3::splat(0.5)).collect()
    }

    #[test]
    fn built_in_directions_are_valid() {
        for name in builtin::direction_names() {
            let field = parse_directions(builtin::directions(name).unwrap().as_bytes(), name).unwrap();
            // The grain of the branch is steep at the wall and straight at the tip.
            let steepness = |x: f64| field.direction(DVec3::new(x, 0.3, 0.35)).y.abs();
            assert!(steepness(0.0) > 0.9 && steepness(0.5) < 0.1, "{name}");
        }
    }

    #[test]
    fn a_direction_becomes_the_third_axis() {
        for along in [DVec3::Z, -DVec3::Z, DVec3::new(1.0, 2.0, -0.3), DVec3::splat(1e-200), 1e17 * DVec3::X] {
            for across in [None, Some(DVec3::new(0.1, -1.0, 0.2)), Some(DVec3::Y)] {
                let m = frame(unit(along.to_array()), across);
                assert_rotation(&m);
                assert!(m.z_axis.cross(unit(along.to_array())).length() < 1e-9 && m.z_axis.dot(along) > 0.0);
                let leans = |across: DVec3| m.y_axis.dot(across).abs() < 1e-9 && m.x_axis.dot(across) > 0.0;
                assert!(across.is_none_or(leans), "{m}");
            }
        }
        assert_eq!(frame(DVec3::Z, None), DMat3::IDENTITY);
        // An `across` parallel to the third axis has no perpendicular component.
        assert_rotation(&frame(DVec3::X, Some(2.0 * DVec3::X)));
    }

    #[test]
    fn radial_axes_are_axial_radial_and_circumferential() {
        let around = RadialAxes { center: [0.1, 5.0, -0.2], axis: [0.0, 2.0, 0.0] };
        for place in places() {
            let m = radial(&around, place);
            assert_rotation(&m);
            let out = DVec3::new(place.x - 0.1, 0.0, place.z + 0.2).normalize();
            assert!((m.x_axis - out).length() < 1e-9 && (m.z_axis - DVec3::Y).length() < 1e-9);
            assert!((m.y_axis - DVec3::Y.cross(out)).length() < 1e-9);
        }
        for on_the_line in [[0.1, 5.0, -0.2], [0.1, 9.0, -0.2]] {
            assert_rotation(&radial(&around, DVec3::from_array(on_the_line)));
        }
    }

    #[test]
    fn random_axes_are_uniform_over_the_cap() {
        for (spread_degrees, about) in [(90.0f64, [0.0, 0.0, 1.0]), (25.0, [1.0, -2.0, 0.5])] {
            let axes = RandomAxes { spread_degrees, about, length: None };
            let field = random(&axes, 7);
            let n = 40_000;
            let frames: Vec<DMat3> = (0..n).map(|i| field(i, DVec3::ZERO)).collect();
            frames.iter().take(100).for_each(assert_rotation);
            let (least, middle) = (spread_degrees.to_radians().cos(), frame(unit(about), None));
            let mean = |f: &dyn Fn(DVec3) -> f64| {
                frames.iter().map(|m| f(middle.transpose() * m.z_axis)).sum::<f64>() / n as f64
            };
            // Uniform from `least` to 1: mean, variance, and zero lateral mean; five standard errors.
            let (width, error) = (1.0 - least, 5.0 / (n as f64).sqrt());
            assert!((mean(&|d| d.z) - 0.5 * (1.0 + least)).abs() < 0.3 * width * error);
            let variance = mean(&|d| (d.z - 0.5 * (1.0 + least)).powi(2));
            assert!((variance - width * width / 12.0).abs() < 0.08 * width * width * error);
            assert!(mean(&|d| d.x).abs() < error && mean(&|d| d.y).abs() < error);
            assert!((mean(&|d| d.x * d.x - d.y * d.y)).abs() < error);
            assert!(frames.iter().all(|m| (middle.transpose() * m.z_axis).z >= least - 1e-9));
        }
    }

    #[test]
    fn random_axes_can_vary_smoothly() {
        let field = random(&RandomAxes { spread_degrees: 40.0, about: [0.0, 1.0, 0.0], length: Some(0.2) }, 3);
        let at = |k: u32| field(k as usize, DVec3::new(f64::from(k) * 1e-4, 0.1, 0.0)).z_axis;
        let step = (0..10_000).map(|k| at(k).angle_between(at(k + 1))).fold(0.0, f64::max);
        let traveled = at(0).angle_between(at(6000));
        assert!(step < 2e-3 && traveled > 0.05, "{step} rad, {traveled} rad");
        let same = random(&RandomAxes { spread_degrees: 0.0, about: [1.0, 0.0, 0.0], length: None }, 3);
        assert!((same(5, DVec3::ZERO).z_axis - DVec3::X).length() < 1e-9);
    }

    #[test]
    fn bodies_have_principal_axes_unless_two_are_equal() {
        let brick: Vec<DVec3> = places().into_iter().map(|p| DVec3::new(1.0, 3.0, 2.0) * p).collect();
        // The brick's edges by length; random points reproduce them to a degree or two.
        let [long, middle, short] = [DVec3::Y, DVec3::Z, DVec3::X];
        for (wanted, third, first) in
            [(Extent::Longest, long, middle), (Extent::Middle, middle, long), (Extent::Shortest, short, long)]
        {
            let m = along_body(&brick, wanted).unwrap();
            assert_rotation(&m);
            assert!(m.z_axis.dot(third) > 0.998 && m.x_axis.dot(first) > 0.998, "{wanted:?}: {m}");
        }
        let lattice: Vec<DVec3> =
            (0..1000).map(|i| DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64)).collect();
        assert!(along_body(&lattice, Extent::Longest).is_none());
        let column: Vec<DVec3> = lattice.iter().map(|p| DVec3::new(p.x, p.y, 2.0 * p.z)).collect();
        assert!(along_body(&column, Extent::Longest).is_some() && along_body(&column, Extent::Shortest).is_none());
    }

    #[test]
    fn each_visits_every_particle_once_in_order() {
        let points = vec![DVec3::ZERO; CHUNK + 5];
        let mut next = 7;
        each(&points, 7, &|i, _| i, |number, i| {
            assert_eq!((number, i as u32 + 7), (next, next));
            next += 1;
        });
        assert_eq!(next as usize, CHUNK + 12);
    }
}
