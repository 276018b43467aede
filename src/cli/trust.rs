//! `elophanto trust`

use std::path::{Path, PathBuf};

use super::{CliError, Outcome, Result, Ui, env, escape_control_line, exact_line, visible};
use crate::wire::trust::{GuardedWire, ProgramWire, RevokedWire, TrustPageWire, TrustedWire};
use elophanto_app::{
    config::{Guarded, REPOSITORY_FILE, TrustEntry, TrustStore, digest},
    pages::{Page, Pages, Trust},
    trust::{self, Untrusted},
};
use elophanto_base::counted::{agreeing, counted};

/// Show what of this repository needs your trust, ask, and trust it
///
/// A repository does not get to name a program to run, an address that receives text or
/// credentials, or a right that widens, until you trust the exact content of its settings. Until
/// then such keys are passed over with a warning. Nor does it get to say what an agent has to do:
/// pages below `system` and `user` of the knowledge base, and `AGENTS.md` and `CLAUDE.md` in any
/// folder, are quoted to it, not obeyed, until you trust exactly what they say, with `--pages`. Any
/// other content, older or newer, needs to be trusted on its own.
/// What you trust is kept in your own configuration folder. Exits with 1 if nobody agreed.
#[derive(clap::Args, Debug)]
pub struct TrustArgs {
    /// Print the text of pages that are not trusted, and trust nothing
    #[arg(long, conflicts_with_all = ["pages", "list", "revoke"])]
    show: bool,
    /// Print the text of pages that are not trusted, ask, and trust them as well: these, or all
    #[arg(long, value_name = "PAGE", num_args = 0.., conflicts_with_all = ["list", "revoke"])]
    pages: Option<Vec<PathBuf>>,
    /// Trust without being asked; with hashes, as --json prints them, only what says that
    #[arg(long, value_name = "HASH", num_args = 0.., conflicts_with_all = ["show", "list", "revoke"])]
    yes: Option<Vec<String>>,
    /// List what is trusted in all repositories, and trust nothing
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Forget all trust in this repository
    #[arg(long)]
    revoke: bool,
}

