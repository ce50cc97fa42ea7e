//! Super-helix rod [Bertails2006]: a chain of helical elements. The material curvatures and twist are constant along each element and are the
//! unknowns, so the rod is inextensible and its elasticity is linear.
//!
//! The root may be clamped, pinned or free. A clamped rod has only the curvatures as unknowns. A pinned root adds its
//! rotation, a free root its rotation and its translation.
//!
//! **Differences from the paper.** Momentum is stored as velocities of quadrature points. Each step projects the
//! velocities at the end of the previous step onto the possible motions of the rod, `M v = integral of J^T m (velocity
//! before)`. To first order in the time step, this includes the velocity terms `-J^T m (dJ/dt) v` of the equations of
//! motion. Unlike these terms, the projection never adds energy, however fast the rod rotates. The tension caused by
//! the weight and by forces on the tip adds stiffness to the operator, because a taut rod is stiff laterally.
//!
//! **Limitations.** The tip is not an unknown, so a tip that is held is held by a stiff spring. The rod cannot be closed.

mod arc;
mod chain;
mod fit;
mod inertia;
mod internal;
mod tip;

pub use chain::HelixShape;

use crate::bishop::{best_roll, turn_to_axis};
use crate::ends::{Anchor, rotation_between};
use crate::error::{RodError, check, check_end_loads, in_range};
use crate::internal_loads::{InternalLoads, PointLoads};
use crate::rod::{Abscissa, EndLoad, Hold, Momenta, PointMotion, Rod, RodEnergy, RodParams, StepContext, StepSystem};
use chain::{Chain, ROOT_TWISTS, Station, Twist};
use fibra_core::geometry::Motion;
use glam::{DMat3, DQuat, DVec2, DVec3};
use inertia::{Load, Loads, Momentum, assemble, outer};
use tip::HeldTip;

/// Positions and weights of Gauss quadrature on 0..1. It is exact for polynomials of degree 9, which describe an element well up to half a turn.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_004, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_6, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// A rod of helical elements.
#[derive(Clone, Debug)]
pub struct SuperHelix {
    params: RodParams,
    natural: Vec<DVec3>,
    /// Number of centerline points per element.
    samples: usize,
    /// Initial poses of the ends.
    anchors: [Anchor; 2],
    state: State,
    // Derived from the state:
    chain: Chain,
    stations: Vec<Station>,
    centerline: Vec<DVec3>,
    // Prescribed in the last assembled step:
    drift: Twist,
    held_tip: Option<HeldTip>,
    /// Largest tension in the last assembled step [N].
    tension: f64,
}

/// The state of a rod.
#[derive(Clone, Debug)]
struct State {
    shape: HelixShape,
    /// Number of leading `rates` that are prescribed: 0 for a free root, 3 for a pinned, 6 for a clamped one.
    prescribed: usize,
    /// Velocity and angular velocity of the root, then rates of the curvatures.
    rates: Vec<f64>,
    /// Velocity [m/s] and spin about the tangent [rad/s], a vector along the tangent, at the quadrature points in the last step.
    point_rates: Vec<(DVec3, DVec3)>,
    /// Force that held the tip in the last step [N].
    tip_force: DVec3,
}

impl SuperHelix {
    /// Creates a rod of `elements` elements along the points of the parameters; `origin` is the run origin [m]. Curvatures are fitted to the points,
    /// and natural curvatures to the natural shape. The centerline has at least as many points as the input.
    pub fn new(params: RodParams, elements: usize, origin: DVec3) -> Result<SuperHelix, RodError> {
        in_range("number of helical elements", elements as f64, elements > 0, "positive")?;
        check(&params)?;
        check_end_loads(&params, "super-helix", true)?;
        let mut shape = fit::fit(&params.points, elements);
        let mut natural = match &params.natural {
            Some(points) => fit::fit(points, elements).curvatures,
            None => vec![DVec3::ZERO; elements],
        };
        let pairs = shape.curvatures.iter().zip(&natural);
        let roll = best_roll(pairs.map(|(now, natural)| (1.0, now.truncate(), natural.truncate())));
        shape.frame *= DQuat::from_rotation_z(roll);
        for curvature in &mut shape.curvatures {
            *curvature = DVec2::from_angle(-roll).rotate(curvature.truncate()).extend(curvature.z);
        }
        let turn = turn_to_axis(params.material.section.axis, shape.frame);
        if turn != 0.0 {
            shape.frame *= DQuat::from_rotation_z(turn);
            for curvature in shape.curvatures.iter_mut().chain(&mut natural) {
                *curvature = DVec2::from_angle(-turn).rotate(curvature.truncate()).extend(curvature.z);
            }
        }
        let samples = (params.points.len() - 1).div_ceil(elements);
        Self::build(params, shape, natural, samples, origin)
    }

