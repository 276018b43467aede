//! Sentence models that the user adds to those of this machine.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

use crate::{
    Error, Result,
    config::Provider,
    embedding::embedders::{local_models, model_folder},
    environment::Environment,
    reporter::Reporter,
};
use elophanto_base::visible::escape_control_line;
use elophanto_index::store::write_whole;
use elophanto_models::{
    Embedder,
    bert::{Bert, Precision, pack},
};
use elophanto_net::http::download;

/// Where models are looked for that are no folder here. `HF_ENDPOINT` names another hub.
const HUB: &str = "https://huggingface.co";
/// Largest file of a model, in bytes.
const MOST_BYTES: usize = 4 << 30;
/// What a model is made of, and whether it can be done without.
const FILES: &[(&str, bool)] = &[
    ("config.json", true),
    ("model.safetensors", true),
    ("tokenizer.json", false),
    ("vocab.txt", false),
    ("tokenizer_config.json", false),
    ("modules.json", false),
    ("sentence_bert_config.json", false),
    ("1_Pooling/config.json", false),
];

/// Which model to add.
#[derive(Debug, Clone, Copy)]
pub struct AddRequest<'a> {
    /// What to call the model: small letters, digits, dots, underscores and hyphens.
    pub name: &'a str,
    /// The model's folder, or its name on the hub, such as `org/model`.
    pub from: &'a str,
    /// Whether the weights stay as they are, in place of being rounded to eight bits.
    pub exact: bool,
    /// Whether the model may take the place of one with that name.
    pub replace: bool,
}

/// A model that was added.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Added<'a> {
    /// What the settings call it.
    pub name: &'a str,
    /// Fingerprint of the vectors that the model makes.
    pub model: String,
    /// Components of a vector.
    pub dimension: usize,
    /// How many tokens of a text the model reads.
    pub max_tokens: usize,
    /// Size of the packed model.
    pub bytes: u64,
    /// How long the adding took, to the millisecond.
    pub seconds: f64,
}

/// Packs a model of the BERT family into one file of the user's, from a folder or from the hub.
///
/// # Errors
/// When the name is none, or taken; when the model cannot be fetched, is none that can be used, or
/// cannot be kept.
pub fn add<'a>(
    request: &AddRequest<'a>,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Added<'a>> {
    let start = Instant::now();
    let AddRequest { name, from, exact, replace } = *request;
    let path = place(name, environment)?;
    if path.exists() && !replace {
        return Err(Error::new(format_args!("there is a model `{name}` already"))
            .hint("choose another name, or give `--replace`"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let fetched;
    let from = match Path::new(from) {
        path if path.is_dir() => path,
        path if path.exists() => return Err(no_folder(from)),
        _ => {
            fetched = fetch(from, folder, environment, reporter)?;
            fetched.path()
        }
    };
    let packed = pack(from, if exact { Precision::F32 } else { Precision::Int8 })?;
    // Opened before it is kept: what cannot be used is not added.
    let model = Bert::from_packed(&packed)?;
    write_whole(&path, &packed)?;
    Ok(Added {
        name,
        model: model.fingerprint().to_string(),
        dimension: model.dimension(),
        max_tokens: model.max_tokens(),
        bytes: packed.len() as u64,
        seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    })
}

/// Removes a model that was added; `false`, and says which there are, if there is none of that name.
///
/// # Errors
/// When the name is none, or the model cannot be removed.
pub fn remove(name: &str, environment: &Environment, reporter: &dyn Reporter) -> Result<bool> {
    let path = place(name, environment)?;
    if !path.exists() {
        let names = local_models(environment);
        reporter.note(match names.is_empty() {
            true => "no model was added here".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        });
        return Ok(false);
    }
    fs::remove_file(path)?;
    Ok(true)
}

/// The file of a model of that name.
fn place(name: &str, environment: &Environment) -> Result<PathBuf> {
    let setting = format!("{}{name}", Provider::LOCAL);
    if !matches!(setting.parse(), Ok(Provider::Local(read)) if read == name) {
        return Err(Error::new(format_args!(
            "`{}` is no name for a model",
            escape_control_line(name)
        ))
        .hint("take up to 64 small letters, digits, dots, underscores and hyphens"));
    }
    let folder = model_folder(environment).ok_or_else(|| {
        Error::new("no folder to keep models in").hint("set HOME to your home folder")
    })?;
    Ok(folder.join(format!("{name}.bin")))
}

fn no_folder(from: &str) -> Error {
    Error::new(format_args!("`{}` is no folder", escape_control_line(from)))
        .hint("give the folder of the model, or its name on the hub, such as org/model")
}

/// Fetches the files of a model into a folder that goes with its handle.
fn fetch(
    name: &str,
    near: &Path,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<tempfile::TempDir> {
    let parts: Vec<&str> = name.split('/').collect();
    let sound = |part: &&str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !part.is_empty() && part.len() <= 96 && part.chars().all(fits) && !part.starts_with('.')
    };
    if parts.len() != 2 || !parts.iter().all(sound) {
        return Err(no_folder(name));
    }
    let hub = environment.variables().get("HF_ENDPOINT").map(String::as_str);
    let hub = hub.filter(|hub| !hub.is_empty()).unwrap_or(HUB);
    let folder = tempfile::Builder::new().prefix(".fetch-").tempdir_in(near)?;
    fs::create_dir(folder.path().join("1_Pooling"))?;
    for (file, needed) in FILES {
        let url = format!("{}/{name}/resolve/main/{file}", hub.trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|cause| {
            Error::new(format_args!("HF_ENDPOINT is no address: {cause}"))
                .hint("it looks like https://huggingface.co")
        })?;
        let progress = reporter.progress("notes");
        let update = |done: u64, all: Option<u64>| {
            progress.update(done as usize / 1024, all.unwrap_or(done) as usize / 1024);
        };
        match download(&url, &folder.path().join(file), MOST_BYTES, &update) {
            Ok(Some(_)) => {}
            Ok(None) if !needed => {}
            Ok(None) => {
                return Err(Error::new(format_args!("the hub has no `{file}` of `{name}`"))
                    .hint("only models with `model.safetensors` can be added"));
            }
            Err(cause) => {
                return Err(Error::new(format_args!("`{file}` of `{name}`: {cause}"))
                    .hint("fetch the model on a machine with a network, and give its folder"));
            }
        }
    }
    reporter.talk(format_args!("fetched `{name}` from {hub}"));
    Ok(folder)
}
