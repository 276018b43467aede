//! Rows 6 and 7: damage in the local view and in the committed tables, and what other versions and
//! models left there. A search then answers as before, an `index` mends.

use std::{fs, path::Path, path::PathBuf};

use elophanto_index::store::{matrix::Encoded, tables};
use elophanto_tables::Lance;

use super::{bounded, done, files_below};
use crate::{
    env::{Output, TestEnv},
    forge,
};

const QUESTION: &[&str] = &["search", "--json", "--full", "where do otters sleep in winter"];

/// Some notes of several chunks each, indexed and committed, and the right answer.
fn indexed() -> (TestEnv, Vec<u8>) {
    let env = TestEnv::new();
    // Recency moves scores with the clock.
    env.write(".elophanto/config.yaml", "search:\n  recency_weight: 0\n");
    for (number, place) in ["kelp", "ice", "mud", "reed", "sand", "rock"].iter().enumerate() {
        let mut note = format!("---\ntags: [{place}]\n---\n# Life in {place}\n\n");
        for (head, animal) in [("Sleep", "otters"), ("Food", "herons"), ("Winter", "beavers")] {
            note.push_str(&format!("## {head}\n\n"));
            for n in 0..3 {
                note.push_str(&format!(
                    "In the {place} {animal} rest {number}{n} nights, hold hands and sleep while \
                     the winter storm number {n} passes over the river.\n\n"
                ));
            }
        }
        env.write(format!("notes/{place}.md"), note);
    }
    done(&env, &["index"]);
    env.commit("notes and index");
    let answer = done(&env, QUESTION);
    assert!(answer.json().len() > 5, "{answer}");
    (env, answer.stdout)
}

