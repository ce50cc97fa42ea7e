//! Tests of memory, prefix sums, sorting and grid blocks on every available device.

use crate::random::random;
use fibra_core::block_grid::BlockGrid;
use fibra_core::block_key::BlockKey;
use fibra_core::particle_sort::Sorter;
use fibra_gpu::block_grid::{DeviceGrid, GridError, Placing};
use fibra_gpu::on_every_device;
use fibra_gpu::prefix_sum::exclusive_sum;
use fibra_gpu::radix_sort::sort_pairs;
use fibra_gpu::unique::distinct;

#[test]
fn uploaded_data_is_downloaded_unchanged() {
    on_every_device!(gpu => {
        let numbers: Vec<u32> = (0..1000).collect();
        let buffer = gpu.upload(&numbers);
        assert_eq!(buffer.read(&gpu).unwrap(), numbers);
        assert_eq!(buffer.read_range(&gpu, 10..20).unwrap(), numbers[10..20]);
        assert!(gpu.upload::<f32>(&[]).read(&gpu).unwrap().is_empty());
    });
}

#[test]
fn exclusive_sum_matches_a_sequential_sum() {
    on_every_device!(gpu => {
        for n in [0usize, 1, 7, 2048, 2049, 300_000] {
            let numbers: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 25).collect();
            let mut sum = 0u32;
            let expected: Vec<u32> = numbers
                .iter()
                .map(|number| {
                    let before = sum;
                    sum = sum.wrapping_add(*number);
                    before
                })
                .collect();
            assert_eq!(exclusive_sum(&gpu, &gpu.upload(&numbers)).read(&gpu).unwrap(), expected);
        }
    });
}

#[test]
fn radix_sort_matches_a_stable_sort() {
    on_every_device!(gpu => {
        for (n, bits) in [(0usize, 8), (1, 8), (5, 3), (2048, 12), (2049, 17), (100_000, 20), (70_000, 32)] {
            let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
            let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(7) & mask).collect();
            let values: Vec<u32> = (0..n as u32).collect();
            let mut expected = values.clone();
            expected.sort_by_key(|&i| keys[i as usize]);
            let (sorted, order) = sort_pairs(&gpu, &gpu.upload(&keys), &gpu.upload(&values), bits);
            assert_eq!(order.read(&gpu).unwrap(), expected, "{n} keys of {bits} bits");
            assert!(sorted.read(&gpu).unwrap().is_sorted());
        }
    });
}

#[test]
fn distinct_finds_values_starts_and_indices() {
    on_every_device!(gpu => {
        for n in [0usize, 1, 1000, 5000] {
            let mut numbers: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 22).collect();
            numbers.sort_unstable();
            let found = distinct(&gpu, &gpu.upload(&numbers), 3).unwrap();
            let (mut values, mut starts, mut index) = (Vec::new(), Vec::new(), Vec::new());
            for (at, number) in numbers.iter().enumerate() {
                if values.last() != Some(&(number / 3)) {
                    values.push(number / 3);
                    starts.push(at as u32);
                }
                index.push(values.len() as u32 - 1);
            }
            starts.push(n as u32);
            assert_eq!(found.values.read(&gpu).unwrap(), values);
            assert_eq!(found.starts.read(&gpu).unwrap(), starts);
            assert_eq!(found.index.read(&gpu).unwrap(), index);
        }
    });
}

#[test]
fn matches_the_grid_of_the_cpu() {
    on_every_device!(gpu => {
        for (n, wide) in [(1, 1.0), (500, 3.0), (20_000, 0.7)] {
            let (dx, groups) = (0.02f32, 6);
            let x: Vec<f32> = random(3 * n, 5).iter().map(|r| (r - 0.4) * wide).collect();
            let group: Vec<u32> = random(n, 9).iter().map(|r| (r * groups as f32) as u32).collect();
            let placing = Placing { dx, shift: 0.5, groups, chunk: 7 };
            let found = DeviceGrid::new(&gpu, &gpu.upload(&x), &gpu.upload(&group), placing).unwrap();

            let key = |i: usize| {
                let block = |a: usize| ((x[a * n + i] / dx - 0.5).floor() as i32).div_euclid(4);
                (BlockKey::new([block(0), block(1), block(2)]).unwrap(), group[i])
            };
            let (mut sorter, mut runs) = (Sorter::default(), Vec::new());
            sorter.sort(n, key, &mut runs);
            let mut order: Vec<u32> = (0..n as u32).collect();
            sorter.order.apply(&mut order, &mut Vec::new());
            let mut keys: Vec<BlockKey> = runs.iter().map(|run| run.key).collect();
            keys.dedup();
            let mut grid = BlockGrid::default();
            grid.rebuild(&keys);
            assert_eq!(found.order.read(&gpu).unwrap(), order);
            assert_eq!((found.occupied, found.blocks), (keys.len(), grid.keys.len()));
            let neighbors = found.neighbors.read(&gpu).unwrap();
            assert_eq!(neighbors, grid.neighbors.concat());
            let coordinates = found.coordinates.read(&gpu).unwrap();
            let expected: Vec<i32> = grid.keys.iter().flat_map(|key| key.coordinates()).collect();
            assert_eq!(coordinates, expected);
            let block_of = found.block_of.read(&gpu).unwrap();
            for (at, &block) in block_of.iter().enumerate() {
                assert_eq!(key(order[at] as usize).0, keys[block as usize]);
            }
            let chunks = found.chunks.read(&gpu).unwrap();
            assert_eq!(chunks.len(), 5 * found.chunk_count);
            let mut next = 0;
            for chunk in chunks.chunks(5) {
                let [block, from, to, of_block] = [chunk[0], chunk[1], chunk[2], chunk[3]];
                assert!(from == next && to > from && to - from <= 7);
                assert_eq!(chunk[4] == 0, from == 0 || block_of[from as usize - 1] != block);
                assert!((from..to).all(|at| block_of[at as usize] == block));
                assert_eq!(block_of.iter().filter(|&&of| of == block).count(), of_block as usize);
                next = to;
            }
            assert_eq!(next, n as u32);
            let around = found.occupied_around.read(&gpu).unwrap();
            for (block, around) in around.chunks(27).enumerate() {
                for (k, &occupied) in around.iter().enumerate() {
                    let shift = [k / 9, k / 3 % 3, k % 3].map(|k| k as i32 - 1);
                    let there = keys.iter().position(|k| *k == grid.keys[block].moved(BlockKey::shift(shift)));
                    assert_eq!(occupied, there.map_or(0, |there| there as u32 + 1));
                }
            }
        }
    });
}

#[test]
fn lost_and_distant_particles_are_reported() {
    on_every_device!(gpu => {
        let placing = Placing { dx: 0.01, shift: 0.5, groups: 1, chunk: 128 };
        let try_with = |x: &[f32]| {
            DeviceGrid::new(&gpu, &gpu.upload(x), &gpu.upload(&vec![0; x.len() / 3]), placing).map(|_| ())
        };
        assert_eq!(try_with(&[f32::NAN, 0.0, 0.0]), Err(GridError::OutOfReach));
        assert_eq!(try_with(&[0.0, 1e9, 0.0]), Err(GridError::OutOfReach));
        assert!(matches!(try_with(&[0.0, 9e3, 0.0, 9e3, 0.0, 9e3]), Err(GridError::TooWide(_))));
        assert_eq!(try_with(&[0.0, 9e3, 0.0, 0.0, 0.0, 0.0]), Ok(()));
    });
}
