//! Run-time choice of the widest vector instructions the machine has, for the hot loops.
//!
//! The same source is compiled once for the baseline and once for AVX2; nothing is fused or reordered (Rust contracts no
//! floating-point operations), so both give the same bits.

/// Defines a function compiled for the baseline and for AVX2, and picks one when called.
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$($g:ident : $bound:path),*>)? ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$doc])*
        $vis fn $name $(<$($g: $bound),*>)? ($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body $(<$($g: $bound),*>)? ($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2 $(<$($g: $bound),*>)? ($($arg: $ty),*) $(-> $ret)? { body $(::<$($g),*>)? ($($arg),*) }
                if std::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has AVX2, which is all the function asks for.
                    return unsafe { avx2 $(::<$($g),*>)? ($($arg),*) };
                }
            }
            body $(::<$($g),*>)? ($($arg),*)
        }
    };
}
pub(crate) use dispatch;
