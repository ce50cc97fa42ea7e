//! Initial strands of hair objects.

use super::geometry::{Geometry, REPAIR, geometry, pose};
use super::rejected::{COARSEN, file_remedy, too_large_object};
use crate::model::curve::CurveShape;
use crate::model::hair_shape::{Curl, HairFile, HairLength, Hairstyle};
use crate::model::memory::{self, Amount};
use crate::{LoadedScene, ObjectShape, SceneError};
use fibra_core::geometry::generate::{self, GenerateError, HairShape, Head, StrandPoints};
use fibra_core::geometry::{Bounds, CurveMesh, RigidPose, StrandFlaw, StrandRepairs, StrandSet};
use fibra_core::random::CounterRng;
use glam::DVec3;

/// Random number stream of the render strands. It must differ from the stream of the simulated strands.
const DRAWN: u64 = 1;

/// Longest segment of a hair file [cells]. The grid does not resolve contact between strands whose vertices are farther apart.
const LONGEST_SEGMENT: f64 = 10.0;

/// The hair of an object, in world coordinates.
pub(super) struct Grown {
    /// The simulated strands.
    pub(super) strands: StrandSet,
    /// The render strands.
    pub(super) drawn: Option<StrandSet>,
    /// Repairs of a hair file.
    pub(super) repairs: StrandRepairs,
}

/// Generates the hair of an object on a head.
pub(super) fn grown(loaded: &LoadedScene, object: usize, head: &RigidPose) -> Result<Grown, SceneError> {
    let shape = &loaded.scene.objects[object].shape;
    let grower = Grower { loaded, object, path: format!("object.{object}.shape.{}", shape.name()) };
    match shape {
        ObjectShape::Curves(CurveShape::Hairstyle(style)) => grower.style(style, head),
        ObjectShape::Curves(CurveShape::HairFile(file)) => grower.file(file, head),
        _ => match geometry(loaded, object)? {
            Geometry::Curves(mesh) => grower.curves(&mesh),
            // Loading rejects hair that is not made of curves.
            _ => Err(loaded.error_at(&grower.path, "hair must be curves", "use curves")),
        },
    }
}

struct Grower<'a> {
    loaded: &'a LoadedScene,
    object: usize,
    /// Path of the shape's table.
    path: String,
}

