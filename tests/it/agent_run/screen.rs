//! What a terminal shows of a run, cell by cell: at two widths, and with colours that can be read on a
//! light and on a dark ground.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use vt100::Color;

use super::Bench;
use crate::{
    fake::{
        Answer,
        script::{Model, Turn, call, shell, text},
    },
    pty::Pty,
};

const ANSWER: &str = "\
## What otters do

They **hold hands** while they sleep, so that no current takes one of them away; see \
[the notes](README.md) and `count(sea)`.

- one thing that they do, which is told at such a length that it does not fit on one line of \
a terminal of the usual width
- another

```rust
let otters = count(sea);
```
";

/// A command that says much, an edit, one that fails, and an answer.
fn bench() -> Bench {
    let edit = json!({ "path": "README.md",
        "edits": [{ "old": "They swim.", "new": "They swim far." }] });
    let turns = vec![
        shell("for n in $(seq 1 20); do echo \"line $n of the output\"; done; echo careful >&2"),
        call("file_edit", edit),
        shell("echo 'there is no otter' >&2; exit 3"),
        text(ANSWER),
    ];
    Bench::new(Model::script(turns))
}

fn start(bench: &Bench, args: &[&str], columns: u16) -> Pty {
    let mut command = bench.env.command(args);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/bin:/bin:{path}"));
    command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
    Pty::start(&mut command, columns)
}

/// What differs between two runs.
fn filtered(shown: &str) -> String {
    let filters = [
        (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "[RUN]"),
        (r"\d+\.\d s\b", "[SECONDS] s"),
        (r"\d+ tokens", "[TOKENS] tokens"),
        (r"(?m) +$", ""),
    ];
    let filtered = filters.iter().fold(shown.to_owned(), |text, (pattern, with)| {
        regex::Regex::new(pattern).unwrap().replace_all(&text, *with).into_owned()
    });
    filtered.trim_end().to_owned()
}

/// The screen with its styles: `{red bold|text}`.
fn styled(screen: &vt100::Screen) -> String {
    let (rows, columns) = screen.size();
    let mut shown = String::new();
    for row in 0..rows {
        let mut open = String::new();
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation())
            else {
                continue;
            };
            let style = style_of(cell);
            if style != open {
                shown.push_str(if open.is_empty() { "" } else { "}" });
                if !style.is_empty() {
                    shown.push_str(&format!("{{{style}|"));
                }
                open = style;
            }
            shown.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
        shown.push_str(if open.is_empty() { "\n" } else { "}\n" });
    }
    shown
}

fn style_of(cell: &vt100::Cell) -> String {
    let colour = match cell.fgcolor() {
        Color::Default => None,
        Color::Idx(index) => Some(NAMES.get(usize::from(index)).copied().unwrap_or("other")),
        Color::Rgb(..) => Some("fixed"),
    };
    let flags = [
        (cell.bold(), "bold"),
        (cell.dim(), "faint"),
        (cell.italic(), "italic"),
        (cell.underline(), "underlined"),
        (cell.inverse(), "inverse"),
        (cell.bgcolor() != Color::Default, "filled"),
    ];
    let flags = flags.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| name);
    colour.into_iter().chain(flags).collect::<Vec<_>>().join(" ")
}

const NAMES: [&str; 10] = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright black",
    "bright red",
];

/// How the colours look: those of GNOME's terminal.
const LOOKS: [[u8; 3]; 10] = [
    [0x17, 0x14, 0x21],
    [0xc0, 0x1c, 0x28],
    [0x26, 0xa2, 0x69],
    [0xa2, 0x73, 0x4c],
    [0x12, 0x48, 0x8b],
    [0xa3, 0x47, 0xba],
    [0x2a, 0xa1, 0xb3],
    [0xd0, 0xcf, 0xcc],
    [0x5e, 0x5c, 0x64],
    [0xf6, 0x61, 0x51],
];
const GROUNDS: [(&str, [u8; 3]); 2] = [("light", [0xff; 3]), ("dark", [0x1e; 3])];

/// How far two colours are apart, as WCAG 2 counts it: from 1 to 21.
fn contrast(one: [u8; 3], two: [u8; 3]) -> f64 {
    let luminance = |colour: [u8; 3]| {
        let [red, green, blue] = colour.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, two) = (luminance(one), luminance(two));
    (one.max(two) + 0.05) / (one.min(two) + 0.05)
}

fn shown(columns: u16) -> (Bench, Pty) {
    let bench = bench();
    let mut pty = start(&bench, &["agent", "run", "Tell of otters", "--mode", "full"], columns);
    // The last command failed.
    assert_eq!(pty.wait(), Some(1), "{}", pty.said());
    (bench, pty)
}

