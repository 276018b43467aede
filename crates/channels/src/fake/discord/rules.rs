//! What Discord takes, and how it says no.

use axum::{
    body::Body,
    http::{StatusCode, header::CONTENT_TYPE},
    response::Response,
};
use serde_json::{Value, json};

/// Characters of a message.
const MOST: usize = 2_000;
const SUPPRESS_EMBEDS: u64 = 1 << 2;
/// What may be set by whoever sends: no embeds, only for one, silent.
const FLAGS: u64 = SUPPRESS_EMBEDS | 1 << 6 | 1 << 12;

pub fn json_of(status: u16, value: &Value) -> Response {
    let response = Response::builder()
        .status(StatusCode::from_u16(status).unwrap_or(StatusCode::OK))
        .header(CONTENT_TYPE, "application/json");
    response.body(Body::from(value.to_string())).unwrap()
}

/// A refusal by its code.
pub fn no(status: u16, code: u64, message: &str) -> Response {
    json_of(status, &json!({ "message": message, "code": code }))
}

/// That something is wrong in what was sent, and where: `a.0.b`.
pub fn invalid(place: &str, code: &str, message: &str) -> Response {
    let mut errors = json!({ "_errors": [{ "code": code, "message": message }] });
    for part in place.split('.').rev() {
        errors = json!({ part: errors });
    }
    let body = json!({ "message": "Invalid Form Body", "code": 50_035, "errors": errors });
    json_of(400, &body)
}

fn wrong(place: &str, code: &str, message: &str) -> Box<Response> {
    Box::new(invalid(place, code, message))
}

/// A message, as far as it matters.
pub struct Checked {
    pub text: String,
    pub buttons: Vec<(String, String)>,
    pub has_embeds: bool,
    pub calls: bool,
}

/// What is wrong with a message; `has_file` where one comes with it.
pub fn message(given: &Value, has_file: bool) -> Result<Checked, Box<Response>> {
    let text = given["content"].as_str().unwrap_or_default();
    if text.chars().count() > MOST {
        let message = format!("Must be {MOST} or fewer in length.");
        return Err(wrong("content", "BASE_TYPE_MAX_LENGTH", &message));
    }
    let flags = given["flags"].as_u64().unwrap_or_default();
    if flags & !FLAGS != 0 {
        return Err(wrong("flags", "INVALID_FLAGS", "Invalid flags."));
    }
    let buttons = buttons(&given["components"])?;
    if text.trim().is_empty() && !has_file && buttons.is_empty() {
        return Err(Box::new(no(400, 50_006, "Cannot send an empty message")));
    }
    if given["nonce"].as_str().is_some_and(|nonce| nonce.len() > 25) {
        return Err(wrong("nonce", "NONCE_TYPE_TOO_LONG", "Nonce is too long."));
    }
    let mentions = &given["allowed_mentions"];
    Ok(Checked {
        text: text.trim().to_owned(),
        buttons,
        has_embeds: flags & SUPPRESS_EMBEDS == 0,
        calls: mentions["parse"].as_array().is_none_or(|all| !all.is_empty())
            || mentions["replied_user"] == true,
    })
}

/// Rows of buttons: five of five, each with a name of its own.
fn buttons(components: &Value) -> Result<Vec<(String, String)>, Box<Response>> {
    let length = |place: &str, most: usize| {
        let message = format!("Must be between 1 and {most} in length.");
        Err(wrong(place, "BASE_TYPE_BAD_LENGTH", &message))
    };
    let rows = components.as_array().map_or(&[] as &[Value], Vec::as_slice);
    if rows.len() > 5 {
        return length("components", 5);
    }
    let mut all: Vec<(String, String)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let place = format!("components.{at}");
        if row["type"] != 1 {
            let message = "Value of field \"type\" must be one of (1,).";
            return Err(wrong(&format!("{place}.type"), "UNION_TYPE_CHOICES", message));
        }
        let row = row["components"].as_array().map_or(&[] as &[Value], Vec::as_slice);
        if !(1..=5).contains(&row.len()) {
            return length(&format!("{place}.components"), 5);
        }
        for (number, button) in row.iter().enumerate() {
            let place = format!("{place}.components.{number}");
            let text = |key: &str| button[key].as_str().unwrap_or_default().to_owned();
            let (label, id) = (text("label"), text("custom_id"));
            if !(1..=100).contains(&id.chars().count()) {
                return length(&format!("{place}.custom_id"), 100);
            }
            if label.chars().count() > 80 {
                return length(&format!("{place}.label"), 80);
            }
            if button["type"] != 2 || !(1..=4).contains(&button["style"].as_u64().unwrap_or(0)) {
                let message = "This field is required";
                return Err(wrong(&format!("{place}.style"), "BASE_TYPE_REQUIRED", message));
            }
            if all.iter().any(|(_, other)| *other == id) {
                let message = "Component custom id cannot be duplicated";
                let place = format!("{place}.custom_id");
                return Err(wrong(&place, "COMPONENT_CUSTOM_ID_DUPLICATED", message));
            }
            all.push((label, id));
        }
    }
    Ok(all)
}

/// Commands that take the place of all that there were.
pub fn commands(given: &Value) -> Result<Vec<Value>, Box<Response>> {
    let all = given.as_array().map_or(&[] as &[Value], Vec::as_slice);
    if all.len() > 100 {
        let message = "Maximum number of application commands reached (100)";
        return Err(Box::new(no(400, 30_032, message)));
    }
    let is_name = |name: &str| {
        (1..=32).contains(&name.chars().count())
            && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_'))
            && name.to_lowercase() == name
    };
    let is_about = |value: &Value| {
        let length = value["description"].as_str().unwrap_or_default().chars().count();
        (1..=100).contains(&length)
    };
    for (at, command) in all.iter().enumerate() {
        let options = command["options"].as_array().map_or(&[] as &[Value], Vec::as_slice);
        for (place, it) in std::iter::once((format!("{at}"), command))
            .chain(options.iter().enumerate().map(|(n, it)| (format!("{at}.options.{n}"), it)))
        {
            if !is_name(it["name"].as_str().unwrap_or_default()) {
                let message = "Command name is invalid";
                let place = format!("{place}.name");
                return Err(wrong(&place, "APPLICATION_COMMAND_INVALID_NAME", message));
            }
            if !is_about(it) {
                let message = "Must be between 1 and 100 in length.";
                let place = format!("{place}.description");
                return Err(wrong(&place, "BASE_TYPE_BAD_LENGTH", message));
            }
        }
    }
    Ok(all.to_vec())
}
