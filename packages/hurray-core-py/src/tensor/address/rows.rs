//! Walking elements in row-major order, some of a row at a time.

use super::{Address, Axis, Place};

/// Offsets that are held at a time.
pub(in crate::tensor) const BLOCK: usize = 4096;

impl Address {
    /// Offsets of the elements `[outer…, from]` to `[outer…, from + out.len() - 1]`.
    pub(in crate::tensor) fn row(&self, outer: &[usize], from: usize, out: &mut [isize]) {
        match &self.place {
            Place::Axes(axes) => {
                let base: isize = axes.iter().zip(outer).map(|(axis, &at)| axis.at(at)).sum();
                along(axes.get(outer.len()), from, out);
                out.iter_mut().for_each(|offset| *offset += base);
            }
            Place::Hilbert(hilbert) => hilbert.row(outer, from, out),
        }
    }

    /// Hands over every element in row-major order as a base and the offsets from it.
    pub(in crate::tensor) fn blocks<E>(
        &self,
        mut visit: impl FnMut(isize, &[isize]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.shape.contains(&0) {
            return Ok(());
        }
        let (&len, outer) = self.shape.split_last().unwrap_or((&1, &[]));
        let mut block = vec![0; len.min(BLOCK)];
        let mut at = Odometer::new(self, outer);
        if let (Place::Axes(axes), true) = (&self.place, len <= BLOCK) {
            // What the last index contributes is the same in every row.
            along(axes.get(outer.len()), 0, &mut block);
            while at.more {
                visit(at.base, &block)?;
                at.step();
            }
            return Ok(());
        }
        while at.more {
            for from in (0..len).step_by(BLOCK) {
                let out = &mut block[..BLOCK.min(len - from)];
                match &self.place {
                    Place::Axes(axes) => along(axes.get(outer.len()), from, out),
                    Place::Hilbert(hilbert) => hilbert.row(&at.index, from, out),
                }
                visit(at.base, out)?;
            }
            at.step();
        }
        Ok(())
    }
}

fn along(axis: Option<&Axis>, from: usize, out: &mut [isize]) {
    for (at, offset) in out.iter_mut().enumerate() {
        *offset = axis.map_or(0, |axis| axis.at(from + at));
    }
}

/// All dimensions but the last, counted up; `base` is what they contribute together.
struct Odometer<'a> {
    axes: &'a [Axis],
    extents: &'a [usize],
    index: Vec<usize>,
    parts: Vec<isize>,
    base: isize,
    more: bool,
}

impl<'a> Odometer<'a> {
    fn new(address: &'a Address, extents: &'a [usize]) -> Self {
        let axes = match &address.place {
            Place::Axes(axes) => &axes[..extents.len()],
            Place::Hilbert(_) => &[],
        };
        let (index, parts) = (vec![0; extents.len()], axes.iter().map(|axis| axis.at(0)).collect::<Vec<_>>());
        Self { axes, extents, index, base: parts.iter().sum(), parts, more: true }
    }

    fn step(&mut self) {
        for at in (0..self.extents.len()).rev() {
            self.index[at] += 1;
            let around = self.index[at] == self.extents[at];
            if around {
                self.index[at] = 0;
            }
            if let Some(axis) = self.axes.get(at) {
                let part = axis.at(self.index[at]);
                self.base += part - self.parts[at];
                self.parts[at] = part;
            }
            if !around {
                return;
            }
        }
        self.more = false;
    }
}
