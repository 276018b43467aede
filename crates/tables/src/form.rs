//! What Lance's own metadata says of a table, held against what this program writes, before Lance
//! acts on it.
//!
//! Lance follows what a table says: files elsewhere, columns that unfold to a thousand times their
//! size. So nothing is decoded of a table that is not exactly of this form: our three columns of
//! fixed width, every file in the table's folder, every value in a place of its own, so that what is
//! decoded is hardly larger than the files. Only bytes in memory are looked at, and nothing is
//! allocated that they do not hold.

use std::collections::HashMap;

use lance_encoding::format::pb21 as layout;
use lance_file::format::{pb as schema, pbfile};
use lance_table::format::pb as table;
use layout::{
    CompressiveEncoding, compressive_encoding::Compression, full_zip_layout::Details,
    page_layout::Layout,
};
use pbfile::{ColumnMetadata, column_metadata::Page, encoding::Location};
use prost::Message;

use super::rows::{COLUMNS, ENCODING, ENCODING_KEY, MODEL_KEY};
use elophanto_index::store::tables::{Files, TableError};

/// Name of the one version of a table: Lance counts down from the largest number.
const MANIFEST: &[u8] = b"_versions/18446744073709551614.manifest";
const DATA: &[u8] = b"data/";
/// What Lance notes about how the table was made, and which version is the newest where it is not
/// told to leave that out. Not read.
const NOTES: [&[u8]; 2] = [b"_transactions/", b"_versions/latest_version_hint.json"];
/// Most bytes of what describes a table or one of its columns.
const MOST_DESCRIPTION: usize = 64 << 10;
/// Version of Lance's data files.
const VERSION: (u16, u16) = (2, 2);
const MAGIC: &[u8] = b"LANC";
const MANIFEST_TAIL: usize = 16;
const FOOTER: usize = 40;
/// Bits of a key, of a scale, of a code.
const KEY_BITS: u64 = 128;
const SCALE_BITS: u64 = 32;
const CODE_BITS: u64 = 8;
/// Most components of a vector.
const MOST_DIMENSION: u64 = 1 << 16;

/// What is known of a table before it is decoded.
#[derive(Debug, PartialEq)]
pub(super) struct Form {
    pub(super) fingerprint: String,
    pub(super) rows: u64,
}

/// The form of a table, if it is ours.
///
/// # Errors
/// [`TableError::Shape`], [`TableError::Encoding`].
pub(super) fn of(files: &Files) -> Result<Form, TableError> {
    let manifest = manifest(files)?;
    let metadata = &manifest.schema_metadata;
    let text =
        |key: &str| metadata.get(key).and_then(|bytes| String::from_utf8(bytes.clone()).ok());
    match text(ENCODING_KEY) {
        Some(encoding) if encoding == ENCODING => {}
        other => return Err(TableError::Encoding(other.unwrap_or_default())),
    }
    let fingerprint = text(MODEL_KEY).ok_or(TableError::Shape("no model named"))?;
    if metadata.len() != 2 {
        return shape("other metadata than ours");
    }
    let dimension = dimension(&manifest)?;
    if manifest != expected(&manifest, dimension) {
        return shape("its manifest holds what none of ours does");
    }
    let mut rows = 0;
    let mut named = 0;
    for (number, fragment) in manifest.fragments.iter().enumerate() {
        let [file] = &fragment.files[..] else { return shape("a fragment of several files") };
        let Some(bytes) = is_plain(&file.path)
            .then(|| [DATA, file.path.as_bytes()].concat())
            .and_then(|name| files.0.get(&name))
        else {
            return shape("it names a file that is not in its folder");
        };
        if *fragment != expected_fragment(number, &file.path, bytes.len(), fragment.physical_rows) {
            return shape("a fragment holds what none of ours does");
        }
        data(bytes, dimension, fragment.physical_rows, metadata)?;
        rows += fragment.physical_rows;
        named += 1;
    }
    if named == 0 || files.0.keys().filter(|name| name.starts_with(DATA)).count() != named {
        return shape("a file that it does not name");
    }
    Ok(Form { fingerprint, rows })
}

/// Whether Lance needs a file to read the rows.
pub(super) fn is_read(name: &[u8]) -> bool {
    name == MANIFEST || name.starts_with(DATA)
}