    /// Creates a rod in a given shape, in world coordinates, with given natural curvatures [1/m] and `samples`
    /// centerline points per element. Sets the points and the natural shape of the parameters.
    pub fn from_curvatures(
        mut params: RodParams,
        shape: HelixShape,
        natural: Vec<DVec3>,
        samples: usize,
        origin: DVec3,
    ) -> Result<SuperHelix, RodError> {
        in_range("number of points per helical element", samples as f64, samples > 0, "positive")?;
        let element_length = shape.element_length;
        in_range(
            "length of a helical element",
            element_length,
            element_length > 0.0 && element_length.is_finite(),
            "positive and finite, in m",
        )?;
        if shape.curvatures.is_empty() {
            return Err(RodError::TooFewPoints { count: 1, needed: 2 });
        }
        if natural.len() != shape.curvatures.len() {
            return Err(RodError::NaturalCount { points: shape.curvatures.len(), natural: natural.len() });
        }
        for (what, curvatures) in [("shape", &shape.curvatures), ("natural shape", &natural)] {
            if let Some(element) = curvatures.iter().position(|curvature| !curvature.is_finite()) {
                return Err(RodError::CurvatureNotFinite { shape: what, element, curvature: curvatures[element] });
            }
        }
        let length = shape.frame.length();
        in_range("length of the root's quaternion", length, (length - 1.0).abs() < 1e-6, "1")?;
        let shape = HelixShape { frame: shape.frame.normalize(), ..shape };
        let mut chain = Chain::default();
        shape.compute_chain(&mut chain);
        params.points = centerline(&shape, &chain, samples);
        let rest = HelixShape { curvatures: natural.clone(), ..shape.clone() };
        rest.compute_chain(&mut chain);
        params.natural = Some(centerline(&rest, &chain, samples));
        check(&params)?;
        Self::build(params, shape, natural, samples, origin)
    }

    /// Returns the current shape: root position relative to the run origin [m], root frame and curvatures.
    pub fn shape(&self) -> &HelixShape {
        &self.state.shape
    }

    fn build(
        params: RodParams,
        mut shape: HelixShape,
        natural: Vec<DVec3>,
        samples: usize,
        origin: DVec3,
    ) -> Result<SuperHelix, RodError> {
        if params.closed {
            return Err(RodError::Closed { model: "super-helix" });
        }
        let mut chain = Chain::default();
        shape.compute_chain(&mut chain);
        let (tip, tip_frame) = chain.joints[natural.len()];
        let anchors = [
            Anchor { position: shape.root, frame: shape.frame },
            Anchor { position: shape.root + tip, frame: DQuat::from_mat3(&tip_frame) },
        ];
        shape.root -= origin;
        let mut rates = vec![0.0; 6 + 3 * natural.len()];
        let prescribed = prescribed_by(params.ends[0].hold);
        if prescribed == 0 {
            rates[..3].copy_from_slice(&params.velocity.to_array());
        }
        let point_rates = vec![(params.velocity, DVec3::ZERO); GAUSS.len() * natural.len()];
        let state = State { shape, prescribed, rates, point_rates, tip_force: DVec3::ZERO };
        let mut rod = SuperHelix {
            params,
            natural,
            samples,
            anchors,
            state,
            chain,
            stations: Vec::new(),
            centerline: Vec::new(),
            drift: Twist::default(),
            held_tip: None,
            tension: 0.0,
        };
        rod.update_derived();
        Ok(rod)
    }

    /// Updates the data derived from the state.
    fn update_derived(&mut self) {
        let shape = &self.state.shape;
        shape.compute_chain(&mut self.chain);
        let chain = &self.chain;
        let abscissas =
            (0..self.natural.len()).flat_map(|element| GAUSS.map(|(s, _)| (element, s * shape.element_length)));
        self.stations.clear();
        self.stations.extend(abscissas.map(|(element, s)| shape.station(chain, element, s)));
        self.centerline = centerline(shape, chain, self.samples);
    }

    /// Returns the mass per length [kg/m].
    fn line_density(&self) -> f64 {
        self.params.material.density * self.params.material.area()
    }

