//! The strongest value of each key so far, and who said it.
//!
//! Everything is checked on its way in, against the table, so that reading it out can't fail.

use std::collections::HashMap;

use super::declare::Field;
use super::guard::Guarded;
use super::keys::{self, Key};
use super::kind::{Raw, Value, shown};
use super::layers::{self, ConfigFile, Origin};
use super::providers::{self, Part, Providers};
use super::template::raw_of;
use super::{ConfigError, ConfigWarning};

/// Every key of the table with its checked value, and what is said of providers.
#[derive(Debug, Clone, Default)]
pub(super) struct Resolved {
    values: HashMap<&'static str, (Value, Origin)>,
    providers: Providers,
}

/// One setting, checked.
enum Checked {
    Value(&'static Key, Value),
    Part(Part),
}

impl Resolved {
    /// Takes over what a file says. With `guard`, what needs trust is handed back instead.
    pub(super) fn add_file(
        &mut self,
        file: &ConfigFile,
        guard: bool,
        origin: impl Fn(usize) -> Origin,
        warnings: &mut Vec<ConfigWarning>,
    ) -> Result<Vec<Guarded>, ConfigError> {
        let mut entries = layers::entries(file)?;
        let mut held = Vec::new();
        if guard {
            for entry in &mut entries {
                held.append(&mut entry.guarded);
            }
            entries.retain(|entry| entry.harmless);
        }
        let entries = layers::split_unknown(file, entries, warnings);
        let mut seen = HashMap::new();
        for entry in entries {
            let origin = origin(entry.line);
            if let Some(first) = seen.insert(entry.name.clone(), entry.line) {
                return Err(ConfigError::Twice { origin, key: entry.name, first });
            }
            let checked = read(&entry.name, &entry.raw, &origin)?;
            let value = match &checked {
                Checked::Value(key, value) => {
                    let allowed = self.values.get(key.name).map(|(value, _)| value);
                    let is_guarded = key.guards(value, allowed);
                    // The user allows less than is usual: trust has nothing to show, so it holds anyway.
                    if is_guarded && !key.guards(value, None) {
                        continue;
                    }
                    is_guarded.then(|| value.to_string())
                }
                // All of them: they decide which machine receives a key.
                Checked::Part(part) => Some(part.to_string()),
            };
            match value.filter(|_| guard) {
                Some(value) => held.push(Guarded { name: entry.name, line: entry.line, value }),
                None => self.take(&entry.name, checked, origin)?,
            }
        }
        held.sort_by_key(|guarded| guarded.line);
        Ok(held)
    }

    pub(super) fn add_flags(&mut self, flags: &[(String, String)]) -> Result<(), ConfigError> {
        let mut lists: HashMap<&str, Vec<String>> = HashMap::new();
        for (name, text) in flags {
            let key = keys::find(name);
            if key.is_none() && !providers::is_part(name) {
                let meant = keys::suggest(name);
                return Err(ConfigError::UnknownFlag { key: name.clone(), meant });
            }
            let raw = match key.filter(|key| key.kind.is_list()) {
                Some(key) => {
                    let items = lists.entry(key.name).or_default();
                    items.push(text.clone());
                    Raw::List(items.clone())
                }
                None => Raw::Scalar(text.clone()),
            };
            self.set(name, raw, Origin::Flag)?;
        }
        Ok(())
    }

    /// Takes over what holds when nobody says otherwise.
    pub(super) fn add_default(&mut self, key: &'static Key) -> Result<(), ConfigError> {
        let origin = Origin::Default;
        let value = value(key, &raw_of(key.default), &origin)?;
        self.values.insert(key.name, (value, origin));
        Ok(())
    }

    pub(super) fn set(&mut self, name: &str, raw: Raw, origin: Origin) -> Result<(), ConfigError> {
        let checked = read(name, &raw, &origin)?;
        self.take(name, checked, origin)
    }

    /// Takes absolute paths out of a list that a repository's file has set; says whether there
    /// were any.
    pub(super) fn keep_inside(&mut self, name: &str) -> Result<bool, ConfigError> {
        let Some((Value::List(items), origin @ Origin::Repository { .. })) = self.values.get(name)
        else {
            return Ok(false);
        };
        let inside: Vec<String> =
            items.iter().filter(|item| !item.starts_with('/')).cloned().collect();
        if inside.len() == items.len() {
            return Ok(false);
        }
        let origin = origin.clone();
        let inside = if inside.is_empty() { vec![".".to_owned()] } else { inside };
        self.set(name, Raw::List(inside), origin)?;
        Ok(true)
    }

    fn take(&mut self, name: &str, checked: Checked, origin: Origin) -> Result<(), ConfigError> {
        match checked {
            Checked::Value(key, value) => {
                self.values.insert(key.name, (value, origin));
                Ok(())
            }
            Checked::Part(part) => self.providers.set(name, part, origin),
        }
    }

    /// Takes over what another says of one setting.
    pub(super) fn follow(&mut self, other: &Self, name: &'static str) {
        self.values.extend(other.values.get(name).map(|said| (name, said.clone())));
    }

    /// What is said of providers.
    pub(super) fn providers(&self) -> &Providers {
        &self.providers
    }

    /// A checked value and who said it.
    pub(super) fn get(&self, name: &str) -> Option<&(Value, Origin)> {
        self.values.get(name)
    }

    /// A setting as those who use it have it.
    pub(super) fn field<T: Field>(&self, name: &str) -> T {
        let value = self.values.get(name).map(|(value, _)| value);
        match value.and_then(T::of) {
            Some(field) => field,
            None => unreachable!("{name} is {value:?}, which its field cannot be"),
        }
    }
}

/// Checks what is said under a name.
fn read(name: &str, raw: &Raw, origin: &Origin) -> Result<Checked, ConfigError> {
    if let Some(part) = providers::read(name, raw, origin)? {
        return Ok(Checked::Part(part));
    }
    match keys::find(name) {
        Some(key) => Ok(Checked::Value(key, value(key, raw, origin)?)),
        None => Err(wrong(name, raw, origin, "a section with settings in it".to_owned())),
    }
}

/// What is said of a setting, if it can be that.
fn value(key: &Key, raw: &Raw, origin: &Origin) -> Result<Value, ConfigError> {
    key.kind.read(raw).ok_or_else(|| wrong(key.name, raw, origin, key.kind.expected()))
}

fn wrong(name: &str, raw: &Raw, origin: &Origin, expected: String) -> ConfigError {
    let found = match raw {
        // Perhaps a key that stands in the wrong place.
        Raw::Scalar(_) if providers::is_meant(name) => "a text".to_owned(),
        Raw::Scalar(text) => format!("{:?}", shown(text)),
        Raw::List(items) => format!("{:?}", items.iter().take(8).collect::<Vec<_>>()),
        Raw::Other(what) => (*what).to_owned(),
    };
    ConfigError::Value { origin: origin.clone(), key: name.to_owned(), expected, found }
}