fn shape<T>(why: &'static str) -> Result<T, TableError> {
    Err(TableError::Shape(why))
}

/// Whether a name can be that of a file of Lance's, and leads nowhere.
fn is_plain(name: &str) -> bool {
    name.strip_suffix(".lance")
        .is_some_and(|stem| !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn manifest(files: &Files) -> Result<table::Manifest, TableError> {
    for name in files.0.keys() {
        let is_note = NOTES.iter().any(|note| name.starts_with(note));
        if !is_note && name != MANIFEST && !name.starts_with(DATA) {
            return shape("a file that no table of ours has");
        }
    }
    let Some(bytes) = files.0.get(MANIFEST) else { return shape("no manifest") };
    let parsed = || {
        let tail = bytes.len().checked_sub(MANIFEST_TAIL)?;
        let start = usize::try_from(u64_at(bytes, tail)?).ok()?;
        let message = bytes.get(start.checked_add(4)?..tail)?;
        let length = u32_at(bytes, start)? as usize;
        let fits = bytes.len() <= MOST_DESCRIPTION && bytes.ends_with(MAGIC);
        (fits && length == message.len()).then(|| table::Manifest::decode(message).ok())?
    };
    parsed().ok_or(TableError::Shape("no manifest of ours"))
}

/// The dimension that the type of the last column names.
fn dimension(manifest: &table::Manifest) -> Result<u64, TableError> {
    manifest
        .fields
        .last()
        .and_then(|field| field.logical_type.strip_prefix("fixed_size_list:int8:"))
        .and_then(|dimension| dimension.parse().ok())
        .filter(|dimension| (1..=MOST_DIMENSION).contains(dimension))
        .ok_or(TableError::Shape("other columns than ours"))
}

/// A manifest of ours with what differs from one table to the next taken from the given one.
fn expected(given: &table::Manifest, dimension: u64) -> table::Manifest {
    let format = table::manifest::DataStorageFormat {
        file_format: "lance".to_owned(),
        version: format!("{}.{}", VERSION.0, VERSION.1),
    };
    table::Manifest {
        fields: fields(dimension),
        schema_metadata: given.schema_metadata.clone(),
        fragments: given.fragments.clone(),
        version: 1,
        writer_version: given.writer_version.clone(),
        timestamp: given.timestamp,
        max_fragment_id: given.max_fragment_id,
        transaction_file: given.transaction_file.clone(),
        transaction_section: given.transaction_section,
        data_format: Some(format),
        ..table::Manifest::default()
    }
}

fn expected_fragment(number: usize, path: &str, bytes: usize, rows: u64) -> table::DataFragment {
    let file = table::DataFile {
        path: path.to_owned(),
        fields: vec![0, 1, 2],
        column_indices: vec![0, 1, 2],
        file_major_version: VERSION.0.into(),
        file_minor_version: VERSION.1.into(),
        file_size_bytes: bytes as u64,
        ..table::DataFile::default()
    };
    table::DataFragment {
        id: number as u64,
        files: vec![file],
        physical_rows: rows,
        ..table::DataFragment::default()
    }
}

fn fields(dimension: u64) -> Vec<schema::Field> {
    let types = [
        "fixed_size_binary:16".to_owned(),
        "float".to_owned(),
        format!("fixed_size_list:int8:{dimension}"),
    ];
    let numbered = COLUMNS.into_iter().zip(types).enumerate();
    let field = |(id, (name, logical_type)): (usize, (&str, String))| schema::Field {
        name: name.to_owned(),
        id: id as i32,
        parent_id: -1,
        logical_type,
        encoding: schema::Encoding::Plain.into(),
        ..schema::Field::default()
    };
    numbered.map(field).collect()
}

/// Holds a data file against what the manifest says of it.
fn data(
    bytes: &[u8],
    dimension: u64,
    rows: u64,
    metadata: &HashMap<String, Vec<u8>>,
) -> Result<(), TableError> {
    let footer = Footer::of(bytes).ok_or(TableError::Shape("no data file of ours"))?;
    let descriptor = pbfile_descriptor(footer.schema)?;
    let expected = schema::FileDescriptor {
        schema: Some(schema::Schema { fields: fields(dimension), metadata: metadata.clone() }),
        length: rows,
    };
    if descriptor != expected {
        return shape("a data file holds other columns than ours");
    }
    // No byte is used twice, so that what is decoded is no larger than the file.
    let mut used = 0;
    for (column, description) in footer.columns.into_iter().enumerate() {
        used += pages(column, description, dimension, rows, footer.data)?;
    }
    if used > footer.data { shape("buffers that overlap") } else { Ok(()) }
}

fn pbfile_descriptor(bytes: &[u8]) -> Result<schema::FileDescriptor, TableError> {
    schema::FileDescriptor::decode(bytes).map_err(|_| TableError::Shape("no schema"))
}

/// Where the parts of a data file lie, as its last bytes say.
struct Footer<'a> {
    /// Bytes of the data, which come first.
    data: u64,
    schema: &'a [u8],
    columns: [&'a [u8]; 3],
}

impl<'a> Footer<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let at = bytes.len().checked_sub(FOOTER)?;
        let version = (u16_at(bytes, at + 32)?, u16_at(bytes, at + 34)?);
        let counts = (u32_at(bytes, at + 24)?, u32_at(bytes, at + 28)?);
        if version != VERSION || counts != (1, 3) || !bytes.ends_with(MAGIC) {
            return None;
        }
        let part = |table: u64, number: usize| {
            let entry = usize::try_from(table).ok()?.checked_add(16 * number)?;
            let start = usize::try_from(u64_at(bytes, entry)?).ok()?;
            let length = usize::try_from(u64_at(bytes, entry.checked_add(8)?)?).ok()?;
            let part = bytes.get(start..start.checked_add(length)?)?;
            (length <= MOST_DESCRIPTION).then_some((start as u64, part))
        };
        let (of_columns, of_buffers) = (u64_at(bytes, at + 8)?, u64_at(bytes, at + 16)?);
        let (data, schema) = part(of_buffers, 0)?;
        let column = |number| Some(part(of_columns, number)?.1);
        Some(Self { data, schema, columns: [column(0)?, column(1)?, column(2)?] })
    }
}

