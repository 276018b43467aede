//! A program with a terminal of its own, and what that shows.

use std::{
    fs::File,
    io::{Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Rows of the terminal.
const ROWS: u16 = 200;

/// A program with a terminal of its own.
pub struct Pty {
    child: Child,
    keys: File,
    said: Arc<Mutex<Vec<u8>>>,
    columns: u16,
}

impl Pty {
    /// Starts a program in a terminal that is so many columns wide, and high enough for everything.
    pub fn start(command: &mut Command, columns: u16) -> Self {
        let size = libc::winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let (mut master, mut slave) = (0, 0);
        // SAFETY: both are places for a descriptor; nothing else is handed over.
        let opened = unsafe {
            libc::openpty(
                &raw mut master,
                &raw mut slave,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                &raw const size,
            )
        };
        assert_eq!(opened, 0);
        // SAFETY: they were just opened and are nobody else's.
        let (keys, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        command.stdin(slave.try_clone().unwrap());
        command.stdout(slave.try_clone().unwrap()).stderr(Stdio::from(slave));
        // SAFETY: both calls may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        // The parent's ends of the terminal go with the command.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let said = Arc::new(Mutex::new(Vec::new()));
        let (mut screen, log) = (keys.try_clone().unwrap(), Arc::clone(&said));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                log.lock().unwrap().extend_from_slice(&bytes[..read]);
            }
        });
        assert!(keys.as_raw_fd() > 2);
        Self { child, keys, said, columns }
    }

    /// What the screen shows now.
    pub fn screen(&self) -> vt100::Parser {
        let mut parser = vt100::Parser::new(ROWS, self.columns, 0);
        parser.process(&self.said.lock().unwrap());
        parser
    }

    /// Everything that was written to it.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&self.said.lock().unwrap()).into_owned()
    }

    /// Waits until this has been said so often.
    pub fn until(&self, text: &str, times: usize) {
        let begun = Instant::now();
        while self.said().matches(text).count() < times {
            assert!(begun.elapsed() < Duration::from_secs(60), "no {text:?}\n{}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn types(&mut self, keys: &str) {
        // The line editor has to be there first.
        std::thread::sleep(Duration::from_millis(100));
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: only sends a signal, to a child that has not been waited for.
        unsafe { libc::kill(self.child.id().cast_signed(), signal) };
    }

    /// Waits for its end: its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                std::thread::sleep(Duration::from_millis(50));
                return status.code();
            }
            if begun.elapsed() > Duration::from_secs(60) {
                let _ = self.child.kill();
                panic!("it hangs\n{}", self.said());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The same, with everything that it said.
    pub fn end(mut self) -> (Option<i32>, String) {
        (self.wait(), self.said())
    }
}
