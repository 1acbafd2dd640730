//! `hurray._core`: the Hurray tensor format for Python. Each module holds one public idea.

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!("hurray needs a 64-bit little-endian target");

mod argument;
mod bits;
mod buffer;
mod composite;
mod contents;
mod create;
mod decimal;
mod descriptor;
mod device;
mod dtype;
mod error;
mod exchange;
mod extension;
mod file;
mod float;
mod handle;
mod html;
mod int;
mod layout;
mod numbers;
mod pickle;
mod quantization;
mod shape;
mod shard;
mod statistics;
mod stream;
mod tensor;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
mod _core {
    #[pymodule_export]
    use crate::buffer::{aligned_functions, ticking};
    #[pymodule_export]
    use crate::composite::{_composite, Composite};
    #[pymodule_export]
    use crate::create::arange::arange;
    #[pymodule_export]
    use crate::create::eye::eye;
    #[pymodule_export]
    use crate::create::full::{empty, full, ones, zeros};
    #[pymodule_export]
    use crate::create::like::{empty_like, full_like, ones_like, zeros_like};
    #[pymodule_export]
    use crate::create::linspace::linspace;
    #[pymodule_export]
    use crate::create::listed::_listed;
    #[pymodule_export]
    use crate::create::sparse_coo::sparse_coo;
    #[pymodule_export]
    use crate::descriptor::Descriptor;
    #[pymodule_export]
    use crate::device::Device;
    #[pymodule_export]
    use crate::dtype::{buffer_size_bytes, Dtype};
    #[pymodule_export]
    use crate::error::_panic;
    #[pymodule_export]
    use crate::exchange::dlpack::from_dlpack;
    #[pymodule_export]
    use crate::exchange::native::from_hurray;
    #[pymodule_export]
    use crate::extension::ExtensionType;
    #[pymodule_export]
    use crate::file::{load, load_kv, open, save, verify, Entry, File, FileMap, FileWriter, Problem};
    #[pymodule_export]
    use crate::handle::BufferHandle;
    #[pymodule_export]
    use crate::layout::{
        _bare, layout_tag_kind, BlockPagedLayout, ColMajorLayout, CompositeLayout, CooLayout, CscLayout, CsfLayout,
        CsrLayout, HilbertLayout, Layout, MortonLayout, PrivateExtensionLayout, RowMajorLayout, StridedLayout,
        TiledLayout, UnknownLayout,
    };
    #[pymodule_export]
    use crate::pickle::{_descriptor, _entry, _handle, _problem};
    #[pymodule_export]
    use crate::quantization::{decode_quantization, Mxfp, Nf4, PerBlockAffine, PerChannelAffine, PerTensorAffine};
    #[pymodule_export]
    use crate::shard::Shard;
    #[pymodule_export]
    use crate::statistics::Statistics;
    #[pymodule_export]
    use crate::stream::{StreamReader, StreamWriter};
    #[pymodule_export]
    use crate::tensor::{_trust, from_numpy, write_all, Tensor};

    /// The version, the same for all distributions that are released together.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const MIN_BUFFER_ALIGNMENT: u32 = hurray_core::MIN_BUFFER_ALIGNMENT;
    #[pymodule_export]
    const PAGE_ALIGNMENT: u32 = hurray_core::PAGE_ALIGNMENT;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::exchange::dlpack::install(module.py())
    }
}
