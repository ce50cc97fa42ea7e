//! Generates the shapes of objects: solids as bodies to fill, surfaces and curves as meshes in world coordinates.

use super::rejected::file_remedy;
use super::shape::{Body, body, read_mesh};
use crate::model::curve::{CurveFile, CurveShape, Strands};
use crate::model::extent::rotation_degrees;
use crate::model::knit as scene;
use crate::model::memory::Amount;
use crate::model::surface::SurfaceShape;
use crate::{LoadedScene, Mesh, Motion, Mpm, ObjectShape, SceneError, Settings, Vec3};
use fibra_core::geometry::generate::{self, GenerateError, Polyline};
use fibra_core::geometry::{Bounds, CurveFlaw, CurveMesh, MeshFlaw, RigidPose, TriangleMesh};
use fibra_core::random::CounterRng;
use fibra_exchange::ImportError;
use glam::{DQuat, DVec3};

/// Longest allowed element, in grid cells [-]. At most one cell is best [Jiang2017, Sec. 6.1], and slightly longer elements
/// still work. Much longer elements are partly out of reach of their particles, so layers and strands pass through them.
const LONGEST_ELEMENT: f64 = 4.0;

/// The remedy for a damaged file.
pub(super) const REPAIR: &str = "repair the file, or export it again";

/// Parameters of a shape's yarn.
const YARN: [&str; 3] = ["wale_width", "diameter", "threads"];

/// The generated shape of an object.
pub(super) enum Geometry {
    /// A body to fill with particles.
    Solid(Body),
    /// Triangles in world coordinates.
    Surface(TriangleMesh),
    /// Segments in world coordinates.
    Curves(CurveMesh),
}

impl Geometry {
    /// Returns the amount of material in the geometry.
    pub(super) fn amount(&self) -> Amount {
        let meshed = |vertices: usize, elements: usize| Amount {
            mesh_particles: (vertices + elements) as f64,
            ..Amount::default()
        };
        match self {
            Geometry::Solid(body) => Amount { volume: body.shape.volume().unwrap_or(0.0), ..Amount::default() },
            Geometry::Surface(mesh) => meshed(mesh.vertices().len(), mesh.triangles().len()),
            Geometry::Curves(mesh) => meshed(mesh.points().len(), mesh.segments().len()),
        }
    }

    /// Returns the bounding box [m], before the rotation of a solid; not finite if the solid has none.
    pub(super) fn bounds(&self) -> Bounds {
        match self {
            Geometry::Solid(body) => {
                let (center, half) = (body.pose.translation, body.shape.half_extents().unwrap_or(DVec3::NAN));
                Bounds { min: center - half, max: center + half }
            }
            Geometry::Surface(mesh) => mesh.bounds(),
            Geometry::Curves(mesh) => mesh.bounds(),
        }
    }
}

/// Generates the shape of the object with this index.
pub(super) fn geometry(loaded: &LoadedScene, object: usize) -> Result<Geometry, SceneError> {
    let path = format!("object.{object}.shape");
    let shape = &loaded.scene.objects[object].shape;
    let length = loaded.scene.element_length();
    let maker = Maker { loaded, path: format!("{path}.{}", shape.name()) };
    match shape {
        // Filling a mesh queries its surface, not its sampled distances, so the coarsest sampling suffices.
        ObjectShape::Solid(solid) => Ok(Geometry::Solid(body(loaded, &path, solid, &Motion::Still, f64::INFINITY)?)),
        ObjectShape::Surface(shape) => {
            let mesh = maker.surface(shape, shape.spacing(length).unwrap_or(length))?;
            maker.check_lengths((0..mesh.triangles().len()).map(|triangle| {
                let [a, b, c] = mesh.corners(triangle);
                a.distance(b).max(b.distance(c)).max(c.distance(a))
            }))?;
            Ok(Geometry::Surface(maker.placed(&mesh, &pose(shape.place()))?))
        }
        // Method `elastons` reads clouds itself; loading rejects them for other methods.
        ObjectShape::Cloud(_) => Err(loaded.error_at(&path, "a cloud cannot be meshed", "use another shape")),
        ObjectShape::Curves(shape) => {
            let seed = CounterRng::new(loaded.scene.seed()).bits(&[object as u64]);
            let mesh = maker.curves(shape, shape.spacing(length), seed)?;
            maker.check_lengths(mesh.lengths())?;
            let RigidPose { translation, rotation } = pose(shape.place());
            let placed = mesh.transformed(1.0, rotation, translation);
            Ok(Geometry::Curves(placed.map_err(|flaw: CurveFlaw| maker.misplaced(&flaw.to_string()))?))
        }
    }
}