    /// Returns the moment of inertia about the tangent per length [kg m].
    fn spin_density(&self) -> f64 {
        self.params.material.spin_density()
    }

    /// Returns the stiffness of an element for each of its curvatures [N m^3].
    fn stiffness(&self) -> DVec3 {
        let material = &self.params.material;
        // A rotation about the first axis of the section bends the rod toward the second.
        let [first, second] = material.bending_by_axis();
        DVec3::new(second, first, material.twisting()) * self.state.shape.element_length
    }

    /// Returns the twist (rigid velocity) of the root.
    fn root_twist(&self) -> Twist {
        let rates = &self.state.rates;
        Twist { linear: DVec3::from_slice(&rates[..3]), angular: DVec3::from_slice(&rates[3..6]) }
    }

    /// Returns the twist at the start of each element: the motion of the element without its own curvature rates. The
    /// last entry is the twist of the tip.
    fn element_twists(&self) -> Vec<Twist> {
        let mut twist = self.root_twist();
        let mut all = vec![twist];
        for (twists, rates) in self.chain.twists.iter().zip(self.state.rates[6..].chunks_exact(3)) {
            twist = (0..3).fold(twist, |twist, c| twist + twists[c] * rates[c]);
            all.push(twist);
        }
        all
    }

    fn own_rates(&self, element: usize) -> DVec3 {
        DVec3::from_slice(&self.state.rates[6 + 3 * element..])
    }

    /// Returns the tension at the quadrature points caused by the weight and by forces on the tip [N], zero under compression. A rod with a free root
    /// falls without tension.
    fn tensions(&self, step: &StepContext, tip_force: DVec3) -> Vec<f64> {
        if self.state.prescribed == 0 {
            return vec![0.0; self.stations.len()];
        }
        let weight = self.line_density() * self.state.shape.element_length * step.gravity;
        let mut force = tip_force;
        let mut tensions = vec![0.0; self.stations.len()];
        for (q, (station, tension)) in self.stations.iter().zip(&mut tensions).enumerate().rev() {
            let share = GAUSS[q % GAUSS.len()].1;
            *tension = f64::max(0.0, (force + 0.5 * share * weight).dot(station.tangent));
            force += share * weight;
        }
        tensions
    }

    /// Displaces the root and changes the curvatures.
    fn displace(&mut self, displacements: &[f64]) {
        let stiffness = self.stiffness();
        let shape = &mut self.state.shape;
        let vector = |at: usize| DVec3::from_slice(&displacements[at..]);
        shape.root += vector(0);
        // The spin of a free root about its tangent must not turn the axis of its other rotation. A clamped root reaches its target exactly.
        let turn = vector(3);
        let tangent = shape.frame * DVec3::Z;
        let spin = if self.state.prescribed == 6 { 0.0 } else { turn.dot(tangent) };
        let swing = DQuat::from_scaled_axis(turn - spin * tangent);
        shape.frame = (swing * shape.frame * DQuat::from_rotation_z(spin)).normalize();
        for (element, curvature) in shape.curvatures.iter_mut().enumerate() {
            *curvature += vector(6 + 3 * element);
        }
        if let Some(held) = &self.held_tip {
            held.correct_shape(shape, stiffness, &mut self.chain);
        }
        self.update_derived();
    }

    /// Computes the prescribed motion of the ends in a step.
    fn prescribe(&mut self, step: &StepContext) {
        let [root_hold, tip_hold] = [0, 1].map(|end: usize| self.params.ends[end].hold_at(step.time));
        let pose = |end: usize| self.anchors[end].at(&self.params.ends[end], step.time + step.dt, step.origin);
        let shape = &self.state.shape;
        let target = pose(0);
        self.drift = Twist::default();
        if root_hold != Hold::Free {
            self.drift.linear = (target.position - shape.root) / step.dt;
        }
        if root_hold == Hold::Clamped {
            self.drift.angular = angular_velocity_between(shape.frame, target.frame, step.dt);
        }
        self.state.prescribed = prescribed_by(root_hold);
        let drift = [self.drift.linear.to_array(), self.drift.angular.to_array()];
        let prescribed = self.state.prescribed;
        self.state.rates[..prescribed].copy_from_slice(&drift.as_flattened()[..prescribed]);
        self.held_tip = (tip_hold != Hold::Free).then(|| {
            let from = self.anchors[1].at(&self.params.ends[1], step.time, step.origin);
            let mass = self.line_density() * shape.element_length * self.natural.len() as f64;
            HeldTip::new(from, pose(1), tip_hold == Hold::Clamped, step.dt, mass)
        });
    }
}

