//! The old file or the new one, whole, and nothing beside it.
#![cfg(unix)]
#![allow(missing_docs)]

use hurray_wire::AtomicFile;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::Path;
use tempfile::TempDir;

fn names(dir: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut all: Vec<String> = fs::read_dir(dir).unwrap().map(name).collect();
    all.sort();
    all
}

fn replace(path: &Path, content: &[u8]) {
    let mut f = AtomicFile::create(path, false).unwrap();
    f.write_all(content).unwrap();
    f.commit().unwrap();
}

#[test]
fn commit_puts_the_new_one_in_place() {
    for durable in [false, true] {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "old").unwrap();
        let mut f = AtomicFile::create(&path, durable).unwrap();
        f.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        f.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        f.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["f"]);
    }
}

#[test]
fn without_commit_nothing_happened() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "old").unwrap();
    let mut f = AtomicFile::create(&path, false).unwrap();
    f.write_all(&vec![1; 3 << 20]).unwrap();
    // Where files can be nameless, even a killed process leaves nothing.
    #[cfg(target_os = "linux")]
    assert_eq!(names(dir.path()), ["f"]);
    drop(f);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(dir.path()), ["f"]);
    drop(AtomicFile::create(&dir.path().join("g"), false).unwrap());
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn small_and_large_writes_keep_their_order() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    let mut f = AtomicFile::create(&path, false).unwrap();
    let mut expected = Vec::new();
    let mut seed = 1u32;
    for k in 0..400u32 {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        let length = if k % 50 == 7 { 400_000 } else { seed as usize % 9000 };
        let part = vec![k as u8; length];
        f.write_all(&part).unwrap();
        expected.extend(part);
    }
    f.commit().unwrap();
    assert!(fs::read(&path).unwrap() == expected);
}

#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let dir = TempDir::new().unwrap();
    let (sub, real) = (dir.path().join("sub"), dir.path().join("sub/real"));
    fs::create_dir(&sub).unwrap();
    fs::write(&real, "old").unwrap();
    let (direct, chained, dangling) = ("direct", "chained", "dangling");
    symlink("sub/real", dir.path().join(direct)).unwrap();
    symlink(direct, dir.path().join(chained)).unwrap();
    symlink("sub/later", dir.path().join(dangling)).unwrap();
    replace(&dir.path().join(chained), b"new");
    assert_eq!(fs::read(&real).unwrap(), b"new");
    replace(&dir.path().join(dangling), b"made");
    assert_eq!(fs::read(sub.join("later")).unwrap(), b"made");
    for link in [direct, chained, dangling] {
        assert!(fs::symlink_metadata(dir.path().join(link)).unwrap().is_symlink());
    }
    assert_eq!(names(&sub), ["later", "real"]);
    symlink("loop", dir.path().join("loop")).unwrap();
    let e = AtomicFile::create(&dir.path().join("loop"), false).unwrap_err();
    assert_eq!(e.raw_os_error(), Some(rustix::io::Errno::LOOP.raw_os_error()));
}

#[test]
fn the_mode_is_the_old_files_or_the_umasks() {
    let dir = TempDir::new().unwrap();
    let (new, plain, old) = (dir.path().join("new"), dir.path().join("plain"), dir.path().join("old"));
    let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o7777;
    fs::write(&plain, "").unwrap();
    replace(&new, b"x");
    assert_eq!(mode(&new), mode(&plain));
    for bits in [0o600, 0o640, 0o444, 0o777] {
        fs::write(&old, "").or_else(|_| fs::remove_file(&old)).unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(bits)).unwrap();
        replace(&old, b"x");
        assert_eq!(mode(&old), bits);
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let dir = TempDir::new().unwrap();
    let kind = |p: &Path| AtomicFile::create(p, false).unwrap_err().kind();
    let fifo = dir.path().join("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert_eq!(kind(dir.path()), ErrorKind::IsADirectory);
    assert_eq!(kind(Path::new("/")), ErrorKind::IsADirectory);
    assert_eq!(kind(&dir.path().join("new/")), ErrorKind::IsADirectory);
    assert_eq!(kind(&fifo), ErrorKind::InvalidInput);
    assert_eq!(kind(Path::new("/dev/null")), ErrorKind::InvalidInput);
    assert_eq!(kind(&dir.path().join("no/such")), ErrorKind::NotFound);
    assert_eq!(kind(&fifo.join("below")), ErrorKind::NotADirectory);
    assert_eq!(names(dir.path()), ["fifo"]);
}

#[test]
fn the_longest_names_work() {
    let dir = TempDir::new().unwrap();
    for name in ["x".repeat(255), "é".repeat(127)] {
        replace(&dir.path().join(&name), b"x");
        assert!(names(dir.path()).contains(&name));
    }
}

#[test]
fn two_at_once_leave_one_whole() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    replace(&path, &[9; 300_000]);
    std::thread::scope(|s| {
        for k in 0..4u8 {
            let path = &path;
            s.spawn(move || (0..40).for_each(|_| replace(path, &[k; 300_000])));
        }
        for _ in 0..200 {
            let seen = fs::read(&path).unwrap();
            assert_eq!(seen.len(), 300_000);
            assert!(seen.iter().all(|&b| b == seen[0]));
        }
    });
    assert_eq!(names(dir.path()), ["f"]);
}
