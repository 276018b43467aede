//! The pipes of a running program: each has a thread, because each may stand still for as long as
//! another is not attended to.

use std::{
    io::{Read, Write},
    process::Child,
    sync::mpsc::{Receiver, channel},
    thread,
    time::Instant,
};

/// Bytes taken at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// What was said on one stream.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub bytes: Vec<u8>,
    /// There was more.
    pub cut: bool,
}

/// Both streams of a program, being read.
pub(super) struct Pipes([Receiver<Said>; 2]);

/// Begins to write what a program reads and to read what it says, `max` bytes of each stream.
pub(super) fn attend(child: &mut Child, stdin: &[u8], max: usize) -> Pipes {
    if let Some(mut pipe) = child.stdin.take() {
        let input = stdin.to_vec();
        // A program that does not read what it is given says by its exit code whether that matters.
        thread::spawn(move || pipe.write_all(&input));
    }
    Pipes([listen(child.stdout.take(), max), listen(child.stderr.take(), max)])
}

impl Pipes {
    /// What was said until both streams were closed; `None` when that takes too long. The threads
    /// end when the streams do.
    pub(super) fn collect(self, deadline: Option<Instant>) -> Option<[Said; 2]> {
        let [out, err] = self.0;
        let said = |pipe: &Receiver<Said>| match deadline {
            Some(deadline) => {
                pipe.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
            }
            None => pipe.recv().ok(),
        };
        Some([said(&out)?, said(&err)?])
    }
}

fn listen(pipe: Option<impl Read + Send + 'static>, max: usize) -> Receiver<Said> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let said = pipe.map(|pipe| read(pipe, max)).unwrap_or_default();
        // Whoever asked may have lost patience.
        let _ = sender.send(said);
    });
    receiver
}

/// What cannot be read to its end is what was said until then.
fn read(mut pipe: impl Read, max: usize) -> Said {
    let mut said = Said::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let taken = match pipe.read(&mut chunk) {
            Ok(0) => return said,
            Ok(count) => chunk.get(..count).unwrap_or_default(),
            Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return said,
        };
        let kept = taken.len().min(max.saturating_sub(said.bytes.len()));
        said.bytes.extend_from_slice(taken.get(..kept).unwrap_or_default());
        said.cut |= kept < taken.len();
    }
}
