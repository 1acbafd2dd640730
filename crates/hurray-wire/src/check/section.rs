//! A quantization section by itself, without the descriptor that it belongs to (quantization.md §1).

use super::scheme::{Scheme, NO_BUFFER};
use crate::format::MAX_BUFFERS;
use crate::Fault;
use hurray_core::QuantizationDescriptor;

/// The scheme that a section begins with; bytes behind the scheme's own length are not looked at.
///
/// for the index that can never exist. What needs the
/// tensor's shape or its buffers is left to the tiers.
pub fn quantization(section: &[u8]) -> Result<QuantizationDescriptor, Fault> {
    let scheme = Scheme::parse(section)?;
    let missing = Fault::ParameterIndex { index: NO_BUFFER, buffers: MAX_BUFFERS };
    if scheme.parameter_indices().any(|index| index == NO_BUFFER) {
        return Err(missing);
    }
    // The core refuses nothing beyond these rules; a property test holds it to that.
    QuantizationDescriptor::decode(section).map(|(scheme, _)| scheme).map_err(|_| missing)
}
