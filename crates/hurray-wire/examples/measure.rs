//! Times of the operations that are watched: opening, locating, writing. Run with `--release`.

use hurray_core::{BufferHandle, DeviceTag, ElementType, LayoutDescriptor, Shape, SyncMode, TensorDescriptor};
use hurray_wire::{verify, AtomicFile, Container, Output, Source, Writer};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

const TENSORS: usize = 100_000;
const GIB: usize = 1 << 30;

fn dense(elements: u64) -> Outcome<TensorDescriptor> {
    let size = elements * 4;
    let handle = BufferHandle::new(size, 64, DeviceTag::Cpu, SyncMode::ProducerSynced)?;
    Ok(TensorDescriptor::new(
        1,
        0,
        ElementType::Float32,
        Shape::new([elements])?,
        0,
        LayoutDescriptor::RowMajor,
        vec![handle],
        None,
        None,
        None,
        None,
    )?)
}

/// The best of a few runs, in seconds on the processor: what others do meanwhile does not count.
fn best(runs: usize, mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    let mut least = f64::MAX;
    for _ in 0..runs {
        let before = cpu(start);
        work()?;
        least = least.min(cpu(start) - before);
    }
    Ok(least)
}

/// Seconds this thread has run (Linux), else seconds that have passed.
fn cpu(start: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat");
    let first = stat.ok().and_then(|s| s.split(' ').next()?.parse::<f64>().ok());
    first.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// As models have them: in no order of bytes, so that a reader cannot search but must hash.
fn names() -> Vec<String> {
    (0..TENSORS).map(|i| format!("model.layers.{i}.weight")).collect()
}

fn many(out: impl Output, names: &[String]) -> Outcome<()> {
    let (d, data) = (dense(16)?, vec![1u8; 64]);
    let mut w = Writer::new(out, vec![])?;
    for name in names {
        w.put(name, &d, &[&data as &dyn Source])?;
    }
    w.finish()?;
    Ok(())
}

/// A file of many small tensors as hurray-wire writes it.
fn small(dir: &Path) -> Outcome<()> {
    let path = dir.join("many.hrry");
    let names = names();
    let sink = best(5, || many(std::io::sink(), &names))?;
    println!("write {TENSORS} tensors to nowhere     {:8.0} ns each", sink * 1e9 / TENSORS as f64);
    let file = best(3, || {
        let mut f = AtomicFile::create(&path, false)?;
        many(&mut f, &names)?;
        Ok(f.commit()?)
    })?;
    println!("write {TENSORS} tensors to a file      {:8.0} ns each", file * 1e9 / TENSORS as f64);
    let source = File::open(&path)?;
    let open = best(9, || Container::open(&source).map(drop).map_err(Into::into))?;
    println!("open {TENSORS} entries                 {:8.2} ms", open * 1e3);
    let c = Container::open(&source)?;
    let find = best(5, || match names.iter().all(|n| c.find(n).is_some()) {
        true => Ok(()),
        false => Err("a name is missing".into()),
    })?;
    println!("find a name                          {:8.0} ns", find * 1e9 / TENSORS as f64);
    let locate = best(5, || {
        for i in 0..c.len() {
            c.tensor(&source, i)?;
        }
        Ok(())
    })?;
    println!("locate a tensor                      {:8.0} ns", locate * 1e9 / TENSORS as f64);
    let walk = best(3, || c.composites(&source).map(drop).map_err(Into::into))?;
    println!("composites of {TENSORS} tensors        {:8.2} ms", walk * 1e3);
    let all = best(2, || match verify(&source)?.len() {
        0 => Ok(()),
        n => Err(format!("{n} problems").into()),
    })?;
    println!("verify {TENSORS} tensors               {:8.2} ms", all * 1e3);
    Ok(())
}

/// One large tensor, beside a plain write of the same bytes.
fn large(dir: &Path) -> Outcome<()> {
    let data = vec![7u8; GIB];
    let d = dense(GIB as u64 / 4)?;
    let path = dir.join("large.hrry");
    let ours = best(3, || {
        let mut w = Writer::new(AtomicFile::create(&path, false)?, vec![])?;
        w.put("t", &d, &[&data as &dyn Source])?;
        Ok(w.finish()?.commit()?)
    })?;
    println!("write 1 GiB                          {:8.2} GiB/s", 1.0 / ours);
    let raw = best(3, || Ok(File::create(dir.join("raw"))?.write_all(&data)?))?;
    println!("write 1 GiB, write(2) alone          {:8.2} GiB/s", 1.0 / raw);
    Ok(())
}

fn main() -> Outcome<()> {
    let dir = std::env::temp_dir().join(format!("hurray-wire-{}", std::process::id()));
    std::fs::create_dir(&dir)?;
    let outcome = small(&dir).and_then(|()| large(&dir));
    std::fs::remove_dir_all(&dir)?;
    outcome
}
