//! The shipped model against vectors of the original, and small models made up here against what
//! a folder may hold.

use serde_json::Value;

use super::*;

mod folders;
mod ids;

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[test]
fn agrees_with_the_original() {
    let json = include_str!("../../../../assets/minilm/test_vectors.json");
    let json: Value = serde_json::from_str(json).unwrap();
    let cases = json["vectors"].as_array().unwrap();
    assert_eq!(cases.len(), 7);
    for case in cases {
        let text = case["text"].as_str().unwrap();
        let ids = case["ids"].as_array().unwrap();
        let ids: Vec<u32> = ids.iter().map(|id| id.as_u64().unwrap() as u32).collect();
        assert_eq!(Bert::minilm().ids(text), [ids], "{text}");
        let expected = case["vector"].as_array().unwrap();
        let expected: Vec<f32> = expected.iter().map(|x| x.as_f64().unwrap() as f32).collect();
        let cosine = dot(&Bert::minilm().embed_one(text), &expected);
        // A text without any word is the worst case.
        let least = if text.is_empty() { 0.985 } else { 0.996 };
        assert!(cosine > least, "{text}: {cosine}");
    }
}

#[test]
fn the_shipped_model_is_whole() {
    let model = Bert::minilm();
    assert!(model.verify());
    assert_eq!((model.dimension(), model.max_tokens()), (384, 256));
    let name = model.fingerprint().to_string();
    let hash = name.strip_prefix("minilm-").and_then(|rest| rest.strip_suffix("-384"));
    assert!(hash.is_some_and(|hash| hash.len() == 16), "{name}");
}

/// The same bits on every machine and instruction set: a committed vector is checked by embedding
/// again.
#[test]
fn the_bits_never_change() {
    let text = "How does the index survive a merge of two branches? Caf\u{e9}.";
    for isa in Isa::supported() {
        let model = with(Bert::from_packed(&MINILM.0).unwrap(), isa);
        let vector = model.embed_one(text);
        let bits = vector.iter().fold(0u64, |hash, component| {
            (hash ^ u64::from(component.to_bits())).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(bits, 0x48da_b1e2_4f58_7bfb, "{isa:?} {bits:#x}");
    }
}

fn with(model: Bert, isa: Isa) -> Bert {
    Bert { isa, ..model }
}

#[test]
fn company_makes_no_difference() {
    let folder = folders::Folder::small();
    let model = Bert::from_packed(&pack(folder.path(), Precision::Int8).unwrap()).unwrap();
    let texts: Vec<String> = (0..120).map(|n| "one two ".repeat(n % 11) + "three").collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed_all(&texts);
    let alone: Vec<Vec<f32>> = texts.iter().map(|text| model.embed_one(text)).collect();
    assert_eq!(together, alone);
    for vector in &together {
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5);
    }
    assert_eq!(model.embed_all(&[]), Vec::<Vec<f32>>::new());
    let Embedded { vectors, failure } = model.embed(&["one", ""], Role::Document);
    assert_eq!(vectors, [Some(model.embed_one("one")), Some(model.embed_one(""))]);
    assert!(failure.is_none());
    assert_eq!(model.embed_query("one").unwrap(), model.embed_one("one"));
}

#[test]
fn batches_hold_every_text_once() {
    let text = |windows: &[usize]| windows.iter().map(|length| vec![0; *length]).collect();
    let texts: Vec<Vec<Vec<u32>>> =
        vec![text(&[2]), text(&[500]), text(&[10]), text(&[256, 256, 9]), text(&[3])];
    let sizes: Vec<usize> = batches(&texts).iter().map(|batch| batch.len()).collect();
    assert_eq!(sizes, [3, 1, 1]);
    assert!(batches(&[]).is_empty());
}

#[test]
fn only_the_first_tokens_count() {
    let folder = folders::Folder::small();
    let model = Bert::from_packed(&pack(folder.path(), Precision::F32).unwrap()).unwrap();
    assert_eq!(model.max_tokens(), 12);
    let full = "one two ".repeat(5);
    assert_eq!(model.embed_one(&full), model.embed_one(&format!("{full} three three")));
    assert_ne!(model.embed_one(&full), model.embed_one("one two one"));
    assert_eq!(model.count_tokens(&full), 12);
}

#[test]
fn opens_what_pack_wrote() {
    let folder = folders::Folder::small();
    let bytes = pack(folder.path(), Precision::Int8).unwrap();
    let path = folder.path().join("model.bin");
    std::fs::write(&path, &bytes).unwrap();
    let model = Bert::open(&path).unwrap();
    assert!(model.verify());
    assert_eq!(model.embed_one("one"), Bert::from_packed(&bytes).unwrap().embed_one("one"));
    let name = model.fingerprint().to_string();
    assert!(name.starts_with("bert-") && name.ends_with("-32"), "{name}");
    assert!(Bert::open(&folder.path().join("none")).is_err());
}

/// Every cut and every changed byte of the header is an error or another model, never a panic.
#[test]
fn a_damaged_file_does_no_harm() {
    let folder = folders::Folder::small();
    let bytes = pack(folder.path(), Precision::Int8).unwrap();
    for length in [0, 7, 100, format::HEADER, bytes.len() - 1] {
        assert!(Bert::from_packed(&bytes[..length]).is_err(), "{length}");
    }
    for at in 0..format::HEADER {
        for value in [0, 1, 2, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            if let Ok(model) = Bert::from_packed(&damaged) {
                assert_eq!(model.verify(), damaged == bytes, "{at} {value}");
                model.embed_one("one [MASK] two \u{e9}");
            }
        }
    }
    for start in (format::HEADER..bytes.len()).step_by(997) {
        let mut damaged = bytes.clone();
        let end = damaged.len().min(start + 200);
        damaged[start..end].fill(0xff);
        if let Ok(model) = Bert::from_packed(&damaged) {
            assert!(!model.verify());
            model.embed_one("one two three [SEP] four");
        }
    }
}

#[test]
fn both_precisions_agree() {
    let folder = folders::Folder::small();
    let of = |precision| Bert::from_packed(&pack(folder.path(), precision).unwrap()).unwrap();
    let (exact, rounded) = (of(Precision::F32), of(Precision::Int8));
    assert_ne!(exact.fingerprint(), rounded.fingerprint());
    for text in ["one", "two three", "three two one", ""] {
        let cosine = dot(&exact.embed_one(text), &rounded.embed_one(text));
        assert!(cosine > 0.995, "{text}: {cosine}");
        for isa in Isa::supported() {
            let model = with(of(Precision::F32), isa);
            assert_eq!(model.embed_one(text), exact.embed_one(text), "{isa:?}");
        }
    }
}
