//! x
pub mod alart_curnier;
pub mod cone;
pub mod local;
pub mod one_contact;
pub mod problem;
