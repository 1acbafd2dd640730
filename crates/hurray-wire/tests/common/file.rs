//! Files put together byte by byte, right or wrong (file.md §1).

use super::desc::Desc;

pub const A: usize = 4096;

/// A file and where its parts are.
#[derive(Clone)]
pub struct Built {
    pub bytes: Vec<u8>,
    pub descriptors: Vec<usize>,
    pub data: Vec<usize>,
    /// 0 when there is none.
    pub kv: usize,
    pub index: usize,
    /// Where each index entry begins.
    pub entries: Vec<usize>,
    pub trailer: usize,
}

pub struct Tensor {
    pub name: &'static str,
    pub descriptor: Vec<u8>,
    pub buffers: Vec<Vec<u8>>,
}

/// A tensor with zeroed buffers of the sizes its handles give.
pub fn tensor(name: &'static str, d: &Desc) -> Tensor {
    let size = |h: &[u8; 16]| u64::from_le_bytes(h[..8].try_into().unwrap()) as usize;
    Tensor { name, descriptor: d.bytes(), buffers: d.handles.iter().map(|h| vec![0; size(h)]).collect() }
}

/// A tensor with these buffers, whatever its handles say.
pub fn tensor_with(name: &'static str, d: &Desc, buffers: Vec<Vec<u8>>) -> Tensor {
    Tensor { buffers, ..tensor(name, &Desc { handles: Vec::new(), ..d.clone() }) }.described(d)
}

impl Tensor {
    fn described(mut self, d: &Desc) -> Self {
        self.descriptor = d.bytes();
        self
    }
}

fn pad(b: &mut Vec<u8>, alignment: usize) {
    b.resize(b.len().next_multiple_of(alignment), 0);
}

/// A sound file around these tensors and this KV section (none if empty).
pub fn build(tensors: &[Tensor], kv: &[u8]) -> Built {
    let mut b = b"HRRYFILE".to_vec();
    b.extend([1, 0, 0, 0, if kv.is_empty() { 4 } else { 5 }, 0, 0, 0]);
    b.extend((A as u32).to_le_bytes());
    b.extend(64u64.to_le_bytes());
    b.extend([0xFF; 8]);
    b.extend([0; 28]);
    let (mut descriptors, mut data, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for t in tensors {
        pad(&mut b, 8);
        descriptors.push(b.len());
        b.extend(&t.descriptor);
        let mut begin = b.len();
        for (j, buffer) in t.buffers.iter().enumerate() {
            pad(&mut b, A);
            if j == 0 {
                begin = b.len();
            }
            b.extend(buffer);
        }
        data.push(begin);
        ends.push(b.len());
    }
    pad(&mut b, 8);
    let kv_at = if kv.is_empty() { 0 } else { b.len() };
    b.extend(kv);
    pad(&mut b, 8);
    let index = b.len();
    let mut entries = Vec::new();
    b.extend((tensors.len() as u64).to_le_bytes());
    for (i, t) in tensors.iter().enumerate() {
        entries.push(b.len());
        b.extend((t.name.len() as u16).to_le_bytes());
        b.extend(t.name.as_bytes());
        b.extend((descriptors[i] as u64).to_le_bytes());
        b.extend((t.descriptor.len() as u32).to_le_bytes());
        b.extend((data[i] as u64).to_le_bytes());
        b.extend(((ends[i] - data[i]) as u64).to_le_bytes());
        b.extend([0; 4]);
    }
    let trailer = b.len();
    b.extend((index as u64).to_le_bytes());
    b.extend(((trailer - index) as u64).to_le_bytes());
    b.extend((kv_at as u64).to_le_bytes());
    b.extend((kv.len() as u32).to_le_bytes());
    b.extend([0; 8]);
    b.extend(b"HRRY");
    let built = Built { bytes: b, descriptors, data, kv: kv_at, index, entries, trailer };
    built.sealed()
}

impl Built {
    /// With bytes changed, the checksum made to fit.
    pub fn with(&self, at: usize, bytes: &[u8]) -> Self {
        self.torn(at, bytes).sealed()
    }

    /// With bytes changed and nothing made to fit.
    pub fn torn(&self, at: usize, bytes: &[u8]) -> Self {
        let mut new = self.clone();
        new.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        new
    }

    /// The checksum of whatever the trailer calls the index.
    pub fn sealed(mut self) -> Self {
        let field = |b: &[u8], at: usize| {
            let raw = b[self.trailer + at..self.trailer + at + 8].try_into();
            u64::from_le_bytes(raw.unwrap()) as usize
        };
        let (at, length) = (field(&self.bytes, 0), field(&self.bytes, 8));
        if let Some(index) = at.checked_add(length).and_then(|end| self.bytes.get(at..end)) {
            let crc = if self.bytes[12] & 4 != 0 { crc32c::crc32c(index) } else { 0 };
            let place = self.trailer + 28;
            self.bytes[place..place + 4].copy_from_slice(&crc.to_le_bytes());
        }
        self
    }

    /// Where a field of an entry is: `at` counts from behind the name.
    pub fn field(&self, entry: usize, at: usize) -> usize {
        let start = self.entries[entry];
        let length = u16::from_le_bytes([self.bytes[start], self.bytes[start + 1]]);
        start + 2 + usize::from(length) + at
    }
}
