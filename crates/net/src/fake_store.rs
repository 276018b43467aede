//! An object store on the loopback interface that speaks as S3 does, and misbehaves on purpose. For
//! tests only.
//!
//! Owns what the stores of clouds promise: ranges, conditional writes that are atomic, uploads in
//! parts, lists. Signatures are not checked, only whose key it is.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::Request,
    http::{HeaderMap, Method, StatusCode, header},
    response::Response,
};
use jiff::Timestamp;
use tokio::{net::TcpListener, runtime::Runtime};
use url::Url;

static SERVERS: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
});

/// The key that is let in.
pub const KEY: &str = "AKIDTEST";
/// Most bytes of an object.
const MOST: usize = 256 << 20;
/// Objects of one page of a list.
const PAGE: usize = 1_000;

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// This status, and nothing is done.
    Status(u16, &'static str),
    /// The connection is cut, and nothing is done.
    Cut,
    /// What is asked for is done, and the connection cut before the answer.
    LostAnswer,
}

/// A request as a fault is chosen for it.
#[derive(Debug, Clone)]
pub struct Asked {
    pub number: u64,
    pub method: Method,
    /// Bucket and name.
    pub object: String,
    /// When it came in.
    pub at: Instant,
}

/// An object, the tag by which conditions of requests name its bytes, and when it was made: Lance takes
/// what is old and of no version for what somebody left behind.
struct Object {
    bytes: Bytes,
    tag: String,
    made: Timestamp,
}

impl Object {
    fn new(bytes: Bytes) -> Self {
        Self { tag: tag(&bytes), bytes, made: Timestamp::now() }
    }
}

type Choose = Box<dyn Fn(&Asked) -> Option<Fault> + Send>;

#[derive(Default)]
struct Shared {
    objects: Mutex<BTreeMap<String, Object>>,
    uploads: Mutex<BTreeMap<String, BTreeMap<u32, Bytes>>>,
    asked: Mutex<Vec<Asked>>,
    faults: Mutex<Option<Choose>>,
    delay: Mutex<Duration>,
    /// Whether a second create of an object overwrites it.
    is_careless: Mutex<bool>,
    number: AtomicU64,
    /// Bytes that came with requests, and left with answers.
    taken: AtomicU64,
    given: AtomicU64,
}

/// A running store. It stops when the tests do.
#[derive(Clone)]
pub struct FakeStore {
    pub url: Url,
    shared: Arc<Shared>,
}

fn of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeStore {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let shared = Arc::new(Shared::default());
        let serving = shared.clone();
        SERVERS.spawn(async move {
            let router = Router::new().fallback(move |request: Request| {
                let shared = serving.clone();
                async move { shared.answer(request).await }
            });
            axum::serve(TcpListener::from_std(listener).unwrap(), router).await.unwrap();
        });
        Self { url, shared }
    }

    /// What a program needs to know to come in.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let url = self.url.as_str().trim_end_matches('/');
        let pairs = [
            ("AWS_ENDPOINT_URL", url),
            ("AWS_ACCESS_KEY_ID", KEY),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    /// From now on, what goes wrong with each request.
    pub fn faults(&self, choose: impl Fn(&Asked) -> Option<Fault> + Send + 'static) {
        *of(&self.shared.faults) = Some(Box::new(choose));
    }

    pub fn no_faults(&self) {
        *of(&self.shared.faults) = None;
    }

    /// Every request takes at least so long.
    pub fn delay(&self, delay: Duration) {
        *of(&self.shared.delay) = delay;
    }

    /// From now on, objects are overwritten by who asks that they be only created.
    pub fn be_careless(&self) {
        *of(&self.shared.is_careless) = true;
    }

    /// What was asked since this was called last.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *of(&self.shared.asked))
    }

    /// Bytes that came with requests, and left with answers, since this was called last.
    pub fn moved(&self) -> (u64, u64) {
        let Shared { taken, given, .. } = &*self.shared;
        (taken.swap(0, Ordering::SeqCst), given.swap(0, Ordering::SeqCst))
    }

    /// Names of all objects, with their buckets.
    pub fn names(&self) -> Vec<String> {
        of(&self.shared.objects).keys().cloned().collect()
    }

    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        of(&self.shared.objects).get(name).map(|object| object.bytes.to_vec())
    }

    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        of(&self.shared.objects).insert(name.to_owned(), Object::new(bytes.into()));
    }
}

