//! Which hosts a fetcher asks.

use std::net::IpAddr;

use url::{Host, Url};

use super::FetchError;
use crate::address::{Place, host_and_port, host_of_web, place_of_address, place_of_name};

/// Which hosts may be asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub addresses: fn(IpAddr) -> bool,
    pub names: fn(&str) -> bool,
}

impl Reach {
    /// The public internet.
    pub const PUBLIC: Self = Self {
        addresses: |address| place_of_address(address) == Place::Public,
        names: |name| place_of_name(name) == Place::Public,
    };
    /// Private networks and this machine too, but for where clouds keep the keys of a machine.
    pub const PRIVATE: Self = Self {
        addresses: |it| !matches!(place_of_address(it), Place::LinkLocal | Place::Cloud),
        names: |name| place_of_name(name) != Place::Cloud,
    };
    /// This machine, whatever it is called.
    pub const HERE: Self =
        Self { addresses: |it| place_of_address(it) == Place::Loopback, names: |_| true };
}

/// Refuses what is no address of a page within `reach`, as far as it can be told without resolving
/// its name.
///
/// # Errors
/// [`FetchError::Address`] and [`FetchError::Private`].
pub(crate) fn check(url: &Url, reach: Reach) -> Result<(), FetchError> {
    let is_open = match host_of_web(url).map_err(|reason| FetchError::Address { reason })? {
        Host::Domain(name) => (reach.names)(name),
        Host::Ipv4(address) => (reach.addresses)(address.into()),
        Host::Ipv6(address) => (reach.addresses)(address.into()),
    };
    match is_open {
        true => Ok(()),
        false => Err(FetchError::Private { host: host_and_port(url) }),
    }
}
