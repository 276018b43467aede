//! Adding a server: sorting out what the user wrote, and what a program cannot do without.

use std::{collections::BTreeMap, path};

use url::{Host, Url};

use super::Server;
use crate::{
    Environment, Error, Result,
    agent::servers::{self, Kept, address, level},
    config::KeyRef,
    reporter::Reporter,
};
use elophanto_agent::mcp_client::{EntryError, is_installed};
use elophanto_base::{shell::quoted, visible::escape_control_line};

/// Programs that find other programs and keep what they fetch: without these variables they fail, or
/// fetch all of it each time.
const LAUNCHERS: &[&str] =
    &["npx", "npm", "pnpm", "yarn", "bun", "bunx", "deno", "node", "uv", "uvx", "pipx"];
const USUAL: [&str; 2] = ["HOME", "PATH"];
/// Bytes of a name that is made of an address.
const MAX_NAME: usize = 24;

/// A server to add: a program or an address.
#[derive(Debug, Clone, Default)]
pub struct AddRequest {
    /// What to call it, or where it is: then a name is made of that.
    pub name: String,
    /// `None` for one that is started as a program.
    pub address: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Names of the variables the program gets.
    pub environment: Vec<String>,
    /// Give it `PATH` and `HOME` as well.
    pub usual: bool,
    /// The address may be on a private network.
    pub private: bool,
    /// Where the token for the address is: `env:NAME` or `vault:NAME`.
    pub key: Option<String>,
    /// `TOOL=LEVEL` each.
    pub levels: Vec<String>,
    /// Use what it offers from now on.
    pub trust: bool,
}

/// What came of adding a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Added {
    /// As it is kept now.
    pub server: Server,
    /// Whether there was one of that name.
    pub replaces: bool,
    /// It wants the user to sign in before it says what it offers, so it is not trusted yet.
    pub wants_sign_in: bool,
    /// What a launcher often fails without, and does not get: names of variables.
    pub lacks: Vec<&'static str>,
    /// Its program is not there yet.
    pub is_missing: bool,
}

