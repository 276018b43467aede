//! Servers that a person named, asked with requests of any kind.
//!
//! Owns where such requests may go: over TLS, or to this very machine; to the public internet, and
//! to private networks only where the person said so. A connection is made only to addresses that
//! were checked after resolving. Redirects are not followed, proxies of the environment are not
//! used, and nothing is kept between requests. It refuses to know what is asked and answered: how
//! much of an answer is read is for whoever reads it.

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{Method, RequestBuilder, Response, header::LOCATION, redirect};
use url::Url;

use crate::{
    address::host_and_port,
    http::{self, HttpError},
    web::{
        FetchError,
        reach::{self, Reach},
        resolve::{Failure, ResolveError, Resolver},
    },
};

const USER_AGENT: &str = concat!("elophanto/", env!("CARGO_PKG_VERSION"));
/// Bytes of an address.
const ADDRESS_CAP: usize = 8 << 10;
/// Until a connection stands.
const CONNECT: Duration = Duration::from_secs(10);
/// Characters shown of a reason.
const SHOWN: usize = 200;

/// Which hosts a person agreed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// The public internet.
    Public,
    /// Private networks too, but for where clouds keep the keys of a machine.
    Private,
}

/// Why an address is not asked, or gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    #[error("this is no address of a server: {reason}")]
    Address { reason: String },
    #[error("`{host}` is reached over http, which would show what is sent to everybody on the way")]
    Insecure { host: String },
    #[error("`{host}` is not on the public internet")]
    Private { host: String },
    #[error("can't find `{host}`")]
    Unknown { host: String },
    #[error("can't connect to `{host}`: {reason}")]
    Connect { host: String, reason: String },
    #[error("the connection to `{host}` broke: {reason}")]
    Broken { host: String, reason: String },
    #[error("`{host}` redirects to `{to}`, which is not followed")]
    Redirect { host: String, to: String },
    #[error("TLS can't be set up with the certificates of this system")]
    Setup,
}

/// Asks one host. Clones are cheap and share connections.
#[derive(Clone)]
pub struct Remote(Arc<Shared>);

struct Shared {
    client: reqwest::Client,
    address: Url,
    host: String,
    realm: Realm,
    is_here: bool,
}

impl Remote {
    /// Somebody who asks what is at `address`. Opens no connection.
    ///
    /// # Errors
    /// [`RemoteError`] when the address is none, not encrypted, or outside of the realm.
    pub fn new(address: &Url, realm: Realm) -> Result<Self, RemoteError> {
        if address.as_str().len() > ADDRESS_CAP {
            return Err(RemoteError::Address { reason: "it is too long".to_owned() });
        }
        let is_here = http::is_this_machine(address).map_err(|cause| match cause {
            HttpError::Insecure { host, .. } => RemoteError::Insecure { host },
            HttpError::Endpoint { reason } => RemoteError::Address { reason },
            cause => RemoteError::Address { reason: cause.to_string() },
        })?;
        let reach = match (is_here, realm) {
            (true, _) => Reach::HERE,
            (false, Realm::Private) => Reach::PRIVATE,
            (false, Realm::Public) => Reach::PUBLIC,
        };
        reach::check(address, reach).map_err(|cause| match cause {
            FetchError::Private { host } => RemoteError::Private { host },
            cause => RemoteError::Address { reason: cause.to_string() },
        })?;
        let encrypted = address.scheme() == "https";
        let client = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(CONNECT)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .https_only(encrypted)
            .tls_built_in_root_certs(encrypted)
            .dns_resolver(Arc::new(Resolver(reach)))
            .build()
            .map_err(|_| RemoteError::Setup)?;
        let mut address = address.clone();
        address.set_fragment(None);
        let host = host_and_port(&address);
        Ok(Self(Arc::new(Shared { client, address, host, realm, is_here })))
    }

    /// Somebody who asks what is at another address, which this one named: never in a realm where
    /// this one is not.
    ///
    /// # Errors
    /// As [`Remote::new`].
    pub fn beside(&self, address: &Url) -> Result<Self, RemoteError> {
        let other = Self::new(address, self.0.realm)?;
        match other.0.is_here && !self.0.is_here {
            true => Err(RemoteError::Private { host: other.0.host.clone() }),
            false => Ok(other),
        }
    }

    /// The address, without a fragment.
    pub fn address(&self) -> &Url {
        &self.0.address
    }

    /// Host and port, for messages.
    pub fn host(&self) -> &str {
        &self.0.host
    }

