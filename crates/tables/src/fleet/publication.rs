//! One publication: a repository at a commit, as one object in Arrow's file format.
//!
//! Owns the bytes. What is read comes from whoever may write to the inbox: nothing is unpacked, every
//! size, kind and vector is checked, and keys are made here and not taken over.

use std::{collections::HashMap, sync::Arc};

use arrow::{
    array::{
        Array, ArrayRef, AsArray as _, BooleanArray, FixedSizeListArray, Float32Array, Int8Array,
        Int64Array, RecordBatch, StringArray, UInt32Array,
    },
    buffer::NullBuffer,
    datatypes::{DataType, Field, Float32Type, Int8Type, Int64Type, Schema, SchemaRef, UInt32Type},
    error::ArrowError,
};
use arrow_ipc::{Footer, reader::FileReader, root_as_footer, root_as_message, writer::FileWriter};
use elophanto_index::{
    Kind,
    apart::Row,
    store::{
        segment::{LessonRecord, MadeFrom},
        tables::Encoded,
    },
};

use super::head::Head;

/// Most bytes of a publication.
pub const MOST_BYTES: u64 = 512 << 20;
/// Most bytes of a text, and of what else is said of a chunk.
const MOST_TEXT: usize = 1 << 20;
const MOST_WORDS: usize = 64 << 10;
/// Most components of a vector.
pub(super) const MOST_DIMENSION: usize = 8 << 10;
/// Most bytes of what it says of itself, columns, and bytes of the name of one.
const MOST_SAID: usize = 64 << 10;
const MOST_COLUMNS: usize = 64;
const MOST_NAME: usize = 64;
/// Most headings above a chunk, and tags of it.
const MOST_LISTED: usize = 256;
/// Rows of one batch.
const BATCH: usize = 8_192;

/// What a lesson may be about.
const LESSONS: [&str; 3] = ["error", "success", "pattern"];

const FORMAT: &str = "1";
const MAGIC: &[u8] = b"ARROW1";

/// What is published of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    pub head: Head,
    /// Fingerprint of the model of the vectors, and their components.
    pub model: String,
    pub dimension: usize,
    /// Chunks, each with the words to look for.
    pub rows: Vec<(Row, String)>,
}

impl Publication {
    /// The bytes of the object.
    ///
    /// # Errors
    /// When a vector has another number of components than it says.
    pub fn encode(&self) -> Result<Vec<u8>, ArrowError> {
        let schema = self.schema();
        let mut writer = FileWriter::try_new(Vec::new(), &schema)?;
        for rows in self.rows.chunks(BATCH) {
            writer.write(&self.batch(schema.clone(), rows)?)?;
        }
        writer.finish()?;
        writer.into_inner()
    }

    fn schema(&self) -> SchemaRef {
        let text = |name: &str| Field::new(name, DataType::Utf8, false);
        let maybe = |name: &str, kind| Field::new(name, kind, true);
        let code = Arc::new(Field::new("item", DataType::Int8, false));
        let fields = vec![
            text("path"),
            text("kind"),
            text("title"),
            Field::new("titled", DataType::Boolean, false),
            text("headings"),
            text("scope"),
            text("tags"),
            Field::new("first", DataType::UInt32, false),
            Field::new("last", DataType::UInt32, false),
            text("text"),
            text("terms"),
            maybe("changed", DataType::Int64),
            maybe("made_from", DataType::Utf8),
            maybe("lesson", DataType::Utf8),
            maybe("scale", DataType::Float32),
            maybe("codes", DataType::FixedSizeList(code, self.dimension as i32)),
        ];
        let Head { repository, epoch, count, commit, time, published, retired, .. } = &self.head;
        let said: HashMap<String, String> = [
            ("format", FORMAT.to_owned()),
            ("repository", repository.clone()),
            ("epoch", epoch.to_string()),
            ("count", count.to_string()),
            ("commit", commit.clone()),
            ("time", time.to_string()),
            ("published", published.to_string()),
            ("retired", retired.to_string()),
            ("model", self.model.clone()),
        ]
        .map(|(key, said)| (format!("elophanto.{key}"), said))
        .into();
        Arc::new(Schema::new(fields).with_metadata(said))
    }