/// The state of one folder, to be put back after each damage.
struct Pristine {
    folder: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Pristine {
    fn of(folder: PathBuf) -> Self {
        let files = files_below(&folder).into_iter().map(|path| {
            let bytes = fs::read(&path).unwrap();
            (path, bytes)
        });
        let files = files.collect();
        Self { folder, files }
    }

    fn restore(&self) {
        let _ = fs::remove_dir_all(&self.folder);
        for (path, bytes) in &self.files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    /// Files that hold something and are no locks.
    fn data(&self) -> impl Iterator<Item = &(PathBuf, Vec<u8>)> {
        self.files.iter().filter(|(_, bytes)| !bytes.is_empty())
    }
}

/// What may happen to a file as a whole; `None` removes it.
fn wrecks(right: &[u8]) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let mut newer = right.to_vec();
    // The last byte of the magic is the version.
    newer[7] += 1;
    let garbage = (0..right.len()).map(|n| (n * 7919 % 251) as u8).collect();
    vec![
        ("removed", None),
        ("0 bytes", Some(Vec::new())),
        ("half", Some(right[..right.len() / 2].to_vec())),
        ("one byte short", Some(right[..right.len() - 1].to_vec())),
        ("garbage", Some(garbage)),
        ("a newer version", Some(newer)),
        ("all zero", Some(vec![0; right.len()])),
    ]
}

fn wreck(path: &Path, content: Option<&[u8]>) {
    match content {
        Some(bytes) => fs::write(path, bytes).unwrap(),
        None => fs::remove_file(path).unwrap(),
    }
}

/// `count` bits spread over the file, the first and the last among them.
fn bits(length: usize, count: usize) -> Vec<usize> {
    let last = length * 8 - 1;
    (0..count).map(|n| last * n / (count - 1)).collect()
}

fn flipped(right: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = right.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// The same answer, with few words about it.
fn check_answer(env: &TestEnv, right: &[u8], what: &str) -> Output {
    let answer = bounded(&mut env.command(QUESTION));
    assert_eq!(answer.code, Some(0), "{what}\n{answer}");
    if answer.stdout != right {
        panic!("{what}\n{answer}\nexpected\n{}", String::from_utf8_lossy(right));
    }
    assert!(answer.stderr().lines().count() <= 2, "{what}\n{answer}");
    answer
}

/// After `index` all is complete and quiet.
fn check_mended(env: &TestEnv, right: &[u8], what: &str) {
    let index = bounded(&mut env.command(&["index"]));
    assert_eq!(index.code, Some(0), "{what}\n{index}");
    let check = bounded(&mut env.command(&["index", "--check"]));
    assert_eq!(check.code, Some(0), "{what}\n{check}");
    let answer = check_answer(env, right, what);
    assert_eq!(answer.stderr(), "", "{what}");
}

#[test]
fn every_wrecked_file_of_the_view_is_built_anew() {
    let (env, right) = indexed();
    let view = Pristine::of(env.view());
    let mut tried = 0;
    for (path, bytes) in view.data() {
        for (what, content) in wrecks(bytes) {
            let what = format!("{what}: {}", path.display());
            view.restore();
            wreck(path, content.as_deref());
            check_answer(&env, &right, &what);
            // The search has built it anew.
            let check = bounded(&mut env.command(&["index", "--check"]));
            assert_eq!(check.code, Some(0), "{what}\n{check}");
            // And with `index` first.
            view.restore();
            wreck(path, content.as_deref());
            check_mended(&env, &right, &what);
            tried += 1;
        }
    }
    // manifest, tables, a segment, its matrix
    assert_eq!(tried, 4 * 7);
    fs::remove_dir_all(env.view()).unwrap();
    check_answer(&env, &right, "the whole view");
    check_mended(&env, &right, "the whole view");
    assert_eq!(env.tables().len(), 1);
}

#[test]
fn every_flipped_bit_of_the_view_is_noticed_or_harmless() {
    let (env, right) = indexed();
    let view = Pristine::of(env.view());
    for (path, bytes) in view.data() {
        // Manifest and registry carry one checksum over all: there a few bits tell as much.
        let named = path.extension().is_some();
        for bit in bits(bytes.len(), if named { 20 } else { 6 }) {
            let what = format!("bit {bit} of {}", path.display());
            view.restore();
            fs::write(path, flipped(bytes, bit)).unwrap();
            check_answer(&env, &right, &what);
        }
    }
}

#[test]
fn after_a_flipped_bit_index_mends() {
    let (env, right) = indexed();
    let view = Pristine::of(env.view());
    let index = Pristine::of(env.path(".elophanto/index"));
    for (path, bytes) in view.data() {
        for bit in bits(bytes.len(), 4) {
            let what = format!("bit {bit} of {}", path.display());
            view.restore();
            index.restore();
            fs::write(path, flipped(bytes, bit)).unwrap();
            bounded(&mut env.command(&["index"]));
            check_answer(&env, &right, &what);
            check_mended(&env, &right, &what);
            assert_eq!(env.tables().len(), 1, "{what}");
        }
    }
}

#[test]
fn a_damaged_vector_of_the_view_is_never_committed() {
    let (env, _) = indexed();
    let view = Pristine::of(env.view());
    let (path, bytes) = view.data().find(|(path, _)| path.extension().unwrap() == "vec").unwrap();
    let tables = env.path(".elophanto/index");
    let right = tables::read(&Lance, &tables, &env.tables()[0], None).unwrap();
    for bit in bits(bytes.len(), 6) {
        view.restore();
        fs::remove_dir_all(&tables).unwrap();
        env.git(&["rm", "-r", "--quiet", "--cached", "--ignore-unmatch", ".elophanto/index"]);
        env.git(&["commit", "--quiet", "--allow-empty", "-m", "no tables"]);
        fs::write(path, flipped(bytes, bit)).unwrap();
        done(&env, &["index"]);
        let names = env.tables();
        assert_eq!(names.len(), 1, "bit {bit}");
        assert!(
            tables::read(&Lance, &tables, &names[0], None).unwrap() == right,
            "bit {bit}: other vectors"
        );
    }
}

#[test]
fn every_wrecked_file_of_a_table_is_passed_over() {
    let (env, right) = indexed();
    let view = Pristine::of(env.view());
    let index = Pristine::of(env.path(".elophanto/index"));
    for (path, bytes) in index.data() {
        let mut wrecks = wrecks(bytes);
        wrecks.extend(
            bits(bytes.len(), 4)
                .into_iter()
                .map(|bit| ("a flipped bit", Some(flipped(bytes, bit)))),
        );
        for (what, content) in wrecks {
            // With the view as it was, without the memory of tables, and as in a fresh clone.
            let all = [None, Some("known"), Some("")];
            // One wreck is like another as long as the view is there: how it is met is varied.
            let varied = ["removed", "garbage"].contains(&what);
            for gone in all.into_iter().skip(if varied { 0 } else { 2 }) {
                let what = format!("{what}, view without {gone:?}: {}", path.display());
                view.restore();
                index.restore();
                wreck(path, content.as_deref());
                match gone {
                    Some("") => fs::remove_dir_all(env.view()).unwrap(),
                    Some(name) => fs::remove_dir_all(env.view().join(name)).unwrap(),
                    None => {}
                }
                check_answer(&env, &right, &what);
                done(&env, &["index"]);
                check_answer(&env, &right, &what);
            }
        }
    }
}

#[test]
fn a_damaged_table_is_replaced_for_those_who_clone() {
    let (env, right) = indexed();
    let data = files_below(&env.path(".elophanto/index"))
        .into_iter()
        .find(|path| path.to_str().unwrap().contains("/data/"))
        .unwrap();
    let bytes = fs::read(&data).unwrap();
    fs::write(&data, flipped(&bytes, bytes.len() * 4)).unwrap();
    env.commit("a damaged table");
    fs::remove_dir_all(env.view()).unwrap();
    let told = done(&env, &["index"]);
    assert!(told.stderr().contains("is passed over: its files differ from the digest"), "{told}");
    assert_eq!(env.tables().len(), 2, "{told}");
    env.commit("mended");
    let clone = env.outside().join("clone");
    env.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let checked = bounded(env.command(&["index", "--check", "--json"]).current_dir(&clone));
    let gaps = checked.json().pop().unwrap();
    assert_eq!((&gaps["uncommitted"], &gaps["damaged"]), (&0.into(), &1.into()), "{checked}");
    let answer = bounded(env.command(QUESTION).current_dir(&clone));
    let lines =
        |bytes: &[u8]| Output { code: None, stdout: bytes.to_vec(), stderr: Vec::new() }.json();
    for (mut hit, mut expected) in lines(&answer.stdout).into_iter().zip(lines(&right)) {
        // The clone's files are newer.
        for value in [&mut hit, &mut expected] {
            value["changed"].take();
            value["score"].take();
        }
        assert_eq!(hit, expected);
    }
}

#[test]
fn what_is_no_table_of_ours_is_left_alone() {
    let (env, right) = indexed();
    let files = [
        ".elophanto/index/readme.txt",
        ".elophanto/index/x.lance/data/a",
        ".elophanto/index/.tmp-1/a",
        ".elophanto/index/01j0000000000000000000000a-0123456789abcdef0123456789abcdef.lance",
    ];
    for file in files {
        env.write(file, "not ours");
    }
    fs::remove_dir_all(env.view()).unwrap();
    check_answer(&env, &right, "foreign files");
    check_mended(&env, &right, "foreign files");
    for file in files {
        assert_eq!(env.read(file), b"not ours");
    }
}

/// A table of rows that fit the notes' keys, but point the wrong way.
fn poisoned(env: &TestEnv, fingerprint: &str, scale: Option<f32>, dimension: usize) {
    let tables = env.path(".elophanto/index");
    let content = tables::read(&Lance, &tables, &env.tables()[0], None).unwrap();
    let rows = content.rows.iter().enumerate().map(|(number, (key, _))| {
        let mut vector = vec![0.0; dimension];
        vector[number % dimension] = 1.0;
        let mut vector = Encoded::new(&vector);
        vector.scale = scale.unwrap_or(vector.scale);
        (*key, vector)
    });
    forge::write_rows(&tables, fingerprint, rows.collect());
}

#[test]
fn tables_of_another_model_are_never_mixed_in() {
    for dimension in [4, 384] {
        let (env, right) = indexed();
        poisoned(&env, "another-model-1", None, dimension);
        env.commit("another model");
        let foreign = env.tables();
        assert_eq!(foreign.len(), 2);
        check_answer(&env, &right, "another model");
        fs::remove_dir_all(env.view()).unwrap();
        check_answer(&env, &right, "another model, no view");
        check_mended(&env, &right, "another model");
        assert_eq!(env.tables(), foreign, "another model's table belongs to those who use it");
    }
}

#[test]
fn only_tables_of_another_model() {
    let (env, right) = indexed();
    let ours = env.tables().remove(0);
    poisoned(&env, "another-model-1", None, 8);
    fs::remove_dir_all(env.path(".elophanto/index").join(ours)).unwrap();
    fs::remove_dir_all(env.view()).unwrap();
    env.commit("another model");
    check_answer(&env, &right, "only another model");
    check_mended(&env, &right, "only another model");
    assert_eq!(env.tables().len(), 2);
}

#[test]
fn vectors_of_the_wrong_size_or_length_are_passed_over() {
    let (env, right) = indexed();
    let index = Pristine::of(env.path(".elophanto/index"));
    let ours = env.tables().remove(0);
    let content = tables::read(&Lance, &index.folder, &ours, None).unwrap();
    let dimension = content.rows[0].1.codes.len();
    for (scale, dimension) in [
        (None, 8),
        (None, dimension * 2),
        (Some(f32::NAN), dimension),
        (Some(f32::INFINITY), dimension),
        (Some(1e30), dimension),
        (Some(-1.0), dimension),
        (Some(0.0), dimension),
    ] {
        let what = format!("scale {scale:?}, dimension {dimension}");
        index.restore();
        poisoned(&env, &content.fingerprint, scale, dimension);
        fs::remove_dir_all(index.folder.join(&ours)).unwrap();
        fs::remove_dir_all(env.view()).unwrap();
        env.commit("poison");
        check_answer(&env, &right, &what);
        done(&env, &["index"]);
        check_answer(&env, &right, &what);
    }
}

#[test]
fn a_view_of_other_settings_is_built_anew() {
    let (env, right) = indexed();
    done(&env, &["search", "otters"]);
    let german = bounded(env.command(QUESTION).env("ELOPHANTO_SEARCH_LANGUAGE", "german"));
    assert_eq!(german.code, Some(0), "{german}");
    check_answer(&env, &right, "back to the old settings");
}
