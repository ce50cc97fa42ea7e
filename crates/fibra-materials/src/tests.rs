//! Every law against its energy written a second time in `f64`, its plastic map against closed forms, and its run on
//! many lanes against its run on one.

mod anisotropic;
mod batch;
mod elastic;
mod element;
mod fluid;
mod friction;
mod goo;
mod hessian;
mod oracle;
mod sand;
mod snow;
mod table;
mod tissue;
