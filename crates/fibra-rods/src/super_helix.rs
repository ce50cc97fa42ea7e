//! A rod of helical pieces [Bertails2006]: material curvatures and twist are constant along each piece and are the unknowns, so that it cannot
//! stretch and its elasticity is linear.
//!
//! The root may be clamped (then curvatures are the only unknowns), pinned (and its rotation) or free (and its translation).
//!
//! **Differences from the paper.** Inertia is carried in space: the velocity of every point of quadrature at the end of a step is
//! projected onto the motions that are possible in the next, `M v = integral of J^T (velocity before)`. To first order in the step this holds the
//! velocity terms `-J^T m (dJ/dt) v` of the equations of motion; unlike them, it never adds energy, however fast the rod turns.
//! Tension in the rod from its weight and from forces on its tip enters the operator, since a taut rod is stiff sideways.
//!
//! **Limitations.** The tip is no unknown: where it is held, a stiff spring holds it. The rod cannot be closed.

mod arc;
mod chain;
mod fit;
mod inertia;
mod tip;

pub use chain::HelixShape;

use crate::bishop::best_roll;
use crate::ends::{Anchor, turn_between};
use crate::error::{RodError, check, in_range};
use crate::rod::{Abscissa, Hold, PointMotion, Rod, RodEnergy, RodParams, StepContext, StepSystem};
use chain::{Chain, ROOT_TWISTS, Station, Twist};
use fibra_core::geometry::Motion;
use glam::{DMat3, DQuat, DVec2, DVec3};
use inertia::{Load, Loads, Momentum, assemble, outer};
use tip::HeldTip;

/// Places and weights of Gauss quadrature on 0..1: exact for polynomials of degree 9, which describe a piece well up to half a turn.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_004, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_6, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// A rod of helical pieces.
#[derive(Clone, Debug)]
pub struct SuperHelix {
    params: RodParams,
    natural: Vec<DVec3>,
    /// Points of the centerline per piece.
    samples: usize,
    /// Where the ends start.
    anchors: [Anchor; 2],
    state: State,
    // What follows from the state:
    chain: Chain,
    stations: Vec<Station>,
    centerline: Vec<DVec3>,
    // What the step that was formed last takes for given:
    drift: Twist,
    held_tip: Option<HeldTip>,
}

/// What it continues from.
#[derive(Clone, Debug)]
struct State {
    shape: HelixShape,
    /// How many of `rates`, from the first, are prescribed: 0 for a free root, 3 for a pinned, 6 for a clamped one.
    prescribed: usize,
    /// Velocity and angular velocity of the root, rates of the curvatures.
    rates: Vec<f64>,
    /// Velocity [m/s] and spin about the tangent [rad/s] at the points of quadrature at the end of the last step.
    carried: Vec<(DVec3, f64)>,
    /// Force that held the tip in the last step [N].
    tip_force: DVec3,
}

impl SuperHelix {
    /// A rod of so many pieces along the points of the parameters; `origin` is the run origin [m]. Curvatures are fitted to the
    /// points, and the natural ones to the natural shape. The centerline has at least as many points as were given.
    pub fn new(params: RodParams, pieces: usize, origin: DVec3) -> Result<SuperHelix, RodError> {
        in_range("number of helical pieces", pieces as f64, pieces > 0, "positive")?;
        check(&params)?;
        let mut shape = fit::fit(&params.points, pieces);
        let natural = match &params.natural {
            Some(points) => fit::fit(points, pieces).curvatures,
            None => vec![DVec3::ZERO; pieces],
        };
        let pairs = shape.curvatures.iter().zip(&natural);
        let roll = best_roll(pairs.map(|(now, natural)| (1.0, now.truncate(), natural.truncate())));
        shape.frame *= DQuat::from_rotation_z(roll);
        for curvature in &mut shape.curvatures {
            *curvature = DVec2::from_angle(-roll).rotate(curvature.truncate()).extend(curvature.z);
        }
        let samples = (params.points.len() - 1).div_ceil(pieces);
        Self::build(params, shape, natural, samples, origin)
    }

