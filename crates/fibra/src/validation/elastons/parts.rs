//! Bodies that become one, and one that becomes two.

use super::Check;
use super::body::{Cuboid, World};
use fibra_elastons::gmls::Order;
use fibra_elastons::table::linear_field;
use fibra_elastons::world::Resampling;
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

/// Two bars, one of which flies and spins, touch, become one and fly on: momentum and angular momentum stay.
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
