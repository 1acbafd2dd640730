//! Reading the KV section.

use super::{KvArray, KvValue, ARRAY, BOOL, BYTES, FLOAT64, INT64, STRING, UINT64};
use crate::format::{KV_FIXED, SMALLEST_KV};
use crate::sink::Sink;
use crate::{Error, Fault};
use std::collections::HashSet;

/// F-33 to F-41. `b` is the section at `at`; behind the entries of a newer minor may be more.
pub(crate) fn parse(b: &[u8], at: u64, newer: bool, sink: &mut dyn Sink) -> Result<Vec<(String, KvValue)>, Error> {
    let mut reader = Reader { rest: b };
    let mut entries = Vec::new();
    // A fault inside ends the section: nothing tells where the next entry would begin.
    if let Err(fault) = reader.entries(newer, &mut entries) {
        sink.fault(fault, at + (b.len() - reader.rest.len()) as u64)?;
    }
    Ok(entries)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn entries(&mut self, newer: bool, entries: &mut Vec<(String, KvValue)>) -> Result<(), Fault> {
        let claimed = self.u32()?;
        let most = self.rest.len() as u64 / SMALLEST_KV;
        debug_assert_eq!(KV_FIXED, 4);
        if u64::from(claimed) > most {
            let claimed = u64::from(claimed);
            return Err(Fault::KvCount { claimed, most });
        }
        let mut keys = HashSet::new();
        for entry in 0..claimed {
            let key = self.key(entry)?;
            if !keys.insert(key) {
                let key = key.to_owned();
                return Err(Fault::DuplicateKey { key });
            }
            let value = self.value(key)?;
            entries.push((key.to_owned(), value));
        }
        match self.rest.len() {
            0 => Ok(()),
            _ if newer => Ok(()),
            left => Err(Fault::KvLeftover { left: left as u64 }),
        }
    }

    fn key(&mut self, entry: u32) -> Result<&'a str, Fault> {
        let length = u16::from_le_bytes(self.array()?);
        if length == 0 {
            return Err(Fault::EmptyKey { entry });
        }
        let raw = self.take(u64::from(length))?;
        std::str::from_utf8(raw).map_err(|_| Fault::KeyUtf8 { entry })
    }

    fn value(&mut self, key: &str) -> Result<KvValue, Fault> {
        let [tag] = self.array()?;
        Ok(match tag {
            STRING => KvValue::String(self.string(key)?),
            INT64 => KvValue::Int64(i64::from_le_bytes(self.array()?)),
            UINT64 => KvValue::Uint64(u64::from_le_bytes(self.array()?)),
            FLOAT64 => KvValue::Float64(f64::from_le_bytes(self.array()?)),
            BOOL => KvValue::Bool(self.bool(key)?),
            BYTES => KvValue::Bytes(self.blob()?.to_vec()),
            ARRAY => KvValue::Array(self.list(key)?),
            tag => {
                let key = key.to_owned();
                return Err(Fault::ValueTag { key, tag });
            }
        })
    }

    fn list(&mut self, key: &str) -> Result<KvArray, Fault> {
        let [tag] = self.array()?;
        let smallest = match tag {
            BOOL => 1,
            STRING | BYTES => 4,
            INT64 | UINT64 | FLOAT64 => 8,
            _ => {
                let key = key.to_owned();
                return Err(Fault::ArrayTag { key, tag });
            }
        };
        let claimed = self.u32()?;
        let most = self.rest.len() as u64 / smallest;
        if u64::from(claimed) > most {
            return Err(Fault::ArrayCount { key: key.to_owned(), claimed, most });
        }
        Ok(match tag {
            STRING => KvArray::String(self.many(claimed, |r| r.string(key))?),
            INT64 => KvArray::Int64(self.many(claimed, |r| Ok(i64::from_le_bytes(r.array()?)))?),
            UINT64 => KvArray::Uint64(self.many(claimed, |r| Ok(u64::from_le_bytes(r.array()?)))?),
            FLOAT64 => KvArray::Float64(self.many(claimed, |r| Ok(f64::from_le_bytes(r.array()?)))?),
            BOOL => KvArray::Bool(self.many(claimed, |r| r.bool(key))?),
            _ => KvArray::Bytes(self.many(claimed, |r| Ok(r.blob()?.to_vec()))?),
        })
    }

    fn many<T>(&mut self, count: u32, mut one: impl FnMut(&mut Self) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        (0..count).map(|_| one(self)).collect()
    }

    fn string(&mut self, key: &str) -> Result<String, Fault> {
        match std::str::from_utf8(self.blob()?) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Fault::ValueUtf8 { key: key.to_owned() }),
        }
    }

    fn bool(&mut self, key: &str) -> Result<bool, Fault> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [found] => Err(Fault::BoolByte { key: key.to_owned(), found }),
        }
    }

    fn blob(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.u32()?;
        self.take(u64::from(length))
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        match self.rest.split_first_chunk() {
            Some((found, rest)) => {
                self.rest = rest;
                Ok(*found)
            }
            None => Err(self.truncated(N as u64)),
        }
    }

    fn take(&mut self, needed: u64) -> Result<&'a [u8], Fault> {
        let split = usize::try_from(needed).ok().and_then(|n| self.rest.split_at_checked(n));
        let (found, rest) = split.ok_or_else(|| self.truncated(needed))?;
        self.rest = rest;
        Ok(found)
    }

    fn truncated(&self, needed: u64) -> Fault {
        let left = self.rest.len() as u64;
        Fault::KvTruncated { needed, left }
    }
}
