//! `elophanto publish`

use super::{Outcome, Result, Ui, env, escape_control_line, workspace};
use crate::wire::fleet::{FoldedWire, HeadWire, PublishedWire};
use elophanto_app::{
    fleet::{self, ExportFormat, Folded, Outcome as Became, PublishRequest, Published},
    keys::Asking,
    when::day,
};
use elophanto_base::counted::{agreeing, counted};

/// Publish what HEAD holds to the knowledge base of a fleet, in an object store
///
/// The address is s3://BUCKET/FOLDER (any store that speaks like S3), gs://, az:// or file:///FOLDER.
/// One object is created and never changed: publishing the same commit twice is publishing it once.
/// Vectors are those that are committed; only the instant built-in model makes them anew. With --fold,
/// one job brings what was published into the tables that `elophanto search --in URL` asks. Keys come
/// from the variables that the programs of the clouds use (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL,
/// AWS_WEB_IDENTITY_TOKEN_FILE and so on), else from the vault (`aws-access-key-id`,
/// `aws-secret-access-key`). Exits with 1 if nothing is published because of --strict.
#[derive(clap::Args, Debug)]
pub struct PublishArgs {
    /// Where to
    #[arg(value_name = "URL")]
    address: String,
    /// What the repository is called there; by default where it was cloned from, such as
    /// github.com/acme/notes
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Say what would be published, and publish nothing
    #[arg(long)]
    dry_run: bool,
    /// Publish nothing if a chunk has no vector
    #[arg(long)]
    strict: bool,
    /// Publish the lessons of agents too, for `elophanto agent recall --in URL`: those that are
    /// committed, and were neither taken back nor put away
    #[arg(long)]
    memory: bool,
    /// Publish that nothing of the repository is to be found any more
    #[arg(long)]
    retire: bool,
    /// Raise this when the history was rewritten; by default it is found out
    #[arg(long, value_name = "N")]
    epoch: Option<u64>,
    /// Agree to send the text of this repository there, and remember that
    #[arg(long, short)]
    yes: bool,
    /// Bring what was published into the tables
    #[arg(long,
          conflicts_with_all = ["name", "dry_run", "strict", "memory", "retire", "epoch", "yes"])]
    fold: bool,
    /// With --fold: pack the tables and bring their indexes up to date in any case
    #[arg(long, requires = "fold")]
    tend: bool,
    /// List the repositories there, each with its commit
    #[arg(long, conflicts_with_all = ["name", "dry_run", "strict", "memory", "retire", "epoch", "yes",
                                      "fold"])]
    list: bool,
    /// Write all chunks with their vectors to standard output, for another engine
    #[arg(long, value_enum, value_name = "FORM",
          conflicts_with_all = ["name", "dry_run", "strict", "memory", "retire", "epoch", "yes", "fold",
                                "list"])]
    export: Option<ExportArg>,
}

/// How chunks are exported.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum ExportArg {
    /// One JSON object a line
    Ndjson,
    /// A stream in Arrow's IPC format
    Arrow,
}

pub fn run(args: &PublishArgs, ui: &mut Ui) -> Result<Outcome> {
    if args.fold {
        let folded = fleet::fold(&args.address, args.tend, &env::environment(), ui)?;
        return say_folded(&folded, ui);
    }
    if args.list {
        return list(args, ui);
    }
    if let Some(form) = args.export {
        let form = match form {
            ExportArg::Ndjson => ExportFormat::Ndjson,
            ExportArg::Arrow => ExportFormat::Arrow,
        };
        let environment = env::environment();
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let exported = fleet::export(&args.address, form, &environment, &mut out, ui)?;
        ui.talk(format_args!("{} written", counted(exported.chunks, "chunk")));
        return Ok(Outcome::Done);
    }
    let workspace = workspace::open(Vec::new(), ui)?;
    let request = PublishRequest {
        address: args.address.clone(),
        name: args.name.clone(),
        epoch: args.epoch,
        dry_run: args.dry_run,
        strict: args.strict,
        memory: args.memory,
        retire: args.retire,
        yes: args.yes,
    };
    say_published(&fleet::publish(&workspace, &request, ui)?, ui)
}

fn say_published(published: &Published, ui: &mut Ui) -> Result<Outcome> {
    let Published {
        repository,
        commit,
        chunks,
        lessons,
        without_vector,
        is_of_model,
        bytes,
        outcome,
        ..
    } = published;
    let done = match outcome {
        Became::Created => "published",
        Became::Before => "was published before",
        Became::Older | Became::Incomplete => "not published",
        Became::Tried => "would be published",
    };
    let kilobytes = bytes.div_ceil(1_000);
    let among = match lessons {
        0 => String::new(),
        _ => format!(" ({} among them)", counted(*lessons, "lesson")),
    };
    let text = format!(
        "{repository} at {commit:.10}: {}{among}, {kilobytes} kB, {done}",
        counted(*chunks, "chunk")
    );
    ui.emit(&PublishedWire::from(published), escape_control_line(&text))?;
    if *without_vector > 0 && *is_of_model {
        let count = counted(*without_vector, "chunk");
        let have = agreeing(*without_vector, "has", "have");
        let them = agreeing(*without_vector, "it", "them");
        ui.note(format_args!(
            "{count} {have} no vector, and can be found by words alone: `elophanto index` makes {them}, to be \
             committed"
        ));
    }
    Ok(if *outcome == Became::Incomplete { Outcome::Negative } else { Outcome::Done })
}

fn say_folded(folded: &Folded, ui: &mut Ui) -> Result<Outcome> {
    let Folded { taken, inserted, updated, deleted, tended, .. } = folded;
    let packed = if *tended { ", tables packed" } else { "" };
    let text = format!(
        "{} folded: {inserted} rows new, {updated} changed, {deleted} gone{packed}",
        counted(taken.len(), "publication")
    );
    ui.done(&FoldedWire::from(folded), text)
}

fn list(args: &PublishArgs, ui: &mut Ui) -> Result<Outcome> {
    let heads = fleet::heads(&args.address, &env::environment(), Asking::Through(ui))?;
    if heads.is_empty() {
        return Ok(ui.nothing("no repository is published there, or none is folded yet"));
    }
    for head in &heads {
        let chunks = counted(usize::try_from(head.chunks).unwrap_or(usize::MAX), "chunk");
        let text =
            format!("{}  {:.10}  as of {}  {chunks}", head.repository, head.commit, day(head.time));
        ui.emit(&HeadWire::from(head), escape_control_line(&text))?;
    }
    Ok(Outcome::Done)
}
