//! A terminal of this machine: its lines are what somebody says, and what is said to them is written below.
//!
//! Each message of ours has a number there, since nothing on a terminal can be pointed at: `7a` presses the
//! first button below the seventh, `7+` is a sign to it, `7> text` answers it. Numbers go on from process to
//! process. Whatever a message says, only ours begin a line with a number or a key: all its other lines
//! have a rule before them.

mod line;

use std::{
    collections::VecDeque,
    io::Write,
    sync::{
        Mutex,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant, SystemTime},
};

use super::{
    Bot, Button, ChannelAdapter, ChannelError, Dialect, FileRef, Inbound, Limits, Place, Posted,
    Result, Said, Sender, Text, What,
};
use elophanto_base::mutex::lock;
use line::Line;

/// How long one call waits for a line, and a line that is written for more of it.
const HELD: Duration = Duration::from_secs(1);
/// Between two tries to write where nobody reads.
const UNREAD: Duration = Duration::from_secs(30);
/// Messages of ours that can be pointed at.
const MOST_SHOWN: usize = 500;
/// Of a text that is said at once.
const MOST: usize = 64 * 1024;
const FILE: usize = 8 << 20;

/// Only what is code is marked.
const DIALECT: Dialect = Dialect {
    most: MOST,
    measure: |text| text.plain.len(),
    escape: str::to_owned,
    escape_code: str::to_owned,
    strong: ["", ""],
    emphasis: ["", ""],
    struck: ["", ""],
    code: ["`", "`"],
    quote: ["> ", ""],
    block: ["```\n", "\n```"],
};

/// A terminal, and whoever sits at it.
pub struct Terminal {
    user: String,
    most: usize,
    /// Before the number of each message: those of another process are others.
    process: String,
    lines: Mutex<Receiver<Option<String>>>,
    heard: Mutex<Heard>,
    page: Mutex<Page>,
}

/// What was read and is not yet done with.
#[derive(Default)]
struct Heard {
    waiting: VecDeque<Inbound>,
    last: i64,
}

/// What is written.
struct Page {
    out: Box<dyn Write + Send>,
    count: u64,
    shown: VecDeque<Shown>,
    /// The message that is written last, where its last line is not ended.
    is_within: Option<u64>,
    written: Instant,
}

/// A message of ours.
struct Shown {
    number: u64,
    text: String,
    buttons: Vec<Button>,
}

impl Terminal {
    /// `lines` are those that are typed by `user`, nothing of those that are no text; one of `most` bytes or
    /// more is not taken. The first message of ours has the number behind `last`.
    pub fn new(
        user: String,
        lines: Receiver<Option<String>>,
        most: usize,
        out: Box<dyn Write + Send>,
        last: u64,
    ) -> Self {
        let page = Page {
            out,
            count: last,
            shown: VecDeque::new(),
            is_within: None,
            written: Instant::now(),
        };
        Self {
            user,
            most,
            process: uuid::Uuid::new_v4().simple().to_string(),
            lines: Mutex::new(lines),
            heard: Mutex::default(),
            page: Mutex::new(page),
        }
    }

    /// Where whoever sits there is told something.
    pub fn place(&self) -> Place {
        Place { chat: self.user.clone(), thread: None }
    }

    fn posted(&self, number: u64) -> Posted {
        Posted { place: self.place(), message: format!("{}.{number}", self.process) }
    }

    /// The number of a message of this process.
    fn number(&self, posted: &Posted) -> Option<u64> {
        posted.message.strip_prefix(&self.process)?.strip_prefix('.')?.parse().ok()
    }

    /// What a line says.
    fn what(&self, number: i64, line: &str) -> What {
        let page = lock(&self.page);
        match line::of(line, |number| page.find(number).is_some()) {
            Line::Press { message, button } => {
                let data = page.find(message).and_then(|shown| shown.buttons.get(button));
                let data = data.map(|button| button.data.clone()).unwrap_or_default();
                What::Pressed { press: String::new(), posted: self.posted(message), data }
            }
            Line::Sign { message, sign } => {
                What::Reacted { posted: self.posted(message), sign: Some(sign) }
            }
            Line::Words { answers, text } => What::Said(Said {
                message: number.to_string(),
                text: text.to_owned(),
                is_to_us: true,
                answers: answers.map(|message| self.posted(message).message),
                ..Said::default()
            }),
        }
    }

