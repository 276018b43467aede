//! The committed index: write-once LanceDB tables, named with the digest of their files.
//!
//! Owns everything that touches LanceDB and Arrow. A table maps keys to encoded vectors of one
//! model; it is written in a temporary folder, synced, renamed into place and never touched
//! again. What a table holds is outside data: digest, dimension, finiteness and norm are checked.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, File},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow::{
    array::{
        Array, FixedSizeBinaryArray, FixedSizeListArray, Float32Array, Int8Array, RecordBatch,
    },
    datatypes::{DataType, Field, Schema},
};
use futures::TryStreamExt;
use lancedb::query::ExecutableQuery;

use super::matrix::{Encoded, Key};

/// How vectors are encoded in the tables written by this version.
const ENCODING: &str = "int8-row-scale";
const SUFFIX: &str = ".lance";
/// Hexadecimal digits of the digest in a table's name.
const DIGEST_DIGITS: usize = 32;
/// Name of the table inside its temporary database.
const TEMPORARY_NAME: &str = "vectors";

/// What a table holds.
#[derive(Debug, Clone, PartialEq)]
pub struct TableContent {
    /// The model that made the vectors.
    pub fingerprint: String,
    pub rows: Vec<(Key, Encoded)>,
}

/// Why a table cannot be used. What it held is embedded again.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("its files differ from the digest in its name")]
    Digest,
    #[error("written in the encoding `{0}`, which this version cannot read")]
    Encoding(String),
    #[error("row {row} holds no sane vector")]
    Insane { row: usize },
    #[error("not a table of vectors: {0}")]
    Shape(&'static str),
    #[error("{0}")]
    Lance(String),
}

/// Names of the tables below the folder, sorted. What else lies there is left alone.
pub fn list(folder: &Path) -> io::Result<BTreeSet<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(cause) => return Err(cause),
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry?;
        if let Some(name) = entry.file_name().to_str()
            && is_name(name)
            && entry.file_type()?.is_dir()
        {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Reads a whole table after checking its digest.
///
/// # Errors
/// [`TableError`] for anything but exactly what was written, panics inside Lance included.
pub fn read(folder: &Path, name: &str) -> Result<TableContent, TableError> {
    let path = fs::canonicalize(folder.join(name))?;
    if digest_in(name) != Some(digest(&path)?.as_str()) {
        return Err(TableError::Digest);
    }
    let database = path.parent().unwrap_or(folder);
    let table = name.trim_end_matches(SUFFIX);
    let batches = guarded(async {
        let connection = lancedb::connect(&uri(database)?).execute().await?;
        let table = connection.open_table(table).execute().await?;
        let stream = table.query().execute().await?;
        let schema = stream.schema();
        Ok((schema, stream.try_collect::<Vec<RecordBatch>>().await?))
    });
    let (schema, batches) = batches?;
    decode(&schema, &batches)
}

/// Writes a table below `folder` and returns its name. `staging` is a folder for temporary files
/// that is never committed.
pub fn write(folder: &Path, staging: &Path, content: &TableContent) -> Result<String, TableError> {
    fs::create_dir_all(staging)?;
    let temporary = tempfile::Builder::new().prefix("table-").tempdir_in(staging)?;
    let database = fs::canonicalize(temporary.path())?;
    let batch = encode(content).map_err(|cause| TableError::Lance(cause.to_string()))?;
    guarded(async {
        let connection = lancedb::connect(&uri(&database)?).execute().await?;
        connection.create_table(TEMPORARY_NAME, batch).execute().await?;
        Ok(())
    })?;
    let written = database.join(format!("{TEMPORARY_NAME}{SUFFIX}"));
    sync_all(&written)?;
    let name =
        format!("{}-{}{SUFFIX}", ulid::Ulid::new().to_string().to_lowercase(), digest(&written)?);
    fs::create_dir_all(folder)?;
    match fs::rename(&written, folder.join(&name)) {
        Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices => {
            let near = folder.join(format!(".tmp-{name}"));
            copy_tree(&written, &near)?;
            sync_all(&near)?;
            fs::rename(&near, folder.join(&name))?;
        }
        done => done?,
    }
    File::open(folder)?.sync_all()?;
    Ok(name)
}

/// The files of a table, relative to its folder, with their contents.
///
/// # Errors
/// When a file cannot be read.
pub fn contents(folder: &Path, name: &str) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let table = folder.join(name);
    let read = |(_, path): (Vec<u8>, PathBuf)| {
        let below = path.strip_prefix(&table).unwrap_or(&path).to_owned();
        Ok((below, fs::read(&path)?))
    };
    files(&table)?.into_iter().map(read).collect()
}

