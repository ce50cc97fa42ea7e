//! World coordinates of frames.

use fibra_core::frame::Frame;

/// Returns whether world coordinates need 64 bits. With the frame's origin at zero, the stored 32-bit coordinates are exact.
pub(crate) fn is_far(frame: &Frame) -> bool {
    frame.origin != [0.0; 3]
}
