//! Rows to Arrow and back. Owns the columns of a table.

use std::sync::Arc;

use arrow::{
    array::{
        Array, FixedSizeBinaryArray, FixedSizeListArray, Float32Array, Int8Array, RecordBatch,
    },
    datatypes::{DataType, Field, Schema},
    error::ArrowError,
};

use elophanto_index::store::tables::{Encoded, Key, TableError};

/// How vectors are encoded in the tables written by this version.
pub(super) const ENCODING: &str = "int8-row-scale";
/// Keys of a table's metadata.
pub(super) const MODEL_KEY: &str = "elophanto.model";
pub(super) const ENCODING_KEY: &str = "elophanto.encoding";
/// The columns, in order.
pub(super) const COLUMNS: [&str; 3] = ["key", "scale", "codes"];

/// The rows of one table as Lance takes them.
///
/// # Errors
/// When vectors differ in their dimension.
pub(super) fn encode(
    fingerprint: &str,
    rows: &[(Key, Encoded)],
) -> Result<RecordBatch, ArrowError> {
    let dimension = rows.first().map_or(0, |(_, vector)| vector.codes.len()) as i32;
    let keys = FixedSizeBinaryArray::try_from_iter(rows.iter().map(|(key, _)| key))?;
    let scales: Float32Array = rows.iter().map(|(_, vector)| vector.scale).collect();
    let codes: Int8Array =
        rows.iter().flat_map(|(_, vector)| vector.codes.iter().copied()).collect();
    let schema = Arc::new(schema(dimension, fingerprint));
    let codes = {
        // Built from values that are all present, so that the child carries no validity bitmap.
        let field = Arc::new(Field::new("item", DataType::Int8, false));
        FixedSizeListArray::try_new(field, dimension, Arc::new(codes), None)?
    };
    RecordBatch::try_new(schema, vec![Arc::new(keys), Arc::new(scales), Arc::new(codes)])
}

/// Adds the rows of a batch.
///
/// # Errors
/// When it has not our columns, or a vector is none.
pub(super) fn decode(
    batch: &RecordBatch,
    rows: &mut Vec<(Key, Encoded)>,
) -> Result<(), TableError> {
    let column = |name| batch.column_by_name(name).ok_or(TableError::Shape("a column is missing"));
    let [key, scale, codes] = COLUMNS;
    let keys = column(key)?.as_any().downcast_ref::<FixedSizeBinaryArray>();
    let scales = column(scale)?.as_any().downcast_ref::<Float32Array>();
    let lists = column(codes)?.as_any().downcast_ref::<FixedSizeListArray>();
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
    Ok(())
}

fn schema(dimension: i32, fingerprint: &str) -> Schema {
    let code = Arc::new(Field::new("item", DataType::Int8, false));
    let [key, scale, codes] = COLUMNS;
    let fields = vec![
        Field::new(key, DataType::FixedSizeBinary(16), false),
        Field::new(scale, DataType::Float32, false),
        Field::new(codes, DataType::FixedSizeList(code, dimension), false),
    ];
    let metadata = [(MODEL_KEY, fingerprint), (ENCODING_KEY, ENCODING)];
    Schema::new(fields)
        .with_metadata(metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into())
}