#[test]
fn a_run_in_eighty_columns() {
    let (_bench, pty) = shown(80);
    insta::assert_snapshot!(filtered(&styled(pty.screen().screen())), @r#"
    {cyan|note: }text from outside is in the conversation (README.md:3): what reaches
    beyond this work tree asks from now on
    {cyan|1. }Do it
    {cyan|$ }{bold|for n in $(seq 1 20); do echo "line $n of the output"; done; echo careful >&2}
    {faint|  | … 13 lines above (`elophanto agent runs show [RUN]`)}
    {faint|  | }line 14 of the output
    {faint|  | }line 15 of the output
    {faint|  | }line 16 of the output
    {faint|  | }line 17 of the output
    {faint|  | }line 18 of the output
    {faint|  | }line 19 of the output
    {faint|  | }line 20 of the output
    {faint|  | }careful
    {faint|  shell_execute }{green|done}{faint| in [SECONDS] s}
    {cyan|→ }{bold|file_edit} README.md (+1 -1)
    {faint|  | }{cyan|@@ -1,3 +1,3 @@}
    {faint|  | } # Otters
    {faint|  | }
    {faint|  | }{bright red|-They swim.}
    {faint|  | }{green|+They swim}{green bold underlined| far}{green|.}
    {faint|  file_edit }{green|done}{faint| in [SECONDS] s}
    {cyan|$ }{bold|echo 'there is no otter' >&2; exit 3}
    {faint|  | }there is no otter
    {faint|  shell_execute }{bright red|failed}{faint| in [SECONDS] s}: exit code 3
    {bold|What otters do}

    They {bold|hold hands} while they sleep, so that no current takes one of them away; see
    {underlined|the notes}{cyan| (README.md)} and {cyan|count(sea)}.

    • one thing that they do, which is told at such a length that it does not fit on
      one line of a terminal of the usual width
    • another

        let otters = count(sea);
    {bright red|partly}: the last call that changes or runs something failed: shell_execute
    {"command":"echo 'there is no otter' >&2; exit 3"}: failed: exit code 3 ---
    stderr there is no otter
    {faint|run [RUN]: 4 steps, 1 file, 0 commits, [TOKENS] tokens, $0.0000}
    {faint|`elophanto agent undo [RUN]` takes it back}
    "#);
}

#[test]
fn a_run_in_a_hundred_and_twenty_columns() {
    let (_bench, pty) = shown(120);
    insta::assert_snapshot!(filtered(&pty.screen().screen().contents()), @r#"
    note: text from outside is in the conversation (README.md:3): what reaches beyond this work tree asks from now on
    1. Do it
    $ for n in $(seq 1 20); do echo "line $n of the output"; done; echo careful >&2
      | … 13 lines above (`elophanto agent runs show [RUN]`)
      | line 14 of the output
      | line 15 of the output
      | line 16 of the output
      | line 17 of the output
      | line 18 of the output
      | line 19 of the output
      | line 20 of the output
      | careful
      shell_execute done in [SECONDS] s
    → file_edit README.md (+1 -1)
      | @@ -1,3 +1,3 @@
      |  # Otters
      |
      | -They swim.
      | +They swim far.
      file_edit done in [SECONDS] s
    $ echo 'there is no otter' >&2; exit 3
      | there is no otter
      shell_execute failed in [SECONDS] s: exit code 3
    What otters do

    They hold hands while they sleep, so that no current takes one of them away; see the notes (README.md) and count(sea).

    • one thing that they do, which is told at such a length that it does not fit on one line of a terminal of the usual
      width
    • another

        let otters = count(sea);
    partly: the last call that changes or runs something failed: shell_execute {"command":"echo 'there is no otter' >&2;
    exit 3"}: failed: exit code 3 --- stderr there is no otter
    run [RUN]: 4 steps, 1 file, 0 commits, [TOKENS] tokens, $0.0000
    `elophanto agent undo [RUN]` takes it back
    "#);
}

/// The colours are the terminal's own, so that the same bytes are shown on both grounds.
#[test]
fn what_is_shown_can_be_read_on_light_and_on_dark() {
    let (_bench, pty) = shown(80);
    let parser = pty.screen();
    let (rows, columns) = parser.screen().size();
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let mut used = BTreeSet::new();
    for cell in cells.filter_map(|(row, column)| parser.screen().cell(row, column)) {
        assert_eq!(cell.bgcolor(), Color::Default, "{:?}", cell.contents());
        match cell.fgcolor() {
            Color::Default => {}
            Color::Idx(index @ 0..10) => drop(used.insert(index)),
            other => panic!("{other:?} at {:?} is no colour of the theme", cell.contents()),
        }
    }
    let mut table = String::new();
    for index in used {
        let colour = usize::from(index);
        for (name, ground) in GROUNDS {
            let contrast = contrast(LOOKS[colour], ground);
            table.push_str(&format!("{} on {name}: {contrast:.1}\n", NAMES[colour]));
            // What WCAG 2 wants of large letters and of signs.
            assert!(contrast >= 3.0, "{table}");
        }
    }
    insta::assert_snapshot!(table, @"
    green on light: 3.3
    green on dark: 5.1
    cyan on light: 3.1
    cyan on dark: 5.4
    bright red on light: 3.1
    bright red on dark: 5.4
    ");
}

#[test]
fn without_colours_nothing_is_styled() {
    let bench = bench();
    let mut command = bench.env.command(&["agent", "run", "Tell of otters", "--mode", "full"]);
    command.env("NO_COLOR", "1").env("TERM", "xterm-256color");
    let mut pty = Pty::start(&mut command, 80);
    assert_eq!(pty.wait(), Some(1), "{}", pty.said());
    let styled = styled(pty.screen().screen());
    assert!(!styled.contains('|') || !styled.contains("{red"), "{styled}");
    assert!(
        !pty.said().contains("\u{1b}[1m") && !pty.said().contains("\u{1b}[3"),
        "{}",
        pty.said()
    );
}

#[test]
fn an_approval_shows_what_would_change() {
    let bench = bench();
    let mut pty = start(&bench, &["agent", "run", "Tell of otters", "--mode", "ask"], 80);
    pty.until("[N] no: ", 1);
    pty.types("n\r");
    pty.until("[N] no: ", 2);
    let screen = filtered(&styled(pty.screen().screen()));
    let approval = screen.rsplit("file_edit").next().unwrap().to_owned();
    pty.types("\u{3}");
    assert_eq!(pty.wait(), Some(1), "{}", pty.said());
    insta::assert_snapshot!(approval, @"
    } (destructive) wants to run:
    {faint|  | }{bold|diff --git a/README.md b/README.md}
    {faint|  | }{bold|--- a/README.md}
    {faint|  | }{bold|+++ b/README.md}
    {faint|  | }{cyan|@@ -1,3 +1,3 @@}
    {faint|  | } # Otters
    {faint|  | }
    {faint|  | }{bright red|-They swim.}
    {faint|  | }{green|+They swim}{green bold underlined| far}{green|.}
      {magenta|asks because }the mode `ask` asks before every call
      {magenta|text from outside is in this conversation: look twice}
    [y] once, [s] these files for this session, [e] all edits in this work tree for
    this session, [N] no:
    ");
}

#[test]
fn a_command_is_heard_while_it_runs() {
    let bench = Bench::new(Model::script(vec![
        shell("echo first; sleep 3; echo second"),
        Turn::Late(Duration::from_secs(2), Box::new(text("Done."))),
    ]));
    let mut pty = start(&bench, &["agent", "run", "Wait", "--mode", "full"], 80);
    pty.until("  | first", 1);
    assert!(!pty.said().contains("second\r\n"), "{}", pty.said());
    pty.until("running 1 s", 1);
    let screen = pty.screen().screen().contents();
    assert!(screen.trim_end().ends_with("| first"), "{screen}");
    pty.until("the model thinks 1 s", 1);
    assert_eq!(pty.wait(), Some(0), "{}", pty.said());
    let screen = pty.screen().screen().contents();
    assert!(screen.contains("  | first\n  | second\n  shell_execute done"), "{screen}");
    assert!(!screen.contains("running") && !screen.contains("thinks"), "{screen}");
}

/// A warning about an answer comes after it, and once.
#[test]
fn nothing_is_said_inside_an_answer() {
    let delta = |text: &str, finish: Value| {
        let choice = json!({ "index": 0, "delta": { "content": text }, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let body = [
        delta("The first line.\nThe second", Value::Null),
        delta(" line", json!("length")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let cut_off = Turn::Answer(Answer::text("text/event-stream", &body.concat()));
    let bench = Bench::new(Model::script(vec![cut_off]));
    let mut pty = start(&bench, &["agent", "run", "Tell"], 80);
    assert_eq!(pty.wait(), Some(0), "{}", pty.said());
    let screen = pty.screen().screen().contents();
    let answer = "The first line.\nThe second line\nwarning: the answer was cut off";
    assert!(screen.contains(answer), "{screen}");
    assert_eq!(screen.matches("warning: ").count(), 1, "{screen}");
}

/// The same for programs.
#[test]
fn what_a_command_says_is_an_event() {
    let bench = Bench::new(Model::script(vec![
        shell("echo one; sleep 1; echo two >&2; printf 'no end'"),
        text("Done."),
    ]));
    let told = bench.run("Say it", &["--mode", "full"], "yes");
    told.done();
    let of_call =
        |event: &&Value| ["calling", "output", "called"].contains(&event["type"].as_str().unwrap());
    let kinds: Vec<_> = told.events.iter().filter(of_call).map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["calling", "output", "output", "output", "called"]);
    let said: Vec<_> =
        told.all("output").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["one\n", "two\n", "no end\n"]);
}

/// Key material that a command shows out of git's history reaches nobody while it runs.
#[test]
fn what_no_tool_reads_is_not_heard_either() {
    let bench = Bench::with(
        Model::script(vec![shell("git log -p"), text("Done.")]),
        &[("README.md", "# Otters\n"), ("config/.env", "PASSWORD=opensesame\n")],
    );
    let told = bench.run("Look", &["--mode", "full"], "yes");
    let heard: String =
        told.all("output").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert!(heard.contains("+# Otters") || told.results()[0].contains("+# Otters"), "{told:?}");
    assert!(!heard.contains("opensesame"), "{heard}");
}
