//! The desktop, through `notify-send`.

use super::{Sink, SinkError, command::call};
use crate::notify::Message;
use elophanto_base::process::Environment;

/// Characters of a message's body before they are escaped: more is never shown.
const MAX_BODY_CHARS: usize = 1_500;
const PROGRAM: &str = "notify-send";

/// Messages in a corner of the screen.
#[derive(Debug, Clone)]
pub struct DesktopSink {
    pub(super) program: String,
    environment: Environment,
}

impl DesktopSink {
    /// The environment says how the desktop is reached: `PATH`, `HOME`, `DISPLAY`,
    /// `WAYLAND_DISPLAY`, `XDG_RUNTIME_DIR`, `DBUS_SESSION_BUS_ADDRESS`.
    pub fn new(environment: Environment) -> Self {
        Self { program: PROGRAM.to_owned(), environment }
    }
}

impl Sink for DesktopSink {
    fn send(&self, message: &Message) -> Result<(), SinkError> {
        let mut argv = vec![self.program.clone()];
        argv.extend(arguments(message));
        call(None, &argv, b"", &self.environment)
    }
}

/// After `--` nothing is an option, however it begins.
pub(super) fn arguments(message: &Message) -> [String; 4] {
    let body: String = message.list().chars().take(MAX_BODY_CHARS).collect();
    let (name, end) = ("--app-name=elophanto".to_owned(), "--".to_owned());
    [name, end, message.headline(), escaped(&body)]
}

/// Desktops read markup in a body, and `notify-send` reads escapes such as `\n` before them.
fn escaped(body: &str) -> String {
    let mut escaped = String::with_capacity(body.len());
    for char in body.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' => escaped.push_str("\\\\"),
            _ => escaped.push(char),
        }
    }
    escaped
}
