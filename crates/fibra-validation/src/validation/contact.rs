//! Exact Coulomb friction: a rod on an incline, a rod around a cylinder, a bouncing ball, rolling rods and colliding rods.

mod roll;
mod spin;

pub use roll::roll;
pub use spin::spin;

use super::Check;
use fibra_core::geometry::{Collider, Contact, Cylinder, Motion, Plane, RigidPose, Shape, Spin};
use fibra_rods::internals::ball::Ball;
use fibra_rods::internals::body::Body;
use fibra_rods::internals::mass_spring::MassSpring;
use fibra_rods::internals::rod::RodParams;
use fibra_rods::internals::step::step;
use fibra_rods::internals::world::{Params, State, Workspace};
use fibra_rods::{End, RodMaterial, RodSettings, SolverSettings, Surface};
use glam::{DQuat, DVec3, Vec3};

/// Standard gravity [m/s^2].
const GRAVITY: f64 = 9.81;

/// A simulation of a few bodies and at most one collider.
struct Trial {
    params: Params,
    state: State,
    workspace: Workspace,
}

impl Trial {
    fn new(dt: f64, gravity: DVec3, body: Body, surface: Surface, collider: Collider) -> Trial {
        let mut trial = Trial::of_bodies(dt, vec![body], surface);
        trial.params.settings.gravity = gravity;
        trial.params.colliders.push(collider);
        trial
    }

    /// Bodies with the same surface, without gravity and colliders.
    fn of_bodies(dt: f64, bodies: Vec<Body>, surface: Surface) -> Trial {
        // Tighter than the default tolerance, which is chosen for animation.
        let solver = SolverSettings { tolerance: 1e-10, ..SolverSettings::default() };
        let settings = RodSettings { gravity: DVec3::ZERO, dt, solver, ..RodSettings::default() };
        let params = Params { settings, surfaces: vec![surface; bodies.len()], ..Params::default() };
        Trial { params, state: State { bodies, ..State::default() }, workspace: Workspace::default() }
    }

    /// Total angular momentum about the origin [kg m^2/s].
    fn angular_momentum(&self) -> DVec3 {
        self.state.bodies.iter().map(|body| body.momenta().angular).sum()
    }

