//! The centerline of the yarn along one loop.

use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Number of straight segments used to measure the centerline of a loop.
const MEASURE: usize = 1024;

/// Proportions of the loops of a pattern. Lengths are in units of wale width / (2 pi).
///
/// The values maximize the distance between centerlines, which is at least 0.23 wale widths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Proportions {
    /// Bulge of the loops.
    pub bulge: f64,
    /// Half of the height of a loop.
    pub half_height: f64,
    /// Half of the depth of a loop.
    pub half_depth: f64,
    /// Distance between courses.
    pub course_height: f64,
    /// Distance of knit columns (to the front) and purl columns (to the back) from the middle of the fabric.
    pub layer: f64,
    /// Overlap of a knit column with the purl column beside it.
    pub overlap: f64,
    /// Half of the interval of heights, in half heights of a loop, in which a leaning loop changes columns [-].
    pub lean: f64,
}

impl Proportions {
    /// A typical ratio of wale width to course height, 1.31.
    pub const STOCKINETTE: Self =
        Self { bulge: 1.5, half_height: 4.0, half_depth: 1.0, course_height: 4.8, layer: 0.0, overlap: 0.0, lean: 0.7 };
    /// Knit and purl columns are two layers, a yarn diameter apart.
    pub const RIB: Self = Self { layer: 1.75, overlap: 0.4 * TAU, ..Self::STOCKINETTE };
    /// Loops that cross are longer.
    pub const CABLE: Self = Self {
        bulge: 1.44,
        half_height: 5.75,
        half_depth: 1.7,
        course_height: 7.0,
        layer: 1.0,
        overlap: 0.0,
        lean: 0.574,
    };
    /// Slightly longer loops than in stockinette.
    pub const LACE: Self = Self { half_height: 4.5, half_depth: 1.2, course_height: 5.0, ..Self::STOCKINETTE };
}

/// How a loop differs from a stockinette loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LoopKind {
    /// Sides of the loop to the left, of this loop and of the loop to the right: 1 for knit, -1 for purl stitches.
    pub sides: [f64; 3],
    /// Displacement of the head to the right [wales].
    pub lean: f64,
    /// 1 if the legs pass in front of those of a neighbor, -1 if they pass behind them, otherwise 0.
    pub crossing: f64,
    /// Whether the head lies in front of that of a neighbor.
    pub stacked: bool,
    /// Whether the loop passes through two heads.
    pub through_two: bool,
    /// Whether the loop passes through no head.
    pub yarn_over: bool,
}

impl LoopKind {
    /// A stockinette loop.
    pub const PLAIN: Self =
        Self { sides: [1.0; 3], lean: 0.0, crossing: 0.0, stacked: false, through_two: false, yarn_over: false };
}

/// Half of the parameter interval about a foot in which the yarn changes from a knit to a purl column [-].
const CHANGE: f64 = 0.9;
/// Distance of crossing legs from their regular depth, and the heights at which they are there: center of the ramps and half of their width.
const CROSSING: [f64; 3] = [1.27, 0.3, 0.35];
/// Distance of a stacked head from its regular depth; center and half width of the ramp.
const STACKED: [f64; 3] = [1.9, -0.35, 0.43];
/// Distance of legs that pass through two heads from their regular depth; centers of the ramps and half of their width.
const THROUGH_TWO: [f64; 4] = [1.8, -0.6, 0.4, 0.25];
/// Reduction of the bulge of a yarn-over at its feet [-]; half of the interval of heights in which it ends.
const OPEN: [f64; 2] = [0.6, 0.8];

/// The centerline `x = t + B sin 2t`, `y = -H cos t`, `z = -D cos 2t` for `t` from 0 to 2 pi, with smooth deviations. Legs are in front; feet
/// and heads are behind. The feet of a loop therefore pass behind the legs of the loop below, and its legs pass in front of the head of
/// the loop below. In purl columns, front and back are exchanged.
pub(super) struct CenterLine {
    kind: LoopKind,
    proportions: Proportions,
    /// Meters per unit.
    unit: f64,
    /// Arc length up to each of `MEASURE + 1` equidistant parameters [m].
    length: Vec<f64>,
}

/// A value and its derivative with respect to the parameter of the centerline.
#[derive(Clone, Copy)]
struct Smooth {
    value: f64,
    slope: f64,
}

/// Returns the C2 smoothstep of `x`, which increases from 0 to 1 within `half_width` about `center`.
fn ramp(x: Smooth, center: f64, half_width: f64) -> Smooth {
    let u = ((x.value - center + half_width) / (2.0 * half_width)).clamp(0.0, 1.0);
    Smooth {
        value: u.powi(3) * (10.0 + u * (6.0 * u - 15.0)),
        slope: 30.0 * (u * (1.0 - u)).powi(2) * x.slope / (2.0 * half_width),
    }
}

