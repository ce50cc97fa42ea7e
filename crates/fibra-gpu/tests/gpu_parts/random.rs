//! Random numbers for tests.

/// Returns `n` random numbers from 0 to 1, determined by the seed.
pub fn random(n: usize, seed: u64) -> Vec<f32> {
    let mut s = seed;
    let mut next = || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..n).map(|_| next()).collect()
}