    /// A rod in a given shape, in the world, with given natural curvatures [1/m] and so many points of the centerline per piece. Of the
    /// parameters, the points and the natural shape are filled in.
    pub fn from_curvatures(
        mut params: RodParams,
        shape: HelixShape,
        natural: Vec<DVec3>,
        samples: usize,
        origin: DVec3,
    ) -> Result<SuperHelix, RodError> {
        in_range("number of points per helical piece", samples as f64, samples > 0, "positive")?;
        let piece = shape.piece;
        in_range("length of a helical piece", piece, piece > 0.0 && piece.is_finite(), "positive and finite, in m")?;
        if shape.curvatures.is_empty() {
            return Err(RodError::TooFewPoints { count: 1, needed: 2 });
        }
        if natural.len() != shape.curvatures.len() {
            return Err(RodError::NaturalCount { points: shape.curvatures.len(), natural: natural.len() });
        }
        for (what, curvatures) in [("shape", &shape.curvatures), ("natural shape", &natural)] {
            if let Some(piece) = curvatures.iter().position(|curvature| !curvature.is_finite()) {
                return Err(RodError::CurvatureNotFinite { shape: what, piece, curvature: curvatures[piece] });
            }
        }
        let length = shape.frame.length();
        in_range("length of the root's quaternion", length, (length - 1.0).abs() < 1e-6, "1")?;
        let shape = HelixShape { frame: shape.frame.normalize(), ..shape };
        let mut chain = Chain::default();
        shape.unroll(&mut chain);
        params.points = centerline(&shape, &chain, samples);
        let rest = HelixShape { curvatures: natural.clone(), ..shape.clone() };
        rest.unroll(&mut chain);
        params.natural = Some(centerline(&rest, &chain, samples));
        check(&params)?;
        Self::build(params, shape, natural, samples, origin)
    }

    /// Place of the root [m], relative to the run origin, frame there, and curvatures as they are now.
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
        shape.unroll(&mut chain);
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
        let carried = vec![(params.velocity, 0.0); GAUSS.len() * natural.len()];
        let state = State { shape, prescribed, rates, carried, tip_force: DVec3::ZERO };
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
        };
        rod.follow_state();
        Ok(rod)
    }

    /// Brings what follows from the state up to date.
    fn follow_state(&mut self) {
        let shape = &self.state.shape;
        shape.unroll(&mut self.chain);
        let chain = &self.chain;
        let places = (0..self.natural.len()).flat_map(|piece| GAUSS.map(|(s, _)| (piece, s * shape.piece)));
        self.stations.clear();
        self.stations.extend(places.map(|(piece, s)| shape.station(chain, piece, s)));
        self.centerline = centerline(shape, chain, self.samples);
    }

    /// Mass of a length of rod [kg/m].
    fn line_density(&self) -> f64 {
        self.params.material.density * self.params.material.area()
    }

    /// Inertia of a length of rod against spin about its tangent [kg m], `rho pi r^4/2`.
    fn spin_density(&self) -> f64 {
        0.5 * self.line_density() * self.params.material.radius.powi(2)
    }

    /// Stiffness of a piece against each of its curvatures [N m^3].
    fn stiffness(&self) -> DVec3 {
        let material = &self.params.material;
        DVec3::new(material.bending(), material.bending(), material.twisting()) * self.state.shape.piece
    }

    /// How the root moves.
    fn root_twist(&self) -> Twist {
        let rates = &self.state.rates;
        Twist { shift: DVec3::from_slice(&rates[..3]), turn: DVec3::from_slice(&rates[3..6]) }
    }

    /// How each piece's start, and with it all of the piece but for its own curvatures, moves; after the last, the tip.
    fn running_twists(&self) -> Vec<Twist> {
        let mut twist = self.root_twist();
        let mut all = vec![twist];
        for (twists, rates) in self.chain.twists.iter().zip(self.state.rates[6..].chunks_exact(3)) {
            twist = (0..3).fold(twist, |twist, c| twist + twists[c] * rates[c]);
            all.push(twist);
        }
        all
    }

    fn own_rates(&self, piece: usize) -> DVec3 {
        DVec3::from_slice(&self.state.rates[6 + 3 * piece..])
    }

    /// Tension at the points of quadrature that weight and forces on the tip cause [N], zero where they compress. A rod that
    /// nothing holds falls without tension.
    fn tensions(&self, step: &StepContext, tip_force: DVec3) -> Vec<f64> {
        if self.state.prescribed == 0 {
            return vec![0.0; self.stations.len()];
        }
        let weight = self.line_density() * self.state.shape.piece * step.gravity;
        let mut pull = tip_force;
        let mut tensions = vec![0.0; self.stations.len()];
        for (q, (station, tension)) in self.stations.iter().zip(&mut tensions).enumerate().rev() {
            let share = GAUSS[q % GAUSS.len()].1;
            *tension = f64::max(0.0, (pull + 0.5 * share * weight).dot(station.tangent));
            pull += share * weight;
        }
        tensions
    }

    /// Takes note of how the ends move in a step.
    fn prescribe(&mut self, step: &StepContext) {
        let [root_hold, tip_hold] = [0, 1].map(|end: usize| self.params.ends[end].hold_at(step.time));
        let pose = |end: usize| self.anchors[end].at(&self.params.ends[end], step.time + step.dt, step.origin);
        let shape = &self.state.shape;
        let target = pose(0);
        self.drift = Twist::default();
        if root_hold != Hold::Free {
            self.drift.shift = (target.position - shape.root) / step.dt;
        }
        if root_hold == Hold::Clamped {
            self.drift.turn = spin_to(shape.frame, target.frame, step.dt);
        }
        self.state.prescribed = prescribed_by(root_hold);
        let drift = [self.drift.shift.to_array(), self.drift.turn.to_array()];
        let prescribed = self.state.prescribed;
        self.state.rates[..prescribed].copy_from_slice(&drift.as_flattened()[..prescribed]);
        self.held_tip = (tip_hold != Hold::Free).then(|| {
            let from = self.anchors[1].at(&self.params.ends[1], step.time, step.origin);
            let mass = self.line_density() * shape.piece * self.natural.len() as f64;
            HeldTip::new(from, pose(1), tip_hold == Hold::Clamped, step.dt, mass)
        });
    }
}

