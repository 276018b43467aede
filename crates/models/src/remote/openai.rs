//! `/embeddings` as OpenAI has it, and with it OpenRouter, LM Studio, llama.cpp, vLLM and others.

use serde::Serialize;
use serde_json::Value;

use super::{
    RemoteError, Size,
    batches::{Answer, Counts, Engine, Limits, Service, native_dimension},
    known::known,
    name, plan,
    prefixes::prefixes,
    vector,
};
use elophanto_net::http::Client;

elophanto_base::named! {
    /// Whose `/embeddings` it is. Part of the fingerprint.
    #[derive(Hash)]
    pub enum Provider, word {
        /// OpenAI, and whatever talks like it.
        OpenAi = "openai",
        OpenRouter = "openrouter",
    }
}

/// A model behind an `/embeddings` that talks like OpenAI's.
pub type OpenAi = Engine<Embeddings>;

impl OpenAi {
    /// Connects only if the dimension is [`Size::Native`] and nobody knows it.
    ///
    /// # Errors
    /// When the model had to be asked for its dimension and did not give a vector.
    pub fn new(
        client: Client,
        provider: Provider,
        model: &str,
        size: Size,
        limits: Limits,
    ) -> Result<Self, RemoteError> {
        let shortened = if let Size::Shortened(dimension) = size { Some(dimension) } else { None };
        let service = Embeddings { client, model: model.to_owned(), shortened };
        let known = known(model);
        let dimension = match (size, known) {
            (Size::Stored(dimension) | Size::Shortened(dimension), _) => dimension,
            (Size::Native, Some(known)) => known.dimension,
            (Size::Native, None) => native_dimension(&service)?,
        };
        let prefixes = prefixes(model);
        Ok(Self {
            fingerprint: name::fingerprint(provider.word(), model, dimension, prefixes),
            service,
            dimension,
            prefixes,
            max_bytes: known.map(|known| known.max_tokens * plan::BYTES_PER_TOKEN),
            limits,
            counts: Counts::default(),
        })
    }
}

/// The service, and what it is asked for.
pub struct Embeddings {
    client: Client,
    model: String,
    shortened: Option<usize>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

impl Service for Embeddings {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn ask(&self, texts: &[&str]) -> Result<Answer, RemoteError> {
        let request = Request {
            model: &self.model,
            input: texts,
            encoding_format: "float",
            dimensions: self.shortened,
        };
        let reply = self.client.post("embeddings", &request).await?;
        read(&reply.json, texts.len())
    }
}

/// The vectors of an answer to `count` texts, in the order of the texts. An index that comes twice
/// counts for nothing: nobody knows which of the two is right.
fn read(json: &Value, count: usize) -> Result<Answer, RemoteError> {
    let data = json.get("data").and_then(Value::as_array);
    let data = data.ok_or(RemoteError::Shape { reason: "it has no list `data`" })?;
    let unnumbered = data.len() == count && data.iter().all(|item| item.get("index").is_none());
    let mut vectors = vec![None; count];
    let mut seen = vec![false; count];
    for (place, item) in data.iter().enumerate() {
        let index = item.get("index").and_then(Value::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let index = if unnumbered { Some(place) } else { index.filter(|&index| index < count) };
        let Some(index) = index else { continue };
        vectors[index] = match std::mem::replace(&mut seen[index], true) {
            true => None,
            false => item.get("embedding").and_then(vector::read),
        };
    }
    let tokens = |name| json.pointer(name).and_then(Value::as_u64);
    let tokens = tokens("/usage/prompt_tokens").or_else(|| tokens("/usage/total_tokens"));
    Ok(Answer { vectors, tokens: tokens.unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers() {
        /// First components, 0 for none.
        #[track_caller]
        fn check(data: Value, expected: &[f32]) {
            let answer = read(&json!({ "data": data }), expected.len()).unwrap();
            let first = |vector: &Option<Vec<f32>>| vector.as_ref().map_or(0.0, |vector| vector[0]);
            assert_eq!(answer.vectors.iter().map(first).collect::<Vec<f32>>(), expected);
        }
        let item = |index: i64, first: f32| json!({ "index": index, "embedding": [first, 9] });
        check(json!([item(0, 1.0), item(1, 2.0)]), &[1.0, 2.0]);
        check(json!([item(1, 2.0), item(0, 1.0)]), &[1.0, 2.0]);
        check(json!([item(1, 2.0)]), &[0.0, 2.0]);
        check(json!([]), &[0.0, 0.0]);
        // Twice, three times, beyond the end, below the start.
        check(json!([item(0, 1.0), item(0, 2.0), item(1, 3.0)]), &[0.0, 3.0]);
        check(json!([item(0, 1.0), item(0, 2.0), item(0, 3.0)]), &[0.0, 0.0]);
        check(json!([item(0, 1.0), item(2, 2.0), item(-1, 3.0)]), &[1.0, 0.0]);
        // Not numbered: only if there are as many as texts.
        check(json!([{ "embedding": [1, 9] }, { "embedding": [2, 9] }]), &[1.0, 2.0]);
        check(json!([{ "embedding": [1, 9] }]), &[0.0, 0.0]);
        check(json!([{ "embedding": [1, 9] }, item(1, 2.0)]), &[0.0, 2.0]);
        // Odd contents.
        check(json!([item(0, 1.0), { "index": 1, "embedding": [1, null] }, 7]), &[1.0, 0.0]);
        check(json!([{ "index": 0, "embedding": "AACAPwAAAMA=" }]), &[1.0]);
        for odd in [json!({}), json!([]), json!({ "data": {} }), json!("data")] {
            assert!(matches!(read(&odd, 1), Err(RemoteError::Shape { .. })));
        }
        let usage = json!({ "data": [], "usage": { "prompt_tokens": 7, "total_tokens": 9 } });
        assert_eq!(read(&usage, 0).unwrap().tokens, 7);
    }
}
