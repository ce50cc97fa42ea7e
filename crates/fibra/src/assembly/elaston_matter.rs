//! From the clouds of objects to the rest state: bodies, samples, elastons, and the surface that is drawn.

use super::elaston_parts::{Part, spacing};
use super::pin::region;
use crate::scene::{ElastonSampling, Elastons, LoadedScene, SceneError};
use fibra_core::geometry::{PointTree, TriangleMesh};
use fibra_elastons::cloud::Cloud;
use fibra_elastons::matter::Body;
use fibra_elastons::world::{Matter, Surface};
use glam::{DVec3, IVec3};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// Puts objects together, relative to `origin` [m]. Those of one body hang together where they touch.
pub(super) fn matter(
    loaded: &LoadedScene,
    settings: &Elastons,
    parts: Vec<Part>,
    origin: DVec3,
) -> Result<Matter, SceneError> {
    let scene = &loaded.scene;
    let (mut bodies, mut skins): (Vec<Body>, Vec<_>) = (Vec::new(), Vec::new());
    // The first object of each body, where errors about it are shown.
    let mut firsts: Vec<usize> = Vec::new();
    for (index, mut part) in parts.into_iter().enumerate() {
        part.cloud.points.iter_mut().for_each(|point| *point -= origin);
        let wanted = Wanted::of(loaded, settings, index, &part.cloud.points, origin)?;
        let name = &scene.objects[index].body;
        let of_name = |&first: &usize| name.is_some() && scene.objects[first].body == *name;
        let number = firsts.iter().position(of_name).unwrap_or_else(|| {
            firsts.push(index);
            let (cloud, objects, grading) = (Cloud::default(), Vec::new(), Some(Vec::new()));
            bodies.push(Body { cloud, objects, samples: 0, elastons: 0, grading });
            bodies.len() - 1
        });
        let body = &mut bodies[number];
        let first = body.cloud.points.len();
        skins.push((number, first, drawn(&part, origin)));
        body.cloud.append(part.cloud);
        body.objects.resize(body.cloud.points.len(), index as u32);
        body.samples += wanted.samples;
        body.elastons += wanted.elastons;
        body.grading.iter_mut().for_each(|grading| grading.extend(&wanted.grading));
    }
    let mut matter = Matter::sample(&bodies, settings.support).map_err(|(body, flaw)| {
        let index = firsts[body];
        let message = format!("object `{}` cannot be sampled: {flaw}", scene.objects[index].name);
        let field = if scene.objects[index].sampling.is_some() { "sampling" } else { "shape" };
        let remedy = "write other numbers of samples and elastons, or use a smaller spacing";
        loaded.error_at(&format!("object.{index}.{field}"), &message, remedy)
    })?;
    let mut offsets = vec![0; bodies.len()];
    for body in 1..bodies.len() {
        offsets[body] = offsets[body - 1] + bodies[body - 1].cloud.points.len();
    }
    for (body, first, skin) in skins {
        append(&mut matter.surface, skin, (offsets[body] + first) as u32);
    }
    Ok(matter)
}

/// What is drawn of an object, with its own pieces numbered from 0.
fn drawn(part: &Part, origin: DVec3) -> Surface {
    let Some(skin) = &part.skin else { return Surface::default() };
    let tree = PointTree::new(&part.cloud.points);
    let equal = tree.scales(&vec![1.0; part.cloud.points.len()]);
    let (vertices, triangles) = welded(skin);
    let vertices: Vec<DVec3> = vertices.into_iter().map(|vertex| vertex - origin).collect();
    let pieces = vertices.par_iter().map(|&vertex| tree.nearest_two(vertex, &equal, None)[0].1).collect();
    Surface { vertices, pieces, triangles, cuts: None }
}

/// A mesh with one vertex where it has several at the same place: what is cut must know that sides hang together.
fn welded(skin: &TriangleMesh) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut known = BTreeMap::new();
    let weld = |&vertex: &DVec3| {
        // Zeros of both signs are one place.
        let place = (vertex + 0.0).to_array().map(f64::to_bits);
        *known.entry(place).or_insert_with(|| {
            vertices.push(vertex);
            vertices.len() as u32 - 1
        })
    };
    let names: Vec<u32> = skin.vertices().iter().map(weld).collect();
    let triangles = skin.triangles().iter().map(|triangle| triangle.map(|corner| names[corner as usize]));
    let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    (vertices, triangles)
}

