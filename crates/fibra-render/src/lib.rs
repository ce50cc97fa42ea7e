//! Pictures and charts of Fibra's runs, with no GPU and no display.
//!
//! [`write_preview`] draws six moments of a run on one sheet, [`Painter`] any frame; [`charts`] plots the quantities of a run. Below them is a
//! ray caster, [`ray_caster`], that draws spheres, curves, meshes and solids and knows nothing of runs:
//!
//! ```
//! use fibra_render::ray_caster::{Finish, Picture, Quality, Sphere, fit_camera, render};
//! use glam::Vec3;
//!
//! let ball = Sphere { center: Vec3::Y, radius: 1.0, color: Vec3::new(0.8, 0.3, 0.2), finish: Finish::Glossy };
//! let camera = fit_camera(Vec3::splat(-1.0), Vec3::splat(2.0), 1.5, Vec3::ONE);
//! let picture = Picture { spheres: vec![ball], camera, ..Picture::default() };
//! let image = render(&picture, 96, 64, Quality::DRAFT)?.image;
//! assert_eq!((image.width(), image.height()), (96, 64));
//! # Ok::<(), fibra_render::ray_caster::RenderError>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`ray_caster`] | what to draw, the camera, light, images and their files |
//! | [`picture`] | from a run's frame to what is drawn |
//! | [`charts`] | quantities over time and times of stages, as SVG or PNG |

pub mod charts;
pub mod picture;
pub mod ray_caster;

pub use picture::{Painter, PictureError, write_preview};