/// Bytes of all files of a table.
pub fn size(folder: &Path, name: &str) -> u64 {
    files(&folder.join(name))
        .map(|files| {
            let sizes = files.iter().map(|(_, path)| fs::metadata(path).map_or(0, |m| m.len()));
            sizes.sum()
        })
        .unwrap_or(0)
}

/// Whether this is what a table is called: `<ulid>-<digest>.lance`.
pub fn is_name(name: &str) -> bool {
    digest_in(name).is_some()
}

/// The digest part of a table's name, if it is one: `<ulid>-<digest>.lance`.
fn digest_in(name: &str) -> Option<&str> {
    let (ulid, digest) = name.strip_suffix(SUFFIX)?.split_once('-')?;
    let hex = digest.len() == DIGEST_DIGITS && digest.bytes().all(|b| b.is_ascii_hexdigit());
    (ulid.len() == ulid::ULID_LEN && hex && ulid.bytes().all(|b| b.is_ascii_alphanumeric()))
        .then_some(digest)
}

/// BLAKE3 over the names and bytes of all files, in the order of their names.
fn digest(table: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    for (name, path) in files(table)? {
        let bytes = fs::read(path)?;
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(&name);
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    let mut digest = hasher.finalize().to_hex().to_string();
    digest.truncate(DIGEST_DIGITS);
    Ok(digest)
}

/// Regular files below a folder with their relative names, sorted. Anything but files and folders
/// is an error: no digest covers what a link or a pipe says, and Lance would follow it.
fn files(folder: &Path) -> io::Result<Vec<(Vec<u8>, PathBuf)>> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder).follow_links(false).max_depth(4) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            found.push((name.as_os_str().as_encoded_bytes().to_vec(), entry.into_path()));
        } else if !entry.file_type().is_dir() {
            return Err(io::Error::other(format!(
                "`{}` is no regular file",
                entry.path().display()
            )));
        }
    }
    found.sort();
    Ok(found)
}

fn sync_all(folder: &Path) -> io::Result<()> {
    for (_, path) in files(folder)? {
        File::open(path)?.sync_all()?;
    }
    File::open(folder)?.sync_all()
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for (name, path) in files(from)? {
        // SAFETY: the bytes are those of `as_encoded_bytes` of a path on this very platform.
        let target = to.join(unsafe { OsStr::from_encoded_bytes_unchecked(&name) });
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(path, target)?;
    }
    Ok(())
}

fn schema(dimension: i32, fingerprint: &str) -> Schema {
    let code = Arc::new(Field::new("item", DataType::Int8, false));
    let fields = vec![
        Field::new("key", DataType::FixedSizeBinary(16), false),
        Field::new("scale", DataType::Float32, false),
        Field::new("codes", DataType::FixedSizeList(code, dimension), false),
    ];
    let metadata = [("elophanto.model", fingerprint), ("elophanto.encoding", ENCODING)];
    Schema::new(fields)
        .with_metadata(metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into())
}

fn encode(content: &TableContent) -> Result<RecordBatch, arrow::error::ArrowError> {
    let dimension = content.rows.first().map_or(0, |(_, vector)| vector.codes.len()) as i32;
    let keys = FixedSizeBinaryArray::try_from_iter(content.rows.iter().map(|(key, _)| key))?;
    let scales: Float32Array = content.rows.iter().map(|(_, vector)| vector.scale).collect();
    let codes: Int8Array =
        content.rows.iter().flat_map(|(_, vector)| vector.codes.iter().copied()).collect();
    let schema = Arc::new(schema(dimension, &content.fingerprint));
    let codes = {
        // Built from values that are all present, so that the child carries no validity bitmap.
        let field = Arc::new(Field::new("item", DataType::Int8, false));
        FixedSizeListArray::try_new(field, dimension, Arc::new(codes), None)?
    };
    RecordBatch::try_new(schema, vec![Arc::new(keys), Arc::new(scales), Arc::new(codes)])
}

