//! Bare streams: what is written is read, item by item, and hurray-io 0.1.0 agrees.
#![allow(missing_docs, unreachable_pub)]

mod common;

use common::desc::*;
use common::samples::{composite, decode, filled, slices, sources, tensors};
use hurray_core::{BufferHandle, DeviceTag, TensorDescriptor};
use hurray_wire::{Error, Heap, InputError, Item, Limits, Memory, Source, StreamComposite, StreamReader, StreamWriter};
use std::io::{self, ErrorKind, Read, Write};

fn every(bytes: &[u8]) -> Result<Vec<Item<Vec<u8>>>, Error> {
    let mut reader = StreamReader::new(bytes, Limits::default(), false);
    let mut items = Vec::new();
    while let Some(item) = reader.next(&mut Heap)? {
        items.push(item);
    }
    Ok(items)
}

fn written(tensors: &[(TensorDescriptor, Vec<Vec<u8>>)]) -> Vec<u8> {
    let mut writer = StreamWriter::new(Vec::new(), false);
    for (descriptor, buffers) in tensors {
        writer.put(descriptor, &sources(buffers)).unwrap();
    }
    writer.finish().unwrap()
}

/// Every kind of tensor. An empty buffer declares what writers make of it (buffers.md §2).
fn all() -> Vec<(TensorDescriptor, Vec<Vec<u8>>)> {
    let with_data = |(seed, mut d): (usize, TensorDescriptor)| {
        for handle in d.buffers.iter_mut().filter(|handle| handle.is_empty()) {
            *handle = BufferHandle::empty(DeviceTag::Cpu);
        }
        let buffers = filled(&d, seed as u8);
        (d, buffers)
    };
    tensors().into_iter().map(|(_, d)| d).enumerate().map(with_data).collect()
}

/// Outer group of a partition of two halves and a lone tensor.
fn nested() -> Vec<(TensorDescriptor, Vec<Vec<u8>>)> {
    let (outer, inner, leaves) = composite();
    let leaf = |i: usize| (leaves[i].clone(), filled(&leaves[i], i as u8));
    vec![(outer, vec![]), (inner, vec![]), leaf(0), leaf(1), leaf(2)]
}

#[test]
fn the_worked_example_of_the_format() {
    // stream.md §14: 202 bytes, three tensors.
    let mut bytes = Desc::dense(&[2, 3]).bytes();
    bytes.extend((1..=6u8).flat_map(|i| f32::from(i).to_le_bytes()));
    bytes.extend(Desc::new(I8, 1, &[3], &[3]).bytes());
    bytes.extend([1, 2, 3]);
    let mut empty = Desc::dense(&[0, 4]);
    empty.handles[0][8] = 1;
    bytes.extend(empty.bytes());
    assert_eq!(bytes.len(), 202);
    let items = every(&bytes).unwrap();
    assert_eq!(items.len(), 3);
    let Item::Tensor(d, buffers) = &items[1] else { panic!("no tensor") };
    assert_eq!((d.shape.dims(), &buffers[..]), (&[3][..], &[vec![1, 2, 3]][..]));
    let Item::Tensor(_, buffers) = &items[2] else { panic!("no tensor") };
    assert_eq!(buffers[..], [Vec::<u8>::new()]);
}

#[test]
fn every_kind_of_tensor_comes_back() {
    let tensors = all();
    let expected: Vec<_> = tensors.iter().map(|(d, buffers)| Item::Tensor(d.clone(), buffers.clone())).collect();
    assert_eq!(every(&written(&tensors)).unwrap(), expected);
}

