//! schemes, their shapes and their buffers.

use super::descriptor::desc;
use crate::common::desc::*;
use crate::common::file::{build, tensor};
use crate::common::first;
use crate::Case;

const NONE: u32 = u32::MAX;

/// int8 [4, 8] with parameter buffers of these sizes.
fn int8(parameters: &[u64], scheme: &[u8]) -> Desc {
    quantized(I8, 32, parameters, scheme)
}

fn quantized(ty: u8, data: u64, parameters: &[u64], scheme: &[u8]) -> Desc {
    let sizes: Vec<u64> = [data].iter().chain(parameters).copied().collect();
    Desc::new(ty, 1, &[4, 8], &sizes).quantization(scheme)
}

fn touched(mut scheme: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    scheme[at] = value;
    scheme
}

fn ok(d: &Desc) {
    let bytes = build(&[tensor("t", d)], &[]).bytes;
    // All parameters are zero here, which only a look at the contents would refuse.
    assert_eq!(first(&bytes), Ok(()));
}

pub fn cases() -> Vec<Case> {
    let mut all = payload();
    all.extend(values());
    all.extend(shape());
    all.extend(buffers());
    all
}

fn payload() -> Vec<Case> {
    let tensor = per_tensor(0.5, 3);
    ok(&int8(&[], &tensor));
    ok(&int8(&[], &[&tensor[..], &[1, 2, 3]].concat()));
    ok(&int8(&[32, 32], &per_channel(0, 1, 1, 2)));
    ok(&int8(&[8], &per_block(1, 1, 8, 1, NONE, 1)));
    ok(&quantized(U4, 16, &[16], &scaled(4, 1, 8, 1)));
    let tag = |tag, value: &[u8]| desc("Q-3", "a scheme nobody knows", &int8(&[], &[&[tag], value].concat()));
    vec![
        desc("Q-1", "0 bytes", &int8(&[], &[])),
        desc("Q-1", "3 bytes", &int8(&[], &tensor[..3])),
        desc("Q-1", "15 bytes", &int8(&[], &tensor[..15])),
        desc("Q-1", "per-block with 23", &int8(&[8], &per_block(1, 1, 8, 1, NONE, 1)[..23])),
        desc("Q-2", "tag 0", &int8(&[], &touched(tensor.clone(), 0, 0))),
        desc("Q-2", "tag 0xFF", &int8(&[], &touched(tensor.clone(), 0, 0xFF))),
        tag(0x06, &tensor[1..]),
        tag(0x60, &tensor[1..]),
        tag(0xF0, &tensor[1..]),
        desc("Q-4", "version 2", &int8(&[], &touched(tensor.clone(), 1, 2))),
        desc("Q-5", "version 0", &int8(&[], &touched(tensor.clone(), 1, 0))),
        desc("Q-6", "per-tensor bit 0", &int8(&[], &touched(tensor.clone(), 2, 1))),
        desc("Q-6", "per-channel bit 8", &int8(&[32], &touched(per_channel(1, 1, 1, NONE), 3, 1))),
        desc("Q-12", "per-tensor", &int8(&[], &touched(tensor.clone(), 15, 1))),
        desc("Q-12", "per-channel", &int8(&[32], &touched(per_channel(1, 1, 1, NONE), 19, 1))),
        desc("Q-13", "per-block", &int8(&[8], &touched(per_block(1, 1, 8, 1, NONE, 1), 23, 1))),
        desc("Q-14", "float16 scales", &int8(&[32], &touched(per_channel(1, 1, 1, NONE), 16, 1))),
        desc("Q-15", "type 4", &int8(&[8], &per_block(1, 1, 8, 1, NONE, 4))),
        desc("Q-16", "per-channel", &int8(&[32], &per_channel(1, 1, 1, 2))),
        desc("Q-16", "per-block", &int8(&[8], &per_block(1, 1, 8, 1, 2, 1))),
    ]
}

fn values() -> Vec<Case> {
    let scale = |what, x| desc("Q-10", what, &int8(&[], &per_tensor(x, 0)));
    let zero = |ty, data, z| desc("Q-11", "zero point", &quantized(ty, data, &[], &per_tensor(1.0, z)));
    ok(&int8(&[], &per_tensor(-1e-40, -128)));
    ok(&quantized(0x15, 128, &[], &per_tensor(1.0, i32::MAX)));
    vec![
        scale("zero", 0.0),
        scale("minus zero", -0.0),
        scale("infinite", f32::INFINITY),
        scale("not a number", f32::NAN),
        zero(I8, 32, 128),
        zero(I8, 32, -129),
        zero(I4, 16, 8),
        zero(U4, 16, -1),
        zero(0x15, 128, -1),
        zero(0x4B, 8, 4),
    ]
}

