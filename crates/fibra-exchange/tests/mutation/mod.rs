//! Damaged copies of good files, the same ones every time, and what reading them costs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Damaged files for each format in a plain run of the tests, and in a thorough one (`FIBRA_MUTATIONS`, or the ignored test).
pub const USUAL: u64 = 2_000;
pub const THOROUGH: u64 = 100_000;

/// Longest time that any file of a few kB may take, on a machine that does other things too.
const LONGEST: Duration = Duration::from_secs(10);

/// Most memory that any file may take: so much, so much more for each of its bytes, and never above the last [bytes]. A
/// compressed array of USD stands for up to a thousand numbers with each of its bytes.
const MOST_MEMORY: (usize, usize, usize) = (64 << 20, 16 << 10, 1 << 30);

/// Counts what this thread has allocated.
pub struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // Nothing is counted while a thread ends.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

// SAFETY: all is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as the caller's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Random numbers that are the same every time.
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

/// Numbers that readers trip over, as text.
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

/// A damaged copy of one of the files.
fn damaged(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = files[random.below(files.len())].clone();
    // Mostly little damage: much of it is found at once.
    for _ in 0..[1, 1, 1, 2, 4][random.below(5)] {
        let at = random.below(bytes.len());
        let all = bytes.len();
        let end = |at: usize, length: usize| (at + length).min(all);
        match random.below(10) {
            0 => bytes[at..end(at, 1)].fill(random.next() as u8),
            1 => bytes[at..end(at, 1)].iter_mut().for_each(|byte| *byte ^= 1 << (random.0 % 8)),
            2 => bytes.truncate(at),
            // Integers of four or eight bytes at their extremes, or small.
            3 | 4 => {
                let width = [4, 8][random.below(2)];
                let at = at / 4 * 4;
                let extreme = [u64::MAX, i64::MAX as u64, 0, 1 << 31, (1 << 31) - 1, 1 << 40, random.next() % 300];
                let value = extreme[random.below(7)].to_le_bytes();
                let length = end(at, width) - at;
                bytes[at..at + length].copy_from_slice(&value[..length]);
            }
            // A piece of another file, or of this one.
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
                // In place of a number, where one is near.
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

/// The most memory that a call takes at a time [bytes], and what it gives back.
pub fn memory<T>(call: impl FnOnce() -> T) -> (usize, T) {
    let before = NOW.get();
    MOST.set(before);
    let result = call();
    ((MOST.get() - before).max(0) as usize, result)
}

/// Reads damaged copies of good files; panics where one makes the reader panic, take too long or too much memory. `read` tells
/// whether it took the file for a good one.
pub fn survive(format: &str, files: &[Vec<u8>], count: u64, read: impl Fn(&[u8]) -> bool) {
    for (index, file) in files.iter().enumerate() {
        assert!(read(file), "{format}: file {index} is not good to begin with");
    }
    let (mut accepted, mut slowest, mut largest) = (0u64, Duration::ZERO, 0);
    for number in 0..count {
        let bytes = damaged(files, &mut Random(number));
        let start = Instant::now();
        let (memory, outcome) = memory(|| catch_unwind(AssertUnwindSafe(|| read(&bytes))));
        let time = start.elapsed();
        let keep = || {
            let path = std::env::temp_dir().join(format!("fibra-damaged-{format}-{number}"));
            std::fs::write(&path, &bytes).unwrap();
            path.display().to_string()
        };
        match outcome {
            Ok(taken) => accepted += u64::from(taken),
            Err(_) => panic!("{format}: damaged file {number} made the reader panic; it is {}", keep()),
        }
        assert!(time < LONGEST, "{format}: damaged file {number} took {time:?}; it is {}", keep());
        let most = (MOST_MEMORY.0 + MOST_MEMORY.1 * bytes.len()).min(MOST_MEMORY.2);
        assert!(memory < most, "{format}: damaged file {number} took {memory} bytes; it is {}", keep());
        (slowest, largest) = (slowest.max(time), largest.max(memory));
    }
    let megabytes = largest as f64 / 1e6;
    println!("{format}: {count} damaged files, {accepted} taken as good, at most {slowest:?} and {megabytes:.1} MB");
}

/// How many damaged files to read for each format.
pub fn how_many(thorough: bool) -> u64 {
    let given = std::env::var("FIBRA_MUTATIONS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(if thorough { THOROUGH } else { USUAL })
}
