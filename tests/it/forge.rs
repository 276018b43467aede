//! Tables as an attacker makes them: written by Lance or changed by hand, and given the name that
//! the digest of their files asks for.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow::{
    array::{
        ArrayRef, FixedSizeBinaryArray, FixedSizeListArray, Float32Array, Int8Array, RecordBatch,
    },
    datatypes::{DataType, Field, Schema},
};
use elophanto_index::store::{
    matrix::{Encoded, Key},
    tables::TableContent,
};
use lance::dataset::InsertBuilder;
use lance_file::format::pbfile::ColumnMetadata;
use lance_table::format::pb::Manifest;
use prost::Message;

/// Columns as the program writes them, and further ones.
pub fn batch(content: &TableContent, more: Vec<(Field, ArrayRef)>) -> RecordBatch {
    let rows = &content.rows;
    let dimension = rows[0].1.codes.len() as i32;
    let code = Arc::new(Field::new("item", DataType::Int8, false));
    let keys = FixedSizeBinaryArray::try_from_iter(rows.iter().map(|(key, _)| key)).unwrap();
    let scales: Float32Array = rows.iter().map(|(_, vector)| vector.scale).collect();
    let codes: Int8Array = rows.iter().flat_map(|(_, v)| v.codes.iter().copied()).collect();
    let codes = FixedSizeListArray::new(code.clone(), dimension, Arc::new(codes), None);
    let mut fields = vec![
        Field::new("key", DataType::FixedSizeBinary(16), false),
        Field::new("scale", DataType::Float32, false),
        Field::new("codes", DataType::FixedSizeList(code, dimension), false),
    ];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(keys), Arc::new(scales), Arc::new(codes)];
    for (field, column) in more {
        fields.push(field);
        columns.push(column);
    }
    let metadata = [
        ("elophanto.model".to_owned(), content.fingerprint.clone()),
        ("elophanto.encoding".to_owned(), "int8-row-scale".to_owned()),
    ];
    let schema = Schema::new(fields).with_metadata(metadata.into());
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

/// Writes a table and seals it.
pub fn write(folder: &Path, batch: RecordBatch) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let table = folder.join("unsealed.lance");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        InsertBuilder::new(table.to_str().unwrap()).execute(vec![batch]).await.unwrap();
    });
    // The program tells Lance to leave this out.
    let _ = fs::remove_file(table.join("_versions/latest_version_hint.json"));
    seal(&table)
}

/// Writes vectors as they are, however insane.
pub fn write_rows(folder: &Path, fingerprint: &str, rows: Vec<(Key, Encoded)>) -> PathBuf {
    let content = TableContent { fingerprint: fingerprint.to_owned(), rows };
    write(folder, batch(&content, Vec::new()))
}

/// Gives a table the name that its files ask for.
pub fn seal(table: &Path) -> PathBuf {
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(table)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.strip_prefix(table).unwrap().to_str().unwrap();
        // A file of gigabytes is refused before its digest is asked for.
        let bytes = if fs::metadata(&file).unwrap().len() > 1 << 28 {
            Vec::new()
        } else {
            fs::read(&file).unwrap()
        };
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }
    let digest = &hasher.finalize().to_hex()[..32];
    let ulid = ulid::Ulid::new().to_string().to_lowercase();
    let sealed = table.with_file_name(format!("{ulid}-{digest}.lance"));
    fs::rename(table, &sealed).unwrap();
    sealed
}

/// The only file in a folder of a table.
pub fn file_in(table: &Path, folder: &str) -> PathBuf {
    let mut files = fs::read_dir(table.join(folder)).unwrap();
    files.next().unwrap().unwrap().path()
}

/// Changes the manifest of a table and seals it anew.
pub fn edit_manifest(table: &Path, edit: impl FnOnce(&mut Manifest)) -> PathBuf {
    let path = file_in(table, "_versions");
    let bytes = fs::read(&path).unwrap();
    let tail = bytes.len() - 16;
    let start = u64::from_le_bytes(bytes[tail..tail + 8].try_into().unwrap()) as usize;
    let mut manifest = Manifest::decode(&bytes[start + 4..tail]).unwrap();
    edit(&mut manifest);
    let manifest = manifest.encode_to_vec();
    let mut edited = bytes[..start].to_vec();
    edited.extend((manifest.len() as u32).to_le_bytes());
    edited.extend(manifest);
    edited.extend(&bytes[tail..]);
    fs::write(path, edited).unwrap();
    seal(table)
}

/// Changes how the columns of a data file are described, keeps its manifest in step and seals it.
pub fn edit_columns(table: &Path, edit: impl FnOnce(&mut Vec<ColumnMetadata>)) -> PathBuf {
    let path = file_in(table, "data");
    let bytes = fs::read(&path).unwrap();
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let footer = bytes.len() - 40;
    let (first, offsets, buffers) = (u64_at(footer), u64_at(footer + 8), u64_at(footer + 16));
    let column = |number: usize| {
        let (start, length) = (u64_at(offsets + 16 * number), u64_at(offsets + 16 * number + 8));
        ColumnMetadata::decode(&bytes[start..start + length]).unwrap()
    };
    let mut columns: Vec<ColumnMetadata> = (0..3).map(column).collect();
    edit(&mut columns);
    let mut edited = bytes[..first].to_vec();
    let mut places = Vec::new();
    for column in &columns {
        let column = column.encode_to_vec();
        places.push((edited.len() as u64, column.len() as u64));
        edited.extend(column);
    }
    let of_columns = edited.len() as u64;
    for (start, length) in places {
        edited.extend(start.to_le_bytes());
        edited.extend(length.to_le_bytes());
    }
    let of_buffers = edited.len() as u64;
    edited.extend(&bytes[buffers..footer]);
    edited.extend((first as u64).to_le_bytes());
    edited.extend(of_columns.to_le_bytes());
    edited.extend(of_buffers.to_le_bytes());
    edited.extend(&bytes[footer + 24..]);
    let length = edited.len() as u64;
    fs::write(path, edited).unwrap();
    edit_manifest(table, |manifest| manifest.fragments[0].files[0].file_size_bytes = length)
}
