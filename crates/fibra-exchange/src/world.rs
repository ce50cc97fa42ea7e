//! World coordinates of frames.

use fibra_core::frame::Frame;

/// Whether world coordinates need 64 bits: near the origin the stored 32 are exact.
pub(crate) fn is_far(frame: &Frame) -> bool {
    frame.origin != [0.0; 3]
}
