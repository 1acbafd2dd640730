//! Writing the KV section.

use super::{KvArray, KvValue, ARRAY, BOOL, BYTES, FLOAT64, INT64, STRING, UINT64};
use crate::format::MAX_NAME;
use crate::{Error, InputError};
use std::collections::HashSet;

/// The section's bytes; none when there is no entry, since a section without entries says nothing.
pub(crate) fn encode(kv: &[(String, KvValue)]) -> Result<Vec<u8>, Error> {
    if kv.is_empty() {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    // More than 2^32 entries would be more than 4 GiB, which is caught on the way there.
    out.extend(u32::try_from(kv.len()).unwrap_or(u32::MAX).to_le_bytes());
    let mut keys = HashSet::new();
    for (key, value) in kv {
        check_key(key)?;
        if !keys.insert(key.as_str()) {
            return Err(InputError::DuplicateKey { key: key.clone() }.into());
        }
        let fits = entry(key, value, &mut out) && u32::try_from(out.len()).is_ok();
        if !fits {
            return Err(InputError::KvTooLarge { key: key.clone() }.into());
        }
    }
    Ok(out)
}

fn check_key(key: &str) -> Result<(), InputError> {
    match key.len() {
        0 => Err(InputError::EmptyKey),
        1..=MAX_NAME => Ok(()),
        length => Err(InputError::KeyTooLong { key: key.to_owned(), length }),
    }
}

/// `false` when a length does not fit its field.
fn entry(key: &str, value: &KvValue, out: &mut Vec<u8>) -> bool {
    out.extend((key.len() as u16).to_le_bytes());
    out.extend(key.as_bytes());
    match value {
        KvValue::String(s) => tagged(STRING, out) && blob(s.as_bytes(), out),
        KvValue::Int64(n) => tagged(INT64, out) && fixed(&n.to_le_bytes(), out),
        KvValue::Uint64(n) => tagged(UINT64, out) && fixed(&n.to_le_bytes(), out),
        KvValue::Float64(x) => tagged(FLOAT64, out) && fixed(&x.to_le_bytes(), out),
        KvValue::Bool(b) => tagged(BOOL, out) && fixed(&[u8::from(*b)], out),
        KvValue::Bytes(b) => tagged(BYTES, out) && blob(b, out),
        KvValue::Array(list) => tagged(ARRAY, out) && array(list, out),
    }
}

fn array(list: &KvArray, out: &mut Vec<u8>) -> bool {
    let Ok(count) = u32::try_from(list.len()) else {
        return false;
    };
    // One fact for an empty list, whatever it is a list of.
    let tag = match list {
        _ if count == 0 => STRING,
        KvArray::String(_) => STRING,
        KvArray::Int64(_) => INT64,
        KvArray::Uint64(_) => UINT64,
        KvArray::Float64(_) => FLOAT64,
        KvArray::Bool(_) => BOOL,
        KvArray::Bytes(_) => BYTES,
    };
    out.push(tag);
    out.extend(count.to_le_bytes());
    match list {
        KvArray::String(v) => v.iter().all(|s| blob(s.as_bytes(), out)),
        KvArray::Int64(v) => v.iter().all(|n| fixed(&n.to_le_bytes(), out)),
        KvArray::Uint64(v) => v.iter().all(|n| fixed(&n.to_le_bytes(), out)),
        KvArray::Float64(v) => v.iter().all(|x| fixed(&x.to_le_bytes(), out)),
        KvArray::Bool(v) => v.iter().all(|b| fixed(&[u8::from(*b)], out)),
        KvArray::Bytes(v) => v.iter().all(|b| blob(b, out)),
    }
}

fn tagged(tag: u8, out: &mut Vec<u8>) -> bool {
    out.push(tag);
    true
}

fn fixed(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    out.extend(bytes);
    true
}

fn blob(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(length) = u32::try_from(bytes.len()) else {
        return false;
    };
    out.extend(length.to_le_bytes());
    out.extend(bytes);
    true
}
