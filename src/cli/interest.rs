//! `elophanto like`, `unlike`, `dislike`, `undislike`, `interests` and `react`

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{self, Workspace},
};
use elophanto_app::learning::{Learning, now};
use elophanto_app::when::day;
use elophanto_base::secrets;
use elophanto_knowledge::{
    interest::{Answered, PreferenceKind, Signs, Valence, react as kind_of, spark},
    learn::{
        interests::{Stated, retract, state},
        plan::Topic,
        record::EngagementRecord,
    },
};
use elophanto_repo::{Git, journal::Place};

/// Say that you like a topic: an entity is made of it, and it is worth finding out more
#[derive(clap::Args, Debug)]
pub struct LikeArgs {
    #[command(flatten)]
    wish: WishArgs,
}

/// Take a like back
#[derive(clap::Args, Debug)]
pub struct UnlikeArgs {
    #[command(flatten)]
    wish: WishArgs,
}

/// Say that you do not care for a topic: nothing more is found out about it
#[derive(clap::Args, Debug)]
pub struct DislikeArgs {
    #[command(flatten)]
    wish: WishArgs,
}

/// Take a dislike back
#[derive(clap::Args, Debug)]
pub struct UndislikeArgs {
    #[command(flatten)]
    wish: WishArgs,
}

#[derive(clap::Args, Debug)]
struct WishArgs {
    /// What it is about
    topic: String,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// Show what you care about, by what you did
///
/// The score is the sum of what you did, each act counting half after 30 days. Acts stay on this
/// machine.
#[derive(clap::Args, Debug)]
pub struct InterestsArgs {
    /// Print at most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Draw the trend with `_.-=#` only
    #[arg(long)]
    ascii: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// React to a notification or an answer: `+` for more of it, `-` for no more
///
/// A `-` to a notification ends the search for more about what it was about.
#[derive(clap::Args, Debug)]
pub struct ReactArgs {
    /// The id of a notification or an answer
    id: String,
    /// `+` or `-`
    #[arg(value_name = "+|-", allow_hyphen_values = true, value_parser = ["+", "-"])]
    reaction: String,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

impl LikeArgs {
    pub fn is_json(&self) -> bool {
        self.wish.json
    }
}

impl UnlikeArgs {
    pub fn is_json(&self) -> bool {
        self.wish.json
    }
}

impl DislikeArgs {
    pub fn is_json(&self) -> bool {
        self.wish.json
    }
}

impl UndislikeArgs {
    pub fn is_json(&self) -> bool {
        self.wish.json
    }
}

/// A preference, as `--json` prints it.
#[derive(Serialize)]
struct WishWire<'a> {
    topic: &'a str,
    preference: &'static str,
    /// Whether anything changed.
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<String>,
}

/// An interest, as `--json` prints it.
#[derive(Serialize)]
struct InterestWire<'a> {
    entity: &'a str,
    name: &'a str,
    score: f64,
    facts: usize,
    last_activity: String,
    trend: &'a [f64],
}

/// A reaction, as `--json` prints it.
#[derive(Serialize)]
struct ReactionWire<'a> {
    id: &'a str,
    reaction: &'a str,
    entities: Vec<String>,
}

pub fn like(args: &LikeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    wish(&args.wish, PreferenceKind::Like, ui)
}

pub fn dislike(args: &DislikeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    wish(&args.wish, PreferenceKind::Dislike, ui)
}

pub fn unlike(args: &UnlikeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    unwish(&args.wish, PreferenceKind::Like, ui)
}

pub fn undislike(args: &UndislikeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    unwish(&args.wish, PreferenceKind::Dislike, ui)
}

fn wish(args: &WishArgs, kind: PreferenceKind, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let topic = topic(&args.topic)?;
    let learning = Learning::open(&workspace)?;
    learning.acted();
    let shelves = learning.shelves();
    let mut shelf = shelves.read(now());
    let is_first = learning.interests().preferences.is_empty();
    let stated = state(&shelves, &mut shelf, &learning.user, topic.as_str(), kind, now())?;
    let (changed, entity) = match stated {
        Stated::Noted(entity) => (true, entity),
        Stated::Known => (false, None),
    };
    let word = word(kind);
    let shown = visible_line(topic.as_str());
    let text = match (&entity, changed) {
        (_, false) => format!("you {word} '{shown}' already"),
        (Some(slug), true) if kind == PreferenceKind::Like => {
            format!(
                "noted that you like '{shown}' ({})",
                visible_line(&shelves.path(slug).to_text())
            )
        }
        _ => format!("noted that you {word} '{shown}'"),
    };
    let wire = WishWire { topic: topic.as_str(), preference: word, changed, entity };
    ui.emit(&wire, text)?;
    if changed && is_first && workspace.config.journal.share && is_shared(&workspace) {
        ui.note(
            "others work in this repository: git carries what you like, under a random id; \
             `journal.share: false` keeps it on this machine",
        );
    }
    Ok(Outcome::Done)
}