impl Shared {
    async fn answer(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, MOST).await.unwrap_or_default();
        let object = decoded(parts.uri.path().trim_start_matches('/'));
        let query: BTreeMap<String, String> =
            url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect();
        self.taken.fetch_add(body.len() as u64, Ordering::SeqCst);
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        let (method, object_asked) = (parts.method.clone(), object.clone());
        let asked = Asked { number, method, object: object_asked, at: Instant::now() };
        let fault = of(&self.faults).as_ref().and_then(|choose| choose(&asked));
        of(&self.asked).push(asked);
        let delay = *of(&self.delay);
        tokio::time::sleep(delay).await;
        match fault {
            Some(Fault::Status(status, code)) => return failed(status, code),
            Some(Fault::Cut) => cut(),
            Some(Fault::LostAnswer) | None => {}
        }
        let credential = parts.headers.get(header::AUTHORIZATION);
        let credential = credential.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let response = if credential.contains(&format!("Credential={KEY}/")) {
            self.done(&parts.method, &object, &query, &parts.headers, body)
        } else {
            failed(403, "InvalidAccessKeyId")
        };
        if fault == Some(Fault::LostAnswer) {
            cut();
        }
        let bytes = response.body().size_hint().lower();
        self.given.fetch_add(bytes, Ordering::SeqCst);
        response
    }

    fn done(
        &self,
        method: &Method,
        object: &str,
        query: &BTreeMap<String, String>,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Response {
        let upload = query.get("uploadId");
        let mut objects = of(&self.objects);
        match (method.as_str(), upload) {
            ("GET", _) if query.contains_key("list-type") => list(&objects, object, query),
            ("GET" | "HEAD", _) => match objects.get(object) {
                Some(object) => read(object, headers, method == Method::HEAD),
                None => failed(404, "NoSuchKey"),
            },
            ("PUT", Some(upload)) => {
                let part = query.get("partNumber").and_then(|part| part.parse().ok());
                let mut uploads = of(&self.uploads);
                let (Some(part), Some(parts)) = (part, uploads.get_mut(upload)) else {
                    return failed(404, "NoSuchUpload");
                };
                let tag = tag(&body);
                parts.insert(part, body);
                tagged(tag)
            }
            ("PUT", None) => {
                let copied = headers.get("x-amz-copy-source");
                let copied = copied.and_then(|from| from.to_str().ok());
                let body = match copied.map(|from| decoded(from.trim_start_matches('/'))) {
                    None => body,
                    Some(from) => match objects.get(&from) {
                        Some(object) => object.bytes.clone(),
                        None => return failed(404, "NoSuchKey"),
                    },
                };
                if let Some(refused) = self.refused(&objects, object, headers) {
                    return refused;
                }
                let made = Object::new(body);
                let tag = made.tag.clone();
                objects.insert(object.to_owned(), made);
                tagged(tag)
            }
            ("POST", None) if query.contains_key("uploads") => {
                let id = format!("u{}", self.number.fetch_add(1, Ordering::SeqCst));
                of(&self.uploads).insert(id.clone(), BTreeMap::new());
                xml(&format!(
                    "<InitiateMultipartUploadResult><UploadId>{id}</UploadId>\
                     </InitiateMultipartUploadResult>"
                ))
            }
            ("POST", Some(upload)) => {
                if let Some(refused) = self.refused(&objects, object, headers) {
                    return refused;
                }
                let Some(parts) = of(&self.uploads).remove(upload) else {
                    return failed(404, "NoSuchUpload");
                };
                let parts: Vec<Bytes> = parts.into_values().collect();
                let made = Object::new(parts.concat().into());
                let tag = made.tag.clone();
                objects.insert(object.to_owned(), made);
                xml(&format!(
                    "<CompleteMultipartUploadResult><ETag>{tag}</ETag>\
                     </CompleteMultipartUploadResult>"
                ))
            }
            ("POST", None) if query.contains_key("delete") => {
                let text = String::from_utf8_lossy(&body).into_owned();
                let keys = text.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>"));
                let mut said = String::new();
                for (key, _) in keys {
                    objects.remove(&format!("{}/{key}", object.trim_end_matches('/')));
                    let _ = write!(said, "<Deleted><Key>{key}</Key></Deleted>");
                }
                xml(&format!("<DeleteResult>{said}</DeleteResult>"))
            }
            ("DELETE", Some(upload)) => {
                of(&self.uploads).remove(upload);
                status(204)
            }
            ("DELETE", None) => {
                objects.remove(object);
                status(204)
            }
            _ => failed(405, "MethodNotAllowed"),
        }
    }

    /// What a condition of the request forbids.
    fn refused(
        &self,
        objects: &BTreeMap<String, Object>,
        object: &str,
        headers: &HeaderMap,
    ) -> Option<Response> {
        let present = objects.get(object);
        if headers.contains_key(header::IF_NONE_MATCH)
            && present.is_some()
            && !*of(&self.is_careless)
        {
            return Some(failed(412, "PreconditionFailed"));
        }
        let wanted = headers.get(header::IF_MATCH).and_then(|wanted| wanted.to_str().ok())?;
        let is_it = present.is_some_and(|object| object.tag == wanted);
        (!is_it).then(|| failed(412, "PreconditionFailed"))
    }
}

