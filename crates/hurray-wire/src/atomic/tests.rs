//! The ways around a file without a name, which this system does not need by itself.

use super::{create_named, AtomicFile};
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

/// As on a file system without unnamed files.
fn named(path: &Path) -> AtomicFile {
    let mut f = AtomicFile::create(path, true).unwrap();
    let (file, name) = create_named(&f.target).unwrap();
    (f.file, f.named) = (file, Some(name));
    f
}

#[test]
fn a_named_temporary_is_hidden_renamed_and_removed() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    let mut f = named(&path);
    f.write_all(b"new").unwrap();
    let [temporary] = &names(dir.path())[..] else { panic!("one file") };
    assert!(temporary.starts_with(".f.") && temporary.ends_with(".tmp"), "{temporary}");
    f.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    drop(named(&path));
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn bytes_move_where_a_link_is_refused() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    let mut f = AtomicFile::create(&path, true).unwrap();
    f.write_all(&vec![7; 3 << 20]).unwrap();
    f.flush().unwrap();
    f.named = Some(f.move_to_named().unwrap());
    f.commit().unwrap();
    assert!(fs::read(&path).unwrap() == vec![7; 3 << 20]);
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn a_failed_write_makes_commit_fail() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "old").unwrap();
    for large in [false, true] {
        let mut f = AtomicFile::create(&path, false).unwrap();
        // A file that cannot be written stands in for a full disk.
        f.file = fs::File::open(&path).unwrap();
        let size = if large { 1 << 20 } else { 1 };
        let written = f.write_all(&vec![0; size]).and_then(|()| f.flush());
        assert!(written.is_err());
        assert!(f.commit().is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
    assert_eq!(names(dir.path()), ["f"]);
}

#[test]
fn a_failed_rename_leaves_nothing_beside() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("f");
    let mut f = AtomicFile::create(&path, false).unwrap();
    f.write_all(b"new").unwrap();
    // Something that cannot be replaced got there in the meantime.
    fs::create_dir_all(path.join("full")).unwrap();
    assert!(f.commit().is_err());
    assert_eq!(names(dir.path()), ["f"]);
}
