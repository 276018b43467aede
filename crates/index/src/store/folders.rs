//! What folders held when they were listed, as it is remembered between runs.

use std::{ffi::OsString, fs, io, path::Path, sync::Arc};

use super::{
    codec::{Malformed, Result, Writer, unseal},
    container::write_whole,
};
use elophanto_base::platform;
use elophanto_repo::{EntryKind, FileStat, Folder, Folders, NotePath};

const MAGIC: &[u8; 8] = b"ELOFOL01";

/// What is remembered in `file`; nothing where that is damaged.
pub fn load(file: &Path) -> Folders {
    fs::read(file).ok().and_then(|bytes| from_bytes(&bytes).ok()).unwrap_or_default()
}

/// Remembers it.
///
/// # Errors
/// When the file cannot be written; it is then as it was.
pub fn save(file: &Path, folders: &Folders) -> io::Result<()> {
    write_whole(file, &to_bytes(folders))
}

fn to_bytes(folders: &Folders) -> Vec<u8> {
    let mut out = Writer::begin(MAGIC);
    out.varint(folders.extensions.len() as u64);
    folders.extensions.iter().for_each(|it| out.block(it.as_bytes()));
    out.varint(folders.by_path.len() as u64);
    for (path, folder) in &folders.by_path {
        let Folder { device, stat, entries } = &**folder;
        out.block(path.as_bytes());
        [*device, stat.size, stat.inode].into_iter().for_each(|number| out.u64(number));
        [stat.mtime, stat.ctime].into_iter().for_each(|time| out.i64(time));
        out.varint(entries.len() as u64);
        for (kind, name) in entries {
            out.u8(match kind {
                EntryKind::File => 0,
                EntryKind::Folder => 1,
                EntryKind::Other => 2,
            });
            out.block(name.as_encoded_bytes());
        }
    }
    out.seal()
}

fn from_bytes(bytes: &[u8]) -> Result<Folders> {
    let mut reader = unseal(MAGIC, bytes)?;
    let mut folders = Folders::default();
    for _ in 0..reader.size()? {
        folders.extensions.push(reader.text()?.to_owned());
    }
    for _ in 0..reader.size()? {
        let path = NotePath::new(reader.block()?);
        let (device, size, inode) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let stat = FileStat { size, inode, mtime: reader.i64()?, ctime: reader.i64()? };
        let mut entries: Vec<(EntryKind, OsString)> = Vec::new();
        for _ in 0..reader.size()? {
            let kind = match reader.u8()? {
                0 => EntryKind::File,
                1 => EntryKind::Folder,
                2 => EntryKind::Other,
                _ => return Err(Malformed),
            };
            entries.push((kind, platform::path(reader.block()?).as_os_str().to_owned()));
        }
        folders.by_path.insert(path, Arc::new(Folder { device, stat, entries }));
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Folders {
        let folder = |entries: &[(EntryKind, &str)]| Folder {
            device: 1,
            stat: FileStat { size: 2, mtime: -3, ctime: 4, inode: 5 },
            entries: entries.iter().map(|(kind, name)| (*kind, name.into())).collect(),
        };
        let top = folder(&[
            (EntryKind::File, "a.md"),
            (EntryKind::Folder, "b"),
            (EntryKind::Other, ".git"),
        ]);
        let by_path = [("", top), ("b", folder(&[]))];
        let by_path = by_path.into_iter().map(|(path, folder)| (path.into(), Arc::new(folder)));
        Folders { extensions: vec!["md".to_owned()], by_path: by_path.collect() }
    }

    #[test]
    fn what_is_remembered_is_read() {
        assert_eq!(from_bytes(&to_bytes(&sample())), Ok(sample()));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let bytes = to_bytes(&sample());
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(from_bytes(&damaged), Err(Malformed), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_eq!(from_bytes(&bytes[..length]), Err(Malformed), "{length} bytes");
        }
    }
}
