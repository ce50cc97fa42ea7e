//! A human figure as a collider, and its decomposition into capsules.

use super::collider::{Collider, Dance, Jump, Motion, is_one, usual_rate};
use super::scene::{Scene, Vec3};
use super::shape::{Capsule, Shape};
use fibra_core::geometry::BodyPart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A human figure made of 14 capsules, 1.69 m tall at scale 1, facing +z. Its parts are colliders named `NAME.head`, `NAME.neck` and so on. It stands still,
/// dances or jumps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Position: the midpoint between its feet [m]. Default: the world's origin.
    #[serde(default)]
    pub feet: Vec3,
    /// Size, above 0; 1 is 1.69 m [-]. Default: 1.
    #[serde(default = "usual_rate", skip_serializing_if = "is_one")]
    pub scale: f64,
    /// Parts to omit, e.g. the head if the scene has its own. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<FigurePart>,
}

/// A part of a figure. Left and right are from the figure's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FigurePart {
    /// The head, centered 1.58 m above the ground.
    Head,
    /// The neck.
    Neck,
    /// From shoulder to shoulder.
    Shoulders,
    /// The chest.
    Chest,
    /// The belly.
    Belly,
    /// From hip to hip.
    Hips,
    /// From shoulder to elbow, left.
    LeftUpperArm,
    /// From elbow to wrist, left.
    LeftForearm,
    /// From shoulder to elbow, right.
    RightUpperArm,
    /// From elbow to wrist, right.
    RightForearm,
    /// From hip to knee, left.
    LeftThigh,
    /// From knee to ground, left.
    LeftShin,
    /// From hip to knee, right.
    RightThigh,
    /// From knee to ground, right.
    RightShin,
}

impl From<FigurePart> for BodyPart {
    fn from(part: FigurePart) -> BodyPart {
        // Both lists have the same order; a test compares them.
        BodyPart::ALL[part as usize]
    }
}

impl Figure {
    /// Returns the parts of the figure, without the omitted ones.
    pub fn parts(&self) -> impl Iterator<Item = BodyPart> + '_ {
        let left_out = |part: &BodyPart| self.without.iter().any(|without| BodyPart::from(*without) == *part);
        BodyPart::ALL.into_iter().filter(move |part| !left_out(part))
    }
}

impl Collider {
    /// Returns the rigid bodies of the collider: the parts of a figure, or the collider itself.
    pub fn bodies(&self) -> Vec<Collider> {
        let Shape::Figure(figure) = &self.shape else { return vec![self.clone()] };
        let part = |part: BodyPart| {
            let (ends, radius) = part.capsule();
            let [start, end] = ends.map(|end| (glam::DVec3::from(figure.feet) + figure.scale * end).to_array());
            let (radius, scale) = (figure.scale * radius, figure.scale);
            let motion = match &self.motion {
                Motion::Dance(dance) => Motion::Dance(Dance { part: named(part), scale, ..dance.clone() }),
                Motion::Jump(jump) => Motion::Jump(Jump { part: named(part), scale, ..jump.clone() }),
                other => other.clone(),
            };
            Collider {
                name: format!("{}.{}", self.name, part.name()),
                shape: Shape::Capsule(Capsule { start, end, radius }),
                motion,
                ..self.clone()
            }
        };
        figure.parts().map(part).collect()
    }
}

impl Scene {
    /// Returns the colliders in scene order, with figures split into their parts.
    pub fn bodies(&self) -> Vec<Collider> {
        self.colliders.iter().flat_map(Collider::bodies).collect()
    }
}

fn named(part: BodyPart) -> Option<FigurePart> {
    FigurePart::ALL.into_iter().find(|candidate| BodyPart::from(*candidate) == part)
}

impl FigurePart {
    /// All parts, from the head down.
    pub const ALL: [FigurePart; 14] = [
        FigurePart::Head,
        FigurePart::Neck,
        FigurePart::Shoulders,
        FigurePart::Chest,
        FigurePart::Belly,
        FigurePart::Hips,
        FigurePart::LeftUpperArm,
        FigurePart::LeftForearm,
        FigurePart::RightUpperArm,
        FigurePart::RightForearm,
        FigurePart::LeftThigh,
        FigurePart::LeftShin,
        FigurePart::RightThigh,
        FigurePart::RightShin,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_names_of_the_figure() {
        for part in FigurePart::ALL {
            assert_eq!(serde_json::to_value(part).unwrap(), BodyPart::from(part).name());
            assert_eq!(named(BodyPart::from(part)), Some(part));
        }
    }
}