    fn batch(&self, schema: SchemaRef, rows: &[(Row, String)]) -> Result<RecordBatch, ArrowError> {
        let text = |of: &dyn Fn(&Row) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(row, _)| of(row))))
        };
        let number = |of: &dyn Fn(&Row) -> usize| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(rows.iter().map(|(row, _)| of(row) as u32)))
        };
        let titled: BooleanArray = rows.iter().map(|(row, _)| Some(row.titled)).collect();
        let terms = StringArray::from_iter_values(rows.iter().map(|(_, terms)| terms));
        let changed: Int64Array = rows.iter().map(|(row, _)| row.changed).collect();
        let made_from: StringArray =
            rows.iter().map(|(row, _)| row.made_from.as_ref().map(made_text)).collect();
        let lessons: StringArray =
            rows.iter().map(|(row, _)| row.lesson.as_ref().map(lesson_text)).collect();
        let vectors = || rows.iter().map(|(row, _)| row.vector.as_ref());
        let scales: Float32Array = vectors().map(|vector| Some(vector?.scale)).collect();
        let mut codes: Vec<i8> = Vec::with_capacity(rows.len() * self.dimension);
        for vector in vectors() {
            match vector {
                Some(vector) => codes.extend_from_slice(&vector.codes),
                None => codes.resize(codes.len() + self.dimension, 0),
            }
        }
        let there: NullBuffer = vectors().map(|vector| vector.is_some()).collect();
        let codes = FixedSizeListArray::try_new(
            Arc::new(Field::new("item", DataType::Int8, false)),
            self.dimension as i32,
            Arc::new(Int8Array::from(codes)),
            Some(there),
        )?;
        RecordBatch::try_new(
            schema,
            vec![
                text(&|row| row.path.clone()),
                text(&|row| row.kind.name().to_owned()),
                text(&|row| row.title.clone()),
                Arc::new(titled),
                text(&|row| list_text(&row.headings)),
                text(&|row| row.scope.as_str().to_owned()),
                text(&|row| list_text(&row.tags)),
                number(&|row| row.lines.0),
                number(&|row| row.lines.1),
                text(&|row| row.text.clone()),
                Arc::new(terms),
                Arc::new(changed),
                Arc::new(made_from),
                Arc::new(lessons),
                Arc::new(scales),
                Arc::new(codes),
            ],
        )
    }

    /// Reads the bytes of an object of this name.
    ///
    /// # Errors
    /// What is wrong with it, for whoever published it.
    pub(super) fn decode(object: &str, bytes: Vec<u8>) -> Result<Self, String> {
        let named = Head::named(object).ok_or("its name is none of a publication")?;
        refuse_packed(&bytes)?;
        let reader = FileReader::try_new(std::io::Cursor::new(bytes), None);
        let reader = reader.map_err(|cause| format!("it cannot be read: {cause}"))?;
        let schema = reader.schema();
        let said = |key: &str| {
            let said = schema.metadata().get(&format!("elophanto.{key}"));
            said.map(String::as_str).ok_or_else(|| format!("it does not say its {key}"))
        };
        if said("format")? != FORMAT {
            return Err(format!("it is of format {}", said("format")?));
        }
        let number = |key: &str| said(key)?.parse::<i64>().map_err(|_| format!("a bad {key}"));
        let head = Head { time: number("time")?, published: number("published")?, ..named };
        let says = [
            ("repository", head.repository.clone()),
            ("epoch", head.epoch.to_string()),
            ("count", head.count.to_string()),
            ("commit", head.commit.clone()),
            ("retired", head.retired.to_string()),
        ];
        for (key, named) in says {
            if said(key)? != named {
                return Err(format!("its name and its content differ in the {key}"));
            }
        }
        let model = said("model")?.to_owned();
        if model.len() > MOST_WORDS || model.chars().any(char::is_control) {
            return Err("a bad model".to_owned());
        }
        let codes = schema.field_with_name("codes").map_err(|cause| cause.to_string())?;
        let dimension = match codes.data_type() {
            DataType::FixedSizeList(item, dimension) if *item.data_type() == DataType::Int8 => {
                usize::try_from(*dimension).unwrap_or(usize::MAX)
            }
            _ => return Err("its vectors are none of int8".to_owned()),
        };
        if dimension == 0 || dimension > MOST_DIMENSION {
            return Err(format!("vectors of {dimension} components"));
        }
        let mut publication = Self { head, model, dimension, rows: Vec::new() };
        if schema.fields() != publication.schema().fields() {
            return Err("it has other columns than ours".to_owned());
        }
        for batch in reader {
            publication.take(&batch.map_err(|cause| cause.to_string())?)?;
        }
        publication.head.chunks = publication.rows.len() as u64;
        if publication.head.retired && !publication.rows.is_empty() {
            return Err("it retires the repository, and holds chunks of it".to_owned());
        }
        Ok(publication)
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<(), String> {
        let column = |name: &str| {
            let column = batch.column_by_name(name);
            column.ok_or_else(|| format!("the column `{name}` is missing"))
        };
        let text = |name: &str| Ok::<_, String>(column(name)?.as_string::<i32>());
        let (paths, kinds, titles) = (text("path")?, text("kind")?, text("title")?);
        let (headings, scopes, tags) = (text("headings")?, text("scope")?, text("tags")?);
        let (texts, terms, made_from) = (text("text")?, text("terms")?, text("made_from")?);
        let lessons = text("lesson")?;
        let titled = column("titled")?.as_boolean();
        let first = column("first")?.as_primitive::<UInt32Type>();
        let last = column("last")?.as_primitive::<UInt32Type>();
        let changed = column("changed")?.as_primitive::<Int64Type>();
        let scales = column("scale")?.as_primitive::<Float32Type>();
        let codes = column("codes")?.as_fixed_size_list();
        for index in 0..batch.num_rows() {
            let number = self.rows.len();
            let bad = |what: &str| format!("row {number}: {what}");
            let said = |from: &StringArray, what: &str, most: usize| {
                let said = from.value(index);
                match said.len() <= most {
                    true => Ok(said.to_owned()),
                    false => Err(bad(what)),
                }
            };
            let kind = kind_of(kinds.value(index)).ok_or_else(|| bad("an unknown kind"))?;
            let made = made_from.is_valid(index).then(|| made_from.value(index));
            let made = made.map(|text| made_of(text).ok_or_else(|| bad("a bad source")));
            let text = texts.value(index).to_owned();
            let lesson =
                lessons.is_valid(index).then(|| said(lessons, "a long lesson", MOST_WORDS));
            let lesson = lesson.transpose()?;
            let lesson =
                lesson.map(|said| lesson_of(&said, &text).ok_or_else(|| bad("a bad lesson")));
            let lesson = lesson.transpose()?;
            if lesson.is_some() != (kind == Kind::Memory) {
                return Err(bad("a lesson that is none"));
            }
            let vector = match scales.is_valid(index) && codes.is_valid(index) {
                false => None,
                true => {
                    let own = codes.value(index);
                    let codes = own.as_primitive::<Int8Type>().values().to_vec();
                    Some(Encoded { scale: scales.value(index), codes })
                }
            };
            if vector.as_ref().is_some_and(|vector| !vector.is_sane(self.dimension)) {
                return Err(bad("a vector that is none of a model"));
            }
            let row = Row {
                repository: self.head.repository.clone(),
                path: paths.value(index).to_owned(),
                kind,
                title: titles.value(index).to_owned(),
                titled: titled.value(index),
                headings: list_of(&said(headings, "long headings", MOST_WORDS)?)
                    .ok_or_else(|| bad("bad headings"))?,
                scope: scopes.value(index).parse().map_err(|_| bad("an unknown scope"))?,
                tags: list_of(&said(tags, "long tags", MOST_WORDS)?)
                    .ok_or_else(|| bad("bad tags"))?,
                lines: (first.value(index) as usize, last.value(index) as usize),
                text,
                changed: changed.is_valid(index).then(|| changed.value(index)),
                made_from: made.transpose()?,
                lesson,
                vector,
            };
            let terms = terms.value(index).to_owned();
            if let Some(why) = refused(&row, &terms) {
                return Err(bad(why));
            }
            self.rows.push((row, terms));
        }
        Ok(())
    }
}

