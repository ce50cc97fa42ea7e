//! The transfers as direct translations of the formulas, in `f64`, over a map of nodes. Slow, and independent of the real
//! implementation.

use fibra_core::mat3::{Mat3, Sym3};
use fibra_mpm::internals::g2p::COMPRESSED;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::params::{Kernel, Params, Transfer};
use fibra_mpm::internals::state::Particles;
use fibra_mpm::materials::Material;
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Sums at a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    /// Mass [kg].
    pub mass: f64,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Impulse of the internal forces [kg m/s].
    pub impulse: DVec3,
}

pub type Nodes = BTreeMap<[i32; 3], Node>;

/// Result of the transfer back to a particle.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub v: DVec3,
    pub x: DVec3,
    pub c: DMat3,
    pub grad_v: DMat3,
}

pub fn wide(m: &Mat3) -> DMat3 {
    DMat3::from_cols_array(&m.to_rows().map(f64::from)).transpose()
}

pub fn wide_symmetric(s: &Sym3) -> DMat3 {
    wide(&s.to_mat3())
}

pub fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

/// Evaluates the B-spline at a distance [cells].
fn spline(kernel: Kernel, d: f64) -> f64 {
    let d = d.abs();
    match kernel {
        Kernel::Linear => (1.0 - d).max(0.0),
        Kernel::Quadratic if d < 0.5 => 0.75 - d * d,
        Kernel::Quadratic => 0.5 * (1.5 - d).max(0.0).powi(2),
        Kernel::Cubic if d < 1.0 => 2.0 / 3.0 - d * d + 0.5 * d.powi(3),
        Kernel::Cubic => (2.0 - d).max(0.0).powi(3) / 6.0,
    }
}

/// Returns `b` of the affine transfer, if it is constant.
fn inverse_inertia(kernel: Kernel) -> Option<f64> {
    match kernel {
        Kernel::Linear => None,
        Kernel::Quadratic => Some(4.0),
        Kernel::Cubic => Some(3.0),
    }
}

/// Returns the nodes around a particle: index, weight, gradient weight [1/m], and vector from the particle [m]. The gradient is that of
/// moving least squares, `b w (x_i - x_p) / dx^2`, or of the spline itself for linear splines.
pub fn stencil(params: &Params, x: DVec3) -> Vec<([i32; 3], f64, DVec3, DVec3)> {
    let dx = f64::from(params.dx);
    let first = (x / dx).floor().as_ivec3() - 2;
    let mut nodes = Vec::new();
    for n in 0..216 {
        let index = [first.x + n / 36, first.y + n / 6 % 6, first.z + n % 6];
        let way = DVec3::from_array(index.map(|i| f64::from(i) * dx)) - x;
        let w = (way / dx).to_array().map(|d| spline(params.kernel, d));
        let weight: f64 = w.iter().product();
        if weight == 0.0 {
            continue;
        }
        let gradient = match inverse_inertia(params.kernel) {
            Some(b) => way * (b * weight / (dx * dx)),
            // A hat function decreases on both sides of its node: d(1 - |x_i - x|)/dx = sign(x_i - x).
            None => {
                DVec3::new(way.x.signum() * w[1] * w[2], way.y.signum() * w[0] * w[2], way.z.signum() * w[0] * w[1])
                    / dx
            }
        };
        nodes.push((index, weight, gradient, way));
    }
    nodes
}

/// Particles to grid.
pub fn p2g(params: &Params, p: &Particles, dt: f64) -> Nodes {
    let mut nodes = Nodes::new();
    for i in 0..p.len() {
        let (m, v) = (f64::from(p.mass[i]), vector(p.v[i]));
        let affine = matches!(params.transfer, Transfer::Apic { .. });
        for (index, w, gradient, way) in stencil(params, vector(p.x[i])) {
            let node = nodes.entry(index).or_default();
            node.mass += m * w;
            node.momentum += m * w * if affine { v + wide(&p.c[i]) * way } else { v };
            node.impulse -= wide_symmetric(&p.tau[i]) * gradient * (f64::from(p.volume[i]) * dt);
        }
    }
    nodes
}

/// Grid to particle `i`, after a momentum update without colliders.
pub fn g2p(params: &Params, p: &Particles, i: usize, nodes: &Nodes, dt: f64) -> Moved {
    let gravity = vector(params.gravity);
    let (mut new, mut old, mut grad_v) = (DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
    for (index, w, gradient, _) in stencil(params, vector(p.x[i])) {
        let node = nodes[&index];
        let before = node.momentum / node.mass;
        let after = before + node.impulse / node.mass + gravity * dt;
        old += w * before;
        new += w * after;
        grad_v += DMat3::from_cols(after * gradient.x, after * gradient.y, after * gradient.z);
    }
    let own = vector(p.v[i]) - old;
    let (v, drift) = match params.transfer {
        Transfer::Pic | Transfer::Apic { .. } => (new, new),
        Transfer::Flip { ratio } => (new + f64::from(ratio) * own, new),
        Transfer::Sflip { ratio, trap_breaking: [closing, opening] } => {
            let divergence = grad_v.x_axis.x + grad_v.y_axis.y + grad_v.z_axis.z;
            let material = params.objects[p.object[i] as usize].material;
            let volume = match &params.substances[material as usize].material {
                Material::Fluid(_) => f64::from(p.memory[i]),
                _ if p.kind[i] == Kind::Point => wide(&p.f[i]).determinant(),
                _ => 1.0,
            };
            let separates = volume * (1.0 + dt * divergence) >= f64::from(COMPRESSED);
            let share = f64::from(if separates { opening } else { closing });
            let own = f64::from(ratio) * own;
            (new + own, new + share * own)
        }
    };
    let c = match params.transfer {
        Transfer::Apic { damping } => {
            let kept = (-f64::from(damping) * dt).exp();
            let (skew, symmetric) = ((grad_v - grad_v.transpose()) * 0.5, (grad_v + grad_v.transpose()) * 0.5);
            skew + symmetric * kept
        }
        _ => wide(&p.c[i]),
    };
    Moved { v, x: vector(p.x[i]) + dt * drift, c, grad_v }
}