/// Holds the pages of a column against our forms of them; returns the bytes of their buffers.
fn pages(
    column: usize,
    description: &[u8],
    dimension: u64,
    rows: u64,
    data: u64,
) -> Result<u64, TableError> {
    const OTHER: TableError = TableError::Shape("a column is stored in another way than ours");
    let column_of = |bytes: &[u8]| ColumnMetadata::decode(bytes).ok();
    let described = column_of(description).ok_or(OTHER)?;
    let plain = layout_any("/lance.encodings.ColumnEncoding", &described.encoding);
    // One field, empty: values without statistics or dictionary.
    if plain != Some(vec![0x0a, 0]) || !described.buffer_offsets.is_empty() {
        return Err(OTHER);
    }
    let (mut first, mut used) = (0_u64, 0_u64);
    for page in &described.pages {
        let buffers = buffers(page, data).ok_or(OTHER)?;
        if page.priority != first || page.length == 0 || page.length > rows - first {
            return Err(OTHER);
        }
        if !is_page(column, page, dimension, &buffers) {
            return Err(OTHER);
        }
        first += page.length;
        used = used.saturating_add(buffers.iter().sum());
    }
    if first == rows { Ok(used) } else { shape("columns of different lengths") }
}

/// Sizes of a page's buffers, if they all lie in the data.
fn buffers(page: &Page, data: u64) -> Option<Vec<u64>> {
    if page.buffer_offsets.len() != page.buffer_sizes.len() {
        return None;
    }
    let inside = |(start, size): (&u64, &u64)| {
        start.checked_add(*size).is_some_and(|end| end <= data).then_some(*size)
    };
    page.buffer_offsets.iter().zip(&page.buffer_sizes).map(inside).collect()
}

