//! What is put into a file, and how it is written.

/// A value to be written. Members keep the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Object(Vec<(String, Value)>),
    Array(Vec<Value>),
    String(String),
}

/// How a value is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout<'a> {
    /// On one line, with a space inside the brackets of whatever holds objects or members.
    Line,
    /// One member or object a line. The first line is not indented.
    Block { indent: &'a str, unit: &'a str, eol: &'a str },
}

impl Value {
    pub fn string(text: &str) -> Self {
        Self::String(text.to_owned())
    }

    pub fn strings(texts: &[&str]) -> Self {
        Self::Array(texts.iter().map(|text| Self::string(text)).collect())
    }

    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// The value inside objects of one member each, the outermost named first.
    pub fn within(self, keys: &[&str]) -> Self {
        keys.iter().rev().fold(self, |value, key| Self::object([(*key, value)]))
    }

    /// The text of the value.
    pub fn render(&self, layout: Layout<'_>) -> String {
        match self {
            Self::String(text) => quoted(text),
            Self::Array(items) if items.iter().all(|item| matches!(item, Self::String(_))) => {
                let items: Vec<String> = items.iter().map(|item| item.render(layout)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Array(items) => {
                let items = items.iter().map(|item| (None, item)).collect::<Vec<_>>();
                bracketed(['[', ']'], &items, layout)
            }
            Self::Object(members) => {
                let items: Vec<_> =
                    members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect();
                bracketed(['{', '}'], &items, layout)
            }
        }
    }
}

/// A value, as a member if it has a key.
pub(super) fn item(key: Option<&str>, value: &Value, layout: Layout<'_>) -> String {
    let value = value.render(layout);
    key.map_or(value.clone(), |key| format!("{}: {value}", quoted(key)))
}

fn bracketed(brackets: [char; 2], items: &[(Option<&str>, &Value)], layout: Layout<'_>) -> String {
    let [open, close] = brackets;
    match layout {
        _ if items.is_empty() => format!("{open}{close}"),
        Layout::Line => {
            let items: Vec<String> =
                items.iter().map(|(key, value)| item(*key, value, layout)).collect();
            format!("{open} {} {close}", items.join(", "))
        }
        Layout::Block { indent, unit, eol } => {
            let inner = format!("{indent}{unit}");
            let layout = Layout::Block { indent: &inner, unit, eol };
            let items: Vec<String> = items
                .iter()
                .map(|(key, value)| format!("{inner}{}", item(*key, value, layout)))
                .collect();
            format!("{open}{eol}{}{eol}{indent}{close}", items.join(&format!(",{eol}")))
        }
    }
}

/// A string literal of JSON, which is one of TOML as well as long as there is no DEL in it.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