/// Returns the pose of a frame with its origin at a point [m], rotated by these angles [deg].
pub(super) fn pose([position, angles]: [Vec3; 2]) -> RigidPose {
    RigidPose { translation: DVec3::from_array(position), rotation: DQuat::from_mat3(&rotation_degrees(angles)) }
}

/// Generates meshes and reports their errors.
pub(super) struct Maker<'a> {
    pub(super) loaded: &'a LoadedScene,
    /// Path of the shape's table.
    pub(super) path: String,
}

impl Maker<'_> {
    /// Generates a surface in its own frame, with vertices `spacing` [m] apart.
    pub(super) fn surface(&self, shape: &SurfaceShape, spacing: f64) -> Result<TriangleMesh, SceneError> {
        let made = match shape {
            SurfaceShape::Sheet(s) => generate::Sheet { width: s.width, depth: s.depth, spacing }.build(),
            SurfaceShape::Curtain(s) => {
                generate::Curtain { width: s.width, height: s.height, span: s.span, folds: s.folds, spacing }.build()
            }
            SurfaceShape::Bear(s) => generate::ClothFigure::teddy_bear(s.height, spacing).build(),
            SurfaceShape::Tube(s) => generate::Revolved::tube(s.radius, s.height, spacing).build(),
            SurfaceShape::SurfaceMesh(mesh) => return self.surface_of_file(mesh),
        };
        made.map_err(|error| self.not_generated(&error))
    }

    /// Transforms a mesh to world coordinates.
    pub(super) fn placed(&self, mesh: &TriangleMesh, pose: &RigidPose) -> Result<TriangleMesh, SceneError> {
        let vertices = mesh.vertices().iter().map(|vertex| pose.apply(*vertex)).collect();
        let placed = TriangleMesh::new(vertices, mesh.triangles().to_vec());
        placed.map_err(|flaw: MeshFlaw| self.misplaced(&flaw.to_string()))
    }

    /// Generates curves in their own frame, with segments at most `spacing` [m] long.
    fn curves(&self, shape: &CurveShape, spacing: f64, seed: u64) -> Result<CurveMesh, SceneError> {
        let made = match shape {
            CurveShape::Strands(s) => strands(s, spacing),
            CurveShape::HairTube(s) => generate::HairTube {
                strands: s.strands,
                radius: s.radius,
                hollow: s.hollow,
                length: s.length,
                spacing,
                curl_radius: s.curl_radius,
                curl_length: s.curl_length,
                seed,
            }
            .build(),
            CurveShape::Carpet(s) => generate::ShagCarpet {
                width: s.width,
                depth: s.depth,
                mesh_size: s.mesh_size,
                strands: s.strands,
                pile: s.pile,
                lean: s.lean_degrees.to_radians(),
                spacing,
                seed,
            }
            .build(),
            CurveShape::FiberBundle(s) => generate::FiberBundle {
                size: DVec3::from_array(s.size),
                fibers: s.fibers,
                min_length: s.min_length,
                max_length: s.max_length,
                spread: s.spread_degrees.to_radians(),
                bend: s.bend_degrees.to_radians(),
                spacing,
                seed,
            }
            .build(),
            CurveShape::Knit(s) => {
                let (yarn, pattern) = (yarn(&s.yarn, spacing), pattern(&s.pattern));
                generate::KnitSwatch { yarn, pattern, courses: s.courses, wales: s.wales }.build()
            }
            CurveShape::KnitTube(s) => {
                let (yarn, pattern) = (yarn(&s.yarn, spacing), pattern(&s.pattern));
                generate::KnitTube { yarn, pattern, courses: s.courses, wales: s.wales }.build()
            }
            CurveShape::Sweater(s) => generate::Sweater {
                yarn: yarn(&s.yarn, spacing),
                pattern: pattern(&s.pattern),
                body_courses: s.body_courses,
                body_wales: s.body_wales,
                sleeve_courses: s.sleeve_courses,
                sleeve_wales: s.sleeve_wales,
            }
            .build(),
            CurveShape::Poncho(s) => generate::Poncho {
                yarn: yarn(&s.yarn, spacing),
                pattern: pattern(&s.pattern),
                courses: s.courses,
                wales: s.wales,
                neck_courses: s.neck_courses,
                neck_wales: s.neck_wales,
            }
            .build(),
            CurveShape::RodBundle(s) => generate::RodBundle {
                rods: s.rods,
                length: s.length,
                pitch: s.pitch,
                shift: s.shift,
                sway: s.sway,
                bend_radius: s.bend_radius,
                spacing,
                seed,
            }
            .build(),
            CurveShape::Scalp(s) => generate::Scalp {
                strands: s.strands,
                radius: s.radius,
                cap: s.cap_degrees.to_radians(),
                length: s.length,
                lift: s.lift.unwrap_or(0.1 * s.radius),
                volume: s.volume.unwrap_or(0.25 * s.radius),
                curl_radius: s.curl_radius,
                curl_length: s.curl_length,
                spacing,
            }
            .build(),
            CurveShape::OverhandKnot(s) => {
                generate::OverhandKnot { loop_radius: s.loop_radius, tail: s.tail, spacing }.build()
            }
            CurveShape::LoopRails(s) => generate::LoopRails {
                loops: s.loops,
                loop_radius: s.loop_radius,
                pitch: s.pitch,
                gauge: s.gauge,
                run_in: s.run_in,
                run_out: s.run_out,
                spacing,
            }
            .build(),
            CurveShape::Helix(s) => generate::Helix {
                radius: s.radius,
                pitch: s.pitch,
                turns: s.turns,
                left_handed: s.left_handed,
                spacing,
            }
            .build(),
            CurveShape::CurveFile(file) => return self.curves_of_file(file, spacing),
            // Loading rejects these shapes without method `hair`.
            CurveShape::Hairstyle(_) | CurveShape::HairFile(_) => {
                return Err(self.loaded.error_at(&self.path, "this shape requires a head", "use method `hair`"));
            }
        };
        made.map_err(|error| self.not_generated(&error))
    }

    fn surface_of_file(&self, mesh: &Mesh) -> Result<TriangleMesh, SceneError> {
        let read = read_mesh(mesh).map_err(|error| self.bad_import(&error))?;
        read.into_cloth().map_err(|flaw| self.bad_file(&format!("{}: {flaw}", mesh.file), REPAIR))
    }

    fn curves_of_file(&self, file: &CurveFile, spacing: f64) -> Result<CurveMesh, SceneError> {
        let import = fibra_exchange::CurveImport { scale: file.scale, spacing };
        fibra_exchange::read_curves(&file.file, file.prim.as_deref(), &import).map_err(|error| self.bad_import(&error))
    }

    /// Rejects elements that the grid does not resolve, given the length of each [m].
    fn check_lengths(&self, lengths: impl Iterator<Item = f64>) -> Result<(), SceneError> {
        // Rods have no grid, and segments of hair may be longer than a grid cell.
        let Some(Settings::Mpm(Mpm { dx, .. })) = self.loaded.scene.settings() else { return Ok(()) };
        let Some((element, length)) = lengths.enumerate().find(|(_, length)| *length > LONGEST_ELEMENT * *dx) else {
            return Ok(());
        };
        let message = format!(
            "element {element} of `{{}}` is {length:.3e} m long, {:.1} grid cells; other objects pass through \
             elements longer than {LONGEST_ELEMENT} cells",
            length / dx
        );
        let remedy = "use a smaller `spacing` or a finer mesh (best at most one cell), or a larger `mpm.dx`";
        Err(self.loaded.error_at(&self.path, &message, remedy))
    }

    pub(super) fn not_generated(&self, error: &GenerateError) -> SceneError {
        let (path, remedy) = match error {
            GenerateError::Parameter { name, .. } if YARN.contains(name) => {
                (format!("{}.yarn.{name}", self.path), "write another number")
            }
            GenerateError::Parameter { name, .. } => (format!("{}.{name}", self.path), "write another number"),
            _ => (self.path.clone(), "change the sizes of the shape"),
        };
        self.loaded.error_at(&path, &format!("the shape cannot be generated: {error}"), remedy)
    }

    fn bad_import(&self, error: &ImportError) -> SceneError {
        self.bad_file(&error.to_string(), file_remedy(error, REPAIR))
    }

    fn bad_file(&self, error: &str, remedy: &str) -> SceneError {
        let message = format!("the file named by `{{}}` cannot be used: {error}");
        self.loaded.error_at(&format!("{}.file", self.path), &message, remedy)
    }

    fn misplaced(&self, flaw: &str) -> SceneError {
        self.loaded.error_at(
            &self.path,
            &format!("the position of `{{}}` is invalid: {flaw}"),
            "move it closer to the origin",
        )
    }
}

