//! Fetching a file from an open address into a file.

use std::{fs::File, io::Write, path::Path, time::Duration};

use reqwest::redirect;
use url::Url;

use super::{HttpError, block_on, trust};
use crate::address::{Place, host_and_port};

/// Most redirects that are followed.
const MOST_REDIRECTS: usize = 8;
const CONNECT: Duration = Duration::from_secs(10);
/// Between two packets.
const IDLE: Duration = Duration::from_secs(60);

/// Fetches a file without a key and returns its size in bytes; `None` if the server does not have
/// it (404). Redirects are followed, as hubs send files from elsewhere, but never to an address
/// without TLS, and from another machine never to this one. `progress` hears bytes done and, if
/// the server says so, bytes in all.
///
/// # Errors
/// [`HttpError`]; [`HttpError::TooLarge`] beyond `cap` bytes. The file then holds a part or
/// nothing.
pub fn download(
    url: &Url,
    to: &Path,
    cap: usize,
    progress: &dyn Fn(u64, Option<u64>),
) -> Result<Option<u64>, HttpError> {
    let place = trust::check(url, false)?;
    let host = host_and_port(url);
    let from_here = place == Place::Loopback;
    let follow = redirect::Policy::custom(move |attempt| {
        let place = trust::check(attempt.url(), false);
        if attempt.previous().len() > MOST_REDIRECTS {
            attempt.error("too many redirects")
        } else if place.is_ok_and(|place| from_here == (place == Place::Loopback)) {
            attempt.follow()
        } else {
            attempt.error("a redirect to an address that is not followed")
        }
    });
    let encrypted = url.scheme() == "https";
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("elophanto/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .read_timeout(IDLE)
        .redirect(follow)
        .referer(false)
        .tls_built_in_root_certs(encrypted);
    if from_here {
        builder = builder.no_proxy();
    }
    let broken = |cause: &dyn std::fmt::Display| HttpError::Broken {
        host: host.clone(),
        reason: cause.to_string(),
    };
    let client = builder.build().map_err(|cause| broken(&cause))?;
    block_on(async {
        let answer = client.get(url.clone()).send().await;
        let mut answer = answer.map_err(|cause| match cause.is_connect() {
            true => HttpError::Connect { host: host.clone(), reason: "no answer there".to_owned() },
            false => broken(&cause.without_url()),
        })?;
        match answer.status().as_u16() {
            200 => {}
            404 => return Ok(None),
            status => {
                let message = "the file can't be fetched".to_owned();
                return Err(HttpError::Status { host: host.clone(), status, message });
            }
        }
        let all = answer.content_length();
        let too_large = || HttpError::TooLarge { host: host.clone(), cap };
        if all.is_some_and(|all| all > cap as u64) {
            return Err(too_large());
        }
        let mut file = File::create(to).map_err(|cause| broken(&cause))?;
        let mut done = 0;
        while let Some(bytes) =
            answer.chunk().await.map_err(|cause| broken(&cause.without_url()))?
        {
            done += bytes.len() as u64;
            if done > cap as u64 {
                return Err(too_large());
            }
            file.write_all(&bytes).map_err(|cause| broken(&cause))?;
            progress(done, all);
        }
        if all.is_some_and(|all| all != done) {
            return Err(broken(&"the file came only in part"));
        }
        Ok(Some(done))
    })
}