/// Ends the connection without an answer: the task that serves it unwinds.
fn cut() -> ! {
    std::panic::resume_unwind(Box::new("the connection is cut"))
}

fn read(object: &Object, headers: &HeaderMap, is_head: bool) -> Response {
    let Object { bytes, tag, made } = object;
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let range = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let all = bytes.len();
    let part = match range {
        None => 0..all,
        Some(("", last)) => all.saturating_sub(last.parse().unwrap_or(0))..all,
        Some((first, last)) => {
            let first = first.parse().unwrap_or(0);
            let end = last.parse().map_or(all, |last: usize| all.min(last + 1));
            if first >= all || first > end {
                return failed(416, "InvalidRange");
            }
            first..end
        }
    };
    let mut response = Response::builder()
        .status(if range.is_some() { 206 } else { 200 })
        .header(header::ETAG, tag)
        .header(header::LAST_MODIFIED, made.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
        .header(header::CONTENT_LENGTH, part.len());
    if range.is_some() {
        let said = format!("bytes {}-{}/{all}", part.start, part.end.saturating_sub(1));
        response = response.header(header::CONTENT_RANGE, said);
    }
    let body = if is_head { Body::empty() } else { Body::from(bytes.slice(part)) };
    response.body(body).unwrap()
}

fn list(
    objects: &BTreeMap<String, Object>,
    bucket: &str,
    query: &BTreeMap<String, String>,
) -> Response {
    let bucket = format!("{}/", bucket.trim_end_matches('/'));
    let text = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    let (prefix, delimiter) = (text("prefix"), text("delimiter"));
    let after = query.get("continuation-token").or(query.get("start-after"));
    let most = text("max-keys").parse().unwrap_or(PAGE).min(PAGE);
    let (mut said, mut count, mut last, mut more) = (String::new(), 0, String::new(), false);
    let mut folder = None;
    for (name, Object { bytes, tag, made }) in objects.range(bucket.clone()..) {
        let Some(name) = name.strip_prefix(&bucket) else { break };
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        let common = rest.split_once(delimiter).filter(|_| !delimiter.is_empty());
        let common = common.map(|(first, _)| format!("{prefix}{first}{delimiter}"));
        let shown = common.clone().unwrap_or_else(|| name.to_owned());
        if after.is_some_and(|after| shown <= *after) || (common.is_some() && common == folder) {
            continue;
        }
        if count == most {
            more = true;
            break;
        }
        count += 1;
        last.clone_from(&shown);
        match &common {
            Some(common) => {
                let _ = write!(
                    said,
                    "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>",
                    escaped(common)
                );
            }
            None => {
                let _ = write!(
                    said,
                    "<Contents><Key>{}</Key><LastModified>{made:.3}</LastModified>\
                     <ETag>{}</ETag><Size>{}</Size></Contents>",
                    escaped(name),
                    tag,
                    bytes.len()
                );
            }
        }
        folder = common;
    }
    let next = if more {
        format!("<NextContinuationToken>{}</NextContinuationToken>", escaped(&last))
    } else {
        String::new()
    };
    xml(&format!(
        "<ListBucketResult><IsTruncated>{more}</IsTruncated><KeyCount>{count}</KeyCount>{next}\
         {said}</ListBucketResult>"
    ))
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", &blake3::hash(bytes).to_hex()[..32])
}

fn tagged(tag: String) -> Response {
    Response::builder().status(200).header(header::ETAG, tag).body(Body::empty()).unwrap()
}

fn status(code: u16) -> Response {
    Response::builder().status(code).body(Body::empty()).unwrap()
}

fn xml(text: &str) -> Response {
    let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{text}");
    let response = Response::builder().header(header::CONTENT_TYPE, "application/xml");
    response.body(Body::from(text)).unwrap()
}

fn failed(code: u16, said: &str) -> Response {
    let mut response = xml(&format!("<Error><Code>{said}</Code><Message>{said}</Message></Error>"));
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, more @ ..] = rest {
        rest = more;
        let hex = more.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
