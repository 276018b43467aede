//! Rows of a table of chunks, to Arrow and back. Owns the columns, and what the key of a chunk is.

use std::{collections::HashMap, sync::Arc};

use arrow::{
    array::{
        ArrayRef, AsArray as _, BinaryBuilder, BooleanArray, FixedSizeListArray, Float16Array,
        Int64Array, RecordBatch, StringBuilder, UInt64Array,
    },
    buffer::NullBuffer,
    datatypes::{DataType, Field, Int64Type, Schema, SchemaRef, UInt64Type},
    error::ArrowError,
};
use elophanto_index::{apart::Row, store::tables::Encoded};
use half::{f16, slice::HalfFloatSliceExt as _};

use super::{
    head::Head,
    packed,
    publication::{Publication, lesson_text, list_text},
};

/// The kind of the row that says which state of a repository the other rows are.
pub(super) const HEAD: &str = "head";
pub(super) const KEY: &str = "key";
pub(super) const VECTOR: &str = "vector";
pub(super) const TERMS: &str = "terms";
/// The name of the model in the metadata of a table.
pub(super) const MODEL: &str = "elophanto.model";
/// What makes Lance notice that two writers insert one key.
const PRIMARY: &str = "lance-schema:unenforced-primary-key";

/// All that a search reads of a chunk, as one value: each value of each row is a request of its own.
pub(super) const PACKED: &str = "packed";

/// What is read of a head.
pub(super) const HEADS: [&str; 8] =
    ["repo", "epoch", "count", "commit", "time", "published", "retired", "chunks"];

/// The columns of a table of vectors with so many components.
pub(super) fn schema(model: &str, dimension: usize) -> SchemaRef {
    let key = HashMap::from([(PRIMARY.to_owned(), "true".to_owned())]);
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let maybe = |name: &str, kind| Field::new(name, kind, true);
    let item = Arc::new(Field::new("item", DataType::Float16, true));
    let fields = vec![
        Field::new(KEY, DataType::Utf8, false).with_metadata(key),
        text("repo"),
        text("path"),
        text("kind"),
        text("scope"),
        maybe("changed", DataType::Int64),
        text(TERMS),
        text("digest"),
        maybe(PACKED, DataType::Binary),
        maybe(VECTOR, DataType::FixedSizeList(item, dimension as i32)),
        maybe("epoch", DataType::UInt64),
        maybe("count", DataType::UInt64),
        text("commit"),
        maybe("time", DataType::Int64),
        maybe("published", DataType::Int64),
        maybe("retired", DataType::Boolean),
        maybe("chunks", DataType::UInt64),
    ];
    let said = HashMap::from([(MODEL.to_owned(), model.to_owned())]);
    Arc::new(Schema::new(fields).with_metadata(said))
}

/// One row: a chunk with its words, or a head.
enum One<'a> {
    Chunk { key: String, digest: String, row: &'a Row, terms: &'a str },
    Head { key: String, digest: String, head: &'a Head },
}

impl<'a> One<'a> {
    fn row(&self) -> Option<&'a Row> {
        match self {
            Self::Chunk { row, .. } => Some(row),
            Self::Head { .. } => None,
        }
    }

    fn head(&self) -> Option<&'a Head> {
        match self {
            Self::Head { head, .. } => Some(head),
            Self::Chunk { .. } => None,
        }
    }
}

