//! morton, the Z-order curve (format: layouts.md §5).

use hurray_core::{layout, LayoutDescriptor};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{args, holds, sound, Layout, Reduced};
use crate::tensor;

/// Dense, along the Z-order curve (format: layouts.md §5).
///
/// ``morton_bits`` is the number of index bits of each dimension, 1 or more; dimension ``d`` holds up to
/// ``2 ** morton_bits[d]`` elements. Dimension 0 is the lowest bit of each group, and no code may need more
/// than 64 bits.
///
/// Raises ``InvalidDescriptorError`` for what breaks L-17 or L-19, ``OverflowError`` for a number that 32 bits
/// cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct MortonLayout;

holds!(MortonLayout: Morton(layout::MortonLayout));

#[pymethods]
impl MortonLayout {
    #[new]
    fn new(morton_bits: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let py = morton_bits.py();
        let bits = args::ints::<u32>(morton_bits, "morton_bits")?;
        if bits.is_empty() {
            return Err(args::refused(py, "L-6", "morton_bits is empty; a Morton tensor has at least one dimension"));
        }
        if let Some(dim) = bits.iter().position(|&bits| bits == 0) {
            let text = format!("morton_bits[{dim}] is 0; a dimension takes at least one bit, also if its extent is 1");
            return Err(args::refused(py, "L-17", text));
        }
        let rank = bits.len() as u64;
        let places = bits.iter().enumerate().map(|(dim, &bits)| ((u64::from(bits) - 1) * rank + dim as u64, dim));
        if let Some((place, dim)) = places.max().filter(|&(place, _)| place >= u64::from(u64::BITS)) {
            let bits = bits[dim];
            let text =
                format!("morton_bits[{dim}] is {bits}, which takes bit {place} of a code that has the bits 0 to 63");
            return Err(args::refused(py, "L-19", text));
        }
        let layout = layout::MortonLayout::new(bits).map_err(tensor::invalid)?;
        Ok(sound(py, LayoutDescriptor::Morton(layout))?.add_subclass(Self))
    }

    /// Index bits per dimension.
    #[getter]
    fn morton_bits<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(slf.py(), &Self::held(slf)?.morton_bits)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("MortonLayout(morton_bits={})", args::tuple(&Self::held(slf)?.morton_bits)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyTuple>,)> {
        Ok((slf.get_type().into_any(), (Self::morton_bits(slf)?,)))
    }
}
