//! `elophanto trust`

use std::path::Path;

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, exact_line, visible, visible_line},
};
use elophanto_app::config::{
    Config, ConfigFile, Guarded, Layers, REPOSITORY_FILE, TrustEntry, TrustStore, digest,
    read_repository_file,
};
use elophanto_app::{
    pages::{Page, Pages, Trust},
    settings::is_in_conflict,
};
use elophanto_repo::locate;

/// Show what of this repository needs your trust, and trust it
///
/// A repository does not get to name a program to run, an address that receives text or
/// credentials, or a right that widens, until you trust the exact content of its settings. Until
/// then such keys are passed over with a warning. Nor does it get to say what an agent has to do:
/// pages below `system` and `user` of the knowledge base are quoted to it, not obeyed, until you
/// trust exactly what they say, with `--pages`. Any other content, older or newer, needs to be trusted on its own.
/// What you trust is kept in your own configuration folder.
#[derive(clap::Args, Debug)]
pub struct TrustArgs {
    /// Print the text of pages that are not trusted, and trust nothing
    #[arg(long, conflicts_with_all = ["pages", "list", "revoke"])]
    show: bool,
    /// Print the text of pages that are not trusted, and trust them as well
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pages: bool,
    /// List what is trusted in all repositories, and trust nothing
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Forget all trust in this repository
    #[arg(long)]
    revoke: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A setting that needs trust, as `--json` prints it.
#[derive(Serialize)]
struct SettingWire<'a> {
    file: &'a str,
    line: usize,
    key: &'a str,
    value: &'a str,
}

/// A page that needs trust, as `--json` prints it.
#[derive(Serialize)]
struct PageWire<'a> {
    page: String,
    lines: usize,
    /// The user trusted something else that it said.
    changed: bool,
    /// With `--show` and `--pages`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<std::borrow::Cow<'a, str>>,
}

/// A content that is trusted, as `--json` prints it.
#[derive(Serialize)]
struct TrustedWire<'a> {
    trusted: &'a str,
    digest: &'a str,
    since: &'a str,
    root: String,
}

/// What `--revoke` did, as `--json` prints it.
#[derive(Serialize)]
struct RevokedWire {
    revoked: usize,
    root: String,
}

pub fn run(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if args.list {
        return list(ui);
    }
    // Nothing of the repository is read but what is to be trusted, and nothing is asked of git.
    let repository = locate(Path::new("."))?;
    let root = repository.root.clone();
    if args.revoke {
        return revoke(&root, ui);
    }
    let file = read_repository_file(&root)?;
    if is_in_conflict(&repository, file.as_ref().map_or("", |file| &file.text)) {
        return Err(CliError::new(format_args!(
            "`{REPOSITORY_FILE}` is in conflict: only what it says in the end can be trusted"
        ))
        .hint("settle it and `git add` it, then run this again"));
    }
    let guarded = file.as_ref().map(Config::guarded).transpose()?.unwrap_or_default();
    if let Some(file) = file.filter(|_| !guarded.is_empty()) {
        // Nothing is shown as if it could be trusted where it cannot.
        let store = TrustStore::open_for(&root, &env::variables())?;
        settings(&guarded, ui)?;
        if !args.show {
            trust(&store, &root, &file, ui)?;
        }
    } else {
        ui.talk(format_args!("nothing in `{REPOSITORY_FILE}` needs trust"));
    }
    // Where they lie is a setting.
    let (config, _) = Config::load(&Layers::read(&root, &|| None, env::variables(), Vec::new())?)?;
    pages(&Pages::open(&root, &config, &env::environment()), args, ui)?;
    Ok(Outcome::Done)
}

/// Shows settings that need trust.
fn settings(guarded: &[Guarded], ui: &mut Ui) -> Result<(), CliError> {
    for setting in guarded {
        let wire = SettingWire {
            file: REPOSITORY_FILE,
            line: setting.line,
            key: &setting.name,
            value: &setting.value,
        };
        let text = format!("{REPOSITORY_FILE}:{}: {}: {}", wire.line, wire.key, wire.value);
        ui.emit(&wire, visible_line(&text))?;
    }
    // Seen before it is trusted.
    ui.flush()
}

