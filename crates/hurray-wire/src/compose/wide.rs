//! Unsigned integers wide enough for the volume of any shape.

/// 64 dimensions of 64 bits, and a limb for sums.
const LIMBS: usize = 65;

/// A fixed-width integer, least significant limb first. Sums of fewer than 2^64 volumes fit.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Wide([u64; LIMBS]);

impl Wide {
    pub(super) fn zero() -> Self {
        Self([0; LIMBS])
    }

    /// The product of at most 64 factors.
    pub(super) fn product<'a>(factors: impl Iterator<Item = &'a u64>) -> Self {
        let mut out = Self::zero();
        out.0[0] = 1;
        let mut used = 1;
        for &factor in factors {
            let mut carry = 0u128;
            for limb in &mut out.0[..used] {
                let wide = u128::from(*limb) * u128::from(factor) + carry;
                *limb = wide as u64;
                carry = wide >> 64;
            }
            if carry != 0 && used < LIMBS {
                out.0[used] = carry as u64;
                used += 1;
            }
        }
        out
    }

    pub(super) fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (limb, &more) in self.0.iter_mut().zip(&other.0) {
            let (sum, over) = limb.overflowing_add(more);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, over || over_again);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Wide;

    #[test]
    fn products_and_sums_do_not_wrap() {
        let max = [u64::MAX; 64];
        let big = Wide::product(max.iter());
        assert!(big != Wide::product(max[..63].iter()));
        let mut twice = big.clone();
        twice.add(&big);
        let mut factors = max.to_vec();
        factors[0] = 2;
        factors.push(u64::MAX);
        // 2·m^64 has 65 factors; the sum must equal it limb by limb.
        assert!(twice == Wide::product(factors.iter()));
        assert!(Wide::product([1 << 63, 4].iter()) != Wide::product([1, 4].iter()));
        assert!(Wide::product([7, 0, 9].iter()) == Wide::zero());
    }
}
