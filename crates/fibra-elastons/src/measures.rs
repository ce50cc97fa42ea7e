//! Total mass, momentum and energy.

use crate::discretization::Discretization;
use crate::law::{self, strains};
use crate::world::{Params, State};
use glam::DVec3;

/// Sums over elastons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Mass [kg].
    pub mass: f64,
    /// First mass moment at the current positions, about the simulation origin [kg m].
    pub moment: DVec3,
    /// Linear momentum [kg m/s].
    pub momentum: DVec3,
    /// Angular momentum about the simulation origin [kg m^2/s].
    pub angular_momentum: DVec3,
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Elastic energy [J].
    pub elastic: f64,
    /// Gravitational potential energy, zero at the simulation origin [J].
    pub gravitational: f64,
}

impl Totals {
    /// Sums over the elastons for which `counts` is true.
    pub fn new(
        params: &Params,
        state: &State,
        discretization: &Discretization,
        counts: impl Fn(usize) -> bool,
    ) -> Totals {
        let table = &discretization.elastons;
        let mut totals = Totals::default();
        for (at, elaston) in state.matter.elastons.iter().enumerate().filter(|(at, _)| counts(*at)) {
            let substance = &params.objects[discretization.substances[at] as usize];
            let mass = substance.density * elaston.volume;
            let (field, rates) = (table.read(at, &state.displacements), table.read(at, &state.velocities));
            let place = elaston.center + field[0];
            totals.mass += mass;
            totals.moment += mass * place;
            totals.momentum += mass * rates[0];
            totals.angular_momentum += mass * place.cross(rates[0]);
            totals.kinetic += 0.5 * mass * rates[0].length_squared();
            for axis in 0..3 {
                // Within an elaston, position and velocity vary linearly.
                let spread = mass * elaston.sides[axis] * elaston.sides[axis] / 12.0;
                let arm = elaston.axes.col(axis) + field[1 + axis];
                totals.angular_momentum += spread * arm.cross(rates[1 + axis]);
                totals.kinetic += 0.5 * spread * rates[1 + axis].length_squared();
            }
            let frame = law::frame(&field, elaston);
            let elastic = strains(&field, elaston, &frame) - state.plastic[at];
            totals.elastic += law::energy(&substance.elasticity, elaston, &elastic);
            totals.gravitational -= mass * params.gravity.dot(place);
        }
        totals
    }

    /// Center of mass relative to the simulation origin [m].
    pub fn center(&self) -> DVec3 {
        self.moment / self.mass
    }
}
