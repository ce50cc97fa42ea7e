use fibra_core::geometry::*;
use fibra_core::random::CounterRng;
use fibra_rods::body::Body;
use fibra_rods::contact::detection::Surface;
use fibra_rods::mass_spring::MassSpring;
use fibra_rods::one_step::solve::{Solver, SolverSettings};
use fibra_rods::rod::*;
use fibra_rods::step::step;
use fibra_rods::world::*;
use glam::{DVec3, DQuat, Vec3};
fn main() {
    let arg = |i: usize, d: f64| std::env::args().nth(i).map_or(d, |s| s.parse().unwrap());
    let (count, nodes, mu, time) = (arg(1, 31.0) as usize, arg(2, 16.0) as usize, arg(3, 0.3), arg(4, 0.5));
    let solver = match arg(5, 2.0) as usize { 0 => Solver::Newton, 1 => Solver::GaussSeidel, _ => Solver::Auto };
    let rng = CounterRng::new(7);
    let radius = 1e-3; let length = 0.2; let pitch = 2.2 * radius;
    let mut bodies = Vec::new();
    // hexagonal spots by distance
    let mut spots: Vec<(f64, f64)> = Vec::new();
    for i in -10i32..=10 { for j in -10i32..=10 { spots.push((pitch * (f64::from(i) + 0.5 * f64::from(j.rem_euclid(2))), pitch * 0.866 * f64::from(j))); } }
    spots.sort_by(|a, b| (a.0.hypot(a.1)).total_cmp(&b.0.hypot(b.1)));
    for k in 0..count {
        let (x, y) = spots[k];
        let jig = |c: u64| 2.0 * rng.uniform(&[k as u64, c]) - 1.0;
        let turn = 0.0 * jig(1);
        let points = (0..nodes).map(|i| { let s = length * (i as f64 / (nodes - 1) as f64 - 0.5);
            DVec3::new(x + 0.05*radius * jig(2) + s * f64::sin(turn), 0.03 + y, s + 0.01 * jig(3)) }).collect();
        let end = || End { hold: Hold::Free, motion: Motion::Still, release: f64::INFINITY, force: DVec3::ZERO };
        let p = RodParams { material: RodMaterial { radius, density: 1300.0, youngs_modulus: 1e6, poisson_ratio: 0.4, drag: 0.5, internal_damping: 2e-3 },
            points, natural: None, closed: false, velocity: DVec3::ZERO, ends: [end(), end()] };
        bodies.push(Body::Rod(Box::new(MassSpring::new(p, DVec3::ZERO).unwrap())));
    }
    let floor = Collider { name: "f".into(), shape: Shape::Plane { point: Vec3::ZERO, normal: Vec3::Y }, rest: RigidPose { translation: DVec3::ZERO, rotation: DQuat::IDENTITY }, motion: Motion::Still, contact: Contact::Separating, friction: mu as f32 };
    let params = Params { gravity: DVec3::new(0.0, -9.81, 0.0), origin: DVec3::ZERO, dt: 1e-3, surfaces: vec![Surface { friction: mu, restitution: 0.0 }; count], colliders: vec![floor], solver: SolverSettings { solver, ..Default::default() } };
    let mut state = State { time: 0.0, steps: 0, bodies, contacts: vec![] };
    let mut account = Account::default();
    let t0 = std::time::Instant::now();
    let mut next = 0.0; let mut newton = 0; let mut sweeps = 0;
    while state.time < time {
        step(&params, &mut state, &mut account, time).unwrap();
        newton += account.last.newton_iterations; sweeps += account.last.sweeps;
        if state.time >= next {
            next += time / 25.0;
            let fast = state.bodies.iter().flat_map(|b| b.point_velocities()).map(|v| v.length()).fold(0.0, f64::max);
            let wide = state.bodies.iter().flat_map(|b| b.points().to_vec()).map(|v| v.x.hypot(v.z)).fold(0.0, f64::max);
            let low = state.bodies.iter().flat_map(|b| b.points().to_vec()).map(|v| v.y).fold(1.0, f64::min);
            println!("t {:.3} contacts {} nu {:.2} newton {} sweeps {} res {:.1e} unsolved {} fast {:.2e} wide {:.3} low {:.5} wall {:.1}", state.time, account.last.contacts, account.last.nu(), newton, sweeps, account.last.residual, account.unsolved_steps, fast, wide, low, t0.elapsed().as_secs_f64());
            newton = 0; sweeps = 0;
        }
    }
    println!("{:?} per step {:.4}", account, t0.elapsed().as_secs_f64() / state.steps as f64);
}
