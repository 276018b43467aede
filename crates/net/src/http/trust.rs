//! Where a key, or any text, may be sent without TLS. Pure: names are judged as written.

use std::net::{IpAddr, Ipv6Addr};

use url::{Host, Url};

use super::HttpError;

/// How far away a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// This machine.
    Loopback,
    /// A private address, or a name that only a local network knows.
    Private,
    Public,
}

/// `host:port`, for messages.
pub(super) fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or("?");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Refuses addresses that would show a key, or texts sent far away, to everybody on the way.
///
/// # Errors
/// [`HttpError::Insecure`]; [`HttpError::Endpoint`] for what is not an address of the web, and for
/// one with a password in it.
pub(super) fn check(url: &Url, has_key: bool) -> Result<Reach, HttpError> {
    let wrong = |reason: &str| Err(HttpError::Endpoint { reason: reason.to_owned() });
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("its address holds a user name or password");
    }
    let Some(host) = url.host() else { return wrong("its address names no host") };
    let reach = reach(&host);
    let insecure = |what| Err(HttpError::Insecure { host: host_and_port(url), what });
    match (url.scheme(), reach) {
        ("https", _) | ("http", Reach::Loopback) => Ok(reach),
        ("http", _) if has_key => insecure("the key"),
        ("http", Reach::Private) => Ok(reach),
        ("http", Reach::Public) => insecure("what is sent"),
        _ => wrong("its address begins with neither https:// nor http://"),
    }
}

/// Whether an address that gets a key is on this very machine.
///
/// # Errors
/// As [`check`].
pub(crate) fn is_this_machine(url: &Url) -> Result<bool, HttpError> {
    Ok(check(url, true)? == Reach::Loopback)
}

fn reach(host: &Host<&str>) -> Reach {
    match host {
        Host::Domain(name) => reach_of_name(name),
        Host::Ipv4(address) => reach_of_address(IpAddr::V4(*address)),
        Host::Ipv6(address) => reach_of_address(IpAddr::V6(*address)),
    }
}

fn reach_of_name(name: &str) -> Reach {
    let name = name.strip_suffix('.').unwrap_or(name);
    let local = [".local", ".lan", ".internal", ".home.arpa"];
    if name.eq_ignore_ascii_case("localhost") {
        Reach::Loopback
    } else if !name.contains('.') || local.iter().any(|end| name.ends_with(end)) {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn reach_of_address(address: IpAddr) -> Reach {
    let address = address.to_canonical();
    let private = match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => is_private_v6(address),
    };
    match address {
        _ if address.is_loopback() => Reach::Loopback,
        _ if private => Reach::Private,
        _ => Reach::Public,
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    address.is_unique_local() || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_travel_encrypted() {
        #[track_caller]
        fn check_url(url: &str, without_key: &str, with_key: &str) {
            for (has_key, expected) in [(false, without_key), (true, with_key)] {
                let found = match check(&Url::parse(url).unwrap(), has_key) {
                    Ok(_) => "ok",
                    Err(HttpError::Insecure { .. }) => "insecure",
                    Err(_) => "wrong",
                };
                assert_eq!(found, expected, "{url}, key: {has_key}");
            }
        }
        check_url("https://openrouter.ai/api/v1", "ok", "ok");
        check_url("http://openrouter.ai/api/v1", "insecure", "insecure");
        check_url("http://localhost:11434", "ok", "ok");
        check_url("http://LOCALHOST.:11434", "ok", "ok");
        check_url("http://127.0.0.1:1", "ok", "ok");
        check_url("http://127.8.9.1:1", "ok", "ok");
        check_url("http://0x7f000001:1", "ok", "ok");
        check_url("http://[::1]:1", "ok", "ok");
        check_url("http://[::ffff:127.0.0.1]:1", "ok", "ok");
        check_url("http://192.168.1.5", "ok", "insecure");
        check_url("http://10.0.0.1", "ok", "insecure");
        check_url("http://172.16.0.1", "ok", "insecure");
        check_url("http://172.32.0.1", "insecure", "insecure");
        check_url("http://[fd00::1]", "ok", "insecure");
        check_url("http://ollama:11434", "ok", "insecure");
        check_url("http://nas.local", "ok", "insecure");
        check_url("http://8.8.8.8", "insecure", "insecure");
        check_url("http://localhost.evil.test", "insecure", "insecure");
        check_url("http://127.0.0.1.evil.test", "insecure", "insecure");
        check_url("ftp://localhost", "wrong", "wrong");
        check_url("file:///etc/passwd", "wrong", "wrong");
        check_url("https://user:pass@host.test", "wrong", "wrong");
        check_url("https://user@host.test", "wrong", "wrong");
    }
}