/// Why nobody who folds takes a chunk: one like that has its whole publication set aside.
pub fn refused(row: &Row, terms: &str) -> Option<&'static str> {
    let is_list =
        |list: &[String]| list.len() <= MOST_LISTED && list_text(list).len() <= MOST_WORDS;
    let is_lesson = |lesson: &LessonRecord| {
        let said = lesson_text(lesson);
        said.len() <= MOST_WORDS && lesson_of(&said, &row.text).is_some()
    };
    let asked = [
        (
            row.path.len() <= MOST_WORDS && is_path(&row.path),
            "a path with control characters, or of no repository",
        ),
        (row.title.len() <= MOST_WORDS, "a title of more than 64 KiB"),
        (is_list(&row.headings), "headings of more than 64 KiB"),
        (is_list(&row.tags), "more than 256 tags, or 64 KiB of them"),
        (row.text.len() <= MOST_TEXT && terms.len() <= 2 * MOST_TEXT, "a text of more than 1 MiB"),
        (row.lesson.as_ref().is_none_or(is_lesson), "a lesson that is none"),
    ];
    asked.into_iter().find(|(is_so, _)| !is_so).map(|(_, why)| why)
}

/// Refuses what is unpacked to more than it is. Only Arrow's own descriptions are looked at.
fn refuse_packed(bytes: &[u8]) -> Result<(), String> {
    let bad = || "it is no file of Arrow's format".to_owned();
    let trailer = bytes.len().checked_sub(MAGIC.len() + 4).ok_or_else(bad)?;
    if !bytes.starts_with(MAGIC) || !bytes.ends_with(MAGIC) {
        return Err(bad());
    }
    let length = bytes.get(trailer..trailer + 4).and_then(|four| four.try_into().ok());
    let length = length.map(i32::from_le_bytes).and_then(|length| usize::try_from(length).ok());
    let start = length.and_then(|length| trailer.checked_sub(length)).ok_or_else(bad)?;
    let footer = root_as_footer(&bytes[start..trailer]).map_err(|_| bad())?;
    if !is_modest(&footer) {
        return Err("it says more of itself than a publication does".to_owned());
    }
    if footer.dictionaries().is_some_and(|all| !all.is_empty()) {
        return Err("it holds dictionaries".to_owned());
    }
    // One block or buffer that is named again and again would be read as often.
    let mut until = 0;
    for block in footer.recordBatches().iter().flatten() {
        let at = usize::try_from(block.offset()).map_err(|_| bad())?;
        let length = usize::try_from(block.metaDataLength()).map_err(|_| bad())?;
        let whole = at.checked_add(length).and_then(|end| bytes.get(at..end)).ok_or_else(bad)?;
        let body = usize::try_from(block.bodyLength()).map_err(|_| bad())?;
        if at < until || body > bytes.len() - at - length {
            return Err(bad());
        }
        until = at + length + body;
        // A length stands before it, after a mark in all but old versions.
        let skip = if whole.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let message = root_as_message(whole.get(skip..).ok_or_else(bad)?).map_err(|_| bad())?;
        let batch = message.header_as_record_batch().ok_or_else(bad)?;
        if batch.compression().is_some() {
            return Err("it is packed".to_owned());
        }
        let mut filled = 0;
        for buffer in batch.buffers().iter().flatten() {
            let from = usize::try_from(buffer.offset()).map_err(|_| bad())?;
            let size = usize::try_from(buffer.length()).map_err(|_| bad())?;
            if from < filled || from.checked_add(size).is_none_or(|end| end > body) {
                return Err(bad());
            }
            filled = from + size;
        }
    }
    Ok(())
}

