//! `elophanto model add` and `remove`: models of the user's own.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use serde::Serialize;
use url::Url;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Progress, Ui, visible_line},
};
use elophanto_app::config::Provider;
use elophanto_app::embedding::embedders::{local_models, model_folder};
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

/// Add a sentence model of the BERT family to those of this machine
///
/// Reads `model.safetensors`, `tokenizer.json` (or `vocab.txt`) and `config.json` from a folder, or
/// fetches them from the Hugging Face hub (another one if HF_ENDPOINT names it), and packs them
/// into one file. Afterwards `knowledge.embedding_provider: local:NAME` uses it.
#[derive(clap::Args, Debug)]
pub struct AddArgs {
    /// What to call it: small letters, digits, dots, underscores and hyphens
    name: String,
    /// Its folder, or its name on the hub, such as intfloat/e5-small-v2
    #[arg(value_name = "PATH|HUB-NAME")]
    from: String,
    /// Keep the weights as they are, four times as large, in place of rounding them to eight bits
    #[arg(long)]
    exact: bool,
    /// Put it in the place of one with that name
    #[arg(long)]
    replace: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Remove a model that was added
///
/// Vectors that it made stay; they cannot be searched by meaning until it is added again.
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A model that was added, as `--json` prints it.
#[derive(Serialize)]
struct AddedWire<'a> {
    name: &'a str,
    model: &'a str,
    dimension: usize,
    max_tokens: usize,
    bytes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct RemovedWire<'a> {
    removed: &'a str,
}

pub fn add(args: &AddArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let start = Instant::now();
    let path = place(&args.name)?;
    if path.exists() && !args.replace {
        return Err(CliError::new(format_args!("there is a model `{}` already", args.name))
            .hint("choose another name, or give `--replace`"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let fetched;
    let from = match Path::new(&args.from).is_dir() {
        true => Path::new(&args.from),
        false => {
            fetched = fetch(&args.from, folder, ui)?;
            fetched.path()
        }
    };
    let precision = if args.exact { Precision::F32 } else { Precision::Int8 };
    let packed = pack(from, precision)?;
    // Opened before it is kept: what cannot be used is not added.
    let model = Bert::from_packed(&packed)?;
    write_whole(&path, &packed)?;
    let (dimension, max_tokens) = (model.dimension(), model.max_tokens());
    let fingerprint = model.fingerprint().to_string();
    let wire = AddedWire {
        name: &args.name,
        model: &fingerprint,
        dimension,
        max_tokens,
        bytes: packed.len() as u64,
        seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    };
    let megabytes = packed.len() as f64 / 1e6;
    let text = format!(
        "added: {}, {dimension} components, the first {max_tokens} tokens of a text, \
         {megabytes:.1} MB",
        args.name
    );
    ui.emit(&wire, text)?;
    ui.talk(format_args!(
        "next: `embedding_provider: local:{}` in the settings, then `elophanto index`; \
         `elophanto eval --thresholds --save` measures what counts as near for it",
        args.name
    ));
    Ok(Outcome::Done)
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let path = place(&args.name)?;
    if !path.exists() {
        let names = local_models(&env::environment());
        ui.note(match names.is_empty() {
            true => "no model was added here".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        });
        return Ok(Outcome::Negative);
    }
    fs::remove_file(path)?;
    ui.emit(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))?;
    Ok(Outcome::Done)
}

/// The file of a model of that name.
fn place(name: &str) -> Result<PathBuf, CliError> {
    let setting = format!("{}{name}", Provider::LOCAL);
    if !matches!(setting.parse(), Ok(Provider::Local(read)) if read == name) {
        return Err(CliError::new(format_args!("`{}` is no name for a model", visible_line(name)))
            .hint("take up to 64 small letters, digits, dots, underscores and hyphens"));
    }
    let folder = model_folder(&env::environment()).ok_or_else(|| {
        CliError::new("no folder to keep models in").hint("set HOME to your home folder")
    })?;
    Ok(folder.join(format!("{name}.bin")))
}

/// Fetches the files of a model into a folder that goes with its handle.
fn fetch(name: &str, near: &Path, ui: &Ui) -> Result<tempfile::TempDir, CliError> {
    let parts: Vec<&str> = name.split('/').collect();
    let sound = |part: &&str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !part.is_empty() && part.len() <= 96 && part.chars().all(fits) && !part.starts_with('.')
    };
    if parts.len() != 2 || !parts.iter().all(sound) {
        return Err(CliError::new(format_args!("`{}` is no folder", visible_line(name)))
            .hint("give the folder of the model, or its name on the hub, such as org/model"));
    }
    let hub = env::variables().get("HF_ENDPOINT").cloned();
    let hub = hub.filter(|hub| !hub.is_empty()).unwrap_or_else(|| HUB.to_owned());
    let folder = tempfile::Builder::new().prefix(".fetch-").tempdir_in(near)?;
    fs::create_dir(folder.path().join("1_Pooling"))?;
    for (file, needed) in FILES {
        let url = format!("{}/{name}/resolve/main/{file}", hub.trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|cause| {
            CliError::new(format_args!("HF_ENDPOINT is no address: {cause}"))
                .hint("it looks like https://huggingface.co")
        })?;
        let progress = Progress::new();
        let update = |done: u64, all: Option<u64>| {
            progress.update(done as usize / 1024, all.unwrap_or(done) as usize / 1024);
        };
        let fetched = download(&url, &folder.path().join(file), MOST_BYTES, &update);
        progress.finish();
        match fetched {
            Ok(Some(_)) => {}
            Ok(None) if !needed => {}
            Ok(None) => {
                return Err(CliError::new(format_args!("the hub has no `{file}` of `{name}`"))
                    .hint("only models with `model.safetensors` can be added"));
            }
            Err(cause) => {
                return Err(CliError::new(format_args!("`{file}` of `{name}`: {cause}"))
                    .hint("fetch the model on a machine with a network, and give its folder"));
            }
        }
    }
    ui.talk(format_args!("fetched `{name}` from {hub}"));
    Ok(folder)
}