    /// A request to the address, to be sent by [`Remote::send`].
    pub fn request(&self, method: Method) -> RequestBuilder {
        self.0.client.request(method, self.0.address.clone())
    }

    /// Sends a request, up to the headers of its answer, which is no redirect.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, RemoteError> {
        let response = request.send().await.map_err(|error| self.broken(&error))?;
        if !response.status().is_redirection() {
            return Ok(response);
        }
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let to = to.and_then(|to| self.0.address.join(to).ok()).map(|mut to| {
            // What is secret in an address stands there.
            to.set_query(None);
            shown(to.as_str())
        });
        let to = to.unwrap_or_else(|| "nowhere".to_owned());
        Err(RemoteError::Redirect { host: self.0.host.clone(), to })
    }

    /// What a failure of the library means. Addresses are not in it.
    pub fn broken(&self, error: &reqwest::Error) -> RemoteError {
        let host = self.0.host.clone();
        match Failure::of(error) {
            Failure::Resolve(ResolveError::Private) => RemoteError::Private { host },
            Failure::Resolve(ResolveError::Unknown) => RemoteError::Unknown { host },
            Failure::Connect(reason) => RemoteError::Connect { host, reason },
            Failure::Broken(reason) => RemoteError::Broken { host, reason },
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("host", &self.0.host).finish_non_exhaustive()
    }
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{block_on, fake::Fake};

    #[test]
    fn where_requests_may_go() {
        #[track_caller]
        fn check(url: &str, public: &str, private: &str) {
            for (realm, expected) in [(Realm::Public, public), (Realm::Private, private)] {
                let found = match Remote::new(&Url::parse(url).unwrap(), realm) {
                    Ok(_) => "ok",
                    Err(RemoteError::Insecure { .. }) => "insecure",
                    Err(RemoteError::Private { .. }) => "private",
                    Err(_) => "wrong",
                };
                assert_eq!(found, expected, "{url} {realm:?}");
            }
        }
        check("https://mcp.example.org/mcp", "ok", "ok");
        check("http://mcp.example.org/mcp", "insecure", "insecure");
        check("http://127.0.0.1:7/mcp", "ok", "ok");
        check("http://localhost:7/mcp", "ok", "ok");
        check("http://[::1]:7/mcp", "ok", "ok");
        check("https://192.168.1.5/mcp", "private", "ok");
        check("https://nas.local/mcp", "private", "ok");
        check("https://169.254.169.254/latest", "private", "private");
        check("https://[::ffff:169.254.169.254]/latest", "private", "private");
        check("https://metadata.google.internal/", "private", "private");
        check("https://[fd00::1]/mcp", "private", "ok");
        check("https://0.0.0.0/mcp", "private", "private");
        check("http://192.168.1.5/mcp", "insecure", "insecure");
        check("http://nas.local/mcp", "insecure", "insecure");
        check("http://127.0.0.1.evil.test/", "insecure", "insecure");
        check("https://user:secret@mcp.example.org/", "wrong", "wrong");
        check("ftp://mcp.example.org/", "wrong", "wrong");
        check("file:///etc/passwd", "wrong", "wrong");
    }

    #[test]
    fn what_a_server_names_is_not_nearer_than_it_is() {
        let beside = |from: &str, to: &str| {
            let from = Remote::new(&Url::parse(from).unwrap(), Realm::Public).unwrap();
            from.beside(&Url::parse(to).unwrap()).is_ok()
        };
        assert!(beside("http://127.0.0.1:1/", "http://127.0.0.1:2/"));
        assert!(beside("http://127.0.0.1:1/", "https://auth.example.org/"));
        assert!(beside("https://mcp.example.org/", "https://auth.example.org/"));
        assert!(!beside("https://mcp.example.org/", "http://127.0.0.1:2/"));
        assert!(!beside("https://mcp.example.org/", "https://localhost/"));
        assert!(!beside("https://mcp.example.org/", "https://10.0.0.1/"));
    }

    #[test]
    fn redirects_are_told() {
        let fake = Fake::new(|_| async {
            let to = "https://elsewhere.example.org/mcp?key=secret";
            (axum::http::StatusCode::TEMPORARY_REDIRECT, [("location", to)])
        });
        let remote = Remote::new(&fake.url, Realm::Public).unwrap();
        let error = block_on(remote.send(remote.request(Method::GET))).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "`{}` redirects to `https://elsewhere.example.org/mcp`, which is not followed",
                remote.host()
            )
        );
    }
}
