//! A row of a Hilbert curve at a time.
//!
//! A cube of side 2^q that is aligned to it is a curve of order q, turned and mirrored: step 1 of the format
//! exchanges and inverts the low bits of the indices by the high bits alone, steps 2 and 4 treat every bit by
//! itself, and step 3 inverts the low bits of all indices together. So the high bits are transformed once a
//! cube, and the low ones looked up.

use smallvec::SmallVec;

use super::hilbert::Hilbert;

/// Elements of the cubes that are looked up, as a power of two.
const CUBE_BITS: u32 = 12;

/// The offsets of a curve of a low order, by the low bits of the indices, dimension 0 lowest.
pub(super) struct Curve {
    order: u32,
    rank: usize,
    /// Bits of an index that are looked up; 0 where there are too many dimensions for it.
    low: u32,
    table: Vec<u16>,
}

/// Where the low bits of the dimensions went: which one's are in each place, and whether inverted.
type Turn = SmallVec<[(usize, bool); 8]>;

impl Curve {
    pub(super) fn new(order: u32, rank: usize) -> Self {
        let low = order.min(CUBE_BITS / (rank as u32).max(1));
        let small = Hilbert::of_order(low);
        let at = |packed: u32| {
            let one = |k: usize| (packed >> (k as u32 * low)) as usize & ((1 << low) - 1);
            small.at(&(0..rank).map(one).collect::<SmallVec<[usize; 12]>>()) as u16
        };
        let table = if low == 0 { Vec::new() } else { (0..1 << (low * rank as u32)).map(at).collect() };
        Self { order, rank, low, table }
    }

    /// Offsets of the elements `[outer…, from]` and on.
    pub(super) fn row(&self, outer: &[usize], from: usize, out: &mut [isize]) {
        let mut index: SmallVec<[usize; 8]> = SmallVec::from_slice(outer);
        index.push(from);
        let last = outer.len();
        if self.low == 0 {
            let whole = Hilbert::of_order(self.order);
            for (at, offset) in out.iter_mut().enumerate() {
                index[last] = from + at;
                *offset = whole.at(&index);
            }
            return;
        }
        let side = 1usize << self.low;
        let mut rest = out;
        while !rest.is_empty() {
            let first = index[last] % side;
            let (now, later) = rest.split_at_mut(rest.len().min(side - first));
            self.cube(&index, now);
            index[last] += now.len();
            rest = later;
        }
    }

    /// As `row`, within one cube.
    fn cube(&self, index: &[usize], out: &mut [isize]) {
        let mask = (1usize << self.low) - 1;
        let mut high: SmallVec<[u64; 8]> = index.iter().map(|&at| (at >> self.low) as u64).collect();
        let mut turn: Turn = (0..self.rank).map(|k| (k, false)).collect();
        self.unfold(&mut high, &mut turn);
        let odd = Hilbert::of_order(self.order - self.low).finish(&mut high);
        let code = (high[0] << (self.low * self.rank as u32)) as isize;
        let inverted = if odd { self.table.len() - 1 } else { 0 } as isize;
        let (mut fixed, mut place, mut flip) = (0, 0, 0);
        for (k, &(from, invert)) in turn.iter().enumerate() {
            let shift = k as u32 * self.low;
            let invert = if invert { mask } else { 0 };
            if from + 1 == self.rank {
                (place, flip) = (shift, invert);
            } else {
                fixed |= ((index[from] & mask) ^ invert) << shift;
            }
        }
        let first = index[self.rank - 1] & mask;
        for (at, offset) in out.iter_mut().enumerate() {
            let looked_up = self.table[fixed | ((first + at) ^ flip) << place];
            *offset = code | (isize::from(looked_up as i16) ^ inverted);
        }
    }

    /// Step 1 on the high bits, and what it does to the low ones.
    fn unfold(&self, high: &mut [u64], turn: &mut Turn) {
        for b in (0..self.order - self.low).rev() {
            let below = (1u64 << b) - 1;
            for k in 0..high.len() {
                if high[k] >> b & 1 == 1 {
                    high[0] ^= below;
                    turn[0].1 ^= true;
                } else {
                    let t = (high[0] ^ high[k]) & below;
                    high[0] ^= t;
                    high[k] ^= t;
                    turn.swap(0, k);
                }
            }
        }
    }
}
