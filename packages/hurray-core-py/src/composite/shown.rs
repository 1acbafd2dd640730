//! A composite as text: a line for each head and member, as deep and as many as a screen takes.

use hurray_core::{LayoutDescriptor, TensorDescriptor};
use pyo3::prelude::*;

use super::{Composite, Member};
use crate::shape;

/// Lines that a composite may take.
const LINES: usize = 40;
/// Members of one head that are shown.
const MEMBERS: usize = 8;
/// Levels of heads whose members are shown.
const LEVELS: usize = 4;

/// What head and member have in common.
fn facts(py: Python<'_>, d: &TensorDescriptor) -> PyResult<String> {
    let mut text = format!("shape={}, dtype={}", shape::to_python(py, &d.shape)?.repr()?, d.element_type);
    if let Some(shard) = &d.shard {
        text += &format!(", shard_offset={}", pyo3::types::PyTuple::new(py, &shard.shard_offset)?.repr()?);
    }
    Ok(text)
}

impl Composite {
    pub(super) fn text(&self, py: Python<'_>) -> PyResult<String> {
        let mut lines = vec![format!("hurray.Composite({}", self.head_text(py)?)];
        self.members_text(py, 1, &mut lines)?;
        Ok(lines.join("\n"))
    }

    fn head_text(&self, py: Python<'_>) -> PyResult<String> {
        let layout = crate::layout::to_python(py, &self.head.layout)?;
        let layout = layout.bind(py);
        let rule: String = layout.getattr("composition_rule")?.repr()?.extract()?;
        let combine: Option<String> = layout.getattr("combine_op")?.extract()?;
        let combine = combine.map_or_else(String::new, |op| format!(", combine_op='{op}'"));
        Ok(format!("{rule}, {}{combine}", facts(py, &self.head)?))
    }

    /// Completes the last line, which names the head.
    fn members_text(&self, py: Python<'_>, level: usize, lines: &mut Vec<String>) -> PyResult<()> {
        let members = self.members(py)?;
        let indent = "    ".repeat(level);
        let room = LINES.saturating_sub(lines.len()).min(if level > LEVELS { 0 } else { MEMBERS });
        let shown = if members.len() <= room { members.len() } else { room.saturating_sub(1) };
        let end = lines.last_mut();
        if shown == 0 {
            let count = members.len();
            let all = if count == 0 { String::from("[]") } else { format!("[... {count} members]") };
            if let Some(end) = end {
                *end += &format!(", members={all})");
            }
            return Ok(());
        }
        if let Some(end) = end {
            *end += ", members=[";
        }
        for (at, member) in members.iter().enumerate().take(shown) {
            let role = self.role_name(at, member).map_or_else(String::new, |role| format!("{role}: "));
            match member {
                Member::Tensor(tensor) => {
                    let d = &tensor.get().descriptor;
                    let mut text = format!("{indent}{role}hurray.Tensor({}", facts(py, d)?);
                    if d.layout != LayoutDescriptor::RowMajor {
                        text += &format!(", layout={}", crate::layout::name(&d.layout));
                    }
                    lines.push(text + ")");
                }
                Member::Composite(inner) => {
                    lines.push(format!("{indent}{role}hurray.Composite({}", inner.get().head_text(py)?));
                    inner.get().members_text(py, level + 1, lines)?;
                }
            }
            if let Some(end) = lines.last_mut() {
                end.push(',');
            }
        }
        if shown < members.len() {
            lines.push(format!("{indent}... {} more", members.len() - shown));
        }
        lines.push(format!("{}])", "    ".repeat(level - 1)));
        Ok(())
    }
}
