//! Renders pictures and charts of Fibra runs without a GPU or a display.
//!
//! [`write_preview`] renders six moments of a run on one contact sheet, and [`Painter`] any single frame. [`charts`] plots the quantities of a
//! run. The module [`ray_caster`] can also be used alone; it renders spheres, curves, meshes and solids:
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
//! | module | content |
//! |---|---|
//! | [`ray_caster`] | scene description, camera, lights, rendering, image files |
//! | [`picture`] | converts a frame of a run to a scene description |
//! | [`charts`] | plots of quantities over time and of stage times, as SVG or PNG |

pub mod charts;
pub mod picture;
pub mod ray_caster;

pub use picture::{Painter, PictureError, write_preview};
