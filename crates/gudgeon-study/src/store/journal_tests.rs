//! Disks that fail.

use super::super::record::Outcome;
use super::*;

/// A disk with room for so many bytes; what does not fit is written in part.
struct Small {
    bytes: Vec<u8>,
    room: usize,
    can_sync: bool,
    can_cut: bool,
}

impl Disk for Small {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fits = bytes.len().min(self.room - self.bytes.len());
        self.bytes.extend(&bytes[..fits]);
        if fits == bytes.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.can_sync { Ok(()) } else { Err(io::Error::other("input/output error")) }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        if !self.can_cut {
            return Err(io::Error::other("input/output error"));
        }
        self.bytes.truncate(length as usize);
        Ok(())
    }
}

fn journal(room: usize, can_sync: bool, can_cut: bool) -> Journal<Small> {
    let disk = Small { bytes: Vec::new(), room, can_sync, can_cut };
    Journal { path: "study.journal".into(), disk, length: 0, broken: false }
}

fn record(index: usize) -> Record {
    let outcome = Outcome::Done(vec![0.5, 2.0]);
    Record { index, point: vec![index as f64], outcome, notes: Vec::new(), cpu_seconds: 0.1 }
}

fn read(journal: &Journal<Small>) -> Vec<usize> {
    let scan = frame::scan(&journal.disk.bytes, 0);
    scan.contents.iter().map(|c| Record::decode(c).expect("a record").index).collect()
}

#[test]
fn a_full_disk_costs_nothing_that_was_announced() {
    let size = {
        let mut one = journal(1000, true, true);
        one.append(&[record(0)], 0).expect("room");
        one.disk.bytes.len()
    };
    for room in 0..3 * size {
        for can_cut in [true, false] {
            let mut journal = journal(room, true, can_cut);
            let announced: Vec<usize> =
                (0..3).take_while(|&i| journal.append(&[record(i)], i).is_ok()).collect();
            assert_eq!(announced.len(), room / size);
            assert_eq!(read(&journal), announced, "room {room}");
        }
    }
}

#[test]
fn the_message_tells_what_is_safe() {
    let mut journal = journal(10, true, true);
    let error = journal.append(&[record(3)], 3).expect_err("no room").to_string();
    assert!(error.contains("study.journal"), "{error}");
    assert!(error.contains("3 samples are finished and safe"), "{error}");
}

#[test]
fn nothing_is_announced_after_a_failed_synchronisation() {
    let mut journal = journal(1000, false, true);
    assert!(journal.append(&[record(0)], 0).is_err());
    journal.disk.can_sync = true;
    assert!(journal.append(&[record(1)], 0).is_err());
    assert!(read(&journal).is_empty());
}
