//! Buffers that lie in a file go from file to file.

#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use common::samples::decode;
use hurray_wire::{copy_range, AtomicFile, Container, Source, Writer};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Pages lie alike: a writer puts data at a multiple of a page.
const OFFSET: u64 = 4096;
const LENGTH: usize = 1 << 20;

/// Bytes of a file, which must not be asked for one by one.
struct InFile<'a> {
    file: &'a File,
    stop: bool,
    written: AtomicBool,
}

impl Source for InFile<'_> {
    fn len(&self) -> u64 {
        LENGTH as u64
    }

    fn file_range(&self) -> Option<(&File, u64)> {
        Some((self.file, OFFSET))
    }

    fn pause(&self) -> io::Result<()> {
        if self.stop {
            Err(ErrorKind::Interrupted.into())
        } else {
            Ok(())
        }
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.written.store(true, Ordering::Relaxed);
        out.write_all(&content()[OFFSET as usize..])
    }
}

fn content() -> Vec<u8> {
    (0..OFFSET as usize + LENGTH).map(|i| (i * 31 % 251) as u8).collect()
}

fn put(folder: &std::path::Path, length: usize, stop: bool) -> (Result<(), hurray_wire::Error>, bool) {
    let from = folder.join("from");
    fs::write(&from, &content()[..length]).unwrap();
    let file = File::open(&from).unwrap();
    let source = InFile { file: &file, stop, written: AtomicBool::new(false) };
    let out = AtomicFile::create(&folder.join("to"), false).unwrap();
    let mut writer = Writer::new(out, vec![]).unwrap();
    let put = writer.put("w", &decode(&Desc::new(I8, 1, &[LENGTH as u64], &[LENGTH as u64])), &[&source]);
    if put.is_ok() {
        writer.finish().unwrap().commit().unwrap();
    }
    (put, source.written.load(Ordering::Relaxed))
}

#[test]
fn the_bytes_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let (put, _) = put(folder.path(), content().len(), false);
    put.unwrap();
    let bytes = fs::read(folder.path().join("to")).unwrap();
    let container = Container::open(bytes.as_slice()).unwrap();
    let range = &container.tensor(bytes.as_slice(), 0).unwrap().ranges[0];
    assert_eq!(bytes[range.start as usize..range.end as usize], content()[OFFSET as usize..]);
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_passes_through_memory() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!put(folder.path(), content().len(), false).1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_ends_before_is_an_error_and_no_file_appears() {
    let folder = tempfile::tempdir().unwrap();
    let (put, _) = put(folder.path(), content().len() - 1, false);
    assert!(matches!(put, Err(hurray_wire::Error::Io(e)) if e.kind() == ErrorKind::UnexpectedEof));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (put, _) = put(folder.path(), content().len(), true);
    assert!(matches!(put, Err(hurray_wire::Error::Io(e)) if e.kind() == ErrorKind::Interrupted));
}

#[cfg(target_os = "linux")]
#[test]
fn pages_that_lie_apart_are_left_to_plain_writes() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("from");
    fs::write(&from, content()).unwrap();
    let file = File::open(&from).unwrap();
    let to = folder.path().join("to");
    for (offset, length, inside) in
        [(0, content().len(), true), (0, 1, true), (4096, 1 << 19, true), (1, 4096, false), (4097, 300_000, false)]
    {
        let copied = copy_range(&file, offset, File::create(&to).unwrap(), length as u64, &mut || Ok(()));
        assert_eq!(copied.unwrap(), inside, "{offset} {length}");
        let expected = if inside { &content()[offset as usize..][..length] } else { &[] };
        assert_eq!(fs::read(&to).unwrap(), expected, "{offset} {length}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_takes_plain_writes_and_a_file_open_to_read_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("from");
    fs::write(&from, content()).unwrap();
    let file = File::open(&from).unwrap();
    let (_out, into) = io::pipe().unwrap();
    assert!(!copy_range(&file, 3, &into, 16, &mut || Ok(())).unwrap());
    let reader = File::open(&from).unwrap();
    assert!(!copy_range(&file, 0, &reader, 16, &mut || Ok(())).is_ok_and(|copied| copied));
}