pub fn run(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome> {
    let environment = env::environment();
    if args.list {
        return list(&TrustStore::open(environment.variables())?, ui);
    }
    if args.revoke {
        let (root, revoked) = trust::revoke(Path::new("."), &environment)?;
        return say_revoked(&root, revoked, ui);
    }
    let untrusted = Untrusted::around(Path::new("."), &environment)?;
    let pages = untrusted.pages()?;
    let asked = named(&pages, args)?;
    let file = REPOSITORY_FILE;
    for setting in &untrusted.settings {
        let Guarded { name: key, line, value } = setting;
        let text = format!("{file}:{line}: {key}: {value}");
        ui.emit(&GuardedWire::of(setting, &untrusted), exact_line(&text))?;
    }
    for program in &untrusted.programs {
        let text = format!("{}: run by these settings, and trusted as it is", program.file());
        ui.emit(&ProgramWire::from(program), exact_line(&text))?;
    }
    // Seen before it is trusted.
    ui.flush()?;
    for path in &untrusted.run_in_sandbox {
        ui.note(format_args!(
            "`{}` lies in the repository: trusted is that it runs, whatever later commits make of it",
            exact_line(&path.to_string_lossy())
        ));
    }
    for setting in &untrusted.run_unseen {
        ui.note(format_args!(
            "`{setting}` names no file of the repository: trusted is that it runs, whatever later commits have \
             it find there"
        ));
    }
    if untrusted.settings.is_empty() {
        ui.talk(format_args!("nothing in `{file}` needs trust"));
    } else if !args.show && args.pages.is_none() && !trust_settings(&untrusted, args, ui)? {
        return Ok(Outcome::Negative);
    }
    if !trust_pages(&pages, &asked, args, ui)? {
        return Ok(Outcome::Negative);
    }
    if args.pages.is_some() && !untrusted.settings.is_empty() {
        ui.talk(format_args!("`elophanto trust` without `--pages` trusts `{file}`"));
    }
    Ok(Outcome::Done)
}

/// Trusts the settings, which were shown, if somebody agrees to them; `false` if nobody did.
fn trust_settings(untrusted: &Untrusted<'_>, args: &TrustArgs, ui: &mut Ui) -> Result<bool> {
    let mut said = "was trusted already";
    let run = if untrusted.programs.is_empty() { "" } else { " and what it has run" };
    let what = format!("`{REPOSITORY_FILE}`{run}");
    let programs = untrusted.programs.iter();
    let programs = programs.filter_map(|it| Some((it.file(), it.digest.clone()?)));
    if !untrusted.is_trusted()? {
        let settings = match untrusted.settings.len() {
            1 => "this setting".to_owned(),
            count => format!("these {count} settings"),
        };
        let asked = Asked {
            question: format!("Let {settings} count? This trusts {what} as it is."),
            what: "what these settings say",
            names: [(REPOSITORY_FILE.to_owned(), untrusted.digest.clone())]
                .into_iter()
                .chain(programs)
                .collect(),
        };
        if !agreed(&asked, args, ui)? {
            ui.talk("nothing was trusted");
            return Ok(false);
        }
        if untrusted.trust()? {
            said = "trusted from now on";
        }
    }
    ui.talk(format_args!("{said}, as long as {what} stays as it is"));
    Ok(true)
}

/// All pages, or those that are named.
fn named(pages: &Pages, args: &TrustArgs) -> Result<Vec<Page>> {
    let (mut all, named) = (pages.all(), args.pages.as_deref().unwrap_or_default());
    if let Some(other) = named.iter().find(|path| !all.iter().any(|page| page.path == **path)) {
        let path = exact_line(&other.to_string_lossy());
        return Err(CliError::new(format_args!("`{path}` is no page that an agent obeys")).hint(
            "`elophanto trust --show` lists them, by their paths from the top of the repository",
        ));
    }
    all.retain(|page| named.is_empty() || named.contains(&page.path));
    Ok(all)
}

/// Names pages that are not trusted as they are. They are trusted only where that is asked for, what they
/// say was shown, and somebody agreed to it; `false` if nobody did.
fn trust_pages(pages: &Pages, asked: &[Page], args: &TrustArgs, ui: &mut Ui) -> Result<bool> {
    let is_asked = args.pages.is_some();
    let (trusted, new): (Vec<&Page>, Vec<&Page>) =
        asked.iter().partition(|page| page.trust == Trust::Given);
    for page in &new {
        let wire = TrustPageWire::of(page, args.show || is_asked);
        let what = if wire.changed { "changed since you trusted it" } else { "not trusted" };
        let path = exact_line(&page.path.to_string_lossy());
        let mut line = format!("{path}: {}, {what}", counted(wire.lines, "line"));
        if let Some(text) = &wire.text {
            line = format!("{line}\n\n{}\n", visible(text.trim_end()));
        }
        ui.emit(&wire, line)?;
    }
    ui.flush()?;
    if is_asked && !new.is_empty() {
        let (these, they) = match new.len() {
            1 => ("this page".to_owned(), "it says"),
            count => (format!("these {count} pages"), "they say"),
        };
        let names =
            new.iter().map(|page| (page.path.to_string_lossy().into_owned(), digest(&page.bytes)));
        let asked = Asked {
            question: format!("Have the agent do what {they}? This trusts {these}."),
            what: "what these pages say",
            names: names.collect(),
        };
        if !agreed(&asked, args, ui)? {
            ui.talk("nothing was trusted");
            return Ok(false);
        }
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
    if !trusted.is_empty() {
        let (pages, were) =
            (counted(trusted.len(), "page"), agreeing(trusted.len(), "was", "were"));
        ui.talk(format_args!("{pages} {were} trusted already"));
    }
    Ok(true)
}

/// What somebody is to agree to, after it was shown.
struct Asked {
    question: String,
    /// In words, where nobody is there.
    what: &'static str,
    /// Files, and digests of what they say.
    names: Vec<(String, String)>,
}

/// Whether the user agrees. Hashes agree to nothing else, whatever has become of a file since they were
/// looked up.
fn agreed(asked: &Asked, args: &TrustArgs, ui: &Ui) -> Result<bool> {
    let Asked { question, what, names } = asked;
    let Some(hashes) = &args.yes else {
        if !ui.can_ask() {
            return Err(CliError::new(format_args!("nobody is there who could agree to {what}"))
                .hint(
                    "read them, then add `--yes`, or `--yes HASH...` with the hashes that `--show \
                     --json` prints, which agrees to just that",
                ));
        }
        return Ok(ui.confirm(question)?);
    };
    match names.iter().find(|(_, digest)| !hashes.is_empty() && !hashes.contains(digest)) {
        None => Ok(true),
        Some((other, _)) => {
            let path = exact_line(other);
            Err(CliError::new(format_args!("no hash behind `--yes` is that of `{path}`")).hint(
                "nothing was trusted: look at it again, and name the pages that are meant behind `--pages`",
            ))
        }
    }
}

fn list(store: &TrustStore, ui: &mut Ui) -> Result<Outcome> {
    if store.entries().next().is_none() {
        return Ok(ui.nothing(
            "nothing is trusted: `elophanto trust` shows what of a repository asks for it",
        ));
    }
    for entry in store.entries() {
        let TrustEntry { digest, file, since, root } = entry;
        let (short, root) = (digest.get(..12).unwrap_or(digest), root.to_string_lossy());
        let text = format!("{short}  {since}  {root}/{file}");
        ui.emit(&TrustedWire::from(entry), escape_control_line(&text))?;
    }
    Ok(Outcome::Done)
}

fn say_revoked(root: &Path, revoked: usize, ui: &mut Ui) -> Result<Outcome> {
    let text = match revoked {
        0 => "nothing in this repository was trusted".to_owned(),
        more => format!("{} forgotten", counted(more, "content")),
    };
    ui.emit(&RevokedWire::of(revoked, root), text)?;
    Ok(if revoked == 0 { Outcome::Negative } else { Outcome::Done })
}