fn decode(schema: &Schema, batches: &[RecordBatch]) -> Result<TableContent, TableError> {
    let metadata = |key: &str| schema.metadata().get(key).cloned();
    let fingerprint = metadata("elophanto.model").ok_or(TableError::Shape("no model named"))?;
    match metadata("elophanto.encoding") {
        Some(encoding) if encoding == ENCODING => {}
        other => return Err(TableError::Encoding(other.unwrap_or_default())),
    }
    let mut rows = Vec::new();
    for batch in batches {
        let column =
            |name| batch.column_by_name(name).ok_or(TableError::Shape("a column is missing"));
        let keys = column("key")?.as_any().downcast_ref::<FixedSizeBinaryArray>();
        let scales = column("scale")?.as_any().downcast_ref::<Float32Array>();
        let lists = column("codes")?.as_any().downcast_ref::<FixedSizeListArray>();
        let (Some(keys), Some(scales), Some(lists)) = (keys, scales, lists) else {
            return Err(TableError::Shape("a column has another type"));
        };
        if keys.null_count() + scales.null_count() + lists.null_count() > 0 {
            return Err(TableError::Shape("a value is missing"));
        }
        for row in 0..batch.num_rows() {
            let key = keys.value(row).try_into().map_err(|_| TableError::Shape("key length"))?;
            let codes = lists.value(row);
            let codes =
                codes.as_any().downcast_ref::<Int8Array>().ok_or(TableError::Shape("code type"))?;
            let vector = Encoded { scale: scales.value(row), codes: codes.values().to_vec() };
            if !vector.is_sane(vector.codes.len()) {
                return Err(TableError::Insane { row: rows.len() });
            }
            rows.push((key, vector));
        }
    }
    Ok(TableContent { fingerprint, rows })
}

/// LanceDB takes a path that is not absolute for something else (a name starting with `db` for
/// its cloud service), so only canonical paths come here.
fn uri(path: &Path) -> Result<String, lancedb::Error> {
    let refused = |why: &str| lancedb::Error::InvalidInput {
        message: format!("`{}` {why}", path.display().to_string().escape_debug()),
    };
    match path.to_str() {
        None => Err(refused("is not UTF-8, which LanceDB asks for")),
        Some(text) if text.contains(char::is_control) => {
            Err(refused("holds control characters, which LanceDB does not take"))
        }
        Some(text) => Ok(text.to_owned()),
    }
}

/// Runs a Lance call to its end; a panic inside it is an error like any other.
fn guarded<T: Send>(
    call: impl Future<Output = Result<T, lancedb::Error>> + Send,
) -> Result<T, TableError> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(WORKER_THREAD)
            .enable_all()
            .build()?;
        runtime.block_on(call).map_err(|cause| TableError::Lance(first_line(&cause)))
    };
    // The thread's name tells the program's panic hook that the panic is dealt with here.
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name(WORKER_THREAD.to_owned())
            .spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(run)))?;
        match worker.join() {
            Ok(Ok(done)) => done,
            Ok(Err(_)) | Err(_) => Err(TableError::Lance("Lance panicked on it".to_owned())),
        }
    })
}

/// Name of the threads in which a panic means "this table is damaged".
pub const WORKER_THREAD: &str = "elophanto-tables";

fn first_line(cause: &lancedb::Error) -> String {
    cause.to_string().lines().next().unwrap_or("unknown error").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(rows: u8) -> TableContent {
        let rows = (0..rows)
            .map(|n| ([n; 16], Encoded::new(&[0.6, 0.8 * f32::from(n % 2), 0.0, 0.1])))
            .map(|(key, vector)| (key, if key[0] == 0 { Encoded::new(&[0.0; 4]) } else { vector }))
            .filter(|(_, vector)| vector.is_sane(4))
            .collect();
        TableContent { fingerprint: "test-4".to_owned(), rows }
    }

    #[test]
    fn a_table_is_read_as_written_and_damage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let tables = folder.path().join("index");
        let name = write(&tables, &folder.path().join("staging"), &content(9)).unwrap();
        assert_eq!(list(&tables).unwrap(), BTreeSet::from([name.clone()]));
        assert_eq!(read(&tables, &name).unwrap(), content(9));

        for (_, file) in files(&tables.join(&name)).unwrap() {
            let right = fs::read(&file).unwrap();
            for damaged in [
                Vec::new(),
                right[..right.len() / 2].to_vec(),
                right.iter().enumerate().map(|(i, b)| if i == 3 { b ^ 1 } else { *b }).collect(),
            ] {
                fs::write(&file, damaged).unwrap();
                assert!(matches!(read(&tables, &name), Err(TableError::Digest)), "{file:?}");
            }
            fs::remove_file(&file).unwrap();
            assert!(matches!(read(&tables, &name), Err(TableError::Digest)), "{file:?}");
            fs::write(&file, right).unwrap();
        }
        assert_eq!(read(&tables, &name).unwrap(), content(9));
    }

    #[test]
    fn only_names_of_ours_are_tables() {
        assert!(
            digest_in("01j0000000000000000000000a-0123456789abcdef0123456789abcdef.lance")
                .is_some()
        );
        for other in ["x.lance", "01j0000000000000000000000a-zz.lance", ".tmp-1", "..", "a-b.lance"]
        {
            assert!(digest_in(other).is_none(), "{other}");
        }
    }
}
