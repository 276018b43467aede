//! Names to addresses, private ones left out. What is returned is what is connected to.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::reach::Reach;

/// Addresses of one name that are tried at most.
const MOST: usize = 16;
/// Characters shown of a reason.
const SHOWN: usize = 200;

/// Finds no address beyond its reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolver(pub Reach);

/// Why a name leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("only private addresses")]
    Private,
    #[error("no such name")]
    Unknown,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let name = name.as_str();
            if !(reach.names)(name) {
                return Err(ResolveError::Private.into());
            }
            // The port is set by whoever connects.
            let found = tokio::net::lookup_host((name, 0)).await;
            let found = found.map_err(|_| ResolveError::Unknown)?;
            let addresses = kept(found.collect(), reach)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// What a failure of the library means.
pub(crate) enum Failure {
    /// The name leads nowhere.
    Resolve(ResolveError),
    /// No connection could be made, with the reason.
    Connect(String),
    /// It did not last.
    Broken(String),
}

impl Failure {
    /// What libraries say holds no address but in its outermost words, which are left out.
    pub fn of(error: &reqwest::Error) -> Self {
        let mut innermost: &dyn std::error::Error = error;
        while let Some(cause) = innermost.source() {
            innermost = cause;
        }
        if let Some(cause) = innermost.downcast_ref::<ResolveError>() {
            return Self::Resolve(*cause);
        }
        let reason = match error.is_timeout() {
            true => "it took too long".to_owned(),
            false => {
                innermost.to_string().chars().filter(|c| !c.is_control()).take(SHOWN).collect()
            }
        };
        if error.is_connect() { Self::Connect(reason) } else { Self::Broken(reason) }
    }
}

fn kept(found: Vec<SocketAddr>, reach: Reach) -> Result<Vec<SocketAddr>, ResolveError> {
    if found.is_empty() {
        return Err(ResolveError::Unknown);
    }
    let open = found.into_iter().filter(|address| (reach.addresses)(address.ip()));
    let open: Vec<SocketAddr> = open.take(MOST).collect();
    if open.is_empty() { Err(ResolveError::Private) } else { Ok(open) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_left_out() {
        #[track_caller]
        fn check(found: &[&str], expected: Result<&[&str], ResolveError>) {
            let parse = |all: &[&str]| all.iter().map(|one| one.parse().unwrap()).collect();
            assert_eq!(kept(parse(found), Reach::PUBLIC), expected.map(parse));
        }
        check(&[], Err(ResolveError::Unknown));
        check(&["127.0.0.1:0", "[::1]:0", "169.254.169.254:0"], Err(ResolveError::Private));
        check(&["10.0.0.1:0", "8.8.8.8:0", "[fe80::1]:0"], Ok(&["8.8.8.8:0"]));
        assert_eq!(kept(vec!["[::1]:0".parse().unwrap()], Reach::PRIVATE).unwrap().len(), 1);
    }
}
