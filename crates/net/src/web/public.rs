//! Which addresses and names belong to the public internet. Pure: names are judged as written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::FetchError;

/// Ends of names that only a local network or one machine knows.
const LOCAL_ENDS: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "in-addr.arpa",
    "ip6.arpa",
    "onion",
    "alt",
    "test",
    "invalid",
    "example",
];

/// Which hosts may be asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub addresses: fn(IpAddr) -> bool,
    pub names: fn(&str) -> bool,
}

impl Reach {
    /// The public internet.
    pub const PUBLIC: Self = Self { addresses: is_public, names: is_public_name };

    /// Private networks and this machine too.
    pub const ANY: Self = Self { addresses: |_| true, names: |_| true };
}

/// `host:port`, for messages.
pub(crate) fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or("?");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Refuses what is no address of a page within `reach`, as far as it can be told without resolving
/// its name.
///
/// # Errors
/// [`FetchError::Address`] and [`FetchError::Private`].
pub(crate) fn check(url: &Url, reach: Reach) -> Result<(), FetchError> {
    let wrong = |reason| Err(FetchError::Address { reason });
    if !matches!(url.scheme(), "http" | "https") {
        return wrong("it begins with neither https:// nor http://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("it holds a user name or password");
    }
    let is_open = match url.host() {
        None => return wrong("it names no host"),
        Some(Host::Domain("")) => return wrong("it names no host"),
        Some(Host::Domain(name)) => (reach.names)(name),
        Some(Host::Ipv4(address)) => (reach.addresses)(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => (reach.addresses)(IpAddr::V6(address)),
    };
    match is_open {
        true => Ok(()),
        false => Err(FetchError::Private { host: host_and_port(url) }),
    }
}

/// Whether a name could be one of the public internet: it has a dot, and no end that is kept for
/// local use.
pub(crate) fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends = |end: &str| {
        name.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    name.contains('.') && !LOCAL_ENDS.iter().any(|end| ends(end))
}

/// Whether an address is one of the public internet, as the registries of special addresses of IANA
/// have it. An IPv6 address that stands for an IPv4 one is judged as that.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(embedded) => is_public_v4(embedded),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_special = match address.octets() {
        // This network, this host.
        [0, ..] | [127, ..] => true,
        // RFC 1918.
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => true,
        // Between providers and their customers.
        [100, 64..=127, ..] => true,
        // Link-local, where clouds keep their metadata.
        [169, 254, ..] => true,
        // Alibaba's metadata and Azure's wire server lie among public addresses.
        [168, 63, 129, 16] => true,
        // Protocol assignments, documentation, the old relay of 6to4, benchmarks.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        [192, 88, 99, _] | [198, 18 | 19, ..] => true,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => true,
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Only this eighth of all addresses is given out.
        [first, ..] if first & 0xe000 != 0x2000 => false,
        // Protocol assignments, Teredo among them; documentation.
        [0x2001, second, ..] => second >= 0x0200 && second != 0x0db8,
        [0x3fff, second, ..] => second >= 0x1000,
        _ => true,
    }
}

/// The IPv4 address that an IPv6 address carries: mapped, translated (NAT64), 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let from = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => from(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged() {
        #[track_caller]
        fn check_address(address: &str, expected: bool) {
            assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
        }
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "2001:4860::8888",
            "3ffe::1",
            "64:ff9b::8.8.8.8",
            "::ffff:8.8.8.8",
            "2002:808:808::1",
        ] {
            check_address(address, true);
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::8.8.8.8",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2001:10::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ] {
            check_address(address, false);
        }
    }

    #[test]
    fn urls_are_judged() {
        #[track_caller]
        fn check_url(url: &str, expected: &str) {
            let url = Url::parse(url).unwrap();
            let found = match check(&url, Reach::PUBLIC) {
                Ok(()) => "ok",
                Err(FetchError::Private { .. }) => "private",
                Err(_) => "wrong",
            };
            assert_eq!(found, expected, "{url}");
            let allowed = if expected == "wrong" { "wrong" } else { "ok" };
            assert_eq!(
                if check(&url, Reach::ANY).is_ok() { "ok" } else { "wrong" },
                allowed,
                "{url}"
            );
        }
        for url in ["https://example.org/x", "http://8.8.8.8:81/", "https://[2606:4700::1111]/"] {
            check_url(url, "ok");
        }
        // Every way `url` reads an IPv4 address.
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "127.1",
            "017700000001",
            "0",
            "127.0.0.1.",
            "0x7F.0x0.0x0.0x1",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "169.254.43518",
            "[::1]",
            "[::ffff:7f00:1]",
            "[0:0:0:0:0:0:0:1]",
            "[::127.0.0.1]",
        ] {
            check_url(&format!("http://{host}/"), "private");
        }
        for host in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "nas.local",
            "x.internal",
            "router",
            "x.home.arpa",
            "metadata.google.internal",
            "db.corp",
            "local",
            "x.test",
        ] {
            check_url(&format!("http://{host}/"), "private");
        }
        for url in [
            "ftp://example.org/",
            "file:///etc/passwd",
            "https://me@example.org/",
            "data:text/html,x",
            "https://me:secret@example.org/",
            "javascript:1",
            "gopher://example.org/",
        ] {
            check_url(url, "wrong");
        }
        check_url("http://localhost.example.org", "ok");
        check_url("http://notlocal.org", "ok");
    }
}
