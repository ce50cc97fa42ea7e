//! Fibers dropped on a block: effect of friction on the pile [Jiang2017, Fig. 12], and effect of each part of the
//! contact model [Jiang2017, Fig. 10].

use super::Check;
use super::fabric::{add_strands, straight};
use super::scenario::Scenario;
use fibra_core::geometry::{Collider, Contact, Motion, RigidPose, Shape};
use fibra_core::random::CounterRng;
use fibra_mpm::internals::builder::{Builder, Fabric};
use fibra_mpm::internals::params::{Substance, Transfer};
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Fiber, Lame, Material};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Cell width [m].
const DX: f64 = 0.02;
/// Density [kg/m^3].
const DENSITY: f64 = 2.0;

/// Material of the fibers.
#[derive(Clone, Copy)]
struct Model {
    stiffness: f32,
    youngs_modulus: f64,
    friction_angle: f64,
    contact: ContactModel,
    follows_mesh: bool,
}

/// Strands with equal numbers of vertices, between two frictionless walls, on a block on the floor.
struct Pile {
    scenario: Scenario,
    vertices: Range<u32>,
    /// Number of vertices of each strand.
    each: usize,
}

impl Pile {
    /// Creates a pile. The block is centered on the y axis, with its top at y = 0 and the floor 0.1 m below. The walls
    /// are at `walls` along z [m].
    fn new(
        strands: &[Vec<DVec3>],
        section: f64,
        model: Model,
        block_width: f64,
        walls: [f64; 2],
    ) -> Result<Pile, String> {
        const BLOCK_HEIGHT: f64 = 0.1;
        let lame = Lame::new(model.youngs_modulus, 0.3);
        let law = Fiber::new(model.stiffness, 100.0, lame, model.friction_angle, model.contact);
        let substance = Substance { material: Material::Fiber(law), density: DENSITY as f32 };
        let fabric = Fabric { density: DENSITY, section, follows_mesh: model.follows_mesh };
        let mut builder = Builder::new(DVec3::ZERO);
        let vertices = add_strands(&mut builder, &fabric, strands)?;
        let mut scenario = Scenario::of_meshes(DX, substance, builder);
        scenario.params.transfer = Transfer::Apic { damping: 150.0 };
        scenario.add_plane(-BLOCK_HEIGHT * DVec3::Y, Vec3::Y, Contact::Separating, 1.0)?;
        scenario.add_plane(walls[0] * DVec3::Z, Vec3::Z, Contact::Slip, 0.0)?;
        scenario.add_plane(walls[1] * DVec3::Z, Vec3::NEG_Z, Contact::Slip, 0.0)?;
        let half = 0.5 * DVec3::new(block_width, BLOCK_HEIGHT, 20.0 * DX);
        scenario.params.colliders.push(Collider {
            name: "block".to_owned(),
            shape: Shape::cuboid(half.as_vec3()).map_err(|e| e.to_string())?,
            rest: RigidPose::at(-half.y * DVec3::Y),
            motion: Motion::Still,
            contact: Contact::Separating,
            friction: 1.0,
        });
        Ok(Pile { scenario, vertices, each: strands[0].len() })
    }

    fn strands(&self) -> Vec<Vec<DVec3>> {
        self.scenario.positions_of(self.vertices.clone()).chunks(self.each).map(<[DVec3]>::to_vec).collect()
    }
}

/// Height of the pile at five friction angles, which must increase with the angle.
///
/// A column of short parallel fibers, viewed from the fiber ends, falls on a wide block and slumps. The plastic flow of
/// the fibers' cross-section determines how far it slumps. The friction `alpha` across the fibers grows with the
/// friction angle, and a larger `alpha` gives a steeper pile. Only half of the column is simulated, next to a
/// frictionless wall. The height of the pile is the height that 5 % of the vertices exceed.
pub fn friction() -> Result<Vec<Check>, String> {
    const ANGLES: [f64; 5] = [0.0, 10.0, 20.0, 30.0, 40.0];
    let heights: Vec<f64> = ANGLES.iter().map(|angle| slumped_height(angle.to_radians())).collect::<Result<_, _>>()?;
    let rises = heights.windows(2).zip(&ANGLES[1..]);
    Ok(rises.map(|(pair, angle)| Check::above(&format!("friction-pile-{angle}"), pair[1], pair[0])).collect())
}

/// Height above the block [m].
fn slumped_height(friction_angle: f64) -> Result<f64, String> {
    const H: f64 = 0.5 * DX;
    const SEGMENTS: u32 = 3;
    let places = (0..12u32).flat_map(|i| (0..24u32).map(move |j| DVec3::new(i.into(), j.into(), 0.0)));
    let strands: Vec<_> =
        places.map(|place| straight(H * (place + DVec3::new(0.5, 2.5, 0.5)), DVec3::Z, SEGMENTS, H)).collect();
    let model = Model {
        stiffness: 200.0,
        youngs_modulus: 100.0,
        friction_angle,
        contact: ContactModel::Frictional,
        follows_mesh: true,
    };
    let mut pile = Pile::new(&strands, H * H, model, 2.0, [0.0, f64::from(SEGMENTS + 1) * H])?;
    pile.scenario.add_plane(DVec3::ZERO, Vec3::X, Contact::Slip, 0.0)?;
    pile.scenario.advance(1.5)?;
    let mut heights: Vec<f64> = pile.strands().concat().iter().map(|x| x.y).collect();
    heights.sort_by(f64::total_cmp);
    Ok(heights[heights.len() * 95 / 100])
}

