//! The request itself.

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{
    Response,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER},
    redirect,
};
use tokio::time::timeout;
use url::Url;

use super::{
    FetchError, Fetched, Policy, media,
    reach::{Reach, check},
    resolve::{Failure, ResolveError, Resolver},
};
use crate::address::host_and_port;

const ACCEPTED: &str = "text/html,application/xhtml+xml,text/markdown,application/pdf;q=0.9,\
    text/plain;q=0.8,*/*;q=0.1";

/// Longer addresses are refused.
const ADDRESS_CAP: usize = 8 << 10;

/// Longer waits are not told.
const LONGEST_WAIT: u64 = 30 * 24 * 3600;

/// Fetches pages. Clones are cheap and share connections.
#[derive(Clone)]
pub struct Fetcher(Arc<Shared>);

struct Shared {
    http: reqwest::Client,
    policy: Policy,
    reach: Reach,
}

/// What is fetched.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Page,
    Picture,
}

impl Wanted {
    fn accepted(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Page => ACCEPTED,
            Self::Picture => "image/png,image/jpeg,image/webp,image/gif",
        })
    }

    fn is_taken(self, media_type: &str, url: &Url) -> bool {
        match self {
            Self::Page => media::is_read(media_type, url),
            Self::Picture => media::is_picture(media_type),
        }
    }
}

impl Fetcher {
    /// A fetcher that keeps to `policy`. Opens no connection.
    ///
    /// # Errors
    /// [`FetchError::Setup`] if the system has no certificates or the user agent can't be sent.
    pub fn new(policy: Policy) -> Result<Self, FetchError> {
        let reach = if policy.allow_private { Reach::PRIVATE } else { Reach::PUBLIC };
        Self::within(reach, policy)
    }

    /// A fetcher that asks hosts within `reach`, whatever `policy` says of private ones.
    pub(super) fn within(reach: Reach, policy: Policy) -> Result<Self, FetchError> {
        let agent = HeaderValue::try_from(&policy.user_agent)
            .map_err(|_| FetchError::Setup { reason: "the user agent can't be sent" })?;
        let http = reqwest::Client::builder()
            .user_agent(agent)
            .connect_timeout(policy.connect)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .dns_resolver(Arc::new(Resolver(reach)))
            .build()
            .map_err(|_| FetchError::Setup { reason: "TLS can't be set up" })?;
        Ok(Self(Arc::new(Shared { http, policy, reach })))
    }

    /// Fetches one page, following redirects.
    ///
    /// # Errors
    /// [`FetchError`].
    ///
    /// # Panics
    /// Inside asynchronous code, as [`crate::http::block_on`].
    pub fn get(&self, url: &str) -> Result<Fetched, FetchError> {
        crate::http::block_on(self.fetch(url, false, Wanted::Page))
    }

    /// Fetches a picture; what else a server calls what it sends is refused. What it is its bytes tell.
    ///
    /// # Errors
    /// As [`Fetcher::get`].
    ///
    /// # Panics
    /// As [`Fetcher::get`].
    pub fn get_picture(&self, url: &str) -> Result<Fetched, FetchError> {
        crate::http::block_on(self.fetch(url, false, Wanted::Picture))
    }

    /// [`Fetcher::get`] without leaving the host: a redirect to another one is told, not followed.
    ///
    /// # Errors
    /// As [`Fetcher::get`]; [`FetchError::Elsewhere`].
    ///
    /// # Panics
    /// As [`Fetcher::get`].
    pub fn get_there(&self, url: &str) -> Result<Fetched, FetchError> {
        crate::http::block_on(self.fetch(url, true, Wanted::Page))
    }

    async fn fetch(&self, url: &str, stays: bool, wanted: Wanted) -> Result<Fetched, FetchError> {
        let url = parse(url)?;
        let host = host_and_port(&url);
        let limit = self.0.policy.total;
        match timeout(limit, self.follow(url, stays, wanted)).await {
            Ok(result) => result,
            Err(_) => Err(FetchError::Timeout { host, limit }),
        }
    }