/// Whether what a file says of itself is about as much as a publication says: what stands there once may be
/// named again and again, and would be read as often.
fn is_modest(footer: &Footer<'_>) -> bool {
    let Some(schema) = footer.schema() else { return false };
    let said = footer.custom_metadata().into_iter().chain(schema.custom_metadata()).flatten();
    let size = |text: Option<&str>| text.map_or(0, str::len);
    let bytes: usize = said.map(|one| size(one.key()) + size(one.value())).sum();
    let mut columns = Vec::new();
    for column in schema.fields().into_iter().flatten().take(MOST_COLUMNS + 1) {
        columns.push(column);
        columns.extend(column.children().into_iter().flatten().take(MOST_COLUMNS));
    }
    let is_nested = columns.iter().flat_map(|column| column.children().into_iter().flatten());
    let is_nested = is_nested.flat_map(|inner| inner.children().into_iter().flatten()).count() > 0;
    let is_plain = columns.iter().all(|column| {
        column.custom_metadata().is_none_or(|all| all.is_empty())
            && size(column.name()) <= MOST_NAME
    });
    bytes <= MOST_SAID && columns.len() <= MOST_COLUMNS && is_plain && !is_nested
}

/// Whether it can be a path in a repository.
fn is_path(path: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    !path.chars().any(char::is_control) && path.split('/').all(is_part)
}