#[test]
fn composites_are_one_item_each() {
    let parts = nested();
    let leaf = |i: usize| Item::Tensor(parts[i].0.clone(), parts[i].1.clone());
    let inner = StreamComposite { head: parts[1].0.clone(), members: vec![leaf(2), leaf(3)] };
    let outer = StreamComposite { head: parts[0].0.clone(), members: vec![Item::Composite(inner), leaf(4)] };
    let mut stream = parts.clone();
    stream.push(parts[4].clone());
    stream.push((decode(&head_desc(3, 0, 0, &[4])), vec![]));
    let items = every(&written(&stream)).unwrap();
    let nobody = StreamComposite { head: stream[6].0.clone(), members: vec![] };
    assert_eq!(items, [Item::Composite(outer), leaf(4), Item::Composite(nobody)]);
}

#[test]
fn the_end_is_clean_between_items_and_nowhere_else() {
    let parts = nested();
    let stream = [&parts[4..], &parts[..], &parts[4..]].concat();
    let bytes = written(&stream);
    let (first, last) = (written(&stream[..1]).len(), bytes.len() - written(&stream[6..]).len());
    for end in 0..bytes.len() {
        let read = every(&bytes[..end]);
        match [0, first, last].contains(&end) {
            true => assert!(read.is_ok(), "{end}"),
            false => {
                let Err(Error::Bad(problem)) = read else { panic!("{end}: {read:?}") };
                assert!(["S-1", "S-13"].contains(&problem.fault.code()), "{end}: {problem}");
                assert!(problem.offset.is_some_and(|at| at <= end as u64));
            }
        }
    }
}

#[test]
fn a_reader_is_at_its_end_after_an_error() {
    let mut bytes = written(&all()[..2]);
    bytes.extend(b"garbage");
    bytes.extend(written(&all()[..1]));
    let mut reader = StreamReader::new(&bytes[..], Limits::default(), false);
    assert!(matches!(reader.next(&mut Heap), Ok(Some(_))));
    assert!(matches!(reader.next(&mut Heap), Ok(Some(_))));
    assert!(reader.next(&mut Heap).is_err());
    assert!(matches!(reader.next(&mut Heap), Ok(None)));
}

/// Gives one byte at a time, and is interrupted before each.
struct Dribble<'a>(&'a [u8], bool);

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(ErrorKind::Interrupted.into());
        }
        let count = out.len().min(1);
        self.0.read(&mut out[..count])
    }
}

#[test]
fn an_item_is_there_with_its_last_byte_and_nothing_behind_it_is_taken() {
    let tensors = all();
    let bytes = written(&tensors);
    let mut reader = StreamReader::new(Dribble(&bytes, false), Limits::default(), false);
    let mut end = 0;
    for tensor in &tensors {
        assert_eq!(reader.next(&mut Heap).unwrap(), Some(Item::Tensor(tensor.0.clone(), tensor.1.clone())));
        end += written(std::slice::from_ref(tensor)).len() as u64;
        assert_eq!(reader.position(), end);
    }
    assert_eq!(reader.next(&mut Heap).unwrap(), None);
    assert_eq!(reader.into_inner().0.len(), 0);
}

/// Refuses to make memory, and says how much was wanted.
struct Nothing(Vec<u64>);

impl Memory for Nothing {
    type Buffer = ();

    fn receive(&mut self, length: u64, from: &mut dyn Read) -> io::Result<()> {
        self.0.push(length);
        io::copy(from, &mut io::sink()).map(|_| ())
    }
}

#[test]
fn memory_that_takes_too_little_is_an_error_and_not_a_shifted_stream() {
    struct Lazy;
    impl Memory for Lazy {
        type Buffer = ();
        fn receive(&mut self, _: u64, _: &mut dyn Read) -> io::Result<()> {
            Ok(())
        }
    }
    let bytes = written(&all()[..1]);
    let mut reader = StreamReader::new(&bytes[..], Limits::default(), false);
    assert!(matches!(reader.next(&mut Lazy), Err(Error::Io(_))));
    let mut reader = StreamReader::new(&bytes[..], Limits::default(), false);
    let mut memory = Nothing(vec![]);
    assert!(reader.next(&mut memory).unwrap().is_some());
    assert_eq!(memory.0, [48]);
}