impl Rod for SuperHelix {
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

        // Drag is implicit: it adds to the mass that resists, not to the momentum that is there.
        let resisting = 1.0 + dt * material.drag;
        let force_on = |end: usize| match self.params.ends[end].hold_at(step.time) {
            Hold::Free => self.params.ends[end].force,
            _ => DVec3::ZERO,
        };
        let tip_force = force_on(1);
        let tensions = self.tensions(step, tip_force + self.state.tip_force);
        let loads: Vec<Load> = (0..self.stations.len())
            .map(|q| {
                let length = GAUSS[q % GAUSS.len()].1 * self.state.shape.piece;
                let (mass, inertia) = (self.line_density() * length, self.spin_density() * length);
                let (velocity, spin) = self.state.carried[q];
                let tangent = self.stations[q].tangent;
                // A tension T resists turns of the tangent: T |dt turn x tangent|^2 / 2 per length.
                let along = outer(tangent, tangent);
                let sideways = dt * dt * tensions[q] * length * (DMat3::IDENTITY - along);
                Load {
                    mass: resisting * mass,
                    turning: resisting * inertia * along + sideways,
                    push: mass * (velocity + dt * step.gravity),
                    torque: inertia * spin * tangent,
                }
            })
            .collect();
        let (tip, _) = self.chain.joints[self.natural.len()];
        let what = Loads {
            stations: &self.stations,
            loads: &loads,
            tip: Momentum::at(tip, dt * tip_force),
            root: Momentum::at(DVec3::ZERO, dt * force_on(0)),
        };
        let root = &ROOT_TWISTS[self.state.prescribed..];
        assemble(&self.chain, &what, root, &self.drift, system);

