//! Conversion of segments to polylines.

/// Joins segments into polylines, each given as a list of points. Polylines end at the ends of curves and at junctions; a closed one
/// repeats its first point at its end. Open polylines come first. Both kinds are sorted by the index of their start point.
pub fn polylines(segments: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut walk = Walk::new(segments);
    let ends = (0..walk.points()).filter(|&point| walk.degree(point) != 2).collect::<Vec<u32>>();
    let mut lines = Vec::new();
    // After all open polylines, only closed curves remain, which may be started at any point.
    for point in ends.into_iter().chain(0..walk.points()) {
        while let Some(segment) = walk.next_from(point) {
            lines.push(walk.line(point, segment));
        }
    }
    lines
}

/// Adjacency of points and segments, and the segments already visited.
struct Walk<'a> {
    segments: &'a [[u32; 2]],
    /// Indices of the segments at point `p`: `at[first[p]..first[p + 1]]`, in order.
    first: Vec<usize>,
    at: Vec<u32>,
    walked: Vec<bool>,
    /// For each point, the position in `at` before which all segments have been visited.
    done: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(segments: &'a [[u32; 2]]) -> Walk<'a> {
        let ends = segments.as_flattened();
        let points = ends.iter().max().map_or(0, |&last| last as usize + 1);
        let mut first = vec![0; points + 1];
        for &end in ends {
            first[end as usize + 1] += 1;
        }
        for point in 0..points {
            first[point + 1] += first[point];
        }
        let mut next = first.clone();
        let mut at = vec![0; ends.len()];
        for (segment, ends) in (0u32..).zip(segments) {
            for &end in ends {
                at[next[end as usize]] = segment;
                next[end as usize] += 1;
            }
        }
        Walk { segments, done: first.clone(), first, at, walked: vec![false; segments.len()] }
    }

    fn points(&self) -> u32 {
        self.done.len() as u32 - 1
    }

    fn degree(&self, point: u32) -> usize {
        self.first[point as usize + 1] - self.first[point as usize]
    }

    /// Returns the first segment at a point that has not been visited.
    fn next_from(&mut self, point: u32) -> Option<u32> {
        let point = point as usize;
        while self.done[point] < self.first[point + 1] {
            let segment = self.at[self.done[point]];
            if !self.walked[segment as usize] {
                return Some(segment);
            }
            self.done[point] += 1;
        }
        None
    }

    /// Follows the curve from `start` along `segment` to its end, a junction or a closed loop.
    fn line(&mut self, start: u32, segment: u32) -> Vec<u32> {
        let (mut point, mut segment) = (start, segment);
        let mut line = vec![start];
        loop {
            self.walked[segment as usize] = true;
            let [a, b] = self.segments[segment as usize];
            point = if a == point { b } else { a };
            line.push(point);
            match self.next_from(point) {
                Some(next) if self.degree(point) == 2 => segment = next,
                _ => return line,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_rings_and_junctions_are_visited_once() {
        let segments = [
            // A strand from 9 to 5 with shuffled and reversed segments.
            [7, 5],
            [9, 8],
            [7, 8],
            // A ring.
            [2, 0],
            [0, 1],
            [1, 2],
            // Three threads that meet at 12.
            [10, 12],
            [12, 11],
            [12, 13],
            [13, 14],
        ];
        let lines = polylines(&segments);
        let expected: [&[u32]; 5] = [&[5, 7, 8, 9], &[10, 12], &[11, 12], &[12, 13, 14], &[0, 2, 1, 0]];
        assert_eq!(lines, expected);
    }

    #[test]
    fn duplicate_and_degenerate_segments_are_kept() {
        assert!(polylines(&[]).is_empty());
        // A duplicate segment, and one from a point to itself.
        assert_eq!(polylines(&[[0, 1], [0, 1], [3, 3]]), [vec![0, 1, 0], vec![3, 3]]);
        let strand: Vec<[u32; 2]> = (0..1000).map(|k| [k, k + 1]).collect();
        assert_eq!(polylines(&strand), [(0..=1000).collect::<Vec<u32>>()]);
    }
}
