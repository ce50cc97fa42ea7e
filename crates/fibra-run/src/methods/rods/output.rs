//! Attributes of the points of rods: internal loads, material frames, reactions and contact forces.

use fibra_core::frame::Attribute;
use fibra_rods::internals::body::Body;
use fibra_rods::{Reaction, RodEnd, RodLoads, RodSim};
use fibra_scene::RodOutput;
use glam::DVec3;

/// Values of one body's points, for the attributes of a group in their order.
type Columns = Vec<Vec<f64>>;

/// Returns the attributes of the given groups for all points of all bodies.
pub(super) fn attributes(sim: &RodSim, groups: &[RodOutput]) -> Vec<Attribute> {
    groups.iter().flat_map(|group| group_attributes(sim, *group)).collect()
}

/// Names and units of a group.
fn names(group: RodOutput) -> &'static [(&'static str, &'static str)] {
    match group {
        RodOutput::Forces => &[("tension", "N"), ("shear_1", "N"), ("shear_2", "N")],
        RodOutput::Moments => &[("bending_1", "N m"), ("bending_2", "N m"), ("twisting", "N m")],
        RodOutput::Frames => &[("axis_x", "-"), ("axis_y", "-"), ("axis_z", "-")],
        RodOutput::Reactions => &[
            ("reaction_x", "N"),
            ("reaction_y", "N"),
            ("reaction_z", "N"),
            ("reaction_moment_x", "N m"),
            ("reaction_moment_y", "N m"),
            ("reaction_moment_z", "N m"),
        ],
        RodOutput::Contacts => &[("contact_force_x", "N"), ("contact_force_y", "N"), ("contact_force_z", "N")],
    }
}

fn group_attributes(sim: &RodSim, group: RodOutput) -> Vec<Attribute> {
    let names = names(group);
    let reactions = sim.reactions();
    let mut values: Vec<Vec<f32>> = vec![Vec::new(); names.len()];
    for (body, this) in sim.state().bodies.iter().enumerate() {
        let columns = match (group, this) {
            (RodOutput::Contacts, _) => vectors(&sim.point_contact_forces(body)),
            (_, Body::Ball(_)) => vec![vec![0.0]; names.len()],
            (_, Body::Rod(_)) => rod_columns(sim, group, body, &reactions),
        };
        for (values, column) in values.iter_mut().zip(&columns) {
            values.extend(column.iter().map(|value| *value as f32));
        }
    }
    let attribute = |(&(name, unit), values): (&(&str, &str), Vec<f32>)| Attribute {
        name: name.to_owned(),
        unit: unit.to_owned(),
        values,
    };
    names.iter().zip(values).map(attribute).collect()
}

fn rod_columns(
    sim: &RodSim,
    group: RodOutput,
    body: usize,
    reactions: &[(fibra_rods::RodId, RodEnd, Reaction)],
) -> Columns {
    let points = sim.state().bodies[body].points().len();
    let Some(rod) = sim.rod_at(body) else { return Columns::new() };
    let loads = || sim.loads_of(rod).unwrap_or_default();
    let part = |pairs: &[[f64; 2]], axis: usize| pairs.iter().map(|pair| pair[axis]).collect::<Vec<f64>>();
    match group {
        RodOutput::Forces => {
            let RodLoads { tension, shear, .. } = loads();
            vec![tension, part(&shear, 0), part(&shear, 1)]
        }
        RodOutput::Moments => {
            let RodLoads { bending, twisting, .. } = loads();
            vec![part(&bending, 0), part(&bending, 1), twisting]
        }
        RodOutput::Frames => {
            let frames = sim.material_frames_of(rod).unwrap_or_default();
            // A point has the frame of the segment that starts there; the last point of an open rod, that of the last segment.
            let axis =
                |point: usize| frames.get(point).or(frames.last()).map_or(DVec3::ZERO, |frame| *frame * DVec3::X);
            vectors(&(0..points).map(axis).collect::<Vec<DVec3>>())
        }
        RodOutput::Reactions => {
            let (mut forces, mut moments) = (vec![DVec3::ZERO; points], vec![DVec3::ZERO; points]);
            for (_, end, reaction) in reactions.iter().filter(|(of, _, _)| *of == rod) {
                let at = if *end == RodEnd::First { 0 } else { points - 1 };
                forces[at] += reaction.force;
                moments[at] += reaction.moment;
            }
            [vectors(&forces), vectors(&moments)].concat()
        }
        RodOutput::Contacts => Columns::new(),
    }
}

fn vectors(vectors: &[DVec3]) -> Columns {
    (0..3).map(|axis| vectors.iter().map(|vector| vector[axis]).collect()).collect()
}
