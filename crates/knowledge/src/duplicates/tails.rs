//! Words that say what kind of thing a name is of, and that people leave out.

/// What a person adds to say what a thing is. The first names a kind so narrow that nothing else
/// carries the bare name; the others need a fact or a name that stands for itself.
pub const TAILS: &[(&[&str], Tail)] = &[
    (&["programming", "language"], Tail::Sure),
    (&["markup", "language"], Tail::Sure),
    (&["query", "language"], Tail::Kind),
    (&["language"], Tail::Kind),
    (&["web", "framework"], Tail::Kind),
    (&["framework"], Tail::Kind),
    (&["library"], Tail::Kind),
    (&["package"], Tail::Kind),
    (&["crate"], Tail::Kind),
    (&["module"], Tail::Kind),
    (&["protocol"], Tail::Kind),
    (&["game", "engine"], Tail::Narrow),
    (&["engine"], Tail::Kind),
    (&["runtime"], Tail::Kind),
    (&["database"], Tail::Kind),
    (&["operating", "system"], Tail::Narrow),
    (&["os"], Tail::Kind),
    (&["linux"], Tail::Kind),
    (&["web", "browser"], Tail::Narrow),
    (&["browser"], Tail::Narrow),
    (&["text", "editor"], Tail::Narrow),
    (&["code", "editor"], Tail::Narrow),
    (&["editor"], Tail::Kind),
    (&["app"], Tail::Kind),
    (&["application"], Tail::Kind),
    (&["software"], Tail::Kind),
    (&["tool"], Tail::Kind),
    (&["toolkit"], Tail::Kind),
    (&["platform"], Tail::Kind),
    (&["service"], Tail::Kind),
    (&["website"], Tail::Kind),
    (&["conference"], Tail::Kind),
    (&["format"], Tail::Kind),
    (&["shell"], Tail::Kind),
    (&["model"], Tail::Kind),
    (&["river"], Tail::Kind),
    (&["city"], Tail::Kind),
    (&["film"], Tail::Kind),
    (&["novel"], Tail::Kind),
    (&["bookshelf", "speakers"], Tail::Ware),
    (&["loudspeakers"], Tail::Ware),
    (&["loudspeaker"], Tail::Ware),
    (&["speakers"], Tail::Ware),
    (&["speaker"], Tail::Ware),
    (&["headphones"], Tail::Ware),
    (&["headset"], Tail::Ware),
    (&["earbuds"], Tail::Ware),
    (&["amplifier"], Tail::Ware),
    (&["receiver"], Tail::Ware),
    (&["turntable"], Tail::Ware),
    (&["keyboard"], Tail::Ware),
    (&["mouse"], Tail::Ware),
    (&["monitor"], Tail::Ware),
    (&["laptop"], Tail::Ware),
    (&["tablet"], Tail::Ware),
    (&["smartphone"], Tail::Ware),
    (&["phone"], Tail::Ware),
    (&["smartwatch"], Tail::Ware),
    (&["camera"], Tail::Ware),
    (&["printer"], Tail::Ware),
    (&["console"], Tail::Ware),
    (&["espresso", "machine"], Tail::Ware),
    (&["coffee", "machine"], Tail::Ware),
    (&["coffee", "grinder"], Tail::Ware),
    (&["grinder"], Tail::Ware),
    (&["rocket"], Tail::Ware),
    (&["spacecraft"], Tail::Ware),
    (&["telescope"], Tail::Ware),
    (&["aircraft"], Tail::Ware),
    (&["car"], Tail::Ware),
    (&["bike"], Tail::Ware),
];

/// How much a generic word at the end takes to be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tail {
    /// Nothing.
    Sure,
    /// A name before it that is not a maker's.
    Narrow,
    /// A name of a model before it: `KEF LS50 Meta speakers`, not `Sony speakers`.
    Ware,
    /// A fact that says it is one.
    Kind,
}

/// What stands in front to say what a thing is.
pub const HEADS: &[&[&str]] =
    &[&["city", "of"], &["town", "of"], &["language"], &["programming", "language"]];
