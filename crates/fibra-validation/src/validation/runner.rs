//! Runs validation cases, in parallel unless they measure wall time.

use super::{Case, Check, SLOW};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;

/// Result of a case.
pub struct Finished<'a> {
    /// The case.
    pub case: &'a Case,
    /// Its comparisons, or an error message.
    pub checks: Result<Vec<Check>, String>,
    /// Wall time [s].
    pub seconds: f64,
}

/// Runs `cases` on `threads` threads, each case on one thread, and calls `each` with the results in the order of
/// `cases`. Results do not depend on the number of threads. Slow cases start first, so that they do not run alone at
/// the end.
///
/// If `each` returns an error, no further case is started.
pub fn run_side_by_side<E>(
    cases: &[&Case],
    threads: usize,
    mut each: impl FnMut(Finished) -> Result<(), E>,
) -> Result<(), E> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|&index| !SLOW.contains(&cases[index].name));
    let next = AtomicUsize::new(0);
    let is_over = Mutex::new(false);
    let (send, receive) = channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, cases.len().max(1)) {
            let (send, next, order, is_over) = (send.clone(), &next, &order, &is_over);
            scope.spawn(move || {
                while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if *is_over.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) {
                        return;
                    }
                    // Sending fails if the receiver is gone because the caller has ended early.
                    let _ = send.send((index, run_on_one_thread(cases[index])));
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut shown = 0;
        for (index, finished) in receive {
            waiting.insert(index, finished);
            while let Some(finished) = waiting.remove(&shown) {
                shown += 1;
                if let Err(error) = each(finished) {
                    *is_over.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

/// Runs one case on the current thread pool, while no other case is running.
pub fn run_alone(case: &Case) -> Finished<'_> {
    let begun = Instant::now();
    let checks = (case.run)();
    Finished { case, checks, seconds: begun.elapsed().as_secs_f64() }
}

fn run_on_one_thread(case: &Case) -> Finished<'_> {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(|| run_alone(case)),
        // The system cannot create more threads, so run the case here.
        Err(_) => run_alone(case),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn case(name: &'static str, run: fn() -> Result<Vec<Check>, String>) -> Case {
        Case { name, about: "", run }
    }

    fn threads() -> Result<Vec<Check>, String> {
        Ok(vec![Check::absolute("threads", rayon::current_num_threads() as f64, 1.0, 0.0)])
    }

    #[test]
    fn results_arrive_in_the_order_of_the_cases() {
        let slow = case(SLOW[0], || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            threads()
        });
        let (one, broken) = (case("one", threads), case("broken", || Err("no".to_owned())));
        for count in 1..=4 {
            let mut names = Vec::new();
            let outcome: Result<(), ()> = run_side_by_side(&[&one, &slow, &broken, &one], count, |finished| {
                names.push(finished.case.name);
                assert_eq!(finished.checks.is_err(), finished.case.name == "broken");
                assert!(finished.checks.iter().flatten().all(Check::passes));
                Ok(())
            });
            assert_eq!((outcome, names), (Ok(()), vec!["one", SLOW[0], "broken", "one"]));
        }
        assert_eq!(run_side_by_side(&[&one, &one], 2, |_| Err("enough")), Err("enough"));
    }
}
