//! hilbert (format: layouts.md §6): Skilling's transform, step by step.

use hurray_core::layout::HilbertLayout;
use smallvec::SmallVec;

/// A curve of order `order` over as many dimensions as an index has.
pub(super) struct Hilbert {
    order: u32,
}

type Index = SmallVec<[u64; 8]>;

impl Hilbert {
    pub(super) fn new(layout: &HilbertLayout) -> Self {
        // Every dimension is 2^order (L-21), which no address space exceeds.
        Self { order: layout.hilbert_order.min(u64::BITS - 1) }
    }

    pub(super) fn at(&self, index: &[usize]) -> isize {
        let mut x: Index = index.iter().map(|&at| at as u64).collect();
        self.unfold(&mut x);
        self.gray(&mut x);
        self.interleave(&x) as isize
    }

    /// Step 1.
    fn unfold(&self, x: &mut [u64]) {
        for q in (1..self.order).rev() {
            let low = (1u64 << q) - 1;
            for k in 0..x.len() {
                if x[k] >> q & 1 == 1 {
                    x[0] ^= low;
                } else {
                    let t = (x[0] ^ x[k]) & low;
                    x[0] ^= t;
                    x[k] ^= t;
                }
            }
        }
    }

    /// Steps 2 and 3.
    fn gray(&self, x: &mut [u64]) {
        for k in 1..x.len() {
            x[k] ^= x[k - 1];
        }
        let last = x.last().copied().unwrap_or(0);
        let flip = (1..self.order).filter(|q| last >> q & 1 == 1).fold(0, |t, q| t ^ ((1u64 << q) - 1));
        x.iter_mut().for_each(|x| *x ^= flip);
    }

    /// Step 4: dimension 0 is the highest bit of each group.
    fn interleave(&self, x: &[u64]) -> u64 {
        let mut code = 0;
        for b in (0..self.order).rev() {
            for x in x {
                code = code << 1 | (x >> b & 1);
            }
        }
        code
    }
}
