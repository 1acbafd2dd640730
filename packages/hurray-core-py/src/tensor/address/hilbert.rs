//! hilbert (format: layouts.md §6): Skilling's transform, step by step.

use std::cell::OnceCell;

use hurray_core::layout::HilbertLayout;
use smallvec::SmallVec;

use super::curve::Curve;

/// A curve of order `order` over as many dimensions as an index has.
pub(super) struct Hilbert {
    order: u32,
    curve: OnceCell<Curve>,
}

type Index = SmallVec<[u64; 8]>;

impl Hilbert {
    pub(super) fn new(layout: &HilbertLayout) -> Self {
        // Every dimension is 2^order (L-21), which no address space exceeds.
        Self::of_order(layout.hilbert_order.min(u64::BITS - 1))
    }

    pub(super) fn of_order(order: u32) -> Self {
        Self { order, curve: OnceCell::new() }
    }

    /// Offsets of the elements `[outer…, from]` and on.
    pub(super) fn row(&self, outer: &[usize], from: usize, out: &mut [isize]) {
        self.curve.get_or_init(|| Curve::new(self.order, outer.len() + 1)).row(outer, from, out);
    }

    pub(super) fn at(&self, index: &[usize]) -> isize {
        let mut x: Index = index.iter().map(|&at| at as u64).collect();
        self.unfold(&mut x);
        self.finish(&mut x);
        x[0] as isize
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

    /// Steps 2 to 4: leaves the offset in `x[0]`. Whether bits below all of these were inverted by step 3.
    pub(super) fn finish(&self, x: &mut [u64]) -> bool {
        for k in 1..x.len() {
            x[k] ^= x[k - 1];
        }
        let last = x.last().copied().unwrap_or(0);
        let flip = (1..self.order).filter(|q| last >> q & 1 == 1).fold(0, |t, q| t ^ ((1u64 << q) - 1));
        x.iter_mut().for_each(|x| *x ^= flip);
        x[0] = self.interleave(x);
        last.count_ones() % 2 == 1
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