/// Adds what is drawn of an object whose pieces are numbered from `first`.
fn append(surface: &mut Surface, skin: Surface, first: u32) {
    let start = surface.vertices.len() as u32;
    surface.vertices.extend(skin.vertices);
    surface.pieces.extend(skin.pieces.iter().map(|piece| first + piece));
    surface.triangles.extend(skin.triangles.iter().map(|corners| corners.map(|corner| start + corner)));
}

/// How many samples and elastons an object has, and where they are closer together.
struct Wanted {
    samples: usize,
    elastons: usize,
    /// Relative spacing at each piece [-].
    grading: Vec<f64>,
}

impl Wanted {
    fn of(
        loaded: &LoadedScene,
        settings: &Elastons,
        index: usize,
        points: &[DVec3],
        origin: DVec3,
    ) -> Result<Wanted, SceneError> {
        let object = &loaded.scene.objects[index];
        let usual = ElastonSampling::default();
        let sampling = object.sampling.as_ref().unwrap_or(&usual);
        // Objects that are cut finer than others are sampled finer as well.
        let relative = spacing(object, settings) / settings.spacing;
        let apart = relative * settings.sample_spacing();
        let samples = sampling.samples.map_or_else(|| count_apart(points, apart), |count| count as usize);
        let elastons = sampling
            .elastons
            .map_or_else(|| count_apart(points, apart / settings.elaston_ratio).max(samples), |count| count as usize);
        let grading = match &sampling.grading {
            None => vec![relative; points.len()],
            Some(grading) => {
                let region = region(loaded, &format!("object.{index}.sampling.grading"), &grading.region, origin)?;
                let finest = 1.0 / grading.factor;
                let at = |point: &DVec3| {
                    let away = f64::from(region.signed_distance(point.as_vec3())).max(0.0);
                    let share =
                        if away < grading.reach { away / grading.reach } else { f64::from(u8::from(away > 0.0)) };
                    relative * (finest + (1.0 - finest) * share)
                };
                points.iter().map(at).collect()
            }
        };
        for (field, count) in [("samples", samples), ("elastons", elastons)] {
            if count > points.len() {
                let message = format!(
                    "`{{}}`: object `{}` consists of {} pieces, which cannot have {count} {field}",
                    object.name,
                    points.len()
                );
                let remedy = "write a smaller number, or use a smaller spacing";
                return Err(loaded.error_at(&format!("object.{index}.sampling.{field}"), &message, remedy));
            }
        }
        Ok(Wanted { samples, elastons, grading })
    }
}

/// How many points, taken in their order, are no closer to one taken before than `apart` [m]: as many as it takes to be about that far apart, be
/// it along a line, in a plane or in space.
fn count_apart(points: &[DVec3], apart: f64) -> usize {
    let cell = |point: DVec3| (point / apart).floor().as_ivec3();
    let mut taken: HashMap<IVec3, Vec<DVec3>> = HashMap::new();
    let mut count = 0;
    // What is a lattice of just that distance must not lose every other point to rounding.
    let least = apart * (1.0 - 1e-6);
    for &point in points {
        let here = cell(point);
        let near = |offset: IVec3| taken.get(&(here + offset)).into_iter().flatten();
        let offsets = (0..27).map(|i| IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        if offsets.flat_map(near).all(|other| other.distance(point) >= least) {
            taken.entry(here).or_default().push(point);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::RigidPose;
    use fibra_elastons::fill::cuboid;

    #[test]
    fn counts_follow_the_dimension() {
        for (cells, count) in [([50, 1, 1], 10), ([50, 50, 1], 100), ([50, 50, 50], 1000)] {
            let cloud = cuboid(DVec3::from_array(cells.map(f64::from)), cells, &RigidPose::IDENTITY).unwrap();
            let found = count_apart(&cloud.points, 5.0);
            assert!((0.8..1.25).contains(&(found as f64 / f64::from(count))), "{found} for {count}");
            assert_eq!(count_apart(&cloud.points, 1.0), cloud.points.len());
        }
    }
}
