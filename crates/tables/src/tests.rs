use std::{collections::BTreeSet, fs};

use elophanto_index::store::tables::{self, contents, list};

use super::*;

fn read(tables: &Path, name: &str) -> Result<TableContent, TableError> {
    tables::read(&Lance, tables, name, None)
}

/// Rows with unit vectors, from a number that chooses them.
fn rows(count: usize, dimension: usize, seed: u64, scales: usize) -> Vec<(Key, Encoded)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let of_scales: Vec<Encoded> =
        (0..scales.max(1)).map(|_| unit(dimension, &mut random)).collect();
    (0..count)
        .map(|row| {
            let mut key = [0; 16];
            random.fill(&mut key);
            let vector = match scales {
                0 => unit(dimension, &mut random),
                _ => of_scales[row * scales / count].clone(),
            };
            (key, vector)
        })
        .collect()
}

fn unit(dimension: usize, random: &mut fastrand::Rng) -> Encoded {
    let values: Vec<f32> = (0..dimension).map(|_| random.f32() - 0.5).collect();
    let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
    Encoded::new(&values.iter().map(|value| value / norm).collect::<Vec<_>>())
}

fn content(rows: Vec<(Key, Encoded)>) -> TableContent {
    TableContent { fingerprint: "test".to_owned(), rows }
}

/// A folder for tables, one for what is temporary, and a table.
fn written(content: &TableContent) -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("index");
    let mut names =
        tables::write(&Lance, &tables, &folder.path().join("staging"), content).unwrap();
    assert_eq!(names.len(), 1);
    (folder, tables, names.remove(0))
}

#[test]
fn a_table_is_read_as_written_and_damage_is_told() {
    let content = content(rows(9, 4, 1, 0));
    let (_folder, tables, name) = written(&content);
    assert_eq!(list(&tables).unwrap(), BTreeSet::from([name.clone()]));
    assert_eq!(read(&tables, &name).unwrap(), content);

    for (file, _) in contents(&tables, &name).unwrap() {
        let file = tables.join(&name).join(file);
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
    assert_eq!(read(&tables, &name).unwrap(), content);
}

/// In how few bits Lance puts a column depends on its values.
#[test]
fn every_table_of_ours_is_of_our_form() {
    for (count, dimension, scales) in [
        (1, 1, 0),
        (1, 384, 0),
        (2, 4, 1),
        (300, 2, 3),
        (1_000, 3, 0),
        (1_500, 255, 0),
        (1_500, 256, 1),
        (1_500, 384, 0),
        (700, 1_024, 5),
        (40_000, 8, 0),
        (40_000, 3, 40),
    ] {
        let content = content(rows(count, dimension, 7, scales));
        let (_folder, tables, name) = written(&content);
        let read = read(&tables, &name);
        assert!(read.is_ok_and(|read| read == content), "{count} x {dimension}, {scales} scales");
    }
}

/// Bytes changed at random, in what describes a table above all: never a panic, and what passes
/// is as large as was announced.
#[test]
fn changed_bytes_are_refused_or_harmless() {
    let (_folder, tables, name) = written(&content(rows(300, 8, 3, 0)));
    let files = || Files::read(&tables.join(&name)).unwrap();
    let mut random = fastrand::Rng::with_seed(11);
    let (mut refused, mut decoded) = (0, 0);
    for _ in 0..4_000 {
        let mut files = files();
        let which = random.usize(..files.0.len());
        let bytes = files.0.values_mut().nth(which).unwrap();
        for _ in 0..random.usize(1..4) {
            // What describes a data file stands at its end.
            let from = if random.u8(..8) == 0 { 0 } else { bytes.len().saturating_sub(700) };
            let at = random.usize(from..bytes.len());
            bytes[at] = match random.u8(..3) {
                0 => bytes[at] ^ (1 << random.u8(..8)),
                1 => 0xff,
                _ => random.u8(..),
            };
        }
        match form::of(&files) {
            Err(_) => refused += 1,
            Ok(form) if decoded < 60 => {
                assert_eq!(form.rows, 300);
                decoded += 1;
                let _ = decode::decode(files, form);
            }
            Ok(_) => {}
        }
    }
    assert!(refused > 1_000 && decoded == 60, "{refused} refused, {decoded} decoded");
}