fn yarn(yarn: &scene::Yarn, spacing: f64) -> generate::Yarn {
    generate::Yarn {
        wale_width: yarn.wale_width,
        diameter: yarn.diameter,
        threads: yarn.threads,
        turns: yarn.turns,
        spacing,
    }
}

fn pattern(pattern: &scene::Pattern) -> generate::Pattern {
    match *pattern {
        scene::Pattern::Stockinette => generate::Pattern::Stockinette,
        scene::Pattern::Rib(scene::Rib { knit, purl }) => generate::Pattern::Rib(generate::Rib { knit, purl }),
        scene::Pattern::Cable(scene::Cable { width, ground, rows, front }) => {
            let front = match front {
                scene::CableHalf::Left => generate::Half::Left,
                scene::CableHalf::Right => generate::Half::Right,
            };
            generate::Pattern::Cable(generate::Cable { width, ground, rows, front })
        }
        scene::Pattern::Lace(scene::Lace { motif, wales, courses }) => {
            let motif = match motif {
                scene::LaceMotif::Eyelets => generate::Motif::Eyelets,
                scene::LaceMotif::Columns => generate::Motif::Columns,
                scene::LaceMotif::Diagonal => generate::Motif::Diagonal,
                scene::LaceMotif::Chevron => generate::Motif::Chevron,
            };
            generate::Pattern::Lace(generate::Lace { motif, wales, courses })
        }
    }
}

/// Generates one polyline after another.
fn strands(strands: &Strands, spacing: f64) -> Result<CurveMesh, GenerateError> {
    let (mut points, mut segments) = (Vec::new(), Vec::new());
    for curve in &strands.curves {
        let corners = curve.iter().map(|point| DVec3::from_array(*point)).collect();
        let line = Polyline { points: corners, closed: strands.closed, spacing }.build()?;
        let first = points.len() as u32;
        segments.extend(line.segments().iter().map(|ends| ends.map(|end| first + end)));
        points.extend_from_slice(line.points());
    }
    Ok(CurveMesh::new(points, segments)?)
}