    fn run(&mut self, until: f64) -> Result<(), String> {
        while self.state.time < until {
            step(&self.params, &mut self.state, &mut self.workspace, until).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Mean velocity of the points of the only body [m/s].
    fn velocity(&self) -> DVec3 {
        let velocities = self.state.bodies[0].point_velocities();
        velocities.iter().sum::<DVec3>() / velocities.len() as f64
    }
}

fn collider(shape: Shape, friction: f64) -> Collider {
    Collider {
        name: "body".to_owned(),
        shape,
        rest: RigidPose { translation: DVec3::ZERO, rotation: DQuat::IDENTITY },
        motion: Motion::Still,
        contact: Contact::Separating,
        friction: friction as f32,
    }
}

fn rod(points: Vec<DVec3>, material: RodMaterial, ends: [End; 2]) -> Result<Body, String> {
    let params = RodParams { material, points, natural: None, closed: false, velocity: DVec3::ZERO, ends };
    let rod = MassSpring::new(params, DVec3::ZERO).map_err(|error| error.to_string())?;
    Ok(Body::Rod(Box::new(rod)))
}

const ROUGH: Surface = Surface { friction: 1.0, restitution: 0.0 };

/// A rod along the slope of an inclined plane with `mu = 0.5`. Gravity is tilted instead of the plane, so that the
/// plane is represented exactly.
fn on_incline(slope: f64) -> Result<Trial, String> {
    let radius = 1e-3;
    let material = RodMaterial {
        radius,
        density: 1000.0,
        youngs_modulus: 1e7,
        poisson_ratio: 0.3,
        drag: 0.0,
        internal_damping: 1e-3,
        ..RodMaterial::default()
    };
    let points = (0..11).map(|i| DVec3::new(0.01 * f64::from(i), radius, 0.0)).collect();
    let angle = slope.atan();
    let gravity = GRAVITY * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let plane = collider(Shape::Plane(Plane { point: Vec3::ZERO, normal: Vec3::Y }), 0.5);
    Ok(Trial::new(1e-3, gravity, rod(points, material, [End::free(), End::free()])?, ROUGH, plane))
}

/// The rod must stick just below the critical slope and slide just above it. On a much steeper slope of angle `a`, its
/// acceleration must be `g (sin a - mu cos a)`.
pub fn incline() -> Result<Vec<Check>, String> {
    let mut below = on_incline(0.5 - 1e-3)?;
    below.run(0.5)?;
    let mut above = on_incline(0.5 + 1e-3)?;
    above.run(0.5)?;
    let slope = 1.0f64;
    let mut steep = on_incline(slope)?;
    steep.run(0.1)?;
    let (start, v) = (steep.state.time, steep.velocity().x);
    steep.run(0.5)?;
    let measured = (steep.velocity().x - v) / (steep.state.time - start);
    let angle = slope.atan();
    let expected = GRAVITY * (angle.sin() - 0.5 * angle.cos());
    // Speed after 0.5 s at a slope just above the critical slope.
    let least = 0.5 * GRAVITY * 1e-3 * (0.5f64 + 1e-3).atan().cos();
    let stick = below.velocity().length() / least;
    Ok(vec![
        Check { name: "contact-incline-sticks".into(), measured: stick, expected: 0.0, error: stick, tolerance: 1e-6 },
        Check::relative("contact-incline-slides", above.velocity().x, least, 1e-3),
        Check::relative("contact-incline-acceleration", measured, expected, 1e-6),
    ])
}

/// A ball falls on a plane. The measured value is the ratio of its speeds after and before the impact.
pub fn restitution() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for share in [0.0, 0.5, 0.9] {
        let ball = Ball {
            radius: 0.01,
            mass: 0.01,
            drag: 0.0,
            center: DVec3::new(0.0, 0.05, 0.0),
            rotation: DQuat::IDENTITY,
            velocity: [0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        let plane = collider(Shape::Plane(Plane { point: Vec3::ZERO, normal: Vec3::Y }), 0.0);
        let surface = Surface { friction: 0.0, restitution: share };
        let gravity = DVec3::new(0.0, -GRAVITY, 0.0);
        let mut trial = Trial::new(1e-3, gravity, Body::Ball(ball), surface, plane);
        let mut before = 0.0;
        let mut after = f64::NAN;
        while trial.state.time < 0.5 {
            trial.run(trial.state.time + 1e-3)?;
            let v = trial.velocity().y;
            // Detect the impact: the ball moves up or, without rebound, has been stopped by the plane.
            if v >= 0.0 || (v - before).abs() > 0.02 {
                after = v;
                break;
            }
            before = v;
        }
        if share == 0.0 {
            // The step with the impact closes the rest of the gap. After this step, the ball is at rest.
            trial.run(trial.state.time + 0.1)?;
            after = trial.velocity().y;
        }
        let ratio = -after / before;
        let error = (ratio - share).abs();
        let name = format!("contact-restitution-{share}");
        checks.push(Check { name, measured: ratio, expected: share, error, tolerance: 1e-6 });
    }
    Ok(checks)
}

/// Wrap angles [rad] and friction coefficients [-] of [`capstan`].
const WRAPS: [(f64, f64); 3] = [(1.0, 0.5), (3.0, 0.5), (3.0, 1.0)];

/// A flexible rod around a rotating cylinder, held at one end and pulled at the other. The ratio of the tensions must
/// be `exp(mu phi)`.
pub fn capstan() -> Result<Vec<Check>, String> {
    WRAPS
        .iter()
        .map(|&(wrap, friction)| {
            let name = format!("contact-capstan-{}", friction * wrap);
            Ok(Check::relative(&name, tension_ratio(wrap, friction)?, (friction * wrap).exp(), 0.03))
        })
        .collect()
}

/// Tension at the held end divided by the force at the pulled end, once the rod is at rest on the slipping cylinder
/// [-].
fn tension_ratio(wrap: f64, friction: f64) -> Result<f64, String> {
    const CYLINDER: f64 = 0.05;
    const PULL: f64 = 1.0;
    // Surface speed 0.1 m/s.
    const SPIN: f64 = 2.0;
    // The rod is thin and stiff: its bending forces are negligible, and it stretches by at most a few percent.
    let radius = 3e-4;
    let material = RodMaterial {
        radius,
        density: 1e4,
        youngs_modulus: 1e9,
        poisson_ratio: 0.3,
        drag: 20.0,
        internal_damping: 1e-3,
        ..RodMaterial::default()
    };
    let line = CYLINDER + radius;
    let (nodes, tail) = (41, 10);
    let turn = wrap / f64::from(nodes - 1);
    let at = |angle: f64| line * DVec3::new(angle.sin(), angle.cos(), 0.0);
    let along = |angle: f64| DVec3::new(angle.cos(), -angle.sin(), 0.0);
    let spacing = line * turn;
    let first = -0.5 * wrap;
    let mut points: Vec<DVec3> = (1..=tail).rev().map(|i| at(first) - spacing * f64::from(i) * along(first)).collect();
    points.extend((0..nodes).map(|i| at(first + turn * f64::from(i))));
    points.extend((1..=tail).map(|i| at(-first) + spacing * f64::from(i) * along(-first)));
    let cylinder = Shape::Cylinder(Cylinder { half_height: 1.0, radius: CYLINDER as f32 });
    let mut collider = collider(cylinder, friction);
    collider.rest.rotation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    // The surface moves toward the pulled end.
    collider.motion = Motion::Spin(Spin::new(DVec3::NEG_Z, SPIN, None).map_err(|error| error.to_string())?);
    let body = rod(points, material, [End::pinned(), End::pulled(PULL * along(-first))])?;
    let mut trial = Trial::new(1e-3, DVec3::ZERO, body, ROUGH, collider);
    trial.params.settings.solver.tolerance = 1e-7;
    let mut tension = f64::NAN;
    for tenths in 1..=20 {
        trial.run(0.1 * f64::from(tenths))?;
        // Tension of the segment at the held end.
        let ends = trial.state.bodies[0].points();
        let before =
            std::mem::replace(&mut tension, material.stretching() * (ends[0].distance(ends[1]) / spacing - 1.0));
        if (tension - before).abs() < 1e-5 * tension {
            return Ok(tension / PULL);
        }
    }
    Err(format!("the rod does not come to rest on the cylinder: its tension is {tension} N"))
}
