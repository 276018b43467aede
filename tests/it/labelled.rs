//! What learning is worth on real texts: `tests/labelled`, which was labelled before the code was
//! written. Every figure stands in a snapshot, so that no change of one goes unseen.

use std::{fmt, fs, path::PathBuf};

use serde_json::Value;

mod documents;
mod lessons;
mod names;
mod nearness;
mod paraphrases;
mod strict;

/// The lines of a file of labels.
fn lines(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/labelled")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn truth(value: &Value, key: &str) -> bool {
    value[key].as_bool().unwrap()
}

fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    value[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// How many of all; shown as a share with both numbers.
#[derive(Debug, Default, Clone, Copy)]
struct Share {
    part: usize,
    all: usize,
}

impl Share {
    fn count(&mut self, is_part: bool) {
        self.part += usize::from(is_part);
        self.all += 1;
    }

    fn value(self) -> f64 {
        self.part as f64 / self.all.max(1) as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.3} ({}/{})", self.value(), self.part, self.all))
    }
}