/// Adds a server, and looks at what it offers if the user trusts it. A program that cannot do without
/// usual variables gets them if the user agrees.
///
/// # Errors
/// When it is not in the right form, does not start or answer, or cannot be kept.
pub fn add(
    request: AddRequest,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Added> {
    let levels = levels_of(&request.levels)?;
    let (trust, is_derived) = (request.trust, is_address(&request.name));
    let (name, (mut kept, lacks)) = match sorted(&request)? {
        Place::Address(name, url) => (name, (at_address(&request, &url)?, Vec::new())),
        Place::Program(name) => (name, program(request, reporter)?),
    };
    kept.levels = levels;
    if let Some(former) = servers::read(environment)?.get(&name) {
        let is_same = kept.url.is_some() && former.url == kept.url;
        // A name that the user did not choose replaces nothing that is another.
        if is_derived && !is_same {
            let url = kept.url.as_deref().unwrap_or_default();
            return Err(Error::new(format_args!("there is another server `{name}` already")).hint(
                format!("give this one a name: elophanto agent mcp add NAME {}", quoted(url)),
            ));
        }
        // What was granted is for this address still.
        kept.signed_in = is_same && kept.key.is_none() && former.signed_in;
    }
    let has_variables = !kept.environment.is_empty();
    let mut entry = kept.entry(&name)?;
    entry.trusted = true;
    entry.check().map_err(|cause| {
        let names = "--env takes names of variables; their values stay where they are";
        let hint = match &cause {
            EntryError::Address { cause, .. } => {
                Error::from(cause.clone()).hint_text().map(str::to_owned)
            }
            EntryError::Command { .. } if has_variables => Some(names.to_owned()),
            _ => None,
        };
        Error::new(cause).hints_of(hint)
    })?;
    let mut server = Server { done: Some(true), ..Server::of(&name, &kept)? };
    let mut wants_sign_in = false;
    if trust {
        if server.look(&entry, &kept, environment, reporter)? {
            server.trusted = true;
            (kept.agreed, kept.offers) = (Some(entry.fingerprint()), server.offers.clone());
        } else {
            wants_sign_in = true;
        }
    }
    let is_missing = kept.url.is_none() && !is_installed(&kept.command, environment.harmless());
    let former = servers::change(environment, |all| Ok(all.insert(name, kept)))?;
    Ok(Added { server, replaces: former.is_some(), wants_sign_in, lacks, is_missing })
}

/// Where a server is, and its name.
enum Place {
    Program(String),
    Address(String, String),
}

/// What the user wrote, sorted out.
fn sorted(request: &AddRequest) -> Result<Place> {
    let AddRequest { name, address: second, command, .. } = request;
    let both = || {
        Error::new("a server is a program or an address, not both")
            .hint("elophanto agent mcp add NAME -- COMMAND, or: agent mcp add https://HOST/PATH")
    };
    match (is_address(name), second, command.as_slice()) {
        (true, None, []) => Ok(Place::Address(name_of(&address(name)?)?, name.clone())),
        (true, ..) => Err(both()),
        (false, Some(url), []) if is_address(url) => Ok(Place::Address(name.clone(), url.clone())),
        (false, Some(other), []) => {
            Err(Error::new(format_args!("`{}` is no address", escape_control_line(other)))
                .hint("a program stands behind `--`: elophanto agent mcp add NAME -- COMMAND"))
        }
        (false, Some(_), _) => Err(both()),
        // Behind `--` an address is meant as one all the same.
        (false, None, [url]) if is_address(url) => Ok(Place::Address(name.clone(), url.clone())),
        (false, None, []) => Err(Error::new("it is not said what the server is")
            .hint("elophanto agent mcp add NAME -- COMMAND, or: agent mcp add https://HOST/PATH")),
        (false, None, _) => Ok(Place::Program(name.clone())),
    }
}

fn is_address(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.starts_with("https://") || text.starts_with("http://")
}

/// A name for what is at an address: the part of the host that says whose it is.
fn name_of(url: &Url) -> Result<String> {
    let unnamed = || {
        Error::new(format_args!("`{url}` does not say what to call the server"))
            .hint(format!("give it a name: elophanto agent mcp add NAME {}", quoted(url.as_str())))
    };
    let Some(Host::Domain(host)) = url.host() else { return Err(unnamed()) };
    let usual = |label: &&str| !["www", "mcp", "api"].contains(label);
    let labels: Vec<&str> = host.split('.').filter(|label| !label.is_empty()).collect();
    // Without what all hosts of a country or a trade share.
    let own = labels.len().saturating_sub(1).max(1);
    let own: Vec<&str> = labels.iter().take(own).copied().filter(usual).collect();
    let long = own.iter().rev().find(|label| label.len() > 3).or(own.last());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = long.ok_or_else(unnamed)?.chars().map(plain).take(MAX_NAME).collect();
    match name.starts_with(|c: char| c.is_ascii_lowercase()) {
        true => Ok(name),
        false => Err(unnamed()),
    }
}

fn at_address(request: &AddRequest, url: &str) -> Result<Kept> {
    if !request.environment.is_empty() || request.usual {
        return Err(Error::new("what runs already gets no variables")
            .hint("a token for it: --key env:NAME, or --key vault:NAME"));
    }
    if let Some(key) = &request.key
        && KeyRef::read(key).is_none()
    {
        // It may be the token itself: that is not repeated.
        return Err(Error::new("--key takes where the token is, not the token itself").hint(
            "env:NAME for a variable of the environment, vault:NAME for a secret of the vault: \
             `elophanto vault set NAME` keeps one",
        ));
    }
    let mut url = address(url)?;
    url.set_fragment(None);
    Ok(Kept {
        url: Some(url.to_string()),
        private: request.private,
        key: request.key.clone(),
        ..Kept::default()
    })
}

/// A program as it is kept, and what it lacks.
fn program(request: AddRequest, reporter: &dyn Reporter) -> Result<(Kept, Vec<&'static str>)> {
    let AddRequest { mut command, environment: mut variables, usual, private, key, .. } = request;
    if private || key.is_some() {
        return Err(Error::new("--private and --key are for servers at addresses")
            .hint("variables that a program gets: --env NAME"));
    }
    // A path is what it is here, wherever a run happens.
    if let Some(program) = command.first_mut().filter(|program| program.contains('/')) {
        *program = path::absolute(&*program)?.to_string_lossy().into_owned();
    }
    let name = command.first().and_then(|program| program.rsplit('/').next()).unwrap_or_default();
    let mut lacks: Vec<&'static str> = match LAUNCHERS.contains(&name) {
        true => USUAL.into_iter().filter(|usual| !variables.iter().any(|it| it == usual)).collect(),
        false => Vec::new(),
    };
    let is_given = usual
        || (!lacks.is_empty() && {
            let lacks = lacks.join(" and ");
            reporter.confirm(&format!(
                "`{name}` looks for programs in PATH and keeps what it fetches below HOME. Let it \
                 have {lacks}?"
            ))?
        });
    if is_given {
        variables.extend(USUAL.map(str::to_owned));
        lacks.clear();
    }
    variables.sort();
    variables.dedup();
    Ok((Kept { command, environment: variables, ..Kept::default() }, lacks))
}

