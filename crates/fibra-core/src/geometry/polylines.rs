//! Curves as polylines: chains of segments walked from end to end.

/// Segments joined into polylines, each as the points it passes. Polylines end where a curve does and at junctions; a
/// closed one names its first point again at its end. Open ones come first, both kinds by the lowest point they start from.
pub fn polylines(segments: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut walk = Walk::new(segments);
    let ends = (0..walk.points()).filter(|&point| walk.degree(point) != 2).collect::<Vec<u32>>();
    let mut lines = Vec::new();
    // Once nothing hangs on an end any more, what is left are rings, which may be cut open anywhere.
    for point in ends.into_iter().chain(0..walk.points()) {
        while let Some(segment) = walk.next_from(point) {
            lines.push(walk.line(point, segment));
        }
    }
    lines
}

/// Which segments meet at which point, and which of them were walked along.
struct Walk<'a> {
    segments: &'a [[u32; 2]],
    /// Numbers of the segments at point `p`: `at[first[p]..first[p + 1]]`, in order.
    first: Vec<usize>,
    at: Vec<u32>,
    walked: Vec<bool>,
    /// How far into `at` everything has been walked, by point.
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

    /// The first segment at a point that was not walked along yet.
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

    /// Walks from `start` along `segment` until the curve ends, forks or comes back.
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
    fn chains_rings_and_junctions_are_walked_once() {
        let segments = [
            // A strand whose segments are shuffled and turned, from 9 to 5.
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
    fn odd_segments_are_kept() {
        assert!(polylines(&[]).is_empty());
        // Twice the same, and one from a point to itself.
        assert_eq!(polylines(&[[0, 1], [0, 1], [3, 3]]), [vec![0, 1, 0], vec![3, 3]]);
        let strand: Vec<[u32; 2]> = (0..1000).map(|k| [k, k + 1]).collect();
        assert_eq!(polylines(&strand), [(0..=1000).collect::<Vec<u32>>()]);
    }
}
