//! One command, its assignments and its name: who judges it.

mod searches;

use super::{
    arguments::operands,
    env::Env,
    lex::{self, Result},
    listed, programs,
    walk::Walker,
    word::Word,
};

/// Folders of programs that the system installed.
const SYSTEM: &[&str] = &[
    "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin",
    "/opt/homebrew/bin",
];
/// Variables that match a dangerous name and are harmless.
const HARMLESS_VARIABLES: &[&str] = &[
    "RUST_LOG",
    "RUST_BACKTRACE",
    "RUST_TEST_THREADS",
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "NODE_ENV",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PYTHONHASHSEED",
    "MAKE_JOBS",
    "DOTNET_CLI_TELEMETRY_OPTOUT",
];

impl Walker<'_> {
    /// A command as the words of the text: assignments, name, arguments.
    pub fn command(&mut self, raws: &[String], stdin: Option<&Word>, env: &mut Env) -> Result<()> {
        let leading = raws.iter().take_while(|raw| lex::is_assignment(raw)).count();
        let (assignments, rest) = raws.split_at(leading);
        let mut argv = Vec::new();
        for raw in rest {
            argv.extend(self.expand(raw, env)?);
        }
        let names: Vec<String> = argv.iter().take(1).map(Word::shown).collect();
        for raw in assignments {
            let (name, value) = self.assignment(raw, env)?;
            self.assigned(&name, &names);
            if rest.is_empty() {
                env.set(&name, value);
            }
        }
        if argv.is_empty() {
            if !rest.is_empty() {
                return Err("a command whose name is empty");
            }
            return Ok(());
        }
        if !assignments.is_empty() {
            self.found.does_more = true;
        }
        self.judge(&argv, stdin, env)
    }

    /// Name and value of `NAME=value`; of lists and elements the value is not known.
    fn assignment(&mut self, raw: &str, env: &mut Env) -> Result<(String, Word)> {
        let (left, right) = raw.split_once('=').ok_or("an unusual assignment")?;
        let adds = left.ends_with('+');
        let left = left.strip_suffix('+').unwrap_or(left);
        if let Some((name, index)) = left.split_once('[') {
            self.arithmetic(index.trim_end_matches(']'), env)?;
            self.expand_value(right, env)?;
            return Ok((name.to_owned(), Word::unknown()));
        }
        if let Some(list) = right.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
            for token in lex::lex(list)?.tokens {
                self.expand(list.get(token.start..token.end).unwrap_or_default(), env)?;
            }
            return Ok((left.to_owned(), Word::unknown()));
        }
        let mut value = self.expand_value(right, env)?;
        // Bash expands `~` behind colons too: such values are paths in lists.
        if right.contains(":~") {
            value = Word::unknown();
        }
        if adds {
            let mut whole = env.get(left);
            whole.append(&value);
            value = whole;
        }
        Ok((left.to_owned(), value))
    }

    /// A variable gets a value; `command` is the name of the command it is for.
    pub fn assigned(&mut self, name: &str, command: &[String]) {
        if name == "IFS" && command.iter().all(|c| c == "read") && !command.is_empty() {
            return;
        }
        let decides = programs::VARIABLES.contains(name)
            || programs::VARIABLE_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if decides && !HARMLESS_VARIABLES.contains(&name) {
            self.found.unsure(format!("the variable `{name}` decides which code runs"));
        }
    }

    /// A command as its arguments.
    pub fn judge(&mut self, argv: &[Word], stdin: Option<&Word>, env: &mut Env) -> Result<()> {
        self.commands += 1;
        if self.commands > super::MAX_COMMANDS {
            return Err("it contains too many commands");
        }
        let Some((first, arguments)) = argv.split_first() else { return Ok(()) };
        let shown: Vec<String> = argv.iter().map(Word::shown).collect();
        self.found.does_more |= !listed::only_reads(&shown);
        self.found.command(shown);
        let Some(name) = first.literal() else {
            self.found.unsure(format!("it is not known which program `{}` is", first.shown()));
            return Ok(());
        };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) || name.starts_with('-') {
            self.found.unsure(format!("`{name}` is an unusual name of a program"));
            return Ok(());
        }
        if env.functions.contains(&name) {
            env.lose();
            self.found.does_more = true;
        }
        let base = match name.rsplit_once('/') {
            Some((folder, base)) => {
                if !SYSTEM.contains(&folder) {
                    self.found.does_more = true;
                    self.runs(first, env);
                    self.mentions(first, env);
                }
                base
            }
            None => name.as_str(),
        };
        let lower = base.to_ascii_lowercase();
        let program = lower.strip_suffix(".exe").unwrap_or(&lower);
        self.in_protected_folder(program, env);
        self.program(program, arguments, stdin, env)
    }

    /// Commands that run where something protected lies may write it without naming it.
    fn in_protected_folder(&mut self, program: &str, env: &Env) {
        let quiet = programs::PRINTERS.contains(program)
            || matches!(program, "cd" | "ls" | "cat" | "pwd" | "head" | "tail" | "wc" | "grep");
        let held = env.folders.iter().any(|folder| self.place.protected.holds(folder).is_some());
        if held && !quiet {
            self.found.harm(format!("`{program}` runs in a protected folder"));
        }
    }

    fn program(
        &mut self,
        program: &str,
        arguments: &[Word],
        stdin: Option<&Word>,
        env: &mut Env,
    ) -> Result<()> {
        let base = unversioned(program);
        if self.builtin(program, arguments, env)? || self.wrapper(program, arguments, stdin, env)? {
            return Ok(());
        }
        if programs::PRINTERS.contains(program) {
            return Ok(());
        }
        let harmful = if programs::PRIVILEGE.contains(program) {
            Some("gives rights that you did not give")
        } else if programs::MACHINE.contains(program)
            || program.starts_with("mkfs")
            || program.starts_with("fsck")
        {
            Some("changes the machine itself: disks, power, kernel, users, mounts or jobs")
        } else {
            None
        };
        if let Some(reason) = harmful {
            self.found.harm(format!("`{program}` {reason}"));
        }
        if programs::OPAQUE.contains(program) || programs::OPAQUE.contains(base) {
            self.found.unsure(format!("`{program}` can run other programs, which is not judged"));
        }
        if arguments.iter().any(Word::is_unknown) {
            self.found.unsure(format!("not all arguments of `{program}` are known"));
        }
        if programs::SHELLS.contains(base) {
            self.shell(program, arguments, stdin, env);
        } else if programs::INTERPRETERS.contains(base) {
            self.interpreter(base, arguments, env);
        } else if !self.known(program, arguments, stdin, env) {
            self.other(program, arguments, env);
        }
        Ok(())
    }

    /// Programs with rules of their own.
    fn known(
        &mut self,
        program: &str,
        arguments: &[Word],
        stdin: Option<&Word>,
        env: &mut Env,
    ) -> bool {
        match program {
            "git" => self.git(arguments, env),
            "rm" => self.remove(arguments, env),
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(arguments, env),
            "sed" | "gsed" => self.sed(arguments, env),
            "dd" | "ln" => self.copies_blocks_or_links(program, arguments, env),
            "kill" => self.kill(arguments),
            "alias" => {
                if !arguments.is_empty() {
                    self.found.unsure("an alias changes what later commands mean");
                }
            }
            "printenv" | "env" => {
                self.found.unsure("the environment may hold keys");
            }
            "date" => {
                if arguments
                    .iter()
                    .any(|w| !w.prefix().starts_with(['+', '-']) && !w.prefix().is_empty())
                    && !arguments
                        .iter()
                        .any(|w| matches!(w.literal().as_deref(), Some("-d" | "-r" | "--date")))
                {
                    self.found.harm("`date` sets the clock");
                }
                return false;
            }
            _ if super::sql::CLIENTS.contains(&program) => {
                self.database(program, arguments, stdin, env)
            }
            _ if programs::FETCHERS.contains(program) => self.fetch(program, arguments, env),
            _ if programs::WRITERS.contains(program) => self.writer(program, arguments, env),
            _ if programs::BUILDERS.contains(program) => self.builder(program, arguments, env),
            _ => return false,
        }
        true
    }

    /// A program that nothing is known of, or that reads.
    fn other(&mut self, program: &str, arguments: &[Word], env: &mut Env) {
        let shown: Vec<String> =
            std::iter::once(program.to_owned()).chain(arguments.iter().map(Word::shown)).collect();
        if listed::only_reads(&shown) {
            self.searches_everything(program, arguments, env);
            let searches = matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "diff" | "cat");
            for word in arguments {
                self.reads(word, env);
                let literal = word.literal().unwrap_or_default();
                if let Some((_, value)) = literal.split_once('=') {
                    self.reads(&Word::text(value), env);
                }
                if searches {
                    self.searches(word, env);
                }
            }
            return;
        }
        for word in arguments {
            self.mentions(word, env);
            self.searches(word, env);
            self.embedded(word, env);
        }
        self.runs_rest(arguments, env);
        if operands(arguments).next().is_none() && matches!(program, "sort" | "uniq") {
            return;
        }
        self.options_of_readers(program, arguments, env);
    }

    /// Text in an argument that some program may run.
    pub fn embedded(&mut self, word: &Word, env: &Env) {
        let Some(text) = word.literal() else { return };
        if !text.contains([' ', ';', '|', '&', '`', '$', '\n', '\t']) || text.len() < 4 {
            return;
        }
        let mut inner = self.inside();
        inner.nested(&text, env);
        self.charge(&inner);
        if self.commands > super::MAX_COMMANDS {
            self.found.unsure("it contains too many commands");
        }
        if !inner.found.harmful.is_empty() || !inner.found.denied.is_empty() {
            self.found
                .harm(format!("an argument holds a command that is asked about: {}", word.shown()));
        }
    }
}

/// `python3.11` is `python`.
fn unversioned(program: &str) -> &str {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if bare.is_empty() { program } else { bare }
}