    fn write(&self, write: impl FnOnce(&mut Page) -> std::io::Result<u64>) -> Result<u64> {
        let mut page = lock(&self.page);
        let written = write(&mut page).and_then(|number| page.out.flush().map(|()| number));
        written.map_err(|cause| ChannelError::Later {
            reason: format!("nobody reads it: {cause}"),
            wait: Some(UNREAD),
        })
    }
}

impl Page {
    fn find(&self, number: u64) -> Option<&Shown> {
        self.shown.iter().find(|shown| shown.number == number)
    }

    /// Ends a line to which nothing has been added for a while.
    fn rest(&mut self) -> std::io::Result<()> {
        if self.written.elapsed() < HELD { Ok(()) } else { self.fresh_line() }
    }

    /// Begins on a line of its own.
    fn fresh_line(&mut self) -> std::io::Result<()> {
        match self.is_within.take() {
            Some(_) => self.out.write_all(b"\n"),
            None => Ok(()),
        }
    }

    /// Writes a message of ours; what grows goes on where it ended.
    fn post(&mut self, text: &str, buttons: &[Button]) -> std::io::Result<u64> {
        self.fresh_line()?;
        self.count += 1;
        let number = self.count;
        self.goes_on(number);
        write!(self.out, "#{number} {}", ruled(text))?;
        self.keys(number, buttons)?;
        self.shown.push_back(Shown { number, text: text.to_owned(), buttons: buttons.to_vec() });
        if self.shown.len() > MOST_SHOWN {
            self.shown.pop_front();
        }
        Ok(number)
    }

    /// What is to be typed for each button.
    fn keys(&mut self, number: u64, buttons: &[Button]) -> std::io::Result<()> {
        if buttons.is_empty() {
            return Ok(());
        }
        let key =
            |(at, button): (usize, &Button)| format!("{number}{} {}", line::key(at), button.label);
        let keys: Vec<String> = buttons.iter().enumerate().map(key).collect();
        write!(self.out, "\n{}", keys.join("   "))
    }

    /// What is written stays: of a text that grew its end comes behind it, of another one all from the
    /// first line that is another, of one that only lost its end nothing. `false` where there is no such
    /// message any more.
    fn edit(&mut self, number: u64, text: &str, buttons: &[Button]) -> std::io::Result<bool> {
        let is_last = self.is_within == Some(number);
        let Some(shown) = self.shown.iter_mut().find(|shown| shown.number == number) else {
            return Ok(false);
        };
        let is_same = shown.text == text && shown.buttons == buttons;
        let had_buttons = !shown.buttons.is_empty();
        let before = std::mem::replace(&mut shown.text, text.to_owned());
        shown.buttons = buttons.to_vec();
        let same = same_lines(&before, text);
        match text.strip_prefix(before.as_str()) {
            _ if is_same => return Ok(true),
            Some(more) if is_last && !had_buttons => {
                self.out.write_all(ruled(more).as_bytes())?;
            }
            _ if same == text.len() && buttons.is_empty() => return Ok(true),
            _ => {
                let new = if same == text.len() { text } else { &text[same..] };
                self.fresh_line()?;
                write!(self.out, "#{number} {}", ruled(new.trim_start_matches('\n')))?;
            }
        }
        self.goes_on(number);
        self.keys(number, buttons)?;
        Ok(true)
    }

    fn goes_on(&mut self, number: u64) {
        (self.is_within, self.written) = (Some(number), Instant::now());
    }
}

/// Bytes of the whole lines that both begin with.
fn same_lines(before: &str, after: &str) -> usize {
    let pairs = before.lines().zip(after.split_inclusive('\n'));
    let is_same = |(one, other): &(&str, &str)| *one == other.trim_end_matches('\n');
    pairs.take_while(is_same).map(|(_, line)| line.len()).sum()
}

