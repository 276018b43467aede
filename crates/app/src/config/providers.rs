//! Section `llm.providers`: where language models are reached, and where their keys are kept.
//!
//! The one section whose names people choose themselves, so it does not stand in the table of
//! keys: `llm.providers.NAME.` followed by `protocol`, `base_url` or `key`. Nothing of it is
//! obeyed from a repository's file before the user trusts that file, for it decides which machine
//! receives a key. A key itself never stands in a file, and no message repeats one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use url::Url;

use super::ConfigError;
use super::choices::{Protocol, one_of};
use super::declare::Section;
use super::endpoint::{BASE_URL_FORM, read_base_url};
use super::forms::{PROVIDER_FORM, provider_name, variable_name, vault_name};
use super::keys::Key;
use super::kind::{Raw, list_text, quote, shown};
use super::layers::Origin;
use super::resolved::Resolved;

/// Most providers that files may name.
pub const MAX_PROVIDERS: usize = 32;

/// The name of the section.
pub(super) const SECTION: &str = "llm.providers";

/// Where one provider is reached, and with which key.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderConfig {
    /// How it is spoken to.
    pub protocol: Protocol,
    /// Where it is reached: http or https, without user, query or fragment.
    pub base_url: Url,
    /// Where its key may be kept; the first that holds one counts. Empty means that it needs
    /// none. Another `base_url` alone leaves them as they are: whoever may set it, the user or a
    /// file that the user trusts, decides where the key goes.
    pub keys: Vec<KeyRef>,
    /// Whether somebody said where the key is kept.
    pub key_explicit: bool,
    /// Who said what `base_url` is. A repository's file only says so once it is trusted.
    pub origin: Origin,
}

/// Where a key is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRef {
    /// In this environment variable.
    Env(String),
    /// In the vault, under this name.
    Vault(String),
}

/// As it stands in a configuration file.
impl fmt::Display for KeyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "env:{name}"),
            Self::Vault(name) => write!(f, "vault:{name}"),
        }
    }
}

impl KeyRef {
    /// Reads `env:NAME` or `vault:NAME`; `None` for anything else, a key itself above all.
    pub(crate) fn read(text: &str) -> Option<Self> {
        match text.split_once(':')? {
            ("env", name) if variable_name(name) => Some(Self::Env(name.to_owned())),
            ("vault", name) if vault_name(name) => Some(Self::Vault(name.to_owned())),
            _ => None,
        }
    }
}

/// A provider that exists without any file.
struct Builtin {
    name: &'static str,
    protocol: Protocol,
    base_url: &'static str,
    /// The environment variable with its key, which comes before the vault; `None` needs no key.
    variable: Option<&'static str>,
}

const BUILTIN: &[Builtin] = &[
    Builtin {
        name: "openrouter",
        protocol: Protocol::Openai,
        base_url: "https://openrouter.ai/api/v1",
        variable: Some("OPENROUTER_API_KEY"),
    },
    Builtin {
        name: "openai",
        protocol: Protocol::Openai,
        base_url: "https://api.openai.com/v1",
        variable: Some("OPENAI_API_KEY"),
    },
    Builtin {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        base_url: "https://api.anthropic.com",
        variable: Some("ANTHROPIC_API_KEY"),
    },
    Builtin {
        name: "ollama",
        protocol: Protocol::Ollama,
        base_url: "http://127.0.0.1:11434",
        variable: None,
    },
];

elophanto_base::named! {
    /// What can be said of a provider.
    enum Leaf, word {
        Protocol = "protocol",
        BaseUrl = "base_url",
        Key = "key",
    }
}

/// Something said of a provider, checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Protocol(Protocol),
    BaseUrl(Url),
    Keys(Vec<KeyRef>),
}

/// As it would stand in the file; the two places of a default key as a list.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(protocol) => f.write_str(protocol.as_str()),
            Self::BaseUrl(url) => f.write_str(&quote(url.as_str())),
            Self::Keys(keys) => match keys.as_slice() {
                [only] => f.write_str(&quote(&only.to_string())),
                keys => {
                    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
                    f.write_str(&list_text(&keys))
                }
            },
        }
    }
}

