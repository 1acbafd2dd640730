//! The boxes of partition members: that no two overlap (layouts.md §11).

/// Boxes of one rank in one flat list: per box its offsets, then its ends.
#[derive(Debug, Clone, Default)]
pub(super) struct Boxes {
    rank: usize,
    flat: Vec<u64>,
    count: usize,
}

/// Pairs that are compared one by one rather than split further.
const FEW_PAIRS: usize = 64;

impl Boxes {
    pub(super) fn new(rank: usize) -> Self {
        Self { rank, ..Self::default() }
    }

    /// The caller has checked that offset + size does not wrap.
    pub(super) fn push(&mut self, offset: &[u64], size: &[u64]) {
        self.flat.extend(offset);
        let ends = offset.iter().zip(size).map(|(o, s)| o.saturating_add(*s));
        self.flat.extend(ends);
        self.count += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn low(&self, i: usize) -> &[u64] {
        let at = 2 * self.rank * i;
        &self.flat[at..at + self.rank]
    }

    fn high(&self, i: usize) -> &[u64] {
        let at = 2 * self.rank * i + self.rank;
        &self.flat[at..at + self.rank]
    }

    /// The sizes of a box.
    pub(super) fn sizes(&self, i: usize) -> impl Iterator<Item = u64> + '_ {
        let ends = self.high(i).iter().zip(self.low(i));
        ends.map(|(high, low)| high - low)
    }

    /// Two boxes that overlap by the formula of layouts.md §11, smaller position first.
    pub(super) fn overlap(&self) -> Option<(usize, usize)> {
        let mut all: Vec<usize> = (0..self.count).collect();
        self.within(&mut all).map(|(a, b)| (a.min(b), a.max(b)))
    }

    /// The formula, taken literally: an empty box strictly inside another overlaps it (§16.8).
    fn pair(&self, a: usize, b: usize) -> bool {
        meet((self.low(a), self.high(a)), (self.low(b), self.high(b)))
    }

    /// An overlap inside one set: in either half, or between the halves. Depth is logarithmic.
    fn within(&self, set: &mut [usize]) -> Option<(usize, usize)> {
        if set.len() < 2 {
            return None;
        }
        if set.len() * set.len() <= FEW_PAIRS {
            return (1..set.len()).find_map(|k| {
                let hit = set[..k].iter().find(|&&a| self.pair(a, set[k]));
                hit.map(|&a| (a, set[k]))
            });
        }
        let (left, right) = self.split(set);
        let inside = self.within(left).or_else(|| self.within(right));
        inside.or_else(|| self.between(left.to_vec(), right.to_vec()))
    }

    /// An overlap between two sets. What lies outside the other's hull is dropped first, so in a
    /// true partition only neighbours are left.
    fn between(&self, a: Vec<usize>, b: Vec<usize>) -> Option<(usize, usize)> {
        let mut a = self.near(a, &b);
        let mut b = self.near(b, &a);
        if a.is_empty() || b.is_empty() {
            return None;
        }
        if a.len() * b.len() <= FEW_PAIRS || (a.len() < 2 && b.len() < 2) {
            let hit = |&x: &usize| b.iter().find(|&&y| self.pair(x, y)).map(|&y| (x, y));
            return a.iter().find_map(hit);
        }
        if a.len() < b.len() {
            std::mem::swap(&mut a, &mut b);
        }
        let (left, right) = self.split(&mut a);
        let first = self.between(left.to_vec(), b.clone());
        first.or_else(|| self.between(right.to_vec(), b))
    }

    fn near(&self, set: Vec<usize>, other: &[usize]) -> Vec<usize> {
        let Some((low, high)) = self.hull(other) else {
            return Vec::new();
        };
        let touches = |i: usize| meet((self.low(i), self.high(i)), (&low, &high));
        set.into_iter().filter(|&i| touches(i)).collect()
    }

    fn hull(&self, set: &[usize]) -> Option<(Vec<u64>, Vec<u64>)> {
        let (&first, rest) = set.split_first()?;
        let (mut low, mut high) = (self.low(first).to_vec(), self.high(first).to_vec());
        for &i in rest {
            for k in 0..self.rank {
                low[k] = low[k].min(self.low(i)[k]);
                high[k] = high[k].max(self.high(i)[k]);
            }
        }
        Some((low, high))
    }

    /// Halves a set by the offsets in the dimension with the most distinct ones.
    fn split<'a>(&self, set: &'a mut [usize]) -> (&'a mut [usize], &'a mut [usize]) {
        let spread = |k: usize| {
            let mut offsets: Vec<u64> = set.iter().map(|&i| self.low(i)[k]).collect();
            offsets.sort_unstable();
            offsets.dedup();
            offsets.len()
        };
        let dim = (0..self.rank).max_by_key(|&k| spread(k)).unwrap_or(0);
        let middle = set.len() / 2;
        if self.rank > 0 {
            set.sort_unstable_by_key(|&i| self.low(i)[dim]);
        }
        set.split_at_mut(middle)
    }
}

fn meet(a: (&[u64], &[u64]), b: (&[u64], &[u64])) -> bool {
    let dims = a.0.iter().zip(a.1).zip(b.0.iter().zip(b.1));
    dims.into_iter().all(|((a_low, a_high), (b_low, b_high))| a_low < b_high && b_low < a_high)
}

#[cfg(test)]
mod tests {
    use super::Boxes;

    fn naive(b: &Boxes) -> bool {
        (0..b.len()).any(|i| (0..i).any(|j| b.pair(i, j)))
    }

    #[test]
    fn finds_what_comparing_all_pairs_finds() {
        let mut seed = 7u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            (seed >> 33) % n
        };
        let mut seen = [0usize; 2];
        for round in 0..400 {
            let rank = 1 + round % 3;
            let mut boxes = Boxes::new(rank);
            for _ in 0..2 + next(60) {
                let offset: Vec<u64> = (0..rank).map(|_| next(4000)).collect();
                let size: Vec<u64> = (0..rank).map(|_| next(120)).collect();
                boxes.push(&offset, &size);
            }
            let expected = naive(&boxes);
            seen[usize::from(expected)] += 1;
            let found = boxes.overlap();
            assert_eq!(found.is_some(), expected);
            if let Some((a, b)) = found {
                assert!(a < b && boxes.pair(a, b));
            }
        }
        assert!(seen.iter().all(|&n| n > 20), "both kinds occur: {seen:?}");
    }

    #[test]
    fn a_large_grid_is_quick() {
        let mut boxes = Boxes::new(2);
        for i in 0..60u64 {
            for j in 0..60 {
                boxes.push(&[i * 3, j * 5], &[3, 5]);
            }
        }
        assert_eq!(boxes.overlap(), None);
        boxes.push(&[149, 149], &[2, 2]);
        assert!(boxes.overlap().is_some());
    }
}
