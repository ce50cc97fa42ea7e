//! Keys of 4x4x4 blocks of grid nodes: three signed coordinates packed into one sortable integer.

/// Number of nodes along a block's edge.
pub const BLOCK_EDGE: i32 = 4;
/// Number of nodes in a block.
pub const BLOCK_NODES: usize = 64;

const BITS: u32 = 21;
const BIAS: i32 = 1 << (BITS - 1);

/// A block's coordinates, packed so that keys sort by x, then y, then z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockKey(pub u64);

impl BlockKey {
    /// Largest absolute coordinate of a block whose neighbors can all be packed: about a million.
    pub const LIMIT: i32 = BIAS - 2;

    /// Packs block coordinates. Returns `None` if a coordinate exceeds [`BlockKey::LIMIT`] in absolute value.
    #[inline(always)]
    pub fn new([x, y, z]: [i32; 3]) -> Option<BlockKey> {
        let reach = Self::LIMIT;
        let inside = (-reach..=reach).contains(&x) && (-reach..=reach).contains(&y) && (-reach..=reach).contains(&z);
        inside.then(|| {
            let pack = |v: i32| (v + BIAS) as u64;
            BlockKey(pack(x) << (2 * BITS) | pack(y) << BITS | pack(z))
        })
    }

    /// Returns the block coordinates.
    pub fn coordinates(self) -> [i32; 3] {
        let unpack = |shift: u32| ((self.0 >> shift) & ((1 << BITS) - 1)) as i32 - BIAS;
        [unpack(2 * BITS), unpack(BITS), unpack(0)]
    }

    /// Returns the increment that moves a key by `[x, y, z]` blocks. Adding the increment to every key of a sorted list keeps the list
    /// sorted.
    pub fn shift([x, y, z]: [i32; 3]) -> i64 {
        ((x as i64) << (2 * BITS)) + ((y as i64) << BITS) + z as i64
    }

    /// Returns the key moved by a [`BlockKey::shift`].
    #[inline(always)]
    pub fn moved(self, shift: i64) -> BlockKey {
        BlockKey(self.0.wrapping_add_signed(shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_round_trips_sorts_and_moves() {
        let reach = BlockKey::LIMIT;
        let some = [[0, 0, 0], [-1, 5, 7], [reach, -reach, 3], [-reach, -reach, -reach], [-1, 5, 8], [-1, 6, -9]];
        for c in some {
            let key = BlockKey::new(c).unwrap();
            assert_eq!(key.coordinates(), c);
            let moved = key.moved(BlockKey::shift([1, -1, 1]));
            assert_eq!(moved.coordinates(), [c[0] + 1, c[1] - 1, c[2] + 1]);
        }
        let mut by_key = some;
        by_key.sort_by_key(|&c| BlockKey::new(c));
        let mut by_coordinates = some;
        by_coordinates.sort();
        assert_eq!(by_key, by_coordinates);
        assert_eq!(BlockKey::new([reach + 1, 0, 0]), None);
    }
}