/// Whether a dotted name lies in the section, exactly as that is spelt.
pub(super) fn is_below(name: &str) -> bool {
    name.strip_prefix(SECTION).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a dotted name says something of a provider, whose own name may still be wrong.
pub(super) fn is_part(name: &str) -> bool {
    split(name).is_some()
}

/// Whether it says something that [`read`] obeys or refuses, not something to pass over.
pub(super) fn is_known(name: &str) -> bool {
    split(name).is_some_and(|(provider, _)| provider_name(provider))
}

/// Whether a dotted name means the section or something in it, however it is spelt: what this
/// version passes over as unknown, another may obey.
pub(super) fn is_meant(name: &str) -> bool {
    let plain = |part: &str| -> String {
        let letters = part.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    // Neither the numbers of a list's items nor marks such as `<<` name anything.
    let number = |part: &String| part.chars().all(|c| c.is_ascii_digit());
    let mut parts = name.split('.').map(plain).filter(|part| !number(part));
    match parts.next().as_deref() {
        Some("llm") => parts.next().is_some_and(|part| part.starts_with("provider")),
        Some(joined) => joined.starts_with("llmprovider"),
        None => false,
    }
}

/// What an unknown name that [`is_meant`] to lie here most likely means.
pub(super) fn suggest(name: &str) -> Option<&'static str> {
    let (above, last) = name.rsplit_once('.')?;
    if !is_meant(above) {
        return Some(SECTION);
    }
    let last = last.to_ascii_lowercase();
    let alike = |leaf: &Leaf| strsim::normalized_damerau_levenshtein(&last, leaf.word()) >= 0.7;
    Some(match Leaf::ALL.into_iter().find(alike)? {
        Leaf::Protocol => "llm.providers.NAME.protocol",
        Leaf::BaseUrl => "llm.providers.NAME.base_url",
        Leaf::Key => "llm.providers.NAME.key",
    })
}

/// Provider and leaf of `llm.providers.PROVIDER.LEAF`. A provider's name may hold dots itself.
fn split(name: &str) -> Option<(&str, Leaf)> {
    let rest = name.strip_prefix(SECTION)?.strip_prefix('.')?;
    let (provider, last) = rest.rsplit_once('.')?;
    let leaf = Leaf::named(last)?;
    Some((provider, leaf))
}

/// Checks what is said of a provider; `None` where the name says nothing of one.
pub(super) fn read(name: &str, raw: &Raw, origin: &Origin) -> Result<Option<Part>, ConfigError> {
    let Some((provider, leaf)) = split(name) else { return Ok(None) };
    let wrong = |expected: &str, found: String| ConfigError::Value {
        origin: origin.clone(),
        key: name.chars().take(100).flat_map(char::escape_debug).collect(),
        expected: expected.to_owned(),
        found,
    };
    if !provider_name(provider) {
        return Err(wrong(PROVIDER_FORM, format!("{:?}", shown(provider))));
    }
    let text = match raw {
        Raw::Scalar(text) => Ok(text.as_str()),
        Raw::List(_) => Err("a list"),
        Raw::Other(what) => Err(*what),
    };
    let part = match leaf {
        Leaf::Protocol => {
            let word = |text: &str| text.parse().map_err(|_| format!("{:?}", shown(text)));
            let protocol = text.map_err(str::to_owned).and_then(word);
            Part::Protocol(protocol.map_err(|found| wrong(&one_of(Protocol::WORDS), found))?)
        }
        Leaf::BaseUrl => {
            let url = text.map_err(str::to_owned).and_then(read_base_url);
            Part::BaseUrl(url.map_err(|found| wrong(BASE_URL_FORM, found))?)
        }
        Leaf::Key => {
            let literal = || ConfigError::LiteralKey {
                origin: origin.clone(),
                key: name.to_owned(),
                vault: provider.to_owned(),
            };
            Part::Keys(vec![text.ok().and_then(KeyRef::read).ok_or_else(literal)?])
        }
    };
    Ok(Some(part))
}

/// What was said of providers so far, by dotted name, and who said it.
#[derive(Debug, Clone, Default)]
pub(super) struct Providers {
    parts: BTreeMap<String, (Part, Origin)>,
    named: BTreeSet<String>,
}

impl Providers {
    /// Takes over what [`read`] has checked under this name.
    pub(super) fn set(
        &mut self,
        name: &str,
        part: Part,
        origin: Origin,
    ) -> Result<(), ConfigError> {
        let Some((provider, _)) = split(name) else { unreachable!("{name} was read as a part") };
        if self.named.insert(provider.to_owned()) {
            if self.named.len() > MAX_PROVIDERS {
                return Err(ConfigError::Value {
                    origin,
                    key: SECTION.to_owned(),
                    expected: format!("at most {MAX_PROVIDERS} providers"),
                    found: "more".to_owned(),
                });
            }
            for (leaf, part) in builtin_parts(provider) {
                self.parts.insert(dotted(provider, leaf), (part, Origin::Default));
            }
        }
        self.parts.insert(name.to_owned(), (part, origin));
        Ok(())
    }

    pub(super) fn get(&self, name: &str) -> Option<(&Part, &Origin)> {
        self.parts.get(name).map(|(part, origin)| (part, origin))
    }

    /// All parts of the providers that somebody said something of.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&str, &Part, &Origin)> {
        self.parts.iter().map(|(name, (part, origin))| (name.as_str(), part, origin))
    }

    fn resolve_one(&self, name: &str) -> Result<ProviderConfig, ConfigError> {
        let mut said: Vec<(Leaf, &Part, &Origin)> = Vec::new();
        for leaf in Leaf::ALL {
            let found = self.get(&dotted(name, leaf));
            said.extend(found.map(|(part, origin)| (leaf, part, origin)));
        }
        let defaults = if said.is_empty() { builtin_parts(name) } else { Vec::new() };
        said.extend(defaults.iter().map(|(leaf, part)| (*leaf, part, &Origin::Default)));
        let (mut protocol, mut address) = (Protocol::Openai, None);
        let (mut keys, mut key_explicit) = (Vec::new(), false);
        for (_, part, origin) in &said {
            match part {
                Part::Protocol(said) => protocol = *said,
                Part::BaseUrl(url) => address = Some((url.clone(), (*origin).clone())),
                Part::Keys(said) => {
                    keys.clone_from(said);
                    key_explicit = **origin != Origin::Default;
                }
            }
        }
        let Some((base_url, origin)) = address else {
            let (leaf, origin) =
                said.first().map_or((Leaf::BaseUrl, &Origin::Default), |said| (said.0, said.2));
            return Err(ConfigError::Value {
                origin: origin.clone(),
                key: format!("{SECTION}.{name}"),
                expected: "a base_url".to_owned(),
                found: format!("a {} only", leaf.word()),
            });
        };
        Ok(ProviderConfig { protocol, base_url, keys, key_explicit, origin })
    }
}