/// Segment length of the dropped curves [m]. It equals the cell width, the limit of [Jiang2017, Sec. 6.1]. Neighboring
/// points of a curve therefore share few nodes.
const SEGMENT: f64 = DX;

/// Twenty curves fall on a block, with each of the four models of [Jiang2017, Fig. 10]. The full model is compared with
/// three models that lack a part of it:
///
/// - plain: the deformation gradient is updated from the grid only, and curves break. A segment counts as broken if its
///   ends are more than two segment lengths apart. With the other three models, no segment may break. Curves that are
///   twice as stiff also break, but less often: 1 to 4 segments for each of six seeds.
/// - Lagrangian only: nothing pushes curves apart, and they lie on top of each other. The mean distance from a vertex
///   to the nearest vertex of another curve must be less than half of the distance with the full model.
/// - elastic: without plastic flow, contacts stick. The full model must spread further (standard deviation of x).
pub fn models() -> Result<Vec<Check>, String> {
    let plain = dropped(ContactModel::Frictional, false)?;
    let lagrangian = dropped(ContactModel::Absent, true)?;
    let elastic = dropped(ContactModel::Elastic, true)?;
    let full = dropped(ContactModel::Frictional, true)?;
    let whole = |model: &str, pile: &Dropped| {
        let (name, measured) = (format!("fiber-pile-fragments-{model}"), pile.broken as f64);
        Check { name, measured, expected: 0.0, error: measured, tolerance: 0.0 }
    };
    Ok(vec![
        Check::above("fiber-pile-fragments-plain", plain.broken as f64, 0.0),
        whole("lagrangian", &lagrangian),
        whole("elastic", &elastic),
        whole("full", &full),
        Check::above("fiber-pile-spread", full.spread, elastic.spread),
        Check::above("fiber-pile-gap", 0.5 * full.gap, lagrangian.gap),
    ])
}

/// Measurements of a pile of curves.
struct Dropped {
    /// Broken segments.
    broken: usize,
    /// Standard deviation of x [m].
    spread: f64,
    /// Mean distance from a vertex to the nearest vertex of another curve [m].
    gap: f64,
}

fn dropped(contact: ContactModel, follows_mesh: bool) -> Result<Dropped, String> {
    const SEGMENTS: u32 = 19;
    const CURVES: u64 = 20;
    let random = CounterRng::new(7);
    // The curves are one cell above each other, so that they land one by one. Slopes and offsets are random, so that no
    // two curves are alike. All curves lie in one plane and the nodes beside this plane are inside the walls, so the
    // motion is two-dimensional.
    let curve = |k: u64| {
        let slant = (random.uniform(&[k, 0]) - 0.5) * 10f64.to_radians();
        let along = DVec3::new(slant.cos(), slant.sin(), 0.0);
        let middle = DVec3::new((random.uniform(&[k, 1]) - 0.5) * 4.0 * DX, (k as f64 + 1.5) * DX, 0.0);
        straight(middle - 0.5 * f64::from(SEGMENTS) * SEGMENT * along, along, SEGMENTS, SEGMENT)
    };
    let strands: Vec<_> = (0..CURVES).map(curve).collect();
    let model =
        Model { stiffness: 50.0, youngs_modulus: 50.0, friction_angle: 10f64.to_radians(), contact, follows_mesh };
    let mut pile = Pile::new(&strands, 0.5 * DX * DX, model, 0.3, [-0.5 * DX, 0.5 * DX])?;
    pile.scenario.advance(1.5)?;
    let strands = pile.strands();
    let segments = strands.iter().flat_map(|strand| strand.windows(2));
    let broken = segments.filter(|ends| ends[0].distance(ends[1]) > 2.0 * SEGMENT).count();
    let all = strands.concat();
    let mean = all.iter().map(|x| x.x).sum::<f64>() / all.len() as f64;
    let variance = all.iter().map(|x| (x.x - mean).powi(2)).sum::<f64>() / all.len() as f64;
    Ok(Dropped { broken, spread: variance.sqrt(), gap: mean_gap(&strands) })
}

fn mean_gap(strands: &[Vec<DVec3>]) -> f64 {
    let mut sum = 0.0;
    for (i, strand) in strands.iter().enumerate() {
        for x in strand {
            let others = strands.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, other)| other);
            sum += others.map(|y| x.distance(*y)).fold(f64::INFINITY, f64::min);
        }
    }
    sum / strands.iter().map(Vec::len).sum::<usize>() as f64
}