        let stiffness = self.stiffness();
        let implicit = dt * (dt + material.internal_damping);
        for (piece, (now, natural)) in self.state.shape.curvatures.iter().zip(&self.natural).enumerate() {
            for c in 0..3 {
                let row = root.len() + 3 * piece + c;
                system.operator.add(row, row, implicit * stiffness[c]);
                system.impulse[row] -= dt * stiffness[c] * (now[c] - natural[c]);
            }
        }
        if let Some(held) = &self.held_tip {
            let twists = root.iter().chain(self.chain.twists.as_flattened());
            held.add_to(tip, twists, &self.drift, self.state.shape.piece, system);
        }
    }

    fn motion_of(&self, at: Abscissa) -> PointMotion {
        let shape = &self.state.shape;
        let (piece, sample) = (at.segment / self.samples, at.segment % self.samples);
        let station =
            |sample: usize| shape.station(&self.chain, piece, shape.piece * sample as f64 / self.samples as f64);
        let (from, to) = (station(sample), station(sample + 1));
        // Contact sees the segment between the two, not the arc: its points move with its ends.
        let r = from.r.lerp(to.r, at.share);
        let own = from.own_shift * (1.0 - at.share) + to.own_shift * at.share;
        let before = ROOT_TWISTS[self.state.prescribed..].iter().chain(self.chain.twists[..piece].as_flattened());
        let mut columns = Vec::with_capacity(ROOT_TWISTS.len() + 3 * (piece + 1));
        columns.extend(before.map(|twist| twist.velocity(r)));
        columns.extend([0, 1, 2].map(|c| own.col(c)));
        PointMotion { first: 0, columns, drift: self.drift.velocity(r) }
    }

    fn advance(&mut self, velocities: &[f64], step: &StepContext) {
        let prescribed = self.state.prescribed;
        self.state.rates[prescribed..].copy_from_slice(velocities);
        let running = self.running_twists();
        for (q, station) in self.stations.iter().enumerate() {
            let piece = q / GAUSS.len();
            let rates = self.own_rates(piece);
            let turn = running[piece].turn + station.own_turn * rates;
            let velocity = running[piece].velocity(station.r) + station.own_shift * rates;
            self.state.carried[q] = (velocity, turn.dot(station.tangent));
        }
        let (tip, _) = self.chain.joints[self.natural.len()];
        let tip_velocity = running[self.natural.len()].velocity(tip);
        self.state.tip_force = self.held_tip.map_or(DVec3::ZERO, |held| held.force(tip_velocity));

        let stiffness = self.stiffness();
        let shape = &mut self.state.shape;
        // What is held gets to where it belongs: its velocity was chosen so.
        shape.root += step.dt * running[0].shift;
        shape.frame = (DQuat::from_scaled_axis(step.dt * running[0].turn) * shape.frame).normalize();
        for (curvature, rates) in shape.curvatures.iter_mut().zip(self.state.rates[6..].chunks_exact(3)) {
            *curvature += step.dt * DVec3::from_slice(rates);
        }
        if let Some(held) = &self.held_tip {
            held.reach(shape, stiffness, &mut self.chain);
        }
        self.follow_state();
    }

    fn velocities(&self) -> &[f64] {
        &self.state.rates[self.state.prescribed..]
    }

    fn point_velocities(&self) -> Vec<DVec3> {
        let shape = &self.state.shape;
        let running = self.running_twists();
        sample_places(shape, self.samples)
            .map(|(piece, s)| {
                let station = shape.station(&self.chain, piece, s);
                running[piece].velocity(station.r) + station.own_shift * self.own_rates(piece)
            })
            .collect()
    }

    fn energy(&self, gravity: DVec3) -> RodEnergy {
        let shape = &self.state.shape;
        let mut energy = RodEnergy::default();
        for (q, (station, (velocity, spin))) in self.stations.iter().zip(&self.state.carried).enumerate() {
            let length = GAUSS[q % GAUSS.len()].1 * shape.piece;
            let (mass, inertia) = (self.line_density() * length, self.spin_density() * length);
            energy.kinetic += 0.5 * mass * velocity.length_squared() + 0.5 * inertia * spin * spin;
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

    fn save(&self) -> Vec<f64> {
        let state = &self.state;
        let mut saved = vec![state.prescribed as f64];
        saved.extend(state.shape.root.to_array());
        saved.extend(state.shape.frame.to_array());
        saved.extend(state.shape.curvatures.iter().flat_map(|k| k.to_array()));
        saved.extend(&state.rates);
        saved.extend(state.carried.iter().flat_map(|(velocity, spin)| velocity.extend(*spin).to_array()));
        saved.extend(state.tip_force.to_array());
        saved
    }

    fn load(&mut self, saved: &[f64]) -> bool {
        let pieces = self.natural.len();
        let (rates, carried) = (8 + 3 * pieces, 8 + 3 * pieces + self.state.rates.len());
        let tip = carried + 4 * self.state.carried.len();
        let prescribed = [0, 3, 6].into_iter().find(|&held| saved.first() == Some(&(held as f64)));
        let (true, Some(prescribed)) = (saved.len() == tip + 3, prescribed) else { return false };
        let vector = |at: usize| DVec3::from_slice(&saved[at..]);
        self.state = State {
            shape: HelixShape {
                root: vector(1),
                frame: DQuat::from_slice(&saved[4..]),
                piece: self.state.shape.piece,
                curvatures: (0..pieces).map(|k| vector(8 + 3 * k)).collect(),
            },
            prescribed,
            rates: saved[rates..carried].to_vec(),
            carried: saved[carried..tip].chunks_exact(4).map(|c| (DVec3::from_slice(c), c[3])).collect(),
            tip_force: vector(tip),
        };
        self.follow_state();
        true
    }
}

/// Unknowns of the root that are none when it is held.
fn prescribed_by(hold: Hold) -> usize {
    match hold {
        Hold::Free => 0,
        Hold::Pinned => 3,
        Hold::Clamped => 6,
    }
}

/// Angular velocity in world axes [rad/s] that takes one frame to another in the time `dt` [s].
fn spin_to(from: DQuat, to: DQuat, dt: f64) -> DVec3 {
    from * turn_between(from, to) / dt
}

/// Piece and distance along it [m] of the points of the centerline.
fn sample_places(shape: &HelixShape, samples: usize) -> impl Iterator<Item = (usize, f64)> {
    let (pieces, length) = (shape.curvatures.len(), shape.piece);
    let within = move |piece: usize| (0..samples).map(move |i| (piece, length * i as f64 / samples as f64));
    (0..pieces).flat_map(within).chain(std::iter::once((pieces - 1, length)))
}

fn centerline(shape: &HelixShape, chain: &Chain, samples: usize) -> Vec<DVec3> {
    sample_places(shape, samples).map(|(piece, s)| shape.root + shape.place(chain, piece, s)).collect()
}

#[cfg(test)]
mod tests;
