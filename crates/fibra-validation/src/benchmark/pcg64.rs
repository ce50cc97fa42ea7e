//! NumPy's default random generator, so that a benchmark can use exactly the same particles as a Python simulator.

/// PCG XSL RR 128/64 [ONeill2014], in the initial state of `numpy.random.default_rng(0)`.
#[derive(Clone, Debug)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
    /// Second half of the last 64 bits, if only the first half was used.
    half: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl Pcg64 {
    /// The generator in the state of `numpy.random.default_rng(0).bit_generator`.
    pub fn seed_zero() -> Pcg64 {
        Pcg64 {
            state: 35_399_562_948_360_463_058_890_781_895_381_311_971,
            increment: 87_136_372_517_582_989_555_478_159_403_783_844_777,
            half: None,
        }
    }

    /// The generator in the state of `numpy.random.default_rng(1000 + index).bit_generator`, for `index` 0, 1 and 2.
    ///
    /// # Panics
    /// Panics if `index` is larger.
    pub fn seed_1000_plus(index: usize) -> Pcg64 {
        let [state, increment] = [
            [160_298_080_023_750_866_990_043_981_581_432_466_665, 119_065_948_144_835_586_474_643_535_142_778_641_169],
            [166_110_077_734_690_349_622_093_398_695_385_059_758, 75_832_438_150_325_598_680_414_078_138_474_848_963],
            [114_186_857_435_476_153_593_205_230_269_627_397_628, 197_198_657_951_681_906_595_493_522_535_810_024_969],
        ][index];
        Pcg64 { state, increment, half: None }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 random bits.
    fn next_u32(&mut self) -> u32 {
        if let Some(half) = self.half.take() {
            return half;
        }
        let bits = self.next_u64();
        self.half = Some((bits >> 32) as u32);
        bits as u32
    }

    /// Returns a number in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns a number in `[low, high)`, the same number that `Generator.uniform` returns.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns the numbers from 0 to `n - 1` in random order, the same order that `Generator.permutation` returns.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n as u32).rev() {
            let mask = u32::MAX >> last.leading_zeros();
            let other = loop {
                let other = self.next_u32() & mask;
                if other <= last {
                    break other;
                }
            };
            order.swap(last as usize, other as usize);
        }
        order
    }
}

/// Normal numbers by the ziggurat method [Marsaglia2000], as NumPy computes them. They agree up to rounding errors of the tables.
#[derive(Clone, Debug)]
pub struct Normal {
    /// Widths of the layers, divided by `2^52`.
    widths: [f64; 256],
    /// Bounds of the random integer below which a number is inside the next layer.
    inside: [u64; 256],
    /// Densities at the edges of the layers.
    densities: [f64; 256],
}

/// Start of the tail, and area of a layer.
const TAIL: f64 = 3.654_152_885_361_009;
const AREA: f64 = 0.004_928_673_233_974_658;

impl Default for Normal {
    fn default() -> Normal {
        let scale = (1u64 << 52) as f64;
        let mut normal = Normal { widths: [0.0; 256], inside: [0; 256], densities: [0.0; 256] };
        let bottom = AREA / density(TAIL);
        (normal.widths[0], normal.inside[0], normal.densities[0]) =
            (bottom / scale, (TAIL / bottom * scale) as u64, 1.0);
        (normal.widths[255], normal.densities[255]) = (TAIL / scale, density(TAIL));
        let mut edge = TAIL;
        for layer in (1..255).rev() {
            let next = (-2.0 * (AREA / edge + density(edge)).ln()).sqrt();
            normal.inside[layer + 1] = (next / edge * scale) as u64;
            (normal.widths[layer], normal.densities[layer]) = (next / scale, density(next));
            edge = next;
        }
        normal
    }
}

impl Normal {
    /// Returns a number with mean 0 and standard deviation 1.
    pub fn sample(&self, rng: &mut Pcg64) -> f64 {
        loop {
            let bits = rng.next_u64();
            let (layer, sign) = ((bits & 0xff) as usize, bits >> 8 & 1);
            let integer = bits >> 9 & ((1 << 52) - 1);
            let size = integer as f64 * self.widths[layer];
            let x = if sign == 1 { -size } else { size };
            if integer < self.inside[layer] {
                return x;
            }
            if layer > 0 {
                let step = self.densities[layer - 1] - self.densities[layer];
                if step * rng.unit() + self.densities[layer] < density(x) {
                    return x;
                }
                continue;
            }
            loop {
                let beyond = -(-rng.unit()).ln_1p() / TAIL;
                let y = -(-rng.unit()).ln_1p();
                if y + y > beyond * beyond {
                    return if integer >> 8 & 1 == 1 { -(TAIL + beyond) } else { TAIL + beyond };
                }
            }
        }
    }
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp()
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
    #[test]
    fn normal_numbers_and_permutations_match_numpy() {
        let (mut rng, normal) = (Pcg64::seed_1000_plus(1), Normal::default());
        let numbers: Vec<f64> = (0..100_000).map(|_| normal.sample(&mut rng)).collect();
        for (number, expected) in numbers.iter().zip([0.9323224351204542, -0.13484240850688187, -1.0977711087115172]) {
            assert!((number - expected).abs() < 1e-14, "{number}");
        }
        let sum: f64 = numbers.iter().map(|number| number.powi(4)).sum();
        assert!((sum - 298785.40369179595).abs() < 1e-6, "{sum}");
        let [least, most] = [f64::min, f64::max].map(|better| numbers.iter().copied().fold(0.0, better));
        assert!((most - 4.142885600430232).abs() < 1e-13 && (least + 4.072396739311789).abs() < 1e-13);
        assert_eq!(rng.permutation(12), [10, 9, 6, 0, 4, 5, 8, 7, 1, 11, 3, 2]);
        assert_eq!(rng.uniform(0.0, 1.0), 0.8563977666364514);
    }
}
