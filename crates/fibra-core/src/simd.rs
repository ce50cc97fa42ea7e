//! Run-time selection of the widest SIMD instruction set, for hot loops.
//!
//! The same source is compiled for the baseline, for AVX2 and for AVX-512. Operations are neither fused nor reordered (Rust does not
//! contract floating-point operations), so all versions give the same bits. Loops that the compiler vectorizes (one material model on many
//! particles) need nothing else. Other hot loops (stencil rows of the transfers) are written with [`Vector`], eight numbers at a time.

/// A vector of eight `f32`.
pub trait Vector: Copy {
    /// Broadcasts one number to all lanes.
    fn splat(x: f32) -> Self;
    /// Puts `a` in the first four lanes and `b` in the last four.
    fn halves(a: f32, b: f32) -> Self;
    /// Repeats four numbers in both halves.
    fn twice(x: [f32; 4]) -> Self;
    /// Loads from memory.
    fn load(from: &[f32; 8]) -> Self;
    /// Stores to memory.
    fn store(self, to: &mut [f32; 8]);
    /// Adds lane by lane.
    fn add(self, o: Self) -> Self;
    /// Multiplies lane by lane.
    fn mul(self, o: Self) -> Self;
    /// Adds the second half to the first.
    fn fold(self) -> [f32; 4];
}

/// Fallback for any CPU.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f32; 8]);

impl Vector for Portable {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Portable([x; 8])
    }
    #[inline(always)]
    fn halves(a: f32, b: f32) -> Self {
        Portable([a, a, a, a, b, b, b, b])
    }
    #[inline(always)]
    fn twice([a, b, c, d]: [f32; 4]) -> Self {
        Portable([a, b, c, d, a, b, c, d])
    }
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        Portable(*from)
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }
    #[inline(always)]
    fn add(mut self, o: Self) -> Self {
        self.0.iter_mut().zip(o.0).for_each(|(a, b)| *a += b);
        self
    }
    #[inline(always)]
    fn mul(mut self, o: Self) -> Self {
        self.0.iter_mut().zip(o.0).for_each(|(a, b)| *a *= b);
        self
    }
    #[inline(always)]
    fn fold(self) -> [f32; 4] {
        let a = self.0;
        [a[0] + a[4], a[1] + a[5], a[2] + a[6], a[3] + a[7]]
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::Avx;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    /// Vector for CPUs with AVX2. Used only inside functions that [`dispatch`](super::dispatch) compiles for AVX2 and calls after checking
    /// the CPU.
    #[derive(Clone, Copy, Debug)]
    pub struct Avx(__m256);

    impl Vector for Avx {
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: the CPU has AVX2 (see the type).
            Avx(unsafe { _mm256_set1_ps(x) })
        }
        #[inline(always)]
        fn halves(a: f32, b: f32) -> Self {
            // SAFETY: the CPU has AVX2 (see the type).
            Avx(unsafe { _mm256_set_m128(_mm_set1_ps(b), _mm_set1_ps(a)) })
        }
        #[inline(always)]
        fn twice(x: [f32; 4]) -> Self {
            // SAFETY: the CPU has AVX2 (see the type); the array has the four numbers that are read.
            unsafe {
                let x = _mm_loadu_ps(x.as_ptr());
                Avx(_mm256_set_m128(x, x))
            }
        }
        #[inline(always)]
        fn load(from: &[f32; 8]) -> Self {
            // SAFETY: the CPU has AVX2 (see the type); the array has the eight numbers that are read.
            Avx(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [f32; 8]) {
            // SAFETY: the CPU has AVX2 (see the type); the array has space for the eight numbers written.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            // SAFETY: the CPU has AVX2 (see the type).
            Avx(unsafe { _mm256_add_ps(self.0, o.0) })
        }
        #[inline(always)]
        fn mul(self, o: Self) -> Self {
            // SAFETY: the CPU has AVX2 (see the type).
            Avx(unsafe { _mm256_mul_ps(self.0, o.0) })
        }
        #[inline(always)]
        fn fold(self) -> [f32; 4] {
            let mut out = [0.0; 4];
            // SAFETY: the CPU has AVX2 (see the type); the array has space for the four numbers written.
            unsafe {
                let sum = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
                _mm_storeu_ps(out.as_mut_ptr(), sum);
            }
            out
        }
    }
}

/// Defines a function compiled for the baseline, for AVX2 and for AVX-512. Each call runs the widest version the CPU supports. Inside, the
/// type written `for V` is the CPU's [`Vector`]. (AVX-512 doubles the registers and the width of loops the compiler vectorizes; the stencil
/// rows stay eight wide.)
#[macro_export]
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident [$($g:ident : $bound:path),*; for $v:ident]
        ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$doc])*
        $vis fn $name <$($g: $bound),*> ($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body<$($g: $bound,)* $v: $crate::simd::Vector> ($($arg: $ty),*) $(-> $ret)? {
                // Some functions use only the dispatch and no explicit vectors.
                let _ = std::marker::PhantomData::<$v>;
                $body
            }

            #[cfg(target_arch = "x86_64")]
            {
                use std::is_x86_feature_detected as has;

                #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq")]
                fn avx512<$($g: $bound),*> ($($arg: $ty),*) $(-> $ret)? { body::<$($g,)* $crate::simd::Avx>($($arg),*) }
                #[target_feature(enable = "avx2")]
                fn avx2<$($g: $bound),*> ($($arg: $ty),*) $(-> $ret)? { body::<$($g,)* $crate::simd::Avx>($($arg),*) }

                if has!("avx2") && has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") {
                    // SAFETY: the CPU has every feature the function requires.
                    return unsafe { avx512::<$($g),*>($($arg),*) };
                }
                if has!("avx2") {
                    // SAFETY: the CPU has AVX2, the only feature the function requires.
                    return unsafe { avx2::<$($g),*>($($arg),*) };
                }
            }
            body::<$($g,)* $crate::simd::Portable>($($arg),*)
        }
    };
}
pub use dispatch;
