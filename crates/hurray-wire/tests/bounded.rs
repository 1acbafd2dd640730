//! Claims of 2^63 and the like in every field: an error, and no memory by the claim.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use common::file::{build, tensor, Built, Tensor};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

mod counting {
    #![allow(unsafe_code)]

    use super::{AtomicUsize, Relaxed};
    use std::alloc::{GlobalAlloc, Layout, System};

    pub static NOW: AtomicUsize = AtomicUsize::new(0);
    pub static PEAK: AtomicUsize = AtomicUsize::new(0);

    struct Counting;

    // Invariant: every call goes to `System` with the arguments it came with, so its contract is
    // kept exactly when the caller keeps ours; counting touches atomics only.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
            PEAK.fetch_max(now, Relaxed);
            System.alloc(layout)
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            NOW.fetch_sub(layout.size(), Relaxed);
            System.dealloc(at, layout);
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;
}

/// The most memory `work` held at once, beyond what was held before it.
fn peak(work: impl FnOnce()) -> usize {
    let before = counting::NOW.load(Relaxed);
    counting::PEAK.store(before, Relaxed);
    work();
    counting::PEAK.load(Relaxed) - before
}

fn kinds() -> Built {
    let none = u32::MAX;
    let t: Vec<Tensor> = vec![
        tensor("dense", &Desc::dense(&[2, 2]).statistics(0, 0)),
        tensor(
            "tiled",
            &Desc::new(F32, 4, &[2, 2], &[16]).payload([u64s(&[2, 2]), vec![3, 3, 0, 0], i64s(&[1, 1, 1, 1])].concat()),
        ),
        tensor("morton", &Desc::new(F32, 5, &[2, 2], &[16]).payload(u32s(&[1, 1]))),
        tensor("hilbert", &Desc::new(F32, 0x40, &[2, 2], &[16]).payload(u32s(&[1, 2]))),
        tensor("strided", &Desc::new(F32, 3, &[2, 2], &[16]).payload(i64s(&[2, 1]))),
        tensor("coo", &Desc::new(F32, 6, &[4], &[4, 8]).payload(coo(1, 0))),
        tensor("csr", &Desc::new(F32, 7, &[2, 2], &[0, 0, 24]).payload(compressed(0))),
        tensor("csf", &Desc::new(F32, 9, &[2, 2, 2], &[0, 16, 0, 8, 0, 8, 0]).payload(csf(0, &[0, 1, 2]))),
        tensor("paged", &Desc::new(F32, 10, &[0, 2, 2], &[0, 0, 8]).payload(paged(4, 1, 0, 1))),
        tensor("block", &Desc::new(I8, 1, &[4, 8], &[32, 8]).quantization(&per_block(1, 1, 8, 1, none, 1))),
        tensor("private", &Desc::new(F32, 0xF0, &[4], &[16]).payload([u64s(&[7]), u32s(&[3]), vec![1, 2, 3]].concat())),
        tensor("ext", &Desc::new(0, 1, &[5], &[3]).extension(4, 2, 0, 0)),
        tensor("head", &head_desc(1, 0, 1, &[4])),
        tensor("member", &Desc::dense(&[4]).shard(&[4], &[0])),
    ];
    let mut kv = u32s(&[3]);
    kv.extend([1, 0, b'a', 1, 1, 0, 0, 0, b'x']);
    kv.extend([1, 0, b'b', 6, 1, 0, 0, 0, b'x']);
    kv.extend([1, 0, b'c', 7, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    let built = build(&t, &kv);
    assert_eq!(common::first(&built.bytes), Ok(()));
    built
}

#[test]
fn no_claim_is_believed_before_its_bytes_are_seen() {
    let f = kinds();
    let base = peak(|| drop((common::first(&f.bytes), common::every(&f.bytes))));
    let descriptors = f.descriptors.iter().zip(&f.data).map(|(&d, &end)| d..end.min(d + 256));
    let places: Vec<usize> = (0..64).chain(descriptors.flatten()).chain(f.trailer.min(f.kv)..f.bytes.len()).collect();
    let patterns: [&[u8]; 6] = [
        &[0xFF; 8],
        &[0, 0, 0, 0, 0, 0, 0, 0x80],
        &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        &[0xFF; 4],
        &[0, 0, 0, 0x80],
        &[0xFF; 2],
    ];
    let mut worst = (0, 0, 0);
    let mut tried = 0;
    for &at in &places {
        for (p, pattern) in patterns.iter().enumerate() {
            if at + pattern.len() > f.bytes.len() {
                continue;
            }
            let changed = f.with(at, pattern).bytes;
            // Verification reads every byte, so it sees the worst claims only.
            let held = peak(|| {
                drop(common::first(&changed));
                if p < 3 {
                    drop(common::every(&changed));
                }
            });
            worst = worst.max((held, at, p));
            tried += 1;
        }
    }
    println!("{tried} claims; {base} bytes for the sound file, at worst {worst:?}");
    assert!(tried > 10_000, "{tried}");
    // The sound file's own needs, twice: a few pieces of 64 KiB and the index.
    assert!(worst.0 < 2 * base, "byte {}, pattern {}: {} bytes", worst.1, worst.2, worst.0);
}
