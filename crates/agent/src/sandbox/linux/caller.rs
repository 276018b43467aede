//! The side of whoever wants a program to run.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::Shutdown,
    ops::ControlFlow,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::{
    request::{Reply, Request},
    sys,
};
use crate::sandbox::{
    Attend, Ended, FLOOD, Helper, Kind, Limits, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS, MAX_STDIN,
    Policy, Program, SandboxError, Stopped,
};

/// The longest pause between two looks at the clock and at whether the caller has had enough.
const LOOK_MILLISECONDS: i32 = 20;
/// How long the helper may take to end everything before it is killed itself.
const GRACE: Duration = Duration::from_secs(5);
/// How long the helper may take to read its request.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long an empty sandbox may take.
const PROBE_TIME: Duration = Duration::from_secs(5);

/// See [`crate::sandbox::probe`].
pub fn probe(helper: &Helper) -> Kind {
    let here = PathBuf::from("/");
    let policy = Policy {
        // Nothing is written when there is no program.
        root: here.clone(),
        protected: vec![here.clone()],
        write: Vec::new(),
        read: Vec::new(),
        hidden: Vec::new(),
        covered: Vec::new(),
        temporary: here.clone(),
        network: false,
        home: here,
        limits: Limits { time: PROBE_TIME, ..Limits::default() },
    };
    let attempt = |narrow: bool| {
        let request = Request::new(&policy, narrow);
        let (reply, _) =
            Standby::start(helper)?
                .converse(&request, &[], &policy, &mut |_, _| ControlFlow::Continue(()))?;
        match reply {
            Some(Reply::Entered) => Ok(()),
            Some(Reply::Failed(failure)) => Err(SandboxError::from(failure)),
            Some(_) | None => Err(SandboxError::Lost("an empty sandbox does not end".to_owned())),
        }
    };
    if !helper.narrow && attempt(false).is_ok() {
        return Kind::Full;
    }
    match attempt(true) {
        Ok(()) => Kind::Narrow,
        Err(cause) => Kind::Absent(cause.to_string()),
    }
}

/// See [`crate::sandbox::Standby`].
#[derive(Debug)]
pub struct Standby {
    child: Started,
    control: UnixStream,
    program: String,
    narrow: bool,
}

/// See [`crate::sandbox::Standby::run`].
pub fn run(
    standby: Standby,
    policy: &Policy,
    program: &Program<'_>,
    attend_to: Attend<'_>,
) -> Result<Ended, SandboxError> {
    let Program { argv, stdin, environment, folder } = *program;
    let program = argv.first().filter(|program| !program.is_empty()).ok_or(SandboxError::Empty)?;
    let bytes = argv.iter().chain(environment.keys()).chain(environment.values());
    if argv.len() > MAX_ARGUMENTS
        || bytes.map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES
        || stdin.len() > MAX_STDIN
    {
        return Err(SandboxError::TooLarge);
    }
    let single = [&policy.root, &policy.temporary, &policy.home];
    let lists = [&policy.protected, &policy.write, &policy.read, &policy.hidden];
    let covered = policy.covered.iter().flat_map(|(path, with)| [path, with]);
    for path in lists
        .into_iter()
        .flatten()
        .chain(covered)
        .chain(single)
        .map(PathBuf::as_path)
        .chain([folder])
    {
        if !path.is_absolute() {
            return Err(SandboxError::Relative(path.to_owned()));
        }
    }
    let nul = |text: &String| text.contains('\0');
    if argv.iter().any(nul) || environment.iter().any(|(name, value)| nul(name) || nul(value)) {
        let cause = io::Error::from(ErrorKind::InvalidInput);
        return Err(SandboxError::Start { program: program.clone(), source: cause });
    }
    let request = Request {
        argv: argv.to_vec(),
        environment: environment.clone(),
        folder: folder.into(),
        ..Request::new(policy, standby.narrow)
    };
    let (reply, mut ended) = standby.converse(&request, stdin, policy, attend_to)?;
    match reply {
        Some(Reply::Failed(failure)) => return Err(failure.into()),
        _ if ended.why.is_some() => {}
        Some(Reply::Ended { code, signal }) => (ended.code, ended.signal) = (code, signal),
        Some(ref reply @ (Reply::OutOfMemory | Reply::OutOfProcesses)) => {
            ended.why = reply.stopped();
        }
        Some(Reply::Entered | Reply::Started(_)) | None => {
            return Err(SandboxError::Lost("it ended without a word".to_owned()));
        }
    }
    Ok(ended)
}

impl Standby {
    /// See [`crate::sandbox::Helper::start`].
    pub fn start(helper: &Helper) -> Result<Self, SandboxError> {
        let (path, arguments) = helper.argv.split_first().ok_or(SandboxError::Empty)?;
        let failed =
            |cause: io::Error| SandboxError::Helper { program: path.clone(), source: cause };
        let (control, theirs) = UnixStream::pair().map_err(failed)?;
        // The command holds the helper's end of the socket and goes at the end of this line: only
        // then does ours tell of its end.
        let child = Command::new(path)
            .args(arguments)
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let (child, program) = (Started(child), path.clone());
        Ok(Self { child, control, program, narrow: helper.narrow })
    }

    /// See [`crate::sandbox::Standby::is_waiting`].
    pub fn is_waiting(&mut self) -> bool {
        matches!(self.child.0.try_wait(), Ok(None))
    }

