//! How a setting is declared: once, in [`super::sections`], as a field of its section's struct.
//!
//! Owns the macro that makes of such a declaration the field, its line in the table of keys and
//! its reading. Knows no setting.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::ConfigError;
use super::keys::Key;
use super::kind::{Kind, Value};
use super::resolved::Resolved;

/// Declares the settings of some sections.
///
/// ```ignore
/// settings! {
///     SearchConfig in "search" {
///         /// How many hits are shown when nothing is said.
///         limit: usize = "10", Kind::Whole { min: 1, max: 10_000 };
///         /// Whether what was found stale is described again: always, local or never.
///         #[needs_trust(NeedsTrust::Widening(&["never", "local", "always"]))]
///         refresh_stale: RefreshStale = "local";
///         /// Where it is looked.
///         places: PlacesConfig;
///     }
/// }
/// ```
///
/// This is `search.limit`, which is ten when nobody says otherwise, read as a [`Field`] and found
/// as `config.search.limit`. Its kind may be left out where the type allows but one ([`Natural`]);
/// without `needs_trust` a repository's file may set it by itself. The comment is what people read
/// in the file that `init` writes: what only programmers should know stands behind `//`. A field
/// without a default is a [`Section`] of its own.
macro_rules! settings {
    ($( $section:ident in $prefix:literal { $(
        $(#[doc = $doc:literal])+
        $(#[needs_trust($trust:expr)])?
        $field:ident: $type:ty $(= $default:expr $(, $kind:expr)?)?;
    )+ } )+) => { $(
        #[doc = concat!("The settings below `", $prefix, "`.")]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $section { $( $(#[doc = $doc])+ pub $field: $type, )+ }

        impl Section for $section {
            fn keys(table: &mut Vec<Key>) {
                $( settings!(@key table, $prefix, $field, $type,
                    [$($default $(, $kind)?)?], concat!($($doc),+) $(, $trust)?); )+
            }

            fn read(values: &Resolved) -> Result<Self, ConfigError> {
                Ok(Self { $(
                    $field: settings!(@read values, $prefix, $field, $type, [$($default)?]),
                )+ })
            }
        }
    )+ };

    // Of a section in this one.
    (@key $table:ident, $prefix:literal, $field:ident, $type:ty, [], $doc:expr) => {
        <$type as Section>::keys($table)
    };
    (@read $values:ident, $prefix:literal, $field:ident, $type:ty, []) => {
        <$type as Section>::read($values)?
    };
    // Of a setting.
    (@key $table:ident, $prefix:literal, $field:ident, $type:ty, [$default:expr], $($rest:tt)+) => {
        settings!(@key $table, $prefix, $field, $type,
            [$default, <$type as Natural>::KIND], $($rest)+)
    };
    (@key $table:ident, $prefix:literal, $field:ident, $type:ty,
        [$default:expr, $kind:expr], $doc:expr $(, $trust:expr)?) => {
        $table.push(Key {
            name: concat!($prefix, ".", stringify!($field)),
            default: $default,
            kind: $kind,
            doc: $doc.trim_start(),
            // What is said, else never.
            needs_trust: [$($trust,)? NeedsTrust::Never][0],
        })
    };
    (@read $values:ident, $prefix:literal, $field:ident, $type:ty, [$default:expr]) => {
        $values.field(concat!($prefix, ".", stringify!($field)))
    };
}
pub(super) use settings;

/// Settings whose names begin alike.
pub(super) trait Section: Sized {
    /// Adds them to the table, in the order of the generated file.
    fn keys(table: &mut Vec<Key>);

    /// # Errors
    /// When what was said does not hold together.
    fn read(values: &Resolved) -> Result<Self, ConfigError>;
}

/// What one setting can be for those who use it.
pub(super) trait Field: Sized {
    /// `None` where the table says another kind, which is a bug.
    fn of(value: &Value) -> Option<Self>;
}

/// What only one kind of setting fits.
pub(super) trait Natural: Field {
    const KIND: Kind;
}

macro_rules! field {
    ($($type:ty $(= $kind:expr)?, $value:pat => $read:expr;)+) => { $(
        impl Field for $type {
            fn of(value: &Value) -> Option<Self> {
                match value {
                    $value => $read,
                    _ => None,
                }
            }
        }

        $(impl Natural for $type {
            const KIND: Kind = $kind;
        })?
    )+ };
}
pub(super) use field;

field! {
    u16 = Kind::Whole { min: 0, max: 65_535 }, Value::Whole(number) => u16::try_from(*number).ok();
    u64, Value::Whole(number) => Some(*number);
    usize, Value::Whole(number) => usize::try_from(*number).ok();
    f64, Value::Real(number) => Some(*number);
    bool = Kind::Switch, Value::Switch(yes) => Some(*yes);
    Duration, Value::Span(span) => Some(*span);
    String = Kind::Text, Value::Text(text) => Some(text.clone());
    PathBuf, Value::Text(text) => Some(text.into());
    IpAddr = Kind::Address, Value::Text(text) => text.parse().ok();
}

/// `none` stands for nothing, as a setting cannot be empty.
impl<T: FromStr> Field for Option<T> {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) if text == "none" => Some(None),
            Value::Text(text) => text.parse().ok().map(Some),
            _ => None,
        }
    }
}

impl<T: FromStr> Natural for Option<T> {
    const KIND: Kind = Kind::Text;
}

/// A list, or one text whose parts colons separate, as of `PATH`.
impl<T: FromStr> Field for Vec<T> {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::List(items) => items.iter().map(|item| item.parse().ok()).collect(),
            Value::Text(text) if text == "none" => Some(Vec::new()),
            Value::Text(text) => text.split(':').map(|item| item.parse().ok()).collect(),
            _ => None,
        }
    }
}
