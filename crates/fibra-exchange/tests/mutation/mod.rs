//! Mutation tests of readers: deterministically damaged copies of valid files, with limits on time and memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Number of damaged files per format in an ordinary test run. The environment variable `FIBRA_MUTATIONS` overrides it.
pub const USUAL: u64 = 2_000;
/// Number of damaged files per format in the ignored, thorough tests.
pub const THOROUGH: u64 = 100_000;

/// Time limit for reading a file of a few kB, generous enough for a busy machine.
const LONGEST: Duration = Duration::from_secs(10);

/// Memory limit for reading a file: a constant, an amount per byte of the file, and an upper bound [bytes]. In a compressed USD array,
/// one byte can encode up to a thousand numbers.
const MOST_MEMORY: (usize, usize, usize) = (64 << 20, 16 << 10, 1 << 30);

/// An allocator that counts the bytes allocated by the current thread.
pub struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // The thread-local counters are already destroyed while a thread terminates.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

// SAFETY: all calls are forwarded to the system allocator, and counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the contract of the same method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the contract of the same method.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller upholds the contract of the same method.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller upholds the contract of the same method.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// A random number generator with a fixed seed.
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// Extreme or malformed numbers, as text.
const NUMBERS: [&str; 12] = [
    "-1",
    "0",
    "1e308",
    "-1e-320",
    "nan",
    "inf",
    "4294967295",
    "9223372036854775807",
    "18446744073709551616",
    "1e9",
    "[",
    "{",
];

/// Returns a damaged copy of one of the files.
fn damaged(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = files[random.below(files.len())].clone();
    // Mostly a single mutation: readers reject heavily damaged files early.
    for _ in 0..[1, 1, 1, 2, 4][random.below(5)] {
        let at = random.below(bytes.len());
        let all = bytes.len();
        let end = |at: usize, length: usize| (at + length).min(all);
        match random.below(10) {
            0 => bytes[at..end(at, 1)].fill(random.next() as u8),
            1 => bytes[at..end(at, 1)].iter_mut().for_each(|byte| *byte ^= 1 << (random.0 % 8)),
            2 => bytes.truncate(at),
            // Overwrite an integer of four or eight bytes with an extreme or a small value.
            3 | 4 => {
                let width = [4, 8][random.below(2)];
                let at = at / 4 * 4;
                let extreme = [u64::MAX, i64::MAX as u64, 0, 1 << 31, (1 << 31) - 1, 1 << 40, random.next() % 300];
                let value = extreme[random.below(7)].to_le_bytes();
                let length = end(at, width) - at;
                bytes[at..at + length].copy_from_slice(&value[..length]);
            }
            // Insert or overwrite with a chunk of one of the files.
            5 | 6 => {
                let other = &files[random.below(files.len())];
                let from = random.below(other.len());
                let piece = other[from..(from + 1 + random.below(64)).min(other.len())].to_vec();
                let until = if random.below(2) == 0 { at } else { end(at, piece.len()) };
                bytes.splice(at..until, piece);
            }
            7 => {
                bytes.drain(at..end(at, 1 + random.below(16)));
            }
            8 => {
                let number = NUMBERS[random.below(NUMBERS.len())];
                // Replace a nearby number, if there is one.
                let start = at + bytes[at..].iter().take(40).position(u8::is_ascii_digit).unwrap_or(0);
                let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(start..start + length, number.bytes());
            }
            _ => {
                let piece = bytes[at..end(at, 1 + random.below(200))].to_vec();
                for _ in 0..random.below(40) {
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Returns the peak memory that a call allocates [bytes], and its result.
pub fn memory<T>(call: impl FnOnce() -> T) -> (usize, T) {
    let before = NOW.get();
    MOST.set(before);
    let result = call();
    ((MOST.get() - before).max(0) as usize, result)
}

/// Reads damaged copies of valid files. Panics if the reader panics or exceeds the limits on time or memory. `read` returns whether it
/// accepts a file.
pub fn survive(format: &str, files: &[Vec<u8>], count: u64, read: impl Fn(&[u8]) -> bool) {
    for (index, file) in files.iter().enumerate() {
        assert!(read(file), "{format}: the undamaged file {index} is rejected");
    }
    let (mut accepted, mut slowest, mut largest) = (0u64, Duration::ZERO, 0);
    for number in 0..count {
        let bytes = damaged(files, &mut Random(number));
        let start = Instant::now();
        let (memory, outcome) = memory(|| catch_unwind(AssertUnwindSafe(|| read(&bytes))));
        let time = start.elapsed();
        let save = || {
            let path = std::env::temp_dir().join(format!("fibra-damaged-{format}-{number}"));
            std::fs::write(&path, &bytes).unwrap();
            path.display().to_string()
        };
        match outcome {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(_) => panic!("{format}: the reader panicked on damaged file {number}, saved as {}", save()),
        }
        assert!(time < LONGEST, "{format}: damaged file {number}, saved as {}, took {time:?}", save());
        let most = (MOST_MEMORY.0 + MOST_MEMORY.1 * bytes.len()).min(MOST_MEMORY.2);
        assert!(memory < most, "{format}: damaged file {number}, saved as {}, took {memory} bytes", save());
        (slowest, largest) = (slowest.max(time), largest.max(memory));
    }
    let megabytes = largest as f64 / 1e6;
    println!("{format}: {count} damaged files, {accepted} accepted, at most {slowest:?} and {megabytes:.1} MB");
}

/// Returns the number of damaged files to read per format.
pub fn how_many(thorough: bool) -> u64 {
    let given = std::env::var("FIBRA_MUTATIONS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(if thorough { THOROUGH } else { USUAL })
}
