//! Tables of one plain file, for whoever does without Lance, such as tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Encoded, Files, Format, Key, TableContent, TableError};
use crate::store::codec::{Malformed, Result, Writer, unseal};

const MAGIC: &[u8; 8] = b"ELOPLN01";
const FILE: &str = "vectors";

/// One file: the model, how many rows there are of how many codes, then keys, scales and codes.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl Format for Plain {
    fn write(
        &self,
        folder: &Path,
        fingerprint: &str,
        rows: &[(Key, Encoded)],
    ) -> Result<PathBuf, TableError> {
        let dimension = rows.first().map_or(0, |(_, vector)| vector.codes.len());
        let mut out = Writer::begin(MAGIC);
        out.block(fingerprint.as_bytes());
        out.varint(rows.len() as u64);
        out.varint(dimension as u64);
        for (key, vector) in rows {
            if vector.codes.len() != dimension {
                return Err(TableError::Shape("vectors of different dimensions"));
            }
            out.bytes.extend_from_slice(key);
            out.bytes.extend_from_slice(&vector.scale.to_le_bytes());
            out.bytes.extend(vector.codes.iter().map(|&code| code as u8));
        }
        let table = folder.join("table");
        fs::create_dir(&table)?;
        fs::write(table.join(FILE), out.seal())?;
        Ok(table)
    }

    fn read(&self, files: Files) -> Result<TableContent, TableError> {
        let bytes = files.0.get(FILE.as_bytes()).filter(|_| files.0.len() == 1);
        let content = bytes.and_then(|bytes| parse(bytes).ok());
        let content = content.ok_or(TableError::Shape("no plain file"))?;
        let insane = |(_, vector): &(Key, Encoded)| !vector.is_sane(vector.codes.len());
        match content.rows.iter().position(insane) {
            Some(row) => Err(TableError::Insane { row }),
            None => Ok(content),
        }
    }
}

fn parse(bytes: &[u8]) -> Result<TableContent> {
    let mut reader = unseal(MAGIC, bytes)?;
    let fingerprint = reader.text()?.to_owned();
    let (count, dimension) = (reader.size()?, reader.size()?);
    let mut rows = Vec::new();
    for _ in 0..count {
        let key = reader.take(16)?.try_into().map_err(|_| Malformed)?;
        let scale = reader.take(4)?.try_into().map_err(|_| Malformed)?;
        let codes = reader.take(dimension)?.iter().map(|&byte| byte as i8).collect();
        rows.push((key, Encoded { scale: f32::from_le_bytes(scale), codes }));
    }
    Ok(TableContent { fingerprint, rows })
}
