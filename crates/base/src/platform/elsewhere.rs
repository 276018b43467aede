//! As a system has it of which nothing is known but the standard library.

use std::{
    fs::{File, Metadata},
    io,
    path::Path,
    process::{Command, ExitStatus},
    time::{SystemTime, UNIX_EPOCH},
};

use super::not_here;

/// A name is text; other bytes are a name that nothing has.
pub fn path(bytes: &[u8]) -> &Path {
    Path::new(std::str::from_utf8(bytes).unwrap_or("\u{fffd}"))
}

/// Nobody says who may write it, so everybody may.
pub fn rights(_: &Metadata) -> u32 {
    0o666
}

pub fn set_rights(_: &File, _: u32) -> io::Result<()> {
    Err(not_here("rights of a file"))
}

pub fn set_rights_at(_: &Path, _: u32) -> io::Result<()> {
    Err(not_here("rights of a file"))
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

/// What it starts goes on when it ends.
pub fn own_group(command: &mut Command) -> &mut Command {
    command
}

/// Who ends a child ends the child alone.
pub fn end_group(_: u32, _: bool) {}

pub fn ended_by(_: ExitStatus) -> Option<i32> {
    None
}
