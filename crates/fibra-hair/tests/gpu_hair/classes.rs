//! Classes of strands of similar length.

use fibra_hair::internals::gpu::classes::{Class, MIN_STRANDS_PER_CLASS, classes};

#[test]
fn classes_are_large_and_contain_every_strand_once() {
    assert_eq!(classes(&[], 1), []);
    assert_eq!(classes(&[9; 3], 1), [Class { strands: 0..3, longest: 9 }]);
    let mut lengths: Vec<usize> = (0..40_000).map(|i| 5 + i * 7 % 52).collect();
    lengths.sort_by_key(|&length| std::cmp::Reverse(length));
    let found = classes(&lengths, MIN_STRANDS_PER_CLASS);
    let longest: Vec<usize> = found.iter().map(|class| class.longest).collect();
    assert_eq!(longest, [56, 42, 28]);
    assert!(found.iter().all(|class| class.strands.len() >= MIN_STRANDS_PER_CLASS && class.strands.start % 8 == 0));
    assert!(found.windows(2).all(|pair| pair[0].strands.end == pair[1].strands.start));
    assert_eq!((found[0].strands.start, found[2].strands.end), (0, 40_000));
    assert_eq!(classes(&lengths[..16_000], MIN_STRANDS_PER_CLASS).len(), 1);
}