pub(super) fn kind_of(name: &str) -> Option<Kind> {
    Kind::SEARCHED.into_iter().chain([Kind::Memory]).find(|kind| kind.name() == name)
}

pub(super) fn list_text(list: &[String]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}

pub(super) fn list_of(text: &str) -> Option<Vec<String>> {
    serde_json::from_str(text).ok().filter(|list: &Vec<String>| list.len() <= MOST_LISTED)
}

pub(super) fn made_text(made_from: &MadeFrom) -> String {
    let MadeFrom { blob, lines, is_part } = made_from;
    serde_json::json!([blob, lines.0, lines.1, is_part]).to_string()
}

pub(super) fn made_of(text: &str) -> Option<MadeFrom> {
    let (blob, first, last, is_part) = serde_json::from_str(text).ok()?;
    Some(MadeFrom { blob, lines: (first, last), is_part })
}

pub(super) fn lesson_text(lesson: &LessonRecord) -> String {
    let LessonRecord { id, timestamp, agent_id, repo, event_type, success_rate, replaces, fields } =
        lesson;
    let at = timestamp.to_string();
    serde_json::json!([id, at, agent_id, repo, event_type, success_rate, replaces, fields])
        .to_string()
}

/// What a lesson says beside its text; `None` if that is none of this text.
pub(super) fn lesson_of(said: &str, text: &str) -> Option<LessonRecord> {
    type Said = (String, String, String, String, String, String, String, [(usize, usize); 4]);
    let said: Said = serde_json::from_str(said).ok()?;
    let (id, at, agent_id, repo, event_type, success_rate, replaces, fields) = said;
    let names = [&id, &agent_id, &repo, &success_rate, &replaces];
    let is_plain = names.iter().all(|name| !name.chars().any(char::is_control));
    let is_cut = fields.iter().all(|(start, end)| text.get(*start..*end).is_some());
    let is_known = LESSONS.contains(&event_type.as_str());
    let timestamp = at.parse().ok()?;
    (is_plain && is_cut && is_known && !id.is_empty()).then_some(LessonRecord {
        id,
        timestamp,
        agent_id,
        repo,
        event_type,
        success_rate,
        replaces,
        fields,
    })
}
