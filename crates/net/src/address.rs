//! Where an address leads, as far as its text tells. Pure: names are judged as written.
//!
//! Owns the one table of hosts. What may be asked of which is for whoever asks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// How far away a host is, and for whom it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// This machine.
    Loopback,
    /// The wire that this machine hangs on, where clouds keep the keys of a machine too.
    LinkLocal,
    /// What else a machine has for itself and its cloud alone.
    Cloud,
    /// A private network, or a name that only one knows.
    Private,
    /// Kept for a use of its own, or given out to nobody.
    Special,
    Public,
}

/// Ends of names that a local network knows.
const PRIVATE_ENDS: &[&str] = &["local", "lan", "internal", "home.arpa"];
/// Ends that are kept for a use of their own, or that nobody may register.
const SPECIAL_ENDS: &[&str] = &[
    "localhost", "localdomain", "intranet", "home", "corp", "private", "in-addr.arpa", "ip6.arpa",
    "onion", "alt", "test", "invalid", "example",
];
/// Names under which clouds keep the keys of a machine.
const CLOUDS: &[&str] = &["metadata", "metadata.google.internal", "metadata.azure.internal"];
/// Where Amazon does.
const AWS_V6: [u16; 8] = [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254];

/// Where a host is.
pub fn place(host: &Host<&str>) -> Place {
    match host {
        Host::Domain(name) => place_of_name(name),
        Host::Ipv4(address) => place_of_v4(*address),
        Host::Ipv6(address) => place_of_v6(*address),
    }
}

/// Whether what is sent there stays on this machine.
pub fn is_loopback(url: &Url) -> bool {
    url.host().is_some_and(|host| place(&host) == Place::Loopback)
}

/// The host of an address of the web that says nobody's name or password.
///
/// # Errors
/// What is wrong with it: "holds a user name or password".
pub fn host_of_web(url: &Url) -> Result<Host<&str>, &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("begins with neither https:// nor http://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds a user name or password");
    }
    url.host().filter(|host| *host != Host::Domain("")).ok_or("names no host")
}

/// `host:port`, for messages.
pub fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or("?");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

pub(crate) fn place_of_address(address: IpAddr) -> Place {
    match address {
        IpAddr::V4(address) => place_of_v4(address),
        IpAddr::V6(address) => place_of_v6(address),
    }
}

/// A name of the public internet has a dot, and no end that is kept for another use.
pub(crate) fn place_of_name(name: &str) -> Place {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends = |end: &&str| {
        name.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    match &*name {
        "localhost" => Place::Loopback,
        name if CLOUDS.contains(&name) => Place::Cloud,
        name if !name.contains('.') || PRIVATE_ENDS.iter().any(ends) => Place::Private,
        _ if SPECIAL_ENDS.iter().any(ends) => Place::Special,
        _ => Place::Public,
    }
}

/// As the registries of special addresses of IANA have it.
fn place_of_v4(address: Ipv4Addr) -> Place {
    match address.octets() {
        [127, ..] => Place::Loopback,
        [169, 254, ..] => Place::LinkLocal,
        // Azure's wire server and Alibaba's metadata lie among addresses of others.
        [0, 0, 0, 0] | [168, 63, 129, 16] | [100, 100, 100, 200] => Place::Cloud,
        // RFC 1918.
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Place::Private,
        // This network; between providers and their customers.
        [0, ..] | [100, 64..=127, ..] => Place::Special,
        // Protocol assignments, documentation, the old relay of 6to4, benchmarks.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Place::Special,
        [192, 88, 99, _] | [198, 18 | 19, ..] => Place::Special,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => Place::Special,
        _ => Place::Public,
    }
}

fn place_of_v6(address: Ipv6Addr) -> Place {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return place_of_v4(mapped);
    }
    if let Some(translated) = translated(address) {
        // Whatever is not public there is near the translator, not near us.
        return match place_of_v4(translated) {
            Place::Public => Place::Public,
            _ => Place::Cloud,
        };
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Place::Loopback,
        [0xfe80..=0xfebf, ..] => Place::LinkLocal,
        // A translator's own, which may stand for anything.
        AWS_V6 | [0, 0, 0, 0, 0, 0, 0, 0] | [0x64, 0xff9b, ..] => Place::Cloud,
        [0xfc00..=0xfdff, ..] => Place::Private,
        // Protocol assignments, Teredo among them; documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Place::Special,
        // Only this eighth of all addresses is given out.
        [0x2000..=0x3fff, ..] => Place::Public,
        _ => Place::Special,
    }
}