/// Whether more than one person wrote here within a year.
fn is_shared(workspace: &Workspace) -> bool {
    let git = Git::of(&workspace.repository);
    git.and_then(|git| git.authors_since("1.year").ok()).is_some_and(|authors| authors > 1)
}

fn unwish(args: &WishArgs, kind: PreferenceKind, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let topic = topic(&args.topic)?;
    let learning = Learning::open(&workspace)?;
    learning.acted();
    let changed = retract(&learning.desk, &learning.user, topic.as_str(), kind, now())?;
    let word = word(kind);
    let shown = visible_line(topic.as_str());
    let text = match changed {
        true => format!("took back that you {word} '{shown}'"),
        false => format!("you did not say that you {word} '{shown}'"),
    };
    let wire = WishWire { topic: topic.as_str(), preference: word, changed, entity: None };
    ui.emit(&wire, text)?;
    Ok(if changed { Outcome::Done } else { Outcome::Negative })
}

fn topic(text: &str) -> Result<Topic, CliError> {
    if !secrets::scan(text).is_empty() {
        return Err(CliError::new("the topic holds what looks like a secret")
            .hint("leave it out: what you like is written down"));
    }
    Topic::new(text).map_err(|cause| {
        CliError::new(cause)
            .hint("give a few words, such as `elophanto like \"espresso machines\"`")
    })
}

fn word(kind: PreferenceKind) -> &'static str {
    match kind {
        PreferenceKind::Like => "like",
        PreferenceKind::Dislike => "dislike",
    }
}

pub fn interests(args: &InterestsArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let learning = Learning::look(&workspace);
    let shelf = learning.shelves().read(now());
    let meaning = learning.meaning();
    let scores = learning.interests().scores(&learning.user, &shelf, &meaning, now());
    let mut ranked: Vec<_> = scores
        .iter()
        .filter_map(|(slug, interest)| Some((shelf.entities.by_slug(slug)?, interest)))
        .collect();
    ranked.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then_with(|| a.0.title.cmp(&b.0.title)));
    let shown = ranked.len().min(args.limit);
    let width = ranked.iter().take(shown).map(|(it, _)| it.title.chars().count().min(40)).max();
    let signs = if args.ascii { Signs::Ascii } else { Signs::Blocks };
    for (number, (entity, interest)) in (1..).zip(ranked.iter().take(shown)) {
        let wire = InterestWire {
            entity: &entity.slug,
            name: &entity.title,
            score: (interest.score * 1_000.0).round() / 1_000.0,
            facts: entity.facts.len(),
            last_activity: format!("{:.0}", interest.last),
            trend: &interest.trend,
        };
        let name = visible_line(&entity.title);
        let word = if wire.facts == 1 { "fact " } else { "facts" };
        let text = format!(
            "{number:>2}. {name:width$}  {:+.2}  {:>3} {word}  {}  {}",
            interest.score,
            wire.facts,
            day(interest.last.as_second()),
            spark(&interest.trend, signs),
            width = width.unwrap_or(0)
        );
        ui.emit(&wire, text)?;
    }
    if shown == 0 {
        ui.talk("nothing yet: `like` a topic, or `learn` about one");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

pub fn react(args: &ReactArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let learning = Learning::open(&workspace)?;
    learning.acted();
    let interests = learning.interests();
    let (entities, to) =
        match (interests.notifications.get(&args.id), interests.answers.get(&args.id)) {
            (Some(told), _) => (vec![told.entity_id.clone()], Answered::Notification),
            (None, Some(answer)) => (answer.entities.clone(), Answered::Answer),
            (None, None) => {
                ui.talk(format_args!(
                "no notification or answer is called `{}`; the id stands beside what you were told",
                visible_line(&args.id)
            ));
                return Ok(Outcome::Negative);
            }
        };
    let kind = kind_of(to, args.reaction == "+");
    let valence = kind.valence().unwrap_or(Valence::Neutral);
    let source = format!("{}{}", args.id, args.reaction);
    let acts: Vec<EngagementRecord> = entities
        .iter()
        .map(|slug| EngagementRecord {
            source_message_id: Some(args.id.clone()),
            ..EngagementRecord::new(&learning.user, slug, kind, valence, &source, now())
        })
        .collect();
    learning.desk.write(Place::Local, &acts)?;
    let text = match (to, args.reaction.as_str()) {
        (Answered::Notification, "-") => "noted: nothing more is searched for about it",
        _ => "noted",
    };
    ui.emit(&ReactionWire { id: &args.id, reaction: &args.reaction, entities }, text)?;
    Ok(Outcome::Done)
}
