//! Descriptors put together byte by byte, right or wrong (descriptor.md §1).

/// The parts of a descriptor in wire order.
#[derive(Clone)]
pub struct Desc {
    pub version: (u8, u8),
    pub flags: u32,
    pub element_type: u8,
    pub layout: u8,
    pub shape: Vec<u64>,
    pub byte_offset: u64,
    pub payload: Vec<u8>,
    pub handles: Vec<[u8; 16]>,
    pub sections: Vec<u8>,
}

pub const F32: u8 = 0x03;
pub const I8: u8 = 0x10;
pub const I4: u8 = 0x48;
pub const U4: u8 = 0x49;
pub const BOOL: u8 = 0x20;
pub const E2M3: u8 = 0x44;
pub const DYNAMIC: u64 = u64::MAX;

/// A buffer handle on the CPU.
pub fn handle(size: u64) -> [u8; 16] {
    let mut h = [0; 16];
    h[..8].copy_from_slice(&size.to_le_bytes());
    h[8] = 64;
    h
}

pub fn u32s(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn u64s(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn i64s(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

impl Desc {
    pub fn new(element_type: u8, layout: u8, shape: &[u64], sizes: &[u64]) -> Self {
        Self {
            version: (1, 0),
            flags: 0,
            element_type,
            layout,
            shape: shape.to_vec(),
            byte_offset: 0,
            payload: Vec::new(),
            handles: sizes.iter().map(|&s| handle(s)).collect(),
            sections: Vec::new(),
        }
    }

    /// float32, row-major.
    pub fn dense(shape: &[u64]) -> Self {
        Self::new(F32, 1, shape, &[4 * shape.iter().product::<u64>()])
    }

    pub fn payload(mut self, payload: Vec<u8>) -> Self {
        self.payload = payload;
        self
    }

    pub fn byte_offset(mut self, byte_offset: u64) -> Self {
        self.byte_offset = byte_offset;
        self
    }

    /// Changes one byte of one handle.
    pub fn handle_byte(mut self, buffer: usize, at: usize, value: u8) -> Self {
        self.handles[buffer][at] = value;
        self
    }

    /// A section behind the buffer table, with the flag that announces it.
    pub fn section(mut self, flag: u32, bytes: &[u8]) -> Self {
        self.flags |= flag;
        self.sections.extend(bytes);
        self
    }

    pub fn quantization(self, payload: &[u8]) -> Self {
        let length = u32s(&[payload.len() as u32]);
        self.section(1, &length).section(1, payload)
    }

    pub fn shard(self, parent: &[u64], offset: &[u64]) -> Self {
        self.section(2, &u64s(parent)).section(2, &u64s(offset))
    }

    /// Statistics with one byte changed.
    pub fn statistics(self, at: usize, value: u8) -> Self {
        let mut section = [0; 72];
        section[at] = value;
        self.section(8, &section)
    }

    pub fn member(self, role: u8) -> Self {
        let mut section = [0; 16];
        section[0] = role;
        self.section(16, &section)
    }

    /// A private type of this width with one byte of its section changed.
    pub fn extension(mut self, bits: u32, factor: u8, at: usize, value: u8) -> Self {
        self.element_type = 0xF0;
        let mut section = [0; 20];
        section[..4].copy_from_slice(&bits.to_le_bytes());
        section[4] = factor;
        if at > 4 {
            section[at] = value;
        }
        self.section(4, &section)
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut b = b"HRRY".to_vec();
        b.extend([self.version.0, self.version.1, 0, 0, 0, 0]);
        b.extend(self.flags.to_le_bytes());
        b.extend([self.element_type, self.layout]);
        b.extend((self.shape.len() as u32).to_le_bytes());
        b.extend(u64s(&self.shape));
        b.extend(self.byte_offset.to_le_bytes());
        b.extend(&self.payload);
        b.push(self.handles.len() as u8);
        self.handles.iter().for_each(|h| b.extend(h));
        b.extend(&self.sections);
        let length = b.len() as u32;
        b[6..10].copy_from_slice(&length.to_le_bytes());
        b
    }
}

/// Scheme payloads (quantization.md §4–§7).
pub fn per_tensor(scale: f32, zero_point: i32) -> Vec<u8> {
    let mut b = vec![1, 1, 0, 0];
    b.extend(scale.to_le_bytes());
    b.extend(zero_point.to_le_bytes());
    b.extend([0; 4]);
    b
}

pub fn per_channel(flags: u8, axis: u32, scale: u32, zero: u32) -> Vec<u8> {
    let mut b = vec![2, 1, flags, 0];
    b.extend(u32s(&[axis, scale, zero]));
    b.extend([3, 0, 0, 0]);
    b
}

pub fn per_block(flags: u8, axis: u32, size: u32, scale: u32, zero: u32, ty: u8) -> Vec<u8> {
    let mut b = vec![3, 1, flags, 0];
    b.extend(u32s(&[axis, size, scale, zero]));
    b.extend([ty, 0, 0, 0]);
    b
}

/// NF4 (4) or MXFP (5).
pub fn scaled(tag: u8, axis: u32, size: u32, scale: u32) -> Vec<u8> {
    let mut b = vec![tag, 1, 0, 0];
    b.extend(u32s(&[axis, size, scale]));
    b
}

/// A composite head's payload.
pub fn head(rule: u8, op: u8, members: u32) -> Vec<u8> {
    let mut b = vec![rule, op, 0, 0];
    b.extend(members.to_le_bytes());
    b
}

/// A head of this rule over a float32 shape.
pub fn head_desc(rule: u8, op: u8, members: u32, shape: &[u64]) -> Desc {
    Desc::new(F32, 0x0B, shape, &[]).payload(head(rule, op, members))
}

/// COO payload.
pub fn coo(nnz: u64, sorted: u8) -> Vec<u8> {
    let mut b = u64s(&[nnz]);
    b.extend([sorted, 0, 0, 0, 0, 0, 0, 0]);
    b
}

/// CSR and CSC payload.
pub fn compressed(nnz: u64) -> Vec<u8> {
    u64s(&[nnz, 0])
}

/// CSF payload.
pub fn csf(nnz: u64, order: &[u32]) -> Vec<u8> {
    let mut b = u64s(&[nnz]);
    b.extend(u32s(order));
    b.extend([0; 8]);
    b
}

/// Block-paged payload with u32 tables.
pub fn paged(page_size: u32, pages: u64, axis: u32, sequences: u32) -> Vec<u8> {
    let mut b = u32s(&[page_size]);
    b.extend(u64s(&[pages]));
    b.extend(u32s(&[axis, sequences]));
    b.push(0);
    b.extend([0xFF; 4]);
    b.extend([0; 7]);
    b
}
