//! block_paged (format: layouts.md §10).

use hurray_core::layout::{self, BlockTableIndexType, KvRole};
use hurray_core::LayoutDescriptor;
use hurray_wire::check;
use pyo3::prelude::*;

use super::args::{self, Word};
use super::{holds, paging, sound, Layout, Reduced};
use crate::error::{self, guarded, InvalidDescriptorError};
use crate::quantization;

/// Indirect, a KV cache of rank 3 in pages (format: layouts.md §10).
///
/// ``page_size`` is the tokens of a page, 1 or more; ``num_pages`` the pages of the pool; ``paged_axis`` is 0;
/// ``num_seqs`` counts the sequences. ``kv_role`` is ``"key"``, ``"value"`` or ``"fused"``; ``layer_index`` is
/// ``None`` where no one layer is meant; ``block_table_index_type``, ``"uint32"`` or ``"uint64"``, is the type of
/// both index buffers. Three buffers: the page pool; block_table; seq_ptr.
///
/// Raises ``InvalidDescriptorError`` for what breaks L-35 or L-36, ``OverflowError`` for a number that its field
/// cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct BlockPagedLayout;

holds!(BlockPagedLayout: BlockPaged(layout::BlockPagedLayout));

const ROLES: [(&str, KvRole); 3] = [("key", KvRole::Key), ("value", KvRole::Value), ("fused", KvRole::Fused)];
const INDEX_TYPES: [(&str, BlockTableIndexType); 2] =
    [("uint32", BlockTableIndexType::U32), ("uint64", BlockTableIndexType::U64)];

/// ``None``, or a layer that does not mean none on the wire.
fn layer(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u32>> {
    let Some(given) = given else { return Ok(None) };
    match args::int::<u32>(given, "layer_index")? {
        u32::MAX => {
            let text = "layer_index 4294967295 stands for no layer in the format; pass None";
            Err(InvalidDescriptorError::new_err(text))
        }
        layer => Ok(Some(layer)),
    }
}

#[pymethods]
impl BlockPagedLayout {
    #[new]
    #[pyo3(
        signature = (page_size, num_pages, paged_axis, num_seqs, kv_role=Word::Default("key"), layer_index=None,
                     block_table_index_type=Word::Default("uint32")),
        text_signature = "(page_size, num_pages, paged_axis, num_seqs, kv_role='key', layer_index=None, \
                          block_table_index_type='uint32')"
    )]
    fn new(
        page_size: &Bound<'_, PyAny>,
        num_pages: &Bound<'_, PyAny>,
        paged_axis: &Bound<'_, PyAny>,
        num_seqs: &Bound<'_, PyAny>,
        kv_role: Word<'_>,
        layer_index: Option<&Bound<'_, PyAny>>,
        block_table_index_type: Word<'_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = page_size.py();
        let layout = layout::BlockPagedLayout::new(
            args::int(page_size, "page_size")?,
            args::int(num_pages, "num_pages")?,
            args::int(paged_axis, "paged_axis")?,
            args::int(num_seqs, "num_seqs")?,
            kv_role.one_of("kv_role", &ROLES)?,
            layer(layer_index)?,
            block_table_index_type.one_of("block_table_index_type", &INDEX_TYPES)?,
        );
        if layout.page_size == 0 {
            return Err(args::refused(py, "L-35", "page_size is 0; a page holds at least one token"));
        }
        if layout.paged_axis != 0 {
            let axis = layout.paged_axis;
            let text = format!("paged_axis is {axis}; version 1 of the format pages axis 0, the tokens");
            return Err(args::refused(py, "L-35", text));
        }
        Ok(sound(py, LayoutDescriptor::BlockPaged(layout))?.add_subclass(Self))
    }

    /// Tokens of a page.
    #[getter]
    fn page_size(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::held(slf)?.page_size)
    }

    /// Pages of the pool.
    #[getter]
    fn num_pages(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(Self::held(slf)?.num_pages)
    }

    /// The axis that is paged, 0.
    #[getter]
    fn paged_axis(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::held(slf)?.paged_axis)
    }

    /// Number of sequences.
    #[getter]
    fn num_seqs(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::held(slf)?.num_seqs)
    }

    /// What the cache holds: ``"key"``, ``"value"`` or ``"fused"``.
    #[getter]
    fn kv_role(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        Ok(args::name_of(Self::held(slf)?.kv_role, &ROLES))
    }

    /// The layer that the cache belongs to; ``None`` where no one layer is meant.
    #[getter]
    fn layer_index(slf: &Bound<'_, Self>) -> PyResult<Option<u32>> {
        Ok(Self::held(slf)?.layer_index)
    }

    /// The type of block_table and seq_ptr: ``"uint32"`` or ``"uint64"``.
    #[getter]
    fn block_table_index_type(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        Ok(args::name_of(Self::held(slf)?.block_table_index_type, &INDEX_TYPES))
    }

    /// Raise ``InvalidDescriptorError`` if index buffers break one of the storage invariants (L-38):
    /// ``seq_ptr`` has ``num_seqs + 1`` entries and begins with 0; it never decreases; it ends with the length
    /// of ``block_table``; every entry of ``block_table`` is below ``num_pages``. Two entries may name one page.
    ///
    /// Each is a sequence of int, a buffer of integers, or the bytes of the layout's index type, as
    /// ``t.buffer(2)`` and ``t.buffer(1)`` give them (format: layouts.md §10; requirements: Block-paged validation).
    ///
    /// Raises ``TypeError`` for what holds no integers, besides.
    fn validate_index_buffers(
        slf: &Bound<'_, Self>,
        seq_ptr: &Bound<'_, PyAny>,
        block_table: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| paging::validate(Self::held(slf)?, seq_ptr, block_table))
    }

    /// Raise ``InvalidDescriptorError`` if a quantization scheme and the pages cannot go together (L-40):
    /// per-channel takes axis 1 or 2, per-block takes axis 0 and the page size; an axis is one of three.
    ///
    /// ``quantization`` is the scheme object, not its tag (requirements: Block-paged validation). Raises ``TypeError`` for
    /// anything else.
    fn validate_quantization_compatibility(slf: &Bound<'_, Self>, quantization: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let section = quantization::of(quantization)?.encode_to_vec();
            let held = Self::held(slf)?;
            check::paged_quantization(held, &section).map_err(|fault| {
                let text = format!("quantization: {fault}; page_size is {}", held.page_size);
                error::coded(slf.py(), &fault, text)
            })
        })
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let held = Self::held(slf)?;
        let layer = held.layer_index.map_or_else(|| String::from("None"), |layer| layer.to_string());
        Ok(format!(
            "BlockPagedLayout(page_size={}, num_pages={}, paged_axis={}, num_seqs={}, kv_role='{}', \
             layer_index={layer}, block_table_index_type='{}')",
            held.page_size,
            held.num_pages,
            held.paged_axis,
            held.num_seqs,
            args::name_of(held.kv_role, &ROLES).unwrap_or_default(),
            args::name_of(held.block_table_index_type, &INDEX_TYPES).unwrap_or_default(),
        ))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Bound<'py, pyo3::types::PyTuple>> {
        let held = Self::held(slf)?;
        let (role, index) = (Self::kv_role(slf)?, Self::block_table_index_type(slf)?);
        let sizes = (held.page_size, held.num_pages, held.paged_axis, held.num_seqs);
        let arguments = (sizes.0, sizes.1, sizes.2, sizes.3, role, held.layer_index, index);
        Ok((slf.get_type().into_any(), arguments.into_pyobject(slf.py())?))
    }
}
