//! What every Fibra method shares. No paper lives here.
//!
//! | module | holds |
//! |---|---|
//! | [`frame`] | what one moment of a run looks like to the outside: points, attributes, collider poses |

pub mod frame;
