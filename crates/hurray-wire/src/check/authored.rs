//! Fields that a careful codec keeps to their ranges when it writes; readers need not look
//! (descriptor.md §8, last paragraph).

use hurray_core::{ExtensionTypeDescriptor, Statistics, TensorDescriptor};

/// What a writer must not state, though readers accept it: statistics and extension types with
/// fields out of range.
///
/// # Errors
/// The first such field, as a sentence.
pub fn authored(d: &TensorDescriptor) -> Result<(), &'static str> {
    if let Some(statistics) = &d.statistics {
        self::statistics(statistics)?;
    }
    match &d.extension_type {
        Some(extension) => self::extension(extension),
        None => Ok(()),
    }
}

fn statistics(s: &Statistics) -> Result<(), &'static str> {
    let mask = s.computed_mask;
    if mask.sparsity_valid() && !(0.0..=1.0).contains(&s.sparsity_ratio) {
        return Err("the statistics' sparsity ratio is outside 0 to 1");
    }
    // A deviation may be NaN when the data are; negative it cannot be.
    if mask.value_stats_valid() && s.value_stddev < 0.0 {
        return Err("the statistics' standard deviation is negative");
    }
    if mask.nm_sparsity_valid() && s.nm_n > s.nm_m {
        return Err("the statistics' N:M sparsity has N above M");
    }
    Ok(())
}

fn extension(x: &ExtensionTypeDescriptor) -> Result<(), &'static str> {
    if x.bit_width >= 8 && !x.bit_width.is_multiple_of(8) {
        return Err("an extension type of 8 bits or more must have a multiple of 8 bits");
    }
    if x.sign_bits > 1 {
        return Err("an extension type has more than one sign bit");
    }
    if x.is_float && x.is_signed {
        return Err("a float extension type says is_signed; its sign is sign_bits");
    }
    let float_fields = x.sign_bits != 0
        || x.exponent_bits != 0
        || x.mantissa_bits != 0
        || x.exponent_bias != 0
        || x.has_nan
        || x.has_inf;
    match !x.is_float && float_fields {
        true => Err("an integer extension type has fields that only floats have"),
        false => Ok(()),
    }
}