    async fn follow(&self, start: Url, stays: bool, wanted: Wanted) -> Result<Fetched, FetchError> {
        let policy = &self.0.policy;
        let first = start.host_str().map(str::to_owned);
        let mut url = start;
        for _ in 0..=policy.max_redirects {
            check(&url, self.0.reach)?;
            let host = host_and_port(&url);
            let request = self.0.http.get(url.clone()).header(ACCEPT, wanted.accepted());
            let answer = request.send().await;
            let answer = answer.map_err(|error| broken(&host, &error))?;
            match answer.status().as_u16() {
                200..=299 => return self.body(url, host, answer, wanted).await,
                301 | 302 | 303 | 307 | 308 => url = target(&url, &host, &answer)?,
                status => return Err(refusal(host, status, answer.headers())),
            }
            if stays && url.host_str() != first.as_deref() {
                return Err(FetchError::Elsewhere { host, to: host_and_port(&url) });
            }
        }
        Err(FetchError::Redirects { host: host_and_port(&url), most: policy.max_redirects })
    }

    async fn body(
        &self,
        url: Url,
        host: String,
        mut answer: Response,
        wanted: Wanted,
    ) -> Result<Fetched, FetchError> {
        let cap = self.0.policy.max_bytes;
        let header = answer.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let media_type = media::kept(&String::from_utf8_lossy(header.unwrap_or_default()));
        if !wanted.is_taken(&media_type, &url) {
            return Err(FetchError::MediaType { host, found: media::shown(&media_type) });
        }
        if answer.content_length().is_some_and(|announced| announced > cap as u64) {
            return Err(FetchError::TooLarge { host, cap });
        }
        let mut bytes = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| broken(&host, &error))? {
            if piece.len() > cap - bytes.len() {
                return Err(FetchError::TooLarge { host, cap });
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Fetched { url, media_type, bytes })
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Fetcher").field(&self.0.policy).finish()
    }
}

fn parse(url: &str) -> Result<Url, FetchError> {
    if url.len() > ADDRESS_CAP {
        return Err(FetchError::Address { reason: "is too long" });
    }
    let mut url =
        Url::parse(url.trim()).map_err(|_| FetchError::Address { reason: "can't be read" })?;
    url.set_fragment(None);
    Ok(url)
}

/// Where a redirect leads, not yet checked.
fn target(from: &Url, host: &str, answer: &Response) -> Result<Url, FetchError> {
    let bad = || FetchError::BadRedirect { host: host.to_owned() };
    let written = answer.headers().get(LOCATION).ok_or_else(bad)?;
    let written = std::str::from_utf8(written.as_bytes()).map_err(|_| bad())?;
    if written.len() > ADDRESS_CAP {
        return Err(bad());
    }
    let mut target = from.join(written).map_err(|_| bad())?;
    target.set_fragment(None);
    if from.scheme() == "https" && target.scheme() == "http" {
        return Err(FetchError::Downgrade { host: host.to_owned() });
    }
    Ok(target)
}

fn refusal(host: String, status: u16, headers: &HeaderMap) -> FetchError {
    match status {
        404 | 410 => FetchError::NotFound { host, status },
        401 | 402 | 403 | 407 | 451 => FetchError::Refused { host, status },
        429 => {
            let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
            let seconds = seconds.and_then(|value| value.trim().parse::<u64>().ok());
            let wait = seconds.map(|seconds| Duration::from_secs(seconds.min(LONGEST_WAIT)));
            FetchError::RateLimited { host, wait }
        }
        _ => FetchError::Status { host, status },
    }
}

/// A connection that could not be made, or did not last.
fn broken(host: &str, error: &reqwest::Error) -> FetchError {
    let host = host.to_owned();
    match Failure::of(error) {
        Failure::Resolve(ResolveError::Private) => FetchError::Private { host },
        Failure::Resolve(ResolveError::Unknown) => FetchError::Unknown { host },
        Failure::Connect(reason) => FetchError::Connect { host, reason },
        Failure::Broken(reason) => FetchError::Broken { host, reason },
    }
}
