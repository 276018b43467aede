//! Chunks as a stream in Arrow's format, for another engine. Owns its columns.

use std::{
    io::{self, Write},
    sync::Arc,
};

use arrow::{
    array::{
        ArrayRef, Float32Builder, ListBuilder, RecordBatch, StringArray, StringBuilder,
        TimestampSecondArray, UInt32Array,
    },
    datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit},
    error::ArrowError,
};
use arrow_ipc::writer::StreamWriter;
use elophanto_index::apart::Row;

const UTC: &str = "UTC";

/// A stream of chunks that is being written; it may hold those of several models.
pub struct ArrowStream<W: Write> {
    writer: StreamWriter<W>,
    schema: SchemaRef,
}

impl<W: Write> ArrowStream<W> {
    /// Begins a stream.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(out: W) -> io::Result<Self> {
        let schema = schema();
        let writer = StreamWriter::try_new(out, &schema).map_err(of_arrow)?;
        Ok(Self { writer, schema })
    }

    /// Adds chunks of the table of a model; `commit` tells that of a repository.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(
        &mut self,
        rows: &[Row],
        model: &str,
        commit: &dyn Fn(&str) -> String,
    ) -> io::Result<()> {
        let batch = batch(self.schema.clone(), rows, model, commit).map_err(of_arrow)?;
        self.writer.write(&batch).map_err(of_arrow)
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.finish().map_err(of_arrow)?;
        self.writer.get_mut().flush()
    }
}

/// What happened to whom it is written to, if that is what it is.
fn of_arrow(cause: ArrowError) -> io::Error {
    match cause {
        ArrowError::IoError(_, cause) => cause,
        cause => io::Error::other(cause),
    }
}

fn list(kind: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", kind, true)))
}

fn schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let changed = DataType::Timestamp(TimeUnit::Second, Some(UTC.into()));
    Arc::new(Schema::new(vec![
        text("repository"),
        text("commit"),
        text("path"),
        text("kind"),
        text("title"),
        Field::new("headings", list(DataType::Utf8), false),
        text("scope"),
        Field::new("tags", list(DataType::Utf8), false),
        Field::new("first_line", DataType::UInt32, false),
        Field::new("last_line", DataType::UInt32, false),
        text("text"),
        Field::new("changed", changed, true),
        text("model"),
        Field::new("vector", list(DataType::Float32), true),
    ]))
}

fn batch(
    schema: SchemaRef,
    rows: &[Row],
    model: &str,
    commit: &dyn Fn(&str) -> String,
) -> Result<RecordBatch, ArrowError> {
    let text = |of: &dyn Fn(&Row) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
    };
    let texts = |of: fn(&Row) -> &[String]| -> ArrayRef {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for row in rows {
            of(row).iter().for_each(|text| lists.values().append_value(text));
            lists.append(true);
        }
        Arc::new(lists.finish())
    };
    let line = |of: fn(&Row) -> usize| -> ArrayRef {
        let lines = rows.iter().map(|row| u32::try_from(of(row)).unwrap_or(u32::MAX));
        Arc::new(UInt32Array::from_iter_values(lines))
    };
    let changed: TimestampSecondArray = rows.iter().map(|row| row.changed).collect();
    let mut vectors = ListBuilder::new(Float32Builder::new());
    for row in rows {
        if let Some(vector) = &row.vector {
            let values = vector.codes.iter().map(|code| f32::from(*code) * vector.scale);
            values.for_each(|value| vectors.values().append_value(value));
        }
        vectors.append(row.vector.is_some());
    }
    RecordBatch::try_new(
        schema,
        vec![
            text(&|row| row.repository.clone()),
            text(&|row| commit(&row.repository)),
            text(&|row| row.path.clone()),
            text(&|row| row.kind.name().to_owned()),
            text(&|row| row.title.clone()),
            texts(|row| &row.headings),
            text(&|row| row.scope.as_str().to_owned()),
            texts(|row| &row.tags),
            line(|row| row.lines.0),
            line(|row| row.lines.1),
            text(&|row| row.text.clone()),
            Arc::new(changed.with_timezone(UTC)),
            text(&|_| model.to_owned()),
            Arc::new(vectors.finish()),
        ],
    )
}

#[cfg(test)]
mod tests {
    use arrow::{
        array::{Array as _, AsArray as _},
        datatypes::{Float32Type, TimestampSecondType, UInt32Type},
    };
    use arrow_ipc::reader::StreamReader;
    use elophanto_index::{Kind, store::tables::Encoded};

    use super::*;

    fn row(path: &str, vector: Option<Vec<i8>>) -> Row {
        Row {
            repository: "acme/sea".to_owned(),
            path: path.to_owned(),
            kind: Kind::Note,
            title: "Otters".to_owned(),
            titled: true,
            headings: vec!["Sea".to_owned(), "Kelp".to_owned()],
            scope: elophanto_text::markdown::Scope::User,
            tags: Vec::new(),
            lines: (3, 4),
            text: "Otters hold hands.".to_owned(),
            changed: vector.is_some().then_some(7),
            made_from: None,
            lesson: None,
            vector: vector.map(|codes| Encoded { scale: 0.5, codes }),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut bytes = Vec::new();
        let mut stream = ArrowStream::new(&mut bytes).unwrap();
        let commit = |repository: &str| format!("commit of {repository}");
        stream.write(&[row("a.md", Some(vec![1, -2])), row("b.md", None)], "one", &commit).unwrap();
        // Of another model, with other components.
        stream.write(&[row("c.md", Some(vec![4, 0, 2]))], "two", &commit).unwrap();
        stream.finish().unwrap();
        let reader = StreamReader::try_new(bytes.as_slice(), None).unwrap();
        assert_eq!(reader.schema(), schema());
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [2, 1]);
        let text = |batch: &RecordBatch, name: &str, index: usize| {
            batch.column_by_name(name).unwrap().as_string::<i32>().value(index).to_owned()
        };
        let vector = |batch: &RecordBatch, index: usize| {
            let vectors = batch.column_by_name("vector").unwrap().as_list::<i32>();
            let values = vectors.is_valid(index).then(|| vectors.value(index));
            values.map(|values| values.as_primitive::<Float32Type>().values().to_vec())
        };
        let first = &batches[0];
        assert_eq!(text(first, "repository", 0), "acme/sea");
        assert_eq!(text(first, "commit", 1), "commit of acme/sea");
        assert_eq!(
            (text(first, "path", 1), text(first, "kind", 0)),
            ("b.md".into(), "note".into())
        );
        assert_eq!(text(first, "text", 0), "Otters hold hands.");
        assert_eq!((vector(first, 0), vector(first, 1)), (Some(vec![0.5, -1.0]), None));
        let headings = first.column_by_name("headings").unwrap().as_list::<i32>().value(1);
        assert_eq!(
            headings.as_string::<i32>().iter().flatten().collect::<Vec<_>>(),
            ["Sea", "Kelp"]
        );
        let changed = first.column_by_name("changed").unwrap();
        let changed = changed.as_primitive::<TimestampSecondType>();
        assert_eq!((changed.value(0), changed.is_valid(1)), (7, false));
        let lines = first.column_by_name("last_line").unwrap().as_primitive::<UInt32Type>();
        assert_eq!(lines.value(0), 4);
        assert_eq!(vector(&batches[1], 0), Some(vec![2.0, 0.0, 1.0]));
        assert_eq!(
            (text(first, "model", 0), text(&batches[1], "model", 0)),
            ("one".into(), "two".into())
        );
    }
}
