//! As a system has it of which nothing is known but the standard library.

use std::{
    fs::{File, Metadata, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    process::{Command, ExitStatus},
    sync::OnceLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::not_here;
use crate::regular::SHARED;

/// A name is text; other bytes are a name that nothing has.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(std::str::from_utf8(bytes).unwrap_or("\u{fffd}"))
}

/// Nobody says who may write it, so everybody may.
pub fn rights(_: &Metadata) -> u32 {
    0o666
}

pub fn permissions(_: u32) -> io::Result<Permissions> {
    Err(not_here("rights of a file"))
}

pub fn set_rights(_: &File, _: u32) -> io::Result<()> {
    Err(not_here("rights of a file"))
}

pub fn set_rights_at(_: &Path, _: u32) -> io::Result<()> {
    Err(not_here("rights of a file"))
}

/// Windows then opens the link itself, which is no file; it has no pipes among files.
pub fn careful(options: &mut OpenOptions, follows: bool) {
    #[cfg(windows)]
    if !follows {
        const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(options, OPEN_REPARSE_POINT);
    }
    #[cfg(not(windows))]
    let _ = (options, follows);
}

/// Of no file more can be said than of all in its folder.
pub fn with_rights(_: &mut OpenOptions, rights: u32) -> io::Result<()> {
    if rights == SHARED { Ok(()) } else { Err(not_here("a file with rights")) }
}

/// Where the file is read next is another place then.
pub fn read_at(mut file: &File, bytes: &mut [u8], from: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(bytes)
}

pub fn make_folder(_: &Path, _: u32) -> io::Result<()> {
    Err(not_here("a folder with rights"))
}

pub fn make_folders(path: &Path, rights: u32) -> io::Result<()> {
    if path.is_dir() { Ok(()) } else { make_folder(path, rights) }
}

pub fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(not_here("a link"))
}

/// Who tries is told.
pub fn may_write(_: &Path) -> bool {
    true
}

pub fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

pub fn links(_: &Metadata) -> u64 {
    1
}

/// Of the content alone.
pub fn times(file: &Metadata) -> [i64; 2] {
    let passed =
        |time: SystemTime| i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok();
    [file.modified().ok().and_then(passed).unwrap_or(0); 2]
}

pub fn owner(_: &Metadata) -> Option<u32> {
    None
}

pub fn group(_: &Metadata) -> Option<u32> {
    None
}

pub fn user() -> Option<u32> {
    None
}

/// Since it was asked for the first time.
pub fn uptime() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed()
}

/// What it starts goes on when it ends.
pub fn own_group(command: &mut Command) -> &mut Command {
    command
}

/// Who ends a child ends the child alone.
pub fn end_group(_: u32, _: bool) {}

pub fn ask_to_end(_: u32) -> io::Result<()> {
    Err(not_here("asking a program to end"))
}

pub fn be_nice() {}

pub fn ended_by(_: ExitStatus) -> Option<i32> {
    None
}
