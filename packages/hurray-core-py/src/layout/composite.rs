//! composite, the head of a composite tensor (format: layouts.md §11).

use hurray_core::layout::{self, CombineOp, CompositionRule};
use hurray_core::LayoutDescriptor;
use pyo3::prelude::*;

use super::{args, holds, sound, Layout, Reduced};
use crate::tensor;

/// A head without data of its own, which combines the tensors that follow it (format: layouts.md §11).
///
/// ``composition_rule`` is ``"partition"``, ``"overlay"`` or ``"group"``; ``member_count`` counts the members.
/// ``combine_op``, ``"replace"`` or ``"add"``, belongs to an overlay and to nothing else. ``buffer_count`` is 0,
/// and ``hurray.Tensor`` does not take one.
///
/// Raises ``InvalidDescriptorError`` for what breaks L-43 to L-45 or L-53, ``OverflowError`` for a count that
/// 32 bits cannot hold.
#[pyclass(frozen, extends = Layout, module = "hurray")]
pub(crate) struct CompositeLayout;

holds!(CompositeLayout: Composite(layout::CompositeLayout));

const RULES: [(&str, u8); 3] = [("partition", 1), ("overlay", OVERLAY), ("group", 3)];
const OVERLAY: u8 = 2;
const OPERATIONS: [(&str, CombineOp); 2] = [("replace", CombineOp::Replace), ("add", CombineOp::Add)];

#[pymethods]
impl CompositeLayout {
    #[new]
    #[pyo3(signature = (composition_rule, member_count, combine_op=None))]
    fn new(
        composition_rule: &Bound<'_, PyAny>,
        member_count: &Bound<'_, PyAny>,
        combine_op: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = composition_rule.py();
        let rule = args::one_of(composition_rule, "composition_rule", &RULES)?;
        let count = args::int::<u32>(member_count, "member_count")?;
        let op = combine_op.map(|given| args::one_of(given, "combine_op", &OPERATIONS)).transpose()?;
        let rule = match (rule, op) {
            (OVERLAY, Some(op)) => CompositionRule::Overlay(op),
            (OVERLAY, None) => {
                return Err(args::refused(py, "L-44", "combine_op is None; an overlay takes 'replace' or 'add'"))
            }
            (_, Some(_)) => {
                let text = format!("combine_op goes with an overlay; a {composition_rule} does not combine");
                return Err(args::refused(py, "L-44", text));
            }
            (1, None) => CompositionRule::Partition,
            (_, None) => CompositionRule::Group,
        };
        if count == u32::MAX {
            return Err(args::refused(py, "L-45", "member_count 4294967295 is reserved for composites without an end"));
        }
        if count == 0 && matches!(rule, CompositionRule::Overlay(_)) {
            return Err(args::refused(py, "L-53", "member_count is 0; an overlay has at least its base"));
        }
        let layout = layout::CompositeLayout::new(rule, count).map_err(tensor::invalid)?;
        Ok(sound(py, LayoutDescriptor::Composite(layout))?.add_subclass(Self))
    }

    /// How the members make up the head: ``"partition"``, ``"overlay"`` or ``"group"``.
    #[getter]
    fn composition_rule(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        Ok(args::name_of(Self::held(slf)?.rule.rule_byte(), &RULES))
    }

    /// How an overlay combines, ``"replace"`` or ``"add"``; ``None`` for the other rules, to which it means nothing.
    #[getter]
    fn combine_op(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        Ok(match Self::held(slf)?.rule {
            CompositionRule::Overlay(op) => args::name_of(op, &OPERATIONS),
            _ => None,
        })
    }

    /// Number of members.
    #[getter]
    fn member_count(slf: &Bound<'_, Self>) -> PyResult<u32> {
        Ok(Self::held(slf)?.member_count)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let rule = Self::composition_rule(slf)?.unwrap_or_default();
        let op = Self::combine_op(slf)?.map_or_else(String::new, |op| format!(", combine_op='{op}'"));
        let count = Self::held(slf)?.member_count;
        Ok(format!("CompositeLayout(composition_rule='{rule}', member_count={count}{op})"))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, Arguments> {
        let arguments = (Self::composition_rule(slf)?, Self::member_count(slf)?, Self::combine_op(slf)?);
        Ok((slf.get_type().into_any(), arguments))
    }
}

type Arguments = (Option<&'static str>, u32, Option<&'static str>);