impl Grower<'_> {
    fn style(&self, style: &Hairstyle, head: &RigidPose) -> Result<Grown, SceneError> {
        let seed = |kind: u64| CounterRng::new(self.loaded.scene.seed()).bits(&[self.object as u64, kind]);
        let made = |strands: u32, seed: u64| {
            let set = self.generator(style, strands, seed).build().map_err(|error| self.not_generated(&error))?;
            placed(&set, head).map_err(|flaw| self.flawed(flaw))
        };
        let drawn = (style.interpolated > 0).then(|| made(style.interpolated, seed(DRAWN))).transpose()?;
        Ok(Grown { strands: made(style.strands(), seed(0))?, drawn, repairs: StrandRepairs::default() })
    }

    fn generator(&self, style: &Hairstyle, strands: u32, seed: u64) -> generate::Hairstyle {
        let usual = match style.style {
            HairLength::Short => generate::Hairstyle::short(),
            HairLength::Long => generate::Hairstyle::long(),
        };
        let size = self
            .loaded
            .scene
            .hair
            .as_ref()
            .map_or(Head::ADULT.half_axes, |hair| 0.5 * DVec3::from_array(hair.head.size));
        generate::Hairstyle {
            head: Head {
                half_axes: size,
                cap: style.cap_degrees.map_or(usual.head.cap, f64::to_radians),
                tilt: style.tilt_degrees.map_or(usual.head.tilt, f64::to_radians),
            },
            strands,
            points: StrandPoints::Total(style.points_of(strands) as u32),
            shortest: style.shortest.unwrap_or(usual.shortest),
            mean: style.mean.unwrap_or(usual.mean),
            longest: style.longest.unwrap_or(usual.longest),
            bend: style.bend.unwrap_or(usual.bend),
            lift: style.lift.unwrap_or(usual.lift),
            volume: style.volume.unwrap_or(usual.volume),
            shape: match &style.curl {
                Curl::Straight => HairShape::Straight,
                Curl::Wavy(wavy) => HairShape::Wavy { amplitude: wavy.amplitude, wavelength: wavy.wavelength },
                Curl::Curly(curly) => HairShape::Curly { radius: curly.radius, pitch: curly.pitch },
            },
            parting: style.parting.or(usual.parting),
            seed,
        }
    }

    fn file(&self, file: &HairFile, head: &RigidPose) -> Result<Grown, SceneError> {
        let unusable = |error: String, remedy: &str| {
            let message = format!("the file named by `{{}}` cannot be used: {error}");
            self.loaded.error_at(&format!("{}.file", self.path), &message, remedy)
        };
        let read = fibra_exchange::read_strands(&file.file, file.prim.as_deref(), file.scale);
        let (all, repairs) = read.map_err(|error| unusable(error.to_string(), file_remedy(&error, REPAIR)))?;
        self.check_memory(file, &all)?;
        let all = match file.spacing {
            None => all,
            Some(spacing) => all.resampled(spacing).map_err(|flaw| match flaw {
                StrandFlaw::TooManyPoints { .. } => unusable(flaw.to_string(), COARSEN),
                _ => unusable(flaw.to_string(), REPAIR),
            })?,
        };
        let (longest, cell) = (longest_segment(&all), self.loaded.scene.resolution());
        if longest > LONGEST_SEGMENT * cell {
            let problem =
                format!("it has segments of {longest:.3} m, but they must not be longer than ten cells of {cell} m");
            return Err(unusable(problem, "correct `scale` (0.01 for centimeters), or cut the strands with `spacing`"));
        }
        let own = pose([file.translate, file.rotate_degrees]);
        let pose = RigidPose { translation: head.apply(own.translation), rotation: head.rotation * own.rotation };
        let [simulated, drawn] = chosen(&all, file);
        let some = |strands: &StrandSet| placed(strands, &pose).map_err(|flaw| self.flawed(flaw));
        let strands = some(&simulated.unwrap_or(all))?;
        Ok(Grown { strands, drawn: drawn.as_ref().map(some).transpose()?, repairs })
    }

    /// Rejects a file that needs more memory than is installed, before its strands are resampled.
    fn check_memory(&self, file: &HairFile, all: &StrandSet) -> Result<(), SceneError> {
        let points: f64 = match file.spacing {
            None => all.points().len() as f64,
            Some(spacing) => all.lengths().map(|length| length / spacing + 1.0).sum(),
        };
        let fraction = |count: f64| (count / all.len() as f64).min(1.0);
        let simulated = file.strands.map_or(1.0, |count| fraction(count.into()));
        let shown = fraction(file.interpolated.into());
        let amount = Amount { mesh_particles: points * (2.0 * simulated + shown), ..Amount::default() };
        let cell = self.loaded.scene.resolution();
        let blocks = memory::hair_blocks(points * simulated, all.lengths().fold(0.0, f64::max), cell);
        memory::check_hair(amount, blocks, memory::installed()).map_err(|refusal| {
            let object = &self.loaded.scene.objects[self.object];
            let bounds = Bounds::around(all.points().iter().copied());
            too_large_object(self.loaded, &self.path, &refusal, (object, bounds))
        })
    }

    fn curves(&self, mesh: &CurveMesh) -> Result<Grown, SceneError> {
        let name = &self.loaded.scene.objects[self.object].name;
        let error = |problem: String| {
            let message = format!("`{name}` cannot be hair: {problem}");
            self.loaded.error_at(&self.path, &message, "use curves with two ends and no junctions")
        };
        let strands = mesh.strands().map_err(|junction| error(junction.to_string()))?;
        if let Some(closed) = strands.iter().position(|strand| strand.closed) {
            return Err(error(format!("its curve {closed} is closed")));
        }
        let counts: Vec<u32> = strands.iter().map(|strand| strand.points.len() as u32).collect();
        let points = strands.iter().flat_map(|strand| &strand.points).map(|&point| mesh.points()[point as usize]);
        let strands = StrandSet::new(points.collect(), &counts).map_err(|flaw| self.flawed(flaw))?;
        Ok(Grown { strands, drawn: None, repairs: StrandRepairs::default() })
    }

    fn not_generated(&self, error: &GenerateError) -> SceneError {
        let (path, remedy) = match error {
            GenerateError::Parameter { name, .. } => (self.path_of(name), "write another number"),
            _ => (self.path.clone(), "change the sizes of the shape"),
        };
        self.loaded.error_at(&path, &format!("the hair cannot be generated: {error}"), remedy)
    }

    /// Returns the path of a parameter of the generator.
    fn path_of(&self, name: &str) -> String {
        let path = &self.path;
        match name {
            "amplitude" | "wavelength" => format!("{path}.curl.wavy.{name}"),
            "radius" | "pitch" => format!("{path}.curl.curly.{name}"),
            "cap" | "tilt" => format!("{path}.{name}_degrees"),
            _ if name.starts_with("half_axes") => "hair.head.size".to_owned(),
            _ => format!("{path}.{name}"),
        }
    }

    fn flawed(&self, flaw: StrandFlaw) -> SceneError {
        self.loaded.error_at(
            &self.path,
            &format!("the hair cannot be generated: {flaw}"),
            "change the sizes of the shape",
        )
    }
}

fn placed(strands: &StrandSet, pose: &RigidPose) -> Result<StrandSet, StrandFlaw> {
    strands.mapped(|point| pose.apply(point))
}

/// Returns the length of the longest segment [m].
fn longest_segment(strands: &StrandSet) -> f64 {
    let segments = strands.iter().flat_map(|strand| strand.windows(2).map(|pair| pair[0].distance(pair[1])));
    segments.fold(0.0, f64::max)
}

/// Selects the simulated strands of a file and the render strands among the others, both in file order. Returns `None` for all simulated strands, and
/// for no render strands.
fn chosen(all: &StrandSet, file: &HairFile) -> [Option<StrandSet>; 2] {
    let count = file.strands.map_or(all.len(), |count| count as usize);
    if count >= all.len() {
        return [None, None];
    }
    let mut spread = all.spread_out(count + file.interpolated as usize);
    let (simulated, drawn) = spread.split_at_mut(count);
    [simulated, drawn].map(|strands| {
        strands.sort_unstable();
        all.subset(strands)
    })
}
