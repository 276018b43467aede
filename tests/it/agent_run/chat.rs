//! A conversation at a terminal: its commands, files and commands of the user's own, what is typed.

use serde_json::json;

use super::Bench;
use crate::{
    fake::script::{Model, call, text},
    pty::Pty,
};

/// A conversation, and how many runs it has had.
struct Chat {
    pty: Pty,
    runs: usize,
}

impl Chat {
    fn start(bench: &Bench, more: &[&str]) -> Self {
        let mut command = bench.env.command(&[&["agent", "chat"], more].concat());
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("/usr/bin:/bin:{path}")).env("TERM", "xterm");
        let pty = Pty::start(&mut command, 100);
        pty.until("`/help` says", 1);
        Self { pty, runs: 0 }
    }

    /// Types a line that begins a run, and waits for its end.
    fn says(&mut self, line: &str) {
        self.runs += 1;
        self.pty.types(&format!("{line}\r"));
        self.pty.until("run 01", self.runs);
    }

    /// Types a line, and waits until this was shown so often.
    fn types(&mut self, line: &str, until: &str, times: usize) {
        self.pty.types(&format!("{line}\r"));
        self.pty.until(until, times);
    }

    /// Leaves; what the screen shows.
    fn ends(mut self) -> String {
        self.pty.types("/quit\r");
        assert_eq!(self.pty.wait(), Some(0), "{}", self.pty.said());
        self.pty.screen().screen().contents()
    }
}