fn trust(store: &TrustStore, root: &Path, file: &ConfigFile, ui: &Ui) -> Result<(), CliError> {
    let entry = TrustEntry {
        digest: digest(file.text.as_bytes()),
        file: REPOSITORY_FILE.to_owned(),
        since: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        root: root.to_owned(),
    };
    let new = store.record(entry)?;
    let said = if new { "trusted from now on" } else { "was trusted already" };
    ui.talk(format_args!("{said}, as long as `{REPOSITORY_FILE}` stays as it is"));
    Ok(())
}

/// Names pages that are not trusted as they are. They are trusted only where that is asked for, and
/// what they say is shown before.
fn pages(pages: &Pages, args: &TrustArgs, ui: &mut Ui) -> Result<(), CliError> {
    let all = pages.all();
    let (trusted, new): (Vec<&Page>, Vec<&Page>) =
        all.iter().partition(|page| page.trust == Trust::Given);
    for page in &new {
        let text = String::from_utf8_lossy(&page.bytes);
        let lines = text.lines().count();
        let changed = page.trust == Trust::Changed;
        let path = page.path.to_string_lossy().into_owned();
        let what = if changed { "changed since you trusted it" } else { "not trusted" };
        let mut line = format!("{}: {lines} lines, {what}", exact_line(&path));
        if args.show || args.pages {
            line = format!("{line}\n\n{}\n", visible(text.trim_end()));
        }
        let text = (args.show || args.pages).then_some(text);
        ui.emit(&PageWire { page: path, lines, changed, text }, line)?;
    }
    ui.flush()?;
    if args.pages && !new.is_empty() {
        pages.record(new.iter().map(|page| (&*page.path, &*page.bytes)))?;
        let (pages, say, stay) = match new.len() {
            1 => ("page".to_owned(), "says", "it stays as it is"),
            count => (format!("{count} pages"), "say", "each stays as it is"),
        };
        ui.talk(format_args!(
            "the agent does what the {pages} {say} from now on, as long as {stay}"
        ));
    } else if !args.show && !new.is_empty() {
        ui.talk("`elophanto trust --pages` shows what they say, and trusts them");
    }
    match trusted.len() {
        0 => {}
        1 => ui.talk("1 page was trusted already"),
        count => ui.talk(format_args!("{count} pages were trusted already")),
    }
    Ok(())
}

fn list(ui: &mut Ui) -> Result<Outcome, CliError> {
    for entry in TrustStore::open(&env::variables())?.entries() {
        let wire = TrustedWire {
            trusted: &entry.file,
            digest: &entry.digest,
            since: &entry.since,
            root: entry.root.to_string_lossy().into_owned(),
        };
        let short = entry.digest.get(..12).unwrap_or(&entry.digest);
        let text = format!("{short}  {}  {}/{}", entry.since, wire.root, entry.file);
        ui.emit(&wire, visible_line(&text))?;
    }
    Ok(Outcome::Done)
}

fn revoke(root: &Path, ui: &mut Ui) -> Result<Outcome, CliError> {
    let store = TrustStore::open_for(root, &env::variables())?;
    // Where there is nothing to forget, nothing is written.
    let known = store.entries().any(|entry| entry.root == root);
    let revoked = if known { store.forget(root)? } else { 0 };
    let wire = RevokedWire { revoked, root: root.to_string_lossy().into_owned() };
    let text = match revoked {
        0 => "nothing in this repository was trusted".to_owned(),
        1 => "1 content forgotten".to_owned(),
        more => format!("{more} contents forgotten"),
    };
    ui.emit(&wire, text)?;
    Ok(if revoked == 0 { Outcome::Negative } else { Outcome::Done })
}
