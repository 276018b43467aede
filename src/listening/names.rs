//! Names of hosts and web origins that a request may carry. Pure.
//!
//! A page on the web can make a browser send requests to this machine, under a name of its own that
//! it points here: hence only names that mean this machine, or that the user allowed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a request may be sent to `host`, as it stands in the header, with or without a port.
/// Entries of `allowed` with a port allow that port only.
pub fn is_allowed_host(host: &str, allowed: &[String]) -> bool {
    let Some((name, port)) = split(host) else { return false };
    is_loopback(&name)
        || allowed.iter().filter_map(|entry| split(entry)).any(|(allowed, allowed_port)| {
            allowed == name && (allowed_port.is_none() || allowed_port == port)
        })
}

/// Whether a page of `origin` may send requests. `null`, which any sandboxed page can send, never.
pub fn is_allowed_origin(origin: &str, allowed: &[String]) -> bool {
    if origin.is_empty() || origin.eq_ignore_ascii_case("null") {
        return false;
    }
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.and_then(split).is_some_and(|(name, _)| is_loopback(&name))
        || allowed.iter().any(|entry| entry.trim_end_matches('/').eq_ignore_ascii_case(origin))
}

/// Whether a page of `origin` is one of ours, to whom its request was sent as `host`, which is allowed:
/// exactly the same scheme, name and port. On this machine that is plain HTTP at the port that is ours,
/// elsewhere TLS in front of us. Cookies know no ports, so that pages of all other ports of this machine
/// are strangers.
pub fn is_own_origin(origin: &str, host: &str, own: u16) -> bool {
    let Some((name, port)) = split(host) else { return false };
    let is_here = is_loopback(&name);
    let (scheme, usual) = if is_here { ("http://", 80) } else { ("https://", 443) };
    if is_here && port.unwrap_or(usual) != own {
        return false;
    }
    let of = origin.strip_prefix(scheme).and_then(split);
    of.is_some_and(|(of, at)| of == name && at.unwrap_or(usual) == port.unwrap_or(usual))
}

fn is_loopback(name: &str) -> bool {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match inner {
        Some(inner) => inner.parse().is_ok_and(|address: Ipv6Addr| address.is_loopback()),
        None => name == "localhost" || name.parse().is_ok_and(|it: Ipv4Addr| it.is_loopback()),
    }
}

/// Name in lower case (an IPv6 address with its brackets) and port.
fn split(host: &str) -> Option<(String, Option<u16>)> {
    let end = match host.strip_prefix('[') {
        Some(inner) => inner.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at_checked(end)?;
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => None,
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(digits.parse().ok()?)
        }
        _ => return None,
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let is_valid = name.starts_with('[') || (!name.is_empty() && name.bytes().all(is_name));
    let name = name.strip_suffix('.').unwrap_or(name);
    is_valid.then(|| (name.to_ascii_lowercase(), port))
}

/// The name of the host that a request to an address of this machine bears: none that somebody else
/// could point here.
pub fn host_of(address: IpAddr) -> Option<String> {
    match address {
        ip if ip.is_unspecified() => None,
        IpAddr::V4(ip) => Some(ip.to_string()),
        IpAddr::V6(ip) => Some(format!("[{ip}]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: &str, expected: bool) {
        let allowed = ["kb.example".to_owned(), "Other.example:8080".to_owned()];
        assert_eq!(is_allowed_host(host, &allowed), expected, "{host:?}");
    }

    #[test]
    fn hosts() {
        for host in [
            "localhost", "LOCALHOST:7", "localhost.", "127.0.0.1", "127.0.0.1:65535", "127.8.9.1",
            "[::1]", "[::1]:80", "[0:0::1]", "kb.example", "KB.example:443", "other.example:8080",
        ] {
            check(host, true);
        }
        for host in [
            "", ":80", "127.0.0.1.evil.test", "evil.test", "localhost.evil.test", "127.0.0.1:",
            "127.0.0.1:99999", "127.0.0.1:80:80", "user@127.0.0.1", "127.0.0.1/", "[::1", "[::2]",
            "[::1]evil.test", "::1", "0.0.0.0", "other.example", "other.example:80", "127.0.0.1 ",
            "xkb.example", "kb.example.evil.test", "localhost\u{e9}", "2130706433",
        ] {
            check(host, false);
        }
    }

    #[test]
    fn origins() {
        let allowed = ["https://notes.example:8443/".to_owned(), "null".to_owned()];
        for (origin, expected) in [
            ("http://localhost:3000", true),
            ("https://127.0.0.1", true),
            ("http://[::1]:1", true),
            ("https://notes.example:8443", true),
            ("https://notes.example", false),
            ("null", false),
            ("", false),
            ("https://evil.test", false),
            ("http://localhost.evil.test", false),
            ("http://127.0.0.1@evil.test", false),
            ("file://localhost", false),
            ("http://localhost/path", false),
        ] {
            assert_eq!(is_allowed_origin(origin, &allowed), expected, "{origin:?}");
        }
    }
    #[test]
    fn own_origins() {
        for (origin, host, expected) in [
            ("http://127.0.0.1:18789", "127.0.0.1:18789", true),
            ("http://localhost:18789", "LOCALHOST:18789", true),
            ("http://localhost", "localhost:80", false),
            ("http://127.0.0.1:1", "127.0.0.1:1", false),
            ("http://[::1]:18789", "[::1]:18789", true),
            ("https://kb.example", "kb.example", true),
            ("https://kb.example:8443", "kb.example:8443", true),
            ("http://127.0.0.1:3000", "127.0.0.1:18789", false),
            ("http://localhost:18789", "127.0.0.1:18789", false),
            ("https://127.0.0.1:18789", "127.0.0.1:18789", false),
            ("http://127.0.0.1", "127.0.0.1:18789", false),
            ("http://127.0.0.1:18789/", "127.0.0.1:18789", false),
            ("http://127.0.0.1:18789.evil.test", "127.0.0.1:18789", false),
            ("http://kb.example", "kb.example", false),
            ("https://kb.example:8443", "kb.example", false),
            ("null", "127.0.0.1:18789", false),
            ("file://", "127.0.0.1:18789", false),
            ("", "127.0.0.1:18789", false),
        ] {
            assert_eq!(is_own_origin(origin, host, 18789), expected, "{origin:?} at {host:?}");
        }
    }
}
