//! Reference solution without elastons: linear elasticity of a cube hanging from its top face, with trilinear
//! hexahedral finite elements.

use fibra_elastons::internals::law::Elasticity;

/// A cube with sides of 1 m.
pub struct HangingCube {
    /// Elastic moduli.
    pub elasticity: Elasticity,
    /// Weight per volume [N/m^3].
    pub weight: f64,
    /// Elements along each side.
    pub elements: usize,
}

/// Signs of the corners of an element along x, y and z.
const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, 1.0, 1.0],
];

type Element = [[f64; 24]; 24];

impl HangingCube {
    fn nodes(&self) -> usize {
        self.elements + 1
    }

    fn node(&self, x: usize, y: usize, z: usize) -> usize {
        (z * self.nodes() + y) * self.nodes() + x
    }

    /// Stiffness matrix of an element, by Gauss quadrature with two points along each axis.
    fn stiffness(&self) -> Element {
        let size = 1.0 / self.elements as f64;
        let (lambda, mu) = (self.elasticity.lambda(), self.elasticity.mu());
        let mut stiffness = [[0.0; 24]; 24];
        let gauss = 1.0 / 3.0_f64.sqrt();
        for point in CORNERS {
            let at = point.map(|sign| sign * gauss);
            // Gradients of the shape functions, which are products of (1 + s t) / 2.
            let gradient = |corner: usize| -> [f64; 3] {
                let s = CORNERS[corner];
                std::array::from_fn(|axis| {
                    let others: f64 = (0..3).filter(|&k| k != axis).map(|k| 0.5 * (1.0 + s[k] * at[k])).product();
                    0.5 * s[axis] * others * 2.0 / size
                })
            };
            let gradients: [[f64; 3]; 8] = std::array::from_fn(gradient);
            let volume = size.powi(3) / 8.0;
            for (a, ga) in gradients.iter().enumerate() {
                for (b, gb) in gradients.iter().enumerate() {
                    let dot: f64 = (0..3).map(|k| ga[k] * gb[k]).sum();
                    for i in 0..3 {
                        for j in 0..3 {
                            let shear = mu * (ga[j] * gb[i] + if i == j { dot } else { 0.0 });
                            stiffness[3 * a + i][3 * b + j] += volume * (lambda * ga[i] * gb[j] + shear);
                        }
                    }
                }
            }
        }
        stiffness
    }

    fn corners(&self, x: usize, y: usize, z: usize) -> [usize; 8] {
        std::array::from_fn(|corner| self.node(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)))
    }

    fn multiply(&self, stiffness: &Element, u: &[f64], product: &mut [f64]) {
        product.fill(0.0);
        let n = self.elements;
        for cell in 0..n * n * n {
            let corners = self.corners(cell % n, cell / n % n, cell / (n * n));
            let mut local = [0.0; 24];
            for (corner, &node) in corners.iter().enumerate() {
                local[3 * corner..][..3].copy_from_slice(&u[3 * node..][..3]);
            }
            for (row, stiffness) in stiffness.iter().enumerate() {
                let force: f64 = stiffness.iter().zip(&local).map(|(k, u)| k * u).sum();
                product[3 * corners[row / 3] + row % 3] += force;
            }
        }
        self.hold(product);
    }

    /// Sets the values at the nodes on the top face to zero.
    fn hold(&self, values: &mut [f64]) {
        let top = self.elements;
        for z in 0..=top {
            for x in 0..=top {
                values[3 * self.node(x, top, z)..][..3].fill(0.0);
            }
        }
    }

    /// Sag of the center of the bottom face [m], solved by conjugate gradients.
    pub fn sag(&self) -> f64 {
        let stiffness = self.stiffness();
        let n = self.elements;
        let mut residual = vec![0.0; 3 * self.nodes().pow(3)];
        for cell in 0..n * n * n {
            for node in self.corners(cell % n, cell / n % n, cell / (n * n)) {
                residual[3 * node + 1] -= self.weight / (8 * n * n * n) as f64;
            }
        }
        self.hold(&mut residual);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut u = vec![0.0; residual.len()];
        let mut direction = residual.clone();
        let mut product = vec![0.0; residual.len()];
        let mut square = dot(&residual, &residual);
        let small = 1e-16 * square;
        while square > small {
            self.multiply(&stiffness, &direction, &mut product);
            let step = square / dot(&direction, &product);
            for at in 0..u.len() {
                u[at] += step * direction[at];
                residual[at] -= step * product[at];
            }
            let next = dot(&residual, &residual);
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / square * *d);
            square = next;
        }
        -u[3 * self.node(n / 2, 0, n / 2) + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_with_zero_poisson_ratio_matches_the_closed_form() {
        let elasticity = Elasticity { young: 1e5, poisson: 0.0 };
        let cube = HangingCube { elasticity, weight: 10.0, elements: 4 };
        assert!((cube.sag() / (10.0 / 2e5) - 1.0).abs() < 1e-9);
    }
}