#[test]
fn a_claim_of_2_to_the_62_makes_no_memory() {
    let huge = Desc::new(I8, 1, &[1 << 62], &[1 << 62]).bytes();
    let Err(Error::Bad(problem)) = every(&[huge, vec![1; 100]].concat()) else { panic!("accepted") };
    assert_eq!(problem.fault.code(), "S-1");
    // A head's members are counted as they come.
    let Err(Error::Bad(problem)) = every(&head_desc(3, 0, u32::MAX - 1, &[4]).bytes()) else { panic!("accepted") };
    assert_eq!(problem.fault.code(), "S-13");
}

#[test]
fn readers_go_deeper_than_the_format_and_writers_do_not() {
    let deep = |levels: usize| {
        let mut bytes = Vec::new();
        (0..levels).for_each(|_| bytes.extend(head_desc(3, 0, 1, &[4]).bytes()));
        [bytes, Desc::dense(&[1]).bytes(), vec![0; 4]].concat()
    };
    assert_eq!(every(&deep(64)).unwrap().len(), 1);
    let Err(Error::Bad(problem)) = every(&deep(65)) else { panic!("accepted") };
    assert_eq!(problem.fault.code(), "S-15");
    let head = decode(&head_desc(3, 0, 1, &[4]));
    let mut writer = StreamWriter::new(Vec::new(), false);
    (0..8).for_each(|_| writer.put(&head, &[]).unwrap());
    assert!(matches!(writer.put(&head, &[]), Err(Error::Bad(problem)) if problem.fault.code() == "F-43"));
}

