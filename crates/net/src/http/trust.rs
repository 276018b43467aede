//! Where a key, or any text, may be sent without TLS. Pure: names are judged as written.

use url::Url;

use super::HttpError;
use crate::address::{Place, host_and_port, host_of_web, place};

/// Refuses addresses that would show a key, or texts sent far away, to everybody on the way.
///
/// # Errors
/// [`HttpError::Insecure`]; [`HttpError::Endpoint`] for what is not an address of the web, and for
/// one with a password in it.
pub(super) fn check(url: &Url, has_key: bool) -> Result<Place, HttpError> {
    let wrong = |reason| HttpError::Endpoint { reason: format!("its address {reason}") };
    let place = place(&host_of_web(url).map_err(wrong)?);
    let insecure = |what| Err(HttpError::Insecure { host: host_and_port(url), what });
    match place {
        _ if url.scheme() == "https" => Ok(place),
        Place::Loopback => Ok(place),
        _ if has_key => insecure("the key"),
        Place::Private | Place::LinkLocal => Ok(place),
        Place::Cloud | Place::Special | Place::Public => insecure("what is sent"),
    }
}

/// Whether an address that gets a key is on this very machine.
///
/// # Errors
/// As [`check`].
pub(crate) fn is_this_machine(url: &Url) -> Result<bool, HttpError> {
    Ok(check(url, true)? == Place::Loopback)
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