impl Rod for SuperHelix {
    /// The projection of the momentum is first order in time, so the midpoint rule would gain nothing.
    fn supports_midpoint(&self) -> bool {
        false
    }

    fn unknowns(&self) -> usize {
        self.velocities().len()
    }

    fn centerline(&self) -> &[DVec3] {
        &self.centerline
    }

    fn params(&self) -> &RodParams {
        &self.params
    }

    fn form(&mut self, step: &StepContext, system: &mut StepSystem) {
        self.prescribe(step);
        let (material, dt) = (&self.params.material, step.dt);
        let n = self.unknowns();
        system.operator.reset(n, n - 1);
        system.impulse.clear();
        system.impulse.resize(n, 0.0);

        // Drag is implicit: it adds to the mass in the operator, not to the momentum.
        let drag_factor = 1.0 + dt * material.drag;
        // An end that is released within the step is still held in this step.
        let load_on = |end: usize| match self.params.ends[end].hold_at(step.time) {
            Hold::Free => self.params.ends[end].load_at(step.time + dt, DQuat::IDENTITY),
            _ => EndLoad::default(),
        };
        let tip_force = load_on(1).force;
        let tensions = self.tensions(step, tip_force + self.state.tip_force);
        self.tension = tensions.iter().copied().fold(0.0, f64::max);
        let material = &self.params.material;
        let loads: Vec<Load> = (0..self.stations.len())
            .map(|q| {
                let length = GAUSS[q % GAUSS.len()].1 * self.state.shape.element_length;
                let (mass, inertia) = (self.line_density() * length, self.spin_density() * length);
                let (velocity, spin) = self.state.point_rates[q];
                let tangent = self.stations[q].tangent;
                // A tension T resists rotations of the tangent: T |dt w x tangent|^2 / 2 per length.
                let along = outer(tangent, tangent);
                let sideways = dt * dt * tensions[q] * length * (DMat3::IDENTITY - along);
                Load {
                    mass: drag_factor * mass,
                    rotational_inertia: drag_factor * inertia * along + sideways,
                    impulse: mass * (velocity + dt * step.gravity),
                    // The spin keeps its direction in space.
                    torque: inertia * spin,
                }
            })
            .collect();
        let (tip, _) = self.chain.joints[self.natural.len()];
        let input = Loads {
            stations: &self.stations,
            loads: &loads,
            tip: Momentum::at(tip, dt * tip_force) + Momentum { linear: DVec3::ZERO, angular: dt * load_on(1).moment },
            root: Momentum { linear: dt * load_on(0).force, angular: dt * load_on(0).moment },
        };
        let root = &ROOT_TWISTS[self.state.prescribed..];
        assemble(&self.chain, &input, root, &self.drift, system);

        let stiffness = self.stiffness();
        let implicit = dt * (dt + material.internal_damping);
        for (element, (now, natural)) in self.state.shape.curvatures.iter().zip(&self.natural).enumerate() {
            for c in 0..3 {
                let row = root.len() + 3 * element + c;
                system.operator.add(row, row, implicit * stiffness[c]);
                system.impulse[row] -= dt * stiffness[c] * (now[c] - natural[c]);
            }
        }
        if let Some(held) = &self.held_tip {
            let twists = root.iter().chain(self.chain.twists.as_flattened());
            held.add_to(tip, twists, &self.drift, self.state.shape.element_length, system);
        }
    }

    fn motion_of(&self, at: Abscissa, arm: DVec3) -> PointMotion {
        let shape = &self.state.shape;
        let (element, sample) = (at.segment / self.samples, at.segment % self.samples);
        let station = |sample: usize| {
            shape.station(&self.chain, element, shape.element_length * sample as f64 / self.samples as f64)
        };
        let (from, to) = (station(sample), station(sample + 1));
        // Contact uses the straight segment between the two samples, not the arc. The motion of a contact point is
        // therefore interpolated between the ends of the segment.
        let mix = |from: DMat3, to: DMat3| from * (1.0 - at.share) + to * at.share;
        let r = from.r.lerp(to.r, at.share) + arm;
        let (own, turn) = (mix(from.own_linear, to.own_linear), mix(from.own_angular, to.own_angular));
        let before = ROOT_TWISTS[self.state.prescribed..].iter().chain(self.chain.twists[..element].as_flattened());
        let mut columns = Vec::with_capacity(ROOT_TWISTS.len() + 3 * (element + 1));
        columns.extend(before.map(|twist| twist.velocity(r)));
        columns.extend([0, 1, 2].map(|c| own.col(c) + turn.col(c).cross(arm)));
        PointMotion { first: 0, columns, drift: self.drift.velocity(r) }
    }

    fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        let prescribed = self.state.prescribed;
        self.state.rates[prescribed..].copy_from_slice(velocities);
        let twists = self.element_twists();
        for (q, station) in self.stations.iter().enumerate() {
            let element = q / GAUSS.len();
            let rates = self.own_rates(element);
            let angular = twists[element].angular + station.own_angular * rates;
            let velocity = twists[element].velocity(station.r) + station.own_linear * rates;
            self.state.point_rates[q] = (velocity, angular.project_onto_normalized(station.tangent));
        }
        let (tip, _) = self.chain.joints[self.natural.len()];
        let tip_velocity = twists[self.natural.len()].velocity(tip);
        self.state.tip_force = self.held_tip.map_or(DVec3::ZERO, |held| held.force(tip_velocity));

        // A held root reaches its target: its velocity was chosen accordingly.
        let displacements: Vec<f64> = self.state.rates.iter().map(|rate| step.dt * rate).collect();
        let before = self.momenta();
        self.displace(&displacements);
        if prescribed == 0 && self.held_tip.is_none() {
            // All points move on curves. The center of mass of a free rod moves with the momentum.
            let center = before.center() + step.dt / before.mass * before.linear;
            let offset = center - self.momenta().center();
            self.state.shape.root += offset;
            self.centerline.iter_mut().for_each(|x| *x += offset);
        }
    }

    fn shift(&mut self, displacements: &[f64]) {
        let mut all = vec![0.0; self.state.prescribed];
        all.extend(displacements);
        self.displace(&all);
    }

    fn velocities(&self) -> &[f64] {
        &self.state.rates[self.state.prescribed..]
    }

    fn point_velocities(&self) -> Vec<DVec3> {
        let shape = &self.state.shape;
        let twists = self.element_twists();
        sample_abscissas(shape, self.samples)
            .map(|(element, s)| {
                let station = shape.station(&self.chain, element, s);
                twists[element].velocity(station.r) + station.own_linear * self.own_rates(element)
            })
            .collect()
    }

    fn rigid_rates(&self, linear: DVec3, angular: DVec3) -> Option<Vec<f64>> {
        let free = self.state.prescribed == 0 && self.held_tip.is_none();
        let root = linear + angular.cross(self.state.shape.root);
        let mut rates = vec![0.0; self.unknowns()];
        rates
            .iter_mut()
            .zip([root.to_array(), angular.to_array()].as_flattened())
            .for_each(|(rate, value)| *rate = *value);
        free.then_some(rates)
    }

    fn masses(&self) -> Option<Vec<f64>> {
        None
    }

    fn tension(&self) -> f64 {
        self.tension
    }

    fn momenta(&self) -> Momenta {
        let mut momenta = Momenta::default();
        for (q, (station, (velocity, spin))) in self.stations.iter().zip(&self.state.point_rates).enumerate() {
            let length = GAUSS[q % GAUSS.len()].1 * self.state.shape.element_length;
            momenta.add(self.line_density() * length, self.state.shape.root + station.r, *velocity);
            momenta.angular += self.spin_density() * length * *spin;
        }
        momenta
    }

    fn energy(&self, gravity: DVec3) -> RodEnergy {
        let shape = &self.state.shape;
        let mut energy = RodEnergy::default();
        for (q, (station, (velocity, spin))) in self.stations.iter().zip(&self.state.point_rates).enumerate() {
            let length = GAUSS[q % GAUSS.len()].1 * shape.element_length;
            let (mass, inertia) = (self.line_density() * length, self.spin_density() * length);
            energy.kinetic += 0.5 * mass * velocity.length_squared() + 0.5 * inertia * spin.length_squared();
            energy.gravitational -= mass * gravity.dot(shape.root + station.r);
        }
        for (now, natural) in shape.curvatures.iter().zip(&self.natural) {
            let strain = *now - *natural;
            energy.elastic += 0.5 * (self.stiffness() * strain).dot(strain);
        }
        energy
    }

    fn set_end_motion(&mut self, end: usize, motion: Motion) {
        self.params.ends[end].motion = motion;
    }

    fn set_end_force(&mut self, end: usize, force: DVec3) {
        self.params.ends[end].force = force;
    }

    fn set_natural_curvature(&mut self, curvatures: &[DVec3]) -> bool {
        for (element, natural) in self.natural.iter_mut().enumerate() {
            let at = curvatures[element * self.samples + self.samples / 2];
            // A rod that bends toward the first axis rotates about the second.
            *natural = DVec3::new(-at.y, at.x, at.z);
        }
        true
    }

    fn internal_loads(&self, loads: &PointLoads) -> Option<InternalLoads> {
        Some(self.loads_in_equilibrium(loads))
    }

    fn material_frames(&self) -> Vec<DQuat> {
        let shape = &self.state.shape;
        let middle = (0..self.centerline.len() - 1).map(|segment| {
            let (element, sample) = (segment / self.samples, segment % self.samples);
            (element, shape.element_length * (sample as f64 + 0.5) / self.samples as f64)
        });
        middle.map(|(element, s)| shape.frame_at(&self.chain, element, s)).collect()
    }

    fn spin_momentum(&self) -> DVec3 {
        let spin = |q: usize| {
            let length = GAUSS[q % GAUSS.len()].1 * self.state.shape.element_length;
            self.spin_density() * length * self.state.point_rates[q].1 * self.stations[q].tangent
        };
        (0..self.stations.len()).map(spin).sum()
    }

    fn save(&self) -> Vec<f64> {
        let state = &self.state;
        let mut saved = vec![state.prescribed as f64];
        saved.extend(state.shape.root.to_array());
        saved.extend(state.shape.frame.to_array());
        saved.extend(state.shape.curvatures.iter().flat_map(|k| k.to_array()));
        saved.extend(&state.rates);
        saved.extend(
            state.point_rates.iter().flat_map(|(velocity, spin)| [velocity.to_array(), spin.to_array()]).flatten(),
        );
        saved.extend(state.tip_force.to_array());
        saved
    }

    fn load(&mut self, saved: &[f64]) -> bool {
        let elements = self.natural.len();
        let (rates, point_rates) = (8 + 3 * elements, 8 + 3 * elements + self.state.rates.len());
        let tip = point_rates + 6 * self.state.point_rates.len();
        let prescribed = [0, 3, 6].into_iter().find(|&held| saved.first() == Some(&(held as f64)));
        let (true, Some(prescribed)) = (saved.len() == tip + 3, prescribed) else { return false };
        let vector = |at: usize| DVec3::from_slice(&saved[at..]);
        self.state = State {
            shape: HelixShape {
                root: vector(1),
                frame: DQuat::from_slice(&saved[4..]),
                element_length: self.state.shape.element_length,
                curvatures: (0..elements).map(|k| vector(8 + 3 * k)).collect(),
            },
            prescribed,
            rates: saved[rates..point_rates].to_vec(),
            point_rates: saved[point_rates..tip]
                .chunks_exact(6)
                .map(|c| (DVec3::from_slice(c), DVec3::from_slice(&c[3..])))
                .collect(),
            tip_force: vector(tip),
        };
        self.update_derived();
        true
    }
}

/// Returns the number of root unknowns that the hold prescribes.
fn prescribed_by(hold: Hold) -> usize {
    match hold {
        Hold::Free => 0,
        Hold::Pinned => 3,
        Hold::Clamped => 6,
    }
}

/// Returns the angular velocity in world axes [rad/s] that rotates one frame to another in the time `dt` [s].
fn angular_velocity_between(from: DQuat, to: DQuat, dt: f64) -> DVec3 {
    from * rotation_between(from, to) / dt
}

/// Returns the element and the distance along it [m] of each centerline point.
fn sample_abscissas(shape: &HelixShape, samples: usize) -> impl Iterator<Item = (usize, f64)> {
    let (elements, length) = (shape.curvatures.len(), shape.element_length);
    let within = move |element: usize| (0..samples).map(move |i| (element, length * i as f64 / samples as f64));
    (0..elements).flat_map(within).chain(std::iter::once((elements - 1, length)))
}

fn centerline(shape: &HelixShape, chain: &Chain, samples: usize) -> Vec<DVec3> {
    sample_abscissas(shape, samples).map(|(element, s)| shape.root + shape.position(chain, element, s)).collect()
}

#[cfg(test)]
mod tests;
