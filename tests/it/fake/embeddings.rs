//! Servers on the loopback interface that embed texts as OpenAI's and Ollama's do, and fail when
//! they are told to. Every request is kept, so that a test can say what was sent and what was not.

use std::{
    collections::VecDeque,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// One request as a server saw it.
#[derive(Debug, Clone)]
pub struct Call {
    pub path: String,
    pub body: Value,
}

/// What a server says, and how long it takes.
pub struct Reply {
    pub delay: Duration,
    pub response: Response,
}

impl Reply {
    /// At once.
    pub fn now(response: impl IntoResponse) -> Self {
        Self { delay: Duration::ZERO, response: response.into_response() }
    }

    /// A status and a text.
    pub fn status(status: u16, text: &str) -> Self {
        Self::now(Response::builder().status(status).body(Body::from(text.to_owned())).unwrap())
    }
}

/// A running server with its own threads. Dropped, it is gone: connections are refused.
pub struct Fake {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
    runtime: Option<Runtime>,
}

impl Fake {
    /// Answers every request with what the handler makes of it.
    pub fn start(handler: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let (kept, handler) = (Arc::clone(&calls), Arc::new(handler));
        let answer = move |request: Request| {
            let (kept, handler) = (Arc::clone(&kept), Arc::clone(&handler));
            async move {
                let (parts, body) = request.into_parts();
                let bytes = to_bytes(body, 64 << 20).await.unwrap();
                let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
                let path = parts.uri.path().to_owned();
                let call = Call { path, body };
                kept.lock().unwrap().push(call.clone());
                let Reply { delay, response } = handler(&call);
                tokio::time::sleep(delay).await;
                response
            }
        };
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, Router::new().fallback(answer)).await.unwrap();
        });
        Self { address, calls, runtime: Some(runtime) }
    }

    /// Where it listens, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        self.calls.lock().unwrap().clear();
    }

    /// Closes the port and every connection.
    pub fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What goes wrong with one request for vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Status(u16),
    /// 429 with `Retry-After: 0`.
    Busy,
    /// 200 with an error in the body.
    Hidden,
    /// Vectors for the first half only.
    Partial,
    /// One component too many.
    Dimension,
    /// Nothing but `null` in the vectors: JSON knows no NaN.
    NotANumber,
    /// Right, but late.
    Late(Duration),
}

/// A server of models, as OpenAI-compatible as it is an Ollama.
pub struct Embeddings {
    pub fake: Fake,
    model: Arc<Mutex<Model>>,
}

struct Model {
    dimension: usize,
    /// Models that are there; any, if there are none.
    names: Vec<&'static str>,
    /// What happens to the next requests for vectors.
    script: VecDeque<Trouble>,
    /// What happens to all others.
    always: Option<Trouble>,
    /// How long everything takes.
    delay: Duration,
}

impl Embeddings {
    /// Has every model, with vectors of so many components.
    pub fn start(dimension: usize) -> Self {
        let model = Model {
            dimension,
            names: Vec::new(),
            script: VecDeque::new(),
            always: None,
            delay: Duration::ZERO,
        };
        let model = Arc::new(Mutex::new(model));
        let shared = Arc::clone(&model);
        Self { fake: Fake::start(move |call| shared.lock().unwrap().answer(call)), model }
    }

    /// An Ollama with these models.
    pub fn ollama(dimension: usize, names: &[&'static str]) -> Self {
        let server = Self::start(dimension);
        server.model.lock().unwrap().names = names.to_vec();
        server
    }

    /// The next requests for vectors go wrong like this, one after the other.
    pub fn script(&self, troubles: &[Trouble]) {
        self.model.lock().unwrap().script = troubles.iter().copied().collect();
    }

    /// From now on all go wrong like this, or none.
    pub fn always(&self, trouble: Option<Trouble>) {
        self.model.lock().unwrap().always = trouble;
    }

    /// From now on everything takes this long.
    pub fn slow(&self, delay: Duration) {
        self.model.lock().unwrap().delay = delay;
    }

    /// Requests for vectors since the last time this was asked.
    pub fn requests(&self) -> usize {
        self.take().len()
    }

    /// Texts sent since the last time this was asked, in the order of the requests.
    pub fn texts(&self) -> Vec<String> {
        self.take().iter().flat_map(inputs).collect()
    }

    /// Requests for vectors, and all others, since the last time one of these was asked.
    pub fn take(&self) -> Vec<Call> {
        let calls = self.fake.calls();
        self.fake.forget();
        calls.into_iter().filter(is_for_vectors).collect()
    }
}

impl Model {
    fn answer(&mut self, call: &Call) -> Reply {
        let reply = self.reply(call);
        Reply { delay: reply.delay + self.delay, ..reply }
    }