/// All providers, those that exist without any file too. None of them stands in the table.
impl Section for BTreeMap<String, ProviderConfig> {
    fn keys(_: &mut Vec<Key>) {}

    /// # Errors
    /// When something is said of a provider, but not where it is reached.
    fn read(values: &Resolved) -> Result<Self, ConfigError> {
        let said = values.providers();
        let builtin = BUILTIN.iter().map(|builtin| builtin.name);
        let names: BTreeSet<&str> = builtin.chain(said.named.iter().map(String::as_str)).collect();
        names.into_iter().map(|name| Ok((name.to_owned(), said.resolve_one(name)?))).collect()
    }
}

fn dotted(provider: &str, leaf: Leaf) -> String {
    format!("{SECTION}.{provider}.{}", leaf.word())
}

/// What holds of a provider when nobody says otherwise.
fn builtin_parts(name: &str) -> Vec<(Leaf, Part)> {
    let Some(builtin) = BUILTIN.iter().find(|builtin| builtin.name == name) else {
        return Vec::new();
    };
    let Ok(base_url) = read_base_url(builtin.base_url) else {
        unreachable!("{} is no address", builtin.base_url)
    };
    let keys = builtin.variable.map_or_else(Vec::new, |variable| {
        vec![KeyRef::Env(variable.to_owned()), KeyRef::Vault(builtin.name.to_owned())]
    });
    vec![
        (Leaf::Protocol, Part::Protocol(builtin.protocol)),
        (Leaf::BaseUrl, Part::BaseUrl(base_url)),
        (Leaf::Key, Part::Keys(keys)),
    ]
}

#[cfg(test)]
#[path = "providers_tests.rs"]
mod tests;
