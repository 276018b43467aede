//! `file_read`: lines of a file.

use std::{borrow::Cow, fmt::Write as _};

use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    contents::{Contents, Decoded, endings},
    cut::cut,
    paths::{Last, Place, place},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError, image,
    permissions::{Action, Level},
};
use elophanto_base::beneath::Kind;
use elophanto_base::counted::counted;
use elophanto_base::secrets::{self, KeyLines};
use elophanto_models::llm::{Format, Size};

/// Bytes of one line that are shown.
const MOST_OF_A_LINE: usize = 4_000;
/// Lines at most, whatever is asked for.
const MOST_LINES: usize = 2_000;
/// Bytes kept for the first line, which says what is shown.
const HEAD_BYTES: usize = 300;

/// Reads a text file of the work tree.
#[derive(Default)]
pub struct FileRead {
    approved: Approved,
}

impl Tool for FileRead {
    fn spec(&self) -> Spec {
        spec(
            "file_read",
            Level::Safe,
            true,
            "Read a text file of the work tree, or lines of it. The first line of the answer names \
             the file's length and its hash, which file_write wants before it replaces the file. At \
             most 2,000 lines at once: go on with `from`. Images are shown, other binary files \
             named.",
            json!({
                "path": { "type": "string",
                    "description": "relative to the root, or absolute beneath it" },
                "from": { "type": "integer", "minimum": 1, "description": "first line, from 1" },
                "to": { "type": "integer", "minimum": 1, "description": "last line, included" },
                "numbers": { "type": "boolean", "description": "put its number before each line" },
            }),
            &["path"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let asked = self.asked(arguments, host)?;
        let state = asked.place.absolute.as_os_str().as_encoded_bytes();
        self.approved.remember(host.root(), arguments, state);
        Ok(Intent {
            shown: format!("read {}", asked.place.shown()),
            action: Action::Read { paths: vec![asked.place.absolute] },
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let asked = self.asked(arguments, host)?;
        let state = asked.place.absolute.as_os_str().as_encoded_bytes();
        self.approved.check(host.root(), arguments, state)?;
        let contents = Contents::read(host.root(), &asked.place)?;
        let head = format!(
            "{}: {} bytes, hash {}",
            asked.place.shown(),
            contents.bytes.len(),
            contents.hash
        );
        if let Some(format) = Format::of(&contents.bytes) {
            return Ok(picture(&head, format, &contents.bytes, &asked.place, host));
        }
        let text = match contents.decoded() {
            Decoded::Binary => format!("{head}, binary: not shown\n"),
            Decoded::Text(text) => lines(&format!("{head}{}", endings(text)), text, &asked, host),
            Decoded::Other(text, name) => {
                lines(&format!("{head}, {name}{}", endings(&text)), &text, &asked, host)
            }
            Decoded::Odd(text) => {
                let head = format!("{head}, not UTF-8: other bytes are shown as \\xNN");
                lines(&head, &text, &asked, host)
            }
        };
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}

struct Asked {
    place: Place,
    from: usize,
    to: usize,
    numbers: bool,
}

impl FileRead {
    fn asked(&self, arguments: &Value, host: &dyn Host) -> Result<Asked, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let place = place(host.root(), arguments.text("path")?, Last::Followed)?;
        let shown = place.shown();
        match place.kind {
            Some(Kind::File) => {}
            Some(Kind::Folder) => return Err(bad(format!("`{shown}` is a folder: use file_list"))),
            Some(_) => return Err(ToolError::Refused(format!("`{shown}` is not a regular file"))),
            None => return Err(ToolError::Failed(format!("there is no `{shown}`"))),
        }
        let number = |name| {
            let number = arguments.number(name, 1, u64::from(u32::MAX))?;
            Ok::<_, ToolError>(number.and_then(|number| usize::try_from(number).ok()))
        };
        let (from, to) = (number("from")?.unwrap_or(1), number("to")?.unwrap_or(usize::MAX));
        if to < from {
            return Err(bad("`to` lies before `from`"));
        }
        Ok(Asked { place, from, to, numbers: arguments.flag("numbers")? })
    }
}

/// Which lines an answer of this tool holds, and of how many, where there would be more; `None` if it
/// holds all that was asked for.
pub fn part_shown(answer: &str) -> Option<(usize, usize, usize)> {
    let head = answer.lines().next()?;
    let (shown, _) = head.rsplit_once("; go on with from: ")?;
    let (_, shown) = shown.rsplit_once(", lines ")?;
    let (lines, total) = shown.split_once(" of ")?;
    let (from, to) = lines.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?, total.parse().ok()?))
}

/// The picture in a file, where the model takes any, and what it is.
fn picture(head: &str, format: Format, bytes: &[u8], place: &Place, host: &dyn Host) -> Output {
    let (text, images) = match image(&place.shown(), bytes) {
        Err(reason) => (format!("{head}, {format} image, not shown: {reason}\n"), Vec::new()),
        Ok(image) => {
            let Size { width, height } = image.size;
            let head = format!("{head}, {format} image of {width} x {height} pixels");
            match host.takes_images() {
                true => (format!("{head}: shown below\n"), vec![image]),
                false => {
                    let why = "none of the models that are asked here is known to take images";
                    (format!("{head}, not shown: {why}\n"), Vec::new())
                }
            }
        }
    };
    Output { text, images, ..Output::default() }
}

/// As many of the lines asked for as fit, and which these are.
fn lines(head: &str, text: &str, asked: &Asked, host: &dyn Host) -> String {
    let room = host.max_output().saturating_sub(HEAD_BYTES + head.len());
    let total = text.lines().count();
    let keys = KeyLines::of(text);
    let mut body = String::new();
    let mut last = asked.from - 1;
    let wanted = asked.to.saturating_sub(asked.from).saturating_add(1).min(MOST_LINES);
    for (number, line) in text.lines().enumerate().skip(asked.from - 1).take(wanted) {
        let mut line = keys.hide(line);
        if line.len() > MOST_OF_A_LINE {
            // Nobody knows half of a secret for one.
            line = Cow::Owned(secrets::mask(&line).0.into_owned());
        }
        let kept = &line[..line.floor_char_boundary(MOST_OF_A_LINE)];
        let before = body.len();
        if asked.numbers {
            let _ = write!(body, "{:>6}\t", number + 1);
        }
        body.push_str(kept);
        if kept.len() < line.len() {
            let _ = write!(body, "[... {} bytes of this line left out]", line.len() - kept.len());
        }
        body.push('\n');
        // The first is shown in any case, or nothing ever would be.
        if body.len() > room && before > 0 {
            body.truncate(before);
            break;
        }
        last = number + 1;
    }
    if total == 0 {
        return format!("{head}, empty\n");
    }
    if last < asked.from {
        let lines = counted(total, "line");
        return format!("{head}, {lines}: there is no line {}\n", asked.from);
    }
    let more = if last < total.min(asked.to) {
        format!("; go on with from: {}", last + 1)
    } else {
        String::new()
    };
    format!("{head}, lines {}-{last} of {total}{more}\n\n{body}", asked.from)
}
