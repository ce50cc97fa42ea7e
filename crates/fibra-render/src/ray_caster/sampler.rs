//! Low-discrepancy pseudo-random numbers. They depend only on the pixel and the sample, not on threads.

use glam::Vec3;

/// Hashes a number, so that neighboring numbers give uncorrelated results.
fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Converts 32 random bits to a number in 0..1.
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / (1u32 << 24) as f32
}

/// Returns random bits for a pixel and a purpose.
pub(super) fn pixel_seed(x: u32, y: u32, purpose: u32) -> u32 {
    mix(x ^ mix(y ^ mix(purpose.wrapping_add(0x9e37_79b9))))
}

/// Returns point `index` of a low-discrepancy sequence in the unit square: the first two Sobol dimensions, with order and digits
/// scrambled by `seed` [Burley2020]. Every prefix of the sequence is evenly distributed.
pub(super) fn sample_point(index: u32, seed: u32) -> [f32; 2] {
    let index = scramble(index, seed);
    // The first Sobol dimension reverses the bits of the index; the second multiplies them by Pascal's triangle modulo 2.
    let mut second = 0;
    let mut column = 1u32 << 31;
    let mut rest = index;
    while rest != 0 {
        if rest & 1 == 1 {
            second ^= column;
        }
        column ^= column >> 1;
        rest >>= 1;
    }
    let digits = [index.reverse_bits(), second];
    [0, 1].map(|axis| unit(scramble(digits[axis], mix(seed ^ (axis as u32 + 1)))))
}

/// A random permutation of the 32-bit numbers. It maps every aligned block of 2^k numbers to another aligned block, which
/// preserves the distribution of the sequence [Burley2020, Sec. 3].
fn scramble(value: u32, seed: u32) -> u32 {
    // In each step, a bit depends only on lower bits. Because of the two reversals, these are higher bits of `value`.
    let mut x = value.reverse_bits();
    x = x.wrapping_add(seed);
    x ^= x.wrapping_mul(0x6c50_b47c);
    x ^= x.wrapping_mul(0xb82f_1e52);
    x ^= x.wrapping_mul(0xc7af_e638);
    x ^= x.wrapping_mul(0x8d22_f6e6);
    x.reverse_bits()
}

/// Returns a direction about a unit normal with a density proportional to the cosine of the angle to the normal.
pub(super) fn cosine_direction(normal: Vec3, [a, b]: [f32; 2]) -> Vec3 {
    let (sine, cosine) = (std::f32::consts::TAU * a).sin_cos();
    let (u, v) = normal.any_orthonormal_pair();
    let radius = b.sqrt();
    radius * (cosine * u + sine * v) + (1.0 - b).sqrt() * normal
}

/// Returns a uniformly distributed direction in a cone about a unit axis; `tangent` is the tangent of the cone's half angle.
pub(super) fn cone_direction(axis: Vec3, tangent: f32, [a, b]: [f32; 2]) -> Vec3 {
    let (sine, cosine) = (std::f32::consts::TAU * a).sin_cos();
    let (u, v) = axis.any_orthonormal_pair();
    (axis + tangent * b.sqrt() * (cosine * u + sine * v)).normalize()
}

/// A random number generator for tests.
#[cfg(test)]
pub(super) struct Random(u32);

#[cfg(test)]
impl Random {
    pub fn new(seed: u32) -> Random {
        Random(mix(seed))
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        low + (high - low) * unit(mix(self.0))
    }

    /// Returns a vector with components in -1..1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|_| self.between(-1.0, 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_of_the_sequence_is_stratified() {
        for seed in (0..50).map(mix) {
            for (columns, rows) in [(4, 4), (16, 1), (1, 16), (2, 8)] {
                let mut count = vec![0; 16];
                for index in 0..16 {
                    let [x, y] = sample_point(index, seed);
                    count[(x * columns as f32) as usize * rows + (y * rows as f32) as usize] += 1;
                }
                assert!(count.iter().all(|&n| n == 1), "{columns}x{rows}, seed {seed}: {count:?}");
            }
        }
    }

    #[test]
    fn cosine_directions_have_the_cosine_mean() {
        let normal = Vec3::new(0.3, -0.8, 0.5).normalize();
        let mean = (0..4096).map(|i| cosine_direction(normal, sample_point(i, 7)).dot(normal)).sum::<f32>() / 4096.0;
        // The mean of cos over the density cos / pi is 2/3.
        assert!((mean - 2.0 / 3.0).abs() < 1e-3, "{mean}");
    }
}