#[test]
fn all_commands_are_listed() {
    let bench = Bench::new(Model::script(vec![text("Hello.")]));
    let mut chat = Chat::start(&bench, &[]);
    chat.types("/help", "Ctrl-R", 1);
    chat.types("/nonsense", "there is no command `/nonsense`", 1);
    chat.types("/diff now", "`/diff` takes nothing behind it", 1);
    let screen = chat.ends();
    let help = screen.split("› /help\n").nth(1).unwrap().split("\n›").next().unwrap();
    insta::assert_snapshot!(help, @r"
    /status               session, mode, what is known of the sandbox
    /tasks                runs of this session and questions that wait for an answer
    /budget               what this session's models cost so far, and the limits
    /mode [M]             what runs without asking: ask, smart or full
    /model [P/M]          which models are asked; one of a provider for everything
    /plan [on|off]        ask about each plan before work begins
    /context              how much of the model's window this conversation takes
    /compact              put a summary in the place of what was said
    /clear                begin another conversation; this one is kept
    /diff                 what the runs of this session have changed
    /todo                 what is to be done, as the agent said last
    /output               all that the last command said
    /undo [R]             take back what the last run here, or run R, changed
    /sessions             conversations that can go on
    /resume [ID|NAME]     go on in another conversation
    /rename NAME          give this conversation a name
    /export [FILE]        this conversation as Markdown
    /stop [all]           end the run that goes on; `all`: what waits behind it too
    /repo [NAME]          go on in another repository of the gateway
    /search WORDS         what the notes say of it
    /learn [TOPIC]        find out more about it; alone: what was asked for
    /like TOPIC           it is worth finding out more about it
    /unlike TOPIC         take a like back
    /dislike TOPIC        nothing more is to be found out about it
    /undislike TOPIC      take a dislike back
    /memory [N [delete]]  what is known: all entities, or the facts of one
    /interests            what you care about, by what you did
    /react ID +|-         to a notification or an answer: more of it, or no more
    /schedule [...]       what is done at intervals; `every 6h: TASK`, `remove N`
    /help                 this
    /quit                 leave (also Ctrl-D); Ctrl-C ends the run that goes on
    @path                 a file of the work tree, quoted beside what is said; @path:10-40 lines of it; an image is shown
    !line                 run by the shell in the sandbox; what it says goes with your next message
    \ at the end          the line goes on; what is pasted is one text
    Ctrl-R                search in what was typed before
    ");
}

#[test]
fn files_are_quoted_beside_a_message() {
    let files = [("README.md", "# Otters\n\nThey swim.\n"), (".env", "K=opensesame\n")];
    let bench = Bench::with(Model::script(vec![text("They swim.")]), &files);
    let mut chat = Chat::start(&bench, &[]);
    chat.says("What does @README.md say, @ada?");
    let prompt = bench.model.prompts().pop().unwrap();
    assert!(prompt.contains("user: What does @README.md say, @ada?"), "{prompt}");
    assert!(prompt.contains("origin=\"the file `README.md`\""), "{prompt}");
    assert!(prompt.contains("They swim."), "{prompt}");
    let before = bench.model.asked().len();
    chat.types("And @.env?", "not allowed: ", 1);
    assert_eq!(bench.model.asked().len(), before);
    chat.types("/status", "text from outside is in it", 1);
    let screen = chat.ends();
    assert!(screen.contains("`@ada` is no file of this work tree"), "{screen}");
    assert!(!format!("{:?}", bench.model.asked()).contains("opensesame"));
}

#[test]
fn lines_of_a_file_are_quoted_and_what_is_missing_is_said() {
    let long: String = (1..=9_000).map(|number| format!("otter {number}\n")).collect();
    let bench = Bench::with(Model::script(vec![]), &[("long.txt", &long), ("a:7", "seven\n")]);
    let mut chat = Chat::start(&bench, &[]);
    chat.says("What is in @long.txt?");
    let said = chat.pty.said();
    assert!(said.contains("`@long.txt`: lines 1-2000 of 9000 are sent"), "{said}");
    assert!(said.contains("`@long.txt:2001-` goes on"), "{said}");
    chat.says("And in @long.txt:8990-8992, or @a:7?");
    let prompt = bench.model.prompts().pop().unwrap();
    assert!(prompt.contains("otter 8990\notter 8991\notter 8992\n"), "{prompt}");
    assert!(!prompt.contains("otter 8993") && prompt.contains("seven"), "{prompt}");
    assert_eq!(chat.pty.said().matches("are sent").count(), 1);
    chat.ends();
}

#[test]
fn a_command_of_the_user_is_run_and_told() {
    let bench = Bench::new(Model::script(vec![text("It is two.")]));
    let mut chat = Chat::start(&bench, &[]);
    chat.types("!echo one; echo two > two.txt; cat two.txt", "takes it back", 1);
    assert_eq!(bench.env.read("two.txt"), b"two\n");
    assert!(bench.model.asked().is_empty());
    chat.types("!echo stolen > .git/config", "not allowed: `.git/config` is protected", 1);
    assert!(!String::from_utf8_lossy(&bench.env.read(".git/config")).contains("stolen"));
    chat.says("What did it say?");
    let prompt = bench.model.prompts().pop().unwrap();
    assert!(prompt.contains("$ echo one; echo two > two.txt"), "{prompt}");
    assert!(prompt.contains("origin=\"what the command said that the user ran\""), "{prompt}");
    // Said once: the second message has it in its history.
    chat.says("And now?");
    let prompt = bench.model.prompts().pop().unwrap();
    assert_eq!(prompt.matches("$ echo one; echo two > two.txt").count(), 1, "{prompt}");
    chat.types("/diff", "+two", 1);
    chat.types("/output", "exit code 0", 1);
    chat.types("/undo", "is undone", 1);
    assert!(!bench.env.path("two.txt").exists());
    chat.types("/diff", "nothing in the work tree is other", 1);
    // Ctrl-C ends the command, not the conversation.
    chat.types("!echo slow; sleep 60", "| slow", 1);
    chat.pty.types("\u{3}");
    chat.pty.until("shell_execute failed in", 1);
    let screen = chat.ends();
    assert!(screen.contains("  | one\n  | two\n  shell_execute done in"), "{screen}");
}

#[test]
fn a_message_has_as_many_lines_as_are_typed() {
    let bench = Bench::new(Model::script(vec![text("Yes.")]));
    let mut chat = Chat::start(&bench, &[]);
    chat.says("first line\\\rsecond line");
    assert!(bench.model.prompts().pop().unwrap().contains("user: first line\nsecond line"));
    chat.says("\u{1b}[200~pasted one\r\npasted two\u{1b}[201~");
    assert!(bench.model.prompts().pop().unwrap().contains("user: pasted one\npasted two"));
    // Ctrl-R finds what was typed before.
    chat.says("\u{12}first");
    let prompt = bench.model.prompts().pop().unwrap();
    assert_eq!(prompt.matches("user: first line\nsecond line").count(), 2, "{prompt}");
    chat.ends();
}

#[test]
fn a_plan_is_asked_about() {
    let write = || call("file_write", json!({ "path": "one.txt", "text": "one\n" }));
    let bench = Bench::new(Model::script(vec![write(), text("Written.")]));
    let mut chat = Chat::start(&bench, &["--plan", "--mode", "full"]);
    chat.types("Write one.txt", "Work by this plan?", 1);
    chat.types("no", "cancelled: the user ended it", 1);
    assert!(!bench.env.path("one.txt").exists());
    chat.types("Write one.txt", "Work by this plan?", 2);
    chat.types("3", "What is to be different?", 1);
    chat.types("be quick", "Work by this plan?", 3);
    assert!(!bench.env.path("one.txt").exists());
    chat.types("1", "`/undo` takes it back", 1);
    assert!(bench.env.path("one.txt").exists());
    assert!(bench.model.prompts().pop().unwrap().contains("user: be quick"));
    chat.types("/plan off", "plans are not asked about", 1);
    chat.ends();
    let output = bench.env.run(&["agent", "run", "Write", "--plan"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("nobody can be asked about a plan here"), "{output}");
}

#[test]
fn a_conversation_is_named_exported_and_gone_on_with() {
    let answer = "They **swim**, see [the notes](README.md).";
    let bench = Bench::new(Model::script(vec![text(answer)]));
    let mut chat = Chat::start(&bench, &[]);
    chat.types("/export", "nothing was said yet", 1);
    chat.says("What do otters do?");
    chat.types("/rename About otters", "is `About otters`", 1);
    chat.types("/export talk.md", "written to `talk.md`", 1);
    chat.types("/export talk.md", "cannot be written", 1);
    chat.types("/diff", "nothing in the work tree is other", 1);
    let exported = String::from_utf8(bench.env.read("talk.md")).unwrap();
    assert!(exported.starts_with("# About otters\n"), "{exported}");
    assert!(exported.contains("## You\n\nWhat do otters do?\n"), "{exported}");
    assert!(exported.contains(&format!("## Agent\n\n{answer}\n")), "{exported}");
    chat.ends();
    let mut chat = Chat::start(&bench, &[]);
    chat.types("/resume", "1. ", 1);
    chat.types("1", "you: What do otters do?", 1);
    chat.types("/status", "(About otters): 2 messages", 1);
    chat.says("Go on");
    assert!(bench.model.prompts().pop().unwrap().contains("user: What do otters do?"));
    chat.types("/resume 00000000", "there is no session whose id begins with", 1);
    chat.ends();
    let listed = bench.env.run(&["agent", "sessions"]);
    assert!(listed.stdout().contains("About otters"), "{listed}");
}

#[test]
fn another_model_is_asked() {
    let (one, two) = (Model::script(vec![text("One.")]), Model::script(vec![text("Two.")]));
    let more = two.settings_as("two");
    let provider = more.lines().find(|line| line.trim().starts_with("two: {protocol")).unwrap();
    let bench = Bench::new(one).set(&format!("{provider}\n"));
    let mut chat = Chat::start(&bench, &[]);
    chat.says("Hello");
    chat.types("/model", "planning  one/m", 1);
    chat.types("/model none/m", "no provider `none` is set up", 1);
    chat.types("/model nonsense", "error: ", 2);
    chat.types("/model two/m", "planning  two/m", 1);
    assert!(two.asked().is_empty());
    chat.says("Hello again");
    assert!(!two.asked().is_empty());
    let screen = chat.ends();
    assert!(screen.contains("Two."), "{screen}");
}

#[test]
fn what_is_to_be_done_is_shown() {
    let list = |first: &str| {
        let items =
            json!([{ "text": "look", "state": first }, { "text": "tell", "state": "open" }]);
        call("todo_list", json!({ "items": items }))
    };
    let bench = Bench::new(Model::script(vec![list("doing"), list("done"), text("Seen.")]));
    let mut chat = Chat::start(&bench, &["--mode", "ask"]);
    chat.types("/todo", "the agent keeps no list", 1);
    chat.says("Look");
    chat.types("/todo", "✓ look", 2);
    let screen = chat.ends();
    let list = "1. Do it\n  ▸ look\n  · tell\n  ✓ look\n  · tell\nSeen.\n";
    assert!(screen.contains(list), "{screen}");
    let reflections = bench.model.asked().into_iter();
    let is_reflection =
        |body: &serde_json::Value| body["response_format"]["json_schema"]["name"] == "reflection";
    assert_eq!(reflections.filter(is_reflection).count(), 0);
}

/// What is wrong once is not told at each prompt.
#[test]
fn a_warning_is_told_once() {
    let bench = Bench::new(Model::script(vec![text("Hello.")]));
    bench.env.run(&["agent", "mcp", "add", "calc", "--", "/bin/true"]);
    let mut chat = Chat::start(&bench, &[]);
    chat.says("One");
    chat.says("Two");
    let screen = chat.ends();
    assert_eq!(screen.matches("note: server `calc` is not trusted").count(), 1, "{screen}");
    assert_eq!(screen.matches("Hello.").count(), 2, "{screen}");
}
