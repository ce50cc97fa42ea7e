//! The B-splines between particles and nodes: the same weights as in [`crate::tile`] and [`fibra_core::bspline`].

use cubecl::prelude::*;

/// One value for each of up to four nodes along an axis.
#[derive(CubeType, Clone, Copy)]
pub(super) struct Four {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
}

#[cube]
impl Four {
    /// Returns the value of a node whose index is known at compile time.
    pub(super) fn at(&self, #[comptime] node: u32) -> f32 {
        if comptime!(node == 0) {
            self.a
        } else if comptime!(node == 1) {
            self.b
        } else if comptime!(node == 2) {
            self.c
        } else {
            self.d
        }
    }

    /// Returns the values in the given order of the nodes.
    fn rotated(&self, places: &Places) -> Four {
        Four { a: self.of(places.a), b: self.of(places.b), c: self.of(places.c), d: self.of(places.d) }
    }

    /// Returns the value of a node whose index is known only at run time.
    fn of(&self, node: u32) -> f32 {
        select(node == 0, self.a, select(node == 1, self.b, select(node == 2, self.c, self.d)))
    }
}

/// Stencil of one axis; see [`crate::tile::Axis`].
#[derive(CubeType, Clone, Copy)]
pub(super) struct Axis {
    /// Index of the first node in the tile, along the axis.
    pub(super) base: u32,
    /// Weights `w`.
    pub(super) w: Four,
    /// Weights of the gradient [1/cell].
    pub(super) g: Four,
    /// First moments [cells].
    pub(super) d: Four,
}

/// The stencil of one axis in rotated order: it starts at one of its nodes and wraps around.
#[derive(CubeType, Clone, Copy)]
pub(super) struct RotatedAxis {
    pub(super) axis: Axis,
    /// Offset of each node from the first one.
    places: Places,
}

/// Node offsets for up to four nodes along an axis.
#[derive(CubeType, Clone, Copy)]
struct Places {
    a: u32,
    b: u32,
    c: u32,
    d: u32,
}

#[cube]
impl RotatedAxis {
    /// Rotates a stencil so that it starts with node `by`.
    pub(super) fn new(axis: Axis, by: u32, #[comptime] width: u32) -> RotatedAxis {
        let places = Places {
            a: by,
            b: (by + 1) % comptime!(width),
            c: (by + 2) % comptime!(width),
            d: (by + 3) % comptime!(width),
        };
        let Axis { base, w, g, d } = axis;
        let rotated = Axis { base, w: w.rotated(&places), g: g.rotated(&places), d: d.rotated(&places) };
        RotatedAxis { axis: rotated, places }
    }

    /// Returns the tile index of a node along the axis.
    pub(super) fn node(&self, #[comptime] node: u32) -> u32 {
        if comptime!(node == 0) {
            self.axis.base + self.places.a
        } else if comptime!(node == 1) {
            self.axis.base + self.places.b
        } else if comptime!(node == 2) {
            self.axis.base + self.places.c
        } else {
            self.axis.base + self.places.d
        }
    }
}

/// Returns the weights of the spline for a particle at a distance `f` from the first node of its stencil [cells].
#[cube]
pub(super) fn weights(f: f32, #[comptime] width: u32) -> Four {
    if comptime!(width == 2) {
        Four { a: 1.0f32 - f, b: f, c: f * 0.0f32, d: f * 0.0f32 }
    } else if comptime!(width == 3) {
        let a = 1.5f32 - f;
        let c = f - 0.5f32;
        let w0 = 0.5f32 * a * a;
        let w2 = 0.5f32 * c * c;
        Four { a: w0, b: 1.0f32 - (w0 + w2), c: w2, d: f * 0.0f32 }
    } else {
        let t = f - 1.0f32;
        let s = 1.0f32 - t;
        let t2 = t * t;
        let s2 = s * s;
        let w0 = s2 * s / 6.0f32;
        let w1 = comptime!(2.0f32 / 3.0f32) - t2 + 0.5f32 * t2 * t;
        let w3 = t2 * t / 6.0f32;
        Four { a: w0, b: w1, c: 1.0f32 - (w0 + w1 + w3), d: w3 }
    }
}

/// Returns the stencil of a particle at `x` [cells, from the tile's first node]. A stencil that leaves the tile is clamped to its edge.
#[cube]
pub(super) fn axis(x: f32, #[comptime] width: u32) -> Axis {
    let shift = comptime!(0.5 * (width as f32 - 2.0));
    let inside = f32::clamp(x - shift, 0.0f32, 5.5f32);
    let first = f32::floor(inside);
    let f = x - first;
    let w = weights(f, width);
    let d = moments(&w, f, 1.0f32);
    if comptime!(width == 2) {
        let g = Four { a: f * 0.0f32 - 1.0f32, b: f * 0.0f32 + 1.0f32, c: f * 0.0f32, d: f * 0.0f32 };
        Axis { base: u32::cast_from(first), w, g, d }
    } else {
        let g = moments(&w, f, comptime!(if width == 3 { 4.0f32 } else { 3.0f32 }));
        Axis { base: u32::cast_from(first), w, g, d }
    }
}

#[cube]
fn moments(w: &Four, f: f32, b: f32) -> Four {
    Four { a: w.a * (0.0f32 - f) * b, b: w.b * (1.0f32 - f) * b, c: w.c * (2.0f32 - f) * b, d: w.d * (3.0f32 - f) * b }
}

/// Returns whether the stencil of a particle is inside its tile, along one axis.
#[cube]
pub(super) fn reaches(x: f32, #[comptime] width: u32) -> bool {
    let base = x - comptime!(0.5 * (width as f32 - 2.0));
    base >= 0.0f32 && base < 6.0f32
}