/// `TOOL=LEVEL` each: the name of a tool may hold `=`, a level does not.
fn levels_of(given: &[String]) -> Result<BTreeMap<String, String>> {
    let one = |text: &String| {
        let Some((tool, word)) = text.rsplit_once('=').filter(|(tool, _)| !tool.is_empty()) else {
            return Err(Error::new(format_args!(
                "`{}` is no TOOL=LEVEL",
                escape_control_line(text)
            ))
            .hint("such as --level read_file=safe"));
        };
        level(word)?;
        Ok((tool.to_owned(), word.to_owned()))
    };
    given.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_addresses() {
        #[track_caller]
        fn check(url: &str, expected: Option<&str>) {
            assert_eq!(name_of(&Url::parse(url).unwrap()).ok().as_deref(), expected, "{url}");
        }
        check("https://mcp.linear.app/mcp", Some("linear"));
        check("https://mcp.notion.com/mcp", Some("notion"));
        check("https://api.githubcopilot.com/mcp/", Some("githubcopilot"));
        check("https://example.co.uk/", Some("example"));
        check("https://my-tools.example.org/", Some("example"));
        check("http://localhost:7397/mcp", Some("localhost"));
        check("https://x.ai/mcp", Some("x"));
        check("https://mcp.mcp/", None);
        check("http://127.0.0.1:7397/mcp", None);
        check("https://[::1]/mcp", None);
        check("https://1password.example/", None);
    }

    /// Answers every question in one way, and keeps it.
    struct Asked(bool, std::cell::RefCell<Vec<String>>);

    impl Reporter for Asked {
        fn tell(&self, _: crate::reporter::Tone, _: &str) {}
        fn confirm(&self, question: &str) -> std::io::Result<bool> {
            self.1.borrow_mut().push(question.to_owned());
            Ok(self.0)
        }
    }

    #[test]
    fn launchers_are_asked_about() {
        #[track_caller]
        fn check(yes: bool, given: &[&str], program_name: &str, gets: &str, asks: &str) {
            let asked = Asked(yes, std::cell::RefCell::default());
            let request = AddRequest {
                command: vec![program_name.to_owned(), "x".to_owned()],
                environment: given.iter().map(|&name| name.to_owned()).collect(),
                ..AddRequest::default()
            };
            let (kept, lacks) = program(request, &asked).unwrap();
            assert_eq!(kept.environment.join(" "), gets);
            assert_eq!(lacks.is_empty(), yes || asks.is_empty());
            let questions = asked.1.into_inner().concat();
            assert!(if asks.is_empty() { questions.is_empty() } else { questions.ends_with(asks) });
        }
        check(true, &[], "npx", "HOME PATH", "Let it have HOME and PATH?");
        check(true, &["TOKEN", "PATH"], "/usr/bin/uvx", "HOME PATH TOKEN", "Let it have HOME?");
        check(false, &["TOKEN"], "npx", "TOKEN", "Let it have HOME and PATH?");
        check(true, &["PATH", "HOME"], "npx", "HOME PATH", "");
        check(true, &[], "python3", "", "");
        check(true, &[], "my-npx", "", "");
    }
}
