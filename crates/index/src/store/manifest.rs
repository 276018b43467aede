//! The manifest: which segments make up the view, which of their documents are current, and the
//! stat cache that tells which files need no reading.

use elophanto_repo::{BlobId, FileStat, NotePath};

use super::{
    bits::Bits,
    codec::{Malformed, Reader, Result, Writer, unseal},
};

const MAGIC: &[u8; 8] = b"ELOMAN01";

/// Where the content of a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Number of the segment in the manifest, number of the document in the segment.
    Document { segment: u32, document: u32 },
    /// Read and found unusable, for this reason, at this line if known.
    Skipped { reason: String, line: Option<u32> },
}

/// One file of the work tree as it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    pub path: NotePath,
    pub stat: FileStat,
    /// When `stat` was taken, in nanoseconds since 1970: the racy rule needs it.
    pub recorded: i64,
    pub blob: BlobId,
    pub place: Place,
}

/// One segment of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEntry {
    /// File name without extension.
    pub name: String,
    /// Which of its documents are current.
    pub live: Bits,
    /// Chunks of the current documents.
    pub live_chunks: u32,
}

/// The whole view at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Manifest {
    /// What decides how notes are cut and analysed; another value means another view.
    pub settings: String,
    /// Model of the vectors.
    pub fingerprint: String,
    pub segments: Vec<SegmentEntry>,
    /// Sorted by path.
    pub files: Vec<FileEntry>,
}

impl Manifest {
    /// The bytes of the manifest file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::begin(MAGIC);
        out.block(self.settings.as_bytes());
        out.block(self.fingerprint.as_bytes());
        out.varint(self.segments.len() as u64);
        for segment in &self.segments {
            out.block(segment.name.as_bytes());
            segment.live.write(&mut out);
            out.u32(segment.live_chunks);
        }
        out.varint(self.files.len() as u64);
        for file in &self.files {
            write_seen(&mut out, &file.path, &file.stat, file.recorded, &file.blob);
            match &file.place {
                Place::Document { segment, document } => {
                    out.u8(0);
                    out.u32(*segment);
                    out.u32(*document);
                }
                Place::Skipped { reason, line } => {
                    out.u8(1);
                    out.block(reason.as_bytes());
                    out.u32(line.unwrap_or(0));
                }
            }
        }
        out.seal()
    }

    /// Reads a manifest file.
    ///
    /// # Errors
    /// [`Malformed`] for anything but the bytes of [`Manifest::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = unseal(MAGIC, bytes)?;
        let settings = reader.text()?.to_owned();
        let fingerprint = reader.text()?.to_owned();
        let mut segments = Vec::new();
        for _ in 0..reader.size()? {
            segments.push(SegmentEntry {
                name: reader.text()?.to_owned(),
                live: Bits::read(&mut reader)?,
                live_chunks: reader.u32()?,
            });
        }
        let mut files = Vec::new();
        for _ in 0..reader.size()? {
            files.push(read_file(&mut reader)?);
        }
        Ok(Self { settings, fingerprint, segments, files })
    }

    /// The entry of a file.
    pub fn file(&self, path: &NotePath) -> Option<&FileEntry> {
        let index = self.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        self.files.get(index)
    }
}

/// What was seen of a file: its stat and when that was taken, and the name of its content.
pub fn write_seen(
    out: &mut Writer,
    path: &NotePath,
    stat: &FileStat,
    recorded: i64,
    blob: &BlobId,
) {
    out.block(path.as_bytes());
    out.u64(stat.size);
    out.i64(stat.mtime);
    out.i64(stat.ctime);
    out.u64(stat.inode);
    out.i64(recorded);
    out.bytes.extend_from_slice(blob.as_bytes());
}

/// Back from there.
///
/// # Errors
/// [`Malformed`] if the bytes end before.
pub fn read_seen(reader: &mut Reader) -> Result<(NotePath, FileStat, i64, BlobId)> {
    let path = NotePath::new(reader.block()?);
    let stat = FileStat {
        size: reader.u64()?,
        mtime: reader.i64()?,
        ctime: reader.i64()?,
        inode: reader.u64()?,
    };
    let recorded = reader.i64()?;
    let blob = BlobId::from_bytes(reader.take(BlobId::LENGTH)?.try_into().map_err(|_| Malformed)?);
    Ok((path, stat, recorded, blob))
}

fn read_file(reader: &mut Reader) -> Result<FileEntry> {
    let (path, stat, recorded, blob) = read_seen(reader)?;
    let place = match reader.u8()? {
        0 => Place::Document { segment: reader.u32()?, document: reader.u32()? },
        1 => {
            let reason = reader.text()?.to_owned();
            let line = reader.u32()?;
            Place::Skipped { reason, line: (line > 0).then_some(line) }
        }
        _ => return Err(Malformed),
    };
    Ok(FileEntry { path, stat, recorded, blob, place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::check_damage;

    fn sample() -> Manifest {
        let file = |path: &str, place| FileEntry {
            path: path.into(),
            stat: FileStat { size: 5, mtime: -1, ctime: 7, inode: 9 },
            recorded: 11,
            blob: BlobId::of(path.as_bytes()),
            place,
        };
        let mut live = Bits::new(70, true);
        live.set(3, false);
        Manifest {
            settings: "s".to_owned(),
            fingerprint: "f".to_owned(),
            segments: vec![SegmentEntry { name: "one".to_owned(), live, live_chunks: 8 }],
            files: vec![
                file("a.md", Place::Document { segment: 0, document: 2 }),
                file("b.md", Place::Skipped { reason: "no text".to_owned(), line: Some(4) }),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let manifest = sample();
        assert_eq!(Manifest::from_bytes(&manifest.to_bytes()), Ok(manifest));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        check_damage(&sample().to_bytes(), Manifest::from_bytes);
    }
}
