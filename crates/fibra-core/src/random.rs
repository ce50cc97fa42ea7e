//! Counter-based random numbers. Each is a hash of a seed and an index, so the order of evaluation does not matter and threads share no
//! state.

use glam::DVec3;

/// A counter-based random number generator: one number per index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterRng {
    key: u64,
}

impl CounterRng {
    /// Creates the generator for `seed`. Nearby seeds give uncorrelated streams.
    pub fn new(seed: u64) -> Self {
        // The constant keeps seed 0 away from the hash's fixed point at 0.
        Self { key: scramble(seed ^ 0x5bf0_3635_d1c7_a4e9) }
    }

    /// Returns 64 random bits for an index of any length.
    pub fn bits(&self, index: &[u64]) -> u64 {
        index.iter().fold(self.key, |hash, &word| {
            // Adding the golden ratio between words makes (0), (0, 0) and (0, 0, 0) differ.
            scramble(hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ scramble(word))
        })
    }

    /// Returns a uniform number in [0, 1).
    pub fn uniform(&self, index: &[u64]) -> f64 {
        // The upper 53 bits fill a double's significand exactly.
        (self.bits(index) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns a uniform point in the unit cube [0, 1)^3.
    pub fn uniform_in_cube(&self, cell: [u64; 3]) -> DVec3 {
        let [i, j, k] = cell;
        DVec3::from_array([0, 1, 2].map(|axis| self.uniform(&[i, j, k, axis])))
    }
}

/// A bijection on 64 bits in which each input bit flips about half of the output bits: shifts move the high bits down, odd multipliers move
/// the low bits up.
fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 29)).wrapping_mul(0xa076_1d64_78bd_642f);
    x = (x ^ (x >> 32)).wrapping_mul(0xe703_7ed1_a0b4_28db);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_depend_only_on_seed_and_index() {
        let (a, b) = (CounterRng::new(7), CounterRng::new(8));
        assert_eq!(a.bits(&[1, 2, 3]), CounterRng::new(7).bits(&[1, 2, 3]));
        assert_ne!(a.bits(&[1, 2, 3]), b.bits(&[1, 2, 3]));
        assert_ne!(a.bits(&[0]), a.bits(&[0, 0]));
        assert_ne!(a.bits(&[1, 2]), a.bits(&[2, 1]));
    }

    #[test]
    fn moments_are_those_of_a_uniform_distribution() {
        let rng = CounterRng::new(0);
        let n = 100_000u64;
        let values: Vec<f64> = (0..n).map(|i| rng.uniform(&[i])).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        let lag = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / n as f64;
        // Five standard errors: sqrt(1/12/n) = 9e-4 for the mean, sqrt(1/180/n) = 2.4e-4, 1/12/sqrt(n) = 2.6e-4.
        assert!((mean - 0.5).abs() < 4.6e-3, "mean {mean}");
        assert!((variance - 1.0 / 12.0).abs() < 1.2e-3, "variance {variance}");
        assert!(lag.abs() < 1.4e-3, "covariance of neighbors {lag}");
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
    }

    #[test]
    fn every_input_bit_reaches_every_output_bit() {
        let rng = CounterRng::new(3);
        for bit in 0..64 {
            let flips: u32 = (0..256u64).map(|i| (rng.bits(&[i]) ^ rng.bits(&[i ^ (1 << bit)])).count_ones()).sum();
            let mean = f64::from(flips) / 256.0;
            assert!((mean - 32.0).abs() < 2.0, "flipping bit {bit} flips {mean} bits on average");
        }
    }
}