/// Returns a function that is 1 between two ramps and 0 outside of them.
fn plateau(x: Smooth, [rise, fall]: [f64; 2], half_width: f64) -> Smooth {
    let (on, off) = (ramp(x, rise, half_width), ramp(x, fall, half_width));
    Smooth { value: on.value * (1.0 - off.value), slope: on.slope * (1.0 - off.value) - on.value * off.slope }
}

impl CenterLine {
    pub fn new(wale_width: f64, proportions: Proportions, kind: LoopKind) -> Self {
        let unit = wale_width / TAU;
        let mut line = Self { kind, proportions, unit, length: vec![0.0] };
        let at = |i: usize| line.position(TAU * i as f64 / MEASURE as f64);
        let mut sum = 0.0;
        let lengths: Vec<f64> = (0..MEASURE)
            .map(|i| {
                sum += at(i).distance(at(i + 1));
                sum
            })
            .collect();
        line.length.extend(lengths);
        line
    }

    /// Returns the length of the loop [m].
    pub fn length(&self) -> f64 {
        self.length[MEASURE]
    }

    /// Returns the width that the loop takes up in its course [m]: a wale width, less half of the overlaps on both sides.
    pub fn width(&self) -> f64 {
        let [left, own, right] = self.kind.sides;
        let overlaps = f64::from(u8::from(left != own) + u8::from(right != own));
        self.unit * (TAU - 0.5 * overlaps * self.proportions.overlap)
    }

    /// Returns the position [m] at a parameter from 0 to 2 pi.
    pub fn position(&self, t: f64) -> DVec3 {
        self.unit * self.evaluate(t)[0]
    }

    /// Returns the unit tangent. It is never along z.
    pub fn tangent(&self, t: f64) -> DVec3 {
        self.evaluate(t)[1].normalize()
    }

    /// Returns the position and its derivative in units.
    fn evaluate(&self, t: f64) -> [DVec3; 2] {
        let (kind, p) = (&self.kind, &self.proportions);
        let ((sine, cosine), (sine2, cosine2)) = (t.sin_cos(), (2.0 * t).sin_cos());
        let mut at = DVec3::new(t + p.bulge * sine2, -p.half_height * cosine, p.layer - p.half_depth * cosine2);
        let mut slope = DVec3::new(1.0 + 2.0 * p.bulge * cosine2, p.half_height * sine, 2.0 * p.half_depth * sine2);

        // Changes between knit and purl columns, half on each side of a foot.
        let [left, own, right] = kind.sides;
        let along = Smooth { value: t, slope: 1.0 };
        let [from_left, to_right] = [0.0, TAU].map(|foot| ramp(along, foot, CHANGE));
        let side = own + (left - own) * (1.0 - from_left.value) + (right - own) * to_right.value;
        let side_slope = (own - left) * from_left.slope + (right - own) * to_right.slope;
        (at.z, slope.z) = (side * at.z, side * slope.z + side_slope * at.z);
        for (change, start, differs) in [(from_left, 0.5, left != own), (to_right, 0.0, right != own)] {
            if differs {
                at.x -= p.overlap * (change.value - start);
                slope.x -= p.overlap * change.slope;
            }
        }

        let height = Smooth { value: -cosine, slope: sine };
        if kind.lean != 0.0 {
            let change = ramp(height, 0.0, p.lean);
            at.x += TAU * kind.lean * change.value;
            slope.x += TAU * kind.lean * change.slope;
        }
        let mut shift = |depth: f64, by: Smooth| {
            at.z += depth * by.value;
            slope.z += depth * by.slope;
        };
        if kind.crossing != 0.0 {
            let [depth, ends, half_width] = CROSSING;
            shift(kind.crossing * depth, plateau(height, [-ends, ends], half_width));
        }
        if kind.stacked {
            let [depth, center, half_width] = STACKED;
            shift(depth, ramp(height, center, half_width));
        }
        if kind.through_two {
            let [depth, rise, fall, half_width] = THROUGH_TWO;
            shift(depth, plateau(height, [rise, fall], half_width));
        }
        if kind.yarn_over {
            let [share, half_width] = OPEN;
            let closed = ramp(height, 0.0, half_width);
            let bulge = -share * p.bulge;
            at.x += bulge * (1.0 - closed.value) * sine2;
            slope.x += bulge * (2.0 * (1.0 - closed.value) * cosine2 - closed.slope * sine2);
        }
        [at, slope]
    }

    /// Returns the parameter at the fraction `s` of the loop's length.
    fn parameter(&self, s: f64) -> f64 {
        let wanted = s * self.length();
        let cell = self.length.partition_point(|&l| l <= wanted).clamp(1, MEASURE) - 1;
        let fraction = (wanted - self.length[cell]) / (self.length[cell + 1] - self.length[cell]);
        TAU * (cell as f64 + fraction) / MEASURE as f64
    }

