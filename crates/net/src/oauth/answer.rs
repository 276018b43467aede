//! The one answer that a browser brings back to this machine.

use std::{
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

use secrecy::SecretString;
use url::Url;

use super::{OauthError, error::shown};

/// Where the browser is sent.
const PATH: &str = "/callback";
/// Bytes of a request.
const MAX_REQUEST: usize = 16 << 10;
/// How long one browser may take.
const SLOW: Duration = Duration::from_secs(5);
/// How often the listener looks.
const LOOK: Duration = Duration::from_millis(50);

/// What the browser brought.
pub struct Answer {
    pub(super) code: Option<SecretString>,
    pub(super) state: Option<String>,
    pub(super) error: Option<String>,
    pub(super) issuer: Option<String>,
}

/// Waits for one answer, on this machine only.
pub struct Listener {
    listener: TcpListener,
    address: Url,
}

impl Listener {
    /// Listens at a free port.
    ///
    /// # Errors
    /// [`OauthError::NoListener`].
    pub fn open() -> Result<Self, OauthError> {
        let failed = |cause: io::Error| OauthError::NoListener(shown(&cause.to_string()));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let address = Url::parse(&format!("http://127.0.0.1:{port}{PATH}"))
            .map_err(|_| OauthError::NoListener("the port is none".to_owned()))?;
        Ok(Self { listener, address })
    }

    /// Where the browser has to be sent.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// The first answer that is `wanted`, and no other after it. Whoever comes with anything else is
    /// told so and changes nothing.
    ///
    /// # Errors
    /// [`OauthError::Nobody`] after `patience`.
    pub fn wait(
        self,
        patience: Duration,
        wanted: impl Fn(&Answer) -> bool,
    ) -> Result<Answer, OauthError> {
        let begun = Instant::now();
        while begun.elapsed() < patience {
            let Ok((stream, _)) = self.listener.accept() else {
                std::thread::sleep(LOOK);
                continue;
            };
            // One that breaks off is not the one that is waited for.
            let place = self.address.authority();
            if let Ok(Some(answer)) = asked(stream, place, &wanted) {
                return Ok(answer);
            }
        }
        Err(OauthError::Nobody { minutes: patience.as_secs().div_ceil(60) })
    }
}

/// `place` is the host and port that the browser was sent to.
fn asked(
    mut stream: TcpStream,
    place: &str,
    wanted: &impl Fn(&Answer) -> bool,
) -> io::Result<Option<Answer>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(SLOW))?;
    stream.set_write_timeout(Some(SLOW))?;
    let begun = Instant::now();
    let mut request = Vec::new();
    let mut piece = [0; 2_048];
    while !request.windows(4).any(|four| four == b"\r\n\r\n") {
        let count = stream.read(&mut piece)?;
        request.extend_from_slice(piece.get(..count).unwrap_or_default());
        if count == 0 || request.len() > MAX_REQUEST || begun.elapsed() > SLOW {
            break;
        }
    }
    let request = String::from_utf8_lossy(&request);
    let first = request.split('\r').next().unwrap_or_default();
    let is_here = is_for(&request, place);
    let answer = Some(first).filter(|_| is_here).and_then(read).filter(wanted);
    let (status, said) = match &answer {
        Some(Answer { error: None, .. }) => ("200 OK", "Signed in. You can close this page."),
        Some(_) => ("200 OK", "The sign-in was refused. You can close this page."),
        None if !is_here => ("421 Misdirected Request", "Nothing of this name is here."),
        None => ("404 Not Found", "Nothing is waited for here."),
    };
    let reply = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{said}",
        said.len()
    );
    // The answer counts, whether the page is seen or not.
    let _ = stream.write_all(reply.as_bytes());
    Ok(answer)
}

/// Whether a request names this very host and port, once: a name of somebody else's that leads to this
/// machine is none of ours.
fn is_for(request: &str, place: &str) -> bool {
    let head = request.split("\r\n\r\n").next().unwrap_or_default();
    let fields = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
    let mut hosts = fields.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let named = hosts.next().map(|(_, host)| host.trim());
    named == Some(place) && hosts.next().is_none()
}

/// Reads the first line of a request.
fn read(line: &str) -> Option<Answer> {
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    let (path, query) = target.split_once('?')?;
    if path != PATH {
        return None;
    }
    let mut answer = Answer { code: None, state: None, error: None, issuer: None };
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "code" => answer.code = Some(SecretString::from(value.into_owned())),
            "state" => answer.state = Some(value.into_owned()),
            "error" if answer.error.is_none() => answer.error = Some(value.into_owned()),
            "error_description" => answer.error = Some(value.into_owned()),
            "iss" => answer.issuer = Some(value.into_owned()),
            _ => {}
        }
    }
    (answer.code.is_some() || answer.error.is_some()).then_some(answer)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn whom_a_request_is_for() {
        let check = |fields: &str, expected: bool| {
            let request = format!("GET /callback?code=a HTTP/1.1\r\n{fields}\r\n\r\n");
            assert_eq!(is_for(&request, "127.0.0.1:8123"), expected, "{fields:?}");
        };
        check("Host: 127.0.0.1:8123", true);
        check("Accept: */*\r\nhost:127.0.0.1:8123", true);
        for fields in [
            "",
            "Accept: */*",
            "Host: 127.0.0.1",
            "Host: 127.0.0.1:8124",
            "Host: localhost:8123",
            "Host: 127.0.0.1.evil.test:8123",
            "Host: evil.test\r\nHost: 127.0.0.1:8123",
            "Host: 127.0.0.1:8123\r\nHost: evil.test",
            "X: Host: 127.0.0.1:8123",
        ] {
            check(fields, false);
        }
    }

    #[test]
    fn first_lines() {
        #[track_caller]
        fn check(line: &str, expected: Option<(&str, &str, &str)>) {
            let found = read(line).map(|it| {
                let code = it.code.map(|code| code.expose_secret().to_owned());
                [code, it.state, it.error].map(Option::unwrap_or_default)
            });
            let expected =
                expected.map(|(code, state, error)| [code, state, error].map(String::from));
            assert_eq!(found, expected, "{line}");
        }
        check("GET /callback?code=a%2Bb&state=s HTTP/1.1", Some(("a+b", "s", "")));
        check(
            "GET /callback?error=access_denied&state=s HTTP/1.1",
            Some(("", "s", "access_denied")),
        );
        check(
            "GET /callback?error=x&error_description=not+you&state=s HTTP/1.1",
            Some(("", "s", "not you")),
        );
        for line in [
            "",
            "GET / HTTP/1.1",
            "GET /callback HTTP/1.1",
            "GET /callback?state=s HTTP/1.1",
            "GET /other?code=a HTTP/1.1",
            "POST /callback?code=a HTTP/1.1",
            "GET http://127.0.0.1/callback?code=a HTTP/1.1",
        ] {
            check(line, None);
        }
    }
}