/// The rows of a publication: its chunks, and its head.
///
/// # Errors
/// When a vector has another number of components.
pub(super) fn encode(publication: &Publication) -> Result<RecordBatch, ArrowError> {
    let Publication { head, model, dimension, rows } = publication;
    let dimension = *dimension;
    let mut all: Vec<One> = Vec::with_capacity(rows.len() + 1);
    let mut seen: HashMap<blake3::Hash, u64> = HashMap::new();
    for (row, terms) in rows {
        let name = name(row);
        let nth = seen.entry(name).or_default();
        let key = format!("{}-{nth}", &name.to_hex()[..32]);
        *nth += 1;
        all.push(One::Chunk { key, digest: digest(row, terms), row, terms });
    }
    let key = format!("head:{}", head.repository);
    all.push(One::Head { key, digest: head.object(), head });
    let schema = schema(model, dimension);
    let text = |of: for<'o> fn(&'o One) -> Option<&'o str>| -> ArrayRef {
        let bytes = all.iter().filter_map(of).map(str::len).sum();
        let mut texts = StringBuilder::with_capacity(all.len(), bytes);
        all.iter().for_each(|one| texts.append_option(of(one)));
        Arc::new(texts.finish())
    };
    let rows: Vec<Option<&Row>> = all.iter().map(One::row).collect();
    let heads: Vec<Option<&Head>> = all.iter().map(One::head).collect();
    let count = |of: fn(&Head) -> u64| -> ArrayRef {
        Arc::new(heads.iter().map(|head| head.map(of)).collect::<UInt64Array>())
    };
    let time = |of: fn(&Head) -> i64| -> ArrayRef {
        Arc::new(heads.iter().map(|head| head.map(of)).collect::<Int64Array>())
    };
    let vectors = || rows.iter().map(|row| row.and_then(|row| row.vector.as_ref()));
    let mut values: Vec<f16> = Vec::with_capacity(rows.len() * dimension);
    let mut scaled: Vec<f32> = Vec::with_capacity(dimension);
    for vector in vectors() {
        let before = values.len();
        match vector {
            Some(Encoded { scale, codes }) => {
                scaled.clear();
                scaled.extend(codes.iter().map(|code| f32::from(*code) * scale));
                values.resize(before + scaled.len(), f16::ZERO);
                values[before..].convert_from_f32_slice(&scaled);
            }
            None => values.resize(before + dimension, f16::ZERO),
        }
    }
    let there: NullBuffer = vectors().map(|vector| vector.is_some()).collect();
    let vectors = FixedSizeListArray::try_new(
        Arc::new(Field::new("item", DataType::Float16, true)),
        dimension as i32,
        Arc::new(Float16Array::from(values)),
        Some(there),
    )?;
    // What is known of a chunk beside its text and its vector is some hundred bytes.
    let bytes = rows.iter().flatten().map(|row| row.text.len() + dimension + 512).sum();
    let mut packed = BinaryBuilder::with_capacity(all.len(), bytes);
    for one in &all {
        match one {
            One::Chunk { row, terms, .. } => packed.append_value(packed::pack(row, terms)),
            One::Head { .. } => packed.append_null(),
        }
    }
    let changed: Int64Array = rows.iter().map(|row| row.and_then(|row| row.changed)).collect();
    let retired: BooleanArray = heads.iter().map(|head| head.map(|head| head.retired)).collect();
    RecordBatch::try_new(
        schema,
        vec![
            text(|one| match one {
                One::Chunk { key, .. } | One::Head { key, .. } => Some(key),
            }),
            text(|one| match one {
                One::Chunk { row, .. } => Some(&row.repository),
                One::Head { head, .. } => Some(&head.repository),
            }),
            text(|one| Some(one.row()?.path.as_str())),
            text(|one| Some(one.row().map_or(HEAD, |row| row.kind.name()))),
            text(|one| Some(one.row()?.scope.as_str())),
            Arc::new(changed),
            text(|one| match one {
                One::Chunk { terms, .. } => Some(terms),
                One::Head { .. } => None,
            }),
            text(|one| match one {
                One::Chunk { digest, .. } | One::Head { digest, .. } => Some(digest),
            }),
            Arc::new(packed.finish()),
            Arc::new(vectors),
            count(|head| head.epoch),
            count(|head| head.count),
            text(|one| Some(one.head()?.commit.as_str())),
            time(|head| head.time),
            time(|head| head.published),
            Arc::new(retired),
            count(|head| head.chunks),
        ],
    )
}

/// What makes a chunk the same chunk in the next state of its repository.
fn name(row: &Row) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let headings = list_text(&row.headings);
    let Row { repository, kind, path, text, .. } = row;
    for part in [repository.as_str(), kind.name(), path.as_str(), headings.as_str(), text.as_str()]
    {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize()
}

/// What else is known of it: where that is the same, the row stays as it is.
fn digest(row: &Row, terms: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    let Row { title, titled, scope, tags, lines, changed, made_from, lesson, vector, .. } = row;
    let lesson = lesson.as_ref().map(lesson_text).unwrap_or_default();
    let said = format!(
        "{title}\0{titled}\0{scope:?}\0{tags:?}\0{lines:?}\0{changed:?}\0{made_from:?}\0{lesson}"
    );
    hasher.update(said.as_bytes()).update(terms.as_bytes());
    if let Some(Encoded { scale, codes }) = vector {
        hasher.update(&scale.to_le_bytes());
        hasher.update(&codes.iter().map(|code| *code as u8).collect::<Vec<_>>());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The chunks of what was read, each with how many words to look for it has; a row that is none of ours
/// is left out.
pub(super) fn chunks(batch: &RecordBatch) -> Vec<(Row, usize)> {
    let packed = batch.column_by_name(PACKED).and_then(|column| column.as_binary_opt::<i32>());
    packed.into_iter().flatten().flatten().filter_map(packed::unpack).collect()
}

/// The heads of what was read.
pub(super) fn heads(batch: &RecordBatch) -> Option<Vec<Head>> {
    let column = |name: &str| batch.column_by_name(name);
    let (repos, commits) =
        (column("repo")?.as_string_opt::<i32>()?, column("commit")?.as_string_opt::<i32>()?);
    let number = |name: &str| column(name)?.as_primitive_opt::<UInt64Type>();
    let time = |name: &str| column(name)?.as_primitive_opt::<Int64Type>();
    let (epochs, counts, chunks) = (number("epoch")?, number("count")?, number("chunks")?);
    let (times, published) = (time("time")?, time("published")?);
    let retired = column("retired")?.as_boolean_opt()?;
    let head = |index: usize| Head {
        repository: repos.value(index).to_owned(),
        epoch: epochs.value(index),
        count: counts.value(index),
        commit: commits.value(index).to_owned(),
        time: times.value(index),
        published: published.value(index),
        retired: retired.value(index),
        chunks: chunks.value(index),
    };
    Some((0..batch.num_rows()).map(head).collect())
}
