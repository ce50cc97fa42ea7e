//! Builds the rest state from the clouds of objects: bodies, samples, elastons, and the render surface.

use super::elaston_parts::{Part, spacing};
use super::pin::region;
use crate::{ElastonSampling, Elastons, LoadedScene, SceneError};
use fibra_elastons::internals::cloud::Cloud;
use fibra_elastons::internals::matter::{Body, count_apart};
use fibra_elastons::internals::world::{Hold, Matter, Surface};
use glam::DVec3;

/// The clouds of all bodies, before they are sampled.
pub(super) struct Bodies {
    bodies: Vec<Body>,
    /// The first object of each body. Errors about the body point at this object.
    firsts: Vec<usize>,
    /// Render surface of each object, with the object's body and first piece in that body.
    skins: Vec<(usize, usize, Option<Surface>)>,
}

impl Bodies {
    /// Assembles all objects, relative to `origin` [m]. Objects of one body are connected where they touch.
    pub(super) fn new(
        loaded: &LoadedScene,
        settings: &Elastons,
        parts: Vec<Part>,
        origin: DVec3,
    ) -> Result<Bodies, SceneError> {
        let scene = &loaded.scene;
        let (mut bodies, mut skins): (Vec<Body>, Vec<_>) = (Vec::new(), Vec::new());
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
            skins.push((number, first, part.skin.map(|skin| Surface::new(&skin, &part.cloud.points, origin))));
            body.cloud.append(part.cloud);
            body.objects.resize(body.cloud.points.len(), index as u32);
            body.samples += wanted.samples;
            body.elastons += wanted.elastons;
            body.grading.iter_mut().for_each(|grading| grading.extend(&wanted.grading));
        }
        Ok(Bodies { bodies, firsts, skins })
    }

    /// Position [m] and object of each piece, numbered as in the rest state.
    pub(super) fn pieces(&self) -> (Vec<DVec3>, Vec<u32>) {
        let points = self.bodies.iter().flat_map(|body| body.cloud.points.iter().copied()).collect();
        (points, self.bodies.iter().flat_map(|body| body.objects.iter().copied()).collect())
    }

    /// Samples the bodies with their holds.
    pub(super) fn sample(
        self,
        loaded: &LoadedScene,
        settings: &Elastons,
        holds: &[Hold],
    ) -> Result<Matter, SceneError> {
        let Bodies { bodies, firsts, skins } = self;
        let scene = &loaded.scene;
        let held: Vec<u32> =
            holds.iter().filter(|hold| hold.is_permanent()).flat_map(|hold| hold.pieces.iter().copied()).collect();
        let mut matter = Matter::sample_held(&bodies, &held, settings.support).map_err(|(body, flaw)| {
            let index = firsts[body];
            let message = format!("object `{}` cannot be sampled: {flaw}", scene.objects[index].name);
            let field = if scene.objects[index].sampling.is_some() { "sampling" } else { "shape" };
            let remedy = "use other numbers of samples and elastons, or a smaller spacing";
            loaded.error_at(&format!("object.{index}.{field}"), &message, remedy)
        })?;
        let mut offsets = vec![0; bodies.len()];
        for body in 1..bodies.len() {
            offsets[body] = offsets[body - 1] + bodies[body - 1].cloud.points.len();
        }
        for (body, first, skin) in skins {
            if let Some(skin) = skin {
                matter.surface.append(skin, (offsets[body] + first) as u32);
            }
        }
        Ok(matter)
    }
}

/// Number of samples and elastons of an object, and their local refinement.
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
        // Objects with finer pieces than others have finer samples too.
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
                let message =
                    format!("`{{}}`: object `{}` has {} pieces, fewer than {count} {field}", object.name, points.len());
                let remedy = "write a smaller number, or use a smaller spacing";
                return Err(loaded.error_at(&format!("object.{index}.sampling.{field}"), &message, remedy));
            }
        }
        Ok(Wanted { samples, elastons, grading })
    }
}