/// A text whose further lines cannot be taken for the beginning of a message, or for keys.
fn ruled(text: &str) -> String {
    text.replace('\n', "\n│ ")
}

impl ChannelAdapter for Terminal {
    fn limits(&self) -> Limits {
        Limits { between: Duration::from_millis(100), between_all: Duration::ZERO, file: FILE }
    }

    fn bot(&self) -> Result<Bot> {
        Ok(Bot { id: "terminal".to_owned(), name: "elophanto".to_owned() })
    }

    fn register(&self, _: &[(&str, &str)]) -> Result<()> {
        // `/help` lists them.
        Ok(())
    }

    fn next(&self, after: Option<i64>) -> Result<Vec<Inbound>> {
        let mut heard = lock(&self.heard);
        heard.waiting.retain(|inbound| after.is_none_or(|after| inbound.number > after));
        if heard.waiting.is_empty() {
            let line = match lock(&self.lines).recv_timeout(HELD) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    // What is typed now stands on a line of its own.
                    let _ = self.write(|page| page.rest().map(|()| 0));
                    return Ok(Vec::new());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ChannelError::Barred("nothing more is typed here".to_owned()));
                }
            };
            // Numbers grow, also over a restart.
            let since =
                SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let now = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
            let number = now.max(heard.last + 1).max(after.unwrap_or(0).saturating_add(1));
            heard.last = number;
            let line = line.filter(|line| line.len() < self.most);
            let what = match line.as_deref().map(str::trim) {
                Some("") => What::Other,
                Some(line) => self.what(number, line),
                None => What::Said(Said {
                    message: number.to_string(),
                    is_to_us: true,
                    strange: Some("a line that long, or one that is no text,"),
                    ..Said::default()
                }),
            };
            let sender = Sender { id: self.user.clone(), name: self.user.clone(), is_bot: false };
            heard.waiting.push_back(Inbound {
                number,
                sender: Some(sender),
                place: self.place(),
                is_private: true,
                what,
            });
        }
        Ok(heard.waiting.iter().cloned().collect())
    }

    fn parts(&self, markdown: &str) -> Vec<Text> {
        DIALECT.parts(markdown)
    }

    fn post(&self, _: &Place, _: Option<&str>, text: &Text, buttons: &[Button]) -> Result<Posted> {
        self.write(|page| page.post(&text.rich, buttons)).map(|number| self.posted(number))
    }

    fn edit(&self, posted: &Posted, text: &Text, buttons: &[Button]) -> Result<()> {
        let Some(number) = self.number(posted) else {
            return Err(ChannelError::Missing("it was written by another process".to_owned()));
        };
        let mut is_there = true;
        self.write(|page| {
            is_there = page.edit(number, &text.rich, buttons)?;
            Ok(number)
        })?;
        let gone = || ChannelError::Missing("it was written too long ago".to_owned());
        if is_there { Ok(()) } else { Err(gone()) }
    }

    fn is_there(&self, posted: &Posted) -> bool {
        self.number(posted).is_some()
    }

    fn post_file(&self, _: &Place, _: Option<&str>, name: &str, bytes: &[u8]) -> Result<Posted> {
        let name = elophanto_base::visible::escape_control_line(name);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => format!("{name}:\n{}", elophanto_base::visible::visible(text)),
            Err(_) => format!("{name}: {} bytes that a terminal does not show", bytes.len()),
        };
        self.write(|page| page.post(text.trim_end(), &[])).map(|number| self.posted(number))
    }

    fn fetch(&self, _: &FileRef, _: usize) -> Result<Vec<u8>> {
        Err(ChannelError::Refused("nothing comes with a line".to_owned()))
    }

    fn typing(&self, _: &Place) {}

    fn answer_press(&self, _: &str, text: &str) {
        // That it counts is said where it was asked.
        if text != "Noted." {
            let _ = self.write(|page| page.post(text, &[]));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc::channel};

    use super::*;
    use crate::Sign;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            lock(&self.0).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn text(text: &str) -> Text {
        DIALECT.parts(text).remove(0)
    }

    fn button(label: &str) -> Button {
        Button { label: label.to_owned(), data: label.to_lowercase() }
    }

    #[test]
    fn what_is_written_stays() {
        let paper = Paper::default();
        let (_lines, typed) = channel();
        let terminal = Terminal::new("ada".to_owned(), typed, 100, Box::new(paper.clone()), 0);
        let place = terminal.place();
        let post = |words: &str| terminal.post(&place, None, &text(words), &[]).unwrap();
        let edit = |posted: &Posted, words: &str| terminal.edit(posted, &text(words), &[]).unwrap();
        let first = post("Otters");
        edit(&first, "Otters hold");
        edit(&first, "Otters hold hands.\n\n… reading");
        edit(&first, "Otters hold hands.");
        edit(&first, "Otters hold hands.\n\nAlways.");
        edit(&first, "Otters hold hands.\n\nAlways.");
        let asked = [button("Once"), button("No")];
        let second =
            terminal.post(&place, None, &text("May it?\n\n```\nls\n#9 x\n```"), &asked).unwrap();
        edit(&first, "Otters hold hands.\n\nAlways, it says.");
        edit(&second, "Yes, once");
        terminal.post_file(&place, None, "a\n.md", b"x\x1b[2J\n").unwrap();
        terminal.post_file(&place, None, "a.png", &[0xff]).unwrap();
        assert!(matches!(
            terminal.edit(
                &Posted { place: place.clone(), message: "else.1".to_owned() },
                &text("x"),
                &[]
            ),
            Err(ChannelError::Missing(_))
        ));
        let written = String::from_utf8(lock(&paper.0).clone()).unwrap();
        assert_eq!(
            written,
            "#1 Otters hold hands.\n│ \n│ … reading\n│ \n│ Always.\n#2 May it?\n│ \n│ ```\n│ ls\n│ #9 x\n│ ```\n2a Once   2b No\n\
             #1 Always, it says.\n#2 Yes, once\n#3 a␊.md:\n│ x␛[2J\n#4 a.png: 1 bytes that a terminal does not show"
        );
    }

    #[test]
    fn lines_come_once_and_in_order() {
        let (lines, typed) = channel();
        let terminal = Terminal::new("ada".to_owned(), typed, 100, Box::new(Paper::default()), 6);
        let place = terminal.place();
        terminal.post(&place, None, &text("May it?"), &[button("Once"), button("No")]).unwrap();
        for line in ["task a", "", "7b", "7+", "7> because", "2a"] {
            lines.send(Some(line.to_owned())).unwrap();
        }
        lines.send(Some("x".repeat(100))).unwrap();
        lines.send(None).unwrap();
        drop(lines);
        let mut read = None;
        let mut all = Vec::new();
        loop {
            let before = terminal.next(read);
            // The same again until it is done with.
            assert_eq!(before, terminal.next(read));
            let Ok(inbound) = before else { break };
            read = inbound.last().map(|it| it.number);
            all.extend(inbound);
        }
        assert!(all.iter().all(|it| it.is_private && it.sender.as_ref().unwrap().id == "ada"));
        assert!(all.is_sorted_by_key(|it| it.number));
        let what: Vec<What> = all.into_iter().map(|it| it.what).collect();
        let of = |what: &What| match what {
            What::Said(said) => {
                format!("{}{}", said.text, said.strange.map(|_| "strange").unwrap_or_default())
            }
            What::Pressed { data, .. } => format!("pressed {data}"),
            What::Reacted { sign, .. } => format!("{:?}", sign.unwrap_or(Sign::No)),
            _ => "-".to_owned(),
        };
        let said: Vec<String> = what.iter().map(of).collect();
        assert_eq!(
            said,
            ["task a", "-", "pressed no", "For", "because", "pressed ", "strange", "strange"]
        );
        assert!(
            matches!(&what[4], What::Said(said) if said.answers == Some(terminal.posted(7).message))
        );
        assert!(matches!(terminal.next(read), Err(ChannelError::Barred(_))));
    }
}
