//! Compares the blocks found with a hash table with those found on the CPU.

use crate::random::random;
use fibra_core::block_grid::BlockGrid;
use fibra_core::block_key::BlockKey;
use fibra_gpu::block_grid::{DeviceGrid, GridError};
use fibra_gpu::chunks::NUMBERS;
use fibra_gpu::hash_grid::{Capacity, HashGrid};
use fibra_gpu::{Gpu, Runtime, on_every_device};
use std::collections::BTreeMap;

#[test]
fn matches_the_grid_of_the_cpu() {
    on_every_device!(gpu => {
        for (n, wide, room) in [(1, 1.0, (1, 27)), (500, 3.0, (500, 13_500)), (20_000, 0.7, (1_200, 2_200))] {
            let dx = 0.02f32;
            let mut blocks = HashGrid::new(&gpu, n, Capacity { occupied: room.0, blocks: room.1 }, 7);
            for step in 0..5 {
                let x: Vec<f32> = random(3 * n, 5 + step).iter().map(|r| (r - 0.4) * wide + step as f32).collect();
                blocks.rebuild(&gpu, &gpu.upload(&x), dx, 0.5);
                blocks.check(&gpu).unwrap();
                compare(&gpu, &x, dx, blocks.grid());
            }
        }
    });
}

fn compare<R: Runtime>(gpu: &Gpu<R>, x: &[f32], dx: f32, found: &DeviceGrid) {
    let n = x.len() / 3;
    let block = |i: usize, a: usize| ((x[a * n + i] / dx - 0.5).floor() as i32).div_euclid(4);
    let mut expected: BTreeMap<BlockKey, Vec<u32>> = BTreeMap::new();
    for i in 0..n {
        let key = BlockKey::new([block(i, 0), block(i, 1), block(i, 2)]).unwrap();
        expected.entry(key).or_default().push(i as u32);
    }
    let keys: Vec<BlockKey> = expected.keys().copied().collect();
    let mut grid = BlockGrid::default();
    grid.rebuild(&keys);

    let counts = found.counts.read(gpu).unwrap();
    assert_eq!(counts[..2], [keys.len() as u32, grid.keys.len() as u32]);
    let coordinates = found.coordinates.read(gpu).unwrap();
    let key = |block: u32| {
        let at = 3 * block as usize;
        BlockKey::new([coordinates[at], coordinates[at + 1], coordinates[at + 2]]).unwrap()
    };
    let mut all: Vec<BlockKey> = (0..counts[1]).map(key).collect();
    all.sort();
    assert_eq!(all, grid.keys);

    let order = found.order.read(gpu).unwrap();
    let (neighbors, around) = (found.neighbors.read(gpu).unwrap(), found.occupied_around.read(gpu).unwrap());
    let chunks = found.chunks.read(gpu).unwrap();
    let mut lists = vec![Vec::new(); keys.len()];
    for chunk in chunks.chunks(NUMBERS as usize).take(counts[2] as usize) {
        assert!(chunk[1] < chunk[2] && chunk[2] - chunk[1] <= 7);
        lists[chunk[0] as usize].extend_from_slice(&order[chunk[1] as usize..chunk[2] as usize]);
    }
    for chunk in chunks.chunks(NUMBERS as usize).take(counts[2] as usize) {
        assert_eq!(lists[chunk[0] as usize].len(), chunk[3] as usize);
    }
    for occupied in 0..counts[0] as usize {
        let home = key(neighbors[27 * occupied + 13]);
        let list = &mut lists[occupied];
        list.sort();
        assert_eq!(*list, expected[&home]);
        for k in 0..27 {
            let shift = [k / 9, k / 3 % 3, k % 3].map(|k| k as i32 - 1);
            assert_eq!(key(neighbors[27 * occupied + k]), home.moved(BlockKey::shift(shift)));
        }
    }
    for block in 0..counts[1] {
        for k in 0..27 {
            let shift = [k / 9, k / 3 % 3, k % 3].map(|k| k as i32 - 1);
            let there = key(block).moved(BlockKey::shift(shift));
            match around[27 * block as usize + k] {
                0 => assert!(!expected.contains_key(&there)),
                occupied => assert_eq!(key(neighbors[27 * (occupied as usize - 1) + 13]), there),
            }
        }
    }
}

#[test]
fn lost_particles_and_exceeded_capacity_are_reported() {
    on_every_device!(gpu => {
        let try_with = |x: &[f32], occupied: usize, blocks: usize| {
            let mut grid = HashGrid::new(&gpu, x.len() / 3, Capacity { occupied, blocks }, 128);
            grid.rebuild(&gpu, &gpu.upload(x), 0.01, 0.5);
            grid.check(&gpu)
        };
        assert_eq!(try_with(&[0.0, f32::NAN, 0.0, 0.0, 0.0, 0.0], 2, 54), Err(GridError::OutOfReach));
        assert_eq!(try_with(&[f32::NAN, 0.0, 0.0], 1, 27), Err(GridError::OutOfReach));
        assert_eq!(try_with(&[0.0, 1e9, 0.0, 0.0, 0.0, 0.0], 2, 54), Err(GridError::OutOfReach));
        assert_eq!(try_with(&[0.0, 0.0, 0.0, 21.0, 0.0, 0.0], 2, 54), Err(GridError::OutOfReach));
        assert_eq!(try_with(&[0.0, 40.0, 0.0, 20.0, 0.0, -40.0], 2, 54), Ok(()));
        for (occupied, blocks) in [(1, 54), (2, 53)] {
            let expected = Err(GridError::TooMany { occupied, blocks });
            assert_eq!(try_with(&[0.0, 40.0, 0.0, 20.0, 0.0, -40.0], occupied, blocks), expected);
        }
        let many: Vec<f32> = random(3 * 3000, 7).iter().map(|x| 10.0 * x).collect();
        assert_eq!(try_with(&many, 10, 50), Err(GridError::TooMany { occupied: 10, blocks: 50 }));
    });
}
