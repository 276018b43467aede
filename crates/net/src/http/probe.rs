//! Does a model server answer at once?

use std::{net::TcpStream, time::Duration};

use url::Url;

use super::{Auth, Client, Endpoint, Patience, block_on};

/// Whether an Ollama server at `base_url` answers within `limit`, connecting included. Sends no
/// key. Something else that listens there is not taken for one.
///
/// # Panics
/// As [`block_on`].
pub fn probe(base_url: &Url, limit: Duration) -> bool {
    let patience =
        Patience { connect: limit, request: limit, idle: limit, total: limit, attempts: 1 };
    let endpoint = Endpoint::new(base_url.clone(), Auth::None);
    let Ok(client) = Client::with_body_cap(endpoint, patience, 1 << 20) else { return false };
    let asked = async {
        for (path, field) in [("/api/version", "version"), ("/api/tags", "models")] {
            match client.get(path).await {
                Ok(reply) if reply.json.get(field).is_some() => return true,
                Err(error) if error.is_unreachable() => return false,
                _ => {}
            }
        }
        false
    };
    block_on(async { tokio::time::timeout(limit, asked).await.unwrap_or(false) })
}

/// Whether anything listens at `base_url`. A connection is made within `limit`, and nothing is sent.
pub fn listens(base_url: &Url, limit: Duration) -> bool {
    let addresses = base_url.socket_addrs(|| None).unwrap_or_default();
    addresses.iter().any(|address| TcpStream::connect_timeout(address, limit).is_ok())
}
