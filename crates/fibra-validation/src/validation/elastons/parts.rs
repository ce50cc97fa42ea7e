//! Merging of two bodies, and cutting of one body into two.

use super::Check;
use super::body::{Cuboid, World};
use fibra_core::geometry::{Motion, TriangleMesh};
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::measures::Totals;
use fibra_elastons::internals::table::linear_field;
use fibra_elastons::internals::world::{Blade, Resampling};
use glam::{DMat3, DVec3, UVec3};

fn bar() -> Cuboid {
    Cuboid {
        sides: DVec3::new(1.0, 0.2, 0.2),
        cells: UVec3::new(20, 4, 4),
        samples: 8,
        elastons: 40,
        young: 1e5,
        poisson: 0.3,
        gravity: DVec3::ZERO,
        order: Order::Second,
        plasticity: None,
    }
}

/// A bar held at one end is cut across. Mass and volume must be conserved, and the free half must fall freely.
pub fn cut() -> Result<Vec<Check>, String> {
    let gravity = DVec3::NEG_Y * 9.81;
    let mut world = Cuboid { gravity, ..bar() }.at_rest()?;
    world.hold(|x| x.x < 0.1, Motion::Still, f64::INFINITY);
    let corner = |y: f64, z: f64| DVec3::new(0.51, y, z);
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let surface = TriangleMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).map_err(|error| error.to_string())?;
    world.params.blades = vec![Blade { surface, motion: Motion::Still, from: 0.0, until: 0.0 }];
    let mut work = world.workspace()?;
    let before = world.totals(&work);
    world.run(&mut work, 0.01)?;
    let after = world.totals(&work);
    let parts = work.discretization.components.iter().max().map_or(0, |last| last + 1);
    let volume: f64 = world.state.matter.elastons.iter().map(|elaston| elaston.volume).sum();
    // The part beyond the blade falls as semi-implicit Euler predicts, independently of the held half.
    let free = world.state.matter.cloud.points.len() - 1;
    let part = work.discretization.components[free];
    let mut fallen = Vec::new();
    for steps in [1.0, 20.0] {
        world.run(&mut work, 0.01 * steps)?;
        let matter = &world.state.matter;
        let beyond = |at: usize| {
            let piece = matter.owners.iter().position(|&owner| owner as usize == at);
            piece.is_some_and(|piece| work.discretization.components[piece] == part)
        };
        let beyond = Totals::new(&world.params, &world.state, &work.discretization, beyond);
        fallen.push((steps, beyond.center().y, beyond.momentum / beyond.mass));
    }
    let [(first, high, _), (last, low, velocity)] = [fallen[0], fallen[1]];
    let exact = 9.81 * 1e-4 * 0.5 * (last * (last + 1.0) - first * (first + 1.0));
    Ok(vec![
        Check::relative("elaston-cut-volume", volume, bar().sides.element_product(), 1e-9),
        Check::relative("elaston-cut-mass", after.mass, before.mass, 1e-9),
        Check::relative("elaston-cut-parts", f64::from(parts), 2.0, 0.0),
        Check::relative("elaston-cut-free-fall", high - low, exact, 1e-9),
        Check::absolute("elaston-cut-falls-straight", velocity.x.hypot(velocity.z), 0.0, 1e-9),
    ])
}

/// A flying and spinning bar touches a second bar and merges with it. Momentum and angular momentum must be conserved.
pub fn merge() -> Result<Vec<Check>, String> {
    let bar = bar();
    let bodies = [bar.body(0, DVec3::ZERO)?, bar.body(1, DVec3::X)?];
    let mut world = World::new(&bodies, vec![bar.substance(); 2], DVec3::ZERO, Order::Second)?;
    let spin = DMat3::from_cols(DVec3::new(0.0, 1.0, 0.2), DVec3::new(-1.0, 0.0, 0.5), DVec3::new(-0.2, -0.5, 0.0));
    let flying = linear_field(Order::Second, &world.state.matter.samples, DVec3::new(1.0, -2.0, 0.5), spin);
    let unknowns = 3 * Order::Second.functions() * bar.samples;
    world.state.velocities[..unknowns].copy_from_slice(&flying[..unknowns]);
    world.params.resampling = Some(Resampling { interval: 0.01, merge: true });
    let mut work = world.workspace()?;
    let before = world.totals(&work);
    world.run(&mut work, 0.02)?;
    let after = world.totals(&work);
    let parts = work.discretization.components.iter().max().map_or(0, |last| last + 1);
    let lost = |now: DVec3, then: DVec3| now.distance(then) / then.length();
    Ok(vec![
        Check::absolute("elaston-merge-momentum", lost(after.momentum, before.momentum), 0.0, 1e-6),
        Check::absolute("elaston-merge-spin", lost(after.angular_momentum, before.angular_momentum), 0.0, 1e-6),
        Check::relative("elaston-merge-parts", f64::from(parts), 1.0, 0.0),
        Check::relative("elaston-merge-mass", after.mass, before.mass, 1e-6),
    ])
}