fn shape() -> Vec<Case> {
    let dynamic = |scheme: &[u8]| {
        let d = Desc::new(I8, 1, &[4, DYNAMIC], &[32, 32]);
        desc("Q-9", "dynamic axis", &d.quantization(scheme))
    };
    let block = |tag, size| desc("Q-22", "block size", &quantized(U4, 16, &[64], &scaled(tag, 1, size, 1)));
    let mxfp = |extent: u64, size| {
        let d = Desc::new(I8, 1, &[2, extent], &[2 * extent, 64]);
        d.quantization(&scaled(5, 1, size, 1))
    };
    ok(&mxfp(64, 32));
    ok(&Desc::new(I8, 1, &[4, 0], &[0, 0]).quantization(&per_block(1, 1, 8, 1, NONE, 1)));
    vec![
        desc("Q-7", "float32", &quantized(F32, 128, &[], &per_tensor(1.0, 0))),
        desc("Q-7", "int16 per block", &quantized(0x12, 64, &[8], &per_block(1, 1, 8, 1, NONE, 1))),
        desc("Q-7", "int4 NF4", &quantized(I4, 16, &[16], &scaled(4, 1, 8, 1))),
        desc("Q-7", "uint8 MXFP", &quantized(0x11, 32, &[64], &scaled(5, 1, 16, 1))),
        desc("Q-8", "axis 2", &int8(&[32], &per_channel(1, 2, 1, NONE))),
        desc("Q-8", "axis 2^32-1", &int8(&[32], &per_channel(1, NONE, 1, NONE))),
        dynamic(&per_channel(1, 1, 1, NONE)),
        dynamic(&per_block(1, 1, 8, 1, NONE, 1)),
        block(4, 4),
        block(4, 24),
        block(5, 8),
        block(5, 4096),
        desc("Q-22", "per-block 1", &int8(&[64], &per_block(1, 1, 1, 1, NONE, 1))),
        desc("Q-22", "per-block 0", &int8(&[64], &per_block(1, 1, 0, 1, NONE, 1))),
        desc("Q-23", "per-block 16 of 8", &int8(&[8], &per_block(1, 1, 16, 1, NONE, 1))),
        desc("Q-23", "NF4 16 of 8", &quantized(U4, 16, &[16], &scaled(4, 1, 16, 1))),
        desc("Q-24", "48 by 32", &mxfp(48, 32)),
        desc("Q-24", "0 by 32", &mxfp(0, 32)),
    ]
}

fn buffers() -> Vec<Case> {
    let coo_with = |scale| {
        let d = Desc::new(I8, 6, &[4, 8], &[1, 16, 32]).payload(coo(1, 0));
        d.quantization(&per_channel(1, 1, scale, NONE))
    };
    ok(&coo_with(2));
    ok(&int8(&[64], &per_channel(0, 1, 1, 1)));
    ok(&int8(&[1000, 1000], &per_channel(0, 1, 1, 2)));
    ok(&Desc::new(I8, 1, &[2, 5], &[10, 12]).quantization(&per_block(1, 1, 2, 1, NONE, 1)));
    let wide = Desc::new(I8, 1, &[0, 1 << 40, 1 << 40, 8], &[0, 0]);
    ok(&wide.clone().quantization(&per_block(1, 3, 8, 1, NONE, 1)));
    let wide = Desc::new(I8, 3, &[1 << 40, 1 << 40, 8], &[8, 8]).payload(i64s(&[0, 0, 1]));
    vec![
        desc("Q-17", "index 2 of 2", &int8(&[32], &per_channel(1, 1, 2, NONE))),
        desc("Q-17", "asymmetric without buffer", &int8(&[32, 32], &per_channel(0, 1, 1, NONE))),
        desc("Q-18", "the data buffer", &int8(&[32], &per_channel(1, 1, 0, NONE))),
        desc("Q-19", "the indices", &coo_with(1)),
        desc("D-31", "a parameter buffer too many", &int8(&[32, 32], &per_channel(1, 1, 1, NONE))),
        desc("D-31", "one too few", &int8(&[32], &per_channel(0, 1, 1, 2))),
        desc("D-38", "scales on CUDA", &int8(&[32], &per_channel(1, 1, 1, NONE)).handle_byte(1, 12, 1)),
        desc("Q-25", "per-channel scales", &int8(&[31], &per_channel(1, 1, 1, NONE))),
        desc("Q-25", "per-channel zero points", &int8(&[32, 31], &per_channel(0, 1, 1, 2))),
        desc("Q-25", "shared", &int8(&[63], &per_channel(0, 1, 1, 1))),
        desc("Q-25", "per-block float16", &int8(&[7], &per_block(1, 1, 8, 1, NONE, 1))),
        desc(
            "Q-25",
            "partial blocks",
            &Desc::new(I8, 1, &[2, 5], &[10, 11]).quantization(&per_block(1, 1, 2, 1, NONE, 1)),
        ),
        desc("Q-25", "NF4", &quantized(U4, 16, &[15], &scaled(4, 1, 8, 1))),
        desc("Q-26", "2^80 blocks", &wide.quantization(&per_block(1, 2, 8, 1, NONE, 1))),
    ]
}
