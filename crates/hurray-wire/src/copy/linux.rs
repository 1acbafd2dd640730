//! Inside the system where pages lie alike in both files, else through a little memory.

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

const PAGE: u64 = 4096;
/// How much is copied inside the system between two looks at what else there is to do.
const STEP: u64 = 16 << 20;
/// A piece that stays in the processor's cache between reading and writing it.
const PIECE: usize = 256 << 10;
/// How long what else there is may wait.
const PATIENCE: Duration = Duration::from_millis(50);
/// Pieces on their way at once.
const PIECES: usize = 3;

type Between<'a> = &'a mut dyn FnMut() -> io::Result<()>;

pub(super) fn copy(from: &File, offset: u64, to: BorrowedFd<'_>, length: u64, between: Between<'_>) -> io::Result<()> {
    let end = offset.checked_add(length).ok_or(ErrorKind::InvalidInput)?;
    between()?;
    // Where pages lie apart, the system copies each one in two halves, which is the slower way.
    let alike = rustix::fs::seek(to, SeekFrom::Current(0)).is_ok_and(|at| at % PAGE == offset % PAGE);
    if alike && inside(from, offset, to, end, between)? {
        return Ok(());
    }
    through_memory(from, offset, to, end, between)
}

/// `copy_file_range`, as `cp` does it; false, with nothing copied, where it cannot.
fn inside(from: &File, offset: u64, to: BorrowedFd<'_>, end: u64, between: Between<'_>) -> io::Result<bool> {
    let (mut at, mut looked) = (offset, Instant::now());
    while at < end {
        let step = (end - at).min(STEP) as usize;
        match rustix::fs::copy_file_range(from, Some(&mut at), to, None, step) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) if looked.elapsed() < PATIENCE => {}
            Ok(_) | Err(Errno::INTR) => {
                between()?;
                looked = Instant::now();
            }
            // Another file system, an old kernel, a file opened to append.
            Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::BADF | Errno::PERM)
                if at == offset =>
            {
                return Ok(false)
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

thread_local! {
    /// Pieces of earlier copies: memory that is in place already.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// One thread reads ahead while this one writes.
fn through_memory(from: &File, offset: u64, to: BorrowedFd<'_>, end: u64, between: Between<'_>) -> io::Result<()> {
    let count = (end - offset).div_ceil(PIECE as u64);
    let on_the_way = count.min(PIECES as u64);
    thread::scope(|scope| {
        let (full, filled) = sync_channel(PIECES);
        let (emptied, empty) = channel();
        for _ in 0..on_the_way {
            let spare = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
            emptied.send(spare).map_err(io::Error::other)?;
        }
        scope.spawn(move || read_ahead(from, offset, end, &empty, &full));
        let mut looked = Instant::now();
        for piece in on_the_way..count + on_the_way {
            let bytes: Vec<u8> = filled.recv().map_err(io::Error::other)??;
            write_all(to, &bytes, between)?;
            if looked.elapsed() > PATIENCE {
                between()?;
                looked = Instant::now();
            }
            if piece >= count {
                SPARE.with_borrow_mut(|spare| spare.push(bytes));
            } else {
                // The reader may have failed, which the next piece then says.
                let _ = emptied.send(bytes);
            }
        }
        Ok(())
    })
}

fn read_ahead(from: &File, offset: u64, end: u64, empty: &Receiver<Vec<u8>>, full: &SyncSender<io::Result<Vec<u8>>>) {
    let mut at = offset;
    while at < end {
        // The writer is gone when it failed.
        let Ok(mut piece) = empty.recv() else { return };
        piece.resize((end - at).min(PIECE as u64) as usize, 0);
        let read = from.read_exact_at(&mut piece, at);
        at += piece.len() as u64;
        let failed = read.is_err();
        if full.send(read.map(|()| piece)).is_err() || failed {
            return;
        }
    }
}

fn write_all(to: BorrowedFd<'_>, mut bytes: &[u8], between: Between<'_>) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(to, bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        // A signal shows as an interrupted write or as a short one.
        if !bytes.is_empty() {
            between()?;
        }
    }
    Ok(())
}
