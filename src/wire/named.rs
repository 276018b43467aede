//! Values that are said by one of their names.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error};

use elophanto_app::config::Mode;
use elophanto_index::{Kind, search::Level};
use elophanto_knowledge::{memory::EventType, scan::QuestionState};
use elophanto_text::{authoring, markdown::Scope};

/// Values with names.
pub trait Names: Copy + 'static {
    /// Those that may be said.
    const ALL: &'static [Self];

    fn name(self) -> &'static str;
}

/// A value that is said by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<T>(pub T);

impl<T: Names> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::ALL.iter().map(|value| value.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

impl<'de, T: Names> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        let named = T::ALL.iter().find(|value| value.name() == name);
        named.copied().map(Self).ok_or_else(|| Error::custom(format_args!("no such name: {name}")))
    }
}

macro_rules! names {
    ($($type:ty: $all:expr, $name:path;)+) => {
        $(impl Names for $type {
            const ALL: &'static [Self] = $all;

            fn name(self) -> &'static str {
                $name(self)
            }
        })+
    };
}

names! {
    Kind: &Self::SEARCHED, Self::name;
    Level: &Self::ALL, Self::name;
    Scope: &Self::ALL, Self::as_str;
    EventType: &Self::ALL, Self::as_str;
    authoring::Kind: &Self::ALL, Self::as_str;
    Mode: &Self::ALL, Self::as_str;
    QuestionState: &Self::ALL, Self::as_str;
}