/// Counts writes, and fails at the byte that it is told to.
#[derive(Default)]
struct Pipe {
    writes: usize,
    taken: Vec<u8>,
    breaks_at: Option<usize>,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.breaks_at.map_or(bytes.len(), |at| at.saturating_sub(self.taken.len()));
        if room == 0 {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.writes += 1;
        let taken = &bytes[..bytes.len().min(room)];
        self.taken.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_small_tensor_is_one_write_and_is_handed_over_at_once() {
    let tensors = all();
    let mut writer = StreamWriter::new(Pipe::default(), false);
    for (at, (d, buffers)) in tensors.iter().enumerate() {
        writer.put(d, &sources(buffers)).unwrap();
        assert_eq!(writer.get_ref().writes, at + 1);
        assert_eq!(every(&writer.get_ref().taken).unwrap().len(), at + 1);
    }
}

#[test]
fn after_a_failed_write_nothing_can_be_completed() {
    let (d, buffers) = &all()[0];
    let mut writer = StreamWriter::new(Pipe { breaks_at: Some(150), ..Pipe::default() }, false);
    writer.put(d, &sources(buffers)).unwrap();
    assert!(matches!(writer.put(d, &sources(buffers)), Err(Error::Io(e)) if e.kind() == ErrorKind::BrokenPipe));
    assert!(matches!(writer.put(d, &sources(buffers)), Err(Error::Input(e)) if *e == InputError::Broken));
    assert!(matches!(writer.finish(), Err(Error::Input(e)) if *e == InputError::Broken));
}

#[test]
fn a_write_that_fails_before_its_first_byte_leaves_the_stream_as_it_was() {
    let (d, buffers) = &all()[0];
    let mut writer = StreamWriter::new(Pipe { breaks_at: Some(0), ..Pipe::default() }, false);
    for _ in 0..2 {
        assert!(matches!(writer.put(d, &sources(buffers)), Err(Error::Io(e)) if e.kind() == ErrorKind::BrokenPipe));
    }
    assert!(!writer.broken());
    assert!(writer.finish().unwrap().taken.is_empty());
}

#[test]
fn what_is_refused_leaves_the_stream_as_it_was() {
    let (d, buffers) = &all()[0];
    let mut writer = StreamWriter::new(Vec::new(), true);
    writer.put(d, &sources(buffers)).unwrap();
    let before = writer.get_ref().len();
    let dynamic = decode(&Desc::new(F32, 1, &[DYNAMIC], &[8]));
    let waiting = decode(&Desc::dense(&[2]).handle_byte(0, 12, 1).handle_byte(0, 13, 1));
    let eight: &dyn Source = &vec![0u8; 8];
    assert!(
        matches!(writer.put(&dynamic, &[eight]), Err(Error::Input(e)) if matches!(*e, InputError::DynamicShape { dim: 0, .. }))
    );
    assert!(matches!(writer.put(&waiting, &[eight]), Err(Error::Bad(p)) if p.fault.code() == "S-11"));
    assert!(
        matches!(writer.put(d, &[eight]), Err(Error::Input(e)) if matches!(*e, InputError::WrongBufferSize { .. }))
    );
    assert!(matches!(writer.put(d, &[]), Err(Error::Input(e)) if matches!(*e, InputError::WrongBufferCount { .. })));
    assert_eq!(writer.get_ref().len(), before);
    writer.put(d, &sources(buffers)).unwrap();
    assert_eq!(every(&writer.finish().unwrap()).unwrap().len(), 2);
}

#[test]
fn an_open_composite_cannot_end_the_stream() {
    let parts = nested();
    let mut writer = StreamWriter::new(Vec::new(), false);
    for (d, buffers) in &parts[..3] {
        writer.put(d, &sources(buffers)).unwrap();
    }
    assert!(matches!(writer.finish(), Err(Error::Bad(p)) if p.fault.code() == "S-13"));
}

#[test]
fn the_peer_reads_ours_and_we_read_theirs() {
    let (tensors, nested) = (all(), nested());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ours = written(&tensors);
    runtime.block_on(async {
        let mut theirs = Vec::new();
        let mut writer = hurray_io::stream::StreamWriter::new(&mut theirs);
        for (d, buffers) in &tensors {
            writer.write_tensor(d, &slices(buffers)).await.unwrap();
        }
        writer.finish().await.unwrap();
        let expected: Vec<_> = tensors.iter().map(|(d, b)| Item::Tensor(d.clone(), b.clone())).collect();
        assert_eq!(every(&theirs).unwrap(), expected);
        let mut reader = hurray_io::stream::StreamReader::new(&ours[..]);
        for (d, buffers) in &tensors {
            let got = reader.next_tensor().await.unwrap().unwrap();
            assert_eq!(got.descriptor, *d);
            assert_eq!(got.buffers.iter().map(|b| b.to_vec()).collect::<Vec<_>>(), *buffers);
        }
        assert!(reader.next_tensor().await.unwrap().is_none());
        let ours = written(&nested);
        let mut reader = hurray_io::stream::StreamReader::new(&ours[..]);
        assert!(reader.next_item().await.unwrap().is_some());
        assert!(reader.next_item().await.unwrap().is_none());
    });
}

/// A source that fails before its end.
struct Failing(u64);

impl Source for Failing {
    fn len(&self) -> u64 {
        self.0
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[0])?;
        Err(ErrorKind::Interrupted.into())
    }
}

#[test]
fn a_small_tensor_whose_source_fails_leaves_the_stream_whole() {
    let (d, buffers) = &all()[0];
    let mut writer = StreamWriter::new(Vec::new(), false);
    writer.put(d, &sources(buffers)).unwrap();
    assert!(matches!(writer.put(d, &[&Failing(48)]), Err(Error::Io(_))));
    writer.put(d, &sources(buffers)).unwrap();
    assert_eq!(every(&writer.finish().unwrap()).unwrap().len(), 2);
    let large = decode(&Desc::new(I8, 1, &[1 << 17], &[1 << 17]));
    let mut writer = StreamWriter::new(Vec::new(), false);
    assert!(matches!(writer.put(&large, &[&Failing(1 << 17)]), Err(Error::Io(_))));
    assert!(matches!(writer.finish(), Err(Error::Input(e)) if *e == InputError::Broken));
}