    fn reply(&mut self, call: &Call) -> Reply {
        match call.path.as_str() {
            "/api/version" => return Reply::now(axum::Json(json!({ "version": "0.9.0" }))),
            "/api/tags" => {
                let models = self.names.iter().map(|name| json!({ "name": name, "model": name }));
                let models: Vec<Value> = models.collect();
                return Reply::now(axum::Json(json!({ "models": models })));
            }
            "/api/show" => {
                let asked = call.body["model"].as_str().unwrap_or_default().to_owned();
                return match self.has(&asked) {
                    true => Reply::now(axum::Json(json!({ "details": {} }))),
                    false => missing(&asked),
                };
            }
            _ if !is_for_vectors(call) => return Reply::status(404, "no such page"),
            _ => {}
        }
        let asked = call.body["model"].as_str().unwrap_or_default();
        if !self.has(asked) {
            return missing(asked);
        }
        let trouble = self.script.pop_front().or(self.always);
        let texts = inputs(call);
        let made: Vec<Vec<f32>> = texts.iter().map(|text| vector(text, self.dimension)).collect();
        let mut vectors: Vec<Value> = made.iter().map(|vector| json!(vector)).collect();
        let mut delay = Duration::ZERO;
        match trouble {
            None => {}
            Some(Trouble::Status(status)) => return Reply::status(status, "scripted"),
            Some(Trouble::Busy) => {
                let response = Response::builder().status(429).header("retry-after", "0");
                return Reply::now(response.body(Body::empty()).unwrap());
            }
            Some(Trouble::Hidden) => {
                let error = json!({ "error": { "message": "busy", "code": 502 } });
                return Reply::now(axum::Json(error));
            }
            Some(Trouble::Partial) => vectors.truncate(texts.len() / 2),
            Some(Trouble::Dimension) => {
                let longer = |text: &String| json!(vector(text, self.dimension + 1));
                vectors = texts.iter().map(longer).collect();
            }
            Some(Trouble::NotANumber) => {
                vectors = texts.iter().map(|_| json!([Value::Null, Value::Null])).collect();
            }
            Some(Trouble::Late(time)) => delay = time,
        }
        let body = if call.path.ends_with("/api/embed") {
            json!({ "embeddings": vectors, "prompt_eval_count": texts.len() })
        } else {
            let items = vectors.into_iter().enumerate();
            let data: Vec<Value> = items
                .map(|(index, vector)| json!({ "index": index, "embedding": vector }))
                .collect();
            json!({ "data": data, "usage": { "prompt_tokens": texts.len() } })
        };
        Reply { delay, ..Reply::now(axum::Json(body)) }
    }

    fn has(&self, name: &str) -> bool {
        let plain = |name: &str| name.trim_end_matches(":latest").to_owned();
        self.names.is_empty() || self.names.iter().any(|there| plain(there) == plain(name))
    }
}

fn missing(model: &str) -> Reply {
    Reply::status(404, &format!(r#"{{"error":"model '{model}' not found"}}"#))
}

fn is_for_vectors(call: &Call) -> bool {
    call.path.ends_with("/embeddings") || call.path.ends_with("/api/embed")
}

/// The texts of a request for vectors.
pub fn inputs(call: &Call) -> Vec<String> {
    serde_json::from_value(call.body["input"].clone()).unwrap_or_default()
}

/// Texts that share words lie near each other: every word adds to one component, chosen by its
/// hash. The last component keeps any text from being nothing.
pub fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimension];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // FNV-1a: the same everywhere and always.
        let hash = word.to_lowercase().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        vector[(hash % (dimension as u64 - 1)) as usize] += 1.0;
    }
    vector[dimension - 1] += 0.01;
    vector
}
