//! Fake servers of models. A vector is made from its text, so a wrong one is noticed.

use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    time::Duration,
};

use serde_json::{Value, json};

use super::{Limits, OpenAi, Provider, Size, vector::normalised};
use elophanto_net::http::{
    Auth, Client, Endpoint, Patience,
    fake::{Call, Fake},
};

pub(super) const DIMENSION: usize = 64;

/// What the model makes of a text: not of unit length.
pub(super) fn raw_vector(text: &str, dimension: usize) -> Vec<f32> {
    let seed = BuildHasherDefault::<DefaultHasher>::default().hash_one(text);
    let mut random = fastrand::Rng::with_seed(seed);
    (0..dimension).map(|_| random.f32() * 4.0 - 2.0).collect()
}

/// What should come out for a text.
pub(super) fn vector(text: &str) -> Vec<f32> {
    normalised(raw_vector(text, DIMENSION)).unwrap()
}

/// The texts of a request.
pub(super) fn inputs(call: &Call) -> Vec<String> {
    serde_json::from_value(call.body["input"].clone()).unwrap()
}

/// An answer as it should be, in the shape of the path that was asked.
pub(super) fn honest(call: &Call) -> Value {
    let texts = inputs(call);
    let vectors = texts.iter().map(|text| raw_vector(text, DIMENSION));
    if call.path.ends_with("/api/embed") {
        let vectors: Vec<_> = vectors.collect();
        return json!({ "embeddings": vectors, "prompt_eval_count": texts.len() });
    }
    let data: Vec<Value> = vectors
        .enumerate()
        .map(|(index, vector)| json!({ "index": index, "embedding": vector }))
        .collect();
    json!({ "data": data, "usage": { "prompt_tokens": texts.len() } })
}

pub(super) fn patience() -> Patience {
    Patience {
        connect: Duration::from_millis(500),
        request: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        total: Duration::from_secs(20),
        attempts: 1,
    }
}

pub(super) fn client(fake: &Fake, patience: Patience) -> Client {
    Client::new(Endpoint::new(fake.url.clone(), Auth::None), patience).unwrap()
}

/// Batches of 8, one after the other, unless said otherwise.
pub(super) const SMALL: Limits = Limits { batch: 8, batch_tokens: 1_000, concurrency: 1 };

pub(super) fn openai(fake: &Fake, model: &str) -> OpenAi {
    let client = client(fake, patience());
    OpenAi::new(client, Provider::OpenAi, model, Size::Stored(DIMENSION), SMALL).unwrap()
}