    /// Returns the point [m] at the fraction `s` of the loop's length, at the distance `offset` [m] from the centerline in the direction `angle` [rad]
    /// around it.
    pub fn thread(&self, s: f64, offset: f64, angle: f64) -> DVec3 {
        let t = self.parameter(s);
        let tangent = self.tangent(t);
        let normal = DVec3::Z.cross(tangent).normalize();
        let binormal = tangent.cross(normal);
        self.position(t) + offset * (angle.cos() * normal + angle.sin() * binormal)
    }

    /// Returns the one of `count` points, equidistant along the loop, that is closest to the head.
    pub fn head(&self, count: usize) -> usize {
        let distance = |i: usize| (self.parameter(i as f64 / count as f64) - PI).abs();
        (0..count).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn kinds() -> Vec<(Proportions, LoopKind)> {
        let plain = LoopKind::PLAIN;
        let mut kinds = vec![(Proportions::STOCKINETTE, plain)];
        for proportions in [Proportions::RIB, Proportions::CABLE] {
            for left in [-1.0, 1.0] {
                for right in [-1.0, 1.0] {
                    for own in [-1.0, 1.0] {
                        kinds.push((proportions, LoopKind { sides: [left, own, right], ..plain }));
                    }
                }
            }
        }
        for lean in [-1.0, 1.0] {
            for crossing in [-1.0, 1.0] {
                kinds.push((Proportions::CABLE, LoopKind { lean, crossing, ..plain }));
            }
            kinds.push((Proportions::LACE, LoopKind { lean, stacked: true, ..plain }));
        }
        kinds.push((Proportions::LACE, LoopKind { through_two: true, ..plain }));
        kinds.push((Proportions::LACE, LoopKind { yarn_over: true, ..plain }));
        kinds
    }

    #[test]
    fn tangent_is_the_derivative_of_position() {
        for (proportions, kind) in kinds() {
            let line = CenterLine::new(1.0, proportions, kind);
            for i in 0..200 {
                let t = TAU * (f64::from(i) + 0.5) / 200.0;
                let slope = (line.position(t + 1e-5) - line.position(t - 1e-5)).normalize();
                assert_relative_eq!(line.tangent(t), slope, epsilon = 1e-7);
                let flat = line.tangent(t).truncate().length();
                assert!(flat > 0.1, "{kind:?}: the tangent at {t} is along z");
            }
        }
    }

    #[test]
    fn curvature_is_bounded() {
        // The yarn does not overlap itself in bends: the radius of curvature exceeds half of the largest diameter.
        for (proportions, kind) in kinds() {
            let line = CenterLine::new(1.0, proportions, kind);
            let h = 1e-4;
            for i in 0..2000 {
                let t = TAU * (f64::from(i) + 0.5) / 2000.0;
                let [before, here, after] = [t - h, t, t + h].map(|t| line.position(t));
                let (turn, step) = (line.tangent(t + h) - line.tangent(t - h), after.distance(before));
                assert!(turn.length() / step < 1.0 / 0.115, "{kind:?} at {t}: {}", turn.length() / step);
                // Continuous: no jump between neighboring parameters.
                assert!(here.distance(before).max(here.distance(after)) < 4.0 * h);
            }
        }
    }

    #[test]
    fn loops_continue_each_other() {
        // The end of a loop coincides with the start of the next one, with the same tangent.
        for proportions in [Proportions::STOCKINETTE, Proportions::RIB, Proportions::CABLE] {
            for (a, b, c, d) in [(1.0, 1.0, -1.0, -1.0), (1.0, -1.0, 1.0, 1.0), (-1.0, -1.0, 1.0, -1.0)] {
                let [first, next] = [[a, b, c], [b, c, d]]
                    .map(|sides| CenterLine::new(1.0, proportions, LoopKind { sides, ..LoopKind::PLAIN }));
                let end = next.position(0.0) + first.width() * DVec3::X;
                assert_relative_eq!(first.position(TAU), end, epsilon = 1e-12);
                assert_relative_eq!(first.tangent(TAU), next.tangent(0.0), epsilon = 1e-12);
                assert_relative_eq!(next.position(0.0).x, 0.0, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn heads_are_found() {
        let line = CenterLine::new(1.0, Proportions::STOCKINETTE, LoopKind::PLAIN);
        assert_eq!(line.head(20), 10);
        let sides = [-1.0, 1.0, 1.0];
        let line = CenterLine::new(1.0, Proportions::RIB, LoopKind { sides, ..LoopKind::PLAIN });
        let top = line.position(line.parameter(line.head(200) as f64 / 200.0));
        assert_relative_eq!(top.y, Proportions::RIB.half_height / TAU, max_relative = 1e-3);
    }
}