    /// Gives the helper a request, and attends to it until it has ended.
    fn converse(
        self,
        request: &Request,
        stdin: &[u8],
        policy: &Policy,
        attend_to: Attend<'_>,
    ) -> Result<(Option<Reply>, Ended), SandboxError> {
        let Self { mut child, mut control, program, .. } = self;
        let failed =
            |cause: io::Error| SandboxError::Helper { program: program.clone(), source: cause };
        let mut message =
            serde_json::to_vec(request).map_err(|cause| SandboxError::Lost(cause.to_string()))?;
        message.push(b'\n');
        message.extend_from_slice(stdin);
        control.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
        // A helper that ends early has said why.
        let _ = control.write_all(&message).and_then(|()| control.shutdown(Shutdown::Write));
        let (Some(stdout), Some(stderr)) = (child.0.stdout.take(), child.0.stderr.take()) else {
            return Err(SandboxError::Lost("its output cannot be read".to_owned()));
        };
        let (limits, start) = (&policy.limits, Instant::now());
        let keep = limits.output_bytes;
        let mut stdout = Stream::new(stdout.into(), keep).map_err(failed)?;
        let mut stderr = Stream::new(stderr.into(), keep).map_err(failed)?;
        let mut reply = Stream::new(OwnedFd::from(control.try_clone().map_err(failed)?), 64 * 1024)
            .map_err(failed)?;
        let flood = keep.max(4096).saturating_mul(FLOOD);
        let mut why = None;
        while reply.is_open {
            why = if attend_to(&stdout.take(), &stderr.take()).is_break() {
                Some(Stopped::Cancelled)
            } else if start.elapsed() >= limits.time {
                Some(Stopped::Time)
            } else if stdout.seen.saturating_add(stderr.seen) > flood {
                Some(Stopped::Output)
            } else {
                None
            };
            if why.is_some() {
                let _ = control.shutdown(Shutdown::Both);
                break;
            }
            let left = limits.time.saturating_sub(start.elapsed()).as_millis().saturating_add(1);
            let pause = i32::try_from(left).unwrap_or(i32::MAX).min(LOOK_MILLISECONDS);
            attend([&mut reply, &mut stdout, &mut stderr], pause).map_err(failed)?;
        }
        let deadline = Instant::now() + GRACE;
        // What the program has said is in the pipes; they close when everything has ended.
        while (stdout.is_open || stderr.is_open) && Instant::now() < deadline {
            attend([&mut reply, &mut stdout, &mut stderr], LOOK_MILLISECONDS).map_err(failed)?;
        }
        let _ = attend_to(&stdout.take(), &stderr.take());
        let mut said = reply.replies().into_iter().peekable();
        let group = said.next_if(|reply| matches!(reply, Reply::Started(_)));
        child.end(deadline, group);
        let cut = stdout.is_cut() || stderr.is_cut();
        let reply = said.next();
        let (stdout, stderr) = (stdout.kept, stderr.kept);
        Ok((reply, Ended { code: None, signal: None, stdout, stderr, cut, why }))
    }
}

/// A helper that is not left running.
#[derive(Debug)]
struct Started(Child);

impl Started {
    /// Waits for it until the deadline, then kills it and the group it has told of.
    fn end(&mut self, deadline: Instant, group: Option<Reply>) {
        let mut pause = Duration::from_micros(100);
        while Instant::now() < deadline {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        // The helper is there still, so it has not reaped the leader or is about to end.
        if let Some(Reply::Started(leader)) = group {
            sys::kill_group(leader);
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// One of the things that the helper's processes write to.
struct Stream {
    file: std::fs::File,
    kept: Vec<u8>,
    most: usize,
    /// What was read and not taken yet.
    fresh: Vec<u8>,
    /// Bytes that were read.
    seen: usize,
    is_open: bool,
}

impl Stream {
    fn new(file: OwnedFd, most: usize) -> io::Result<Self> {
        sys::set_nonblocking(file.as_fd())?;
        Ok(Self {
            file: file.into(),
            kept: Vec::new(),
            most,
            fresh: Vec::new(),
            seen: 0,
            is_open: true,
        })
    }

    /// What was read since this was called last.
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.fresh)
    }

    fn is_cut(&self) -> bool {
        self.seen > self.kept.len()
    }

    /// What the helper has said, as far as it makes sense.
    fn replies(&self) -> Vec<Reply> {
        let lines = self.kept.split(|byte| *byte == b'\n');
        lines.map_while(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// Reads what is there, up to a buffer full.
    fn read(&mut self) {
        let mut buffer = [0; 64 * 1024];
        match self.file.read(&mut buffer) {
            Ok(0) => self.is_open = false,
            Ok(count) => {
                self.seen = self.seen.saturating_add(count);
                let room = self.most.saturating_sub(self.kept.len()).min(count);
                self.kept.extend_from_slice(buffer.get(..room).unwrap_or_default());
                self.fresh.extend_from_slice(buffer.get(..count).unwrap_or_default());
            }
            Err(cause)
                if matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.is_open = false,
        }
    }
}

/// Reads what streams have to say, waiting for it at most so long. A closed one is asked no more.
fn attend(streams: [&mut Stream; 3], milliseconds: i32) -> io::Result<()> {
    let open = streams.iter().filter(|stream| stream.is_open).count();
    if open == 0 {
        return Ok(());
    }
    let seen = {
        let files = [0, 1, 2].map(|index| {
            let stream: &Stream = &*streams[index];
            (stream.is_open.then(|| stream.file.as_fd()), libc::POLLIN)
        });
        sys::poll(files, milliseconds)?
    };
    for (stream, seen) in streams.into_iter().zip(seen) {
        if stream.is_open && (seen.readable || seen.closed) {
            stream.read();
        }
    }
    Ok(())
}
