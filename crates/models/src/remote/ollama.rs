//! Ollama's own `/api/embed`, and which of its models are there.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    RemoteError, Size,
    batches::{Answer, Counts, Engine, Limits, Service, apart, native_dimension},
    known::{Known, known},
    name,
    prefixes::prefixes,
    vector,
};
use elophanto_net::http::{Client, HttpError, block_on};

/// Ollama cuts texts itself; this keeps what is sent within reason. No token has more bytes than
/// this on average.
const BYTES_PER_TOKEN: usize = 8;

/// Tokens of context that are asked for at most: the server reserves memory for them.
const MOST_CONTEXT: usize = 8192;

/// The first of `model` and `fallback` that the server has. Which it is must be kept for all texts
/// of a repository: vectors of two models can't be compared.
///
/// # Errors
/// [`RemoteError::NoModel`] if it has neither; when it can't be asked.
pub fn resolve(
    client: &Client,
    model: &str,
    fallback: Option<&str>,
) -> Result<String, RemoteError> {
    apart(|| {
        block_on(async {
            for model in [Some(model), fallback].into_iter().flatten() {
                if has(client, model).await? {
                    return Ok(model.to_owned());
                }
            }
            let fallback = fallback.map(|fallback| format!(", nor has it `{fallback}`"));
            let message = format!("the server does not have it{}", fallback.unwrap_or_default());
            Err(RemoteError::NoModel { model: model.to_owned(), message })
        })
    })
}

async fn has(client: &Client, model: &str) -> Result<bool, RemoteError> {
    let listed = match client.get("api/tags").await {
        Ok(reply) => Some(reply.json),
        Err(HttpError::Status { status: 404 | 405, .. }) => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(models) = listed.as_ref().and_then(|list| list.get("models")?.as_array()) {
        let names = models.iter().flat_map(|item| [item.get("name"), item.get("model")]);
        let mut names = names.flatten().filter_map(Value::as_str);
        return Ok(names.any(|name| untagged(name).eq_ignore_ascii_case(untagged(model))));
    }
    match client.post("api/show", &json!({ "model": model })).await {
        Ok(_) => Ok(true),
        Err(HttpError::Status { status: 404, .. } | HttpError::Refused { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A name without tag means the tag "latest".
pub(super) fn untagged(model: &str) -> &str {
    model.strip_suffix(":latest").unwrap_or(model)
}

/// A model that Ollama serves.
pub type Ollama = Engine<Embed>;

impl Ollama {
    /// Connects only if the dimension is [`Size::Native`]: what is served under a name may differ.
    ///
    /// # Errors
    /// When the model had to be asked for its dimension and did not give a vector;
    /// [`RemoteError::NoModel`] if it is not there.
    pub fn new(
        client: Client,
        model: &str,
        size: Size,
        limits: Limits,
    ) -> Result<Self, RemoteError> {
        let shortened = if let Size::Shortened(dimension) = size { Some(dimension) } else { None };
        let model = untagged(model);
        let known = known(model);
        let num_ctx = known.map(|known| known.max_tokens.min(MOST_CONTEXT));
        let service = Embed { client, model: model.to_owned(), num_ctx, shortened };
        let dimension = match size {
            Size::Stored(dimension) | Size::Shortened(dimension) => dimension,
            Size::Native => native_dimension(&service)?,
        };
        let prefixes = prefixes(model);
        Ok(Self {
            fingerprint: name::fingerprint("ollama", model, dimension, prefixes),
            service,
            dimension,
            prefixes,
            max_bytes: known.map(|Known { max_tokens, .. }| max_tokens * BYTES_PER_TOKEN),
            limits,
            counts: Counts::default(),
        })
    }
}

/// The service, and what it is asked for.
pub struct Embed {
    client: Client,
    model: String,
    num_ctx: Option<usize>,
    shortened: Option<usize>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    truncate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Options>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Serialize)]
struct Options {
    num_ctx: usize,
}

impl Service for Embed {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn ask(&self, texts: &[&str]) -> Result<Answer, RemoteError> {
        let request = Request {
            model: &self.model,
            input: texts,
            truncate: true,
            options: self.num_ctx.map(|num_ctx| Options { num_ctx }),
            dimensions: self.shortened,
        };
        match self.client.post("api/embed", &request).await {
            Ok(reply) => read(&reply.json, texts.len()),
            Err(HttpError::Status { status: 404, message, .. }) => {
                Err(RemoteError::NoModel { model: self.model.clone(), message })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The vectors of an answer to `count` texts. They carry no numbers, so with more or fewer of them
/// than texts nobody knows whose they are.
fn read(json: &Value, count: usize) -> Result<Answer, RemoteError> {
    let list = json.get("embeddings").and_then(Value::as_array);
    let list = list.ok_or(RemoteError::Shape { reason: "it has no list `embeddings`" })?;
    let vectors = match list.len() == count {
        true => list.iter().map(vector::read).collect(),
        false => vec![None; count],
    };
    let tokens = json.get("prompt_eval_count").and_then(Value::as_u64).unwrap_or(0);
    Ok(Answer { vectors, tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let read = |json: Value, count| read(&json, count).map(|answer| answer.vectors);
        let (one, two) = (Some(vec![1.0, 9.0]), Some(vec![2.0, 9.0]));
        assert_eq!(read(json!({ "embeddings": [[1, 9], [2, 9]] }), 2), Ok(vec![one.clone(), two]));
        assert_eq!(read(json!({ "embeddings": [[1, 9], "x"] }), 2), Ok(vec![one, None]));
        assert_eq!(read(json!({ "embeddings": [[1, 9]] }), 2), Ok(vec![None, None]));
        assert_eq!(read(json!({ "embeddings": [[1], [2], [3]] }), 2), Ok(vec![None, None]));
        assert!(read(json!({ "embedding": [1] }), 1).is_err());
    }
}
