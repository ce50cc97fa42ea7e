//! NumPy's default random generator, so that a benchmark can use exactly the same particles as a Python simulator.

/// PCG XSL RR 128/64 [ONeill2014], in the initial state of `numpy.random.default_rng(0)`.
#[derive(Clone, Debug)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
}

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl Pcg64 {
    /// The generator in the state of `numpy.random.default_rng(0).bit_generator`.
    pub fn seed_zero() -> Pcg64 {
        Pcg64 {
            state: 35_399_562_948_360_463_058_890_781_895_381_311_971,
            increment: 87_136_372_517_582_989_555_478_159_403_783_844_777,
        }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// Returns a number in `[low, high)`, the same number that `Generator.uniform` returns.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        low + (high - low) * unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_match_numpy() {
        let mut rng = Pcg64::seed_zero();
        for expected in [0.06848084366072715, -0.11510664311806484, -0.22951323803190266, -0.24173618223573545] {
            assert_eq!(rng.uniform(-0.25, 0.25), expected);
        }
    }
}
