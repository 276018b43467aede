//! Signing in at a server, and out again. What is granted goes into the vault, and is shown nowhere.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::json;

use super::{Server, unknown};
use crate::{
    Environment, Error, Result,
    agent::{
        credentials::entry_name,
        servers::{self, Kept, address},
    },
    keys::Asking,
    reporter::Reporter,
    vault::Entrance,
};
use elophanto_net::{
    http::block_on,
    oauth::{self, Challenge, Listener, OauthError, Unasked},
    remote::{Remote, RemoteError},
    vault::{Kind, Name},
};

/// How long somebody may take to sign in.
const SIGN_IN: Duration = Duration::from_secs(5 * 60);

/// Where to sign in.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    /// The server's name.
    pub name: String,
    /// The name that the user got for this program, where programs cannot introduce themselves.
    pub client_id: Option<String>,
}

/// Lets the user sign in at a server: says which address to open, waits for the browser to come back
/// to this machine, and keeps what is granted in the vault.
///
/// # Errors
/// When there is no such server, it is a program, has a key, needs no sign-in or does not say how; when nobody signs in
/// within five minutes, the sign-in is refused, or the vault cannot be opened or written.
pub fn login(
    request: &LoginRequest,
    entrance: &mut Entrance,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Server> {
    let LoginRequest { name, client_id } = request;
    let Some(kept) = servers::read(environment)?.remove(name) else {
        return Err(unknown(name));
    };
    let Some(url) = &kept.url else {
        return Err(Error::new(format_args!("server `{name}` is a program")).hint(
            "it gets what it needs from variables: agent mcp add NAME --env NAME -- COMMAND",
        ));
    };
    if let Some(key) = &kept.key {
        return Err(Error::new(format_args!("server `{name}` gets the token in {key}"))
            .hint("add it again without --key to sign in instead"));
    }
    let remote = Remote::new(&address(url)?, kept.realm())?;
    // Nobody is asked for a passphrase where there is nothing to sign in for.
    let challenge = challenge(name, &remote)?;
    let grant = || sign_in(name, &remote, &challenge, client_id.as_deref(), reporter);
    entrance.set(&vault_name(name)?, Kind::OAuth, grant, reporter)?;
    let signed_in = servers::change(environment, |all| match all.get_mut(name) {
        Some(now) if now.url == kept.url => {
            now.signed_in = true;
            Ok(Some(now.clone()))
        }
        _ => Ok(None),
    })?;
    let Some(now) = signed_in else {
        return Err(Error::new(format_args!("server `{name}` was changed in the meantime"))
            .hint("sign in again"));
    };
    Ok(Server { done: Some(true), ..Server::of(name, &now)? })
}

/// Forgets what a server granted, in the vault too; whether there was anything.
///
/// # Errors
/// When the vault cannot be opened or written.
pub fn logout(
    name: &str,
    entrance: &mut Entrance,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<bool> {
    let forgotten = match entrance.open(Asking::Through(reporter))? {
        Some(mut vault) => vault.remove(&vault_name(name)?)?,
        None => false,
    };
    let marked = servers::change(environment, |all| {
        let kept = all.get_mut(name);
        Ok(kept.is_some_and(|kept: &mut Kept| std::mem::take(&mut kept.signed_in)))
    })?;
    Ok(forgotten || marked)
}

fn vault_name(server: &str) -> Result<Name> {
    Ok(entry_name(server).parse::<Name>()?)
}

fn sign_in(
    name: &str,
    remote: &Remote,
    challenge: &Challenge,
    client_id: Option<&str>,
    reporter: &dyn Reporter,
) -> Result<SecretString> {
    let listener = Listener::open()?;
    let begun = block_on(oauth::begin(remote, challenge, client_id, listener.address()))?;
    reporter.talk(format_args!(
        "`{}` signs you in for `{name}`; open this in a browser on this machine, within five minutes:",
        begun.host()
    ));
    reporter.talk(&begun.address);
    let answer = listener.wait(SIGN_IN, |answer| begun.is_for(answer))?;
    Ok(block_on(begun.finish(answer))?.to_secret())
}

/// What the server says to a request without a token.
fn challenge(name: &str, remote: &Remote) -> Result<Challenge> {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "elophanto", "version": env!("CARGO_PKG_VERSION") },
        },
    });
    match block_on(oauth::unasked(remote, &hello))? {
        Unasked::Challenge(challenge) => Ok(challenge),
        Unasked::LetIn => {
            Err(Error::new(format_args!("server `{name}` lets you in without a sign-in"))
                .hint(format!("elophanto agent mcp trust {name}")))
        }
        Unasked::Other { status } => Err(Error::new(format_args!(
            "server `{name}` answered HTTP {status} where it should ask for a sign-in"
        ))
        .hint("check its address, path included")),
    }
}

impl From<RemoteError> for Error {
    fn from(cause: RemoteError) -> Self {
        let hint = match &cause {
            RemoteError::Address { .. } => {
                "such as https://mcp.example.org/mcp; a token for it goes by --key"
            }
            RemoteError::Insecure { .. } => {
                "use its https:// address; http is for this machine alone"
            }
            RemoteError::Private { .. } => {
                "--private allows private networks, if this one is meant"
            }
            RemoteError::Unknown { .. } => "check the spelling of the address and the connection",
            RemoteError::Connect { .. } | RemoteError::Broken { .. } => {
                "check the address and whether the server runs"
            }
            RemoteError::Redirect { .. } => {
                "add the server at the address it points to, if that is meant"
            }
            RemoteError::Setup => "install the certificates of your system",
        };
        Self::new(cause).hint(hint)
    }
}

impl From<OauthError> for Error {
    fn from(cause: OauthError) -> Self {
        let hint = match cause {
            OauthError::Remote(cause) => return cause.into(),
            OauthError::NotRegistered { .. } => {
                "register a program there by hand, with an address of this machine to come back to, \
                 and give its name: --client-id ID"
            }
            OauthError::Nobody { .. } => "run it again, and open the address at once",
            OauthError::Refused { .. } | OauthError::Foreign | OauthError::Ended => {
                "run it again to sign in anew"
            }
            OauthError::NotSaid { .. } => {
                "it may want a key instead: agent mcp add NAME ADDRESS --key env:NAME"
            }
            OauthError::Odd { .. } => "ask whoever runs the server",
            OauthError::Timeout { .. }
            | OauthError::TooLarge { .. }
            | OauthError::Status { .. } => "try again later",
            OauthError::NoListener(_) | OauthError::NoRandomness => {
                "run it on a machine of your own"
            }
        };
        Self::new(cause).hint(hint)
    }
}
