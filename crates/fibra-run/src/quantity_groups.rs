//! Groups of quantities that share a plot. Charts and the page of `fibra view` use this table.
//!
//! To plot a new quantity together with others, add a member to [`QUANTITY_GROUPS`]. A quantity that is in no group gets its own plot, in
//! [`Section::Other`].

use serde::Serialize;

/// Quantities that share a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct QuantityGroup {
    /// Name and unit, for example `energy [J]`.
    pub title: &'static str,
    /// Heading of the plot in a list of plots.
    pub section: Section,
    /// Whether the axis is logarithmic.
    pub is_logarithmic: bool,
    /// Label of the sum of all members; `None` if the sum is not plotted.
    pub total: Option<&'static str>,
    /// The curves, in the order of the legend.
    pub members: &'static [GroupMember],
}

/// One curve of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GroupMember {
    /// The name in `run.json`.
    pub quantity: &'static str,
    /// The name in the legend.
    pub label: &'static str,
}

/// Headings, in display order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Section {
    /// Energies.
    Energies,
    /// Contacts.
    Contacts,
    /// Convergence and cost of the solver.
    Solver,
    /// Change of shape.
    Deformation,
    /// Momentum and angular momentum.
    Momentum,
    /// Reactions, internal forces and moments.
    Loads,
    /// Everything else, and quantities without a group.
    Other,
}

/// All groups, in the order of charts.
pub const QUANTITY_GROUPS: &[QuantityGroup] = &[
    QuantityGroup {
        total: Some("total"),
        ..group(
            "energy [J]",
            Section::Energies,
            &[
                member("kinetic_energy", "kinetic"),
                member("elastic_energy", "elastic"),
                member("gravitational_energy", "gravitational"),
            ],
        )
    },
    group(
        "momentum [kg m/s]",
        Section::Momentum,
        &[member("momentum_x", "x"), member("momentum_y", "y"), member("momentum_z", "z")],
    ),
    group(
        "angular momentum [kg m^2/s]",
        Section::Momentum,
        &[member("angular_momentum_x", "x"), member("angular_momentum_y", "y"), member("angular_momentum_z", "z")],
    ),
    group(
        "reaction [N]",
        Section::Loads,
        &[member("reaction_x", "x"), member("reaction_y", "y"), member("reaction_z", "z")],
    ),
    group(
        "internal force [N]",
        Section::Loads,
        &[
            member("max_tension", "largest tension"),
            member("min_tension", "smallest tension"),
            member("max_shear", "largest shear"),
        ],
    ),
    group(
        "internal moment [N m]",
        Section::Loads,
        &[member("max_bending_moment", "largest bending"), member("max_twisting_moment", "largest twisting")],
    ),
    group(
        "turns [-]",
        Section::Deformation,
        &[member("twist", "twist"), member("writhe", "writhe"), member("link", "link")],
    ),
    group(
        "displacement of the end [m]",
        Section::Deformation,
        &[member("end_displacement_x", "x"), member("end_displacement_y", "y"), member("end_displacement_z", "z")],
    ),
    group(
        "contacts [-]",
        Section::Contacts,
        &[member("contacts", "current"), member("most_contacts", "maximum so far")],
    ),
    QuantityGroup {
        is_logarithmic: true,
        ..group(
            "residual [-]",
            Section::Solver,
            &[member("residual", "last step"), member("worst_residual", "maximum so far")],
        )
    },
    group(
        "iterations [-]",
        Section::Solver,
        &[
            member("newton_iterations", "Newton"),
            member("linear_iterations", "linear"),
            member("sweeps", "sweeps"),
            member("iterations", "solver"),
            member("factors", "factorizations"),
        ],
    ),
    group(
        "steps so far [-]",
        Section::Solver,
        &[
            member("contact_steps", "with contacts"),
            member("unsolved_steps", "unsolved"),
            member("unconverged_steps", "unconverged"),
        ],
    ),
    group(
        "counts [-]",
        Section::Other,
        &[member("elastons", "elastons"), member("samples", "samples"), member("parts", "parts")],
    ),
    group("mass [kg]", Section::Other, &[member("mass", "mass")]),
    group("volume [m^3]", Section::Deformation, &[member("volume", "volume")]),
];

/// The group of a quantity, if it has one.
pub fn group_of(quantity: &str) -> Option<&'static QuantityGroup> {
    QUANTITY_GROUPS.iter().find(|group| group.members.iter().any(|member| member.quantity == quantity))
}

/// All groups in the order of their sections, for lists of plots under headings.
pub fn groups_by_section() -> Vec<QuantityGroup> {
    let mut groups = QUANTITY_GROUPS.to_vec();
    groups.sort_by_key(|group| group.section);
    groups
}

const fn group(title: &'static str, section: Section, members: &'static [GroupMember]) -> QuantityGroup {
    QuantityGroup { title, section, is_logarithmic: false, total: None, members }
}

const fn member(quantity: &'static str, label: &'static str) -> GroupMember {
    GroupMember { quantity, label }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_has_one_group_and_every_title_a_unit() {
        let mut quantities: Vec<_> =
            QUANTITY_GROUPS.iter().flat_map(|group| group.members).map(|member| member.quantity).collect();
        let count = quantities.len();
        quantities.sort_unstable();
        quantities.dedup();
        assert_eq!(quantities.len(), count);
        assert!(QUANTITY_GROUPS.iter().all(|group| group.title.ends_with(']')));
        assert_eq!(group_of("momentum_y").map(|group| group.title), Some("momentum [kg m/s]"));
        assert_eq!(group_of("max_stretch"), None);
    }
}