/// The IPv4 address that an IPv6 address is translated to: by NAT64, SIIT or 6to4.
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let from = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0xffff, 0, high, low]
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
            let place = place_of_address(address.parse().unwrap());
            assert_eq!(place == Place::Public, expected, "{address}");
        }
        for address in [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "126.255.255.255", "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0",
            "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "223.255.255.255", "2606:4700::1111", "2a00::1", "2001:4860::8888", "3ffe::1",
            "64:ff9b::8.8.8.8", "::ffff:8.8.8.8", "2002:808:808::1",
        ] {
            check_address(address, true);
        }
        for address in [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "100.100.100.200",
            "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255",
            "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "168.63.129.16", "::", "::1", "::7f00:1", "::ffff:127.0.0.1",
            "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:db8::1", "2001:10::1",
            "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1",
            "fec0::1", "ff02::1", "5f00::1",
        ] {
            check_address(address, false);
        }
    }

    #[test]
    fn urls_are_judged() {
        #[track_caller]
        fn check_url(url: &str, expected: &str) {
            let url = Url::parse(url).unwrap();
            let found = match host_of_web(&url).map(|host| place(&host)) {
                Ok(Place::Public) => "ok",
                Ok(_) => "private",
                Err(_) => "wrong",
            };
            assert_eq!(found, expected, "{url}");
        }
        for url in ["https://example.org/x", "http://8.8.8.8:81/", "https://[2606:4700::1111]/"] {
            check_url(url, "ok");
        }
        // Every way `url` reads an IPv4 address.
        for host in [
            "127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1",
            "017700000001", "0", "127.0.0.1.", "0x7F.0x0.0x0.0x1", "%31%32%37.0.0.1",
            "１２７.0.0.1", "169.254.43518", "[::1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]",
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

    #[test]
    fn near_hosts_are_told_apart() {
        for (url, expected) in [
            ("http://localhost/", Place::Loopback),
            ("http://LOCALHOST./", Place::Loopback),
            ("http://127.8.9.1/", Place::Loopback),
            ("http://[::1]/", Place::Loopback),
            ("http://[::ffff:127.0.0.1]/", Place::Loopback),
            ("http://[64:ff9b::127.0.0.1]/", Place::Cloud),
            ("http://localhost.evil.test/", Place::Special),
            ("http://169.254.169.254/", Place::LinkLocal),
            ("http://[fe80::1]/", Place::LinkLocal),
            ("http://[fd00:ec2::254]/", Place::Cloud),
            ("http://[64:ff9b::a9fe:a9fe]/", Place::Cloud),
            ("http://[64:ff9b:1::a9fe:a9fe]/", Place::Cloud),
            ("http://168.63.129.16/", Place::Cloud),
            ("http://metadata.google.internal./", Place::Cloud),
            ("http://0.0.0.0/", Place::Cloud),
            ("http://192.168.1.5/", Place::Private),
            ("http://[::ffff:10.0.0.1]/", Place::Private),
            ("http://[fd00::1]/", Place::Private),
            ("http://ollama/", Place::Private),
            ("http://nas.local/", Place::Private),
            ("http://172.32.0.1/", Place::Public),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(place(&url.host().unwrap()), expected, "{url}");
        }
    }
}
