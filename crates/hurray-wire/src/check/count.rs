//! How many buffers a descriptor has, and which are parameters (layouts.md §1, quantization.md §2).

use super::scheme::Scheme;
use crate::format::MAX_BUFFERS;
use crate::Fault;
use hurray_core::{LayoutDescriptor, TensorDescriptor};

/// The layout's own buffers; `None` where only a private agreement knows.
pub(super) fn own_buffers(d: &TensorDescriptor) -> Option<usize> {
    match &d.layout {
        LayoutDescriptor::Composite(_) => Some(0),
        LayoutDescriptor::Csf(c) => Some(2 * c.mode_order.len() + 1),
        other => other.buffer_count().map(|n| usize::from(n.get())),
    }
}

/// D-29 and D-31 (L-8, Q-33).
pub(super) fn buffers(d: &TensorDescriptor) -> Result<(), Fault> {
    let found = d.buffers.len();
    let head = matches!(d.layout, LayoutDescriptor::Composite(_));
    if found == 0 && !head {
        return Err(Fault::NoBuffers);
    }
    let parameters = match &d.quantization {
        Some(section) => Scheme::parse(section)?.parameter_buffers(),
        None => 0,
    };
    let expected = match own_buffers(d) {
        Some(own) => own + parameters,
        // A private layout has at least its data buffer.
        None => found.clamp(1 + parameters, MAX_BUFFERS),
    };
    match found == expected {
        true => Ok(()),
        false => Err(Fault::BufferCount { expected, found }),
    }
}

/// a parameter index names a buffer behind the layout's own.
pub(super) fn parameter_indices(d: &TensorDescriptor) -> Result<(), Fault> {
    let Some(section) = &d.quantization else {
        return Ok(());
    };
    let (buffers, own) = (d.buffers.len(), own_buffers(d).unwrap_or(1));
    for index in Scheme::parse(section)?.parameter_indices() {
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        if at >= buffers {
            return Err(Fault::ParameterIndex { index, buffers });
        }
        if at == 0 {
            return Err(Fault::ParameterIsData);
        }
        if at < own {
            return Err(Fault::ParameterIsLayout { index, own });
        }
    }
    Ok(())
}
