//! Commands that run the command in their arguments.

use super::{
    arguments,
    env::Env,
    lex::{self, Result},
    walk::Walker,
    word::{Piece, Word},
};

/// A wrapper: options that stand alone, options that take a value, words before the command.
const WRAPPERS: &[(&str, &[&str], &[&str], usize)] = &[
    ("nohup", &[], &[], 0),
    (
        "timeout",
        &["--foreground", "--preserve-status", "-v", "--verbose", "-p", "-f"],
        &["-k", "-s", "--kill-after", "--signal"],
        1,
    ),
    (
        "gtimeout",
        &["--foreground", "--preserve-status"],
        &["-k", "-s", "--kill-after", "--signal"],
        1,
    ),
    ("nice", &[], &["-n", "--adjustment"], 0),
    ("ionice", &["-t"], &["-c", "-n", "--class", "--classdata"], 0),
    ("setsid", &["-w", "-f", "-c", "--wait", "--fork", "--ctty"], &[], 0),
    ("stdbuf", &[], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    ("time", &["-p", "-v", "--verbose", "--portability"], &[], 0),
    ("command", &["-p"], &[], 0),
    ("builtin", &[], &[], 0),
    ("exec", &["-c", "-l"], &["-a"], 0),
    ("caffeinate", &["-i", "-d", "-s", "-m"], &["-t"], 0),
    ("!", &[], &[], 0),
    ("env", &["-", "-i", "-0", "-v", "--ignore-environment", "--debug"], &["-u", "--unset"], 0),
    (
        "xargs",
        &["-0", "-r", "-t", "-x", "--null", "--no-run-if-empty", "--verbose"],
        &[
            "-n", "-P", "-L", "-s", "-d", "-a", "-E", "-I", "--max-args", "--max-procs",
            "--max-lines", "--delimiter", "--replace", "--arg-file",
        ],
        0,
    ),
];

impl Walker<'_> {
    /// Whether it is such a command; what it runs is then judged.
    pub fn wrapper(
        &mut self,
        program: &str,
        all: &[Word],
        stdin: Option<&Word>,
        env: &mut Env,
    ) -> Result<bool> {
        if program == "find" || program == "gfind" {
            self.find(all, env)?;
            return Ok(true);
        }
        let Some((_, flags, valued, words)) = WRAPPERS.iter().find(|w| w.0 == program) else {
            return Ok(false);
        };
        let look_up = ["-v", "-V"];
        if program == "command"
            && all.first().and_then(Word::literal).is_some_and(|t| look_up.contains(&t.as_str()))
        {
            return Ok(true);
        }
        let Some(start) = arguments::skip(all, flags, valued) else {
            self.found.unsure(format!("`{program}` with an unusual option runs another command"));
            return Ok(true);
        };
        let mut rest: Vec<Word> = all.iter().skip(start + words).cloned().collect();
        // Words of the wrapper that are not known may hide where its command starts.
        if all.iter().take(start + words).any(Word::is_unknown) {
            self.found.unsure(format!("it is not known what `{program}` runs"));
        }
        let mut own = env.clone();
        if program == "env" {
            while let Some(word) = rest.first() {
                let Some(text) = word.literal() else { break };
                if !lex::is_assignment(&text) && !text.contains('=') {
                    break;
                }
                let name = text.split('=').next().unwrap_or_default().to_owned();
                self.assigned(&name, &[]);
                own.set(&name, Word::unknown());
                rest.remove(0);
            }
        }
        if program == "xargs" {
            for word in all.iter().take(start) {
                self.mentions(word, env);
            }
            if rest.is_empty() {
                return Ok(true);
            }
            // What it reads becomes arguments, wherever its command wants them.
            rest.push(Word { is_many: true, ..Word::unknown() });
            if !rest.first().is_some_and(|w| {
                matches!(w.literal().as_deref(), Some("echo" | "basename" | "dirname"))
            }) {
                let known = rest.iter().take(rest.len() - 1).map(Word::shown).collect();
                self.found.fed.push(known);
            }
            self.fed(&rest, env)?;
            return Ok(true);
        }
        if rest.is_empty() {
            if program == "env" {
                self.found.unsure("the environment may hold keys");
            }
            return Ok(true);
        }
        if program == "exec" || program == "builtin" || program == "command" || program == "!" {
            self.judge(&rest, stdin, env)?;
        } else {
            self.judge(&rest, stdin, &mut own)?;
        }
        Ok(true)
    }

    /// A command that gets arguments from a list of files: harmless if it only reads.
    fn fed(&mut self, argv: &[Word], env: &mut Env) -> Result<()> {
        let known: Vec<String> =
            argv.iter().take(argv.len().saturating_sub(1)).map(Word::shown).collect();
        let quiet = [
            "echo", "wc", "ls", "basename", "dirname", "file", "stat", "grep", "egrep", "fgrep",
            "head", "tail", "cat", "du", "md5sum", "sha256sum",
        ];
        let reads = known.first().is_some_and(|name| quiet.contains(&name.as_str()));
        // Options of these could only print: what is read is what the list of files says.
        if reads && super::listed::only_reads(&known) {
            let words: Vec<Word> = argv.iter().take(known.len()).cloned().collect();
            self.judge(&words, None, env)?;
            return Ok(());
        }
        self.judge(argv, None, env)
    }

    /// `find` with what it runs, removes and writes.
    fn find(&mut self, all: &[Word], env: &mut Env) -> Result<()> {
        if all.iter().any(Word::is_unknown) {
            self.found.unsure("not all arguments of `find` are known");
        }
        let starts: Vec<&Word> =
            all.iter().take_while(|w| !w.prefix().starts_with(['-', '(', '!'])).collect();
        let here = Word::text(".");
        let mut at = 0;
        while let Some(word) = all.get(at) {
            at += 1;
            self.mentions_keys(word, env);
            let text = word.literal().unwrap_or_default();
            match text.as_str() {
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let mut argv: Vec<Word> = Vec::new();
                    while let Some(next) = all.get(at) {
                        at += 1;
                        if matches!(next.literal().as_deref(), Some(";" | "+")) {
                            break;
                        }
                        argv.push(next.clone());
                    }
                    let placed = argv.iter().skip(1).all(|w| {
                        let text = w.pattern();
                        text == "{}" || !text.contains("{}")
                    });
                    let mut fed: Vec<Word> = argv
                        .iter()
                        .filter(|w| w.literal().as_deref() != Some("{}"))
                        .cloned()
                        .collect();
                    let shown: Vec<String> = fed.iter().map(Word::shown).collect();
                    let given: Vec<String> = all.iter().map(Word::shown).collect();
                    if super::files::shows_content(&shown) && super::files::finds_anything(&given) {
                        self.found.unsure("`find` may show files that hold keys");
                    }
                    fed.push(Word { is_many: true, ..Word::unknown() });
                    if placed { self.fed(&fed, env)? } else { self.judge(&fed, None, env)? }
                }
                "-delete" => {
                    if starts.is_empty() {
                        self.destroys(&here, env);
                    }
                    for start in &starts {
                        self.destroys(start, env);
                    }
                    self.found.harm("`find -delete` removes whatever it finds");
                }
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                    if let Some(file) = all.get(at) {
                        self.writes(file, env);
                    }
                }
                "-files0-from" => self.found.unsure("`find` takes folders from a list"),
                _ => {}
            }
        }
        for start in starts {
            self.searches(start, env);
        }
        Ok(())
    }

    /// Patterns of `find` name what it finds, also where the shell leaves them alone.
    fn mentions_keys(&mut self, word: &Word, env: &Env) {
        let Some(text) = word.literal() else { return self.reads(word, env) };
        let mut open = Word::default();
        let mut inside = false;
        for char in text.chars() {
            if inside {
                inside = char != ']';
                continue;
            }
            inside = char == '[';
            open.push(match char {
                '*' => Piece::Star,
                '?' | '[' => Piece::Any,
                other => Piece::Text(other.to_string()),
            });
        }
        self.reads(&open, env);
    }
}