/// Whether a page is stored in a way that Lance chooses for our columns.
fn is_page(column: usize, page: &Page, dimension: u64, buffers: &[u64]) -> bool {
    let Some(given) = layout_any("/lance.encodings21.PageLayout", &page.encoding)
        .and_then(|bytes| layout::PageLayout::decode(&bytes[..]).ok())
    else {
        return false;
    };
    let rows = page.length;
    let small =
        |values: CompressiveEncoding, parts| Layout::MiniBlockLayout(block(values, parts, rows));
    // A description of each chunk of values, and the values.
    let holds = |bits: u64| match buffers {
        [chunks, values] => {
            let bytes = u128::from(rows) * u128::from(bits / 8);
            *chunks <= rows.saturating_mul(4).saturating_add(8) && bytes <= u128::from(*values)
        }
        _ => false,
    };
    let Some(given) = given.layout else { return false };
    match column {
        0 if rows == 1 && buffers.is_empty() => is_constant(&given, KEY_BITS),
        0 => given == small(flat(KEY_BITS), 1) && holds(KEY_BITS),
        // Few different scales, or of like size: only here is less stored than is decoded, and
        // that is a quarter of what the keys take.
        1 if buffers.is_empty() => is_constant(&given, SCALE_BITS),
        1 => {
            let forms = [
                small(flat(SCALE_BITS), 1),
                small(bitpacked(SCALE_BITS), 1),
                small(run_lengths(flat(SCALE_BITS), flat(8)), 2),
            ];
            forms.contains(&given) && holds(0)
        }
        2 => {
            let wide = buffers == [rows.saturating_mul(dimension)];
            let codes = || list(dimension, flat(CODE_BITS));
            given == small(codes(), 1) && holds(dimension * CODE_BITS)
                || wide && given == Layout::FullZipLayout(zipped(codes(), dimension, rows))
        }
        _ => false,
    }
}

/// The bytes of an encoding that stands where it is used, if it is of this type.
fn layout_any(kind: &str, encoding: &Option<pbfile::Encoding>) -> Option<Vec<u8>> {
    let Some(Location::Direct(direct)) = encoding.as_ref()?.location.as_ref() else { return None };
    let any = prost_types::Any::decode(&direct.encoding[..]).ok()?;
    (any.type_url == kind).then_some(any.value)
}

fn all_valid() -> Vec<i32> {
    vec![layout::RepDefLayer::RepdefAllValidItem.into()]
}

fn is_constant(given: &Layout, bits: u64) -> bool {
    let Layout::ConstantLayout(given) = given else { return false };
    let expected = layout::ConstantLayout {
        layers: all_valid(),
        inline_value: given.inline_value.clone(),
        ..layout::ConstantLayout::default()
    };
    *given == expected
        && given.inline_value.as_ref().is_some_and(|value| value.len() as u64 * 8 == bits)
}

fn block(values: CompressiveEncoding, parts: u64, rows: u64) -> layout::MiniBlockLayout {
    layout::MiniBlockLayout {
        value_compression: Some(values),
        layers: all_valid(),
        num_buffers: parts,
        num_items: rows,
        has_large_chunk: true,
        ..layout::MiniBlockLayout::default()
    }
}

fn zipped(values: CompressiveEncoding, dimension: u64, rows: u64) -> layout::FullZipLayout {
    let rows = u32::try_from(rows).unwrap_or(u32::MAX);
    layout::FullZipLayout {
        num_items: rows,
        num_visible_items: rows,
        value_compression: Some(values),
        layers: all_valid(),
        details: Some(Details::BitsPerValue((dimension * CODE_BITS) as u32)),
        ..layout::FullZipLayout::default()
    }
}

fn encoding(compression: Compression) -> CompressiveEncoding {
    CompressiveEncoding { compression: Some(compression) }
}

fn flat(bits: u64) -> CompressiveEncoding {
    encoding(Compression::Flat(layout::Flat { bits_per_value: bits, data: None }))
}

fn bitpacked(bits: u64) -> CompressiveEncoding {
    encoding(Compression::InlineBitpacking(layout::InlineBitpacking {
        uncompressed_bits_per_value: bits,
        values: None,
    }))
}

fn run_lengths(values: CompressiveEncoding, lengths: CompressiveEncoding) -> CompressiveEncoding {
    encoding(Compression::Rle(Box::new(layout::Rle {
        values: Some(Box::new(values)),
        run_lengths: Some(Box::new(lengths)),
    })))
}

fn list(items: u64, values: CompressiveEncoding) -> CompressiveEncoding {
    encoding(Compression::FixedSizeList(Box::new(layout::FixedSizeList {
        items_per_value: items,
        has_validity: false,
        values: Some(Box::new(values)),
    })))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}
