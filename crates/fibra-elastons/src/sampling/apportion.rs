//! Apportionment of centers to bodies.

use super::{Body, SampleError};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Priority of a body for the next center.
#[derive(PartialEq)]
struct Priority {
    quotient: f64,
    body: usize,
}

impl Eq for Priority {}

impl Ord for Priority {
    /// On ties, the earlier body comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.quotient.total_cmp(&other.quotient).then(other.body.cmp(&self.body))
    }
}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Distributes `count` centers in proportion to volume. Each body gets at least its given centers, at least one center,
/// and at most one center per material point.
pub(super) fn apportion(bodies: &mut [Body], count: usize, given: usize) -> Result<(), SampleError> {
    for body in bodies.iter_mut() {
        body.count = body.given.len().max(1);
    }
    let least = bodies.iter().map(|body| body.count).sum::<usize>().max(given);
    if count < least {
        return Err(SampleError::TooFew { count, least });
    }
    if let Some(body) = bodies.iter().find(|body| body.count > body.pieces.len()) {
        return Err(SampleError::Crowded { given: body.given.len(), points: body.pieces.len() });
    }
    let volumes: Vec<f64> = bodies.iter().map(|body| body.volumes.iter().sum()).collect();
    // Odd divisors (Sainte-Laguë's method) round to the nearest integer. Using one more than the body's number of
    // centers as the divisor would favor large bodies.
    let priority = |body: usize, have: usize| Priority { quotient: volumes[body] / (2 * have + 1) as f64, body };
    let mut queue: BinaryHeap<Priority> = (0..bodies.len()).map(|body| priority(body, bodies[body].count)).collect();
    let mut left = count - least;
    while left > 0 {
        // There are at least as many material points as centers, so some body can still take a center.
        let Some(Priority { body, .. }) = queue.pop() else { break };
        if bodies[body].count < bodies[body].pieces.len() {
            bodies[body].count += 1;
            left -= 1;
            queue.push(priority(body, bodies[body].count));
        }
    }
    Ok(())
}
